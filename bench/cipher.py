"""cipher and mwem beside the numpy prototype: the same table, budget, marginals and noise distribution, with a
public number of rows (replace_one). Prints mean total variation distance over all 1-, 2- and 3-way
margins (its standard error over the runs in parentheses), by how many standard errors the means
differ (negative: ours is nearer to the truth), and the time of the whole SQL call. Then a release of
9.8 million joint cells, with its time and memory."""
import argparse
import itertools
import statistics
import sys
import threading
import time

import numpy as np

from tables import distances, draw, flat, load, margins, owner_and_analyst, read, show

ROUNDS = 10
SMALL = tuple(np.exp(k) for k in (-2, -1, 0, 1, 2))
LARGE = (0.1, 1.0, 10.0)
ALL = ("entropic", "centred", "ridge", "mwem", "flat")
ADULT7 = ("age", "workclass", "marital_status", "relationship", "race", "sex", "income")


def simulated(n):
    """Four attributes of 2, 2, 3 and 3 levels, each a multinomial logit of those before: the shape of the
    paper's experiment 1, whose coefficients are not printed."""
    rng = np.random.default_rng(n)
    dims = (2, 2, 3, 3)
    codes = np.zeros((n, 4), dtype=int)
    for j, k in enumerate(dims):
        score = np.zeros((n, k))
        for i in range(j):
            score += rng.normal(0, 1, (dims[i], k))[codes[:, i]]
        codes[:, j] = (score + rng.gumbel(size=(n, k))).argmax(1)
    labels = [[str(v) for v in range(k)] for k in dims]
    return ["v1", "v2", "v3", "v4"], labels, codes, [[str(v) for v in row] for row in codes]


def difference(mine, theirs):
    words = []
    for x, y in zip(zip(*mine), zip(*theirs)):
        error = ((statistics.variance(x) + statistics.variance(y)) / len(x)) ** 0.5
        words.append("%+.1f" % ((statistics.mean(x) - statistics.mean(y)) / error if error > 0 else 0))
    return " ".join(words)


def ours(connection, name, labels, method, epsilon):
    arguments = {
        "mwem": ("mwem", "epsilon => %%s, rounds => %d" % ROUNDS),
        "mwem, default": ("mwem", "epsilon => %s"),
        "flat": ("flat", "epsilon => %s"),
    }.get(method, ("cipher", "epsilon => %%s, solver => '%s'" % method))
    return draw(connection, name, labels, *arguments, (epsilon,))


def prototype(modules, rng, joint, dims, method, epsilon):
    anova, cipher, dpcore = modules
    n = int(joint.sum())
    sets = list(itertools.combinations(range(len(dims)), 2))
    if method == "flat":
        x = cipher.fdh(rng, joint, epsilon, "replace", how="project", discrete=True)
    elif method.startswith("mwem"):
        x = cipher.mwem(rng, joint, sets, epsilon, ROUNDS, "replace", n=n, whole=True)
    else:
        noisy = cipher.noisy_marginals(rng, joint, sets, epsilon, "replace", discrete=True)
        a = np.exp(-epsilon / (2.0 * len(sets)))
        var = 2 * a / (1 - a) ** 2
        if method == "ridge":
            x = cipher.cipher(rng, noisy, dims, 1e-3, "seed")
        else:
            clean, _ = anova.clean_marginals(noisy, dims, var, n)
            if method == "centred":
                x = cipher.cipher(rng, clean, dims, 1e-3, "centred")
            else:
                x = cipher.entropic_fit(clean, dims, 300, cipher.product_prior(clean, dims),
                                        raw={s: t / n for s, t in noisy.items()},
                                        target=0.85 * cipher.noise_energy(noisy, var, n))
    return dpcore.sample_joint(rng, x, n)


def compare(arguments, modules, owner, analyst, name, table, methods, epsilons, runs):
    header, labels, codes, rows = table
    dims = [len(v) for v in labels]
    load(owner, name, header, labels, rows, "replace_one")
    joint = modules[2].table(codes, dims, list(range(len(dims)))).reshape(dims)
    sets = margins(dims)
    truth = {s: flat(codes, s, dims) for k in sets for s in sets[k]}
    rng = np.random.default_rng(1)
    for method in methods:
        for epsilon in epsilons:
            drawn = [ours(analyst, name, labels, method, epsilon) for _ in range(runs)]
            mine = [distances(truth, c, sets, dims) for c, _ in drawn]
            line = "| %s | %s | %.3g | %s |" % (name, method, epsilon, show(mine))
            if arguments.alone:
                line += " | | | |"
            else:
                theirs = [distances(truth, prototype(modules, rng, joint, dims, method, epsilon), sets, dims)
                          for _ in range(runs)]
                line += " %s | %s |" % (show(theirs), difference(mine, theirs))
            print("%s %.2f |" % (line, statistics.median(s for _, s in drawn)), flush=True)


class Peak(threading.Thread):
    """Peak of the private memory of one server process, sampled."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.kilobytes, self.ends = pid, 0, False

    def run(self):
        while not self.ends:
            try:
                with open("/proc/%d/status" % self.pid, encoding="ascii") as file:
                    fields = dict(line.split(":", 1) for line in file if line.startswith("Rss"))
                self.kilobytes = max(self.kilobytes, int(fields["RssAnon"].split()[0]))
            except (OSError, KeyError):
                pass
            time.sleep(0.02)


def ten_million(owner, analyst, rows):
    """All pairs of ten attributes with five levels."""
    cursor = owner.cursor()
    columns = ["c%d" % i for i in range(10)]
    cursor.execute("CREATE TABLE ten (%s)" % ", ".join(c + " smallint NOT NULL" for c in columns))
    cursor.execute("INSERT INTO ten SELECT %s FROM (SELECT i, i %% 5 AS a, i / 5 %% 5 AS b FROM generate_series(1::bigint, %d) i) x"
                   % (", ".join("(a * %d + b * %d + (i * 7919 / 25) %% %d) %% 5" % (k % 3, k % 2, 2 + k % 4)
                                for k in range(10)), rows))
    cursor.execute("VACUUM ANALYZE ten")
    cursor.execute("SELECT dp_protect('ten', 1000000, 0, 'replace_one'), dp_grant('ten', 'analyst', 1000000)")
    for c in columns:
        cursor.execute("SELECT dp_define_column('ten', %s, categories => '{0,1,2,3,4}', complete => true)", (c,))
    print("\n| 10 attributes of 5 levels, all pairs, %d rows | memory planned, MB | measured, MB | seconds |" % rows)
    print("|---|---|---|---|")
    query = analyst.cursor()
    query.execute("SELECT pg_backend_pid()")
    pid = query.fetchone()[0]
    for epsilon in LARGE:
        query.execute("SELECT max(memory_bytes) FROM dp_explain('ten', 'cipher', %s)", (epsilon,))
        planned = query.fetchone()[0]
        peak = Peak(pid)
        peak.start()
        begin = time.perf_counter()
        query.execute("SELECT count(*) FROM dp_synthesize_cipher(NULL::ten, %s)", (epsilon,))
        seconds = time.perf_counter() - begin
        peak.ends = True
        peak.join()
        print("| epsilon %g | %.0f | %.0f | %.1f |" % (epsilon, planned / 1e6, peak.kilobytes / 1e3, seconds), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--runs", type=int, default=10, help="of the large tables; the small ones take four times as many")
    parser.add_argument("--only", help="one of simulated200, simulated500, bankruptcy, adult7, sim16, ten")
    parser.add_argument("--alone", action="store_true", help="without the prototype")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.reference)
    import anova
    import cipher
    import dpcore

    owner, analyst = owner_and_analyst()
    modules = (anova, cipher, dpcore)
    large = ("entropic", "mwem", "mwem, default")
    tables = {
        "simulated200": (lambda: simulated(200), ALL, SMALL, 4),
        "simulated500": (lambda: simulated(500), ALL, SMALL, 4),
        "bankruptcy": (lambda: read(arguments.data + "/bankruptcy.csv"), ALL, LARGE, 4),
        "adult7": (lambda: read(arguments.data + "/adult_binned.csv", ADULT7), large, LARGE, 1),
        "sim16": (lambda: read(arguments.data + "/sim16.csv"), large, LARGE, 1),
    }
    print("### cipher and mwem, all pairs, replace_one, %d runs (large tables %d)\n" % (4 * arguments.runs, arguments.runs))
    print("| table | method | epsilon | tvd1 | tvd2 | tvd3 | prototype tvd1 | tvd2 | tvd3 | difference in standard errors |"
          " seconds |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name, (table, methods, epsilons, factor) in tables.items():
        if arguments.only in (None, name):
            compare(arguments, modules, owner, analyst, name, table(), methods, epsilons, factor * arguments.runs)
    if arguments.only in (None, "ten"):
        ten_million(owner, analyst, 1000000)


main()
