"""STEPS: the two simulated models (figures 2 and 3: bias, root mean square error, coverage, prediction error) and the
study of young voters (table 3, figures 5 to 7) on a public stand-in, the CPS sample of the R package cpsvote."""
import itertools
import random

import lab as laboratory
from chart import Panel

LEVELS = {"x1": 2, "x2": 3, "x3": 4, "x4": 5}
EFFECTS = {"x1": (0, 0.5), "x2": (0, 0.5, -0.8), "x3": (0, 1, 0.5, 0.5), "x4": (0, 0.5, 0.7, 0.8, 0.5)}
CELLS = list(itertools.product(*(range(k) for k in LEVELS.values())))
BINS = [-4.5 + 0.8 * k for k in range(16)]  # 15 public bins of Y; all but a row in a million are inside
SETS = 4
RIDGE = 1.0  # of model 2; the paper does not print its own
SIMULATED = {
    "STEPS": ("steps", {"layers": 1, "groups": {"1": ["x1", "x2", "x4"]}}),
    "UH": ("uh", {"layers": 4}),
    "PrivBayes, degree 2": ("privbayes", {"parents": 2, "selection_share": 0.5}),
    "flat Laplace": ("flat", {}),
}


def simulate(rng, n, cells):
    """Rows of x1 to x4 and Y with unit noise around its cell's mean."""
    rows = []
    for _ in range(n):
        x = rng.choice(CELLS)
        rows.append(list(x) + [cells[x] + rng.gauss(0, 1)])
    return rows


def main_effects(rng):
    return {x: sum(EFFECTS[c][v] for c, v in zip(LEVELS, x)) for x in CELLS}


def saturated(rng):
    return {x: rng.gauss(0, 1) for x in CELLS}


def combined(lab, found):
    """{term: [(estimate, standard error) of each set]} as {term: (estimate, low, high)}."""
    out = {}
    for term, pairs in found.items():
        if len(pairs) == 1:
            (b, s), = pairs
            out[term] = (b, b - 1.96 * s, b + 1.96 * s)
        else:
            out[term] = lab.ask("SELECT estimate, low, high FROM dp_combine_estimates(%s, %s)",
                                ([b for b, _ in pairs], [s for _, s in pairs]))[0]
    return out


def fit_main(lab, tables):
    found = {}
    for table in tables:
        for term, b, s in lab.ask("SELECT term, synthetic_estimate, synthetic_std_error FROM dp_compare_regression"
                                  "('simulated', %s, 'y', '{x1,x2,x3,x4}', 'linear', 0.95, '{x1,x2,x3,x4}')", (table,)):
            if b is not None and s is not None:
                found.setdefault(term, []).append((b, s))
    return combined(lab, found)


def true_main(cells):
    truth = {"(intercept)": 0.0}
    truth.update({"%s = %d" % (c, k): e for c, of in EFFECTS.items() for k, e in enumerate(of) if k})
    return truth


def predict_main(fitted, x):
    return fitted["(intercept)"][0] + sum(fitted.get("%s = %d" % (c, v), (0,))[0] for c, v in zip(LEVELS, x))


def fit_saturated(lab, tables):
    """Ridge regression on the 120 cells, each of which has a column of its own: shrunken means."""
    found = {}
    for table in tables:
        rows = lab.ask('SELECT x1, x2, x3, x4, count(y), sum(y), sum(y * y) FROM "%s" WHERE y IS NOT NULL GROUP BY 1, 2, 3, 4' % table)
        residual = sum(squares - total * total / n for *_, n, total, squares in rows)
        variance = residual / max(1, sum(row[4] for row in rows) - len(rows))
        cells = {tuple(row[:4]): row[4:6] for row in rows}
        for x in CELLS:
            n, total = cells.get(x, (0, 0.0))
            found.setdefault(x, []).append((total / (n + RIDGE), max(variance * n, 1e-9) ** 0.5 / (n + RIDGE)))
    return combined(lab, found)


MODELS = {
    "model 1": (main_effects, true_main, fit_main, predict_main),
    "model 2": (saturated, lambda cells: cells, fit_saturated, lambda fitted, x: fitted[x][0]),
}


def simulations(lab, figures):
    for model, (make, truth_of, fit, predict) in MODELS.items():
        for n in (4000,) if lab.quick else (4000, 10000):
            results = {}
            cells = make(random.Random(1))
            truth = truth_of(cells)
            for run in range(lab.times(6)):
                rng = random.Random(1000 * n + run)
                rows, test = simulate(rng, n, cells), simulate(rng, 100, cells)
                columns = {c: ("smallint", list(range(k))) for c, k in LEVELS.items()}
                columns["y"] = ("float8", None, BINS)
                lab.protect("simulated", columns, rows)
                keep = lambda series, x, tables: results.setdefault((series, x), []).append(
                    judge(fit(lab, tables), truth, test, predict))
                keep("original", "", ["simulated"])
                for series, (method, options) in SIMULATED.items():
                    for epsilon in lab.some((0.5, 2, 5, 10), 1):
                        keep(series, epsilon, lab.release("simulated", method, epsilon, n, 0, options, SETS)[0])
                keep("flat Laplace, one set", 2, lab.release("simulated", "flat", 2, n)[0])
            summarise(figures, "%s, n = %d" % (model, n), truth, results)
    series = list(SIMULATED)
    names = sorted({row["figure"] for row in figures.rows if row["figure"].startswith("model")})
    lab.chart("steps_models", "Figures 2 and 3: regression on synthetic rows, 4 sets", [
        Panel("%s: %s" % (name, measure), "epsilon", figures.lines(name, measure, series), log_x=True,
              y_range=(0, 1) if measure == "coverage" else None)
        for name in names for measure in ("bias", "RMSE", "coverage", "prediction RMSE")], columns=4)


def judge(fitted, truth, test, predict):
    """{term: (error, covered)} and the mean squared error of prediction."""
    errors = {t: (fitted[t][0] - b, fitted[t][1] <= b <= fitted[t][2]) for t, b in truth.items() if t in fitted}
    return errors, sum((row[4] - predict(fitted, tuple(row[:4]))) ** 2 for row in test) / len(test)


def summarise(figures, name, truth, results):
    """Means over the coefficients of their absolute bias, RMSE and coverage over the runs."""
    for (series, x), runs in results.items():
        bias, rmse, cover = [], [], []
        for term in truth:
            found = [errors[term] for errors, _ in runs if term in errors]
            if found:
                bias.append(abs(sum(e for e, _ in found) / len(found)))
                rmse.append((sum(e * e for e, _ in found) / len(found)) ** 0.5)
                cover.append(sum(c for _, c in found) / len(found))
        for measure, values in (("bias", bias), ("RMSE", rmse), ("coverage", cover)):
            figures.add(name, series, x, measure, sum(values) / len(values))
            figures.rows[-1]["runs"] = len(runs)
        figures.add(name, series, x, "prediction RMSE", [mse ** 0.5 for _, mse in runs])


# ---- young voters ----

VOTERS = {  # the columns of the stand-in, and their levels
    "voted": ["no", "yes"], "college": ["no", "yes"], "early_state": ["no", "yes"], "age": ["18", "30", "45", "60", "75"],
    "female": ["no", "yes"], "white": ["no", "yes"], "hispanic": ["no", "yes"], "registered": ["no", "yes"],
    "residence": ["<1 year", "1-2 years", "3-4 years", ">=5 years", "unknown"], "school": ["yes", "no"],
    "dmv": ["no", "yes"], "year": ["1994-1999", "2000-2005", "2006-2011", "2012-2018"],
    "region": ["midwest", "northeast", "south", "west"],
}
NORTHEAST = set("CT ME MA NH RI VT NJ NY PA".split())
MIDWEST = set("IL IN MI OH WI IA KS MN MO NE ND SD".split())
WEST = set("AZ CO ID MT NV NM UT WY AK CA HI OR WA".split())
EARLY = set("CA CO FL HI LA MA MD NC OR RI UT".split())  # states that let people register before they are 18
COLLEGE = ("BACHELOR", "MASTER", "DOCTORATE", "PROFESSIONAL")
RESIDENCE = {"LESS THAN 1 YEAR": "<1 year", "1-2 YEARS": "1-2 years", "3-4 YEARS": "3-4 years", "5 YEARS OR LONGER": ">=5 years"}
STEPS_3 = ["voted", "college", "early_state"]  # the order of the paper's expert
# Who voted was registered, so with "registered" no logistic regression of "voted" has an estimate; what registration
# before the age of 18 does is to be seen among the youngest.
PREDICTORS = [c for c in VOTERS if c not in ("voted", "registered")] + ["early_young"]
METHODS = {
    "flat Laplace": ("flat", {}),
    "PrivBayes": ("privbayes", {"parents": 2, "selection_share": 0.5}),
    "UH-2": ("uh", {"layers": 2}),
    "UH-3": ("uh", {"layers": 3}),
    "STEPS-2": ("steps", {"layers": 2, "column_order": STEPS_3[:2]}),
    "STEPS-3": ("steps", {"layers": 3, "column_order": STEPS_3}),
}
PRINTED = {  # table 3: SPECKS, consistency at 5 %, overlap of all coefficients; log(epsilon) -2, 0, 2
    "flat Laplace": {-2: (0.981, 0.210, 0.092), 0: (0.968, 0.210, 0.108), 2: (0.833, 0.552, 0.104)},
    "PrivBayes": {-2: (0.462, 0.143, 0.043), 0: (0.272, 0.143, 0.076), 2: (0.157, 0.181, 0.099)},
    "UH-2": {-2: (0.973, 0.152, 0.099), 0: (0.964, 0.152, 0.106), 2: (0.885, 0.400, 0.100)},
    "UH-3": {-2: (0.957, 0.152, 0.093), 0: (0.945, 0.152, 0.090), 2: (0.843, 0.390, 0.076)},
    "STEPS-2": {-2: (0.975, 0.152, 0.090), 0: (0.965, 0.171, 0.090), 2: (0.886, 0.448, 0.093)},
    "STEPS-3": {-2: (0.956, 0.152, 0.090), 0: (0.945, 0.171, 0.090), 2: (0.843, 0.448, 0.076)},
}


def voter(row):
    """A row of the sample in the levels of VOTERS; None for who was not asked."""
    if not row["age"] or int(row["age"]) < 18 or row["voted"] not in ("YES", "NO"):
        return None
    yes = lambda condition: "yes" if condition else "no"
    region = ("northeast" if row["state"] in NORTHEAST else "midwest" if row["state"] in MIDWEST
              else "west" if row["state"] in WEST else "south")
    year = next(of for of in VOTERS["year"] if int(row["year"]) <= int(of[5:]))
    registered = row["voted"] == "YES" or row["registered"] == "YES"
    return [yes(row["voted"] == "YES"), yes(row["education"].startswith(COLLEGE)), yes(row["state"] in EARLY),
            max(a for a in VOTERS["age"] if int(row["age"]) >= int(a)), yes(row["sex"] == "FEMALE"),
            yes(row["race"] == "WHITE"), yes(row["hispanic"] == "HISPANIC"), yes(registered),
            RESIDENCE.get(row["residence"], "unknown"), yes(row["education"] != "" and "GRADE" not in row["education"]),
            yes(row["reg_method"] == "DMV"), year, region]


def voters(lab):
    header, _, rows = laboratory.read_rows(lab.file("cps_vote10k"))
    found = [voter(dict(zip(header, row))) for row in rows]
    found = [row for row in found if row is not None]
    lab.protect("voters", {c: ("text", levels) for c, levels in VOTERS.items()}, found)
    # who voted was registered: the paper leaves these cells out, too
    lab.ask("SELECT dp_define_cells('voters', '{voted,registered}', '{{yes,no}}')")
    return len(found)


def chi_squares(found, n):
    """{pair: (statistic of the original, of the synthetic rows, degrees of freedom)}, from Cramer's V of dp_evaluate."""
    out, levels = {}, {c: len(of) for c, of in VOTERS.items()}
    for (measure, pair), (_, original, synthetic, _) in found.items():
        if measure == "cramers_v" and pair:
            a, b = (levels[c] for c in pair)
            out[pair] = tuple(None if v is None else v * v * n * (min(a, b) - 1) for v in (original, synthetic)) + ((a - 1) * (b - 1),)
    return out


def consistent(lab, sets):
    """Shares of pairs that the tests call the same at 1, 5 and 10 %, the sets combined (Li et al. 1991)."""
    agree = {0.01: 0, 0.05: 0, 0.10: 0}
    for pair in sets[0]:
        true, _, df = sets[0][pair]
        statistics = [of[pair][1] or 0.0 for of in sets]
        p_true = chi_square_p(true or 0.0, df)
        p = lab.one("SELECT p FROM dp_combine_chi_square(%s, %s)", (statistics, df)) if len(sets) > 1 else chi_square_p(statistics[0], df)
        for level in agree:
            agree[level] += (p_true < level) == (p is not None and p < level)
    return {level: count / len(sets[0]) for level, count in agree.items()}


def chi_square_p(x, df):
    """The upper tail, by the series of the lower incomplete gamma function."""
    import math
    if x <= 0:
        return 1.0
    a, half = df / 2, x / 2
    if half > 700:
        return 0.0
    term = total = 1 / a
    k = a
    while term > total * 1e-14:
        k += 1
        term *= half / k
        total += term
    return max(0.0, 1 - total * math.exp(-half + a * math.log(half) - math.lgamma(a)))


def with_interaction(lab, table):
    lab.ask('DROP VIEW IF EXISTS "%s_did"; CREATE VIEW "%s_did" AS SELECT *, CASE WHEN early_state = \'yes\' AND'
            ' age = \'18\' THEN \'yes\' ELSE \'no\' END AS early_young FROM "%s"' % (table, table, table))
    return table + "_did"


def young_voters(lab, figures):
    if lab.file("cps_vote10k") is None:
        print("  left out: there is no CPS sample")
        return
    n = voters(lab)
    sets = 5
    original = with_interaction(lab, "voters")
    for log_epsilon in lab.some((-2, -1, 0, 1, 2)):
        for series, (method, options) in METHODS.items():
            results = {}
            for _ in range(lab.times(2)):
                for table in ("synthetic_%d" % k for k in range(1, sets + 1)):
                    lab.ask('DROP VIEW IF EXISTS "%s_did"' % table)
                names, seconds = lab.release("voters", method, 2.718281828 ** log_epsilon, n, 0, options, sets)
                for measure, value in measures(lab, original, names, n).items():
                    results.setdefault(measure, []).append(value)
            printed = PRINTED[series].get(log_epsilon, ("", "", ""))
            for measure, values in results.items():
                figures.add("table 3", series, log_epsilon, measure, values,
                            dict(zip(("SPECKS", "consistency 5 %", "overlap"), printed)).get(measure, ""))
    for table in ("synthetic_%d" % k for k in range(1, sets + 1)):
        lab.ask('DROP VIEW IF EXISTS "%s_did"' % table)
    half = lab.baseline("voters", "empirical", n)[0]
    found = lab.ask("SELECT measure, value, null_expectation FROM dp_propensity('voters', %s)", (half[0],))
    figures.add("table 3", "rows of the original (no privacy)", "", "SPECKS", dict((r[0], r[1]) for r in found)["specks"])
    lab.chart("steps_voters", "Table 3 and figures 5 to 7: %d voters of the CPS sample, 5 sets" % n, [
        Panel(words, "log(epsilon)", figures.lines("table 3", measure, METHODS), y_range=(0, 1))
        for measure, words in (("SPECKS", "SPECKS (0 is best)"), ("consistency 5 %", "chi-square tests that agree, 5 %"),
                               ("overlap", "overlap of intervals, all coefficients"), ("overlap early", "overlap: early_state"),
                               ("overlap early_young", "overlap: early_state and youngest"), ("tvd2", "distance of pairs of columns"))])


def measures(lab, original, names, n):
    specks, tables, pairs, alone = [], [], [], []
    for table in names:
        specks.append(dict(lab.ask("SELECT measure, value FROM dp_propensity('voters', %s, '{\"null_draws\": 1}')", (table,)))["specks"])
        found = lab.evaluate("voters", table, ways=2, each=True)
        tables.append(chi_squares(found, n))
        pairs.append(found[("tvd2", None)][0])
        alone.append(found[("chi_square", None)][0])
    agree = consistent(lab, tables)
    views = [with_interaction(lab, table) for table in names]
    overlaps = {term: overlap or 0.0 for term, overlap in lab.ask(
        "SELECT term, overlap FROM dp_compare_regression(%s, %s, 'voted', %s, 'logistic')",
        (original, "{%s}" % ",".join(views), PREDICTORS))}
    return {"SPECKS": sum(specks) / len(specks), "consistency 1 %": agree[0.01], "consistency 5 %": agree[0.05],
            "consistency 10 %": agree[0.10], "one set 5 %": sum(alone) / len(alone), "overlap": sum(overlaps.values()) / len(overlaps),
            "overlap early": overlaps.get("early_state = yes", 0.0), "overlap early_young": overlaps.get("early_young = yes", 0.0),
            "tvd2": sum(pairs) / len(pairs)}


if __name__ == "__main__":
    laboratory.run("steps", (simulations, young_voters))
