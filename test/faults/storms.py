"""Many callers at once, and many releases in a row."""
import os
import random
import threading
import time
from contextlib import closing

import psycopg2

from scene import SMALL, Watch, message, postmaster
from dptest import Tap, check, connect, one, run

tap = Tap()

CALLERS, CALLS = 16, 15
ROW = int(os.environ.get("FAULT_RELEASES", "600"))  # releases in a row


def storm(impatient):
    """Sessions that connect, ask and go, more of them than workers; some do not wait."""
    answers, errors = [], []

    def caller(seed):
        patience = random.Random(seed)
        for _ in range(CALLS):
            with closing(connect("ann")) as ann:
                try:
                    if impatient:
                        run(ann, "SET statement_timeout = %s", patience.randint(1, 200))
                    answers.append(one(ann, SMALL))
                except psycopg2.Error as error:
                    errors.append((error.pgcode, message(error)))

    with closing(connect()) as boss:
        watch = Watch(boss)
        threads = [threading.Thread(target=caller, args=(seed,)) for seed in range(CALLERS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        debits = watch.goes_on(boss)
    check(len(answers) + len(errors) == CALLERS * CALLS, "calls without an end")
    check(len(set(answers)) == len(answers), "two callers got one release")
    unpaid = set(answers) - {debit[0] for debit in debits if debit[2] == "released"}
    check(not unpaid, "answers without a debit: %r" % unpaid)
    if impatient:  # who leaves may have paid, and then the release is there
        wrong = [error for error in errors if error[0] != "57014" and "Nothing was spent" not in error[1]]
    else:
        check(len(debits) == len(answers), "%d debits, %d answers" % (len(debits), len(answers)))
        wrong = [error for error in errors if error[0] not in ("53000", "55P03")
                 or "Nothing was spent." not in error[1]]
        check(answers, "no answer at all: %r" % errors[:3])
    check(not wrong, wrong[:3])
    return "%d answers, %d refused or given up, %d debits" % (len(answers), len(errors), len(debits))


# ---- in a row ------------------------------------------------------------------------

HELD = """SELECT (SELECT sum(used_bytes) FROM pg_backend_memory_contexts)::bigint,
	(SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype <> 'virtualxid'),
	(SELECT count(*) FROM dp_running), (SELECT sum(allocated_size) FROM pg_shmem_allocations)"""
IN_A_ROW = """DO $$ BEGIN FOR i IN 1..%d LOOP
	PERFORM dp_release('people', 'sba', 1, 0, '{"dense_cells": 100}'); COMMIT;
	END LOOP; END $$"""


def dynamic_segments():
    """Of the whole machine: those of dynamic shared memory, which a leak would fill."""
    return len([name for name in os.listdir("/dev/shm") if name.startswith("PostgreSQL.")]) \
        if os.path.isdir("/dev/shm") else 0


def resident(pids):
    """Memory of processes in bytes, without what they share; [] where /proc does not tell."""
    sizes = []
    for pid in pids:
        try:
            with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as file:
                sizes += [int(line.split()[1]) * 1024 for line in file if line.startswith("RssAnon:")]
        except FileNotFoundError:
            pass
    return sizes


def in_a_row():
    """What a session and the server hold does not grow with the releases."""
    with closing(connect()) as boss:
        watch = Watch(boss)
        run(boss, IN_A_ROW % 100)
        before, segments = run(boss, HELD)[0], dynamic_segments()
        pids = (postmaster(), boss.get_backend_pid())
        sizes, seconds = resident(pids), []
        for _ in range(10):
            start = time.monotonic()
            run(boss, IN_A_ROW % (ROW // 10))
            seconds.append(time.monotonic() - start)
        after = run(boss, HELD)[0]
        grown = [now - then for now, then in zip(resident(pids), sizes)]
        check(after[1:] == before[1:], "%r, then %r" % (before, after))
        check(after[0] - before[0] < 256 * 1024, "the session's memory grew: %r, then %r" % (before, after))
        check(dynamic_segments() < segments + ROW // 10, "segments of shared memory are left")
        debits = watch.goes_on(boss)
        check(len(debits) == ROW // 10 * 10 + 100 and {debit[2] for debit in debits} == {"released"}, len(debits))
    first, last = (10000 * part / ROW for part in (seconds[0], seconds[-1]))
    return "%.1f ms each in the first tenth, %.1f in the last; memory %+d bytes; of postmaster and" \
        " session in all %s" % (first, last, after[0] - before[0], grown)


def main():
    tap.attempt("%d calls of %d sessions at once for a few workers" % (CALLERS * CALLS, CALLERS), storm, False)
    tap.attempt("the same, of callers that give up after some ms", storm, True)
    tap.attempt("%d releases in a row" % ROW, in_a_row)
    tap.done()


main()
