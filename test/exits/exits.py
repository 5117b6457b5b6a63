"""Cuts each public function short at random points, and looks at what is left of the session."""
import collections
import os
import random
import re
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import psycopg2  # noqa: E402
import psycopg2.errors  # noqa: E402
from psycopg2 import extensions  # noqa: E402

import calls  # noqa: E402
from injection import CANCEL, COUNT, STARVE, injection  # noqa: E402
from dptest import Tap, connect, one, run, wait_until  # noqa: E402

tap = Tap()
SEED = int(os.environ.get("SEED") or random.SystemRandom().randrange(10**9))
POINTS = int(os.environ.get("EXITS_POINTS") or 0)
SECONDS = float(os.environ.get("EXITS_SECONDS") or 45)
ONLY = os.environ.get("EXITS_ONLY") or ""
WARM = 0.8
PLANTED = 2000  # points, at most, that find a planted fault
SAMPLE = "dp_sample(anyelement,bigint,bigint,bigint,integer,jsonb,integer,integer)"
POINTS_MOST = 60  # of a function that no point has cut short
LEAST = 6  # points of each function, however long that takes
chance = random.Random(SEED)

# What a session of the test has set for itself, all of it unusual.
SETTINGS = {
    "search_path": "own, lab, public", "DateStyle": "SQL, DMY", "IntervalStyle": "iso_8601",
    "extra_float_digits": "0", "bytea_output": "escape", "TimeZone": "Asia/Tokyo",
    "xmloption": "document", "array_nulls": "off", "lock_timeout": "77s",
    "max_parallel_workers_per_gather": "1", "client_min_messages": "error",
}
CANCELLED, NO_MEMORY = "57014", "53200"

# ---- sessions --------------------------------------------------------------------------

class Session:
    def __init__(self, user):
        self.user = user
        self.connection = connect(user)
        self.pid = self.connection.get_backend_pid()
        for name, value in SETTINGS.items():
            run(self.connection, "SELECT set_config(%s, %s, false)", name, value)
        self.own = self.settings()
        if chance.random() < WARM:  # the first call of a session loads libraries
            run(self.connection, "SELECT own.caught('SELECT dp_cancel(0)')")

    def settings(self):
        names = ", ".join("current_setting('%s')" % name for name in [*SETTINGS, "role"])
        return run(self.connection, "SELECT session_user, current_user, " + names)[0]

    def close(self):
        self.connection.close()


class Sessions:
    """One session of each role, for as long as it is sound; now and then a new one."""

    def __init__(self):
        self.kept = {}

    def get(self, user):
        if user in self.kept and chance.random() < 0.02:
            self.drop(user)
        if user not in self.kept:
            self.kept[user] = Session(user)
        return self.kept[user]

    def drop(self, user):
        self.kept.pop(user).close()


# ---- ways to run a statement -----------------------------------------------------------
# Each returns the code with which the statement ended, or raises the error.

def plain(session, statement, cut):
    with cut:
        run(session.connection, statement)


def caught(session, statement, cut):
    """PL/pgSQL takes the error."""
    with cut:
        return one(session.connection, "SELECT own.caught(%s)", statement)


def take_back(connection, statement):
    """A rollback. The session's own limit may end it, too, and is in force until it has ended."""
    while True:
        try:
            return run(connection, statement)
        except psycopg2.errors.QueryCanceled:
            if connection.closed:
                raise


def savepoint(session, statement, cut):
    """Rows of the same transaction before and after must stay."""
    number = chance.randrange(2**60)
    run(session.connection, "BEGIN; INSERT INTO own.mark VALUES (%s); SAVEPOINT here" % number)
    try:
        with cut:
            run(session.connection, statement)
    finally:
        if not session.connection.closed:
            take_back(session.connection, "ROLLBACK TO here")
            run(session.connection, "INSERT INTO own.mark VALUES (%s); COMMIT" % (number + 1))
            cut.expected.update([number, number + 1])


def cursor(session, statement, cut):
    run(session.connection, "BEGIN")
    try:
        with cut:
            run(session.connection, "DECLARE c CURSOR FOR %s" % statement)
            run(session.connection, "FETCH 1 FROM c")
            run(session.connection, "FETCH ALL FROM c")
    finally:
        if not session.connection.closed:
            take_back(session.connection, "ROLLBACK")


WAYS = (plain, plain, caught, savepoint, cursor)


# ---- what cuts short -------------------------------------------------------------------

class Injected:
    """The n-th request for memory gets none, or comes with a cancel."""

    def __init__(self, session, act, at, times=0):
        self.expected = set()  # rows that must be there afterwards
        self.arguments = (session.pid, act, at, times)

    def __enter__(self):
        injection.arm(*self.arguments)

    def __exit__(self, *error):
        injection.disarm()


class Timer:
    """Another session cancels this one, some time from now."""

    def __init__(self, session, observer, seconds):
        self.expected = set()
        self.observer, self.pid = observer, session.pid
        self.thread = threading.Timer(seconds, self.cancel)

    def cancel(self):
        run(self.observer, "SELECT pg_cancel_backend(%s)", self.pid)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *error):
        self.thread.cancel()
        self.thread.join()


class Timeout:
    """The session's own limit ends its statement."""

    def __init__(self, session, limit):
        self.expected = set()
        self.connection, self.limit = session.connection, limit

    def __enter__(self):
        run(self.connection, "SET statement_timeout = %d" % self.limit)

    def __exit__(self, *error):
        """In a transaction that has failed, the rollback sets it back. The limit may end what takes it
        back, too."""
        while not self.connection.closed and \
                self.connection.get_transaction_status() != extensions.TRANSACTION_STATUS_INERROR:
            try:
                run(self.connection, "SET statement_timeout = 0")
                return
            except psycopg2.errors.QueryCanceled:
                pass


def choose(session, size, seconds, observer):
    """Its kind, and what cuts the next statement short. size and seconds: what it takes uncut."""
    kind = chance.choice(("cancel", "cancel", "memory", "memory", "timer", "timeout"))
    at = chance.randint(1, max(size, 1))
    if kind == "cancel":
        return kind, Injected(session, CANCEL, at)
    if kind == "memory":
        return kind, Injected(session, STARVE, at, 1)
    if kind == "timer":
        return kind, Timer(session, observer, chance.random() * seconds)
    return kind, Timeout(session, chance.randint(1, 1 + int(seconds * 1000)))


# ---- one point -------------------------------------------------------------------------

class Tally:
    def __init__(self):
        self.codes = collections.Counter()
        self.faults = []
        self.cancels = self.starved = 0

    def points(self):
        return self.cancels + self.starved

    def short(self):
        return sum(n for code, n in self.codes.items() if code != "done")

    def add(self, other):
        self.codes += other.codes
        self.faults += other.faults
        self.cancels += other.cancels
        self.starved += other.starved


def look(session, observer, expected):
    """What is wrong with the session, as a list of words."""
    status = session.connection.get_transaction_status()
    if status != extensions.TRANSACTION_STATUS_IDLE:
        return ["broken session: its transaction status is %d" % status]
    faults = []
    number = chance.randrange(2**60)
    run(session.connection, "INSERT INTO own.mark VALUES (%s)", number)
    expected.add(number)
    own = session.settings()
    if own != session.own:
        faults.append("settings: %r, not %r" % (own, session.own))
    there = {row[0] for row in run(
        observer, "DELETE FROM own.mark WHERE number = ANY (%s) RETURNING number", list(expected))}
    if there != expected:
        faults.append("lost writes: %d of %d" % (len(expected - there), len(expected)))
    locks, state, began = run(
        observer, "SELECT (SELECT count(*) FROM pg_locks WHERE pid = a.pid), state, xact_start"
        " FROM pg_stat_activity a WHERE pid = %s", session.pid)[0]
    if locks:
        faults.append("left locks: %d" % locks)
    if state != "idle" or began is not None:
        faults.append("broken session: it is %s since %s" % (state, began))
    return faults


def attempt(session, call, size, seconds, observer, tally):
    """Cuts a call short once. False: the session is of no use any more."""
    way = chance.choice(WAYS)
    kind, cut = choose(session, size, seconds, observer)
    tally.cancels += kind != "memory"
    tally.starved += kind == "memory"
    message = ""
    try:
        code = way(session, call[1], cut) or "done"
    except psycopg2.Error as error:
        code, message = error.pgcode or "lost", str(error)
    tally.codes["done" if code in call[3:] else code] += 1
    if os.environ.get("EXITS_SHOW") and code not in ("done", CANCELLED, NO_MEMORY):
        print("# %s, %s, %s: %s" % (way.__name__, kind, code, message.strip()))
    if session.connection.closed:
        if kind == "memory":
            # PostgreSQL ends a session that has no memory for the beginning of a subtransaction, or
            # for the settings of a library. A crash would be told by the server's log.
            tally.codes["ended"] += 1
        else:
            tally.faults.append("broken session: %s, %s, ended: %s" % (way.__name__, kind, message))
        return False
    try:
        faults = look(session, observer, cut.expected)
    except psycopg2.Error as error:
        faults = ["broken session: %s" % error]
    tally.faults += ["%s, %s, %s: %s" % (way.__name__, kind, code, words) for words in faults]
    return not faults


# ---- one function ----------------------------------------------------------------------

class Cutter:
    """A function that is cut short, and what has come of it."""

    def __init__(self, name, call):
        self.name, self.call = name, call
        self.tally = Tally()
        self.size = self.seconds = None

    def undo(self, connection):
        if self.call[2]:
            try:
                run(connection, self.call[2])
            except psycopg2.Error:
                pass  # nothing was done

    def measure(self, sessions):
        """Uncut, the call must succeed. The second time tells how long it is."""
        session = sessions.get(self.call[0])
        for _ in range(2):
            injection.arm(session.pid, COUNT)
            start = time.monotonic()
            try:
                run(session.connection, self.call[1])
            except psycopg2.Error as error:
                if error.pgcode not in self.call[3:]:
                    raise
            finally:
                self.seconds = time.monotonic() - start
                self.size = injection.disarm().requests
                self.undo(session.connection)

    def point(self, sessions, observer):
        user = self.call[0]
        session = sessions.get(user)
        if not attempt(session, self.call, self.size, self.seconds, observer, self.tally):
            sessions.drop(user)
        elif self.call[2]:
            self.undo(session.connection)

    def report(self):
        tally = self.tally
        codes = ", ".join("%s %d" % item for item in sorted(tally.codes.items()))
        tap.ok(not tally.faults and tally.short() > 0,
               "%s: %d points, %s" % (self.name, tally.points(), codes),
               *tally.faults[:10], "seed %d" % SEED)


def all_calls(boss):
    with boss.cursor() as row:
        row.execute("SELECT * FROM lab.number")
        numbers = dict(zip([column.name for column in row.description], row.fetchone()))
    found = {}
    for name, call in calls.CALLS.items():
        statement = call[1]
        for word, number in numbers.items():
            statement = statement.replace("{%s}" % word, str(number))
        found[name] = (call[0], statement, *call[2:])
    for view in run(boss, "SELECT c.relname FROM pg_class c WHERE c.relkind = 'v' AND c.relnamespace = 'public'::regnamespace"):
        user, statement, undo = calls.VIEWS_BY
        found["view " + view[0]] = (user, statement.replace("{view}", view[0]), undo)
    return found


def check_complete(boss, names):
    functions = [row[0] for row in run(
        boss, "SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid"
        " AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid"
        " AND e.extname = 'dpsyn' WHERE p.pronamespace = 'public'::regnamespace")]
    missing = [function for function in functions
               if not any(name == function or name.startswith(function + " ") or
                          re.split(r"[( ]", name)[0] == function.split("(")[0] and "(" not in name
                          for name in names)]
    tap.equal(missing, [], "each public function has a call: %d functions" % len(functions))


# ---- all of them -----------------------------------------------------------------------

def cut_all(cutters, sessions, observer):
    end = time.monotonic() + SECONDS
    rounds = 0
    while rounds < (POINTS or LEAST) or (not POINTS and time.monotonic() < end):
        for cutter in chance.sample(cutters, len(cutters)):
            cutter.point(sessions, observer)
        rounds += 1
    for cutter in cutters:  # what is over in no time is rarely hit
        while cutter.tally.short() == 0 and cutter.tally.points() < POINTS_MOST:
            cutter.point(sessions, observer)


def plant(boss, path, statement):
    """The library with a fault, which breaks sessions, must be found out. A server with assertions ends
    of itself where a session is broken."""
    if one(boss, "SHOW debug_assertions") == "on":
        tap.skip("a subtransaction that is not rolled back is found", "the server has assertions")
        return
    run(boss, "UPDATE pg_proc SET probin = %s WHERE probin = '$libdir/dpsyn'", path)
    sessions = Sessions()
    cutter = Cutter("a fault", ("ann", statement, ""))
    cutter.measure(sessions)
    while cutter.tally.points() < PLANTED and len(cutter.tally.faults) < 2:
        cutter.point(sessions, boss)
    for user in list(sessions.kept):
        sessions.drop(user)
    run(boss, "UPDATE pg_proc SET probin = '$libdir/dpsyn' WHERE probin = %s", path)
    tap.ok(any("broken session" in words for words in cutter.tally.faults),
           "a subtransaction that is not rolled back is found after %d points" % cutter.tally.points(),
           cutter.tally.codes)


def main():
    print("# seed %d" % SEED)
    boss = connect()
    run(boss, "SET search_path = public")
    found = all_calls(boss)
    check_complete(boss, found)
    cutters = [Cutter(name, call) for name, call in found.items() if re.search(ONLY, name)]
    sessions = Sessions()
    for cutter in list(cutters):
        try:
            cutter.measure(sessions)
        except psycopg2.Error as error:
            tap.ok(False, "%s, uncut" % cutter.name, error)
            cutters.remove(cutter)
    cut_all(cutters, sessions, boss)
    total = Tally()
    for cutter in cutters:
        cutter.report()
        total.add(cutter.tally)
    count = {kind: sum(kind in words for words in total.faults)
             for kind in ("broken session", "lost writes", "left locks", "settings")}
    tap.equal(count, dict.fromkeys(count, 0),
              "%d broken sessions, %d lost writes, %d left locks, %d changed settings in %d cancels and"
              " %d lacks of memory, of which %d cut short" % (*count.values(), total.cancels, total.starved, total.short()))
    if os.environ.get("EXITS_SPARE"):
        print("# %d lacks of memory in %s came later: PostgreSQL's own assertion fails after them"
              % (injection.spared(), os.environ["EXITS_SPARE"]))
    tap.ok(total.short() * 4 > total.points(), "many of the points cut something short", total.codes)
    ended = total.codes["ended"]
    tap.ok(ended * 20 <= total.starved, "few sessions ended for lack of memory: %d" % ended)
    workers = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'dpsyn release worker'"
    wait_until(lambda: one(boss, workers) == 0, "the end of all release workers")
    tap.equal(run(boss, "SELECT pid, locktype FROM pg_locks WHERE pid NOT IN (SELECT pid FROM pg_stat_activity)"), [],
              "no lock of a process that is gone")
    tap.equal(run(boss, "SELECT * FROM dp_running"), [], "no release runs that nobody runs")
    if os.environ.get("EXITS_PLANTED") and not ONLY:
        plant(boss, os.environ["EXITS_PLANTED"], found[SAMPLE][1])
    tap.done()


main()
