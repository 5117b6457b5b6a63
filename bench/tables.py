"""What the measurements share: reading a table, putting it under protection,
distances between tables, timing."""
import csv
import itertools
import statistics
import time

import numpy as np


def read(path, columns=None):
    """Header, labels by column, codes, rows; columns: only these, in this order."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    header, rows = rows[0], rows[1:]
    if columns is not None:
        index = [header.index(c) for c in columns]
        header, rows = list(columns), [[row[j] for j in index] for row in rows]
    labels = [sorted({row[j] for row in rows}) for j in range(len(header))]
    index = [{v: i for i, v in enumerate(values)} for values in labels]
    codes = np.array([[index[j][row[j]] for j in range(len(header))] for row in rows])
    return header, labels, codes, rows


def load(connection, name, header, labels, rows, neighbours="add_remove", complete=True):
    cursor = connection.cursor()
    columns = ", ".join('"%s" text' % c for c in header)
    cursor.execute('CREATE TABLE "%s" (%s)' % (name, columns))
    for start in range(0, len(rows), 1000):
        part = rows[start:start + 1000]
        values = b",".join(cursor.mogrify("(" + ",".join(["%s"] * len(header)) + ")", r) for r in part)
        cursor.execute(b'INSERT INTO "%s" VALUES ' % name.encode() + values)
    protect(connection, name, header, labels, neighbours, complete)


def protect(connection, name, header, labels, neighbours="add_remove", complete=True):
    """With a budget for any number of releases, for the role analyst, too."""
    cursor = connection.cursor()
    cursor.execute('VACUUM ANALYZE "%s"' % name)
    cursor.execute("SELECT dp_protect(%s, 1000000, 0.9, %s)", (name, neighbours))
    for column, values in zip(header, labels):
        cursor.execute("SELECT dp_define_column(%s, %s, categories => %s, complete => %s)",
                       (name, column, values, complete))
    cursor.execute("SELECT dp_grant(%s, 'analyst', 1000000, 0.9)", (name,))


def install(connection):
    """The extension and a role without rights of its own, once for all measurements of a server."""
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS dpsyn")
    cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = 'analyst'")
    if cursor.fetchone() is None:
        cursor.execute("CREATE ROLE analyst LOGIN; GRANT CREATE ON SCHEMA public TO analyst")


def count_seconds(connection, name):
    cursor = connection.cursor()
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        cursor.execute('SELECT count(*) FROM "%s"' % name)
        times.append(time.perf_counter() - begin)
    return min(times)


def margins(dims):
    p = len(dims)
    triples = list(itertools.combinations(range(p), 3))
    return {1: [(i,) for i in range(p)], 2: list(itertools.combinations(range(p), 2)), 3: triples}


def flat(codes, attributes, dims):
    index = np.zeros(len(codes), dtype=np.int64)
    for a in attributes:
        index = index * (dims[a] + 1) + codes[:, a]
    return np.bincount(index, minlength=int(np.prod([dims[a] + 1 for a in attributes]))) / len(codes)


def distances(truth, codes, sets, dims):
    """Mean TVD by order; code dims[a] of an attribute is 'none of the levels'."""
    return [statistics.mean(0.5 * np.abs(truth[s] - flat(codes, s, dims)).sum() for s in sets[k])
            for k in (1, 2, 3)]


def draw(connection, name, labels, method, arguments, values):
    """Codes of one dp_synthesize_<method>(NULL::name, <arguments>), and its seconds."""
    cursor = connection.cursor()
    cursor.execute('DROP TABLE IF EXISTS synthetic')
    begin = time.perf_counter()
    cursor.execute('CREATE TEMP TABLE synthetic AS SELECT * FROM dp_synthesize_%s(NULL::"%s", %s)'
                   % (method, name, arguments), values)
    seconds = time.perf_counter() - begin
    cursor.execute("SELECT * FROM synthetic")
    index = [{v: i for i, v in enumerate(values)} for values in labels]
    codes = np.array([[index[j].get(v, len(labels[j])) for j, v in enumerate(row)]
                      for row in cursor.fetchall()])
    cursor.execute("DROP TABLE synthetic")
    return codes, seconds


def show(values):
    rows = list(zip(*values))
    cell = lambda v: "%.4f (%.4f)" % (statistics.mean(v), statistics.stdev(v) / len(v) ** 0.5)
    return " | ".join(cell(v) for v in rows)
