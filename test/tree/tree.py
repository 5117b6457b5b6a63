"""A release of several tables that is cut short leaves no lock and nothing unpaid, and its rows go through pg_dump
and pg_restore with all constraints."""
import os
import re
import subprocess
import sys
import tempfile
from contextlib import closing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from dptest import Book, Tap, Thread, check, connect, one, refused, run, wait_until  # noqa: E402

tap = Tap()
boss = connect()
BINDIR = os.environ["PG_BINDIR"]

# as many rows as keep a worker busy for seconds
TABLES = """
CREATE EXTENSION dpsyn;
CREATE TABLE patients (id integer PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')));
CREATE TABLE visits (id integer PRIMARY KEY, patient integer NOT NULL REFERENCES patients,
	ward text NOT NULL CHECK (ward IN ('eye', 'heart', 'bone')));
CREATE TABLE payments (id text PRIMARY KEY, visit integer NOT NULL REFERENCES visits DEFERRABLE, paid boolean NOT NULL);
INSERT INTO patients SELECT i, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 100000) i;
INSERT INTO visits SELECT i, 1 + i % 100000, CASE i % 3 WHEN 0 THEN 'heart' WHEN 1 THEN 'eye' ELSE 'bone' END
  FROM generate_series(1, 500000) i;
INSERT INTO payments SELECT 'P' || i, i, i % 3 = 0 FROM generate_series(1, 100000, 2) i;
CREATE TABLE rooms (id integer PRIMARY KEY, big boolean NOT NULL);
CREATE TABLE beds (id integer PRIMARY KEY, soft boolean NOT NULL);
CREATE TABLE cars (id integer PRIMARY KEY, red boolean NOT NULL);
INSERT INTO rooms SELECT i, i % 2 = 0 FROM generate_series(1, 100) i;
ANALYZE;
SET client_min_messages = error;
SELECT dp_protect('patients', 1000, 0.1);
SELECT dp_protect('visits', parent => 'patients', max_rows_per_unit => 8);
SELECT dp_protect('payments', parent => 'visits', max_rows_per_unit => 2);
SELECT dp_protect('rooms', 1000, 0.1), dp_protect('beds', budget_of => 'rooms'), dp_protect('cars', 1000, 0.1);
"""
FOREST = "SELECT dp_release('{rooms,patients,visits,payments}', 'aim', 1, 1e-9)"
RELEASE = "SELECT dp_release('{patients,visits,payments}', 'aim', 1, 1e-9)"
LOCKS = "SELECT count(*) FROM pg_locks WHERE relation = ANY ('{patients,visits,payments}'::regclass[]::oid[])"
CONSTRAINTS = "SELECT conrelid::regclass::text, contype::text, convalidated, pg_get_constraintdef(oid) FROM pg_constraint" \
    " WHERE connamespace = 'made'::regnamespace ORDER BY 1, 2, 4"
TABLES_MADE = ("patients", "visits", "payments")


def cut_short(words, release=RELEASE, trees=1):
    """Ends the worker by this call once it has debited. Of several trees the first is measured by then."""
    book = Book(boss)
    line = book.last()
    with closing(connect()) as caller:
        call = Thread(one, caller, release)
        wait_until(lambda: one(boss, "SELECT count(*) FROM dp_running WHERE ledger_id IS NOT NULL"), "the debit")
        check(one(boss, "SELECT %s(pid) FROM dp_running WHERE ledger_id IS NOT NULL" % words), "no worker")
        with refused("57014", "57P01") as caught:
            call.finish()
        check(caught[0].diag.message_detail == "The budget stays spent.", caught[0])
    book.settle()
    tap.equal([entry[2] for entry in book.lines(line)], ["failed"] * trees, "%s: it is paid for, and failed" % words)
    tap.equal(one(boss, LOCKS), 0, "%s: no lock is left" % words)
    tap.equal(one(boss, "SELECT count(*) FROM dp_catalog.dp_release_store")
              + one(boss, "SELECT count(*) FROM dp_catalog.dp_release_part"), 0, "%s: nothing is stored" % words)


def orders_cross():
    """Two that name roots in different order, some of which share a budget, do not wait for each other for ever."""
    orders = ("{rooms,beds,cars}", "{cars,beds,rooms}")
    spent = "SELECT sum(epsilon_spent) FROM dp_datasets WHERE relation IN ('rooms'::regclass, 'cars'::regclass)"

    def release(order):
        with closing(connect()) as caller:
            run(caller, "SET client_min_messages = error")
            for _ in range(6):
                one(caller, "SELECT dp_release(%s, 'mst', 1, 1e-9)", order)
    before = one(boss, spent)
    for call in [Thread(release, order) for order in orders]:
        call.finish()
    tap.equal(one(boss, spent) - before, 36, "two that cross: each of 36 releases is paid for")
    tap.equal(one(boss, "SELECT count(DISTINCT forest) FROM dp_releases"), 12, "two that cross: in 12 calls")


def rows_of(connection):
    return [run(connection, "SELECT * FROM made.%s ORDER BY id" % name) for name in TABLES_MADE]


def goes_through_dump():
    run(boss, "CREATE SCHEMA made")
    run(boss, "SELECT * FROM dp_create_synthetic('{patients,visits,payments}', 'made', 10, 1e-9, '{\"method\": \"mst\"}',"
        " seed => 1)")
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([BINDIR + "/pg_dump", "-Fc", "-n", "made", "-f", file.name, "postgres"], check=True)
        run(boss, "CREATE DATABASE restored")
        subprocess.run([BINDIR + "/pg_restore", "--exit-on-error", "-d", "restored", file.name], check=True)
    with closing(connect(dbname="restored")) as other:
        made = run(boss, CONSTRAINTS)
        tap.equal(sum(kind == "f" for _, kind, *_ in made), 2, "both foreign keys are there")
        tap.ok(all(valid for _, _, valid, _ in made), "and all constraints hold", made)
        tap.equal(run(other, CONSTRAINTS), made, "a restored database has the same constraints")
        tap.ok(rows_of(other) == rows_of(boss), "and the same rows")
        for child, parent, column in ("visits", "patients", "patient"), ("payments", "visits", "visit"):
            tap.equal(one(other, "SELECT count(*) FROM made.%s c WHERE NOT EXISTS (SELECT FROM made.%s p WHERE p.id = c.%s)"
                          % (child, parent, column)), 0, "no row of %s is without its parent" % child)


DATABASE = """
CREATE TYPE ward AS ENUM ('eye', 'heart', 'bone');
CREATE DOMAIN cents AS integer CHECK (VALUE BETWEEN 0 AND 5000);
CREATE TABLE drug (code text PRIMARY KEY, family text NOT NULL, price cents NOT NULL);
CREATE TABLE doctor (id serial PRIMARY KEY, last_name text, chief integer REFERENCES doctor, ward ward NOT NULL);
CREATE TABLE patient (id serial PRIMARY KEY, last_name text, birth date NOT NULL CHECK (birth BETWEEN '1920-01-01' AND '2020-12-31'));
CREATE TABLE visit (id serial PRIMARY KEY, patient integer NOT NULL REFERENCES patient, doctor integer REFERENCES doctor,
	began timestamp NOT NULL, ended timestamp NOT NULL, stay tsrange, CHECK (ended >= began));
CREATE TABLE given (visit integer NOT NULL REFERENCES visit, drug text NOT NULL REFERENCES drug, paid cents NOT NULL,
	PRIMARY KEY (visit, drug));
INSERT INTO drug SELECT 'd' || i, 'family ' || i % 9, i FROM generate_series(1, 200) i;
INSERT INTO doctor (last_name, chief, ward) SELECT 'd ' || i, CASE WHEN i > 5 THEN 1 + i % 5 END, (ARRAY['eye', 'heart', 'bone'])[1 + i % 3]::ward
  FROM generate_series(1, 600) i;
INSERT INTO patient (last_name, birth) SELECT 'p ' || i, date '1930-01-01' + i * 7 % 25000 FROM generate_series(1, 2000) i;
INSERT INTO visit (patient, doctor, began, ended, stay)
	SELECT p, 1 + (p * n) % 600, b, b + p % 9 * interval '1 day', tsrange(b, b + p % 9 * interval '1 day', '[]')
	  FROM generate_series(1, 2000) p, generate_series(1, 1 + p % 3) n, LATERAL (SELECT timestamp '2020-01-01' + (p * n * 37) % 1000 * interval '1 day' AS b) t;
INSERT INTO given SELECT id, 'd' || 1 + (id * 7 + n * 31) % 200, id % 100 * 10 FROM visit, generate_series(1, 1 + id % 3) n;
"""
ORDERED = "SELECT count(*) FROM copy.visit WHERE began > ended"
COPIED = ("drug", "doctor", "patient", "visit", "given")


def database_goes_through_dump():
    """A whole database, by the script that is proposed for it: definitions first, for the types, then the copy."""
    run(boss, "CREATE DATABASE clinic")
    run(boss, "CREATE DATABASE another")
    with closing(connect(dbname="clinic")) as clinic, closing(connect(dbname="another")) as another:
        run(clinic, DATABASE)
        run(clinic, "CREATE EXTENSION dpsyn")
        run(clinic, "SET client_min_messages = error")
        run(clinic, "\n".join(line for line, in run(clinic, "SELECT dp_suggest_protection('public')")).replace("%", "%%"))
        run(clinic, "CREATE SCHEMA copy")
        run(clinic, "SELECT * FROM dp_create_synthetic('public', 'copy', 5, 1e-9, seed => 1)")
        run(another, "DROP SCHEMA public")
        with tempfile.TemporaryDirectory() as folder:
            for schema, words in ("public", ["--section=pre-data", "--schema-only"]), ("copy", []):
                file = os.path.join(folder, schema)
                subprocess.run([BINDIR + "/pg_dump", "-Fc", "-n", schema, "-f", file, *words, "clinic"], check=True)
                subprocess.run([BINDIR + "/pg_restore", "--exit-on-error", "-d", "another", file], check=True)
        constraints = CONSTRAINTS.replace("'made'", "'copy'")
        made = run(clinic, constraints)
        tap.equal(sum(kind == "f" for _, kind, *_ in made), 5, "a whole database: all foreign keys are there")
        tap.equal(run(another, constraints), made, "a whole database: the same constraints elsewhere")
        for name in COPIED:
            rows = "SELECT * FROM copy.%s t ORDER BY t::text" % name
            copied = run(another, rows)
            tap.ok(copied and copied == run(clinic, rows), "a whole database: the same rows of %s elsewhere" % name)
        tap.equal(one(another, ORDERED), 0, "a whole database: no visit ends before it begins")


def repeats_are_told():
    """Of the first hundred rows of a synthetic table an index takes one of each sex; the originals have other numbers."""
    run(boss, "CREATE TABLE few (id integer PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')));"
        "CREATE TABLE of_few (id integer PRIMARY KEY, few integer NOT NULL REFERENCES few,"
        " sex text NOT NULL CHECK (sex IN ('f', 'm')));"
        "CREATE UNIQUE INDEX ON of_few (sex) WHERE id <= 100;"
        "INSERT INTO few SELECT i, 'f' FROM generate_series(1, 300) i;"
        "INSERT INTO of_few SELECT 1000 + i, i, 'm' FROM generate_series(1, 300) i")
    run(boss, "SELECT dp_protect('few', 1000000, 0.1), dp_protect('of_few', parent => 'few', max_rows_per_unit => 2)")
    with closing(connect()) as caller:
        run(caller, "SET client_min_messages = notice")
        run(caller, "SELECT * FROM dp_create_synthetic('{few,of_few}', 'made', 100000, 1e-9, '{\"method\": \"mst\"}', seed => 1)")
        told = re.findall(r"(\d+) of \d+ rows of public.of_few were left out", "".join(caller.notices))
    tap.ok(len(told) == 1 and int(told[0]) in (98, 99), "rows that repeat what is UNIQUE are told of", told)


FILL = """
INSERT INTO patients SELECT i, i % 90, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 300) i;
INSERT INTO visits SELECT i, (ARRAY['eye', 'heart', 'bone', 'skin'])[1 + i % 4], 1 + i % 300 FROM generate_series(1, 900) i;
INSERT INTO payments (paid, visit) SELECT i % 3 = 0, i FROM generate_series(1, 900) i;
"""


# what needs the custodian's rights; all else is asked by a role that has none on the tables
CUSTODIAN = re.compile(r"(CREATE|ALTER) (TABLE|EXTENSION|ROLE|SCHEMA)|dp_(protect|define_column|grant|evaluate)\(|dp_report\('")


def guide_runs():
    """The examples of docs/trees.md, in their order, each by whose turn it is."""
    with open(os.environ["DPSYN_ROOT"] + "/docs/trees.md", encoding="utf-8") as file:
        examples = re.findall("```sql\n(.*?)```", file.read(), re.S)
    run(boss, "CREATE DATABASE guide")
    with closing(connect(dbname="guide")) as reader:
        run(reader, "SET client_min_messages = error")
        release = None
        for number, example in enumerate(examples):
            for statement in filter(str.strip, example.split(";\n")):
                run(reader, "RESET ROLE" if CUSTODIAN.search(statement) else "SET ROLE analyst")
                answer = run(reader, statement.replace("42", str(release)).replace("%", "%%"))
                if "dp_release(" in statement:
                    release = answer[0][0]
            if number == 0:
                run(reader, FILL)
        tap.ok(len(examples) >= 5 and release, "the examples of the guide run")


def main():
    run(boss, TABLES)
    cut_short("dp_cancel")
    cut_short("pg_terminate_backend")
    cut_short("dp_cancel", FOREST, 2)
    orders_cross()
    goes_through_dump()
    tap.attempt("a whole database", database_goes_through_dump)
    tap.attempt("what repeats", repeats_are_told)
    tap.attempt("the guide", guide_runs)
    tap.done()


main()
