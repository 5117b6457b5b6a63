"""dp_compare_regression and dp_propensity beside numpy, to 1e-9: regressions on the first rows of Adult,
scores on all of it. Without numpy, or without the table, it is skipped."""
import csv
import io
import itertools
import os
import sys
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from dptest import Tap, connect  # noqa: E402

DATA = os.environ.get("DATA", os.path.join(os.environ["DPSYN_ROOT"], "..", "shared", "data"))
NUMBERS = ("age", "education_num", "capital_gain", "capital_loss", "hours_per_week")

ROWS = 3000

tap = Tap()


def load(cursor, name, file, rows_max=None):
    with open(os.path.join(DATA, file + ".csv"), newline="", encoding="utf-8") as source:
        header = next(csv.reader([source.readline()]))
        rows = io.StringIO("".join(itertools.islice(source, rows_max)))
        cursor.execute('CREATE TABLE "%s" (%s)' % (name, ", ".join(
            '"%s" %s' % (c, "integer" if c in NUMBERS and file == "adult" else "text") for c in header)))
        cursor.copy_expert('COPY "%s" FROM STDIN (FORMAT csv)' % name, rows)
    cursor.execute('ANALYZE "%s"' % name)
    return header


def columns_of(cursor, name):
    cursor.execute('SELECT * FROM "%s"' % name)
    names = [column.name for column in cursor.description]
    return dict(zip(names, zip(*cursor.fetchall())))


def design(np, columns, names):
    """An intercept, numbers, and a column for each level but the first."""
    terms, x = ["(intercept)"], [np.ones(len(columns[names[0]]))]
    for name in names:
        values = np.array(columns[name])
        if values.dtype.kind in "if":
            terms.append(name)
            x.append(values.astype(float))
        else:
            for level in sorted(set(columns[name]))[1:]:
                terms.append("%s = %s" % (name, level))
                x.append((values == level).astype(float))
    return terms, np.column_stack(x)


def logistic(np, x, y, ridge=0.0, weight=1.0):
    """Newton's method, on columns that are divided by their root mean square."""
    scale = np.sqrt((x ** 2).mean(axis=0))
    z = x / scale
    penalty = np.r_[0.0, np.full(x.shape[1] - 1, ridge)] / scale ** 2
    beta = np.zeros(x.shape[1])
    for _ in range(40):
        p = 1 / (1 + np.exp(-z @ beta))
        hessian = (z * (weight * p * (1 - p))[:, None]).T @ z + np.diag(penalty)
        step = np.linalg.solve(hessian, z.T @ (weight * (y - p)) - penalty * beta)
        beta += step
        if np.abs(step).max() < 1e-13:
            break
    return beta / scale, np.sqrt(np.diag(np.linalg.inv(hessian))) / scale, 1 / (1 + np.exp(-z @ beta))


def least_squares(np, x, y):
    q, r = np.linalg.qr(x)
    beta = np.linalg.solve(r, q.T @ y)
    variance = ((y - x @ beta) ** 2).sum() / (len(y) - x.shape[1])
    return beta, np.sqrt(variance * (np.linalg.inv(r) ** 2).sum(axis=1))


def worst(np, got, want):
    return float(np.abs(np.array(got) / np.array(want) - 1).max())


def regression(np, cursor, outcome, names, known):
    cursor.execute("SELECT term, original_estimate, original_std_error, synthetic_estimate, synthetic_std_error"
                   "  FROM dp_compare_regression('adult', 'half', %s, %s)", (outcome, names))
    rows = cursor.fetchall()
    for side, table in ((1, "adult"), (3, "half")):
        columns = columns_of(cursor, table)
        terms, x = design(np, columns, names)
        beta, error = known(columns, x)
        same = [row[0] for row in rows] == terms
        tap.ok(same and worst(np, [row[side] for row in rows], beta) < 1e-9,
               "%s of %s: coefficients are numpy's" % (outcome, table))
        tap.ok(same and worst(np, [row[side + 1] for row in rows], error) < 1e-9,
               "%s of %s: standard errors are numpy's" % (outcome, table))


def with_pairs(np, x, groups):
    """The columns of x, and the products of those of two categories."""
    pairs = [x[:, [i]] * x[:, b] for a, b in itertools.combinations(groups, 2) for i in a]
    x = np.column_stack([x, *pairs])
    return x[:, x.any(axis=0)]


def propensity(np, cursor, relation, names, pairs):
    relations = (relation, relation + "_half")
    tables = [columns_of(cursor, name) for name in relations]
    counts = [Counter(zip(*(table[name] for name in names))) for table in tables]
    cells = sorted(counts[0] | counts[1])
    n = np.array([[count[cell] for cell in cells] for count in counts], dtype=float)
    terms, x = design(np, dict(zip(names, zip(*cells))), names)
    if pairs:
        x = with_pairs(np, x, [[i for i, term in enumerate(terms) if term.startswith(name + " = ")]
                               for name in names])
    weight = n.sum(axis=0)
    score = logistic(np, x, n[1] / weight, 1e-3, weight)[2]
    order = np.argsort(score)
    below = (n[:, order] / n.sum(axis=1)[:, None]).cumsum(axis=1)
    last = np.r_[np.diff(score[order]) > 1e-11, True]
    apart = np.abs(below[0] - below[1])[last].max()
    pmse = (weight * (score - n[1].sum() / n.sum()) ** 2).sum() / n.sum()
    cursor.execute("SELECT measure, value FROM dp_propensity(%s, %s,"
                   " jsonb_build_object('null_draws', 0, 'columns', %s, 'pairs', %s))",
                   (*relations, names, pairs))
    found = dict(cursor.fetchall())
    for measure, want in (("specks", apart), ("pmse", pmse)):
        tap.ok(abs(found[measure] / want - 1) < 1e-9,
               "%s of %s is numpy's, %d terms" % (measure, relation, x.shape[1]), (found[measure], want))


def main():
    try:
        import numpy as np
    except ImportError:
        return "numpy is not here"
    if not os.path.exists(os.path.join(DATA, "adult.csv")):
        return "there is no table of Adult"
    owner = connect()
    with owner.cursor() as cursor:
        cursor.execute("CREATE EXTENSION IF NOT EXISTS dpsyn")
        load(cursor, "adult", "adult", ROWS)
        header = load(cursor, "binned", "adult_binned")
        load(cursor, "few", "adult_binned", ROWS)
        for name, half in (("adult", "half"), ("binned", "binned_half"), ("few", "few_half")):
            cursor.execute('CREATE TABLE %s AS SELECT * FROM %s WHERE hashtext(%s::text) %% 2 = 0' % (half, name, name))
        regression(np, cursor, "income", ["age", "sex", "relationship", "hours_per_week", "education_num"],
                   lambda columns, x: logistic(np, x, (np.array(columns["income"]) == ">50K").astype(float))[:2])
        regression(np, cursor, "hours_per_week", ["age", "education", "sex", "race", "capital_loss"],
                   lambda columns, x: least_squares(np, x, np.array(columns["hours_per_week"], dtype=float)))
        propensity(np, cursor, "binned", header, pairs=False)
        propensity(np, cursor, "few", header, pairs=False)  # levels with a row or two
        propensity(np, cursor, "binned", ["age", "race", "sex", "marital_status", "income"], pairs=True)
    return None


missing = main()
if missing is not None:
    tap.skip("regressions and propensity scores are numpy's", missing)
tap.done()
