#!/bin/sh
''':'
# @ALIAS@: a name that skills know for @HELPER@, a helper of the skill @OWNER@.
# Generated; do not edit. It becomes skills/@OWNER@/scripts/@HELPER@, found from the place of this
# file, from the project of the working directory, in $ARIS_REPO, where the skills were installed from, or in the
# home folder.
# It is valid as a POSIX shell script and as Python: sh, bash and python3 may all be given it.
# Exit: @EXIT@ of @HELPER@; 5 when it is not found. Full text: --help
set -eu
unset IFS

# The project or repository that this file lies in: above tools or .aris/tools, after all links.
aris_self=$0
case $aris_self in
*/*) ;;
*) if [ -e "./$aris_self" ]; then aris_self=./$aris_self; else aris_self=$(command -v "$aris_self") || aris_self=./$0; fi ;;
esac
while [ -h "$aris_self" ]; do
  aris_link=$(readlink "$aris_self") || break
  case $aris_link in
  /*) aris_self=$aris_link ;;
  *) aris_self=${aris_self%/*}/$aris_link ;;
  esac
done
aris_dir=${aris_self%/*}/
case $aris_dir in /*) ;; *) aris_dir=./$aris_dir ;; esac
aris_dir=$(cd -P "$aris_dir" && printf '%s/' "$PWD") || aris_dir=${aris_self%/*}/
aris_own=${aris_dir%/}@NESTED@
aris_own=${aris_own%/*}
aris_own=${aris_own%/.aris}

# The first of these folders of skills that has the launcher.
aris_launcher=
aris_look() {
  for aris_skills; do
    if [ -z "$aris_launcher" ] && [ -e "$aris_skills/@OWNER@/scripts/@HELPER@" ]; then
      aris_launcher=$aris_skills/@OWNER@/scripts/@HELPER@
    fi
  done
}
# The repository that a project was installed from.
aris_manifest() {
  if [ -n "$aris_launcher" ] || [ ! -f "$1/.aris/installed-skills.txt" ]; then return 0; fi
  while read -r aris_key aris_value || [ -n "$aris_key" ]; do
    if [ "$aris_key" = repo_root ] && [ -n "$aris_value" ]; then aris_look "$aris_value/skills"; fi
  done <"$1/.aris/installed-skills.txt"
}
aris_look "$aris_own/.agents/skills" "$aris_own/.claude/skills" "$aris_own/.gemini/skills" "$aris_own/skills"
if [ -z "$aris_launcher" ]; then
  aris_root=$(git rev-parse --show-toplevel 2>/dev/null || pwd) || aris_root=.
  aris_look "$aris_root/.agents/skills" "$aris_root/.claude/skills" "$aris_root/.gemini/skills" "$aris_root/skills"
  if [ -n "${ARIS_REPO:-}" ]; then
    case $ARIS_REPO in /*) aris_look "$ARIS_REPO/skills" ;; *) aris_look "./$ARIS_REPO/skills" ;; esac
  fi
  aris_manifest "$aris_own"
  aris_manifest "$aris_root"
  if [ -n "${HOME:-}" ]; then aris_look "$HOME/.agents/skills" "$HOME/.claude/skills"; fi@SOURCE@
fi

if [ -f "$aris_launcher" ] && [ -r "$aris_launcher" ]; then exec /bin/sh "$aris_launcher" "$@"; fi
aris_message="the launcher of @HELPER@ is not found"
if [ -n "$aris_launcher" ]; then aris_message="the launcher of @HELPER@ is found and cannot be read"; fi
aris_hint="install the skills again, as with aris install PROJECT, or set ARIS_REPO to a checkout or unpacked release of ARIS"
printf '%s: error: %s%s; %s\n' '@ALIAS@' "$aris_message" "${aris_launcher:+ ($aris_launcher)}" "$aris_hint" >&2 || :
for aris_arg; do
  case $aris_arg in
  --) break ;;
  --json)
    printf '{"error":{"code":"PRECONDITION","message":"%s","hint":"%s","details":{"helper":"%s","owner":"%s"}}}\n' \
      "$aris_message" "$aris_hint" '@HELPER@' '@OWNER@' || :
    break
    ;;
  esac
done
exit 5
'''
import sys

if __name__ != "__main__":
    raise ImportError("@ALIAS@ is a program, not a module; run it and read the JSON that --json prints")
# Built-in modules only, so that no file beside this one is imported.
try:
    import _signal
    from posix import execv
except ImportError:
    sys.stderr.write("@ALIAS@: error: Python cannot start it on this system; run it with sh\n")
    sys.exit(5)
# Python ignores these; whoever comes next expects the default.
for aris_name in ("SIGPIPE", "SIGXFSZ"):
    if hasattr(_signal, aris_name):
        _signal.signal(getattr(_signal, aris_name), _signal.SIG_DFL)
aris_file = __file__ if "/" in __file__ else "./" + __file__
execv("/bin/sh", ["sh", aris_file] + sys.argv[1:])
