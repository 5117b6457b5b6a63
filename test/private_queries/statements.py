"""Statements made at random over the hospital of ward.py. None may crash the server, none may give what
was not paid for, and none may fail after a debit for a reason that could be known before.

    STATEMENTS=100000 SEED=1 test/private_queries/run
"""
import random
import re

import psycopg2
import psycopg2.errors

from dptest import check, connect, one, run

NUMBERS = ["v.price", "v.score", "v.ward", "v.patient", "v.id", "extract(hour FROM v.at)", "w.beds", "1", "2.5", "NULL"]
TEXTS = ["v.kind", "p.sex", "w.name", "'a'", "upper(v.kind)", "v.kind || 'x'", "substr(w.name, 1, 1)"]
TIMES = ["v.at", "p.born", "date_trunc('month', v.at)", "v.at::date", "timestamp '2024-03-01'", "v.at - p.born"]
FLAGS = ["v.urgent", "NOT v.urgent", "true"]
FUNCTIONS = ["abs(%s)", "round(%s)", "(%s)::int", "coalesce(%s, 0)", "greatest(%s, 1)", "-(%s)", "sqrt(abs(%s))", "random() * %s"]
AGGREGATES = ["count(*)", "count(%n)", "count(DISTINCT %n)", "count(DISTINCT v.patient)", "sum(%n)", "avg(%n)", "stddev(%n)",
              "var_pop(%n)", "percentile_cont(0.5) WITHIN GROUP (ORDER BY %n)", "percentile_disc(0.9) WITHIN GROUP (ORDER BY %n DESC)",
              "min(%n)", "max(%t)", "string_agg(%t, ',')", "bool_or(%b)", "bool_and(%b) FILTER (WHERE %b)", "sum(%n) FILTER (WHERE %b)", "count(*) FILTER (WHERE %b)",
              "array_agg(v)", "count(v.*)", "sum(DISTINCT %n)", "avg(CASE WHEN %b THEN %n END)"]
FROMS = ["visits v", "visits v", "visits v", "visits v JOIN patients p ON p.id = v.patient", "visits v JOIN wards w USING (ward)",
         "visits v LEFT JOIN wards w ON w.ward = v.ward JOIN patients p ON v.patient = p.id", "visits v, patients p, wards w",
         "(SELECT * FROM visits WHERE %b) v", "patients p JOIN visits v ON v.patient = p.id AND %b", "visits v CROSS JOIN wards w",
         "(SELECT patient, ward, count(*) AS price FROM visits GROUP BY patient, ward) v", "wards w",
         "visits v FULL JOIN wards w USING (ward)", "LATERAL (SELECT * FROM visits LIMIT 3) v", "visits v TABLESAMPLE system (10)",
         "(SELECT DISTINCT ON (kind) * FROM visits) v", "visits v, visits u", "(VALUES (1, 2)) v (ward, price)"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = "vpw"  # that the statement at hand has

    def pick(self, of):
        return self.random.choice(of)

    def term(self, of):
        """One that names what is there, mostly."""
        fit = [text for text in of if all(name in self.names for name in re.findall(r"\b([vpw])\.", text))]
        return self.pick(fit or of)

    def maybe(self, share):
        return self.random.random() < share

    def number(self, depth=2):
        if depth == 0 or self.maybe(0.4):
            return self.term(NUMBERS)
        kind = self.random.randrange(4)
        if kind == 0:
            return "(%s %s %s)" % (self.number(depth - 1), self.pick("+-*/%"), self.number(depth - 1))
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
            return "%s IS NOT NULL" % self.term(TEXTS + NUMBERS[:5])
        if kind == 7:
            return "v.ward IN (SELECT ward FROM wards WHERE beds > %d)" % self.random.randrange(12)
        return "%s > (SELECT %s FROM visits v)" % (self.number(0), self.fill(self.term(AGGREGATES)))

    def fill(self, text):
        while "%n" in text or "%t" in text or "%b" in text:
            text = text.replace("%n", self.number(1), 1).replace("%t", self.term(TEXTS), 1).replace("%b", self.flag(1), 1)
        return text

    def result(self):
        """An expression of aggregates."""
        aggregate = self.fill(self.term(AGGREGATES))
        kind = self.random.randrange(12)
        if kind < 6:
            return aggregate
        if kind == 6:
            return "%s / nullif(%s, 0)" % (aggregate, self.fill(self.term(AGGREGATES)))
        if kind == 7:
            return "dp_low(%s)" % aggregate
        if kind == 8:
            return "dp_high(100 * %s / %s)" % (aggregate, self.fill(self.term(AGGREGATES[:6])))
        if kind == 9:
            return "sum(%s) OVER ()" % aggregate
        if kind == 10:
            return "(SELECT count(*) FROM wards WHERE beds > %s)" % aggregate
        return "%s::text" % aggregate

    def group(self):
        return self.term(TEXTS + TIMES + NUMBERS[2:6] + FLAGS[:1] + ["width_bucket(v.price, 0, 100, 5)", self.number(1)])

    def select(self, depth=1):
        source = self.pick(FROMS)
        self.names = "".join(name for name in "vpw" if re.search(r"\b%s\b" % name, source))
        source = self.fill(source)
        groups = [self.group() for _ in range(self.pick([0, 0, 1, 1, 2]))]
        results = [self.result() for _ in range(self.pick([1, 1, 2, 3]))] if self.maybe(0.9) else []
        columns = groups + results or ["*"]
        text = "SELECT %s%s FROM %s" % ("DISTINCT " if self.maybe(0.05) else "", ", ".join(columns), source)
        if self.maybe(0.6):
            text += " WHERE " + self.flag()
        if groups and self.maybe(0.95):
            text += " GROUP BY " + ", ".join(str(i + 1) for i in range(len(groups)))
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
            return "WITH z AS (%s) SELECT count(*) FROM z, z AS y" % text
        if kind == 2:
            return "SELECT count(*) FROM (%s) z" % text
        if kind == 3:
            return "%s UNION ALL %s" % (text, self.select(0))
        if kind == 4:
            return "SELECT name, (%s LIMIT 1) FROM wards" % text
        return "EXPLAIN (VERBOSE) " + text


# Errors of what PostgreSQL computes from an answer: it is stored, and asking again costs nothing.
AFTERWARDS = {"22012", "22003", "22P02", "2201E", "2201F", "21000", "22023"}


def try_one(ana, statement):
    """(error or None, number of debits)"""
    before = one(ana, "SELECT debits FROM debits")
    try:
        run(ana, statement)
        error = None
    except psycopg2.Error as raised:
        check(ana.closed == 0, "the session is gone: %s: %s" % (raised, statement))
        error = raised
    return error, one(ana, "SELECT debits FROM debits") - before


def fault(statement, error, debits):
    """What is wrong about the outcome; None: nothing."""
    if error is not None and error.pgcode[:2] in ("XX", "57"):
        return "%s, an error that cannot happen" % error.pgcode
    if error is not None and debits > 0 and error.pgcode not in AFTERWARDS:
        return "paid, and failed with %s" % error.pgcode
    if debits > 0 and statement.startswith("EXPLAIN"):
        return "EXPLAIN spends"
    return None


def try_many(seed, statements):
    ana = connect("ana")
    run(ana, "SET client_min_messages = error")
    run(ana, "SELECT dp_private_queries(10)")
    run(ana, "SET statement_timeout = '20s'")
    maker = Maker(seed)
    answered, codes, faults = 0, {}, {}
    for _ in range(statements):
        statement = maker.select()
        error, debits = try_one(ana, statement)
        answered += error is None
        codes[error and error.pgcode] = codes.get(error and error.pgcode, 0) + 1
        found = fault(statement, error, debits)
        if found:
            faults.setdefault((found, str(error).split("\n")[0]), statement)
    ana.close()
    check(not faults, "seed %d: %s" % (seed, "\n".join("%s (%s): %s" % (*why, what) for why, what in list(faults.items())[:20])))
    check(answered > statements / 20, "most are refused: %r" % codes)
    return "seed %d, %d of %d answered; errors %s" % (seed, answered, statements, sorted((k, v) for k, v in codes.items() if k))
