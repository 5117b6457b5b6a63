"""SBHG and SBA beside the numpy prototypes: the same table, budget, split and
noise distribution. Prints mean total variation distance over all 1-, 2- and 3-way
margins (its standard error over the runs in parentheses), and the time of the
whole SQL call as a ratio to count(*) over the same table."""
import argparse
import statistics
import sys
import time

import numpy as np
import psycopg2

from tables import count_seconds, distances, draw, flat, install, load, margins, read, show

EPSILONS = (0.1, 1.0, 10.0)
DELTA = 1e-6


def ours(connection, name, labels, method, epsilon, options):
    return draw(connection, name, labels, method, "epsilon => %s, delta => %s" + options, (epsilon, DELTA))


def run_prototype(prototype, rng, codes, dims, epsilon, cells):
    """One parent, a tenth of epsilon to choose it, the rest and delta to the tables equally."""
    p = len(dims)
    parents = prototype.choose_parents(rng, codes, dims, 1, 0.1 * epsilon, "addremove")
    tables = prototype.release(rng, codes, dims, parents, 0.9 * epsilon / p, DELTA / p, "addremove",
                               discrete=True, dense_max=cells)
    return prototype.sample(rng, dims, parents, tables, len(codes))


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
    install(owner)
    load(owner, "adult", header, labels, rows)
    counted = count_seconds(owner, "adult")

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
            drawn = [ours(analyst, "adult", labels, "sbhg", epsilon, ", dense_cells => %d" % cells)
                     for _ in range(arguments.runs)]
            seconds = statistics.median(s for _, s in drawn)
            print("| %g | %s | dpsyn | %s | %.2f | %.0f |"
                  % (epsilon, kind, show([distances(truth, c, sets, dims) for c, _ in drawn]), seconds,
                     seconds / counted), flush=True)
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
