# SPDX-License-Identifier: Apache-2.0
"""Tests of tests/upstream/run-system with a suite that is only pretended:
upstream's binary is the judge, and nobody leaves the sandbox."""

import os
import subprocess
import sys

import tap

RUN = os.path.join(os.environ.get("srcdir", "."), "tests", "upstream",
                   "run-system")

# Stands for the package's suite.  Test N does what the Nth word of ./ours or
# ./theirs says, depending on which binary comes first in the PATH.
SUITE = r'''#!/bin/sh
for word; do
    case $word in
    AUTOTEST_PATH=*) path=${word#*=} ;;
    --list) list=yes ;;
    [0-9]*) numbers="$numbers $word" ;;
    esac
done
top=$PWD
program=${path%%:*}/ovs-vswitchd
test -e "$program" || program=$top/vswitchd/ovs-vswitchd
for n in ${numbers:-1 2}; do
    test -z "$list" || { echo "  $n: s.at:$n     title $n"; continue; }
    case $program in */bin/*) side=ours ;; *) side=theirs ;; esac
    result=$(cut -d' ' -f$n $top/$side)
    case $* in
    *-d*) ;;
    *)
        { echo "./s.at:1: $program --version"; $program --version; echo; } \
            > $top/tests/system-userspace-testsuite.log
        continue ;;
    esac
    mkdir -p $top/tests/system-userspace-testsuite.dir/$n
    cd $top/tests/system-userspace-testsuite.dir/$n
    test "$result" != late || { ip link add left type veth; sleep 600 & }
    if test "$result" = alone; then
        result=FAILED
        test -n "$(ip link show left 2>&1 | grep LOWER)" || result=ok
        test -z "$(ls /sys/bus/pci/devices)" || result=FAILED
        test $$ -lt 50 || result=FAILED
    fi
    test "$result" != late || result=ok
    echo "$n. s.at:$n: $n. title $n (s.at:$n): $result (0m1.0s 0m1.5s)" \
        > system-userspace-testsuite.log
    { test $side = theirs ||
          echo "1|evenflow|INFO|Evenflow 1.2, program $program"
      echo "2|bridge|INFO|ovs-vswitchd (Open vSwitch) 3.1.0"; } > switch.log
done
'''


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


def run(tmp, ours, theirs, *options):
    tmp = os.path.realpath(tmp)
    ovs = os.path.join(tmp, "ovs")
    write(f"{ovs}/tests/system-userspace-testsuite", SUITE, 0o755)
    write(f"{ovs}/ours", ours)
    write(f"{ovs}/theirs", theirs)
    program = f"{tmp}/bin/ovs-vswitchd"
    for path, more in (program, "; echo Evenflow 1.2"), (
            f"{ovs}/vswitchd/ovs-vswitchd", ""):
        write(path, f"#!/bin/sh\necho Open vSwitch{more}\n", 0o755)
    done = subprocess.run(
        [sys.executable, "-B", RUN, "--suite=userspace", f"--ovs={ovs}",
         f"--program={program}", "--version=1.2", f"--out={tmp}/out",
         *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True)
    return done.returncode, done.stdout.splitlines()


def test_same_pass(tmp):
    status, lines = run(tmp, "ok FAILED", "ok FAILED")
    assert lines[-1] == "1 passed, 0 failed", lines
    assert status == 0
    assert any(line.startswith("the same tests pass") for line in lines)
    assert "1 fail and 0 are skipped with both" in lines


def test_only_theirs_passes(tmp):
    for bad in "FAILED", "skipped", "garbage":
        status, lines = run(tmp, f"ok {bad}", "ok ok")
        assert lines[-1] == "1 passed, 1 failed", lines
        assert status == 1
        assert "  2: s.at: title 2" in lines, lines


def test_peer(tmp):
    status, lines = run(tmp, "FAILED FAILED", "ok ok", "--peer")
    assert status == 0 and lines[-1] == "2 passed, 0 failed", lines


def test_sandbox(tmp):
    """What the first test leaves is gone in the second, which sees no PCI
    device and few processes."""
    status, lines = run(tmp, "late alone", "ok ok")
    assert lines[-1] == "2 passed, 0 failed", lines
    assert status == 0


if subprocess.run(["unshare", "--mount", "--net", "--pid", "--fork", "true"],
                  stderr=subprocess.DEVNULL, check=False).returncode:
    print("1..0 # SKIP namespaces cannot be had")
else:
    tap.main(globals())
