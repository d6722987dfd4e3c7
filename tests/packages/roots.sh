# SPDX-License-Identifier: Apache-2.0
#
# For scripts that work in roots of Debian releases; sourced, with $dir set to
# the directory of roots and logs, and $me to the script's name.
#
# Whatever runs in a root has its own mounts, processes and, but for apt's,
# network, and reads /sys only: it can neither meet nor outlive the machine's.

die() {
    echo "$me: $*" >&2
    exit 1
}

need_root_and() {
    test "$(id -u)" -eq 0 || die "roots can only be made by root"
    for tool; do
        command -v "$tool" > /dev/null ||
            die "no $tool: apt-get install $tool"
    done
}

# log NAME COMMAND...: its output only if it fails.
log() {
    name=$1
    shift
    echo "-- $name"
    "$@" > "$dir/$name.log" 2>&1 || {
        tail -n 30 "$dir/$name.log" >&2
        die "$name failed, see $dir/$name.log"
    }
}

# in_root ROOT net|apart COMMAND...; $shared, if set, is a directory that the
# root sees under /shared.
in_root() {
    root=$1 apart=
    test "$2" = net || apart=--net
    shift 2
    unshare --mount --pid --ipc --fork --kill-child $apart sh -ec '
        root=$1 shared=$2
        shift 2
        mount --make-rprivate /
        mount -t proc proc "$root/proc"
        mount -t sysfs -o ro sysfs "$root/sys" 2> /dev/null ||
            mount --rbind -o ro /sys "$root/sys"
        mount -t tmpfs tmpfs "$root/run"
        mount -t tmpfs tmpfs "$root/dev/shm"
        mkdir -p "$root/dev/net"
        test -e "$root/dev/net/tun" || mknod "$root/dev/net/tun" c 10 200
        if test -n "$shared"; then
            mkdir -p "$root/shared"
            mount --bind "$shared" "$root/shared"
        fi
        ip link set lo up 2> /dev/null || true
        exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin \
            "$@"' in_root "$root" "${shared-}" "$@"
}

# bare_root SUITE ROOT: with the machine's own choice of mirror and updates,
# where it is a Debian, and no daemon that starts by itself.
bare_root() {
    sources=/etc/apt/sources.list.d/debian.sources
    rm -rf "$2.tmp"
    if grep -qs '^Suites:.*bookworm' $sources; then
        debootstrap --variant=minbase "$1" "$2.tmp" \
            "$(sed -n 's/^URIs: *//p' $sources | head -n 1)"
        rm -f "$2.tmp/etc/apt/sources.list"
        sed "s/bookworm/$1/g" $sources \
            > "$2.tmp/etc/apt/sources.list.d/debian.sources"
    else
        debootstrap --variant=minbase "$1" "$2.tmp"
    fi
    printf '#!/bin/sh\nexit 101\n' > "$2.tmp/usr/sbin/policy-rc.d"
    chmod 755 "$2.tmp/usr/sbin/policy-rc.d"
    mv "$2.tmp" "$2"
}
