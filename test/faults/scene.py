"""What is protected, how a release is held up at a step, and what must hold after a fault."""
import contextlib
import os
import signal
import subprocess
import sys
from contextlib import closing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import psycopg2  # noqa: E402
from dptest import Book, Thread, check, connect, one, run, wait_until  # noqa: E402

# Where a release can be held up, in the order in which it passes (src/pg/worker/worker.c).
BEFORE = ("planning", "before the debit", "debit written")
PAID = ("debit committed", "debit known", "counting", "counted", "measured", "release written")
STORED = ("release committed", "release known", "answered")
POINTS = BEFORE + PAID + STORED
# Where it is the caller that stands. After the second it reads what was stored.
CALLER = ("answered", "outcome")
# Where the worker takes no interrupt until it goes on.
HELD = ("debit committed", "release committed")

NOTHING, STAYS = "Nothing was spent.", "The budget stays spent."

BOUNDS = "{%s}" % ",".join(str(bound) for bound in range(101))
SETUP = """
CREATE EXTENSION dpsyn;
CREATE ROLE ann LOGIN;
CREATE TABLE people (sex text NOT NULL CHECK (sex IN ('f', 'm')), smoker boolean NOT NULL);
INSERT INTO people SELECT CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i % 3 = 0
  FROM generate_series(1, 1000) i;
CREATE TABLE visits (person integer, a integer NOT NULL, b integer NOT NULL, c integer NOT NULL);
INSERT INTO visits SELECT i % 15000, i % 100, i / 7 % 100, i / 31 % 100
  FROM generate_series(1, 30000) i;
SELECT dp_protect('people', 1000000), dp_grant('people', 'ann', 900000);
SELECT dp_protect('visits', 1000000, unit_column => 'person'), dp_grant('visits', 'ann', 900000);
"""
SMALL = "SELECT dp_release('people', 'sba', 1, 0, '{\"dense_cells\": 100}')"
# A million cells: some MB to count, and some to store.
LARGE = """SELECT dp_release('visits', 'sba', 1, 0,
			 '{"dense_cells": 2000000, "columns": ["a", "b", "c"]}')"""


def library(boss):
    """From now on every new session runs the copy. A worker finds it by dynamic_library_path."""
    run(boss, "UPDATE pg_proc SET probin = %s WHERE probin = '$libdir/dpsyn'",
        os.environ["FAULT_LIBRARY"])


def setup():
    with closing(connect()) as boss:
        run(boss, SETUP)
        for column in "abc":
            run(boss, "SELECT dp_define_column('visits', %s, bins => %s)", column, BOUNDS)
        library(boss)


# ---- stop points ---------------------------------------------------------------------


def path(name):
    return os.path.join(os.environ["DPSYN_STOP_DIRECTORY"], name)


def stopped():
    """The process that is held up; None if none is yet."""
    try:
        with open(path("stopped"), encoding="ascii") as file:
            words = file.read()
    except FileNotFoundError:
        return None
    return int(words) if words.endswith("\n") else None


def go_on():
    with contextlib.suppress(FileNotFoundError):
        os.remove(path("stop"))


def stop_at(point):
    with open(path("stop"), "w", encoding="ascii") as file:
        file.write(point)
    os.chmod(path("stop"), 0o644)


def call_goes_on_to(point, call):
    """What is held up goes on to another point, or ends before it gets there."""
    os.remove(path("stopped"))
    stop_at(point)
    wait_until(lambda: stopped() or not call.is_alive(), "a release at \"%s\", or its end" % point)


@contextlib.contextmanager
def held_up(point, caller, statement=SMALL):
    """A release that is held up at a point: yields (its thread, the process that stands there)."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(path("stopped"))
    stop_at(point)
    call = Thread(run, caller, statement)
    try:
        wait_until(lambda: stopped() or not call.is_alive(), "a release at \"%s\"" % point)
        check(stopped(), "the release was not held up at \"%s\": %r" % (point, call.error))
        yield call, stopped()
    finally:
        go_on()


# ---- servers -------------------------------------------------------------------------


def again(**more):
    """A connection, once the server has restarted its processes."""
    found = []

    def up():
        try:
            found.append(connect(**more))
        except psycopg2.OperationalError:
            return False
        return True
    wait_until(up, "the server again")
    return found[0]


def server(*command, stops=True):
    """A function of script/lib.sh. A server that it starts may have no stops."""
    environment = {name: value for name, value in os.environ.items()
                   if stops or name != "DPSYN_STOP_DIRECTORY"}
    subprocess.run(["bash", "-c", 'source "$DPSYN_ROOT/script/lib.sh"; "$@"', "bash", *command],
                   check=True, stdin=subprocess.DEVNULL, env=environment)


def postmaster():
    with open(os.environ["SERVER_DATA"] + "/postmaster.pid", encoding="ascii") as file:
        return int(file.readline())


def is_running(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            return ") Z " not in file.read()
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill_server():
    """The power goes, and comes back."""
    server("server_kill", os.environ["SERVER_DIR"])
    start_server()


def start_server():
    server("server_start", os.environ["SERVER_DIR"])


def kill_postmaster(worker):
    """The postmaster alone: what it has started goes on, and ends when it waits next."""
    os.kill(postmaster(), signal.SIGKILL)
    go_on()
    wait_until(lambda: not is_running(worker), "the end of the worker")
    kill_server()


# ---- what must hold ------------------------------------------------------------------


class Watch:
    """The ledger from one moment on."""

    def __init__(self, boss):
        self.book = Book(boss)
        self.line, self.spent = self.book.last(), self.book.spent()

    def debits(self):
        return self.book.lines(self.line)

    def stored(self):
        return sorted(row[0] for row in run(
            self.book.connection, "SELECT id FROM dp_catalog.dp_release_store WHERE id > %s", self.line))

    def sound(self, boss):
        """After a fault, in a session that may be a new one: nothing is paid twice, nothing that
        is out is unpaid, and nothing that a release holds is left. Returns the debits."""
        self.book = Book(boss)
        self.book.settle()
        wait_until(lambda: not self.book.orphans(), "no lock of a process that is gone", 5)
        debits, stored = self.debits(), self.stored()
        check(self.book.spent() - self.spent == sum(debit[3] for debit in debits),
              "the total and the ledger's lines disagree: %r" % (debits,))
        check(stored == [debit[0] for debit in debits if debit[2] == "released"],
              "stored releases and debits disagree: %r, %r" % (stored, debits))
        check(run(boss, "SELECT * FROM dp_running") == [], "dp_running lists a release that is gone")
        check(one(boss, "SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation"
                  " WHERE c.relname IN ('people', 'visits')") == 0, "a lock of the relation is left")
        return debits

    def goes_on(self, boss):
        """As sound(), and the next release is made. Returns the debits before that."""
        debits = self.sound(boss)
        with closing(connect("ann")) as ann:
            release = one(ann, SMALL)
        check(release in self.stored() and len(self.debits()) == len(debits) + 1,
              "the next release: %r" % self.debits())
        return debits


LOST = (None, "57P01", "57P02")  # codes of a connection that ends without or with a word


def is_lost(connection):
    try:
        run(connection, "SELECT")
    except psycopg2.Error:
        return True
    return False


def answer(call):
    """(what the release answered, the error that came instead)."""
    try:
        return call.finish()[0][0], None
    except psycopg2.Error as error:
        return None, error


def message(error):
    """All that a caller is told."""
    diag = getattr(error, "diag", None)
    return " / ".join(filter(None, (diag.message_primary, diag.message_detail, diag.message_hint))) \
        if diag and diag.message_primary else str(error)


if __name__ == "__main__":
    setup()
