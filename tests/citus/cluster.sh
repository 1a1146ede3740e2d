#!/bin/sh
# Runs a temporary Citus cluster, a coordinator and two workers on loopback, for as long as standard input stays open.
#
#   cluster.sh BIN_DIRECTORY COORDINATOR_PORT [WORKER_PORT WORKER_PORT]
#
# With one port it runs a single PostgreSQL without the extension, for comparison.
# BIN_DIRECTORY is that of a PostgreSQL with the extension citus; psql may also be on PATH. When all three accept connections
# the script writes `ready DIRECTORY`. Then it reads commands from standard input:
#
#   create NAME             makes an empty database with the extension and the two workers
#   copy NAME TEMPLATE      makes a copy of such a database, on all three servers
#   drop NAME               removes such a database
#   down N | up N           ends server N like a crash (0 is the coordinator), or starts it again
#   sql NAME STATEMENT      runs a statement at the coordinator and writes its output
#
# and replies to each with `done`, or with `failed` and the reason. With DURABLE=1 the servers write to the disk as in
# operation, which measurements need. The servers and their directory are removed when this script ends, however it ends.

set -eu
# The owner of the pipe gets these signals too; this script only waits for the end of the pipe.
trap '' HUP INT TERM PIPE
exec 2>&1

bin=$1
shift
ports=$*
dir=$(mktemp -d "${TMPDIR:-/tmp}/countinghouse-citus-XXXXXX")
as=
psql=psql
[ ! -x "$bin/psql" ] || psql=$bin/psql
for name in $(env | sed -n 's/^\(PG[A-Z]*\)=.*/\1/p'); do
    unset "$name"
done

leave() {
    cd /
    for port in $ports; do
        $as "$bin/pg_ctl" -D "$dir/$port" -m immediate stop >/dev/null 2>&1 || true
    done
    rm -rf "$dir"
}
trap leave EXIT
cd "$dir"
# Where libpq of the servers looks for certificates and passwords.
export HOME="$dir"

if [ "$(id -u)" = 0 ]; then
    # PostgreSQL refuses to run as root.
    user=postgres
    id -u "$user" >/dev/null 2>&1 || user=nobody
    chown "$user" "$dir"
    as="setpriv --reuid=$(id -u "$user") --regid=$(id -g "$user") --clear-groups --"
fi

# Each database has its own background process on each server. Statistics are off, since no test needs them.
options="-c listen_addresses=127.0.0.1 -c unix_socket_directories='$dir' -c log_line_prefix='%m [%p] db=%d '"
options="$options -c max_connections=${MAX_CONNECTIONS:-500} -c max_prepared_transactions=500 -c max_worker_processes=400"
if [ $# -gt 1 ]; then
    options="$options -c shared_preload_libraries=citus -c citus.shard_count=${SHARDS:-4}"
    options="$options -c citus.enable_statistics_collection=off -c citus.node_connection_timeout=10000"
    # The extension would create a certificate and turn TLS on; all three servers listen on loopback only.
    options="$options -c ssl=off -c citus.node_conninfo=sslmode=disable"
fi
if [ "${DURABLE:-}" != 1 ]; then
    options="$options -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=64MB"
fi
# shellcheck disable=SC2086 # The settings of a measurement are several words.
options="$options ${MORE_OPTIONS:-}"

start() {
    $as "$bin/pg_ctl" -D "$dir/$1" -l "$dir/$1.log" -s -w -t 60 -o "-p $1 $options" start </dev/null
}

ask() {
    port=$1 database=$2
    shift 2
    "$psql" -X -q -A -t -v ON_ERROR_STOP=1 -h 127.0.0.1 -U postgres -p "$port" -d "$database" "$@" </dev/null
}

everywhere() {
    for one in $ports; do
        ask "$one" postgres -c "$1" || return 1
    done
}

port_of() {
    # shellcheck disable=SC2086 # The ports are several words.
    set -- $1 $ports
    shift "$(($1 + 1))"
    echo "$1"
}

coordinator=$(port_of 0)

create() {
    if [ "$ports" = "$coordinator" ]; then
        ask "$coordinator" postgres -c "CREATE DATABASE $1"
        return
    fi
    for one in $ports; do
        ask "$one" postgres -c "CREATE DATABASE $1" && ask "$one" "$1" -c 'CREATE EXTENSION citus' || return 1
    done
    ask "$coordinator" "$1" -c "SELECT citus_set_coordinator_host('127.0.0.1', $coordinator)" >/dev/null || return 1
    for one in $ports; do
        [ "$one" = "$coordinator" ] || ask "$coordinator" "$1" -c "SELECT citus_add_node('127.0.0.1', $one)" >/dev/null || return 1
    done
}

copy() {
    for one in $ports; do
        # A database with connections cannot be copied, and its background process is one.
        ask "$one" postgres -c "ALTER DATABASE $2 WITH ALLOW_CONNECTIONS false" \
            -c "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '$2'" >/dev/null || return 1
        ask "$one" postgres -c "CREATE DATABASE $1 TEMPLATE $2 STRATEGY file_copy" || return 1
    done
}

act() {
    word=$1 name=$2 rest=$3
    case $word in
        create) create "$name" ;;
        copy) copy "$name" "$rest" ;;
        drop) everywhere "DROP DATABASE IF EXISTS $name WITH (FORCE)" ;;
        down) $as "$bin/pg_ctl" -D "$dir/$(port_of "$name")" -s -m immediate -w -t 60 stop </dev/null ;;
        up) start "$(port_of "$name")" ;;
        sql) ask "$coordinator" "$name" -c "$rest" ;;
        *) echo "no such word: $word" && return 1 ;;
    esac
}

for port in $ports; do
    $as "$bin/initdb" -D "$dir/$port" -U postgres --auth=trust --encoding=UTF8 --locale=C --no-sync </dev/null >/dev/null
    start "$port" || { cat "$dir/$port.log"; exit 1; }
done
echo "ready $dir"

while read -r word name rest; do
    if act "$word" "$name" "$rest"; then
        echo "done"
    else
        echo "failed"
    fi
done
