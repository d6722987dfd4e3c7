#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The database by ssl:, with Debian's programs at the other end.

    ovsdb-server ---ssl--- the switch --x-- an impostor's ovsdb-server
         |                    br0
     ovs-vsctl                br1

The switch does not serve a server that shows a certificate of another
authority, although it would be content with the switch's; nor is the switch
served if it is the one that shows such a thing.
"""

import os

from story import expect, process, tell
from rig.debian import OPEN_VSWITCH, Programs
from rig.pki import Pki

DB, IMPOSTOR = 6640, 6641


def story(lab):
    switch = lab.switch
    debian = Programs(lab, os.environ["EF_CACHE"], *OPEN_VSWITCH)
    pki, other = (Pki(f"{lab.run_dir}/{name}", debian.path("ovs-pki"))
                  for name in ("pki", "other"))
    switch.add_bridge("br0")
    switch.exit(cleanup=True)
    process.stop(switch.db)
    server(lab, debian, "conf", DB, pki.options("db", "controller"))
    debian.run("ovsdb-tool", "create", f"{lab.run_dir}/impostor.db",
               f"{switch.ovs_dir}/vswitchd/vswitch.ovsschema")
    server(lab, debian, "impostor", IMPOSTOR,
           other.options("db", "controller", pki))

    for who, port in (pki, IMPOSTOR), (other, DB):
        switch.launch(*who.options("sw", "switch", pki), db=remote(port))
        # "attempt failed", or "dropped" where it is the server that refuses.
        process.wait_until(
            f"no failure at {port}",
            lambda port=port: switch.log_has(f"{remote(port)}: connection "))
        expect(" br0:" not in lab.ns.run("ip", "link"), "it made the bridge")
        switch.exit()
    debian.await_log("impostor", "alert unknown ca")
    debian.await_log("conf", "certificate verify failed")

    switch.launch(*pki.options("sw", "switch"), db=remote(DB))
    switch.await_service()
    expect(" br0:" in lab.ns.run("ip", "link"), "it did not make the bridge")
    vsctl(debian, DB, pki, "add-br", "br1", "--", "set", "bridge", "br1",
          "datapath_type=netdev")
    expect("br1" in switch.appctl("dpif/show"), "the switch has no br1")


def remote(port):
    return f"ssl:127.0.0.1:{port}"


def vsctl(debian, port, pki, *args, **kwargs):
    """Waits for the switch to do it, unless told otherwise."""
    debian.run("ovs-vsctl", *pki.options("vsctl", "switch"), "--timeout=20",
               f"--db={remote(port)}", *args, **kwargs)


def server(lab, debian, name, port, options):
    """Debian's ovsdb-server; "conf" has the socket of the rig's tools."""
    local = {"conf": "db"}.get(name, name)
    debian.start("ovsdb-server", f"{lab.run_dir}/{name}.db",
                 f"--remote=punix:{lab.run_dir}/{local}.sock",
                 f"--remote=pssl:{port}:127.0.0.1", *options, name=name)


tell(story)
