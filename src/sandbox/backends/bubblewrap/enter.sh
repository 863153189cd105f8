# Shows folders where the sandbox's user can reach them, and becomes the command that builds the wall as that user.
#
#   enter.sh FSTAB UID COMMAND...
#
# This process is alone in its mount namespace, so the mounts of FSTAB go with the sandbox.

fstab=$1
uid=$2
shift 2

mount --all --fstab "$fstab" || exit 97
exec setpriv --reuid="$uid" --regid="$uid" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
