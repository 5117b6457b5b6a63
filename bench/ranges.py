"""Bins that are found (range alone), beside bins that were declared by hand and 32 bins of equal width: adult with age,
capital_gain and hours_per_week as numbers. tvd1 and tvd2 are over all columns, with the numbers in the bins of adult_binned;
W1 is the Wasserstein distance of a number from the truth; AUC is that of gradient boosting of income, trained on synthetic
rows and tested on a fifth of the real ones, which are not protected then (where scikit-learn is there). Second part: one
column alone, and the ways to find its bins. Third part: the numbers of a schema in which nothing is declared."""
import argparse
import csv
import itertools
import math
import statistics
import time

import numpy as np

import hospital
import range_ways
from tables import owner_and_analyst

DELTA = "1e-9"
HOSPITAL_METHODS = ("aim", "mst", "sbhg", "privbayes")
NUMBERS = ("age", "capital_gain", "hours_per_week")
RANGES = {"age": (0, 120), "capital_gain": (0, 100000), "hours_per_week": (0, 100)}
# the lower edges of the bins of adult_binned; the last one is the end of the last bin
HAND = {"age": [0, 21, 26, 31, 36, 41, 46, 51, 56, 61, 66, 71, 76, 81, 86, 120],
        "capital_gain": [0, 1, 1001, 2001, 3001, 4001, 5001, 7501, 10001, 15001, 20001, 100000],
        "hours_per_week": [0, 11, 21, 31, 36, 40, 41, 46, 51, 61, 71, 81, 100]}


def read(data):
    """Columns of adult as adult_binned has them, but the numbers as numbers."""
    with open(data + "/adult.csv", newline="", encoding="utf-8") as file:
        exact = list(csv.DictReader(file))
    with open(data + "/adult_binned.csv", newline="", encoding="utf-8") as file:
        binned = list(csv.DictReader(file))
    header = list(binned[0])
    return header, [[e[c] if c in NUMBERS else b[c] for c in header] for e, b in zip(exact, binned)]


def equal_width(low, high, n):
    return sorted({low + (high - low) * i // n for i in range(n + 1)})


def load(owner, name, header, rows, way):
    cursor = owner.cursor()
    cursor.execute('CREATE TABLE "%s" (%s)' % (name, ", ".join(
        '"%s" %s NOT NULL' % (c, "integer" if c in NUMBERS else "text") for c in header)))
    for start in range(0, len(rows), 1000):
        part = rows[start:start + 1000]
        values = b",".join(cursor.mogrify("(" + ",".join(["%s"] * len(header)) + ")", r) for r in part)
        cursor.execute(b'INSERT INTO "%s" VALUES ' % name.encode() + values)
    cursor.execute('VACUUM ANALYZE "%s"' % name)
    cursor.execute("SELECT dp_protect(%s, 1000000, 0.9)", (name,))
    for j, c in enumerate(header):
        if c not in NUMBERS:
            cursor.execute("SELECT dp_define_column(%s, %s, categories => %s, complete => true)",
                           (name, c, sorted({r[j] for r in rows})))
        elif way == "range":
            cursor.execute("SELECT dp_define_column(%s, %s, range => %s)", (name, c, [str(v) for v in RANGES[c]]))
        else:
            edges = HAND[c] if way == "by hand" else equal_width(*RANGES[c], 32)
            cursor.execute("SELECT dp_define_column(%s, %s, bins => %s)", (name, c, [str(v) for v in edges]))
    cursor.execute("SELECT dp_grant(%s, 'analyst', 1000000, 0.9)", (name,))


def draw(analyst, name, method, epsilon, rows, options):
    cursor = analyst.cursor()
    begin = time.perf_counter()
    cursor.execute('SELECT * FROM dp_synthesize(NULL::"%s", method => %%s, epsilon => %%s, delta => %s, rows => %%s, options => %%s)' % (name, DELTA),
                   (method, epsilon, rows, options))
    return cursor.fetchall(), time.perf_counter() - begin


def coded(header, rows):
    """Codes of all columns, the numbers in the bins of adult_binned."""
    columns = []
    for j, c in enumerate(header):
        if c in NUMBERS:
            columns.append(np.digitize([int(r[j]) for r in rows], HAND[c][1:-1]))
        else:
            columns.append(np.array([r[j] for r in rows]))
    return columns


def number_coded(columns, levels):
    return [np.searchsorted(v, c) for c, v in zip(columns, levels)]


def fast_tvd(truth, other, ways):
    """Mean TVD of all tables of so many columns; codes are below 64."""
    total = []
    for columns in itertools.combinations(range(len(truth)), ways):
        share = []
        for table in (truth, other):
            index = np.zeros(len(table[0]), dtype=np.int64)
            for c in columns:
                index = index * 64 + table[c]
            share.append(np.bincount(index, minlength=64 ** ways) / len(index))
        total.append(0.5 * np.abs(share[0] - share[1]).sum())
    return statistics.mean(total)


def wasserstein(a, b):
    a, b = np.sort(np.asarray(a, dtype=float)), np.sort(np.asarray(b, dtype=float))
    grid = (np.arange(5000) + 0.5) / 5000
    return float(np.abs(np.quantile(a, grid) - np.quantile(b, grid)).mean())


def auc(header, train, test):
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.metrics import roc_auc_score
    except ImportError:
        return float("nan")
    target = header.index("income")
    levels = {j: {v: i for i, v in enumerate(sorted({r[j] for r in test} | {r[j] for r in train}))}
              for j, c in enumerate(header) if c not in NUMBERS}
    features = lambda rows: np.array([[float(r[j]) if j not in levels else levels[j][r[j]]
                                       for j in range(len(header)) if j != target] for r in rows])
    categorical = [j in levels for j in range(len(header)) if j != target]
    model = HistGradientBoostingClassifier(categorical_features=categorical, random_state=0)
    model.fit(features(train), [r[target] == ">50K" for r in train])
    return roc_auc_score([r[target] == ">50K" for r in test], model.predict_proba(features(test))[:, 1])


def show(values, digits):
    if any(math.isnan(v) for v in values):  # without scikit-learn
        return "-"
    mean = statistics.mean(values)
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0
    return "%.*f (%.*f)" % (digits, mean, digits, error)


def adult(owner, analyst, arguments):
    header, rows = read(arguments.data)
    np.random.default_rng(0).shuffle(rows)
    held, rows = rows[:len(rows) // 5], rows[len(rows) // 5:]
    truth = coded(header, rows)
    levels = [np.unique(np.concatenate([c, np.arange(16)]) if h in NUMBERS else c) for h, c in zip(header, truth)]
    truth = number_coded(truth, levels)
    print("### adult, %d rows, delta %s, %d runs; AUC of the real rows %.4f\n"
          % (len(rows), DELTA, arguments.runs, auc(header, rows, held)))
    print("| method | epsilon | bins | tvd1 | tvd2 | %s | AUC | seconds |" % " | ".join("W1 " + c for c in NUMBERS))
    print("|---|---|---|---|---|---|---|---|---|---|")
    ways = arguments.ways.split(",")
    for way in ways:
        load(owner, "adult_" + way.replace(" ", "_"), header, rows, way)
    for method, epsilon, way in itertools.product(arguments.methods.split(","), arguments.epsilon, ways):
        found = []
        for _ in range(arguments.runs):
            drawn, seconds = draw(analyst, "adult_" + way.replace(" ", "_"), method, epsilon, len(rows),
                                  arguments.options if way == "range" else "{}")
            codes = number_coded(coded(header, drawn), levels)
            found.append([fast_tvd(truth, codes, 1), fast_tvd(truth, codes, 2)]
                         + [wasserstein([int(r[header.index(c)]) for r in rows], [r[header.index(c)] for r in drawn])
                            for c in NUMBERS]
                         + [auc(header, drawn, held), seconds])
        print("| %s | %g | %s | %s |" % (method, epsilon, way, " | ".join(
            show(v, d) for v, d in zip(zip(*found), (4, 4, 2, 1, 2, 4, 1)))), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--reference", help="not used")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--methods", default="mst,aim")
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0])
    parser.add_argument("--options", default="{}")
    parser.add_argument("--ways", default="range,by hand,equal width")
    parser.add_argument("--only", choices=("adult", "ways", "hospital"))
    arguments = parser.parse_args()
    owner, analyst = owner_and_analyst()
    if arguments.only in (None, "adult"):
        adult(owner, analyst, arguments)
    if arguments.only in (None, "ways"):
        range_ways.compare(arguments.data, arguments.runs)
    if arguments.only in (None, "hospital"):
        hospital.compare(owner, HOSPITAL_METHODS, 1, DELTA, arguments.runs)


main()
