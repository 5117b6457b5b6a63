"""Builds the library with the spy, in a copy of the sources; with planted faults if asked for.

What is compiled already comes with the copy, so that little is compiled anew: the spy, and what
faults are planted in.
"""
import glob
import os
import shutil
import subprocess
import sys

import faults
import wrapped

ROOT = os.environ["DPSYN_ROOT"]
HERE = os.path.join(ROOT, "test", "sensitivity")


def copy(tree):
    os.mkdir(tree)
    for name in os.listdir(ROOT):
        if name in ("Makefile", "dpsyn.control") or name.startswith("dpsyn--"):
            shutil.copy2(os.path.join(ROOT, name), tree)
    shutil.copytree(os.path.join(ROOT, "src"), os.path.join(tree, "src"), ignore=shutil.ignore_patterns("*.bc"))
    # where the Makefile looks for sources
    spy = os.path.join(tree, "src", "spy", "spy")
    shutil.copytree(os.path.join(HERE, "spy"), spy)
    for header in glob.glob(os.path.join(spy, "*.h")):  # each object is older than no header
        os.utime(header, (0, 0))


def make(tree):
    wraps = " ".join("-Wl,--wrap=" + name for name in sorted(wrapped.wrapped_names()))
    command = ["make", "-s", "-C", tree, "--no-print-directory", "-j%d" % (os.cpu_count() or 1),
               "PG_CONFIG=" + os.environ["PG_CONFIG"], "PG_LDFLAGS=" + wraps, "COPT=-fno-lto", "dpsyn.so"]
    if os.environ.get("CC"):
        command.append("CC=" + os.environ["CC"])
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                          check=False)
    if done.returncode:
        sys.exit("the copy with the spy was not built:\n" + done.stdout)


def main():
    """build.py DIRECTORY [faults]"""
    tree = sys.argv[1]
    copy(tree)
    if "faults" in sys.argv[2:]:
        faults.plant(tree)
    make(tree)
    for path in tree, os.path.join(tree, "dpsyn.so"):  # the server's user reads it
        os.chmod(path, 0o755)


if __name__ == "__main__":
    main()
