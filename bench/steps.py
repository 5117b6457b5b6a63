"""steps, flat and privbayes beside the numpy prototypes: the same table, domain,
budget, split and noise distribution, with a public number of rows (replace_one). Prints mean total variation distance over all 1-, 2-
and 3-way margins (its standard error over the runs in parentheses), by how many
standard errors the means differ, and the time of the whole SQL call."""
import argparse
import statistics
import sys
import time

import numpy as np

from tables import count_seconds, distances, draw, flat, load, margins, owner_and_analyst, read, show

EPSILONS = (0.1, 1.0, 10.0)
SHARE = 0.1       # of epsilon, to select an order
NETWORK_SHARE = 0.3

# name, file, columns (None: all), methods
TABLES = (
    ("bankruptcy", "bankruptcy", None, ("flat", "steps", "selected", "pb1", "pb2")),
    ("sim16", "sim16", None, ("flat", "steps", "selected", "pb1", "pb2")),
    ("adult7", "adult_binned", ("age", "workclass", "marital_status", "relationship", "race", "sex", "income"),
     ("flat", "steps", "selected", "pb1", "pb2")),
    ("adult_binned", "adult_binned", None, ("pb1", "pb2")),
)
NAMES = {"flat": "flat", "steps": "steps, public order", "selected": "steps, selected order",
         "pb1": "privbayes, degree 1", "pb2": "privbayes, degree 2"}


def ours(connection, name, header, labels, method, epsilon):
    arguments = {
        "flat": ("flat", "epsilon => %s"),
        "steps": ("steps", "epsilon => %s, column_order => '{" + ",".join(header[:2]) + "}'"),
        "selected": ("steps", "epsilon => %%s, selection_share => %g" % SHARE),
        "pb1": ("privbayes", "epsilon => %%s, parents => 1, selection_share => %g" % NETWORK_SHARE),
        "pb2": ("privbayes", "epsilon => %%s, parents => 2, selection_share => %g" % NETWORK_SHARE),
    }[method]
    return draw(connection, name, labels, *arguments, (epsilon,))


def prototype(steps, privbayes, rng, codes, dims, method, epsilon):
    n, p = codes.shape
    if method in ("pb1", "pb2"):
        return privbayes.privbayes(rng, codes, dims, epsilon, int(method[2]), NETWORK_SHARE, "replace",
                                   discrete=True)
    if method == "flat":
        groups = [list(range(p))]
    else:
        order = [0, 1]
        if method == "selected":
            order = steps.choose_order(rng, codes, dims, 2, SHARE * epsilon, "replace")
            epsilon *= 1 - SHARE
        groups = [[order[0]], [order[1]], [a for a in range(p) if a not in order]]
    leaf = steps.steps(rng, codes, dims, groups, epsilon, "replace", float(n), discrete=True)
    shares = steps.finish(leaf, n, "topdown", groups, dims)
    return steps.leaf_records(rng, shares, dims, groups, n)


def differences(a, b):
    """By how many standard errors the means differ; negative: the first is nearer to the truth."""
    words = []
    for x, y in zip(zip(*a), zip(*b)):
        error = ((statistics.variance(x) + statistics.variance(y)) / len(x)) ** 0.5
        words.append("%+.1f" % ((statistics.mean(x) - statistics.mean(y)) / error))
    return " ".join(words)


def compare(arguments, modules, owner, analyst, name, file, columns, methods):
    header, labels, codes, rows = read("%s/%s.csv" % (arguments.data, file), columns)
    dims = [len(v) for v in labels]
    load(owner, name, header, labels, rows, "replace_one")
    sets = margins(dims)
    truth = {s: flat(codes, s, dims) for k in sets for s in sets[k]}
    rng = np.random.default_rng(1)
    for method in methods:
        for epsilon in EPSILONS:
            drawn = [ours(analyst, name, header, labels, method, epsilon) for _ in range(arguments.runs)]
            mine = [distances(truth, c, sets, dims) for c, _ in drawn]
            theirs, times = [], []
            for _ in range(arguments.runs):
                begin = time.perf_counter()
                synthetic = prototype(*modules, rng, codes, dims, method, epsilon)
                times.append(time.perf_counter() - begin)
                theirs.append(distances(truth, synthetic, sets, dims))
            print("| %s | %s | %g | %s | %s | %s | %.2f | %.2f |"
                  % (name, NAMES[method], epsilon, show(mine), show(theirs), differences(mine, theirs),
                     statistics.median(s for _, s in drawn), statistics.median(times)), flush=True)


def huge(owner, analyst, arguments):
    """All cells of adult_binned, 1.5e12 of them, by flat."""
    header, labels, codes, _ = read(arguments.data + "/adult_binned.csv")
    dims = [len(v) for v in labels]
    sets = margins(dims)
    truth = {s: flat(codes, s, dims) for k in sets for s in sets[k]}
    counted = count_seconds(owner, "adult_binned")
    cursor = analyst.cursor()
    print("\n| flat, 1.5e12 cells, epsilon | tvd1 | tvd2 | tvd3 | threshold | random cells | memory planned, MB |"
          " seconds | x count(*) |")
    print("|---|---|---|---|---|---|---|---|---|")
    for epsilon in EPSILONS:
        cursor.execute("SELECT max(threshold), max(false_positives), max(memory_bytes) FROM"
                       " dp_explain('adult_binned', 'flat', %s)", (epsilon,))
        threshold, false_positives, memory = cursor.fetchone()
        drawn = [ours(analyst, "adult_binned", header, labels, "flat", epsilon) for _ in range(min(arguments.runs, 5))]
        seconds = statistics.median(s for _, s in drawn)
        print("| %g | %s | %d | %.2f | %.0f | %.2f | %.0f |"
              % (epsilon, show([distances(truth, c, sets, dims) for c, _ in drawn]), threshold, false_positives,
                 memory / 1e6, seconds, seconds / counted), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--only", help="one table")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.reference)
    import privbayes
    import steps

    owner, analyst = owner_and_analyst()
    print("### steps, flat and privbayes, replace_one, %d runs\n" % arguments.runs)
    print("| table | method | epsilon | tvd1 | tvd2 | tvd3 | prototype tvd1 | tvd2 | tvd3 | difference in standard errors |"
          " seconds | prototype's |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for table in TABLES:
        if arguments.only in (None, table[0]):
            compare(arguments, (steps, privbayes), owner, analyst, *table)
    if arguments.only in (None, "adult_binned"):
        huge(owner, analyst, arguments)


main()
