#!/usr/bin/env bash
# Installs a build into a new folder and builds a program against it, as a user would.
#   check_install.sh static BUILD
#   check_install.sh shared NEW-BUILD BUILD
# shared makes NEW-BUILD with a shared library first, of the objects of BUILD.
# needs: cmake, ninja, c++, pkg-config, nm, readelf
set -euo pipefail

kind=$1 build=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
expected="ceiling 20, bend 10, mean 1.0 in 0.752..1.248"

fail() { echo "FAILED: $*"; exit 1; }
must_print() {  # WHO OUTPUT
  [[ $2 == "$expected" ]] || fail "the $1 consumer printed: $2"
  echo "$1 consumer: ok"
}

if [[ $kind == shared ]]; then
  rm -rf "$build"  # objects that were taken do not say what they depend on
  cmake -S "$here/../.." -B "$build" -G Ninja -DBUILD_SHARED_LIBS=ON -DKSTAR_TESTS=OFF \
    -DKSTAR_BENCH=OFF -DKSTAR_UNITY=ON -DCMAKE_CXX_COMPILER_LAUNCHER="$here/take_object.sh" \
    --log-level=WARNING
  KSTAR_OBJECTS=$3 cmake --build "$build"
  cmake --install "$build" --prefix "$prefix" >"$work/log"
  library=$(find "$prefix" -name libkstar.so)
  shown=$(nm -DC --defined-only "$library" | cut -d' ' -f3-)
  foreign=$(grep -vE '^(kstar::|(typeinfo|typeinfo name|vtable|VTT) for kstar::)' <<<"$shown" || true)
  [[ -n $shown ]] || fail "$library shows no symbols at all"
  [[ -z $foreign ]] || fail "$library shows symbols that are not kstar's: $foreign"
  echo "libkstar.so: $(wc -l <<<"$shown") symbols, all kstar's"
  link=()
  export LD_LIBRARY_PATH=${library%/*}
else
  cmake --install "$build" --prefix "$prefix" >"$work/log"
  link=(--static)
fi
[[ $("$prefix/bin/kstar" predict amdahl --serial 0.5 --workers 2 --format csv) == *2,0.75,* ]] ||
  fail 'the installed program does not predict'
mkdir "$work/marks"
KSTAR_MARKS=$work/marks "$prefix/bin/kstar-train" --workers 2 --steps 6 --width 8 >"$work/log" ||
  fail 'the installed kstar-train does not train'
[[ $(find "$work/marks" -name '*.kmarks' | wc -l) == 2 ]] || fail 'kstar-train left no marks'
[[ -f $prefix/share/kstar/kstar_mark.py ]] || fail 'kstar_mark.py was not installed'
preload=$(find "$prefix" -name libkstar_mpi.so)
[[ -n $preload ]] || fail 'libkstar_mpi.so was not installed'
[[ $(LD_PRELOAD=$preload KSTAR_INSIDE=$work/marks /bin/echo unharmed) == unharmed ]] ||
  fail 'libkstar_mpi.so harms a program without MPI'
needed=$(readelf -d "$preload" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libdl|libpthread|ld-linux.*)\.so' || true)
[[ -z $needed ]] || fail "libkstar_mpi.so brings along: $needed"
foreign=$(nm -D --defined-only "$preload" | cut -d' ' -f3- | grep -vE '^(MPI_|mpi_)' || true)
[[ -z $foreign ]] || fail "libkstar_mpi.so shows: $foreign"
for made in man1/kstar.1 completions/kstar site-functions/_kstar kstar.fish; do
  find "$prefix/share" -path "*$made" | grep -q . || fail "$made was not installed"
done

cmake -S "$here/consumer" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  --log-level=WARNING >"$work/log"
cmake --build "$work/cmake" >"$work/log" || { cat "$work/log"; fail 'find_package consumer'; }
must_print find_package "$("$work/cmake/consumer")"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name kstar.pc)")
export PKG_CONFIG_PATH
read -ra flags <<<"$(pkg-config --cflags --libs "${link[@]}" kstar)"
"${CXX:-c++}" -std=c++20 "$here/consumer/consumer.cc" -o "$work/consumer" "${flags[@]}"
must_print pkg-config "$("$work/consumer")"

# docs/library.md is complete: its files, built both ways, print what it shows.
page=$here/../../docs/library.md
block() { awk -v open="\`\`\`$1" '$0 == open { inside = 1; next } /^```/ { inside = 0 } inside' "$page"; }
mkdir "$work/page"
block cpp >"$work/page/advise.cc"
block cmake >"$work/page/CMakeLists.txt"
block text >"$work/page/shown"
says_what_is_shown() {  # WHO PROGRAM
  "$2" "$here/../../examples/threads/16-cores.jsonl" | diff "$work/page/shown" - ||
    fail "docs/library.md: the $1 example prints something else"
  echo "docs/library.md, $1: ok"
}
cmake -S "$work/page" -B "$work/page/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  --log-level=WARNING >"$work/log"
cmake --build "$work/page/build" >"$work/log" || { cat "$work/log"; fail 'docs/library.md with CMake'; }
says_what_is_shown CMake "$work/page/build/advise"
"${CXX:-c++}" -std=c++20 "$work/page/advise.cc" -o "$work/page/advise" "${flags[@]}"
says_what_is_shown pkg-config "$work/page/advise"
