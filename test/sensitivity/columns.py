"""Columns that are modelled: their types, what is declared of them, and values, among them those at
the ends of their types, outside of what is declared, and NULL."""
from collections import namedtuple

# One attribute of a relation, which a release may have. declared: arguments of dp_define_column, or
# None. measured: what dp_query takes it for: "number", "time" (no sums), or None. levels: some that
# a filter may name; bounds: two bounds of a filter, or None. cells: about how many levels it has.
# written: what dp_define_column is told in place of the name.
Attribute = namedtuple("Attribute", "name declared measured levels bounds cells written",
                       defaults=(None, None, (), None, 4, None))
# A column of a table: its definition without its name, values as SQL, and its attributes.
# looked_up: attributes of the public table that it refers to, which queries can ask for.
Column = namedtuple("Column", "name definition values attributes looked_up", defaults=((),))

INTEGER_ENDS = ("-2147483648", "2147483647")
SETUP = """
CREATE DOMAIN kinds.small AS integer CHECK (VALUE BETWEEN 0 AND 7);
CREATE TABLE kinds.land (code text PRIMARY KEY, part text);
INSERT INTO kinds.land VALUES ('a', 'north'), ('b', 'north'), ('c', 'south'), ('d', NULL);
CREATE TABLE kinds.good (id integer PRIMARY KEY, brand text, land text REFERENCES kinds.land);
INSERT INTO kinds.good SELECT i, 'brand ' || i % 7, chr(97 + i % 4) FROM generate_series(1, 150) i;
SELECT dp_declare_public('kinds.land'), dp_declare_public('kinds.good');
"""


def texts(*values):
    return ["'%s'" % value for value in values]


# name -> (definition, values, declared, measured, levels, bounds, cells)
KINDS = {
    "boolean": ("boolean", texts("t", "f"), None, None, ("t",), None, 3),
    "checked text": ("text CHECK ({name} IN ('f', 'm'))", texts("f", "m"), None, None, ("f",), None, 3),
    "enum": ("kinds.mood", texts("sad", "ok", "glad"), None, None, ("ok", "glad"), None, 4),
    "domain": ("kinds.small", texts(0, 3, 7), None, "number", (), (0, 4), 9),
    "categories": ("text", texts("a", "b", "c", "elsewhere", ""), "categories => '{a,b,c}'", None,
                   ("a", "c"), None, 4),
    "complete categories": ("text", texts("a", "b", "zzz"), "categories => '{a,b}', complete => true", None,
                            ("b",), None, 2),
    "categories and other": ("varchar(20)", texts("a", "b", "rest", "unheard of"),
                             "categories => '{a,b}', other => 'rest'", None, ("a",), None, 3),
    "categories of any case": ("text COLLATE kinds.ci", texts("a", "A", "b", "B", "c"),
                               "categories => '{a,b}'", None, ("a",), None, 3),
    "categories of char": ("char(5)", texts("a", "a  ", "b"), "categories => '{a,b}'", None, ("b",), None, 3),
    "categories of numbers": ("integer", texts(1, 2, 3, *INTEGER_ENDS), "categories => '{1,2,3}'", "number",
                              ("2",), None, 4),
    "categories of uuid": ("uuid", texts("%032x" % 1, "%032x" % 2, "f" * 32),
                           "categories => ARRAY['00000000-0000-0000-0000-000000000001',"
                           " '00000000-0000-0000-0000-000000000002']", None, (), None, 3),
    "categories of inet": ("inet", texts("10.0.0.1", "10.0.0.1/32", "10.0.0.2"),
                           "categories => '{10.0.0.1,10.0.0.2}'", None, (), None, 3),
    "bins": ("integer", texts(-1, 0, 9, 10, 20, 21, *INTEGER_ENDS), "bins => '{0,10,20}'", "number", (),
             (0, 10), 3),
    "bins of numeric": ("numeric", texts("NaN", "1e300", "-1e-300", "0", "2.5"), "bins => '{0,1,2.5}'", "number",
                        (), ("0", "1"), 3),
    "bins of double": ("double precision", texts("NaN", "Infinity", "-Infinity", "-0", "5e-324", "1.7e308"),
                       "bins => '{-1,0,1}'", "number", (), ("-1", "0"), 3),
    "bins of dates": ("date", texts("infinity", "-infinity", "4713-01-01 BC", "2020-01-01", "5874897-12-31"),
                      "bins => '{2019-01-01,2020-01-01,2021-01-01}'", "time", (), ("2019-01-01", "2020-01-01"), 3),
    "range": ("integer", texts(-9, 0, 1, 7, 15, 16, *INTEGER_ENDS), "range => '{0,15}', bins_max => 4", "number", (),
              (0, 8), 5),
    "range of a check": ("integer CHECK ({name} BETWEEN -3 AND 12)", texts(-3, 0, 12), None, "number", (),
                         (-3, 4), 6),
    "range of a type": ("smallint", texts(-32768, -1, 0, 1, 32767), None, "number", (), (-100, 100), 8),
    "range of bigint": ("bigint", texts(-2 ** 63, -1, 0, 2 ** 63 - 1), "range => '{0,100}', resolution => '5'",
                        "number", (), (0, 50), 6),
    "range of numeric": ("numeric(5,2)", texts("NaN", "-999.99", "0.25", "0.5", "999.99"),
                         "range => '{0,2}', resolution => '0.25'", "number", (), ("0", "1"), 6),
    "range of double": ("double precision", texts("NaN", "Infinity", "-Infinity", "-0", "0.3", "5e-324", "1.7e308"),
                        "range => '{-1,1}', resolution => '0.125'", "number", (), ("-1", "0"), 6),
    "assumed range": ("real", texts("NaN", "Infinity", "-0", "3.4e38", "1e-45", "12"), None, "number", (), None, 8),
    "range of money": ("money", texts("0", "3.5", "-92233720368547758.08", "92233720368547758.07"),
                       "range => ARRAY['0', '4'], resolution => '0.5'", "number", (), None, 6),
    "range of dates": ("date", texts("infinity", "-infinity", "2020-01-01", "2020-01-05", "1900-01-01"),
                       "range => '{2020-01-01,2020-01-20}'", "time", (), ("2020-01-01", "2020-01-10"), 6),
    "range of timestamps": ("timestamp", texts("infinity", "-infinity", "2020-01-01 00:00", "2020-01-01 13:59:59.9"),
                            "range => '{2020-01-01 00:00,2020-01-02 00:00}', resolution => '1 hour'", "time", (),
                            None, 6),
    "range of timestamptz": ("timestamptz", texts("2024-03-31 01:30+00", "2024-10-27 01:30+00", "infinity"),
                             "range => '{2024-01-01 00:00+00,2025-01-01 00:00+00}', resolution => '7 days'", "time",
                             (), None, 6),
    "range of times": ("time", texts("00:00", "23:59:59.999999", "24:00", "12:00"),
                       "range => '{00:00,12:00}', resolution => '1 hour'", "time", (), None, 6),
    "range of intervals": ("interval", texts("1 mon", "30 days", "-1 day", "178000000 years", "5 days"),
                           "range => ARRAY['0', '20 days'], resolution => '1 day'", "time", (), None, 6),
    "keys of a public table": ("text REFERENCES kinds.land", texts("a", "b", "d", "nowhere"), None, None,
                               ("a", "d"), None, 5),
    "many keys of public tables": ("integer REFERENCES kinds.good", texts(1, 2, 9, 99, 150, 9999),
                                   None, None, (), None, 60),
    "hierarchy": ("text", texts("A01", "A02", "B11", "Z99"),
                  "categories => '{A01,A02,A11,B01,B11}'", None, ("A01",), None, 6),
    "long list": ("text", texts("C000", "C001", "C299", "D"),
                  "categories => (SELECT array_agg('C' || to_char(i, 'FM000')) FROM generate_series(0, 299) i)",
                  None, ("C001",), None, 60),
    "open": ("text", texts("ada", "bo", "cy", "di", "e=f %", "'' ''"), "open => true", None, (), None, 4),
    "open with a domain": ("text", texts("a", "b", "zz"), 'open => true, domain => \'{"alphabet": "ab", "min_length": 1, "max_length": 3}\'',
                           None, (), None, 4),
    "open with a list": ("integer", texts(1, 5, 9, *INTEGER_ENDS), 'open => true, domain => \'{"from": 1, "to": 9}\'',
                         "number", (), None, 4),
}
# What columns of public tables are called by the column that refers to them: name, levels, cells.
LOOKED_UP = {
    "keys of a public table": (("part", ("north",), 3),),
    "many keys of public tables": (("brand", ("brand 1", "brand 5"), 8), ("land.part", ("south",), 3)),
}
HIERARCHY = "SELECT dp_define_hierarchy({relation}, '{name}', prefixes => '{{2,1}}');"
# These make two columns, or several attributes of one.
COMPOSED = ("fields", "distance", "dictionary", "parts of a range")
OPEN = {"open", "open with a domain", "open with a list"}
RANGES = {kind for kind in KINDS if "range" in kind} | {"long list", "domain"}
# of a release by itself these take long
SLOW = {"assumed range": 0.15, "range of a type": 0.25, "long list": 0.3}


def one_of(random, kinds=None):
    """A kind, those that take long the more seldom."""
    kinds = list(kinds or KINDS) if kinds else list(KINDS) + list(COMPOSED)
    return random.choices(kinds, [SLOW.get(kind, 1) for kind in kinds])[0]


def make(random, kind, name, table=None):
    """The columns of a kind, all under one name with a letter."""
    if kind == "fields":
        return [fields(name)]
    if kind == "parts of a range":
        return [parts_of_range(random, name)]
    if kind == "distance":
        return distance(name)
    if kind == "dictionary":
        return dictionary(name)
    if kind == "keys of who is protected":
        return [column_of_units(name, "p (k_c)")]
    if kind == "keys of what refers to who is protected":
        return [column_of_units(name, "badge")] if table != "p" else make(random, "boolean", name)
    definition, values, declared, measured, levels, bounds, cells = KINDS[kind]
    not_null = random.random() < 0.4
    definition = definition.format(name=name) + (" NOT NULL" if not_null else "")
    return [Column(name, definition, values if not_null else values + ["NULL"],
                   [Attribute(name, declared, measured, levels, bounds, cells)],
                   [Attribute("%s.%s" % (name, of), None, None, levels, None, cells)
                    for of, levels, cells in LOOKED_UP.get(kind, ())])]


def fields(name):
    values = texts('{"plan": "gold", "age": 3}', '{"plan": "basic"}', '{"age": "12"}', '{"age": 1e400}',
                   '{"plan": null, "age": -1}', "[]", '"text"', "{}", '{"plan": {"a": 1}, "age": []}') + ["NULL"]
    return Column(name, "jsonb", values, [
        Attribute(name + "->>'plan'", "categories => '{basic,gold}'", None, ("gold",), None, 3),
        Attribute(name + "->>'age'", "range => '{0,12}', bins_max => 3", "number", (), (0, 6), 4,
                  "(%s->>'age')::int" % name)])


def parts_of_range(random, name):
    kind, values, lower, upper = random.choice((
        ("int4range", texts("[0,5)", "[3,4]", "[1,)", "(,2)", "(,)", "empty", "[-2147483648,2147483647)"),
         "range => '{0,9}'", "range => '{1,5}'"),
        ("daterange", texts("[2020-01-01,2020-01-03)", "[2020-01-02,)", "(,2020-01-02)", "[-infinity,infinity]", "empty",
                            "[4713-01-01 BC,5874897-12-31)"), "bins => '{2019-01-01,2020-01-02,2021-01-01}'", "range => '{1,5}'"),
        ("numrange", texts("[0,1.5]", "(1,2)", "[1,1]", "[NaN,NaN]", "(,3]", "empty", "[-1e130000,1e130000]"), "range => '{0,3}'",
         "bins => '{0,1,2}'")))
    return Column(name, kind, values + ["NULL"], [
        Attribute("bounds(%s)" % name, random.choice((None, "categories => '{\"[a,b)\",empty}'")), None, ("empty",), None, 6),
        Attribute("lower(%s)" % name, lower, "time" if kind == "daterange" else "number", (), None, 4),
        Attribute("upper(%s)" % name, upper, None if kind == "daterange" else "number", (), None, 4)])


def column_of_units(name, of):
    """For planted faults alone: it refers to a table that tells of units, and is declared public."""
    return Column(name, "integer REFERENCES " + of, ["NULL"], [Attribute(name, None, None, (), None, 4)])


def distance(name):
    first, second = name + "_from", name + "_to"
    return [Column(first, "date", DAYS, [Attribute(first, "bins => '{2019-01-01,2020-01-02,2021-01-01}'", "time",
                                                   (), None, 4)]),
            Column(second, "date", DAYS, [Attribute(second, "range => '{0,5}', offset_of => '%s'" % first, None,
                                                    (), None, 6)])]


DAYS = texts("2020-01-01", "2020-01-03", "infinity", "4713-01-01 BC", "5874897-12-31") + ["NULL"]


def base_above(random, name):
    """A date of rows that others belong to."""
    not_null = random.random() < 0.4
    return Column(name, "date NOT NULL" if not_null else "date", DAYS[:-1] if not_null else DAYS,
                  [Attribute(name, "bins => '{2019-01-01,2020-01-02,2021-01-01}'", "time", (), None, 4)])


def distance_above(name, base):
    """A date that is modelled as the distance from one of the row that its row belongs to."""
    return Column(name, "date", DAYS, [Attribute(name, "range => '{0,5}', offset_of => '%s'" % base, None, (), None, 6)])


def dictionary(name):
    zip_code, county = name + "_zip", name + "_county"
    return [Column(zip_code, "text", texts("11", "12", "21", "99") + ["NULL"],
                   [Attribute(zip_code, "categories => '{11,12,21,22}'", None, ("11",), None, 5)]),
            Column(county, "text", texts("x", "y"), [
                Attribute(county, "derived_from => '%s', domain => '{\"11\": \"x\", \"12\": \"x\", \"21\": \"y\"}'"
                          % zip_code, None, (), None, 0)])]


def declarations(relation, column, kind=None):
    """Statements that declare what is public of a column."""
    if kind == "keys of who is protected":
        return ["SELECT dp_declare_public('p');"]
    found = ["SELECT dp_define_column('%s', '%s', %s);"
             % (relation, (attribute.written or attribute.name).replace("'", "''"), attribute.declared)
             for attribute in column.attributes if attribute.declared]
    if kind == "hierarchy":
        found.append(HIERARCHY.format(relation="'%s'" % relation, name=column.name))
    return found
