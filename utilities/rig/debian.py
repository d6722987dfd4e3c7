# SPDX-License-Identifier: Apache-2.0
"""Programs from Debian's packages, unpacked and not installed: nothing of
theirs is started."""

import os

from . import process

# For Programs(): where in a cache, packages, a file that shows all are there.
OPEN_VSWITCH = (
    "debian-ovs",
    ["openvswitch-common", "openvswitch-switch", "openvswitch-pki",
     "openvswitch-testcontroller"],
    "usr/bin/ovs-testcontroller")


def unpack(packages, directory, proof):
    """Fetches 'packages' into 'directory' unless the file 'proof' is there;
    returns the path of that file."""
    path = os.path.join(directory, proof)
    if os.path.exists(path):
        return path
    print(f"fetching Debian's {' '.join(packages)} into {directory}; unpacked "
          "there, not installed", flush=True)
    os.makedirs(directory, exist_ok=True)
    process.run(["apt-get", "-qq", "download", *packages], cwd=directory,
                timeout=600)
    for name in os.listdir(directory):
        if name.endswith(".deb"):
            process.run(["dpkg-deb", "-x", name, "."], cwd=directory)
            os.unlink(os.path.join(directory, name))
    return path


def find_switch(cache_dir):
    """The ovs-vswitchd of openvswitch-switch-dpdk: installed, or unpacked in a
    cache."""
    path = "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk"
    if os.path.exists(path):
        return path
    return unpack(["openvswitch-switch-dpdk"],
                  os.path.join(cache_dir, "peer"), path.lstrip("/"))


class Programs:
    """Those of 'packages', run in the namespace of a lab's switch."""

    def __init__(self, lab, cache_dir, name, packages, proof):
        self.root = os.path.join(cache_dir, name)
        unpack(packages, self.root, proof)
        self.lab = lab

    def path(self, name):
        for folder in "usr/bin", "usr/sbin":
            path = os.path.join(self.root, folder, name)
            if os.path.exists(path):
                return path
        raise process.RigError(f"no {name} in {self.root}")

    def run(self, program, *args, **kwargs):
        return self.lab.ns.run(self.path(program), *args,
                               env=self.lab.switch.env, **kwargs)

    def _log(self, name):
        return f"{self.lab.run_dir}/debian-{name}.log"

    def start(self, program, *args, name=None):
        """Starts a daemon, whose log is that of 'name'."""
        name = name or program
        return self.lab.ns.start(
            self.path(program), "-vconsole:off", f"--pidfile={name}.pid",
            f"--unixctl={name}.ctl", f"--log-file={self._log(name)}", *args,
            cwd=self.lab.run_dir, env=self.lab.switch.env)

    def await_log(self, name, text):
        def has():
            with open(self._log(name), errors="replace") as f:
                return text in f.read()
        process.wait_until(f"no '{text}' in the log of {name}", lambda:
                           os.path.exists(self._log(name)) and has(), 30)
