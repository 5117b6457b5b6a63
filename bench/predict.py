"""Train on synthetic, test on real: gradient boosting and a support vector machine are trained on synthetic rows, and tested on
real rows that were held out and are not protected. Adult: income, a fifth held out. Bankruptcy: class, 50 of 250 rows held
out, as in experiment 2 of the CIPHER paper, whose table 2 is printed beside ours. Real-trained, and the baselines of
dp_baseline, which are not private, say what a model costs before privacy does. Needs scikit-learn."""
import argparse
import statistics
import time

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

from learning import encoded, radial_machine
from tables import load, owner_and_analyst, read

DELTA = "1e-9"


def split(data, file, target, held):
    header, labels, _, rows = read("%s/%s.csv" % (data, file))
    order = np.random.default_rng(0).permutation(len(rows))
    held = held if held > 1 else int(len(rows) * held)
    pick = lambda index: [rows[i] for i in index]
    return header, labels, header.index(target), pick(order[held:]), pick(order[:held])


def scores(train, test, target, event, small):
    """AUC and accuracy of both; without both outcomes in the training rows nothing is learned."""
    y, truth = [row[target] == event for row in train], np.array([row[target] == event for row in test])
    if len(set(y)) < 2:
        return [0.5, (truth == y[0]).mean()] * 2
    x, z = encoded(train, test, target)
    boosting = HistGradientBoostingClassifier(random_state=0).fit(x, y)
    machine = (radial_machine() if small else LinearSVC(dual=False)).fit(x, y)
    chance, side = boosting.predict_proba(z)[:, 1], machine.decision_function(z)
    return [roc_auc_score(truth, chance), ((chance > 0.5) == truth).mean(),
            roc_auc_score(truth, side), ((side > 0) == truth).mean()]


def rows_of(connection, statement, values):
    cursor = connection.cursor()
    begin = time.perf_counter()
    cursor.execute(statement, values)
    return cursor.fetchall(), time.perf_counter() - begin


def line(name, epsilon, results, seconds):
    cells = []
    for values in zip(*results):
        error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0
        cells.append("%.3f (%.3f)" % (statistics.mean(values), error))
    print("| %s | %s | %s | %s |" % (name, epsilon, " | ".join(cells),
                                     "" if seconds is None else "%.1f" % seconds), flush=True)


def compare(owner, analyst, arguments, table):
    header, labels, target, train, test = split(arguments.data, table["file"], table["target"], table["held"])
    name = table["file"]
    load(owner, name, header, labels, train)
    judge = lambda rows: scores(rows, test, target, table["event"], table["small"])
    print("### %s, %d rows, %d held out, delta %s, %d runs\n" % (name, len(train), len(test), DELTA, arguments.runs))
    print("| rows | epsilon | boosting: AUC | accuracy | SVM: AUC | accuracy | seconds |\n|---|---|---|---|---|---|---|")
    line("real", "", [judge(train)], None)
    for method in ("empirical", "gibbs", "multiple_imputation", "marginal"):
        drawn = [rows_of(owner, 'SELECT * FROM dp_baseline(NULL::"%s", %%s, seed => %%s)' % name, (method, run))
                 for run in range(arguments.runs if method != "multiple_imputation" else 1)]
        line("baseline " + method, "", [judge(rows) for rows, _ in drawn], statistics.mean(s for _, s in drawn))
    for method, options in table["methods"]:
        for epsilon in arguments.epsilon.split(","):
            drawn = [rows_of(analyst, 'SELECT * FROM dp_synthesize(NULL::"%s", method => %%s, epsilon => %%s, delta => %s, rows => %%s, options => %%s)'
                             % (name, DELTA if method in ("mst", "aim") else "0"), (method, epsilon, len(train), options))
                     for _ in range(arguments.runs)]
            line(method + (" " + options if options != "{}" else ""), epsilon, [judge(rows) for rows, _ in drawn], statistics.mean(s for _, s in drawn))
    print()


TABLES = {
    "adult": {"file": "adult_binned", "target": "income", "event": ">50K", "held": 0.2, "small": False,
              "methods": [("mst", "{}"), ("mst", '{"predict": "income"}'), ("aim", "{}"),
                          ("aim", '{"predict": "income"}'), ("privbayes", "{}")]},
    "bankruptcy": {"file": "bankruptcy", "target": "class", "event": "B", "held": 50, "small": True,
                   "methods": [("cipher", "{}"), ("mwem", "{}"), ("flat", "{}"), ("mst", "{}")]},
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--epsilon", default="0.1,1,10")
    parser.add_argument("--tables", default="bankruptcy,adult")
    arguments = parser.parse_args()
    owner, analyst = owner_and_analyst()
    for name in arguments.tables.split(","):
        compare(owner, analyst, arguments, TABLES[name])


if __name__ == "__main__":
    main()
