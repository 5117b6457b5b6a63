"""Tables, rules and methods at random (tables.py): a release that is paid for gives rows, as often as they are asked for,
and each keeps the CHECKs of its table. What is refused is refused before anything is spent, and for a reason that is none
of the program's own.

    TABLES=10000 SEED=1 test/rows/run
"""
import os
import random
import time

import psycopg2
import psycopg2.errors
import psycopg2.extras

import tables
from dptest import Tap, check, connect, one, run

METHODS = ["aim", "mst", "sbhg", "privbayes", "marginal", "flat", "cipher", "mwem", "steps", "uh", "cathist", "pegs", "pmi", "sba", "auto"]
DELTA = 1e-9
OWN_FAULTS = ("XX000", "XX001", "XX002", "42601", "42P01", "42703", "57014")
KEPT_NOT = ("breaks", "no row was found", "uniform model")


def spent(boss):
    return run(boss, "SELECT count(*), count(*) FILTER (WHERE status <> 'released') FROM dp_ledger")[0]


def broken(boss, rows, table, checks):
    """How many rows of a query break each CHECK of the table; rows by INSERT, as a user would."""
    run(boss, "DROP TABLE IF EXISTS drawn")
    run(boss, "CREATE TEMP TABLE drawn AS %s" % rows)
    for words in checks:
        count = one(boss, "SELECT count(*) FROM drawn WHERE (%s) IS FALSE" % words)
        check(count == 0, "%d rows break %s" % (count, words))
    plain = ", ".join(name for name, in run(boss, "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND attgenerated = ''", table))
    try:
        run(boss, "CREATE TEMP TABLE taken (LIKE %s INCLUDING ALL) ON COMMIT DROP; INSERT INTO taken (%s) SELECT %s FROM drawn" % (table, plain, plain))
    except psycopg2.errors.IntegrityError as error:
        raise AssertionError("rows cannot be inserted: %s" % error)
    return one(boss, "SELECT count(*) FROM drawn")


def table_at_random(boss, seed, said):
    choice = random.Random(seed + 1000000)
    maker = tables.Maker(seed).make()
    run(boss, "DROP SCHEMA IF EXISTS made CASCADE; CREATE SCHEMA made")
    run(boss, "SELECT setseed(%s)", (seed % 1000) / 1000)
    for statement in maker.statements("made.t"):
        run(boss, statement)
    run(boss, "SELECT dp_protect('made.t', 1000000, 0.1)")
    checks = [words for words, in run(boss, "SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint WHERE conrelid = 'made.t'::regclass AND contype = 'c'")]
    for _ in range(2):
        method, epsilon = choice.choice(METHODS), choice.choice([.1, 1, 10])
        before = spent(boss)
        options = {"rows": 300} if method in ("pegs", "pmi") else {}
        boss.notices.clear()
        try:
            release = one(boss, "SELECT dp_release('made.t', %s, %s, %s, %s)", method, epsilon,
                          DELTA if method in ("aim", "mst", "sbhg", "sba", "auto") else 0, psycopg2.extras.Json(options))
        except psycopg2.Error as error:
            check(error.pgcode not in OWN_FAULTS, "%s: %s %s" % (method, error.pgcode, error))
            check(spent(boss) == before, "%s failed after the debit: %s %s" % (method, error.pgcode, error))
            said["refused"] = said.get("refused", 0) + 1
            said.setdefault("reasons", {}).setdefault(str(error).splitlines()[0][:100], []).append((seed, method))
            continue
        said["released"] = said.get("released", 0) + 1
        try:
            broken(boss, "SELECT * FROM dp_sample(NULL::made.t, %d, 300, %d)" % (release, seed), "made.t", checks)
            run(boss, "DROP SCHEMA IF EXISTS copies CASCADE; CREATE SCHEMA copies")
            made = run(boss, "SELECT rows FROM dp_create_synthetic('made.t', 'copies', release => %s)", release)
            check(made[0][0] == one(boss, "SELECT count(*) FROM copies.t"), "rows")
        except (AssertionError, psycopg2.Error) as error:
            raise AssertionError("%s at epsilon %s: %s" % (method, epsilon, error))
        kept_not = [notice for notice in boss.notices if any(words in notice for words in KEPT_NOT)]
        check(not kept_not, "%s at epsilon %s: %s" % (method, epsilon, kept_not[:1]))
    return said


def main():
    tap = Tap()
    boss = connect()
    run(boss, "CREATE EXTENSION IF NOT EXISTS dpsyn")
    run(boss, "SET client_min_messages = warning")
    count, first = int(os.environ.get("TABLES", "25")), int(os.environ.get("SEED", "1"))
    said, failures, end = {}, [], time.monotonic() + float(os.environ.get("SECONDS_AT_MOST", "1e9"))
    for seed in range(first, first + count):
        if time.monotonic() > end:
            break
        try:
            table_at_random(boss, seed, said)
        except (AssertionError, psycopg2.Error) as error:
            failures.append("SEED=%d TABLES=1: %s" % (seed, error))
            if os.environ.get("VERBOSE"):
                print("# " + failures[-1], flush=True)
            if boss.closed:
                boss = connect()
    tap.ok(not failures, "%d releases of tables made at random give rows that keep the rules; %d are refused before the debit"
           % (said.get("released", 0), said.get("refused", 0)), *failures)
    if os.environ.get("VERBOSE"):
        for reason, seeds in sorted(said.get("reasons", {}).items(), key=lambda item: -len(item[1])):
            print("# %4d %s %s" % (len(seeds), reason, seeds[:3]))
    tap.ok(said.get("released", 0) >= 3 * said.get("refused", 0), "most are released")
    tap.done()


main()
