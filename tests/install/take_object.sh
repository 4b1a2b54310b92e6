#!/bin/sh
# In place of a compiler: takes the object from the build KSTAR_OBJECTS, where that has it. A shared
# library is made of the same objects as a static one, and compiling them again takes minutes.
#   take_object.sh COMPILER WORDS...
for word; do
  case $before in
    -o) object=$word ;;
    -MF) dependencies=$word ;;
  esac
  before=$word
done
[ -f "$KSTAR_OBJECTS/$object" ] || exec "$@"
cp "$KSTAR_OBJECTS/$object" "$object"
echo "$object:" >"$dependencies"
