# shellcheck shell=bash
# Functions for all scripts: to find PostgreSQL, to build and install, and to run
# throwaway servers. A script says
#
#   source "$(dirname "${BASH_SOURCE[0]}")/../script/lib.sh"
#   server_new "${SERVER_FAST[@]}"
#   sql -c 'CREATE EXTENSION dpsyn'
#
# and on its exit, however that comes, the servers stop and their files go.
#
# Works as root (the servers then run as an unprivileged user) and as anybody.

set -euo pipefail

DPSYN_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export DPSYN_ROOT

# The caller's own server, locale and make are none of ours.
unset PGHOST PGHOSTADDR PGPORT PGDATABASE PGUSER PGPASSWORD PGPASSFILE PGSERVICE PGSERVICEFILE \
	PGOPTIONS PGDATA PGSSLMODE PGCLIENTENCODING PGTZ PGDATESTYLE PGGEQO PGAPPNAME \
	MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
export LC_ALL=C.UTF-8

# The suites that are run on servers of other versions and with assertions.
# shellcheck disable=SC2034
SERVER_SUITES="sql isolation pgtap attack client crash distributed drivers evaluate examples exits faults"
SERVER_SUITES+=" inference ledger_model methods monitoring private_queries report rows tree upgrade"

say() {
	printf '%s\n' "$*" >&2
}

die() {
	say "$(basename "$0"): $*"
	exit 1
}

# ---- leaving -----------------------------------------------------------------

AT_EXIT=()

at_exit() { # command; run in reverse order
	AT_EXIT=("$1" "${AT_EXIT[@]}")
}

# A command may set status, with which the script then ends.
run_at_exit() {
	local status=$? command
	trap - EXIT
	set +e
	for command in "${AT_EXIT[@]}"; do
		eval "$command"
	done
	exit "$status"
}

set_traps() {
	trap run_at_exit EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}
set_traps

# ---- PostgreSQL --------------------------------------------------------------

# Sets PG_CONFIG, PG_BINDIR, PG_MAJOR, PG_REGRESS_DIR (of pg_regress and pg_isolation_regress) and
# PG_MAKE (what make is told). Commands are always taken from PG_BINDIR.
pg_find() {
	PG_CONFIG=$("$DPSYN_ROOT/script/pg-config" --strict) ||
		die "no PostgreSQL with server and PGXS found; set PG_CONFIG or run script/install-deps demo"
	PG_BINDIR=$("$PG_CONFIG" --bindir)
	PG_MAJOR=$("$PG_CONFIG" --version | sed 's/^[^0-9]*\([0-9]*\).*/\1/')
	PG_REGRESS_DIR=$(cd "$(dirname "$("$PG_CONFIG" --pgxs)")/../test" && pwd)
	export PG_CONFIG PG_BINDIR PG_MAJOR PG_REGRESS_DIR
	# Bitcode for JIT takes as long to compile as all the rest, and throwaway servers do without it.
	PG_MAKE=("PG_CONFIG=$PG_CONFIG" with_llvm=no ${CC:+"CC=$CC"})
}

# ---- building ----------------------------------------------------------------

dp_make() {
	make -C "$DPSYN_ROOT" --no-print-directory "${PG_MAKE[@]}" "$@"
}

# Quiet, unless it fails.
extension_build() {
	local log
	log=$(mktemp)
	if ! dp_make -s -j"$(getconf _NPROCESSORS_ONLN)" all >"$log" 2>&1; then
		cat "$log" >&2
		rm -f "$log"
		return 1
	fi
	rm -f "$log"
}

extension_is_installed() {
	local name library script sharedir
	library=$("$PG_CONFIG" --pkglibdir)
	sharedir=$("$PG_CONFIG" --sharedir)/extension
	name=$(dp_make print-EXTENSION)
	cmp -s "$DPSYN_ROOT/$name.so" "$library/$name.so" || return 1
	for script in "$DPSYN_ROOT/$name.control" "$DPSYN_ROOT/$name"--*.sql; do
		cmp -s "$script" "$sharedir/$(basename "$script")" || return 1
	done
}

# PostgreSQL loads extensions only from its own directories, which root owns.
extension_install() {
	local log installer=()
	if extension_is_installed; then
		return 0
	fi
	if [ ! -w "$("$PG_CONFIG" --pkglibdir)" ] || [ ! -w "$("$PG_CONFIG" --sharedir)/extension" ]; then
		if ! command -v sudo >/dev/null 2>&1; then
			say "the extension must be installed by root; please run: make install PG_CONFIG=$PG_CONFIG"
			return 1
		fi
		say "installing the extension into $("$PG_CONFIG" --pkglibdir), with sudo"
		installer=(sudo)
	fi
	log=$(mktemp)
	if ! "${installer[@]}" make -C "$DPSYN_ROOT" --no-print-directory "${PG_MAKE[@]}" \
		install >"$log" 2>&1; then
		cat "$log" >&2
		rm -f "$log"
		return 1
	fi
	rm -f "$log"
}

# ---- throwaway servers -------------------------------------------------------

# For servers that no test crashes.
# shellcheck disable=SC2034
SERVER_FAST=('fsync = off' 'full_page_writes = off')

SERVERS=()   # directories of all servers of this script
SERVERS_FAULTY=no
SERVER_DIR=  # the current one
SERVER_LOG=  # its log
SERVER_DATA= # its data directory

# PostgreSQL refuses to run as root.
if [ "$(id -u)" != 0 ]; then
	SERVER_USER=$(id -un)
elif getent passwd postgres >/dev/null; then
	SERVER_USER=postgres
else
	SERVER_USER=nobody
fi

# Runs a command as the user of the servers, from a directory it may be in.
as_server_user() {
	if [ "$(id -u)" != 0 ]; then
		(cd / && exec "$@")
	elif command -v runuser >/dev/null 2>&1; then
		(cd / && exec runuser -u "$SERVER_USER" -- "$@")
	else
		(cd / && exec setpriv --reuid "$SERVER_USER" --regid "$(id -g "$SERVER_USER")" --init-groups "$@")
	fi
}

# Makes libpq, and so psql and python, talk to the server in a directory.
server_use() { # directory
	export SERVER_DIR=$1 SERVER_DATA=$1/data SERVER_LOG=$1/log
	export PGHOST=$SERVER_DIR PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
}

# server_start DIR ['setting = value'...] -- starts the server in DIR and uses it.
# DIR is made if it is not there, and gone with the script; a server that has run
# there before starts with its data. Nobody but its user, root and whoever that
# user lets in can reach the socket, so it may trust who comes; no TCP port is open.
server_start() {
	local dir=$1 setting
	shift
	[ $((${#dir} + 15)) -lt 107 ] || die "path too long for a socket: $dir"
	if [ ! -d "$dir/data" ]; then
		mkdir -p "$dir"
		chmod 700 "$dir"
		[ "$(id -u)" != 0 ] || chown "$SERVER_USER" "$dir"
		server_register "$dir"
		as_server_user "$PG_BINDIR/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --no-locale \
			--no-sync >"$dir/initdb.log" 2>&1 ||
			{
				cat "$dir/initdb.log" >&2
				die "initdb failed"
			}
		cat >>"$dir/data/postgresql.conf" <<-CONF
			listen_addresses = ''
			unix_socket_directories = '$dir'
			unix_socket_permissions = 0700
			port = 5432
			log_line_prefix = '%m [%p] %q%u@%d '
			logging_collector = off
			max_connections = 50
			max_worker_processes = 16
			shared_buffers = 64MB
			timezone = 'UTC'
			log_timezone = 'UTC'
		CONF
	fi
	# Under valgrind anything takes long enough for lines of progress, which no test expects.
	[ ! -e "$PG_BINDIR/postgres-plain" ] || set -- 'dpsyn.progress_interval = 0' "$@"
	[ -z "${DISCARD_CACHES:-}" ] || set -- 'debug_discard_caches = 1' "$@"
	for setting in "$@"; do
		printf '%s\n' "$setting" >>"$dir/data/postgresql.conf"
	done
	server_use "$dir"
	as_server_user "$PG_BINDIR/pg_ctl" -D "$dir/data" -l "$dir/log" -w -t 120 start \
		</dev/null >/dev/null 2>&1 ||
		{
			tail -n 30 "$dir/log" >&2
			die "the server did not start"
		}
}

# The same in a new directory.
server_new() {
	local dir parent=${TMPDIR:-/tmp}
	if [ $((${#parent} + 28)) -ge 107 ] || ! as_server_user test -x "$parent"; then
		parent=/tmp
	fi
	dir=$(mktemp -d "$parent/dpsyn.XXXXXX")
	server_start "$dir" "$@"
}

server_register() { # directory
	if [ ${#SERVERS[@]} -eq 0 ]; then
		at_exit servers_remove
	fi
	SERVERS+=("$1")
}

server_pid() { # [directory]
	head -n 1 "${1:-$SERVER_DIR}/data/postmaster.pid"
}

# server_stop [DIR [smart|fast|immediate]] -- stops it, keeps its files.
server_stop() {
	local dir=${1:-$SERVER_DIR}
	[ -e "$dir/data/postmaster.pid" ] || return 0
	as_server_user "$PG_BINDIR/pg_ctl" -D "$dir/data" -w -t 120 -m "${2:-fast}" stop \
		</dev/null >/dev/null 2>&1
}

# server_kill [DIR] -- the power goes: kill -9 to the postmaster and all of its
# children. server_start then recovers.
server_kill() {
	local dir=${1:-$SERVER_DIR} pid pids tries
	pid=$(server_pid "$dir")
	# field 4 of stat is the parent; names in parentheses may hold blanks
	mapfile -t pids < <(cat /proc/[0-9]*/stat 2>/dev/null |
		sed 's/^\([0-9]*\) (.*) \(. [0-9]*\) .*/\1 \2/' | awk -v parent="$pid" '$3 == parent { print $1 }')
	kill -9 "$pid" "${pids[@]}" 2>/dev/null || true
	for pid in "$pid" "${pids[@]}"; do
		for ((tries = 0; tries < 600; tries++)); do
			process_runs "$pid" || break
			sleep 0.05
		done
	done
	# Where nobody reaps orphans, the dead postmaster stays as a zombie, and the
	# next one would take it for alive.
	rm -f "$dir/data/postmaster.pid" "$dir/.s.PGSQL.5432.lock"
}

process_runs() { # pid
	local line
	line=$(cat "/proc/$1/stat" 2>/dev/null) && [[ $line != *') Z '* ]]
}

server_remove() { # [directory]
	local dir=${1:-$SERVER_DIR} kept=() other
	server_end "$dir" || SERVERS_FAULTY=yes
	for other in "${SERVERS[@]}"; do
		[ "$other" = "$dir" ] || kept+=("$other")
	done
	SERVERS=("${kept[@]}")
}

servers_remove() {
	local dir
	for dir in "${SERVERS[@]}"; do
		server_end "$dir" || SERVERS_FAULTY=yes
	done
	[ "$SERVERS_FAULTY" = no ] || [ "$status" != 0 ] || status=1
}

# The end of a server and of its files; fails, and says what it found, if the server had found a fault
# of our memory.
server_end() { # directory
	local faults
	server_stop "$1" immediate || true
	faults=$(server_faults "$1")
	rm -rf "$1"
	[ -n "$faults" ] || return 0
	say "a server with assertions has found:"
	say "$faults"
	return 1
}

# What a server with assertions, or under a sanitizer or valgrind, says of memory and of broken rules
# (script/server-with-assertions), and any server of what was not given back. No test of ours wants
# that, not even one that kills servers.
SERVER_FAULTS='TRAP:|Assertion `.*. failed|AddressSanitizer|runtime error:'
SERVER_FAULTS+='|WARNING: .*(problem in (alloc set|Generation|slab|Bump) |detected write past chunk end'
SERVER_FAULTS+='|leak: |resource was not closed|closed at end-of-transaction|left non-empty SPI stack)'

# Prints it, with the statement.
server_faults() { # [directory]
	local log=${1:-$SERVER_DIR}/log
	[ -e "$log" ] || return 0
	grep -E -A 3 "$SERVER_FAULTS" "$log" || true
	sed -n '/VALGRINDERROR-BEGIN/,/VALGRINDERROR-END/p' "$log"
}

# Prints what a healthy server never logs.
server_crashes() { # [directory]
	grep -E 'PANIC:|terminated by signal' "${1:-$SERVER_DIR}/log" 2>/dev/null || true
	server_faults "$@"
}

# psql for scripts: bare rows, stops at the first error.
sql() {
	"$PG_BINDIR/psql" -XqAt -v ON_ERROR_STOP=1 "$@"
}
