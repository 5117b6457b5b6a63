"""A disk that is full from some step on: of the data, of the log, of temporary files."""
import contextlib
import os
from contextlib import closing

import psycopg2

from scene import (BEFORE, LARGE, LOST, NOTHING, PAID, SMALL, STAYS, STORED, Watch, again, answer,
                   go_on, held_up, is_running, message, postmaster, start_server)
from dptest import Tap, check, connect, one, run, wait_until

tap = Tap()

SEGMENT = 1024 * 1024  # of the log


@contextlib.contextmanager
def full(directory):
    """Not a byte more fits on the file system of a directory."""
    ballast = os.path.join(os.environ["SERVER_DATA"], directory, "ballast")
    try:
        with open(ballast, "wb", buffering=0) as file:
            for size in 1 << 20, 1 << 12:
                with contextlib.suppress(OSError):
                    while file.write(bytes(size)) == size:
                        pass
        yield
    finally:
        os.remove(ballast)


def release_on_full(directory, point, statement):
    """(status of the debit or None, the SQLSTATE, what the caller was told)."""
    with closing(connect()) as boss, closing(connect("ann")) as ann:
        watch = Watch(boss)
        with held_up(point, ann, statement) as (call, _):
            run(boss, "CHECKPOINT")  # one that is due on a full disk is a PANIC
            with full(directory):
                go_on()
                release, error = answer(call)
                watch.book.settle()
        debits = watch.goes_on(boss)
        check(len(debits) <= 1, debits)
        if release is not None:
            check(debits and debits[0][0] == release and debits[0][2] == "released", debits)
            return "released", None, ""
        check((STAYS if debits else NOTHING) in message(error), message(error))
        check(not debits or debits[0][2] != "released", debits)
        return (debits[0][2] if debits else None), error.pgcode, message(error)


# ---- data and temporary files --------------------------------------------------------


def no_room_for_the_debit():
    """Each line of the ledger takes a page of its own, nearly, so that soon one does not fit."""
    with closing(connect()) as boss:
        run(boss, "ALTER TABLE dp_catalog.dp_ledger_entry SET (fillfactor = 10)")
    for _ in range(20):
        status, code, said = release_on_full("base", "before the debit", SMALL)
        if status is None:
            check(code == "53100", said)
            return said
    raise AssertionError("the debit always fitted")


def no_room_for_data(point):
    """What is stored does not fit. In LARGE that is more than what is kept free anywhere."""
    status, code, said = release_on_full("base", point, LARGE)
    if point in STORED:
        check(status == "released", said)
    elif point in PAID and point != "release written":
        check(status in ("failed", "debited") and code == "53100", "%s, %s" % (status, said))
    return "%s. %s" % (status or "nothing spent", said)


def no_room_for_temporary_files():
    """A scan that sorts, where rows do not fit in memory: the reason could tell how much there is to
    sort, and stays in the log."""
    with closing(connect()) as boss:
        run(boss, "ALTER DATABASE %s SET dpsyn.row_memory = 0" % os.environ["PGDATABASE"])
        try:
            status, code, said = release_on_full("base/pgsql_tmp", "counting", LARGE)
        finally:
            run(boss, "ALTER DATABASE %s RESET dpsyn.row_memory" % os.environ["PGDATABASE"])
    check(status == "failed" and code == "22000", "%s, %s" % (code, said))
    check("No space" not in said, said)
    return said


# ---- the log -------------------------------------------------------------------------


def fill_segment(boss):
    """Writes past the end of the last file that the log has. This itself waits for no disk, but
    whatever is flushed from now on panics: also the log writer, which can come first."""
    rest = one(boss, "SELECT %s - (pg_current_wal_insert_lsn() - '0/0') %% %s", SEGMENT, SEGMENT)
    with contextlib.suppress(psycopg2.Error):
        run(boss, "SELECT pg_logical_emit_message(false, '', repeat('x', %s))", int(rest))


def last_segment(boss):
    """Goes on to the last file that the log has."""
    while one(boss, "SELECT count(*) FROM pg_ls_waldir()"
              " WHERE name ~ '^[0-9A-F]{24}$' AND name > pg_walfile_name(pg_current_wal_insert_lsn())"):
        run(boss, "SELECT pg_logical_emit_message(false, '', 'x'), pg_switch_wal()")


def no_room_for_the_log(point):
    """PostgreSQL panics. When there is room again, what was committed is there, and no more."""
    with closing(connect()) as boss, closing(connect("ann")) as ann:
        server = postmaster()
        watch = Watch(boss)
        with held_up(point, ann, LARGE) as (call, _):
            last_segment(boss)
            with full("pg_wal"):
                fill_segment(boss)
                go_on()
                release, error = answer(call)
                check(release is None and error.pgcode in LOST, message(error))
                wait_until(lambda: not is_running(server), "the end of the server")
    start_server()
    with closing(again()) as boss:
        debits = watch.goes_on(boss)
        statuses = [debit[2] for debit in debits]
        check(statuses == ([] if point in BEFORE else ["debited"]), debits)


def main():
    tap.attempt("no room for data at \"before the debit\"", no_room_for_the_debit)
    for point in ("planning", "debit written", "counting", "measured", "release written", "answered"):
        tap.attempt("no room for data from \"%s\" on" % point, no_room_for_data, point)
    tap.attempt("no room for temporary files at \"counting\"", no_room_for_temporary_files)
    for point in "before the debit", "debit written", "measured", "release written":
        tap.attempt("no room for the log from \"%s\" on: PANIC, and the books are right" % point,
                no_room_for_the_log, point)
    tap.done()


main()
