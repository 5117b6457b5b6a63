"""What the Python suites share: TAP, connections, and the ledger before and after.

PGHOST and the like come from script/lib.sh, so that every connection goes to a
throwaway server.
"""
import contextlib
import os
import sys
import threading
import time
import traceback

import psycopg2
import psycopg2.errors
import psycopg2.extensions

RELEASE_WORKER = "dpsyn release worker"


class Tap:
    """Prints one line a test; done() prints the plan."""

    def __init__(self):
        self.tests = 0
        self.failures = 0

    def ok(self, holds, name, *notes):
        self.tests += 1
        self.failures += not holds
        print("%sok %d - %s" % ("" if holds else "not ", self.tests, name.replace("#", "")))
        if not holds:
            for note in notes:
                for line in str(note).splitlines():
                    print("# " + line)
        sys.stdout.flush()
        return holds

    def equal(self, got, wanted, name):
        return self.ok(got == wanted, name, "got    %r" % (got,), "wanted %r" % (wanted,))

    def attempt(self, name, test, *values):
        """The test fails by an exception. What it returns is told with its name."""
        try:
            said = test(*values)
        except Exception:
            self.ok(False, name, traceback.format_exc())
        else:
            self.ok(True, name + (": %s" % said if said else ""))

    def skip(self, name, why):
        self.tests += 1
        print("ok %d - %s # SKIP %s" % (self.tests, name, why))

    def done(self):
        print("1..%d" % self.tests)
        sys.exit(1 if self.failures else 0)


def connect(user="postgres", dbname=None, autocommit=True, **more):
    connection = psycopg2.connect(user=user, dbname=dbname or os.environ["PGDATABASE"], **more)
    connection.autocommit = autocommit
    return connection


@contextlib.contextmanager
def session(user="postgres", **more):
    """A connection for a block. A block that fails cancels what runs: closing would wait for it."""
    connection = connect(user, **more)
    try:
        yield connection
    except BaseException:
        connection.cancel()
        raise
    finally:
        connection.close()


def run(connection, statement, *values):
    """Runs a statement; returns its rows, if it has any."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values or None)
        return cursor.fetchall() if cursor.description else None


def one(connection, statement, *values):
    return run(connection, statement, *values)[0][0]


def check(holds, what):
    if not holds:
        raise AssertionError(what)


@contextlib.contextmanager
def refused(*sqlstates):
    """The block must fail with one of these codes; yields a list that gets the error."""
    caught = []
    try:
        yield caught
    except psycopg2.Error as error:
        caught.append(error)
        check(error.pgcode in sqlstates,
              "failed with %s, not %s: %s" % (error.pgcode, " or ".join(map(str, sqlstates)), error))
        return
    raise AssertionError("was not refused; expected %s" % " or ".join(map(str, sqlstates)))


def wait_until(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("never saw: " + what)
        time.sleep(0.01)


class Thread(threading.Thread):
    """A thread whose result or exception join() hands over."""

    def __init__(self, function, *values):
        super().__init__(daemon=True)
        self.function, self.values = function, values
        self.result = self.error = None
        self.start()

    def run(self):
        try:
            self.result = self.function(*self.values)
        except Exception as error:  # handed over
            self.error = error

    def finish(self, seconds=60):
        self.join(seconds)
        check(not self.is_alive(), "a session hangs")
        if self.error is not None:
            raise self.error
        return self.result


def commit_waits(boss):
    """Whether a commit waits for the standby. It does so only once the checkpointer has read the
    setting, some time after other sessions have."""
    with session() as other:
        commit = Thread(run, other, "SELECT pg_logical_emit_message(true, 'dpsyn', '')")
        pid = other.get_backend_pid()

        def waits():
            return one(boss, "SELECT wait_event = 'SyncRep' FROM pg_stat_activity WHERE pid = %s", pid)

        wait_until(lambda: not commit.is_alive() or waits(), "a commit")
        waited = commit.is_alive()
        run(boss, "SELECT pg_cancel_backend(%s)", pid)
        commit.finish()
        return waited


@contextlib.contextmanager
def nobody_confirms():
    """Every commit waits for a standby that is not there."""
    with session() as boss:
        run(boss, "SET synchronous_commit = local")
        run(boss, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        run(boss, "SELECT pg_reload_conf()")
        wait_until(lambda: commit_waits(boss), "a commit that waits for a standby")
        try:
            yield boss
        finally:
            run(boss, "ALTER SYSTEM RESET synchronous_standby_names")
            run(boss, "SELECT pg_reload_conf()")


def worker_that_waits(boss):
    """The pid of the release worker that waits for a standby, or None."""
    found = run(boss, "SELECT pid FROM pg_stat_activity WHERE backend_type = %s"
                " AND wait_event = 'SyncRep'", RELEASE_WORKER)
    return found[0][0] if found else None


class Book:
    """The ledger, as a superuser reads it."""

    def __init__(self, connection):
        self.connection = connection

    def workers(self):
        return one(self.connection, "SELECT count(*) FROM pg_stat_activity WHERE backend_type = %s",
                   RELEASE_WORKER)

    def settle(self):
        wait_until(lambda: self.workers() == 0, "the end of all release workers")

    def orphans(self):
        """Locks of processes that are gone: nothing but a restart would remove them."""
        return run(self.connection, "SELECT pid, locktype, relation::regclass::text, mode"
                   " FROM pg_locks WHERE pid NOT IN (SELECT pid FROM pg_stat_activity)")

    def debits(self):
        return one(self.connection, "SELECT count(*) FROM dp_catalog.dp_ledger_entry WHERE kind = 'debit'")

    def lines(self, after=0):
        """(id, role, status, epsilon) of the debits after a line."""
        return run(self.connection, "SELECT d.id, d.role_name, coalesce(o.kind, 'debited'),"
                   " d.epsilon_nano FROM dp_catalog.dp_ledger_entry d LEFT JOIN dp_catalog.dp_ledger_entry o"
                   " ON o.debit = d.id AND o.kind <> 'refund'"
                   " WHERE d.kind = 'debit' AND d.id > %s ORDER BY d.id", after)

    def refunded(self, after=0):
        """What refunds after a line gave back."""
        return one(self.connection, "SELECT coalesce(sum(epsilon_nano), 0) FROM dp_catalog.dp_ledger_entry"
                   " WHERE kind = 'refund' AND id > %s", after)

    def last(self):
        return one(self.connection, "SELECT coalesce(max(id), 0) FROM dp_catalog.dp_ledger_entry")

    def spent(self):
        return one(self.connection, "SELECT sum(spent_epsilon_nano) FROM dp_catalog.dp_dataset")


class Attacks:
    """Functions that attack; each is one test.

    paid: debits that the attack must leave behind (None: any number). released:
    how many of these came to a stored release that can be drawn from again.
    """

    def __init__(self):
        self.all = []

    def __call__(self, naive, paid=1, released=None):
        def register(function):
            self.all.append((function, naive, paid, paid if released is None else released))
            return function
        return register

    def run(self, tap, boss):
        book = Book(boss)
        only = os.environ.get("ATTACKS", "").split()
        for function, naive, paid, released in self.all:
            if only and function.__name__ not in only:
                continue
            title = "%s (naive: %s)" % (function.__name__.replace("_", " "), naive)
            try:
                self.judge(book, boss, function, paid, released)
            except Exception:
                tap.ok(False, title, traceback.format_exc())
            else:
                tap.ok(True, title)

    def judge(self, book, boss, function, paid, released):
        line, spent = book.last(), book.spent()
        function()
        book.settle()
        # a process that ends between the two looks of one query is not yet an orphan
        wait_until(lambda: not book.orphans(), "no lock of a process that is gone", 5)
        lines = book.lines(line)
        check(book.spent() - spent == sum(entry[3] for entry in lines) - book.refunded(line),
              "spent totals and ledger lines disagree: %r" % lines)
        stored = run(boss, "SELECT id, relation_name, role_name FROM dp_catalog.dp_release_store"
                     " JOIN dp_catalog.dp_ledger_entry USING (id, relation_name, role_name) WHERE id > %s", line)
        answered = [entry[0] for entry in lines if entry[2] == "released"]
        check(sorted(answered) == sorted(entry[0] for entry in stored),
              "a release without its debit: %r, %r" % (lines, stored))
        if paid is not None:
            check(len(lines) == paid, "wanted %d debits: %r" % (paid, lines))
            check(len(stored) == released, "wanted %d stored releases: %r" % (released, lines))
        for release, relation, role in stored:
            with contextlib.closing(connect(role)) as again:
                run(again, "SET search_path = public")
                if one(again, "SELECT method FROM dp_releases WHERE release = %s", release) == "query":
                    check(run(again, "SELECT FROM dp_query(%s)", release) != [],
                          "release %d cannot be read again" % release)
                    continue
                drawn = one(again, "SELECT count(*) FROM dp_sample(NULL::%s, %%s, 7)" % relation,
                            release)
                check(drawn == 7, "release %d cannot be drawn from again" % release)
