"""How well dp_explain forecasts the CPU seconds and the memory of a release's worker, on tables of many
shapes. The prices in src/core/plan/cost_estimate.c are fitted to such runs; here each table is judged
with prices that were fitted to all others (leave one table out). CPU time, so that other work on the
machine matters little. --collect writes the runs to a file, without it the file is judged."""
import argparse
import json
import math
import re
import time

import numpy as np

import shapes
from simulated import FRESH, SIMULATED

DELTA = "1e-9"
# method, options, epsilons
SETTINGS = (("aim", {}, (.3, 1, 3, 10, 30)), ("aim", {"effort": "fast"}, (1, 10)), ("aim", {"workload": 2}, (1, 10)),
            ("mst", {}, (.3, 3, 30)), ("privbayes", {}, (1, 10)), ("sbhg", {}, (1,)), ("steps", {}, (1,)))


def tables(data):
    """Functions that give codes and levels, by name."""
    from tables import read

    def of_file(name):
        _, labels, codes, _ = read("%s/%s.csv" % (data, name))
        return codes, [len(v) for v in labels]

    every = {**SIMULATED, **FRESH}
    for name, rows in (("city", 40000), ("census", 20000), ("codes500", 40000), ("salaries", 40000)):
        every[name] = lambda name=name, rows=rows: shapes.SHAPES[name](rows=rows)
    every["census60"] = lambda: shapes.census(20000, 31, 60)
    every["wide64"] = lambda: shapes.wide(64, 30000, 32)
    for name in ("adult_binned", "cps_vote10k", "sim16", "bankruptcy"):
        every[name] = lambda name=name: of_file(name)
    return every


def load(owner, name, table):
    from frontier import load_codes

    codes, dims = table
    load_codes(owner, name, ["c%d" % k for k in range(len(dims))],
               [["v%04d" % v for v in range(n)] for n in dims], codes)


def told(connection, name, rows, method, epsilon, options):
    """What dp_explain expects, and the work that it expects it of; None where the method is refused."""
    import psycopg2

    cursor = connection.cursor()
    del connection.notices[:]
    try:
        cursor.execute("SET client_min_messages = debug1")
        cursor.execute("SELECT expected_seconds, expected_bytes FROM dp_explain(%s::regclass, %s, %s, %s, %s)"
                       " WHERE stage = 'total'",
                       (name, method, epsilon, float(DELTA), json.dumps({**options, "table_rows": rows})))
        seconds, size = cursor.fetchone()
    except psycopg2.Error:
        return None
    finally:
        cursor.execute("SET client_min_messages = warning")
    work = [json.loads(re.search(r"work: ({.*})", line).group(1)) for line in connection.notices if "work: {" in line]
    return {"seconds": float(seconds), "bytes": float(size), "work": work[0]} if work else None


def collect(arguments):
    import psycopg2

    from cost_estimate import release
    from frontier import own_seconds
    from tables import install

    owner = psycopg2.connect("")
    owner.autocommit = True
    install(owner)
    every = tables(arguments.data)
    with open(arguments.runs, "a", encoding="utf-8") as out:
        for name in arguments.tables or every:
            codes, dims = every[name]()
            load(owner, name, (codes, dims))
            for method, options, epsilons in SETTINGS:
                for epsilon in epsilons:
                    forecast = told(owner, name, len(codes), method, epsilon, options)
                    if forecast is None or forecast["seconds"] > arguments.limit:
                        continue
                    try:
                        seconds, mb = release(name, len(codes), method, epsilon, options)
                    except psycopg2.Error as error:
                        print(name, method, epsilon, error, flush=True)
                        continue
                    run = {"table": name, "method": method, "options": options, "epsilon": epsilon, "rows": len(codes),
                           "dims": dims, "cpu": seconds, "peak": mb * 1048576, "rest": forecast["work"]["seconds"] - forecast["work"]["fits"],
                           **forecast}
                    if method in ("aim", "mst") and epsilon in (1, 3):
                        run["draw"] = drawn(name)
                    out.write(json.dumps(run) + "\n")
                    out.flush()
            owner.cursor().execute('SELECT dp_unprotect(%s); DROP TABLE "%s"' % (psycopg2.extensions.adapt(name), name))
            print(name, time.strftime("%H:%M:%S"), flush=True)


def drawn(name):
    """CPU seconds of drawing the rows of the last release."""
    import psycopg2

    from frontier import own_seconds

    analyst = psycopg2.connect("user=analyst")
    before = own_seconds(analyst.get_backend_pid())[0]
    cursor = analyst.cursor()
    cursor.execute('SELECT count(*) FROM dp_sample(NULL::"%s", (SELECT max(release) FROM dp_releases))' % name)
    seconds = own_seconds(analyst.get_backend_pid())[0] - before
    analyst.close()
    return seconds


# ---- judging ----

LEAST = .04           # seconds: runs and forecasts below are judged as if they took so long; a tick of the clock is .01
# as in cost_estimate.c
CLEAR_TABLES, MANY, ROWS_OF_NOISE_MAX = .1, 16, 1e5
LISTED, LISTED_CELL, LISTED_CELLS_MAX = 1.2e-5, 2.2e-8, 6e7
WALKS, WALKED_CELL, RUN = 2.8, 1.1e-9, 8e-9


def clear(work, most):
    """Tables of at most so many cells, and their cells, as dp_expected_clear has them."""
    sizes = [(2 ** k, cells) for k, cells in enumerate(work["sizes"]) if 2 ** k <= most]
    return sum(cells / (size * .75) for size, cells in sizes), sum(cells for _, cells in sizes)


def features(work):
    noise = work["rows"] / work["stddev"]
    return [1, math.log(work["cells"]), math.log1p(min(clear(work, CLEAR_TABLES * noise)[0], work["tables"])), math.log(min(noise, ROWS_OF_NOISE_MAX)),
            work["columns"] > MANY]


def cell_seconds(work):
    """Of a cell of a clique, as dp_cost_estimate_cell_seconds has it."""
    return WALKS * (WALKED_CELL + RUN / max(work["levels"] ** 2, 1))


def known(run):
    """Seconds that are not fitted: of the scan, and of rounds that score all candidates."""
    tables, cells = clear(run["work"], math.inf)
    return run["rest"] + run["work"]["columns"] * (LISTED * tables + LISTED_CELL * min(cells, LISTED_CELLS_MAX))


def is_fitted(run):
    return run["work"]["cells"] > 0 and not run["work"]["batched"]


def fit(runs):
    """The powers of cost_estimate.c, by Gauss-Newton on logarithms of all seconds, in which large misses
    weigh less; a ridge keeps few tables from deciding much."""
    x = np.array([features(run["work"]) for run in runs], float)
    rest = np.array([known(run) for run in runs])
    goal = np.log(np.maximum([run["cpu"] for run in runs], LEAST))
    cell = np.array([cell_seconds(run["work"]) for run in runs])
    mean, scale = x[:, 1:].mean(0), x[:, 1:].std(0) + 1e-9
    x[:, 1:] = (x[:, 1:] - mean) / scale
    found, ridge = np.array([17.] + [0.] * (x.shape[1] - 1)), np.diag([0.] + [.01] * (x.shape[1] - 1))
    for _ in range(100):
        powers = cell * np.exp(np.clip(x @ found, 0, 26))
        off = goal - np.log(np.maximum(rest + powers, LEAST))
        slope = x * (powers / (rest + powers))[:, None]
        weighted = slope / np.sqrt(1 + off ** 2)[:, None]
        step = np.linalg.solve(weighted.T @ slope + ridge + 1e-6 * np.eye(len(found)), weighted.T @ off - ridge @ found)
        found += step * min(1, 1 / np.abs(step).max())
    found[1:] /= scale
    found[0] -= found[1:] @ mean
    return found


def held_out(runs):
    """Forecasts of each run by prices that were fitted to the other tables' runs."""
    for name in {run["table"] for run in runs}:
        fitted = [run for run in runs if is_fitted(run)]
        found = fit([run for run in fitted if run["table"] != name])
        for run in runs:
            if run["table"] == name:
                run["held_out"] = (known(run) + cell_seconds(run["work"]) * math.exp(found @ np.array(features(run["work"]), float)) if is_fitted(run)
                                   else run["seconds"])


def share_within(ratios, factor):
    return "%.0f %%" % (100 * sum(1 / factor <= ratio <= factor for ratio in ratios) / len(ratios))


def judge(runs, told_alone):
    if not told_alone:
        held_out(runs)
    for run in runs:
        run["ratio"] = max(run["seconds"] if told_alone else run["held_out"], LEAST) / max(run["cpu"], LEAST)
        run["of_bytes"] = run["bytes"] / max(run["peak"], 1)
    print("| method | runs | seconds within 2 | within 3 | bytes within 2 |\n|---|---|---|---|---|")
    for method in ["all"] + sorted({run["method"] for run in runs}):
        of = [run for run in runs if method in ("all", run["method"])]
        seconds, size = [run["ratio"] for run in of], [run["of_bytes"] for run in of]
        print("| %s | %d | %s | %s | %s |" % (method, len(of), share_within(seconds, 2), share_within(seconds, 3), share_within(size, 2)))
    print("\n| table held out | runs | CPU s | seconds within 2 | median of estimate / CPU s | least | most | bytes within 2 |")
    print("|---|---|---|---|---|---|---|---|")
    for name in sorted({run["table"] for run in runs}):
        of = [run for run in runs if run["table"] == name]
        ratios = sorted(run["ratio"] for run in of)
        print("| %s | %d | %.1f | %s | %.2f | %.2f | %.2f | %s |"
              % (name, len(of), sum(run["cpu"] for run in of), share_within(ratios, 2), ratios[len(ratios) // 2], ratios[0],
                 ratios[-1], share_within([run["of_bytes"] for run in of], 2)))
    if told_alone:
        return
    found = fit([run for run in runs if is_fitted(run)])
    print("\nfitted to all: FIT_CELLS %.2g, FIT_POWER_CELLS %.2f, FIT_POWER_TABLES %.2f, FIT_POWER_ROWS %.2f, FIT_TIMES_MANY %.2f"
          % (math.exp(found[0]), *found[1:4], math.exp(found[4])))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data")
    parser.add_argument("--collect", action="store_true")
    parser.add_argument("--runs", required=True, help="file of runs, a JSON object a line")
    parser.add_argument("--told", action="store_true", help="judge what dp_explain said, of tables that no price was fitted to")
    parser.add_argument("--tables", nargs="+")
    parser.add_argument("--limit", type=float, default=10, help="seconds that a release may be expected to take")
    arguments = parser.parse_args()
    if arguments.collect:
        collect(arguments)
        return
    with open(arguments.runs, encoding="utf-8") as file:
        judge([json.loads(line) for line in file], arguments.told)


if __name__ == "__main__":
    main()
