# SPDX-License-Identifier: Apache-2.0
"""Tests of the fuzzers' runner, with fuzzers that are made to fail."""

import os
import re
import shutil
import subprocess
import sys

import tap

SRCDIR = os.path.abspath(os.environ.get("srcdir", "."))
FUZZ = os.path.join(SRCDIR, "tests", "fuzz")

# Crashes once the input is the word; otherwise takes note of its letters.
PLANTED = """
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static volatile int n;

    for (size_t i = 0; i < size && i < WORD_SIZE && data[i] == WORD[i]; i++) {
        n++;
        if (i + 1 == WORD_SIZE) {
            abort();
        }
    }
    return 0;
}
"""


def build(tmp, name, word):
    """A fuzzer that crashes on 'word'; "" never."""
    if not shutil.which("clang"):
        raise tap.Skip("no clang")
    program = os.path.join(tmp, name)
    done = subprocess.run(
        ["clang", "-fsanitize=fuzzer", "-O1", f'-DWORD="{word}"',
         f"-DWORD_SIZE={len(word)}", "-x", "c", "-", "-o", program],
        input=PLANTED, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    if "libclang_rt.fuzzer" in done.stdout:
        raise tap.Skip("no libFuzzer")
    assert done.returncode == 0, done.stdout
    return program


def fake(tmp, name, script):
    """A program that only pretends to be a fuzzer."""
    program = os.path.join(tmp, name)
    with open(program, "w") as f:
        f.write("#!/bin/sh\n" + script)
    os.chmod(program, 0o755)
    return program


def seed(tmp, name, *inputs):
    folder = os.path.join(tmp, "source", "corpus", name)
    os.makedirs(folder)
    for i, text in enumerate(inputs):
        with open(os.path.join(folder, f"seed-{i}"), "w") as f:
            f.write(text)


def run(tmp, *programs, seconds=2):
    """Returns (exit status, lines)."""
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(FUZZ, "run"),
         f"--seconds={seconds}", f"--out={tmp}/out",
         f"--source={tmp}/source", *programs],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.splitlines()


def test_good_fuzzer(tmp):
    seed(tmp, "good", "first", "second")
    status, lines = run(tmp, build(tmp, "fuzz-good", ""))
    assert status == 0, lines
    found = re.fullmatch(r"fuzz-good: (\d+) executions, (\d+) exec/s, (\d+) "
                         r"features, \d+ new corpus files: passed", lines[0])
    assert found and all(int(n) > 0 for n in found.groups()), lines
    assert lines[-1] == "1 passed, 0 failed", lines


def test_crash_is_found_and_kept(tmp):
    status, lines = run(tmp, build(tmp, "fuzz-bad", "no"),
                        build(tmp, "fuzz-good", ""), seconds=5)
    assert status == 1, lines
    assert lines[-1] == "1 passed, 1 failed", lines
    replay = [line.split() for line in lines if "replay: " in line]
    assert len(replay) == 1, lines
    program, path = replay[0][1:]
    assert os.path.basename(path).startswith("fuzz-bad-crash-"), path
    with open(path, "rb") as f:
        assert f.read().startswith(b"no")
    assert subprocess.run([program, path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode != 0


def test_corpus_is_replayed_first(tmp):
    seed(tmp, "bad", "fine", "a word that nobody guesses")
    program = build(tmp, "fuzz-bad", "a word that nobody guesses")
    status, lines = run(tmp, program, seconds=1)
    assert status == 1 and lines[-1] == "0 passed, 1 failed", lines
    assert any("replay: " in line for line in lines), lines


def test_nothing_is_executed(tmp):
    status, lines = run(tmp, fake(tmp, "fuzz-idle", "exit 0\n"))
    assert status == 1 and lines[-1] == "0 passed, 1 failed", lines
    assert "executed nothing" in lines[0], lines


def test_corpus_is_not_replayed(tmp):
    seed(tmp, "idle", "one", "two")
    script = 'echo "stat::number_of_executed_units: 1"\n'
    status, lines = run(tmp, fake(tmp, "fuzz-idle", script))
    assert status == 1 and lines[-1] == "0 passed, 1 failed", lines
    assert "did not replay" in lines[0], lines


def test_corpora_are_small(_tmp):
    top = os.path.join(FUZZ, "corpus")
    for name in os.listdir(top):
        folder = os.path.join(top, name)
        sizes = [os.path.getsize(os.path.join(folder, file))
                 for file in os.listdir(folder)]
        assert 0 < len(sizes) < 200 and sum(sizes) < 200000, name


def test_corpora_are_what_the_script_makes(tmp):
    subprocess.run([sys.executable, "-B", os.path.join(FUZZ, "make-corpus"),
                    tmp], check=True)
    for name in os.listdir(tmp):
        kept = os.path.join(FUZZ, "corpus", name)
        files = sorted(os.listdir(os.path.join(tmp, name)))
        assert files == sorted(file for file in os.listdir(kept)
                               if file.startswith("seed-")), name
        for file in files:
            with open(os.path.join(tmp, name, file), "rb") as a, \
                    open(os.path.join(kept, file), "rb") as b:
                assert a.read() == b.read(), file


tap.main(globals())
