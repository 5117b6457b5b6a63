"""Trees of tables, whose rows belong to rows of the root; and forests, several trees that one call
releases, which refer to each other and to public tables.

    p          the root of a tree: c, d and l belong to it, g and m to c
    l, m       link tables: nothing but a reference to the parent and another key
    q          the root of another tree, to which rows of the first refer: e belongs to it
    r          a root by itself, which may share the budget of q
"""
import columns
import keys
from selects import plain
from tables import UNITS, Joins, Table, Target

PARENTS = {"badge": "p", "c": "p", "d": "p", "l": "p", "g": "c", "m": "c", "e": "q"}
LINKS = ("l", "m")
ROWS_MOST = 9  # of a unit in a table

# What a link table has beside its parent: type, values, and the attribute that it is.
LINKED = {
    "a year": ("smallint CHECK (x BETWEEN 2000 AND 2011)", range(2000, 2012), ("number", (), (2001, 2005), 13)),
    "a list": ("text CHECK (x IN ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'))", "abcdefghi", (None, ("a", "c"), None, 9)),
    "a public table": ("text REFERENCES kinds.land", "abcd", (None, ("a", "d"), None, 4)),
    "many keys of public tables": ("integer REFERENCES kinds.good", range(1, 151), (None, (), None, 60)),
    "another tree": ("integer REFERENCES q", range(UNITS), None),
}


class Trees:
    """Shapes of schemas.Schema."""

    # ---- a tree of tables ----

    def make_tree(self):
        self.make_tree_of(self.among("below", (["c"], ["c"], ["c", "g"], ["c", "d"], ["c", "l"], ["l"], ["c", "m"])))
        self.together(["p"])

    def make_tree_of(self, below):
        random = self.random
        root = Table(random, "p", self.pick_kinds(1, 2))
        self.tables.append(root)
        self.tree = {}  # child -> (parent, reference, bound, orphans)
        self.follows = {}  # child -> attributes of distances from ancestors
        self.protect.append("SELECT dp_protect('p', %s);" % self.budget())
        for name in below:
            if name == "badge":
                self.add_badge()
            elif name in LINKS:
                self.add_link(name, PARENTS[name])
            else:
                self.add_child(name, PARENTS[name], {PARENTS[other] for other in below})
        for name in below:
            if name not in LINKS and name != "badge" and random.random() < self.among("follows", (0.3,)):
                self.add_distance(name)
        if random.random() < 0.2 and root.options == "" and self.can_partition(root):
            root.partition(random, root.keys[0][0])
            self.kinds.add("partitioned root")

    @staticmethod
    def can_partition(root):
        """Whether its only key is a PRIMARY KEY, of a type that can be hashed."""
        return len(root.keys) == 1 and root.keys[0][1].endswith("PRIMARY KEY") and "money" not in root.keys[0][1]

    def called(self, name):
        return next(table for table in self.tables if table.name == name)

    def is_there(self, name):
        return any(table.name == name for table in self.tables)

    def pick_reference(self, able=lambda reference: True):
        """A third of all have plain numbers."""
        found = [reference for reference in keys.references() if able(reference)]
        if "reference" in self.narrow:
            return self.named("reference", found)
        plain = [reference for reference in found if " to " in reference.name
                 and reference.parent in keys.INTEGERS and reference.child in keys.INTEGERS]
        special = [reference for reference in found if reference not in plain]
        return self.random.choice(plain if self.random.random() < 0.3 else special)

    @staticmethod
    def add_key(parent, name, reference):
        """The column of the parent that rows of a child refer to."""
        key = "k_" + name
        is_first = not parent.keys and reference.index is None
        parent.keys.append((key, reference.parent + (" PRIMARY KEY" if is_first else " NOT NULL")))
        if reference.index is not None:
            parent.after.append("CREATE UNIQUE INDEX ON %s (%s %s);" % (parent.name, key, reference.index))
        elif not is_first:
            parent.after.append("ALTER TABLE %s ADD UNIQUE (%s);" % (parent.name, key))
        if reference.parent.startswith("text"):
            parent.declared.append("SELECT dp_define_column('%s', '%s', key => true, fill => 'k{n}');"
                                   % (parent.name, key))
        return key

    def add_child(self, name, parent_name, parents):
        """parents: names of tables that others refer to. Those have no partitions, as their keys
        would have to be those of the partitions."""
        random = self.random
        parent = self.called(parent_name)
        reference = self.pick_reference()
        bound = self.among("bound", (1, 2, 2, 3))
        child = Table(random, name, self.pick_kinds(1, 2), [("id", "integer PRIMARY KEY")])
        key = self.add_key(parent, name, reference)
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
        storage = self.among("storage", ("children", "plain") + (("plain", "plain") if name in parents else (
            "partitions", "keys of partitions")) + 8 * ("plain",))
        # a key of a table with partitions cannot be NOT VALID
        orphans = storage == "keys of partitions" or (storage != "partitions" and random.random() < 0.3)
        self.store(child, storage)
        child.refer("(%s) REFERENCES %s (%s) ON DELETE CASCADE%s" % (
            refers, parent_name, columns_of_key, random.choice(("", "", " DEFERRABLE INITIALLY DEFERRED"))
            + (" NOT VALID" if orphans and storage != "keys of partitions" else "")))
        unit = ""
        if columns_of_key == key and storage == "plain":
            unit = self.add_stranger(child, parent_name, key, reference)
        self.tables.append(child)
        self.tree[name] = (parent_name, reference, bound, orphans)
        self.kinds.add("reference " + reference.name)
        order = ""
        if random.random() < 0.3:
            order = self.order_of(child)
        self.protect.append("SELECT dp_protect('%s', parent => '%s', max_rows_per_unit => %d%s%s, neighbours => '%s');"
                            % (name, parent_name, bound, order, unit, self.neighbours))

    def store(self, child, storage):
        if storage == "children":
            child.inherit()
            self.kinds.add("child with children")
        elif storage == "partitions":
            child.partition(self.random, "id")
            self.kinds.add("partitioned child")
        elif storage == "keys of partitions":
            child.partition(self.random, "id", keys_below=True)
            child.keys.append(("good", "integer"))
            child.refer("(good) REFERENCES kinds.good")
            child.strangers["good"] = lambda: self.random.choice(("1", "9", "150", "NULL", "9999"))
            child.attributes.append(columns.Attribute("good", None, None, (), None, 60))
            self.kinds.add("keys of partitions")

    def add_link(self, name, parent_name):
        """A table with nothing but its two keys."""
        # rows of two units are not to have one key, though dpsyn may refuse the reference
        reference = self.pick_reference(lambda reference: reference.index is None and reference.name != "any case to text")
        bound = self.among("bound", (1, 2, 2, 3))
        what = self.among("linked", list(LINKED))
        definition, values, attribute = LINKED[what]
        child = Table(self.random, name, [], [("x", definition), ("ref", reference.child)])
        key = self.add_key(self.called(parent_name), name, reference)
        child.after.append("ALTER TABLE %s ADD PRIMARY KEY (%s);" % (name, self.random.choice(("ref, x", "x, ref"))))
        child.refer("(ref) REFERENCES %s (%s)" % (parent_name, key))
        child.links = [keys.quoted(value) for value in values]
        if attribute is not None:
            child.attributes.append(columns.Attribute("x", None, *attribute))
        elif not self.is_there("q"):
            self.add_root_q()
        self.tables.append(child)
        self.tree[name] = (parent_name, reference, bound, False)
        self.kinds |= {"reference " + reference.name, "link table", "link to " + what}
        self.protect.append("SELECT dp_protect('%s', parent => '%s', max_rows_per_unit => %d, neighbours => '%s');"
                            % (name, parent_name, bound, self.neighbours))

    def add_badge(self):
        """For a planted fault alone: a table that refers to the root, declared public."""
        reference = self.pick_reference()
        badge = Table(self.random, "badge", [], [("id", "integer PRIMARY KEY"), ("ref", reference.child)])
        badge.refer("(ref) REFERENCES p (%s)" % self.add_key(self.called("p"), "badge", reference))
        self.tables.append(badge)
        self.tree["badge"] = ("p", reference, 1, False)
        self.protect.append("SELECT dp_declare_public('badge');")

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
        if what < 0.3 and not self.is_there("q"):
            self.add_doctor(child)
        return ""

    def add_root_q(self):
        self.tables.insert(0, Table(self.random, "q", self.pick_kinds(2, 2), [("id", "integer PRIMARY KEY")]))
        self.protect.insert(0, "SELECT dp_protect('q', %s);" % self.budget())
        self.kinds.add("two roots")

    def add_doctor(self, child):
        """A column of the child that refers to another root."""
        if not self.is_there("q"):
            self.add_root_q()
        what = self.among("doctor", ("NULL or not", "NULL or not", "never NULL", "unique", "two columns"))
        self.kinds.add("refers to another tree: " + what)
        child.strangers["doctor"] = lambda: self.random.choice(("0", "1") if what == "never NULL" else ("0", "1", "NULL"))
        child.keys.append(("doctor", "integer" + {"never NULL": " NOT NULL"}.get(what, "")))
        if what == "two columns":
            root = self.called("q")
            if not any(name == "site" for name, _ in root.keys):
                root.keys.append(("site", "integer NOT NULL"))
                root.after.append("ALTER TABLE q ADD UNIQUE (id, site);")
                root.strangers["site"] = lambda: "1"
            child.keys.append(("doctor_site", "integer"))
            child.strangers["doctor_site"] = lambda: self.random.choice(("1", "NULL"))
            child.refer("(doctor, doctor_site) REFERENCES q (id, site)")
            return
        if what == "unique":
            child.after.append("ALTER TABLE %s ADD UNIQUE (%s);" % (
                child.name, "doctor, id" if child.options else "doctor"))
            child.strangers["doctor"] = None  # the number of the row
        child.refer("(doctor) REFERENCES q (id)")

    def add_distance(self, name):
        """A column of a child that is a distance from one of an ancestor. Only queries and releases of
        both tables know it."""
        above = self.called(self.random.choice(self.above(name)))
        base = columns.base_above(self.random, "b_" + name)
        follows = columns.distance_above("f_" + name, "%s.%s" % (above.name, base.name))
        for table, column in (above, base), (self.called(name), follows):
            table.columns.append(column)
            table.declared += columns.declarations(table.name, column)
        above.attributes += base.attributes
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

    def together(self, roots):
        """Each table by itself, and some together with the root."""
        for table in self.tables:
            above = table.looked_up + list(self.follows.get(table.name, []))
            for at in self.above(table.name):
                above += [attribute._replace(name="%s.%s" % (at, attribute.name))
                          for attribute in self.called(at).attributes + self.called(at).looked_up
                          if attribute.written is None and "->>" not in attribute.name
                          and "(" not in attribute.name]
            if table.attributes:
                self.targets.append(Target(table.name, table.attributes, above, joins=self.joins_of(table.name)))
        some = list(roots)
        for name, (parent, *_) in self.tree.items():
            if parent in some and (len(some) == len(roots) or self.random.random() < 0.8):
                some.append(name)
        self.targets.append(self.several(some))

    def belongs(self, name):
        """The condition that joins rows of a table to those that they belong to."""
        parent = self.tree[name][0]
        key = "%s.k_%s" % (parent, name)
        is_pair = any(column == "k_%s_site" % name for column, _ in self.called(parent).keys)
        return "%s.ref = %s" % (name, key) + (" AND %s.ref_site = %s_site" % (name, key) if is_pair else "")

    def joins_of(self, name):
        up, at = [], name
        while at in self.tree:
            parent = self.tree[at][0]
            up.append((parent, self.belongs(at), plain(self.called(parent).attributes)))
            at = parent
        below = [(other, self.belongs(other), plain(self.called(other).attributes))
                 for other, (parent, *_) in self.tree.items() if parent == name and other != "badge"]
        person = "%s.ref" % name if len(up) == 1 else None
        other = ("q", "q.id = %s.doctor" % name) if "doctor" in self.called(name).strangers else None
        return Joins(up, below, other, "badge" if "badge" in self.tree else None, person)

    def several(self, names, public=()):
        attributes = [attribute for name in names for attribute in self.called(name).attributes]
        return Target("{%s}" % ",".join([*names, *public]), attributes, together=names)

    # ---- its rows ----

    def keys_of_row(self, table, number):
        """What the keys of a row are. number: what others refer to it by."""
        row = []
        for name, _ in table.keys:
            if name.startswith("k_") and name.endswith("_site"):
                row.append("1")
            elif name.startswith("k_"):
                row.append(self.tree[name[2:]][1].value(number))
            elif table.strangers.get(name) is not None:
                row.append(table.strangers[name]())
            elif name in table.strangers or name == "id":
                row.append(str(number))
            elif name == "ref_site":
                row.append("NULL" if self.random.random() < 0.05 else "1")
            else:
                row.append(None)
        return row

    def root_of(self, name):
        while name in self.tree:
            name = self.tree[name][0]
        return name

    def row_of_child(self, table, own, refers, values, link=None):
        row = self.keys_of_row(table, own)
        for at, (name, _) in enumerate(table.keys):
            if name == "ref":
                row[at] = refers
            elif name == "x":
                row[at] = link
        return row + values

    def unit_of_tree(self, number, root="p"):
        table_of_root = self.called(root)
        rows = {root: [self.keys_of_row(table_of_root, number) + table_of_root.values(self.random, None)]}
        numbers = {root: [number]}
        for table in self.tables:
            if table.name not in self.tree or self.root_of(table.name) != root:
                continue
            parent_name, reference, bound, _ = self.tree[table.name]
            rows[table.name], numbers[table.name] = [], []
            style = self.style(table)
            for parent in numbers[parent_name]:
                links = self.random.sample(table.links, len(table.links))
                for _ in range(self.count_of(bound)):
                    if len(numbers[table.name]) >= ROWS_MOST or (table.links and not links):
                        break
                    own = self.next_number(number, len(numbers[table.name]))
                    rows[table.name].append(self.row_of_child(
                        table, own, reference.spell(self.random, parent), table.values(self.random, style),
                        links.pop() if links else None))
                    numbers[table.name].append(own)
        return rows

    @staticmethod
    def next_number(unit, place):
        """The number of a row of a unit, below 100: no other unit's row has it."""
        return unit * ROWS_MOST + place

    def nobody_of_tree(self, root="p"):
        """Rows of no parent: NULL, or missing where that can be; and those of other roots."""
        rows = {}
        for number, other in [(number, table.name) for table in self.tables
                              if table.name not in self.tree and table.name != root for number in range(3)]:
            for name, more in self.unit_of_tree(number, other).items():
                rows[name] = rows.get(name, []) + more
        for table in self.tables:
            if table.name not in self.tree or self.root_of(table.name) != root or table.links:
                continue
            _, reference, _, orphans = self.tree[table.name]
            for place in range(self.random.randrange(3)):
                missing = reference.spell(self.random, 98) if orphans else "NULL"
                row = self.row_of_child(table, 99 - place, missing, table.values(self.random, None))
                row[0] = str(900 + place)
                rows.setdefault(table.name, []).append(row)
        return rows

    # ---- several trees, that refer to each other ----

    def make_forest(self):
        """Rows of the first tree refer to rows of q. Units are rows of one root with what belongs to them; the
        other rows are then nobody's, and the same in both databases."""
        random = self.random
        self.narrow = {"reference": ["integer to integer", "smallint to bigint"], **self.narrow}
        self.make_tree_of(self.among("below", (["c"], ["c", "l"], ["l"], ["c", "d"], ["c", "g"], ["c", "m"])))
        able = [table for table in self.tables if table.name in self.tree and table.name not in LINKS
                and "doctor" not in table.strangers and table.kid is None]
        for table in random.sample(able, random.randint(1, len(able)) if able else 0):
            self.add_doctor(table)
        if not self.is_there("q"):
            self.add_root_q()
        more = self.among("more", ("e", "e", "r", "r of q", "boss", "boss", ""))
        if more == "e":
            self.add_child("e", "q", set())
        elif more == "boss":
            root = self.called("q")
            root.keys.append(("boss", "integer REFERENCES q"))
            root.strangers["boss"] = lambda: random.choice(("0", "1", "NULL"))
        elif more != "":
            self.add_root_r(more)
        roots = [table.name for table in self.tables if table.name not in self.tree]
        self.unit_is = self.among("unit is", roots)
        self.kinds |= {"units of %s in a forest" % self.unit_is, "forest with " + more}
        public = random.choice(((), (), ("kinds.land",), ("kinds.good", "kinds.land")))
        self.targets = [self.several(random.sample([table.name for table in self.tables], len(self.tables)), public)]
        self.targets += [Target(name, self.called(name).attributes, self.called(name).looked_up, joins=self.joins_of(name),
                                methods=("sql",)) for name in random.sample(list(self.tree), 1) if plain(self.called(name).attributes)]

    def add_root_r(self, what):
        if what == "r of q":
            self.budgets["r"] = "q"
        self.tables.append(Table(self.random, "r", self.pick_kinds(1, 2), [("id", "integer PRIMARY KEY")]))
        self.protect.append("SELECT dp_protect('r', %s);" % (
            "budget_of => 'q', neighbours => '%s'" % self.neighbours if what == "r of q" else self.budget()))

    def unit_of_forest(self, number):
        return self.unit_of_tree(number, self.unit_is)

    def nobody_of_forest(self):
        return self.nobody_of_tree(self.unit_is)
