"""Tables at random: columns of many types, with and without public domains, and CHECKs, equations and generated columns
over them, which the rows of the table keep.

A table is made from pieces. A piece brings columns, each with what its values are (an expression of a row's number i and
of random()), and rules. A rule may also be of columns of other pieces of the same kind."""
import random

ROWS = 400


class Column:
    def __init__(self, name, type, value, check=None, nullable=False, generated=None, after=(), far=None, key=False):
        self.name, self.type, self.value, self.check, self.nullable = name, type, value, check, nullable
        self.generated, self.far, self.key = generated, far, key
        self.late = bool(after) or generated is not None  # its value is of other columns

    def declared(self):
        words = "%s %s" % (self.name, self.type)
        if self.generated:
            return words + " GENERATED ALWAYS AS (%s) STORED" % self.generated
        return words + (" PRIMARY KEY" if self.key else "" if self.nullable else " NOT NULL")


NUMBERS = ["smallint", "integer", "bigint", "numeric(10,2)", "numeric(12,4)", "numeric", "double precision", "real", "money"]
FAR = {"smallint": ["-1", "9999", "0"], "integer": ["99999", "-1", "99999999"], "bigint": ["9999999999", "-1"], "numeric(10,2)": ["99999.99", "-1"],
       "numeric(12,4)": ["99999999.9999", "0"], "numeric": ["1e30", "-1", "'NaN'"], "double precision": ["1e300", "'Infinity'", "-1", "'NaN'", "-0.0"],
       "real": ["9999", "'-Infinity'"], "money": ["'99999999.99'", "'-1'"],
       "date": ["'9999-12-31'", "'1900-01-01'", "'infinity'"], "timestamp": ["'9999-12-31 23:59:59'", "'-infinity'"],
       "timestamptz": ["'infinity'", "'9999-12-31'", "'0001-01-01'"], "interval": ["'99 years'", "'-1 day'"], "time": ["'24:00'", "'00:00'"]}


def number(type, expression):
    """A number of a type: money has no arithmetic with numbers, and is made of numeric."""
    return "(%s)::numeric::money" % expression if type == "money" else "(%s)::%s" % (expression, type)


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.columns, self.rules, self.words = [], [], []
        self.nullable = self.random.random() < .5
        self.bounded = self.random.random() < .7

    def name(self, stem):
        return "%s%d" % (stem, len(self.columns))

    def add(self, stem, type, value, low=None, high=None, after=(), **more):
        """A column; its ends are a CHECK if the table is of those with public ends."""
        name = self.name(stem)
        nullable = more.pop("nullable", self.nullable and self.random.random() < .4)
        check = None
        if low is not None and self.bounded and self.random.random() < .9:
            ends = ("'%s'" % low, "'%s'" % high)
            check = self.random.choice(["%s BETWEEN %s::%s AND %s::%s" % (name, ends[0], type, ends[1], type),
                                        "%s >= %s::%s AND %s <= %s::%s" % (name, ends[0], type, name, ends[1], type)])
        self.columns.append(Column(name, type, value, check, nullable, after=after, **more))
        return name

    def numbers(self, count, low=0, high=100, types=None):
        """Columns of numbers of types that can be added up."""
        types = types or self.random.choice([["smallint", "integer", "bigint"], ["numeric(10,2)", "numeric(12,4)"], ["integer", "numeric(10,2)"],
                                             ["double precision"], ["double precision", "integer"], ["money"], ["numeric", "numeric(10,2)"]])
        made = []
        for _ in range(count):
            type = self.random.choice(types)
            size = high - low
            value = {"smallint": "floor(random() * %d) + %d", "integer": "floor(random() * %d) + %d", "bigint": "floor(random() * %d) + %d"}.get(
                type, "round((random() * %d + %d)::numeric, 2)") % (size, low)
            made.append((self.add("n", type, number(type, value), low, high), type))
        return made

    def spread(self, parts, sign="+"):
        return (" %s " % sign).join(name for name, _ in parts)

    def sum_type(self, parts):
        types = [type for _, type in parts]
        for widest in ["money", "double precision", "real", "numeric", "numeric(12,4)", "numeric(10,2)", "bigint", "integer", "smallint"]:
            if widest in types:
                return {"smallint": "smallint", "numeric(10,2)": "numeric(12,2)"}.get(widest, widest)

    # ---- pieces ----
    def total(self):
        parts = self.numbers(self.random.choice([2, 2, 3, 4]))
        type = self.sum_type(parts)
        words = self.spread(parts)
        total = self.add("total", type, words, 0, 100 * len(parts), after=parts)
        self.rules.append(self.random.choice(["%s = %s", "%s - (%s) = %s" % ("%s", "%s", "'0'::money" if type == "money" else "0"), "%s = %s"]) % (total, words)
                          if self.random.random() < .8 else "%s >= %s" % (total, words))
        return parts + [(total, type)]

    def chain(self):
        """Two equations that share a column."""
        parts = self.total()
        total, type = parts[-1]
        other = self.numbers(1, 0, 50, [type] if type not in ("smallint",) else ["integer"])
        whole = self.add("whole", "integer" if type == "smallint" else type, "%s + %s" % (total, other[0][0]), 0, 1000, after=parts)
        self.rules.append("%s = %s + %s" % (whole, total, other[0][0]))
        if self.random.random() < .5:
            self.rules.append("%s <= %s" % (total, number(type, "250")))
        if self.random.random() < .5:
            self.rules.append("%s >= %s" % (whole, other[0][0]))

    def same(self):
        type = self.random.choice(NUMBERS + ["date", "timestamp", "timestamptz", "text"])
        value = {"date": "date '2020-01-01' + (random() * 900)::int", "timestamp": "timestamp '2020-01-01' + floor(random() * 90000) * interval '1 min'",
                 "timestamptz": "timestamptz '2020-01-01' + floor(random() * 90000) * interval '1 min'", "text": "chr(97 + (random() * 4)::int)"}.get(type) \
            or number(type, "floor(random() * 50)")
        ends = {"date": ("2020-01-01", "2024-01-01"), "timestamp": ("2020-01-01", "2024-01-01"), "timestamptz": ("2020-01-01", "2024-01-01"), "text": (None, None)}.get(
            type, (0, 60))
        a = self.add("a", type, value, *ends)
        b = self.add("b", type, a, *ends, after=a)
        self.rules.append("%s = %s" % (a, b))

    def times(self):
        type = self.random.choice(["date", "timestamp", "timestamptz"])
        start = "%s '2022-01-01' + %s" % (type, "(random() * 700)::int" if type == "date" else "floor(random() * 70000) * interval '7 min'")
        starts = self.add("starts", type, start, "2022-01-01", "2024-01-01")
        if type == "date":
            lasts = self.add("lasts", "integer", "(random() * 30)::int", 0, 30)
        else:
            lasts = self.add("lasts", "interval", "floor(random() * 90) * interval '15 min'", "0", "3 days")
        ends = self.add("ends", type, "%s + %s" % (starts, lasts), "2022-01-01", "2025-01-01", after=starts)
        self.rules.append(self.random.choice(["%s = %s + %s" % (ends, starts, lasts), "%s - %s = %s" % (ends, starts, lasts), "%s - %s = %s" % (ends, lasts, starts),
                                              "%s >= %s" % (ends, starts)]))
        if self.random.random() < .4:
            self.rules.append("%s > %s" % (ends, starts) if self.random.random() < .5 else "%s < '2024-06-01'" % ends)

    def product(self):
        q = self.add("q", self.random.choice(["smallint", "integer", "numeric(6,1)"]), "floor(random() * 20) + 1", 1, 50)
        p = self.add("p", self.random.choice(["numeric(8,2)", "numeric(8,2)", "integer", "double precision"]), "round((random() * 99)::numeric, 2)", 0, 100)
        words = "%s * %s" % (q, p)
        rounded = self.random.random() < .6
        if rounded:
            words = "round((%s)::numeric, %d)" % (words, self.random.choice([0, 1, 2]))
        amount = self.add("amount", "numeric(12,2)", words, 0, 6000, after=q)
        self.rules.append("%s = %s" % (amount, words) if rounded else "abs(%s - %s) < 0.01" % (amount, words))
        if self.random.random() < .4:
            self.rules.append("%s < 1500" % amount)

    def percent(self):
        whole = self.add("whole", "integer", "floor(random() * 90) + 10", 1, 100)
        part = self.add("part", "integer", "floor(random() * %s)" % "10", 0, 100)
        words = self.random.choice(["round((100.0 * %s / %s)::numeric, 1)" % (part, whole), "%s * 100 / nullif(%s, 0)" % (part, whole)])
        self.rules.append("%s <= %s" % (part, whole))
        share = self.add("share", "numeric(5,1)", words, 0, 100, after=whole)
        self.rules.append("%s = %s" % (share, words))

    def hundred(self):
        type = self.random.choice(["integer", "numeric(5,2)", "smallint", "double precision"])
        of = 1 if type == "double precision" and self.random.random() < .5 else 100
        count = self.random.choice([2, 3, 4])
        parts = [self.add("h", type, "%s" % number(type, "floor(random() * %d)%s" % (100 // count, " / 100.0" if of == 1 else "")), 0, of) for _ in range(count - 1)]
        last = self.add("h", type, "%d - (%s)" % (of, " + ".join(parts)), 0, of, after=parts)
        self.rules.append("%s = %d" % (" + ".join(parts + [last]), of))

    def year(self):
        months = [self.add("m", "integer", "floor(random() * 30)", 0, 30, nullable=False) for _ in range(12)]
        year = self.add("year", "integer", " + ".join(months), 0, 360, after=months)
        self.rules.append("%s = %s" % (year, " + ".join(months)))

    def between(self):
        low, high = (self.add(stem, "integer", "floor(random() * 50) + %d" % plus, 0, 200) for stem, plus in (("low", 0), ("high", 50)))
        mean = self.add("mean", "numeric(8,1)", "(%s + %s) / 2.0" % (low, high), 0, 200, after=low)
        self.rules.append("%s <= %s AND %s <= %s" % (low, mean, mean, high))
        if self.random.random() < .4:
            self.rules.append("%s %% 5 = 0" % low)

    def status(self):
        status = self.add("status", "text", "(ARRAY['open','closed','lost'])[1 + floor(random() * 3)::int]", nullable=False)
        self.columns[-1].check = "%s IN ('open', 'closed', 'lost')" % status
        at = self.add("closed", "date", "CASE WHEN %s = 'closed' THEN date '2023-01-01' + (random() * 300)::int END" % status, "2023-01-01", "2024-01-01",
                      nullable=True, after=status)
        self.rules.append("(%s = 'closed') = (%s IS NOT NULL)" % (status, at))

    def generated(self):
        numbers = [column.name for column in self.columns if column.type in ("integer", "smallint", "numeric(10,2)", "numeric(12,2)") and not column.generated and not column.key]
        if not numbers:
            return
        of = self.random.choice(numbers)
        words = self.random.choice(["%s * 2", "coalesce(%s, 0) + 1", "100 / (%s + 1)"]) % of
        name = self.name("g")
        self.columns.append(Column(name, "numeric", None, nullable=True, generated=words))
        if self.random.random() < .5:
            self.rules.append("%s < 150" % name)

    def trying(self):
        """A rule that only trying can keep."""
        x = self.add("x", "integer", "floor(random() * 100)", 0, 100)
        y = self.add("y", "integer", "floor(random() * 100)", 0, 100)
        self.rules.append(self.random.choice(["%(x)s * %(x)s + %(y)s * %(y)s <= 10000", "(%(x)s + %(y)s) %% 3 = 1", "%(x)s * %(y)s < 2000", "abs(%(x)s - %(y)s) > 10",
                                              "power(%(x)s, 2) >= %(y)s", "%(x)s <> %(y)s", "(%(x)s # %(y)s) & 3 = 0"]) % {"x": x, "y": y})

    def calendar(self):
        at = self.add("day", "date", "date '2023-01-02' + 7 * floor(random() * 50)::int", "2023-01-01", "2024-01-01")
        if self.random.random() < .7:
            self.rules.append("extract(isodow FROM %s) = 1" % at)
        month = self.add("month", "integer", "extract(month FROM %s)" % at, 1, 12, after=at)
        if self.random.random() < .7:
            self.rules.append("%s = extract(month FROM %s)" % (month, at))

    def far(self):
        type = self.random.choice(list(FAR))
        value = {"date": "date '2020-01-01' + (random() * 900)::int", "timestamp": "timestamp '2020-01-01' + floor(random() * 90000) * interval '1 min'",
                 "timestamptz": "timestamptz '2020-01-01' + floor(random() * 90000) * interval '1 min'", "interval": "floor(random() * 90) * interval '1 hour'",
                 "time": "time '08:00' + floor(random() * 600) * interval '1 min'"}.get(type) or number(type, "floor(random() * 50)")
        share = self.random.choice([.03, .5, 1])
        name = self.add("far", type, "CASE WHEN random() < %s THEN %s::%s ELSE %s END" % (share, self.random.choice(FAR[type]), type, value))
        if self.random.random() < .3:
            other = self.add("beside", type, value)
            self.rules.append("%s >= %s" % (name, other) if self.random.random() < .5 else "%s IS NOT NULL" % other)

    def texts(self):
        kind = self.random.randrange(4)
        if kind == 0:
            self.add("code", "text", "'X' || lpad((random() * 99)::int::text, 2, '0')")
            self.rules.append("%s ~ '^X[0-9]{2}$'" % self.columns[-1].name)
        elif kind == 1:
            self.add("word", "varchar(5)", "repeat('ab', 1 + (random())::int)")
            self.rules.append("length(%s) <= 4" % self.columns[-1].name)
        elif kind == 2:
            self.columns.append(Column(self.name("id"), "text", "'K' || lpad(i::text, 6, '0')", key=not any(c.key for c in self.columns)))
            self.rules.append("%s ~ '^K[0-9]{6}$'" % self.columns[-1].name)
        else:
            self.add("flag", "boolean", "random() < .3")

    PIECES = [total, total, chain, same, times, times, product, percent, hundred, year, between, status, generated, trying, calendar, far, far, texts]

    def make(self):
        for _ in range(self.random.choice([1, 1, 2, 2, 3])):
            self.random.choice(self.PIECES)(self)
        if not [column for column in self.columns if not column.generated]:
            self.same()
        self.rules = [self.exempt(rule) for rule in self.rules]
        return self

    def exempt(self, rule):
        nullable = [column.name for column in self.columns if column.nullable and column.name in rule]
        return "%s IS NULL OR %s" % (nullable[0], rule) if nullable and self.random.random() < .2 else rule

    def statements(self, table):
        """Makes the table, and fills it with rows that keep its rules."""
        plain = [column for column in self.columns if not column.generated]
        yield "CREATE TABLE %s (%s)" % (table, ", ".join(column.declared() for column in self.columns))
        # what is of other columns is made after these
        inner = "SELECT i%s FROM generate_series(1, %d) i" % ("".join(", %s AS %s" % (c.value, c.name) for c in plain if not c.late), ROWS)
        for column in plain:
            if column.late:
                inner = "SELECT *, (%s)::%s AS %s FROM (%s) x%s" % (column.value, column.type, column.name, inner, column.name)
        values = ", ".join("CASE WHEN random() < .1 THEN NULL ELSE %s END" % c.name if c.nullable and self.random.random() < .7 else c.name for c in plain)
        known = "".join(" AND %s IS NOT NULL" % c.name for c in plain if not c.nullable)
        yield "INSERT INTO %s (%s) SELECT %s FROM (%s) z WHERE true%s" % (table, ", ".join(c.name for c in plain), values, inner, known)
        checks = [column.check for column in self.columns if column.check] + self.rules
        if checks:
            yield "DELETE FROM %s WHERE %s" % (table, " OR ".join("(%s) IS FALSE" % check for check in checks))
        for check in checks:
            yield "ALTER TABLE %s ADD CHECK (%s)" % (table, check)
