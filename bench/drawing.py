"""CREATE TABLE AS of rows drawn from a stored release, against CREATE TABLE AS of a table that holds such rows: CPU time
of the session, and time by the clock, the least of some runs that alternate."""
import argparse
import os
import time


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
    cursor.execute("SET client_min_messages = error")
    codes, dims = shapes.wide(81)
    tables = {"adult_binned": read("%s/adult_binned.csv" % arguments.data),
              "wide81": (["c%d" % k for k in range(81)], [["v%d" % v for v in range(n)] for n in dims], None,
                         [["v%d" % v for v in row] for row in codes[:5000]])}
    print("### Drawing %d rows, CPU seconds and seconds, least of %d\n" % (arguments.rows, arguments.runs))
    print("| table | method | parallel workers | copying | drawing | ratio |")
    print("|---|---|---|---|---|---|")
    for table, (header, labels, _, rows) in tables.items():
        load(owner, table, header, labels, rows)
        for method, delta in METHODS if table == "adult_binned" else METHODS[1:2]:
            cursor.execute("SELECT dp_release(%s, %s, 1, %s)", (table, method, delta))
            drawing = 'SELECT * FROM dp_sample(NULL::"%s", %d, %d, 1)' % (table, cursor.fetchone()[0], arguments.rows)
            cursor.execute("DROP TABLE IF EXISTS copied; CREATE TABLE copied AS " + drawing)
            for workers in 0, 2:
                cursor.execute("SET max_parallel_workers_per_gather = %d" % workers)
                runs = [(create(analyst, "SELECT * FROM copied"), create(analyst, drawing)) for _ in range(arguments.runs)]
                copying, drawn = least(run[0] for run in runs), least(run[1] for run in runs)
                print("| %s | %s | %d | %.2f, %.2f | %.2f, %.2f | %.2f, %.2f |"
                      % (table, method, workers, *copying, *drawn, drawn[0] / copying[0], drawn[1] / copying[1]), flush=True)


main()
