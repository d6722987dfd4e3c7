# SPDX-License-Identifier: Apache-2.0
"""Tests of build-aux/check-link-map: a planted member must be found."""

import os
import subprocess
import sys

import tap

TOOL = os.path.join(os.environ.get("srcdir", "."), "build-aux",
                    "check-link-map")
MEMBERS = "dpif-netdev*.o  # comment\n!dpif-netdev-perf.o\n\n# more\n"
HEAD = "Archive member included to satisfy reference by file (symbol)\n\n"
TAIL = ("\nDiscarded input sections\n\n"
        " .group 0x0 /ovs/libopenvswitch.a(dpif-netdev.o)\n"
        "LOAD /ovs/lib/libopenvswitch.a\n")


def member(name, cause="main.o (symbol)"):
    return f"/ovs/lib/libopenvswitch.a({name})\n{'':30}{cause}\n"


def check(tmp, text, members=MEMBERS):
    listed, link_map = os.path.join(tmp, "list"), os.path.join(tmp, "map")
    with open(listed, "w") as f:
        f.write(members)
    with open(link_map, "w") as f:
        f.write(text)
    return subprocess.run([sys.executable, TOOL, listed, link_map],
                          stderr=subprocess.PIPE, text=True)


def test_clean_map_passes(tmp):
    done = check(tmp, HEAD + member("dpif.o") + member("cmap.o") + TAIL)
    assert done.returncode == 0, done.stderr


def test_replaced_member_fails_and_names_the_cause(tmp):
    done = check(tmp, HEAD + member("dpif.o")
                 + member("dpif-netdev.o", "dpif.o (dpif_netdev_class)")
                 + TAIL)
    assert done.returncode == 1
    assert "dpif-netdev.o" in done.stderr
    assert "dpif_netdev_class" in done.stderr


def test_helper_of_a_member_fails(tmp):
    done = check(tmp, HEAD + member("dpif-netdev-lookup-generic.o") + TAIL)
    assert done.returncode == 1


def test_member_and_cause_on_one_line(tmp):
    done = check(tmp, HEAD + "/a.a(dpif-netdev.o)  b.o (symbol)\n" + TAIL)
    assert done.returncode == 1


def test_exception_passes(tmp):
    done = check(tmp, HEAD + member("dpif-netdev-perf.o") + TAIL)
    assert done.returncode == 0, done.stderr


def test_empty_list_passes(tmp):
    done = check(tmp, HEAD + member("dpif-netdev.o") + TAIL, "# none\n")
    assert done.returncode == 0, done.stderr


def test_something_else_than_a_map_fails(tmp):
    assert check(tmp, "").returncode == 1
    assert check(tmp, "hello\n").returncode == 1


tap.main(globals())
