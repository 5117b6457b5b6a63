"""A standby that is promoted while a release is made, and one that is waited for in vain."""
import os
import shutil
from contextlib import contextmanager

from scene import SMALL, Watch, answer, go_on, held_up, message, server
from dptest import Book, Tap, Thread, check, nobody_confirms, one, refused, run, session, wait_until, \
    worker_that_waits

tap = Tap()


# ---- a standby that is promoted ------------------------------------------------------


@contextmanager
def standby():
    """The directory of a standby that streams from the server in use."""
    directory = os.environ["SERVER_DIR"] + "/standby"
    os.mkdir(directory)
    owner = os.stat(os.environ["SERVER_DATA"])
    os.chown(directory, owner.st_uid, owner.st_gid)
    try:
        server("as_server_user", os.environ["PG_BINDIR"] + "/pg_basebackup", "-D", directory + "/data",
               "-h", os.environ["PGHOST"], "-p", os.environ["PGPORT"], "-U", "postgres", "-R", "-X", "stream", "-c", "fast", "--no-sync")
        server("server_start", directory, "unix_socket_directories = '%s'" % directory,
               "hot_standby = on", stops=False)
        yield directory
    finally:
        server("server_stop", directory, "immediate")
        shutil.rmtree(directory)


def catch_up(boss, there):
    written = one(boss, "SELECT pg_current_wal_flush_lsn()")
    wait_until(lambda: one(there, "SELECT pg_last_wal_replay_lsn() >= %s", written),
               "a standby that has all")


def promoted(point, wanted):
    """The standby takes over while the release stands there. It has the debit of what it shows, and
    spends nothing until its custodian has said what the other one spent."""
    with standby() as directory, session() as boss, session("ann") as ann:
        watch = Watch(boss)
        with held_up(point, ann) as (call, _):
            with session(host=directory) as there, \
                    session("ann", host=directory) as ann_there:
                catch_up(boss, there)
                with refused("25006"):
                    one(ann_there, SMALL)
                check(one(there, "SELECT pg_promote()"), "not promoted")
                lines = Book(there).lines(watch.line)
                check([line[2] for line in lines] == wanted, lines)
                stored = [row[0] for row in run(
                    there, "SELECT id FROM dp_catalog.dp_release_store WHERE id > %s", watch.line)]
                check(stored == [line[0] for line in lines if line[2] == "released"], stored)
                with refused("55000") as caught:
                    one(ann_there, SMALL)
                check("another cluster" in message(caught[0]), message(caught[0]))
                check(Book(there).lines(watch.line) == lines, "a debit in spite of the fence")
                spent = Book(there).spent()
                stated = one(there, "SELECT epsilon_spent + 2 FROM dp_datasets"
                             " WHERE relation = 'people'::regclass")
                run(there, "SELECT dp_reconcile('people', %s)", stated)
                check(one(ann_there, SMALL) > watch.line, "no release after dp_reconcile")
                check(Book(there).spent() == spent + 3 * 10 ** 9, "2 were stated, and 1 is spent")
            go_on()
            release = call.finish()[0][0]
        check([line[:1] + line[2:3] for line in watch.goes_on(boss)] == [(release, "released")],
              "the old server goes on as before")


# ---- a standby that is waited for in vain --------------------------------------------


def ends_the_wait(end, words, statuses):
    """While it waits, nobody sees the debit, and nothing was read. Once the wait is ended, the debit
    is there, in this server, and stays spent."""
    with session("ann") as ann, nobody_confirms() as boss:
        watch = Watch(boss)
        call = Thread(run, ann, SMALL)
        wait_until(lambda: worker_that_waits(boss), "a worker that waits for the standby")
        check(watch.debits() == [] and watch.stored() == [], "a debit that is not yet confirmed")
        check(one(boss, "SELECT stage FROM dp_running") == "debiting the budget", "dp_running")
        end(boss, ann)
        release, error = answer(call)
        said = message(error) if error else ""
        check(words in said and (release is None) == bool(words), said or release)
        debits = watch.sound(boss)
        check([debit[2] for debit in debits] == statuses, debits)
        check(release is None or debits[0][0] == release, release)
    with session() as boss:
        watch.goes_on(boss)
    return said


def dp_cancel(_, ann):
    with session("ann") as other:
        check(one(other, "SELECT dp_cancel(pid) FROM dp_running"), "dp_cancel found no release")


def terminate(boss, _):
    run(boss, "SELECT pg_terminate_backend(%s)", worker_that_waits(boss))


def times_out(boss, ann):
    """The caller gives up, and is told so by PostgreSQL. The release waits on, until it is ended."""
    run(boss, "SELECT pg_cancel_backend(%s)", ann.get_backend_pid())
    wait_until(lambda: one(boss, "SELECT state FROM pg_stat_activity WHERE pid = %s",
                           ann.get_backend_pid()) == "idle", "a caller that has given up")
    check(worker_that_waits(boss), "the worker gave up too")
    dp_cancel(boss, ann)


def standby_is_given_up(boss, _):
    run(boss, "ALTER SYSTEM RESET synchronous_standby_names")
    run(boss, "SELECT pg_reload_conf()")


def at_its_timeout():
    with session() as boss:
        run(boss, "ALTER ROLE ann SET dpsyn.release_timeout = '10s'")
    try:
        return ends_the_wait(lambda boss, ann: None, "longer than dpsyn.release_timeout", ["failed"])
    finally:
        with session() as boss:
            run(boss, "ALTER ROLE ann RESET dpsyn.release_timeout")


def holds_up_others():
    """Another release waits for the budget's row, for two seconds."""
    with session("ann") as ann, session("ann") as other, nobody_confirms() as boss:
        watch = Watch(boss)
        call = Thread(run, ann, SMALL)
        wait_until(lambda: worker_that_waits(boss), "a worker that waits for the standby")
        with refused("55P03") as caught:
            one(other, SMALL)
        check("Nothing was spent." in message(caught[0]), message(caught[0]))
        standby_is_given_up(boss, ann)
        call.finish()
        check([debit[2] for debit in watch.sound(boss)] == ["released"], watch.debits())
    return message(caught[0])


def main():
    for point, wanted in (("debit written", []), ("debit known", ["debited"]),
                          ("measured", ["debited"]), ("release known", ["released"])):
        tap.attempt("the standby is promoted at \"%s\"" % point, promoted, point, wanted)
    for end, words, statuses in (
            (dp_cancel, "cancelled with dp_cancel / The budget stays spent.", ["failed"]),
            (terminate, "was terminated / The budget stays spent.", ["failed"]),
            (times_out, "canceling statement due to user request", ["failed"]),
            (standby_is_given_up, "", ["released"])):
        tap.attempt("no standby confirms the debit: %s" % end.__name__.replace("_", " "),
                ends_the_wait, end, words, statuses)
    tap.attempt("no standby confirms the debit: at its timeout", at_its_timeout)
    tap.attempt("no standby confirms the debit: others are told", holds_up_others)
    tap.done()


main()
