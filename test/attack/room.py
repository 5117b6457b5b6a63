"""Ways to take workers, locks and time from everybody else.

The server has the slots that PostgreSQL has by default: eight, one of which its own
launcher takes.
"""
import os
import signal

import psycopg2.errors
import scene
from scene import RELEASE, SLOW
from dptest import RELEASE_WORKER, Attacks, Book, Tap, Thread, check, connect, nobody_confirms, \
    one, refused, run, session, wait_until, worker_that_waits

attack = Attacks()
boss = scene.set_up()
book = Book(boss)

# 'stubborn' catches what would cancel it, and goes on
run(boss, """
SET SESSION AUTHORIZATION eve;
CREATE VIEW eve.endless AS SELECT true AS even WHERE pg_sleep(3600)::text = '';
CREATE FUNCTION eve.stays() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	LOOP
		BEGIN
			PERFORM pg_sleep(3600);
		EXCEPTION WHEN OTHERS OR query_canceled THEN
			NULL;
		END;
	END LOOP;
END $$;
CREATE VIEW eve.stubborn AS SELECT eve.stays() AS even;
SELECT dp_protect(it, 1000000, sensitivity => 1), dp_define_column(it, 'even', categories => '{true,false}'),
	   dp_grant(it, 'bob', 1000)
  FROM unnest('{eve.endless,eve.stubborn}'::regclass[]) it;
GRANT USAGE ON SCHEMA eve TO bob;
RESET SESSION AUTHORIZATION;
""")
ENDLESS = SLOW.replace("slow", "eve.endless")
STUBBORN = SLOW.replace("slow", "eve.stubborn")


def running(connection, columns="pid"):
    return run(connection, "SELECT %s FROM dp_running ORDER BY pid" % columns)


def worker_of(connection, debited=True):
    """The pid of the one release that this role sees, once it is debited."""
    wait_until(lambda: [row for row in running(connection, "pid, ledger_id")
                        if row[0] and (row[1] or not debited)], "the release in dp_running")
    return running(connection)[0][0]


def ledger_says(line):
    return [entry[2] for entry in book.lines(line)]


def end_all():
    """Of what an attack leaves to run."""
    run(boss, "SELECT dp_cancel(pid) FROM dp_running WHERE pid IS NOT NULL")
    book.settle()


# ---- slots ------------------------------------------------------------------------


@attack("one role's view that never ends has every slot for ever", paid=2, released=0)
def eight_calls_that_never_end():
    def call():
        with session("eve") as eve:
            run(eve, "SET statement_timeout = '5s'")
            with refused("57014", "53000"):
                run(eve, ENDLESS)

    try:
        for thread in [Thread(call) for _ in range(8)]:
            thread.finish()
        check(book.workers() == 2, "%d workers" % book.workers())
        # a session ends a moment after its client has closed it
        wait_until(lambda: one(boss, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'eve'") == 0,
                   "the end of the callers")
        with session("eve") as eve:
            run(eve, "SET statement_timeout = '20s'")
            with refused("53000") as caught:
                run(eve, ENDLESS)
            check("max_releases_per_role is 2. Nothing was spent." in caught[0].diag.message_detail
                  and "dp_running" in caught[0].diag.message_hint, caught[0].diag.message_detail)
    finally:
        end_all()


@attack("several roles have every slot by one relation", paid=4, released=0)
def one_relation_and_every_slot():
    calls = []
    sessions = [connect(user) for user in ("ann", "ann", "bob", "bob", "eve")]
    try:
        run(boss, "SELECT dp_grant('eve.endless', who, 100)"
            " FROM unnest('{ann,eve}'::regrole[]) who; GRANT USAGE ON SCHEMA eve TO ann")
        calls = [Thread(run, each, ENDLESS) for each in sessions[:4]]
        wait_until(lambda: len([row for row in running(boss, "ledger_id") if row[0]]) == 4, "four")
        with refused("53000") as caught:
            run(sessions[4], ENDLESS)
        check("max_releases_per_relation is 4" in caught[0].diag.message_detail, caught[0])
    finally:
        end_all()
        for call in calls:
            with refused("57014"):
                call.finish()
        for each in sessions:
            each.close()
        run(boss, "SELECT dp_revoke('eve.endless', 'ann'); REVOKE USAGE ON SCHEMA eve FROM ann")


@attack("a role raises the limits for itself", paid=0)
def limits_are_the_superusers():
    raised = {"dpsyn.max_releases_per_role": "100", "dpsyn.max_releases_per_relation": "100",
              "dpsyn.release_timeout": "0"}
    with session("eve") as eve:  # before its session knows the library
        for name, value in raised.items():
            run(eve, "SET %s = %s" % (name, value))
        run(eve, "SELECT * FROM dp_methods")
        for name, value in raised.items():
            check(one(eve, "SELECT current_setting(%s)", name) in ("2", "4", "1d"), name)
            with refused("42501"):
                run(eve, "SET %s = %s" % (name, value))
    for name, value in raised.items():
        with session("eve") as eve:
            try:
                run(eve, "ALTER ROLE eve SET %s = %s" % (name, value))
            except psycopg2.errors.InsufficientPrivilege:
                pass
        with session("eve") as eve:
            run(eve, "SELECT * FROM dp_methods")
            check(one(eve, "SELECT current_setting(%s)", name) in ("2", "4", "1d"), name)
    run(boss, "ALTER ROLE eve RESET ALL")


@attack("releases that have ended count against the limits", paid=40)
def quick_releases_of_one_role():
    def calls():
        with session("ann") as ann:
            for _ in range(10):
                check(one(ann, RELEASE) > 0, "no answer")

    for thread in [Thread(calls) for _ in range(4)]:
        thread.finish()


@attack("callers who leave before their worker starts keep their places", paid=2)
def places_come_back():
    with open(os.environ["SERVER_DATA"] + "/postmaster.pid", encoding="ascii") as file:
        postmaster = int(file.readline())
    with session("ann") as ann:
        for _ in range(3):
            os.kill(postmaster, signal.SIGSTOP)
            try:
                run(ann, "SET statement_timeout = 100")
                with refused("57014"):
                    one(ann, RELEASE)
            finally:
                os.kill(postmaster, signal.SIGCONT)
            wait_until(lambda: running(boss) == [], "the place free")
        run(ann, "SET statement_timeout = 0")
        check(one(ann, RELEASE) > 0 and one(ann, RELEASE) > 0, "no answer")


# ---- time -------------------------------------------------------------------------


@attack("a release holds its slot and the owner's lock for ever", paid=1, released=0)
def timeout():
    line = book.last()
    run(boss, "ALTER ROLE eve SET dpsyn.release_timeout = '10s'")
    try:
        with session("eve") as eve:
            with refused("57014") as caught:
                run(eve, STUBBORN)
            check("dpsyn.release_timeout" in str(caught[0])
                  and caught[0].diag.message_detail == "The limit is 10 s. The budget stays spent.",
                  caught[0].diag.message_detail)
            run(eve, "SET lock_timeout = '2s'; BEGIN; LOCK TABLE eve.stubborn; ROLLBACK")
        check(ledger_says(line) == ["failed"], ledger_says(line))
    finally:
        run(boss, "ALTER ROLE eve RESET ALL")


@attack("the timeout strikes before the debit, which is then made", paid=0)
def timeout_before_the_debit():
    run(boss, "ALTER ROLE ann SET dpsyn.release_timeout = '1s'; CREATE INDEX held ON people (sex)")
    try:
        with session("boss", autocommit=False) as owner, session("ann") as ann:
            run(owner, "REINDEX INDEX held")
            with refused("57014") as caught:
                one(ann, RELEASE)
            check("Nothing was spent." in caught[0].diag.message_detail, caught[0])
            owner.rollback()
    finally:
        run(boss, "ALTER ROLE ann RESET ALL; DROP INDEX held")


# ---- dp_running and dp_cancel -------------------------------------------------------


def cancelled_by(user):
    line = book.last()
    with session("bob") as bob, session(user) as ender, session("ann") as stranger:
        call = Thread(run, bob, STUBBORN)
        pid = worker_of(ender)
        check(running(stranger) == [], "a stranger sees it")
        with refused("42501"):
            one(stranger, "SELECT dp_cancel(%s)", pid)
        check(one(ender, "SELECT dp_cancel(%s)", pid), "not found")
        with refused("57014") as caught:
            call.finish()
        check(caught[0].diag.message_detail == "The budget stays spent.", caught[0])
        check(ledger_says(line) == ["failed"], ledger_says(line))
        # the caller hears of it some moments before the worker is gone
        wait_until(lambda: one(ender, "SELECT dp_cancel(%s)", pid) is False, "the end of the worker")
        check("not a release worker" in ender.notices[-1], ender.notices)


@attack("nobody but a superuser can end what bob asked for", paid=1, released=0)
def caller_cancels():
    cancelled_by("bob")


@attack("the owner cannot end what runs on its relation", paid=1, released=0)
def custodian_cancels():
    cancelled_by("eve")


@attack("only a restart ends a worker", paid=1, released=0)
def superuser_cancels():
    cancelled_by("postgres")


@attack("a cancel before the debit is paid for", paid=0)
def cancel_before_the_debit():
    run(boss, "CREATE INDEX held ON people (sex)")
    with session("boss", autocommit=False) as owner, session("ann") as ann, session("ann") as other:
        run(owner, "REINDEX INDEX held")
        call = Thread(one, ann, RELEASE)
        pid = worker_of(other, debited=False)
        wait_until(lambda: running(other, "stage") == [("preparing the release",)], "the stage")
        wait_until(lambda: one(boss, "SELECT wait_event_type FROM pg_stat_activity WHERE pid = %s",
                               pid) == "Lock", "the worker waiting")
        check(one(other, "SELECT dp_cancel(%s)", pid), "not found")
        with refused("57014") as caught:
            call.finish()
        check(caught[0].diag.message_detail == "Nothing was spent.", caught[0])
        owner.rollback()
    run(boss, "DROP INDEX held")


@attack("the view of running releases tells what it should not", paid=1)
def what_dp_running_shows():
    line = book.last()
    with session("ann") as ann, session("ann") as other, session("boss") as owner, session("bob") as bob:
        call = Thread(run, ann, SLOW)
        worker_of(other)
        shown = running(other, "relation::text, role::text, caller_pid, ledger_id, stage,"
                        " started_at < now(), pid")
        check(shown[0][:4] == ("slow", "ann", ann.get_backend_pid(), book.lines(line)[0][0])
              and shown[0][5], shown)
        check(one(boss, "SELECT backend_type FROM pg_stat_activity WHERE pid = %s", shown[0][6])
              == RELEASE_WORKER, shown)
        check(running(owner) == [(shown[0][6],)] and running(bob) == [], "another's view")
        call.finish()
        check(running(other) == [], "it is shown still")


@attack("dp_cancel ends any process of the server", paid=0)
def cancel_of_other_processes():
    with session("ann") as ann, session("ann") as other:
        for pid in (other.get_backend_pid(), os.getpid(), 0, -1, 1, 2147483647):
            check(one(ann, "SELECT dp_cancel(%s)", pid) is False, pid)
        with refused("22004"):
            one(ann, "SELECT dp_cancel(NULL)")
        check(one(other, "SELECT 1") == 1, "it is gone")


@attack("a cancelled worker waits for a standby that never answers", paid=1, released=0)
def cancel_while_no_standby_answers():
    line = book.last()
    with session("ann") as ann, session("ann") as other, nobody_confirms():
        call = Thread(one, ann, RELEASE)
        wait_until(lambda: worker_that_waits(boss), "the debit waiting for a standby")
        check(one(other, "SELECT dp_cancel(%s)", worker_that_waits(boss)), "not found")
        with refused("57014") as caught:
            call.finish()
        check(caught[0].diag.message_detail == "The budget stays spent.", caught[0])
        check(ledger_says(line) == ["failed"], ledger_says(line))


# ---- clients that do not read -------------------------------------------------------


def while_nobody_reads(statement, settled):
    """The caller's process is stopped, as if its client had stopped reading in the middle."""
    with session("ann") as ann:
        pid = ann.get_backend_pid()
        line = book.last()
        call = Thread(one, ann, statement)
        wait_until(lambda: book.lines(line), "the debit")
        os.kill(pid, signal.SIGSTOP)
        try:
            book.settle()
            check(ledger_says(line) == [settled], ledger_says(line))
        finally:
            os.kill(pid, signal.SIGCONT)
        return call.finish()


@attack("a worker that tells its stages waits for a client that does not read", paid=1)
def client_that_stops_reading():
    # each set is measured by itself, and tells its stage: 1,000 are more than a queue holds
    asked = ("SELECT dp_release('people', 'sba', 1000, 0, '{\"dense_cells\": 1000,"
             " \"independent_sets\": true}', 1000)")
    check(while_nobody_reads(asked, "released") > 0, "no answer")


@attack("a worker waits to tell an error", paid=1, released=0)
def client_that_does_not_read_an_error():
    run(boss, "CREATE VIEW late AS SELECT even, 1 / (id - 20) AS one FROM slow;"
        "ALTER VIEW late OWNER TO boss; SET SESSION AUTHORIZATION boss;"
        "SELECT dp_protect('late', 1000, sensitivity => 1), dp_grant('late', 'ann', 1000),"
        " dp_define_column('late', 'one', bins => '{0,1}');"
        "RESET SESSION AUTHORIZATION")
    with refused("22000"):
        while_nobody_reads(SLOW.replace("slow", "late"), "failed")


tap = Tap()
attack.run(tap, boss)
tap.done()
