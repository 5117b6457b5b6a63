"""A table under protection, and a role without rights that has a budget for it; what every measurement needs. Without
numpy."""
import csv
import time

import psycopg2


def read_rows(path, columns=None):
    """Header, labels by column, rows; columns: only these, in this order."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    header, rows = rows[0], rows[1:]
    if columns is not None:
        index = [header.index(c) for c in columns]
        header, rows = list(columns), [[row[j] for j in index] for row in rows]
    return header, [sorted({row[j] for row in rows}) for j in range(len(header))], rows


def load(connection, name, header, labels, rows, neighbours="add_remove", complete=True):
    create(connection, name, {c: "text" for c in header}, rows)
    protect(connection, name, header, labels, neighbours, complete)


def load_typed(connection, name, columns, rows, neighbours):
    """columns: {name: (type, levels)}, or {name: (type, None, bins)}."""
    create(connection, name, {c: of[0] for c, of in columns.items()}, rows)
    levels = {c: of[1] for c, of in columns.items() if of[1] is not None}
    protect(connection, name, levels, levels.values(), neighbours)
    for c, of in columns.items():
        if of[1] is None:
            connection.cursor().execute("SELECT dp_define_column(%s, %s, bins => %s)", (name, c, [str(edge) for edge in of[2]]))


def load_open(connection, name, kind, rows, domains):
    """Open columns of one type, each with the SQL of its domain."""
    create(connection, name, {c: kind for c in domains}, rows)
    protect(connection, name, [], [])
    for column, domain in domains.items():
        connection.cursor().execute("SELECT dp_define_column(%%s, %%s, open => true, domain => %s)" % domain, (name, column))


def create(connection, name, types, rows):
    cursor = connection.cursor()
    cursor.execute('CREATE TABLE "%s" (%s)' % (name, ", ".join('"%s" %s' % of for of in types.items())))
    for start in range(0, len(rows), 1000):
        part = rows[start:start + 1000]
        values = b",".join(cursor.mogrify("(" + ",".join(["%s"] * len(types)) + ")", r) for r in part)
        cursor.execute(b'INSERT INTO "%s" VALUES ' % name.encode() + values)


def protect(connection, name, header, labels, neighbours="add_remove", complete=True):
    """With a budget for any number of releases, for the role analyst, too."""
    cursor = connection.cursor()
    cursor.execute('VACUUM ANALYZE "%s"' % name)
    cursor.execute("SELECT dp_protect(%s, 1000000, 0.9, %s)", (name, neighbours))
    for column, values in zip(header, labels):
        cursor.execute("SELECT dp_define_column(%s, %s, categories => %s, complete => %s)",
                       (name, column, [str(v) for v in values], complete))
    cursor.execute("SELECT dp_grant(%s, 'analyst', 1000000, 0.9)", (name,))


def install(connection):
    """The extension and a role without rights of its own, once for all measurements of a server."""
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS dpsyn")
    cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = 'analyst'")
    if cursor.fetchone() is None:
        cursor.execute("CREATE ROLE analyst LOGIN; GRANT CREATE ON SCHEMA public TO analyst")


def owner_and_analyst():
    """Connections of the owner of tables and of the role without rights, made if need be."""
    owner = psycopg2.connect("")
    owner.autocommit = True
    install(owner)
    analyst = psycopg2.connect("user=analyst")
    analyst.autocommit = True
    return owner, analyst


def count_seconds(connection, name):
    cursor = connection.cursor()
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        cursor.execute('SELECT count(*) FROM "%s"' % name)
        times.append(time.perf_counter() - begin)
    return min(times)


def fidelity(true, released):
    """F of the CatHist paper: the share of rows whose value is released, times the share of released rows whose value occurs."""
    both = released.keys() & true.keys()
    total = sum(released.values())
    return sum(true[c] for c in both) / sum(true.values()) * sum(released[c] for c in both) / total if total else 0.0
