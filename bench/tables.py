"""What the measurements with numpy share: a table as codes, distances between tables, timing."""
import itertools
import math
import statistics
import time

import numpy as np

from protected import count_seconds, install, load, owner_and_analyst, protect, read_rows  # noqa: F401


def read(path, columns=None):
    """Header, labels by column, codes, rows; columns: only these, in this order."""
    header, labels, rows = read_rows(path, columns)
    index = [{v: i for i, v in enumerate(values)} for values in labels]
    codes = np.array([[index[j][row[j]] for j in range(len(header))] for row in rows])
    return header, labels, codes, rows


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


def distances_of_many(codes, other, sets):
    """Mean TVD of two tables over margins of many columns, which have more cells than there are rows."""
    return statistics.mean(sparse_distance(codes[:, s], other[:, s]) for s in map(list, sets))


def sparse_distance(codes, other):
    cell = np.zeros(len(codes) + len(other), dtype=np.int64)
    for k in range(codes.shape[1]):  # numbered anew at each column, so that the numbers stay small
        values = np.concatenate([codes[:, k], other[:, k]])
        cell = np.unique(cell * (values.max() + 1) + values, return_inverse=True)[1]
    cells = cell.max() + 1
    shares = [np.bincount(part, minlength=cells) / len(part) for part in np.split(cell, [len(codes)])]
    return 0.5 * np.abs(shares[0] - shares[1]).sum()


def some_margins(p, order, most, seed=7):
    """Sets of so many columns, at most so many of them, always the same."""
    rng = np.random.default_rng(seed)
    found = set()
    every = math.comb(p, order)
    while len(found) < min(most, every):
        found.add(tuple(sorted(rng.choice(p, order, replace=False).tolist())))
    return sorted(found)


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
