"""Is a release paid for before anything is read? Without statistics: the protected
relation is a view whose rows say what can be seen while they are read, released with so
large an epsilon that the answer is exact.
"""
import os
import subprocess
from contextlib import closing

import model
from dptest import Book, Thread, check, connect, one, run, wait_until
import psycopg2

ROWS = 1000
READ = "SELECT dp_release('witness', 'sba', 1000, 0, '{\"dense_cells\": 1000}')"
READ_SLOWLY = READ.replace("witness", "slow_witness")

# The debit of this very release, as a transaction that is over has left it. The
# worker's own line would be visible to it without that, committed or not.
WITNESSES = r"""
CREATE FUNCTION paid(name text) RETURNS boolean LANGUAGE sql VOLATILE SET search_path = public AS $$
	SELECT EXISTS (SELECT FROM dp_catalog.dp_ledger_entry e
					WHERE e.kind = 'debit' AND e.relation_name = name
					  AND pg_catalog.pg_xact_status(e.xmin::text::xid8) = 'committed'
					  AND NOT EXISTS (SELECT FROM dp_catalog.dp_ledger_entry o WHERE o.debit = e.id)) $$;
CREATE FUNCTION libraries() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT pg_catalog.string_agg(DISTINCT found[1], ' ')
	  FROM pg_catalog.regexp_matches(pg_catalog.pg_read_file('/proc/self/maps'),
									 '/\S*/dpsyn\.so', 'g') found $$;
CREATE VIEW witness AS
	SELECT paid('public.witness') AS paid, libraries() AS library
	  FROM generate_series(1, %d);
CREATE VIEW slow_witness AS
	SELECT paid('public.slow_witness') AS paid FROM generate_series(1, 200)
	 WHERE pg_sleep(0.05)::text = '';
"""


def installed_library():
    return os.path.join(subprocess.check_output([os.environ["PG_CONFIG"], "--pkglibdir"],
                                                universal_newlines=True).strip(), "dpsyn.so")


def check_library(tap, library):
    """The audit must speak of the library that it was given, in the backend and in the worker."""
    wanted = os.path.realpath(library or installed_library())
    with closing(connect()) as boss:
        run(boss, WITNESSES % ROWS)
        run(boss, "SELECT dp_protect('witness', 1000000, sensitivity => 1),"
            " dp_protect('slow_witness', 1000000, sensitivity => 1);"
            "SELECT dp_define_column('witness', 'paid', categories => '{t,f}');"
            "SELECT dp_define_column('slow_witness', 'paid', categories => '{t,f}')")
        run(boss, "SELECT dp_define_column('witness', 'library', categories => ARRAY[%s])", wanted)
        tap.equal(one(boss, "SELECT libraries()"), wanted, "the backend runs this library alone")
        tap.equal(seen(boss, "library"), {wanted: ROWS}, "the worker runs this library alone")


def seen(boss, column):
    """What the rows of `witness` said, and how many."""
    number = one(boss, READ)
    released = model.parse(one(boss, "SELECT model FROM dp_catalog.dp_release_store WHERE id = %s", number))
    table, = [table for table in released.tables if table.attributes]
    place = [released.attributes[a].name for a in table.attributes].index(column)
    labels = released.attributes[table.attributes[place]].labels + ["something else"]
    said = {}
    for codes, rows in table.cells.items():
        if rows:
            said[labels[codes[place]]] = said.get(labels[codes[place]], 0) + rows
    return said


def audit_debit(tap):
    with closing(connect()) as boss:
        tap.equal(seen(boss, "paid"), {"t": ROWS}, "the debit is committed before the data is read")
    killed_while_it_reads(tap)


def killed_while_it_reads(tap):
    """A superuser ends the worker while it reads: it has seen data, so it has paid."""
    with closing(connect()) as boss, closing(connect()) as caller:
        book = Book(boss)
        line, spent = book.last(), book.spent()
        call = Thread(run, caller, READ_SLOWLY)
        wait_until(lambda: reading(boss), "a worker that reads")
        tap.equal([entry[2] for entry in book.lines(line)], ["debited"],
                  "another session sees the debit while the release reads")
        run(boss, "SELECT pg_terminate_backend(%s)", reading(boss))
        try:
            call.finish()
            check(False, "an answer from a worker that was ended")
        except psycopg2.Error:
            pass
        book.settle()
        lines = book.lines(line)
        tap.ok(len(lines) == 1 and lines[0][2] != "released" and book.spent() - spent == lines[0][3],
               "a release that is ended while it reads leaves its debit", lines)


def reading(boss):
    """The worker's process, once a row of the slow view holds it up."""
    found = run(boss, "SELECT pid FROM pg_stat_activity WHERE backend_type = 'dpsyn release worker'"
                " AND wait_event = 'PgSleep'")
    return found[0][0] if found else None
