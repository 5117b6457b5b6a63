"""A client driver, as an analyst uses one: values in and out, errors, cursors, COPY,
cancel; and what many calls in one session leave behind.
"""
import datetime
import decimal
import json
import os
import re
import sys
import threading
import time
import uuid
from contextlib import closing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import psycopg2.errors  # noqa: E402
from dptest import Book, Tap, Thread, connect, one, run, wait_until  # noqa: E402

RELEASES = 1000
MANY = 10000000
FEW = 10000

SETUP = """
CREATE EXTENSION dpsyn;
CREATE ROLE ann LOGIN;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE visits (id bigint PRIMARY KEY, price numeric(8,2), day date, at timestamptz,
					 weight double precision, code uuid, feeling mood NOT NULL, paid boolean,
					 note varchar(20), shoe smallint);
INSERT INTO visits SELECT i, i % 100, date '2020-01-01' + i % 700, timestamptz '2020-01-01' +
	i * interval '1 hour', i % 90 + 0.5, ('00000000-0000-0000-0000-00000000000' || i % 3)::uuid,
	(enum_range(NULL::mood))[1 + i % 3], i % 2 = 0, 'note ' || i % 2, 36 + i % 10
  FROM generate_series(1, 3000) i;
SELECT dp_protect('visits', 100000, 0.1);
SELECT dp_define_column('visits', 'price', bins => '{0,20,100}');
SELECT dp_define_column('visits', 'day', bins => '{2020-01-01,2021-01-01,2022-01-01}');
SELECT dp_define_column('visits', 'at', bins => '{2020-01-01 00:00+00,2020-06-01 00:00+00}');
SELECT dp_define_column('visits', 'weight', bins => '{0,50,100}');
SELECT dp_define_column('visits', 'code', categories => '{00000000-0000-0000-0000-000000000000,'
	'00000000-0000-0000-0000-000000000001,00000000-0000-0000-0000-000000000002}');
SELECT dp_define_column('visits', 'note', categories => '{note 0,note 1}', other => 'none');
SELECT dp_define_column('visits', 'shoe', categories => '{36,37,38,39,40,41,42,43,44,45}');
SELECT dp_grant('visits', 'ann', 50000, 0.01);
CREATE TABLE bits (a boolean NOT NULL, b boolean NOT NULL);
INSERT INTO bits SELECT i % 2 = 0, i % 3 = 0 FROM generate_series(1, 1000) i;
SELECT dp_protect('bits', 100000);
SELECT dp_grant('bits', 'ann', 50000);
"""
RELEASE = "SELECT dp_release('bits', 'sba', 0.01, 0, '{\"dense_cells\": 10}')"

tap = Tap()


def status_kb(pid, field):
    with open("/proc/%d/status" % pid, encoding="ascii") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    raise KeyError(field)


def values_in_and_out(ann):
    with ann.cursor() as cursor:
        cursor.execute("SELECT dp_release(%s, %s, epsilon => %s, delta => %s, options => %s)",
                       ("visits", "sbhg", decimal.Decimal("200"), 1e-6,
                        json.dumps({"parents": 1})))
        release = cursor.fetchone()[0]
        tap.ok(isinstance(release, int), "a release by bound parameters")
        said = [notice for notice in ann.notices if "Made up: id" in notice]
        tap.ok(len(said) == 1 and said[0].startswith("NOTICE:  the release costs epsilon 200"),
               "one NOTICE names the columns that are made up", ann.notices)
        cursor.execute("SELECT * FROM dp_sample(NULL::visits, %s, %s, seed => %s)",
                       (release, 300, 7))
        rows = cursor.fetchall()
        names = [column.name for column in cursor.description]
        tap.equal(names, ["id", "price", "day", "at", "weight", "code", "feeling", "paid", "note",
                          "shoe"], "columns and names are the table's")
        wanted = [int, decimal.Decimal, datetime.date, datetime.datetime, float, str, str,
                  bool, str, int]
        for i, name in enumerate(names):
            kinds = {type(row[i]) for row in rows if row[i] is not None} or {type(None)}
            tap.equal(kinds, {wanted[i]}, "%s arrives as %s" % (name, wanted[i].__name__))
        tap.ok(all(row[3].tzinfo is not None for row in rows if row[3]), "timestamps have a zone")
        tap.ok(all(uuid.UUID(row[5]) for row in rows if row[5]), "uuids parse")
        cursor.execute("SELECT * FROM dp_sample(NULL::visits, %s, %s, seed => %s)",
                       (release, 300, 7))
        tap.equal(cursor.fetchall(), rows, "the same seed gives the same rows")
        cursor.execute("SELECT epsilon, delta, status FROM dp_ledger WHERE id = %s", (release,))
        tap.equal(cursor.fetchone(), (decimal.Decimal(200), decimal.Decimal(0), "released"),
                  "the ledger gives exact decimals, and no delta where no table needs it")
        del ann.notices[:]
        cursor.execute("SELECT * FROM dp_synthesize_sba(NULL::bits, 1, dense_cells => 10,"
                       " rows => 3)")
        tap.ok(len(cursor.fetchall()) == 3 and any("is stored" in said for said in ann.notices),
               "a NOTICE tells the number of the release", ann.notices)
    return release


def errors(ann):
    for kind, words, hint in (
            (psycopg2.errors.InsufficientPrivilege, "SELECT * FROM visits", False),
            (psycopg2.errors.ConfigurationLimitExceeded,
             "SELECT dp_release('bits', 'sba', 60000, 0, '{\"dense_cells\": 10}')", True),
            (psycopg2.errors.InvalidParameterValue, "SELECT dp_release('bits', 'sba', 0)", False),
            (psycopg2.errors.UndefinedObject, "SELECT dp_release('bits', 'nosuch', 1)", True),
            (psycopg2.errors.ObjectNotInPrerequisiteState,
             "SELECT dp_release('pg_class', 'sba', 1)", True),
            (psycopg2.errors.InsufficientPrivilege, "SELECT * FROM dp_sample(NULL::bits, 0)", True)):
        try:
            run(ann, words)
            tap.ok(False, words)
        except psycopg2.Error as error:
            tap.ok(isinstance(error, kind) and (error.diag.message_hint is not None or not hint),
                   "%s: %s" % (kind.__name__, error.diag.message_primary), repr(error))
    try:
        run(ann, "SELECT dp_release('bits', 'sba', 60000, 0, '{\"dense_cells\": 10}')")
    except psycopg2.Error as error:
        tap.ok("60000" in error.diag.message_detail and "left" in error.diag.message_detail,
               "an exhausted budget says what was asked and what is left")


def cursors(ann, release):
    ann.autocommit = False
    with ann.cursor("server_side") as cursor:
        cursor.itersize = 500
        cursor.execute("SELECT * FROM dp_sample(NULL::visits, %s, 2000, 3)", (release,))
        streamed = [row for row in cursor]
    ann.rollback()
    tap.equal(streamed, run(ann, "SELECT * FROM dp_sample(NULL::visits, %s, 2000, 3)", release),
              "a server-side cursor gives the same rows")
    begin = time.monotonic()
    run(ann, "DECLARE c SCROLL CURSOR FOR SELECT * FROM dp_sample(NULL::visits, %s, 3000, 5)",
        release)
    forward = run(ann, "FETCH 100 FROM c")
    run(ann, "MOVE ABSOLUTE 0 IN c")
    tap.equal(run(ann, "FETCH 100 FROM c"), forward, "a cursor scrolls back to the same rows")
    ann.rollback()
    run(ann, "DECLARE c CURSOR FOR SELECT dp_sample(NULL::bits, %s, 1000000000)",
        one(ann, "SELECT max(release) FROM dp_releases WHERE relation = 'public.bits'::regclass"))
    run(ann, "FETCH 10 FROM c")
    tap.ok(time.monotonic() - begin < 20, "the first of 10^9 rows come at once")
    ann.rollback()
    ann.autocommit = True


class Lines:
    def __init__(self):
        self.lines = 0

    def write(self, data):
        self.lines += data.count(b"\n")


def copy_and_cancel(ann, bits):
    out = Lines()
    with ann.cursor() as cursor:
        cursor.copy_expert("COPY (SELECT * FROM dp_sample(NULL::bits, %d, 1000000)) TO STDOUT"
                           % bits, out)
    tap.equal(out.lines, 1000000, "COPY takes out a million rows")
    for how in ("SELECT count(*) FROM dp_sample(NULL::bits, %d, 100000000000)",
                "SELECT count(*) FROM (SELECT dp_sample(NULL::bits, %d, 100000000000)) s"):
        timer = threading.Timer(0.7, ann.cancel)
        timer.start()
        try:
            run(ann, how % bits)
            tap.ok(False, "a cancel ends " + how)
        except psycopg2.errors.QueryCanceled:
            begin = time.monotonic()
            tap.ok(one(ann, "SELECT 1") == 1 and time.monotonic() - begin < 5,
                   "a cancel from another thread ends it: " + how % 0)


def nothing_is_left(boss):
    def segments():
        return sorted(os.listdir(os.environ["SERVER_DATA"] + "/pg_dynshmem"))
    before = segments()
    book = Book(boss)
    with closing(connect("ann")) as ann:
        pid = ann.get_backend_pid()
        with ann.cursor() as cursor:
            kept = []
            for i in range(1, RELEASES + 1):
                cursor.execute(RELEASE)
                cursor.fetchall()
                if i in (200, RELEASES):
                    kept.append(status_kb(pid, "RssAnon"))
        tap.ok(kept[1] - kept[0] < 512,
               "%d releases in a row: memory of the session stays" % RELEASES,
               "RssAnon after 200 and after %d: %r kB" % (RELEASES, kept))
        wait_until(lambda: one(boss, "SELECT count(*) FROM pg_stat_activity"
                               " WHERE backend_type LIKE 'dpsyn%%'") == 0, "the end of the workers")
        releases = [Thread(run, connect("ann"), RELEASE) for _ in range(8)]
        tap.ok(all(thread.finish() for thread in releases), "worker slots are free again")
        book.settle()
    tap.equal(one(boss, "SELECT count(*) FROM dp_catalog.dp_release_store WHERE epsilon_nano = 10000000"),
              RELEASES + 8, "each of them is stored")
    tap.ok(set(segments()) <= set(before), "no shared memory segment stays", before, segments())


def peak_kb(statement):
    """Highest memory of a fresh session that runs the statement; seconds. Without the compiler, which
    PostgreSQL loads for a plan of many rows."""
    with closing(connect("ann")) as ann:
        run(ann, "SET max_parallel_workers_per_gather = 2; SET work_mem = '4MB'; SET jit = off")
        begin = time.monotonic()
        run(ann, statement)
        return status_kb(ann.get_backend_pid(), "VmHWM"), time.monotonic() - begin


def streaming(bits):
    for how, spare in (
            ("SELECT count(*) FROM (SELECT dp_sample(NULL::bits, %d, %d) OFFSET 0) s", 4096),
            ("SELECT count(*) FROM dp_sample(NULL::bits, %d, %d)", 4096 + 8192)):
        few, _ = peak_kb(how % (bits, FEW))
        many, seconds = peak_kb(how % (bits, MANY))
        tap.ok(many - few < spare, "10 million rows need no more memory than 10 thousand: "
               + how % (0, MANY), "%d kB, then %d kB; %.1f s" % (few, many, seconds))


def trees(superuser):
    """Rows of tables that belong together, in a table and counted: whatever their number, memory holds those
    of a block. Before the first of them, trials take the most."""
    run(superuser, "CREATE TABLE owners (id integer PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')));"
        "CREATE TABLE cats (id integer PRIMARY KEY, owner integer NOT NULL REFERENCES owners, kind integer NOT NULL CHECK (kind BETWEEN 0 AND 7));"
        "INSERT INTO owners SELECT i, CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END FROM generate_series(1, 500) i;"
        "INSERT INTO cats SELECT 10 * i + j, i, (i + j) % 8 FROM generate_series(1, 500) i, generate_series(1, 1 + i % 9) j;"
        "SELECT dp_protect('owners', 10000, 0.1), dp_grant('owners', 'ann', 5000, 0.1);"
        "SELECT dp_protect('cats', parent => 'owners', max_rows_per_unit => 9)")
    with closing(connect("ann")) as ann:
        tree = one(ann, "SELECT dp_release('{owners,cats}', 'mst', 1000, 1e-6)")
    for how in ("SELECT count(*) FROM dp_sample(NULL::cats, %d, %d, 1)",
                "CREATE TEMP TABLE drawn AS SELECT * FROM dp_sample(NULL::cats, %d, %d, 1)"):
        few, _ = peak_kb(how % (tree, 10 * FEW))  # they fill work_mem and the buffers
        many, seconds = peak_kb(how % (tree, 100 * FEW))
        # so many are drawn by workers, which have queues, and kept in a store of work_mem
        tap.ok(many - few < 4096 + 8192, "children of a million rows need no more memory than those of 100 thousand: "
               + how % (0, 100 * FEW), "%d kB, then %d kB; %.1f s" % (few, many, seconds))


def drawing_again(superuser):
    """A corner of 1 / 10,000 of the bins is found by drawing values again and again."""
    run(superuser, "CREATE TABLE corner (a numeric(8,2) NOT NULL, b numeric(8,2) NOT NULL,"
        " c numeric(8,2) NOT NULL, CHECK (a * a + b * b + c * c <= 3000));"
        "INSERT INTO corner VALUES (1, 1, 1); SELECT dp_protect('corner', 10, 0.1);"
        "SELECT dp_define_column('corner', it, bins => '{0,1000}')"
        "  FROM unnest('{a,b,c}'::name[]) it; SELECT dp_grant('corner', 'ann', 5, 0.1)")
    with closing(connect("ann")) as ann:
        corner = one(ann, "SELECT dp_release('corner', 'sba', 1, 1e-6, '{\"dense_cells\": 10, \"partial\": true}')")
    how = "SELECT count(*) FROM dp_sample(NULL::corner, %d, %d, 1)"
    few, _ = peak_kb(how % (corner, 1))
    many, seconds = peak_kb(how % (corner, 40))
    tap.ok(many - few < 8192, "rows that are drawn again and again need no more memory",
           "%d kB, then %d kB; %.1f s" % (few, many, seconds))


def progress(superuser):
    """NOTICE lines come at an interval. They tell the stage of a release and the share of a draw that is
    done, and nothing else."""
    run(superuser, "CREATE VIEW slow AS SELECT true AS t FROM generate_series(1, 4) i"
        " WHERE pg_sleep(0.7) IS NOT NULL; SELECT dp_protect('slow', 10, sensitivity => 1); SELECT dp_grant('slow', 'ann', 5);"
        " CREATE VIEW slow_open AS SELECT 'it' AS t FROM generate_series(1, 4) i"
        " WHERE pg_sleep(0.7) IS NOT NULL; SELECT dp_protect('slow_open', 10, 0.1, sensitivity => 1);"
        " SELECT dp_define_column('slow_open', 't', open => true); SELECT dp_grant('slow_open', 'ann', 5, 0.1)")
    with closing(connect("ann")) as ann:
        run(ann, "SET dpsyn.progress_interval = '1s'; SET dpsyn.max_parallel_workers = 0")
        run(ann, "SELECT dp_release('slow', 'sba', 1, 0, '{\"dense_cells\": 10}')")
        said = ann.notices[1:] # after what it costs
        tap.ok(said and all(re.fullmatch(r"NOTICE:  dpsyn: [a-z ]+\n", line) for line in said),
               "a slow release tells its stage, and no share before anything is charged", ann.notices)
        del ann.notices[:]
        run(ann, "SELECT dp_release('slow_open', 'sbhg', 1, 1e-6)") # it counts a second time when values are found
        shares = [int(share) for share in re.findall(r", (\d+) % of the budget used\n", "".join(ann.notices))]
        tap.ok(shares and all(0 < share <= 100 for share in shares), "then the share of the budget that is used",
               ann.notices)
        tap.equal(shares, sorted(shares), "which does not shrink")
        del ann.notices[:]
        bits = one(ann, "SELECT dp_release('bits', 'sbhg', 0.1, 0, '{\"sweeps\": 10000}')")
        del ann.notices[:]
        run(ann, "SELECT count(*) FROM dp_sample(NULL::bits, %s, 150000000, 1)", bits)
        # before the first block of rows is drawn, which may take an interval, there is no share
        said = "".join(ann.notices)
        tap.ok(re.fullmatch(r"(NOTICE:  dpsyn: (preparing to draw|drawing) rows\n)*"
                            r"(NOTICE:  dpsyn: drawing rows, \d+ % done\n)+", said),
               "a long draw tells the share done", ann.notices)
        shares = [int(share) for share in re.findall(r"(\d+) %", said)]
        tap.equal(shares, sorted(shares), "which does not shrink")
        del ann.notices[:]
        run(ann, "SET dpsyn.progress_interval = 0;"
                 "SELECT count(*) FROM dp_sample(NULL::bits, %s, 20000, 1)", bits)
        tap.ok(not ann.notices, "an interval of 0 says nothing", ann.notices)


with closing(connect()) as superuser:
    run(superuser, SETUP)
    with closing(connect("ann")) as analyst:
        stored = values_in_and_out(analyst)
        errors(analyst)
        cursors(analyst, stored)
        bit_release = one(analyst, "SELECT max(release) FROM dp_releases"
                          " WHERE relation = 'public.bits'::regclass")
        copy_and_cancel(analyst, bit_release)
    nothing_is_left(superuser)
    streaming(bit_release)
    trees(superuser)
    drawing_again(superuser)
    progress(superuser)
tap.done()
