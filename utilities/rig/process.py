# SPDX-License-Identifier: Apache-2.0
"""Child processes, and signals that unwind instead of killing.

A child started here is in a session of its own, so that a Ctrl-C on the
terminal reaches only us, and the kernel ends it if we die before we could.
After catch_signals(), INT, TERM and HUP raise Interrupted once; from then on
further ones are ignored, so that clean-up runs to its end.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_libc = ctypes.CDLL(None, use_errno=True)


class RigError(Exception):
    """A step failed; the text is for people."""


class Interrupted(BaseException):
    """A signal asked us to end."""

    def __init__(self, signum):
        super().__init__(signal.Signals(signum).name)
        self.signum = signum


def _on_signal(signum, _frame):
    ignore_signals()
    raise Interrupted(signum)


def catch_signals():
    for signum in SIGNALS:
        # nohup's choice stands; others are ours to make.
        if (signum == signal.SIGHUP
                and signal.getsignal(signum) == signal.SIG_IGN):
            continue
        signal.signal(signum, _on_signal)


def ignore_signals():
    for signum in SIGNALS:
        signal.signal(signum, signal.SIG_IGN)


@contextlib.contextmanager
def shielded():
    """Inside, signals wait."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def die_with_parent(signum):
    """The kernel sends us 'signum' when our parent ends; 0: never."""
    _libc.prctl(PR_SET_PDEATHSIG, signum, 0, 0, 0)


def start(argv, cpus=None, **kwargs):
    """Starts 'argv', on 'cpus' only if given, and returns its Popen."""
    parent = os.getpid()

    def in_child():
        for signum in SIGNALS:
            signal.signal(signum, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        die_with_parent(signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        if cpus:
            os.sched_setaffinity(0, cpus)

    # Never our own files: who reads our output would wait for the child's
    # end, too.
    for stream in "stdin", "stdout", "stderr":
        kwargs.setdefault(stream, subprocess.DEVNULL)
    with shielded():
        return subprocess.Popen(argv, preexec_fn=in_child,
                                start_new_session=True, **kwargs)


def stop(process, patience=10):
    """Ends a child: TERM, and KILL for one that does not listen."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


# By how much everything may take longer, under an emulator.
patience = 1


def run(argv, timeout=60, check=True, **kwargs):
    """Runs 'argv' to its end and returns what it printed, or raises."""
    timeout *= patience
    try:
        child = start(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                      text=True, errors="replace", **kwargs)
    except OSError as error:
        raise RigError(f"{argv[0]}: {error.strerror}") from error
    try:
        out, err = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired as error:
        raise RigError(f"no answer in {timeout} s: "
                       f"{' '.join(argv)}") from error
    finally:
        stop(child, 1)
    if check and child.returncode:
        raise RigError(f"{' '.join(argv)}: exit status {child.returncode}\n"
                       f"{(err or out).strip()}")
    return out


def wait_until(what, condition, timeout=20, interval=0.1):
    """Calls condition() until it returns something true, and returns it."""
    timeout *= patience
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise RigError(f"waited {timeout} s in vain: {what}")
        time.sleep(interval)


def tail(path, n_lines=15):
    try:
        with open(path, errors="replace") as f:
            return "".join(f.readlines()[-n_lines:]).rstrip()
    except OSError:
        return ""
