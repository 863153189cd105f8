# What an image has of the things that a sandbox needs, a line each: a name, a tab, the answer.

tell() {
  printf '%s\t%s\n' "$1" "$2"
}

first_line() {
  "$@" 2>&1 | head -n 1
}

tell node "$(first_line /run/sallyport/bin/node --version)"
command -v setsid >/dev/null && tell setsid yes
[ -x /usr/bin/perl ] && tell perl yes
for name in python3 python; do
  python=$(command -v "$name") || continue
  tell python "$python $("$python" -I -c 'import sys; print(".".join(map(str, sys.version_info[:3])))' 2>/dev/null)"
  break
done
bash=$(command -v bash) && tell bash "$bash $("$bash" --norc --noprofile -c 'echo "${BASH_VERSION%%(*}"')"
for compiler in cc gcc clang tcc go rustc ghc javac dotnet mono crystal nim zig v ldc2 dmd fpc gfortran gnat swiftc; do
  command -v "$compiler" >/dev/null && tell compiler "$compiler"
done

# Where the limits are seen from inside, in both versions of control groups.
for file in /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max; do
  [ -r "$file" ] && read -r value <"$file" && tell memory "$value" && break
done
for file in /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max; do
  [ -r "$file" ] && read -r value <"$file" && tell pids "$value" && break
done
for file in /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu.max; do
  [ -r "$file" ] && read -r value rest <"$file" && tell cpu "$value" && break
done
exit 0
