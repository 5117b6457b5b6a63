"""What is left of a budget after a crash, a dump, a clone. The argument says which."""
import contextlib
import os
import signal
import sys
import time
from contextlib import closing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import psycopg2  # noqa: E402
from dptest import Book, Tap, Thread, check, connect, one, refused, run, wait_until  # noqa: E402

tap = Tap()

SETUP = """
CREATE EXTENSION dpsyn;
CREATE ROLE ann LOGIN;
CREATE ROLE bob LOGIN;
CREATE ROLE boss LOGIN;
CREATE SCHEMA private;
CREATE TABLE private."People" (sex text NOT NULL CHECK (sex IN ('f', 'm')), age integer,
							   place text, code text);
INSERT INTO private."People" SELECT CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END, i % 90, 'here'
  FROM generate_series(1, 1000) i;
CREATE VIEW private.slow AS SELECT sex FROM private."People" WHERE age < 40 AND
 pg_sleep(0.01)::text = '';
ALTER SCHEMA private OWNER TO boss;
ALTER TABLE private."People" OWNER TO boss;
ALTER VIEW private.slow OWNER TO boss;
GRANT USAGE ON SCHEMA private TO ann, bob;
SELECT dp_protect('private."People"', 1000, 0.01);
SELECT dp_define_column('private."People"', 'age', bins => '{0,30,60,90}', other => '-1');
SELECT dp_define_column('private."People"', 'place', open => true);
CREATE TABLE private.letters AS SELECT chr(i) AS letter FROM generate_series(97, 122) i;
SELECT dp_define_column('private."People"', 'code', open => true, domain => '{"product": [{"table": "private.letters", "column": "letter"}, {"from": 1, "to": 99}], "separator": "-"}');
SELECT dp_grant('private."People"', 'ann', 100, 0.001), dp_grant('private."People"', 'bob', 5);
SELECT dp_protect('private.slow', 1000, sensitivity => 1), dp_grant('private.slow', 'ann', 100);
SELECT dp_define_column('private.slow', 'sex', categories => '{f,m}');
SELECT dp_define_hierarchy('private.slow', 'sex', '{{f,all},{m,all}}');
SELECT dp_declare_public('private.letters');
-- as any role may
ALTER ROLE ann SET synchronous_commit = off;
"""
RELEASE = """SELECT dp_release('private."People"', 'sba', 1, 0,
			 '{"dense_cells": 1000, "columns": ["sex", "age"]}')"""
OPEN = """SELECT dp_release('private."People"', 'sbhg', 2, 1e-4, '{"parents": 1}')"""
SLOW = """SELECT dp_release('private.slow', 'sba', 1, 0, '{"dense_cells": 1000}')"""


def setup():
    with closing(connect()) as boss:
        run(boss, SETUP)


def again():
    """A connection, once the server has restarted its processes."""
    def up():
        try:
            with closing(connect()) as boss:
                return one(boss, "SELECT true")
        except psycopg2.OperationalError:
            return False
    wait_until(up, "the server again")
    return connect()


def killed(name, victim):
    """kill -9 while a release reads: all processes of the server restart."""
    try:
        with closing(connect()) as boss, closing(connect("ann")) as ann:
            book = Book(boss)
            line = book.last()
            pid = ann.get_backend_pid()
            call = Thread(run, ann, SLOW)
            wait_until(lambda: book.lines(line), "the debit")
            if victim == "worker":
                pid = one(boss, "SELECT pid FROM pg_stat_activity"
                          " WHERE backend_type = 'dpsyn release worker'")
            os.kill(pid, signal.SIGKILL)
            try:
                call.finish()
                raise AssertionError("an answer")
            except psycopg2.OperationalError:
                pass
        time.sleep(0.2)
        with closing(again()) as boss, closing(connect("ann")) as ann:
            book = Book(boss)
            check([entry[2] for entry in book.lines(line)] == ["debited"], book.lines(line))
            check(one(boss, "SELECT max(id) FROM dp_catalog.dp_release_store WHERE id > %s", line) is None,
                  "a release")
            check(one(ann, RELEASE) > line, "no further release")
            check(book.orphans() == [], "a lock of a process that is gone")
    except Exception as error:
        tap.ok(False, name, repr(error))
    else:
        tap.ok(True, name)


def kills():
    setup()
    killed("kill -9 of the backend: the debit stands (naive: rolled back)", "backend")
    killed("kill -9 of the release worker: the debit stands, no answer (naive: an answer for free)",
           "worker")


def stopping():
    """A fast shutdown, while a release reads."""
    with open(os.environ["SERVER_DATA"] + "/postmaster.pid", encoding="ascii") as file:
        postmaster = int(file.readline())
    with closing(connect()) as boss, closing(connect("ann")) as ann:
        book = Book(boss)
        line = book.last()
        call = Thread(run, ann, SLOW)
        wait_until(lambda: book.lines(line), "the debit")
        os.kill(postmaster, signal.SIGINT)
        with contextlib.suppress(psycopg2.Error):
            call.finish()


def stopped():
    with closing(connect()) as boss:
        book = Book(boss)
        last = book.lines()[-1]
        tap.ok(last[2] == "failed" and book.orphans() == [],
               "the server stops while a release reads: the debit stands, and the ledger says failed",
               last)


STATE = {
    "budgets": """SELECT relation::text, role::text, epsilon, delta, epsilon_spent, delta_spent,
				  active FROM dp_budgets ORDER BY 1, 2""",
    "datasets": """SELECT relation::text, custodian::text, neighbours, epsilon, delta,
				   epsilon_spent, delta_spent, active FROM dp_datasets ORDER BY 1""",
    "ledger": """SELECT id, at, relation, role::text, payer::text, method, options, epsilon, delta,
				 status, duration FROM dp_ledger ORDER BY id""",
    "releases": """SELECT release, relation_name, public_relations, role::text, method, options, epsilon, rows, sets,
				   released_at, model_bytes FROM dp_releases ORDER BY 1""",
    "domains": """SELECT relation::text, column_name, type::text, kind, labels, other, domain::text
				  FROM dp_columns ORDER BY 1, 2""",
    "hierarchies": """SELECT relation::text, column_name, hierarchy
					  FROM dp_columns WHERE hierarchy IS NOT NULL ORDER BY 1, 2""",
    "public tables": """SELECT relation::text, custodian::text, declared_by, declared_at
						 FROM dp_public_relations ORDER BY 1""",
}


def state(connection):
    run(connection, "SET search_path = public")
    return {name: run(connection, query) for name, query in STATE.items()}


def draw(connection, release):
    return run(connection, 'SELECT * FROM dp_sample(NULL::private."People", %s, 500, 42)', release)


def original():
    """What there is to be copied."""
    with closing(connect("ann")) as ann, closing(connect("bob")) as bob:
        one(ann, RELEASE)
        one(ann, OPEN)
        one(bob, RELEASE)


def copied(how, database):
    """The copy has all that the original has, and spends nothing until it is reconciled."""
    with closing(connect(dbname="postgres", host=os.environ["ORIGINAL"])) as source, \
            closing(connect(dbname=database)) as copy, closing(connect("ann", database)) as ann, \
            closing(connect("boss", database)) as boss:
        wanted, got = state(source), state(copy)
        for name in STATE:
            tap.equal(got[name], wanted[name], "%s: the %s arrive" % (how, name))
        release = one(copy, "SELECT max(id) FROM dp_catalog.dp_release_store WHERE options = '{\"parents\": 1}'")
        tap.equal(draw(ann, release), draw(source, release),
                  "%s: a release and a seed give the same rows" % how)
        line = Book(copy).last()
        try:
            with refused("55000") as caught:
                one(ann, RELEASE)
            tap.ok("another cluster or database" in str(caught[0]) and Book(copy).last() == line,
                   "%s: it refuses to spend (naive: the budget forks)" % how, caught[0])
            with refused("42501"):
                run(ann, """SELECT dp_reconcile('private."People"', 0)""")
            run(boss, """SELECT dp_unprotect('private."People"');
				SELECT dp_protect('private."People"', 1000, 0.01)""")
            with refused("55000"):
                one(ann, RELEASE)
            tap.ok(True, "%s: protecting again does not lift that" % how)
            run(boss, """SELECT dp_reconcile('private."People"', 0)""")
            spent = dict((row[0], row[5]) for row in wanted["datasets"])['private."People"']
            new = one(ann, RELEASE)
            tap.ok(new > line and dict((row[0], row[5]) for row in state(copy)["datasets"])
                   ['private."People"'] == spent + 1,
                   "%s: reconciled, it goes on from what was spent" % how)
        except Exception as error:
            tap.ok(False, "%s: the fence" % how, repr(error))


def made_again(database):
    """A database that its owner dropped and made again under its number from a copy."""
    with closing(connect("ann", database)) as ann, closing(connect(dbname=database)) as boss:
        line = Book(boss).last()
        try:
            with refused("55000"):
                one(ann, RELEASE)
            tap.ok(Book(boss).last() == line,
                   "a database made again under its OID refuses to spend (naive: the ledger rewinds)")
        except Exception as error:
            tap.ok(False, "a database made again under its OID refuses to spend", repr(error))


def dropped():
    with closing(connect(dbname="dropped")) as boss, closing(connect("ann", "dropped")) as ann:
        with refused("42501"):
            run(ann, "DROP EXTENSION dpsyn")
        run(boss, "DROP EXTENSION dpsyn; CREATE EXTENSION dpsyn")
        with refused("55000", "42501"):
            one(ann, RELEASE)
        tap.ok(one(boss, "SELECT count(*) FROM dp_ledger") == 0
               and one(boss, """SELECT count(*) FROM private."People" """) == 1000,
               "DROP EXTENSION takes the ledger, not the table, and a new one protects nothing")


if sys.argv[1] in ("setup", "original", "stopping"):
    globals()[sys.argv[1]]()
else:
    globals()[sys.argv[1]](*sys.argv[2:])
    tap.done()
