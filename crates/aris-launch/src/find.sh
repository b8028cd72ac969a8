IFS= read -r _aris_skill <<'ARIS_SKILL_DIR' || :
${CLAUDE_SKILL_DIR}
ARIS_SKILL_DIR
case $_aris_skill in '$'*) _aris_skill=${CLAUDE_SKILL_DIR:-} ;; esac
_aris_top=$(git rev-parse --show-toplevel 2>/dev/null || pwd -P) _aris_root=
for _aris_mark in .aris/tools .agents/skills .claude/skills .gemini/skills; do
  _aris_dir=$(pwd -P)
  while [ -z "$_aris_root" ]; do
    if [ -d "$_aris_dir/$_aris_mark" ]; then _aris_root=$_aris_dir; fi
    if [ "$_aris_dir" = "$_aris_top" ] || [ -z "$_aris_dir" ]; then break; fi
    _aris_dir=${_aris_dir%/*}
  done
done
_aris_root=${_aris_root:-$_aris_top}
_aris_list=$_aris_root/.aris/installed-skills.txt _aris_repo=${ARIS_REPO:-} _aris_code=0
if [ -z "$_aris_repo" ] && [ -f "$_aris_list" ]; then
  _aris_repo=$(sed -n "s/^repo_root$(printf '\t')//p" "$_aris_list" | head -n 1 | cut -f 1 | tr -d '\r')
fi
_aris_find() {
  for _aris_dir in "${_aris_skill:+$_aris_skill/$_aris_own}" "$_aris_root/.aris/tools" "$_aris_root/tools" "${_aris_repo:+$_aris_repo/tools}" \
    "$_aris_root/.agents/skills/$_aris_owner" "$_aris_root/.claude/skills/$_aris_owner" "$_aris_root/.gemini/skills/$_aris_owner"; do
    for _aris_name; do
      _aris_file=$_aris_dir/$_aris_name
      if [ -z "$_aris_dir" ] || { [ ! -e "$_aris_file" ] && [ ! -h "$_aris_file" ]; }; then continue; fi
      if [ -f "$_aris_file" ] && [ -r "$_aris_file" ] && [ -s "$_aris_file" ]; then printf '%s\n' "$_aris_file"; return; fi
      printf '%s is there and cannot be used\n' "$_aris_file" >&2; _aris_code=5; return
    done
  done
  printf 'not found: %s\n' "$*" >&2; _aris_code=3
}
