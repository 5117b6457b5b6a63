"""What a role waits for that was granted relations which it did not ask for. It is counted, as
requests for memory and bytes, and not timed."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import psycopg2  # noqa: E402

from injection import COUNT, injection  # noqa: E402
from dptest import Tap, connect, run  # noqa: E402

tap = Tap()

# Of one relation. Without limits most of these take a hundred times as much.
BYTES_MAX = 300 << 20
REQUESTS_MAX = 40000

# What the view says of a relation's columns: (kind, source).
SAID = {
    "constant": {(None, "not looked at")},
    "bound": {("key", "unique")},
    "computed": {("range", "type"), (None, "generated")},
    "of_domain": {(None, "not looked at"), ("fill", "not looked at")},
    "row_by_row": {("fill", "not looked at"), ("range", "type")},
    "number": {("range", "assumed")},
    "matched": {("fill", "not looked at"), ("key", "unique")},
    "enums": {("categories", "schema"), (None, "not looked at")},
    "list": {(None, "not looked at"), ("range", "type")},
    "wide": {("range", "check")},
    "mentions": {("range", "type")},
    "branches": {("key", "unique")},
    "deep": {("range", "type")},
    "chain": {(None, "not looked at")},
    "links": {(None, "not looked at")},
    "defaults": {("fill", "no domain")},
    "parted": {("range", "check"), ("range", "type")},
}


def asked(connection, statement, *values):
    """The rows, or the code of the error; what the statement asked for."""
    injection.arm(connection.get_backend_pid(), COUNT)
    try:
        rows = run(connection, statement, *values)
    except psycopg2.Error as error:
        rows = error.pgcode
    finally:
        count = injection.disarm()
    return rows, count


def little(count):
    return count.bytes <= BYTES_MAX and count.requests <= REQUESTS_MAX


def words(count):
    return "%d requests, %d kB" % (count.requests, count.bytes >> 10)


def main():
    victim = connect("victim")
    run(victim, "SET search_path = public; SET statement_timeout = '600s'; SET client_min_messages = error")
    for name, said in SAID.items():
        rows, count = asked(victim, "SELECT DISTINCT kind, source FROM dp_columns"
                            " WHERE relation = %s::regclass", "hostile." + name)
        tap.ok(set(rows) == said and little(count), "dp_columns of %s: %s" % (name, words(count)),
               "got    %r" % (rows,), "wanted %r" % sorted(said, key=str))
    for name in SAID:
        rows, count = asked(victim, "SELECT count(*) FROM dp_explain(%s, 'marginal', 0.1)", "hostile." + name)
        tap.ok(rows != "57014" and little(count), "dp_explain of %s: %s" % (name, words(count)), rows)
    tap.done()


main()
