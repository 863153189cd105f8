# Shows folders where the sandbox's user can reach them, and becomes the command that builds the wall as that user.
#
#   enter.sh UID FSTAB PYTHON OWNED COMMAND...
#
# FSTAB names what is shown as it is, OWNED (see idmap.py) what is shown as the user's own; either may be empty. This
# process is alone in its mount namespace, so the mounts go with the sandbox.

uid=$1
fstab=$2
python=$3
owned=$4
shift 4

[ -z "$fstab" ] || mount --all --fstab "$fstab" || exit 97
[ -z "$owned" ] || "$python" -I "${0%/*}/idmap.py" "$uid" "$owned" || exit 97
exec setpriv --reuid="$uid" --regid="$uid" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
