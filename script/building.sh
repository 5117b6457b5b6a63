# shellcheck shell=bash
# For scripts that build servers, which source lib.sh before: a directory to work in, which goes with
# the script, and what the build needs.

: "${JOBS:=$(getconf _NPROCESSORS_ONLN)}"

work=$(mktemp -d)
at_exit "rm -rf '$work'"

quietly() { # command...; what it says is shown if it fails
	"$@" >"$work/log" 2>&1 </dev/null || {
		tail -n 100 "$work/log" >&2
		die "failed: $*"
	}
}

packages_install() { # package...; those that are missing
	local package missing=() installer=()
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' ||
			missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	say "installing ${missing[*]}"
	[ "$(id -u)" = 0 ] || installer=(sudo)
	quietly "${installer[@]}" apt-get -qq update
	quietly "${installer[@]}" env DEBIAN_FRONTEND=noninteractive \
		apt-get -qq install -y --no-install-recommends "${missing[@]}"
}
