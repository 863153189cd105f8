# Puts itself where the sandbox shall run, and becomes the command that builds it.
#
#   enter.sh COUNT FILE... FSTAB UID COMMAND...
#
# COUNT files of control groups take this process. FSTAB, unless empty, names folders to show at places that the
# sandbox's user can reach; this process is then alone in its mount namespace, and the mounts go with the sandbox.
# UID is the user outside of the wall, or 0 to stay who we are.

count=$1
shift
while [ "$count" -gt 0 ]; do
  echo $$ >"$1" || exit 97
  shift
  count=$((count - 1))
done
fstab=$1
uid=$2
shift 2

[ -z "$fstab" ] || mount --all --fstab "$fstab" || exit 97
[ "$uid" = 0 ] && exec "$@"
exec setpriv --reuid="$uid" --regid="$uid" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
