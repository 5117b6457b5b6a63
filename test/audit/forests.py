"""Two trees that refer to each other and to a public table, released by one call: persons with their
rows, and doctors. Each root's budget pays for its own tree."""
from contextlib import closing

import law
import model
from cases import ONES, RELEASES, UNIT_ROWS, Case, TreeCase, of_one_person, of_persons
from dptest import connect, run

COLUMNS = {"person": "integer NOT NULL", "town": "text NOT NULL", "doctor": "integer"}
TOWNS = ("here", "there", "nowhere")  # nobody is in the last one
PERSONS = [("here", 1)] * 12 + [("here", None)] * 9 + [("there", 1)] * 14
PERSON = ("there", None)  # nobody else has both
REFERRED = [("here", 2)] * 40 + [("there", 1)] * 20 + [("there", None)] * 20
DOCTORS = (1, 2, 3)


class ForestCase(TreeCase):
    """A unit is a person with rows, which are in towns, of a public table, and refer to doctors or to none."""

    doctor_columns = ["old"]

    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        self.columns = ["town", "doctor.refers", "persons.alive", "rows.siblings", "rows.previous.town",
                        "rows.previous.doctor.refers"]
        self.doctors = [DOCTORS, DOCTORS]

    def doctors_of(self, relation):
        return self.doctors[relation.endswith("_with")]

    def protect(self, boss, relation, more=""):
        for statement in (
                "CREATE TABLE {0}_towns (town text PRIMARY KEY)",
                "INSERT INTO {0}_towns SELECT unnest(%s)",
                "CREATE TABLE {0}_doctors (id integer PRIMARY KEY, old boolean NOT NULL)",
                "INSERT INTO {0}_doctors SELECT unnest(%s), true",
                # the neighbour need not keep the key
                "ALTER TABLE {0} ADD FOREIGN KEY (town) REFERENCES {0}_towns,"
                " ADD FOREIGN KEY (doctor) REFERENCES {0}_doctors NOT VALID"):
            values = TOWNS if "_towns SELECT" in statement else self.doctors_of(relation)
            run(boss, statement.format(relation), *([list(values)] if "%s" in statement else []))
        run(boss, "SELECT dp_declare_public(%s)", relation + "_towns")
        run(boss, "SELECT dp_protect(%s, 1000000, 0.9, %s)", relation + "_doctors", self.neighbours)
        super().protect(boss, relation, more)

    def asked(self, relation):
        return "{%s_persons,%s,%s_doctors,%s_towns}" % ((relation,) * 4)

    def explained(self, relation):
        return super().asked(relation)

    def payers(self, relation):
        return [self.payer(relation), relation + "_doctors"]

    def stored(self, boss, relation):
        return [self.all_joined(relation, *map(model.parse, models)) for models in run(
            boss, "SELECT s.model, p.model, o.model FROM dp_catalog.dp_release_store s"
            " JOIN dp_catalog.dp_release_part p ON p.release = s.id"
            " JOIN dp_catalog.dp_release_store o ON o.forest = s.forest AND o.id <> s.id"
            " WHERE s.relation_name = %s ORDER BY s.id", "public.%s_persons" % relation)]

    def all_joined(self, relation, root, part, other):
        tree = self.joined(relation, root, part)
        shifted = [t._replace(attributes=[a + len(tree.attributes) for a in t.attributes]) for t in other.tables]
        return tree._replace(attributes=tree.attributes + other.attributes, tables=tree.tables + shifted)

    def refers(self, doctor, side):
        """What a row says of its doctor."""
        return doctor is not None

    def counted(self, side):
        rows = []
        for own in self.kept(side):
            own = [(town, "t" if self.refers(doctor, side) else "f") for town, doctor in own]
            for place, row in enumerate(own):
                before = own[place - 1] if place else ("", "")
                copies = self.rows_max // len(own) + (place < self.rows_max % len(own))
                rows += [(*row, True, str(len(own)), *before)] * copies
        return rows

    def exact(self, table, described, side):
        if described[table.attributes[0]].name not in self.doctor_columns:
            return super().exact(table, described, side)
        return law.counts(table.attributes, self.doctor_columns, [(True,)] * len(self.doctors[side]), described)

    def table_epsilon(self, table):
        """Tables of both trees have sensitivities of their own."""
        return table.epsilon * self.sensitivity / table.sensitivity

    def charged(self):
        """Of each root, what its budget was charged for the last release, and what the ledger says of all."""
        found = []
        with closing(connect()) as boss:
            for relation in self.relations:
                for payer in self.payers(relation):
                    found += run(boss, "SELECT d.spent_epsilon_nano, min(l.epsilon_nano), max(l.epsilon_nano), count(*)"
                                 " FROM dp_catalog.dp_dataset d JOIN dp_catalog.dp_ledger_entry l ON l.dataset = d.id"
                                 " AND l.kind = 'debit' WHERE d.relation = %s::regclass GROUP BY d.id", payer) or [(0, 0, 0, 0)]
        return found


class ReferredCase(ForestCase):
    """A unit is a doctor, to whom many rows refer. Were it looked up whether a doctor is there, so many rows
    would tell of one: that is what an event is scored by. What the rows say of themselves is the same
    with and without the doctor."""

    def __init__(self, *words, **more):
        super().__init__(*words, **more)
        self.rows = [self.rows[0], self.rows[0]]
        self.doctors = [tuple(doctor for doctor in DOCTORS if doctor != 2), DOCTORS]

    def refers(self, doctor, side):
        return doctor in self.doctors[side]


class PublishedCase(Case):
    """Persons have homes, each one of its own, and rows refer to persons and to homes. That persons are
    public is refused: then homes are declared by a list. Otherwise the list of homes would be that of persons,
    which is the event."""

    sets_max, takes_sets = 1, False

    def protect(self, boss, relation, more=""):
        for statement in (
                "CREATE TABLE {0}_persons AS SELECT DISTINCT person AS id, 'home ' || person AS home FROM {0}",
                "ALTER TABLE {0}_persons ADD PRIMARY KEY (id), ADD UNIQUE (home)",
                "ALTER TABLE {0} ADD FOREIGN KEY (person) REFERENCES {0}_persons,"
                " ADD FOREIGN KEY (home) REFERENCES {0}_persons (home)"):
            run(boss, statement.format(relation))
        run(boss, "SELECT dp_protect(%s, 1000000, 0.9, %s)", self.payer(relation), self.neighbours)
        run(boss, "SELECT dp_protect(%s, parent => %s, unit_column => 'person', max_rows_per_unit => %s)", relation, self.payer(relation),
            self.rows_max)
        run(boss, "DO $$ BEGIN PERFORM dp_declare_public('{0}_persons');"
                  " EXCEPTION WHEN object_not_in_prerequisite_state THEN"
                  " PERFORM dp_define_column('{0}', 'home', categories => ARRAY['home 1', 'home 2']); END $$".format(relation))

    def payer(self, relation):
        return relation + "_persons"

    def score(self, released, cache):
        persons = len({row[0] for row in self.rows[0]})
        return (1 if len(released.attributes[0].labels) > persons else -1,)


def cases():
    few = RELEASES * 3 // 20
    return [
        PublishedCase("published", {"person": "integer NOT NULL", "home": "text"}, of_persons([(None,)] * 20),
                      of_one_person((None,)), "sba", "add_remove", 1, 0, '{"dense_cells": 100}', rows_max=UNIT_ROWS,
                      releases=few, caught=None),
        ForestCase("forest", COLUMNS, of_persons(PERSONS * 2), of_one_person(PERSON), "mst", "add_remove", 8, 0.1, ONES,
                   rows_max=UNIT_ROWS, releases=RELEASES // 5, caught=16, wide=2.5),
        ReferredCase("forest-referred", COLUMNS, of_persons(REFERRED), [], "mst", "add_remove", 1, 0, ONES,
                     rows_max=UNIT_ROWS, releases=few, caught=None),
    ]
