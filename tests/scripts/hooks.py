# SPDX-License-Identifier: Apache-2.0
"""Tests of the git hooks."""

import os
import shutil
import subprocess

import tap

HOOKS = os.path.abspath(os.path.join(os.environ.get("srcdir", "."),
                                     "utilities", "hooks"))


def accepts(tmp, message):
    path = os.path.join(tmp, "message")
    with open(path, "w") as f:
        f.write(message)
    return subprocess.run([os.path.join(HOOKS, "commit-msg"), path],
                          stderr=subprocess.DEVNULL).returncode == 0


def test_good_messages(tmp):
    assert accepts(tmp, "flow: Count misses.\n\nNobody did.\n")
    assert accepts(tmp, "dpif, show: Print it.\n\n# comment\nBecause.\n")
    assert accepts(tmp, "fixup! flow: Count misses.\n")


def test_bad_messages(tmp):
    assert not accepts(tmp, "Count misses.\n\nNobody did.\n")
    assert not accepts(tmp, "flow: count misses.\n\nNobody did.\n")
    assert not accepts(tmp, "flow: Count misses.\n")
    assert not accepts(tmp, "flow: Count misses.\n\n# comment\n")
    assert not accepts(tmp, "flow: Count misses.\nNobody did.\n")
    assert not accepts(tmp, "flow: C" + "o" * 60 + ".\n\nNobody did.\n")


def git(tmp, *arguments):
    env = {name: value for name, value in os.environ.items()
           if not name.startswith("GIT_")}
    return subprocess.run(
        ["git", "-c", "user.name=T", "-c", "user.email=t@example.org",
         "-c", f"core.hooksPath={HOOKS}", "-C", tmp, *arguments],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True)


def test_commit_of_violation_is_refused(tmp):
    if not shutil.which("git"):
        raise tap.Skip("no git")
    git(tmp, "init", "-q")
    os.makedirs(tmp + "/lib/flow")
    os.symlink(os.path.dirname(HOOKS), tmp + "/utilities")
    with open(tmp + "/lib/flow/a.h", "w") as f:
        f.write("\tint x;\n")
    git(tmp, "add", "lib")
    done = git(tmp, "commit", "-m", "flow: Add it.\n\nWhy.")
    assert done.returncode != 0
    assert "lib/flow/a.h:1: tab" in done.stdout, done.stdout

    # What counts is what is committed, not what lies in the tree.
    with open(tmp + "/lib/flow/a.h", "w") as f:
        f.write("/* SPDX-License-Identifier: Apache-2.0 */\nint x;\n")
    git(tmp, "add", "lib")
    with open(tmp + "/lib/flow/b.h", "w") as f:
        f.write("\tint x;\n")
    done = git(tmp, "commit", "-m", "flow: Add it.\n\nWhy.")
    assert done.returncode == 0, done.stdout


tap.main(globals())
