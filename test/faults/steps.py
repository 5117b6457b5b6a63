"""A release that is ended at each of its steps, in each way in which it can end."""
import os
import signal
from contextlib import closing

from scene import (BEFORE, CALLER, HELD, LOST, NOTHING, PAID, POINTS, STAYS, STORED, Watch, again, answer,
                   SMALL, call_goes_on_to, go_on, held_up, is_lost, kill_postmaster, kill_server, message)
from dptest import Tap, check, connect, one, run, wait_until  # scene knows where that is

tap = Tap()


def statuses(debits):
    return [debit[2] for debit in debits]


# ---- ended by a signal that PostgreSQL knows -----------------------------------------


def dp_cancel(boss, worker, _):
    check(one(boss, "SELECT dp_cancel(%s)", worker), "dp_cancel found no release")


def terminate(boss, worker, _):
    run(boss, "SELECT pg_terminate_backend(%s)", worker)


def interrupt(boss, worker, _):
    run(boss, "SELECT pg_cancel_backend(%s)", worker)


ENDED = {dp_cancel: "cancelled with dp_cancel", terminate: "was terminated",
         interrupt: "canceling statement due to user request"}


def ended(end, point):
    """The worker is told to end: nothing before the debit, and after it the budget, is spent."""
    with closing(connect()) as boss, closing(connect("ann")) as ann:
        watch = Watch(boss)
        with held_up(point, ann) as (call, worker):
            end(boss, worker, ann)
            if point in HELD:
                go_on()
            release, error = answer(call)
        debits = watch.goes_on(boss)
        if point in STORED:
            check(statuses(debits) == ["released"] and release == debits[0][0],
                  "what is stored is answered: %r, %r" % (debits, error))
            return
        said = message(error)
        check(ENDED[end] in said or "while the relation was read" in said, said)
        check(release is None, "an answer: %s" % release)
        check((NOTHING if point in BEFORE else STAYS) in said, said)
        check(statuses(debits) == ([] if point in BEFORE else ["failed"]), debits)


# ---- the caller leaves ---------------------------------------------------------------


def cancelled(boss, ann):
    run(boss, "SELECT pg_cancel_backend(%s)", ann.get_backend_pid())


def disconnected(boss, ann):
    run(boss, "SELECT pg_terminate_backend(%s)", ann.get_backend_pid())


def words_of(point):
    """What a caller is told who gives up while the release stands there."""
    if point in BEFORE + HELD[:1]:
        return ""  # the debit is not known to the caller
    return "release %d is stored" if point in CALLER else "Release %d is still being made"


def leaves(how, point):
    """Before the debit that costs nothing. After it the release is made, and is there."""
    with closing(connect()) as boss, closing(connect("ann")) as ann:
        watch = Watch(boss)
        with held_up(point, ann) as (call, _):
            how(boss, ann)
            if point not in CALLER:
                release, error = answer(call)
                check(error is not None, release)
            go_on()
            if point in CALLER:
                release, error = answer(call)
        debits = watch.goes_on(boss)
        check(statuses(debits) == ([] if point in ("planning", "before the debit") else ["released"]),
              debits)
        if how is cancelled:
            check(error is not None and error.pgcode == "57014", "%r, %r" % (release, error))
            tells(error, point, debits)


def tells(error, point, debits):
    said, words = message(error), words_of(point)
    check(("The budget is spent" in said) == bool(words), said)
    check(not words or words % debits[0][0] in said and
          "dp_sample(NULL::table, %d)" % debits[0][0] in said, said)


def times_out(point):
    """statement_timeout of the caller is one more way to leave."""
    with closing(connect()) as boss, closing(connect("ann")) as ann:
        run(ann, "SET statement_timeout = '3s'")
        watch = Watch(boss)
        with held_up(point, ann) as (call, _):
            release, error = answer(call)
            check(error is not None and error.pgcode == "57014", release)
        tells(error, point, watch.goes_on(boss))


# ---- a number that is taken ----------------------------------------------------------


def number_is_taken():
    """Only a refund is called a refund: any other line that is there already is not."""
    with closing(connect()) as boss, closing(connect("ann")) as ann:
        watch = Watch(boss)
        with held_up("measured", ann) as (call, _):
            debit = watch.debits()[0][0]
            run(boss, "INSERT INTO dp_catalog.dp_release_store (id, dataset, relation_name, role, method, options,"
                " epsilon_nano, delta_atto, rows, rows_stddev, sets, model)"
                " VALUES (%s, 0, '', 'ann', '', '{}', 1, 0, 0, 0, 1, '')", debit)
        release, error = answer(call)
        run(boss, "DELETE FROM dp_catalog.dp_release_store WHERE id = %s", debit)
        debits = watch.goes_on(boss)
        check(error is not None and error.pgcode == "23505" and STAYS in message(error) and
              "refund" not in message(error), "%r, %s" % (release, message(error)))
        check(statuses(debits) == ["failed"], debits)


# ---- a name that means another relation ----------------------------------------------


def renamed_and_back():
    """A schema is renamed while the release holds its table, another relation bears the name when the
    scan is made, and all is as before when it ends. The other one is not read."""
    with closing(connect()) as boss, closing(connect("ann")) as ann:
        run(boss, "CREATE SCHEMA moving; GRANT USAGE ON SCHEMA moving TO ann;"
            "CREATE TABLE moving.it AS TABLE people;"
            "SELECT dp_protect('moving.it', 1000000), dp_grant('moving.it', 'ann', 900000),"
            " dp_define_column('moving.it', 'sex', categories => '{f, m}', complete => true)")
        watch = Watch(boss)
        statement = SMALL.replace("people", "moving.it")
        with held_up("counting", ann, statement) as (call, _):
            run(boss, "ALTER SCHEMA moving RENAME TO moved; CREATE SCHEMA moving;"
                "CREATE TABLE moving.it AS TABLE people LIMIT 10")
            call_goes_on_to("counted", call)
            run(boss, "ALTER SCHEMA moving RENAME TO other; ALTER SCHEMA moved RENAME TO moving")
            go_on()
            release, error = answer(call)
        debits = watch.goes_on(boss)
        check(error is not None and error.pgcode == "40001" and "its name means another one" in message(error)
              and STAYS in message(error), "%r, %r" % (release, error))
        check(statuses(debits) == ["failed"], debits)


# ---- kill -9 -------------------------------------------------------------------------


def killed(victim, point):
    with closing(again()) as boss, closing(connect("ann")) as ann:
        watch = Watch(boss)
        with held_up(point, ann) as (call, process):
            if victim == "worker":
                os.kill(process, signal.SIGKILL)
            elif victim == "caller":
                os.kill(ann.get_backend_pid(), signal.SIGKILL)
            elif victim == "server":
                os.kill(process, signal.SIGSTOP)  # or it sees for a moment that it is alone
                kill_server()
            else:
                kill_postmaster(process)
            release, error = answer(call)
            check(victim == "postmaster" or release is None and error.pgcode in LOST,
                  "%r, %r" % (release, error))
            # the worker too stands there until the server ends it
            wait_until(lambda: is_lost(boss), "that the server ends its sessions")
    with closing(again()) as boss:
        debits = watch.goes_on(boss)
        check(release is None or [release] == watch.stored()[:1], "an answer that is not stored")
        if victim == "postmaster":
            # the worker goes on until it waits: it may have paid, and stored
            wanted = (["debited"], ["released"]) + (() if point in PAID + STORED else ([],))
        else:
            wanted = ([] if point in BEFORE else ["debited"] if point in PAID else ["released"],)
        check(statuses(debits) in wanted, debits)


def main():
    for point in POINTS:
        for end, words in ENDED.items():
            if point != "answered":
                tap.attempt("%s at \"%s\"" % (end.__name__, point), ended, end, point)
    for point in POINTS + CALLER[1:]:
        for how in cancelled, disconnected:
            tap.attempt("the caller is %s at \"%s\"" % (how.__name__, point), leaves, how, point)
    tap.attempt("the number of a release is taken already", number_is_taken)
    tap.attempt("a schema is renamed there and back", renamed_and_back)
    for point in "planning", "debit committed", "counting":
        tap.attempt("statement_timeout at \"%s\"" % point, times_out, point)
    for point in POINTS:
        for victim in ("caller", "worker", "postmaster", "server"):
            if (point, victim) != ("answered", "worker"):
                tap.attempt("kill -9 of the %s at \"%s\"" % (victim, point), killed, victim, point)
    tap.done()


main()
