"""PeGS: risk-utility maps (figures 5 to 7), histograms with and without reset (figure 4), coefficients (figure 8) and the
simulated intruder (figure 9), on Adult in the place of the discharge data of California: 13 columns each, and 1.5e12
combinations where those had 2.6e12. A thousand rows are drawn; epsilon is that of a row, as in the paper."""
import re

import lab as laboratory
from chart import Panel

ROWS = 1000
BLOCK = 10
EPSILONS = (0.1, 0.3, 1, 3, 10, 30, 100)  # of a row; those of the paper are lost with its formulas
METHODS = {
    "PeGS": ("pegs", {"parents": 1}),
    "PeGS with reset, blocks of 10": ("pegs", {"parents": 1, "block": BLOCK}),
    "PeGS, 3 parents": ("pegs", {"parents": 3}),
    "PeGS with reset, 3 parents": ("pegs", {"parents": 3, "block": BLOCK}),
    "PMI": ("pmi", {"lambda": 0.01}),
}
OTHERS = {  # what else a custodian could do for a total of epsilon 1
    "PrivBayes, epsilon 1 for all rows": ("privbayes", 0, {}),
    "MST, epsilon 1 for all rows": ("mst", 1e-9, {}),
}
NUMBERS = {"age": "age", "hours": "hours_per_week"}
KNOWN = ["age", "sex", "hours", "native_country"]  # the paper: age, sex, length of stay and zip code
LINEAR = ("hours", ["age", "education_num", "sex", "income"])
LOGISTIC = ("income", ["age", "education_num", "sex", "hours"])


def middle(label):
    """The lower number of a bin's name."""
    found = re.findall(r"\d+", label)
    return int(found[0]) if found else 0


def stand_in(lab):
    """Adult with its bins; those of age and hours, and education, are numbers that can be regressed on."""
    if lab.file("adult_binned") is None or lab.file("adult") is None:
        return None
    header, _, rows = laboratory.read_rows(lab.file("adult_binned"))
    _, _, numbers = laboratory.read_rows(lab.file("adult"), ["education_num"])
    index = {c: i for i, c in enumerate(header)}
    columns, out = [], []
    for c in header:
        columns.append({"hours_per_week": "hours", "education": "education_num"}.get(c, c))
    for row, (years,) in zip(rows, numbers):
        row = list(row)
        row[index["age"]], row[index["hours_per_week"]] = middle(row[index["age"]]), middle(row[index["hours_per_week"]])
        row[index["education"]] = int(years)
        out.append(row)
    types = {c: ("integer" if isinstance(out[0][i], int) else "text", sorted({row[i] for row in out}))
             for i, c in enumerate(columns)}
    lab.protect("people", types, out, "add_remove")
    return columns, len(out)


def synthesize(lab, columns, series, epsilon):
    """epsilon is that of a row; the rows of a block share theirs."""
    method, options = METHODS[series]
    options = dict(options, rows=ROWS)
    if epsilon >= 30:
        lab.renew("people")
    if method == "pegs":
        options["column_order"] = columns
    return lab.release("people", method, epsilon * ROWS, ROWS, 0, options)[0][0]


def maps(lab, figures):
    made = stand_in(lab)
    if made is None:
        print("  left out: there is no Adult")
        return
    columns, n = made
    for epsilon in lab.some(EPSILONS):
        for series in METHODS:
            # PMI regresses each column on all others, which takes long
            for _ in range(1 if series == "PMI" or "3" in series else lab.times(2)):
                judge(lab, figures, series, epsilon, synthesize(lab, columns, series, epsilon))
    for series, (method, delta, options) in OTHERS.items():
        for _ in range(lab.times(2)):
            judge(lab, figures, series, "", lab.release("people", method, 1, ROWS, delta, options)[0][0])
    for _ in range(lab.times(2)):
        judge(lab, figures, "rows of the original (no privacy)", "", lab.baseline("people", "empirical", ROWS)[0][0])
        judge(lab, figures, "each column by itself (no privacy)", "", lab.baseline("people", "marginal", ROWS)[0][0])
    merge(figures)
    panels = [Panel(words, "epsilon of a row", figures.lines(figure, measure, METHODS), log_x=True)
              for figure, measure, words in (
                  ("5", "marginal distance", "figure 5: marginal distance"),
                  ("6", "given age", "figure 6a: conditional distance, age"),
                  ("6", "given country", "figure 6b: the same, country"),
                  ("7", "linear", "figure 7: linear coefficients"),
                  ("7", "logistic", "figure 7: logistic coefficients"))]
    lab.chart("pegs_maps", "Figures 5 to 7: 1,000 rows, distance from the original", panels)
    panels = [Panel(words, "epsilon of a row", figures.lines("9", measure, METHODS), log_x=True)
              for measure, words in (("occupation wrong", "figure 9a: occupation guessed wrong"),
                                     ("education error", "figure 9b: error of the years of education"),
                                     ("unique", "figure 9c: unique by age, sex, country"))]
    lab.chart("pegs_intruder", "Figure 9: an intruder who knows age, sex, hours and country", panels)


def judge(lab, figures, series, epsilon, table):
    found = lab.evaluate("people", table, ways=2)
    figures.add("5", series, epsilon, "marginal distance", found[("marginal_distance", None)][0])
    for given, word in (("age", "age"), ("native_country", "country")):
        figures.add("6", series, epsilon, "given " + word, found[("conditional_distance", (given,))][0])
    for family, (outcome, predictors) in (("linear", LINEAR), ("logistic", LOGISTIC)):
        terms = lab.ask("SELECT term, original_estimate, synthetic_estimate FROM dp_compare_regression('people', %s, %s, %s, %s)",
                        (table, outcome, predictors, family))
        both = [(term, a, b) for term, a, b in terms if a is not None and b is not None]
        figures.add("7", series, epsilon, family, sum(abs(a - b) for _, a, b in both) / len(both) if both else None)
        if family == "linear" and epsilon in (0.1, 1, 100):
            for term, a, b in both:
                if term in ("(intercept)", "age", "education_num"):
                    figures.add("8", "the original", "", term, a)
                    figures.add("8", "%s, epsilon %g" % (series, epsilon), "", term, b)
    risk = "SELECT measure, value, baseline FROM dp_evaluate_risk('people', %s, %s, %s, '{\"sample\": 200}')"
    for secret, measure, word, of in (("occupation", "intruder_right", "occupation wrong", lambda v: 1 - v),
                                      ("education_num", "intruder_error", "education error", float)):
        values = {row[0]: row[1:] for row in lab.ask(risk, (table, KNOWN, secret))}
        figures.add("9", series, epsilon, word, of(values[measure][0]))
        if series.startswith("rows of"):
            figures.add("9", "an intruder without rows", "", word, of(values[measure][1]))
    values = {row[0]: row[1] for row in lab.ask(risk, (table, ["age", "sex", "native_country"], "occupation"))}
    figures.add("9", series, epsilon, "unique", values["unique_synthetic"])


def merge(figures):
    """One line of figures for the runs of a setting."""
    groups = {}
    for row in figures.rows:
        groups.setdefault((row["figure"], row["series"], row["x"], row["measure"], row["printed"]), []).append(row["value"])
    figures.rows = []
    print("  means:")
    for (figure, series, x, measure, printed), values in groups.items():
        figures.add(figure, series, x, measure, values, printed)


def figure_4(lab, figures):
    """Ages drawn with and without reset; the total variation distance from the original's."""
    made = stand_in(lab)
    if made is None:
        return
    columns, n = made
    original = dict(lab.ask("SELECT age, count(*) FROM people GROUP BY 1"))
    lines = {"original": [(age, 100 * c / n) for age, c in sorted(original.items())]}
    for series, epsilon in (("PeGS", 10), ("PeGS with reset, blocks of 10", 10)):
        # the block has epsilon 10 for all of its rows, as in the paper
        table = synthesize(lab, columns, series, epsilon if series == "PeGS" else epsilon / BLOCK)
        drawn = dict(lab.ask('SELECT age, count(*) FROM "%s" GROUP BY 1' % table))
        lines[series] = [(age, 100 * drawn.get(age, 0) / ROWS) for age in sorted(original)]
        figures.add("4", series, "epsilon %g of a %s" % (epsilon, "row" if series == "PeGS" else "block"), "distance of age",
                    sum(abs(drawn.get(age, 0) / ROWS - c / n) for age, c in original.items()) / 2)
    lab.chart("pegs_reset", "Figure 4: ages of 1,000 rows",
              [Panel("rows in 5 years of age, percent", "age from; epsilon 10 of a row, or of a block of 10", lines)])


if __name__ == "__main__":
    laboratory.run("pegs", (maps, figure_4))
