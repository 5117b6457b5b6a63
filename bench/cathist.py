"""CatHist beside the numpy prototype: fidelity F on three columns of Adult whose
domain is asserted to be all English words, or all pairs of them. The law of the
release worker's own functions is measured by bench/cathist.c, linked with the
core; some settings also go through SQL, with the words in a table. Prints means
over the runs (standard deviation in parentheses), by how many standard errors
they differ, and times."""
import argparse
import csv
import glob
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter

import numpy as np
import psycopg2

from protected import fidelity, install

WORDS = 171476  # of the Oxford English Dictionary's second edition, as the paper counts them
DOMAINS = (("words", WORDS), ("word pairs", WORDS ** 2))
COLUMNS = ("sex", "workclass", "marital_status")
EPSILONS = (0.01, 0.1, 1.0)
RHOS = (0.1, 0.9, 0.99)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def build(directory):
    program = os.path.join(directory, "cathist")
    sources = sorted(glob.glob(os.path.join(ROOT, "src", "core", "*", "*.c")))
    subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-ffp-contract=off", "-I",
                    os.path.join(ROOT, "src"), "-I", ROOT, "-o", program,
                    os.path.join(ROOT, "bench", "cathist.c"), *sources, "-lm"], check=True)
    return program


def ours(program, counts, size, epsilon, rho, runs):
    """Fidelities, seconds and numbers of values, a run each."""
    command = [program, str(round(epsilon * 1e9)), str(round(rho * 1e9)), str(size), "1", str(runs)]
    lines = subprocess.run(command + [str(c) for c in counts], stdout=subprocess.PIPE, check=True,
                           universal_newlines=True).stdout.split("\n")
    return [tuple(map(float, line.split())) for line in lines if line]


def theirs(reference, rng, counts, size, epsilon, rho, runs):
    true = dict(enumerate(counts))
    result = []
    for _ in range(runs):
        begin = time.perf_counter()
        released = reference.cathist(rng, size, rho, epsilon, true, discrete=True)
        seconds = time.perf_counter() - begin
        result.append((reference.fidelity(true, released), seconds, len(released)))
    return result


def difference(a, b):
    error = math.sqrt((statistics.variance(a) + statistics.variance(b)) / len(a))
    return (statistics.mean(a) - statistics.mean(b)) / error if error > 0 else 0.0


def mean(values):
    return "%.4f (%.4f)" % (statistics.mean(values), statistics.stdev(values))


def table(header, lines):
    for cells in header, ("---",) * len(header), *lines:
        print("| " + " | ".join(cells) + " |")
    print()


def laws(program, reference, columns, runs):
    rng = np.random.default_rng(1)
    lines, apart = [], []
    for column, counts in columns:
        for domain, size in DOMAINS:
            for epsilon in EPSILONS:
                for rho in RHOS:
                    a = ours(program, counts, size, epsilon, rho, runs)
                    b = theirs(reference, rng, counts, size, epsilon, rho, runs)
                    fidelity = difference([x[0] for x in a], [x[0] for x in b])
                    number = difference([x[2] for x in a], [x[2] for x in b])
                    apart += [fidelity, number]
                    lines.append((column, domain, "%g" % epsilon, "%g" % rho, mean([x[0] for x in a]),
                                  mean([x[0] for x in b]), "%+.1f" % fidelity, "%+.1f" % number,
                                  "%.2f" % (1e3 * statistics.median(x[1] for x in a)),
                                  "%.2f" % (1e3 * statistics.median(x[1] for x in b))))
    table(("column", "domain", "epsilon", "rho", "F", "prototype's F", "difference in standard errors",
          "of the number of values", "ms", "prototype's ms"), lines)
    beyond = [x for x in apart if abs(x) > 2]
    print("%d of %d differences are beyond two standard errors; the largest is %.1f.\n"
          % (len(beyond), len(apart), max(apart, key=abs)))


def through_sql(connection, columns, runs):
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE adult (sex text, workclass text, marital_status text)")
    names = [name for name, _ in columns]
    for name, counts in columns:
        for i, count in enumerate(counts):
            cursor.execute('INSERT INTO adult ("%s") SELECT %%s FROM generate_series(1, %%s)' % name,
                           ("w%d w0" % i, count))
    cursor.execute("SELECT dp_protect('adult', 1000000)")
    cursor.execute("CREATE TABLE words AS SELECT 'w' || i AS word FROM generate_series(0, %s) i", (WORDS - 1,))
    pairs = "'{"product": [{"table": "words", "column": "word"}, {"table": "words", "column": "word"}]}'"
    for name in names:
        cursor.execute("SELECT dp_define_column('adult', %%s, open => true, domain => %s)" % pairs, (name,))
    lines = []
    for name, counts in columns:
        true = {"w%d w0" % i: c for i, c in enumerate(counts)}
        fidelities, seconds = [], []
        for _ in range(runs):
            begin = time.perf_counter()
            cursor.execute("SELECT cell->>'%s', estimate FROM dp_histogram(NULL::adult, '{%s}', 0.01)" % (name, name))
            released = dict(cursor.fetchall())
            seconds.append(time.perf_counter() - begin)
            fidelities.append(fidelity(true, released))
        lines.append((name, "word pairs", "0.01", "0.9", mean(fidelities), "%.0f" % (1e3 * statistics.median(seconds))))
    table(("column", "domain, declared with its dictionaries", "epsilon", "rho", "F", "ms of the SQL call"), lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--reference", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--sql-runs", type=int, default=20)
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.reference)
    import cathist as reference  # noqa: E402

    # the prototype's own gives no single number under every numpy
    def dlaplace(rng, eps):
        q = -np.expm1(-eps)
        return int(rng.geometric(q)) - int(rng.geometric(q))
    reference.dlaplace = dlaplace
    with open(os.path.join(arguments.data, "adult.csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = [(name, sorted(Counter(row[name] for row in rows).values())) for name in COLUMNS]
    print("### CatHist, fidelity, Adult (%d rows), add_remove, %d runs\n" % (len(rows), arguments.runs))
    with tempfile.TemporaryDirectory() as directory:
        laws(build(directory), reference, columns, arguments.runs)
    connection = psycopg2.connect("")
    connection.autocommit = True
    install(connection)
    print("### The same through SQL, %d runs\n" % arguments.sql_runs)
    through_sql(connection, columns, arguments.sql_runs)


main()
