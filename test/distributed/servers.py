"""Releases of foreign tables whose servers cannot count, or answer something else, and
of tables that Citus would have distributed: what is found before anything is spent."""
import os
from contextlib import closing

from dptest import Book, Thread, connect, one, refused, run, wait_until

ASK = """SELECT dp_release(%s::regclass, 'sba', 1, 0, '{"dense_cells": 1000, "columns": ["sex", "age", "smoker"]}')"""
# far more cells than rows: hashed
ASK_HASHED = """SELECT dp_release(%s::regclass, 'flat', 30, 0,
 '{"dense_cells": 1, "columns": ["sex", "age", "smoker"]}')"""


def shard(database):
    return connect(dbname=database, host=os.environ["SHARD_HOST"])


def log(name):
    with open(os.environ[name], encoding="utf-8", errors="replace") as file:
        return file.read()


def add_server(here, name, database, options=""):
    run(here, "CREATE SERVER {0} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '{1}', port '5432',"
        " dbname '{2}', extensions 'dpsyn'{3}); GRANT USAGE ON FOREIGN SERVER {0} TO boss;"
        "CREATE USER MAPPING FOR boss SERVER {0} OPTIONS (user 'counter', password_required 'false')"
        .format(name, os.environ["SHARD_HOST"], database, options))


def add_table(here, name, server, there="person"):
    run(here, "SET ROLE boss; CREATE FOREIGN TABLE {0} (sex text, age integer, smoker boolean NOT NULL)"
        " SERVER {1} OPTIONS (table_name '{2}'); SELECT dp_protect('{0}', 1000);"
        "SELECT dp_define_column('{0}', 'sex', categories => '{{f,m}}'),"
        " dp_define_column('{0}', 'age', bins => '{{0,18,65,100}}'),"
        " dp_define_column('{0}', 'smoker', categories => '{{true,false}}', complete => true);"
        "SELECT dp_grant('{0}', 'ann', 500); RESET ROLE".format(name, server, there))


def rows_read(database):
    """How often tables of a shard were read there, as far as its sessions have reported it: they do so when idle."""
    with closing(shard(database)) as there:
        run(there, "SELECT pg_stat_clear_snapshot()")
        return one(there, "SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0) FROM pg_stat_user_tables"
                   " WHERE relname = 'person'")


def refused_unpaid(tap, here, table, name, *words, ask=ASK):
    """A release must be refused, without a line in the ledger. The server's log tells the reason."""
    book = Book(here)
    debits, said = book.debits(), len(log("SERVER_LOG"))
    with closing(connect("ann")) as ann, refused("22000", "HV000") as errors:
        run(ann, ask, table)
    book.settle()
    tap.equal(book.debits(), debits, name + ": nothing is spent")
    said = log("SERVER_LOG")[said:]
    tap.ok(all(word in said or word in str(errors[0]) for word in words), "and why is told", said, errors[0])


def servers_that_cannot_count(tap, here):
    with closing(shard("postgres")) as there:
        for database in "bare", "empty", "older":
            run(there, "CREATE DATABASE " + database)
    for database in "bare", "older":
        with closing(shard(database)) as there:
            run(there, "CREATE TABLE person (sex text, age integer, smoker boolean NOT NULL);"
                "INSERT INTO person VALUES ('f', 7, true); GRANT SELECT ON person TO counter")
    with closing(shard("older")) as there:
        fake_extension(there, "{2,100000000}")
    for database in "bare", "empty", "older":
        add_server(here, database, database)
    add_server(here, "nobody", "no_such_database")
    add_table(here, "without", "bare")
    add_table(here, "gone", "empty")
    add_table(here, "unreachable", "nobody")
    add_table(here, "outdated", "older")
    add_table(here, "no_right", "north", "secret")
    with closing(shard("north")) as there:
        run(there, "CREATE TABLE secret (LIKE person)")
    before = rows_read("bare") + rows_read("older")
    refused_unpaid(tap, here, "without", "a server without dpsyn", 'schema "dp_catalog" does not exist')
    refused_unpaid(tap, here, "gone", "one without the table", 'relation "public.person" does not exist')
    refused_unpaid(tap, here, "unreachable", "one that cannot be reached", "could not connect to server")
    refused_unpaid(tap, here, "no_right", "one where the owner's user may not read", "permission denied")
    refused_unpaid(tap, here, "outdated", "one with another version of dpsyn",
                   'server "older" has another version of dpsyn')
    tap.equal(rows_read("bare") + rows_read("older"), before, "no row was read to find that out")
    # a view of it: PostgreSQL would send the call there, which nobody asked the server about
    run(here, "SET ROLE boss; CREATE VIEW seen AS SELECT * FROM without; SELECT dp_protect('seen', 1000);"
        "SELECT dp_define_column('seen', 'sex', categories => '{f,m}'),"
        " dp_define_column('seen', 'age', bins => '{0,18,65,100}'),"
        " dp_define_column('seen', 'smoker', categories => '{true,false}', complete => true);"
        "SELECT dp_grant('seen', 'ann', 500); RESET ROLE")
    with closing(connect("ann")) as ann:
        run(ann, ASK, "seen")
    wait_until(lambda: rows_read("bare") > 0, "the rows of a view of a foreign table come, and are counted here")
    tap.ok(rows_read("bare") > 0, "the rows of a view of a foreign table come, and are counted here")


def fake_extension(there, room, answer="NULL"):
    """Aggregates of the names that a release asks for; they answer what a table holds."""
    run(there, "CREATE TABLE answers (c text); INSERT INTO answers VALUES (%s);"
        "GRANT SELECT ON answers TO counter;" % answer +
        "CREATE FUNCTION step(text, bytea, text, integer, boolean) RETURNS text LANGUAGE sql AS 'SELECT $1';"
        "CREATE FUNCTION answer(text) RETURNS text LANGUAGE sql AS 'SELECT c FROM public.answers';"
        "CREATE AGGREGATE dp_marginals(bytea, text, integer, boolean)"
        " (SFUNC = step, STYPE = text, INITCOND = '', FINALFUNC = answer);"
        "CREATE FUNCTION room(bigint) RETURNS bigint[] LANGUAGE sql AS 'SELECT ''%s''::bigint[]';"
        "CREATE SCHEMA dp_catalog; GRANT USAGE ON SCHEMA dp_catalog TO counter;"
        "CREATE AGGREGATE dp_catalog.dp_counting_memory_limit(*) (SFUNC = int8inc, STYPE = bigint, INITCOND = '0', FINALFUNC = room)"
        % room)


def servers_that_answer_wrong(tap, here, spec):
    """What they say is found wrong when it comes: after the debit, and nothing is made of it."""
    with closing(shard("postgres")) as there:
        run(there, "CREATE DATABASE liar")
    with closing(shard("liar")) as there:
        run(there, "CREATE TABLE person (sex text, age integer, smoker boolean NOT NULL);"
            "GRANT SELECT ON person TO counter")
        fake_extension(there, "{1,100000000}")
    add_server(here, "liar", "liar")
    add_table(here, "lied", "liar")
    other = one(here, "SELECT dp_marginals(%s, 'f'::text, 7, true)::text", spec)
    book = Book(here)
    for answer, word in ((other, "the counts that came are not those that were asked for"),
                         (other[:-2] + "ff", "counts"), ("nonsense", "invalid input syntax for type dp_counts")):
        with closing(shard("liar")) as there:
            run(there, "UPDATE answers SET c = %s", answer)
        last = one(here, "SELECT max(id) FROM dp_catalog.dp_ledger_entry")
        said = len(log("SERVER_LOG"))
        with closing(connect("ann")) as ann, refused("22000", "HV000") as errors:
            # of one attribute: another spec than the one answered
            run(ann, ASK, "lied")
        book.settle()
        tap.ok(word in log("SERVER_LOG")[said:], "a server that answers something else is refused: " + word[:30],
               log("SERVER_LOG")[said:])
        tap.ok(word not in str(errors[0]), "who asked is not told what it was", errors[0])
        lines = book.lines(last)
        # what cannot be read at all is found by the question that comes before the debit
        tap.ok(lines == [] or [line[2] for line in lines] == ["failed"], "nothing is released", lines)


def a_partition_that_answers_wrong(tap, here, spec):
    """The first of those that are merged: no table is made of what another spec says."""
    other = one(here, "SELECT dp_marginals(%s, 'f'::text, 7, true)::text", spec)
    with closing(shard("liar")) as there:
        run(there, "UPDATE answers SET c = %s", other)
    run(here, "SET ROLE boss; CREATE TABLE mixed (sex text, age integer, smoker boolean NOT NULL)"
        " PARTITION BY LIST (smoker); CREATE FOREIGN TABLE mixed_1 PARTITION OF mixed FOR VALUES IN (true)"
        " SERVER liar OPTIONS (table_name 'person'); CREATE TABLE mixed_2 PARTITION OF mixed DEFAULT;"
        "INSERT INTO mixed VALUES ('f', 7, false); SELECT dp_protect('mixed', 1000);"
        "SELECT dp_define_column('mixed', 'sex', categories => '{f,m}'),"
        " dp_define_column('mixed', 'age', bins => '{0,18,65,100}'),"
        " dp_define_column('mixed', 'smoker', categories => '{true,false}', complete => true),"
        " dp_grant('mixed', 'ann', 500); RESET ROLE")
    said = len(log("SERVER_LOG"))
    with closing(connect("ann")) as ann, refused("22000"):
        run(ann, ASK, "mixed")
    tap.ok("the counts that came are not those that were asked for" in log("SERVER_LOG")[said:],
           "nor is a partition's server believed", log("SERVER_LOG")[said:])


def a_server_with_little_memory(tap, here):
    """Where tables may not fit the server, rows come, rather than an error after the debit."""
    add_server(here, "small", "north", ", options '-c dpsyn.counting_memory=4kB'")
    add_table(here, "little", "small")
    with closing(shard("north")) as there:
        rows = one(there, "SELECT count(*) FROM person")
    for ask in ASK, ASK_HASHED:
        said, seen = len(log("SERVER_LOG")), len(log("SHARD_LOG"))
        with closing(connect("ann")) as ann:
            release = one(ann, ask, "little")
            drawn = one(ann, "SELECT rows FROM dp_releases WHERE release = %s", release)
        tap.ok(abs(drawn - rows) < 60, "a server with little memory is relieved of counting", drawn)
        tap.ok("rows are fetched" in log("SERVER_LOG")[said:] and
               "SELECT sex, age, smoker FROM public.person" in log("SHARD_LOG")[seen:],
               "its rows are fetched", log("SHARD_LOG")[seen:])


def a_collation_that_the_server_lacks(tap, here):
    """Texts that are equal only here are compared here."""
    run(here, "CREATE COLLATION anycase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);"
        "SET ROLE boss; CREATE FOREIGN TABLE cased (sex text COLLATE anycase) SERVER north"
        " OPTIONS (table_name 'person'); SELECT dp_protect('cased', 1000);"
        "SELECT dp_define_column('cased', 'sex', categories => '{F,M}'), dp_grant('cased', 'ann', 500); RESET ROLE")
    with closing(shard("north")) as there:
        rows = one(there, "SELECT count(*) FROM person WHERE sex = 'f'")
    with closing(connect("ann")) as ann:
        release = one(ann, "SELECT dp_release('cased', 'sba', 200, 0, '{\"dense_cells\": 99}')")
        drawn = one(ann, "SELECT count(*) FROM dp_sample(NULL::cased, %s, 2000, 1) WHERE sex = 'f'", release)
    tap.ok(abs(drawn - rows) < 200, "a collation that the server lacks: its rows are fetched, and folded here",
           drawn, rows)


DEFINE = """SELECT dp_define_column(%s::regclass, 'sex', categories => '{f,m}'),
 dp_define_column(%s::regclass, 'age', bins => '{0,18,65,100}'),
 dp_define_column(%s::regclass, 'smoker', categories => '{true,false}', complete => true)"""


def protect(here, *tables):
    """As the table's owner."""
    for table in tables:
        run(here, "SELECT dp_protect(%s::regclass, 1000)", table)
        run(here, DEFINE, table, table, table)
        run(here, "SELECT dp_grant(%s::regclass, 'ann', 500)", table)


def rows_released(table, epsilon=20):
    with closing(connect("ann")) as ann:
        release = one(ann, ASK.replace("1, 0", "%d, 0" % epsilon), table)
        return one(ann, "SELECT rows FROM dp_releases WHERE release = %s", release)


def files(tap, here):
    """Another wrapper: it is not asked, but its scan is begun."""
    if not one(here, "SELECT count(*) FROM pg_available_extensions WHERE name = 'file_fdw'"):
        tap.skip("tables that are files", "file_fdw is not here")
        return
    columns = "(sex text, age integer, smoker boolean NOT NULL)"
    path = one(here, "SELECT current_setting('data_directory')") + "/people.csv"
    rows = one(here, "SELECT count(*) FROM whole WHERE region = 'north'")
    run(here, "COPY (SELECT sex, age, smoker FROM whole WHERE region = 'north') TO %s (FORMAT csv)", path)
    run(here, "CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;"
        "CREATE FOREIGN TABLE filed {0} SERVER files OPTIONS (filename '{1}', format 'csv');"
        "CREATE FOREIGN TABLE lost {0} SERVER files OPTIONS (filename '{1}.lost', format 'csv');"
        "CREATE TABLE parted {0} PARTITION BY LIST (smoker);"
        "CREATE TABLE parted_here PARTITION OF parted FOR VALUES IN (true);"
        "CREATE FOREIGN TABLE parted_file PARTITION OF parted FOR VALUES IN (false)"
        " SERVER files OPTIONS (filename '{1}', format 'csv');"
        "INSERT INTO parted_here SELECT 'f', 7, true FROM generate_series(1, 500);"
        # more than a pipe holds, and not content to be read in part
        "CREATE FOREIGN TABLE piped {0} SERVER files OPTIONS (format 'csv',"
        " program 'trap \"\" PIPE; for i in 1 2 3 4 5 6 7 8 9 10; do cat {1} || exit 1; done');"
        "CREATE VIEW over_file AS SELECT * FROM filed; CREATE VIEW over_lost AS SELECT * FROM lost"
        .format(columns, path))
    # the files are a superuser's to name, the tables anybody's
    for table in "filed", "lost", "parted", "parted_here", "parted_file", "piped", "over_file", "over_lost":
        run(here, "ALTER TABLE %s OWNER TO boss" % table)
    run(here, "SET ROLE boss")
    protect(here, "filed", "lost", "parted", "piped", "over_file", "over_lost")
    run(here, "RESET ROLE")
    for table, wanted in ("filed", rows), ("over_file", rows), ("parted", rows + 500), ("piped", 10 * rows):
        drawn = rows_released(table)
        tap.ok(abs(drawn - wanted) < 20, "a release of a file: %s" % table, drawn, wanted)
    for table in "lost", "over_lost":
        refused_unpaid(tap, here, table, "a file that is not there, %s" % table, "could not open file")


def views_of_another_owner(tap, here):
    """A foreign table below a view is read, and its server asked, with the user mapping of the view's
    owner."""
    with closing(shard("north")) as there:
        run(there, "CREATE ROLE teller LOGIN; CREATE TABLE told (LIKE person); INSERT INTO told TABLE person;"
            "GRANT SELECT ON told TO teller")
        rows = one(there, "SELECT count(*) FROM told")
    run(here, "CREATE ROLE carol LOGIN; GRANT USAGE ON FOREIGN SERVER north TO carol;"
        "GRANT CREATE ON SCHEMA public TO carol;"
        "CREATE USER MAPPING FOR carol SERVER north OPTIONS (user 'teller', password_required 'false');"
        "SET ROLE carol; CREATE FOREIGN TABLE told (sex text, age integer, smoker boolean NOT NULL) SERVER north;"
        "CREATE VIEW told_by_carol AS SELECT * FROM told; GRANT SELECT ON told_by_carol TO boss;"
        "SET ROLE boss; CREATE VIEW told_on AS SELECT * FROM told_by_carol")
    protect(here, "told_on")
    run(here, "RESET ROLE")
    drawn = rows_released("told_on")
    tap.ok(abs(drawn - rows) < 20, "a view of a view: another role's user mapping serves", drawn, rows)
    # below her view of a partitioned table, too, of which he may read the partition himself
    run(here, "SET ROLE carol; CREATE TABLE split (sex text, age integer, smoker boolean NOT NULL) PARTITION BY LIST (smoker);"
        "CREATE FOREIGN TABLE split_far PARTITION OF split DEFAULT SERVER north OPTIONS (table_name 'told');"
        "CREATE VIEW split_by_carol AS SELECT * FROM split; GRANT SELECT ON split_by_carol, split_far TO boss;"
        "SET ROLE boss; CREATE VIEW split_on AS SELECT * FROM split_by_carol")
    protect(here, "split_on")
    run(here, "RESET ROLE")
    drawn = rows_released("split_on")
    tap.ok(abs(drawn - rows) < 20, "it serves for a partition", drawn, rows)
    # her table itself, whose owner is protected then
    run(here, "SET ROLE carol")
    protect(here, "told")
    run(here, "RESET ROLE")
    drawn = rows_released("told")
    tap.ok(abs(drawn - rows) < 20, "and her own table is read with it, whatever mapping others have", drawn, rows)
    with closing(shard("north")) as there:
        run(there, "REVOKE SELECT ON told FROM teller")
    refused_unpaid(tap, here, "told_on", "one whose right was taken away there", "permission denied")
    with closing(shard("north")) as there:
        run(there, "GRANT SELECT ON told TO teller")
    code_below_a_view(tap, here)
    run(here, "DROP USER MAPPING FOR carol SERVER north")
    refused_unpaid(tap, here, "told_on", "without that user mapping", "user mapping not found")
    refused_unpaid(tap, here, "told", "and her own table", "user mapping not found")


def code_below_a_view(tap, here):
    """The rights of a view's owner count below the view. Code that is below it, here the function of a
    constraint, which the planner calls, must not run as that owner."""
    run(here, "SET ROLE boss; CREATE FUNCTION spy(integer) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS"
        " $$BEGIN RAISE LOG 'planned as %', current_user; RETURN true; END$$;"
        "CREATE FOREIGN TABLE lent (sex text, age integer, smoker boolean NOT NULL) SERVER north"
        " OPTIONS (table_name 'person'); CREATE TABLE lent_here (CHECK (spy(1))) INHERITS (lent);"
        "GRANT SELECT ON lent TO carol; SET ROLE carol; CREATE VIEW borrowed AS SELECT * FROM lent;"
        "GRANT SELECT ON borrowed TO boss; SET ROLE boss; CREATE VIEW borrowed_back AS SELECT * FROM borrowed")
    protect(here, "borrowed_back")
    run(here, "RESET ROLE")
    with closing(shard("north")) as there:
        run(there, "GRANT SELECT ON person TO teller")
    said = len(log("SERVER_LOG"))
    run(here, "SELECT FROM lent WHERE smoker")
    tap.ok("planned as postgres" in log("SERVER_LOG")[said:], "who reads a table runs its code", log("SERVER_LOG")[said:])
    said = len(log("SERVER_LOG"))
    tap.ok(rows_released("borrowed_back") > 0, "below a view of another role")
    tap.ok("planned as carol" not in log("SERVER_LOG")[said:], "nothing runs as that role", log("SERVER_LOG")[said:])


def units_of_a_table_elsewhere(tap, here):
    """Rows of units are fetched and not counted on the server, but each column that is read must be
    there all the same."""
    run(here, "SET ROLE boss; CREATE FOREIGN TABLE visits (who integer, sex text, age integer) SERVER north"
        " OPTIONS (table_name 'visited'); SELECT dp_protect('visits', 1000, unit_column => 'who', max_rows_per_unit => 2);"
        "SELECT dp_define_column('visits', 'sex', categories => '{f,m}'), dp_define_column('visits', 'age',"
        " bins => '{0,18,65,100}'), dp_grant('visits', 'ann', 500); RESET ROLE")
    ask = ASK.replace(', "smoker"', "")
    for missing in "who", "age", None:
        with closing(shard("north")) as there:
            run(there, "CREATE TABLE visited AS SELECT mod(age, 50) AS who, sex, age FROM person;"
                "GRANT SELECT ON visited TO counter")
            if missing:
                run(there, "ALTER TABLE visited DROP " + missing)
        if missing:
            refused_unpaid(tap, here, "visits", "a table without column %s there" % missing,
                           'column "%s" does not exist' % missing, ask=ask)
        else:
            with closing(connect("ann")) as ann:
                tap.ok(one(ann, ask, "visits") > 0, "with all of them rows are released")
        with closing(shard("north")) as there:
            run(there, "DROP TABLE visited")


def slow_to_plan(tap, here):
    """A server that is slow when the scan is planned keeps nobody from the ledger."""
    add_server(here, "slow", "north", ", use_remote_estimate 'true'")
    add_table(here, "estimated", "slow")
    run(here, "SET ROLE boss; CREATE TABLE beside AS SELECT smoker FROM whole;"
        "SELECT dp_protect('beside', budget_of => 'estimated'), dp_grant('beside', 'ann', 500); RESET ROLE")
    book = Book(here)
    line = book.last()
    with closing(shard("north")) as there, closing(connect("ann")) as ann, closing(connect("ann")) as other:
        there.autocommit = False
        run(there, "LOCK TABLE person")
        call = Thread(run, ann, ASK, "estimated")
        wait_until(lambda: one(there, "SELECT count(*) FROM pg_locks WHERE NOT granted") > 0, "the server waiting")
        run(other, "SELECT dp_release('beside', 'sba', 1, 0, '{\"dense_cells\": 9}')")
        tap.equal(len(book.lines(line)), 1, "others are paid for while one waits for a server")
        there.rollback()
        call.finish()
    book.settle()
    tap.equal([entry[2] for entry in book.lines(line)], ["released", "released"], "and it gets there")


CITUS = """SET allow_system_table_mods = on;
CREATE SCHEMA citus; CREATE TABLE citus.pg_dist_partition (logicalrelid regclass NOT NULL, partmethod "char");
ALTER TABLE citus.pg_dist_partition SET SCHEMA pg_catalog;
INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
 VALUES (999999, 'citus', 10, 'pg_catalog'::regnamespace, false, '12.1');
RESET allow_system_table_mods"""
MEMBER = """SET allow_system_table_mods = on;
INSERT INTO pg_depend VALUES ('pg_class'::regclass, 'pg_catalog.pg_dist_partition'::regclass, 0,
 'pg_extension'::regclass, 999999, 0, 'e'); RESET allow_system_table_mods"""
FORMS = {"variadic": "dp_marginals(bytea, VARIADIC \"any\")", "text": "dp_marginals(bytea, text[])",
         "integer": "dp_marginals(bytea, integer[])", "row": "dp_marginals(bytea, record)"}


def form_of(here, table):
    """The one form of the aggregate that a release of a table cannot do without."""
    needed = []
    for name, signature in FORMS.items():
        run(here, "REVOKE EXECUTE ON FUNCTION %s FROM public" % signature)
        with closing(connect("ann")) as ann:
            try:
                run(ann, "SELECT dp_release(%s::regclass, 'sba', 1, 0, '{\"dense_cells\": 9999, \"partial\": true}')",
                    table)
            except Exception:  # which it is: the relation cannot be read
                needed.append(name)
        run(here, "GRANT EXECUTE ON FUNCTION %s TO public" % signature)
    return needed


def histogram(connection, rows, columns):
    return {row[:-1]: row[-1] for row in run(
        connection, "SELECT %s, count(*) FROM (%s) r GROUP BY %s" % (columns, rows, columns))}


def as_citus_distributes(tap, here):
    """The catalog of Citus, and no Citus: which statement is planned, not who runs it."""
    run(here, "SET ROLE boss; CREATE TABLE codes (a smallint, b integer);"
        "INSERT INTO codes SELECT mod(i, 3), mod(i, 2) FROM generate_series(1, 3000) i;"
        "CREATE TABLE words AS SELECT CASE WHEN mod(i, 2) = 0 THEN 'f' ELSE 'm' END AS sex, mod(i, 90) AS age,"
        " mod(i, 5) = 0 AS smoker, (mod(i, 3) / 2.0)::numeric AS dose, 'x'::char(4) AS padded"
        " FROM generate_series(1, 3000) i; SELECT dp_protect('codes', 1000), dp_protect('words', 1000);"
        "CREATE VIEW above AS SELECT sex FROM words; CREATE VIEW over_words AS SELECT * FROM above;"
        "SELECT dp_protect('over_words', 1000), dp_grant('over_words', 'ann', 900),"
        " dp_define_column('over_words', 'sex', categories => '{f,m}');"
        "SELECT dp_define_column('codes', 'a', categories => '{0,1,2}', complete => true),"
        " dp_define_column('codes', 'b', bins => '{0,1,2}'),"
        " dp_define_column('words', 'sex', categories => '{f,m}'),"
        " dp_define_column('words', 'age', bins => '{0,18,65,100}'),"
        " dp_define_column('words', 'smoker', categories => '{true,false}', complete => true),"
        " dp_define_column('words', 'dose', categories => '{0,0.5,1.0}'),"
        " dp_define_column('words', 'padded', categories => '{x}');"
        "SELECT dp_grant('codes', 'ann', 900), dp_grant('words', 'ann', 900); RESET ROLE")
    run(here, CITUS)
    run(here, "INSERT INTO pg_catalog.pg_dist_partition VALUES ('codes', 'h'), ('words', 'h')")
    tap.equal((form_of(here, "codes"), form_of(here, "words")), (["variadic"], ["variadic"]),
              "a table that only has the name of a catalog of Citus is none")
    run(here, MEMBER)
    tap.equal(form_of(here, "codes"), ["row"], "columns of a Citus table are counted as a row")
    tap.equal(form_of(here, "over_words"), ["text"], "and those of a view of one as text[]")
    tap.equal(form_of(here, "whole_protected"), ["variadic"], "tables that are not distributed as ever")
    # somebody's own schema changes nothing
    run(here, "CREATE TABLE public.pg_dist_partition (logicalrelid regclass);"
        "ALTER DATABASE postgres SET search_path = public, pg_catalog")
    tap.equal(form_of(here, "words"), ["row"], "whatever search_path says")
    run(here, "ALTER DATABASE postgres RESET search_path; DROP TABLE public.pg_dist_partition")
    with closing(connect("ann")) as ann:
        for table, columns in ("words", "sex, smoker, dose, padded"), ("codes", "a"):
            release = one(ann, "SELECT dp_release(%s::regclass, 'sba', 200, 0, '{\"dense_cells\": 9999, \"partial\": true}')",
                    table)
            drawn = histogram(ann, "SELECT * FROM dp_sample(NULL::%s, %d, 3000, 1)" % (table, release), columns)
            truth = histogram(here, "TABLE " + table, columns)
            tap.ok(all(abs(drawn.get(cell, 0) - truth.get(cell, 0)) < 200 for cell in {*drawn, *truth}),
                   "and the counts are the same", drawn, truth)
    run(here, "SET allow_system_table_mods = on; DELETE FROM pg_depend WHERE refobjid = 999999;"
        "DELETE FROM pg_extension WHERE oid = 999999; DROP TABLE pg_catalog.pg_dist_partition; DROP SCHEMA citus;"
        "RESET allow_system_table_mods")
