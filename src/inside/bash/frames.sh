# Frames on the control channel. Lengths are in bytes, so callers have LC_ALL=C.

# __sp_send VERB [NAME VALUE]...
__sp_send() {
  builtin local LC_ALL=C "__sp_frame=$1 $(($# / 2))"$'\n'
  builtin shift
  while (($#)); do
    __sp_frame+="$1 ${#2}"$'\n'"$2"$'\n'
    builtin shift 2
  done
  builtin printf %s "$__sp_frame" >&204
}

# The next header line: __sp_word and __sp_number. Fails when the channel has ended.
__sp_header() {
  builtin local REPLY
  # Without a name to read into, IFS has no part in it.
  builtin read -r -u 204 || builtin return 1
  __sp_word=${REPLY%% *} __sp_number=${REPLY##* }
}

# The value that follows a header, in __sp_value. -N does not count NULs: the host sends none in a value read here.
__sp_take() {
  builtin local REPLY
  builtin read -r -N "$((__sp_number + 1))" -u 204 || builtin return 1
  __sp_value=${REPLY:0:__sp_number}
}

# The value goes into a file instead, whatever bytes it has. `dd` with one block of just that size takes no byte more.
__sp_take_file() {
  builtin local __sp_dd=/usr/bin/dd REPLY
  [[ -x $__sp_dd ]] || __sp_dd=/bin/dd
  if ((__sp_number > 0)); then
    "$__sp_dd" iflag=fullblock bs="$__sp_number" count=1 <&204 >|"$1"
  else
    : >|"$1"
  fi
  builtin set -- "$?"
  builtin read -r -N 1 -u 204 || builtin exit 0
  builtin return "$1"
}
