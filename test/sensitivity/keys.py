"""Columns that tell units apart, of many types, and how one unit is spelt in them.

What two values have to be equal by is PostgreSQL's: the equality of a unit column's own type and
collation, or of a foreign key. A value here is SQL; unit n is any whole number from 0 to 99.
"""
from collections import namedtuple

# name; types of the parent's and the child's column; unit -> the parent's value; (random, unit) ->
# a value of the child that the foreign key takes for it. index: the operator class of the parent's
# index, where it is not the default one.
Reference = namedtuple("Reference", "name parent child value spell index", defaults=(None,))
# name, type, (random, unit) -> one of the values that are equal and say who it is
Unit = namedtuple("Unit", "name type spell")
# name, types of both, and the same for both
Shared = namedtuple("Shared", "name types spells")

# What the types below need, once for a database.
SETUP = """
CREATE SCHEMA kinds;
CREATE COLLATION kinds.ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN kinds.whole AS integer;
CREATE DOMAIN kinds.words AS text;
CREATE DOMAIN kinds.words_ci AS text COLLATE kinds.ci;
CREATE TYPE kinds.pair AS (a integer, b numeric);
CREATE TYPE kinds.mood AS ENUM ('sad', 'ok', 'glad');
"""
# An operator class by which texts are equal whatever their case.
SETUP += "".join("""
CREATE FUNCTION kinds.lower_{name}(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT
    AS $$ SELECT lower($1) {operator} lower($2) $$;
CREATE OPERATOR kinds.~{operator}~ (FUNCTION = kinds.lower_{name}, LEFTARG = text, RIGHTARG = text);
""".format(name=name, operator=operator)
                 for name, operator in (("lt", "<"), ("le", "<="), ("eq", "="), ("ge", ">="), ("gt", ">")))
SETUP += """
CREATE FUNCTION kinds.lower_compare(text, text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT
    AS $$ SELECT bttextcmp(lower($1), lower($2)) $$;
CREATE OPERATOR CLASS kinds.lower_ops FOR TYPE text USING btree AS
    OPERATOR 1 kinds.~<~, OPERATOR 2 kinds.~<=~, OPERATOR 3 kinds.~=~, OPERATOR 4 kinds.~>=~,
    OPERATOR 5 kinds.~>~, FUNCTION 1 kinds.lower_compare(text, text);
"""

INTEGERS = ("smallint", "integer", "bigint")
CI = "text COLLATE kinds.ci"


def quoted(words):
    return "'%s'" % str(words).replace("'", "''")


def cases(random, words):
    return quoted("".join(random.choice((c.lower(), c.upper())) for c in words))


def word(unit):
    """A word for each unit, of letters alone."""
    return "abc" + "".join("abcdefghij"[int(digit)] for digit in "%02d" % unit)


def one_of_cases(unit):
    """Words that are one word but for their case: another one for each of 128 units."""
    return quoted("".join("aA"[unit >> bit & 1] for bit in range(7)))


def far(unit):
    """Whole numbers so large that a double has one for a thousand of them."""
    return 2 ** 62 + unit * 8192


def minute(unit):
    return "%02d" % (unit % 60)


def plain(write):
    """The same value whoever asks."""
    return lambda random, unit: quoted(write(unit))


def variants(*writes):
    """One of several that are equal."""
    return lambda random, unit: quoted(random.choice(writes)(unit))


def references():
    """All references, a fresh list."""
    found = [
        Reference("numeric", "numeric", "numeric", lambda n: quoted(n),
                  variants(str, "{}.0".format, "{}.00".format)),
        Reference("integer to numeric", "numeric", "bigint", lambda n: quoted("%d.00" % n), plain(str)),
        Reference("integer to double", "double precision", "bigint", lambda n: quoted(far(n)),
                  lambda random, n: quoted(far(n) + random.randrange(400))),
        Reference("integer to real", "real", "integer", lambda n: quoted(2 ** 29 + n * 1024),
                  lambda random, n: quoted(2 ** 29 + n * 1024 + random.randrange(16))),
        Reference("real to double", "double precision", "real", lambda n: quoted(n / 2), plain(lambda n: n / 2)),
        Reference("double", "double precision", "double precision", lambda n: quoted(n),
                  lambda random, n: quoted(n or random.choice(("0", "-0")))),
        Reference("text", "text", "text", lambda n: quoted(word(n)), plain(word)),
        Reference("varchar", "text", "varchar(20)", lambda n: quoted(word(n)), plain(word)),
        Reference("any case to text", "text", CI, one_of_cases, lambda random, n: one_of_cases(n)),
        Reference("text to any case", CI, "text", lambda n: quoted(word(n)),
                  lambda random, n: cases(random, word(n))),
        Reference("any case", CI, CI, lambda n: quoted(word(n)), lambda random, n: cases(random, word(n))),
        Reference("domain of any case", CI, "kinds.words_ci", lambda n: quoted(word(n)),
                  lambda random, n: cases(random, word(n))),
        Reference("class of any case", "text", "text", lambda n: quoted(word(n)),
                  lambda random, n: cases(random, word(n)), "kinds.lower_ops"),
        Reference("class of patterns", "text", "text", lambda n: quoted(word(n)), plain(word),
                  "text_pattern_ops"),
        Reference("text to char", "char(6)", "text", lambda n: quoted(word(n)),
                  variants(word, lambda n: word(n) + " ")),
        Reference("char to text", "text", "char(8)", lambda n: quoted(word(n)), plain(word)),
        Reference("char", "char(6)", "char(8)", lambda n: quoted(word(n)),
                  variants(word, lambda n: word(n) + "  ")),
        # a quarter past two was not there that night: it is a quarter past three
        Reference("timestamp to timestamptz", "timestamptz", "timestamp",
                  lambda n: quoted("2024-03-31 01:%s:%02d+00" % (minute(n), n // 60)),
                  variants(lambda n: "2024-03-31 02:%s:%02d" % (minute(n), n // 60),
                           lambda n: "2024-03-31 03:%s:%02d" % (minute(n), n // 60))),
        Reference("timestamptz to timestamp", "timestamp", "timestamptz",
                  lambda n: quoted("2024-10-27 02:%s:%02d" % (minute(n), n // 60)),
                  plain(lambda n: "2024-10-27 02:%s:%02d+01" % (minute(n), n // 60))),
        Reference("date to timestamp", "timestamp", "date", lambda n: quoted("2020-%02d-01" % (n % 12 + 1)
                                                                            if n < 12 else "%d-01-01" % (2020 + n)),
                  plain(lambda n: "2020-%02d-01" % (n % 12 + 1) if n < 12 else "%d-01-01" % (2020 + n))),
        Reference("date", "date", "date", lambda n: quoted("%d-01-01" % (1000 + n)),
                  plain(lambda n: "%d-01-01" % (1000 + n))),
        Reference("interval", "interval", "interval", lambda n: quoted("%d days" % n),
                  variants("{} days".format, lambda n: "%d hours" % (24 * n))),
        Reference("jsonb", "jsonb", "jsonb", lambda n: quoted('{"a": %d}' % n),
                  variants('{{"a": {}}}'.format, '{{"a": {}.0}}'.format)),
        Reference("range", "numrange", "numrange", lambda n: quoted("[%d,%d)" % (n, n + 1)),
                  variants(lambda n: "[%d,%d)" % (n, n + 1), lambda n: "[%d.0,%d.00)" % (n, n + 1))),
        Reference("inet", "inet", "inet", lambda n: quoted("10.0.0.%d" % n),
                  variants("10.0.0.{}".format, "10.0.0.{}/32".format)),
        Reference("uuid", "uuid", "uuid", lambda n: quoted("%032x" % n), plain("{:032x}".format)),
        Reference("bytes", "bytea", "bytea", lambda n: quoted("\\x%02x" % n), plain("\\x{:02x}".format)),
        Reference("array", "numeric[]", "numeric[]", lambda n: quoted("{%d}" % n),
                  variants("{{{}}}".format, "{{{}.0}}".format)),
        Reference("domain", "integer", "kinds.whole", lambda n: quoted(n), plain(str)),
        Reference("money", "money", "money", lambda n: quoted(n), plain(str)),
    ]
    found += [Reference("%s to %s" % (child, parent), parent, child, lambda n: quoted(n), plain(str))
              for parent in INTEGERS for child in INTEGERS]
    return found


UNITS = [
    Unit("integer", "integer", plain(str)),
    Unit("bigint", "bigint", plain(lambda n: (-2 ** 63, 2 ** 63 - 1)[n] if n < 2 else n)),
    Unit("text", "text", plain(word)),
    Unit("any case", CI, lambda random, n: cases(random, word(n))),
    Unit("domain of any case", "kinds.words_ci", lambda random, n: cases(random, word(n))),
    Unit("numeric", "numeric", variants(str, "{}.0".format, "{}.000".format)),
    Unit("numeric, not a number", "numeric", variants(lambda n: "NaN" if n == 0 else "%d.0" % n,
                                                      lambda n: "NaN" if n == 0 else n)),
    Unit("double", "double precision",
         lambda random, n: quoted(random.choice(("0", "-0")) if n == 0 else "NaN" if n == 1 else n)),
    Unit("char", "char(8)", variants(word, lambda n: word(n) + "  ")),
    Unit("interval", "interval", variants("{} days".format, lambda n: "%d hours" % (24 * n))),
    Unit("jsonb", "jsonb", variants('{{"a": {}}}'.format, '{{"a": {}.0}}'.format)),
    Unit("range", "numrange", variants(lambda n: "[%d,%d)" % (n, n + 1), lambda n: "[%d.0,%d)" % (n, n + 1))),
    Unit("array", "numeric[]", variants("{{{}}}".format, "{{{}.0}}".format)),
    Unit("pair", "kinds.pair", variants("(1,{})".format, "(1,{}.0)".format)),
    Unit("timestamptz", "timestamptz", plain(lambda n: "%d-01-01 00:00+00" % (2000 + n))),
    Unit("uuid", "uuid", plain("{:032x}".format)),
    Unit("inet", "inet", variants("10.0.0.{}".format, "10.0.0.{}/32".format)),
    Unit("domain", "kinds.whole", plain(str)),
    Unit("bytes", "bytea", plain("\\x{:02x}".format)),
    Unit("money", "money", plain(str)),
]

SHARED = [
    Shared("integers", ("integer", "bigint"), (plain(str), plain(str))),
    Shared("text", ("text", "text"), (plain(word), plain(word))),
    Shared("text and varchar", ("text", "varchar(30)"), (plain(word), plain(word))),
    Shared("any case and text", (CI, "text"),
           (lambda random, n: cases(random, word(n)), lambda random, n: cases(random, word(n)))),
    Shared("text and any case", ("text", CI),
           (lambda random, n: cases(random, word(n)), lambda random, n: cases(random, word(n)))),
    Shared("text and a domain of any case", ("text", "kinds.words_ci"),
           (lambda random, n: cases(random, word(n)), lambda random, n: cases(random, word(n)))),
    Shared("any case", (CI, CI),
           (lambda random, n: cases(random, word(n)), lambda random, n: cases(random, word(n)))),
    Shared("numeric", ("numeric", "numeric"), (variants(str, "{}.0".format), variants(str, "{}.00".format))),
    Shared("char", ("char(6)", "char(8)"), (variants(word, lambda n: word(n) + " "), plain(word))),
    Shared("integer and double", ("bigint", "double precision"),
           (lambda random, n: quoted(far(n) + random.randrange(400)), plain(far))),
    Shared("timestamp and timestamptz", ("timestamptz", "timestamp"),
           (plain(lambda n: "2024-03-31 01:%s:%02d+00" % (minute(n), n // 60)),
            variants(lambda n: "2024-03-31 02:%s:%02d" % (minute(n), n // 60),
                     lambda n: "2024-03-31 03:%s:%02d" % (minute(n), n // 60)))),
    Shared("domain", ("kinds.words", "text"), (plain(word), plain(word))),
]
