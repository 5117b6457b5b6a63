"""Questions that no SELECT made: the option `question` of a release, taken from those of SELECTs and changed at
random. Whoever writes it by hand gets no more: none may crash the server, be an error that cannot happen, or fail
after it was paid for."""
import copy
import json
import random

import psycopg2

import statements
from dptest import check, connect, one, run

FUNCTIONS = ["numeric_div", "int4eq", "pg_sleep", "nope", "sum", "and", "or", "not", "null", "in", "case", "coalesce", "exists", "as", "greatest",
             "column", "value", "textlike", "date_trunc", "dp_release", "int4div", "sqrt", "lo_import", "numeric_ln", "", "AND", "extract"]
NAMES = ["id", "price", "kind", "patient", "ctid", "tableoid", "u1", "n0", "g0", "c1", "", "x\" FROM pg_authid --", "born", "ward", "\u0001", "é" * 70, "beds"]
TYPES = ["numeric", "int4", "text", "regclass", "public.visits", "anyelement", "_int4", "text; DROP TABLE visits", "timestamp", "bool", "void", "float4"]
TEXTS = ["NaN", "infinity", "1e400", "1", "", "'", "9223372036854775808", "9999-12-31", "t", "\\", "%", "a" * 3000, None]
NUMBERS = [0, 1, 2, 3, -1, 99, 1.5, 1e10, 4294967296, True, None]
MEASURES = ["rows", "sum", "avg", "count", "quantile", "count distinct", "units", "nope", "var", "", None]
STATEMENTS = 20  # whose questions are changed


def places(node, found):
    """(parent, key) of all parts."""
    for key in range(len(node)) if isinstance(node, list) else list(node):
        found.append((node, key))
        if isinstance(node[key], (list, dict)):
            places(node[key], found)
    return found


class Changer:
    def __init__(self, seed, oids):
        self.random = random.Random(seed)
        self.oids = oids

    def part(self, depth=2):
        pick = self.random.choice
        kind = self.random.randrange(6 if depth else 3)
        if kind == 0:
            return ["column", pick(NUMBERS[:5]), pick(NAMES)]
        if kind == 1:
            return ["value", pick(TYPES), pick(TEXTS)]
        if kind == 2:
            return pick([pick(NUMBERS), pick(NAMES), pick(TEXTS), [], {}])
        return [pick(FUNCTIONS)] + [self.part(depth - 1) for _ in range(self.random.randrange(4))]

    def relation(self):
        pick = self.random.choice
        keys = ["relation", "public", "ancestor", "below", "outer", "units", "on", "of"]
        made = {key: pick([pick(self.oids), pick(NUMBERS), self.part(), {"groups": [], "aggregates": [], "relations": [{}]}])
                for key in self.random.sample(keys, self.random.randint(1, 4))}
        return {**made, "relation": pick(self.oids)}

    def change(self, question, others):
        question = copy.deepcopy(question)
        for _ in range(self.random.choice((1, 1, 2, 4))):
            node, key = self.random.choice(places(question, []))
            kind = self.random.randrange(9)
            if kind == 0:
                node[key] = self.part()
            elif kind == 1:
                node[key] = copy.deepcopy(self.random.choice([of[at] for of, at in places(self.random.choice(others), [])]))
            elif kind == 2:
                del node[key]
            elif kind == 3 and isinstance(node, list):
                node.append(copy.deepcopy(node[key]))
            elif kind == 4 and isinstance(question.get("relations"), list):
                question["relations"].append(self.relation())
            elif kind == 5 and isinstance(question.get("measures"), list):
                question["measures"].append({"measure": self.random.choice(MEASURES), "of": self.part()})
            elif kind == 6:
                question[self.random.choice(("where", "groups", "rows", "once", "nope", "units"))] = self.part()
            elif isinstance(node[key], str):
                node[key] = self.random.choice(FUNCTIONS + NAMES + TYPES + MEASURES)
            else:
                node[key] = self.random.choice(NUMBERS)
            if not question:
                break
        return question


def deep(depth):
    """NOT of NOT of ..."""
    where = '["not", ' * depth + '["column", 0, "urgent"]' + "]" * depth
    return '{"question": {"relations": [{}], "groups": [], "measures": [{"measure": "rows"}], "where": %s}}' % where


def known(ana, seed):
    """Questions of SELECTs that were answered, with what they are about."""
    maker = statements.Maker(seed)
    before = one(ana, "SELECT coalesce(max(id), 0) FROM dp_ledger")
    for _ in range(STATEMENTS * 40):
        statements.try_one(ana, maker.select())
        if one(ana, "SELECT count(*) FROM dp_ledger WHERE id > %s", before) >= STATEMENTS:
            break
    return [row for row in run(ana, "SELECT relation_name, options->'question' FROM dp_ledger WHERE id > %s AND options ? 'question'", before)]


def try_many(seed, number):
    boss, ana = connect(), connect("ana")
    oids = [row[0] for row in run(boss, "SELECT oid::bigint FROM pg_class WHERE relname IN ('visits', 'patients', 'wards', 'pg_authid')")]
    run(ana, "SET client_min_messages = error")
    run(ana, "SELECT dp_private_queries(10)")
    run(ana, "SET statement_timeout = '20s'")
    asked = known(ana, seed)
    changer = Changer(seed, oids)
    questions = [question for _, question in asked]
    codes, faults = {}, {}
    for at in range(number):
        relation, question = changer.random.choice(asked)
        words = deep(10 ** changer.random.randrange(1, 5)) if at % 200 == 7 \
            else json.dumps({"question": changer.change(question, questions)})
        statement = "SELECT dp_release('%s', 'query', 3, 0, $q$%s$q$)" % (relation, words)
        try:
            _, error, debits = statements.try_one(ana, statement)
        except psycopg2.Error as gone:
            raise AssertionError("%s: %s" % (gone, statement)) from gone
        codes[error and error.pgcode] = codes.get(error and error.pgcode, 0) + 1
        found = statements.fault(statement, error, debits)
        if error is not None and debits:
            found = found or "paid, and failed with %s" % error.pgcode
        if found:
            faults.setdefault((found, str(error).split("\n")[0]), statement[:1500])
    ana.close()
    boss.close()
    check(not faults, "seed %d: %s" % (seed, "\n".join("%s (%s): %s" % (*why, what) for why, what in list(faults.items())[:20])))
    check(codes.get(None, 0) > number / 50, "most are refused: %r" % codes)
    return "seed %d, %d of %d answered; errors %s" % (seed, codes.get(None, 0), number, sorted((k, v) for k, v in codes.items() if k))
