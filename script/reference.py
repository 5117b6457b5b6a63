"""Prints docs/reference.md: what the catalog says of functions, views, methods and settings.

The subjects are the files of src/sql, named as in the list at the top of what they become, dpsyn--1.0.sql. So a function
that is added there comes to stand in the reference by itself, and one without a COMMENT is an
error. Comments that begin with "internal:" are listed at the end.
"""
import glob
import os
import re
import sys
import textwrap

import psycopg2

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
WIDTH = 100

HEAD = """\
# Reference

This page is made from the extension itself, by `make reference`. Do not edit it: what it says of a
function is the COMMENT in `src/sql`, and what it says of an option is the list in the core.

Functions live in the schema that `CREATE EXTENSION dpsyn` was given. Named arguments
(`epsilon => 1`) work everywhere. epsilon goes from 0.000000001 to 1000000. delta goes from 0 to
below 1, in steps of 1e-18.
[Errors](errors.md) have a page of their own, and so have [limits](operations.md#limits).
"""

# What to read on a subject; the subjects are those of dpsyn--1.0.sql.
GUIDES = {
    "the custodian: budgets": ["budget", "epsilon", "who-is-protected", "operations", "monitoring",
                               "failover"],
    "what is public of a relation": ["columns", "ranges", "domains", "zeros", "priors", "rules",
                                     "whole-rows", "trees"],
    "the analyst: releases and rows": ["answers", "query"],
    "rows by each method": ["choosing"],
    "tables like the originals": ["whole-rows", "trees"],
    "suggestions for columns": ["columns"],
    "histograms and queries": ["methods/histogram", "query"],
    "rows from published tables": ["methods/fit"],
    "inference from several sets": ["methods/combining"],
    "exact counts": ["distributed"],
    "synthetic rows, judged": ["evaluate", "inference", "report"],
}

METHODS = """\
`dp_methods` shows the same in SQL. [Choosing](choosing.md) says which method suits a table. With
open columns that have no domain, which need a delta, all methods are (epsilon, delta)-DP. An option
is a key of `options` in `dp_release`, `dp_explain` and `dp_synthesize`, and an argument of
`dp_synthesize_<method>`, in the order shown here.
"""

COMMON = """\
Every method has these options. They stand at the end of every `dp_synthesize_<method>`, and before
the last one stands the argument `sets`: how many tables may be drawn from a release that a seed
tells apart, 1 by default. The last argument is `seed`: the same seed draws the same rows.
"""

VIEWS = """\
Everybody may read these views. Each shows only the lines that the current role may see.
"""

SETTINGS = """\
No setting can weaken a guarantee. So any role may set them, except those that limit what one role
can take from all others: those are set by superusers alone, also for one role or one database
(`ALTER ROLE ann SET dpsyn.max_releases_per_role = 4`).
"""

INTERNAL = """\
These stand behind the functions and views above, in the schema `dp_catalog`. They are listed so
that nobody need wonder about them; their names and arguments may change.
"""


class Missing(Exception):
    """Something that the page would have to leave out."""


def query(connection, text, *values):
    with connection.cursor() as cursor:
        cursor.execute(text, values or None)
        return cursor.fetchall()


# ---- the subjects ----

def sections(path):
    """Number and name of each section, and the names of the functions that it makes."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    contents = text[:text.index("\\echo")]
    names = {int(number): name.strip() for number, name in
             re.findall(r"(\d+)\. (\S.*?)(?= {2,}|\n)", contents)}
    starts = list(re.finditer(r"^-{70,}\n-- (\d+)\. ", text, re.M))
    found = []
    for start, end in zip(starts, [s.start() for s in starts[1:]] + [len(text)]):
        number = int(start.group(1))
        if number not in names:
            raise Missing("section %d is not in the list at the top of %s" % (number, path))
        made = set(re.findall(r"^CREATE (?:OR REPLACE )?(?:FUNCTION|AGGREGATE) (?:dp_catalog\.)?(\w+)",
                              text[start.start():end], re.M))
        found.append((names[number], made))
    return found


# ---- words ----

def clauses(comment):
    """What stands between semicolons, but not in brackets."""
    depth, start, found = 0, 0, []
    for at, letter in enumerate(comment):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == ";" and depth == 0:
            found.append(comment[start:at])
            start = at + 1
    return [part.strip() for part in found + [comment[start:]]]


def marked(text):
    """Markdown of plain text: names of dpsyn are code."""
    text = re.sub(r"([<*|])", r"\\\1", text)
    return re.sub(r"(?<![\w`/\"'])((?:dp_|dpsyn\.)\w+|NULL::\w+)", r"`\1`", text)


def sentence(comment, names=()):
    """A comment as Markdown: a sentence, and a list of what follows where that is much."""
    parts = clauses(comment.rstrip("."))
    if len(parts) < 4:
        parts = ["; ".join(parts)]
    first = parts[0] if re.match(r"dp_|\w+ =", parts[0]) else parts[0][0].upper() + parts[0][1:]
    lines = [wrap(marked(first) + (":" if len(parts) > 1 else "."))]
    for part in parts[1:]:
        name = re.match(r"(\w+)(?=:)", part)
        text = marked(part)
        if name and name.group(1) in names:
            text = "`%s`%s" % (name.group(1), marked(part[name.end():]))
        lines.append("\n".join(textwrap.wrap("- " + text, WIDTH, subsequent_indent="  ",
                                             break_long_words=False, break_on_hyphens=False))
                     + (";" if part is not parts[-1] else "."))
    return "\n\n".join([lines[0], "\n".join(lines[1:])]) if len(lines) > 1 else lines[0]


def wrap(text):
    return "\n".join(textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False))


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(heads, rows):
    lines = ["| %s |" % " | ".join(heads), "|%s" % ("---|" * len(heads))]
    return "\n".join(lines + ["| %s |" % " | ".join(cell(value) for value in row) for row in rows])


# ---- functions ----

FUNCTIONS = """
    SELECT p.proname, p.prokind, p.proretset,
           obj_description(p.oid, 'pg_proc') AS comment,
           p.oid::regprocedure::text AS identity,
           ARRAY(SELECT concat_ws(' ', CASE WHEN mode = 'v' THEN 'VARIADIC' END,
                                  nullif(p.proargnames[n], ''), kind)
                        || coalesce(' DEFAULT ' || pg_get_function_arg_default(p.oid, n::int), '')
                   FROM (SELECT n, coalesce(p.proargmodes[n], 'i') AS mode,
                                CASE WHEN t = 0 THEN '*' ELSE format_type(t, NULL) END AS kind
                           FROM unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]))
                                WITH ORDINALITY a (t, n)) a
                  WHERE mode IN ('i', 'b', 'v') ORDER BY n) AS arguments,
           ARRAY(SELECT concat_ws(' ', p.proargnames[n], format_type(t, NULL))
                   FROM unnest(p.proallargtypes) WITH ORDINALITY a (t, n)
                  WHERE p.proargmodes[n] IN ('o', 'b', 't') ORDER BY n) AS columns,
           format_type(p.prorettype, NULL) AS result
      FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
     WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
       AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpsyn')
     ORDER BY p.proname, p.pronargs, identity
"""


def listed(items, before, after):
    """Arguments in parentheses, in as many lines as they need; none is broken."""
    one = before + ", ".join(item.replace(" ", "\0") for item in items) + after
    lines = textwrap.wrap(one, WIDTH - 4, subsequent_indent="    ", break_long_words=False,
                          break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def signature(row):
    name, kind, is_set, _, _, arguments, columns, result = row
    arguments = [re.sub(r" DEFAULT (.*?)::[\w .\[\]\"]+$", r" DEFAULT \1", a) for a in arguments]
    text = listed(arguments or (["*"] if kind == "a" else []), name + "(", ")")
    if columns:
        return text + "\n    " + listed(columns, "→ %s(" % ("table" if is_set else "record"),
                                    ")").replace("\n", "\n    ")
    result = "→ " + ("setof " if is_set else "") + result
    return text + (" " if len(text + result) < WIDTH else "\n    ") + result


def is_internal(row):
    return row[3].startswith("internal:") or row[7] in ("trigger", "event_trigger")


def support_types(connection):
    """Functions that PostgreSQL calls by itself: of types, of aggregates, and planner support."""
    return {name for (name,) in query(connection, """
        SELECT p.proname FROM pg_proc p WHERE p.oid IN (
            SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend]::oid[]) FROM pg_type
            UNION SELECT unnest(ARRAY[aggtransfn, aggfinalfn, aggcombinefn, aggserialfn,
                                      aggdeserialfn, aggmtransfn]::oid[]) FROM pg_aggregate
            UNION SELECT prosupport::oid FROM pg_proc)""")}


def functions(connection):
    """The functions by subject, and the internal ones."""
    rows = query(connection, FUNCTIONS)
    support = support_types(connection)
    bare = [row[0] for row in rows if not row[3]]
    bare = [name for name in bare if name not in support]
    if bare:
        raise Missing("no COMMENT ON FUNCTION: " + ", ".join(sorted(set(bare))))
    rows = [row for row in rows if row[3]]
    internal = [row for row in rows if is_internal(row) or row[0] in support]
    shown = [row for row in rows if row not in internal]
    path = max(glob.glob(os.path.join(ROOT, "dpsyn--?.?.sql")))
    subjects = [(name, [row for row in shown if row[0] in made]) for name, made in sections(path)]
    missing = {row[0] for row in shown} - {row[0] for _, group in subjects for row in group}
    if missing:
        raise Missing("in no section of dpsyn--1.0.sql: " + ", ".join(sorted(missing)))
    return [(name, group) for name, group in subjects if group], internal


def names_of(row):
    return {words.split()[0] for words in row[5] + row[6]}


def function_entries(rows):
    for name in dict.fromkeys(row[0] for row in rows):
        yield "### %s\n" % name
        for row in (row for row in rows if row[0] == name):
            yield "```\n%s\n```\n\n%s\n" % (signature(row), sentence(row[3], names_of(row)))


# ---- views, methods, settings ----

def views(connection):
    for oid, name, comment in query(connection, """
            SELECT c.oid, relname, obj_description(c.oid, 'pg_class')
              FROM pg_class c JOIN pg_depend d ON d.objid = c.oid AND d.deptype = 'e'
             WHERE d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'dpsyn')
               AND d.classid = 'pg_class'::regclass AND relkind = 'v' ORDER BY relname"""):
        if not comment:
            raise Missing("no COMMENT ON VIEW: " + name)
        if comment.startswith("internal:"):
            continue
        yield "### %s\n" % name
        columns = query(connection, """
            SELECT attname, format_type(atttypid, atttypmod), col_description(%s, attnum)
              FROM pg_attribute WHERE attrelid = %s AND attnum > 0 ORDER BY attnum""", oid, oid)
        yield sentence(comment, {name for name, _, _ in columns}) + "\n"
        yield wrap("Columns: " + ", ".join("`%s` %s%s" % (n, t, " (%s)" % c if c else "")
                                           for n, t, c in columns) + ".") + "\n"


def limits(option):
    words = ["`%s`" % choice for choice in (option.get("choices") or "").split("|") if choice]
    low, high = option.get("minimum"), option.get("maximum")
    if low is not None or high is not None:
        words.insert(0, "%s to %s" % ("" if low is None else low, "" if high is None else high))
    return ", ".join(words)


def option_table(options):
    return table(["option", "type", "default", "limits", ""],
                 [("`%s`" % name, facts["type"],
                   "" if facts["default"] is None else "`%s`" % facts["default"], limits(facts),
                   facts["summary"]) for name, facts in options]) + "\n"


def by_position(options):
    return sorted(options.items(), key=lambda item: item[1]["position"])


def methods(connection):
    rows = query(connection,
                 "SELECT method, guarantee, summary, source, options FROM dp_methods ORDER BY 1")
    found = [(*row[:4], by_position(row[4])) for row in rows]
    common = [key for key, _ in found[0][4]]
    for row in found:
        keys = [key for key, _ in row[4]]
        while common != keys[len(keys) - len(common):]:
            common = common[1:]
    yield COMMON
    yield option_table(found[0][4][-len(common):])
    for name, guarantee, summary, source, options in found:
        yield "### Method %s\n" % name
        yield wrap("%s. Guarantee: %s. Source: %s. Its page: [%s.md](methods/%s.md)." % (
            (summary[0].upper() + summary[1:]).rstrip("."), guarantee.rstrip("."),
            source.rstrip("."), name, name)) + "\n"
        if len(options) > len(common):
            yield option_table(options[:-len(common)])


def settings(connection):
    query(connection, "SELECT dp_evaluate_risk(1)") # loads the library, which brings its settings
    rows = query(connection, """
        SELECT name, current_setting(name), context, min_val, max_val, enumvals, unit,
               concat_ws(' ', short_desc, extra_desc)
          FROM pg_settings WHERE name LIKE 'dpsyn.%' ORDER BY name""")
    yield table(["setting", "default", "who may set it", ""],
                [("`%s`" % name, value, "superusers" if context == "superuser" else "everybody",
                  text + (" One of: %s." % ", ".join(words) if words else ""))
                 for name, value, context, _, _, words, _, text in rows]) + "\n"


# ---- all of it ----

def title(name):
    return name[0].upper() + name[1:]


def anchor(name):
    return re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-")


def guides(name):
    pages = ["[%s.md](%s.md)" % (os.path.basename(page), page) for page in GUIDES.get(name, [])]
    if pages:
        yield wrap("Guides: " + ", ".join(pages) + ".") + "\n"


def parts(connection):
    subjects, internal = functions(connection)
    unknown = set(GUIDES) - {name for name, _ in subjects}
    if unknown:
        raise Missing("guides to what is no section: " + ", ".join(sorted(unknown)))
    for name, group in subjects:
        yield title(name), [*guides(name), *function_entries(group)]
    yield "Methods and options", [METHODS, *methods(connection)]
    yield "Views", [VIEWS, *views(connection)]
    yield "Settings", [SETTINGS, *settings(connection)]
    yield "Internal functions", [INTERNAL, table(
        ["function", ""], [("`%s`" % row[4], re.sub("^internal: *", "", row[3]))
                           for row in internal]) + "\n"]


def reference(connection):
    pages = [(name, list(lines)) for name, lines in parts(connection)]
    contents = "\n".join("- [%s](#%s)" % (name, anchor(name)) for name, _ in pages)
    return "\n".join([HEAD, contents + "\n"] + [
        "## %s\n\n%s" % (name, "\n".join(lines)) for name, lines in pages])


if __name__ == "__main__":
    link = psycopg2.connect("")
    link.autocommit = True
    try:
        print(reference(link), end="")
    except Missing as error:
        sys.exit("reference.py: %s" % error)
