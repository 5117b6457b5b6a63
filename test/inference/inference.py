"""dp_compare_regression and dp_propensity beside plain Python, to 1e-9: regressions on the first rows
of Adult, scores on all of it. Without Adult a table that is made up serves. And the null expectation
of SPECKS beside what theory says of it.
"""
import csv
import itertools
import math
import os
import random
import statistics
from collections import Counter
from fractions import Fraction
from operator import mul

from dptest import Tap, connect
from statistics_exact import beta_cdf

DATA = os.environ.get("DATA", "")
NUMBERS = ("age", "education_num", "capital_gain", "capital_loss", "hours_per_week")
ROWS = 3000
TOLERANCE = 1e-9

tap = Tap()


# ---- symmetric equations ----


def factor(matrix):
    """The lower triangle L of matrix = LL', of which the lower triangle is given."""
    lower = []
    for i, row in enumerate(matrix):
        line = []
        for j in range(i):
            other = lower[j]
            line.append((row[j] - sum(map(mul, line, other))) / other[j])
        line.append(math.sqrt(row[i] - sum(map(mul, line, line))))
        lower.append(line)
    return lower


def solve(lower, right):
    n = len(right)
    x = list(right)
    for i in range(n):
        x[i] = (x[i] - sum(map(mul, lower[i], x[:i]))) / lower[i][i]
    for i in reversed(range(n)):
        x[i] /= lower[i][i]
        for j in range(i):
            x[j] -= lower[i][j] * x[i]
    return x


def inverse_diagonal(lower):
    """Of LL': the sums of squares of the columns of L's inverse."""
    n = len(lower)
    sums = []
    for i in range(n):
        column = [0.0] * n
        column[i] = 1 / lower[i][i]
        for j in range(i + 1, n):
            column[j] = -sum(map(mul, lower[j][i:j], column[i:j])) / lower[j][j]
        sums.append(sum(map(mul, column, column)))
    return sums


def eliminate(matrix, right):
    """The solution, and the inverse's diagonal, of fractions: without rounding."""
    n = len(right)
    rows = [line + [r] + [Fraction(i == j) for j in range(n)]
            for i, (line, r) in enumerate(zip(matrix, right))]
    for i in range(n):
        pivot = next(k for k in range(i, n) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for k in range(n):
            if k != i and rows[k][i]:
                times = rows[k][i]
                rows[k] = [v - times * w for v, w in zip(rows[k], rows[i])]
    return [line[n] for line in rows], [line[n + 1 + i] for i, line in enumerate(rows)]


# ---- models ----


def design(columns, names, pairs=False):
    """The terms (an intercept, numbers, each level but the first, and with pairs each two levels that
    occur together), and each row as pairs of the number of a term and its value."""
    levels = [None if isinstance(columns[name][0], int) else sorted(set(columns[name]))[1:]
              for name in names]
    number = {("(intercept)",): 0}
    for name, own in zip(names, levels):
        for level in [None] if own is None else own:
            number[(name if own is None else "%s = %s" % (name, level),)] = len(number)
    rows = []
    for values in zip(*(columns[name] for name in names)):
        row, texts = [(0, 1.0)], []
        for name, own, value in zip(names, levels, values):
            if own is None:
                row.append((number[(name,)], float(value)))
            elif value in own:
                texts.append("%s = %s" % (name, value))
                row.append((number[(texts[-1],)], 1.0))
        if pairs:
            row += [(number.setdefault(pair, len(number)), 1.0) for pair in itertools.combinations(texts, 2)]
        rows.append(row)
    return [" and ".join(term) for term in number], rows


def scaled(rows, terms, weight):
    """Terms that are divided by their root mean square, which keeps the equations well-conditioned."""
    squares = [0.0] * terms
    for row, w in zip(rows, weight):
        for term, x in row:
            squares[term] += w * x * x
    scale = [math.sqrt(square / sum(weight)) for square in squares]
    return scale, [sorted((term, x / scale[term]) for term, x in row) for row in rows]


def chance(row, beta):
    eta = sum(x * beta[term] for term, x in row)
    return 1 / (1 + math.exp(-eta)) if eta > -700 else 0.0


def logistic(rows, terms, y, weight=None, ridge=0.0):
    """Newton's method: coefficients, standard errors, and the chance of each row."""
    weight = weight or [1.0] * len(rows)
    scale, rows = scaled(rows, terms, weight)
    penalty = [0.0] + [ridge / s ** 2 for s in scale[1:]]
    beta = [0.0] * terms
    for _ in range(40):
        matrix = [[0.0] * (i + 1) for i in range(terms)]
        gradient = [-p * b for p, b in zip(penalty, beta)]
        for row, outcome, w in zip(rows, y, weight):
            p = chance(row, beta)
            left, variance = w * (outcome - p), w * p * (1 - p)
            for a, (term, x) in enumerate(row):
                gradient[term] += left * x
                line, times = matrix[term], variance * x
                for other, z in row[:a + 1]:
                    line[other] += times * z
        for i in range(terms):
            matrix[i][i] += penalty[i]
        lower = factor(matrix)
        step = solve(lower, gradient)
        beta = [b + s for b, s in zip(beta, step)]
        if max(map(abs, step)) < 1e-12:
            break
    error = [math.sqrt(v) / s for v, s in zip(inverse_diagonal(lower), scale)] if not ridge else None
    return [b / s for b, s in zip(beta, scale)], error, [chance(row, beta) for row in rows]


def least_squares(rows, terms, y):
    """Coefficients and standard errors, of whole numbers without rounding."""
    matrix = [[Fraction(0)] * terms for _ in range(terms)]
    right = [Fraction(0)] * terms
    for row, outcome in zip(rows, y):
        for term, x in row:
            right[term] += int(x) * outcome
            for other, z in row:
                matrix[term][other] += int(x) * int(z)
    beta, diagonal = eliminate(matrix, right)
    left = sum(outcome * outcome for outcome in y) - sum(map(mul, beta, right))
    return [float(b) for b in beta], [math.sqrt(left / (len(y) - terms) * d) for d in diagonal]


def kolmogorov_smirnov(scores, first, second):
    """The distance of two weighted samples of scores; scores that differ by rounding alone are one."""
    n, m = math.fsum(first), math.fsum(second)
    order = sorted(range(len(scores)), key=scores.__getitem__)
    most = gap = 0.0
    for here, after in zip(order, order[1:]):
        gap += first[here] / n - second[here] / m
        if scores[after] - scores[here] > 1e-11:
            most = max(most, abs(gap))
    return most


# ---- tables ----


def made_up(rows):
    """Columns of Adult's names, which hang together."""
    draw = random.Random(17)
    table = {name: [] for name in ("age", "education", "sex", "race", "relationship", "marital_status",
                                   "hours_per_week", "education_num", "capital_loss", "income")}
    for _ in range(rows):
        age, years = draw.randint(17, 90), draw.randint(1, 16)
        sex = draw.choice(("Female", "Male"))
        hours = min(99, max(1, round(draw.gauss(38 + 4 * (sex == "Male") + years / 4, 9))))
        rich = draw.random() < 1 / (1 + math.exp(6 - age / 40 - years / 5 - hours / 30))
        for name, value in (
                ("age", age), ("education", "abcd"[min(3, years // 4)]), ("sex", sex),
                ("race", draw.choice("vwwwwxyz")), ("relationship", draw.choice("hnou" if age > 30 else "ou")),
                ("marital_status", draw.choice("dmns")), ("hours_per_week", hours), ("education_num", years),
                ("capital_loss", draw.choice((0, 0, 0, 1902))), ("income", ">50K" if rich else "<=50K")):
            table[name].append(value)
    return table


def adult(name, numbers=()):
    with open(os.path.join(DATA, name + ".csv"), newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return {column: [int(v) if column in numbers else v for v in values]
            for column, values in zip(header, zip(*rows))}


def head(table, rows):
    return {name: column[:rows] for name, column in table.items()}


def half(table, seed):
    draw = random.Random(seed)
    rows = len(next(iter(table.values())))
    kept = sorted(draw.sample(range(rows), rows // 2))
    return {name: [column[row] for row in kept] for name, column in table.items()}


def load(cursor, name, table):
    cursor.execute("CREATE TABLE %s (%s)" % (name, ", ".join(
        '"%s" %s' % (column, "integer" if isinstance(values[0], int) else "text")
        for column, values in table.items())))
    rows = list(zip(*table.values()))
    for start in range(0, len(rows), 2000):
        cursor.execute(b"INSERT INTO %s VALUES " % name.encode() + b",".join(
            cursor.mogrify("(" + ",".join(["%s"] * len(table)) + ")", row)
            for row in rows[start:start + 2000]))


# ---- tests ----


def near(got, wanted):
    return len(got) == len(wanted) and all(
        g is not None and abs(g - w) <= TOLERANCE * abs(w) for g, w in zip(got, wanted))


def p_values(beta, error, df):
    """Of "it is 0", two-sided: by Student's t, or by the normal law without df."""
    if df is None:
        return [math.erfc(abs(b / e) / math.sqrt(2)) for b, e in zip(beta, error)]
    return [beta_cdf(df / (df + (b / e) ** 2), df / 2, 0.5) for b, e in zip(beta, error)]


def overlap(first, second):
    """What two 95 % intervals by the normal law have in common, as a mean share of either."""
    width = statistics.NormalDist().inv_cdf(0.975)
    (low, high), (other_low, other_high) = ((b - width * e, b + width * e) for b, e in (first, second))
    common = max(0.0, min(high, other_high) - max(low, other_low))
    return (common / (high - low) + common / (other_high - other_low)) / 2


def check_regression(cursor, original, synthetic, outcome, names, fit, linear=False):
    cursor.execute(
        "SELECT term, original_estimate, original_std_error, original_p, synthetic_estimate,"
        " synthetic_std_error, synthetic_p, overlap"
        "  FROM dp_compare_regression('original', 'synthetic', %s, %s)", (outcome, names))
    terms, *found = zip(*cursor.fetchall())
    wanted = []
    for name, table, got in (("the original", original, found[:3]), ("half of it", synthetic, found[3:6])):
        wanted_terms, rows = design(table, names)
        beta, error = fit(rows, len(wanted_terms), table[outcome])
        p = p_values(beta, error, len(rows) - len(beta) if linear else None)
        wanted.append(list(zip(beta, error)))
        tap.equal(list(terms), wanted_terms, "%s of %s: terms" % (outcome, name))
        for what, have, want in zip(("coefficients", "standard errors", "p-values"), got, (beta, error, p)):
            tap.ok(near(have, want), "%s of %s: %s to 1e-9" % (outcome, name, what), have, want)
    if not linear:
        shares = [overlap(*pair) for pair in zip(*wanted)]
        tap.ok(near(found[6], shares), "%s: overlap to 1e-9" % outcome, found[6], shares)


def check_regressions(cursor, original):
    synthetic = half(original, 1)
    load(cursor, "original", original)
    load(cursor, "synthetic", synthetic)
    check_regression(cursor, original, synthetic, "income",
                     ["age", "sex", "relationship", "hours_per_week", "education_num"],
                     lambda rows, terms, y: logistic(rows, terms, [float(v == ">50K") for v in y])[:2])
    check_regression(cursor, original, synthetic, "hours_per_week",
                     ["age", "education", "sex", "race", "capital_loss"], least_squares, linear=True)
    cursor.execute("DROP TABLE original, synthetic")


def check_scores(cursor, name, original, columns=None, pairs=False):
    synthetic = half(original, 2)
    columns = columns or [c for c, values in original.items() if isinstance(values[0], str)]
    counts = [Counter(zip(*(table[c] for c in columns))) for table in (original, synthetic)]
    cells = sorted(counts[0] | counts[1])
    first, second = ([float(count[cell]) for cell in cells] for count in counts)
    weight = [a + b for a, b in zip(first, second)]
    terms, rows = design(dict(zip(columns, zip(*cells))), columns, pairs)
    scores = logistic(rows, len(terms), [b / w for b, w in zip(second, weight)], weight, 1e-3)[2]
    share = math.fsum(second) / math.fsum(weight)
    wanted = {
        "specks": kolmogorov_smirnov(scores, first, second),
        "pmse": math.fsum(w * (s - share) ** 2 for w, s in zip(weight, scores)) / math.fsum(weight),
    }
    load(cursor, "original", original)
    load(cursor, "synthetic", synthetic)
    cursor.execute("SELECT measure, value FROM dp_propensity('original', 'synthetic',"
                   " jsonb_build_object('null_draws', 0, 'columns', %s, 'pairs', %s))", (columns, pairs))
    found = dict(cursor.fetchall())
    cursor.execute("DROP TABLE original, synthetic")
    for measure, value in wanted.items():
        tap.ok(near([found[measure]], [value]), "%s of %s, %d terms, to 1e-9" % (measure, name, len(terms)),
               found[measure], value)


def check_null(cursor):
    """docs/inference.md: what is drawn from the original, as many rows as it has, is at
    sqrt((k - 1) / n) / sqrt(2 pi) from it by k terms, whether they are levels or pairs of levels.
    """
    rows, draw = 20000, random.Random(3)
    for name, levels, pairs in (("levels", (11,) * 28, False), ("levels and pairs", (6, 8, 10, 4, 3), True)):
        load(cursor, "original", {"c%d" % i: ["abcdefghijk"[draw.randrange(n)] for _ in range(rows)]
                                  for i, n in enumerate(levels)})
        terms = sum(n - 1 for n in levels)
        if pairs:
            terms += sum((a - 1) * (b - 1) for a, b in itertools.combinations(levels, 2))
        wanted = math.sqrt(terms / rows) / math.sqrt(2 * math.pi)
        cursor.execute("SELECT null_expectation FROM dp_propensity('original', 'original',"
                       " jsonb_build_object('null_draws', 20, 'pairs', %s)) WHERE measure = 'specks'", (pairs,))
        found, = cursor.fetchone()
        cursor.execute("DROP TABLE original")
        tap.ok(abs(found / wanted - 1) < 0.07, "SPECKS of rows that are drawn, by %d %s: %.4f, by theory %.4f"
               % (terms, name, found, wanted))


def main():
    with connect() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION dpsyn")
        here = os.path.exists(os.path.join(DATA, "adult.csv")) and \
            os.path.exists(os.path.join(DATA, "adult_binned.csv"))
        numbers = head(adult("adult", NUMBERS), ROWS) if here else made_up(ROWS)
        check_regressions(cursor, numbers)
        binned = adult("adult_binned") if here else made_up(10 * ROWS)
        check_scores(cursor, "all rows", binned)
        check_scores(cursor, "few rows", head(binned, ROWS))  # levels with a row or two
        check_scores(cursor, "pairs", binned, ["race", "sex", "marital_status", "income"], pairs=True)
        check_null(cursor)
    tap.done()


main()
