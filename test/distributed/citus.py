"""A cluster of Citus, a coordinator and two worker nodes: counts are those of one table, releases are near it,
and nothing is paid for that a node cannot count."""
import os
import subprocess
import sys
import time
from contextlib import closing, contextmanager

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from dptest import Book, Tap, Thread, connect, one, refused, run, wait_until  # noqa: E402

ROWS = 20000
NORTH, SOUTH = os.environ["NODE_NORTH"], os.environ["NODE_SOUTH"]
COORDINATOR = os.environ["SERVER_DIR"]
UNREADABLE = ("22000",)
tap = Tap()


def node(host):
    return connect(host=host)


def log_size():
    return os.path.getsize(os.environ["SERVER_LOG"])


def logged(since):
    with open(os.environ["SERVER_LOG"], encoding="utf-8", errors="replace") as file:
        file.seek(since)
        return file.read()


# ---- nodes that come and go ----

def control(host, *words):
    command = [os.environ["PG_BINDIR"] + "/pg_ctl", "-D", host + "/data", "-w"] + list(words)
    if os.geteuid() == 0:
        command = ["runuser", "-u", "postgres", "--"] + command
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")


def stop(host):
    control(host, "-m", "immediate", "stop")


def start(host):
    control(host, "-l", host + "/log", "start")
    wait_until(lambda: can_connect(host), "a node that answers")


def can_connect(host):
    try:
        node(host).close()
    except Exception:
        return False
    return True


@contextmanager
def stopped(host):
    stop(host)
    try:
        yield
    finally:
        start(host)


# ---- the cluster ----

DATA = """SELECT mod(i, 4000) AS person, (ARRAY['a', 'b', NULL])[1 + mod(i, 3)] AS ward, mod(i * 7919, 1000000) AS pay,
 date '2024-01-01' + mod(i, 300) AS day, mod(i, 5) = 0 AS ok FROM generate_series(1, %d) i""" % ROWS


def make_cluster(here):
    for host in NORTH, SOUTH:
        with closing(node(host)) as there:
            run(there, "CREATE EXTENSION citus")
    run(here, "CREATE EXTENSION citus")
    run(here, "SELECT citus_set_coordinator_host(%s, 5432)", COORDINATOR)
    for host in NORTH, SOUTH:
        run(here, "SELECT citus_add_node(%s, 5432)", host)
    run(here, "CREATE EXTENSION dpsyn; CREATE ROLE boss LOGIN; CREATE ROLE ann LOGIN;"
        "GRANT CREATE ON SCHEMA public TO boss; CREATE SCHEMA ann AUTHORIZATION ann")
    run(here, "SET ROLE boss; CREATE TABLE whole AS %s" % DATA)
    for table, column in ("visits", "person"), ("by_ward", "pay"):
        run(here, "CREATE TABLE %s (LIKE whole)" % table)
        run(here, "SELECT create_distributed_table(%s, %s, shard_count => 6)", table, column)
        run(here, "INSERT INTO %s SELECT * FROM whole" % table)
    run(here, "CREATE TABLE city (id integer PRIMARY KEY, name text)")
    run(here, "SELECT create_reference_table('city')")
    run(here, "INSERT INTO city SELECT i, 'c' || mod(i, 3) FROM generate_series(0, 99) i;"
        "CREATE VIEW seen AS SELECT ward, pay, ok FROM visits WHERE pay >= 0;"
        "CREATE VIEW constant AS SELECT 'x'::text AS name, ward FROM visits;"
        "CREATE VIEW joined AS SELECT v.person, v.ward, c.name FROM visits v JOIN city c ON c.id = mod(v.person, 100)")
    protect(here, "visits", "ward", "pay", "day")
    protect(here, "seen", "ward", "pay")
    protect(here, "constant", "name", "ward")
    protect(here, "by_ward", "ward", unit="person", most=3)
    protect(here, "joined", "ward", "name", unit="person", most=8, public="city")
    run(here, "CREATE TABLE by_person AS TABLE whole")
    protect(here, "by_person", "ward", unit="person", most=3)
    run(here, "RESET ROLE")


DOMAINS = {"ward": "categories => '{a,b}'", "name": "categories => '{c0,c1,c2}'", "day": "range => '{2024-01-01,2025-01-01}'",
           # a million fine values: more than 64 kB of work_mem
           "pay": "range => '{0,1000000}', resolution => '1'"}


def protect(here, table, *columns, unit=None, most=1, public=None):
    run(here, "SELECT dp_protect(%%s, 100000, 1e-3%s%s)" %
        (", unit_column => '%s', max_rows_per_unit => %d" % (unit, most) if unit else "",
         ", public_relations => '{%s}'" % public if public else ""), table)
    for column in columns:
        run(here, "SELECT dp_define_column(%%s, %%s, %s)" % DOMAINS[column], table, column)
    run(here, "SELECT dp_grant(%s, 'ann', 90000, 1e-4)", table)


# ---- counts ----

def cells(here, call, table):
    return run(here, "SELECT * FROM dp_cells((SELECT %s FROM %s)) ORDER BY 1, 2, 3, 4" % (call, table))


def counts_of_queries(here):
    spec = one(here, "SELECT dp_marginal_spec('visits', columns => '{ward,ok}')::text")
    wanted = cells(here, "dp_marginals('%s', ward, ok)" % spec, "whole")
    for form in "dp_marginals('%s', ROW(ward, ok))", "dp_marginals('%s', ward, ok)":
        for table in "visits", "(SELECT * FROM visits) v":
            tap.equal(cells(here, form % spec, table), wanted, "cells of %s by %s" % (table, form[:16]))
    run(here, "SET ROLE boss; CREATE VIEW cells_seen AS SELECT ward, ok FROM visits; RESET ROLE")
    tap.equal(cells(here, "dp_marginals('%s', ward, ok)" % spec, "cells_seen"), wanted, "cells of a view")
    said = "\n".join(row[0] for row in run(
        here, "EXPLAIN (VERBOSE, COSTS OFF) SELECT dp_marginals('%s', ward, ok) FROM visits" % spec))
    tap.ok("worker_partial_agg('public.dp_marginals(bytea,record)'" in said, "the nodes count", said)
    spec = one(here, "SELECT dp_marginal_spec(domains => '[{\"name\": \"name\", \"categories\": [\"c0\", \"c1\"]}]', ways => 1)::text")
    tap.equal([row[3] for row in cells(here, "dp_marginals('%s', name)" % spec, "city")], [34, 33, 33],
              "cells of a reference table")


RELEASES = (("visits", "mst", ROWS), ("seen", "mst", ROWS), ("seen", "flat", ROWS), ("by_ward", "mst", 12000),
            ("joined", "mst", ROWS),
            ("constant", "sba", ROWS), ("by_person", "mst", 12000))
OPTIONS = '{"columns": ["ward"%s]}'
ASK = "SELECT dp_release(%s::regclass, %s, 400, 1e-6, %s::jsonb)"


def options_of(table, method):
    more = {"joined": ', "name"', "constant": ', "name"', "seen": ', "ok"' if method == "flat" else ', "pay", "ok"', "visits": ', "pay", "day", "ok"'}
    return OPTIONS % more.get(table, "")


def releases(here):
    for table, method, rows in RELEASES:
        with closing(connect("ann")) as ann:
            release = one(ann, ASK, table, method, options_of(table, method))
            got = one(ann, "SELECT rows FROM dp_releases WHERE release = %s", release)
            tap.ok(abs(got - rows) < 50, "%s of %s has its rows" % (method, table), got, rows)
            shares = dict(run(ann, "SELECT ward, count(*) FROM dp_sample(NULL::%s, %d, %d, 1) GROUP BY 1"
                              % (table, release, ROWS)))
        true = dict(run(here, "SELECT ward, count(*) FROM whole GROUP BY 1"))
        tap.ok(all(abs(shares.get(ward, 0) - n) < 300 for ward, n in true.items()), "and their shares", shares, true)
    for table, _, rows in RELEASES:
        with closing(connect("ann")) as ann:
            got = one(ann, "SELECT sum(estimate) FROM dp_query(NULL::%s, '{count(*)}', 400, by => '{ward}')" % table)
        tap.ok(abs(float(got) - rows) < 50, "dp_query of %s" % table, got, rows)


AMOUNTS = """SELECT i AS id, (ARRAY['a', 'b', NULL])[1 + mod(i, 3)] AS g, nullif(mod(i * 31, 700), 0) AS x,
 mod(i * 7919, 100000000) / 100.0 AS y, (CASE mod(i, 50) WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' ELSE mod(i, 90)::text END)::float8 AS z,
 CASE WHEN mod(i, 4) > 0 THEN date '2024-01-01' + mod(i, 300) END AS d, mod(i, 5) AS n
 FROM generate_series(1, %d) i""" % ROWS
# measures, groups, filter, and whether nodes count
QUERIES = (("count(*)", "{}", None, True),
           ("count(*),count(x),sum(x),avg(x),var(x),median(x)", "{}", None, True),
           ("count(*),count(z),sum(z),count(distinct n)", "{g}", None, True),
           ("count(*),median(d),count(n),count(distinct n)", "{g}", None, True),
           ("count(*),sum(n)", "{g}", '{"x": [100, 300], "g": ["a", null]}', True),
           ("count(*)", "{}", '{"x": null}', True),
           ("count(*),sum(y)", "{g}", None, False))


def make_amounts(here):
    run(here, "SET ROLE boss; CREATE TABLE amounts_here AS " + AMOUNTS)
    run(here, "CREATE TABLE amounts (LIKE amounts_here); SELECT create_distributed_table('amounts', 'id', shard_count => 6);"
        "INSERT INTO amounts TABLE amounts_here")
    for table in "amounts", "amounts_here":
        run(here, "ALTER TABLE %s ALTER n SET NOT NULL" % table)
        run(here, "SELECT dp_protect('%s', 1000000, 1e-3);"
            "SELECT dp_define_column('%s', 'g', categories => '{a,b}'), dp_define_column('%s', 'x', range => '{1,700}', resolution => '1'),"
            "  dp_define_column('%s', 'y', range => '{0,1000000}', resolution => '0.01'),"
            "  dp_define_column('%s', 'z', range => '{0,100}', resolution => '1'),"
            "  dp_define_column('%s', 'd', range => '{2024-01-01,2025-01-01}'),"
            "  dp_define_column('%s', 'n', categories => '{0,1,2,3,4}');"
            "SELECT dp_grant('%s', 'ann', 900000, 1e-4)" % ((table,) * 8))
    run(here, "RESET ROLE")


def queries(here):
    """Statistics are those of one table, and the nodes send codes of rows, unless a grid is too fine for that."""
    make_amounts(here)
    ask = ("SELECT coalesce(cell::text, '') || measure, estimate FROM dp_query(NULL::%s, %s, 10000, by => %s, filter => %s)"
           " ORDER BY 1")
    for measures, by, given, counted in QUERIES:
        answers = []
        since = os.path.getsize(NORTH + "/log")
        for table in "amounts", "amounts_here":
            with closing(connect("ann")) as ann:
                answers.append(run(ann, ask % (table, "%s", "%s", "%s"), measures.split(","), by.strip("{}").split() or [], given))
        there, one_table = answers
        tap.ok([row[0] for row in there] == [row[0] for row in one_table] and
               all(abs(a[1] - b[1]) < 3 + 0.005 * abs(b[1]) for a, b in zip(there, one_table)),
               "%s by %s of %s" % (measures, by, given), there, one_table)
        with open(NORTH + "/log", encoding="utf-8", errors="replace") as log:
            log.seek(since)
            said = [line for line in log.read().splitlines() if "amounts_1" in line and "dp_ask_to_count" not in line]
        tap.equal(any("worker_partial_agg" in line for line in said), counted,
                  "and the nodes count" if counted else "and the rows are fetched")


# ---- what is not paid for ----

def reads(host):
    """How often shards were read on a node: sessions tell when they end."""
    with closing(node(host)) as there:
        return one(there, "SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0) FROM pg_stat_user_tables"
                   " WHERE relname ~ '_[0-9]+$'")


def all_refused(here, name, word):
    """Releases and queries of all of them are refused, and no line of the ledger is written."""
    book = Book(here)
    before, since, began = book.debits(), log_size(), time.monotonic()
    for table, method, _ in RELEASES[:-1]:
        for ask in (ASK, "SELECT count(*) FROM dp_query(NULL::%s, '{count(*)}', 1, by => '{ward}')" % table):
            with closing(connect("ann")) as ann, refused(*UNREADABLE):
                run(ann, ask, *([table, method, options_of(table, method)] if ask == ASK else []))
    took = time.monotonic() - began
    book.settle()
    tap.equal(book.debits(), before, name + ": nothing is spent, by release or query, of a table or a view")
    tap.ok(word in logged(since), "the log says why", logged(since)[-2000:])
    tap.ok(took < 60, "and soon", took)


def node_is_down(here):
    before = reads(NORTH)
    with stopped(SOUTH):
        all_refused(here, "a node that is down", "connection to the remote node")
    time.sleep(1)
    tap.equal(reads(NORTH), before, "and no row of the other node was read")


def aggregate_is_missing(here):
    """Another version: one function fewer."""
    with closing(node(SOUTH)) as there:
        run(there, "SET citus.enable_ddl_propagation = off;"
            "ALTER EXTENSION dpsyn DROP FUNCTION dp_catalog.dp_ask_to_count(integer);"
            "ALTER FUNCTION dp_catalog.dp_ask_to_count(integer) RENAME TO dp_gone")
        all_refused(here, "a node with an older dpsyn", "dp_ask_to_count(integer) does not exist")
        run(there, "CREATE FUNCTION dp_catalog.dp_ask_to_count(format integer) RETURNS boolean LANGUAGE plpgsql STABLE AS"
            " $$ BEGIN RAISE EXCEPTION 'another version'; END $$")
        all_refused(here, "one with another format of counts", "another version")
        run(there, "DROP FUNCTION dp_catalog.dp_ask_to_count(integer);"
            "ALTER FUNCTION dp_catalog.dp_gone(integer) RENAME TO dp_ask_to_count;"
            "ALTER EXTENSION dpsyn ADD FUNCTION dp_catalog.dp_ask_to_count(integer);"
            "ALTER EXTENSION dpsyn DROP AGGREGATE dp_marginals(bytea, record);"
            "ALTER AGGREGATE dp_marginals(bytea, record) RENAME TO dp_gone")
        book = Book(here)
        before = book.debits()
        with closing(connect("ann")) as ann, refused(*UNREADABLE):
            run(ann, ASK, "visits", "mst", options_of("visits", "mst"))
        tap.equal(book.debits(), before, "a node without the aggregate: nothing is spent")
        run(there, "ALTER AGGREGATE dp_gone(bytea, record) RENAME TO dp_marginals;"
            "ALTER EXTENSION dpsyn ADD AGGREGATE dp_marginals(bytea, record); RESET citus.enable_ddl_propagation")
    with refused("0A000") as errors:
        run(here, "SELECT dp_catalog.dp_ask_to_count(99)")
    tap.ok("another version of dpsyn" in str(errors[0]), "a server says that it counts in another format", errors)
    tap.equal(one(here, "SELECT dp_catalog.dp_ask_to_count(1)"), False, "and else nothing")


def right_is_missing(here):
    """Citus reads as the owner of the view, whoever owns the table."""
    run(here, "CREATE TABLE others (LIKE whole)")
    run(here, "SELECT create_distributed_table('others', 'person', shard_count => 4)")
    run(here, "INSERT INTO others TABLE whole; CREATE VIEW of_others AS SELECT ward, ok FROM others;"
        "ALTER VIEW of_others OWNER TO boss; GRANT SELECT ON others TO boss; SET ROLE boss")
    protect(here, "of_others", "ward")
    run(here, "RESET ROLE; REVOKE SELECT ON others FROM boss")
    book = Book(here)
    before = book.debits()
    with closing(connect("ann")) as ann:
        with refused(*UNREADABLE):
            run(ann, ASK, "of_others", "flat", OPTIONS % "")
        tap.equal(book.debits(), before, "a right that is missing: nothing is spent")
        run(here, "GRANT SELECT ON others TO boss")
        tap.ok(one(ann, ASK, "of_others", "flat", OPTIONS % "") > 0, "with it, a release")


def node_is_lost(here):
    """In the middle: paid, and failed; soon, and once."""
    run(here, "SET ROLE boss; CREATE FUNCTION slow(i integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS"
        " $$ BEGIN PERFORM pg_sleep(0.01); RETURN true; END $$;"
        "CREATE VIEW slowly AS SELECT ward, ok FROM visits WHERE slow(pay)")
    protect(here, "slowly", "ward")
    run(here, "RESET ROLE")
    book = Book(here)
    line = book.last()
    with closing(connect("ann")) as ann:
        call = Thread(run, ann, ASK, "slowly", "flat", OPTIONS % "")
        wait_until(lambda: book.lines(line) != [], "a debit")
        time.sleep(0.3)
        began = time.monotonic()
        with stopped(SOUTH):
            try:
                call.finish()
                error = None
            except Exception as caught:
                error = caught
            took = time.monotonic() - began
    book.settle()
    tap.ok(error is not None and took < 30, "a node that is lost in the middle is an error", error, took)
    tap.equal([entry[2] for entry in book.lines(line)], ["failed"], "which the ledger says, once")


def after_it(here):
    """All of them again, once the node is there."""
    book = Book(here)
    line = book.last()
    for table, method, _ in RELEASES:
        with closing(connect("ann")) as ann:
            run(ann, ASK, table, method, options_of(table, method))
    book.settle()
    tap.equal([entry[2] for entry in book.lines(line)], ["released"] * len(RELEASES), "afterwards all is released")
    tap.equal(one(here, "SELECT count(*) FROM dp_ledger WHERE status NOT IN ('released', 'failed')"), 0,
              "no debit is left open")


def trees(here):
    """Children beside their parents on the nodes."""
    run(here, "SET ROLE boss; CREATE TABLE patient (id integer PRIMARY KEY, sex text CHECK (sex IN ('f', 'm')));"
        "CREATE TABLE stay (patient integer NOT NULL, nr integer, ward text CHECK (ward IN ('a', 'b')),"
        " PRIMARY KEY (patient, nr))")
    for table, column in ("patient", "id"), ("stay", "patient"):
        run(here, "SELECT create_distributed_table(%s, %s, shard_count => 4)", table, column)
    run(here, "ALTER TABLE stay ADD FOREIGN KEY (patient) REFERENCES patient;"
        "INSERT INTO patient SELECT i, CASE WHEN mod(i, 3) = 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 3000) i;"
        "INSERT INTO stay SELECT i, n, CASE WHEN mod(i, 2) = 0 THEN 'a' ELSE 'b' END"
        " FROM generate_series(1, 3000) i, generate_series(1, 2) n;"
        "SELECT dp_protect('patient', 100000, 1e-3); SELECT dp_protect('stay', parent => 'patient', max_rows_per_unit => 3);"
        "SELECT dp_grant('patient', 'ann', 90000, 1e-4); RESET ROLE")
    with closing(connect("ann")) as ann:
        release = one(ann, "SELECT dp_release('{patient,stay}', 'mst', 400, 1e-6)")
        got = run(ann, "SELECT (SELECT count(*) FROM dp_sample(NULL::patient, %s, seed => 1)),"
                  " (SELECT count(*) FROM dp_sample(NULL::stay, %s, seed => 1))", release, release)[0]
    tap.ok(abs(got[0] - 3000) < 50 and abs(got[1] - 6000) < 300, "a tree on the nodes", got)


def words(here):
    with closing(connect("ann")) as ann:
        run(ann, "SET client_min_messages = error; SET search_path = ann, public")
        run(ann, "SELECT dp_create_synthetic('{public.visits}', 'ann', 5, options => '{\"columns\": [\"ward\"]}')")
        with refused("55000") as errors:
            run(ann, "SELECT dp_query(NULL::visits, '{count(*)}', 1)")
        tap.ok('"ann.visits" is a synthetic table' in str(errors[0]) and "NULL::public.visits" in str(errors[0]),
               "a copy of the same name is told from the protected table", errors)
    for table in "visits", "seen":
        run(here, "SET ROLE boss; SELECT dp_unprotect('%s')" % table)
        del here.notices[:]
        run(here, "SELECT dp_protect('%s', 100000, 1e-3); RESET ROLE" % table)
        tap.ok("how many rows each shard of relation" in "".join(here.notices), "dp_protect tells of shards: " + table,
               here.notices)
    with closing(connect("ann")) as ann:
        sizes = "SELECT * FROM run_command_on_workers('SELECT count(*) FROM pg_stat_all_tables')"
        run(ann, sizes)
        # as the threat model says
        for (statement,) in run(here, "SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', p.oid::regprocedure)"
                                " FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid"
                                " AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'citus'"
                                " WHERE p.proname ~ '^run_command_on_|^master_run_on_worker$|^citus_.*size|^citus_shards'"):
            run(here, statement)
        with refused("42501"):
            run(ann, sizes)
        tap.ok(True, "and they can be kept from roles")


with closing(connect()) as coordinator:
    make_cluster(coordinator)
    print("# Citus %s" % one(coordinator, "SELECT extversion FROM pg_extension WHERE extname = 'citus'"))
    for test in (counts_of_queries, releases, queries, trees, node_is_down, aggregate_is_missing, right_is_missing, node_is_lost,
                 after_it, words):
        since, failures = log_size(), tap.failures
        tap.attempt(test.__name__.replace("_", " "), test, coordinator)
        if tap.failures > failures:
            print("# " + "\n# ".join(line for line in logged(since).splitlines() if "ERROR" in line))
tap.done()
