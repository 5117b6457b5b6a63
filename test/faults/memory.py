"""A worker that gets no more memory from some step on: `ulimit -v` of that process alone."""
import traceback
from contextlib import closing

import psycopg2

from scene import BEFORE, LARGE, PAID, STORED, Watch, held_up, message, server
from dptest import Tap, check, connect, one

tap = Tap()

# Where much is asked for next: the tables, then the model's bytes, then the row that holds them.
MUST_FAIL = ("planning", "counting", "measured")


def address_space(pid):
    with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmSize:"))


def starve(pid):
    """What the process has it keeps, and it gets 256 kB more."""
    limit = address_space(pid) + 256 * 1024
    server("as_server_user", "prlimit", "--pid=%d" % pid, "--as=%d" % limit)


def starved(point):
    """Returns what became of the release."""
    with closing(connect()) as boss, closing(connect("ann")) as ann:
        watch = Watch(boss)
        release = error = None
        with held_up(point, ann, LARGE) as (call, process):
            starve(process)
        try:
            release = call.finish()[0][0]
        except psycopg2.Error as raised:
            error = raised
        debits = watch.goes_on(boss)
        check(len(debits) <= 1, debits)
        if release is not None:
            check([debit[:1] + debit[2:3] for debit in debits] == [(release, "released")], debits)
            return "released", ""
        said = message(error)
        if point == "answered":  # it was the caller that got no memory
            check(debits and debits[0][2] == "released", debits)
            return "released", said
        check(("The budget stays spent." if debits else "Nothing was spent.") in said, said)
        return (debits[0][2] if debits else "nothing spent"), said


def main():
    seen = {}
    other = connect()
    for point in BEFORE + PAID + STORED:
        name = "no memory from \"%s\" on" % point
        try:
            seen[point], said = starved(point)
        except Exception:
            tap.ok(False, name, traceback.format_exc())
        else:
            tap.ok(True, "%s: %s. %s" % (name, seen[point], said))
    tap.ok(all(seen.get(point) in ("failed", "debited", "nothing spent") for point in MUST_FAIL),
           "memory did run out while planning, counting and storing", seen)
    try:
        tap.equal(one(other, "SELECT 'here'"), "here", "no other session was ended by that")
    except psycopg2.Error as error:
        tap.ok(False, "no other session was ended by that", error)
    tap.done()


main()
