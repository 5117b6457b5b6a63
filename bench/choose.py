"""Every method that dp_methods lists, with its defaults, on the same tables through SQL: mean total variation
distance over all 2-way margins, which method dp_synthesize chooses, and how far that one is from the best.
docs/choosing.md has what the rule makes of it. A release that takes longer than the limit is left out ("slow"), and so
is one that the method refuses ("-"), with its words below."""
import argparse
import itertools
import re
import statistics
import time

import numpy as np
import psycopg2

import shapes
from frontier import load_codes
from tables import flat, owner_and_analyst, read

DELTAS = (0, 1e-9)

# name, file (None: of shapes.py), columns (None: all)
TABLES = (
    ("bankruptcy", "bankruptcy", None),
    ("sim16", "sim16", None),
    ("adult7", "adult_binned", ("age", "workclass", "marital_status", "relationship", "race", "sex", "income")),
    ("adult_binned", "adult_binned", None),
    ("cps_vote10k", "cps_vote10k", None),
    *((name, None, None) for name in ("small", "classes", "chain", "sparse", "many_levels", "binary60")),
)
# settings that stand for a method of their own
VARIANTS = {"margins": ("privbayes", '{"parents": 0}'), "aim pairs": ("aim", '{"workload": 2}')}


class Table:
    def __init__(self, owner, folder, name, file, columns):
        self.name = name
        if file is None:
            codes, dims = shapes.SHAPES[name]()
            header = ["c%d" % k for k in range(len(dims))]
            self.labels = [["v%03d" % v for v in range(n)] for n in dims]
        else:
            header, self.labels, codes, _ = read("%s/%s.csv" % (folder, file), columns)
        self.dims = [len(v) for v in self.labels]
        self.rows = len(codes)
        self.pairs = list(itertools.combinations(range(len(header)), 2))
        self.truth = {s: flat(codes, s, self.dims) for s in self.pairs}
        load_codes(owner, name, header, self.labels, codes)

    def tvd2(self, codes):
        return statistics.mean(0.5 * np.abs(self.truth[s] - flat(codes, s, self.dims)).sum() for s in self.pairs)

    def uniform(self):
        """What a table that nothing is known of comes to."""
        codes = np.random.default_rng(1).integers(0, self.dims, (100000, len(self.dims)))
        return self.tvd2(codes)

    def codes(self, rows):
        index = [{v: i for i, v in enumerate(values)} for values in self.labels]
        return np.array([[index[j].get(v, len(self.labels[j])) for j, v in enumerate(row)] for row in rows])


def releases(connection, table, method, options, epsilon, delta, runs, limit):
    """tvd2 of each run and the median of seconds; or why there is none."""
    cursor = connection.cursor()
    cursor.execute("SET statement_timeout = %s", (int(limit * 1000),))
    values, seconds = [], []
    for _ in range(runs):
        begin = time.perf_counter()
        try:
            cursor.execute('SELECT * FROM dp_synthesize(NULL::"%s", method => %%s, epsilon => %%s, delta => %%s, rows => %%s, options => %%s)' % table.name,
                           (method, epsilon, delta, table.rows, options))
            values.append(table.tvd2(table.codes(cursor.fetchall())))
        except psycopg2.errors.QueryCanceled:
            stop_releases(cursor)
            return None, "slow"
        except psycopg2.Error as error:
            return None, error.diag.message_primary
        seconds.append(time.perf_counter() - begin)
    return values, statistics.median(seconds)


def stop_releases(cursor):
    """Workers go on when whoever waited for them does not: ends those, and waits for their end."""
    cursor.execute("SET statement_timeout = 0; SELECT dp_cancel(pid) FROM dp_running")
    while True:
        cursor.execute("SELECT count(*) FROM dp_running")
        if cursor.fetchone()[0] == 0:
            return
        time.sleep(.1)


def chosen(connection, table, epsilon, delta):
    cursor = connection.cursor()
    del connection.notices[:]
    cursor.execute("SELECT dp_explain(%s, 'auto', %s, %s, %s)",
                   (table.name, epsilon, delta, '{"table_rows": %d}' % 10 ** round(np.log10(table.rows))))
    return next(m.group(1) for m in (re.search('method "(.*?)" was chosen', n) for n in connection.notices) if m)


def measure(connection, table, methods, epsilon, delta, arguments, refused):
    """One line of the table; the regret."""
    found = {}
    words = []
    for name, (method, options) in methods.items():
        values, said = releases(connection, table, method, options, epsilon, delta, arguments.runs, arguments.limit)
        if values is None:
            words.append("slow" if said == "slow" else "-")
            if said != "slow":
                refused.setdefault((name, said), []).append("%s %g %g" % (table.name, epsilon, delta))
            continue
        found[name] = statistics.mean(values)
        words.append("%.3f" % found[name])
    pick = chosen(connection, table, epsilon, delta)
    best = min(found, key=found.get)
    regret = found[pick] / found[best] if pick in found else float("nan")
    print("| %s | %g | %g | %s | %s | %s | %.2f |"
          % (table.name, epsilon, delta, " | ".join(words), pick, best, regret), flush=True)
    return regret


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60, help="seconds of one release")
    parser.add_argument("--epsilons", default="0.1,1,10", help="separated by commas")
    parser.add_argument("--only", help="tables, separated by commas")
    parser.add_argument("--methods", help="only these, separated by commas")
    arguments = parser.parse_args()

    owner, analyst = owner_and_analyst()
    cursor = analyst.cursor()
    cursor.execute("SELECT method FROM dp_methods ORDER BY method")
    methods = {m: (m, "{}") for (m,) in cursor.fetchall()}
    methods.update(VARIANTS)
    if arguments.methods:
        methods = {m: methods[m] for m in arguments.methods.split(",")}
    print("### Choosing, add_remove, %d runs, tvd2\n" % arguments.runs)
    print("| table | epsilon | delta | %s | chosen | best | chosen / best |" % " | ".join(methods))
    print("|---|---|---|%s---|---|---|" % ("---|" * len(methods)))
    epsilons = [float(e) for e in arguments.epsilons.split(",")]
    refused, regrets = {}, []
    for name, file, columns in TABLES:
        if arguments.only and name not in arguments.only.split(","):
            continue
        table = Table(owner, arguments.data, name, file, columns)
        for epsilon, delta in itertools.product(epsilons, DELTAS):
            regrets.append(measure(analyst, table, methods, epsilon, delta, arguments, refused))
        print("| %s | | | uniform: %.3f, cells: %.2g, rows: %d |" % (name, table.uniform(),
                                                                    np.prod(table.dims, dtype=float), table.rows))
    regrets = [r for r in regrets if r == r]
    print("\nchosen over best: mean %.2f, largest %.2f" % (statistics.mean(regrets), max(regrets)))
    for (name, said), where in refused.items():
        print("- %s: %s (%s)" % (name, said, ", ".join(where)))


main()
