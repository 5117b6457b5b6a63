"""How often the intervals of dp_answer hold the true count: the share of all cells of all
releases, by basis, number of columns, epsilon and neighbouring relation."""
import argparse
import collections
import itertools

import numpy as np
import psycopg2
import psycopg2.extras

from tables import install, load, read

CONFIDENCE = 0.95
TABLES = (
    ("bankruptcy", None),
    ("sim16", ["q01", "q02", "q03", "q04", "q05", "q06"]),
    ("adult_binned", ["age", "relationship", "race", "sex", "income"]),
)
EPSILONS = (0.1, 1, 10)
RELATIONS = ("add_remove", "replace_one")


def releases(header):
    """The methods that are asked, with options: cipher has Laplace noise in all pairs and one set
    of three columns, mst Gaussian noise in single columns and in a tree of pairs."""
    pairs = [list(pair) for pair in itertools.combinations(header, 2)]
    return (("cipher", 0, {"workload": pairs + [header[-3:]]}), ("mst", 1e-9, {}))


def questions(header):
    """No column, each column, and the first sets of two and three columns; the last set of three
    is one that cipher measures."""
    return ([[]] + [[c] for c in header] + [list(s) for s in itertools.combinations(header, 2)][:6]
            + [header[:3], header[1:4], header[-3:]])


def truths(header, labels, codes, by):
    if not by:
        return np.array(len(codes)), []
    place = [header.index(c) for c in by]
    counts = np.zeros([len(labels[p]) for p in place])
    np.add.at(counts, tuple(codes[:, p] for p in place), 1)
    index = [{v: i for i, v in enumerate(labels[p])} for p in place]
    return counts, index


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--only", help="one table")
    arguments = parser.parse_args()

    owner = psycopg2.connect("")
    owner.autocommit = True
    install(owner)
    cursor = owner.cursor()
    print("### Coverage of dp_answer's %g %% intervals, %d releases of each setting\n"
          % (100 * CONFIDENCE, arguments.runs))
    print("Per cent of cells whose interval holds the true count; in parentheses the median width "
          "as a share of the rows.\n")
    print("| table | method | relation | epsilon | basis | 0 columns | 1 | 2 | 3 |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for table, columns in TABLES:
        if arguments.only not in (None, table):
            continue
        header, labels, codes, rows = read("%s/%s.csv" % (arguments.data, table), columns)
        for relation in RELATIONS:
            name = table + "_" + relation
            load(owner, name, header, labels, rows, relation)
            for method, delta, options in releases(header):
                for epsilon in EPSILONS:
                    measure(cursor, name, header, labels, codes, (method, delta, options), epsilon,
                            relation, arguments.runs)


def measure(cursor, name, header, labels, codes, release, epsilon, relation, runs):
    method, delta, options = release
    held = collections.defaultdict(list)
    width = collections.defaultdict(list)
    asked = [(by,) + truths(header, labels, codes, by) for by in questions(header)]
    for _ in range(runs):
        cursor.execute("SELECT dp_release(%s, %s, %s, %s, %s::jsonb)",
                       (name, method, epsilon, delta, psycopg2.extras.Json(options)))
        number = cursor.fetchone()[0]
        for by, counts, index in asked:
            cursor.execute("SELECT cell, low, high, split_part(basis, ' ', 1) FROM "
                           "dp_answer(%s, %s::name[], NULL, %s)", (number, by, CONFIDENCE))
            for cell, low, high, basis in cursor.fetchall():
                truth = counts[tuple(i[cell[c]] for i, c in zip(index, by))]
                key = basis.rstrip(";"), len(by)
                if low is not None:
                    held[key].append(low - 1e-9 <= truth <= high + 1e-9)
                    width[key].append(high - low)
    for basis in ("public", "measured", "model"):
        if any(b == basis for b, _ in held):
            print("| %s | %s | %s | %g | %s | %s |" % (
                name.replace("_" + relation, ""), method, relation, epsilon, basis,
                " | ".join("%.1f (%.4f)" % (100 * np.mean(held[basis, n]),
                                            np.median(width[basis, n]) / len(codes))
                           if held[basis, n] else "-" for n in range(4))), flush=True)


main()
