"""Ways to get the answer and keep the budget.

Each test leaves the debits that are counted in its decorator, no more and no
less, and releases that can be drawn from again.
"""
import io
import os
import signal
import subprocess
import tempfile
import time
from decimal import Decimal

import psycopg2.errors
import scene
from scene import RELEASE, ROWS_OF, SLOW
from dptest import Attacks, Book, Tap, Thread, check, one, refused, run, session, wait_until

attack = Attacks()
boss = scene.set_up()
book = Book(boss)


def wait_for_debit(line):
    """Until a worker has committed a debit after that line, and still reads."""
    wait_until(lambda: book.lines(line), "the debit")


# ---- the caller's transaction -------------------------------------------------


@attack("the answer is kept, the debit is rolled back")
def rollback():
    with session("ann", autocommit=False) as ann:
        check(len(run(ann, ROWS_OF)) == 2000, "no answer")
        ann.rollback()


@attack("the debit goes with the subtransaction")
def rollback_to_savepoint():
    with session("ann", autocommit=False) as ann:
        run(ann, "SAVEPOINT before")
        check(one(ann, RELEASE) > 0, "no answer")
        run(ann, "ROLLBACK TO SAVEPOINT before")
        ann.commit()


@attack("the debit goes with the exception block")
def plpgsql_exception_block():
    with session("ann") as ann:
        run(ann, """DO $$ BEGIN PERFORM dp_release('people', 'sba', 0.5, 0, '{"dense_cells": 1000}');
                    RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END $$""")


@attack("the answer leaves in a NOTICE before the error undoes the debit")
def do_notice_then_raise():
    with session("ann") as ann:
        with refused("P0001"):
            run(ann, """DO $$ BEGIN RAISE NOTICE 'answer %',
                        (SELECT count(*) FROM dp_synthesize_sba(NULL::people, 0.5,
                         dense_cells => 1000)); RAISE 'undo'; END $$""")
        check(any("answer" in notice for notice in ann.notices), "no answer")


@attack("some rows are fetched before the debit")
def cursor_then_rollback():
    with session("ann", autocommit=False) as ann:
        run(ann, "DECLARE rows CURSOR FOR " + ROWS_OF)
        check(len(run(ann, "FETCH 5 FROM rows")) == 5, "no answer")
        ann.rollback()


@attack("rows stream out before a later error undoes the debit")
def copy_then_error():
    out = io.StringIO()
    with session("ann") as ann, ann.cursor() as cursor:
        with refused("22012"):
            cursor.copy_expert("COPY (SELECT sex, smoker, repeat('x', 50), 1 / (1900 - i) FROM"
                               " (SELECT *, row_number() OVER () AS i FROM (%s) r) s) TO STDOUT"
                               % ROWS_OF, out)
        check(out.getvalue().count("\n") > 100, "no answer")


@attack("the debit is prepared with the transaction, then thrown away")
def rollback_prepared():
    with session("ann") as ann:
        run(ann, "BEGIN")
        check(one(ann, RELEASE) > 0, "no answer")
        run(ann, "PREPARE TRANSACTION 'undo'")
        run(ann, "ROLLBACK PREPARED 'undo'")


@attack("COMMIT itself fails, after the answer")
def deferred_constraint_at_commit():
    with session("ann") as ann:
        run(ann, "CREATE TABLE ann.once (i integer UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        run(ann, "BEGIN; INSERT INTO ann.once VALUES (1), (1)")
        check(one(ann, RELEASE) > 0, "no answer")
        with refused("23505"):
            run(ann, "COMMIT")


@attack("a trigger function spends, the statement fails")
def trigger_then_error():
    with session("ann") as ann:
        run(ann, """CREATE TABLE ann.heap (i integer);
                    CREATE FUNCTION ann.spend() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN
                    PERFORM dp_release('people', 'sba', 0.5, 0, '{"dense_cells": 1000}');
                    RAISE 'undo'; END $f$;
                    CREATE TRIGGER spend AFTER INSERT ON ann.heap
                    FOR EACH STATEMENT EXECUTE FUNCTION ann.spend()""")
        with refused("P0001"):
            run(ann, "INSERT INTO ann.heap VALUES (1)")


@attack("one implicit transaction: a later statement undoes the debit")
def statements_in_one_message():
    with session("ann") as ann:
        with refused("22012"):
            run(ann, RELEASE + "; SELECT 1 / 0")


@attack("a pipeline is one implicit transaction")
def pipeline_then_error():
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write("\\startpipeline\n%s;\nSELECT 1 / 0;\n\\endpipeline\n" % RELEASE)
        script.flush()
        os.chmod(script.name, 0o644)
        done = subprocess.run([os.environ["PG_BINDIR"] + "/pgbench", "-n", "-M", "extended", "-t",
                               "1", "-f", script.name, "-U", "ann"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True, check=False)
    check("aborted in command 3" in done.stdout, done.stdout)  # not every pgbench says why


@attack("-", paid=2)
def repeatable_and_serializable_callers():
    for level in "REPEATABLE READ", "SERIALIZABLE":
        with session("ann") as ann:
            run(ann, "BEGIN ISOLATION LEVEL " + level)
            run(ann, "SELECT count(*) FROM dp_budgets")  # takes the snapshot
            check(len(run(ann, ROWS_OF)) == 2000, "no answer")
            run(ann, "ROLLBACK")


@attack("-", paid=0)
def read_only_callers():
    for level in "READ COMMITTED READ ONLY", "SERIALIZABLE, READ ONLY, DEFERRABLE":
        with session("ann") as ann:
            run(ann, "BEGIN ISOLATION LEVEL " + level)
            with refused("25006"):
                run(ann, ROWS_OF)


# ---- cancelling, dying ---------------------------------------------------------


def timeout_after_the_debit(statement):
    """Where the machine is slow, the timeout may strike before the debit: then it is tried again."""
    line = book.last()
    while book.last() == line:
        with session("ann") as ann:
            run(ann, "SET statement_timeout = 400")
            with refused("57014"):
                run(ann, statement)
        book.settle()


@attack("a timeout strikes after the answer is known")
def statement_timeout_while_reading():
    timeout_after_the_debit(SLOW)


@attack("a timeout strikes after the answer is known")
def statement_timeout_of_a_query():
    timeout_after_the_debit("SELECT * FROM dp_query(NULL::slow, '{count(*)}', 0.5, by => '{even}')")


WIDE = """CREATE TABLE wide AS SELECT (random() * 9)::smallint AS a, (random() * 9)::smallint AS b,
    (random() * 9)::smallint AS c, (random() * 9)::smallint AS d, (random() * 9)::smallint AS e,
    (random() * 9)::smallint AS f FROM generate_series(1, 500);
SELECT dp_protect('wide', 1000000, 0.5), dp_grant('wide', 'ann', 100000, 0.1);
SELECT dp_define_column('wide', name, categories => '{0,1,2,3,4,5,6,7,8,9}', complete => true)
  FROM unnest('{a,b,c,d,e,f}'::name[]) name"""


@attack("an answer of a million cells cannot be stopped, and keeps its locks", paid=2)
def timeout_of_an_answer():
    with session("boss") as owner:
        run(owner, WIDE)
    with session("ann") as ann:
        release = one(ann, "SELECT dp_release('wide', 'mst', 5, 1e-6)")
        drawn = one(ann, "SELECT dp_release('wide', 'mst', 5, 1e-6)")
        for call in "dp_answer(%s, '{a,b,c,d,e,f}')", "dp_answer(%s, '{f,e,d,c,b,a}', '{\"a\": [1, 3]}')":
            run(ann, "SET statement_timeout = 40")
            with refused("57014"):
                run(ann, "SELECT * FROM " + call, release)
            run(ann, "SET statement_timeout = 0")
            check(one(boss, "SELECT count(*) FROM pg_locks WHERE pid = %s",
                      ann.get_backend_pid()) == 0, "locks are kept")
            check(one(ann, "SELECT count(*) FROM dp_answer(%s, '{a,b}')", drawn) == 100,
                  "the session does not answer any more")


@attack("cancelled, so not paid")
def cancel_while_reading():
    line = book.last()
    with session("ann") as ann:
        call = Thread(run, ann, SLOW)
        wait_for_debit(line)
        ann.cancel()
        with refused("57014"):
            call.finish()


@attack("cancelled, so not paid", paid=2)
def a_cancelled_call_leaves_no_answer_to_the_next():
    line = book.last()
    with session("ann") as ann:
        call = Thread(run, ann, SLOW)
        wait_for_debit(line)
        ann.cancel()
        with refused("57014"):
            call.finish()
        release = one(ann, RELEASE)
        check(one(ann, "SELECT relation_name FROM dp_releases WHERE release = %s", release)
              == "public.people", "the answer of another call")


@attack("a lock of a worker that is gone, which only a restart removes", paid=None)
def callers_who_leave_at_any_moment():
    with session("ann") as ann:
        for leaving in [3 + i % 18 for i in range(150)]:
            try:  # the first of the two may take too long as well
                run(ann, "SET statement_timeout = %d" % leaving)
                one(ann, RELEASE)
            except psycopg2.errors.QueryCanceled:
                pass
    for _ in range(20):  # not cancelled but ended
        with session("ann") as ann:
            run(ann, "SET statement_timeout = 100")
            call = Thread(run, ann, RELEASE)
            one(boss, "SELECT pg_terminate_backend(%s)", ann.get_backend_pid())
            try:
                call.finish()
            except psycopg2.OperationalError:
                pass
    book.settle()
    with session("boss", options="-c lock_timeout=2s") as owner:
        run(owner, "BEGIN; LOCK TABLE people; ROLLBACK")


@attack("a worker that outlives its caller pays for an answer nobody gets", paid=0)
def cancel_before_the_worker_starts():
    with open(os.environ["SERVER_DATA"] + "/postmaster.pid", encoding="ascii") as file:
        postmaster = int(file.readline())
    with session("ann") as ann:
        pid = ann.get_backend_pid()
        os.kill(postmaster, signal.SIGSTOP)
        try:
            call = Thread(run, ann, RELEASE)
            wait_until(lambda: one(boss, "SELECT wait_event FROM pg_stat_activity WHERE pid = %s",
                                   pid) == "Extension", "the caller waiting")
            one(boss, "SELECT pg_cancel_backend(%s)", pid)
            with refused("57014"):
                call.finish()
        finally:
            os.kill(postmaster, signal.SIGCONT)
        time.sleep(0.3)  # in which the worker starts and finds nobody


@attack("the client vanishes, its transaction is rolled back")
def client_killed():
    line = book.last()
    client = subprocess.Popen([os.environ["PG_BINDIR"] + "/psql", "-XU", "ann", "-c", SLOW],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    wait_for_debit(line)
    client.kill()
    client.wait()


@attack("the backend dies, its transaction is rolled back")
def backend_terminated():
    line = book.last()
    with session("ann") as ann:
        pid = ann.get_backend_pid()
        call = Thread(run, ann, SLOW)
        wait_for_debit(line)
        one(boss, "SELECT pg_terminate_backend(%s)", pid)
        with refused("57P01", None):
            call.finish()


@attack("the worker dies, nobody pays", paid=1, released=0)
def worker_terminated():
    line = book.last()
    with session("ann") as ann:
        call = Thread(run, ann, SLOW)
        wait_for_debit(line)
        run(boss, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE backend_type = 'dpsyn release worker'")
        with refused("XX000", "57P01"):
            call.finish()


@attack("the analyst stops the worker between the debit and its record", paid=1)
def signals_from_the_analyst():
    line = book.last()
    run(boss, "GRANT pg_signal_backend TO ann")
    with session("ann") as ann, session("ann") as other:
        call = Thread(run, ann, SLOW)
        wait_for_debit(line)
        worker = one(boss, "SELECT pid FROM pg_stat_activity"
                     " WHERE backend_type = 'dpsyn release worker'")
        for how in "pg_terminate_backend", "pg_cancel_backend":
            with refused("42501"):
                run(other, "SELECT %s(%%s)" % how, worker)
        call.finish()
    run(boss, "REVOKE pg_signal_backend FROM ann")


# ---- refunds that race with the release --------------------------------------------


def spent_on(relation):
    return run(boss, "SELECT epsilon_spent FROM dp_datasets WHERE relation = %s::regclass"
               " UNION ALL SELECT epsilon_spent FROM dp_budgets WHERE relation = %s::regclass"
               " AND role = 'ann'::regrole", relation, relation)


def while_it_is_refunded(end, decide):
    """A refund of a debit whose release still reads; decide(owner, call) ends the refund's
    transaction once the worker waits for it. Returns what the ledger says of the debit."""
    line, before = book.last(), spent_on("slow")
    with session("boss", autocommit=False) as owner, session("ann") as ann:
        call = Thread(run, ann, SLOW)
        wait_for_debit(line)
        debit = book.lines(line)[0][0]
        check(one(owner, "SELECT dp_refund(%s, 'changed my mind')", debit) > debit, "no refund")
        if not end:
            wait_until(lambda: one(boss, "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a"
                                   " USING (pid) WHERE NOT granted AND backend_type ="
                                   " 'dpsyn release worker'"), "the worker waiting")
        decide(owner, call)
        book.settle()
        with refused("55000"):
            one(owner, "SELECT dp_refund(%s, 'once more')", debit)
        owner.rollback()
    after = spent_on("slow")
    return book.lines(line)[0][2], [now[0] - then[0] for now, then in zip(after, before)]


def refund_wins(owner, call):
    owner.commit()
    with refused("55000"):
        call.finish()


@attack("a refund while the release reads: the answer is free", paid=1, released=0)
def refunded_while_it_reads():
    check(while_it_is_refunded(True, refund_wins) == ("failed", [0, 0]), "not given back, or not failed")


@attack("a refund commits as the release ends: the answer is free", paid=1, released=0)
def refunded_as_it_ends():
    check(while_it_is_refunded(False, refund_wins) == ("failed", [0, 0]),
          "not given back, or not failed")


@attack("a refund that is rolled back takes the release with it", paid=1)
def refund_rolled_back_as_it_ends():
    def rolled_back(owner, call):
        owner.rollback()
        call.finish()
    check(while_it_is_refunded(False, rolled_back) == ("released", [Decimal("0.5")] * 2),
          "given back, or not released")


# ---- several at once -----------------------------------------------------------


def attempts(user, n):
    """Tries n releases; how many were granted."""
    granted = 0
    with session(user) as one_of_many:
        for _ in range(n):
            try:
                run(one_of_many, RELEASE)
                granted += 1
            except Exception as error:
                check(getattr(error, "pgcode", "") == "53400", error)
    return granted


@attack("check, then write: both pass the check", paid=1)
def two_sessions_and_the_last_of_a_grant():
    run(boss, "SELECT dp_grant('people', 'carol', 0.5)")
    both = [Thread(attempts, "carol", 1) for _ in range(2)]
    check(sum(thread.finish() for thread in both) == 1, "not exactly one")


@attack("the sum of what is granted passes the cap", paid=20)
def eight_sessions_and_the_last_of_a_relation():
    run(boss, "CREATE TABLE few AS SELECT sex, smoker FROM people LIMIT 10; ALTER TABLE few"
        " ADD CHECK (sex IN ('f', 'm')); SELECT dp_protect('few', 10);"
        "SELECT dp_grant('few', who, 8) FROM unnest('{ann,bob}'::regrole[]) who")
    statement = RELEASE.replace("people", "few")

    def spend(user):
        granted = 0
        with session(user) as one_of_many:
            for _ in range(6):
                try:
                    run(one_of_many, statement)
                    granted += 1
                except Exception as error:
                    check(getattr(error, "pgcode", "") == "53400", error)
        return granted

    many = [Thread(spend, user) for user in ("ann", "bob") * 4]
    check(sum(thread.finish() for thread in many) == 20, "not exactly the cap")


# ---- who pays -------------------------------------------------------------------


@attack("EXPLAIN shows the folded answer and nobody paid")
def immutable_wrapper_under_explain():
    with session("ann") as ann:
        run(ann, "CREATE FUNCTION ann.folded() RETURNS bigint IMMUTABLE LANGUAGE sql AS $f$ %s $f$"
            % RELEASE)
        run(ann, "EXPLAIN SELECT ann.folded()")


@attack("a parallel worker's debit is not the leader's", paid=0)
def parallel_safe_wrapper():
    with session("ann") as ann:
        run(ann, "CREATE FUNCTION ann.safe() RETURNS bigint PARALLEL SAFE LANGUAGE plpgsql"
            " AS $f$ BEGIN RETURN (%s); END $f$" % RELEASE)
        force = "debug_parallel_query" if ann.server_version >= 160000 else "force_parallel_mode"
        run(ann, "SET %s = on" % force)
        with refused("0A000") as caught:
            run(ann, "SELECT ann.safe()")
        check("parallel operation" in str(caught[0]), caught[0])


@attack("another's budget pays", paid=1)
def security_definer_wrapper_pays_from_its_definer():
    line = book.last()
    run(boss, "SET SESSION AUTHORIZATION bob; CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql"
        " AS 'SELECT 1'; RESET SESSION AUTHORIZATION")
    run(boss, "CREATE FUNCTION bobs() RETURNS bigint SECURITY DEFINER LANGUAGE plpgsql"
        " SET search_path = public AS $f$ BEGIN RETURN (%s); END $f$;"
        "ALTER FUNCTION bobs() OWNER TO bob" % RELEASE)
    with session("carol") as carol:
        one(carol, "SELECT bobs()")
    check(book.lines(line)[0][1] == "bob", "not the definer paid")


@attack("a member spends the group's budget again for itself", paid=2)
def group_pays_for_its_members():
    run(boss, "CREATE ROLE team; GRANT team TO carol; SELECT dp_revoke('people', 'carol');"
        "SELECT dp_grant('people', 'team', 1)")
    with session("carol") as carol:
        one(carol, RELEASE)
        one(carol, RELEASE)
        with refused("53400"):
            one(carol, RELEASE)
        check(one(carol, "SELECT epsilon_left FROM dp_budgets WHERE role = 'team'::regrole") == 0,
              "the group has something left")


@attack("an uncommitted grant is spent, then rolled back", paid=0)
def uncommitted_grant():
    run(boss, "BEGIN; CREATE ROLE dave; SELECT dp_grant('people', 'dave', 5); SET LOCAL ROLE dave")
    with refused("42501", "42704", "XX000"):
        run(boss, RELEASE)
    run(boss, "ROLLBACK")


@attack("an uncommitted dp_protect is spent, then rolled back", paid=0)
def uncommitted_protection():
    run(boss, "CREATE TABLE fresh AS SELECT smoker FROM people LIMIT 5")
    run(boss, "BEGIN; SELECT dp_protect('fresh', 5)")
    with refused("55000"):
        run(boss, RELEASE.replace("people", "fresh"))
    run(boss, "ROLLBACK")


@attack("caller and worker wait for each other for ever", paid=0)
def own_transaction_holds_the_ledger_row():
    begin = time.monotonic()
    run(boss, "BEGIN; SELECT dp_grant('people', 'ann', 100000, 0.1); SET LOCAL ROLE ann")
    with refused("55P03"):
        run(boss, RELEASE)
    run(boss, "ROLLBACK")
    check(time.monotonic() - begin < 10, "took too long")


@attack("caller and worker wait for each other for ever", paid=0)
def own_transaction_holds_the_relation():
    run(boss, "BEGIN; LOCK TABLE people")
    with refused("55P03"):
        run(boss, RELEASE)
    run(boss, "ROLLBACK")


@attack("waits for ever, or spends past the lock", paid=0)
def another_session_holds_the_ledger_row():
    with session("postgres", autocommit=False) as holder, session("ann") as ann:
        run(holder, "SELECT FROM dp_catalog.dp_dataset FOR UPDATE")
        with refused("55P03"):
            run(ann, RELEASE)


def waiting_workers():
    return one(boss, "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
               " WHERE NOT granted AND backend_type = 'dpsyn release worker'")


def while_the_worker_waits(statement, sqlstate):
    """statement commits after the caller's check and before the worker's."""
    with session("boss", autocommit=False) as owner, session("ann") as ann:
        run(owner, statement)
        call = Thread(run, ann, RELEASE)
        wait_until(waiting_workers, "the worker waiting")
        owner.commit()
        with refused(sqlstate):
            call.finish()


@attack("checked before, revoked, then spent", paid=0)
def grant_revoked_while_the_worker_waits():
    while_the_worker_waits("SELECT dp_revoke('people', 'ann')", "42501")
    run(boss, "SELECT dp_grant('people', 'ann', 100000, 0.1)")


@attack("checked before, lowered, then spent", paid=0)
def budget_lowered_while_the_worker_waits():
    while_the_worker_waits("SELECT dp_alter_protection('people', 0.1, 0)", "53400")
    run(boss, "SELECT dp_alter_protection('people', 1000000, 0.5)")


@attack("checked before, unprotected, then spent", paid=0)
def protection_ended_while_the_worker_waits():
    while_the_worker_waits("SELECT dp_unprotect('people')", "55000")
    run(boss, "SELECT dp_protect('people', 1000000, 0.5)")


@attack("an owner makes the unit another between the plan and the debit", paid=0)
def protected_anew_while_the_worker_waits():
    ask = RELEASE.replace("people", "renewed")
    with session("boss") as owner:
        run(owner, "CREATE TABLE renewed AS SELECT sex, smoker FROM people LIMIT 100;"
            "SELECT dp_protect('renewed', 100), dp_grant('renewed', 'ann', 50)")
    with session("boss", autocommit=False) as owner, session("ann") as ann:
        run(owner, "SELECT dp_unprotect('renewed'), dp_protect('renewed', 100, neighbours => 'replace_one')")
        call = Thread(run, ann, ask)
        wait_until(waiting_workers, "the worker waiting")
        owner.commit()
        with refused("40001"):
            call.finish()


@attack("others wait for the ledger while one release reads its domain and plans its scan", paid=None)
def ledger_is_free_until_the_debit():
    """The plan of the scan is the last thing that is prepared, and waits for an index here."""
    ask = """SELECT dp_release('held', 'histogram', 0.5, 0, jsonb_build_object('columns', ARRAY['word'],
     'domain', (SELECT jsonb_agg('word ' || i) FROM generate_series(1, 20000) i)))"""
    with session("boss") as owner:
        run(owner, "CREATE TABLE held AS SELECT 'word 7' AS word FROM generate_series(1, 500);"
            "CREATE INDEX held_word ON held (word); CREATE TABLE beside AS SELECT sex, smoker FROM people;"
            "SELECT dp_protect('held', 100); SELECT dp_protect('beside', budget_of => 'held');"
            "SELECT dp_grant('held', 'ann', 50), dp_grant('beside', 'bob', 50)")
    line = book.last()
    with session("boss", autocommit=False) as owner, session("ann") as ann, session("bob") as bob:
        run(owner, "REINDEX INDEX held_word")
        call = Thread(run, ann, ask)
        wait_until(waiting_workers, "the worker waiting")
        run(boss, "SELECT FROM dp_catalog.dp_dataset WHERE relation = 'held'::regclass FOR UPDATE NOWAIT")
        run(boss, "SELECT FROM dp_catalog.dp_allocation WHERE role = 'ann'::regrole FOR UPDATE NOWAIT")
        run(bob, RELEASE.replace("people", "beside"))
        check([entry[1] for entry in book.lines(line)] == ["bob"], "another's debit had to wait")
        owner.rollback()
        try:
            call.finish()
        except psycopg2.errors.LockNotAvailable:  # a slow machine: the worker has waited for 2 s
            pass


def while_the_scan_is_planned(table, statement):
    """Releases a table that has an index "first". Another session holds it while statement(pid of
    the caller) is called."""
    with session("boss", autocommit=False) as owner, session("ann") as ann:
        run(owner, "CREATE TABLE {0} AS SELECT sex, smoker FROM people LIMIT 100; CREATE INDEX first ON {0} (sex);"
            "SELECT dp_protect('{0}', 100), dp_grant('{0}', 'ann', 50)".format(table))
        owner.commit()
        run(owner, "REINDEX INDEX " + table.replace(table.split(".")[-1], "first"))
        pid = one(ann, "SELECT pg_backend_pid()")
        call = Thread(run, ann, RELEASE.replace("people", table))
        wait_until(waiting_workers, "the worker waiting")
        statement(pid)
        owner.rollback()
        call.finish()


@attack("who has given up while the release is prepared is charged for it", paid=0)
def cancelled_before_the_debit():
    def cancel(pid):
        run(boss, "SELECT pg_cancel_backend(%s)", pid)
        wait_until(lambda: one(boss, "SELECT state FROM pg_stat_activity WHERE pid = %s", pid) == "idle", "the end")

    with refused("57014"):
        while_the_scan_is_planned("abandoned", cancel)


@attack("the schema is renamed after the plan, and another relation bears the name", paid=0)
def renamed_before_the_debit():
    def rename(pid):
        run(boss, "ALTER SCHEMA moving RENAME TO moved; CREATE SCHEMA moving AUTHORIZATION boss;"
            "CREATE VIEW moving.it AS SELECT sex, smoker FROM people; GRANT SELECT ON moving.it TO boss")

    run(boss, "CREATE SCHEMA moving AUTHORIZATION boss; GRANT USAGE ON SCHEMA moving TO ann")
    with refused("40001", "55P03"):  # the latter on a slow machine
        while_the_scan_is_planned("moving.it", rename)


# ---- settings ---------------------------------------------------------------------

WEAK = {
    "synchronous_commit": "off", "default_transaction_read_only": "on",
    "default_transaction_isolation": "serializable", "default_transaction_deferrable": "on",
    "statement_timeout": "'5min'", "row_security": "on", "lock_timeout": "50",
    "idle_in_transaction_session_timeout": "50", "search_path": "eve, pg_catalog",
    "session_replication_role": "replica", "track_counts": "on", "DateStyle": "German",
}


def check_seen():
    """What a worker saw, read from a synthetic answer with next to no noise."""
    with session("ann") as ann:
        run(ann, "SET default_transaction_read_only = off")
        rows = dict(run(ann, "SELECT DISTINCT name, value FROM public.dp_synthesize_sba("
                        "NULL::public.seen, 500, dense_cells => 10000, rows => 500)"))
    for name, value in (("synchronous_commit", "on"), ("search_path", "pg_catalog, pg_temp"),
                        ("session_replication_role", "origin"),
                        ("transaction_isolation", "repeatable read"),
                        ("transaction_read_only", "off"), ("row_security", "off"),
                        ("statement_timeout", "0"), ("track_counts", "off")):
        check(rows.get(name) == value, "%s was %r in the worker" % (name, rows.get(name)))


def with_settings(whom):
    try:
        for name, value in WEAK.items():
            run(boss, "ALTER %s SET %s = %s" % (whom, name, value))
        check_seen()
        with session("ann") as ann:
            run(ann, "SET default_transaction_read_only = off")
            check(one(ann, RELEASE.replace("dp_release", "public.dp_release")
                      .replace("people", "public.people")) > 0, "no answer")
    finally:
        run(boss, "ALTER %s RESET ALL" % whom)


@attack("synchronous_commit = off of the role loses the debit in a crash", paid=2)
def settings_of_the_role():
    with_settings("ROLE ann")


@attack("a database's settings reach a worker without a user", paid=2)
def settings_of_the_database():
    with_settings("DATABASE postgres")


@attack("settings of the bootstrap superuser reach a worker without a user", paid=2)
def settings_of_all_roles():
    with_settings("ROLE ALL")


@attack("the worker becomes the role that a database says", paid=1)
def database_sets_role():
    run(boss, "ALTER DATABASE postgres SET role = 'ann'")
    try:
        with session("ann") as ann:
            check(one(ann, RELEASE) > 0, "no answer")
    finally:
        run(boss, "ALTER DATABASE postgres RESET ALL")


# ---- the ledger itself ---------------------------------------------------------------

WRITES = [
    "UPDATE dp_catalog.dp_dataset SET spent_epsilon_nano = 0",
    "UPDATE dp_catalog.dp_allocation SET spent_epsilon_nano = 0",
    "INSERT INTO dp_catalog.dp_allocation (dataset, role, epsilon_nano, delta_atto, granted_by)"
    " VALUES (1, 'carol', 1000000000, 0, 'carol')",
    "DELETE FROM dp_catalog.dp_ledger_entry",
    "UPDATE dp_catalog.dp_ledger_entry SET epsilon_nano = 0",
    "DELETE FROM dp_catalog.dp_release_store",
    "UPDATE dp_catalog.dp_dataset_column SET labels = '{}'",
    "INSERT INTO dp_catalog.dp_dataset_zero VALUES (1, '{sex}', 1, '{f}')",
    "INSERT INTO dp_catalog.dp_dataset_prior VALUES (1, '{sex}', '{f}', '{1}', 1)",
    "INSERT INTO dp_catalog.dp_dataset_hierarchy VALUES (1, 'sex', 1, '{1}')",
    "TRUNCATE dp_catalog.dp_ledger_entry",
    "ALTER TABLE dp_catalog.dp_ledger_entry DISABLE TRIGGER ALL",
    "ALTER TABLE dp_catalog.dp_dataset DISABLE TRIGGER dp_guard_rows",
    "DROP TABLE dp_catalog.dp_ledger_entry",
    "DROP EXTENSION dpsyn",
    "CREATE OR REPLACE FUNCTION dp_catalog.dp_catalog_guard() RETURNS trigger LANGUAGE plpgsql"
    " AS 'BEGIN RETURN NEW; END'",
    "SELECT dp_reconcile('people', 0)",
    "SELECT dp_unprotect('people')",
    "SELECT dp_alter_protection('people', 900000, 0.5)",
    "SELECT dp_grant('people', 'carol', 900000, 0.5)",
    "COPY dp_catalog.dp_ledger_entry (kind, dataset, relation_name, role, role_name) FROM STDIN",
]


def try_writes(user):
    with session(user) as who, who.cursor() as cursor:
        for statement in WRITES:
            try:
                with refused("42501"):
                    if statement.startswith("COPY"):
                        cursor.copy_expert(statement, io.StringIO("debit\t1\tx\tcarol\tcarol\n"))
                    else:
                        cursor.execute(statement)
            except AssertionError as error:
                raise AssertionError("%s: %s" % (statement, error)) from None


@attack("an analyst resets the ledger", paid=0)
def writes_by_an_analyst():
    try_writes("ann")


@attack("pg_write_all_data resets the ledger", paid=0)
def writes_by_pg_write_all_data():
    run(boss, "GRANT pg_write_all_data, pg_read_all_data TO eve")
    try_writes("eve")
    run(boss, "REVOKE pg_write_all_data, pg_read_all_data FROM eve")


@attack("a sequence that is set back makes ledger lines collide, for free", paid=0)
def ledger_sequence_set_back():
    run(boss, "GRANT pg_write_all_data TO eve")
    last = one(boss, "SELECT last_value FROM dp_catalog.dp_ledger_entry_id_seq")
    try:
        with session("eve") as eve, session("ann") as ann:
            try:
                run(eve, "SELECT setval('dp_catalog.dp_ledger_entry_id_seq', 1)")
            except Exception as error:
                check(getattr(error, "pgcode", "") == "42501", error)
            else:
                with refused("23505"):
                    run(ann, RELEASE)
    finally:
        run(boss, "SELECT setval('dp_catalog.dp_ledger_entry_id_seq', %s)", last)
        run(boss, "REVOKE pg_write_all_data FROM eve")


@attack("protected again, granted again: a fresh budget", paid=0)
def what_was_spent_stays_spent():
    def spent():
        return (run(boss, "SELECT epsilon_spent FROM dp_datasets"
                    " WHERE relation = 'people'::regclass"),
                run(boss, "SELECT epsilon_spent FROM dp_budgets WHERE role = 'ann'::regrole"
                    " AND relation = 'people'::regclass"))
    before = spent()
    with session("boss") as owner:
        for statement in ("SELECT dp_unprotect('people')",
                          "SELECT dp_protect('people', 1000000, 0.5)",
                          "SELECT dp_revoke('people', 'ann')",
                          "SELECT dp_grant('people', 'ann', 100000, 0.1)",
                          "SELECT dp_reconcile('people', 0, 0)",
                          "ALTER TABLE people RENAME TO persons",
                          "ALTER TABLE persons RENAME TO people"):
            run(owner, statement)
        with refused("55000"):
            run(owner, "SELECT dp_unprotect('people')")
            run(owner, "SELECT dp_protect('people', 1000000, 0.5, 'replace_one')")
        run(owner, "SELECT dp_protect('people', 1000000, 0.5)")
    check(spent() == before, "%r is not %r" % (spent(), before))


@attack("a mistake costs the budget", paid=0)
def errors_before_the_debit():
    wrong = [("42704", "dp_release('people', 'nosuch', 1)"),
             ("22023", "dp_release('people', 'sba', 0)"),
             ("22023", "dp_release('people', 'sba', -1)"),
             ("22023", "dp_release('people', 'sba', 'NaN')"),
             ("22023", "dp_release('people', 'sba', 1, 1)"),
             ("22023", "dp_release('people', 'sba', 1, 0)"),
             ("42704", "dp_release('people', 'sba', 1, 0, '{\"nosuch\": 1}')"),
             ("22023", "dp_release('people', 'sba', 1, 0, '{\"dense_cells\": -1}')"),
             ("22023", "dp_release('people', 'sba', 1, 0, '{\"dense_cells\": 99}', 0)"),
             ("42703", "dp_release('people', 'sba', 1, 0, '{\"columns\": [\"nosuch\"]}')"),
             ("42703", "dp_release('people', 'sba', 1, 0,"
                       " '{\"columns\": [\"sex FROM pg_authid; --\"]}')"),
             ("53400", "dp_release('people', 'sba', 100001, 0, '{\"dense_cells\": 99}')"),
             ("55000", "dp_release('pg_class', 'sba', 1, 0, '{\"dense_cells\": 99}')"),
             ("42501", "dp_release('slow', 'sba', 1, 0, '{\"dense_cells\": 99}')")]
    with session("bob") as bob:
        for sqlstate, call in wrong:
            with refused(sqlstate):
                run(bob, "SELECT " + call)


tap = Tap()
attack.run(tap, boss)
tap.done()
