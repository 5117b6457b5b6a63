"""dp_query beside Google's differential privacy library (python-dp) and OpenDP, from PyPI: count, sum,
mean and median of 20 groups at one epsilon for all four, and the time beside a plain GROUP BY of the
same table in the same run. The others get each group's values as a list; that is not in their time."""
import argparse
import math
import random
import statistics
import time
from contextlib import closing

import psycopg2

GROUPS, LOW, HIGH = 20, 0, 1000
MEASURES = ("count(*)", "sum(x)", "avg(x)", "median(x)")
PLAIN = """SELECT grp, count(*), sum(least(x, 1000)), avg(least(x, 1000)),
       percentile_disc(0.5) WITHIN GROUP (ORDER BY x) FROM rows GROUP BY grp"""
SIMPLE = "SELECT grp, count(*), sum(x), avg(x) FROM rows GROUP BY grp"


def run(connection, statement, *arguments):
    with connection.cursor() as cursor:
        cursor.execute(statement, arguments or None)
        return cursor.fetchall() if cursor.description else []


def seconds(work, times):
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def create(boss, rows):
    run(boss, "DROP TABLE IF EXISTS rows")
    run(boss, "CREATE TABLE rows (grp smallint NOT NULL CHECK (grp IN (%s)), x integer NOT NULL)"
        % ", ".join(map(str, range(GROUPS))))
    run(boss, "SELECT setseed(0.25)")
    run(boss, "INSERT INTO rows SELECT i %% 20, (20 * exp(random() * 4))::int FROM generate_series(1, %s) i",
        rows)
    run(boss, "VACUUM ANALYZE rows")
    run(boss, "SELECT dp_protect('rows', 1000000, 0.1)")
    run(boss, "SELECT dp_define_column('rows', 'x', bins => '{0,500,1000}')")
    return {group: tuple(map(float, values)) for group, *values in run(boss, PLAIN)}


def ours(boss, epsilon):
    answers = {}
    for group, measure, estimate in run(
            boss, "SELECT (cell ->> 'grp')::int, measure, estimate FROM dp_query(NULL::rows, %s::text[], %s, '{grp}')",
            list(MEASURES), epsilon):
        answers.setdefault(group, {})[measure] = estimate
    return {group: tuple(of[measure] for measure in MEASURES) for group, of in answers.items()}


def opendp_answers(values, epsilon):
    import opendp.prelude as dp
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
    each = epsilon / 4
    count = space >> dp.t.then_count() >> dp.m.then_laplace(scale=1 / each)
    total = space >> dp.t.then_clamp((LOW, HIGH)) >> dp.t.then_sum() >> dp.m.then_laplace(scale=HIGH / each)
    candidates = list(range(LOW, HIGH + 1))
    median = dp.binary_search_chain(
        lambda scale: space >> dp.t.then_quantile_score_candidates(candidates, 0.5)
        >> dp.m.then_noisy_max(dp.max_divergence(), scale, negate=True), d_in=1, d_out=each)
    answers = {}
    for group, of in values.items():
        # its mean is the quotient of the same two numbers, each of which so has half of the budget
        n, s = count(of), total(of)
        answers[group] = (n, s, s / max(n, 1), candidates[median(of)])
    return answers


def google_answers(values, epsilon):
    from pydp.algorithms.laplacian import BoundedMean, BoundedSum, Count, Median
    answers = {}
    for group, of in values.items():
        kinds = (Count(epsilon=epsilon / 4, dtype="int"),
                 BoundedSum(epsilon=epsilon / 4, lower_bound=LOW, upper_bound=HIGH, dtype="int"),
                 BoundedMean(epsilon=epsilon / 4, lower_bound=LOW, upper_bound=HIGH, dtype="int"),
                 Median(epsilon=epsilon / 4, lower_bound=LOW, upper_bound=HIGH, dtype="int"))
        answers[group] = tuple(float(kind.quick_result(of)) for kind in kinds)
    return answers


def error(truth, answers):
    """Root mean square, of each measure."""
    return [math.sqrt(statistics.fmean((a[group][i] - truth[group][i]) ** 2 for a in answers for group in truth))
            for i in range(len(MEASURES))]


def row(name, rows, epsilon, errors, taken):
    print("| %s | %d | %g | %s | %s |" % (name, rows, epsilon, " | ".join("%.3g" % e for e in errors), taken),
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100000])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--epsilon", type=float, default=1)
    arguments = parser.parse_args()
    random.seed(1)
    with closing(psycopg2.connect("")) as boss:
        boss.autocommit = True
        run(boss, "SET dpsyn.query_refresh = 0")  # each question anew
        run(boss, "SET client_min_messages = error; CREATE EXTENSION IF NOT EXISTS dpsyn")
        print("| | rows | epsilon | %s | time |" % " | ".join(MEASURES))
        print("|---|---|---|%s---|" % ("---|" * len(MEASURES)))
        for rows in arguments.rows:
            truth = create(boss, rows)
            plain = seconds(lambda: run(boss, PLAIN), 3)
            simple = seconds(lambda: run(boss, SIMPLE), 3)
            answers = []
            taken = seconds(lambda: answers.append(ours(boss, arguments.epsilon)), arguments.runs)
            row("dp_query", rows, arguments.epsilon, error(truth, answers),
                "%.3f s, x%.2f GROUP BY with medians, x%.2f without" % (taken, taken / plain, taken / simple))
            values = {}
            for group, value in run(boss, "SELECT grp, x FROM rows"):
                values.setdefault(group, []).append(value)
            for name, theirs in ("OpenDP", opendp_answers), ("python-dp", google_answers):
                try:
                    answers = []
                    taken = seconds(lambda: answers.append(theirs(values, arguments.epsilon)),
                                    min(arguments.runs, 5))
                    row(name, rows, arguments.epsilon, error(truth, answers), "%.3f s" % taken)
                except ImportError:
                    print("| %s | is not installed |" % name)


if __name__ == "__main__":
    main()
