"""Which rows of a privacy unit does a release read? One is made with so large an epsilon that the
answer is exact: whether units choose independently, each of their rows with the same chance, and
whether all scans of the release choose the same rows.
"""
from collections import Counter
from contextlib import closing

import model
from dptest import connect, one, run
from statistics_exact import chi_square_p

PERSONS, VALUES = 3000, 9  # each person has one row of each value, which stands in both columns
SETS = 3  # each of them is counted in a scan of its own
RELEASE = "'bounded', 'sbhg', 1000, 0, '{\"independent_sets\": true}', %d" % SETS


def create(boss):
    run(boss, "CREATE TABLE bounded (person integer, %s)" % ", ".join(
        "%s integer NOT NULL CHECK (%s IN (%s))" % (column, column, ", ".join(map(str, range(VALUES))))
        for column in "ab"))
    run(boss, "INSERT INTO bounded SELECT p, v, v FROM generate_series(1, %s) p,"
        " generate_series(0, %s) v", PERSONS, VALUES - 1)
    run(boss, "SELECT dp_protect('bounded', 2000, unit_column => 'person')")


def margins(released):
    """How many rows have each value: of each column, in each table that has it."""
    found = []
    for table in released.tables:
        for position in range(len(table.attributes)):
            margin = Counter()
            for codes, count in table.cells.items():
                margin[codes[position]] += count
            found.append(tuple(margin[value] for value in range(VALUES)))
    return found


def keep_rows(boss, memory):
    run(boss, "ALTER DATABASE %s SET dpsyn.row_memory = '%s'"
        % (one(boss, "SELECT pg_catalog.quote_ident(current_database())"), memory))


def look(tap, boss, how):
    scans = one(boss, "SELECT max(scans) FROM dp_explain(%s)" % RELEASE)
    release = one(boss, "SELECT dp_release(%s)" % RELEASE)
    counted = margins(model.parse(
        one(boss, "SELECT model FROM dp_catalog.dp_release_store WHERE id = %s", release)))
    tap.ok(scans >= SETS and len(counted) >= 2 * SETS and len(set(counted)) == 1,
           "bounding: all scans of a release read the same rows, %s" % how, scans, counted)
    p = [chi_square_p(margin, [PERSONS / VALUES] * VALUES) for margin in counted]
    tap.ok(min(p) > 1e-8, "bounding: units choose independently, %s, p %.2g" % (how, min(p)), counted)
    tap.ok({sum(margin) for margin in counted} == {PERSONS}, "bounding: one row of each unit, %s" % how, counted)


def audit_bounding(tap):
    with closing(connect()) as boss:
        create(boss)
        look(tap, boss, "whose codes are kept")
        keep_rows(boss, "0")
        look(tap, boss, "chosen by each scan")
        keep_rows(boss, "256MB")
