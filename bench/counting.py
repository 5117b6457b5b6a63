"""Counting: dpsyn's aggregate beside what SQL has, over the same tables in the same run.
Prints, in Markdown, ns a row and the ratio to count(*) over the same table; each figure
is the fastest of some runs, the runs of one table taken in turns."""
import argparse
import csv
import io
import itertools
import json
import os
import re
import time

import psycopg2

# levels like those of Adult
LEVELS = (9, 16, 7, 15, 6, 5, 2, 10, 8, 12, 42, 2)
WORDS = ("Private", "HS-grad", "Never-married", "Craft-repair", "Own-child", "White", "Male", "band ",
         "level ", "group ", "United-States", ">50K")
WIDE = 60


def value(level):
    """Skewed, as columns of people are."""
    return "(power(random(), 3) * %d)::integer %% %d" % (level, level)


def make(connection, rows):
    numbers = ", ".join("(%s)::smallint AS a%d" % (value(n), i) for i, n in enumerate(LEVELS))
    texts = ", ".join("'%s' || a%d AS a%d" % (w, i, i) for i, w in enumerate(WORDS))
    mixed = ", ".join(("a%d" if i % 2 else "'" + w + "' || a%d AS a%d") % ((i,) if i % 2 else (i, i))
                      for i, w in enumerate(WORDS))
    for name, query in (("small_%d" % rows, "SELECT %s FROM generate_series(1, %d)" % (numbers, rows)),
                        ("text_%d" % rows, "SELECT %s FROM small_%d" % (texts, rows)),
                        ("mixed_%d" % rows, "SELECT %s FROM small_%d" % (mixed, rows))):
        run(connection, "CREATE UNLOGGED TABLE %s AS %s" % (name, query))
        run(connection, "VACUUM (FREEZE, ANALYZE) " + name)


def make_wide(connection, rows):
    columns = ", ".join("(%s)::smallint AS a%d" % (value(2 + i * 7 % 11), i) for i in range(WIDE))
    run(connection, "CREATE UNLOGGED TABLE wide_%d AS SELECT %s FROM generate_series(1, %d)"
        % (rows, columns, rows))
    run(connection, "VACUUM (FREEZE, ANALYZE) wide_%d" % rows)


def run(connection, statement, *values):
    cursor = connection.cursor()
    cursor.execute(statement, values or None)
    return cursor.fetchall() if cursor.description else None


def spec(connection, table, ways):
    """The domain of a table, read off it: this is a bench, not a release."""
    columns = []
    for name, kind in run(connection, "SELECT attname, atttypid::regtype::text FROM pg_attribute WHERE"
                          " attrelid = %s::regclass AND attnum > 0 ORDER BY attnum", table):
        labels = run(connection, "SELECT DISTINCT %s::text FROM %s ORDER BY 1" % (name, table))
        columns.append({"name": name, "type": kind, "categories": [row[0] for row in labels]})
    made = run(connection, "SELECT dp_marginal_spec(domains => %s::jsonb, ways => %s)", json.dumps(columns), ways)
    return ["".join(("\\x", made[0][0].hex())), [c["name"] for c in columns]]


def ours(connection, table, ways, workers=0):
    bytes_of_spec, columns = spec(connection, table, ways)
    return ("SET max_parallel_workers_per_gather = %d" % workers,
            "SELECT dp_marginals('%s'::bytea, %s) FROM %s" % (bytes_of_spec, ", ".join(columns), table))


def grouping_sets(table, columns, ways):
    sets = ", ".join("(%s)" % ", ".join(s) for s in itertools.combinations(columns, ways))
    return "SELECT count(*) FROM (SELECT count(*) FROM %s GROUP BY GROUPING SETS (%s)) g" % (table, sets)


def one_group_by_each(table, columns, ways):
    return "; ".join("SELECT count(*) FROM (SELECT count(*) FROM %s GROUP BY %s) g" % (table, ", ".join(s))
                     for s in itertools.combinations(columns, ways))


def cube(table, columns):
    return "SELECT count(*) FROM (SELECT count(*) FROM %s GROUP BY CUBE (%s)) g" % (table, ", ".join(columns))


def measure(connection, jobs, runs):
    """jobs: name -> statement or (setting, statement); best seconds of each, taken in turns."""
    best = {}
    for turn in range(runs):
        for name, job in jobs.items():
            setting, statement = job if isinstance(job, tuple) else (
                "SET max_parallel_workers_per_gather = 0", job)
            run(connection, setting)
            begin = time.perf_counter()
            # the result is made and thrown away where it is
            run(connection, statement)
            seconds = time.perf_counter() - begin
            best[name] = min(best.get(name, seconds), seconds)
    return best


def memory(job):
    """Peak memory of the backend, in MB, after counting."""
    with psycopg2.connect("") as fresh:
        fresh.autocommit = True
        run(fresh, "SET jit = off; " + job[0])
        run(fresh, job[1])
        pid = run(fresh, "SELECT pg_backend_pid()")[0][0]
        status = open("/proc/%d/status" % pid, encoding="ascii").read()
        anonymous = [line for line in status.splitlines() if line.startswith("RssAnon")]
    return int(anonymous[0].split()[1]) / 1024


def show(rows, name, seconds, count):
    print("| %s | %s | %.3f | %.0f | %.1f |" % (format(rows, ","), name, seconds, seconds / rows * 1e9,
                                             seconds / count), flush=True)


def table_of(connection, rows, table, jobs, runs):
    jobs = dict({"count(*)": "SELECT count(*) FROM " + table}, **jobs)
    best = measure(connection, jobs, runs)
    for name, seconds in best.items():
        show(rows, name + (" of %s" % table if name == "count(*)" else ""), seconds, best["count(*)"])
    return best


def bench_rows(connection, rows, runs, slow):
    columns = ["a%d" % i for i in range(len(LEVELS))]
    small, text, mixed = ("%s_%d" % (kind, rows) for kind in ("small", "text", "mixed"))
    best = table_of(connection, rows, small, {
        "reading: count(a11), the last column": "SELECT count(a11) FROM " + small,
        "66 pairs, 12 smallint columns": ours(connection, small, 2),
        "the same, 1 parallel worker": ours(connection, small, 2, 1),
        "the same, 2 parallel workers": ours(connection, small, 2, 2),
        "220 triples, 12 smallint columns": ours(connection, small, 3)}, runs)
    for table, what in ((text, "short text"), (mixed, "mixed")):
        table_of(connection, rows, table, {
            "reading: count(a11), the last column": "SELECT count(a11) FROM " + table,
            "66 pairs, 12 %s columns" % what: ours(connection, table, 2),
            "the same, 1 parallel worker": ours(connection, table, 2, 1)}, runs)
    if slow:
        run(connection, "SET work_mem = '256MB'")
        for name, statement in (("GROUPING SETS, 66 pairs, smallint", grouping_sets(small, columns, 2)),
                                ("one GROUP BY a pair, smallint", one_group_by_each(small, columns, 2)),
                                ("CUBE of 6 of the columns, smallint", cube(small, columns[:6]))):
            show(rows, name, measure(connection, {name: statement}, 1)[name], best["count(*)"])
        run(connection, "RESET work_mem")
    return best


def in_worker(connection, data, runs):
    """All pairs of adult_binned as a release counts them, by the worker's own clock: from making the
    spec to the tables being filled."""
    with open(os.path.join(data, "adult_binned.csv"), newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    run(connection, "CREATE TABLE adult (%s)" % ", ".join('"%s" text' % name for name in header))
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    text.seek(0)
    connection.cursor().copy_expert("COPY adult FROM STDIN (FORMAT csv)", text)
    run(connection, "VACUUM (FREEZE, ANALYZE) adult")
    run(connection, "SELECT dp_protect('adult', 1000000, 0.9)")
    for i, name in enumerate(header):
        run(connection, "SELECT dp_define_column('adult', %s, categories => %s, complete => true)", name,
            sorted({row[i] for row in rows}))
    pairs = len(header) * (len(header) - 1) // 2
    for workers in 0, 1:
        run(connection, "ALTER DATABASE postgres SET log_min_messages = debug1;"
            "ALTER DATABASE postgres SET max_parallel_workers_per_gather = %d" % workers)
        with open(os.environ["SERVER_LOG"], encoding="utf-8", errors="replace") as log:
            log.seek(0, os.SEEK_END)
            for _ in range(runs):
                run(connection, "SELECT dp_release('adult', 'sbhg', 1, 1e-9)")
            times = [int(us) for us in re.findall(r"dpsyn: %d tables counted in (\d+) us" % pairs, log.read())]
        run(connection, "ALTER DATABASE postgres RESET log_min_messages;"
            "ALTER DATABASE postgres RESET max_parallel_workers_per_gather")
        assert len(times) == runs
        print("%d pairs of the %s rows of adult_binned (%d text columns), inside the release worker, %s: "
              "%.1f ms (%.1f to %.1f in %d releases).\n"
              % (pairs, format(len(rows), ","), len(header), "1 parallel worker" if workers else "serial",
                 min(times) / 1e3, min(times) / 1e3, max(times) / 1e3, runs))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000000, 10000000])
    parser.add_argument("--data", help="where adult_binned.csv is")
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    run(connection, "CREATE EXTENSION dpsyn; SET jit = off; SELECT setseed(0.5);"
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0")
    if arguments.data:
        in_worker(connection, arguments.data, max(arguments.runs, 5))
    print("### Counting, %d runs each, the fastest; data cached\n" % arguments.runs)
    print("| rows | what | seconds | ns a row | x count(*) |")
    print("|---|---|---|---|---|")
    figures = {}
    for rows in arguments.rows:
        make(connection, rows)
        figures[rows] = bench_rows(connection, rows, arguments.runs, rows == arguments.rows[0])
    rows = arguments.rows[0]
    make_wide(connection, rows)
    wide = "wide_%d" % rows
    table_of(connection, rows, wide, {"1,770 pairs, 60 smallint columns": ours(connection, wide, 2)},
             arguments.runs)
    if len(arguments.rows) > 1:
        name, many = "66 pairs, 12 smallint columns", arguments.rows[-1]
        print("\n%s rows take %.2f times as long as %s; memory of the backend %.1f MB against %.1f MB." % (
            format(many, ","), figures[many][name] / figures[rows][name], format(rows, ","),
            memory(ours(connection, "small_%d" % many, 2)),
            memory(ours(connection, "small_%d" % rows, 2))))


main()
