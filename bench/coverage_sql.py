"""How often the intervals of plain SQL hold the true answer: many releases of one question each, for
counts, sums, means, and what is computed from several of them.

The rows are made here: people with some rows each, of which one question counts all, and another one few.
The true answer is that of all rows: what is cut off of a person is in no interval, and counts as a miss."""
import argparse
from contextlib import closing

import psycopg2

SCHEMA = """
CREATE EXTENSION IF NOT EXISTS dpsyn;
CREATE TABLE cover_person (id integer PRIMARY KEY, region text NOT NULL);
CREATE TABLE cover_visit (person integer NOT NULL REFERENCES cover_person, price numeric(8,2) NOT NULL, paid boolean NOT NULL,
                          age integer NOT NULL);
SELECT setseed(0.3);
INSERT INTO cover_person SELECT i, 'r' || i % 3 FROM generate_series(1, 6000) i;
INSERT INTO cover_visit
SELECT i, round((exp(3 + random() * 3))::numeric, 2), random() < 0.3, 20 + (random() * 60)::integer
  FROM generate_series(1, 6000) i, generate_series(1, 1 + (-3 * ln(1 - random() * 0.9999))::integer);
ANALYZE;
SELECT dp_protect('cover_person', 1000000), dp_protect('cover_visit', parent => 'cover_person', max_rows_per_unit => 50);
SELECT dp_define_column('cover_person', 'region', categories => '{r0,r1,r2}', complete => true);
SELECT dp_define_column('cover_visit', 'price', range => '{0,1000}'), dp_define_column('cover_visit', 'age', range => '{20,80}');
CREATE ROLE cover_analyst;
SELECT dp_grant(r, 'cover_analyst', 400000) FROM unnest('{cover_person,cover_visit}'::regclass[]) r;
"""
FROM = " FROM cover_visit JOIN cover_person ON id = person"
ASKED = [
    ("rows", "count(*)", ""),
    ("rows with a condition", "count(*)", " WHERE paid AND age < 40"),
    ("sum", "sum(price)", ""),
    ("sum with a condition", "sum(price)", " WHERE paid AND age < 40"),
    ("linear: sum of two", "sum(price) + 3 * sum(age)", ""),
    ("mean", "avg(age)", ""),
    ("ratio of sums", "sum(price) / sum(age)", ""),
    ("share, a ratio of counts", "100.0 * count(*) FILTER (WHERE paid) / count(*)", ""),
    ("product", "sum(price) * count(*)", ""),
    ("slope, a ratio", "regr_slope(price, age)", ""),
    ("covariance", "covar_pop(price, age)", ""),
    ("correlation", "corr(price, age)", ""),
    ("people, some", "count(DISTINCT person) FILTER (WHERE paid)", ""),
]


def run(connection, statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def cover(boss, asker, asked, groups, runs):
    """Per cent of intervals that hold the true answer, and half their width beside it, in per cent."""
    expression, where = asked
    by = " GROUP BY region" if groups else ""
    key = "region" if groups else "1"
    true = dict(run(boss, "SELECT %s, %s%s%s%s" % (key, expression, FROM, where, by)))
    held = number = 0
    widths = []
    for _ in range(runs):
        for group, low, high in run(asker, "SELECT %s, dp_low(%s), dp_high(%s)%s%s%s" % (
                key, expression, expression, FROM, where, by)):
            number += 1
            held += low is not None and high is not None and low <= float(true[group]) <= high
            if low is not None and high is not None:
                widths.append((high - low) / 2 / abs(float(true[group])))
    return 100 * held / number, 100 * sorted(widths)[len(widths) // 2]


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--runs", type=int, default=200)
    words.add_argument("--epsilon", type=float, default=1)
    given = words.parse_args()
    with closing(psycopg2.connect("")) as boss, closing(psycopg2.connect("")) as asker:
        boss.autocommit = asker.autocommit = True
        run(boss, SCHEMA)
        run(asker, "SET ROLE cover_analyst")
        run(asker, "SELECT dp_private_queries(%r, refresh => '0')" % given.epsilon)
        print("| what | asked | one group holds, % | half, % | three groups hold, % | half, % |\n|---|---|---|---|---|---|")
        for name, *asked in ASKED:
            one, width = cover(boss, asker, asked, False, given.runs)
            three, narrow = cover(boss, asker, asked, True, (given.runs + 2) // 3)
            print("| %s | `%s%s` | %.1f | %.2f | %.1f | %.2f |" % (name, asked[0], asked[1], one, width, three, narrow), flush=True)


if __name__ == "__main__":
    main()
