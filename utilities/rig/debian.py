# SPDX-License-Identifier: Apache-2.0
"""Programs from Debian's packages, unpacked and not installed: nothing of
theirs is started."""

import os

from . import process


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
