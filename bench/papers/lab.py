"""What the papers' experiments share: a table under protection, releases from it by a role without rights, measures
of them by the owner, and the table of figures that comes out. Needs psycopg2 and nothing else."""
import argparse
import csv
import json
import os
import statistics
import sys
import time

import psycopg2

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from protected import fidelity, install, load_open, load_typed, protect, read_rows  # noqa: E402,F401

FIELDS = ("figure", "series", "x", "measure", "value", "error", "runs", "printed")


class Lab:
    """Two sessions: the owner, who may read everything, and the analyst, who has a budget and no other right."""

    def __init__(self, data, out, quick=False, runs=1.0):
        self.data, self.out, self.quick, self.runs, self.protected = data, out, quick, runs, {}
        made = psycopg2.connect("")
        made.autocommit = True
        install(made)
        self.owner, self.analyst = made, psycopg2.connect("user=analyst")
        for connection in (self.owner, self.analyst):
            connection.autocommit = True
            connection.cursor().execute("SET client_min_messages = error")


    def times(self, full, quick=1):
        return quick if self.quick else max(1, round(full * self.runs))

    def some(self, values, quick=2):
        """All of the settings, or with QUICK the first and the last few."""
        values = list(values)
        return values if not self.quick or len(values) <= quick else values[:quick - 1] + values[-1:]

    def file(self, name):
        """None where the table is not here."""
        path = os.path.join(self.data, name + ".csv")
        return path if os.path.exists(path) else None

    def ask(self, statement, values=None, connection=None):
        cursor = (connection or self.owner).cursor()
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []

    def one(self, statement, values=None, connection=None):
        return self.ask(statement, values, connection)[0][0]

    def protect(self, name, columns, rows, neighbours="replace_one"):
        """columns: {name: (type, levels)} or {name: ("float8", None, bins)}."""
        self.ask('DROP TABLE IF EXISTS "%s" CASCADE' % name)
        load_typed(self.owner, name, columns, rows, neighbours)
        self.protected[name] = (columns, neighbours)

    def renew(self, name):
        """The same rows as a new table with a new budget, for experiments whose delta would soon be used up. (A table that
        is protected again has what it had left.)"""
        columns, neighbours = self.protected[name]
        self.ask('CREATE TABLE renewed AS TABLE "%s"; DROP TABLE "%s"; ALTER TABLE renewed RENAME TO "%s"' % (name, name, name))
        protect(self.owner, name, columns, [of[1] for of in columns.values()], neighbours)

    def release(self, name, method, epsilon, rows, delta=0, options=None, sets=1):
        """Names of the tables of synthetic rows, and the seconds that they took. Several sets are measured apart, each
        with its part of the budget, as the papers have it."""
        options = dict(options or {})
        if sets > 1:
            options["independent_sets"] = True
        begin = time.perf_counter()
        number = self.one("SELECT dp_release(%s, %s, %s, %s, %s, %s)",
                          (name, method, epsilon, delta, json.dumps(options), sets), self.analyst)
        names = ["synthetic_%d" % k for k in range(1, sets + 1)]
        for k, table in enumerate(names, 1):
            self.ask('DROP TABLE IF EXISTS "%s"' % table, connection=self.analyst)
            self.ask('CREATE UNLOGGED TABLE "%s" AS SELECT * FROM dp_sample(NULL::"%s", %%s, %%s, %%s, %%s)'
                     % (table, name), (number, rows, 1 if sets > 1 else None, k), self.analyst)
        return names, time.perf_counter() - begin

    def baseline(self, name, method, rows, **options):
        """The same of rows that are not private, made by the owner."""
        arguments = "".join(", %s => %%(%s)s" % (key, key) for key in options)
        self.ask('DROP TABLE IF EXISTS baseline')
        begin = time.perf_counter()
        self.ask('CREATE UNLOGGED TABLE baseline AS SELECT * FROM dp_baseline(NULL::"%s", %%(method)s, %%(rows)s%s)'
                 % (name, arguments), dict(options, method=method, rows=rows))
        return ["baseline"], time.perf_counter() - begin

    def evaluate(self, name, synthetic, **options):
        """{(measure, columns or None): (value, original, synthetic, detail)}."""
        found = self.ask("SELECT measure, columns, value, original, synthetic, detail FROM dp_evaluate(%s, %s, %s)",
                         (name, synthetic, json.dumps(options)))
        return {(row[0], tuple(row[1]) if isinstance(row[1], list) else row[1] and tuple(row[1].strip("{}").split(","))):
                row[2:] for row in found}

    def chart(self, name, title, panels, **options):
        import chart
        chart.draw(os.path.join(self.out, name + ".svg"), title, panels, **options)


def run(paper, experiments):
    """The program of a paper: each experiment is called with the lab and the table of figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--runs", type=float, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", help="some of " + ", ".join(e.__name__ for e in experiments))
    arguments = parser.parse_args()
    lab = Lab(arguments.data, arguments.out, arguments.quick, arguments.runs)
    figures = Figures(lab, paper)
    for experiment in experiments:
        if arguments.only is None or experiment.__name__ in arguments.only.split(","):
            begin = time.perf_counter()
            print("%s, %s" % (paper, experiment.__name__), flush=True)
            experiment(lab, figures)
            print("  %.0f s" % (time.perf_counter() - begin), flush=True)
            figures.write()


class Figures:
    """The table of figures of one paper."""

    def __init__(self, lab, paper):
        self.lab, self.paper, self.rows = lab, paper, []

    def add(self, figure, series, x, measure, values, printed=""):
        """Of several runs their mean and its standard error."""
        values = [v for v in (values if isinstance(values, (list, tuple)) else [values]) if v is not None]
        if not values:
            return
        error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else ""
        row = dict(zip(FIELDS, (figure, series, x, measure, statistics.fmean(values), error, len(values), printed)))
        self.rows.append(row)
        print("  %s | %s | %s | %s | %.4g%s%s" % (
            figure, series, x, measure, row["value"], "" if error == "" else " (%.2g)" % error,
            " | printed: %s" % printed if printed != "" else ""), flush=True)

    def lines(self, figure, measure, series=None):
        """For a chart: {series: [(x, y, error)]}."""
        found = {}
        for row in self.rows:
            if row["figure"] == figure and row["measure"] == measure and (series is None or row["series"] in series):
                found.setdefault(row["series"], []).append((row["x"], row["value"], row["error"]))
        return found

    def write(self):
        """Experiments that were left out this time keep the figures that they have."""
        path = os.path.join(self.lab.out, self.paper + ".csv")
        short = lambda v: "%.6g" % v if isinstance(v, float) else v
        rows = [{key: short(value) for key, value in row.items()} for row in self.rows]
        made = {row["figure"] for row in rows}
        if os.path.exists(path):
            with open(path, newline="", encoding="utf-8") as file:
                rows = [row for row in csv.DictReader(file) if row["figure"] not in made] + rows
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
