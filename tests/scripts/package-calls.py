#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of tests/check-package-calls, on small objects made for them."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import tap  # noqa: E402

CHECK = os.path.join(HERE, "..", "check-package-calls")
SOURCE = """
extern void ef_ours(void), pure(void), locks(void);
void ef_theirs(void);
void ef_theirs(void) { ef_ours(); pure(); %s }
"""


def compiled(tmp, name, text):
    source = os.path.join(tmp, name + ".c")
    with open(source, "w") as f:
        f.write(text)
    subprocess.run([*os.environ.get("CC", "cc").split(), "-c", source, "-o",
                    source[:-2] + ".o"], check=True)
    return source[:-2] + ".o"


def check(tmp, listed, *objects):
    path = os.path.join(tmp, "list")
    with open(path, "w") as f:
        f.write(listed)
    return subprocess.run([sys.executable, "-B", CHECK, path, *objects],
                          stderr=subprocess.PIPE, text=True)


def test_listed_is_fine(tmp):
    made = compiled(tmp, "a", SOURCE % "locks();")
    result = check(tmp, "prose\n> pure\n\nmore prose\n> locks x\n", made)
    assert result.returncode == 0, result.stderr


def test_unlisted_is_named_with_its_caller(tmp):
    made = compiled(tmp, "a", SOURCE % "locks();")
    result = check(tmp, "prose that says locks\n> pure\n", made)
    assert result.returncode == 1
    assert "locks, called by" in result.stderr and "a.o" in result.stderr
    assert "pure" not in result.stderr and "ef_ours" not in result.stderr


def test_objects_may_call_one_another(tmp):
    one = compiled(tmp, "a", SOURCE % "locks();")
    two = compiled(tmp, "b", "void locks(void);\nvoid locks(void) { }\n")
    assert check(tmp, "> pure\n", one, two).returncode == 0


def test_archive(tmp):
    made = compiled(tmp, "a", SOURCE % "locks();")
    archive = os.path.join(tmp, "lib.a")
    subprocess.run(["ar", "rc", archive, made], check=True)
    assert check(tmp, "> pure locks\n", archive).returncode == 0
    assert check(tmp, "> pure\n", archive).returncode == 1


def test_no_objects(tmp):
    made = compiled(tmp, "a", "int ef_x;\n")
    assert check(tmp, "> pure\n", made).returncode == 1
    assert check(tmp, "> pure\n").returncode == 2


if __name__ == "__main__":
    tap.main(globals())
