#!/bin/sh
# Installs PostgreSQL with Citus from the package sources of this machine (Debian, Ubuntu), as root. If they do not have it,
# https://docs.citusdata.com says how to add a source, and https://github.com/citusdata/citus has the source (tag v12.1.12);
# CITUS_BIN then names the directory of the programs, such as /opt/postgresql/bin.
set -eu
version=${1:-15}
config=${CITUS_BIN:-/usr/lib/postgresql/$version/bin}/pg_config
if [ -x "$config" ] && [ -f "$("$config" --sharedir)/extension/citus.control" ]; then
    echo "Citus is there: ${config%/pg_config}"
    exit 0
fi
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "postgresql-$version" "postgresql-$version-citus-12.1"
