# From the end of one run to the beginning of the next. Every command here is paid for by every run.

# __sp_step STATUS: ends the run that is going on, if any, and waits for the next one. Leaves by `exit` when the control
# channel ends.
__sp_step() {
  [[ -z ${__sp_trap+set} ]] || __sp_run_exit_trap "$1"
  builtin local __sp_sane=1 REPLY __sp_lines __sp_word __sp_number __sp_value __sp_count
  [[ $__sp_sane ]] || { __sp_repair; __sp_step "$1"; builtin return; }
  # Nothing of the kernel shall get into the environment; and POSIX mode reads some of its lines in another way.
  if [[ $- == *a* || :$SHELLOPTS: == *:posix:* ]]; then
    builtin local -
    builtin set +a +o posix
  fi
  # Bytes are counted, not characters. LC_CTYPE costs half of LC_ALL.
  if [[ ${LC_ALL-} ]]; then builtin local LC_ALL=C; else builtin local LC_CTYPE=C; fi
  [[ -z $__sp_cwd ]] || __sp_go_back
  [[ -z $__sp_id ]] || __sp_end "${__sp_returned:-$1}"
  while :; do
    # Without a name to read into, IFS has no part in it.
    builtin read -r -u 204 || builtin exit 0
    # An interrupt that comes while the frame is being read is meant for its run.
    __sp_stop= __sp_count=${REPLY#* }
    case $REPLY in
    run*)
      __sp_take_run
      builtin return
      ;;
    check*) __sp_check ;;
    ping*) __sp_pong ;;
    *) __sp_skip ;;
    esac
  done
}

# Fields come in the order of PROTOCOL.md and values before the code have one line, so most of a frame can be read at
# once. `mapfile` takes not a byte more than its lines.
__sp_take_run() {
  builtin mapfile -t -n 11 -u 204 __sp_lines
  [[ ${__sp_lines[10]-} == code\ * ]] || builtin exit 70
  __sp_number=${__sp_lines[10]#code }
  builtin read -r -N "$((__sp_number + 1))" -u 204 || builtin exit 0
  __sp_code=${REPLY:0:__sp_number} __sp_nonce=${__sp_lines[3]} __sp_args=() __sp_stdin=
  while ((__sp_count-- > 6)); do __sp_take_input; done
  [[ . -ef ${PWD-} ]] || builtin cd -P -e . || __sp_go_home
  __sp_id=${__sp_lines[1]}
  # For `mcp`, a command like any other: whoever has this word of an earlier run is refused by the host.
  builtin export SALLYPORT_RUN=$__sp_id
  [[ -z $__sp_stop ]] || __sp_code='builtin exit 130'
}

__sp_take_input() {
  __sp_header || builtin exit 0
  if [[ $__sp_word == arg ]]; then
    __sp_take || builtin exit 0
    __sp_args+=("$__sp_value")
  else
    __sp_stdin=$__sp_scratch/.stdin
    # Told by a program of our own, which ends like any other.
    __sp_take_file "$__sp_stdin" || __sp_stdin= __sp_code="builtin echo 'bash: no room for standard input' >&2; return 1"
  fi
}

# __sp_end STATUS
__sp_end() {
  __sp_value=$__sp_id
  # From here on an interrupt comes too late and changes nothing.
  __sp_id= __sp_returned=
  [[ -z $__sp_traps ]] || __sp_own_interrupt
  if [[ -z $__sp_status ]]; then
    if (($1)); then __sp_status=error; else __sp_status=ok; fi
  fi
  REPLY=$'\n'"id ${#__sp_value}"$'\n'"$__sp_value"$'\n'"exit ${#1}"$'\n'"$1"$'\n'"status ${#__sp_status}"$'\n'"$__sp_status"$'\n'
  builtin printf %s "${__sp_nonce}E" >&202 && builtin printf %s "${__sp_nonce}E" >&203 || builtin exit 71
  if ((${#__sp_notes[@]})); then __sp_add_notes; else REPLY="done 3$REPLY"; fi
  builtin printf %s "$REPLY" >&204 || builtin exit 71
  __sp_status=
}

# A program has replaced `builtin` itself. In POSIX mode `unset` cannot be replaced.
__sp_repair() {
  POSIXLY_CORRECT=1
  unset -f builtin unset
  unset POSIXLY_CORRECT
  __sp_notes+=('builtin was replaced; restored')
}

__sp_add_notes() {
  REPLY="done $((3 + ${#__sp_notes[@]}))$REPLY"
  for __sp_value in "${__sp_notes[@]}"; do REPLY+="note ${#__sp_value}"$'\n'"$__sp_value"$'\n'; done
  __sp_notes=()
}

# kernel.sh went to its own folder for a moment.
__sp_go_back() {
  builtin cd -- "$__sp_cwd" || __sp_go_home
  if [[ $__sp_old ]]; then OLDPWD=$__sp_old; else builtin unset -v OLDPWD; fi
  [[ :$__sp_shopts: != *:sourcepath:* ]] || builtin shopt -s sourcepath
  [[ :$__sp_shopts: != *:expand_aliases:* ]] || builtin shopt -s expand_aliases
  __sp_cwd=
}

__sp_go_home() {
  builtin cd -- "$__sp_workspace"
  __sp_notes+=("the working directory is gone; back in $__sp_workspace")
}

__sp_pong() {
  builtin mapfile -t -n 2 -u 204 __sp_lines
  __sp_send pong id "${__sp_lines[1]}"
}

# Parses in a copy of this shell, which knows the program's aliases and options.
__sp_check() {
  builtin local __sp_line __sp_said __sp_ok=1
  builtin mapfile -t -n 5 -u 204 __sp_lines
  __sp_number=${__sp_lines[4]##* }
  __sp_take || builtin exit 0
  __sp_line=$LINENO; __sp_said=$(builtin eval -- "builtin set -n"$'\n'"$__sp_value" 2>&1) || __sp_ok=0
  if [[ $__sp_ok == 0 && $__sp_said =~ line\ ([0-9]+):\ ([^$'\n']*) ]]; then
    __sp_send checked id "${__sp_lines[1]}" ok 0 line "$((BASH_REMATCH[1] - __sp_line))" message "${BASH_REMATCH[2]}"
  else
    __sp_send checked id "${__sp_lines[1]}" ok "$__sp_ok"
  fi
}

__sp_skip() {
  while ((__sp_count-- > 0)); do __sp_header && __sp_take || builtin exit 0; done
}
