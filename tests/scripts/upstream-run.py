# SPDX-License-Identifier: Apache-2.0
"""Tests of tests/upstream/run with a suite that is only pretended: what must
not count as passed does not."""

import json
import os
import subprocess
import sys

import tap

RUN = os.path.join(os.environ.get("srcdir", "."), "tests", "upstream", "run")

# Stands for the package's tests/testsuite.  Reads what each test shall do
# from ./story.json: {number: [result of the first run, of the second]}.
SUITE = r'''#!/bin/sh
exec %s -B - "$@" <<'END'
import json, os, subprocess, sys
with open("story.json") as f:
    story = json.load(f)
arguments = sys.argv[1:]
path = [a.split("=", 1)[1] for a in arguments if a.startswith("AUTOTEST")][0]
program = next(p for p in (os.path.join(d, "ovs-vswitchd")
                           for d in path.split(":")) if os.path.exists(p))
numbers = [a for a in arguments if a.isdigit()] or sorted(story)
title = "bridge - test (%%s)"
if "--list" in arguments:
    for n in numbers:
        print("%%4s: a.at:%%s  %%s\n      keyword" %% (n, n, title %% n))
    sys.exit()
os.chdir("tests")
if "-d" not in arguments:
    with open("testsuite.log", "w") as log:
        print("./suite.at:1: " + program, "--version", file=log)
        print(subprocess.run([program, "--version"], text=True,
                             stdout=subprocess.PIPE).stdout, file=log)
    sys.exit()
for n in numbers:
    count = "count." + n
    run = os.path.exists(count)
    open(count, "w").close()
    test = story[n]
    result = test["results"][min(run, len(test["results"]) - 1)]
    where = "testsuite.dir/%%04d" %% int(n)
    os.makedirs(where)
    with open(where + "/testsuite.log", "w") as log:
        log.write("%%s. a.at:%%s: %%s. %%s (a.at:%%s): %%s     (0m1.0s 0m1.5s)"
                  "\n" %% (n, n, n, title %% n, n, result))
    for name, lines in test.get("logs", {}).items():
        with open(where + "/" + name, "w") as log:
            log.write(lines.replace("PROGRAM", os.path.realpath(program)))
    if test.get("killed"):
        sys.exit(143)
END
''' % sys.executable

OURS = ("1|evenflow|INFO|Evenflow 1.2, program PROGRAM\n"
        "2|bridge|INFO|ovs-vswitchd (Open vSwitch) 3.1.0\n")
THEIRS = "2|bridge|INFO|ovs-vswitchd (Open vSwitch) 3.1.0\n"


def switch(*results, log=OURS):
    return {"results": results, "logs": {"ovs-vswitchd.log": log}}


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)


def run(tmp, story, *arguments, expected="", says="Evenflow 1.2",
        missing=False):
    """Returns (exit status, output lines)."""
    ovs = os.path.join(tmp, "ovs")
    ours = os.path.join(tmp, "bin", "ovs-vswitchd")
    write(os.path.join(ovs, "tests", "testsuite"), SUITE, 0o755)
    write(os.path.join(ovs, "story.json"), json.dumps(story))
    write(os.path.join(ovs, "vswitchd", "ovs-vswitchd"),
          "#!/bin/sh\necho Open vSwitch\n", 0o755)
    write(ours, f"#!/bin/sh\necho Open vSwitch; echo {says}\n", 0o755)
    if missing:
        os.remove(ours)
    listed = os.path.join(tmp, "expected")
    write(listed, expected)
    done = subprocess.run(
        [sys.executable, "-B", RUN, "--ovs", ovs, "--program", ours,
         "--version", "1.2", "--expected", listed,
         "--out", os.path.join(tmp, "out"), *arguments,
         "--", *sorted(story)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout.splitlines()


def test_all_pass(tmp):
    status, lines = run(tmp, {"1": switch("ok"), "2": {"results": ["ok"]},
                              "3": {"results": ["skipped (a.at:3)"]}})
    assert lines[-1] == "2 passed, 0 failed", lines
    assert status == 0
    assert lines[-2].startswith("1 skipped")
    table = [line.split() for line in lines if line.startswith("a.at ")]
    assert table == [["a.at", "1", "0", "0", "1", "0", "1"]], lines


def test_failure_fails(tmp):
    status, lines = run(tmp, {"1": switch("ok"), "2": switch("FAILED (a:1)")})
    assert lines[-1] == "1 passed, 1 failed", lines
    assert status == 1
    assert os.path.isdir(os.path.join(tmp, "out", "failed", "0002"))


def test_second_try_is_flaky(tmp):
    status, lines = run(tmp, {"2": switch("FAILED (a:1)", "ok")})
    assert lines[-1] == "1 passed, 0 failed", lines
    assert "flaky: 2: a.at: bridge - test (2)" in lines
    assert status == 0


def test_missing_binary_fails(tmp):
    status, lines = run(tmp, {"1": switch("ok")}, missing=True)
    assert status == 1
    assert lines[-1] == "0 passed, 1 failed", lines
    assert "missing" in lines[-2]


def test_binary_without_version_line_fails(tmp):
    status, lines = run(tmp, {"1": switch("ok")}, says="Evenflow 1.1")
    assert status == 1
    assert "does not say Evenflow 1.2" in lines[-2], lines


def test_log_of_another_binary_fails(tmp):
    status, lines = run(tmp, {"1": switch("ok"),
                              "2": switch("ok", log=THEIRS)})
    assert status == 1
    assert lines[-1] == "1 passed, 1 failed", lines
    assert any("not from our binary" in line for line in lines), lines


def test_log_with_another_path_fails(tmp):
    status, lines = run(tmp, {"1": switch("ok", log=OURS.replace(
        "PROGRAM", "/usr/sbin/ovs-vswitchd"))})
    assert status == 1
    assert lines[-1] == "0 passed, 1 failed", lines


def test_second_switch_of_another_binary_fails(tmp):
    status, lines = run(tmp, {"1": switch("ok", log=OURS + THEIRS)})
    assert status == 1


def test_sanitizer_report_fails(tmp):
    story = switch("ok")
    story["logs"]["asan.123"] = "ERROR: AddressSanitizer\n"
    status, lines = run(tmp, {"1": story})
    assert status == 1
    assert any("asan.123" in line for line in lines), lines


def test_expected_failure_passes(tmp):
    status, lines = run(
        tmp, {"1": switch("ok"), "2": switch("FAILED (a:1)")},
        expected="# List\na.at: bridge - test (2) | no such command\n")
    assert status == 0, lines
    assert lines[-1] == "1 passed, 0 failed", lines
    assert any("no such command" in line for line in lines)


def test_expected_failure_from_another_binary_fails(tmp):
    status, lines = run(
        tmp, {"1": switch("ok"), "2": switch("FAILED (a:1)", log=THEIRS)},
        expected="a.at: bridge - test (2) | no such command\n")
    assert status == 1, lines


def test_expected_failure_that_passes_fails(tmp):
    status, lines = run(tmp, {"1": switch("ok"), "2": switch("ok")},
                        expected="a.at: bridge - test (2) | old reason\n")
    assert status == 1
    assert lines[-1] == "1 passed, 1 failed", lines
    assert any("take it off" in line for line in lines)


def test_expected_failure_without_reason_fails(tmp):
    status, lines = run(tmp, {"1": switch("ok")}, expected="a.at: x\n")
    assert status == 1
    assert "without a reason" in lines[-2]


def test_lost_result_fails(tmp):
    status, lines = run(tmp, {"1": switch("ok"), "2": switch("garbage")})
    assert status == 1
    assert lines[-1] == "1 passed, 1 failed", lines
    assert any("no result" in line for line in lines)


def test_interrupted_suite_fails(tmp):
    status, lines = run(tmp, {"1": dict(switch("ok"), killed=True)})
    assert status == 1
    assert "interrupted" in lines[-2], lines


def test_all_skipped_fails(tmp):
    status, lines = run(tmp, {"1": switch("skipped (a.at:1)")})
    assert status == 1


def test_peer_is_compared(tmp):
    story = {"1": switch("ok", log=THEIRS), "2": switch("ok", log=THEIRS)}
    status, lines = run(tmp, story, "--peer")
    assert status == 0, lines
    story = {"1": switch("ok"), "2": switch("FAILED (a:1)")}
    status, lines = run(tmp, story)
    assert status == 1
    assert "upstream's binary passes: 2: a.at: bridge - test (2)" in lines


def test_quick_selection(tmp):
    chosen = os.path.join(tmp, "quick")
    run(tmp, {"1": switch("ok"), "2": switch("ok")})

    def quick(text):
        write(chosen, text)
        return subprocess.run(
            [sys.executable, "-B", RUN, "--ovs", os.path.join(tmp, "ovs"),
             "--program", os.path.join(tmp, "bin", "ovs-vswitchd"),
             "--version", "1.2", "--out", os.path.join(tmp, "out"),
             "--quick", chosen], stdout=subprocess.PIPE, text=True)

    done = quick("# Some.\na.at: bridge - *(2)\n")
    assert done.stdout.splitlines()[-1] == "1 passed, 0 failed", done.stdout
    assert quick("a.at: no such test\n").returncode == 1
    assert quick("# None.\n").returncode == 1


tap.main(globals())
