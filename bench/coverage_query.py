"""How often the intervals of dp_query hold what they promise, over many releases: the aggregates of
groups of different sizes of columns of different shapes. The truth is that of the same rows, clamped
to the range."""
import argparse
import csv
from contextlib import closing

import psycopg2
import psycopg2.extras

MEASURES = ("count(*)", "sum(x)", "avg(x)", "stddev(x)", "median(x)", "quantile(x, 0.9)")
GENERATED = """
CREATE TABLE generated (i serial, grp text NOT NULL, x integer NOT NULL);
SELECT setseed(0.5);
-- groups of half, a quarter, ... of the rows; x is skewed, and a few lie outside of its range
INSERT INTO generated (grp, x) SELECT (ARRAY['a', 'b', 'c', 'd', 'e'])[least(1 + floor(-ln(1 - random()) / ln(2)), 5)::int],
       (20 * exp(random() * random() * 4))::int FROM generate_series(1, 20000) i"""
# name, the file, the column of groups, that of values, its range
TABLES = (("generated", None, None, None, 500), ("adult age", "adult", "race", "age", 120),
          ("adult capital_gain", "adult", "sex", "capital_gain", 100000),
          ("cps age", "cps_vote10k", "year", "age", 100))
SETTINGS = ((.1, 0), (1, 0), (10, 0), (1, 1e-6))


def run(connection, statement, *arguments):
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments or None)
        return cursor.fetchall() if cursor.description else []


def load(boss, data, file, group, value):
    """The rows, and the name of their table."""
    if file is None:
        run(boss, GENERATED)
        return "generated"
    with open("%s/%s.csv" % (data, file), encoding="utf-8") as lines:
        rows = [(row[group], int(row[value])) for row in csv.DictReader(lines) if row[value].isdigit()]
    table = "%s_%s" % (file, value)
    run(boss, "CREATE TABLE %s (i serial, grp text NOT NULL, x integer NOT NULL)" % table)
    with boss.cursor() as cursor:
        psycopg2.extras.execute_values(cursor, "INSERT INTO %s (grp, x) VALUES %%s" % table, rows)
    return table


def truth(boss, table, high):
    run(boss, "DROP TABLE IF EXISTS truth")
    run(boss, """CREATE TABLE truth AS SELECT grp, unnest(%%s) AS measure,
           unnest(ARRAY[count(*), sum(x), avg(x), stddev(x), percentile_disc(0.5) WITHIN GROUP (ORDER BY x),
                        percentile_disc(0.9) WITHIN GROUP (ORDER BY x)]::float8[]) AS value
      FROM (SELECT grp, least(x, %d) AS x FROM %s) clamped GROUP BY grp""" % (high, table), list(MEASURES))


def protect(boss, table, high, rows, neighbours):
    """A view of the rows, of which a person has so many."""
    view = "%s_%d_%s" % (table, rows, neighbours)
    unit = "" if rows == 1 else ", unit_column => 'person', max_rows_per_unit => %d" % rows
    run(boss, "CREATE VIEW %s AS SELECT i / %d AS person, grp, x FROM %s" % (view, rows, table))
    run(boss, "SELECT dp_protect('%s', 1000000, 0.5, neighbours => '%s'%s)" % (view, neighbours, unit))
    run(boss, "SELECT dp_define_column(%s, 'grp', categories => (SELECT array_agg(DISTINCT grp) FROM truth), complete => true)", view)
    run(boss, "SELECT dp_define_column(%s, 'x', range => ARRAY['0', %s])", view, str(high))
    return view


def coverage(boss, view, rows, epsilon, delta, runs):
    """{measure: per cent of intervals that hold}, where all rows of a person count"""
    return dict(run(boss, """
        SELECT q.measure, 100 * avg((t.value BETWEEN q.low - 1e-9 AND q.high + 1e-9)::int)::float8
          FROM generate_series(1, %%s) n,
               LATERAL dp_query(NULL::%s, %%s::text[], %%s + 0 * n, '{grp}', delta => %%s, max_rows_per_unit => %d) q
          JOIN truth t ON t.grp = q.cell ->> 'grp' AND t.measure = q.measure GROUP BY 1""" % (view, rows),
        runs, list(MEASURES), epsilon, delta))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=200)
    arguments = parser.parse_args()
    with closing(psycopg2.connect("")) as boss:
        boss.autocommit = True
        run(boss, "SET dpsyn.query_refresh = 0")  # each question anew
        run(boss, "SET client_min_messages = error")
        run(boss, "CREATE EXTENSION IF NOT EXISTS dpsyn")
        print("| column | rows a unit | relation | epsilon | delta | %s |" % " | ".join(MEASURES))
        print("|---|---|---|---|---|%s" % ("---|" * len(MEASURES)))
        for name, file, group, value, high in TABLES:
            table = load(boss, arguments.data, file, group, value)
            truth(boss, table, high)
            for rows in 1, 5:
                for neighbours in "add_remove", "replace_one":
                    view = protect(boss, table, high, rows, neighbours)
                    for epsilon, delta in SETTINGS:
                        held = coverage(boss, view, rows, epsilon, delta, arguments.runs)
                        print("| %s | %d | %s | %g | %g | %s |" % (name, rows, neighbours, epsilon, delta, " | ".join(
                            "%.1f" % held[measure] for measure in MEASURES)), flush=True)


if __name__ == "__main__":
    main()
