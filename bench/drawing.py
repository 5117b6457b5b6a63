"""CREATE TABLE AS of rows drawn from a stored release, against CREATE TABLE AS of a table that holds such rows: CPU time
of the session, and time by the clock, the least of some runs that alternate. Then a table that sessions fill together, each
with a part of the rows: CPU time of the one that took the most, and time by the clock until all were ready."""
import argparse
import os
import threading
import time

import psycopg2

import shapes
from tables import load, owner_and_analyst, read

METHODS = (("aim", 1e-9), ("mst", 1e-9), ("sbhg", 1e-6), ("privbayes", 1e-9))


def cpu_seconds(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def create(connection, query):
    """Seconds of CPU and by the clock."""
    cursor = connection.cursor()
    cursor.execute("DROP TABLE IF EXISTS drawn")
    cpu, clock = cpu_seconds(connection.info.backend_pid), time.perf_counter()
    cursor.execute("CREATE TABLE drawn AS " + query)
    return cpu_seconds(connection.info.backend_pid) - cpu, time.perf_counter() - clock


def fill(sessions, drawing):
    """The same for parts of the rows, each inserted by a session; drawing: its last words take part and parts."""
    cursor = sessions[0].cursor()
    cursor.execute("DROP TABLE IF EXISTS drawn; CREATE TABLE drawn (LIKE copied)")
    cpu, clock = [cpu_seconds(s.info.backend_pid) for s in sessions], time.perf_counter()
    threads = [threading.Thread(target=session.cursor().execute,
                                args=("INSERT INTO drawn " + drawing % (number + 1, len(sessions)),))
               for number, session in enumerate(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    clock = time.perf_counter() - clock
    return max(cpu_seconds(s.info.backend_pid) - before for s, before in zip(sessions, cpu)), clock


def least(runs):
    return [min(values) for values in zip(*runs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1000000)
    arguments = parser.parse_args()

    owner, analyst = owner_and_analyst()
    cursor = analyst.cursor()
    second = psycopg2.connect("user=analyst")
    second.autocommit = True
    for session in analyst, second:
        session.cursor().execute("SET client_min_messages = error; SET max_parallel_workers_per_gather = 0")
    codes, dims = shapes.wide(81)
    tables = {"adult_binned": read("%s/adult_binned.csv" % arguments.data),
              "wide81": (["c%d" % k for k in range(81)], [["v%d" % v for v in range(n)] for n in dims], None,
                         [["v%d" % v for v in row] for row in codes[:5000]])}
    print("### Drawing %d rows, CPU seconds and seconds, least of %d\n" % (arguments.rows, arguments.runs))
    print("| table | method | copying | drawing | ratio | filled by one session | by two |")
    print("|---|---|---|---|---|---|---|")
    for table, (header, labels, _, rows) in tables.items():
        load(owner, table, header, labels, rows)
        for method, delta in METHODS if table == "adult_binned" else METHODS[1:2]:
            cursor.execute("SELECT dp_release(%s, %s, 1, %s)", (table, method, delta))
            release = cursor.fetchone()[0]
            drawing = 'SELECT * FROM dp_sample(NULL::"%s", %d, %d, 1)' % (table, release, arguments.rows)
            part = 'SELECT * FROM dp_sample(NULL::"%s", %d, %d, 1, part => %%d, parts => %%d)' % (table, release, arguments.rows)
            cursor.execute("DROP TABLE IF EXISTS copied; CREATE TABLE copied AS " + drawing)
            runs = [(create(analyst, "SELECT * FROM copied"), create(analyst, drawing), fill([analyst], part),
                     fill([analyst, second], part)) for _ in range(arguments.runs)]
            copying, drawn, one, two = (least(run[i] for run in runs) for i in range(4))
            print("| %s | %s | %.2f, %.2f | %.2f, %.2f | %.2f, %.2f | %.2f, %.2f | %.2f, %.2f |"
                  % (table, method, *copying, *drawn, drawn[0] / copying[0], drawn[1] / copying[1], *one, *two), flush=True)


main()
