"""Tries to falsify the privacy of whole SQL calls.

Two neighbouring tables, about a thousand releases of each. What is released is scored
by how much likelier it is under one table than under the other, as the worst attacker
would do who knows all rows but one. An event (score above a threshold) is chosen on
the first third of the releases; on the rest its probabilities are bounded
(Clopper-Pearson), and so is epsilon from below, at confidence 1 - 1e-6:

    epsilon >= ln((p - delta) / p')

This must not exceed what was charged. And it must exceed a part of it, a quarter to a
twentieth: a release that claims to be so much more private than it is would be caught.
(How small a part is such that it is reached but for chances of 1e-6. What a run comes to is printed:
by which factor its claim could be wrong and pass.)

What is charged in rho (zCDP) is bounded in rho: for every alpha, alpha rho is at least
the Renyi divergence of a coin with p from one with p'. That is nearly tight where the
(epsilon, delta) that rho is converted to is not, and so is what only a choice shows: of
which pair a method measures first, or second.

Of noise events tell little. Given its distribution, which is tested, its width tells more: spread.py. README.md
says how to read the factors that are printed.

And whether it was paid for before anything was read: debit.py. And which rows are read of a unit
that has more than count: bounding.py.
"""
import itertools
import math
import os
import sys
import threading
from collections import Counter, defaultdict
from contextlib import closing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import bounding  # noqa: E402
import cases  # noqa: E402
import debit  # noqa: E402
import forests  # noqa: E402
import law  # noqa: E402
import spread  # noqa: E402
from dptest import Tap, connect, run  # noqa: E402
from bound import ALPHA, choice_lower, epsilon_lower, rho_lower, rho_of_event  # noqa: E402
from law import laplace_below, permute_and_flip  # noqa: E402
from statistics_exact import (  # noqa: E402
    beta_cdf, binomial_lower, binomial_upper, chi_square_p, clopper_pearson, gamma_upper)

SESSIONS = 4

tap = Tap()


# ---- epsilon and delta --------------------------------------------------------------


def passes(charged, lower):
    """By how much more than it is a claim may promise and not be caught."""
    return "%.1f times too small might pass" % (charged / lower) if lower > 0 else "any might pass"


def audit_epsilon(case):
    lower = epsilon_lower(case.scores(), case.delta)
    tap.ok(lower <= case.epsilon, "%s: epsilon is at least %.2f, charged %g"
           % (case.name, lower, case.epsilon))


def audit_claim(case):
    claim = case.epsilon / case.caught, case.delta / case.caught
    lower = epsilon_lower(case.scores(), claim[1])
    tap.ok(lower > claim[0], "%s: a claim of epsilon %g and delta %g would be caught, one %s"
           % (case.name, *claim, passes(case.epsilon, lower)), "lower bound %.3f" % lower)


def favoured(case):
    """How many releases of each table are likelier with the unit, which is an event that is fixed
    beforehand."""
    scores = case.scores()
    return [sum(score[0] > 0 for score in side) for side in scores], list(map(len, scores))


def audit_rho(case):
    hits, n = favoured(case)
    lower = rho_lower(hits[1], hits[0], n[1], n[0])
    tap.ok(lower <= case.rho, "%s: rho is at least %.2f, charged %.3g" % (case.name, lower, case.rho), hits, n)
    tap.ok(lower > case.rho / case.caught, "%s: a claim of rho %.3g would be caught, one %s"
           % (case.name, case.rho / case.caught, passes(case.rho, lower)),
           "lower bound %.3f" % lower, hits, n)


def audit_spread(case):
    """By how wide the noise is, which a few hundred releases tell to a fifth: see spread.py."""
    gaussian = case.concentrated
    charged, unit = (case.rho, "rho") if gaussian else (case.epsilon, "epsilon")
    lower = spread.loss_lower(case, gaussian)
    tap.ok(lower <= charged, "%s: by the width of noise %s is at least %.2f, charged %.3g"
           % (case.name, unit, lower, charged))
    tap.ok(lower > charged / case.wide, "%s: by it a claim of %s %.3g would be caught, one %s"
           % (case.name, unit, charged / case.wide, passes(charged, lower)), "lower bound %.3f" % lower)


def audit_choice(case):
    """The probability that a choice, paid for in epsilon, takes another candidate than the unit's."""
    hits, n = favoured(case)
    charged = case.epsilon * case.paid
    lower = choice_lower(n[0] - hits[0], n[1] - hits[1], *n)
    tap.ok(lower <= charged, "%s: by its %s choice epsilon is at least %.2f, charged %.3g"
           % (case.name, case.which, lower, charged), hits, n)
    tap.ok(lower > charged / case.caught, "%s: a claim of epsilon %.3g for it would be caught, one %s"
           % (case.name, charged / case.caught, passes(charged, lower)),
           "lower bound %.3f" % lower, hits, n)


def audit_account(case):
    """Both what the ledger counts and what it reports."""
    tap.ok(abs(case.rho_of_sets - case.rho) < 1e-5 * case.rho, "%s: the ledger counts %.5g for each of %d sets,"
           " and for one alone" % (case.name, case.rho_of_sets, case.sets), case.rho)
    audit_rho(case)
    lower = epsilon_lower(case.scores(), case.spent_delta)
    tap.ok(lower <= case.spent_epsilon, "%s: epsilon is at least %.2f, the ledger reports %.3g at delta %g"
           % (case.name, lower, case.spent_epsilon, case.spent_delta))


def audit_debits(case):
    """That each tree was paid for, from the budget of its own root, each time."""
    wanted = round(case.epsilon * 1e9)
    found = case.charged()
    # what was spent before is forgotten before each release
    tap.equal(found, [(wanted, wanted, wanted, releases) for releases in case.releases for _ in range(2)],
              "%s: each tree is charged to its own root's budget, epsilon %g a release" % (case.name, case.epsilon))


def audit_delta(case):
    """What only one of the tables can show: epsilon does not help it, delta must."""
    hits = [sum(case.shows_unit(released) for released in side) for side in case.models]
    low, _ = clopper_pearson(hits[1], len(case.models[1]), 2 * ALPHA)
    tap.equal(hits[0], 0, "%s: what only it can show never shows without it" % case.name)
    tap.ok(low <= case.delta, "%s: with it, that shows with probability at least %.3f, delta is %g"
           % (case.name, low, case.delta))
    claim = case.delta / case.caught
    tap.ok(low > claim, "%s: a claim of delta %g would be caught, one %s"
           % (case.name, claim, passes(case.delta, low)), "lower bound %.4f" % low)


# ---- goodness of fit ---------------------------------------------------------------


def fit(case):
    """The noise of each cell of each table against the distribution that dp_explain states."""
    # by kind, e0 or variance, lowest value that shows, attributes, labels of the cell
    noise = defaultdict(list)
    for released in case.models[1]:
        for table in released.tables:
            if table.attributes:
                spread = law.gaussian_variance(table) if table.noise == law.GAUSSIAN \
                    else case.table_epsilon(table) / case.sensitivity
                exact = case.exact(table, released.attributes, 1)
                for codes, value in table.cells.items():
                    lowest = -math.inf if table.dense else table.threshold - exact[codes]
                    words = [law.words(released.attributes[a], level)
                             for a, level in zip(table.attributes, codes)]
                    noise[(table.noise == law.GAUSSIAN, spread, lowest, *table.attributes, *words)] \
                        .append(value - exact[codes])
    kinds = {gaussian for gaussian, *_ in noise}
    p = [gaussian_p(values, cell[1]) if cell[0] else fit_p(values, *cell[1:3])
         for cell, values in noise.items() if len(values) >= 100]
    tap.ok(p and min(p) > 1e-6 / 100, "%s: the noise of %d cells is discrete %s states, smallest p %.2g"
           % (case.name, len(p), "Gaussian at what the model" if kinds == {True}
              else "Laplace at what dp_explain", min(p, default=0)))


def fit_rows(case):
    """How often each release of rows came, against the distribution of the perturbed mechanism."""
    for side in (0, 1):
        seen = Counter(tuple(case.rows_of(released)) for released in case.models[side])
        expected = case.expected_rows(side)
        p = chi_square_p([seen[rows] for rows in expected],
                         [mass * len(case.models[side]) for mass in expected.values()])
        tap.ok(p > 1e-8, "%s: rows %s the unit have the distribution of perturbed draws, p %.2g"
               % (case.name, ("without", "with")[side], p), dict(seen))


def fit_parents(case):
    """How often each column was given which parents, against permute-and-flip."""
    chosen = defaultdict(Counter)
    for released in case.models[1]:
        for table in released.tables:
            choice = case.parents_of(table, released.attributes)
            if choice:
                chosen[choice[1]][choice[0]] += 1
    for child, seen in chosen.items():
        ways = list(itertools.permutations(set(range(len(case.columns))) - {child},
                                           len(next(iter(seen)))))
        expected = [math.exp(case.parents_log_likelihood(way, child, case.counted(1)))
                    * len(case.models[1]) for way in ways]
        p = chi_square_p([seen[way] for way in ways], expected)
        tap.ok(p > 1e-8, "%s: the parents of \"%s\" are drawn by permute-and-flip at what dp_explain"
               " states, p %.2g" % (case.name, case.columns[child], p), dict(seen), expected)


def fit_choice(case, mechanism):
    """How often each table has the unit's pair chosen first, against the mechanism's law."""
    hits, n = favoured(case)
    p = [case.probability(side) for side in (0, 1)]
    fits = chi_square_p([hits[0], n[0] - hits[0], hits[1], n[1] - hits[1]],
                        [n[0] * p[0], n[0] * (1 - p[0]), n[1] * p[1], n[1] * (1 - p[1])])
    tap.ok(fits > 1e-8, "%s: its %s choice has the distribution of %s, p %.2g" % (
        case.name, case.which, mechanism, fits),
        hits, n, p)


def gaussian_p(noise, variance):
    span = int(6 * math.sqrt(variance)) + 2
    observed = Counter(min(max(value, -span), span) for value in noise)
    return chi_square_p([observed[value] for value in range(-span, span + 1)],
                        [mass * len(noise) for mass in law.gaussian_masses(variance, span)])


def fit_p(noise, e0, lowest):
    span = int(12 / e0) + 2
    low, high = max(-span, lowest), span
    mass = 1 - (laplace_below(e0, lowest) if lowest > -math.inf else 0.0)
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
    tap.ok(abs(rho_of_event(0.7310585786300049, 0.2689414213699951) - math.tanh(0.5)) < 1e-9
           and abs(binomial_upper(3, 9, 0.1) - 1 + binomial_lower(6, 9, 0.1)) < 1e-12,
           "rho of randomised response at epsilon 1 against a closed form")
    scores = {"a": 9, "b": 7, "c": 4, "d": 9}
    tap.ok(abs(sum(permute_and_flip(scores, one, 0.7, 3) for one in scores) - 1) < 1e-12
           and abs(permute_and_flip({1: 5, 2: 3}, 2, 1, 1) - math.exp(-1) / 2) < 1e-12,
           "permute-and-flip against its total and a closed form")


# ---- running it --------------------------------------------------------------------


def release_all(chosen):
    """Each session on a relation of its own, so that none waits for another's debit."""
    todo = [(case, side) for case in chosen for side in (0, 1)]
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
    return tap.ok(not errors, "%d releases" % sum(sum(case.releases) for case in chosen), *errors)


def audit(case):
    if isinstance(case, cases.AccountCase):
        audit_account(case)
    elif case.alone:
        audit_delta(case)
    else:
        audit_epsilon(case)
        if case.concentrated:
            audit_rho(case)
        elif isinstance(case, cases.ChoiceCase):
            audit_choice(case)
        elif case.caught is not None:
            audit_claim(case)
    if case.wide is not None:
        audit_spread(case)


def audit_cases(chosen):
    with closing(connect()) as boss:
        for number, case in enumerate(chosen):
            case.create(boss, number)
    if not release_all(chosen):
        return
    for case in chosen:
        if isinstance(case, forests.ForestCase):
            audit_debits(case)
        audit(case)
    for case in chosen:
        if isinstance(case, cases.RowsCase):
            fit_rows(case)
            continue
        if isinstance(case, cases.RangeCase):
            fit_choice(case, case.mechanism)
            continue
        if isinstance(case, cases.EdgeCase):
            fit_choice(case, "permute-and-flip")
            continue
        if isinstance(case, cases.QueryCase):
            continue # its sums are not counts of rows
        if isinstance(case, cases.ChoiceCase) and case.chosen is not None:
            fit_choice(case, "the exponential mechanism" if case.concentrated else "permute-and-flip")
        fit(case)
        fit_parents(case)


def install(library):
    """Runs CREATE EXTENSION. If a library is given, all C functions come from it. The session that
    created the extension has loaded the installed library, so it ends here."""
    with closing(connect()) as boss:
        run(boss, "CREATE EXTENSION dpsyn")
        if library:
            run(boss, "UPDATE pg_proc SET probin = %s WHERE probin = '$libdir/dpsyn'", library)


def main():
    """AUDIT_CASES says what to run: "debit", "bounding", or KEY or KEY/NEIGHBOURS of cases, each with or without
    =releases of each table. AUDIT_LIBRARY is a library that is not installed."""
    only = dict(word.split("=") if "=" in word else (word, 0)
                for word in os.environ.get("AUDIT_CASES", "").split())
    library = os.environ.get("AUDIT_LIBRARY")
    check_arithmetic()
    install(library)
    with closing(connect()) as boss:
        known = cases.row_cases() + cases.tree_cases() + cases.perturbed_cases()
        known += cases.histogram_cases() + cases.fit_cases() + cases.account_cases()
        known += cases.query_cases()
        if cases.has_units(boss):
            known += cases.unit_cases() + cases.choice_cases() + forests.cases()
        elif not only:
            tap.skip("a person with more rows than count", "this build has no privacy units")
    debit.check_library(tap, library)
    if not only or "debit" in only:
        debit.audit_debit(tap)
    if not only or "bounding" in only:
        bounding.audit_bounding(tap)
    chosen = [case for case in known if not only or case.names() & set(only)]
    for case in chosen:
        for name in case.names() & set(only):
            case.limit(int(only[name]))
    if chosen:
        audit_cases(chosen)
    missing = set(only).difference({"debit", "bounding"}, *(case.names() for case in known))
    tap.equal(missing, set(), "all cases that were asked for are known")
    tap.done()


main()
