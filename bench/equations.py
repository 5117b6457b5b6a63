"""Rows of tables whose columns are an equation, against the same tables without it: milliseconds of a release and of
100,000 rows that are drawn from it into a table, by the clock, the least of some runs that alternate, and processor time
of the session that draws. Counts rows that break the rule. Prints Markdown."""
import argparse
import time

import psycopg2

DELTA = 1e-9

# columns, the equation, rows
TABLES = {
    "total = net + tax": (
        (("net", "numeric(10,2)", "0", "100000"), ("tax", "numeric(10,2)", "0", "20000"), ("total", "numeric(10,2)", "0", "120000")),
        "SELECT n, round(n * 0.19, 2), n + round(n * 0.19, 2) FROM (SELECT 1 + i %% 2000 AS n FROM generate_series(1, %d) i) x"),
    "a = b": (
        (("a", "int", "0", "1000"), ("b", "int", "100", "900")),
        "SELECT 100 + i %% 700, 100 + i %% 700 FROM generate_series(1, %d) i"),
    "ends = starts + lasts": (
        (("starts", "timestamp", "2024-01-01", "2024-12-31"), ("ends", "timestamp", "2024-01-01", "2025-12-31"), ("lasts", "interval", "0", "10 days")),
        "SELECT s, s + d, d FROM (SELECT timestamp '2024-01-01' + i %% 2000 * interval '97 min' AS s, i %% 300 * interval '7 min' AS d"
        " FROM generate_series(1, %d) i) x"),
    "amount = quantity * price": (
        (("quantity", "int", "1", "50"), ("price", "numeric(8,2)", "0", "1000"), ("amount", "numeric(12,2)", "0", "30000")),
        "SELECT q, p, q * p FROM (SELECT 1 + i %% 20 AS q, i * 37::bigint %% 900 + 0.99 AS p FROM generate_series(1, %d) i) x"),
    "a + b + c = 100": (
        (("a", "int", "0", "100"), ("b", "int", "0", "100"), ("c", "int", "0", "100")),
        "SELECT i %% 40, i %% 50, 100 - i %% 40 - i %% 50 FROM generate_series(1, %d) i"),
    "w + v = 1": (
        (("w", "float8", "0", "1"), ("v", "float8", "0", "1")),
        "SELECT i %% 2000 / 2001.0, 1 - i %% 2000 / 2001.0::float8 FROM generate_series(1, %d) i"),
    "persons = adults + children": (
        (("persons", "smallint", "1", "12"), ("adults", "smallint", "1", "8"), ("children", "smallint", "0", "8")),
        "SELECT 1 + i %% 4 + i / 4 %% 4, 1 + i %% 4, i / 4 %% 4 FROM generate_series(1, %d) i"),
}
METHODS = ("aim", "mst", "sbhg", "privbayes", "marginal", "flat")
APPROXIMATE = ("aim", "mst", "sbhg")


def cpu_ms(pid):
    with open("/proc/%d/schedstat" % pid, encoding="ascii") as file:
        return int(file.read().split()[0]) / 1e6


def make(cursor, name, columns, rule, query, null):
    """One of the last column's values in ten is NULL, where null."""
    words = ", ".join("%s %s%s CHECK (%s BETWEEN '%s' AND '%s')" % (n, t, "" if null else " NOT NULL", n, low, high)
                      for n, t, low, high in columns)
    cursor.execute("CREATE TABLE %s (%s%s)" % (name, words, ", CHECK (%s)" % rule if rule else ""))
    cursor.execute("INSERT INTO %s %s" % (name, query))
    if null:
        last = columns[-1][0]
        cursor.execute("UPDATE %s SET %s = NULL WHERE random() < 0.1" % (name, last))
    cursor.execute("SELECT dp_protect(%s, 1000, 1e-3)", (name,))


def run(connection, name, method, rows, seed):
    """Milliseconds of the release, of drawing, and processor time of drawing; rows in drawn."""
    cursor = connection.cursor()
    cursor.execute("DROP TABLE IF EXISTS drawn")
    began = time.perf_counter()
    cursor.execute("SELECT dp_release(%s, %s, 3, %s)", (name, method, DELTA if method in APPROXIMATE else 0))
    release, = cursor.fetchone()
    released = time.perf_counter()
    cpu = cpu_ms(connection.info.backend_pid)
    cursor.execute("CREATE TABLE drawn AS SELECT * FROM dp_sample(NULL::%s, %d, %d, %d)" % (name, release, rows, seed))
    cpu = cpu_ms(connection.info.backend_pid) - cpu
    return 1000 * (released - began), 1000 * (time.perf_counter() - released), cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rows", type=int, default=100000)
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("SET client_min_messages = error")
    cursor.execute("SET dpsyn.max_parallel_workers = 0")
    cursor.execute("CREATE SCHEMA equations")
    cursor.execute("SET search_path = equations, public")
    print("| equation | method | release, ms | without | draw, CPU ms | without | all, of what it takes without | rows that break it |")
    print("|---|---|---|---|---|---|---|---|")
    for number, (rule, (columns, query)) in enumerate(TABLES.items()):
        for null in (False, True):
            with_rule, without = "e%d%s" % (number, "n" * null), "f%d%s" % (number, "n" * null)
            make(cursor, with_rule, columns, rule, query % arguments.rows, null)
            make(cursor, without, columns, None, query % arguments.rows, null)
            for method in METHODS:
                one, other, broken = [], [], 0
                for i in range(arguments.runs):
                    one.append(run(connection, with_rule, method, arguments.rows, i))
                    cursor.execute("SELECT count(*) FILTER (WHERE NOT (%s)) FROM drawn" % rule)
                    broken += cursor.fetchone()[0]
                    other.append(run(connection, without, method, arguments.rows, i))
                a, b = ([min(values) for values in zip(*runs)] for runs in (one, other))
                print("| %s%s | %s | %.0f | %.0f | %.0f | %.0f | %.2f | %d |"
                      % (rule, ", NULLs" if null else "", method, a[0], b[0], a[2], b[2], (a[0] + a[1]) / (b[0] + b[1]), broken), flush=True)
    cursor.execute("DROP SCHEMA equations CASCADE")


if __name__ == "__main__":
    main()
