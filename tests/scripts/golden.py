# SPDX-License-Identifier: Apache-2.0
"""Runs tests/golden/run on the built switch with the built tree's tools."""

import os
import sys

OVS = os.environ["OVS_DIR"]
TOOLS = ":".join(os.path.join(OVS, d) for d in ("ovsdb", "utilities"))
RUN = os.path.join(os.environ.get("srcdir", "."), "tests", "golden", "run")

os.execv(sys.executable, [
    sys.executable, "-B", RUN, "--tools", TOOLS,
    "--schema", os.path.join(OVS, "vswitchd", "vswitch.ovsschema"),
    os.path.join("vswitchd", "ovs-vswitchd")])
