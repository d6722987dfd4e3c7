#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks tests/model/rcu.pml with spin; each of its -D variants must fail.

Skipped where there is no spin, unless EF_REQUIRE_SPIN is set, as run-tests
does.
"""

import os
import re
import shutil
import subprocess

import tap

MODEL = os.path.abspath(os.path.join(os.environ.get("srcdir", "."), "tests",
                                     "model", "rcu.pml"))
SECONDS = 55                    # For one search, which takes about one.
MEMORY_MB = 1024


def variants():
    with open(MODEL) as f:
        found = re.findall(r"^ \*   -D([A-Z_]+) ", f.read(), re.M)
    assert len(found) >= 7, found
    return found


def search(tmp, *defines):
    """Returns what the verifier says of the model with 'defines'."""
    if not shutil.which("spin"):
        assert not os.environ.get("EF_REQUIRE_SPIN"), \
            "no spin: utilities/install-deps test"
        raise tap.Skip("no spin; Debian's package is named spin")
    cc = os.environ.get("CC", "cc").split()
    for command in (["spin", *["-D" + d for d in defines], "-a", MODEL],
                    [*cc, "-w", "-O2", "-DSAFETY", f"-DMEMLIM={MEMORY_MB}",
                     "-o", "pan", "pan.c"],
                    ["./pan", "-m10000"]):
        done = subprocess.run(command, cwd=tmp, text=True, timeout=SECONDS,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        assert done.returncode == 0, (command, done.stdout)
    return done.stdout


def errors(output):
    return int(re.search(r"errors: (\d+)", output).group(1))


def unreached(output):
    """The states of all processes that no run came to."""
    return re.findall(r"^\t.*\.pml:\d+, state \d+, .*", output, re.M)


def test_protocol_is_right(tmp):
    output = search(tmp)
    assert errors(output) == 0, output
    assert "assertion violations\t+" in output, output
    assert "invalid end states\t+" in output, output


def test_search_is_complete(tmp):
    output = search(tmp)
    for sign in ("not completed", "too small", "out of memory", "truncated"):
        assert sign not in output, output
    assert not unreached(output), "\n".join(unreached(output))
    states = int(re.search(r"(\d+) states, stored", output).group(1))
    assert states > 100000, f"{states} states: the model has become smaller"


def test_each_step_is_needed(tmp):
    for variant in variants():
        output = search(tmp, variant)
        assert errors(output) > 0, f"-D{variant} is not found wrong"


def test_variants_are_those_of_the_model(tmp):
    with open(MODEL) as f:
        used = re.findall(r"^#ifn?def (\w+)", f.read(), re.M)
    assert set(used) == set(variants()), (used, variants())


if __name__ == "__main__":
    tap.main(globals())
