# SPDX-License-Identifier: Apache-2.0
"""A sanitizer build must see what is planted, once, and nothing else."""

import os
import subprocess

import tap

PROGRAM = os.path.abspath("tests/sanitizer/planted")


def sanitizer():
    with open(PROGRAM, "rb") as f:
        text = f.read()
    return ("asan" if b"__asan_init" in text else
            "tsan" if b"__tsan_init" in text else None)


def reports(what):
    done = subprocess.run([PROGRAM, what], stderr=subprocess.PIPE, text=True)
    count = sum(line.startswith("SUMMARY: ")
                for line in done.stderr.splitlines())
    assert (done.returncode != 0) == (count > 0), done.stderr
    return count, done.stderr


def test_nothing(tmp):
    count, text = reports("nothing")
    assert count == 0, text


def test_leak(tmp):
    if sanitizer() != "asan":
        raise tap.Skip("not an AddressSanitizer build")
    count, text = reports("leak")
    assert count == 1, text
    assert "123 byte(s) leaked in 1 allocation" in text, text


def test_race(tmp):
    if sanitizer() != "tsan":
        raise tap.Skip("not a ThreadSanitizer build")
    count, text = reports("race")
    assert count == 1, text
    assert "data race" in text and "writer_main" in text, text


tap.main(globals())
