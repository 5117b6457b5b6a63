"""Tables: their columns beside those of keys, and how they are stored."""
from collections import namedtuple

import columns

# What stands around a relation. up: of each relation that its rows belong to, nearest first, (name, the
# condition of the join, attributes). below: the same of those whose rows belong to its rows. other: the
# same of one of another tree, without attributes. reads: a protected relation that says it is public.
# person: the column that says whose a row is.
Joins = namedtuple("Joins", "up below other reads person", defaults=((), (), None, None, None))
# A relation that can be released. attributes: its own and, for queries, above: those of the rows
# that its rows belong to. name: as it is written. methods: it is asked by one of these alone.
Target = namedtuple("Target", "name attributes above together joins methods", defaults=((), None, Joins(), None))

UNITS = 10  # numbers of units: 0 to 9


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
        self.strangers = {}  # column of a key -> makes a value (None: its number); it does not say whose a row is
        self.keys_below = []  # partitions, on which foreign keys stand, and not on the table
        self.links = []      # of a link table: what a row can have beside its parent
        for at, kind in enumerate(kinds):
            for column in columns.make(random, kind, "c%d" % at, name):
                self.columns.append(column)
                self.declared += columns.declarations(name, column, kind)
        self.attributes = [attribute for column in self.columns for attribute in column.attributes]
        # what queries can ask of public tables
        self.looked_up = [attribute for column in self.columns for attribute in column.looked_up]

    def create(self):
        parts = ["%s %s" % key for key in self.keys]
        parts += ["%s %s" % (column.name, column.definition) for column in self.columns]
        statements = ["CREATE TABLE %s (%s)%s;" % (self.name, ", ".join(parts), self.options)]
        return statements + self.after

    def names(self):
        return [name for name, _ in self.keys] + [column.name for column in self.columns]

    def partition(self, random, column, keys_below=False):
        """By hash of a column. keys_below: foreign keys stand on partitions, and not on all of them."""
        self.options = " PARTITION BY HASH (%s)" % column
        parts = random.randrange(1, 4)
        if keys_below:
            self.keys_below = ["%s_%d" % (self.name, part) for part in range(parts) if part == 0 or random.random() < 0.7]
        self.after += ["CREATE TABLE %s_%d PARTITION OF %s FOR VALUES WITH (MODULUS %d, REMAINDER %d);"
                       % (self.name, part, self.name, parts, part) for part in range(parts)]

    def refer(self, key):
        """Adds a foreign key: "(column) REFERENCES ..."."""
        self.after += ["ALTER TABLE %s ADD FOREIGN KEY %s;" % (name, key) for name in self.keys_below or [self.name]]

    def inherit(self):
        self.kid = self.name + "_kid"
        self.after.append("CREATE TABLE %s () INHERITS (%s);" % (self.kid, self.name))

    def values(self, random, style):
        """Values of the columns of one row. style: values that its other rows have, or None."""
        if style is not None and random.random() < 0.9:
            return style
        return [random.choice(column.values) for column in self.columns]
