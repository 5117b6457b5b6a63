"""CIPHER: experiment 1 (simulated tables of 200 and 500 rows: distances, largest error, regression, sign and
significance) and experiment 2 (bankruptcy: mixed set of tables, sign and significance, support vector machine)."""
import itertools
import math
import random

import lab as laboratory
from chart import Panel, Stack

LEVELS = (2, 2, 3, 3)
NAMES = ["v1", "v2", "v3", "v4"]
SETS = 5
LOG_EPSILONS = (-2, -1, 0, 1, 2)
SSS = ("best", "neutral", "II+", "I+", "II-", "I-", "worst")
METHODS = {  # how many columns a table has: 37 and 60 cells are stored, and 36 by the whole table
    "FDH": ("flat", {}),
    "CIPHER 2-way, paper's solver": ("cipher", {"workload": 2, "solver": "ridge"}),
    "CIPHER 3-way, paper's solver": ("cipher", {"workload": 3, "solver": "ridge"}),
    "CIPHER 2-way, default": ("cipher", {"workload": 2}),
    "MWEM 2-way": ("mwem", {"workload": 2, "rounds": 10}),
}
SHORT = {"CIPHER 2-way, paper's solver": "2-way ridge", "CIPHER 3-way, paper's solver": "3-way ridge",
         "CIPHER 2-way, default": "2-way default", "MWEM 2-way": "MWEM", "FDH": "FDH"}


def law(rng):
    """The coefficients of a sequence of multinomial logits, as the paper does not print its own."""
    return [[[[rng.gauss(0, 1) for _ in range(k)] for _ in range(LEVELS[i])] for i in range(j)] for j, k in enumerate(LEVELS)]


def shares(coefficients, row, j):
    scores = [math.exp(sum(coefficients[j][i][row[i]][v] for i in range(j))) for v in range(LEVELS[j])]
    return [s / sum(scores) for s in scores]


def simulate(rng, coefficients, n):
    rows = []
    for _ in range(n):
        row = []
        for j, k in enumerate(LEVELS):
            row.append(rng.choices(range(k), shares(coefficients, row, j))[0])
        rows.append(row)
    return rows


def truth_of(lab, coefficients):
    """The regression's coefficients in the population: fitted to a table that has each cell by its probability."""
    lab.ask("DROP TABLE IF EXISTS population; CREATE TABLE population (%s)" % ", ".join(c + " smallint" for c in NAMES))
    for row in itertools.product(*(range(k) for k in LEVELS)):
        share = math.prod(shares(coefficients, row, j)[row[j]] for j in range(len(LEVELS)))
        lab.ask("INSERT INTO population SELECT %s, %s, %s, %s FROM generate_series(1, %s)", row + (round(200000 * share),))
    return {term: b for term, b in lab.ask(
        "SELECT term, original_estimate FROM dp_compare_regression('population', 'population', 'v1', '{v2,v3,v4}', 'logistic', 0.95,"
        " '{v2,v3,v4}')")}


def experiment_1(lab, figures):
    coefficients = law(random.Random(7))
    truth = truth_of(lab, coefficients)
    for n in (200,) if lab.quick else (200, 500):
        results = {}
        for run in range(lab.times(6)):
            lab.protect("simulated", {c: ("smallint", list(range(k))) for c, k in zip(NAMES, LEVELS)},
                        simulate(random.Random(1000 * n + run), coefficients, n))
            for series, (method, options) in METHODS.items():
                for log_epsilon in lab.some(LOG_EPSILONS, 1):
                    tables = lab.release("simulated", method, math.exp(log_epsilon), n, 0, options, SETS)[0]
                    results.setdefault((series, log_epsilon), []).append(judge(lab, tables, truth))
        summarise(figures, "experiment 1, n = %d" % n, results)
    plots(lab, figures)


def judge(lab, tables, truth):
    """Mean distances over the sets; errors and coverage of the combined coefficients; sign and significance."""
    out = {}
    for table in tables:
        found = lab.evaluate("simulated", table, ways=3)
        for measure in ("tvd1", "tvd2", "tvd3", "linf2", "linf3"):
            out.setdefault(measure, []).append(found[(measure, None)][0])
    out = {measure: sum(of) / len(of) for measure, of in out.items()}
    arguments = "'v1', '{v2,v3,v4}', 'logistic', 0.95, '{v2,v3,v4}'"
    sets = {}
    for table in tables:
        for term, b, s in lab.ask("SELECT term, synthetic_estimate, synthetic_std_error FROM dp_compare_regression"
                                  "('simulated', %%s, %s)" % arguments, (table,)):
            if b is not None and s is not None:
                sets.setdefault(term, []).append((b, s))
    errors = []
    for term, pairs in sets.items():
        if len(pairs) < 2 or truth.get(term) is None:
            continue
        estimate, low, high = lab.ask("SELECT estimate, low, high FROM dp_combine_estimates(%s, %s)",
                                      ([b for b, _ in pairs], [s for _, s in pairs]))[0]
        errors.append((abs(estimate - truth[term]), low <= truth[term] <= high))
    if errors:
        out["absolute error"] = sum(e for e, _ in errors) / len(errors)
        out["coverage"] = sum(c for _, c in errors) / len(errors)
    out["sss"] = [sss for sss, in lab.ask("SELECT sss FROM dp_compare_regression('simulated', %%s, %s)" % arguments,
                                          ("{%s}" % ",".join(tables),))]
    return out


def summarise(figures, name, results):
    for (series, log_epsilon), runs in results.items():
        for measure in ("tvd1", "tvd2", "tvd3", "linf2", "linf3", "absolute error", "coverage"):
            figures.add(name, series, log_epsilon, measure, [run[measure] for run in runs if measure in run])
        sss_shares(figures, name, series, log_epsilon, [run["sss"] for run in runs])


def sss_shares(figures, name, series, log_epsilon, runs):
    """Of the coefficients that the original has: one that no synthetic set can tell counts as not told."""
    words = [word for run in runs for word in run]
    for kind in SSS:
        figures.add(name, series, log_epsilon, kind, words.count(kind) / len(words))
        figures.rows[-1]["runs"] = len(runs)
    figures.add(name, series, log_epsilon, "not told", words.count(None) / len(words))


def plots(lab, figures):
    names = sorted({row["figure"] for row in figures.rows if row["figure"].startswith("experiment 1")})
    lab.chart("cipher_distances", "Figures 2 to 4: simulated tables, 5 sets, not divided by the cells", [
        Panel("%s: %s" % (name[14:], measure), "log(epsilon)", figures.lines(name, measure),
              y_range=(0, 1) if measure == "coverage" else None)
        for name in names for measure in ("tvd1", "tvd2", "tvd3", "linf2", "absolute error", "coverage")])
    stacks(lab, figures, "cipher_sss", "Figure 5: signs and significance", names)


def stacks(lab, figures, file, title, names):
    panels = []
    for name in names:
        for log_epsilon in sorted({row["x"] for row in figures.rows if row["figure"] == name})[::2]:
            bars = {}
            for row in figures.rows:
                if row["figure"] == name and row["x"] == log_epsilon and row["measure"] in SSS:
                    bars.setdefault(SHORT.get(row["series"], row["series"]), {})[row["measure"]] = row["value"]
            if bars:
                panels.append(Stack("%s, log(epsilon) %g" % (name.split(", ")[-1], log_epsilon), bars))
    if panels:
        lab.chart(file, title, panels, stacked=True)


# ---- experiment 2 ----

TABLE_2 = {  # accuracy of the machine, percent: CIPHER, MWEM, FDH
    -2: (67.8, 50.0, 41.1), -1: (64.7, 51.3, 55.5), 0: (68.5, 51.0, 63.8), 1: (77.8, 47.2, 85.7), 2: (90.3, 47.3, 98.8)}
# With all six factors the class of every company is told, so no coefficient is finite: the regression is on these three.
FACTORS = ["industrial_risk", "management_risk", "operating_risk"]
MIXED = (  # one set of four columns, six of three and three of two; which ones is in a supplement that we do not have
    ("financial_flexibility", "credibility", "competitiveness", "class"), ("industrial_risk", "competitiveness", "class"),
    ("management_risk", "competitiveness", "class"), ("operating_risk", "competitiveness", "class"),
    ("industrial_risk", "credibility", "class"), ("management_risk", "credibility", "class"), ("operating_risk", "credibility", "class"),
    ("industrial_risk", "management_risk"), ("industrial_risk", "operating_risk"), ("management_risk", "operating_risk"))


def experiment_2(lab, figures):
    if lab.file("bankruptcy") is None:
        print("  left out: there is no bankruptcy table")
        return
    header, labels, rows = laboratory.read_rows(lab.file("bankruptcy"))
    columns = {c: ("text", of) for c, of in zip(header, labels)}
    sets = [",".join(of) for of in MIXED]
    methods = {
        "FDH": ("flat", {}), "CIPHER, paper's solver": ("cipher", {"workload": sets, "solver": "ridge"}),
        "CIPHER, default": ("cipher", {"workload": sets}), "MWEM": ("mwem", {"workload": sets, "rounds": 10})}
    lab.protect("companies", columns, rows)
    arguments = "'class', '{%s}', 'logistic'" % ",".join(FACTORS)
    for series, (method, options) in methods.items():
        for log_epsilon in lab.some(LOG_EPSILONS):
            runs, tvd = [], []
            for _ in range(lab.times(6)):
                tables = lab.release("companies", method, math.exp(log_epsilon), len(rows), 0, options, SETS)[0]
                runs.append([sss for sss, in lab.ask("SELECT sss FROM dp_compare_regression('companies', %%s, %s)"
                                                     % arguments, ("{%s}" % ",".join(tables),))])
                tvd.append(lab.evaluate("companies", tables[0], ways=2)[("tvd2", None)][0])
            sss_shares(figures, "figure 7", series, log_epsilon, runs)
            figures.add("figure 7", series, log_epsilon, "tvd2", tvd)
    stacks(lab, figures, "cipher_bankruptcy", "Figure 7: bankruptcy, signs and significance of logistic coefficients", ["figure 7"])
    machine(lab, figures, header, columns, rows, methods)


def machine(lab, figures, header, columns, rows, methods):
    """50 of the 250 rows are held out; the machine learns from synthetic rows made of the others."""
    try:
        from learning import encoded, radial_machine
    except ImportError:
        print("  table 2 is left out: there is no scikit-learn")
        return
    order = list(range(len(rows)))
    random.Random(0).shuffle(order)
    test, train = [rows[i] for i in order[:50]], [rows[i] for i in order[50:]]
    lab.protect("companies", columns, train)
    target = header.index("class")
    right = [row[target] for row in test]

    def accuracy(learned):
        y = [row[target] for row in learned]
        if len(set(y)) < 2:
            return 100 * sum(v == y[0] for v in right) / len(right)
        x, x_test = encoded(learned, test, target)
        guessed = radial_machine().fit(x, y).predict(x_test)
        return 100 * sum(a == b for a, b in zip(guessed, right)) / len(right)

    figures.add("table 2", "rows of the original (no privacy)", "", "accuracy", accuracy(train))
    for series, (method, options) in methods.items():
        for log_epsilon in lab.some(LOG_EPSILONS):
            found = []
            for _ in range(lab.times(6)):
                tables = lab.release("companies", method, math.exp(log_epsilon), len(train), 0, options, SETS)[0]
                found.append(accuracy([row for table in tables for row in lab.ask('SELECT * FROM "%s"' % table)]))
            printed = dict(zip(("CIPHER, paper's solver", "MWEM", "FDH"), TABLE_2[log_epsilon]))
            figures.add("table 2", series, log_epsilon, "accuracy", found, printed.get(series, ""))
    lab.chart("cipher_machine", "Table 2: support vector machine, 50 companies held out",
              [Panel("right answers, percent", "log(epsilon)", dict(
                  figures.lines("table 2", "accuracy", methods),
                  **{name + ", printed": [(x, values[i]) for x, values in TABLE_2.items()]
                     for i, name in enumerate(("CIPHER", "MWEM", "FDH"))}), y_range=(40, 100))])


if __name__ == "__main__":
    laboratory.run("cipher", (experiment_1, experiment_2))
