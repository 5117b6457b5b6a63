"""Tries to falsify the privacy of whole SQL calls.

Two neighbouring tables, RELEASES releases of each. What is released is scored by
how much likelier it is under one table than under the other, as the worst attacker
would do who knows all rows but one. An event (score above a threshold) is chosen on
the first half of the releases; on the second half its probabilities are bounded
(Clopper-Pearson), and so is epsilon from below, at confidence 1 - 1e-6:

    epsilon >= ln((p - delta) / p')

This must not exceed what was charged. And it must exceed a quarter of it: a release
that claims to be four times as private as it is would be caught.
"""
import math
import os
import sys
import threading
from collections import Counter
from contextlib import closing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import model  # noqa: E402
from dptest import Tap, connect, run  # noqa: E402
from statistics_exact import beta_cdf, chi_square_p, clopper_pearson, gamma_upper  # noqa: E402

RELEASES = int(os.environ.get("AUDIT_RELEASES", "1000"))
SESSIONS = 4
ALPHA = 1e-6 / 2  # for each of the two probabilities

tap = Tap()

# Rows of (sex, smoker); the last one is the record in question. "rare": nobody else
# is in its cell. Under replace_one the other table has a different record there.
CROWD = [("f", True)] * 12 + [("f", False)] * 9 + [("m", False)] * 14
STABILITY = 2  # kind of noise: empty cells are always silent
RARE = ("m", True)
COMMON = ("f", True)

CASES = [
    # name, method, neighbours, record, epsilon, delta, options
    ("sbhg, dense", "sbhg", "add_remove", RARE, 2, 0, '{"parents": 1}'),
    ("sbhg, dense", "sbhg", "replace_one", RARE, 4, 0, '{"parents": 1}'),
    ("sbhg, stability, common record", "sbhg", "add_remove", COMMON, 2, 0.22,
     '{"parents": 1, "dense_cells": 0}'),
    ("sbhg, stability, rare record", "sbhg", "add_remove", RARE, 2, 0.22,
     '{"parents": 1, "dense_cells": 0}'),
    ("sba, dense", "sba", "add_remove", RARE, 1, 0, '{"dense_cells": 100}'),
    ("sba, stability, common record", "sba", "add_remove", COMMON, 1, 0.11, "{}"),
    ("sba, stability, rare record", "sba", "add_remove", RARE, 1, 0.11, "{}"),
    ("sba, stability, rare record", "sba", "replace_one", RARE, 2, 0.11, "{}"),
    ("steps, selected order", "steps", "add_remove", RARE, 2, 0, '{"layers": 1}'),
    ("flat, sparse", "flat", "add_remove", RARE, 2, 0, '{"dense_cells": 0, "tolerance": 0.01}'),
    ("privbayes", "privbayes", "replace_one", RARE, 4, 0, '{"degree": 1}'),
]


class Case:
    def __init__(self, number, name, method, neighbours, record, epsilon, delta, options):
        self.name = "%s, %s" % (name, neighbours)
        self.method, self.epsilon, self.delta, self.options = method, epsilon, delta, options
        self.rare = record == RARE
        other = [("m", False)] if neighbours == "replace_one" else []
        self.rows = [CROWD + other, CROWD + [record]]
        self.neighbours, self.record = neighbours, record
        self.relations = ["audit_%d_%s" % (number, side) for side in ("without", "with")]
        self.models = [None, None]

    def create(self, boss):
        for relation, rows in zip(self.relations, self.rows):
            run(boss, "CREATE TABLE %s (sex text NOT NULL CHECK (sex IN ('f', 'm')),"
                " smoker boolean NOT NULL)" % relation)
            for row in rows:
                run(boss, "INSERT INTO %s VALUES (%%s, %%s)" % relation, *row)
            run(boss, "SELECT dp_protect(%s, 1000000, 0.9, %s)", relation, self.neighbours)

    def releases(self, side):
        """A probability of delta or 0 needs fewer than a ratio does."""
        if self.rare and self.delta:
            return RELEASES * 7 // 10 if side else RELEASES // 5
        return RELEASES

    def release(self, side):
        """The caps of a relation do not reach for so many releases: a superuser, who may,
        forgets what was spent before each."""
        relation = self.relations[side]
        with closing(connect()) as boss:
            run(boss, """DO $$ BEGIN FOR i IN 1..%d LOOP
                UPDATE dp_dataset SET spent_epsilon_nano = 0, spent_delta_atto = 0
                 WHERE relation = '%s'::regclass;
                COMMIT;
                PERFORM dp_release('%s', '%s', %s, %s, '%s');
                COMMIT;
                END LOOP; END $$""" % (self.releases(side), relation, relation, self.method, self.epsilon,
                                       self.delta, self.options))
            self.models[side] = [model.parse(row[0]) for row in run(
                boss, "SELECT model FROM dp_release_store WHERE relation_name = %s ORDER BY id",
                "public." + relation)]


# ---- likelihood -----------------------------------------------------------------


def counts(table, rows, attributes):
    """The exact table: codes to rows."""
    def code(attribute, value):
        return attributes[attribute].labels.index(
            value if isinstance(value, str) else "t" if value else "f")
    columns = {attribute.name: i for i, attribute in enumerate(attributes)}
    order = [(a, ("sex", "smoker").index(attributes[a].name)) for a in table.attributes]
    assert set(columns) == {"sex", "smoker"}
    return Counter(tuple(code(a, row[column]) for a, column in order) for row in rows)


def tail_below(e0, k):
    """P[Z < k] of the discrete Laplace distribution."""
    a = math.exp(-e0)
    return 1 - a ** k / (1 + a) if k > 0 else a ** (1 - k) / (1 + a)


def log_likelihood(table, exact, occupied):
    """Up to a constant that does not depend on exact. occupied: the cells that either table has."""
    e0 = table.epsilon / table.sensitivity
    if table.dense:
        return -e0 * sum(abs(value - exact[codes]) for codes, value in table.cells.items())
    total = 0.0
    for codes in occupied | set(table.cells):
        if table.noise == STABILITY and codes not in table.cells and exact[codes] == 0:
            continue  # an empty cell is silent
        if codes not in table.cells:
            total += math.log(tail_below(e0, table.threshold - exact[codes]))
        elif exact[codes] == 0 and table.noise == STABILITY:
            total -= 1000  # cannot be
        else:
            total -= e0 * abs(table.cells[codes] - exact[codes])
    return total


def score(released, rows, cache):
    """ln of how much likelier it is with the record than without."""
    total = 0.0
    for table in released.tables:
        key = tuple(table.attributes)
        if key not in cache:
            cache[key] = [counts(table, side, released.attributes) for side in rows]
        without, with_record = cache[key]
        occupied = set(without) | set(with_record)
        total += (log_likelihood(table, with_record, occupied)
                  - log_likelihood(table, without, occupied))
    return total


# ---- the bound ----------------------------------------------------------------------


def bound(hits, others, n, delta):
    """Lower bound of epsilon from an event with so many hits in n releases of each table."""
    low = clopper_pearson(hits, n, ALPHA)[0]
    high = clopper_pearson(others, n, ALPHA)[1]
    return math.log((low - delta) / high) if low > delta else 0.0


def event_counts(scores, threshold, above):
    if above:
        return sum(value >= threshold for value in scores)
    return sum(value <= threshold for value in scores)


def epsilon_lower(scores, delta):
    """The event is chosen on the first halves, judged on the second ones."""
    half = len(scores[0]) // 2
    first = [side[:half] for side in scores]
    second = [side[half:] for side in scores]
    values = sorted(set(round(value, 6) for side in first for value in side))
    candidates = values[::max(1, len(values) // 60)]
    best = (-1.0, None, None)
    for threshold in candidates:
        for above in True, False:
            margin = 1e-5 if above else -1e-5
            hits = [event_counts(side, threshold - margin, above) for side in first]
            more, less = (hits[1], hits[0]) if above else (hits[0], hits[1])
            estimate = bound(more, less, half, delta)
            if estimate > best[0]:
                best = (estimate, threshold - margin, above)
    _, threshold, above = best
    hits = [event_counts(side, threshold, above) for side in second]
    more, less = (hits[1], hits[0]) if above else (hits[0], hits[1])
    return bound(more, less, len(second[0]), delta)


def audit(case):
    if case.rare and case.delta:
        audit_delta(case)
        return
    cache = {}
    scores = [[score(released, case.rows, cache) for released in side] for side in case.models]
    lower = epsilon_lower(scores, case.delta)
    tap.ok(lower <= case.epsilon, "%s: epsilon is at least %.2f, charged %g"
           % (case.name, lower, case.epsilon))
    caught = epsilon_lower(scores, case.delta / 4)
    tap.ok(caught > case.epsilon / 4, "%s: a claim of epsilon %g and delta %g would be caught"
           % (case.name, case.epsilon / 4, case.delta / 4), "lower bound %.3f" % caught)


def audit_delta(case):
    """A cell that only one of the tables can show: epsilon does not help it, delta must."""
    def shown(released, rows_with, rows_without):
        for table in released.tables:
            with_record = counts(table, rows_with, released.attributes)
            without = counts(table, rows_without, released.attributes)
            if any(codes not in without and codes in with_record for codes in table.cells):
                return True
        return False
    n = len(case.models[1])
    hits = [sum(shown(released, case.rows[1], case.rows[0]) for released in side)
            for side in case.models]
    low, _ = clopper_pearson(hits[1], n, 2 * ALPHA)
    tap.equal(hits[0], 0, "%s: without the record its cell never shows" % case.name)
    tap.ok(low <= case.delta, "%s: with it, it shows with probability at least %.3f, delta is %g"
           % (case.name, low, case.delta))
    tap.ok(low > case.delta / 4, "%s: a claim of delta %g would be caught"
           % (case.name, case.delta / 4), "lower bound %.4f" % low)


# ---- goodness of fit ---------------------------------------------------------------


def fit(case, boss):
    """The noise of each cell of each table against the law that dp_explain states."""
    stages = run(boss, "SELECT mechanism, epsilon_each FROM dp_explain(%s, %s, %s, %s, %s)"
                 " WHERE tables IS NOT NULL", case.relations[1], case.method, case.epsilon,
                 case.delta, case.options)
    epsilon = {"Laplace" in mechanism: float(each) for mechanism, each in stages}
    sensitivity = 2 if case.neighbours == "replace_one" else 1
    worst = 1.0
    seen = 0
    for index, table in enumerate(case.models[1][0].tables):
        if len(table.attributes) == 0:
            continue
        e0 = epsilon[table.dense] / sensitivity
        exact = counts(table, case.rows[1], case.models[1][0].attributes)
        cells = list(table.cells) if table.dense else list(exact)
        for codes in cells:
            noise = [released.tables[index].cells.get(codes) for released in case.models[1]
                     if released.tables[index].attributes == table.attributes]
            noise = [value - exact[codes] for value in noise if value is not None]
            lowest = -10 ** 9 if table.dense else table.threshold - exact[codes]
            if len(noise) < 200:
                continue
            worst = min(worst, fit_p(noise, e0, lowest))
            seen += 1
    tap.ok(seen > 0 and worst > 1e-6 / 100, "%s: the noise of %d cells is discrete Laplace at what"
           " dp_explain states, smallest p %.2g" % (case.name, seen, worst))


def fit_p(noise, e0, lowest):
    span = int(12 / e0) + 2
    low, high = max(-span, lowest), span
    mass = 1 - (tail_below(e0, lowest) if lowest > -10 ** 8 else 0.0)
    a = math.exp(-e0)
    observed = Counter(min(max(value, low), high) for value in noise)
    expected = []
    for value in range(low, high + 1):
        p = (1 - a) / (1 + a) * a ** abs(value)
        if value == high:
            p = a ** high / (1 + a)
        elif value == low and low > lowest:
            p = a ** -low / (1 + a)
        expected.append(p / mass * len(noise))
    return chi_square_p([observed[value] for value in range(low, high + 1)], expected)


# ---- the audit's own arithmetic ----------------------------------------------------


def check_arithmetic():
    exact = sum(math.comb(20, k) * 0.3 ** k * 0.7 ** (20 - k) for k in range(6, 21))
    tap.ok(abs(beta_cdf(0.3, 6, 15) - exact) < 1e-12, "beta tail against a binomial sum")
    tap.ok(abs(gamma_upper(1, 3) - math.exp(-3)) < 1e-14
           and abs(gamma_upper(2.5, 1.2) - 0.7914) < 1e-3, "chi-square tail against closed forms")
    low, high = clopper_pearson(10, 100, 0.025)
    tap.ok(abs(low - 0.0490047) < 1e-6 and abs(high - 0.1762226) < 1e-6,
           "Clopper-Pearson against published bounds")


def main():
    check_arithmetic()
    cases = [Case(number, *words) for number, words in enumerate(CASES)]
    with closing(connect()) as boss:
        run(boss, "CREATE EXTENSION dpsyn")
        for case in cases:
            case.create(boss)
        # each session on a relation of its own, so that none waits for another's debit
        todo = [(case, side) for case in cases for side in (0, 1)]
        errors = []

        def work():
            while todo and not errors:
                case, side = todo.pop()
                try:
                    case.release(side)
                except Exception as error:
                    errors.append("%s: %r" % (case.name, error))
        threads = [threading.Thread(target=work) for _ in range(SESSIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not tap.ok(not errors, "%d releases" % sum(case.releases(side) for case in cases
                                                         for side in (0, 1)), *errors):
            tap.done()
        for case in cases:
            audit(case)
        for case in cases:
            fit(case, boss)
    tap.done()


main()
