#!/bin/sh
@HEADER@
set -eu
unset IFS
if [ -n "${ZSH_VERSION:-}" ]; then emulate sh; fi
aris_helper=@HELPER@
aris_version=@VERSION@

# The folder this file lies in. Nothing is started unless the file is a link.
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
aris_dir=${aris_self%/*}
case $aris_dir in -*) aris_dir=./$aris_dir ;; esac

# Linux says what it is in two files, which costs no process.
if [ -r /proc/sys/kernel/ostype ] && [ -r /proc/sys/kernel/arch ] &&
  read -r aris_machine </proc/sys/kernel/ostype && read -r aris_arch </proc/sys/kernel/arch; then
  aris_machine="$aris_machine $aris_arch"
else
  aris_machine=$(uname -sm 2>/dev/null) || aris_machine=unknown
fi
aris_ext=
case $aris_machine in
"Linux x86_64" | "Linux amd64") aris_targets="x86_64-unknown-linux-musl x86_64-unknown-linux-gnu" ;;
"Linux aarch64" | "Linux arm64") aris_targets="aarch64-unknown-linux-musl aarch64-unknown-linux-gnu" ;;
"Darwin x86_64") aris_targets=x86_64-apple-darwin ;;
"Darwin arm64" | "Darwin aarch64") aris_targets=aarch64-apple-darwin ;;
MINGW* | MSYS* | CYGWIN*) aris_targets=x86_64-pc-windows-msvc aris_ext=.exe ;;
*) aris_targets= ;;
esac

# An installer dropped the execute bit and it cannot be set here: run a copy. Its name says which content it has.
aris_run_copy() {
  case ${XDG_CACHE_HOME:-} in
  /*) aris_cache=$XDG_CACHE_HOME/aris/bin ;;
  *) case ${HOME:-} in /*) aris_cache=$HOME/.cache/aris/bin ;; *) return 0 ;; esac ;;
  esac
  if command -v sha256sum >/dev/null 2>&1; then
    aris_digest=$(sha256sum <"$1") || return 0
    aris_digest=${aris_digest%% *}
  else
    aris_digest=$(cksum <"$1") || return 0
    aris_digest=cksum${aris_digest%% *}-${aris_digest##* }
  fi
  aris_copy=$aris_cache/$aris_helper-$aris_version-$aris_digest-$aris_target$aris_ext
  if [ ! -x "$aris_copy" ] || ! cmp -s "$1" "$aris_copy"; then
    (umask 077 && mkdir -p "$aris_cache") 2>/dev/null || return 0
    aris_new=$(mktemp "$aris_cache/.$aris_helper.XXXXXX" 2>/dev/null) || aris_new=$aris_cache/.$aris_helper.$$
    if ! { cat "$1" >"$aris_new" && chmod 755 "$aris_new" && mv -f "$aris_new" "$aris_copy"; } 2>/dev/null; then
      rm -f "$aris_new" 2>/dev/null || :
      return 0
    fi
    [ -x "$aris_copy" ] || return 0
  fi
  shift
  exec "$aris_copy" "$@"
}

aris_stuck=
for aris_target in $aris_targets; do
  aris_bin=$aris_dir/bin/$aris_helper-$aris_target$aris_ext
  # A shell runs an empty file as an empty script, with success.
  if [ ! -f "$aris_bin" ] || [ ! -s "$aris_bin" ]; then continue; fi
  [ -x "$aris_bin" ] || chmod +x "$aris_bin" 2>/dev/null || :
  if [ -x "$aris_bin" ]; then exec "$aris_bin" "$@"; fi
  if [ -r "$aris_bin" ]; then aris_run_copy "$aris_bin" "$@"; fi
  aris_stuck=$aris_bin
done

# No binary here: one on PATH will do, but not a script, which could be this file or another launcher without a binary.
aris_path=${PATH:-}:
while [ -n "$aris_path" ]; do
  aris_bin=${aris_path%%:*}
  aris_path=${aris_path#*:}
  case $aris_bin in /*) aris_bin=$aris_bin/$aris_helper$aris_ext ;; *) continue ;; esac
  if [ -f "$aris_bin" ] && [ -s "$aris_bin" ] && [ -x "$aris_bin" ]; then
    aris_first=
    IFS= read -r aris_first 2>/dev/null <"$aris_bin" || :
    case $aris_first in
    "#!"*) ;;
    *)
      printf '%s: note: no binary beside the launcher, running %s\n' "$aris_helper" "$aris_bin" >&2
      exec "$aris_bin" "$@"
      ;;
    esac
  fi
done

case $aris_machine in *[!A-Za-z0-9_.\ -]*) aris_machine=unknown ;; esac
aris_target=${aris_targets%% *}
aris_message="no usable binary of $aris_helper $aris_version for ${aris_target:-this system} ($aris_machine)"
aris_hint="install the release for this system, or run cargo xtask install-skills in a checkout of the source"
if [ -n "$aris_stuck" ]; then
  aris_message="the binary of $aris_helper cannot be made executable, nor a copy of it in the cache"
  aris_hint="set its mode to 755, or set XDG_CACHE_HOME to a folder that can be written and run from"
fi
printf '%s: error: %s%s; %s\n' "$aris_helper" "$aris_message" "${aris_stuck:+ ($aris_stuck)}" "$aris_hint" >&2 || :
for aris_arg; do
  case $aris_arg in
  --) break ;;
  --json)
    printf '{"error":{"code":"PRECONDITION","message":"%s","hint":"%s","details":{"target":"%s","machine":"%s"}}}\n' \
      "$aris_message" "$aris_hint" "$aris_target" "$aris_machine" || :
    break
    ;;
  esac
done
exit 5
