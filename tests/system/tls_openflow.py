#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""OpenFlow by ssl:, with Debian's programs at the other end.

    ovs-ofctl ---ssl---> the switch ---ssl---> ovs-testcontroller
                          |      |
             10.34.0.1 left      right 10.34.0.2

Who shows a certificate of another authority, although content with what the
switch shows, is refused and has no effect: a client and a controller.
"""

import os

from story import expect, expect_ping, ping, process, tell
from rig.debian import OPEN_VSWITCH, Programs
from rig.pki import Pki

SERVICE, CONTROLLER = 6653, 6654
TARGET = f"ssl:127.0.0.1:{SERVICE}"


def story(lab):
    debian = Programs(lab, os.environ["EF_CACHE"], *OPEN_VSWITCH)
    pki, other = (Pki(f"{lab.run_dir}/{name}", debian.path("ovs-pki"))
                  for name in ("pki", "other"))
    lab.switch.add_bridge("br0", "fail_mode=secure")
    lab.switch.vsctl("set-ssl", *pki.files("sw", "switch"))
    # Each with whether it is to be served.
    ends = [(who.options("ctl", "controller", pki), fine)
            for who, fine in ((other, False), (pki, True))]
    tell_clients(lab, debian, ends)
    tell_controllers(lab, debian, ends)


def tell_clients(lab, debian, ends):
    """The switch listens."""
    lab.switch.vsctl("set-controller", "br0", f"pssl:{SERVICE}:127.0.0.1")
    for options, fine in ends:
        client(lab, debian, options, fine)
    out = debian.run("ovs-ofctl", "--timeout=5", "dump-flows",
                     TARGET.replace("ssl", "tcp"), check=False)
    expect("NXST" not in out, f"served without encryption: {out}")


def tell_controllers(lab, debian, ends):
    """The switch connects."""
    left = lab.host("left", "10.34.0.1/24")
    lab.host("right", "10.34.0.2/24")
    lab.switch.vsctl("set-controller", "br0", f"ssl:127.0.0.1:{CONTROLLER}",
                     "--", "set", "controller", "br0",
                     "connection_mode=out-of-band")
    for options, fine in ends:
        controller(lab, debian, options, fine)
        got = ping(left, "10.34.0.2")
        expect(got == 0 or fine, "an impostor's flows are in force")
    expect_ping(left, "10.34.0.2")


def client(lab, debian, options, fine):
    """Debian's ovs-ofctl adds a flow, or cannot."""
    debian.run("ovs-ofctl", *options, "--timeout=10", "add-flow", TARGET,
               "cookie=7,in_port=99,actions=drop", check=fine)
    found = lab.switch.ofctl("dump-flows", "br0", "cookie=7/-1")
    expect(("in_port=99" in found) == fine, f"{options}: {found}")
    if not fine:
        process.wait_until("it is not refused", lambda: lab.switch.log_has(
            "SSL_accept: error:0A000086"))


def controller(lab, debian, options, fine):
    """Debian's controller is connected, or is not.  It ends by a fault of its
    own at the first packet that a switch hands to it, so it only sends flows.
    """
    flows = f"{lab.run_dir}/flows"
    with open(flows, "w") as f:
        f.write("priority=9,actions=normal\n")
    child = debian.start("ovs-testcontroller", f"pssl:{CONTROLLER}", "--mute",
                         f"--with-flows={flows}", *options)

    def is_connected():
        return "true" in lab.switch.vsctl("get", "controller", "br0",
                                          "is_connected")

    if fine:
        process.wait_until("it is not connected", is_connected, 30)
    else:
        debian.await_log("ovs-testcontroller", "alert unknown ca")
        expect(not is_connected(), "an impostor is connected")
        process.stop(child)


# Noisy: a client that is refused is an error to it.
tell(story, noisy=True)
