# SPDX-License-Identifier: Apache-2.0
"""Tests of configure: what is missing is named with its Debian package."""

import os
import subprocess

import tap

CONFIGURE = os.path.abspath(os.path.join(os.environ.get("srcdir", "."),
                                         "configure"))


def fails(tmp, words, *arguments, **variables):
    env = dict(os.environ, **variables)
    done = subprocess.run([CONFIGURE, "-q", *arguments], cwd=tmp, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    assert done.returncode != 0, done.stdout
    assert words in done.stdout, done.stdout


def without_module(tmp, module):
    """A pkg-config that knows everything but 'module'."""
    wrapper = os.path.join(tmp, "pkg-config")
    real = os.environ.get("PKG_CONFIG", "pkg-config")
    with open(wrapper, "w") as f:
        f.write('#!/bin/sh\ncase " $* " in *" %s "*) exit 1;; esac\n'
                'exec %s "$@"\n' % (module, real))
    os.chmod(wrapper, 0o755)
    return wrapper


def missing_library(tmp, module, package):
    fails(tmp, f"{module} not found: apt-get install {package}",
          PKG_CONFIG=without_module(tmp, module))


def test_libdpdk(tmp):
    missing_library(tmp, "libdpdk", "libdpdk-dev")


def test_libcap_ng(tmp):
    missing_library(tmp, "libcap-ng", "libcap-ng-dev")


def test_compiler(tmp):
    os.mkdir(tmp + "/bin")
    for name in ("sed", "grep", "expr", "rm", "mkdir", "cat", "chmod", "ls",
                 "tr", "uname", "sort", "awk", "install", "sleep", "dirname",
                 "basename", "mv", "cp", "ln", "rmdir", "touch", "date",
                 "make", "printf", "cmp", "diff", "as", "sh"):
        for where in ("/usr/bin/", "/bin/"):
            if os.path.exists(where + name):
                os.symlink(where + name, f"{tmp}/bin/{name}")
                break
    fails(tmp, "apt-get install build-essential", PATH=tmp + "/bin", CC="")


def test_source_that_does_not_exist(tmp):
    fails(tmp, "/nonexistent does not exist",
          "--with-ovs-source=/nonexistent")


def test_both_sanitizers(tmp):
    fails(tmp, "choose one", "--enable-asan", "--enable-tsan")


tap.main(globals())
