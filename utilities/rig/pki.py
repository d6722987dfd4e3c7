# SPDX-License-Identifier: Apache-2.0
"""Keys and certificates as ovs-pki(8) makes them.

    pki = Pki(f"{run_dir}/pki", "ovs-pki")
    ovs_vswitchd_options = pki.options("sw", "switch")
    ovs_ofctl_options = pki.options("ctl", "controller")

Of its two authorities one signs what switches show, the other what their
controllers and database servers show; each side trusts the other's.
"""

import os

from . import process

TRUSTS = {"switch": "controllerca", "controller": "switchca"}


class Pki:
    def __init__(self, directory, tool):
        self.directory = directory
        self.tool = tool
        os.makedirs(directory)
        self._run("init")

    def _run(self, *words):
        process.run([self.tool, f"--dir={self.directory}/ca",
                     f"--log={self.directory}/log", "--unique", "--batch",
                     *words], cwd=self.directory)

    def files(self, name, kind, trusts=None):
        """Private key, certificate and the authority that a 'kind' (switch or
        controller) called 'name' trusts, that of another Pki if given; makes
        them the first time."""
        key, cert = (os.path.join(self.directory, f"{name}-{what}.pem")
                     for what in ("privkey", "cert"))
        if not os.path.exists(cert):
            self._run("req+sign", name, kind)
        directory = (trusts or self).directory
        return key, cert, f"{directory}/ca/{TRUSTS[kind]}/cacert.pem"

    def options(self, name, kind, trusts=None):
        """The same, as options of each program of Open vSwitch."""
        key, cert, ca = self.files(name, kind, trusts)
        return [f"--private-key={key}", f"--certificate={cert}",
                f"--ca-cert={ca}"]
