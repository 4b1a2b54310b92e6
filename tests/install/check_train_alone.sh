#!/usr/bin/env bash
# Builds kstar-train alone, as on a machine that has a compiler and nothing else.
#   check_train_alone.sh COMPILER
# A compiler without <format> gets fmt and tl::expected instead of what kstar-train brings.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CXX=$1

fail() { echo "FAILED: $*"; exit 1; }
has() { "$CXX" -std=c++23 -fsyntax-only -x c++ -include "$1" /dev/null 2>/dev/null; }

if has format && has expected; then
  echo 'with the compiler alone'
else
  echo "$CXX has no <format> or no <expected>: with the headers of fmt and tl::expected"
  mkdir "$work/include"
  for library in fmt tl; do
    header=$(find /usr/include /usr/local/include -maxdepth 1 -name $library | head -1)
    [[ -n $header ]] || { echo "skipped: no headers of $library either"; exit 77; }
    ln -s "$header" "$work/include/$library"
  done
  export CPPFLAGS="-I $work/include -DFMT_HEADER_ONLY -w"
fi
"$here/../../src/tools/kstar_train/build-alone" "$work/bin"
final=$("$work/bin/kstar-train" --workers 3 --steps 20 | grep 'final loss')
[[ $final == 'final loss: 0.222168339' ]] || fail "kstar-train alone learns something else: $final"
if "$work/bin/kstar-train" --worker 3 2>"$work/error"; then fail 'a wrong flag is taken'; fi
grep -q "expected an option, got '--worker'" "$work/error" || fail "$(<"$work/error")"
[[ $("$work/bin/kstar-train" --workers 2 --json) == *'"shares":[128,128]'* ]] || fail '--json'
# needs: mpicxx
if command -v mpicxx >/dev/null; then
  [[ -x $work/bin/kstar-train-mpi ]] || fail 'there is an mpicxx, and no kstar-train-mpi'
fi
