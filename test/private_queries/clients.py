"""What clients do with private queries: parameters, cursors, COPY, settings of a role, dashboards that
refresh, the statements that BI tools put around a table, several sessions at once; and statements
that are made at random (statements.py)."""
import os
import time

import psycopg2.errors

import by_hand
import statements
import ward
from dptest import Tap, Thread, check, connect, one, refused, run, session

tap = Tap()
EPSILON = 2000  # no noise is left in a count


def debits(connection):
    return one(connection, "SELECT debits FROM debits")


def private(user="ana", epsilon=EPSILON):
    connection = connect(user)
    run(connection, "SET client_min_messages = error")
    run(connection, "SELECT dp_private_queries(%s)", epsilon)
    return connection


def parameters():
    ana = private()
    check(one(ana, "SELECT count(*) FROM visits WHERE price >= %s AND urgent = %s", 50, True) == 100, "values")
    run(ana, "PREPARE p (int, text) AS SELECT count(*) FROM visits WHERE ward = $1 AND kind = $2")
    counts = [one(ana, "EXECUTE p (1, 'a')") for _ in range(8)]  # custom plans, then a generic one
    check(counts == [counts[0]] * 8, "one answer: %r" % counts)
    run(ana, "DEALLOCATE p")
    ana.close()


def cursors():
    ana = private()
    ana.autocommit = False
    with ana.cursor("named") as cursor:
        cursor.itersize = 1
        cursor.execute("SELECT ward, count(*) FROM visits WHERE ward IS NOT NULL GROUP BY ward ORDER BY ward")
        check([tuple(row) for row in cursor] == [(1, 300), (2, 300), (3, 0)], "rows by a named cursor")
    ana.rollback()
    ana.autocommit = True
    run(ana, "BEGIN")
    run(ana, "DECLARE c CURSOR WITH HOLD FOR SELECT count(*) FROM visits WHERE price < 3")
    run(ana, "COMMIT")
    check(one(ana, "FETCH c") == 18, "a cursor that outlives its transaction")
    ana.close()


def copied():
    ana = private()
    with ana.cursor() as cursor, open(os.devnull, "w") as nowhere:
        cursor.copy_expert("COPY (SELECT ward, count(*) FROM visits GROUP BY ward) TO STDOUT (FORMAT csv)", nowhere)
        with refused("0A000"):
            cursor.copy_expert("COPY (SELECT * FROM visits) TO STDOUT", nowhere)
        with refused("42501"):
            cursor.copy_expert("COPY visits TO STDOUT", nowhere)
    ana.close()


def settings_of_a_role(boss):
    """A BI tool needs no change: its role has the settings."""
    run(boss, "ALTER ROLE dashboard SET session_preload_libraries = 'dpsyn'")
    run(boss, "ALTER ROLE dashboard SET dpsyn.query_epsilon = 2000")
    with session("dashboard") as bi:
        run(bi, "SET client_min_messages = error")
        check(one(bi, "SELECT count(*) FROM visits") == ward.ROWS, "an answer")
        before = debits(bi)
        for _ in range(10):
            run(bi, "SELECT ward, count(*) FROM visits GROUP BY ward")
        check(debits(bi) == before + 1, "ten refreshes are one debit")
        run(bi, "SET dpsyn.query_epsilon = 0")
        with refused("42501") as error:
            run(bi, "SELECT count(*) FROM visits")
        check("dp_private_queries" in error[0].diag.message_hint, "a hint")
    with session("dashboard") as bi:
        run(bi, "SET client_min_messages = error")
        run(bi, "SET dpsyn.query_refresh = '0s'")
        before = debits(bi)
        run(bi, "SELECT count(*) FROM visits")
        check(debits(bi) == before + 1, "an old answer is asked for anew")


# What Superset, Metabase, Tableau, Grafana and pandas send for a chart of a table.
OF_TOOLS = {
    "a chart of Superset": "SELECT ward AS ward, count(*) AS count, sum(price) AS \"SUM(price)\" FROM public.visits "
                           "WHERE at >= TO_TIMESTAMP('2024-01-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US') "
                           "GROUP BY ward ORDER BY count DESC LIMIT 10000",
    "a virtual dataset": "SELECT ward AS ward, avg(price) AS \"AVG(price)\" FROM (SELECT * FROM visits WHERE urgent\n) "
                         "AS virtual_table GROUP BY ward ORDER BY \"AVG(price)\" DESC LIMIT 1000",
    "a time series": "SELECT DATE_TRUNC('month', at) AS __timestamp, COUNT(*) AS count FROM public.visits "
                     "GROUP BY DATE_TRUNC('month', at) ORDER BY count DESC LIMIT 50000",
    "a chart with a limit of series": "SELECT DATE_TRUNC('month', at) AS __timestamp, ward AS ward, count(*) AS count FROM public.visits JOIN "
                                      "(SELECT ward AS ward__, count(*) AS mme_inner__ FROM public.visits GROUP BY ward ORDER BY mme_inner__ DESC "
                                      "LIMIT 2) AS series_limit ON ward = ward__ GROUP BY DATE_TRUNC('month', at), ward ORDER BY count DESC LIMIT 10000",
    "a filter's values": "SELECT ward AS ward FROM public.visits GROUP BY ward ORDER BY ward ASC LIMIT 1000",
    "a question of Metabase": "SELECT \"public\".\"visits\".\"ward\" AS \"ward\", COUNT(*) AS \"count\" FROM \"public\".\"visits\" "
                              "GROUP BY \"public\".\"visits\".\"ward\" ORDER BY \"public\".\"visits\".\"ward\" ASC",
    "a nested question": "SELECT \"source\".\"ward\" AS \"ward\", AVG(\"source\".\"price\") AS \"avg\" FROM (SELECT "
                         "\"public\".\"visits\".\"ward\" AS \"ward\", \"public\".\"visits\".\"price\" AS \"price\" FROM \"public\".\"visits\") "
                         "AS \"source\" GROUP BY \"source\".\"ward\" ORDER BY \"source\".\"ward\" ASC LIMIT 2000",
    "Tableau": "SELECT \"visits\".\"ward\" AS \"ward\", SUM(\"visits\".\"price\") AS \"sum:price:ok\", SUM(1) AS \"cnt:ok\" "
               "FROM \"public\".\"visits\" \"visits\" GROUP BY 1",
    "a share": "SELECT ward, count(*) FILTER (WHERE urgent) * 100.0 / nullif(count(*), 0) AS share FROM visits GROUP BY ward",
    "a dimension": "SELECT w.name, count(*) FROM visits v LEFT JOIN wards w ON w.ward = v.ward GROUP BY w.name",
}


def of_tools():
    ana = private()
    for name, statement in OF_TOOLS.items():
        def twice():
            check(run(ana, statement), "rows")
            before = debits(ana)
            run(ana, "SELECT * FROM (%s) AS again LIMIT 5" % statement.rstrip("; "))
            check(debits(ana) == before, "wrapped it is the same question")
        tap.attempt("a statement of BI tools: " + name, twice)
    ana.close()


def at_once():
    """Sessions that ask one question at one time: one of them pays."""
    def ask():
        ana = private(epsilon=1)
        rows = run(ana, "SELECT ward, count(*) FROM visits WHERE price < 33 GROUP BY ward ORDER BY ward")
        ana.close()
        return rows

    boss = connect()
    before = debits(boss)
    threads = [Thread(ask) for _ in range(6)]
    results = [thread.finish(120) for thread in threads]
    check(all(rows == results[0] for rows in results), "%r" % results)
    check(debits(boss) == before + 1, "%d debits" % (debits(boss) - before))
    check(one(boss, "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") == 0, "no lock stays")
    boss.close()


def cut_short():
    """A cancel while the worker runs leaves a session that goes on."""
    ana = private()
    run(ana, "SET statement_timeout = 3")
    for i in range(5):
        try:
            run(ana, "SELECT count(*) FROM visits WHERE price < %s", 60 + i)
        except psycopg2.errors.QueryCanceled:
            pass
    run(ana, "RESET statement_timeout")
    check(one(ana, "SELECT count(*) FROM visits") == ward.ROWS, "the session is sound")
    ana.close()


def main():
    boss = connect()
    ward.build(boss)
    tap.attempt("parameters and prepared statements", parameters)
    tap.attempt("cursors", cursors)
    tap.attempt("COPY", copied)
    tap.attempt("settings of a role", settings_of_a_role, boss)
    of_tools()
    tap.attempt("several sessions ask at once", at_once)
    tap.attempt("a query that is cut short", cut_short)
    seed = int(os.environ.get("SEED", time.time()))
    tap.attempt("statements made at random", statements.try_many, seed, int(os.environ.get("STATEMENTS", 400)))
    tap.attempt("questions written by hand", by_hand.try_many, seed, int(os.environ.get("QUESTIONS", 100)))
    tap.done()


if __name__ == "__main__":
    main()
