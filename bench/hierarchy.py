"""What a public hierarchy of a column's categories is worth: mean total variation distance over the
pairs of that column and another, of its categories and of the coarsest level above them, with the
hierarchy and without. The list of categories is in no meaningful order, as codes of a hospital's
own are, or in that of the hierarchy. Simulated diagnoses (2,995 codes) and places (501); beside
them the floor, which is the distance of the table to a resample of itself."""
import argparse
import statistics

import numpy as np

import shapes
from frontier import load_codes
from tables import draw, flat, owner_and_analyst

DELTA = "1e-9"


def table_of(name):
    """Codes, dims, and the nodes of each category of the first column, the finest level first."""
    codes, dims = getattr(shapes, name)()
    if name == "diagnoses":
        return codes, dims, shapes.code_nodes(dims[0], 200, 20)
    return codes, dims, (shapes.groups500(),)


def pairs(codes, dims):
    return [flat(codes, (0, k), dims) for k in range(1, len(dims))]


def distance(truth, codes, dims):
    return statistics.mean(0.5 * np.abs(t - own).sum() for t, own in zip(truth, pairs(codes, dims)))


def of_nodes(codes, dims, nodes):
    """The same rows with the coarsest node in place of the category."""
    above = np.append(nodes[-1], max(nodes[-1]) + 1)  # a category that is none is in no node
    return np.column_stack([above[codes[:, 0]], codes[:, 1:]]), [max(nodes[-1]) + 1] + dims[1:]


def declare(owner, name, labels, nodes, way):
    cursor = owner.cursor()
    order = np.lexsort(nodes) if way == "in order" else np.arange(len(labels[0]))
    cursor.execute("SELECT dp_define_column(%s, 'c0', %s, complete => true)", (name, [labels[0][i] for i in order]))
    cursor.execute("SELECT dp_define_hierarchy(%s, NULL)", (name,))
    if way == "hierarchy":
        paths = [[label] + ["%d.%d" % (k, of[i]) for k, of in enumerate(nodes)] for i, label in enumerate(labels[0])]
        cursor.execute("SELECT dp_define_hierarchy(%s, 'c0', %s)", (name, paths))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tables", nargs="+", default=["diagnoses", "codes500"])
    arguments = parser.parse_args()
    owner, analyst = owner_and_analyst()
    print("### Hierarchies, add_remove, delta %s, %d runs\n" % (DELTA, arguments.runs))
    print("| table | method | epsilon | list | pairs of categories | pairs of nodes | the column | its nodes | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in arguments.tables:
        codes, dims, nodes = table_of(name)
        labels = [["v%04d" % v for v in range(n)] for n in dims]
        load_codes(owner, name, ["c%d" % k for k in range(len(dims))], labels, codes)
        coarse, coarse_dims = of_nodes(codes, dims, nodes)
        truth, above = pairs(codes, dims), pairs(coarse, coarse_dims)
        one, one_above = flat(codes, (0,), dims), flat(coarse, (0,), coarse_dims)

        def judge(drawn):
            upper, _ = of_nodes(drawn, dims, nodes)
            return (distance(truth, drawn, dims), distance(above, upper, coarse_dims),
                    0.5 * np.abs(one - flat(drawn, (0,), dims)).sum(),
                    0.5 * np.abs(one_above - flat(upper, (0,), coarse_dims)).sum())

        again = codes[np.random.default_rng(1).integers(0, len(codes), len(codes))]
        print("| %s | floor | | | %.3f | %.3f | %.3f | %.3f | |" % ((name,) + judge(again)), flush=True)
        for method in ("mst", "aim"):
            for epsilon in (1, 10):
                for way in ("no order", "in order", "hierarchy"):
                    declare(owner, name, labels, nodes, way)
                    found, seconds = [], []
                    for _ in range(arguments.runs):
                        drawn, took = draw(analyst, name, labels, method, "epsilon => %s, delta => " + DELTA, (epsilon,))
                        found.append(judge(drawn))
                        seconds.append(took)
                    print("| %s | %s | %g | %s | %s | %.1f |"
                          % (name, method, epsilon, way, " | ".join("%.3f" % statistics.mean(v) for v in zip(*found)),
                             statistics.median(seconds)), flush=True)


if __name__ == "__main__":
    main()
