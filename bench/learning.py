"""What machines learn from rows of categories. As a program: labels that marginals of few columns tell little of. A label is the
parity of m columns, the vote of a random forest of depth 6, the class of ten whose forest has most votes, the sign of a small
neural net, or its output as a number of 0 to 999. It is another one in a row of 20. Gradient boosting is trained on the real
rows, on those of dp_synthesize as it chooses by itself, and on those with option predict, and tested on real rows that were
held out; of a number it tells whether that is 500 or more. Where columns are many a tree finds no parity in the real rows either,
so for parities a second figure is that of who knows the m columns and takes the vote of each of their cells. Needs
scikit-learn."""
import argparse
import io
import json
import statistics
import time

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC

from tables import owner_and_analyst, protect

DELTA = "1e-9"
LEVELS = 4
TURNED = 0.05
SETTINGS = (("default", {}), ("predict", {"predict": "y"}))


def features(rows, target):
    """The rows without the column that is to be told; NULL is a category."""
    return [[v if v is not None else "" for j, v in enumerate(row) if j != target] for row in rows]


def encoded(train, test, target):
    """Both tables as 0 and 1, a column for each category of the training rows."""
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(features(train, target))
    return [encoder.transform(features(rows, target)) for rows in (train, test)]


def radial_machine():
    """The support vector machine of experiment 2 of the CIPHER paper."""
    return SVC()


def parity(x, columns):
    """Of the number of the first columns that are in the upper half of their levels."""
    return (x[:, :columns] >= LEVELS // 2).sum(1) % 2


def tree(x, rng, depth):
    """A tree of random splits: a value for each row."""
    if depth == 0:
        return np.full(len(x), rng.normal())
    upper = x[:, rng.integers(0, x.shape[1])] >= rng.integers(1, LEVELS)
    out = np.empty(len(x))
    out[upper], out[~upper] = tree(x[upper], rng, depth - 1), tree(x[~upper], rng, depth - 1)
    return out


def forest(x, trees):
    rng = np.random.default_rng(41)
    return (sum(tree(x, rng, 6) for _ in range(trees)) > 0).astype(int)


def classes(x, trees):
    """Of as many forests as there are classes."""
    rng = np.random.default_rng(43)
    return np.argmax([sum(tree(x, rng, 6) for _ in range(trees)) for _ in range(VALUES[classes])], axis=0)


def output(x, units):
    """One hidden layer over what columns are above or below their middle."""
    rng = np.random.default_rng(42)
    hidden = np.tanh((x - (LEVELS - 1) / 2) @ rng.normal(0, 1, (x.shape[1], units)) + rng.normal(0, 1, units))
    return hidden @ rng.normal(0, 1, units)


def net(x, units):
    return (output(x, units) > 0).astype(int)


def number(x, units):
    return (VALUES[number] * (1 + np.tanh(output(x, units) / 4)) / 2).astype(int)


VALUES = {parity: 2, forest: 2, net: 2, classes: 10, number: 1000}
OTHERS = {"forest": (forest, 10), "net": (net, 8), "classes": (classes, 3), "number": (number, 8)}


def labelled(label, argument, rows, columns, seed):
    """Codes of the columns and of the label, which is the last."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, LEVELS, (rows, columns))
    y = label(x, argument)
    turned = rng.random(rows) < TURNED
    return np.column_stack([x, np.where(turned, (y + rng.integers(1, VALUES[label], rows)) % VALUES[label], y)])


def load_codes(owner, name, codes, values):
    header = ["c%d" % k for k in range(codes.shape[1] - 1)] + ["y"]
    cursor = owner.cursor()
    cursor.execute('CREATE TABLE "%s" (%s)' % (name, ", ".join("%s int" % c for c in header)))
    cursor.copy_expert('COPY "%s" FROM STDIN' % name, io.StringIO("".join("\t".join(map(str, row)) + "\n" for row in codes)))
    protect(owner, name, header[:-1], [range(LEVELS)] * (len(header) - 1))
    domain = ("range => %s", [0, values]) if values > 10 else ("complete => true, categories => %s", list(range(values)))
    cursor.execute("SELECT dp_define_column(%%s, 'y', %s)" % domain[0], (name, [str(v) for v in domain[1]]))


def boosting(train, test):
    if len(set(train[:, -1])) < 2:
        return (test[:, -1] == train[0, -1]).mean()
    machine = HistGradientBoostingClassifier(random_state=0, max_iter=400).fit(train[:, :-1], train[:, -1])
    return (machine.predict(test[:, :-1]) == test[:, -1]).mean()


def votes(train, test, columns):
    """Accuracy of who knows which columns matter, and takes the vote of their cell."""
    cell = lambda rows: rows[:, :columns] @ LEVELS ** np.arange(columns)
    vote = np.bincount(cell(train), weights=2 * train[:, -1] - 1, minlength=LEVELS ** columns)
    return ((vote[cell(test)] > 0) == test[:, -1]).mean()


def figures(train, test, label, argument, boost):
    if label is number:
        train, test = [np.column_stack([rows[:, :-1], rows[:, -1] >= VALUES[number] // 2]) for rows in (train, test)]
    learned = "%.3f" % boosting(train, test) if boost else ""
    return learned, votes(train, test, argument) if label is parity else None


def line(name, setting, epsilon, found, seconds):
    learned = statistics.mean(float(f[0]) for f in found) if found[0][0] else None
    voted = statistics.mean(f[1] for f in found) if found[0][1] is not None else None
    cells = ["%.3f" % v if v is not None else "" for v in (learned, voted)]
    print("| %s | %s | %s | %s | %s |" % (name, setting, epsilon, " | ".join(cells), seconds), flush=True)


def compare(owner, analyst, arguments, label, argument, rows, columns):
    name = "%s %d, %d rows, %d columns" % (label.__name__, argument, rows, columns)
    table = "_".join([label.__name__, str(argument), str(rows), str(columns)])
    train = labelled(label, argument, rows, columns, 1)
    test = labelled(label, argument, 20000, columns, 2)
    judge = lambda codes: figures(codes, test, label, argument, arguments.boosting)
    load_codes(owner, table, train, VALUES[label])
    line(name, "real", "", [judge(train)], "")
    for epsilon in arguments.epsilon.split(","):
        for setting, options in SETTINGS:
            found, seconds, cursor = [], [], analyst.cursor()
            for _ in range(arguments.runs):
                begin = time.perf_counter()
                cursor.execute('SELECT * FROM dp_synthesize(NULL::"%s", epsilon => %%s, delta => %s, rows => %%s, options => %%s)'
                               % (table, DELTA), (epsilon, rows, json.dumps(options)))
                drawn = np.array(cursor.fetchall())
                seconds.append(time.perf_counter() - begin)
                found.append(judge(drawn))
            line(name, setting, epsilon, found, "%.1f" % statistics.mean(seconds))
    owner.cursor().execute('DROP TABLE "%s"' % table)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--epsilon", default="0.5,1,3")
    parser.add_argument("--rows", default="5000,20000,100000")
    parser.add_argument("--columns", default="10,20,30")
    parser.add_argument("--parities", default="1,2,3,4,5,6")
    parser.add_argument("--others", default=",".join(OTHERS))
    parser.add_argument("--votes-alone", dest="boosting", action="store_false", help="without boosting, which takes longest")
    arguments = parser.parse_args()
    owner, analyst = owner_and_analyst()
    labels = [(parity, int(m)) for m in arguments.parities.split(",") if m]
    labels += [OTHERS[other] for other in arguments.others.split(",") if other]
    print("| label | rows of | epsilon | boosting | votes of the cells | seconds |\n|---|---|---|---|---|---|")
    for rows in map(int, arguments.rows.split(",")):
        for columns in map(int, arguments.columns.split(",")):
            for label, argument in labels:
                compare(owner, analyst, arguments, label, argument, rows, columns)


if __name__ == "__main__":
    main()
