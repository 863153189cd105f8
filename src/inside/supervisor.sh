# The wall's direct child: starts interpreters when the host asks for one, and passes interrupts on.
#
#   host -> here   start SLOT COUNT, then COUNT lines with a word of the command each
#                  int PID
#   here -> host   up
#                  pid SLOT PID
#                  exit SLOT CODE
#
# Descriptor 3 is this channel; SLOT (4 to 8) is the descriptor of the control channel that the interpreter gets.
# Descriptor 9 must be free: a shell that finds none below 10 for its script leaves that one open for its children.
#
# `setsid --fork` and not `&`: a shell makes its background jobs ignore SIGINT, and Bash cannot undo that. The waiter
# leads the interpreter's process group, so it has to survive the interrupts that go to the group.

# A descriptor of the host that is still open here would be a hole in the wall. Those of this script, and of the look
# itself, are none.
refuse_strangers() {
  for descriptor in /proc/self/fd/*; do
    case ${descriptor##*/} in
    [0-8]) continue ;;
    esac
    if [ -e "$descriptor" ] && ! [ "$descriptor" -ef "$0" ]; then
      echo "descriptor ${descriptor##*/} of the host is open" >&2
      exit 98
    fi
  done
}

supervise() {
  refuse_strangers
  set -- $SALLYPORT_LIMITS
  unset SALLYPORT_LIMITS
  ulimit -c 0 && ulimit -d "$1" && ulimit -f "$2" && ulimit -n "$3" || exit 98
  # Its letter is -u in bash, -p in dash. 0: the processes are counted elsewhere.
  [ "$4" = 0 ] || ulimit -u "$4" 2>/dev/null || ulimit -p "$4" || exit 98
  open_way_out
  echo up >&3

  while read -r verb first second <&3; do
    case $verb in
    start) start "$first" "$second" ;;
    int) kill -s INT -- "-$first" 2>/dev/null ;;
    esac
  done
}

# Starts the inner end of the way out, where the host has opened one. It has none of the descriptors here, and closes its
# standard output when it listens: the substitution ends with that.
open_way_out() {
  [ -n "${SALLYPORT_EGRESS-}" ] || return 0
  : "$(setsid --fork $SALLYPORT_EGRESS 0</dev/null 2>/dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&-)"
  unset SALLYPORT_EGRESS
}

start() {
  slot=$1
  count=$2
  set --
  while [ $# -lt "$count" ] && IFS= read -r word <&3; do
    set -- "$@" "$word"
  done
  setsid --fork /bin/sh "$0" wait "$slot" "$@" || echo "exit $slot 126" >&3
  # The host sees the channel end when the interpreter's own copies are closed.
  eval "exec $slot>&-"
}

wait_for() {
  slot=$1
  shift
  for other in 4 5 6 7 8; do
    [ "$other" = "$slot" ] || eval "exec $other>&-"
  done
  # A shell tells on stderr how its child died. That line is not the program's.
  exec 9>&2 2>/dev/null
  # When memory is short, programs go before their supervisors, and before anything else on the host.
  echo 500 >/proc/self/oom_score_adj
  trap : INT
  echo "pid $slot $$" >&3
  export SALLYPORT_CONTROL_FD="$slot"
  # In a subshell: a shell that starts a command with redirections has them itself until the command ends.
  (exec "$@" 2>&9 3>&- 9>&-)
  code=$?
  eval "exec $slot>&-"
  echo "exit $slot $code" >&3
}

role=$1
shift
case $role in
supervise) supervise "$@" ;;
wait) wait_for "$@" ;;
esac
