"""What a budget costs: releases a second from a table of ten rows, so that hardly
anything is left but the ledger (a worker, two durable commits), by one to eight
clients, of one relation or of one each. Beside it the commit of a transaction that
only left an empty message in the log: one flush of it, by as many clients."""
import argparse
import statistics
import threading
import time
from contextlib import closing

import psycopg2

CLIENTS = (1, 2, 4, 8)
RELEASE = "SELECT dp_release('bench_%d', 'sba', 0.001, 0, '{\"dense_cells\": 10}')"
COMMIT = "SELECT pg_logical_emit_message(true, '', '')"
SETUP = """
CREATE EXTENSION dpsyn;
CREATE ROLE analyst LOGIN;
"""
RELATION = """
CREATE TABLE bench_%(n)d AS SELECT i %% 2 = 0 AS even FROM generate_series(1, 10) i;
SELECT dp_protect('bench_%(n)d', 1000000), dp_grant('bench_%(n)d', 'analyst', 1000000);
"""


def connect(user):
    connection = psycopg2.connect("user=" + user)
    connection.autocommit = True
    return connection


def client(statement, start, end, times, errors):
    try:
        with closing(connect("analyst")) as session, session.cursor() as cursor:
            cursor.execute(statement)  # catalogs are cached, the library is loaded
            start.wait()
            while time.perf_counter() < end[0]:
                begin = time.perf_counter()
                cursor.execute(statement)
                times.append(time.perf_counter() - begin)
    except Exception as error:  # told below; a barrier must not wait for it
        start.abort()
        errors.append(error)


def measure(statements, seconds):
    """(calls a second, median in ms) of as many clients as statements."""
    times, errors = [], []
    end = [0.0]

    def set_end():
        end[0] = time.perf_counter() + seconds
    start = threading.Barrier(len(statements), set_end)
    threads = [threading.Thread(target=client, args=(statement, start, end, times, errors))
               for statement in statements]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return len(times) / seconds, statistics.median(times) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()

    with closing(connect("postgres")) as owner, owner.cursor() as cursor:
        cursor.execute(SETUP)
        for n in range(max(CLIENTS)):
            cursor.execute(RELATION % {"n": n})
        cursor.execute("SELECT current_setting('fsync'), current_setting('wal_sync_method')")
        print("### Releases a second, fsync %s (%s), median (best) of %d rounds of %g seconds\n"
              % (*cursor.fetchone(), arguments.rounds, arguments.seconds))
    # in rounds, so that what else the machine does comes to all settings
    settings = [(clients, name) for clients in CLIENTS for name in ("the same", "one each")]
    releases = {setting: [] for setting in settings}
    commits = {setting: [] for setting in settings}
    for _ in range(arguments.rounds):
        for setting in settings:
            clients, name = setting
            relations = [0] * clients if name == "the same" else range(clients)
            commits[setting].append(measure([COMMIT] * clients, arguments.seconds / 4)[1])
            releases[setting].append(measure([RELEASE % n for n in relations], arguments.seconds))
    print("| clients | relations | releases a second | ms a release | ms a commit | ratio |")
    print("|---|---|---|---|---|---|")
    for setting in settings:
        rates, times = zip(*releases[setting])
        release, commit = statistics.median(times), statistics.median(commits[setting])
        print("| %d | %s | %.0f (%.0f) | %.1f | %.2f | %.0f |"
              % (*setting, statistics.median(rates), max(rates), release, commit, release / commit))


main()
