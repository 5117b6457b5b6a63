"""Statements made at random over the hospital of ward.py. None may crash the server, none may give what
was not paid for, and none may fail after a debit for a reason that could be known before.

    STATEMENTS=100000 SEED=1 test/private_queries/run
"""
import json
import random
import re
from decimal import Decimal

import psycopg2
import psycopg2.errors

from dptest import check, connect, one, run

NUMBERS = ["v.price", "v.score", "v.ward", "v.patient", "v.id", "extract(hour FROM v.at)", "w.beds", "z.n", "z.m", "1", "2.5", "NULL",
           "p.id", "extract(year FROM p.born)", "v.at::date - p.born", "extract(epoch FROM v.at - p.born::timestamp)", "extract(minute FROM v.at::time)",
           "extract(second FROM v.at - timestamp '2024-03-01')", "extract(day FROM v.at - p.born::timestamp)", "extract(hour FROM v.at - timestamp '2024-03-01')", "v.price::numeric % 7", "mod(v.cost::numeric, v.price)", "v.cost::numeric", "v.cost / '2'::money"]
TEXTS = ["v.kind", "p.sex", "w.name", "z.t", "'a'::text", "upper(v.kind)", "v.kind || 'x'", "substr(w.name, 1, 1)", "current_user::text",
         "coalesce(p.sex, 'n')", "v.tag", "v.tag::text", "v.kind COLLATE \"C\""]
TIMES = ["v.at", "p.born", "date_trunc('month', v.at)", "date_trunc('day', v.at::timestamptz)", "v.at::date", "timestamp '2024-03-01'", "v.at + interval '1 month'", "now()", "date '2024-01-01' + (v.at - p.born)",
         "v.at - (v.at - timestamp '2024-01-01')"]
FLAGS = ["v.urgent", "NOT v.urgent", "true", "p.sex IS DISTINCT FROM 'm'", "z.n > 2", "w.beds BETWEEN 3 AND 8", "v.tag = 'RED'", "v.cost > '20'", "v.tag LIKE 'r%'",
         "v.at <@ tsrange('2024-02-01', '2024-05-01')", "numrange(3, 50) @> v.price", "v.ward <@ int4range(2, NULL)", "v.at::date <@ 'empty'::daterange"]
FUNCTIONS = ["abs(%s)", "round((%s)::numeric)", "(%s)::int", "coalesce(%s, 0)", "greatest(%s, 1)", "-(%s)", "sqrt(abs(%s))", "random() * %s",
             "nullif(%s, 0)", "ln(%s)", "1 / (%s)", "(%s)::smallint", "power(%s, 2)", "(%s)::text::numeric", "width_bucket(%s, 0, 50, 5)",
             "trunc((%s)::numeric, 1)", "mod((%s)::int, 7)", "floor(%s)", "exp(%s)", "generate_series(1, (%s)::int)"]
NUMERIC_AGGREGATES = ["count(*)", "count(%n)", "count(DISTINCT %n)", "count(DISTINCT v.patient)", "sum(%n)", "avg(%n)", "stddev(%n)", "var_pop(%n)",
                      "percentile_cont(0.5) WITHIN GROUP (ORDER BY %n)", "percentile_disc(0.9) WITHIN GROUP (ORDER BY %n DESC)",
                      "sum(%n) FILTER (WHERE %b)", "count(*) FILTER (WHERE %b)", "avg(CASE WHEN %b THEN %n END)", "count(DISTINCT p.id)", "sum(1)",
                      "count(DISTINCT %t)", "avg(%n) FILTER (WHERE %b)", "sum(CASE WHEN %b THEN 1 ELSE 0 END)"]
REFUSED_AGGREGATES = ["min(%n)", "max(%t)", "string_agg(%t, ',')", "array_agg(v)", "count(v.*)", "sum(DISTINCT %n)", "corr(%n, %n)",
                      "mode() WITHIN GROUP (ORDER BY %t)", "count(%n ORDER BY %n)", "json_agg(%t)", "sum(sum(%n)) OVER ()"]
AGGREGATES = NUMERIC_AGGREGATES + ["bool_or(%b)", "bool_and(%b) FILTER (WHERE %b)", "every(%b)", "sum(v.cost)", "sum(v.cost * (%n)::int) FILTER (WHERE %b)", "avg(v.at - p.born)", "sum(v.at - timestamp '2024-02-01') FILTER (WHERE %b)"]
# What can fail for some numbers, or depends on how many rows an answer has.
OF_ANSWERS = ["ntile((%s)::int) OVER (ORDER BY %s)", "nth_value(%s, (%s)::int) OVER ()", "sum(%s) OVER (ORDER BY 1 ROWS (SELECT count(*) - 900 FROM visits) PRECEDING)",
              "sum(%s) OVER (ORDER BY %s RANGE -1 PRECEDING)", "(SELECT %s FROM visits v GROUP BY v.ward)", "(SELECT name FROM wards WHERE beds < %s)",
              "json_build_object((%s)::text, 1)", "json_object_agg((%s)::text, %s) OVER ()", "trim_array(ARRAY[1, 2], (%s)::int)", "array_fill(0, ARRAY[(%s)::int])",
              "(%s)::text ~ ANY (ARRAY['1', (%s)::text || '('])", "(%s)::text LIKE '1\\'", "format((%s)::text || '%%', %s)", "int8range(1, 9) - int8range(3, (%s)::bigint)",
              "jsonb_set('[]', ARRAY[(%s)::text], '1')", "(%s)::text::regclass", "make_interval(years => (%s)::int)", "width_bucket(%s::float8, ARRAY[[1, 2]]::float8[])",
              "generate_series(1, 10, (%s)::int)", "jsonb_array_elements(to_jsonb(%s))", "regexp_split_to_table('a', '(')", "(SELECT max(1 / (ward - 3)) FROM wards)",
              "ARRAY[ARRAY[%s], ARRAY[%s, NULL]]", "(SELECT name FROM wards)"]
# A row a person, by what the person's rows are.
BY_PERSON = ["(SELECT v.patient, count(*) AS n, sum(v.price) AS m, max(v.kind) AS t FROM visits v WHERE %b GROUP BY v.patient) z",
             "(SELECT patient, avg(price) AS n, max(at) AS m, min(kind) AS t FROM visits GROUP BY 1) z",
             "(SELECT v.patient, v.kind AS t, count(*) FILTER (WHERE %b) AS n, sum(%n) AS m FROM visits v GROUP BY 1, 2) z",
             "(SELECT p.id, p.sex AS t, count(v.id) AS n, count(*) AS m FROM patients p LEFT JOIN visits v ON v.patient = p.id GROUP BY p.id) z",
             "(SELECT p.id, p.sex AS t, count(v.id) AS n, sum(v.price) AS m FROM patients p LEFT JOIN visits v ON v.patient = p.id "
             "AND %b GROUP BY p.id, p.sex) z",
             "(SELECT p.sex AS t, avg(v.price) AS n, count(*) AS m FROM visits v JOIN patients p ON p.id = v.patient GROUP BY p.id) z",
             "(SELECT DISTINCT v.patient, v.ward AS n, v.ward AS m, v.kind AS t FROM visits v) z",
             "(SELECT ward AS n, count(*) AS m, max(kind) AS t FROM visits GROUP BY ward) z",
             "(SELECT v.id, v.kind AS t, count(*) AS n, sum(v.price) AS m FROM visits v WHERE %b GROUP BY v.id) z",
             "(SELECT p.id, p.born, p.sex AS t, count(*) AS n, max(v.at::timestamptz) AS m FROM visits v JOIN patients p ON p.id = v.patient GROUP BY p.id) z",
             "(SELECT patient AS n, price AS m, kind AS t, row_number() OVER (PARTITION BY patient ORDER BY at) FROM visits) z",
             "(SELECT patient, count(*) AS n, sum(price) AS m, 'x' AS t FROM visits GROUP BY patient HAVING count(*) > 1) z"]
FROMS = ["visits v", "visits v", "visits v", "visits v JOIN patients p ON p.id = v.patient", "visits v JOIN wards w USING (ward)",
         "visits v LEFT JOIN wards w ON w.ward = v.ward JOIN patients p ON v.patient = p.id",
         "visits v, patients p, wards w WHERE v.patient = p.id AND w.ward = v.ward", "visits v, patients p, wards w", "patients p", "patients p",
         "(SELECT * FROM visits v WHERE %b) v", "patients p JOIN visits v ON v.patient = p.id AND %b", "visits v CROSS JOIN wards w",
         "(SELECT patient, ward, count(*) AS price FROM visits GROUP BY patient, ward) v", "wards w",
         "visits v FULL JOIN wards w USING (ward)", "LATERAL (SELECT * FROM visits LIMIT 3) v", "visits v TABLESAMPLE system (10)",
         "(SELECT DISTINCT ON (kind) * FROM visits) v", "visits v, visits u", "(VALUES (1, 2)) v (ward, price)",
         "patients p LEFT JOIN visits v ON v.patient = p.id", "visits v JOIN generate_series(1, 3) g ON true",
         "visits v JOIN (SELECT x.patient, count(*) AS n, sum(x.price) AS m, min(x.at) AS t FROM visits x GROUP BY 1) z ON z.patient = v.patient",
         "patients p LEFT JOIN (SELECT x.patient, count(*) AS n, avg(x.price) FILTER (WHERE x.urgent) AS m FROM visits x GROUP BY 1) z ON z.patient = p.id",
         "visits v, (SELECT x.patient, count(*) AS n, 1 AS m FROM visits x GROUP BY 1 HAVING count(*) > 1) z WHERE z.patient = v.patient",
         "(VALUES (1, 2, 'a'), (2, 3, 'b'), (7, NULL, 'c')) z(n, m, t) LEFT JOIN visits v ON v.ward = z.n",
         "generate_series(0, 100, 10) AS z(n) LEFT JOIN visits v ON v.price >= z.n AND v.price < z.n + 10",
         "visits v JOIN generate_series(timestamp '2024-01-01', '2024-09-01', '1 month') AS z(n) ON date_trunc('month', v.at) = z.n",
         "visits v RIGHT JOIN patients p ON p.id = v.patient", "visits v JOIN wards w ON w.beds > v.ward",
         "visits v JOIN LATERAL (SELECT * FROM wards x WHERE x.ward = v.ward) w ON true", "ONLY visits v",
         "visits v JOIN patients p ON p.id = v.patient AND p.id = v.ward",
         "visits v JOIN visits u ON u.patient = v.patient AND u.urgent", "visits v JOIN visits u USING (patient) JOIN patients p ON p.id = v.patient",
         "patients p LEFT JOIN visits u ON u.patient = p.id AND u.price > 50 WHERE u.id IS NULL",
         "visits v LEFT JOIN visits u ON u.patient = v.patient AND u.urgent WHERE u.id IS NULL",
         "patients p JOIN visits v ON v.patient = p.id LEFT JOIN wards w ON w.ward = v.ward LEFT JOIN visits u ON u.id = v.id WHERE u.ward IS NULL"]
# Conditions with rows of another relation. The last ones look at rows of other persons.
AMONG = ["v.ward IN (SELECT ward FROM wards WHERE beds > 5)", "v.ward NOT IN (SELECT ward FROM wards WHERE name = 'icu')",
         "EXISTS (SELECT 1 FROM wards x WHERE x.ward = v.ward AND x.beds > 4)", "w.ward = ANY (SELECT ward FROM wards)",
         "EXISTS (SELECT FROM visits x WHERE x.patient = p.id)", "EXISTS (SELECT FROM visits x WHERE x.patient = p.id AND x.urgent)",
         "NOT EXISTS (SELECT 1 FROM visits x WHERE p.id = x.patient AND x.price > 50)", "p.id IN (SELECT patient FROM visits)",
         "p.id IN (SELECT DISTINCT patient FROM visits WHERE urgent)", "p.id NOT IN (SELECT patient FROM visits GROUP BY patient)",
         "p.id NOT IN (SELECT patient FROM visits WHERE kind = 'a')", "v.patient IN (SELECT id FROM patients WHERE sex = 'f')",
         "EXISTS (SELECT 1 FROM patients x WHERE x.id = v.patient AND x.sex = 'm')", "(v.ward, v.kind) IN (SELECT ward, name FROM wards)",
         "EXISTS (SELECT 1 FROM visits x WHERE x.ward = v.ward AND x.id <> v.id)", "v.id = (SELECT max(id) FROM visits)",
         "EXISTS (SELECT 1 FROM visits x WHERE x.patient = p.id + 1)", "v.price > (SELECT avg(price) FROM visits x WHERE x.ward = v.ward)",
         "EXISTS (SELECT 1 FROM visits)", "p.id IN (SELECT ward FROM visits)", "v.patient IN (SELECT patient FROM visits x WHERE x.price > v.price)",
         "EXISTS (SELECT 1 FROM patients x JOIN visits y ON x.id = y.patient WHERE x.id = v.patient AND y.urgent)",
         "p.id IN (SELECT x.patient FROM visits x JOIN wards y USING (ward) WHERE y.beds > 4)", "EXISTS (SELECT FROM visits x, wards y, wards z WHERE x.patient = p.id AND y.ward = x.ward AND z.beds = y.beds)",
         "v.patient IN (SELECT x.id FROM patients x, wards y WHERE x.sex = y.name)", "v.id IN (SELECT x.id FROM visits x JOIN patients y ON y.id = x.patient WHERE y.sex = 'm')"]


QUERY_MEASURES = ["count(*)", "count(score)", "sum(price)", "avg(price)", "median(score)", "quantile(price, 0.9)", "count(distinct kind)",
                  "stddev(score)", "avg(at)", "count(patients.sex)", "median(patients.born)", "sum(at)", "max(price)", "sum(kind)", "sum(nothing)"]
QUERY_FILTERS = {"kind": ("a", ["a", "c"], None, "zz"), "price": ([10, 50], [None, 3], [99, 98], "x"), "score": ([0.2, 0.4], None),
                 "at": (["2024-02-01", "2024-05-01"], ["2030-01-01", None]), "urgent": (True, "maybe"), "patients.sex": ("f", None)}
QUERY_GROUPS = ["", "", "kind", "urgent", "patients.sex", "kind,urgent", "price", "nothing"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = "vpwz"  # that the statement at hand has

    def pick(self, of):
        return self.random.choice(of)

    def term(self, of):
        """One that names what is there, mostly."""
        fit = [text for text in of if all(name in self.names for name in re.findall(r"\b([vpwz])\.", text))]
        return self.pick(fit if fit and not self.maybe(0.02) else of)

    def maybe(self, share):
        return self.random.random() < share

    def number(self, depth=2):
        if depth == 0 or self.maybe(0.4):
            return self.term(NUMBERS)
        kind = self.random.randrange(4)
        if kind == 0:
            return "(%s %s %s)" % (self.number(depth - 1), self.pick("+-*/+-*/%"), self.number(depth - 1))
        if kind == 1:
            return self.pick(FUNCTIONS).replace("%s", self.number(depth - 1))
        if kind == 2:
            return "CASE WHEN %s THEN %s ELSE %s END" % (self.flag(depth - 1), self.number(depth - 1), self.number(depth - 1))
        return "length(%s)" % self.term(TEXTS)

    def flag(self, depth=2):
        kind = self.random.randrange(9)
        if depth == 0 or kind == 0:
            return self.term(FLAGS)
        if kind == 1:
            return "(%s %s %s)" % (self.flag(depth - 1), self.pick(["AND", "OR"]), self.flag(depth - 1))
        if kind == 2:
            return "%s %s %s" % (self.number(depth - 1), self.pick(["<", ">=", "=", "<>"]), self.number(depth - 1))
        if kind == 3:
            return "%s %s %s" % (self.term(TEXTS), self.pick(["=", "<>", "LIKE", "<"]), self.term(TEXTS))
        if kind == 4:
            return "%s BETWEEN %s AND %s" % (self.term(TIMES), self.term(TIMES), self.term(TIMES))
        if kind == 5:
            return "%s IN ('a', 'b', NULL)" % self.term(TEXTS)
        if kind == 6:
            return "%s IS %sNULL" % (self.term(TEXTS + NUMBERS[:8]), self.pick(("", "NOT ")))
        if kind == 7:
            return self.term(AMONG)
        return "%s > (SELECT %s FROM visits v)" % (self.number(0), self.pick(("avg(price)", "count(*)", "sum(price) / 9", "max(price)", "v.price")))

    def fill(self, text):
        while "%n" in text or "%t" in text or "%b" in text:
            text = text.replace("%n", self.number(1), 1).replace("%t", self.term(TEXTS), 1).replace("%b", self.flag(1), 1)
        return text

    def result(self):
        """An expression of aggregates."""
        kind = self.random.randrange(16)
        numeric = [self.fill(self.term(NUMERIC_AGGREGATES)) for _ in range(2)]
        if kind < 8:
            return self.fill(self.term(REFUSED_AGGREGATES if self.maybe(0.06) else AGGREGATES))
        if kind == 8:
            return "%s / nullif(%s, 0)" % tuple(numeric)
        if kind == 9:
            return "dp_low(%s)" % numeric[0]
        if kind == 10:
            return "dp_high(100 * %s / %s)" % tuple(numeric)
        if kind == 11:
            return "sum(%s) OVER ()" % numeric[0]
        if kind == 12:
            return "(SELECT count(*) FROM wards WHERE beds > %s)" % numeric[0] if self.maybe(0.2) else "rank() OVER (ORDER BY %s)" % numeric[0]
        if kind == 13:
            return "round((%s)::numeric, 1)" % numeric[0]
        if kind == 14:
            return "CASE WHEN %s > %s THEN %s END" % (*numeric, numeric[0])
        if self.maybe(0.4):
            return self.pick(OF_ANSWERS).replace("%s", numeric[0])
        return self.pick(("%s::text", "(%s)::text::int", "('2024-01-' || %s)::date", "int8range(0, (%s)::bigint)", "(%s)::money", "ARRAY[%s]::smallint[]")) % numeric[0]

    def group(self):
        if "p" in self.names and self.maybe(0.1):
            return self.pick(("EXISTS (SELECT FROM visits x WHERE x.patient = p.id AND x.urgent)", "(SELECT count(*) FROM visits x WHERE x.patient = p.id)",
                              "p.id IN (SELECT patient FROM visits WHERE price > 50)", "(SELECT max(kind) FROM visits x WHERE x.patient = p.id)", "EXISTS (SELECT FROM visits)"))
        return self.term(TEXTS + TIMES + NUMBERS[2:9] + FLAGS + ["width_bucket(v.price, 0, 100, 5)", self.number(1), self.flag(1)])

    def query(self, epsilon):
        """A call of dp_query, which asks in words of its own."""
        measures = [self.pick(QUERY_MEASURES) for _ in range(self.pick([1, 1, 2, 3]))]
        where = {name: self.pick(values) for name, values in QUERY_FILTERS.items() if self.maybe(0.25)}
        return "SELECT * FROM dp_query('%s', ARRAY['%s'], %s, by => '{%s}', filter => '%s', narrow => %s)" % (
            self.pick(("visits", "visits", "visits", "patients")), "', '".join(measures), epsilon, self.pick(QUERY_GROUPS),
            json.dumps(where), self.maybe(0.2))

    def bounds(self):
        """What a unit adds, at most."""
        return self.pick((None, None, 1, 3, 50)), self.pick((None, None, 0.01, 20, 9e9))

    def select(self, depth=1):
        source = self.pick(FROMS if self.maybe(0.75) else BY_PERSON)
        outer = re.sub(r"^\(.*\) ", "", source)
        self.names = "".join(name for name in "vpw" if re.search(r"\b%s\b" % name, source))
        source = self.fill(source)
        self.names = "".join(name for name in "vpwz" if re.search(r"\b%s\b" % name, outer))
        groups = [self.group() for _ in range(self.pick([0, 0, 1, 1, 2]))]
        results = [self.result() for _ in range(self.pick([1, 1, 2, 3]))] if self.maybe(0.9) else []
        if groups and self.maybe(0.05):
            results.append("GROUPING(%s)" % groups[0])
        columns = groups + results or ["*"]
        text = "SELECT %s%s FROM %s" % ("DISTINCT " if self.maybe(0.05) else "", ", ".join(columns), source)
        if self.maybe(0.6):
            text += (" AND " if " WHERE " in outer else " WHERE ") + self.flag()
        if groups and self.maybe(0.95):
            by = ", ".join(str(i + 1) for i in range(len(groups)))
            text += " GROUP BY " + (self.pick(("ROLLUP (%s)", "GROUPING SETS ((), (%s))", "DISTINCT %s")) % by if self.maybe(0.05) else by)
        if self.maybe(0.15):
            text += " HAVING %s > 3" % self.fill(self.term(AGGREGATES[:6]))
        if self.maybe(0.3):
            text += " ORDER BY %d" % self.random.randint(1, len(columns))
        if self.maybe(0.2):
            text += " LIMIT %d" % self.random.randrange(4)
        return self.wrap(text, depth)

    def wrap(self, text, depth):
        kind = self.random.randrange(14)
        if depth == 0 or kind > 5:
            return text
        if kind == 0:
            return "SELECT * FROM (%s) z LIMIT 3" % text
        if kind == 1:
            return "WITH z AS (%s) SELECT count(*) FROM z, (SELECT FROM z LIMIT 9) AS y" % text
        if kind == 2:
            return "SELECT count(*) FROM (%s) z" % text
        if kind == 3:
            return "%s UNION ALL %s" % (text, self.select(0))
        if kind == 4:
            return "SELECT name, (%s LIMIT 1) FROM wards" % text
        return "EXPLAIN (VERBOSE) " + text


EPSILON, EPSILON_OF_NOISE = 10, 1e-3
# Numbers that are public, or chosen among public ones: how many groups there are, percentiles, means of constants.
MAY_BE_EXACT = re.compile(r"avg|percentile|rank\(|mode\(|count\(\*\) FROM (\(SELECT|z)|EXPLAIN|wards WHERE beds >|VALUES", re.I)


def try_one(ana, statement):
    """(rows or None, error or None, number of debits)"""
    before = one(ana, "SELECT debits FROM debits")
    rows = error = None
    try:
        rows = run(ana, statement)
    except psycopg2.Error as raised:
        check(ana.closed == 0, "the session is gone: %s: %s" % (raised, statement))
        error = raised
    return rows, error, one(ana, "SELECT debits FROM debits") - before


def fault(statement, error, debits):
    """What is wrong about the outcome; None: nothing."""
    if error is not None and error.pgcode[:2] in ("XX", "57"):
        return "%s, an error that cannot happen" % error.pgcode
    if error is not None and debits > 0:
        return "paid, and failed with %s" % error.pgcode
    if debits > 0 and statement.startswith("EXPLAIN"):
        return "EXPLAIN spends"
    return None


def results(rows):
    """All numbers that are no small ones, of the last column, which is an aggregate where there is one."""
    return {float(row[-1]) for row in rows or [] if row and isinstance(row[-1], (int, float, Decimal))
            and not isinstance(row[-1], bool) and abs(row[-1]) > 3}


def is_exact(boss, statement, rows):
    """Whether numbers of a result with much noise are the true ones: of many, some are by chance."""
    if MAY_BE_EXACT.search(statement) or not re.search("(count|sum|std|var).*FROM.*(visits|patients)", statement) or not results(rows):
        return False
    try:
        return len(results(rows) & results(run(boss, statement))) * 20 > len(results(rows))
    except psycopg2.Error:
        return False


def try_many(seed, statements):
    """Half of them with little noise, half with so much that no answer is the true one."""
    boss, ana = connect(), connect("ana")
    for session in boss, ana:
        run(session, "SET client_min_messages = error")
        run(session, "SET statement_timeout = '20s'")
    maker = Maker(seed)
    answered, codes, faults, compared = 0, {}, {}, 0
    for at in range(statements):
        noisy = at >= statements // 2
        epsilon = EPSILON_OF_NOISE if noisy else EPSILON
        if at % 50 == 0 or at == statements // 2:
            run(ana, "SELECT dp_private_queries(%s, max_rows_per_unit => %s, max_sum_per_unit => %s)", epsilon, *maker.bounds())
        statement = maker.query(epsilon) if maker.maybe(0.04) else maker.select()
        rows, error, debits = try_one(ana, statement)
        answered += error is None
        codes[error and error.pgcode] = codes.get(error and error.pgcode, 0) + 1
        found = fault(statement, error, debits)
        if noisy and debits and found is None:
            compared += 1
            if is_exact(boss, statement, rows):  # once may be by chance
                run(ana, "SET dpsyn.query_refresh = 0")
                found = "an exact value" if is_exact(boss, statement, try_one(ana, statement)[0]) else None
                run(ana, "RESET dpsyn.query_refresh")
        if found:
            faults.setdefault((found, str(error).split("\n")[0]), statement)
    ana.close()
    boss.close()
    check(not faults, "seed %d: %s" % (seed, "\n".join("%s (%s): %s" % (*why, what) for why, what in list(faults.items())[:20])))
    check(answered > statements / 20, "most are refused: %r" % codes)
    return "seed %d, %d of %d answered, %d compared with the truth; errors %s" % (
        seed, answered, statements, compared, sorted((k, v) for k, v in codes.items() if k))
