"""SBHG: figure 4.1 (error of the stability histogram), tables 4.1 and 4.2 (utility on a dense and on a sparse table),
figure 4.2 (parents), figure 4.3 (epsilon and delta), figure 5.1 (Adult and NLTCS beside PrivBayes)."""
import random
from statistics import NormalDist

import lab as laboratory
from chart import Panel

ROWS = 3000
BUDGETS = {  # what epsilon 0.1 and delta 0.1 can mean for p tables: totals
    "each table": lambda p, e, d: (p * e, min(p * d, 0.9)),  # 1 in all would be no guarantee
    "in all": lambda p, e, d: (e, d),
}


def correlated(rng, columns):
    """One row: normal with pair correlations of 0.3, cut at the deciles."""
    common = rng.gauss(0, 0.3 ** 0.5)
    return [min(9, int(10 * NormalDist().cdf(common + rng.gauss(0, 0.7 ** 0.5)))) for _ in range(columns)]


def dense(rng):
    """Each of the 1,000 records once, the others by their law."""
    rows = [[i // 100, i // 10 % 10, i % 10] for i in range(1000)]
    return rows + [correlated(rng, 3) for _ in range(ROWS - 1000)]


def sparse(rng):
    return [correlated(rng, 10) for _ in range(ROWS)]


def protect(lab, name, rows):
    lab.protect(name, {"x%d" % (j + 1): ("smallint", list(range(10))) for j in range(len(rows[0]))}, rows)


def released(lab, name, columns, parents, epsilon, delta, **options):
    """Synthetic rows and seconds, the parents public: all pairs of columns are alike."""
    lab.renew(name)
    options = dict({"column_order": columns, "parents": parents, "dense_cells": 0}, **options)
    return lab.release(name, "sbhg", epsilon, ROWS, delta, options)


def figure_4_1(lab, figures):
    """Error of the stability histogram over all 1,000 cells, delta 1e-4."""
    protect(lab, "dense", dense(random.Random(1)))
    columns = ["x1", "x2", "x3"]
    truth = {tuple(row[:3]): row[3] for row in lab.ask("SELECT x1, x2, x3, count(*) FROM dense GROUP BY 1, 2, 3")}

    def error(cells):
        return sum(abs(truth.get(key, 0) - cells.get(key, 0)) for key in truth.keys() | cells.keys())

    for epsilon in lab.some((0.01, 0.1, 0.3, 1, 2, 3, 5, 7, 10)):
        for law in "continuous", "discrete":
            figures.add("4.1", "Proposition 1 corrected, %s noise" % law, epsilon, "L1", float(lab.one(
                "SELECT dp_error(%s::bigint[], %s, 1e-4, 'replace_one', %s)",
                (list(truth.values()), epsilon, law))))
        found, chained = [], []
        for _ in range(lab.times(6)):
            cells = lab.ask("SELECT (cell->>'x1')::int, (cell->>'x2')::int, (cell->>'x3')::int, estimate FROM"
                            " dp_histogram(NULL::dense, '{x1,x2,x3}', %s, 1e-4, 'stability')", (epsilon,), lab.analyst)
            found.append(error({tuple(row[:3]): row[3] for row in cells}))
            names, _ = released(lab, "dense", columns, 1, epsilon, 1e-4)
            chained.append(error({tuple(row[:3]): row[3] for row in lab.ask(
                "SELECT x1, x2, x3, count(*) FROM %s GROUP BY 1, 2, 3" % names[0])}))
        figures.add("4.1", "stability histogram, measured", epsilon, "L1", found)
        figures.add("4.1", "SBHG, measured", epsilon, "L1", chained)
    lab.chart("sbhg_error", "Figure 4.1: L1 error on 3 columns of 10 values, 3,000 rows, delta 1e-4",
              [Panel("L1 error of all cells, rows", "epsilon (replace_one)", figures.lines("4.1", "L1"), log_x=True)])


def judged(lab, name, table):
    """U(X, Z) over whole rows, the share of synthetic rows that are no row of the original, and tvd2."""
    found = lab.evaluate(name, table, ways=2)
    value, _, _, detail = max((of for of in found.items() if of[0][0] == "utility"), key=lambda of: len(of[0][1]))[1]
    return value, float(detail.split("; ")[1].split(" %")[0]) / 100, found[("tvd2", None)][0]


def utility(lab, figures, figure, series, x, name, make, runs, printed=""):
    """U, the share of rows outside of its support, and the distance of pairs of columns."""
    found, seconds = [], []
    for run in range(runs):
        names, taken = make(run)
        found.append(judged(lab, name, names[0]))
        seconds.append(taken)
    figures.add(figure, series, x, "U", [of[0] for of in found], printed)
    figures.add(figure, series, x, "rows outside", [of[1] for of in found])
    figures.add(figure, series, x, "tvd2", [of[2] for of in found])
    figures.add(figure, series, x, "seconds", seconds)


def table_4_1(lab, figures):
    """The dense table; the sparse one is in table_4_2."""
    protect(lab, "dense", dense(random.Random(1)))
    utilities(lab, figures, "table 4.1", "dense", 3, (1, 2), ("946.53 (SD 104.71)", "1248.42 (SD 128.52)"),
              {1: "1531.35 (SD 152.11)"})


def table_4_2(lab, figures):
    """Also figure 4.2: U and seconds by the number of parents."""
    protect(lab, "sparse", sparse(random.Random(2)))
    utilities(lab, figures, "table 4.2", "sparse", 10, (1, 2, 3, 4, 6, 8), ("932.23 (SD 113.53)", "1031.06 (SD 131.12)"),
              {2: "1583.53 (SD 153.58)"})
    lab.chart("sbhg_parents", "Figure 4.2: 10 columns of 10 values, 3,000 rows, epsilon 0.1, delta 0.1", [
        Panel("U(X, Z)", "parents", only_sbhg(figures.lines("table 4.2", "U"))),
        Panel("share of rows outside U", "parents", only_sbhg(figures.lines("table 4.2", "rows outside"))),
        Panel("distance of pairs of columns", "parents", only_sbhg(figures.lines("table 4.2", "tvd2"))),
        Panel("seconds of the whole call", "parents", only_sbhg(figures.lines("table 4.2", "seconds")))], columns=2)


def only_sbhg(lines):
    return {series: points for series, points in lines.items() if series.startswith("SBHG")}


def utilities(lab, figures, figure, name, p, parents, printed, best):
    columns = ["x%d" % (j + 1) for j in range(p)]
    utility(lab, figures, figure, "empirical sampling", "", name,
            lambda run: lab.baseline(name, "empirical", ROWS, seed=run), lab.times(20), printed[0])
    utility(lab, figures, figure, "Gibbs sampling", "", name,
            lambda run: lab.baseline(name, "gibbs", ROWS, seed=run, parents=p - 1, sweeps=20), lab.times(20), printed[1])
    for k in lab.some(parents):
        for word, total in BUDGETS.items():
            epsilon, delta = total(p, 0.1, 0.1)
            utility(lab, figures, figure, "SBHG, %s (0.1, 0.1)" % word, k, name,
                    lambda run: released(lab, name, columns, k, epsilon, delta), lab.times(6),
                    best.get(k, "") if word == "each table" else "")
        if k <= 2:
            utility(lab, figures, figure, "SBHG, in all (0.1, 0.1), dense tables", k, name,
                    lambda run: released(lab, name, columns, k, 0.1, 0.1, dense_cells=10000), lab.times(6))


def figure_4_3(lab, figures):
    """One of epsilon and delta from 0.1 to 1 in each table, the other 0.1, two parents."""
    protect(lab, "sparse", sparse(random.Random(2)))
    columns = ["x%d" % (j + 1) for j in range(10)]
    for value in lab.some((0.1, 0.2, 0.4, 0.6, 0.8, 1)):
        for series, epsilon, delta in (("epsilon", value, 0.1), ("delta", 0.1, value)):
            epsilon, delta = BUDGETS["each table"](10, epsilon, delta)
            if series == "delta":
                delta = 0.9 * value  # ten tables with a delta of 0.1 are more than can be charged
            utility(lab, figures, "4.3", series, value, "sparse",
                    lambda run: released(lab, "sparse", columns, 2, epsilon, delta), lab.times(4))
    lab.chart("sbhg_budget", "Figure 4.3: the sparse table, two parents", [
        Panel("U(X, Z)", "epsilon of each table, or delta in all", figures.lines("4.3", "U")),
        Panel("share of rows outside U", "epsilon of each table, or delta in all",
              figures.lines("4.3", "rows outside")),
        Panel("distance of pairs of columns", "epsilon of each table, or delta in all", figures.lines("4.3", "tvd2"))])


def figure_5_1(lab, figures):
    """Real tables: PrivBayes is epsilon-DP, SBHG has delta 0.1 in all."""
    panels = []
    for file, title in (("adult_binned", "Adult"), ("sim16", "sim16 for NLTCS")):
        if lab.file(file) is None:
            print("  %s is left out: there is no such table" % file)
            continue
        if lab.quick and file == "adult_binned":
            continue
        header, labels, rows = laboratory.read_rows(lab.file(file))
        lab.protect(file, {c: ("text", of) for c, of in zip(header, labels)}, rows)
        n = len(rows)
        for epsilon in lab.some((0.05, 0.2, 0.8, 1.6)):
            for k in lab.some((2, 3, 4, 5)):
                judge(lab, figures, title, "SBHG, %d parents" % k, epsilon, file, n, lab.times(2),
                      ("sbhg", 0.1, {"parents": k, "dense_cells": 0, "column_order": header}))
            judge(lab, figures, title, "SBHG, default", epsilon, file, n, lab.times(2), ("sbhg", 1e-6, {}))
            judge(lab, figures, title, "PrivBayes, degree 2", epsilon, file, n, lab.times(2),
                  ("privbayes", 0, {"parents": 2}))
        for measure, words in (("U", "U(X, Z) / rows"), ("rows outside", "share of rows outside U"),
                               ("tvd2", "distance of pairs of columns")):
            panels.append(Panel("%s: %s" % (title, words), "epsilon", figures.lines("5.1 " + title, measure), log_x=True,
                                log_y=measure == "U"))
    if panels:
        lab.chart("sbhg_real", "Figure 5.1: SBHG beside PrivBayes", panels)


def judge(lab, figures, title, series, epsilon, file, n, runs, setting):
    method, delta, options = setting
    found = []
    for _ in range(runs):
        if delta > 0.01:
            lab.renew(file)
        names, _ = lab.release(file, method, epsilon, n, delta, options)
        found.append(judged(lab, file, names[0]))
    figures.add("5.1 " + title, series, epsilon, "U", [of[0] / n for of in found])
    figures.add("5.1 " + title, series, epsilon, "rows outside", [of[1] for of in found])
    figures.add("5.1 " + title, series, epsilon, "tvd2", [of[2] for of in found])


if __name__ == "__main__":
    laboratory.run("sbhg", (figure_4_1, table_4_1, table_4_2, figure_4_3, figure_5_1))
