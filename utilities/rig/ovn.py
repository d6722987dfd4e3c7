# SPDX-License-Identifier: Apache-2.0
"""OVN over switches of ours, with Debian's programs.

    ovn = Ovn(lab, cache_dir)           # Databases and ovn-northd.
    ovn.join(lab, "hv1", "172.16.0.1")  # ovn-controller for a lab's switch.
    ovn.nbctl("ls-add", "ls0")
"""

import os

from . import debian, process

PACKAGES = ["ovn-central", "ovn-common", "ovn-host"]


class Ovn:
    def __init__(self, lab, cache_dir):
        self.lab = lab
        self.root = os.path.join(cache_dir, "ovn")
        debian.unpack(PACKAGES, self.root, "usr/bin/ovn-controller")
        self.run_dir = lab.run_dir
        for name in "nb", "sb":
            self._start_db(name)
        self._start("ovn-northd", lab.ns, self.run_dir,
                    f"--ovnnb-db={self._db('nb')}",
                    f"--ovnsb-db={self._db('sb')}")
        self.nbctl("init")

    def _db(self, name):
        return f"unix:{self.run_dir}/{name}.sock"

    def _start_db(self, name):
        tools = os.path.join(self.lab.ovs_dir, "ovsdb")
        db = f"{self.run_dir}/{name}.db"
        process.run([f"{tools}/ovsdb-tool", "create", db,
                     f"{self.root}/usr/share/ovn/ovn-{name}.ovsschema"])
        self.lab.ns.start(f"{tools}/ovsdb-server", db, "-vconsole:off",
                          f"--remote=p{self._db(name)}",
                          f"--pidfile={name}.pid", f"--unixctl={name}.ctl",
                          cwd=self.run_dir, env=self.lab.switch.env)
        process.wait_until(f"no {name} database", lambda: os.path.exists(
            f"{self.run_dir}/{name}.sock"))

    def _start(self, program, ns, run_dir, *args):
        env = dict(self.lab.switch.env, OVS_RUNDIR=run_dir,
                   OVN_RUNDIR=run_dir)
        ns.start(f"{self.root}/usr/bin/{program}", "-vconsole:off", *args,
                 f"--pidfile={run_dir}/{program}.pid",
                 f"--log-file={run_dir}/{program}.log", cwd=run_dir, env=env)

    def join(self, lab, name, address):
        """Makes the switch of 'lab', which has the tunnels' 'address', a
        chassis."""
        ids = {"system-id": name, "ovn-remote": self._db("sb"),
               "ovn-encap-type": "geneve", "ovn-encap-ip": address,
               "ovn-bridge-datapath-type": "netdev"}
        lab.switch.vsctl("set", "Open_vSwitch", ".", *[
            f"external_ids:{key}={value}" for key, value in ids.items()])
        lab.switch.add_bridge("br-int", "fail_mode=secure")
        self._start("ovn-controller", lab.ns, lab.run_dir,
                    f"unix:{lab.run_dir}/db.sock")

    def nbctl(self, *args, **kwargs):
        return process.run([f"{self.root}/usr/bin/ovn-nbctl",
                            f"--db={self._db('nb')}", "--timeout=30", *args],
                           **kwargs)

    def add_routed_switch(self, name, router, mac, gateway):
        """A logical switch behind a port of 'router', which has 'gateway'
        there."""
        self.nbctl("--may-exist", "lr-add", router)
        self.nbctl("ls-add", name, "--", "lrp-add", router, f"{router}-{name}",
                   mac, gateway, "--", "lsp-add", name, f"{name}-{router}",
                   "--", "lsp-set-type", f"{name}-{router}", "router", "--",
                   "lsp-set-addresses", f"{name}-{router}", "router", "--",
                   "lsp-set-options", f"{name}-{router}",
                   f"router-port={router}-{name}")

    def add_host(self, lab, switch, name, address, mac):
        """A host of 'lab' with a port of the logical 'switch'."""
        self.nbctl("lsp-add", switch, name, "--", "lsp-set-addresses", name,
                   f"{mac} {address}")
        host = lab.host(name, address + "/24", "br-int", mtu=1400,
                        interface=[f"external_ids:iface-id={name}"])
        host.run("ip", "link", "set", "eth0", "address", mac)
        return host

    def sync(self):
        """Returns when every chassis has done what the databases say."""
        self.nbctl("--wait=hv", "sync")
