# shellcheck shell=bash
# Roots of Debian to build and test in, for scripts that source lib.sh before. They need root and
# debootstrap, and go with the script.

[ "$(id -u)" = 0 ] || die "a root of Debian can be made by root alone; please use sudo"
command -v debootstrap >/dev/null || die "debootstrap is missing; please run: apt-get install debootstrap"

ROOTS=$(mktemp -d)
at_exit "rm -rf --one-file-system '$ROOTS'"

# A new root, in the variable root. It fetches packages as apt does here, by a proxy if need be.
root_new() { # name, suite, options of debootstrap...
	local name=$1 suite=$2 like=() keyring=$ROOTS/ubuntu.gpg
	shift 2
	root=$ROOTS/$name
	say "making a root of $suite ($name)"
	case $suite in
		forky) like=('' sid) ;; # a debootstrap that is older than the suite knows none by its name
		noble)
			like=('' gutsy)
			[ -e "$keyring" ] || die "the keys of $suite are missing: ubuntu_keys"
			set -- "$@" --keyring="$keyring" --components=main,universe
			;;
	esac
	quietly debootstrap "$@" "$suite" "$root" "${like[@]}"
	apt-config dump Acquire >"$root/etc/apt/apt.conf.d/99acquire"
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d" # start no service
	chmod +x "$root/usr/sbin/policy-rc.d"
	mount -t proc proc "$root/proc"
	at_exit "umount '$root/proc'"
	quietly inside apt-get -qq update
}

# The keys that sign Ubuntu, from the package that Debian has of them.
ubuntu_keys() {
	root_new keys forky --variant=minbase
	quietly inside apt-get -qq install -y --no-install-recommends ubuntu-keyring
	cp "$root/usr/share/keyrings/ubuntu-archive-keyring.gpg" "$ROOTS/ubuntu.gpg"
}

# Installs packages of a directory into the root, as its user would.
packages_install() { # directory
	cp "$1"/postgresql-*-dpsyn_*.deb "$root/root/"
	say "installing into $root: $(basename -a "$root"/root/*.deb)"
	quietly inside sh -c 'apt-get -qq install -y --no-install-recommends /root/postgresql-*-dpsyn_*.deb'
}

# What README's five minutes have a reader type, as it is printed there.
five_minutes() {
	awk '/^## /{ in_part = /Five minutes/ } /^```$/{ typed = 0 } in_part && typed { print } /^```sql$/{ typed = 1 }' \
		"$DPSYN_ROOT/README.md"
}

inside() { # command...
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
		DEBIAN_FRONTEND=noninteractive "$@"
}

quietly() { # command...; what it says is shown if it fails
	"$@" >"$ROOTS/log" 2>&1 </dev/null || {
		cat "$ROOTS/log" >&2
		die "failed: $*"
	}
}
