"""The recipes of docs/distributed.md: partitions and parallel workers, postgres_fdw
shards on two servers, states as Citus moves them, days that are kept and merged.
"""
import io
import os
import sys
from contextlib import closing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from dptest import Tap, connect, one, refused, run  # noqa: E402

import servers  # noqa: E402

ROWS = 6000
COLUMNS = "region text NOT NULL, day date NOT NULL, sex text, age integer, smoker boolean NOT NULL"
DATA = """SELECT (ARRAY['north', 'south', 'west'])[1 + mod(i, 3)] AS region,
 date '2024-01-01' + mod(i, 4) AS day,
 CASE WHEN mod(i, 7) = 0 THEN NULL WHEN mod(i, 2) = 0 THEN 'f' ELSE 'm' END AS sex,
 mod(i, 90) AS age, mod(i, 5) = 0 AS smoker FROM generate_series(1, {}) i""".format(ROWS)
SPEC = """SELECT dp_marginal_spec(domains => '[{"name": "sex", "categories": ["f", "m"]},
 {"name": "age", "bins": [0, 18, 65, 100], "type": "integer"},
 {"name": "smoker", "categories": ["true", "false"], "other": false}]')"""
CALL = "dp_marginals(%s, sex, age, smoker)"
AS_TEXT = "dp_marginals(%s, ARRAY[sex, age::text, smoker::text])"

tap = Tap()


def shard(database):
    return connect(dbname=database, host=os.environ["SHARD_HOST"])


def shard_log():
    with open(os.environ["SHARD_LOG"], encoding="utf-8", errors="replace") as file:
        return file.read()


def plan(connection, statement, *values):
    return "\n".join(row[0] for row in run(connection, "EXPLAIN (VERBOSE, COSTS OFF) " + statement,
                                           *values))


def make_shards():
    with closing(shard("postgres")) as there:
        run(there, "CREATE ROLE counter LOGIN")
        for region in "north", "south":
            run(there, "CREATE DATABASE " + region)
    for region in "north", "south":
        with closing(shard(region)) as there:
            run(there, "CREATE EXTENSION dpsyn; CREATE TABLE person (%s)" % COLUMNS)
            run(there, "INSERT INTO person SELECT * FROM (%s) d WHERE region = '%s'; ANALYZE person"
                % (DATA, region))
            run(there, "GRANT SELECT ON person TO counter")


def make_coordinator(here):
    run(here, "CREATE EXTENSION dpsyn; CREATE EXTENSION postgres_fdw; CREATE ROLE boss LOGIN;"
        "CREATE ROLE ann LOGIN; GRANT CREATE ON SCHEMA public TO boss;"
        "GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO boss")
    for region in "north", "south":
        run(here, "CREATE SERVER {0} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{1}', port '5432',"
            " dbname '{0}', extensions 'dpsyn'); GRANT USAGE ON FOREIGN SERVER {0} TO boss;"
            "CREATE USER MAPPING FOR boss SERVER {0} OPTIONS (user 'counter', password_required 'false');"
            "CREATE USER MAPPING FOR postgres SERVER {0} OPTIONS (user 'counter')"
            .format(region, os.environ["SHARD_HOST"]))
    run(here, "SET ROLE boss; CREATE TABLE person (%s) PARTITION BY LIST (region);"
        "CREATE FOREIGN TABLE person_north PARTITION OF person FOR VALUES IN ('north')"
        " SERVER north OPTIONS (table_name 'person');"
        "CREATE FOREIGN TABLE person_south PARTITION OF person FOR VALUES IN ('south')"
        " SERVER south OPTIONS (table_name 'person');"
        "CREATE TABLE person_west PARTITION OF person FOR VALUES IN ('west');"
        "CREATE TABLE whole AS %s;"
        "INSERT INTO person SELECT * FROM whole WHERE region = 'west'; ANALYZE; RESET ROLE"
        % (COLUMNS, DATA))


def partitions_and_parallel_workers(here, spec, whole):
    run(here, "CREATE TABLE local (LIKE whole) PARTITION BY LIST (region);"
        "CREATE TABLE local_a PARTITION OF local FOR VALUES IN ('north', 'west');"
        "CREATE TABLE local_b PARTITION OF local FOR VALUES IN ('south');"
        "INSERT INTO local TABLE whole; ANALYZE local;"
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;"
        "SET max_parallel_workers_per_gather = 2")
    said = plan(here, "SELECT %s FROM local" % CALL, spec)
    tap.ok("Gather" in said and "Partial Aggregate" in said and "Parallel Append" in said,
           "partitions are counted by parallel workers", said)
    tap.equal(one(here, "SELECT %s FROM local" % CALL, spec), whole, "to the same counts")
    run(here, "RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;"
        "RESET max_parallel_workers_per_gather")


def one_shard(here, spec):
    said = plan(here, "SELECT %s FROM person_north" % CALL, spec)
    tap.ok("Foreign Scan" in said and "Remote SQL: SELECT public.dp_marginals(" in said,
           "a foreign table is counted where it is", said)
    there = one(here, "SELECT %s FROM person_north" % CALL, spec)
    with closing(shard("north")) as north:
        tap.equal(there, one(north, "SELECT %s FROM person" % CALL, spec), "to what it counts there")


def shards_by_hand(here, spec, whole):
    parts = " UNION ALL ".join("SELECT %s AS c FROM person_%s" % (CALL, region)
                               for region in ("north", "south", "west"))
    statement = "SELECT dp_merge(c) FROM (%s) shards" % parts
    said = plan(here, statement, spec, spec, spec)
    tap.equal(said.count("Remote SQL: SELECT public.dp_marginals("), 2,
              "UNION ALL: each shard counts for itself")
    tap.equal(one(here, statement, spec, spec, spec), whole, "dp_merge adds the shards up")


def shards_by_partition_key(here, spec, whole):
    statement = "SELECT dp_merge(c) FROM (SELECT %s AS c FROM person GROUP BY region) shards" % CALL
    run(here, "SET enable_partitionwise_aggregate = on")
    said = plan(here, statement, spec)
    run(here, "RESET enable_partitionwise_aggregate")
    tap.equal(said.count("Remote SQL: SELECT public.dp_marginals("), 2,
              "GROUP BY the partition key: each shard counts for itself")
    tap.equal(one(here, statement, spec), whole, "and dp_merge adds them up")


def other_forms(here, spec):
    said = plan(here, "SELECT %s FROM person_north" % (CALL % ("(" + SPEC + ")")))
    tap.ok("Remote SQL: SELECT public.dp_marginals(" in said, "a spec that is a sub-select is no hindrance",
           said)
    for columns, of in ((("region", "sex"), '"categories": ["north", "f", "m"]'),
                        (("age", "age + 1"), '"levels": 91')):
        made = one(here, "SELECT dp_marginal_spec(domains => '[{\"name\": \"a\", %s}, {\"name\": \"b\", %s}]')"
                   % (of, of))
        statement = "SELECT dp_marginals(%%s, ARRAY[%s]) FROM %%s" % ", ".join(columns)
        said = plan(here, statement.replace("FROM %s", "FROM person_north"), made)
        tap.ok("Remote SQL: SELECT public.dp_marginals(" in said, "nor are columns in one array", said)
        tap.equal(one(here, statement.replace("FROM %s", "FROM person_north"), made),
                  one(here, statement.replace("FROM %s", "FROM whole WHERE region = 'north'"), made),
                  "the counts are the same")


def a_shard_of_another_spec(here, spec):
    other = one(here, SPEC.replace('"f", "m"', '"m", "f"'))
    with refused("22023"):
        run(here, "SELECT dp_merge(c) FROM (SELECT %s AS c FROM person_north UNION ALL"
            " SELECT %s FROM person_south) s" % (CALL, CALL), spec, other)
    tap.ok(True, "shards that were counted with another spec are refused")


def released_from_shards(here):
    run(here, "SET ROLE boss; SELECT dp_protect('person', 100), dp_protect('person_north', 100);"
        "SELECT dp_define_column(t::regclass, 'sex', categories => '{f,m}'),"
        " dp_define_column(t::regclass, 'age', bins => '{0,18,65,100}')"
        " FROM unnest('{person,person_north}'::text[]) t;"
        "SELECT dp_grant('person', 'ann', 50), dp_grant('person_north', 'ann', 50); RESET ROLE")
    with closing(connect("ann")) as ann:
        before = shard_log().count("SELECT public.dp_marginals(")
        release = one(ann, """SELECT dp_release('person', 'sba', 40, 0,
         '{"dense_cells": 1000, "columns": ["sex", "age", "smoker"]}')""")
        pushed = shard_log().count("SELECT public.dp_marginals(") - before
        tap.ok(pushed >= 2, "a release of the partitioned table is counted by its shards",
               "%d statements" % pushed)
        drawn = one(ann, "SELECT rows FROM dp_releases WHERE release = %s", release)
        tap.ok(abs(drawn - ROWS) < 20, "of all rows, with noise", drawn)
        shares = dict(run(ann, "SELECT sex, count(*) FROM dp_sample(NULL::person, %s, 6000, 1)"
                          " GROUP BY sex", release))
        tap.ok(2300 < shares["f"] < 2850 and 650 < shares[None] < 1050, "as they are", shares)
        before = shard_log().count("SELECT public.dp_marginals(")
        one(ann, """SELECT dp_release('person_north', 'sba', 40, 0,
         '{"dense_cells": 1000, "columns": ["sex", "age", "smoker"]}')""")
        tap.ok(shard_log().count("SELECT public.dp_marginals(") > before,
               "a release of a foreign table is counted where it is")
        with refused("42501"):
            run(ann, "SELECT count(*) FROM person_north")
        tap.ok(True, "the analyst may still not read a shard")


def released_where_a_shard_is_out_of_reach(here):
    """The owner may not read a partition by itself: it is read through the parent, as before."""
    run(here, "REVOKE SELECT ON person_west FROM boss")
    with closing(connect("ann")) as ann:
        release = one(ann, """SELECT dp_release('person', 'sba', 5, 0,
         '{"dense_cells": 1000, "columns": ["smoker"]}')""")
        drawn = one(ann, "SELECT rows FROM dp_releases WHERE release = %s", release)
    run(here, "GRANT SELECT ON person_west TO boss")
    tap.ok(abs(drawn - ROWS) < 40, "rights on the partitions are not needed", drawn)


def kept_days(here, spec, whole):
    run(here, "CREATE TABLE daily (day date PRIMARY KEY, counts dp_counts NOT NULL)")
    run(here, "INSERT INTO daily SELECT day, %s FROM whole GROUP BY day" % CALL, spec)
    tap.equal(one(here, "SELECT dp_merge(counts) FROM daily"), whole, "counts of days are kept and merged")
    buffer = io.BytesIO()
    with here.cursor() as cursor:
        cursor.copy_expert("COPY daily TO STDOUT (FORMAT binary)", buffer)
        run(here, "CREATE TABLE again (LIKE daily)")
        cursor.copy_expert("COPY again FROM STDIN (FORMAT binary)", io.BytesIO(buffer.getvalue()))
        tap.equal(one(here, "SELECT dp_merge(counts) FROM again"), whole, "also in binary form")
        broken = bytearray(buffer.getvalue())
        broken[len(broken) // 2] ^= 1
        with refused("XX001", "22P03", "08P01"):
            cursor.copy_expert("COPY again FROM STDIN (FORMAT binary)", io.BytesIO(bytes(broken)))
    tap.ok(True, "corrupt ones are refused")


def as_citus_moves_states(here, spec, whole):
    """A worker's state goes to the coordinator as text, which feeds it to the combine function."""
    run(here, """CREATE FUNCTION combine_text(state text, part text) RETURNS text LANGUAGE sql AS
        $$ SELECT dp_catalog.dp_counts_combine(state::dp_counts, part::dp_counts)::text $$;
        CREATE AGGREGATE combine_as_text(text) (SFUNC = combine_text, STYPE = text)""")
    tap.equal(one(here, "SELECT combine_as_text(state) FROM (SELECT %s::text AS state FROM whole"
                  " GROUP BY mod(age, 8)) shards" % AS_TEXT, spec),
              whole, "states that move as text come to the same")
    # run_command_on_shards gives one text a shard
    tap.equal(one(here, "SELECT dp_merge(result::dp_counts) FROM (SELECT %s::text AS result FROM whole"
                  " GROUP BY region) shards" % CALL, spec), whole, "and so do results of commands on shards")


make_shards()
with closing(connect()) as coordinator:
    make_coordinator(coordinator)
    SPECIFIED = one(coordinator, SPEC)
    WHOLE = one(coordinator, "SELECT %s FROM whole" % CALL, SPECIFIED)
    partitions_and_parallel_workers(coordinator, SPECIFIED, WHOLE)
    one_shard(coordinator, SPECIFIED)
    shards_by_hand(coordinator, SPECIFIED, WHOLE)
    shards_by_partition_key(coordinator, SPECIFIED, WHOLE)
    other_forms(coordinator, SPECIFIED)
    a_shard_of_another_spec(coordinator, SPECIFIED)
    released_from_shards(coordinator)
    released_where_a_shard_is_out_of_reach(coordinator)
    kept_days(coordinator, SPECIFIED, WHOLE)
    as_citus_moves_states(coordinator, SPECIFIED, WHOLE)
    servers.servers_that_cannot_count(tap, coordinator)
    servers.servers_that_answer_wrong(tap, coordinator, SPECIFIED)
    servers.a_partition_that_answers_wrong(tap, coordinator, SPECIFIED)
    servers.a_server_with_little_memory(tap, coordinator)
    servers.a_collation_that_the_server_lacks(tap, coordinator)
    servers.files(tap, coordinator)
    servers.views_of_another_owner(tap, coordinator)
    servers.units_of_a_table_elsewhere(tap, coordinator)
    servers.slow_to_plan(tap, coordinator)
    run(coordinator, "SET ROLE boss; CREATE TABLE whole_protected AS TABLE whole;"
        "SELECT dp_protect('whole_protected', 100), dp_grant('whole_protected', 'ann', 100); RESET ROLE")
    servers.as_citus_distributes(tap, coordinator)
tap.done()
