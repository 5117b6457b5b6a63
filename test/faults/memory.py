"""A worker that gets no more memory from some step on: by `ulimit -v` of that process alone, and by
a cgroup, whose limit Linux enforces with kill -9."""
import os
import subprocess
from contextlib import closing, contextmanager

from scene import (LARGE, LOST, NOTHING, POINTS, STAYS, Watch, again, answer, held_up, is_lost,
                   message, server)
from dptest import Tap, check, connect, wait_until

tap = Tap()
became = {}  # of a release that was starved at a point

# Where much is asked for next: the plan, the tables, the model's bytes.
MUST_FAIL = ("planning", "counting", "measured")


# ---- ulimit --------------------------------------------------------------------------


def address_space(pid):
    with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmSize:"))


def starve(pid):
    """What the process has it keeps, and it gets 256 kB more."""
    limit = address_space(pid) + 256 * 1024
    server("as_server_user", "prlimit", "--pid=%d" % pid, "--as=%d" % limit)


def starved(point):
    with closing(connect()) as boss, closing(connect("ann")) as ann:
        watch = Watch(boss)
        with held_up(point, ann, LARGE) as (call, process):
            starve(process)
        release, error = answer(call)
        debits = watch.goes_on(boss)
    check(len(debits) <= 1, debits)
    became[point] = debits[0][2] if debits else "nothing spent"
    if error is None:
        check(debits and debits[0][0] == release and became[point] == "released", debits)
    elif point == "answered":  # there it is the caller that gets no memory
        check("release %d is stored" % debits[0][0] in message(error), message(error))
    else:
        check((STAYS if debits else NOTHING) in message(error), message(error))
        check(became[point] != "released", "%r, but %s" % (debits, message(error)))
    return became[point] + (". " + message(error) if error else "")


# ---- cgroup --------------------------------------------------------------------------


@contextmanager
def cgroup(limit):
    """A directory where a process may be put, and gets so many bytes from then on."""
    for root, files in (("/sys/fs/cgroup/memory", ("memory.limit_in_bytes", "memory.swappiness")),
                        ("/sys/fs/cgroup", ("memory.max", "memory.swap.max"))):
        directory = "%s/dpsyn-faults-%d" % (root, os.getpid())
        try:
            os.mkdir(directory)
        except OSError:
            continue
        try:
            if os.path.exists(os.path.join(directory, files[0])):
                for name, value in zip(files, (limit, 0)):
                    with open(os.path.join(directory, name), "w", encoding="ascii") as file:
                        file.write(str(value))
                check_that_it_takes(directory)
                yield directory
                return
        finally:
            os.rmdir(directory)
    raise OSError("no directory for a limit of memory can be made here")


def put(directory, pid):
    with open(os.path.join(directory, "cgroup.procs"), "w", encoding="ascii") as file:
        file.write(str(pid))


def check_that_it_takes(directory):
    """Some kernels and containers let a directory be made, but no process be put there."""
    with subprocess.Popen(["sleep", "60"]) as process:
        try:
            put(directory, process.pid)
        finally:
            process.kill()


def confined(directory, point):
    """The worker may be killed, which restarts the server, or find that it has enough."""
    with closing(connect()) as boss, closing(connect("ann")) as ann:
        watch = Watch(boss)
        with held_up(point, ann, LARGE) as (call, process):
            put(directory, process)
        release, error = answer(call)
        if error is not None and error.pgcode in LOST:
            wait_until(lambda: is_lost(boss), "that the server ends its sessions")
    with closing(again()) as boss:
        debits = watch.goes_on(boss)
    check(len(debits) <= 1, debits)
    check(release is None or [release] == watch.stored()[:1], "an answer that is not stored")
    return "the worker was killed" if error is not None and error.pgcode in LOST else \
        "it had enough" if error is None else message(error)


def main():
    other = connect()
    for point in POINTS:
        tap.attempt("no memory from \"%s\" on" % point, starved, point)
    tap.ok(all(became.get(point) not in (None, "released") for point in MUST_FAIL),
           "memory did run out while planning, counting and storing", became)
    tap.ok(not is_lost(other), "no other session was ended by that")
    for point in "planning", "counting", "measured":
        name = "2 MB from \"%s\" on, by a cgroup" % point
        try:
            with cgroup(2 << 20) as directory:
                tap.attempt(name, confined, directory, point)
        except OSError as error:
            tap.skip(name, error)
    tap.done()


main()
