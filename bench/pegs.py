"""pegs, bootstrap, pmi (three runs at most) and noisy margins beside the numpy prototype of PeGS: the same
table, domain, budget, public order and number of rows (replace_one). Prints mean total variation
distance over all 1-, 2- and 3-way margins (its standard error over the runs in parentheses), and the
time of the whole SQL call. The last line of each table is rows drawn uniformly from the domain."""
import argparse
import statistics
import sys
import time

import numpy as np

from tables import distances, draw, flat, load, margins, owner_and_analyst, read, show

EPSILONS = (10, 100, 1000, 10000)  # in all

# name, file, rows drawn
TABLES = (("bankruptcy", "bankruptcy", 250), ("adult_binned", "adult_binned", 1000))
NAMES = {"pegs": "pegs, one parent", "two": "pegs, two parents", "block": "pegs, blocks of 10", "bootstrap": "marginal, bootstrap",
         "pmi": "pmi, lambda 0.001", "laplace": "marginal, laplace"}
BLOCK = 10
PARENTS = {"pegs": 1, "two": 2, "block": 1, "bootstrap": 0}


def ours(connection, name, header, labels, method, epsilon, rows):
    order = "column_order => '{" + ",".join(header) + "}'"
    arguments = {
        "pegs": ("pegs", "epsilon => %s, rows => %s, " + order),
        "two": ("pegs", "epsilon => %s, rows => %s, " + order + ", parents => 2"),
        "block": ("pegs", "epsilon => %s, rows => %s, " + order + ", block => " + str(BLOCK)),
        "bootstrap": ("marginal", "epsilon => %s, rows => %s, mechanism => 'bootstrap'"),
        "pmi": ("pmi", "epsilon => %s, rows => %s, lambda => 0.001"),
        "laplace": ("marginal", "epsilon => %s, rows => %s"),
    }[method]
    return draw(connection, name, labels, *arguments, (epsilon, rows))


def prototype(pegs, rng, codes, dims, method, epsilon, rows):
    """None where there is none."""
    p = len(dims)
    if method not in PARENTS:
        return None
    parents = [[(j - 1 - k) % p for k in range(PARENTS[method])] for j in range(p)]
    model = pegs.Pegs(codes, dims, parents)
    return model.synthesise(rng, rows, epsilon, BLOCK if method == "block" else 1, "replace")[0]


def compare(arguments, pegs, owner, analyst, name, file, rows):
    header, labels, codes, table = read("%s/%s.csv" % (arguments.data, file))
    dims = [len(v) for v in labels]
    load(owner, name, header, labels, table, "replace_one")
    sets = margins(dims)
    truth = {s: flat(codes, s, dims) for k in sets for s in sets[k]}
    rng = np.random.default_rng(1)
    for method in NAMES:
        for epsilon in EPSILONS:
            runs = min(arguments.runs, 3) if method == "pmi" else arguments.runs  # its fits take long
            drawn = [ours(analyst, name, header, labels, method, epsilon, rows) for _ in range(runs)]
            theirs = [prototype(pegs, rng, codes, dims, method, epsilon, rows) for _ in range(arguments.runs)]
            beside = "| | | |" if theirs[0] is None else "| %s |" % show([distances(truth, c, sets, dims) for c in theirs])
            print("| %s, %d rows | %s | %g | %s %s %.2f |"
                  % (name, rows, NAMES[method], epsilon, show([distances(truth, c, sets, dims) for c, _ in drawn]),
                     beside, statistics.median(s for _, s in drawn)), flush=True)
    uniform = [rng.integers(0, dims, (rows, len(dims))) for _ in range(arguments.runs)]
    print("| %s, %d rows | uniform | | %s | | | | |"
          % (name, rows, show([distances(truth, c, sets, dims) for c in uniform])), flush=True)


def cross_validated(arguments, analyst):
    """What choosing lambda takes."""
    header, labels, _, _ = read("%s/adult_binned.csv" % arguments.data)
    begin = time.perf_counter()
    draw(analyst, "adult_binned", labels, "pmi", "epsilon => %s, rows => %s", (100, 1000))
    print("\npmi on adult_binned, %d columns, lambda cross-validated: %.1f s."
          % (len(header), time.perf_counter() - begin))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.reference)
    import pegs

    owner, analyst = owner_and_analyst()
    print("### pegs and its family, replace_one, %d runs\n" % arguments.runs)
    print("| table | method | epsilon, all rows | tvd1 | tvd2 | tvd3 | prototype tvd1 | tvd2 | tvd3 | seconds |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for table in TABLES:
        compare(arguments, pegs, owner, analyst, *table)
    cross_validated(arguments, analyst)


main()
