"""What each method takes: dp_methods, the arguments of its function, and its page must agree.

dp_methods prints the lists of options of the core (DpMethod.specs and dp_common_specs), and so is
the description. A function is called with each of its arguments, and dp_catalog.dp_synthesize_with is
replaced by one that only keeps what it was handed. docs/reference.md is compared with the catalog.
"""
import difflib
import os
import re
import sys

from dptest import Tap, connect, one, run

ROOT = os.environ["DPSYN_ROOT"]
sys.path.insert(0, ROOT + "/script")
import reference # noqa: E402

tap = Tap()

# Methods of which rows are asked for in another way than by dp_synthesize_<method>.
ELSEWHERE = {"histogram": "dp_histogram", "query": "dp_query"}
# What these take, besides the options of their methods.
ELSEWHERE_FIRST = {"histogram": ["target", "columns", "epsilon", "delta", "confidence"],
                   "query": ["target", "epsilon", "delta"]}
# What another function asks with, in place of those.
FOR_OTHERS = {"query": ["question"]}
# What a method that buys nothing cannot take.
SPENDING = ("epsilon", "delta", "range_share", "open_share", "open_no_false_positives")

INTEGER_MAX = 2 ** 31 - 1
SQL_TYPES = {"share": "double precision", "boolean": "boolean", "choice": "text", "text": "regclass", "memory": "text",
             "column": "text", "list of columns": "name[]", "map of column to list of columns": "jsonb",
             "domain": "jsonb", "sets of columns": "anycompatible",
             "weighted sets of columns": "anycompatible", "integer or word": "anycompatible"}


class Option:
    def __init__(self, name, facts):
        self.name = name
        self.position = facts["position"]
        self.default = facts["default"]
        if facts["type"] == "integer":
            self.type = "integer" if facts["maximum"] <= INTEGER_MAX else "bigint"
        else:
            self.type = SQL_TYPES[facts["type"]]

    def argument(self):
        return (self.name, self.type, "NULL::text" if self.type == "anycompatible" else "NULL")


class Method:
    def __init__(self, name, guarantee, options):
        self.name = name
        self.spends = not guarantee.startswith("none")
        self.options = sorted((Option(key, facts) for key, facts in options.items()),
                              key=lambda option: option.position)
        self.function = ELSEWHERE.get(name, "dp_synthesize_" + name)


def read_methods(connection):
    """All methods, and the options at the end of every list, which they have in common."""
    methods = [Method(*row) for row in run(connection,
                                           "SELECT method, guarantee, options FROM dp_methods")]
    common = methods[0].options
    for method in methods:
        names = [option.name for option in method.options]
        while [option.name for option in common] != names[len(names) - len(common):]:
            common = common[1:]
    for method in methods:
        method.own = method.options[:len(method.options) - len(common)]
    return methods, common


# ---- functions ----

def arguments_of(connection, function):
    """Name, type and default of each argument of the one function of that name that takes neither a name
    of a relation nor the number of a release."""
    found = run(connection, "SELECT oid, pronargs FROM pg_proc WHERE proname = %s"
                " AND proargtypes[0] NOT IN ('text'::regtype, 'bigint'::regtype)", function)
    if len(found) != 1:
        return None
    oid, count = found[0]
    names, types = run(connection, """SELECT proargnames::text[],
        ARRAY(SELECT format_type(t, NULL) FROM unnest(proargtypes) WITH ORDINALITY a (t, n)
               ORDER BY n) FROM pg_proc WHERE oid = %s""", oid)[0]
    defaults = [one(connection, "SELECT pg_get_function_arg_default(%s, %s)", oid, n + 1)
                for n in range(count)]
    return [(name, kind, default if default == "NULL::text" and kind == "anycompatible"
             else re.sub("^NULL::.*", "NULL", default or ""))
            for name, kind, default in zip(names, types, defaults)]


def arguments_wanted(own, common, spends):
    first = [("target", "anyelement", ""), ("epsilon", "double precision", ""), ("delta", "double precision", "0"),
             ("rows", "bigint", "NULL")]
    before, after = [option.argument() for option in common[:-1]], common[-1].argument()
    wanted = (first + [option.argument() for option in own if option.name != "rows"] + before
              + [("sets", "integer", "1"), after, ("seed", "bigint", "NULL")])
    return [argument for argument in wanted if spends or argument[0] not in SPENDING]


# A value of each type as SQL, and as it arrives in options.
VALUES = {"double precision": ("0.25", 0.25), "boolean": ("true", True), "text": ("'word'", "word"),
          "name[]": ("'{q,r}'", ["q", "r"]), "jsonb": ("""'{"q": ["r"]}'""", {"q": ["r"]}),
          "integer": ("7", 7), "bigint": ("7", 7), "anycompatible": ("7", 7),
          "regclass": ("'pg_class'", "pg_catalog.pg_class")}
HANDED = ("method", "epsilon", "delta", "rows", "options", "sets", "seed")


def spy(connection):
    run(connection, """CREATE TABLE handed (method text, epsilon float8, delta float8,
        rows bigint, options jsonb, sets integer, seed bigint)""")
    run(connection, """CREATE OR REPLACE FUNCTION dp_catalog.dp_synthesize_with(
        target anyelement, method text, epsilon float8, delta float8, rows bigint, options jsonb,
        sets integer, seed bigint) RETURNS SETOF anyelement LANGUAGE sql VOLATILE
        AS 'INSERT INTO public.handed VALUES (method, epsilon, delta, rows, options, sets, seed);
            SELECT target WHERE false'""")


def handed_on(connection, function, given):
    """What dp_catalog.dp_synthesize_with gets from a call with these arguments."""
    run(connection, "SELECT * FROM %s(NULL::pg_class%s)" % (
        function, "".join(", %s => %s" % item for item in given.items())))
    row = run(connection, "DELETE FROM handed RETURNING %s" % ", ".join(HANDED))[0]
    return dict(zip(HANDED, (float(v) if n in ("epsilon", "delta") else v
                             for n, v in zip(HANDED, row))))


def check_function(connection, function, method, arguments):
    """Each argument arrives where it belongs, and none brings anything else along."""
    spends = any(name == "epsilon" for name, _, _ in arguments)
    needed = {"epsilon": "3"} if spends else {}
    rest = {"method": method, "epsilon": 3.0 if spends else 0.0, "delta": 0.0, "rows": None,
            "options": {}, "sets": 1, "seed": None}
    wrong = []
    for name, kind, _ in arguments[1:]:
        sql, value = VALUES[kind]
        got = handed_on(connection, function, {**needed, name: sql})
        if name in HANDED:
            wanted = [{**rest, name: value}]
            if name == "rows": # an option, where these rows are the release
                wanted.append({**rest, "options": {"rows": value}})
        else:
            wanted = [{**rest, "options": {name: value}}]
        if got not in wanted:
            wrong.append("%s: got %r, wanted %r" % (name, got, wanted))
    if handed_on(connection, function, needed) != rest:
        wrong.append("without arguments: %r" % handed_on(connection, function, needed))
    tap.ok(not wrong, "%s hands on each of its arguments" % function, *wrong)


# ---- pages ----

def page_table(path, heading):
    """Rows under the first table of a heading: names in the first cell, and the second cell."""
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        section = re.search(r"^#+ %s\n(.*?)(?=^## |\Z)" % heading, file.read(), re.M | re.S)
    if section is None:
        return []
    rows = re.findall(r"^\| (`[^|]*?) \|(.*?)\|", section.group(1), re.M)
    return [(re.findall(r"`(\w+)`", names), default.strip().strip("`")) for names, default in rows]


def check_page(method, common):
    """One row an option, in order, with its default; the last row names the common ones."""
    got = page_table("%s/docs/methods/%s.md" % (ROOT, method.name), "Options")
    wanted = [[option.name] for option in method.own] + [[option.name for option in common]]
    if not tap.equal(got and [names for names, _ in got], wanted,
                     "the page of %s lists its options" % method.name):
        return
    tap.equal([default for option, (_, default) in zip(method.own, got) if option.default],
              [option.default for option in method.own if option.default],
              "and their defaults")


def check_choosing(methods):
    with open(ROOT + "/docs/choosing.md", encoding="utf-8") as file:
        text = file.read()
    missing = [m.name for m in methods if "(methods/%s.md)" % m.name not in text]
    tap.equal(missing, [], "docs/choosing.md leads to the page of each method")


def check_reference(connection):
    """docs/reference.md is what script/reference.py makes of this catalog."""
    with open(ROOT + "/docs/reference.md", encoding="utf-8") as file:
        kept = file.read().splitlines()
    made = reference.reference(connection).splitlines()
    tap.ok(kept == made, "docs/reference.md is what the catalog says",
           "please run make reference, and look at the difference",
           *list(difflib.unified_diff(kept, made, "docs/reference.md", "the catalog", n=0))[:20])
    # and what nobody could find there is an error
    run(connection, "CREATE FUNCTION dp_unheard_of() RETURNS integer LANGUAGE sql AS 'SELECT 1'")
    run(connection, "ALTER EXTENSION dpsyn ADD FUNCTION dp_unheard_of()")
    for comment, why in ((None, "no COMMENT"), ("a function", "in no section")):
        run(connection, "COMMENT ON FUNCTION dp_unheard_of() IS %s", comment)
        try:
            reference.reference(connection)
            tap.ok(False, "a function with %s is an error" % why)
        except reference.Missing as error:
            tap.ok(why in str(error) and "dp_unheard_of" in str(error),
                   "a function with %s is an error" % why, str(error))
    run(connection, "ALTER EXTENSION dpsyn DROP FUNCTION dp_unheard_of()")
    run(connection, "DROP FUNCTION dp_unheard_of()")


# ---- all of it ----

def main():
    boss = connect()
    run(boss, "CREATE EXTENSION dpsyn")
    check_reference(boss)
    methods, common = read_methods(boss)
    tap.equal([option.name for option in common],
              ["columns", "partial", "range_share", "open_share", "open_no_false_positives", "independent_sets"],
              "every method has the common options, last")
    for method in methods:
        got = arguments_of(boss, method.function)
        if method.name in ELSEWHERE:
            own = [o.name for o in method.own if o.name not in FOR_OTHERS.get(method.name, [])]
            taken = got and [name for name, _, _ in got if name in ELSEWHERE_FIRST[method.name] + own]
            tap.equal(sorted(taken or []), sorted(ELSEWHERE_FIRST[method.name] + own),
                      "%s takes what method %s takes" % (method.function, method.name))
        else:
            tap.equal(got, arguments_wanted(method.own, common, method.spends),
                      "%s has the arguments of its method, in order" % method.function)
    tap.equal([name for name, _, _ in arguments_of(boss, "dp_synthesize")],
              ["target", "epsilon", "delta", "rows", "method", "options", "sets", "seed"],
              "dp_synthesize has the same order")
    of_no_method = run(boss, r"""SELECT proname FROM pg_proc WHERE proname ~ '^dp_synthesize_'
        AND pronamespace <> 'dp_catalog'::regnamespace AND proname <> ALL (%s)""",
                       [method.function for method in methods])
    tap.equal(of_no_method, [], "no dp_synthesize_... is of a method that there is not")

    spy(boss)
    for method in methods:
        if method.name not in ELSEWHERE:
            check_function(boss, method.function, method.name, arguments_of(boss, method.function))
    for method in methods:
        check_page(method, common)
    check_choosing(methods)
    tap.done()


if __name__ == "__main__":
    sys.exit(main())
