"""SBHG and SBA beside the numpy prototypes: the same table, budget, split and
noise law. Prints mean total variation distance over all 1-, 2- and 3-way
margins (its standard error over the runs in parentheses), and the time of the
whole SQL call as a ratio to count(*) over the same table."""
import argparse
import csv
import itertools
import statistics
import sys
import time

import numpy as np
import psycopg2

EPSILONS = (0.1, 1.0, 10.0)
DELTA = 1e-6


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    header, rows = rows[0], rows[1:]
    labels = [sorted({row[j] for row in rows}) for j in range(len(header))]
    index = [{v: i for i, v in enumerate(values)} for values in labels]
    codes = np.array([[index[j][row[j]] for j in range(len(header))] for row in rows])
    return header, labels, codes, rows


def load(connection, name, header, labels, rows):
    cursor = connection.cursor()
    columns = ", ".join('"%s" text' % c for c in header)
    cursor.execute('CREATE TABLE "%s" (%s)' % (name, columns))
    for start in range(0, len(rows), 1000):
        part = rows[start:start + 1000]
        values = b",".join(cursor.mogrify("(" + ",".join(["%s"] * len(header)) + ")", r) for r in part)
        cursor.execute(b'INSERT INTO "%s" VALUES ' % name.encode() + values)
    cursor.execute('VACUUM ANALYZE "%s"' % name)
    cursor.execute("SELECT dp_protect(%s, 1000000, 0.9)", (name,))
    for column, values in zip(header, labels):
        cursor.execute("SELECT dp_define_column(%s, %s, categories => %s, complete => true)", (name, column, values))
    cursor.execute("SELECT dp_grant(%s, 'analyst', 1000000, 0.9)", (name,))


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


def ours(connection, name, header, labels, method, epsilon, options):
    cursor = connection.cursor()
    cursor.execute('DROP TABLE IF EXISTS synthetic')
    begin = time.perf_counter()
    cursor.execute('CREATE TEMP TABLE synthetic AS SELECT * FROM dp_synthesize_%s(NULL::"%s", epsilon => %%s,'
                   ' delta => %%s%s)' % (method, name, options), (epsilon, DELTA))
    seconds = time.perf_counter() - begin
    cursor.execute("SELECT * FROM synthetic")
    index = [{v: i for i, v in enumerate(values)} for values in labels]
    codes = np.array([[index[j].get(v, len(labels[j])) for j, v in enumerate(row)]
                      for row in cursor.fetchall()])
    cursor.execute("DROP TABLE synthetic")
    return codes, seconds


def run_prototype(prototype, rng, codes, dims, epsilon, cells):
    """One parent, a tenth of epsilon to choose it, the rest and delta to the tables equally."""
    p = len(dims)
    parents = prototype.choose_parents(rng, codes, dims, 1, 0.1 * epsilon, "addremove")
    tables = prototype.release(rng, codes, dims, parents, 0.9 * epsilon / p, DELTA / p, "addremove",
                               discrete=True, dense_max=cells)
    return prototype.sample(rng, dims, parents, tables, len(codes))


def show(values):
    rows = list(zip(*values))
    cell = lambda v: "%.4f (%.4f)" % (statistics.mean(v), statistics.stdev(v) / len(v) ** 0.5)
    return " | ".join(cell(v) for v in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.reference)
    import sbhg as prototype

    header, labels, codes, rows = read(arguments.data + "/adult_binned.csv")
    dims = [len(v) for v in labels]
    owner = psycopg2.connect("")
    owner.autocommit = True
    cursor = owner.cursor()
    cursor.execute("CREATE EXTENSION dpsyn; CREATE ROLE analyst LOGIN; GRANT CREATE ON SCHEMA public TO analyst")
    load(owner, "adult", header, labels, rows)
    counts = []
    for _ in range(5):
        begin = time.perf_counter()
        cursor.execute("SELECT count(*) FROM adult")
        counts.append(time.perf_counter() - begin)
    count_seconds = min(counts)

    analyst = psycopg2.connect("user=analyst")
    analyst.autocommit = True
    sets = margins(dims)
    truth = {s: flat(codes, s, dims) for k in sets for s in sets[k]}
    rng = np.random.default_rng(1)
    boot = [distances(truth, codes[rng.integers(0, len(codes), len(codes))], sets, dims)
            for _ in range(arguments.runs)]
    print("### SBHG, adult_binned (%d rows, %d columns), delta %g, add_remove, %d runs\n"
          % (len(codes), len(dims), DELTA, arguments.runs))
    print("| epsilon | tables | who | tvd1 | tvd2 | tvd3 | seconds | x count(*) |")
    print("|---|---|---|---|---|---|---|---|")
    for epsilon in EPSILONS:
        for kind, cells in (("dense", 10000), ("stability", 0)):
            drawn = [ours(analyst, "adult", header, labels, "sbhg", epsilon, ", dense_cells => %d" % cells)
                     for _ in range(arguments.runs)]
            seconds = statistics.median(s for _, s in drawn)
            print("| %g | %s | dpsyn | %s | %.2f | %.0f |"
                  % (epsilon, kind, show([distances(truth, c, sets, dims) for c, _ in drawn]), seconds,
                     seconds / count_seconds), flush=True)
            result, times = [], []
            for _ in range(arguments.runs):
                begin = time.perf_counter()
                synthetic = run_prototype(prototype, rng, codes, dims, epsilon, cells)
                times.append(time.perf_counter() - begin)
                result.append(distances(truth, synthetic, sets, dims))
            print("| %g | %s | prototype | %s | %.2f | |"
                  % (epsilon, kind, show(result), statistics.median(times)), flush=True)
    print("| | | bootstrap floor | %s | | |" % show(boot))


main()
