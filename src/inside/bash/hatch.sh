# `mcp`: what a program may ask of the host. Works wherever the shell waits for it: in pipes and in $(...) too. A job
# that outlives its run may not ask: it and the shell would take each other's frames.

mcp() {
  { builtin local -; builtin set +aexET; } 2>/dev/null
  case "${1-} ${2-}" in
  'help ') __sp_call help '{}' ;;
  'session reset' | 'session list') __sp_call "session.$2" '{}' ;;
  'session close')
    if [[ ${3+set} ]]; then
      __sp_quote "$3"
      __sp_call session.close "{\"name\":$__sp_quoted}"
    else
      __sp_call session.close '{}'
    fi
    ;;
  'call '* | 'search '* | 'servers '* | 'docs '*) __sp_shell "$@" ;;
  *)
    builtin echo 'usage: mcp call SERVER TOOL [KEY=TEXT | KEY:=JSON | JSON]... | search WORDS | servers | docs NAME | help | session reset|close [NAME]|list' >&2
    builtin return 2
    ;;
  esac
}

# For the host to read: the words as they are, and bytes for stdout back.
__sp_shell() {
  builtin local __sp_words= __sp_word_at
  for __sp_word_at; do
    __sp_quote "$__sp_word_at"
    __sp_words+="${__sp_words:+,}$__sp_quoted"
  done
  __sp_call shell "{\"words\":[$__sp_words]}"
}

# __sp_call METHOD PARAMS: prints the value, text as text and everything else as JSON.
__sp_call() {
  builtin local __sp_answer __sp_ok __sp_is_data= __sp_written=0
  # The shell has put its own stdin aside at 205 for as long as a program runs.
  if [[ $BASHPID != "$$" && ! -e /proc/$$/fd/205 ]]; then
    builtin echo 'mcp: the run has ended' >&2
    builtin return 1
  fi
  __sp_ask "$1" "$2" || { builtin echo 'mcp: the host does not answer' >&2; builtin return 1; }
  if [[ $__sp_ok == 1 && $__sp_is_data ]]; then
    builtin return "$__sp_written"
  elif [[ $__sp_ok == 1 ]]; then
    __sp_plain "$__sp_answer"
    builtin printf '%s\n' "$__sp_plain"
  else
    [[ $__sp_answer =~ \"message\":(\"([^\"\\]|\\.)*\") ]] && __sp_plain "${BASH_REMATCH[1]}"
    builtin printf 'mcp: %s\n' "${__sp_plain-$__sp_answer}" >&2
    builtin return 1
  fi
}

# __sp_ask METHOD PARAMS: waits for the reply; __sp_ok and __sp_answer.
__sp_ask() {
  builtin local LC_ALL=C "__sp_call_id=$BASHPID.$RANDOM$RANDOM" __sp_word __sp_number __sp_value
  builtin local __sp_verb __sp_count __sp_reply
  __sp_send call id "$__sp_call_id" method "$1" params "$2" || builtin return 1
  while :; do
    __sp_header || builtin return 1
    __sp_verb=$__sp_word __sp_count=$__sp_number __sp_reply=
    while ((__sp_count-- > 0)); do
      __sp_header || builtin return 1
      if [[ $__sp_word == data && $__sp_reply == "$__sp_call_id" ]]; then
        __sp_is_data=1
        __sp_pass_on 2>/dev/null || __sp_written=$?
        builtin continue
      fi
      __sp_take || builtin return 1
      case $__sp_word in
      id) __sp_reply=$__sp_value ;;
      ok) __sp_ok=$__sp_value ;;
      value) __sp_answer=$__sp_value ;;
      esac
    done
    [[ $__sp_verb != reply || $__sp_reply != "$__sp_call_id" ]] || builtin return 0
  done
}

# The value that follows a header goes to stdout, whatever bytes it has. It is read whole even when nobody takes it.
__sp_pass_on() {
  builtin local __sp_dd=/usr/bin/dd REPLY
  [[ -x $__sp_dd ]] || __sp_dd=/bin/dd
  ((__sp_number == 0)) || "$__sp_dd" iflag=fullblock bs="$__sp_number" count=1 <&204
  builtin set -- "$?"
  builtin read -r -N 1 -u 204 || builtin exit 0
  builtin return "$1"
}

# Text as a JSON string, in __sp_quoted.
__sp_quote() {
  builtin local LC_ALL=C __sp_at __sp_char
  __sp_quoted=
  for ((__sp_at = 0; __sp_at < ${#1}; __sp_at++)); do
    __sp_char=${1:__sp_at:1}
    case $__sp_char in
    \" | \\) __sp_quoted+="\\$__sp_char" ;;
    [[:cntrl:]])
      builtin printf -v __sp_char '\\u%04x' "'$__sp_char"
      __sp_quoted+=$__sp_char
      ;;
    *) __sp_quoted+=$__sp_char ;;
    esac
  done
  __sp_quoted="\"$__sp_quoted\""
}

# A JSON string as text, anything else as it is, in __sp_plain.
__sp_plain() {
  __sp_plain=$1
  [[ $1 == \"*\" ]] || builtin return 0
  __sp_plain=${1:1:${#1}-2}
  # A quote always has the backslash before it that escapes it. The other escapes mean the same to %b.
  __sp_plain=${__sp_plain//\\\"/\"}
  builtin printf -v __sp_plain %b "$__sp_plain"
}
