"""Schemas at random, with what is protected in them; and units, each with all of its rows.

A database is a list of units and of rows that are nobody's. What belongs to a unit is said here as
the documents say it, and not asked of dpsyn: its row; all rows with values that are equal for the
unit column's type and collation; a row of the root with all rows that foreign keys lead from it.
"""
from collections import namedtuple

import columns
import keys

# A relation that can be released. attributes: its own and, for queries, above: those of the rows
# that its rows belong to. name: as it is written. table_rows: about how many rows.
Target = namedtuple("Target", "name attributes above together", defaults=((), None))

UNITS = 10  # numbers of units: 0 to 9
SHAPES = {"table": 5, "tree": 6, "forest": 2, "shared": 2, "view": 3}


class Table:
    """A table: its columns beside those of keys, and how it is stored."""

    def __init__(self, random, name, kinds, keys_first=()):
        self.name = name
        self.keys = list(keys_first)  # (name, definition)
        self.columns = []
        self.declared = []
        self.after = []  # statements once it is there
        self.kid = None  # a table that inherits from it
        self.options = ""
        self.fill = []   # columns that no release is to model
        self.strangers = {}  # column of a key -> makes a value; it does not say whose a row is
        for at, kind in enumerate(kinds):
            for column in columns.make(random, kind, "c%d" % at):
                self.columns.append(column)
                self.declared += columns.declarations(name, column, kind)
        self.attributes = [attribute for column in self.columns for attribute in column.attributes]

    def create(self):
        parts = ["%s %s" % key for key in self.keys]
        parts += ["%s %s" % (column.name, column.definition) for column in self.columns]
        statements = ["CREATE TABLE %s (%s)%s;" % (self.name, ", ".join(parts), self.options)]
        return statements + self.after

    def names(self):
        return [name for name, _ in self.keys] + [column.name for column in self.columns]

    def partition(self, random, column):
        """By hash of a column, or by a list of nothing but a default."""
        self.options = " PARTITION BY HASH (%s)" % column
        parts = random.randrange(1, 4)
        self.after += ["CREATE TABLE %s_%d PARTITION OF %s FOR VALUES WITH (MODULUS %d, REMAINDER %d);"
                       % (self.name, part, self.name, parts, part) for part in range(parts)]

    def inherit(self):
        self.kid = self.name + "_kid"
        self.after.append("CREATE TABLE %s () INHERITS (%s);" % (self.kid, self.name))

    def values(self, random, style):
        """Values of the columns of one row. style: values that its other rows have, or None."""
        if style is not None and random.random() < 0.9:
            return style
        return [random.choice(column.values) for column in self.columns]


class Schema:
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
        return [columns.one_of(self.random, self.narrow.get("kinds"))
                for _ in range(self.random.randint(fewest, most))]

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
        self.targets.append(Target("t", table.attributes))

    def add_public(self, table):
        """Zeros and priors of its first listed columns, and a public table that chains start at."""
        listed = [attribute for attribute in table.attributes if len(attribute.levels) == 2]
        if listed and self.random.random() < 0.3:
            name, levels = listed[0].name, listed[0].levels
            table.declared.append("SELECT dp_define_priors('t', '{%s}', ARRAY[ARRAY['%s'], ARRAY['%s']], '{3,5}');"
                                  % (name, levels[0], levels[1]))
            self.kinds.add("priors")
        if len(listed) > 1 and self.random.random() < 0.3:
            table.declared.append("SELECT dp_define_zeros('t', '{%s,%s}', ARRAY[ARRAY['%s', '%s']]);"
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

    # ---- a tree of tables ----

    def make_tree(self):
        self.make_tree_of(self.among("below", (["c"], ["c"], ["c", "g"], ["c", "d"])))

    def make_tree_of(self, below):
        random = self.random
        root = Table(random, "p", self.pick_kinds(1, 2))
        self.tables.append(root)
        self.tree = {}  # child -> (parent, reference, bound)
        self.follows = {}  # child -> attributes of distances from ancestors
        self.protect.append("SELECT dp_protect('p', %s);" % self.budget())
        parents = {"c": "p", "d": "p", "g": "c"}
        for name in below:
            self.add_child(name, parents[name], {parents[other] for other in below})
        for name in below:
            if random.random() < self.among("follows", (0.3,)):
                self.add_distance(name)
        if random.random() < 0.2 and root.options == "" and self.can_partition(root):
            root.partition(random, root.keys[0][0])
            self.kinds.add("partitioned root")
        self.together(below)

    @staticmethod
    def can_partition(root):
        """Whether its only key is a PRIMARY KEY, of a type that can be hashed."""
        return len(root.keys) == 1 and root.keys[0][1].endswith("PRIMARY KEY") and "money" not in root.keys[0][1]

    def pick_reference(self):
        """Half of all have plain numbers."""
        found = keys.references()
        if "reference" in self.narrow:
            return self.named("reference", found)
        plain = [reference for reference in found if " to " in reference.name
                 and reference.parent in keys.INTEGERS and reference.child in keys.INTEGERS]
        special = [reference for reference in found if reference not in plain]
        return self.random.choice(plain if self.random.random() < 0.3 else special)

    def add_child(self, name, parent_name, parents):
        """parents: names of tables that others refer to. Those have no partitions, as their keys
        would have to be those of the partitions."""
        random = self.random
        parent = next(table for table in self.tables if table.name == parent_name)
        reference = self.pick_reference()
        bound = self.among("bound", (1, 2, 2, 3))
        child = Table(random, name, self.pick_kinds(1, 2), [("id", "integer PRIMARY KEY")])
        key = "k_" + name
        parent.keys.append((key, reference.parent + (" PRIMARY KEY" if not parent.keys else " NOT NULL")))
        if reference.index is not None:
            parent.keys[-1] = (key, reference.parent + " NOT NULL")
        if reference.index is not None:
            parent.after.append("CREATE UNIQUE INDEX ON %s (%s %s);" % (parent_name, key, reference.index))
        elif len(parent.keys) > 1 and "PRIMARY KEY" not in parent.keys[-1][1]:
            parent.after.append("ALTER TABLE %s ADD UNIQUE (%s);" % (parent_name, key))
        if reference.parent.startswith("text"):
            parent.declared.append("SELECT dp_define_column('%s', '%s', key => true, fill => 'k{n}');"
                                   % (parent_name, key))
        child.keys.append(("ref", reference.child))
        columns_of_key, refers = key, "ref"
        if reference.index is None and random.random() < 0.15:  # a key of two columns
            parent.keys.append((key + "_site", "integer NOT NULL"))
            parent.declared.append("SELECT dp_define_column('%s', '%s_site', categories => '{1}', complete => true);"
                                   % (parent_name, key))
            parent.after.append("ALTER TABLE %s ADD UNIQUE (%s, %s_site);" % (parent_name, key, key))
            child.keys.append(("ref_site", "integer"))
            columns_of_key, refers = "%s, %s_site" % (key, key), "ref, ref_site"
            self.kinds.add("composite key")
        storage = random.choice(("children", "plain" if name in parents else "partitions") + 8 * ("plain",))
        # a key of a table with partitions cannot be NOT VALID
        orphans = storage != "partitions" and random.random() < 0.3
        timing = random.choice(("", "", " DEFERRABLE INITIALLY DEFERRED"))
        child.after.append("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s) ON DELETE CASCADE%s;"
                           % (name, refers, parent_name, columns_of_key, timing + (" NOT VALID" if orphans else "")))
        unit = ""
        if columns_of_key == key and storage == "plain":
            unit = self.add_stranger(child, parent_name, key, reference)
        elif storage == "children":
            child.inherit()
            self.kinds.add("child with children")
        elif storage == "partitions":
            child.partition(random, "id")
            self.kinds.add("partitioned child")
        self.tables.append(child)
        self.tree[name] = (parent_name, reference, bound, orphans)
        self.kinds.add("reference " + reference.name)
        order = ""
        if random.random() < 0.3:
            order = self.order_of(child)
        self.protect.append("SELECT dp_protect('%s', parent => '%s', max_rows_per_unit => %d%s%s, neighbours => '%s');"
                            % (name, parent_name, bound, order, unit, self.neighbours))

    def add_stranger(self, child, parent_name, key, reference):
        """A foreign key that does not say whose a row is: to the same parent, or to another root.
        Returns what dp_protect is told of it."""
        what = self.random.random()
        if what < 0.15:
            child.keys.append(("other", reference.child))
            child.after.append("ALTER TABLE %s ADD FOREIGN KEY (other) REFERENCES %s (%s) NOT VALID;"
                               % (child.name, parent_name, key))
            child.strangers["other"] = lambda: reference.spell(self.random, self.random.randrange(UNITS))
            self.kinds.add("two keys to one parent")
            return ", unit_column => 'ref'"
        if what < 0.3 and "q" not in [table.name for table in self.tables]:
            self.add_doctor(child, " REFERENCES q")
        return ""

    def add_doctor(self, child, constraint):
        """A column of the child that refers to another root."""
        root = Table(self.random, "q", self.pick_kinds(2, 2), [("id", "integer PRIMARY KEY")])
        self.tables.insert(0, root)
        self.protect.insert(0, "SELECT dp_protect('q', %s);" % self.budget())
        child.keys.append(("doctor", "integer" + constraint))
        child.strangers["doctor"] = lambda: self.random.choice(("0", "1", "NULL"))
        self.kinds.add("two roots")

    def add_distance(self, name):
        """A column of a child that is a distance from one of an ancestor. Only queries and releases of
        both tables know it."""
        by_name = {table.name: table for table in self.tables}
        above = self.random.choice(self.above(name))
        base = columns.base_above(self.random, "b_" + name)
        follows = columns.distance_above("f_" + name, "%s.%s" % (above, base.name))
        for table, column in (by_name[above], base), (by_name[name], follows):
            table.columns.append(column)
            table.declared += columns.declarations(table.name, column)
        by_name[above].attributes += base.attributes
        self.follows[name] = follows.attributes
        self.kinds.add("distance from an ancestor")

    def above(self, name):
        """The tables that rows of one belong to."""
        found = []
        while name in self.tree:
            name = self.tree[name][0]
            found.append(name)
        return found

    @staticmethod
    def order_of(child):
        for attribute in child.attributes:
            if attribute.declared and ("bins" in attribute.declared or "range" in attribute.declared) \
                    and attribute.measured and attribute.written is None:
                return ", order_column => '%s'" % attribute.name
        return ""

    def together(self, below):
        """Each table by itself, and some together with the root."""
        by_name = {table.name: table for table in self.tables}
        for table in self.tables:
            above = list(self.follows.get(table.name, []))
            for at in self.above(table.name):
                above += [attribute._replace(name="%s.%s" % (at, attribute.name))
                          for attribute in by_name[at].attributes if attribute.written is None
                          and "->>" not in attribute.name and "(" not in attribute.name]
            self.targets.append(Target(table.name, table.attributes, above))
        some = ["p"] + [name for name in below if self.random.random() < 0.8]
        if len(some) == 1 or (len(some) == 2 and self.tree[some[1]][0] != "p"):
            some = ["p", "c"]
        self.targets.append(Target("{%s}" % ",".join(some), by_name["p"].attributes, together=some))

    def keys_of_row(self, table, unit, number):
        """What the keys of a row are that its children refer to."""
        row = []
        for name, _ in table.keys:
            if name.startswith("k_") and name.endswith("_site"):
                row.append("1")
            elif name.startswith("k_"):
                row.append(self.tree[name[2:]][1].value(number))
            elif name in table.strangers:
                row.append(table.strangers[name]())
            else:
                row.append(None)
        return row

    def unit_of_tree(self, number):
        below = [table for table in self.tables if table.name in self.tree]
        rows = {table.name: [] for table in below}
        root = next(table for table in self.tables if table.name == "p")
        rows["p"] = []
        rows["p"].append(self.keys_of_row(root, number, number) + root.values(self.random, None))
        numbers = {"p": [number]}
        styles = {}
        for table in below:
            parent_name, reference, bound, _ = self.tree[table.name]
            numbers[table.name] = []
            styles[table.name] = self.style(table)
            for parent in numbers[parent_name]:
                for _ in range(self.count_of(bound)):
                    if len(numbers[table.name]) >= 9:
                        break
                    own = self.next_number(number, len(numbers[table.name]))
                    row = self.keys_of_row(table, number, own)
                    row[0] = str(own)
                    row[[name for name, _ in table.keys].index("ref")] = reference.spell(self.random, parent)
                    site = "NULL" if self.random.random() < 0.05 else "1"
                    rows[table.name].append([site if part is None else part for part in row]
                                            + table.values(self.random, styles[table.name]))
                    numbers[table.name].append(own)
        return rows

    @staticmethod
    def next_number(unit, place):
        """The number of a row of a unit, below 100: no other unit's row has it."""
        return unit * 9 + place

    def nobody_of_tree(self):
        """Rows of no parent: NULL, or missing where the key is NOT VALID; those of another root."""
        rows = {table.name: [[str(number)] + table.values(self.random, None) for number in range(2)]
                for table in self.tables if table.name == "q"}
        for table in self.tables:
            if table.name not in self.tree:
                continue
            _, reference, _, orphans = self.tree[table.name]
            for place in range(self.random.randrange(3)):
                own = 900 + place
                row = self.keys_of_row(table, None, 99 - place)
                row[0] = str(own)
                missing = reference.spell(self.random, 98) if orphans else "NULL"
                row[[name for name, _ in table.keys].index("ref")] = missing
                rows.setdefault(table.name, []).append(["1" if part is None else part for part in row]
                                                       + table.values(self.random, None))
        return rows

    # ---- several trees, that refer to each other ----

    def make_forest(self):
        """The tree p, c and the table q. Rows of c refer to rows of q. Units are rows of q, or of p with what
        belongs to them; the other rows are then nobody's, and the same in both databases."""
        self.narrow = {"reference": ["integer to integer", "smallint to bigint"], **self.narrow}
        self.make_tree_of(["c"])
        child = next(table for table in self.tables if table.name == "c")
        if not any(table.name == "q" for table in self.tables):
            self.add_doctor(child, " REFERENCES q")
        self.unit_is = self.among("unit is", ("p", "q"))
        self.kinds.add("units of %s of two roots" % self.unit_is)
        self.targets = [Target("{p,c,q}", self.tables[0].attributes, together=["p", "c", "q"])]

    def unit_of_forest(self, number):
        if self.unit_is == "p":
            return self.unit_of_tree(number)
        root = self.tables[0]
        return {"q": [[str(number)] + root.values(self.random, None)]}

    def nobody_of_forest(self):
        rows = self.nobody_of_tree()
        if self.unit_is == "p":
            return rows
        rows["q"] = []
        for number in range(4):
            for name, more in self.unit_of_tree(number).items():
                rows[name] = rows.get(name, []) + more
        return rows

    # ---- relations that share a budget ----

    def make_shared(self):
        random = self.random
        self.shared = self.named("shared", keys.SHARED)
        self.kinds.add("shared " + self.shared.name)
        self.bounds = (random.choice((1, 2)), random.choice((1, 2, 3)))
        for at, name in enumerate(("a", "b")):
            table = Table(random, name, self.pick_kinds(1, 3), [("u", self.shared.types[at])])
            self.tables.append(table)
            self.targets.append(Target(name, table.attributes))
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
