"""How often the intervals of dp_query hold what they promise: the aggregates of groups of very
different sizes, over many releases. The truth is that of the same rows, clamped to the range."""
import argparse
from contextlib import closing

import psycopg2

MEASURES = ("count(*)", "sum(x)", "avg(x)", "stddev(x)", "median(x)", "quantile(x, 0.9)")
TABLE = """
CREATE EXTENSION IF NOT EXISTS dpsyn;
CREATE TABLE people (person integer NOT NULL, grp text NOT NULL CHECK (grp IN ('a', 'b', 'c', 'd', 'e')),
                     x integer NOT NULL);
SELECT setseed(0.5);
-- groups of half, a quarter, ... of the rows; x is skewed, and a few lie outside of its range
INSERT INTO people SELECT i / 5, (ARRAY['a', 'b', 'c', 'd', 'e'])[least(1 + floor(-ln(1 - random()) / ln(2)), 5)::int],
       (20 * exp(random() * random() * 4))::int FROM generate_series(1, 20000) i;
CREATE TABLE truth AS SELECT grp, unnest(ARRAY['count(*)', 'sum(x)', 'avg(x)', 'stddev(x)', 'median(x)', 'quantile(x, 0.9)']) AS measure,
       unnest(ARRAY[count(*), sum(x), avg(x), stddev(x), percentile_disc(0.5) WITHIN GROUP (ORDER BY x),
                    percentile_disc(0.9) WITHIN GROUP (ORDER BY x)]::float8[]) AS value
  FROM (SELECT grp, least(x, 500) AS x FROM people) clamped GROUP BY grp;
"""
PROTECT = """
CREATE VIEW {view} AS SELECT * FROM people;
SELECT dp_protect('{view}', 1000000, 0.5, neighbours => '{neighbours}'{unit});
SELECT dp_define_column('{view}', 'grp', categories => '{{a,b,c,d,e}}', complete => true);
SELECT dp_define_column('{view}', 'x', bins => '{{0,100,500}}');
"""


def run(connection, statement, *arguments):
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments or None)
        return cursor.fetchall() if cursor.description else []


def coverage(boss, view, epsilon, delta, runs):
    """{measure: (share of intervals that hold, those that are the whole range)}"""
    return {measure: (held, whole) for measure, held, whole in run(boss, """
        SELECT q.measure, avg((t.value BETWEEN q.low - 1e-9 AND q.high + 1e-9)::int)::float8,
               avg((q.low <= 0 AND q.high >= 500)::int)::float8
          FROM generate_series(1, %%s) n,
               LATERAL dp_query(NULL::%s, %%s::text[], %%s + 0 * n, '{grp}', delta => %%s) q
          JOIN truth t ON t.grp = q.cell ->> 'grp' AND t.measure = q.measure GROUP BY 1""" % view,
        runs, list(MEASURES), epsilon, delta)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    arguments = parser.parse_args()
    with closing(psycopg2.connect("")) as boss:
        boss.autocommit = True
        run(boss, "SET client_min_messages = error")
        run(boss, TABLE)
        print("| rows a unit | relation | epsilon | delta | %s |" % " | ".join(MEASURES))
        print("|---|---|---|---|%s" % ("---|" * len(MEASURES)))
        for rows, neighbours in ((1, "add_remove"), (1, "replace_one"), (5, "add_remove"),
                                 (5, "replace_one")):
            view = "people_%d_%s" % (rows, neighbours)
            unit = "" if rows == 1 else ", unit_column => 'person', max_rows_per_unit => 5"
            run(boss, PROTECT.format(view=view, neighbours=neighbours, unit=unit))
            for epsilon, delta in ((.1, 0), (1, 0), (10, 0), (1, 1e-6)):
                held = coverage(boss, view, epsilon, delta, arguments.runs)
                print("| %d | %s | %g | %g | %s |" % (rows, neighbours, epsilon, delta, " | ".join(
                    "%.1f %%" % (100 * held[measure][0]) for measure in MEASURES)), flush=True)


if __name__ == "__main__":
    main()
