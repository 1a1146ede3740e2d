# Runs a PostgreSQL server that keeps what it acknowledges, for as long as standard input stays open.
#
#   sh -c "$(cat cluster.sh)" cluster.sh BIN_DIRECTORY PORT
#
# Writes `ready DIRECTORY` once the server takes connections. A line `down` on standard input ends the server as a crash would, a line `up`
# starts it again; each is answered with a line of its own, `is down` and `is up`. Whatever happens, the server and its directory go with this
# script.

set -eu
trap '' HUP INT TERM PIPE
exec 2>&1

bin=$1
port=$2
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

$as "$bin/initdb" -D "$dir/data" -U postgres --auth=trust --encoding=UTF8 --locale=C </dev/null

# Durable as it comes: fsync and synchronous commit stay on. Memory and log are those of a small server of its own.
options="-c listen_addresses=127.0.0.1 -c unix_socket_directories='$dir' -c max_connections=200"
options="$options -c shared_buffers=512MB -c max_wal_size=2GB"
up() {
    $as "$bin/pg_ctl" -D "$dir/data" -l "$dir/log" -s -w -t 60 -o "-p $port $options" start </dev/null
}

if up; then
    echo "ready $dir"
    while read -r word; do
        case $word in
        down) $as "$bin/pg_ctl" -D "$dir/data" -m immediate -s -w stop </dev/null ;;
        up) up ;;
        esac && echo "is $word"
    done
    exit 0
fi
cat "$dir/log"
exit 1
