"""SELECTs at random, as dp_sql_json is asked them: rows with what they belong to and with public tables,
EXISTS and IN, numbers of persons, and sub-queries that aggregate by person first."""
SHAPES = {"rows": 4, "sums": 2, "up": 4, "public": 3, "within": 3, "nested": 2, "people": 2, "people and rows": 2, "by person": 4, "all persons": 2,
          "beside person": 3, "beside rows": 2, "pairs": 2, "some people": 2, "person in": 3, "person number": 3, "outer": 3, "missing": 2, "twice": 2, "by row above": 3, "rows above": 2}
REFUSED = {"other rows": 1, "other tree": 1}  # seldom: nothing is answered
REFUSED_SHARE = 0.02
NUMBERS = ("{x}", "{x} + 1", "least({x}, 9)", "greatest({x}, 0) * 2", "abs({x})", "coalesce({x}, 2)", "{x} * {x}",
           "CASE WHEN {x} > 3 THEN {x} ELSE 0 END", "{x} / ({x} - 1)", "round({x}::numeric, 1)", "-{x}", "sqrt({x} + 2)",
           "sqrt({x} - 1)", "ln({x} + 3)", "exp(least({x}, 9)::numeric)", "sqrt(greatest({x}, 0))",
           "power(least(greatest({x}, -9), 9)::numeric, 2)", "length(round({x}::numeric)::text)", "sqrt(({x} - 1) * ({x} - 1))",
           "width_bucket({x}::numeric, ARRAY[1, 3, 5.5])")
DISTANCES = ("{x}", "{x} * 2", "{x} / 2", "least({x}, 3)", "{x} + 1")  # of a column and of what it is a distance from
CONDITIONS = ("{x} > 1", "{x} IS NULL", "{x} BETWEEN 0 AND 7", "NOT ({x} = 2)", "{x} % 2 = 0", "{x} IN (1, 3, 9)", "({x}, 2) > (1, {x})",
              "split_part(round({x}::numeric)::text || '-b', '-', 1) = '3'")
PAIRS = ("corr({y}, {x})", "covar_samp({y}, {x})", "regr_slope({y}, {x})", "regr_r2({y}, {x})", "regr_count({y}, {x})", "regr_sxx({y}, {x})")
BY_PERSON = ("count(*)", "count({x})", "sum({x})", "sum({x})", "avg({x})", "min({x})", "max({x})", "bool_or({b})",
             "count(*) FILTER (WHERE {b})")
# Of a column that refers to a public table by the names of what it looks up there: the table, its key
PUBLIC = {"part": ("kinds.land", "code"), "brand": ("kinds.good", "id"), "land.part": ("kinds.good", "id")}


def quoted(words):
    return "'%s'" % words.replace("'", "''")


def plain(attributes):
    """Columns that can be named in SQL as they are."""
    return [attribute for attribute in attributes if attribute.cells > 0 and attribute.written is None
            and not set(".>(") & set(attribute.name)]


class Select:
    """One statement about a target, which has plain columns. shapes: one of these, in place of one of all."""

    def __init__(self, random, target, shapes=None):
        self.random = random
        self.target = target
        self.joins = target.joins
        self.attributes = [attribute._replace(name="%s.%s" % (target.name, attribute.name))
                           for attribute in plain(target.attributes)]
        able = [shape for shape in shapes or SHAPES if shape in REFUSED or self.is_able(shape)] or ["rows"]
        if not shapes and random.random() < REFUSED_SHARE:
            able = list(REFUSED)
        self.shape = random.choices(able, [{**SHAPES, **REFUSED}[shape] for shape in able])[0]
        self.source = target.name
        self.conditions = []
        self.words = getattr(self, self.shape.replace(" ", "_"))()

    def is_able(self, shape):
        joins = self.joins
        return {"rows": True, "sums": self.number() is not None, "up": joins.up, "public": self.public_keys(), "within": joins.below or self.public_keys(),
                "nested": len(joins.up) > 1, "people": joins.person, "people and rows": joins.person, "by person": joins.person, "all persons": joins.below,
                "beside person": joins.person, "beside rows": joins.below, "pairs": self.number() is not None, "some people": joins.person,
                "person in": joins.person, "person number": joins.person, "outer": joins.below,
                "missing": joins.below, "twice": joins.person, "by row above": joins.up, "rows above": joins.up}[shape]

    def public_keys(self):
        """(column, public table, its key) of columns that refer to one."""
        return [(name, *PUBLIC[looked_up]) for name, _, looked_up in
                (attribute.name.partition(".") for attribute in self.target.above) if looked_up in PUBLIC]

    # ---- parts ----

    def condition(self):
        attribute = self.random.choice(self.attributes)
        if attribute.measured == "number":
            return self.random.choice(CONDITIONS).format(x=attribute.name)
        if attribute.levels and self.random.random() < 0.7:
            return "%s = %s" % (attribute.name, quoted(str(attribute.levels[0])))
        return "%s IS NOT NULL" % attribute.name

    def number(self):
        """An expression of a column that is a number, or of a distance, if there is one."""
        names = [attribute.name for attribute in self.attributes]
        distances = ["(%s - %sfrom)" % (name, name[:-2]) for name in names
                     if name.endswith("_to") and name[:-2] + "from" in names]
        if distances and self.random.random() < 0.5:
            return self.random.choice(DISTANCES).format(x=self.random.choice(distances))
        numbers = [attribute.name for attribute in self.attributes if attribute.measured == "number"]
        return self.random.choice(NUMBERS).format(x=self.random.choice(numbers)) if numbers else None

    def aggregate(self):
        number = self.number()
        if number is not None and self.random.random() < 0.7:
            words = "%s(%s)" % (self.random.choice(("sum", "sum", "avg", "count", "stddev")), number)
        else:
            words = self.random.choice(("count(*)", "count(%s)" % self.random.choice(self.attributes).name))
        return words + (" FILTER (WHERE %s)" % self.condition() if self.random.random() < 0.3 else "")

    def group(self):
        return self.condition() if self.random.random() < 0.5 else self.random.choice(self.attributes).name

    def assemble(self, groups, aggregates, source, conditions):
        words = ["%s AS g%d" % (group, at) for at, group in enumerate(groups)]
        words += ["%s AS a%d" % (aggregate, at) for at, aggregate in enumerate(aggregates)]
        return "SELECT %s FROM %s%s%s" % (", ".join(words), source, " WHERE " + " AND ".join(conditions) if conditions else "",
                                          " GROUP BY " + ", ".join(str(at + 1) for at in range(len(groups))) if groups else "")

    def statement(self):
        """Aggregates of the rows of self.source that self.conditions leave."""
        groups = [self.group() for _ in range(self.random.choice((0, 0, 1, 1, 2)))]
        if self.random.random() < 0.5:
            self.conditions.append(self.condition())
        aggregates = [self.aggregate() for _ in range(self.random.choice((1, 1, 2, 3)))]
        return self.assemble(groups, aggregates, self.source, self.conditions)

    def join(self, table, on, attributes, word="JOIN"):
        """Adds what a relation has."""
        self.attributes = self.attributes + [attribute._replace(name="%s.%s" % (table.split(".")[-1], attribute.name))
                                             for attribute in attributes]
        if word == "JOIN" and self.random.random() < 0.3:
            self.source += ", " + table
            self.conditions.append(on)
        else:
            self.source += " %s %s ON %s" % (word, table, on)

    # ---- shapes ----

    def rows(self):
        return self.statement()

    def sums(self):
        """One sum by one column: what a unit adds is cut over all groups."""
        return self.assemble([self.random.choice(self.attributes).name], ["sum(%s)" % self.number()], self.source, [])

    def up(self):
        for table, on, attributes in self.joins.up[:self.random.randint(1, len(self.joins.up))]:
            # a comma and then JOIN would leave the first names unknown
            word = "INNER JOIN" if len(self.joins.up) > 1 else self.random.choice(("JOIN", "LEFT JOIN"))
            self.join(table, on, attributes, word)
        return self.statement()

    def public(self):
        column, table, key = self.random.choice(self.public_keys())
        called = table.split(".")[-1]
        own = "%s.%s" % (self.target.name, column)
        if table == "kinds.land" and self.random.random() < 0.4:  # many goods are of one land
            self.join("kinds.good", "good.land = " + own, (), "INNER JOIN")
            return self.statement()
        self.join(table, "%s.%s = %s" % (called, key, own), (), self.random.choice(("JOIN", "LEFT JOIN")))
        self.conditions.append("%s %s" % ("land.part" if called == "land" else "good.brand",
                                          self.random.choice(("IS NOT NULL", "<> 'south'", "= 'brand 1'"))))
        return self.statement()

    def within(self):
        if self.joins.below and (not self.public_keys() or self.random.random() < 0.7):
            table, on, attributes = self.random.choice(self.joins.below)
            more = self.random.choice([""] + [" AND %s.%s IS NOT NULL" % (table, attribute.name) for attribute in attributes]
                                      + [" AND %s.%s > 1" % (table, attribute.name) for attribute in attributes
                                         if attribute.measured == "number"])
            words = "EXISTS (SELECT 1 FROM %s WHERE %s%s)" % (table, on, more)
        else:
            column, table, key = self.random.choice(self.public_keys())
            own = "%s.%s" % (self.target.name, column)
            words = self.random.choice(("{own} IN (SELECT {key} FROM {table} WHERE {key} IS NOT NULL)",
                                        "EXISTS (SELECT FROM {table} x WHERE x.{key} = {own})")).format(own=own, key=key, table=table)
        self.conditions.append(self.random.choice(("", "NOT ")) + words)
        return self.statement()

    def people(self):
        groups = [self.group() for _ in range(self.random.choice((0, 1)))]
        conditions = [self.condition()] if self.random.random() < 0.5 else []
        if groups and self.random.random() < 0.2:
            return "SELECT DISTINCT %s AS g0 FROM %s" % (groups[0], self.source)
        return self.assemble(groups, ["count(DISTINCT %s)" % self.joins.person], self.source, conditions)

    def people_and_rows(self):
        """People beside what their rows give: each person has one row in each group."""
        groups = [self.group() for _ in range(self.random.choice((0, 1, 1)))]
        rows = ["count(*)", "count(%s)" % self.random.choice(self.attributes).name, "sum(%s)" % (self.number() or "1")]
        beside = [words + (" FILTER (WHERE %s)" % self.condition() if self.random.random() < 0.3 else "")
                  for words in self.random.sample(rows, self.random.choice((1, 2)))]
        conditions = [self.condition()] if self.random.random() < 0.5 else []
        return self.assemble(groups, ["count(DISTINCT %s)" % self.joins.person] + beside, self.source, conditions)

    def pairs(self):
        """Correlations and regressions, whose parts are about the middles of ranges."""
        groups = [self.group() for _ in range(self.random.choice((0, 0, 1)))]
        words = self.random.choice(PAIRS).format(x=self.number(), y=self.number())
        if self.random.random() < 0.3:
            words += " FILTER (WHERE %s)" % self.condition()
        return self.assemble(groups, [words], self.source, [self.condition()] if self.random.random() < 0.3 else [])

    def some_people(self):
        """People of whom some row passes a filter."""
        groups = [self.group() for _ in range(self.random.choice((0, 0, 1)))]
        words = ("count(DISTINCT {p}) FILTER (WHERE {c})", "count(DISTINCT CASE WHEN {c} THEN {p} END)", "count(DISTINCT {p})", "count(*)")
        asked = [self.random.choice(words[:2])] + self.random.sample(words, self.random.choice((0, 1, 2)))
        return self.assemble(groups, [each.format(p=self.joins.person, c=self.condition()) for each in asked], self.source, [])

    def person_in(self):
        """Rows of people of whom something holds."""
        key, own = self.joins.person, self.joins.person.partition(".")[2]
        rows = "SELECT again.%s FROM %s again" % (own, self.target.name)
        words = self.random.choice(("{k} IN ({rows} GROUP BY 1 HAVING count(*) > 1)", "{k} NOT IN ({rows} GROUP BY 1 HAVING count(*) > 2)",
                                    "EXISTS ({rows} WHERE again.{o} = {k} AND again.{o} IS NOT NULL)"))
        self.conditions.append(words.format(k=key, o=own, rows=rows))
        return self.statement()

    def person_number(self):
        """Rows with a number of their person, which is a scalar sub-select."""
        key, own = self.joins.person, self.joins.person.partition(".")[2]
        number = "(SELECT count(*) FROM %s again WHERE again.%s = %s)" % (self.target.name, own, key)
        if self.random.random() < 0.5:
            self.conditions.append(number + self.random.choice((" > 1", " < 2", " = 3")))
            return self.statement()
        groups = [self.group() for _ in range(self.random.choice((0, 0, 1)))]
        return self.assemble(groups, [self.random.choice(("sum(%s)", "avg(%s)")) % number], self.source, self.conditions)

    def outer(self):
        """People and their rows, by what is known of the people."""
        table, on, attributes = self.random.choice(self.joins.below)
        groups = [self.group() for _ in range(self.random.choice((0, 1)))]
        key = on.partition(" AND ")[0].partition(" = ")[2]
        rows = ["count(*)", "count(DISTINCT %s)" % key] + ["count(%s.%s)" % (table, attribute.name) for attribute in attributes[:1]]
        rows += ["sum(%s.%s)" % (table, attribute.name) for attribute in attributes if attribute.measured == "number"][:1]
        asked = self.random.sample(rows, self.random.choice((1, 2)))
        return self.assemble(groups, asked, "%s LEFT JOIN %s ON %s" % (self.target.name, table, on), [])

    def missing(self):
        """Rows that no row below meets, by LEFT JOIN."""
        table, on, attributes = self.random.choice(self.joins.below)
        key = next(side for side in on.partition(" AND ")[0].split(" = ") if side.startswith(table + "."))
        more = ["%s.%s > 1" % (table, attribute.name) for attribute in attributes if attribute.measured == "number"]
        if more and self.random.random() < 0.5:
            on += " AND " + more[0]
        self.source += " LEFT JOIN %s ON %s" % (table, on)
        self.conditions.append(key + " IS NULL")
        return self.statement()

    def twice(self):
        """People of whom some row passes one condition, and some row another."""
        own = self.joins.person.partition(".")[2]
        self.source += " JOIN %s again ON again.%s = %s" % (self.target.name, own, self.joins.person)
        groups = [self.group() for _ in range(self.random.choice((0, 1)))]
        name = self.random.choice(self.attributes).name.partition(".")[2]
        return self.assemble(groups, ["count(DISTINCT %s)" % self.joins.person], self.source, [self.condition(), "again.%s IS NOT NULL" % name])

    def row_above(self):
        """The key of the row that a row belongs to."""
        return next(side for side in self.joins.up[0][1].partition(" AND ")[0].split(" = ") if side.startswith(self.target.name + "."))

    def by_row_above(self):
        columns = [self.of_person() for _ in range(self.random.choice((1, 2)))]
        conditions = [self.condition()] if self.random.random() < 0.4 else []
        inner = "SELECT %s FROM %s%s GROUP BY %s" % (
            ", ".join("%s AS n%d" % (column, at) for at, column in enumerate(columns)), self.source,
            " WHERE " + conditions[0] if conditions else "", self.row_above())
        return self.around(inner, ["n%d" % at for at in range(len(columns))], [])

    def rows_above(self):
        """How many rows rows belong to, beside these."""
        groups = [self.group() for _ in range(self.random.choice((0, 1)))]
        words = ["count(DISTINCT %s)" % self.row_above(), "count(*)", "sum(%s)" % (self.number() or "1"),
                 "count(DISTINCT %s) FILTER (WHERE %s)" % (self.row_above(), self.condition())]
        return self.assemble(groups, words[:1] + self.random.sample(words[1:], self.random.choice((0, 1, 2))), self.source, [])

    def nested(self):
        """EXISTS of what a row belongs to, within EXISTS of that."""
        words = ""
        for table, on, _ in reversed(self.joins.up):
            words = "EXISTS (SELECT 1 FROM %s WHERE %s%s)" % (table, on, " AND " + words if words else "")
        self.conditions.append(words)
        return self.statement()

    def of_person(self):
        """An aggregate of a person's rows."""
        return self.random.choice(BY_PERSON).format(x=self.number() or self.random.choice(self.attributes).name, b=self.condition())

    def around(self, inner, columns, groups):
        """Aggregates of the rows of a sub-query."""
        asked = [self.random.choice(("count(*)", "sum(z.%s)", "avg(z.%s)", "count(z.%s)", "sum(CASE WHEN z.%s > 1 THEN 1 ELSE 0 END)"))
                 for _ in range(self.random.choice((1, 2)))]
        asked = [words % self.random.choice(columns) if "%s" in words else words for words in asked]
        by = self.random.choice([[], []] + [["z." + group] for group in groups] + [["z.%s > 1" % columns[0]]])
        return self.assemble(by, asked, "(%s) z" % inner, [])

    def by_person(self):
        if self.joins.up and self.random.random() < 0.3:
            self.join(*self.joins.up[0], "LEFT JOIN")
        groups = [self.condition()] if self.random.random() < 0.4 else []
        columns = [self.of_person() for _ in range(self.random.choice((1, 2)))]
        conditions = [self.condition()] if self.random.random() < 0.4 else []
        words = ["%s AS h%d" % (group, at) for at, group in enumerate(groups)]
        words += ["%s AS n%d" % (column, at) for at, column in enumerate(columns)]
        inner = "SELECT %s FROM %s%s GROUP BY %s" % (
            ", ".join(words), self.source, " WHERE " + conditions[0] if conditions else "", ", ".join([self.joins.person] + groups))
        return self.around(inner, ["n%d" % at for at in range(len(columns))], ["h%d" % at for at in range(len(groups))])

    def all_persons(self):
        """Those without rows have a row, too."""
        table, on, attributes = self.random.choice(self.joins.below)
        own = self.attributes
        self.attributes = [attribute._replace(name="%s.%s" % (table, attribute.name)) for attribute in attributes] or own
        columns = [self.of_person() for _ in range(self.random.choice((1, 2)))]
        if self.random.random() < 0.3:
            on += " AND " + self.condition()
        key = on.partition(" AND ")[0].partition(" = ")[2]
        inner = "SELECT %s FROM %s LEFT JOIN %s ON %s GROUP BY %s" % (
            ", ".join("%s AS n%d" % (column, at) for at, column in enumerate(columns)), self.target.name, table, on, key)
        return self.around(inner, ["n%d" % at for at in range(len(columns))], [])

    def beside(self, table, key, own):
        """Rows joined to what all rows of their person give; of self.attributes when it is called."""
        columns = ["%s AS n%d" % (self.of_person(), at) for at in range(self.random.choice((1, 2)))]
        having = self.random.choice(("", "", " HAVING count(*) > 1"))
        word = "JOIN" if having else self.random.choice(("JOIN", "LEFT JOIN"))
        self.source += " %s (SELECT %s AS k, %s FROM %s GROUP BY 1%s) z ON z.k = %s" % (word, key, ", ".join(columns), table, having, own)
        if self.random.random() < 0.5:
            self.conditions.append(self.random.choice(("z.n0 > 1", "z.n0 IS NOT NULL", "z.n0 = 0")))

    def beside_person(self):
        self.beside(self.target.name, self.joins.person, self.joins.person)
        return self.statement()

    def beside_rows(self):
        """Rows of which others are, with what those of the person give."""
        table, on, attributes = self.random.choice(self.joins.below)
        own, key = self.attributes, on.partition(" AND ")[0]
        self.attributes = [attribute._replace(name="%s.%s" % (table, attribute.name)) for attribute in attributes] or own
        left, right = key.split(" = ")
        self.beside(table, *((left, right) if left.startswith(table + ".") else (right, left)))
        self.attributes = own
        return self.statement()

    # ---- what is refused, unless a planted fault lets it pass ----

    def other_rows(self):
        """A list that is read from what is protected, as if it were public."""
        column = self.joins.reads and "%s.id" % self.target.name or self.random.choice(self.attributes).name
        self.conditions.append("%s IN (SELECT %s FROM %s)" % (column, column.partition(".")[2], self.joins.reads or self.target.name))
        return self.statement()

    def other_tree(self):
        self.source += " JOIN %s ON %s" % self.joins.other if self.joins.other else ", q"
        return self.statement()
