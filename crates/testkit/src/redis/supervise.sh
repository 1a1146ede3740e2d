# Runs a throw-away Redis server for as long as standard input stays open.
#
#   sh -c "$(cat supervise.sh)" supervise.sh REDIS_SERVER OPTION...
#
# Writes `process PID` and then what the server logs. Whatever happens, the server goes with this script, and at once: what it holds is
# worth nothing.

set -eu
# The owner of the pipe gets these signals too; its end is what this script waits for.
trap '' HUP INT TERM PIPE

"$@" </dev/null 2>&1 &
server=$!
# A server that is held still (SIGSTOP) does not end by less than this.
trap 'kill -9 "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true' EXIT
echo "process $server"
exec >/dev/null 2>&1
cat
