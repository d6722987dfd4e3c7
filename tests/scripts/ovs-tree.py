# SPDX-License-Identifier: Apache-2.0
"""Tests of build-aux/ovs-tree, with a package of three small files."""

import os
import subprocess

import tap

TOOL = os.path.abspath(os.path.join(os.environ.get("srcdir", "."),
                                    "build-aux", "ovs-tree"))
CONFIGURE = r'''#!/bin/sh
test "$1" != --fail || { echo no good; exit 1; }
echo "$*" >> ../runs
printf 'all:\n\techo built >> ../built\n' > Makefile
cat > config.status <<END
#!/bin/sh
sed 's/@VERSION@/3.1.0/; s/@LIBS@/-lm -lz/; s/@[A-Za-z_]*@//'
END
chmod +x config.status
'''


def tool(*arguments, status=0):
    done = subprocess.run([TOOL, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == status, done.stdout
    return done.stdout


def make_source(tmp):
    source = os.path.join(tmp, "source")
    os.mkdir(source)
    with open(os.path.join(source, "configure"), "w") as f:
        f.write(CONFIGURE)
    os.chmod(os.path.join(source, "configure"), 0o755)
    return source


def make_tarball(tmp):
    source = make_source(tmp)
    tarball = os.path.join(tmp, "source.tar.gz")
    subprocess.run(["tar", "-C", tmp, "-czf", tarball, "source"], check=True)
    return source, tarball


def lines_of(*path):
    try:
        with open(os.path.join(*path)) as f:
            return f.read().splitlines()
    except FileNotFoundError:
        return []


def test_directory_is_only_read(tmp):
    source = make_source(tmp)
    os.chmod(source, 0o555)
    before = sorted(os.listdir(source))
    tool("prepare", source, tmp + "/ovs", "k1", "--x")
    os.chmod(source, 0o755)
    assert sorted(os.listdir(source)) == before
    assert os.path.exists(tmp + "/ovs/config.status")
    assert lines_of(tmp, "runs") == ["--x"]


def test_tarball_is_unpacked(tmp):
    _, tarball = make_tarball(tmp)
    tool("prepare", tarball, tmp + "/ovs", "k1")
    assert os.path.exists(tmp + "/ovs/config.status")


def test_same_key_is_used_again(tmp):
    source = make_source(tmp)
    for _ in range(2):
        tool("prepare", source, tmp + "/ovs", "k1", "--x")
        tool("replace", source, tmp + "/ovs", "k1", "--x")
    assert lines_of(tmp, "runs") == ["--x"]


def test_other_key_is_refused_or_replaced(tmp):
    source = make_source(tmp)
    tool("prepare", source, tmp + "/ovs", "k1", "--x")
    out = tool("prepare", source, tmp + "/ovs", "k2", "--y", status=1)
    assert "configured differently" in out, out
    tool("replace", source, tmp + "/ovs", "k2", "--y")
    assert lines_of(tmp, "runs") == ["--x", "--y"]


def test_foreign_directory_is_left_alone(tmp):
    source = make_source(tmp)
    os.mkdir(tmp + "/ovs")
    open(tmp + "/ovs/precious", "w").close()
    out = tool("prepare", source, tmp + "/ovs", "k1", status=1)
    assert "something else" in out, out
    assert os.listdir(tmp + "/ovs") == ["precious"]


def test_failed_configure_is_repeated(tmp):
    source = make_source(tmp)
    out = tool("prepare", source, tmp + "/ovs", "k1", "--fail", status=1)
    assert "no good" in out, out
    tool("prepare", source, tmp + "/ovs", "k1", "--x")
    assert lines_of(tmp, "runs") == ["--x"]


def test_build_is_done_once(tmp):
    source = make_source(tmp)
    tool("prepare", source, tmp + "/ovs", "k1")
    for _ in range(2):
        tool("build", tmp + "/ovs")
    assert lines_of(tmp, "built") == ["built"]


def test_failed_build_fails_and_is_repeated(tmp):
    source = make_source(tmp)
    tool("prepare", source, tmp + "/ovs", "k1")
    makefile = tmp + "/ovs/Makefile"
    good = "\n".join(lines_of(makefile)) + "\n"
    with open(makefile, "w") as f:
        f.write("all:\n\techo broken; false\n")
    assert "broken" in tool("build", tmp + "/ovs", status=1)
    with open(makefile, "w") as f:
        f.write(good)
    tool("build", tmp + "/ovs")
    assert lines_of(tmp, "built") == ["built"]


def test_key_depends_on_all_inputs(tmp):
    source, tarball = make_tarball(tmp)

    def key(where=source, salt="dpdk-1", *arguments):
        return tool("key", where, "-", salt, *(arguments or ["CFLAGS=-O2"]))

    keys = [key(), key(tarball), key(source, "dpdk-2"),
            key(source, "dpdk-1", "CFLAGS=-O1"),
            key(source, "dpdk-1", "CC=gcc")]
    assert key() == keys[0]
    with open(source + "/file", "w") as f:
        f.write("x")
    keys.append(key())
    assert len(set(keys)) == len(keys), keys


def test_variables_can_be_evaluated(tmp):
    source = make_source(tmp)
    tool("prepare", source, tmp + "/ovs", "k1")
    out = tool("vars", tmp + "/ovs").splitlines()
    assert "ovs_VERSION='3.1.0'" in out, out
    assert "ovs_LIBS='-lm -lz'" in out, out


tap.main(globals())
