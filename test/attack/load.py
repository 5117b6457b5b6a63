"""Eight sessions ask for more than there is, as fast as they can: what is granted is
exactly what there is, and nothing else goes wrong on the way.
"""
import os
import sys
import time
from collections import Counter
from contextlib import closing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from dptest import Book, Tap, Thread, connect, one, run  # noqa: E402

ROLES, SESSIONS, CALLS = 4, 8, 300
CAP, GRANT = 1500, 400  # calls that the relation and each role can pay; 4 x 400 > 1500
CALL = "SELECT dp_release('crowded', 'sba', 0.01, 0, '{\"dense_cells\": 10}')"

SETUP = """
CREATE EXTENSION dpsyn;
CREATE TABLE crowded AS SELECT i %% 2 = 0 AS even FROM generate_series(1, 10) i;
SELECT dp_protect('crowded', %s);
""" % (CAP * 0.01)


def spend(role):
    """What became of each call, and how long each took."""
    outcomes, seconds = Counter(), []
    with closing(connect(role)) as session:
        for _ in range(CALLS):
            begin = time.monotonic()
            try:
                run(session, CALL)
                outcomes["granted"] += 1
            except Exception as error:
                outcomes[getattr(error, "pgcode", None) or repr(error)] += 1
            seconds.append(time.monotonic() - begin)
    return role, outcomes, seconds


def main():
    tap = Tap()
    boss = connect()
    run(boss, SETUP)
    roles = ["role_%d" % i for i in range(ROLES)]
    for role in roles:
        run(boss, "CREATE ROLE %s LOGIN; SELECT dp_grant('crowded', '%s', %s)"
            % (role, role, GRANT * 0.01))
    begin = time.monotonic()
    results = [session.finish(600) for session in
               [Thread(spend, roles[i % ROLES]) for i in range(SESSIONS)]]
    total = time.monotonic() - begin
    Book(boss).settle()

    outcomes = sum((outcomes for _, outcomes, _ in results), Counter())
    tap.ok(outcomes["granted"] == CAP and sum(outcomes.values()) == SESSIONS * CALLS,
           "%d sessions, %d calls, a cap for %d: all of it is granted and no more (naive: more)"
           % (SESSIONS, SESSIONS * CALLS, CAP), outcomes)
    tap.equal(dict(outcomes), {"granted": CAP, "53400": SESSIONS * CALLS - CAP},
              "every other call hears that the budget is exhausted: no deadlock, no lock timeout,"
              " no missing worker")
    granted = Counter()
    for role, of_session, _ in results:
        granted[role] += of_session["granted"]
    tap.ok(max(granted.values()) <= GRANT, "no role passes its own grant", granted)

    tap.equal(run(boss, "SELECT spent_epsilon_nano, epsilon_nano FROM dp_catalog.dp_dataset"),
              [(CAP * 10 ** 7, CAP * 10 ** 7)], "the relation's total is the cap")
    lines = dict(run(boss, "SELECT role_name, count(*) FROM dp_catalog.dp_ledger_entry WHERE kind = 'debit'"
                     " AND epsilon_nano = 10 ^ 7 GROUP BY 1"))
    tap.equal(lines, dict(granted), "each role's lines in the ledger are what it was granted")
    tap.equal(dict(run(boss, "SELECT role::text, spent_epsilon_nano / 10 ^ 7 FROM dp_catalog.dp_allocation")),
              dict(granted), "each role's total is what it was granted")
    tap.equal(one(boss, "SELECT count(*) FROM dp_catalog.dp_ledger_entry d JOIN dp_catalog.dp_ledger_entry o"
                  " ON o.debit = d.id AND o.kind = 'released' JOIN dp_catalog.dp_release_store r ON r.id = d.id"
                  " AND r.role = d.role"), CAP, "each debit has its stored release")
    tap.equal(one(boss, "SELECT count(*) FROM dp_catalog.dp_release_store"), CAP, "and no release is without")
    slowest = sorted(second for _, _, seconds in results for second in seconds)
    print("# %.1f s; %.0f calls a second; a call took %.1f ms in the median, %.0f ms at most"
          % (total, len(slowest) / total, slowest[len(slowest) // 2] * 1e3, slowest[-1] * 1e3))
    tap.done()


main()
