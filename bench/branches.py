"""What branches of unequal length could gain in steps: trees of each length, looked at branch by branch.

The branches of the first layer hold different rows, and their noise is independent. So in a tree whose
branches differ in length, the cells under a branch have the law that they have in the tree in which all
branches are as long as this one. The length of each branch is chosen by the errors of one half of the
runs, and judged by those of the other: that is a choice that knows the truth and costs nothing. Prints
Markdown."""
import argparse
import itertools
import os
from collections import Counter, defaultdict

import psycopg2

from protected import install, load, read_rows

ORDER = ["marital_status", "sex", "age", "income", "race"]
EPSILONS = (0.02, 0.1, 0.5, 2)
LENGTHS = range(4)  # layers above the last one
SHARE = 0.1  # of epsilon, for choosing: the default of steps


def shares(rows):
    """{(branch, two columns): shares of their cells}"""
    found = defaultdict(Counter)
    for row, n in Counter(rows).items():
        for pair in itertools.combinations(range(1, len(row)), 2):
            found[row[0], pair][row[pair[0]], row[pair[1]]] += n / len(rows)
    return found


def errors(truth, rows):
    """Total variation distance of the pairs of columns under each branch, their mean."""
    drawn, apart = shares(rows), Counter()
    pairs = len({pair for _, pair in truth})
    for key in truth:
        cells = truth[key].keys() | drawn[key].keys()
        apart[key[0]] += sum(abs(truth[key][c] - drawn[key][c]) for c in cells) / 2 / pairs
    return apart


def release(cursor, rows, layers, epsilon):
    own = ", column_order => %s, layers => %s" if layers > 0 else ""
    method = "steps" if layers > 0 else "flat"
    cursor.execute("SELECT %s FROM dp_synthesize_%s(NULL::five, %%s, rows => %%s%s)"
                   % (", ".join(ORDER), method, own),
                   (epsilon, rows) + ((ORDER, layers) if layers > 0 else ()))
    return cursor.fetchall()


def mean(runs):
    return {branch: sum(run[branch] for run in runs) / len(runs) for branch in runs[0]}


def chosen(runs):
    """The sum over the branches where each has the length that was best in the other half."""
    total = 0
    for half in (0, 1):
        known = {length: mean(of[half::2]) for length, of in runs.items()}
        judged = {length: mean(of[1 - half::2]) for length, of in runs.items()}
        total += sum(judged[min(known, key=lambda length: known[length][branch])][branch]
                     for branch in known[0])
    return total / 2


def measure(cursor, truth, rows, epsilon, runs):
    found = {length: [errors(truth, release(cursor, rows, length, epsilon)) for _ in range(runs)]
             for length in LENGTHS}
    paid = [errors(truth, release(cursor, rows, 0, epsilon * (1 - SHARE))) for _ in range(runs)]
    sums = [sum(mean(found[length]).values()) for length in LENGTHS]
    free = chosen(found)
    after = free * sum(mean(paid).values()) / sums[0]
    print("| %g | %s | %.4f | %.4f |" % (epsilon, " | ".join("%.4f" % s for s in sums), free, after),
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=40)
    options = parser.parse_args()
    connection = psycopg2.connect(dbname=os.environ.get("PGDATABASE", "postgres"))
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("SET client_min_messages = error")
    install(connection)
    _, labels, rows = read_rows(os.path.join(options.data, "adult_binned.csv"), ORDER)
    load(connection, "five", ORDER, labels, rows)
    print("| epsilon | flat | steps, 1 layer | 2 layers | 3 layers | free | paid |")
    print("|---" * 7 + "|")
    truth = shares([tuple(row) for row in rows])
    for epsilon in EPSILONS:
        measure(cursor, truth, len(rows), epsilon, options.runs)


if __name__ == "__main__":
    main()
