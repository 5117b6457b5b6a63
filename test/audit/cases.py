"""What is audited: pairs of neighbouring tables, and how they are released."""
import itertools
import json
import math
import os
from collections import namedtuple
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

# Illness depends on smoking as much as on age; smoking and age depend on each other through it alone.
# Each value has half of the rows, so that noise in the tables of single columns hardly changes how
# far a pair is from independence.
EVEN = [(smoker == ill, ill, old == ill) for ill in (False, True)
        for smoker, times in ((True, 3), (False, 1)) for old in [True] * 3 * times + [False] * times] * 50
# Here smoking and age always go together.
TOGETHER = [(smoker, ill, smoker) for ill in (False, True)
            for smoker, times in ((ill, 3), (not ill, 1)) for _ in range(times)] * 50
ILL_SMOKER = (True, True, False)  # illness and smoking belong together more, illness and age less
ILL_OLD = (False, True, True)  # the other way round

TOWN = [("f", "here")] * 12 + [("m", "here")] * 9 + [("m", "there")] * 2
THERE = ("m", "there")
NOWHERE = ("f", "nowhere")  # a value that nobody else has

STABILITY = '{"dense_cells": 0}'
CONCENTRATED = ("mst", "aim")  # delta is that of zCDP
WHOLE_ROWS = 16  # the same, of a tree whose rows count as one each
HALF_ROWS = 8  # of which at most 9 count in full
UNIT_ROWS = 2  # max_rows_per_unit of the cases with units

# As dp_explain states it. epsilon: of one table.
Stage = namedtuple("Stage", "epsilon threshold rho_all")


def of_persons(rows):
    """Each row a person's."""
    return [(person, *row) for person, row in enumerate(rows)]


def of_one_person(row):
    """More than count."""
    return [(10 ** 6, *row)] * (3 * UNIT_ROWS)


class Case:
    """Two neighbouring tables: one with the rows of `unit`, one without, or under replace_one with
    those of `instead`. A unit is a row, or with rows_max all rows of a person."""

    together = 1  # releases that are scored as one
    # Most of the time of a release is the start of its worker. So one measures several independent
    # sets, each with the budget of the case, unless there is something that is found once for all.
    sets_max = 40
    takes_sets = True

    def __init__(self, key, columns, crowd, unit, method, neighbours, epsilon, delta=0, options="{}",
                 instead=None, rows_max=None, open_column=None, releases=RELEASES, caught=4,
                 wide=None):
        self.key, self.name = key, "%s, %s" % (key.replace("-", " "), neighbours)
        self.types, self.columns = columns, [name for name in columns if name != "person"]
        self.method, self.neighbours = method, neighbours
        self.epsilon, self.delta, self.options = epsilon, delta, options
        self.rows_max, self.open_column = rows_max, open_column
        self.caught = caught  # a claim of so much less must not pass; None: not asked
        self.wide = wide  # the same, by the width of noise
        self.sensitivity = (2 if neighbours == "replace_one" else 1) * (rows_max or 1)
        unit = [unit] if isinstance(unit, tuple) else unit
        other = (instead or [crowd[-1]]) if neighbours == "replace_one" else []
        self.rows = [crowd + other, crowd + unit]
        # what only this unit can show costs delta, all else costs epsilon; with noise on all cells
        # there is nothing that only this unit can show
        self.concentrated = delta > 0 and method in CONCENTRATED
        single = open_column or method == "histogram"
        adds_up = delta and not self.concentrated  # within the relation's delta
        self.sets = 1 if single else min(self.sets_max, int(0.899 / delta) if adds_up else self.sets_max)
        self.alone = delta > 0 and not self.concentrated and self.counted(1)[-1] not in self.counted(0)
        self.limit(releases)
        self.relations = []
        self.models = [None, None]
        self.stages = {}
        self.tables = {}  # exact ones, once they were asked for
        self.scored = None

    def limit(self, releases):
        if releases:
            self.releases = [releases // 8 if self.alone else releases, releases]

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
            one_row = "(%s)" % ", ".join(["%s"] * len(rows[0]))
            run(boss, "INSERT INTO %s VALUES %s" % (relation, ", ".join([one_row] * len(rows))),
                *(value for row in rows for value in row))
            self.protect(boss, relation)
            if self.open_column:
                run(boss, "SELECT dp_define_column(%s, %s, open => true)", relation,
                    self.open_column)
        self.stages = {stage: Stage(float(epsilon or 0), threshold, float(rho or 0))
                       for stage, epsilon, threshold, rho in run(
            boss, "SELECT stage, epsilon_each, threshold, rho_total FROM dp_explain(%s, %s, %s, %s, %s)",
            self.explained(self.relations[1]), self.method, self.epsilon, self.delta, self.options)}
        self.rho = self.stages["total"].rho_all
        self.budget = self.budget_of_sets(boss)

    def budget_of_sets(self, boss):
        """(epsilon, delta) that a release of all its sets asks for: so much that each of them has what
        the case has. Where noise is paid for in rho, that is what adds up."""
        if not self.concentrated:
            return self.epsilon * self.sets, self.delta * self.sets
        low, high = self.epsilon, self.epsilon * self.sets
        while self.sets > 1 and high - low > 1e-6 * low:
            middle = (low + high) / 2
            rho = one(boss, "SELECT rho_total FROM dp_explain(%s, %s, %s, %s, %s) WHERE stage = 'total'",
                      self.relations[1], self.method, middle, self.delta, self.options)
            low, high = (middle, high) if rho <= self.rho * self.sets else (low, middle)
        return low, self.delta

    def protect(self, boss, relation, more=""):
        if self.rows_max:
            more += ", unit_column => 'person', max_rows_per_unit => %d" % self.rows_max
        run(boss, "SELECT dp_protect(%s, 1000000, 0.9, %s" + more + ")", relation, self.neighbours)

    def release(self, side):
        """The caps of a relation do not reach for so many releases: a superuser, who may,
        forgets what was spent before each (or before each so many)."""
        relation = self.relations[side]
        with closing(connect()) as boss:
            self.spend(boss, relation, -(-self.releases[side] // self.sets) * self.together, self.together,
                       self.sets if self.takes_sets else 1, *self.budget)
            self.models[side] = self.stored(boss, relation)

    def spend(self, boss, relation, releases, together, sets, epsilon, delta):
        """So many releases, of which so many follow one another before what was spent is forgotten."""
        options = json.loads(self.options)
        if sets > 1:
            options["independent_sets"] = True
        run(boss, """DO $$ BEGIN FOR i IN 1..%d LOOP
            IF (i - 1) %% %d = 0 THEN
            UPDATE dp_catalog.dp_dataset SET spent_epsilon_nano = 0, spent_delta_atto = 0, spent_rho_pico = 0
             WHERE relation = ANY ('{%s}'::regclass[]);
            COMMIT;
            END IF;
            PERFORM dp_release('%s', '%s', %.12g, %.12g, '%s', %d);
            COMMIT;
            END LOOP; END $$""" % (releases, together, ",".join(self.payers(relation)), self.asked(relation), self.method,
                                   epsilon, delta, json.dumps(options), sets))

    def stored(self, boss, relation):
        return [part for row in run(
            boss, "SELECT model FROM dp_catalog.dp_release_store WHERE relation_name = %s ORDER BY id",
            "public." + relation) for part in self.apart(model.parse(row[0]))]

    def asked(self, relation):
        """What a release is asked of."""
        return relation

    def explained(self, relation):
        """What states its stages."""
        return self.asked(relation)

    def payer(self, relation):
        """The relation whose budget pays."""
        return relation

    def payers(self, relation):
        """All relations whose budgets pay."""
        return [self.payer(relation)]

    def apart(self, released):
        """Each of the independent sets as a release of its own."""
        return model.apart(released)

    def scores(self):
        if not self.scored:
            cache = {}
            self.scored = [[self.score(released, cache) for released in side] for side in self.models]
        return self.scored

    def table_epsilon(self, table):
        """The epsilon of one histogram: as dp_explain states it or, if it states several, as the model
        does."""
        stated = [stage.epsilon for name, stage in self.stages.items() if "histogram" in name]
        return stated[0] if len(stated) == 1 else table.epsilon

    def exact(self, table, described, side):
        key = side, tuple(table.attributes), tuple(tuple(a.labels) for a in described)
        if key not in self.tables:
            self.tables[key] = law.counts(table.attributes, self.columns, self.counted(side), described)
        return self.tables[key]

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
        epsilon, replaced = self.stages["select parents"].epsilon, self.neighbours == "replace_one"
        if "information" in self.options:
            # 32 ln 2 + 1 a row, rounded up
            moved = 23739 * (2 if replaced else 1) * (self.rows_max or 1) + 1
            return law.parents_log_likelihood(parents, child, self.columns, rows, epsilon, moved, law.information)
        return law.parents_log_likelihood(parents, child, self.columns, rows, epsilon, law.SCORE_UNIT
                                          * (3 if replaced else 2) * (self.rows_max or 1))

    def parents_score(self, table, described):
        choice = self.parents_of(table, described)
        return self.difference(lambda rows: self.parents_log_likelihood(*choice, rows)) \
            if choice else 0.0

    def labels_score(self, described):
        """The log likelihood of the labels that were found for an open column."""
        if not self.open_column:
            return 0.0
        epsilon, threshold, _ = self.stages["discover values"]
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
            options.update(block=block, network=parents)
        else:
            options.update(mechanism="bootstrap")
        super().__init__(key, columns, crowd, unit, method, neighbours, epsilon,
                         options=json.dumps(options), caught=None, **more)
        self.parents, self.drawn, self.block, self.drawing = parents, drawn, block, epsilon

    def draw_log_likelihood(self, rows, released, side, alpha):
        return law.perturbed_rows_log_likelihood(
            rows, released.attributes, self.parents, self.columns, self.counted(side), alpha, self.block)

    def rows_of(self, released):
        width = len(released.attributes)
        return [tuple(released.structure[i:i + width])
                for i in range(0, len(released.structure), width)]

    def log_likelihood(self, rows, released, side):
        alpha = law.perturbed_alpha(self.drawing * self.block / self.drawn, len(self.columns),
                                    self.block, self.neighbours == "replace_one",
                                    self.rows_max or 1)
        return self.draw_log_likelihood(rows, released, side, alpha)

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


class ShapedCase(RowsCase):
    """One row, with alpha in proportion to noisy margins. All parents' values share one bucket, so that a
    histogram is its column's margin."""

    SHARE = 0.5

    def __init__(self, key, neighbours, epsilon, **more):
        super().__init__(key, SMOKERS, [("f", True)] * 3, RARE, "pegs", neighbours, epsilon,
                         {"sex": [], "smoker": ["sex"]}, 1, **more)
        self.options = json.dumps({**json.loads(self.options), "buckets": 1,
                                   "alpha": "margin", "margin_share": self.SHARE})
        self.drawing = epsilon * (1 - self.SHARE)

    def draw_log_likelihood(self, rows, released, side, alpha):
        e0 = self.epsilon * self.SHARE / len(self.columns) / self.sensitivity
        margins = [law.Counter(law.code(attribute, row[place]) for row in self.counted(side))
                   for place, attribute in enumerate(released.attributes)]
        return sum(math.log(law.shaped_draw((margin, margin), level, 2, alpha, e0))
                   for margin, level in zip(margins, rows[0]))


class ChoiceCase(Case):
    """Pairs are chosen one after another. The event is that the first pair is illness and smoking. With
    the unit, the lead of its score over that of illness and age grows by as much as the mechanism's
    guarantee allows. Or the second pair: then smoking and age go together so often that they come first,
    and to have measured them changes neither score.

    paid: the share of the budget that is spent once the first pair is chosen, chosen: that of the choice;
    None: what it comes to is not checked against a law."""

    def __init__(self, key, neighbours, method, epsilon, delta, options, paid, chosen=None, rows_max=None,
                 place=0, **more):
        columns, crowd, unit, instead = PATIENTS, TOGETHER if place else EVEN, ILL_SMOKER, ILL_OLD
        if neighbours == "add_remove":  # two rows: as far behind without the unit as ahead with it
            crowd = crowd + [ILL_OLD]
        if rows_max:
            columns = {"person": "integer NOT NULL", **PATIENTS}
            crowd, unit, instead = of_persons(crowd), of_one_person(unit), of_one_person(instead)
        super().__init__(key, columns, crowd, unit, method, neighbours, epsilon, delta,
                         json.dumps(options), instead=instead if rows_max else [instead],
                         rows_max=rows_max, **more)
        self.paid, self.chosen, self.place = paid, chosen, place
        self.which = ("first", "second")[place]

    def create(self, boss, number):
        super().create(boss, number)
        self.rho *= self.paid

    def choice(self, released):
        pairs = [table for table in released.tables if len(table.attributes) == 2]
        return frozenset(released.attributes[a].name for a in pairs[self.place].attributes)

    def score(self, released, cache):
        chosen = 1 if self.choice(released) == {"ill", "smoker"} else -1
        return (chosen, *super().score(released, cache))

    def probability(self, side):
        """The probability that this pair is chosen, if there are only these two, and both are compared
        with the same. The noise of anything but the choice is too small to matter. aim trusts 63/64 of
        what a table says of cells as large as these (dp_graphical_shrinkage)."""
        trust = 63 / 64 if self.method == "aim" else 1
        rows, score = self.counted(side), {}
        for pair in "smoker", "old":
            columns = [self.columns.index(pair), self.columns.index("ill")]
            seen = law.Counter(tuple(row[column] for column in columns) for row in rows)
            score[pair] = trust * sum(abs(count - len(rows) / 4) for count in seen.values())
        if self.concentrated:
            return law.exponential(score, "smoker", math.sqrt(8 * self.stages["total"].rho_all * self.chosen),
                                   self.sensitivity)
        return law.permute_and_flip(score, "smoker", self.epsilon * self.chosen, self.sensitivity)


class ManyColumnsCase(ChoiceCase):
    """The same beside columns that always hold the same, so many that aim takes batches by itself."""

    BESIDE = ["same%d" % k for k in range(40)]

    def __init__(self, *values, **more):
        super().__init__(*values, **more)
        self.types = {**self.types, **{name: "text NOT NULL CHECK (%s IN ('a'))" % name for name in self.BESIDE}}
        self.columns = self.columns + self.BESIDE
        self.rows = [[(*row, *("a" for _ in self.BESIDE)) for row in rows] for rows in self.rows]


class OneChoiceCase(ChoiceCase):
    """One choice, by permute-and-flip, from public candidates. They are close, or equal, without the unit,
    which has a value of its own in every column."""

    def __init__(self, key, columns, crowd, unit, method, neighbours, epsilon, options, paid, **more):
        Case.__init__(self, key, columns, crowd, unit, method, neighbours, epsilon, 0, json.dumps(options),
                      **more)
        self.paid = self.chosen = paid
        self.place, self.which = 0, "only"

    def score(self, released, cache):
        return (1 if self.is_units(released) else -1, *Case.score(self, released, cache))


class NumberCase(OneChoiceCase):
    """How many parents pay off: one, since with the unit columns belong together, or none."""

    def is_units(self, released):
        return any(len(table.attributes) > 1 for table in released.tables)

    def probability(self, side):
        rows, p = self.counted(side), len(self.columns)
        e0 = self.stages["hashed conditional histograms"].epsilon / self.sensitivity
        score = {n: sum(law.table_worth(rows, child, [(child - k) % p for k in range(1, n + 1)], 2 ** (n + 1),
                                        e0) for child in range(p)) for n in range(p)}
        most = 3 if self.neighbours == "replace_one" else 2
        return 1 - law.permute_and_flip(score, 0, self.stages["choose the number of parents"].epsilon,
                                        p * law.SCORE_UNIT * most * (self.rows_max or 1))


class OrderCase(OneChoiceCase):
    """Which column comes first in a tree, by BIC. All rows are the same but for the unit, which differs
    in the second column."""

    def is_units(self, released):
        return any(released.attributes[a].name == self.columns[0] for table in released.tables
                   for a in table.attributes if len(table.attributes) == 1)

    def probability(self, side):
        score = {column: law.bic(self.counted(side), column, 2) for column in (0, 1)}
        return law.permute_and_flip(score, 0, self.stages["select order"].epsilon,
                                    3 * law.SCORE_UNIT * (self.rows_max or 1) + 3)


class ClusterCase(OrderCase):
    """Which of two columns is the group that comes first. Its score is its own less that of the other."""

    def probability(self, side):
        bic = [law.bic(self.counted(side), column, 2) for column in (0, 1)]
        score = {0: bic[0] - bic[1], 1: bic[1] - bic[0]}
        return law.permute_and_flip(score, 0, self.stages["select order"].epsilon,
                                    (3 * law.SCORE_UNIT + 3) * (self.rows_max or 1) + 7)


class NetworkCase(ChoiceCase):
    """A network of three columns. Smoking and age come together first, unless illness does. Then illness
    gets one of them as its parent, by the second choice. The event is that it gets age."""

    def score(self, released, cache):
        pairs = [frozenset(released.attributes[a].name for a in table.attributes)
                 for table in released.tables if len(table.attributes) == 2]
        gets_age = pairs == [{"old", "smoker"}, {"ill", "old"}]
        return (-1 if gets_age else 1, *Case.score(self, released, cache))

    def probability(self, side):
        """The first column is drawn at random, and is not illness in two of three releases."""
        places = {name: self.columns.index(name) for name in ("smoker", "old")}
        scores = {name: law.dependence(self.counted(side), place, self.columns.index("ill"))
                  for name, place in places.items()}
        most = 3 if self.neighbours == "replace_one" else 2
        p = law.permute_and_flip(scores, "old", self.epsilon * self.chosen,
                                 law.SCORE_UNIT * most * (self.rows_max or 1))
        return 1 - 2 / 3 * p


class RangeCase(Case):
    """A column with a range, whose bins are found. The event is that the first two of its values are
    leaves of their own, which a row more among them makes likelier on each level of the tree. Half of
    what ranges cost pays for the tree. How often it happens is compared with the distribution that
    the proof speaks of. Bins are found once for all sets, so in place of sets there are columns that
    are all the same, each with what the case has."""

    takes_sets, which, mechanism = False, "tree's", "PrivTree"
    key, column, type, cells = "range-tree", "age", "integer", 16

    def __init__(self, neighbours, tree_epsilon, rows, rows_max=None, **more):
        names = ["%s_%d" % (self.column, i) for i in range(self.sets_max)]
        columns = {name: self.type + " NOT NULL" for name in names}
        unit, instead = [(self.value(place),) * len(names) for place in (0, self.cells - 1)]
        crowd = [unit] * rows
        if rows_max:
            columns = {"person": "integer NOT NULL", **columns}
            crowd, unit, instead = of_persons(crowd), of_one_person(unit), of_one_person(instead)
        super().__init__(self.key, columns, crowd, unit, "marginal", neighbours,
                         2 * tree_epsilon / 0.8, options='{"range_share": 0.8}', caught=None,
                         instead=instead if rows_max else [instead], rows_max=rows_max, **more)
        self.tree_epsilon = tree_epsilon

    def value(self, place):
        return place

    def define(self, boss, relation, name):
        run(boss, "SELECT dp_define_column(%s, %s, range => '{0,15}')", relation, name)

    def protect(self, boss, relation, more=""):
        super().protect(boss, relation, more)
        for name in self.columns:
            self.define(boss, relation, name)

    def apart(self, released):
        return [released._replace(attributes=[attribute]) for attribute in released.attributes]

    def score(self, released, cache):
        return (1 if 1 in released.attributes[0].leaves else -1,)

    def probability(self, side):
        values = [row[0] for row in self.counted(side)]
        path = 73 / 28 + (self.neighbours == "replace_one")
        lam = path * (self.rows_max or 1) / self.tree_epsilon
        level = math.ceil(lam * math.log(2))
        together, cells, depth = 1.0, self.cells, 0
        while cells > 1:
            inside = {self.value(place) for place in range(cells)}
            biased = max(sum(value in inside for value in values) - depth * level, -level)
            together *= (1 - law.laplace_below(1 / lam, 1 - biased))
            cells, depth = self.first_half(cells), depth + 1
        return together

    def first_half(self, cells):
        """Where the tree splits the first so many cells."""
        return cells // 2


class TakenRangeCase(RangeCase):
    """Persons, whose ages have a range, and a row of each, which knows the ages. The event is about the
    bins of the rows' model: they are those that were found among persons, and have the same law."""

    key, sets_max = "range-taken", 4

    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        self.method, self.epsilon = "mst", 7 / 2 * self.epsilon  # of two tables the first has two sevenths

    def protect(self, boss, relation, more=""):
        for statement in (
                "CREATE TABLE {0}_persons AS SELECT row_number() OVER () AS id, * FROM {0}",
                "ALTER TABLE {0}_persons ADD PRIMARY KEY (id)", "DROP TABLE {0}",
                "CREATE TABLE {0} AS SELECT id AS person, true AS smoker FROM {0}_persons",
                "ALTER TABLE {0} ADD FOREIGN KEY (person) REFERENCES {0}_persons"):
            run(boss, statement.format(relation))
        persons = self.payer(relation)
        for name in self.columns:
            run(boss, "ALTER TABLE %s ALTER %s SET NOT NULL" % (persons, name))
        run(boss, "SELECT dp_protect(%s, 1000000, 0.9, %s)", persons, self.neighbours)
        run(boss, "SELECT dp_protect(%s, parent => %s)", relation, persons)
        for name in self.columns:
            self.define(boss, persons, name)

    def asked(self, relation):
        return "{%s,%s}" % (self.payer(relation), relation)

    def payer(self, relation):
        return relation + "_persons"

    def stored(self, boss, relation):
        persons = self.payer(relation)
        return [part for row in run(
            boss, "SELECT p.model FROM dp_catalog.dp_release_store s JOIN dp_catalog.dp_release_part p"
            " ON p.release = s.id WHERE s.relation_name = %s ORDER BY s.id", "public." + persons)
                for part in self.apart(model.parse(row[0])) if part.attributes[0].name.startswith(persons + ".age")]


class FarCase(RangeCase):
    """Ages up to 99999, which is what stands for no age, and a cell of its own. The event is that it is a leaf: its
    count reaches what the noise of a cell exceeds in one of four thousand. Its noise is that of leaves,
    which have the other half of what ranges cost."""

    key, cells, rare = "range-far", 100000, 7.7 * 0.71
    which, mechanism = "far value's", "discrete Laplace noise"

    def define(self, boss, relation, name):
        run(boss, "SELECT dp_define_column(%s, %s, range => '{0,99999}')", relation, name)

    def value(self, place):
        return 50000 if place else self.cells - 1

    def score(self, released, cache):
        return (1 if self.cells - 1 in released.attributes[0].leaves else -1,)

    def probability(self, side):
        a = math.exp(-self.tree_epsilon / self.sensitivity)
        least = math.ceil(self.rare * math.sqrt(2 * a) / (1 - a))
        rows = sum(row[0] == self.cells - 1 for row in self.counted(side))
        return 1 - law.laplace_below(self.tree_epsilon / self.sensitivity, least - rows)


class EdgeCase(Case):
    """Four ages, of which the first is that of most, and a pension, which may be missing. There may be two
    bins, and the ages other than the first are too few for the second, so one edge is placed. The event is that it lies before the last age. How often
    it does is compared with the distribution that the proof speaks of, by the weights of each
    release. Edges have a quarter of what ranges cost, for four at most."""

    takes_sets, sets_max = False, 1
    AGES, SHARE = 4, 0.8

    def __init__(self, neighbours, edge_epsilon, rows_max=None, **more):
        columns = {"age": "integer NOT NULL", "pension": "boolean"}
        crowd = [(age, None if i < missing else True)
                 for age, rows, missing in ((0, 120, 24), (1, 3, 0), (2, 3, 0), (3, 20, 10)) for i in range(rows)]
        super().__init__("edge", columns, crowd, (3, None), "marginal", neighbours, edge_epsilon * 16 / self.SHARE,
                         options='{"range_share": %g}' % self.SHARE, caught=None, instead=[(0, True)], **more)
        self.edge_epsilon, self.which = edge_epsilon, "edge's"

    def protect(self, boss, relation, more=""):
        super().protect(boss, relation, more)
        run(boss, "SELECT dp_define_column(%s, 'age', range => '{0,3}', bins_max => 2)", relation)

    def score(self, released, cache):
        return (1 if released.attributes[0].labels == [0, self.AGES - 1] else -1,)

    def edge_score(self, weights, side, edge):
        """In sixteenths of a row: by how much those above the edge are missing more, or less."""
        share = sum(w + 8 for w in weights[:edge]) / sum(w + 8 for w in weights)
        share = min(max(math.floor(share * 1024 + 0.5), 1), 1023)
        terms = 0
        for missing in (True, False):
            ages = [age for age, pension in self.counted(side) if (pension is None) == missing]
            below = sum(age < edge for age in ages)
            terms += abs(below * (1024 - share) - (len(ages) - below) * share)
        return terms * 16 // 1024

    def probability(self, side):
        """The mean over releases: each has its own weights."""
        p = []
        for released in self.models[side]:
            age = released.attributes[0]
            if len(age.leaves) != self.AGES or len(age.labels) != 2:
                raise AssertionError("a release of the case %s has other leaves, or bins: %s" % (self.key, age))
            scores = {edge: self.edge_score(age.weights, side, edge) for edge in range(1, self.AGES)
                      if age.weights[edge] * 128 > sum(age.weights)}
            p.append(law.permute_and_flip(scores, self.AGES - 1, self.edge_epsilon, 16 * self.sensitivity)
                     if self.AGES - 1 in scores else 0)
        return sum(p) / len(p)


class ListCase(RangeCase):
    """A long list of categories, of which rare neighbours are merged into groups. The event is that
    the first two of the list are in no group. A list has more levels than the ranges of the other
    cases."""

    key, column, type, cells = "list-tree", "code", "text", 320

    def value(self, place):
        return "code %03d" % place

    def define(self, boss, relation, name):
        run(boss, "SELECT dp_define_column(%s, %s, categories => %s, complete => true)", relation, name,
            [self.value(place) for place in range(self.cells)])


class HierarchyCase(ListCase):
    """The same with a public hierarchy, {8,5} characters of the codes: the tree is of its nodes. The
    coarsest node holds all but the last 20, and those of one ten follow one another."""

    key = "hierarchy-tree"

    def value(self, place):
        return "code" + ("A" if place < 300 else "B") + " %03d" % place

    def define(self, boss, relation, name):
        super().define(boss, relation, name)
        run(boss, "SELECT dp_define_hierarchy(%s, %s, prefixes => '{8,5}')", relation, name)

    def first_half(self, cells):
        """The middle one of the coarsest borders."""
        apart = lambda place: sum(self.value(place)[:n] != self.value(place - 1)[:n] for n in (8, 5))
        coarsest = max(apart(place) for place in range(1, cells))
        borders = [place for place in range(1, cells) if apart(place) == coarsest]
        return borders[len(borders) // 2]


class QueryCase(Case):
    """One measure of a column of whole numbers with a range. A release is scored by its numbers,
    each by how far the unit moves it and how little noise it has, which is nearly its likelihood. In place
    of sets there are columns that are all the same, and the measure of each is asked for: measures of
    several columns share nothing."""

    takes_sets, amount = False, "integer NOT NULL"

    def __init__(self, key, measure, span, crowd, unit, neighbours, epsilon, delta=0, instead=None, options=None, **more):
        names = self.amounts()
        super().__init__(key, {"person": "integer NOT NULL", **dict.fromkeys(names, self.amount)},
                         of_persons([(value,) * len(names) for value in crowd]),
                         of_one_person((unit,) * len(names)), "query", neighbours, epsilon, delta,
                         json.dumps({"measures": [measure.replace("amount", name) for name in names], "max_rows_per_unit": UNIT_ROWS,
                                     **(options or {})}),
                         instead=of_one_person((crowd[-1] if instead is None else instead,) * len(names)),
                         rows_max=UNIT_ROWS, **more)
        self.measure, self.span, self.moved = measure.split("(")[0], span, None
        self.concentrated = False

    def amounts(self):
        return ["amount_%d" % i for i in range(self.sets_max)]

    def apart(self, released):
        """The tables of each measure as a release of its own. There are as many of each."""
        own = len(released.tables) // self.sets_max
        return [released._replace(tables=released.tables[own * i:own * (i + 1)]) for i in range(self.sets_max)]

    def protect(self, boss, relation, more=""):
        super().protect(boss, relation, more)
        for name in self.amounts():
            run(boss, "SELECT dp_define_column(%s, %s, bins => ARRAY[%s, %s]::text[])", relation, name,
                *map(str, self.span))

    def numbers(self, side):
        """What each table of a release would say without noise, as {cell: number}."""
        low, high = self.span
        values = [min(max(value, low), high) for value, *_ in self.counted(side)]
        if self.measure == "sum":
            return [{(): sum(values)}]
        # the rows stand behind the sum of a mean
        return [{(): sum(value - (low + high) // 2 for value in values)}, {(): len(values)}]

    def score(self, released, cache):
        if self.moved is None:
            without, with_unit = (self.numbers(side) for side in (0, 1))
            self.moved = [{cell: b.get(cell, 0) - a.get(cell, 0) for cell in {*a, *b}}
                          for a, b in zip(without, with_unit)]
        return (sum(moved * table.cells[cell] / table.sensitivity
                    for table, moves in zip(released.tables, self.moved)
                    for cell, moved in moves.items()),)


class SelectCase(QueryCase):
    """The same of a SELECT, whose bound on the rows of a person is found: at a tenth of the budget, of which
    all measures have the rest. measure: of amount; by_person: of n, which is that of each person's rows."""

    by_person = None

    def statement(self, relation):
        measures = [self.expression.replace("amount", name) for name in self.amounts()]
        if self.by_person is None:
            return "SELECT %s FROM %s" % (", ".join(measures), relation)
        inner = ["%s AS n_%d" % (self.by_person.replace("amount", name), i) for i, name in enumerate(self.amounts())]
        return "SELECT %s FROM (SELECT %s FROM %s GROUP BY person) z" % (
            ", ".join(self.expression.replace("amount", "n_%d" % i) for i in range(self.sets_max)), ", ".join(inner), relation)

    def __init__(self, key, measure, *words, **more):
        self.expression = measure
        super().__init__(key, "sum(amount)" if "FILTER" in measure else measure, *words, **more)

    def spend(self, boss, relation, releases, together, sets, epsilon, delta):
        run(boss, "SET dpsyn.query_refresh = 0")
        run(boss, """DO $$ BEGIN FOR i IN 1..%d LOOP
            UPDATE dp_catalog.dp_dataset SET spent_epsilon_nano = 0, spent_delta_atto = 0, spent_rho_pico = 0
             WHERE relation = '%s'::regclass;
            COMMIT;
            PERFORM dp_sql_json('%s', %.12g, %.12g);
            COMMIT;
            END LOOP; END $$""" % (releases, relation, self.statement(relation), epsilon, delta))

    def numbers(self, side):
        if self.expression.startswith("count"):
            return [{(): len(self.counted(side))}]
        return super().numbers(side)


class SelectMeanCase(SelectCase):
    """As AverageCase is of queries."""

    amount = "integer"


class PersonCase(SelectCase):
    """Sums of persons, which are clamped to as many times the range as rows may count."""

    by_person = "sum(amount)"

    def of_persons(self, side):
        of = {}
        for person, value, *_ in self.rows[side]:
            of[person] = of.get(person, 0) + min(max(value, self.span[0]), self.span[1])
        return {person: min(max(value, UNIT_ROWS * min(self.span[0], 0)), UNIT_ROWS * self.span[1]) for person, value in of.items()}

    def numbers(self, side):
        return [{(): sum(self.of_persons(side).values())}]


class BesideCase(PersonCase):
    """Rows that are joined to what all rows of their person give: each that counts adds that."""

    def statement(self, relation):
        names = self.amounts()
        inner = ["%s AS n_%d" % (self.by_person.replace("amount", name), i) for i, name in enumerate(names)]
        return "SELECT %s FROM %s r JOIN (SELECT person AS k, %s FROM %s GROUP BY 1) z ON z.k = r.person" % (
            ", ".join("sum(z.n_%d)" % i for i in range(len(names))), relation, ", ".join(inner), relation)

    def numbers(self, side):
        rows = law.Counter(person for person, *_ in self.rows[side])
        return [{(): sum(min(rows[person], UNIT_ROWS) * value for person, value in self.of_persons(side).items())}]


class AverageCase(QueryCase):
    """Means. A column that may be NULL has a count of its own, which stands behind its sum; those that
    are NOT NULL share the number of rows."""

    amount = "integer"


class AboveCase(QueryCase):
    """The columns are those of the persons that rows belong to: the sum is over rows, of which some count."""

    def protect(self, boss, relation, more=""):
        amounts = self.amounts()
        for statement in (
                "CREATE SCHEMA {0}_s",
                "CREATE TABLE {0}_s.persons AS SELECT DISTINCT person AS id, %s FROM {0}" % ", ".join(amounts),
                "ALTER TABLE {0}_s.persons ADD PRIMARY KEY (id), %s" % ", ".join(
                    "ALTER %s SET NOT NULL" % name for name in amounts),
                "ALTER TABLE {0} ADD FOREIGN KEY (person) REFERENCES {0}_s.persons, %s" % ", ".join(
                    "DROP COLUMN %s" % name for name in amounts)):
            run(boss, statement.format(relation))
        run(boss, "SELECT dp_protect(%s, 1000000, 0.9, %s)", self.payer(relation), self.neighbours)
        run(boss, "SELECT dp_protect(%s, parent => %s, max_rows_per_unit => %s)", relation, self.payer(relation),
            self.rows_max)
        for name in amounts:
            run(boss, "SELECT dp_define_column(%s, %s, bins => ARRAY[%s, %s]::text[])", self.payer(relation), name,
                *map(str, self.span))

    def payer(self, relation):
        return relation + "_s.persons"


class NarrowCase(QueryCase):
    """The range is far too wide, and narrowed to where bins find rows. A sum is scored by how far it
    lies above what the rows without the unit add up to in that range, and how little noise it has."""

    def protect(self, boss, relation, more=""):
        Case.protect(self, boss, relation, more)
        for name in self.amounts():
            run(boss, "SELECT dp_define_column(%s, %s, range => ARRAY[%s, %s]::text[])", relation, name,
                *map(str, self.span))

    def apart(self, released):
        # three words stand before the statistics; four of the fifteen of each are its range
        return [released._replace(tables=[table], structure=released.structure[15 * i + 7:15 * i + 11])
                for i, table in enumerate(released.tables)]

    def score(self, released, cache):
        low, low_upper, high, high_upper = released.structure
        low, high = low + (low_upper << 32), high + (high_upper << 32)
        table, = released.tables
        without = sum(min(max(value, low), high) for value, *_ in self.counted(0))
        return ((table.cells[()] - without) / table.sensitivity,)


class QuantileCase(QueryCase):
    """A quantile: a leaf is chosen for it, and the rows in the zones around that leaf are counted. The
    likelihood of a choice is the distribution of permute-and-flip."""

    def __init__(self, key, quantile, *words, **more):
        super().__init__(key, "quantile(amount, %g)" % quantile, *words, **more)
        self.quantile, self.known = quantile, {}

    def apart(self, released):
        """The leaves that were chosen end the structure, in the order of the measures."""
        return [one._replace(structure=[chosen]) for one, chosen in zip(
            super().apart(released), released.structure[-self.sets_max:])]

    def leaves(self, side):
        """Rows of each leaf: there are as many as the range has values, or a few more."""
        low, high = self.span
        count = 1 << (high - low).bit_length()
        rows = law.Counter((min(max(value, low), high) - low) * count // (high - low + 1)
                           for value, *_ in self.counted(side))
        return [rows[leaf] for leaf in range(count)]

    def choice_log_likelihood(self, chosen, side):
        """A leaf is as far away as the rank is from the inner part of its interval of ranks."""
        rows, scores, before = self.leaves(side), {}, 0
        stage = self.stages["quantile %g of %s" % (self.quantile, self.amounts()[0])]
        epsilon = stage.epsilon * self.sets_max / self.sensitivity  # it states what epsilon of the case is for all
        row = max(self.quantile, 1 - self.quantile)
        margin = math.ceil(2 * row / epsilon - 1e-9)
        wanted = self.quantile * sum(rows)
        for leaf, of in enumerate(rows):
            inward = min(of / 2, margin)
            scores[leaf] = -max(before + inward - wanted, wanted - (before + of - inward), 0)
            before += of
        return math.log(law.permute_and_flip(scores, chosen, epsilon, row))

    def zones(self, chosen, side):
        """The rows 2^(i-1) to 2^i - 1 leaves before and behind the chosen one, for each i."""
        rows = self.leaves(side)
        middle = len(rows).bit_length() - 1
        zones = [law.Counter() for _ in range(2 * middle + 1)]
        for leaf, of in enumerate(rows):
            far = abs(leaf - chosen).bit_length()
            zones[middle - far if leaf < chosen else middle + far][()] += of
        return zones

    def score(self, released, cache):
        chosen, = released.structure
        if chosen not in self.known:
            self.known[chosen] = (
                self.choice_log_likelihood(chosen, 1) - self.choice_log_likelihood(chosen, 0),
                self.zones(chosen, 0), self.zones(chosen, 1))
        likelier, without, with_unit = self.known[chosen]
        counted = sum(law.table_log_likelihood(table, b, {()}) - law.table_log_likelihood(table, a, {()})
                      for table, a, b in zip(released.tables, without, with_unit))
        return likelier + counted, likelier


class AccountCase(Case):
    """Several releases at a time of a relation under accountant zcdp. Together they must not tell more
    than the ledger says was spent. A release measures many sets, and rho of sets adds up: so each set, with
    the same one of the other releases, has its part of rho. What the ledger reports in epsilon does not
    add up. That is read once it has counted as many releases of one set each."""

    def __init__(self, *words, together=1, **more):
        super().__init__(*words, **more)
        self.together = together

    def protect(self, boss, relation, more=""):
        super().protect(boss, relation, more + ", accountant => 'zcdp'")

    def release(self, side):
        super().release(side)
        relation = self.relations[side]
        with closing(connect()) as boss:
            rho, _, _ = self.spent(boss, relation)
            self.spend(boss, relation, self.together, self.together, 1, self.epsilon, self.delta)
            self.rho, self.spent_epsilon, self.spent_delta = self.spent(boss, relation)
        self.rho_of_sets = rho / self.sets

    def spent(self, boss, relation):
        return map(float, run(boss, "SELECT rho_spent, epsilon_spent, delta / 2 FROM dp_datasets"
                              " WHERE relation = %s::regclass", relation)[0])

    def scores(self):
        """Sets of releases that were paid for together."""
        if not self.scored:
            self.scored = [[tuple(map(sum, zip(*side[i + set:i + self.sets * self.together:self.sets])))
                            for i in range(0, len(side), self.sets * self.together) for set in range(self.sets)]
                           for side in super().scores()]
        return self.scored


class SharedCase(Case):
    """The relation shares its budget with another one, and a unit of both is replaced by one of the
    other alone: here a row more, not another one in its place. So the number of rows must not tell."""

    def __init__(self, key, columns, crowd, unit, method, epsilon, delta=0, options="{}", **more):
        super().__init__(key, columns, crowd, unit, method, "replace_one", epsilon, delta, options, **more)
        self.rows = [crowd, crowd + [unit]]

    def protect(self, boss, relation, more=""):
        other = self.payer(relation)
        run(boss, "CREATE TABLE %s (LIKE %s)" % (other, relation))
        super().protect(boss, other)
        run(boss, "SELECT dp_protect(%s, budget_of => %s, neighbours => 'replace_one')", relation, other)

    def payer(self, relation):
        return relation + "_other"

    def score(self, released, cache):
        return (*super().score(released, cache), released.rows)


class ViewCase(Case):
    """A view with two rows of each row. The custodian states that two rows may change. Each of them
    could go and another one come: so much is paid for, and half of it seen."""

    view = "SELECT sex, smoker FROM {0}_base CROSS JOIN generate_series(1, 2)"

    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        self.sensitivity *= 4

    def counted(self, side):
        return [row for row in super().counted(side) for _ in range(2)]

    def protect(self, boss, relation, more=""):
        self.make_view(boss, relation)
        super().protect(boss, relation, more + ", sensitivity => 2")
        self.define(boss, relation)

    def define(self, boss, relation):
        run(boss, "SELECT dp_define_column(%s, 'sex', categories => '{f,m}')", relation)

    def make_view(self, boss, relation):
        run(boss, "ALTER TABLE {0} RENAME TO {0}_base".format(relation))
        run(boss, "CREATE VIEW {0} AS {1}".format(relation, self.view.format(relation)))


class JoinedCase(ViewCase):
    """A view that joins a person's rows with the one row that says the person's sex."""

    view = "SELECT b.person, p.sex, b.smoker FROM {0}_base b" \
           " JOIN {0}_persons p ON p.person = b.person"

    def __init__(self, *words, **more):
        Case.__init__(self, *words, **more)

    def counted(self, side):
        return Case.counted(self, side)

    def protect(self, boss, relation, more=""):
        run(boss, "CREATE TABLE {0}_persons AS SELECT DISTINCT person, sex FROM {0}".format(relation))
        self.make_view(boss, relation)
        Case.protect(self, boss, relation, more)
        self.define(boss, relation)


class ParentCase(Case):
    """Rows belong to stays, and stays to persons: a person has many stays with one row each. The
    person is found along two foreign keys, and the bounds of both multiply. It takes two columns to
    tell persons apart."""

    def protect(self, boss, relation, more=""):
        for statement in (
                "CREATE TABLE {0}_persons AS SELECT DISTINCT person % 2 AS site, person / 2 AS id FROM {0}",
                "ALTER TABLE {0}_persons ADD PRIMARY KEY (site, id)",
                "ALTER TABLE {0} ADD stay serial UNIQUE",
                "CREATE TABLE {0}_stays AS SELECT stay AS id, person % 2 AS site, person / 2 AS person FROM {0}",
                "ALTER TABLE {0}_stays ADD PRIMARY KEY (id), ADD FOREIGN KEY (site, person) REFERENCES {0}_persons",
                "ALTER TABLE {0} DROP COLUMN person, ADD FOREIGN KEY (stay) REFERENCES {0}_stays"):
            run(boss, statement.format(relation))
        run(boss, "SELECT dp_protect(%s, 1000000, 0.9, %s)", relation + "_persons", self.neighbours)
        run(boss, "SELECT dp_protect(%s, parent => %s, max_rows_per_unit => %s)", relation + "_stays",
            relation + "_persons", self.rows_max)
        run(boss, "SELECT dp_protect(%s, parent => %s)", relation, relation + "_stays")


class SpeltCase(Case):
    """The rows of a person have one number, written with different scales: 1, 1.0, 1.00."""

    def protect(self, boss, relation, more=""):
        for statement in (
                "ALTER TABLE {0} ADD written serial",
                "ALTER TABLE {0} ALTER person TYPE numeric USING round(person, written % 9)",
                "ALTER TABLE {0} DROP COLUMN written"):
            run(boss, statement.format(relation))
        super().protect(boss, relation, more)


class KeyCase(Case):
    """Persons have keys of double precision, and many integers are one of these. Rows that refer to them
    by such integers do not say whose they are, which dp_protect refuses: then what it advises is done."""

    def protect(self, boss, relation, more=""):
        protect = "SELECT dp_protect('{0}', parent => '{0}_persons', max_rows_per_unit => %d)" % self.rows_max
        for statement in (
                "CREATE TABLE {0}_persons AS SELECT DISTINCT 2 ^ 62 + 4096 * person::float8 AS id FROM {0}",
                "ALTER TABLE {0}_persons ADD PRIMARY KEY (id)",
                "ALTER TABLE {0} ADD written serial",
                "ALTER TABLE {0} ALTER person TYPE bigint USING (2 ^ 62)::bigint + 4096 * person::bigint + written % 400",
                "ALTER TABLE {0} DROP COLUMN written, ADD FOREIGN KEY (person) REFERENCES {0}_persons"):
            run(boss, statement.format(relation))
        run(boss, "SELECT dp_protect(%s, 1000000, 0.9, %s)", relation + "_persons", self.neighbours)
        run(boss, ("DO $$ BEGIN " + protect.replace("SELECT", "PERFORM") + ";"
                   " EXCEPTION WHEN object_not_in_prerequisite_state THEN"
                   " ALTER TABLE {0} ALTER person TYPE double precision; " +
                   protect.replace("SELECT", "PERFORM") + "; END $$").format(relation))


class TreeCase(Case):
    """Persons and their rows, released together. The rows of a person count as UNIT_ROWS rows in all, and
    each has with it what is known of the person and of the row before it."""

    sets_max, takes_sets = 1, False
    root_columns = ["alive", "rows.count"]

    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        self.columns = ["sex", "smoker", "persons.alive", "rows.siblings", "rows.previous.sex",
                        "rows.previous.smoker"]

    def protect(self, boss, relation, more=""):
        for statement in (
                "CREATE TABLE {0}_persons AS SELECT DISTINCT person AS id, true AS alive FROM {0}",
                "ALTER TABLE {0}_persons ALTER alive SET NOT NULL, ADD PRIMARY KEY (id)",
                "ALTER TABLE {0} ADD FOREIGN KEY (person) REFERENCES {0}_persons"):
            run(boss, statement.format(relation))
        run(boss, "SELECT dp_protect(%s, 1000000, 0.9, %s)", relation + "_persons", self.neighbours)
        run(boss, "SELECT dp_protect(%s, parent => %s, max_rows_per_unit => %s)", relation,
            relation + "_persons", self.rows_max)

    def asked(self, relation):
        return "{%s_persons,%s}" % (relation, relation)

    def payer(self, relation):
        return relation + "_persons"

    def stored(self, boss, relation):
        """Both models as one: tables of attributes of the persons' model, then of the rows' model."""
        return [self.joined(relation, *map(model.parse, models)) for models in run(
            boss, "SELECT s.model, p.model FROM dp_catalog.dp_release_store s JOIN dp_catalog.dp_release_part p"
            " ON p.release = s.id WHERE s.relation_name = %s ORDER BY s.id", "public.%s_persons" % relation)]

    @staticmethod
    def joined(relation, root, part):
        attributes = [a._replace(name=a.name.replace(relation + "_persons.", "persons.")
                                 .replace(relation + ".", "rows.")) for a in root.attributes + part.attributes]
        shifted = [t._replace(attributes=[a + len(root.attributes) for a in t.attributes]) for t in part.tables]
        return root._replace(attributes=attributes, tables=root.tables + shifted)

    def kept(self, side):
        """The rows of each person, as many as count. (They are all the same here.)"""
        persons = {}
        for person, *row in self.rows[side]:
            persons.setdefault(person, []).append(tuple(row))
        return [rows[:self.rows_max] for rows in persons.values()]

    def counted(self, side):
        rows = []
        for own in self.kept(side):
            for place, row in enumerate(own):
                before = own[place - 1] if place else ("", "")
                copies = self.rows_max // len(own) + (place < self.rows_max % len(own))
                rows += [(*row, True, str(len(own)), *before)] * copies
        return rows

    def exact(self, table, described, side):
        if described[table.attributes[0]].name not in self.root_columns:
            return super().exact(table, described, side)
        key = side, tuple(table.attributes)
        if key not in self.tables:
            self.tables[key] = law.counts(table.attributes, self.root_columns,
                                          [(True, str(len(own))) for own in self.kept(side)], described)
        return self.tables[key]


class WholeTreeCase(TreeCase):
    """So many rows of a person count in full that each row counts as one, and not those of a person as
    eight: persons have nearly as many as may count, or all of them half as many and the unit one more."""

    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        self.columns = ["sex", "smoker", "persons.alive", "rows.siblings", "rows.previous.sex",
                        "rows.again.sex", "rows.previous.smoker", "rows.again.smoker"]

    def counted(self, side):
        rows = []
        for own in self.kept(side):
            for place, (sex, smoker) in enumerate(own):
                before, again = own[place - 1] if place else ("", ""), place > 1
                rows.append((sex, smoker, True, str(len(own)), before[0], again, before[1], again))
        return rows


def row_cases():
    """A row is the unit."""
    fewer, few, less, some, many = (RELEASES * tenths // 10 for tenths in (2, 3, 4, 5, 6))
    return [
        RangeCase("add_remove", 2, 3, releases=less),
        RangeCase("replace_one", 2, 5, releases=less),
        TakenRangeCase("add_remove", 2, 3, releases=less),
        FarCase("add_remove", 2, 3, releases=less),
        FarCase("replace_one", 2, 7, releases=less),
        EdgeCase("add_remove", 1, releases=fewer),
        EdgeCase("replace_one", 1.5, releases=fewer),
        ListCase("add_remove", 2, 7, releases=less),
        ListCase("replace_one", 2, 13, releases=less),
        HierarchyCase("add_remove", 2, 10, releases=less),
        HierarchyCase("replace_one", 2, 17, releases=less),
        Case("sbhg-dense", SMOKERS, CROWD, RARE, "sbhg", "add_remove", 4, releases=less, wide=2),
        Case("sbhg-dense", SMOKERS, CROWD, RARE, "sbhg", "replace_one", 6, releases=less, caught=6,
             wide=2),
        Case("sbhg-stability-common", SMOKERS, CROWD, COMMON, "sbhg", "add_remove", 4, 0.22,
             STABILITY, releases=some, caught=6),
        Case("sbhg-stability-rare", SMOKERS, CROWD, RARE, "sbhg", "add_remove", 2, 0.22, STABILITY,
             releases=some, caught=6),
        Case("sbhg-stability-rare", SMOKERS, CROWD, RARE, "sbhg", "replace_one", 4, 0.22, STABILITY,
             releases=some, caught=6),
        Case("sba-dense", SMOKERS, CROWD, RARE, "sba", "add_remove", 2, 0, '{"dense_cells": 100}',
             releases=some, caught=5, wide=2),
        Case("sba-dense", SMOKERS, CROWD, RARE, "sba", "replace_one", 5, 0, '{"dense_cells": 100}',
             releases=few, caught=6, wide=2),
        Case("sba-stability-common", SMOKERS, CROWD, COMMON, "sba", "add_remove", 2, 0.11,
             releases=some, caught=8),
        Case("sba-stability-rare", SMOKERS, CROWD, RARE, "sba", "add_remove", 1, 0.28, releases=few,
             caught=8),
        Case("sba-stability-rare", SMOKERS, CROWD, RARE, "sba", "replace_one", 2, 0.28,
             releases=few, caught=8),
        SharedCase("shared", SMOKERS, CROWD, RARE, "sba", 4, 0, '{"dense_cells": 100}', releases=less,
                   caught=None, wide=3.5),
        SharedCase("shared-rows", SMOKERS, CROWD, RARE, "sba", 1, 0, '{"dense_cells": 100}',
                   releases=RELEASES * 3 // 20, caught=None),
        # columns that belong together or not by the record alone: parents are selected
        Case("sbhg-selected", PATIENTS, WARD, ILL, "sbhg", "add_remove", 3, releases=many,
             caught=10, wide=2),
        # by mutual information, of which a row can change much: so all is for the choice
        Case("sbhg-information", PATIENTS, EVEN, ILL_SMOKER, "sbhg", "replace_one", 4, 0,
             '{"score": "information", "selection_share": 0.5}', instead=[ILL_OLD], releases=few, caught=None),
        Case("sbhg-selected", PATIENTS, WARD_OF_ONE_KIND, ILL_THERE, "sbhg", "replace_one", 6, 0,
             '{"selection_share": 0.2}', instead=[(False, False, False)],
             releases=some, caught=16, wide=2.5),
        # a value that the record has to itself, or helps over the threshold
        Case("sba-open-rare", TOWNS, TOWN, NOWHERE, "sba", "add_remove", 1, 0.33,
             '{"dense_cells": 100, "open_share": 0.9}', open_column="town", releases=fewer, caught=6),
        Case("sbhg-open-rare", TOWNS, TOWN, NOWHERE, "sbhg", "replace_one", 2, 0.33,
             '{"open_share": 0.9}', open_column="town", releases=fewer, caught=6),
        Case("sbhg-open-common", TOWNS, TOWN, THERE, "sbhg", "add_remove", 4, 0.05,
             '{"open_share": 0.5}', open_column="town", releases=few, caught=12),
    ]


ONES = '{"margin_share": 0.9, "selection_share": 0.01, "group_rare": false}'
PAIR = '{"margin_share": 0.01, "selection_share": 0.01, "group_rare": false}'


def tree_cases():
    """Trees and networks: an event is scored by the tables alone, not by what was chosen. Where it says
    little, fewer releases are made, and the width of the noise speaks."""
    few, fewest = RELEASES * 3 // 10, RELEASES * 3 // 20
    return [
        Case("steps-selected", SMOKERS, CROWD, RARE, "steps", "add_remove", 4, 0, '{"layers": 1}',
             releases=few, caught=6, wide=2.5),
        Case("flat-sparse", SMOKERS, CROWD, RARE, "flat", "add_remove", 4, 0,
             '{"dense_cells": 0, "no_false_positives": 0.01}', releases=few, caught=6),
        Case("privbayes", SMOKERS, CROWD, RARE, "privbayes", "replace_one", 6, 0, '{"parents": 1}',
             releases=few, caught=8, wide=2.5),
        Case("steps-selected", SMOKERS, CROWD, RARE, "steps", "replace_one", 8, 0, '{"layers": 1}',
             releases=few, caught=10, wide=2.5),
        Case("uh", SMOKERS, CROWD, RARE, "uh", "add_remove", 4, releases=fewest, caught=None, wide=2.5),
        Case("uh", SMOKERS, CROWD, RARE, "uh", "replace_one", 8, releases=fewest, caught=None, wide=2.5),
        Case("flat-sparse", SMOKERS, CROWD, RARE, "flat", "replace_one", 8, 0,
             '{"dense_cells": 0, "no_false_positives": 0.01}', releases=few, caught=10),
        Case("privbayes", SMOKERS, CROWD, RARE, "privbayes", "add_remove", 4, 0, '{"parents": 1}',
             releases=few, caught=10, wide=2.5),
        Case("mst", SMOKERS, CROWD, RARE, "mst", "add_remove", 6, 0, '{"group_rare": false}',
             releases=fewest, caught=None, wide=3),
        Case("mst", SMOKERS, CROWD, RARE, "mst", "replace_one", 8, 0, '{"group_rare": false}',
             releases=fewest, caught=None, wide=3.5),
        Case("aim", SMOKERS, CROWD, RARE, "aim", "add_remove", 4, 0,
             '{"rounds": 2, "group_rare": false}', releases=fewest, caught=None, wide=2.5),
        Case("aim", SMOKERS, CROWD, RARE, "aim", "replace_one", 8, 0,
             '{"rounds": 2, "group_rare": false}', releases=fewest, caught=None, wide=3.5),
        # nearly the whole budget is for the table of the pair. The bound is in rho: a sixteenth of rho
        # is a quarter of epsilon
        Case("mst-gaussian", SMOKERS, CROWD, RARE, "mst", "add_remove", 4, 0.1, PAIR, releases=few,
             caught=16, wide=2),
        Case("mst-gaussian", SMOKERS, CROWD, RARE, "mst", "replace_one", 6, 0.1, PAIR, releases=few,
             caught=16, wide=2),
        # rows enough for two trees: all three pairs are released, each for a quarter of the budget
        Case("mst-trees", PATIENTS, EVEN, ILL_SMOKER, "mst", "add_remove", 6, 0.1,
             PAIR[:-1] + ', "trees": 2}', releases=few, caught=16, wide=2),
        Case("aim-gaussian", SMOKERS, CROWD, RARE, "aim", "add_remove", 8, 0.1,
             '{"rounds": 2, "group_rare": false}', releases=few, caught=16, wide=2.5),
        Case("aim-gaussian", SMOKERS, CROWD, RARE, "aim", "replace_one", 8, 0.1,
             '{"rounds": 2, "group_rare": false}', releases=few, caught=16, wide=3),
    ]


def choice_cases():
    """Nearly the whole budget is for choosing. Two candidates are close, and the score of one rises by
    as much as that of the other falls, so that the guarantee is nearly tight."""
    few, some = RELEASES // 5, RELEASES // 4
    mst, mst_pure = {"margin_share": 0.05, "selection_share": 0.9, "trees": 1}, {"margin_share": 0.09, "selection_share": 0.9}
    aim = {"workload": ["ill,smoker", "ill,old"], "rounds": 4, "selection_share": 0.9}
    mwem = {"workload": ["ill,smoker", "ill,old"], "rounds": 1, "selection_share": 0.9}
    three = ["ill,smoker", "ill,old", "old,smoker"]
    mwem_second = {"workload": three, "rounds": 2, "selection_share": 0.9}
    aim_second = {"workload": three, "rounds": 4, "selection_share": 0.9}
    return [
        # one of two selections, of the share that both have; before it the tables of one column
        ChoiceCase("mst-chosen-concentrated", "add_remove", "mst", 6, 0.1, mst, 0.5, rows_max=UNIT_ROWS,
                   releases=some, caught=16),
        ChoiceCase("mst-chosen-concentrated", "replace_one", "mst", 6, 0.1, mst, 0.5, releases=some,
                   caught=16),
        ChoiceCase("mst-chosen", "add_remove", "mst", 6, 0, mst_pure, 0.54, rows_max=UNIT_ROWS,
                   releases=few, caught=8),
        ChoiceCase("mst-chosen", "replace_one", "mst", 6, 0, mst_pure, 0.54, releases=few, caught=8),
        # each of four rounds has a quarter; the tables of one column take three, without choosing
        ChoiceCase("aim-chosen-concentrated", "add_remove", "aim", 12, 0.1, aim, 0.325, 0.225,
                   rows_max=UNIT_ROWS, releases=some, caught=16),
        ChoiceCase("aim-chosen-concentrated", "replace_one", "aim", 12, 0.1, aim, 0.325, 0.225,
                   releases=some, caught=16),
        # two tables between two fits: which candidates fit is asked of those that are drawn
        ChoiceCase("aim-batch-concentrated", "replace_one", "aim", 12, 0.1, {**aim, "batch": 2},
                   0.325, 0.225, releases=some, caught=16),
        # half for the tables of one column, since they are more than the rounds
        ManyColumnsCase("aim-many-columns", "replace_one", "aim", 24, 0.1, aim, 0.75, 0.225, releases=some,
                        caught=24),
        ChoiceCase("aim-chosen", "add_remove", "aim", 12, 0, aim, 0.325, 0.225, rows_max=UNIT_ROWS,
                   releases=few, caught=10),
        ChoiceCase("aim-chosen", "replace_one", "aim", 12, 0, aim, 0.325, 0.225, releases=few, caught=10),
        # the number of rows is bought first, where it is secret
        ChoiceCase("mwem", "add_remove", "mwem", 3, 0, mwem, 0.902, 0.882, rows_max=UNIT_ROWS,
                   releases=few, caught=8),
        ChoiceCase("mwem", "replace_one", "mwem", 3, 0, mwem, 0.9, 0.9, releases=few, caught=8),
        # the second of two rounds: two choices and, between them, a table
        ChoiceCase("mwem-second", "replace_one", "mwem", 6, 0, mwem_second, 0.95, 0.45, place=1,
                   releases=few, caught=16),
        ChoiceCase("aim-second", "replace_one", "aim", 12, 0, aim_second, 0.575, 0.225, place=1,
                   releases=few, caught=18),
        ChoiceCase("aim-second-concentrated", "replace_one", "aim", 12, 0.1, aim_second, 0.575, 0.225,
                   place=1, releases=some, caught=28),
        # in a public ring, none of three columns has a parent, or each has
        NumberCase("sbhg-number", PATIENTS, WARD_OF_ONE_KIND, (False, True, False), "sbhg", "replace_one", 22,
                   {"parents": "auto", "column_order": list(PATIENTS), "selection_share": 0.7273}, 0.7273,
                   releases=RELEASES // 2, caught=18),
        OrderCase("steps-bic", SMOKERS, [("f", True)] * 30, ("f", False), "steps", "add_remove", 12,
                  {"layers": 1, "score": "bic", "selection_share": 0.5}, 0.5, releases=RELEASES // 2, caught=20),
        ClusterCase("steps-clusters", SMOKERS, [("f", True)] * 30, ("f", False), "steps", "add_remove", 3,
                    {"layers": 1, "score": "bic", "branches": "clusters", "selection_share": 0.5}, 0.5,
                    releases=RELEASES // 2, caught=20),
        # two choices share what is for choosing; a replaced row moves a lead by a third of what it could
        NetworkCase("privbayes-second", "replace_one", "privbayes", 20, 0, {"parents": 1, "selection_share": 0.9},
                    0.9, 0.45, place=1, releases=RELEASES * 4 // 10, caught=30),
    ]


def account_cases():
    """Releases that are paid for in rho."""
    few = RELEASES // 5
    return [
        AccountCase("account-laplace", SMOKERS, CROWD, RARE, "sba", "add_remove", 2.5, 0,
                    '{"dense_cells": 100}', releases=few, caught=10),
        AccountCase("account-laplace", SMOKERS, CROWD, RARE, "sba", "replace_one", 3, 0,
                    '{"dense_cells": 100}', together=2, releases=few, caught=16),
        AccountCase("account-gaussian", SMOKERS, CROWD, RARE, "mst", "add_remove", 4, 0.1, PAIR,
                    together=2, releases=few, caught=16, wide=2),
    ]


DOMAIN = '{"no_false_positives": 0.05, "domain": {"town": ["here", "there", "nowhere", "elsewhere", "far away"]}}'


def histogram_cases():
    """Histograms over a domain: the record has a value to itself, which shows without it too."""
    few, some = RELEASES // 5, RELEASES * 3 // 10
    return [
        Case("histogram-cathist", TOWNS, TOWN, NOWHERE, "histogram", "add_remove", 2, 0, DOMAIN,
             releases=few, caught=10),
        Case("histogram-cathist", TOWNS, TOWN, NOWHERE, "histogram", "replace_one", 4, 0, DOMAIN,
             releases=few, caught=6),
        Case("histogram-laplace", TOWNS, TOWN, NOWHERE, "histogram", "replace_one", 6, 0,
             DOMAIN.replace("{", '{"mechanism": "laplace", ', 1), releases=few, caught=8, wide=2),
        Case("histogram-stability", TOWNS, TOWN, NOWHERE, "histogram", "add_remove", 1, 0.3,
             DOMAIN.replace("{", '{"mechanism": "stability", ', 1), releases=some),
    ]


def perturbed_cases():
    """Rows are the release. Few of them show little of a record: that they have exactly the distribution of
    the proof is the sharper check."""
    few = RELEASES * 3 // 20
    crowd = [("f", True)] * 3
    chain = {"sex": [], "smoker": ["sex"]}
    return [
        RowsCase("pegs", SMOKERS, crowd, RARE, "pegs", "add_remove", 2, chain, 1, releases=few),
        RowsCase("pegs", SMOKERS, crowd, RARE, "pegs", "replace_one", 2, chain, 1, releases=few),
        RowsCase("pegs-block", SMOKERS, crowd, RARE, "pegs", "add_remove", 4, chain, 2, 2,
                 releases=few),
        RowsCase("pegs-block", SMOKERS, crowd, RARE, "pegs", "replace_one", 4, chain, 2, 2,
                 releases=few),
        ShapedCase("pegs-shaped", "replace_one", 4, releases=few),
        RowsCase("bootstrap", SMOKERS, crowd, RARE, "marginal", "replace_one", 2,
                 {"sex": [], "smoker": []}, 1, instead=[("f", False)], releases=few),
        Case("marginal", SMOKERS, CROWD, RARE, "marginal", "add_remove", 4, releases=few,
             caught=None, wide=2.5),
        Case("marginal", SMOKERS, CROWD, RARE, "marginal", "replace_one", 8, releases=few,
             caught=None, wide=5),
    ]


def fit_cases():
    """Marginals for a joint distribution, all of them."""
    few = RELEASES * 3 // 20
    within = '{"workload": ["sex,smoker", "sex"]}'
    return [
        Case("cipher", SMOKERS, CROWD, RARE, "cipher", "add_remove", 4, 0, within, releases=few,
             caught=None, wide=2.5),
        Case("cipher", SMOKERS, CROWD, RARE, "cipher", "replace_one", 8, 0, within, releases=few,
             caught=None, wide=4.5),
    ]


def unit_cases():
    """A person has more rows than count: neighbours differ in all of them."""
    fewer, fifth, few, less, some = (RELEASES * percent // 100 for percent in (15, 20, 30, 40, 50))
    visits, towns = of_persons(CROWD), of_persons(TOWN)
    person, other = of_one_person(RARE), of_one_person(("m", False))
    return [
        RangeCase("add_remove", 2, 6, rows_max=UNIT_ROWS, releases=RELEASES // 3),
        RangeCase("replace_one", 3, 6, rows_max=UNIT_ROWS, releases=RELEASES // 3),
        Case("sba-unit-dense", VISITS, visits, person, "sba", "add_remove", 2, 0,
             '{"dense_cells": 100}', rows_max=UNIT_ROWS, releases=some, caught=12, wide=2),
        Case("sbhg-unit-dense", VISITS, visits, person, "sbhg", "replace_one", 6, instead=other,
             rows_max=UNIT_ROWS, releases=less, caught=8, wide=2),
        Case("steps-unit", VISITS, visits, person, "steps", "add_remove", 6, 0, '{"layers": 1}',
             rows_max=UNIT_ROWS, releases=few, caught=10, wide=2.5),
        Case("privbayes-unit", VISITS, visits, person, "privbayes", "replace_one", 8, 0,
             '{"parents": 1}', instead=other, rows_max=UNIT_ROWS, releases=few, caught=10, wide=2.5),
        Case("sba-unit-different", VISITS, visits, [(10 ** 6, *RARE), (10 ** 6, "f", False)], "sba",
             "add_remove", 4, 0, '{"dense_cells": 100}', rows_max=UNIT_ROWS, releases=few, caught=8, wide=2),
        ViewCase("view-stated", SMOKERS, CROWD, RARE, "sba", "add_remove", 4, 0, '{"dense_cells": 100}',
                 releases=few, caught=16, wide=3.5),
        JoinedCase("view-joined", VISITS, visits, person, "sba", "add_remove", 4, 0,
                   '{"dense_cells": 100}', rows_max=UNIT_ROWS, releases=few, caught=8, wide=2),
        # tables of single columns have nearly all of the budget, which both models share
        TreeCase("tree", VISITS, visits, person, "mst", "add_remove", 8, 0.1, ONES, rows_max=UNIT_ROWS,
                 releases=fifth, caught=16, wide=2.5),
        TreeCase("tree", VISITS, visits, person, "mst", "replace_one", 8, 0.1, ONES,
                 instead=[(10 ** 6, "f", False)], rows_max=UNIT_ROWS, releases=few, caught=16, wide=3),
        WholeTreeCase("tree-whole", VISITS, of_persons(CROWD * 4) * WHOLE_ROWS, [(10 ** 6, *RARE)] * 2 * WHOLE_ROWS,
                      "mst", "add_remove", 8, 0.1, ONES, rows_max=WHOLE_ROWS, releases=fewer, caught=16, wide=2.5),
        WholeTreeCase("tree-full", VISITS, of_persons(CROWD * 4) * HALF_ROWS, [(10 ** 6, *RARE)] * (HALF_ROWS + 1),
                      "mst", "add_remove", 8, 0.1, ONES, rows_max=WHOLE_ROWS, releases=fifth, caught=16, wide=2.5),
        ParentCase("unit-of-parents", VISITS, visits, person, "sba", "add_remove", 4, 0,
                   '{"dense_cells": 100}', rows_max=UNIT_ROWS, releases=few, caught=8, wide=2),
        SpeltCase("unit-spelt", VISITS, visits, person, "sba", "add_remove", 4, 0, '{"dense_cells": 100}',
                  rows_max=UNIT_ROWS, releases=few, caught=8, wide=2),
        KeyCase("unit-of-keys", VISITS, visits, person, "sba", "add_remove", 4, 0, '{"dense_cells": 100}',
                rows_max=UNIT_ROWS, releases=few, caught=8, wide=2),
        Case("sba-unit-rare", VISITS, visits, person, "sba", "add_remove", 1, 0.47,
             rows_max=UNIT_ROWS, releases=fifth),
        Case("sbhg-unit-open-rare", VISITED_TOWNS, towns, of_one_person(NOWHERE), "sbhg",
             "add_remove", 1, 0.55, '{"open_share": 0.9}', rows_max=UNIT_ROWS, open_column="town",
             releases=fifth, caught=12),
    ]


NARROW = {"narrow": True, "range_share": 0.3}


def query_cases():
    """The unit has the most extreme values that there can be, and far more than that."""
    some = RELEASES * 4 // 10
    crowd = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
    return [
        QueryCase("query-sum-clamped", "sum(amount)", (0, 10), crowd, 10 ** 6, "add_remove", 2,
                releases=some, caught=12),
        QueryCase("query-sum-clamped", "sum(amount)", (0, 10), crowd, 10 ** 6, "replace_one", 2,
                instead=-10 ** 6, releases=some, caught=12),
        QueryCase("query-sum-negative", "sum(amount)", (-50, 10), crowd, -50, "add_remove", 2,
                releases=some, caught=12),
        AboveCase("query-above", "sum(persons.amount)", (0, 10), crowd, 10 ** 6, "add_remove", 2,
                  releases=some, caught=12),
        AboveCase("query-above", "sum(persons.amount)", (0, 10), crowd, 10 ** 6, "replace_one", 2,
                  instead=-10 ** 6, releases=some, caught=12),
        AverageCase("query-avg", "avg(amount)", (0, 10), crowd, 10 ** 6, "add_remove", 3, releases=some,
                  caught=20),
        AverageCase("query-avg", "avg(amount)", (0, 10), crowd, 10 ** 6, "replace_one", 4,
                  instead=-10 ** 6, releases=some, caught=20),
        SelectCase("sql-sum", "sum(amount)", (0, 10), crowd, 10 ** 6, "add_remove", 2, releases=some, caught=12),
        SelectCase("sql-sum", "sum(amount)", (0, 10), crowd, 10 ** 6, "replace_one", 2, instead=-10 ** 6, releases=some, caught=12),
        SelectCase("sql-count", "count(*) FILTER (WHERE amount > -1)", (0, 10), crowd, 10 ** 6, "add_remove", 2, releases=some, caught=20),
        SelectMeanCase("sql-avg", "avg(amount)", (0, 10), crowd, 10 ** 6, "add_remove", 3, releases=some, caught=25),
        PersonCase("sql-by-person", "sum(amount)", (0, 10), crowd, 10 ** 6, "add_remove", 2, releases=some, caught=12),
        BesideCase("sql-beside-person", "sum(amount)", (0, 10), crowd, 10 ** 6, "add_remove", 2, releases=some, caught=12),
        NarrowCase("query-narrow", "sum(amount)", (0, 10 ** 4), crowd * 30, 10 ** 6, "add_remove", 2,
                   options=NARROW, releases=some, caught=None),
        NarrowCase("query-narrow", "sum(amount)", (0, 10 ** 4), crowd * 30, 10 ** 6, "replace_one", 2,
                   options=NARROW, instead=-10 ** 6, releases=some, caught=None),
        QuantileCase("query-quantile", 0.9, (0, 10), crowd, 10 ** 6, "add_remove", 3,
                  releases=2 * some, caught=6),
        QuantileCase("query-quantile", 0.9, (0, 10), crowd, 10 ** 6, "replace_one", 6,
                  instead=-10 ** 6, releases=some, caught=10),
    ]


def has_units(boss):
    """Whether this build knows privacy units of several rows."""
    return one(boss, "SELECT bool_or('max_rows_per_unit' = ANY (proargnames)) FROM pg_proc"
               " WHERE proname = 'dp_protect'")
