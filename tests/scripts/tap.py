# SPDX-License-Identifier: Apache-2.0
"""Runs the functions called test_* of a script and reports in TAP.

    import tap
    def test_something(tmp): assert ...
    tap.main(globals())

Each function gets a fresh temporary directory, which is removed afterwards.
A function that cannot run here raises Skip with the reason.
"""

import sys
import tempfile
import traceback


class Skip(Exception):
    """The test cannot run on this machine."""


def main(names):
    tests = [(name, value) for name, value in names.items()
             if name.startswith("test_") and callable(value)]
    failed = 0
    print(f"1..{len(tests)}")
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as tmp:
            try:
                test(tmp)
                print(f"ok {number} - {name}", flush=True)
            except Skip as reason:
                print(f"ok {number} - {name} # SKIP {reason}", flush=True)
            except Exception:
                failed += 1
                for line in traceback.format_exc().splitlines():
                    print("# " + line)
                print(f"not ok {number} - {name}", flush=True)
    sys.exit(1 if failed or not tests else 0)
