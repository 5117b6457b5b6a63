"""dp_evaluate beside what a scan costs: milliseconds, the fastest of some runs, and the ratios to two
count(*)s and to two scans of all columns. Prints Markdown."""
import argparse
import csv
import io
import os
import time

import psycopg2


def fastest(cursor, query, runs):
    best = float("inf")
    for _ in range(runs):
        begin = time.perf_counter()
        cursor.execute(query)
        cursor.fetchall()
        best = min(best, time.perf_counter() - begin)
    return best * 1000


def load(cursor, path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    cursor.execute("CREATE TABLE first (%s)" % ", ".join('"%s" text' % name for name in header))
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    text.seek(0)
    cursor.copy_expert("COPY first FROM STDIN CSV", text)
    cursor.execute("CREATE TABLE second AS SELECT * FROM first WHERE random() < 0.9")


def make(cursor, rows, columns):
    """Columns of 2 to 15 levels; the second table has other rows of the same kind."""
    for name, shift in (("first", 0), ("second", 1)):
        values = ", ".join("(hashint8(i * %d + %d) & 1023) %% %d AS c%d"
                           % (columns + j - shift, j, 2 + j * 7 % 14, j) for j in range(columns))
        cursor.execute("CREATE UNLOGGED TABLE %s AS SELECT %s FROM generate_series(1, %d::bigint) i"
                       % (name, values, rows))


def measure(cursor, table, runs):
    cursor.execute("VACUUM ANALYZE first")
    cursor.execute("VACUUM ANALYZE second")
    cursor.execute("SELECT string_agg(format('count(%I)', attname), ', ') FROM pg_attribute"
                   " WHERE attrelid = 'first'::regclass AND attnum > 0")
    columns, = cursor.fetchone()
    counts = sum(fastest(cursor, "SELECT count(*) FROM " + t, runs) for t in ("first", "second"))
    scans = sum(fastest(cursor, "SELECT %s FROM %s" % (columns, t), runs) for t in ("first", "second"))
    print("| %s | two count(*)s | %.1f | 1 | |" % (table, counts))
    print("| %s | two scans of all columns | %.1f | %.1f | 1 |" % (table, scans, scans / counts))
    for what, options in (("ways 1", '{"ways": 1}'), ("ways 2", '{"ways": 2}'), ("ways 3", "{}"),
                          ("ways 3, 8 MB", '{"memory": "8MB"}')):
        call = "SELECT count(*) FROM dp_evaluate('first', 'second', '%s')" % options
        spent = fastest(cursor, call, runs)
        print("| %s | dp_evaluate, %s | %.1f | %.1f | %.1f |"
              % (table, what, spent, spent / counts, spent / scans), flush=True)
    cursor.execute("DROP TABLE first, second")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1000000)
    options = parser.parse_args()
    connection = psycopg2.connect(dbname=os.environ.get("PGDATABASE", "postgres"))
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS dpsyn")
    cursor.execute("SET max_parallel_workers_per_gather = 0")
    print("| tables | | ms | / count(*) | / scan |\n|---|---|---|---|---|")
    if options.data and os.path.exists(os.path.join(options.data, "adult_binned.csv")):
        load(cursor, os.path.join(options.data, "adult_binned.csv"))
        measure(cursor, "adult_binned, 13 columns", options.runs)
    make(cursor, options.rows, 35)
    measure(cursor, "%d rows, 35 columns" % options.rows, max(1, options.runs // 5))


if __name__ == "__main__":
    main()
