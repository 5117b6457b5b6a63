"""Schemas at random, with what is protected in them; and units, each with all of its rows.

A database is a list of units and of rows that are nobody's. What belongs to a unit is said here as
the documents say it, and not asked of dpsyn: its row; all rows with values that are equal for the
unit column's type and collation; a row of the root with all rows that foreign keys lead from it.
"""
import columns
import keys
from tables import Joins, Table, Target
from trees import Trees

SHAPES = {"table": 5, "tree": 6, "forest": 2, "shared": 2, "view": 3}


class Schema(Trees):
    """What is there and what is protected. Each shape fills it. narrow: what a planted fault needs,
    by the name of what is chosen: one of these, in place of one of all."""

    def __init__(self, random, narrow):
        self.random = random
        self.narrow = narrow
        self.shape = random.choices(list(SHAPES), list(SHAPES.values()))[0]
        self.shape = self.among("shape", [self.shape])
        self.kinds = set()  # names of what is special about it
        self.neighbours = self.among("neighbours", ("add_remove", "replace_one"))
        self.tables = []    # in an order in which rows can be inserted
        self.more = []      # statements after the tables
        self.protect = []   # statements that may be refused
        self.targets = []
        self.budgets = {}   # root -> the one whose budget it spends
        self.loaded = []    # statements once rows are there
        self.alike = random.random() < 0.5  # all rows of a unit have the same values
        self.least = 0      # rows that a unit has in a table at least
        getattr(self, "make_" + self.shape)()

    # ---- parts of all shapes ----

    def among(self, what, choices):
        return self.random.choice(self.narrow.get(what, choices))

    def named(self, what, choices):
        """The same of things that have names."""
        names = self.narrow.get(what)
        return self.random.choice([choice for choice in choices if names is None or choice.name in names])

    def pick_kinds(self, fewest=1, most=3):
        found = [columns.one_of(self.random, self.narrow.get("kinds")) for _ in range(self.random.randint(fewest, most))]
        self.kinds.update(kind for kind in found if "public table" in kind)
        return found

    def style(self, table):
        return table.values(self.random, None) if self.alike else None

    def statements(self):
        return [statement for table in self.tables for statement in table.create()] + self.more

    def declare(self):
        found = []
        for table in self.tables:
            found += table.declared
            found += ["SELECT dp_define_column('%s', '%s', fill => '1');" % (table.name, column)
                      for column in table.fill]
        return found

    def budget(self):
        return "epsilon => 1e6, delta => 0.5, neighbours => '%s', accountant => '%s', min_epsilon_per_release => 1e-6" % (
            self.neighbours, self.random.choice(("basic", "zcdp")))

    def count_of(self, bound):
        """How many rows a unit has: few, the bound, or more."""
        return max(self.least, self.random.choice((0, 1, bound, bound, bound + 1, bound + 2, 3 * bound)))

    # ---- one table ----

    def make_table(self):
        random = self.random
        table = Table(random, "t", self.pick_kinds(1, 4))
        self.bound = self.among("bound", (1, 1, 2, 3))
        self.unit = self.named("unit", keys.UNITS) if random.random() < 0.6 else None
        unit = ""
        if self.unit is not None:
            table.keys.append(("u", self.unit.type))
            unit = ", unit_column => 'u'"
            self.kinds.add("unit " + self.unit.name)
            self.least = 1 if self.neighbours == "replace_one" and self.bound == 1 else 0
        storage = random.choice(("plain", "plain", "partitions", "children"))
        if storage == "partitions":
            table.keys.append(("place", "integer NOT NULL"))
            table.fill.append("place")
            table.partition(random, "place")
        elif storage == "children":
            table.inherit()
        self.kinds.add(storage)
        self.tables.append(table)
        self.add_public(table)
        self.protect.append("SELECT dp_protect('t', %s%s, max_rows_per_unit => %d);" % (self.budget(), unit, self.bound))
        self.targets.append(Target("t", table.attributes, table.looked_up, joins=Joins(person=self.unit and "t.u")))

    def add_public(self, table):
        """Zeros and priors of its first listed columns, and a public table that chains start at."""
        listed = [attribute for attribute in table.attributes if len(attribute.levels) == 2]
        if listed and self.random.random() < 0.3:
            name, levels = listed[0].name, listed[0].levels
            table.declared.append("SELECT dp_define_cells('t', '{%s}', ARRAY[ARRAY['%s'], ARRAY['%s']], '{3,5}');"
                                  % (name, levels[0], levels[1]))
            self.kinds.add("priors")
        if len(listed) > 1 and self.random.random() < 0.3:
            table.declared.append("SELECT dp_define_cells('t', '{%s,%s}', ARRAY[ARRAY['%s', '%s']]);"
                                  % (listed[0].name, listed[1].name, listed[0].levels[0], listed[1].levels[0]))
            self.kinds.add("zeros")
        rows = [table.values(self.random, None) for _ in range(2)]
        self.more.append("CREATE TABLE pool AS SELECT %s FROM t; INSERT INTO pool VALUES %s;" % (
            ", ".join(column.name for column in table.columns), ", ".join("(%s)" % ", ".join(row) for row in rows)))

    def row_of_table(self, table, unit, style):
        row = []
        for name, _ in table.keys:
            if name == "u":
                row.append("NULL" if unit is None else self.unit.spell(self.random, unit))
            else:
                row.append(str(self.random.randrange(5)))
        return row + table.values(self.random, style)

    def unit_of_table(self, number):
        table = self.tables[0]
        if self.unit is None:
            fewest = 1 if self.bound == 1 or self.neighbours == "add_remove" else 0
            rows = self.random.randint(fewest, self.bound)
        else:
            rows = self.count_of(self.bound)
        style = self.style(table)
        return {"t": [self.row_of_table(table, number, style) for _ in range(rows)]}

    def nobody_of_table(self):
        if self.unit is None:
            return {}
        return {"t": [self.row_of_table(self.tables[0], None, None) for _ in range(self.random.randrange(3))]}

    # ---- relations that share a budget ----

    def make_shared(self):
        random = self.random
        self.shared = self.named("shared", keys.SHARED)
        self.kinds.add("shared " + self.shared.name)
        self.bounds = (random.choice((1, 2)), random.choice((1, 2, 3)))
        for at, name in enumerate(("a", "b")):
            table = Table(random, name, self.pick_kinds(1, 3), [("u", self.shared.types[at])])
            self.tables.append(table)
            self.targets.append(Target(name, table.attributes, table.looked_up, joins=Joins(person=name + ".u")))
        self.protect = ["SELECT dp_protect('a', %s, unit_column => 'u', max_rows_per_unit => %d);"
                        % (self.budget(), self.bounds[0]),
                        "SELECT dp_protect('b', budget_of => 'a', unit_column => 'u', max_rows_per_unit => %d,"
                        " neighbours => '%s');" % (self.bounds[1], self.neighbours)]

    def unit_of_shared(self, number):
        rows = {}
        for table, bound, spell in zip(self.tables, self.bounds, self.shared.spells):
            style = self.style(table)
            rows[table.name] = [[spell(self.random, number)] + table.values(self.random, style)
                                for _ in range(self.count_of(bound))]
        return rows

    def nobody_of_shared(self):
        return {table.name: [["NULL"] + table.values(self.random, None)] for table in self.tables
                if self.random.random() < 0.5}

    # ---- views ----

    def make_view(self):
        random = self.random
        self.view = self.among("view", ("filter", "expression", "along", "public", "twice", "groups", "window", "rows"))
        self.kinds.add("view " + self.view)
        self.bound = self.among("bound", (1, 2, 3))
        self.unit = self.named("unit", keys.UNITS)
        # a view has no CHECKs, so that nothing is known of such columns
        kinds = [kind for kind in self.pick_kinds(2, 3) if not kind.endswith("check") and kind != "checked text"]
        table = Table(random, "t", kinds or ["boolean"], [("u", self.unit.type)])
        self.tables.append(table)
        names = ", ".join("t." + column.name for column in table.columns)
        attributes = list(table.attributes)
        bounded = "unit_column => 'u', max_rows_per_unit => %d" % self.bound
        if self.view == "filter":
            self.add_view("SELECT t.u, %s FROM t WHERE t.%s IS NOT NULL" % (names, table.columns[0].name), bounded)
        elif self.view == "rows":
            self.bound = 1
            self.add_view("SELECT %s FROM t WHERE t.%s IS NOT NULL" % (names, table.columns[0].name),
                          "max_rows_per_unit => 1")
        elif self.view == "expression":
            self.unit = keys.Unit("lower", "text", lambda random, n: keys.cases(random, keys.word(n)))
            table.keys[0] = ("u", "text")
            self.add_view("SELECT lower(t.u) AS u, %s FROM t" % names, bounded)
        elif self.view == "along":
            attributes += self.view_along(names, bounded)
        elif self.view == "public":
            self.more.append("CREATE TABLE w (id integer, kind text NOT NULL CHECK (kind IN ('x', 'y')));"
                             " INSERT INTO w VALUES (1, 'x'), (2, 'y'), (2, 'x');")
            table.keys.append(("ward", "integer"))
            self.add_view("SELECT t.u, w.kind, %s FROM t JOIN w ON w.id = t.ward" % names,
                          bounded + ", public_relations => '{w}'")
            attributes.append(columns.Attribute("kind", "categories => '{x,y}'"))
        else:
            self.unit = None
            table.keys.pop()
            self.view_stated(names, table)
        self.targets.append(Target("v", self.view_attributes or attributes))

    view_attributes = None

    def add_view(self, query, protection):
        # a join of times of two types fails where their order depends on the time zone
        kept = self.view != "along" and self.random.random() < 0.15
        self.more.append("CREATE %sVIEW v AS %s;" % ("MATERIALIZED " if kept else "", query))
        if kept:
            self.loaded.append("REFRESH MATERIALIZED VIEW v;")
            self.kinds.add("materialised")
        self.protect.append("SELECT dp_protect('v', %s, %s);" % (self.budget(), protection))

    def view_along(self, names, bounded):
        """Two tables with a person's rows, joined by the person."""
        random = self.random
        self.shared = self.named("shared", keys.SHARED)
        self.kinds.add("along " + self.shared.name)
        first, second = self.shared.types
        self.tables[0].keys[0] = ("u", second)
        people = Table(random, "q", [columns.one_of(random, ("boolean", "enum"))], [("id", first)])
        people.columns[0] = people.columns[0]._replace(name="sex")
        self.tables.insert(0, people)
        unit = random.choice(("q.id", "t.u"))
        equal = random.choice(("q.id = t.u", "t.u = q.id"))
        self.add_view("SELECT %s AS u, q.sex, %s FROM q JOIN t ON %s" % (unit, names, equal), bounded)
        return [people.attributes[0]._replace(name="sex")]

    def view_stated(self, names, table):
        """Views of which the custodian states how many rows one row of the table changes."""
        least = ", sensitivity => %d"
        if self.view == "twice":
            query, rows = "SELECT %s FROM t UNION ALL SELECT %s FROM t" % (names, names), 2
        elif self.view == "groups":  # the row of its group goes, and another one comes
            self.view_attributes = [columns.Attribute("n", "categories => '{1,2,3,4}'", "number", ("2",), None, 5)]
            query, rows = "SELECT t.%s, count(*)::integer AS n FROM t GROUP BY 1" % table.columns[0].name, 1
            table.declared = []
        else:
            # of at most 12 rows each may change
            self.view_attributes = [columns.Attribute("n", "categories => '{1,2,3,4}'", "number", ("2",), None, 5)]
            query, rows = "SELECT (count(*) OVER ())::integer AS n FROM t", 13
            table.declared = []
        self.bound = 1
        self.add_view(query, "max_rows_per_unit => 1" + least % rows)

    def unit_of_view(self, number):
        rows = {}
        table = self.tables[-1]
        style = self.style(table)
        if self.view == "along":
            people = self.tables[0]
            spell_first, spell = self.shared.spells
            rows["q"] = [[spell_first(self.random, number)] + people.values(self.random, None)
                         for _ in range(self.random.choice((1, 1, 2)))]
            spell = self.shared.spells[1]
        elif self.unit is not None:
            spell = self.unit.spell
        count = 1 if self.unit is None or self.view == "rows" else self.count_of(self.bound)
        rows["t"] = []
        for _ in range(count):
            row = [] if self.unit is None else [spell(self.random, number)]
            if self.view == "public":
                row.append(self.random.choice(("1", "2", "NULL")))
            rows["t"].append(row + table.values(self.random, style))
        return rows

    def nobody_of_view(self):
        return {}

    # ---- what all shapes are asked for ----

    def make_unit(self, number):
        return getattr(self, "unit_of_" + self.shape)(number)

    def nobody(self):
        return getattr(self, "nobody_of_" + self.shape)()

    def paid_by(self, name):
        """The relation whose budget pays for one."""
        if self.shape == "shared":
            return "a"
        root = self.root_of(name) if self.shape in ("tree", "forest") else name
        return self.budgets.get(root, root)

    def debits_of(self, target):
        """What a question about it has to be charged for: (relation, the one whose budget pays)."""
        names = target.together or [target.name]
        if len(names) > 1:
            names = sorted({self.root_of(name) for name in names})
        return [(name, self.paid_by(name)) for name in names]

    def view_declares(self):
        """A view's columns are declared for the view."""
        if self.shape != "view":
            return self.declare()
        found = [statement.replace("('t', ", "('v', ") for statement in self.tables[-1].declared]
        names = [attribute.name for attribute in self.tables[-1].attributes]
        for attribute in self.targets[-1].attributes:
            if attribute.name not in names and attribute.declared:
                found.append("SELECT dp_define_column('v', '%s', %s);" % (attribute.name, attribute.declared))
        return found
