# Runs a throw-away PostgreSQL server for as long as standard input stays open.
#
#   sh -c "$(cat supervise.sh)" supervise.sh BIN_DIRECTORY PORT...
#
# Takes the first port that is free, writes `ready PORT DIRECTORY` once the server takes connections, and then waits
# for the end of its input. Each line of it has the server restarted, on its port and with its data: connections break, nothing
# that was committed is lost, and `ready PORT DIRECTORY` comes again. Whatever happens, the server and its directory go with this script.

set -eu
# The owner of the pipe gets these signals too; its end is what this script waits for. A closed standard output is an
# error like any other, so that the trap below still runs.
trap '' HUP INT TERM PIPE
exec 2>&1

bin=$1
shift
dir=$(mktemp -d "${TMPDIR:-/tmp}/countinghouse-postgres-XXXXXX")
as=

leave() {
    cd /
    $as "$bin/pg_ctl" -D "$dir/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$dir"
}
trap leave EXIT
cd "$dir"

if [ "$(id -u)" = 0 ]; then
    # PostgreSQL refuses to run as root.
    user=postgres
    id -u "$user" >/dev/null 2>&1 || user=nobody
    chown "$user" "$dir"
    as="setpriv --reuid=$(id -u "$user") --regid=$(id -g "$user") --clear-groups --"
fi

$as "$bin/initdb" -D "$dir/data" -U postgres --auth=trust --encoding=UTF8 --locale=C --no-sync </dev/null

# Nothing in here outlives the test, so nothing needs to reach the disk.
options="-c listen_addresses=127.0.0.1 -c unix_socket_directories='$dir' -c max_connections=300"
options="$options -c fsync=off -c synchronous_commit=off -c full_page_writes=off"
for port in "$@"; do
    if $as "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -s -w -t 60 -o "-p $port $options" start </dev/null; then
        echo "ready $port $dir"
        while read -r _; do
            $as "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -s -m fast -w -t 60 restart </dev/null
            echo "ready $port $dir"
        done
        exit 0
    fi
done
cat "$dir/log"
exit 1
