"""Places where a budget must not be spent: a standby, a promoted one, a logical
subscriber, a server without a free worker. The argument says where this runs.
"""
import os
import sys
import time
from contextlib import closing

import scene
from scene import RELEASE, SLOW
from dptest import Book, Tap, Thread, check, connect, one, refused, run, wait_until

tap = Tap()


def prepare():
    """On the primary, before its copy is made."""
    boss = scene.set_up()
    with closing(connect("ann")) as ann:
        one(ann, RELEASE)


def replayed():
    with closing(connect()) as boss:
        wait_until(lambda: one(boss, "SELECT pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn()"
                               " AND EXISTS (SELECT FROM dp_catalog.dp_release_store)"), "the standby caught up")


def test(name, naive):
    def call(function):
        try:
            function()
        except Exception as error:
            tap.ok(False, "%s (naive: %s)" % (name, naive), repr(error))
        else:
            tap.ok(True, "%s (naive: %s)" % (name, naive))
    return call


def standby():
    replayed()

    @test("a standby refuses at once", "a worker that never starts: the caller hangs")
    def _():
        begin = time.monotonic()
        with closing(connect("ann")) as ann:
            with refused("25006") as caught:
                one(ann, RELEASE)
            check("standby" in str(caught[0]), caught[0])
            with refused("25006"):
                run(ann, "SELECT * FROM dp_synthesize_sba(NULL::people, 1, dense_cells => 99)")
        check(time.monotonic() - begin < 5, "took too long")

    @test("a standby draws from stored releases", "-")
    def _():
        with closing(connect("ann")) as ann:
            release = one(ann, "SELECT max(release) FROM dp_releases")
            check(one(ann, "SELECT count(*) FROM dp_sample(NULL::people, %s, 200000)", release)
                  == 200000, "rows are missing")

    @test("a standby explains and shows what is public", "-")
    def _():
        with closing(connect("ann")) as ann:
            check(len(run(ann, "SELECT * FROM dp_explain('people', 'sba', 1, 0,"
                          " '{\"dense_cells\": 99}')")) == 2, "no plan")
            for view in ("dp_datasets", "dp_columns", "dp_budgets", "dp_ledger", "dp_releases",
                         "dp_methods"):
                check(run(ann, "TABLE " + view), "%s is empty" % view)

    @test("a standby is not reconciled or granted on", "-")
    def _():
        with closing(connect("boss")) as boss:
            for call in "dp_reconcile('people', 1)", "dp_grant('people', 'ann', 9)":
                with refused("25006"):
                    run(boss, "SELECT " + call)


def promoted():
    with closing(connect()) as boss:
        wait_until(lambda: not one(boss, "SELECT pg_is_in_recovery()"), "the promotion")

        @test("a promoted standby refuses until it is reconciled",
              "old primary and new one both spend the budget")
        def _():
            book = Book(boss)
            line = book.last()
            with closing(connect("ann")) as ann, closing(connect("boss")) as owner:
                with refused("55000") as caught:
                    one(ann, RELEASE)
                check("another cluster" in str(caught[0]), caught[0])
                check(book.last() == line, "the ledger grew")
                run(owner, "SELECT dp_reconcile('people', 123.5)")
                check(one(ann, RELEASE) > 0, "no answer")
                check(one(owner, "SELECT epsilon_spent FROM dp_datasets"
                          " WHERE relation = 'people'::regclass") == 124, "not what was stated")
                check(one(owner, "SELECT count(*) FROM dp_ledger WHERE status = 'reconciled'") == 1,
                      "the ledger does not say so")


CATALOG = ["dp_catalog." + table for table in (
    "dp_dataset", "dp_dataset_column", "dp_dataset_zero", "dp_dataset_prior",
    "dp_dataset_hierarchy", "dp_allocation",
    "dp_ledger_entry", "dp_release_store", "dp_release_part", "dp_alert")]


def publish():
    """On the primary: the table and all that dpsyn keeps."""
    with closing(connect()) as boss:
        run(boss, "CREATE PUBLICATION everything FOR TABLE people, " + ", ".join(CATALOG))


def subscriber():
    """On a server that has the schema and no rows; PUBLISHER says where the rows are."""
    question = "SELECT (SELECT count(*) FROM people), " + ", ".join(
        "(SELECT count(*) FROM %s)" % table for table in CATALOG)
    with closing(connect(host=os.environ["PUBLISHER"])) as source, closing(connect()) as boss, \
            closing(connect("ann")) as ann, closing(connect("boss")) as owner:
        run(boss, "CREATE SUBSCRIPTION copy CONNECTION 'host=%s port=5432 user=postgres"
            " dbname=postgres' PUBLICATION everything" % os.environ["PUBLISHER"])

        def caught_up():
            return (one(boss, "SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel")
                    and run(boss, question) == run(source, question))

        @test("a logical subscriber receives ledger, grants and releases", "-")
        def _():
            wait_until(caught_up, "the copy of all rows")
            totals = "SELECT relation::text, spent_epsilon_nano FROM dp_catalog.dp_dataset ORDER BY 1"
            check(run(boss, totals) == run(source, totals), "other totals")

        @test("it refuses to spend", "publisher and subscriber both spend the budget")
        def _():
            book = Book(boss)
            line, spent = book.last(), book.spent()
            with refused("55000") as caught:
                one(ann, RELEASE)
            check("another cluster" in str(caught[0]), caught[0])
            check((book.last(), book.spent()) == (line, spent), "it spent")

        @test("what is released at the publisher arrives, and still it refuses",
              "each line that arrives opens it")
        def _():
            with closing(connect("ann", host=os.environ["PUBLISHER"])) as there:
                release = one(there, RELEASE)
            wait_until(caught_up, "the new release")
            with refused("55000"):
                one(ann, RELEASE)
            check(one(ann, "SELECT count(*) FROM dp_sample(NULL::people, %s, 9)", release) == 9,
                  "it cannot be drawn from")

        @test("reconciled by its custodian it spends, from what was spent in all", "-")
        def _():
            run(boss, "ALTER SUBSCRIPTION copy DISABLE")
            # rows arrive without moving the sequences that numbered them
            run(boss, "SELECT setval('dp_catalog.dp_ledger_entry_id_seq', max(id))"
                " FROM dp_catalog.dp_ledger_entry")
            with refused("42501"):
                run(ann, "SELECT dp_reconcile('people', 0)")
            spent = one(owner, "SELECT epsilon_spent FROM dp_datasets"
                        " WHERE relation = 'people'::regclass")
            run(owner, "SELECT dp_reconcile('people', 0)")
            check(one(ann, RELEASE) > 0, "no answer")
            check(float(one(owner, "SELECT epsilon_spent FROM dp_datasets"
                            " WHERE relation = 'people'::regclass")) == float(spent) + 0.5,
                  "not from what was spent")


def slots():
    """max_worker_processes = 1"""
    boss = scene.set_up()
    book = Book(boss)

    @test("all worker slots are taken: an error and no debit", "the caller hangs or pays for nothing")
    def _():
        line = book.last()
        with closing(connect("ann")) as ann, closing(connect("bob")) as bob:
            # longer than a call waits for a slot: each set is measured by itself, and reads the
            # relation anew, since no column needs bins
            options = "1000, \"independent_sets\": true, \"columns\": [\"even\"]}"
            call = Thread(run, ann, SLOW.replace("1000}", options).replace("')", "', 4)"))
            wait_until(lambda: book.lines(line), "the debit")
            with refused("53000") as caught:
                one(bob, RELEASE)
            check("Nothing was spent" in caught[0].diag.message_detail, "no detail")
            call.finish()
            check([entry[1:3] for entry in book.lines(line)] == [("ann", "released")],
                  book.lines(line))
            check(one(bob, RELEASE) > 0, "the slot does not come back")

    @test("drawing rows needs no free slot", "-")
    def _():
        with closing(connect("bob")) as bob:
            release = one(bob, "SELECT max(release) FROM dp_releases")
            run(bob, "SET dpsyn.max_parallel_workers = 4")
            check(one(bob, "SELECT count(*) FROM dp_sample(NULL::people, %s, 6000000)", release)
                  == 6000000, "rows are missing")


globals()[sys.argv[1]]()
if tap.tests:
    tap.done()
