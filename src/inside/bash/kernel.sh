# A live Bash behind the wall. It speaks src/inside/PROTOCOL.md and keeps variables, functions, aliases, options and the
# working directory from run to run.
#
# Programs run in this very shell, at its top level, so everything they may do to a shell they may do to this one:
#
# (1) Names that live on are `__sp_*`, so are the locals of functions here: a program may have made `line` readonly.
# (2) Builtins are called by `builtin`, since a program may have a function `read` or `printf`. Only `exec` cannot be:
#     its redirections would not last. It is used before a program could have a function of that name.
# (3) No file is written and nothing is forked on the way of a plain run.
# (4) `exit`, `set -e`, `set -u`, an interrupt: there is no way back from the end of a shell. Its EXIT trap (traps.sh)
#     starts this file again in the same process, and the new shell gets the state through a pipe (state.sh).
# (5) Between runs descriptors 0, 1 and 2 are /dev/null: traces of the kernel's own lines (`set -x`) go nowhere.
#
# Descriptors while it lives, all closed in the program's children: 201 an empty stdin, 202 stdout, 203 stderr,
# 204 the control channel.

__sp_home=${BASH_SOURCE[0]%/*}
__sp_bash=$BASH
builtin source "$__sp_home/frames.sh"
builtin source "$__sp_home/runs.sh"
builtin source "$__sp_home/traps.sh"
builtin source "$__sp_home/state.sh"

__sp_id= __sp_nonce= __sp_code= __sp_stop= __sp_status= __sp_returned= __sp_stdin= __sp_traps= __sp_sane=
__sp_args=() __sp_notes=()
declare -A __sp_signals=()
__sp_workspace=$PWD
__sp_scratch=${TMPDIR:-/tmp}

if [[ ${1-} == resume ]]; then
  __sp_workspace=$6 __sp_scratch=$7 __sp_resume=${8##*/}
  exec 198>&0 0</dev/null
else
  __sp_resume=
  exec 198>&"$SALLYPORT_CONTROL_FD" {SALLYPORT_CONTROL_FD}>&-
  builtin unset SALLYPORT_CONTROL_FD
fi

# One block, read before a program's aliases are there. What Bash puts aside for the time of a redirection is closed on
# exec and stands above the descriptor copied from: that is how 201 to 204 come about.
{
  exec 198>&- 200>&-
  # Messages call the program by the name of the file below; $0 agrees, as in a script.
  BASH_ARGV0=bash
  builtin trap "$__sp_on_exit" EXIT
  builtin trap "$__sp_on_interrupt" INT
  if [[ $__sp_resume ]]; then
    builtin source "$8"
    [[ $__sp_resume == restored ]] || __sp_notes+=('variables lost: the state could not be carried over')
    __sp_returned=$4 __sp_status=$5 __sp_nonce=$3 __sp_id=$2
  else
    __sp_send ready version "$BASH_VERSION"
  fi
  builtin set --
  while :; do
    __sp_old=${OLDPWD-} __sp_cwd=$PWD __sp_shopts=$BASHOPTS
    # A name without a slash: messages show it, and `dirname "$0"` is the working directory.
    builtin cd "$__sp_home"
    builtin shopt -u sourcepath expand_aliases
    builtin source bash
    # Only a program's `return` leads here.
    __sp_returned=$?
    [[ -z $__sp_cwd ]] || builtin exit 70
  done
} 200<>/dev/null 0<&200 1>&200 2>&200 198>&200
