# Traps of the kernel and of programs.
#
# A run is like a script: its EXIT trap runs at its end, and its EXIT, INT, DEBUG, ERR and RETURN traps end with it. Traps
# for other signals stay. The shell's own EXIT and INT traps are the kernel's, so `trap` is a function that keeps them.

# In braces with stderr away: a program's `set -x` shall not show them.
__sp_on_exit='{ __sp_leave_by_trap "$?"; } 2>/dev/null'
__sp_on_interrupt='{ __sp_stop=interrupted; [[ -z $__sp_id ]] || builtin exit 130; } 2>/dev/null'

trap() {
  { builtin local -; builtin set +x; } 2>/dev/null
  case ${1-} in
  '' | -[!-]*)
    # `trap '' INT` has an empty word; `trap`, `trap -p` list.
    if (($# == 0)) || [[ $1 ]]; then
      __sp_list_traps "$@"
      builtin return
    fi
    ;;
  --) builtin shift ;;
  esac
  if [[ $BASHPID != "$$" ]]; then
    __sp_traps_of=$BASHPID
    builtin trap -- "$@"
  elif (($# == 1)); then
    __sp_set_traps - "$1"
  else
    __sp_set_traps "$@"
  fi
}

# __sp_set_traps ACTION SIGNAL...
__sp_set_traps() {
  builtin local "__sp_action=$1" __sp_signal __sp_debug= __sp_failed=0
  builtin shift
  __sp_traps=1
  for __sp_signal; do
    case $__sp_signal in
    0 | [Ee][Xx][Ii][Tt])
      if [[ $__sp_action == - ]]; then builtin unset -v __sp_trap; else __sp_trap=$__sp_action; fi
      ;;
    2 | [Ii][Nn][Tt] | [Ss][Ii][Gg][Ii][Nn][Tt])
      __sp_their_interrupt=1
      if [[ $__sp_action == - ]]; then __sp_own_interrupt; else builtin trap -- "$__sp_action" INT; fi
      ;;
    [Rr][Ee][Tt][Uu][Rr][Nn]) __sp_trap_return "$__sp_action" ;;
    [Ee][Rr][Rr]) builtin trap -- "${__sp_action/#-/:}" ERR ;;
    [Dd][Ee][Bb][Uu][Gg]) __sp_debug=1 ;;
    *)
      builtin trap -- "$__sp_action" "$__sp_signal" || __sp_failed=1
      __sp_signals[${__sp_signal#SIG}]=$__sp_action
      ;;
    esac
  done
  # The last command here, or it would see the next one. A trap taken away in a function comes back at its end, hence `:`.
  if [[ $__sp_debug ]]; then builtin trap -- "${__sp_action/#-/:}" DEBUG; else builtin return "$__sp_failed"; fi
}

# Without the condition it would run as soon as these functions return.
__sp_trap_return() {
  case $1 in
  '') builtin trap '' RETURN ;;
  -) builtin trap : RETURN ;;
  *) builtin trap -- "[[ \${FUNCNAME[0]-} == @(trap|__sp_*) ]] || {"$'\n'"$1"$'\n}' RETURN ;;
  esac
}

__sp_own_interrupt() {
  __sp_their_interrupt=
  builtin trap "$__sp_on_interrupt" INT
}

# As if the kernel's traps were not there.
__sp_list_traps() {
  if [[ $BASHPID == "${__sp_traps_of-}" ]]; then
    builtin trap "$@"
    builtin return
  fi
  if [[ ${__sp_trap+set} ]]; then builtin trap -- "$__sp_trap" EXIT; else builtin trap - EXIT; fi
  [[ ${__sp_their_interrupt-} ]] || builtin trap - INT
  builtin trap "$@"
  builtin set -- "$?"
  if [[ $BASHPID == "$$" ]]; then
    builtin trap "$__sp_on_exit" EXIT
    [[ ${__sp_their_interrupt-} ]] || __sp_own_interrupt
  else
    builtin trap - EXIT
  fi
  builtin return "$1"
}

__sp_with_status() { builtin return "$1"; }

# __sp_run_exit_trap STATUS: the program's own, once. `set -e` has no part in it.
__sp_run_exit_trap() {
  builtin local - "__sp_action=$__sp_trap"
  builtin unset -v __sp_trap
  builtin set +e
  __sp_with_status "$1"
  builtin eval -- "$__sp_action" <&201 >&202 2>&203
}

# The shell's end, with the status that it ends with. Outside of a run it just ends; so does a child that a signal hits
# before it has put its parent's traps aside.
__sp_leave_by_trap() {
  [[ $__sp_id && $BASHPID == "$$" ]] || builtin return
  builtin local - "__sp_options=$SHELLOPTS" __sp_sane=1
  [[ $__sp_sane ]] || { __sp_repair; __sp_leave_by_trap "$1"; builtin return; }
  builtin set +aeETx
  [[ :$SHELLOPTS: != *:posix:* ]] || builtin set +o posix
  # A second interrupt must not cut this short. Not '': what is ignored now could never be trapped by the next shell.
  builtin trap : INT
  if [[ ${__sp_trap+set} ]]; then
    # Here `exit` would be the end of the process.
    builtin declare -F exit >/dev/null || exit() { __sp_leave_again "$?" "$@"; }
    __sp_run_exit_trap "$1"
  fi
  __sp_leave "$1"
}

__sp_leave_again() {
  [[ $BASHPID == "$$" ]] || builtin exit "${2-$1}"
  __sp_leave "${2-$1}"
}
