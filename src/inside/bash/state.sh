# The state of a shell that has to end, carried over into the next one.

# __sp_leave STATUS: the same process becomes a new shell that ends the run. The control channel goes along as descriptor 0,
# since copies above 2 are closed on exec as their originals are.
__sp_leave() {
  # A shell that starts in a directory that is gone complains.
  [[ . -ef ${PWD-} ]] || builtin cd -P -e . || __sp_go_home
  builtin exec -c "$__sp_bash" --norc --noprofile "$__sp_home/kernel.sh" resume "$__sp_id" "$__sp_nonce" "$(($1 & 255))" \
    "${__sp_stop:-exit}" "$__sp_workspace" "$__sp_scratch" <(__sp_dump) <&204 >&202 2>&203
}

# Prints the state as commands. Runs in a copy of the shell, so nothing has to be put back.
__sp_dump() {
  builtin local __sp_names __sp_letter __sp_name __sp_lines __sp_line
  __sp_names=()
  builtin set +ux
  for __sp_letter in a b c d e f g h i j k l m n o p q r s t u v w x y z \
    A B C D E F G H I J K L M N O P Q R S T U V W X Y Z _; do
    builtin eval "for __sp_name in \"\${!$__sp_letter@}\"; do __sp_keep \"\$__sp_name\"; done"
  done
  for __sp_name in "${FUNCNAME[@]}"; do
    case $__sp_name in
    __sp_dump | __sp_leave* | __sp_run_exit_trap | exit | source | main) ;;
    *)
      __sp_drop_locals
      builtin break
      ;;
    esac
  done

  # All of this has been read when its first line runs.
  builtin echo 'exec {__sp_resume}<&-'
  builtin shopt -p
  builtin echo 'shopt -u expand_aliases'
  ((${#__sp_names[@]} == 0)) || builtin declare -p "${__sp_names[@]}"
  __sp_dump_functions
  for __sp_name in "${!__sp_signals[@]}"; do
    builtin printf 'trap -- %q %q\n' "${__sp_signals[$__sp_name]}" "$__sp_name"
  done
  builtin printf 'builtin cd -- %q; builtin unset -v OLDPWD\n' "$PWD"
  [[ -z ${OLDPWD-} ]] || builtin declare -p OLDPWD
  for ((__sp_line = ${#DIRSTACK[@]} - 1; __sp_line > 0; __sp_line--)); do
    builtin printf 'builtin pushd -n %q\n' "${DIRSTACK[__sp_line]}"
  done
  builtin alias -p
  builtin shopt -p expand_aliases
  builtin declare -p __sp_notes
  builtin echo '__sp_resume=restored'
  __sp_dump_options
}

# What Bash keeps for itself, and what would mean something else when assigned.
__sp_keep() {
  case $1 in
  __sp_* | _ | PWD | OLDPWD | BASH | BASHOPTS | BASHPID | BASH_ALIASES | BASH_ARGC | BASH_ARGV | BASH_ARGV0) ;;
  BASH_CMDS | BASH_COMMAND | BASH_LINENO | BASH_MONOSECONDS | BASH_SOURCE | BASH_SUBSHELL | BASH_TRAPSIG) ;;
  BASH_VERSINFO | BASH_VERSION | DIRSTACK | EPOCHREALTIME | EPOCHSECONDS | EUID | FUNCNAME | GROUPS | HISTCMD | LINENO) ;;
  PIPESTATUS | PPID | RANDOM | SHELLOPTS | SRANDOM | UID) ;;
  *) __sp_names+=("$1") ;;
  esac
}

# The program ended inside of functions, whose locals stand before the globals. Globals get a mark (-t, which means
# nothing for variables); what shows none is a local, and goes until the global of that name shows, or nothing does.
__sp_drop_locals() {
  builtin local __sp_again=1
  for __sp_name in "${__sp_names[@]}"; do
    while [[ -R $__sp_name ]]; do builtin unset -n "$__sp_name"; done
  done
  builtin declare -gt "${__sp_names[@]}"
  while [[ $__sp_again ]]; do
    __sp_again=
    builtin mapfile -t __sp_lines < <(builtin declare -p "${__sp_names[@]}")
    for __sp_line in "${__sp_lines[@]}"; do
      [[ $__sp_line =~ ^declare\ -([a-zA-Z-]+)\ ([a-zA-Z_0-9]+) ]] || builtin continue
      [[ ${BASH_REMATCH[1]} == *t* ]] || { builtin unset -v "${BASH_REMATCH[2]}" && __sp_again=1; }
    done
  done
  __sp_names=()
  for __sp_line in "${__sp_lines[@]}"; do
    [[ $__sp_line =~ ^declare\ -([a-zA-Z-]+)\ ([a-zA-Z_0-9]+)= ]] || builtin continue
    __sp_names+=("${BASH_REMATCH[2]}")
  done
  builtin declare -g +t "${__sp_names[@]}"
}

__sp_dump_functions() {
  builtin mapfile -t __sp_lines < <(builtin declare -F)
  for __sp_line in "${__sp_lines[@]}"; do
    __sp_name=${__sp_line##* }
    case $__sp_name in
    __sp_* | trap | mcp) builtin continue ;;
    exit) [[ $(builtin declare -f exit) != *__sp_leave_again* ]] || builtin continue ;;
    esac
    builtin declare -f -- "$__sp_name"
    [[ $__sp_line == 'declare -f '* ]] || builtin printf 'builtin %s\n' "$__sp_line"
  done
}

# As they were before the kernel's own changes; -n and -t would end the new shell at once.
__sp_dump_options() {
  builtin local IFS=: __sp_option
  builtin set -f
  for __sp_option in $__sp_options; do
    case $__sp_option in
    noexec | onecmd | history | emacs | vi) ;;
    *) builtin echo "builtin set -o $__sp_option" ;;
    esac
  done
  [[ :$__sp_options: == *:braceexpand:* ]] || builtin echo 'builtin set +o braceexpand'
  [[ :$__sp_options: == *:hashall:* ]] || builtin echo 'builtin set +o hashall'
}
