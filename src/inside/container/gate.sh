# The first process of a container. When it ends, the kernel ends everything inside.
#
# It has the supervisor connected to the host, and then waits for the host's end: the host alone has the other end of
# `life`. `alive` tells the host that this process is still there.
#
#   the door, a folder that host and container share:
#     life, alive, stdout, stderr   FIFOs
#     socket                        takes the supervisor's channel first, then those of the interpreters
#     environment.json              what programs see

door=/run/sallyport/door

# Open in both directions first: alone, either direction waits for the other end, and a host that died meanwhile never
# opens it.
exec 3<>"$door/life" 4<>"$door/alive" 5<>"$door/stdout" 6<>"$door/stderr" || exit 97
exec 7<"$door/life" 8>"$door/alive" 1>"$door/stdout" 2>"$door/stderr" || exit 97
exec 3>&- 4>&- 5>&- 6>&-

NODE_OPTIONS='' UV_THREADPOOL_SIZE=1 /run/sallyport/bin/node --v8-pool-size=0 \
  /run/sallyport/inside/container/connect.mjs "$door" 7<&- 8>&- || exit 97
exec >/dev/null 2>&1

# Orphans become children of this process, and a shell that waits buries all of its children. So it waits for one that
# reads: a shell that reads itself would bury nobody.
(
  exec 8>&-
  read -r _ <&7
) &
exec 7<&-
wait $!
