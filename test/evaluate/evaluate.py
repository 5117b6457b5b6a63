"""dp_evaluate and dp_evaluate_risk against the same measures, written again in plain Python from
docs/evaluate.md, to 1e-9; and a cancel, which must end them.
"""
import csv
import itertools
import math
import os
import random
import statistics
from collections import Counter, defaultdict
from contextlib import closing

import psycopg2.errors
from dptest import Tap, connect
from statistics_exact import gamma_upper

TOLERANCE = 1e-9
LEVEL = 0.05
BINS = 20
LEVELS = 1000  # more than a column has

tap = Tap()


# ---- the measures, again ----


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def shares(rows):
    return shares_of(Counter(rows))


def shares_of(counts):
    return {cell: n / counts.total() for cell, n in counts.items()}


def differences(p, q):
    return [abs(p.get(cell, 0) - q.get(cell, 0)) for cell in p.keys() | q.keys()]


def quantile_edges(values):
    """The smallest values up to which 1/20, 2/20, ... of the values are; none at the end."""
    ordered = sorted(values)
    wanted = {-(-i * len(ordered) // BINS) for i in range(1, BINS)}
    edges = {ordered[place - 1] for place in wanted if place > 0}
    return sorted(edges - {ordered[-1]})


def levels(first, second):
    """Both columns, with numbers of many different values put into bins of the first."""
    values = [v for v in first + second if v is not None]
    if not is_number(values[0]) or len(set(values)) <= BINS:
        return first, second
    edges = quantile_edges([v for v in first if v is not None])
    return tuple(
        [None if v is None else sum(v > edge for edge in edges) for v in column]
        for column in (first, second)
    )


def chi_square(cells):
    """The p-value and Cramer's V of {(row, column): count}."""
    rows, columns = margin(cells, 0), margin(cells, 1)
    n, smaller = cells.total(), min(len(rows), len(columns)) - 1
    df = (len(rows) - 1) * (len(columns) - 1)
    if df == 0:
        return 1, None
    statistic = math.fsum(
        (cells[r, c] - rows[r] * columns[c] / n) ** 2 / (rows[r] * columns[c] / n)
        for r in rows
        for c in columns
    )
    return gamma_upper(df / 2, statistic / 2), math.sqrt(statistic / n / smaller)


def margin(cells, place):
    sums = Counter()
    for cell, n in cells.items():
        sums[cell[place]] += n
    return sums


def conditional(first, second, given):
    """The distance of (x given g) for two of {(row, column): count}."""
    groups = [defaultdict(Counter), defaultdict(Counter)]
    for side, cells in enumerate((first, second)):
        for cell, n in cells.items():
            groups[side][cell[given]][cell[1 - given]] += n
    return math.fsum(
        own.total() / first.total()
        * (math.fsum(differences(shares_of(own), shares_of(groups[1][g]))) if g in groups[1] else 2)
        for g, own in groups[0].items()
    )


def wasserstein(a, b):
    points = sorted(set(a) | set(b))
    counts = Counter(a), Counter(b)
    below, area = [0, 0], 0
    for here, there in zip(points, points[1:]):
        below = [below[i] + counts[i][here] for i in (0, 1)]
        area += (there - here) * abs(below[0] / len(a) - below[1] / len(b))
    return area


def correlation(a, b):
    pairs = [(x, y) for x, y in zip(a, b) if x is not None and y is not None]
    x, y = ([p[i] for p in pairs] for i in (0, 1))
    mx, my = statistics.fmean(x), statistics.fmean(y)
    return math.fsum((p - mx) * (q - my) for p, q in pairs) / math.sqrt(
        math.fsum((p - mx) ** 2 for p in x) * math.fsum((q - my) ** 2 for q in y)
    )


def numbered(first, second):
    """Small numbers in place of values, the same in both columns."""
    number = {value: i for i, value in enumerate(dict.fromkeys(first + second))}
    assert len(number) < LEVELS
    return [number[v] for v in first], [number[v] for v in second]


def joined(columns):
    """One number for each row."""
    rows = columns[0]
    for column in columns[1:]:
        rows = [a * LEVELS + b for a, b in zip(rows, column)]
    return rows


def evaluate(names, original, synthetic, ways=3):
    """{(measure, columns): (value, original, synthetic)}; tables are lists of columns."""
    found = {}
    sides = [list(column) for column in original], [list(column) for column in synthetic]
    binned = [numbered(*levels(*pair)) for pair in zip(*sides)]

    for name, *both in zip(names, *sides):
        missing = [column.count(None) / len(column) for column in both]
        found["null_share", (name,)] = (missing[1] - missing[0], *missing)
        values = [[v for v in column if v is not None] for column in both]
        if not is_number(values[0][0]):
            continue
        quartiles = [statistics.quantiles(column, n=4, method="inclusive") for column in values]
        figures = {
            "mean": [statistics.fmean(column) for column in values],
            "sd": [statistics.stdev(column) for column in values],
            "q1": [q[0] for q in quartiles],
            "median": [q[1] for q in quartiles],
            "q3": [q[2] for q in quartiles],
        }
        for measure, (a, b) in figures.items():
            found[measure, (name,)] = (b - a, a, b)
        found["wasserstein1", (name,)] = (wasserstein(*values), None, None)
    numbers = [i for i, name in enumerate(names) if ("mean", (name,)) in found]
    for i, j in itertools.combinations(numbers, 2):
        a, b = (correlation(side[i], side[j]) for side in sides)
        found["correlation", (names[i], names[j])] = (b - a, a, b)

    for k in range(1, ways + 1):
        total = defaultdict(list)
        for members in itertools.combinations(range(len(names)), k):
            columns = tuple(names[i] for i in members)
            p, q = (shares(joined([binned[i][side] for i in members])) for side in (0, 1))
            apart = differences(p, q)
            for measure, value in (("tvd", math.fsum(apart) / 2), ("linf", max(apart))):
                found[measure + str(k), columns] = (value, None, None)
                total[measure].append(value)
        for measure, values in total.items():
            found[measure + str(k), None] = (statistics.fmean(values), None, None)
    found["marginal_distance", None] = (2 * found["tvd1", None][0], None, None)

    for i, name in enumerate(names):
        x, z = (Counter(column) for column in binned[i])
        both = [sum(c[v] for v in x.keys() & z.keys()) / c.total() for c in (x, z)]
        found["fidelity", (name,)] = (both[0] * both[1], *both)
        found["utility", (name,)] = (utility(x, z), None, None)
    whole = [Counter(zip(*(pair[side] for pair in binned))) for side in (0, 1)]
    found["utility", tuple(names)] = (utility(*whole), None, None)

    given, apart, agreements, dependent = defaultdict(list), [], [], [0, 0]
    for i, j in itertools.combinations(range(len(names)), 2):
        columns = (names[i], names[j])
        pairs = [
            Counter({divmod(cell, LEVELS): n for cell, n in Counter(rows).items()})
            for rows in (joined([binned[i][side], binned[j][side]]) for side in (0, 1))
        ]
        given[i].append(conditional(*pairs, 0))
        given[j].append(conditional(*pairs, 1))
        (p0, v0), (p1, v1) = (chi_square(cells) for cells in pairs)
        agreements.append((p0 < LEVEL) == (p1 < LEVEL))
        dependent = [dependent[0] + (p0 < LEVEL), dependent[1] + (p1 < LEVEL)]
        found["chi_square", columns] = (float(agreements[-1]), p0, p1)
        known = v0 is not None and v1 is not None
        found["cramers_v", columns] = (v1 - v0 if known else None, v0, v1)
        if known:
            apart.append(abs(v1 - v0))
    n = len(agreements)
    found["chi_square", None] = (sum(agreements) / n, dependent[0] / n, dependent[1] / n)
    found["cramers_v", None] = (statistics.fmean(apart), None, None)
    for i, values in given.items():
        found["conditional_distance", (names[i],)] = (statistics.fmean(values), None, None)
    means = [statistics.fmean(values) for values in given.values()]
    found["conditional_distance", None] = (statistics.fmean(means), None, None)
    return found


def utility(x, z):
    scale = x.total() / z.total()
    return math.fsum((n - z[cell] * scale) ** 2 / n for cell, n in x.items())


def commonest(values, order):
    counts = Counter(values)
    return min(counts, key=lambda v: (-counts[v], order[v]))


def risk(original, synthetic, known, secret):
    """{measure: (value, baseline)} but for the closest records; columns by name."""
    people = list(zip(zip(*(original[c] for c in known)), original[secret]))
    fakes = list(zip(zip(*(synthetic[c] for c in known)), synthetic[secret]))
    matching = defaultdict(list)
    for key, value in fakes:
        matching[key].append(value)
    size = Counter(key for key, _ in people)
    unique = [person for person in people if size[person[0]] == 1]
    fake_size = Counter(key for key, _ in fakes)
    ordered = sorted({v for _, v in people + fakes if v is not None}) + [None]
    order = {value: i for i, value in enumerate(ordered)}
    overall = commonest([v for _, v in people], order)
    fallback = commonest([v for _, v in fakes], order)
    guess = {key: commonest(values, order) for key, values in matching.items()}
    found = {
        "unique_original": (len(unique) / len(people), None),
        "unique_synthetic": (sum(n == 1 for n in fake_size.values()) / len(fakes), None),
        "meets_unique": (
            sum(size[key] == 1 for key, _ in fakes), len(unique) / len(people) * len(fakes)
        ),
        "unique_met": (
            sum(key in matching for key, _ in unique) / len(unique),
            1 - (1 - 1 / len(people)) ** len(fakes),
        ),
    }
    for name, group in (("", people), ("_unique", unique)):
        right = sum(guess.get(key, fallback) == value for key, value in group)
        base = sum(overall == value for _, value in group)
        found["intruder_right" + name] = (right / len(group), base / len(group))
    if is_number(overall):
        mean = statistics.fmean(v for _, v in people if v is not None)
        rest = statistics.fmean(v for _, v in fakes if v is not None)
        means = {}
        for key, values in matching.items():
            values = [v for v in values if v is not None]
            means[key] = statistics.fmean(values) if values else rest
        for name, group in (("", people), ("_unique", unique)):
            known_ones = [(key, v) for key, v in group if v is not None]
            found["intruder_error" + name] = (
                statistics.fmean(abs(v - means.get(key, rest)) for key, v in known_ones),
                statistics.fmean(abs(v - mean) for _, v in known_ones),
            )
    return found


# ---- tables ----


def made_up(rows, seed):
    """Columns of numbers, texts and NULLs that hang together."""
    draw = random.Random(seed)
    age = [draw.choice([None, *range(18, 90)]) for _ in range(rows)]
    pay = [round(draw.expovariate(1 / 3000) + 40 * (a or 0), 2) for a in age]
    sex = [draw.choice("fm") for _ in range(rows)]
    town = [draw.choice("abcdefg" if s == "f" else "efghijkl") for s in sex]
    kids = [draw.choice([None, 0, 0, 1, 2, 3, 4]) for _ in range(rows)]
    paid = [None if draw.random() < 0.1 else p > 5000 for p in pay]
    return {"age": age, "pay": pay, "sex": sex, "town": town, "kids": kids, "paid": paid}


MADE_UP_TYPES = ["smallint", "float8", "text", "varchar", "int", "bool"]


def shuffled(table, seed):
    """The rows in part, some columns of them out of order."""
    draw = random.Random(seed)
    kept = sorted(draw.sample(range(len(next(iter(table.values())))), k=2 * len(table["sex"]) // 3))
    result = {}
    for i, (name, column) in enumerate(table.items()):
        column = [column[row] for row in kept]
        if i % 3 == 0:
            draw.shuffle(column)
        result[name] = column
    return result


def load(connection, name, table, types):
    columns = ", ".join('"%s" %s' % pair for pair in zip(table, types))
    rows = list(zip(*table.values()))
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE %s (%s)" % (name, columns))
        for start in range(0, len(rows), 2000):
            part = [cursor.mogrify("(" + ",".join(["%s"] * len(types)) + ")", row)
                    for row in rows[start:start + 2000]]
            cursor.execute(b"INSERT INTO %s VALUES " % name.encode() + b",".join(part))


# ---- tests ----


def near(got, wanted):
    if got is None or wanted is None:
        return got is None and wanted is None
    return abs(got - wanted) <= TOLERANCE * max(1, abs(wanted))


def compare(name, got, wanted):
    wrong = ["%s: missing" % (key,) for key in wanted.keys() - got.keys()]
    wrong += ["%s: not expected" % (key,) for key in got.keys() - wanted.keys()]
    for key in got.keys() & wanted.keys():
        if not all(near(a, b) for a, b in zip(got[key], wanted[key])):
            wrong.append("%s: got %r, wanted %r" % (key, got[key], wanted[key]))
    tap.ok(not wrong, "%s: %d figures to 1e-9" % (name, len(wanted)), *wrong[:10])


def check_tables(connection, name, original, synthetic):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT measure, columns::text[], value, original, synthetic"
            " FROM dp_evaluate('original', 'synthetic', '{\"each\": true}')"
            " WHERE measure <> 'rows'"
        )
        got = {(m, None if c is None else tuple(c)): tuple(rest) for m, c, *rest in cursor}
    compare(name, got, evaluate(list(original), original.values(), synthetic.values()))


def check_risk(connection, name, original, synthetic, known, secret):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT measure, value, baseline"
            " FROM dp_evaluate_risk('original', 'synthetic', %s::name[], %s, '{\"sample\": 20}')"
            " WHERE measure !~ 'closest'",
            (known, secret),
        )
        got = {m: tuple(rest) for m, *rest in cursor}
    compare("%s, risk of %s" % (name, secret), got, risk(original, synthetic, known, secret))


def check(name, original, synthetic, types, risks):
    with closing(connect()) as connection:
        load(connection, "original", original, types)
        load(connection, "synthetic", synthetic, types)
        check_tables(connection, name, original, synthetic)
        for known, secret in risks:
            check_risk(connection, name, original, synthetic, known, secret)
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE original, synthetic")


def check_cancel():
    with closing(connect()) as connection, connection.cursor() as cursor:
        columns = ", ".join("i * %d %% %d AS c%d" % (7 + j, 5 + j, j) for j in range(16))
        cursor.execute("CREATE TABLE large AS SELECT %s FROM generate_series(1, 200000) i" % columns)
        cursor.execute("SET statement_timeout = 30")
        for call in ("dp_evaluate('large', 'large', '{\"ways\": 5}')",
                     "dp_evaluate_risk('large', 'large', '{c0,c1}', 'c2', '{\"sample\": 100000}')"):
            try:
                cursor.execute("SELECT count(*) FROM " + call)
                tap.ok(False, "a cancel ends " + call)
            except psycopg2.errors.QueryCanceled:
                tap.ok(True, "a cancel ends " + call)


def main():
    with closing(connect()) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION dpsyn")
    original = made_up(3000, 1)
    check("made up", original, shuffled(original, 2), MADE_UP_TYPES,
          [(["sex", "town", "kids", "age"], "pay"), (["age", "sex", "kids"], "town"), (["pay"], "paid")])
    path = os.path.join(os.environ.get("DATA", ""), "adult_binned.csv")
    if os.path.exists(path):
        with open(path, newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        original = dict(zip(header, map(list, zip(*rows))))
        check("adult_binned", original, shuffled(original, 3), ["text"] * len(header),
              [(["age", "sex", "race", "native_country"], "income")])
    else:
        tap.skip("adult_binned", "there is no %s" % path)
    check_cancel()
    tap.done()


main()
