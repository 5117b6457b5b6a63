"""What is audited: pairs of neighbouring tables, and how they are released."""
import itertools
import json
import math
import os
from contextlib import closing

import law
import model
from dptest import connect, one, run

RELEASES = int(os.environ.get("AUDIT_RELEASES", "1000"))

# ---- tables: columns with their types, and what is declared of them ------------------

SMOKERS = {"sex": "text NOT NULL CHECK (sex IN ('f', 'm'))", "smoker": "boolean NOT NULL"}
PATIENTS = {"smoker": "boolean NOT NULL", "ill": "boolean NOT NULL", "old": "boolean NOT NULL"}
TOWNS = {"sex": "text NOT NULL CHECK (sex IN ('f', 'm'))", "town": "text NOT NULL"}
VISITS = {"person": "integer NOT NULL", "sex": "text NOT NULL CHECK (sex IN ('f', 'm'))",
          "smoker": "boolean NOT NULL"}
VISITED_TOWNS = {"person": "integer NOT NULL", **TOWNS}

CROWD = [("f", True)] * 12 + [("f", False)] * 9 + [("m", False)] * 14
COMMON = ("f", True)
RARE = ("m", True)  # nobody else is in its cell

# On the record in question it depends which columns belong together most.
WARD = [(True, False, True)] * 15 + [(True, False, False)] * 4 + [(False, False, True)] * 4
ILL = (False, True, False)
WARD_OF_ONE_KIND = [(True, False, True)] * 30
ILL_THERE = (True, True, False)

# Smoking and illness are equally uneven, but for one record.
EVEN = [(True, True, True)] * 4 + [(True, True, False)] * 4 + [(True, False, True)] * 2 \
    + [(True, False, False)] * 2 + [(False, True, True)] * 2 + [(False, True, False)] * 2 \
    + [(False, False, True)] * 2 + [(False, False, False)] * 2

TOWN = [("f", "here")] * 12 + [("m", "here")] * 9 + [("m", "there")] * 2
THERE = ("m", "there")
NOWHERE = ("f", "nowhere")  # a value that nobody else has

STABILITY = '{"dense_cells": 0}'
UNIT_ROWS = 2  # max_rows_per_unit of the cases with units


def of_persons(rows):
    """Each row a person's."""
    return [(person, *row) for person, row in enumerate(rows)]


def of_one_person(row):
    """More than count."""
    return [(10 ** 6, *row)] * (3 * UNIT_ROWS)


class Case:
    """Two neighbouring tables: one with the rows of `unit`, one without, or under replace_one with
    those of `instead`. A unit is a row, or with rows_max all rows of a person."""

    def __init__(self, key, columns, crowd, unit, method, neighbours, epsilon, delta=0, options="{}",
                 instead=None, rows_max=None, open_column=None, releases=RELEASES, caught=4):
        self.key, self.name = key, "%s, %s" % (key.replace("-", " "), neighbours)
        self.types, self.columns = columns, [name for name in columns if name != "person"]
        self.method, self.neighbours = method, neighbours
        self.epsilon, self.delta, self.options = epsilon, delta, options
        self.rows_max, self.open_column = rows_max, open_column
        self.caught = caught  # a claim of so much less must not pass; None: not asked
        self.sensitivity = (2 if neighbours == "replace_one" else 1) * (rows_max or 1)
        unit = [unit] if isinstance(unit, tuple) else unit
        other = (instead or [crowd[-1]]) if neighbours == "replace_one" else []
        self.rows = [crowd + other, crowd + unit]
        # what only this unit can show costs delta, all else costs epsilon
        self.alone = delta > 0 and self.counted(1)[-1] not in self.counted(0)
        self.releases = [releases // 8 if self.alone else releases, releases]
        self.relations = []
        self.models = [None, None]
        self.stages = {}

    def names(self):
        return {self.key, "%s/%s" % (self.key, self.neighbours)}

    def counted(self, side):
        """The rows of a table; with units as many of each person as count. (A person's rows are
        all the same here, so it does not matter which.)"""
        if not self.rows_max:
            return self.rows[side]
        seen, kept = law.Counter(), []
        for person, *row in self.rows[side]:
            seen[person] += 1
            if seen[person] <= self.rows_max:
                kept.append(tuple(row))
        return kept

    def create(self, boss, number):
        self.relations = ["audit_%d_%s" % (number, side) for side in ("without", "with")]
        for relation, rows in zip(self.relations, self.rows):
            run(boss, "CREATE TABLE %s (%s)" % (relation, ", ".join(
                "%s %s" % column for column in self.types.items())))
            for row in rows:
                run(boss, "INSERT INTO %s VALUES (%s)"
                    % (relation, ", ".join(["%s"] * len(row))), *row)
            run(boss, "SELECT dp_protect(%s, 1000000, 0.9, %s" + (
                ", unit_column => 'person', max_rows_per_unit => %d)" % self.rows_max
                if self.rows_max else ")"), relation, self.neighbours)
            if self.open_column:
                run(boss, "SELECT dp_define_column(%s, %s, open => true)", relation,
                    self.open_column)
        # stage: (epsilon of one table, threshold)
        self.stages = {stage: (float(epsilon), threshold) for stage, epsilon, threshold in run(
            boss, "SELECT stage, epsilon_each, threshold FROM dp_explain(%s, %s, %s, %s, %s)"
            " WHERE tables IS NOT NULL", self.relations[1], self.method, self.epsilon, self.delta,
            self.options)}

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
                END LOOP; END $$""" % (self.releases[side], relation, relation, self.method,
                                       self.epsilon, self.delta, self.options))
            self.models[side] = [model.parse(row[0]) for row in run(
                boss, "SELECT model FROM dp_release_store WHERE relation_name = %s ORDER BY id",
                "public." + relation)]

    def table_epsilon(self, table):
        """Of one histogram, as dp_explain states it; where that tells several, as the model does."""
        stated = [epsilon for stage, (epsilon, _) in self.stages.items() if "histogram" in stage]
        return stated[0] if len(stated) == 1 else table.epsilon

    def exact(self, table, described, side):
        return law.counts(table.attributes, self.columns, self.counted(side), described)

    def score(self, released, cache):
        """ln of how much likelier it is with the unit than without: all of a release, and, where
        there is such a thing, what was chosen for it (parents, labels)."""
        labels = tuple(tuple(attribute.labels) for attribute in released.attributes)
        if labels not in cache:
            cache[labels] = self.labels_score(released.attributes)
        chosen, measured = cache[labels], 0.0
        for table in released.tables:
            key = tuple(table.attributes), labels
            if key not in cache:
                cache[key] = [self.exact(table, released.attributes, side) for side in (0, 1)]
                cache[key].append(self.parents_score(table, released.attributes))
            without, with_unit, parents = cache[key]
            chosen += parents
            occupied = set(with_unit) | set(without)
            measured += law.table_log_likelihood(table, with_unit, occupied) \
                - law.table_log_likelihood(table, without, occupied)
        return (chosen + measured, chosen) if self.chooses() else (measured,)

    def chooses(self):
        return "select parents" in self.stages or self.open_column is not None

    def parents_of(self, table, described):
        """(parents, child) as places of columns, where parents were selected; else None."""
        if "select parents" not in self.stages or not table.attributes:
            return None
        columns = [self.columns.index(described[a].name) for a in table.attributes]
        return tuple(columns[:-1]), columns[-1]

    def parents_log_likelihood(self, parents, child, rows):
        most = 3 if self.neighbours == "replace_one" else 2
        return law.parents_log_likelihood(
            parents, child, self.columns, rows, self.stages["select parents"][0],
            law.SCORE_UNIT * most * (self.rows_max or 1))

    def parents_score(self, table, described):
        choice = self.parents_of(table, described)
        return self.difference(lambda rows: self.parents_log_likelihood(*choice, rows)) \
            if choice else 0.0

    def labels_score(self, described):
        """Of the labels that were found for an open column."""
        if not self.open_column:
            return 0.0
        epsilon, threshold = self.stages["discover values"]
        labels, = [a.labels for a in described if a.name == self.open_column]
        column = self.columns.index(self.open_column)
        return self.difference(lambda rows: law.label_log_likelihood(
            labels, law.Counter(row[column] for row in rows), epsilon / self.sensitivity,
            threshold))

    def difference(self, log_likelihood):
        return log_likelihood(self.counted(1)) - log_likelihood(self.counted(0))

    def shows_unit(self, released):
        """Whether a release has a label or a cell that only the unit's rows can give it."""
        for attribute in released.attributes:
            if attribute.name == self.open_column:
                column = self.columns.index(attribute.name)
                if set(attribute.labels) - {row[column] for row in self.counted(0)}:
                    return True
        return any(not table.dense and codes not in self.exact(table, released.attributes, 0)
                   for table in released.tables for codes in table.cells)


class RowsCase(Case):
    """The release is rows, drawn column by column by the perturbed mechanism."""

    def __init__(self, key, columns, crowd, unit, method, neighbours, epsilon, parents, drawn,
                 block=1, **more):
        options = {"rows": drawn}
        if method == "pegs":
            options.update(block=block, features=parents)
        else:
            options.update(mechanism="bootstrap")
        super().__init__(key, columns, crowd, unit, method, neighbours, epsilon,
                         options=json.dumps(options), caught=None, **more)
        self.parents, self.drawn, self.block = parents, drawn, block

    def rows_of(self, released):
        width = len(released.attributes)
        return [tuple(released.structure[i:i + width])
                for i in range(0, len(released.structure), width)]

    def log_likelihood(self, rows, released, side):
        alpha = law.perturbed_alpha(self.epsilon * self.block / self.drawn, len(self.columns),
                                    self.block, self.neighbours == "replace_one",
                                    self.rows_max or 1)
        return law.perturbed_rows_log_likelihood(
            rows, released.attributes, self.parents, self.columns, self.counted(side), alpha,
            self.block)

    def score(self, released, cache):
        rows = tuple(self.rows_of(released))
        if rows not in cache:
            cache[rows] = self.log_likelihood(rows, released, 1) \
                - self.log_likelihood(rows, released, 0)
        return (cache[rows],)

    def expected_rows(self, side):
        """Probability of each release that there can be."""
        released = self.models[side][0]
        levels = [len(a.labels) + a.has_other for a in released.attributes]
        one = list(itertools.product(*map(range, levels)))
        return {rows: math.exp(self.log_likelihood(rows, released, side))
                for rows in itertools.product(one, repeat=self.drawn)}


class ChoiceCase(Case):
    """mwem with one round over single columns of two values: what it predicts is the same for each, so
    it goes for the one that is least even."""

    def score(self, released, cache):
        measured, = super().score(released, cache)
        chosen = self.difference(lambda rows: self.choice_log_likelihood(released, rows))
        return measured + chosen, chosen

    def choice_log_likelihood(self, released, rows):
        chosen, = [released.attributes[t.attributes[0]].name for t in released.tables if t.attributes]
        number = [t.cells[()] for t in released.tables if not t.attributes]  # noisy, where it is secret
        half = law.SCORE_UNIT * max(number[0] if number else len(rows), 1) // 2
        scores = {}
        for place, column in enumerate(self.columns):
            counted = law.Counter(row[place] for row in rows)
            scores[column] = sum(abs(law.SCORE_UNIT * counted[value] - half) for value in (False, True))
        p = law.permute_and_flip(scores, chosen, self.stages["select marginals"][0],
                                 law.SCORE_UNIT * self.sensitivity)
        return law.math.log(p) if p > 0 else law.NEVER


def row_cases():
    """A row is the unit."""
    few, some, many = RELEASES * 3 // 10, RELEASES // 2, RELEASES * 6 // 10
    return [
        Case("sbhg-dense", SMOKERS, CROWD, RARE, "sbhg", "add_remove", 4, releases=many),
        Case("sbhg-dense", SMOKERS, CROWD, RARE, "sbhg", "replace_one", 6, releases=many, caught=6),
        Case("sbhg-stability-common", SMOKERS, CROWD, COMMON, "sbhg", "add_remove", 4, 0.22,
             STABILITY, releases=many, caught=6),
        Case("sbhg-stability-rare", SMOKERS, CROWD, RARE, "sbhg", "add_remove", 2, 0.22, STABILITY,
             releases=some),
        Case("sbhg-stability-rare", SMOKERS, CROWD, RARE, "sbhg", "replace_one", 4, 0.22, STABILITY,
             releases=some),
        Case("sba-dense", SMOKERS, CROWD, RARE, "sba", "add_remove", 2, 0, '{"dense_cells": 100}',
             releases=some),
        Case("sba-dense", SMOKERS, CROWD, RARE, "sba", "replace_one", 5, 0, '{"dense_cells": 100}',
             releases=some, caught=6),
        Case("sba-stability-common", SMOKERS, CROWD, COMMON, "sba", "add_remove", 2, 0.11,
             releases=many),
        Case("sba-stability-rare", SMOKERS, CROWD, RARE, "sba", "add_remove", 1, 0.28, releases=few),
        Case("sba-stability-rare", SMOKERS, CROWD, RARE, "sba", "replace_one", 2, 0.28,
             releases=few),
        # columns that belong together or not by the record alone: parents are selected
        Case("sbhg-selected", PATIENTS, WARD, ILL, "sbhg", "add_remove", 3, releases=RELEASES * 8 // 10,
             caught=8),
        Case("sbhg-selected", PATIENTS, WARD_OF_ONE_KIND, ILL_THERE, "sbhg", "replace_one", 6, 0,
             '{"selection_share": 0.2}', instead=[(False, False, False)],
             releases=many, caught=8),
        # a value that the record has to itself, or helps over the threshold
        Case("sba-open-rare", TOWNS, TOWN, NOWHERE, "sba", "add_remove", 1, 0.33,
             '{"dense_cells": 100, "open_share": 0.9}', open_column="town", releases=few),
        Case("sbhg-open-rare", TOWNS, TOWN, NOWHERE, "sbhg", "replace_one", 2, 0.33,
             '{"open_share": 0.9}', open_column="town", releases=few),
        Case("sbhg-open-common", TOWNS, TOWN, THERE, "sbhg", "add_remove", 4, 0.05,
             '{"open_share": 0.5}', open_column="town", releases=many, caught=6),
    ]


def tree_cases():
    """Trees and networks: an event is scored by the tables alone, not by what was chosen."""
    some = RELEASES // 2
    return [
        Case("steps-selected", SMOKERS, CROWD, RARE, "steps", "add_remove", 4, 0, '{"layers": 1}',
             releases=some, caught=6),
        Case("flat-sparse", SMOKERS, CROWD, RARE, "flat", "add_remove", 4, 0,
             '{"dense_cells": 0, "tolerance": 0.01}', releases=some, caught=6),
        Case("privbayes", SMOKERS, CROWD, RARE, "privbayes", "replace_one", 6, 0, '{"degree": 1}',
             releases=some, caught=8),
        Case("steps-selected", SMOKERS, CROWD, RARE, "steps", "replace_one", 8, 0, '{"layers": 1}',
             releases=some, caught=10),
        Case("uh", SMOKERS, CROWD, RARE, "uh", "add_remove", 4, releases=some, caught=10),
        Case("uh", SMOKERS, CROWD, RARE, "uh", "replace_one", 8, releases=some, caught=10),
        Case("flat-sparse", SMOKERS, CROWD, RARE, "flat", "replace_one", 8, 0,
             '{"dense_cells": 0, "tolerance": 0.01}', releases=some, caught=10),
        Case("privbayes", SMOKERS, CROWD, RARE, "privbayes", "add_remove", 4, 0, '{"degree": 1}',
             releases=some, caught=10),
        Case("mst", SMOKERS, CROWD, RARE, "mst", "add_remove", 4, 0, '{"group_rare": false}',
             releases=some, caught=10),
        Case("mst", SMOKERS, CROWD, RARE, "mst", "replace_one", 8, 0, '{"group_rare": false}',
             releases=some, caught=10),
        Case("aim", SMOKERS, CROWD, RARE, "aim", "add_remove", 4, 0,
             '{"rounds": 2, "group_rare": false}', releases=some, caught=10),
        Case("aim", SMOKERS, CROWD, RARE, "aim", "replace_one", 8, 0,
             '{"rounds": 2, "group_rare": false}', releases=some, caught=10),
    ]


DOMAIN = '{"rho": 0.05, "domain": {"town": ["here", "there", "nowhere", "elsewhere", "far away"]}}'


def histogram_cases():
    """Histograms over a domain: the record has a value to itself, which shows without it too."""
    few, some = RELEASES * 4 // 10, RELEASES // 2
    return [
        Case("histogram-cathist", TOWNS, TOWN, NOWHERE, "histogram", "add_remove", 2, 0, DOMAIN,
             releases=few, caught=6),
        Case("histogram-cathist", TOWNS, TOWN, NOWHERE, "histogram", "replace_one", 4, 0, DOMAIN,
             releases=few, caught=6),
        Case("histogram-laplace", TOWNS, TOWN, NOWHERE, "histogram", "replace_one", 6, 0,
             DOMAIN.replace("{", '{"mechanism": "laplace", ', 1), releases=few, caught=8),
        Case("histogram-stability", TOWNS, TOWN, NOWHERE, "histogram", "add_remove", 1, 0.3,
             DOMAIN.replace("{", '{"mechanism": "stability", ', 1), releases=some),
    ]


def perturbed_cases():
    """Rows are the release. Few of them show little of a record: that they have exactly the law of
    the proof is the sharper check."""
    few, some = RELEASES * 3 // 20, RELEASES // 4
    crowd = [("f", True)] * 3
    chain = {"sex": [], "smoker": ["sex"]}
    return [
        RowsCase("pegs", SMOKERS, crowd, RARE, "pegs", "add_remove", 2, chain, 1, releases=few),
        RowsCase("pegs", SMOKERS, crowd, RARE, "pegs", "replace_one", 2, chain, 1, releases=few),
        RowsCase("pegs-block", SMOKERS, crowd, RARE, "pegs", "add_remove", 4, chain, 2, 2,
                 releases=few),
        RowsCase("pegs-block", SMOKERS, crowd, RARE, "pegs", "replace_one", 4, chain, 2, 2,
                 releases=few),
        RowsCase("bootstrap", SMOKERS, crowd, RARE, "marginal", "replace_one", 2,
                 {"sex": [], "smoker": []}, 1, instead=[("f", False)], releases=few),
        Case("marginal", SMOKERS, CROWD, RARE, "marginal", "add_remove", 4, releases=some,
             caught=8),
        Case("marginal", SMOKERS, CROWD, RARE, "marginal", "replace_one", 8, releases=some,
             caught=12),
    ]


def fit_cases():
    """Marginals for a joint distribution, all of them or chosen."""
    few, some = RELEASES // 5, RELEASES * 4 // 10
    within = '{"marginals": ["sex,smoker", "sex"]}'
    choose = '{"marginals": 1, "rounds": 1, "share": 0.9, "count_share": 0.5}'
    return [
        Case("cipher", SMOKERS, CROWD, RARE, "cipher", "add_remove", 4, 0, within, releases=few, caught=10),
        Case("cipher", SMOKERS, CROWD, RARE, "cipher", "replace_one", 8, 0, within, releases=few, caught=20),
        ChoiceCase("mwem", PATIENTS, EVEN, (True, False, True), "mwem", "add_remove", 4, 0, choose,
                   releases=some, caught=20),
        ChoiceCase("mwem", PATIENTS, EVEN, (True, False, True), "mwem", "replace_one", 2, 0, choose,
                   instead=[(False, True, True)], releases=some, caught=15),
    ]


def unit_cases():
    """A person has more rows than count: neighbours differ in all of them."""
    few, some, many = RELEASES * 3 // 10, RELEASES // 2, RELEASES * 6 // 10
    visits, towns = of_persons(CROWD), of_persons(TOWN)
    person, other = of_one_person(RARE), of_one_person(("m", False))
    return [
        Case("sba-unit-dense", VISITS, visits, person, "sba", "add_remove", 2, 0,
             '{"dense_cells": 100}', rows_max=UNIT_ROWS, releases=some, caught=6),
        Case("sbhg-unit-dense", VISITS, visits, person, "sbhg", "replace_one", 6, instead=other,
             rows_max=UNIT_ROWS, releases=many, caught=8),
        Case("steps-unit", VISITS, visits, person, "steps", "add_remove", 6, 0, '{"layers": 1}',
             rows_max=UNIT_ROWS, releases=some, caught=10),
        Case("privbayes-unit", VISITS, visits, person, "privbayes", "replace_one", 8, 0,
             '{"degree": 1}', instead=other, rows_max=UNIT_ROWS, releases=some, caught=10),
        Case("sba-unit-rare", VISITS, visits, person, "sba", "add_remove", 1, 0.47,
             rows_max=UNIT_ROWS, releases=few),
        Case("sbhg-unit-open-rare", VISITED_TOWNS, towns, of_one_person(NOWHERE), "sbhg",
             "add_remove", 1, 0.55, '{"open_share": 0.9}', rows_max=UNIT_ROWS, open_column="town",
             releases=few, caught=8),
    ]


def has_units(boss):
    """Whether this build knows privacy units of several rows."""
    return one(boss, "SELECT bool_or('max_rows_per_unit' = ANY (proargnames)) FROM pg_proc"
               " WHERE proname = 'dp_protect'")
