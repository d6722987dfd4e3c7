# SPDX-License-Identifier: Apache-2.0
"""Tests that the packages agree with configure.ac and with each other."""

import os
import re
import subprocess

import tap

TOP = os.environ.get("srcdir", ".")


def read(path):
    path = os.path.join(TOP, path)
    if not os.path.exists(path):
        raise tap.Skip(f"{path} is not there")
    with open(path) as f:
        return f.read()


def search(path, pattern):
    found = re.search(pattern, read(path), re.M)
    assert found, f"{path}: no '{pattern}'"
    return found[1]


def version():
    return search("configure.ac", r"^AC_INIT\(\[evenflow\], \[([^]]+)\]")


def test_version_of_debian(_tmp):
    found = search("debian/changelog", r"^evenflow \(([^-)]+)-[^)]+\)")
    assert found == version(), found


def test_version_of_spec(_tmp):
    found = search("rhel/evenflow.spec", r"^Version: +(\S+)")
    assert found == version(), found


def test_series_of_open_vswitch(_tmp):
    """All packages are for the same series, and depend on it alone."""
    series = search("rhel/evenflow.spec", r"^%global ovs_series (\S+)")
    after = search("rhel/evenflow.spec", r"^%global ovs_next (\S+)")
    major, minor = map(int, series.split("."))
    assert after == f"{major}.{minor + 1}", after
    control = read("debian/control")
    for package in "openvswitch-source", "openvswitch-switch":
        assert f"{package} (>= {series}" in control, package
        assert f"{package} (<< {after}~)" in control, package


def test_each_page_is_installed(_tmp):
    """Pages that the Makefile has are in both packages."""
    pages = re.findall(r"Documentation/ref/(\S+\.[58]) ?\\?$",
                       read("Documentation/automake.mk"), re.M)
    assert len(pages) == 2, pages
    spec = read("rhel/evenflow.spec")
    debian = read("debian/openvswitch-switch-evenflow.install")
    for page in pages:
        name = f"man{page[-1]}/{page}"
        assert name in spec, name
        assert name in debian, name


def test_plugin_is_installed(_tmp):
    """So is the handler of our pools for other programs of DPDK."""
    name = search("lib/dpdk/automake.mk", r"^plugin_DATA = lib/dpdk/(\S+)$")
    assert f"%{{_libdir}}/evenflow/{name}\n" in read("rhel/evenflow.spec")
    debian = read("debian/openvswitch-switch-evenflow.install")
    assert f"usr/lib/*/evenflow/{name}" in debian.split(), debian


def test_same_alternative(_tmp):
    """What one script registers the other removes, and it is there."""
    folder = "debian/openvswitch-switch-evenflow"
    path = search(f"{folder}.postinst", r"^ +(/usr/lib\S+) 150$")
    assert path == search(f"{folder}.prerm", r"^ +(/usr/lib\S+)$")
    assert path[1:] in read(f"{folder}.install").split(), path
    assert path == search("debian/tests/alternatives", r"^ours=(\S+)$")


def test_maintainer_scripts(_tmp):
    """They are sh, and refuse what dpkg does not call them with."""
    for name in "postinst", "prerm":
        path = f"{TOP}/debian/openvswitch-switch-evenflow.{name}"
        read(path[len(TOP) + 1:])
        done = subprocess.run(["sh", path, "nonsense"],
                              stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1, done
        assert "nonsense" in done.stderr, done.stderr


tap.main(globals())
