"""Ways to see what was not paid for."""
import os
import re
import subprocess
import time
from contextlib import contextmanager

import psycopg2

import scene
from scene import RELEASE, ROWS, SICK, SLOW
import model
from dptest import Attacks, Book, Tap, Thread, check, connect, one, refused, run, session, \
    wait_until

attack = Attacks()
boss = scene.set_up()
book = Book(boss)
# Every scan that can be is a parallel one: what its workers do must not show either.
run(boss, "ALTER DATABASE postgres SET parallel_setup_cost = 0;"
    " ALTER DATABASE postgres SET parallel_tuple_cost = 0;"
    " ALTER DATABASE postgres SET min_parallel_table_scan_size = 0;"
    " ALTER DATABASE postgres SET max_parallel_workers_per_gather = 3")


def server_log():
    with open(os.environ["SERVER_LOG"], encoding="utf-8", errors="replace") as file:
        return file.read()


# ---- what the caller's own session shows ---------------------------------------


@attack("the plan counts the rows that were scanned")
def explain_analyze_buffers():
    with session("ann") as ann:
        plan = "\n".join(row[0] for row in run(ann, "EXPLAIN (ANALYZE, BUFFERS, VERBOSE, SETTINGS,"
                                               " WAL) " + RELEASE))
    check(str(ROWS) not in plan and "Scan" not in plan, plan)


@attack("inner plans and row estimates reach the client")
def plan_and_debug_messages():
    oid = one(boss, "SELECT 'people'::regclass::oid")
    with session("ann") as ann:
        for name in ("debug_print_plan", "debug_print_parse", "debug_print_rewritten",
                     "debug_pretty_print", "trace_sort", "trace_notify"):
            run(ann, "SET %s = on" % name)
        run(ann, "SET client_min_messages = debug5")
        del ann.notices[:]
        ann.notices = Everything()
        one(ann, RELEASE)
        said = "\n".join(ann.notices)
    check("PLANNEDSTMT" in said, "no plan was printed at all")
    check(":relid %d " % oid not in said, "the relation was planned in this session")
    # not within another number: plans have hashes, and steps say how many seconds they took
    count = re.compile(r"(?<![\d.])%d(?!\d)" % ROWS)
    told = [line for line in said.splitlines() if SICK in line or count.search(line)]
    check(not told, told[:3])


class Everything(list):
    """psycopg2 keeps only the last 50 notices of a plain list."""


@attack("the caller's statistics count the rows that were scanned")
def statistics_of_the_table():
    def seen(connection, view):
        return run(connection, "SELECT * FROM %s WHERE relid = 'people'::regclass" % view)
    views = ["pg_stat_user_tables", "pg_stat_xact_user_tables", "pg_statio_user_tables",
             "pg_stat_user_indexes", "pg_statio_user_indexes"]
    run(boss, "SELECT pg_stat_force_next_flush()")
    time.sleep(0.1)
    before = [seen(boss, view) for view in views]
    with session("ann", autocommit=False) as ann:
        one(ann, RELEASE)
        mine = seen(ann, "pg_stat_xact_user_tables")
        ann.commit()
    book.settle()
    run(boss, "SELECT pg_stat_force_next_flush()")
    time.sleep(0.1)
    check([seen(boss, view) for view in views] == before, "they moved")
    check(mine[0][3:5] == (0, 0), mine)


@attack("pg_stat_database counts the rows that were scanned")
def statistics_of_the_database():
    question = ("SELECT tup_returned, temp_bytes FROM pg_stat_database"
                " WHERE datname = current_database()")

    def rise():
        with session("ann") as ann:
            run(boss, "SELECT pg_stat_force_next_flush()")
            before = run(boss, question)[0]
            one(ann, RELEASE)
        book.settle()
        wait_until(lambda: one(boss, "SELECT count(*) FROM pg_stat_activity WHERE usename = 'ann'")
                   == 0, "the end of the session")
        run(boss, "SELECT pg_stat_force_next_flush()")
        after = run(boss, question)[0]
        return after[0] - before[0], after[1] - before[1]
    tuples, temp = rise()
    check(tuples < ROWS // 2, "tup_returned rose by %d" % tuples)
    check(temp == 0, "temp_bytes rose by %d" % temp)


@attack("pg_stat_statements shows every role the rows of the scan")
def statistics_of_statements():
    if not one(boss, "SELECT current_setting('shared_preload_libraries') <> ''"):
        return one(connect("ann"), RELEASE)
    run(boss, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements; SELECT pg_stat_statements_reset()")
    with session("ann") as ann:
        one(ann, RELEASE)
        book.settle()
        leak = run(ann, "SELECT query, rows FROM pg_stat_statements WHERE rows >= %s", ROWS // 2)
    check(leak == [], leak)
    return None


@attack("nothing of this is tested, since no parallel worker reads")
def parallel_workers_do_read():
    with session("boss") as owner, session("ann") as ann:
        run(boss, "CREATE FUNCTION public.backend() RETURNS text PARALLEL SAFE SECURITY DEFINER"
            " LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT backend_type FROM pg_stat_activity"
            " WHERE pid = pg_backend_pid()); END $$")
        run(owner, "CREATE VIEW public.readers AS SELECT public.backend() AS reader FROM people")
        run(owner, "SELECT dp_protect('readers', 10, sensitivity => 1), dp_grant('readers', 'ann', 5),"
            " dp_define_column('readers', 'reader', categories => ARRAY['parallel worker'])")
        drawn = dict(run(ann, "SELECT reader IS NOT NULL, count(*) FROM dp_synthesize_sba("
                         "NULL::readers, 5, dense_cells => 1000, rows => 10000) GROUP BY 1"))
    check(drawn.get(True, 0) > 1000, drawn)


@attack("activity, progress and lock views tell what the worker runs")
def activity_of_the_worker():
    line = book.last()
    with session("ann") as ann, session("ann") as other:
        call = Thread(run, ann, SLOW)
        wait_until(lambda: book.lines(line), "the debit")
        said = str(run(other, "SELECT * FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                       " AND usename IS DISTINCT FROM 'ann'"))
        check("SELECT" not in said and "dpsyn" not in said, said)
        for view in "pg_stat_progress_copy", "pg_stat_progress_create_index":
            check(run(other, "SELECT * FROM " + view) == [], view)
        call.finish()


# ---- errors -----------------------------------------------------------------------


@attack("the message of a failed cast quotes the cell", paid=1, released=0)
def error_that_quotes_a_value():
    line = book.last()
    with session("ann") as ann:
        run(ann, "SET client_min_messages = debug5; SET log_error_verbosity = verbose"
            if one(ann, "SELECT current_setting('is_superuser')") == "on"
            else "SET client_min_messages = debug5")
        with refused("22000") as caught:
            one(ann, """SELECT dp_release('broken', 'sba', 0.5, 0, '{"dense_cells": 1000}')""")
        error = caught[0].diag
        said = " ".join(str(getattr(error, field)) for field in dir(error)
                        if not field.startswith("_")) + str(ann.notices)
    check(SICK not in said, said)
    check(SICK in server_log(), "the custodian cannot find the reason")
    check(book.lines(line)[0][2] == "failed", "the ledger does not say failed")


@attack("a domain that is too narrow raises, and quotes the value")
def value_outside_its_domain():
    with session("boss") as owner, session("ann") as ann:
        run(owner, "CREATE VIEW sickness AS SELECT illness, id::text FROM people")
        run(owner, "SELECT dp_protect('sickness', 10), dp_grant('sickness', 'ann', 5)")
        run(owner, "SELECT dp_define_column('sickness', 'illness', categories => '{10,12}')")
        drawn = run(ann, "SELECT DISTINCT illness FROM dp_synthesize_sba(NULL::sickness, 5,"
                    " dense_cells => 1000)")
    check(SICK not in str(drawn), drawn)


@attack("a rare value shows in a domain that is read off the data")
def rare_value_of_an_open_column():
    with session("boss") as owner, session("ann") as ann:
        run(owner, "CREATE VIEW found AS SELECT illness FROM people")
        run(owner, "SELECT dp_protect('found', 10, 1e-3), dp_grant('found', 'ann', 5, 1e-3)")
        run(owner, "SELECT dp_define_column('found', 'illness', open => true)")
        drawn = run(ann, "SELECT DISTINCT illness FROM dp_synthesize_sba(NULL::found, 5, 1e-9,"
                    " dense_cells => 1000, rows => 10000)")
        model = one(boss, "SELECT model FROM dp_catalog.dp_release_store ORDER BY id DESC LIMIT 1")
    check(("12",) in drawn and (SICK,) not in drawn, drawn)
    check(SICK.encode() not in bytes(model), "the stored model holds it")


@attack("a column that is added later comes with the rest, as it is")
def column_added_after_protection():
    with session("boss") as owner, session("ann") as ann:
        run(owner, "CREATE TABLE grown AS SELECT i % 2 = 0 AS even FROM generate_series(1, 50) i;"
            "SELECT dp_protect('grown', 10), dp_grant('grown', 'ann', 5);"
            "ALTER TABLE grown ADD illness text DEFAULT '" + SICK + "'")
        drawn = run(ann, "SELECT DISTINCT illness FROM dp_synthesize_sba(NULL::grown, 5,"
                    " dense_cells => 10)")
        said = "".join(ann.notices)
    check(drawn == [(None,)], drawn)
    check("NULL in every row: illness" in said, said)


@attack("what others were told is told again, what exists is told", paid=1)
def releases_of_others():
    with session("ann") as ann, session("carol") as carol:
        release = one(ann, RELEASE)
        for call in ("dp_sample(NULL::people, %s)", "dp_sample(NULL::people, %s, given => '{}')",
                     "dp_answer(%s)", "dp_answer(%s, '{nothing}')", "dp_release_tables(%s)",
                     "dp_release_cells(%s)", "dp_error(%s)", "dp_histogram(%s)",
                     "dp_impute(NULL::people, %s)", "dp_query(%s)"):
            told = []
            for number in release, 10 ** 9:
                with refused("42501") as caught:
                    run(carol, "SELECT * FROM " + call, number)
                told.append(str(caught[0]).replace(str(number), "N"))
            check(told[0] == told[1], told)
        for view in "dp_datasets", "dp_budgets", "dp_ledger", "dp_releases", "dp_columns":
            check(run(carol, "SELECT * FROM " + view) == [], view)
        for call in ("dp_explain('people', 'sba', 1, 0, '{\"dense_cells\": 9}')",
                     "dp_catalog.dp_column_domains('people')", "dp_suggest_columns('people')",
                     "dp_grant(%d)" % release):
            with refused("42501"):
                run(carol, "SELECT * FROM " + call)
        for table in ("dp_dataset", "dp_dataset_column", "dp_dataset_zero", "dp_dataset_prior",
                      "dp_dataset_hierarchy", "dp_allocation", "dp_ledger_entry", "dp_release_store", "dp_release_part", "dp_alert"):
            with refused("42501"):
                run(ann, "TABLE dp_catalog." + table)
        with refused("42501"):
            run(ann, "TABLE people")
        with refused("42501"):
            run(ann, "SELECT * FROM dp_suggest_columns('people')")


READERS = ("dp_answer(%s)", "dp_answer(%s, '{sex,smoker}')",
           "dp_answer(%s, '{sex}', '{\"smoker\": true}')", "dp_release_tables(%s)",
           "dp_release_cells(%s)", "dp_error(%s)", "dp_sample(NULL::people, %s, 9, given => '{}')")
REFUSED = {"XX001", "22023", "22003", "53200", "54000", "42704", "42809", "55000"}


def read_forged(release, was, calls):
    """Every so many bytes of the stored model are changed. What comes of it, as SQLSTATEs."""
    said = set()
    try:
        for place in range(0, len(was), len(was) // 25 + 1):
            forged = was[:place] + bytes([was[place] ^ (255, 1, 128)[place % 3]]) + was[place + 1:]
            run(boss, "UPDATE dp_catalog.dp_release_store SET model = %s WHERE id = %s", forged, release)
            with session("ann") as ann: # what a session has fitted, it keeps
                for call in calls:
                    try:
                        run(ann, "SELECT * FROM " + call, release)
                    except psycopg2.Error as error:
                        said.add(error.pgcode)
    finally:
        run(boss, "UPDATE dp_catalog.dp_release_store SET model = %s WHERE id = %s", was, release)
    return said


@attack("bytes of a stored model are believed", paid=2)
def forged_models():
    with session("ann") as ann:
        release = one(ann, "SELECT dp_release('people', 'mst', 5, 1e-6)")
        run(ann, "SELECT FROM dp_query(NULL::people, '{count(*),count(distinct sex)}', 5, '{smoker}')")
        answers = one(ann, "SELECT max(release) FROM dp_releases")
    for number, calls in (release, READERS), (answers, ("dp_query(%s)", READERS[3], READERS[4])):
        was = bytes(one(boss, "SELECT model FROM dp_catalog.dp_release_store WHERE id = %s", number))
        said = read_forged(number, was, calls)
        check("XX001" in said and said <= REFUSED, said)


@attack("who may insert probes for others by unique violations", paid=0)
def rights_on_the_protected_table():
    with session("boss") as owner:
        run(owner, "GRANT INSERT ON people TO carol; GRANT SELECT ON people TO bob")
        del owner.notices[:]
        run(owner, "SELECT dp_grant('people', 'carol', 1), dp_grant('people', 'bob', 100000)")
        said = "".join(owner.notices)
        run(owner, "REVOKE ALL ON people FROM carol, bob; SELECT dp_revoke('people', 'carol')")
    check("WARNING:  role carol may change rows" in said, said)
    check("WARNING:  role bob may read" in said, said)


# ---- other people's code ------------------------------------------------------------

OPERATORS = [("oid", "="), ("bigint", "="), ("integer", "="), ("text", "="), ("name", "="),
             ("bigint", "+"), ("bigint", "-"), ("numeric", "*"), ("regrole", "="),
             ("boolean", "="), ("bigint", ">"), ("text", "||"), ("regclass", "=")]


def hijack(eve):
    run(eve, "CREATE FUNCTION eve.trap() RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
        " RAISE 'hijacked as %', current_user USING ERRCODE = 'DP666'; END $$")
    for number, (kind, name) in enumerate(OPERATORS):
        run(eve, "CREATE FUNCTION eve.op%d(a %s, b %s) RETURNS %s LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM eve.trap(); END $$" %
            (number, kind, kind, kind if name in "+-*||" else "boolean"))
        run(eve, "CREATE OPERATOR eve.%s (FUNCTION = eve.op%d, LEFTARG = %s, RIGHTARG = %s)"
            % (name, number, kind, kind))
    for signature in ("now()", "clock_timestamp()", "nullif(text, text)", "greatest(bigint, bigint)",
                      "pg_has_role(oid, text)", "unnest(regrole[])", "jsonb_strip_nulls(jsonb)",
                      "jsonb_build_object()", "dp_catalog_guard(int)", "trim_scale(numeric)",
                      "format(text, text)", "quote_literal(text)",
                      "dp_synthesize_with(anyelement, text, float8, float8, bigint, jsonb,"
                      " integer, bigint)"):
        name, arguments = signature.split("(", 1)
        run(eve, "CREATE FUNCTION eve.\"%s\"(%s RETURNS bigint LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM eve.trap(); END $$" % (name, arguments))
    for table in ("dp_dataset", "dp_allocation", "dp_ledger_entry", "dp_release_store",
                  "dp_dataset_column", "dp_dataset_zero", "dp_dataset_prior", "dp_dataset_hierarchy",
                  "pg_class", "pg_extension", "people"):
        run(eve, "CREATE TABLE eve.%s (id integer, sex text); CREATE TEMP TABLE %s (id integer)"
            % (table, table))


@attack("the worker, a superuser, calls the analyst's operators and functions", paid=2)
def search_path_and_operators():
    with session("eve") as eve:
        hijack(eve)
        run(eve, "ALTER ROLE eve SET search_path = pg_temp, eve, public, pg_catalog")
    with session("eve") as eve:
        run(eve, "CREATE TEMP TABLE dp_dataset (id integer); CREATE TEMP TABLE pg_class (oid oid)")
        with refused("DP666"):
            run(eve, "SELECT 1::bigint + 1::bigint")
        release = one(eve, RELEASE.replace("dp_release(", "public.dp_release(")
                      .replace("people", "public.people"))
        for statement in (
                "SELECT count(*) FROM public.dp_sample(NULL::public.people, %d)" % release,
                "SELECT count(*) FROM public.dp_synthesize_sba(NULL::public.people, 0.5,"
                " dense_cells => 1000)",
                "SELECT count(*) FROM public.dp_explain('public.people', 'sba', 1, 0,"
                """ '{"dense_cells": 9}')""",
                "SELECT public.dp_grant(%d)" % release,
                "TABLE public.dp_datasets", "TABLE public.dp_columns", "TABLE public.dp_budgets",
                "TABLE public.dp_ledger", "TABLE public.dp_releases", "TABLE public.dp_methods"):
            check(len(run(eve, statement)) > 0, statement)


@attack("code of the owner runs with the worker's rights", paid=1, released=0)
def code_of_the_owner_in_a_view():
    with session("boss") as owner:
        run(owner, "CREATE FUNCTION public.climb() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
            " IF current_user <> 'boss' THEN RETURN true; END IF;"
            " EXECUTE 'ALTER ROLE boss SUPERUSER'; RETURN true; END $$;"
            "CREATE VIEW climbing AS SELECT i, i > 1 AS ok FROM generate_series(1, 2) i"
            " WHERE public.climb(); SELECT dp_protect('climbing', 10, sensitivity => 1);"
            "SELECT dp_define_column('climbing', 'ok', categories => '{true,false}')")
        with refused("22000"):
            one(owner, RELEASE.replace("people", "climbing"))
    check(one(boss, "SELECT NOT rolsuper FROM pg_roles WHERE rolname = 'boss'"), "it did")


@attack("code of the owner in a CHECK or a domain type runs with the worker's rights", paid=1)
def code_of_the_owner_in_checks_and_domains():
    with session("boss") as owner:
        run(owner, "CREATE TABLE public.witness (who name);"
            "CREATE FUNCTION public.look() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
            " INSERT INTO public.witness VALUES (current_user);"
            " BEGIN EXECUTE 'ALTER ROLE boss SUPERUSER'; EXCEPTION WHEN OTHERS THEN NULL; END;"
            " RETURN true; END $$;"
            "CREATE FUNCTION public.value() RETURNS text IMMUTABLE LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM public.look(); RETURN 'b'; END $$;"
            "CREATE FUNCTION public.valid(text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS"
            " $$ BEGIN RETURN public.look(); END $$;"
            "CREATE DOMAIN public.looking AS text CHECK (public.valid(VALUE));"
            "CREATE TABLE looked (a text CHECK (a IN ('a', public.value())), b public.looking,"
            " c public.looking[], d boolean NOT NULL);"
            "INSERT INTO looked VALUES ('a', 'x', '{y}', true); SELECT dp_protect('looked', 10);"
            "SELECT dp_define_column('looked', 'b', categories => '{x,z}');"
            "SELECT dp_define_column('looked', 'c', categories => '{{y},{z}}'::text);"
            .replace("'{{y},{z}}'::text", "ARRAY['{y}', '{z}']"))
    run(boss, "SELECT count(*) FROM dp_columns")
    check(one(boss, "SELECT kind IS NULL FROM dp_columns WHERE relation = 'looked'::regclass"
              " AND column_name = 'a'"), "a function of the owner made a fact")
    one(boss, RELEASE.replace("people", "looked"))
    run(boss, "SELECT * FROM dp_sample(NULL::looked, (SELECT max(release) FROM dp_releases), 3)")
    check(one(boss, "SELECT count(*) > 0 AND bool_and(who = 'boss') FROM public.witness"),
          "it ran as somebody else")
    check(one(boss, "SELECT NOT rolsuper FROM pg_roles WHERE rolname = 'boss'"), "it climbed")


INSIDE = """
CREATE TABLE public.inside_of (who name); GRANT INSERT ON public.inside_of TO public;
CREATE FUNCTION public.inside() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO public.inside_of VALUES (current_user); RETURN true; END $$;
CREATE FUNCTION public.inside(text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN
	RETURN public.inside(); END $$;
CREATE DOMAIN public.inner_text AS text CHECK (public.inside(VALUE));
CREATE TYPE public.inner_row AS (a public.inner_text);
CREATE TYPE public.inner_range AS RANGE (subtype = public.inner_text);
CREATE TABLE containers (
	tags public.inner_text[] CHECK (cardinality(tags) < 5),
	more public.inner_text[] CHECK (more <> '{x}' AND cardinality(more) < 5),
	r public.inner_row CHECK (r IS NOT NULL), s public.inner_range CHECK (NOT isempty(s)),
	w public.inner_text CHECK (length(w) < 5), CHECK (tags IS NOT NULL OR more <> r::text::public.inner_text[]),
	n integer NOT NULL CHECK (n BETWEEN 0 AND 9));
INSERT INTO containers SELECT '{a}', '{b}', '(c)', '[a,b]', 'w', i % 10 FROM generate_series(1, 300) i;
SELECT dp_protect('containers', 100, 0.1);
SELECT dp_define_column('containers', 'tags', categories => ARRAY['{a}', '{b}']),
	   dp_define_column('containers', 'more', open => true),
	   dp_define_column('containers', 'r', categories => ARRAY['(c)', '(d)']),
	   dp_define_column('containers', 's', categories => ARRAY['[a,b]', '[a,c]']),
	   dp_define_column('containers', 'w', categories => '{v,w}'), dp_grant('containers', 'ann', 100, 0.1)
"""


def ran_as(user="boss"):
    return {who for who, in run(boss, "SELECT DISTINCT who FROM public.inside_of")} <= {user}


@attack("code in a domain inside an array, a composite or a range runs as the worker's superuser",
        paid=2)
def code_inside_of_types():
    call = "'containers', 'mst', 20, 1e-6"
    with session("boss") as owner:
        run(owner, INSIDE)
        check(one(owner, "SELECT count(*) FROM public.inside_of") > 0, "it would not be noticed")
    with session("ann") as ann:
        run(ann, "SELECT * FROM dp_explain(%s); SELECT count(*) FROM dp_columns" % call)
        check(ran_as(), "it ran in the analyst's session")
        release = one(ann, "SELECT dp_release(%s)" % call)
        check(ran_as(), "it ran in the worker")
        # nor does it when she draws; that is found before she pays
        for statement in ("dp_sample(NULL::containers, %s, 5)" % release,
                          "dp_synthesize_mst(NULL::containers, 1, 1e-6)",
                          "dp_sample(NULL::public.inner_row, %s, 5)" % release):
            with refused("42501", "42804"):
                run(ann, "SELECT * FROM " + statement)
        run(ann, "SELECT * FROM dp_sample(NULL::record, %s, 5) AS x(tags text, more text, r text,"
            " s text, w text, n integer)" % release)
        one(ann, """SELECT dp_release(%s, '{"columns": ["w", "n"]}')""" % call)
        check(ran_as(), "it ran when rows were drawn")
    run(boss, "SELECT * FROM dp_sample(NULL::containers, %s, 5)" % release)
    check(ran_as(), "it ran as the superuser")
    with session("boss") as owner:  # so that judge() can draw
        run(owner, "ALTER TABLE containers DROP COLUMN tags, DROP COLUMN more, DROP COLUMN r, DROP COLUMN s")
    with session("ann") as ann:
        run(ann, "SELECT count(*) FROM dp_sample(NULL::containers, %s, 5)" % release)
    check(ran_as(), "a domain's CHECK ran")


@attack("a column that changes its type runs code where its fill is read", paid=1)
def code_inside_of_a_fill():
    with session("boss") as owner:
        run(owner, "CREATE TABLE filled (tag text, n integer NOT NULL CHECK (n BETWEEN 0 AND 9));"
            "SELECT dp_protect('filled', 100), dp_define_column('filled', 'tag', fill => '{{n}}'),"
            " dp_grant('filled', 'ann', 100)")
        with session("ann") as ann:
            release = one(ann, RELEASE.replace("people", "filled"))
            run(owner, "DELETE FROM public.inside_of")
            for kind in ("public.inner_text[] USING NULL", "public.inner_row USING NULL",
                         "public.inner_range USING NULL"):
                run(owner, "ALTER TABLE filled ALTER tag TYPE " + kind)
                for who in ann, boss:
                    with refused("42501", "42804"):
                        run(who, "SELECT * FROM dp_sample(NULL::filled, %s, 5)" % release)
        run(owner, "ALTER TABLE filled ALTER tag TYPE text USING NULL")
    check(run(boss, "SELECT * FROM public.inside_of") == [], "it ran")


@attack("a table like the original runs the custodian's code as the analyst, by functions of"
        " PostgreSQL that take SQL as a text, by defaults of domains, or by what changes later", paid=1)
def code_in_a_table_like_the_original():
    with session("boss") as owner:
        run(owner, "DELETE FROM public.inside_of; CREATE TYPE public.inner_flat AS (a text);"
            "CREATE DOMAIN public.inner_default AS text DEFAULT public.inside()::text;"
            "CREATE DOMAIN public.inner_later AS text;"
            "CREATE TABLE like_me (id serial PRIMARY KEY, n integer NOT NULL CHECK (n BETWEEN 0 AND 9),"
            " note text DEFAULT query_to_xml('SELECT public.inside()', true, true, '')::text,"
            " d public.inner_default, e public.inner_later, f public.inner_flat, g public.inner_flat[],"
            " h public.inner_text[], i public.inner_range, at timestamptz DEFAULT now() + interval '1 day',"
            " CHECK (query_to_xml('SELECT public.inside()', true, true, '') IS NOT NULL OR n > 100),"
            " CHECK (table_to_xml('containers'::regclass, true, true, '') IS NOT NULL),"
            " CHECK (length(note) > 0 OR at > '2000-01-01'));"
            "CREATE INDEX like_me_at ON like_me (n) WHERE note LIKE 'a%';"
            "SELECT dp_protect('like_me', 100, 0.1), dp_grant('like_me', 'ann', 100, 0.1);")
    with session("ann") as ann:
        run(ann, "SELECT * FROM dp_create_synthetic('{like_me}', 'ann', 1, 1e-6,"
            """ '{"method": "mst", "rows": 5, "partial": true}')""")
        with session("boss") as owner:
            run(owner, "ALTER DOMAIN public.inner_later ADD CHECK (public.inside(VALUE)) NOT VALID;"
                "ALTER TYPE public.inner_flat ADD ATTRIBUTE b public.inner_text")
        check(one(ann, "INSERT INTO ann.like_me (n) VALUES (1) RETURNING at > now()"), "no default")
        run(ann, "INSERT INTO ann.like_me (n, e, f, g, h, i) VALUES (1, 'e', '(f)', '{g}', '{h}', '[i,j]')")
        check(one(ann, "SELECT array_agg(attname || ' ' || format_type(atttypid, -1) ORDER BY attnum)"
                  " FROM pg_attribute WHERE attrelid = 'ann.like_me'::regclass AND attnum > 3") ==
              ["d text", "e text", "f text", "g text[]", "h text[]", "i text",
               "at timestamp with time zone"], "other types")
        check(one(ann, "SELECT count(*) FROM pg_constraint WHERE conrelid = 'ann.like_me'::regclass"
                  " AND contype = 'c'") == 2, "other CHECKs")
    check(run(boss, "SELECT * FROM public.inside_of") == [], "it ran")


@attack("code of whoever draws runs with more rights than they have", paid=1)
def code_of_the_caller_in_the_row_type():
    run(boss, "GRANT CREATE ON SCHEMA public TO ann")
    with session("ann") as ann:
        release = one(ann, RELEASE)
        run(ann, "CREATE FUNCTION public.mine(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN"
            " BEGIN EXECUTE 'ALTER ROLE ann SUPERUSER'; EXCEPTION WHEN OTHERS THEN NULL; END;"
            " RETURN true; END $$; CREATE DOMAIN public.mine AS text CHECK (public.mine(VALUE))")
    run(boss, "CREATE TABLE of_a_superuser (sex public.mine,"
        " x public.mine CHECK (x IN ('q'))); CREATE TYPE nested AS (a int, b public.mine);"
        "SELECT dp_protect('of_a_superuser', 10); SELECT dp_grant('of_a_superuser', 'ann', 0)")
    with session("ann") as ann:
        run(ann, "SELECT * FROM dp_sample(NULL::record, %s, 3) AS r(sex public.mine)", release)
        run(ann, "SELECT * FROM dp_sample(NULL::of_a_superuser, %s, 3)", release)
        with refused("22P02"):
            run(ann, "SELECT * FROM dp_sample(NULL::record, %s, 3) AS r(sex nested)", release)
        run(ann, "SELECT * FROM dp_columns")
        check(one(ann, "SELECT NOT rolsuper FROM pg_roles WHERE rolname = 'ann'"), "it climbed")
    run(boss, "DROP TABLE of_a_superuser; DROP TYPE nested; DROP DOMAIN public.mine;"
        "REVOKE CREATE ON SCHEMA public FROM ann")


@attack("code in the rules of a table runs in the session of whoever draws rows", paid=1)
def code_in_rules():
    with session("boss") as owner:
        run(owner, "CREATE TABLE public.spied (who name); GRANT INSERT ON public.spied TO public;"
            "CREATE FUNCTION public.note() RETURNS void LANGUAGE sql AS"
            " 'INSERT INTO public.spied VALUES (current_user)';"
            "CREATE FUNCTION public.spy(integer) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM public.note(); RETURN 1; END $$;"
            "CREATE FUNCTION public.same(integer, integer) RETURNS boolean IMMUTABLE"
            " LANGUAGE sql AS 'SELECT public.spy($1) = 1';"
            "CREATE OPERATOR public.=== (LEFTARG = integer, RIGHTARG = integer,"
            " FUNCTION = public.same);"
            "CREATE DOMAIN public.spying AS integer CHECK (public.spy(VALUE) = 1);"
            "CREATE TABLE ruled (a integer NOT NULL CHECK (public.spy(a) = 1),"
            " b integer NOT NULL CHECK (b >= 0 AND a OPERATOR(public.===) b),"
            " c integer GENERATED ALWAYS AS (public.spy(a)) STORED,"
            " d integer CHECK (d::public.spying IS NULL), CHECK (b >= a));"
            "INSERT INTO ruled (a, b) SELECT i % 5, i % 5 + 1 FROM generate_series(1, 100) i;"
            "SELECT dp_protect('ruled', 10);"
            "SELECT dp_define_column('ruled', 'a', bins => '{0,5,10}');"
            "SELECT dp_define_column('ruled', 'b', bins => '{0,5,10}');"
            "SELECT dp_grant('ruled', 'ann', 1)")
    check(one(boss, "SELECT count(*) > 0 FROM public.spied"), "it would not be noticed")
    run(boss, "DELETE FROM public.spied")
    with session("ann") as ann:
        release = one(ann, RELEASE.replace("people", "ruled"))
        drawn = run(ann, "SELECT a, b, c FROM dp_sample(NULL::ruled, %s, 200)", release)
        check(all(b >= a and c is None for a, b, c in drawn), drawn)
    check(run(boss, "SELECT * FROM public.spied") == [], "code of the owner ran")
    run(boss, "GRANT CREATE ON SCHEMA public TO ann")
    with session("ann") as ann:
        run(ann, "CREATE TABLE public.hers (a integer CHECK (public.spy(a) = 1), b integer,"
            " c integer GENERATED ALWAYS AS (public.spy(b)) STORED)")
    run(boss, "SELECT * FROM dp_sample(NULL::public.hers, %s, 200)", release)
    check(run(boss, "SELECT * FROM public.spied") == [], "code of the caller ran")
    run(boss, "DROP TABLE public.hers; REVOKE CREATE ON SCHEMA public FROM ann")


@attack("operators and functions planted in the schema beforehand stand in its views", paid=0)
def objects_planted_in_the_schema():
    run(boss, "CREATE DATABASE planted")
    with session("postgres", dbname="planted") as other:
        run(other, "CREATE SCHEMA ext; GRANT CREATE, USAGE ON SCHEMA ext TO boss")
        run(other, "SET ROLE boss;"
            "CREATE FUNCTION ext.trap(bigint, numeric) RETURNS numeric LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;"
            "CREATE OPERATOR ext.* (FUNCTION = ext.trap, LEFTARG = bigint, RIGHTARG = numeric);"
            "CREATE FUNCTION ext.trap(oid, regclass) RETURNS boolean LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;"
            "CREATE OPERATOR ext.= (FUNCTION = ext.trap, LEFTARG = oid, RIGHTARG = regclass);"
            "CREATE FUNCTION ext.pg_has_role(regrole, text) RETURNS boolean LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;"
            "CREATE FUNCTION ext.unnest(regrole[]) RETURNS SETOF regrole LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;"
            "CREATE FUNCTION ext.format(text, text) RETURNS text LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'trapped'; END $$; RESET ROLE")
        run(other, "CREATE EXTENSION dpsyn SCHEMA ext; SET search_path = ext;"
            "CREATE TABLE t (a boolean); SELECT dp_protect('t', 10, 0.1);"
            "SELECT dp_grant('t', 'ann', 1)")
        run(other, "SELECT dp_grant(dp_release('t', 'sba', 1, 0, '{\"dense_cells\": 10}'), 'ann')")
        for view in "dp_datasets", "dp_columns", "dp_budgets", "dp_ledger", "dp_releases", "dp_methods":
            check(run(other, "SELECT * FROM ext." + view), view + " is empty")
    run(boss, "DROP DATABASE planted")


@attack("code of the owner takes another identity in the worker", paid=2, released=0)
def identity_change_of_the_owner_in_a_view():
    for statement in "SET ROLE postgres", "SET SESSION AUTHORIZATION postgres":
        with session("boss") as owner:
            run(owner, "CREATE OR REPLACE FUNCTION public.climb() RETURNS boolean LANGUAGE plpgsql"
                " AS $$ BEGIN EXECUTE '%s'; RETURN true; END $$" % statement)
            with refused("22000"):
                one(owner, RELEASE.replace("people", "climbing"))


@attack("a predicate or SQL text in the call runs as the owner", paid=0)
def words_of_the_call_are_names_only():
    inject = ["sex\" FROM pg_authid --", "sex, (SELECT rolpassword FROM pg_authid LIMIT 1)",
              "illness", "ctid", "people.sex", "count(*)", "SEX"]
    with session("ann") as ann:
        for words in inject:
            with refused("42703"):
                run(ann, "SELECT dp_release('people', 'sba', 0.5, 0,"
                    " jsonb_build_object('dense_cells', 99, 'columns', ARRAY[%s]))", words)


@attack("names with quotes break out of the worker's SELECT")
def names_with_quotes():
    with session("boss") as owner:
        run(owner, 'CREATE TABLE "we""ird; --" ("a""b; --" boolean NOT NULL, "SELECT" boolean,'
            ' "%" boolean)')
        run(owner, """SELECT dp_protect('"we""ird; --"', 10)""")
        check(one(owner, """SELECT dp_release('"we""ird; --"', 'sba', 1, 0,"""
                  """ '{"dense_cells": 99}')""") > 0, "no answer")
        run(owner, 'ALTER TABLE "we""ird; --" RENAME TO weird')
        for table in "dp_catalog.dp_release_store", "dp_catalog.dp_ledger_entry":  # only so that judge() finds it
            run(boss, "UPDATE %s SET relation_name = 'weird' WHERE relation_name LIKE '%%ird%%'"
                % table)


def waiting(kind):
    return one(boss, "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
               " WHERE NOT granted AND backend_type = %s", kind)


@contextmanager
def prepared(relation, statement):
    """A release that has prepared everything, and waits to be debited until it may proceed."""
    with session("postgres", autocommit=False) as holder, session("postgres") as caller:
        run(holder, "SELECT FROM dp_catalog.dp_dataset WHERE relation = %s::regclass FOR UPDATE", relation)
        call = Thread(run, caller, statement)
        call.proceed = holder.rollback
        wait_until(lambda: waiting("dpsyn release worker"), "the worker waiting")
        yield call
        holder.rollback()


@attack("columns change places between debit and scan: memory is read wrongly")
def columns_renamed_between_debit_and_scan():
    run(boss, "CREATE TABLE morph AS SELECT 'f'::text AS sex, 12345::bigint AS number;"
        "SELECT dp_protect('morph', 1000);"
        "SELECT dp_define_column('morph', 'sex', categories => '{f,m}')")
    with prepared("morph", "SELECT * FROM dp_synthesize_sba(NULL::morph, 500, dense_cells => 9,"
                  " columns => '{sex}')") \
            as call, session("postgres") as ddl:
        change = Thread(run, ddl, "ALTER TABLE morph RENAME sex TO old;"
                        " ALTER TABLE morph RENAME number TO sex")
        wait_until(lambda: waiting("client backend"), "the DDL waiting")
        call.proceed()
        check(call.finish() == [("f", None)], "not what was planned was read")
        change.finish()
        run(ddl, "ALTER TABLE morph RENAME sex TO number; ALTER TABLE morph RENAME old TO sex")


@attack("a right that is revoked before the debit makes a paid release fail", paid=0)
def rights_revoked_before_the_debit():
    run(boss, "CREATE TABLE lent AS SELECT true AS even; GRANT SELECT ON lent TO eve;"
        "SET SESSION AUTHORIZATION eve; CREATE TABLE eve.own AS SELECT true AS even;"
        "CREATE VIEW eve.borrowed AS SELECT even FROM public.lent;"
        "SELECT dp_protect(it, 1000), dp_define_column(it, 'even', categories => '{true,false}')"
        " FROM unnest('{eve.own,eve.borrowed}'::regclass[]) it; RESET SESSION AUTHORIZATION")
    for relation, right in (("eve.own", "SELECT ON eve.own"), ("eve.own", "USAGE ON SCHEMA eve"),
                            ("eve.borrowed", "SELECT ON eve.borrowed"),
                            ("eve.borrowed", "SELECT ON lent")):
        with prepared(relation, "SELECT dp_release('%s', 'cipher', 1)" % relation) as call:
            run(boss, "REVOKE %s FROM eve" % right)
            call.proceed()
            with refused("55000"):
                call.finish()
        run(boss, "GRANT %s TO eve" % right)


@attack("the labels of an enum change between plan and scan: a paid release fails", paid=2)
def labels_changed_before_the_debit():
    run(boss, "CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE DOMAIN feeling AS mood;"
        "CREATE TABLE moods AS SELECT 'sad'::mood AS now, '{sad}'::feeling[] AS before;"
        "SELECT dp_protect('moods', 1000), dp_define_column('moods', 'now', categories =>"
        " '{sad,happy}'), dp_define_column('moods', 'before', categories => ARRAY['{sad}'])")
    for change in "ADD VALUE 'calm'", "RENAME VALUE 'happy' TO 'glad'":
        with prepared("moods", "SELECT dp_release('moods', 'cipher', 1)") as call, \
                session("postgres") as ddl:
            ddl_call = Thread(run, ddl, "ALTER TYPE mood " + change)
            wait_until(lambda: waiting("client backend"), "the DDL waiting")
            call.proceed()
            call.finish()
            ddl_call.finish()
    with refused("22P02"), session("postgres") as caller:
        run(caller, "SELECT dp_release('moods', 'cipher', 1)")
    run(boss, "ALTER TYPE mood RENAME VALUE 'glad' TO 'happy'")  # only so that judge() can draw


@attack("cells come in the order of the source rows")
def order_of_the_source_rows():
    run(boss, "CREATE TABLE backwards AS SELECT i / 100 AS part FROM generate_series(1999, 0, -1) i;"
        "SELECT dp_protect('backwards', 1000, 0.1), dp_grant('backwards', 'ann', 100, 0.1);"
        "SELECT dp_define_column('backwards', 'part', open => true)")
    with session("ann") as ann:
        release = one(ann, "SELECT dp_release('backwards', 'sba', 50, 1e-6)")
    stored = model.parse(one(boss, "SELECT model FROM dp_catalog.dp_release_store WHERE id = %s", release))
    labels = stored.attributes[0].labels
    cells = list(stored.tables[0].cells)
    check(len(labels) == 20 and labels == sorted(labels), labels)
    check(len(cells) == 20 and cells == sorted(cells), cells)


# ---- noise ------------------------------------------------------------------------------


def models(connection, statement):
    """The stored models of the releases that a statement makes."""
    releases = [number for row in run(connection, statement) for number in row]
    return [bytes(one(boss, "SELECT model FROM dp_catalog.dp_release_store WHERE id = %s", number))
            for number in releases]


NOISY = """dp_release('people', 'sba', 0.001, 0, '{"dense_cells": 1000}')"""


@attack("setseed() makes the noise known", paid=2)
def setseed():
    with session("ann") as ann:
        run(ann, "SELECT setseed(0.5)")
        first = models(ann, "SELECT " + NOISY)
        run(ann, "SELECT setseed(0.5)")
        check(models(ann, "SELECT " + NOISY) != first, "the same noise")


@attack("two calls in one statement share their noise", paid=5)
def several_calls_in_one_statement():
    with session("ann") as ann:
        noise = models(ann, "SELECT %s, %s" % (NOISY, NOISY))
        noise += models(ann, "SELECT %s FROM generate_series(1, 3)" % NOISY)
    check(len(set(noise)) == 5, "some noise is the same")


@attack("a setting or a symbol seeds the noise", paid=0)
def no_seed_interface():
    library = one(boss, "SELECT setting FROM pg_config WHERE name = 'PKGLIBDIR'") + "/dpsyn.so"
    symbols = subprocess.run(["nm", "-D", library], stdout=subprocess.PIPE, check=True,
                             universal_newlines=True).stdout
    imported = re.findall(r" U (\w+)", symbols)
    check("pg_strong_random" in imported, "no strong randomness is used")
    for name in imported:
        check(not re.search(r"pg_prng|^s?random|rand48|^rand$|setseed|getenv", name), name)
    for name in re.findall(r" [TDBR] (\w+)", symbols):
        # rows are drawn from released numbers with a seed: that is no noise; nor are public rows at
        # which chains start
        check("seed" not in name or name in ("dp_prng_seed", "dp_seed_argument")
              or name.startswith("dp_seed_pool_"), name)
    check(run(boss, "SELECT name FROM pg_settings WHERE name LIKE 'dpsyn.%' ORDER BY name")
          == [("dpsyn." + name,) for name in
              ("counting_memory", "log_releases", "max_parallel_workers", "max_releases_per_relation",
               "max_releases_per_role", "model_memory", "progress_interval", "query_confidence", "query_delta",
               "query_epsilon", "query_max_rows_per_unit", "query_max_sum_per_unit", "query_refresh", "release_timeout", "row_memory", "spending")],
          "another setting")


tap = Tap()
attack.run(tap, boss)
tap.done()
