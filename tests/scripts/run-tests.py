# SPDX-License-Identifier: Apache-2.0
"""Tests of run-tests, with a build directory that only pretends."""

import os
import re
import shutil
import subprocess

import tap

RUN = os.path.abspath(os.path.join(os.environ.get("srcdir", "."),
                                   "run-tests"))
CHECK = """\
@echo "# PASS:  3"; echo "# XFAIL: 1"; echo "# FAIL:  %s"; \
	echo "why" > test-suite.log; exit %s"""
RCU = '@echo "2 passed, 0 failed"'
UPSTREAM = '@echo "5 passed, %s failed"; exit %s'
FUZZ = '@echo "4 passed, %s failed"; exit %s'
TOTAL = re.compile(r"\d+ passed, \d+ failed")


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, 0o755)


def run(tmp, *stages, build=":", check=CHECK % (0, 0),
        upstream=UPSTREAM % (0, 0), fuzz=FUZZ % (0, 0), system=None):
    """Returns (exit status, last line); no other line may be like it.

    Of a check that fails, what failed has to be shown.
    """
    shutil.copy(RUN, tmp)
    for name in ("utilities/install-deps", "configure"):
        write(os.path.join(tmp, name), "#!/bin/sh\n")
    write(tmp + "/configure.ac", "")
    os.utime(tmp + "/configure.ac", (0, 0))
    if system:
        write(tmp + "/tests/system/run", "#!/bin/sh\n" + system)
    write(tmp + "/b/Makefile", f"all:\n\t{build}\ncheck:\n\t{check}\n"
          f"check-upstream-rcu:\n\t{RCU}\n"
          f"check-upstream-quick:\n\t{upstream}\ncheck-fuzz:\n\t{fuzz}\n")
    done = subprocess.run(
        [os.path.join(tmp, "run-tests"), *stages], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=dict(os.environ, BUILD=tmp + "/b", MAKEFLAGS=""))
    lines = done.stdout.splitlines()
    assert [i for i, line in enumerate(lines) if TOTAL.fullmatch(line)] == \
        [len(lines) - 1], done.stdout
    failed = any("failed: " in line and "run-tests.check.log" in line
                 for line in lines)
    assert ("  | why" in lines) == failed, done.stdout
    return done.returncode, lines[-1]


def test_sum_of_stages(tmp):
    assert run(tmp) == (0, "15 passed, 0 failed")


def test_one_stage(tmp):
    assert run(tmp, "upstream") == (0, "7 passed, 0 failed")


def test_system_stage(tmp):
    assert run(tmp, "system", system='echo "2 passed, 0 failed"\n') == \
        (0, "2 passed, 0 failed")
    assert run(tmp, "system", system='echo "2 passed, 1 failed"; exit 1\n') \
        == (1, "2 passed, 1 failed")


def test_failures_are_counted(tmp):
    assert run(tmp, check=CHECK % (2, 1), upstream=UPSTREAM % (1, 1),
               fuzz=FUZZ % (1, 1)) == (1, "15 passed, 4 failed")


def test_failed_build(tmp):
    assert run(tmp, build="false") == (1, "0 passed, 1 failed")


def test_stage_that_fails_without_failed_test(tmp):
    assert run(tmp, "check", check=CHECK % (0, 1)) == \
        (1, "4 passed, 1 failed")


def test_stage_that_says_nothing(tmp):
    assert run(tmp, "upstream", upstream="@true") == \
        (1, "2 passed, 1 failed")
    assert run(tmp, "fuzz", fuzz="@true") == (1, "0 passed, 1 failed")
    assert run(tmp, "check", check="@true") == (1, "0 passed, 1 failed")


tap.main(globals())
