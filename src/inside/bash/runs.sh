# From the end of one run to the beginning of the next.

# __sp_step STATUS: ends the run that is going on, if any, and waits for the next one. Leaves by `exit` when the control
# channel ends.
__sp_step() {
  builtin local - "__sp_rc=${__sp_returned:-$1}" __sp_probe=
  builtin set +aeET +o posix
  builtin printf -v __sp_probe ok
  [[ $__sp_probe == ok ]] || __sp_repair
  __sp_returned=
  [[ -z $__sp_cwd ]] || __sp_go_back
  if [[ $__sp_id ]]; then
    [[ -z ${__sp_trap+set} ]] || __sp_run_exit_trap "$__sp_rc"
    builtin local LC_ALL=C
    __sp_end "$__sp_rc"
  fi
  builtin local LC_ALL=C
  __sp_await
}

# A program has replaced `builtin` itself. In POSIX mode `unset` cannot be replaced.
__sp_repair() {
  POSIXLY_CORRECT=1
  unset -f builtin unset
  unset POSIXLY_CORRECT
  __sp_notes+=('builtin was replaced; restored')
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

__sp_end() {
  builtin local "__sp_ended=$__sp_id" __sp_note __sp_fields
  __sp_fields=()
  # From here on an interrupt comes too late and changes nothing.
  __sp_id=
  [[ -z $__sp_traps ]] || __sp_own_interrupt
  if [[ -z $__sp_status ]]; then
    if (($1)); then __sp_status=error; else __sp_status=ok; fi
  fi
  for __sp_note in "${__sp_notes[@]}"; do __sp_fields+=(note "$__sp_note"); done
  builtin printf %s "${__sp_nonce}E" >&202 && builtin printf %s "${__sp_nonce}E" >&203 &&
    __sp_send done id "$__sp_ended" exit "$1" status "$__sp_status" "${__sp_fields[@]}" || builtin exit 71
  __sp_status= __sp_notes=()
}

__sp_await() {
  builtin local __sp_verb __sp_count __sp_word __sp_number __sp_value __sp_next __sp_failure
  while :; do
    __sp_header || builtin exit 0
    # An interrupt that comes while the frame is being read is meant for its run.
    __sp_stop= __sp_verb=$__sp_word __sp_count=$__sp_number
    __sp_next= __sp_failure= __sp_args=() __sp_code= __sp_stdin=
    while ((__sp_count-- > 0)); do
      __sp_header || builtin exit 0
      if [[ $__sp_word == stdin ]]; then
        __sp_stdin=/tmp/.stdin
        __sp_take_file "$__sp_stdin" || __sp_failure='no room for standard input in /tmp'
        builtin continue
      fi
      __sp_take || builtin exit 0
      case $__sp_word in
      id) __sp_next=$__sp_value ;;
      nonce) __sp_nonce=$__sp_value ;;
      code) __sp_code=$__sp_value ;;
      arg) __sp_args+=("$__sp_value") ;;
      esac
    done
    case $__sp_verb in
    run)
      __sp_begin
      builtin return 0
      ;;
    check) __sp_check "$__sp_next" ;;
    ping) __sp_send pong id "$__sp_next" ;;
    esac
  done
}

__sp_begin() {
  [[ . -ef ${PWD-} ]] || builtin cd -P -e . || __sp_go_home
  if [[ $__sp_failure ]]; then
    # Told by a program of our own, which ends like any other.
    __sp_stdin= __sp_code="builtin echo 'bash: $__sp_failure' >&2; return 1"
  fi
  builtin trap "$__sp_on_exit" EXIT
  __sp_id=$__sp_next
  [[ -z $__sp_stop ]] || __sp_code='builtin exit 130'
}

# Parses in a copy of this shell, which knows the program's aliases and options.
__sp_check() {
  builtin local __sp_line __sp_said __sp_ok=1
  __sp_line=$LINENO; __sp_said=$(builtin eval -- "builtin set -n"$'\n'"$__sp_code" 2>&1) || __sp_ok=0
  if [[ $__sp_ok == 0 && $__sp_said =~ line\ ([0-9]+):\ ([^$'\n']*) ]]; then
    __sp_send checked id "$1" ok 0 line "$((BASH_REMATCH[1] - __sp_line))" message "${BASH_REMATCH[2]}"
  else
    __sp_send checked id "$1" ok "$__sp_ok"
  fi
}
