"""Pairs of neighbouring databases, each asked the same questions.

One scenario is a schema with data, D, a few questions, and a few neighbours of D. Each question is
asked of D with the spy recording, and of each neighbour with the spy playing back (calls.py says what
is compared then). Everything else that leaves the worker must be the same: NOTICEs, errors, answers,
the stored model, what the ledger was charged.
"""
import os
import random as randomness
import re
import time
import traceback
from collections import Counter, namedtuple
from contextlib import closing

import psycopg2

import calls
import columns
import keys
import questions
import payments
import schemas
import tables
from dptest import connect, one, run

QUESTIONS = 5
NEIGHBOURS = 3
SECONDS_TO_RECOVER = 60
ROW_MEMORY = ("256MB", "256MB", "0")
PERSONS_BESIDE_ROWS = {"sql: all persons", "sql: outer"}  # kinds of questions
TRIES = 4  # questions that are refused, for one that is asked

# What became of a question: calls, all else that can be seen of it, and what was paid for it
Answer = namedtuple("Answer", "calls seen refused payment")
# A finding: the scenario's number, a kind, words, and SQL that repeats it
Finding = namedtuple("Finding", "scenario kinds kind words script")

STORED = """
SELECT jsonb_build_object(
    'release', (SELECT jsonb_agg(to_jsonb(s) - '{id,released_at,model,forest}'::text[] || jsonb_build_object('m', md5(model))
                               ORDER BY id)
                FROM dp_catalog.dp_release_store s WHERE id > %(last)s),
    'parts', (SELECT jsonb_agg(to_jsonb(p) - '{release,model}'::text[] || jsonb_build_object('m', md5(model))
                               ORDER BY release, number) FROM dp_catalog.dp_release_part p WHERE release > %(last)s),
    'ledger', (SELECT jsonb_agg(jsonb_build_array(kind, method, options, epsilon_nano, delta_atto, rho_pico, reason)
                                ORDER BY id) FROM dp_catalog.dp_ledger_entry WHERE id > %(last)s))::text,
    (SELECT coalesce(max(id), 0) FROM dp_catalog.dp_ledger_entry)
"""
# What two releases of one database tell differently: their numbers, what is left of the budget that
# both spend, and about how many rows the release before has told.
NUMBERS = [(re.compile(r"leaves .*? of the budget"), "leaves some of the budget"),
           (re.compile(r" About \d+ rows (are enough|are too few)[^.]*\."), ""),
           (re.compile(r" It is expected to take [^.]*\."), ""),
           (re.compile(r", rows of all (about \d+|not known)"), ""),
           (re.compile(r"release \d+"), "release n"), (re.compile(r"(dp_query|dp_histogram)\(\d+\)"), r"\1(n)")]
# This error is not a refusal: the data were looked at.
FAILED = re.compile("the release failed while|cannot be read")


class Lane:
    """A database of its own, with a server process that asks."""

    def __init__(self, number, library):
        self.name = "lane_%d" % number
        self.library = library
        with closing(connect()) as boss:
            run(boss, "CREATE DATABASE " + self.name)
            run(boss, "ALTER DATABASE %s SET timezone = 'Europe/Berlin'" % self.name)
            # the neighbour is asked anew, too
            run(boss, "ALTER DATABASE %s SET dpsyn.query_refresh = 0" % self.name)
            oid = one(boss, "SELECT oid FROM pg_database WHERE datname = %s", self.name)
        self.directory = os.path.join(os.environ["DPSYN_SPY_DIRECTORY"], str(oid))
        os.mkdir(self.directory)
        os.chmod(self.directory, 0o777)
        self.fault = 0
        self.last = 0
        self.connection = None
        self.order(0, 0, "none", "none")
        with closing(connect(dbname=self.name)) as boss:
            run(boss, "CREATE EXTENSION dpsyn")
            run(boss, "UPDATE pg_proc SET probin = %s WHERE probin = '$libdir/dpsyn'", library)
        self.renew()
        run(self.connection, keys.SETUP + columns.SETUP)

    def renew(self):
        """A process has its planted fault for life."""
        if self.connection is not None:
            self.connection.close()
        self.connection = connect(dbname=self.name)
        run(self.connection, "SET client_min_messages = notice")

    def recover(self):
        """After the server went down by a crash, if it did."""
        for _ in range(SECONDS_TO_RECOVER):
            try:
                return self.renew()
            except psycopg2.OperationalError:
                time.sleep(1)
        return self.renew()

    def order(self, mode, seed, output, call_log):
        path = os.path.join(self.directory, "order")
        with open(path + ".new", "w", encoding="ascii") as file:
            file.write("%d %d %d %s %s\n" % (mode, seed, self.fault, output, call_log))
        os.chmod(path + ".new", 0o644)
        os.rename(path + ".new", path)

    def plant(self, fault):
        self.fault = fault
        self.order(0, 0, "none", "none")
        self.renew()

    def file(self, name):
        return os.path.join(self.directory, name)

    def forget(self, name):
        try:
            os.remove(self.file(name))
        except FileNotFoundError:
            pass

    def ask(self, question, mode, seed, output):
        """Asks with the spy at work."""
        self.forget("calls")
        if mode == 1:
            self.forget(output)
        self.order(mode, seed, output, "calls")
        del self.connection.notices[:]
        refused = None
        before, last = payments.totals(self.connection), self.last
        try:
            rows = run(self.connection, question.sql)
        except psycopg2.Error as error:
            diagnosis = error.diag
            rows = [error.pgcode, diagnosis.message_primary, diagnosis.message_detail, diagnosis.message_hint]
            refused = "%s %s" % (error.pgcode, diagnosis.message_primary)
        stored, self.last = self.stored()
        if refused is None and "dp_release(" in question.sql:
            rows = None  # the number of the release
        seen = [repr(rows), stored] + [clean(notice) for notice in self.connection.notices]
        return Answer(calls.read(self.file("calls")), seen, refused, payments.read(self.connection, before, last))

    def stored(self):
        with self.connection.cursor() as cursor:
            cursor.execute(STORED, {"last": self.last})
            return cursor.fetchone()


def clean(notice):
    for pattern, word in NUMBERS:
        notice = pattern.sub(word, notice)
    return notice


# ---- databases ----

def inserts(schema, units, random):
    """Statements that make the tables hold these units, in any order of rows."""
    statements = ["DELETE FROM %s;" % table.name for table in reversed(schema.tables)]
    for table in schema.tables:
        for into, rows in places(table, units, random):
            if rows:
                statements.append("INSERT INTO %s (%s) VALUES %s;" % (into, ", ".join(table.names()), ", ".join(
                    "(%s)" % ", ".join(row) for row in rows)))
    return statements


def places(table, units, random):
    """(where, rows): the table, and the one that inherits from it."""
    rows = [row for unit in units for row in unit.get(table.name, ())]
    random.shuffle(rows)
    if table.kid is None:
        return [(table.name, rows)]
    half = random.randint(0, len(rows))
    return [(table.name, rows[:half]), (table.kid, rows[half:])]


def neighbour(schema, units, random):
    """Another list of units: one more, one less, or one that is another."""
    free = [number for number in range(tables.UNITS) if number not in units]
    changed = dict(units)
    if schema.neighbours == "replace_one":
        gone = random.choice(list(units))
        del changed[gone]
        number = random.choice(free + [gone])
        changed[number] = schema.make_unit(number)
    elif units and (not free or random.random() < 0.5):
        del changed[random.choice(list(units))]
    else:
        number = random.choice(free)
        changed[number] = schema.make_unit(number)
    return changed


# ---- scenarios ----

class Scenario:
    """One schema with its questions and neighbours. narrow: see schemas.Schema."""

    def __init__(self, lane, seed, number, narrow=None):
        self.lane = lane
        self.number = number
        self.random = randomness.Random("%s/%s" % (seed, number))
        self.narrow = narrow or {}
        self.counts = Counter()   # "pairs", refusals and so on
        self.asked = Counter()    # kinds of questions and schemas
        self.best = {}            # (mechanism, method or kind of schema) -> largest ratio
        self.calls = Counter()
        self.findings = []

    def run(self):
        random = self.random
        schema = schemas.Schema(random, self.narrow)
        first = random.choice(self.narrow.get("units", (0, 0, 1, 1, 2, 3, 5)))
        if schema.neighbours == "replace_one":
            first = max(first, 1)
        units = {number: schema.make_unit(number) for number in random.sample(range(tables.UNITS), first)}
        nobody = schema.nobody()
        self.counts["scenarios"] += 1
        if self.create(schema, list(units.values()) + [nobody]):
            self.look(schema, units, nobody)
        return self

    def create(self, schema, units):
        """Whether everything is protected."""
        self.schema_words = schema.statements()
        self.protect_words = schema.protect + schema.view_declares()
        try:
            self.do(["ALTER DATABASE %s SET dpsyn.row_memory = '%s';"  # with 0 rows are read again, or one by one
                     % (self.lane.name, self.random.choice(self.narrow.get("row_memory", ROW_MEMORY))),
                     "DROP SCHEMA IF EXISTS s CASCADE;", "CREATE SCHEMA s;", "SET search_path = s, public;"]
                    + self.schema_words)
        except psycopg2.Error as error:
            self.refuse("schema", error)
            return False
        try:
            self.load(schema, units)
        except psycopg2.Error as error:
            self.refuse("rows", error)
            return False
        try:
            self.do(self.protect_words)
        except psycopg2.Error as error:
            self.refuse("protection", error)
            self.asked.update("refused: " + kind for kind in schema.kinds)
            return False
        self.asked.update([schema.shape, schema.neighbours] + list(schema.kinds))
        return True

    def refuse(self, what, error):
        run(self.lane.connection, "ROLLBACK")  # where rows are loaded a transaction is open
        self.counts["refused " + what] += 1
        self.asked["%s: %s" % (what, error.diag.message_primary)] += 1

    def do(self, statements):
        run(self.lane.connection, "SET client_min_messages = error; " + " ".join(statements)
            + "SET client_min_messages = notice;")

    def load(self, schema, units):
        """Rows of nobody need no parent."""
        self.load_words = inserts(schema, units, self.random) + schema.loaded
        self.do(["BEGIN;", "SET LOCAL session_replication_role = replica;"] + self.load_words + ["COMMIT;"])

    def look(self, schema, units, nobody):
        first_load = self.load_words
        _, self.lane.last = self.lane.stored()
        seed = self.random.getrandbits(60)
        asked = []
        for at in range(QUESTIONS):
            found = self.ask_first(schema, seed, "out.%d" % at)
            if found is not None:
                asked.append(found + ("out.%d" % at,))
        for _ in range(NEIGHBOURS if asked else 0):
            changed = neighbour(schema, units, self.random)
            self.load(schema, list(changed.values()) + [nobody])
            for question, answer, output in asked:
                second = self.lane.ask(question, 2, seed, output)
                self.judge(schema, question, answer, second, first_load)

    def ask_first(self, schema, seed, output):
        """A question that is answered, and its answer."""
        targets = [target for target in schema.targets if target.name in self.narrow.get("targets", (target.name,))]
        for _ in range(TRIES if targets else 0):
            target = self.random.choice(targets)
            question = questions.ask(self.random, target, self.narrow.get("methods"), self.narrow.get("selects"))
            answer = self.lane.ask(question, 1, seed, output)
            if answer.refused is not None and FAILED.search(answer.refused):
                self.finding(schema, question, "failed", answer.refused, self.load_words)
            self.check_payment(schema, question, target, answer)
            if answer.refused is None or answer.calls:
                self.asked.update(question.kinds)
                return question, answer
            self.counts["refused questions"] += 1
            self.asked["question: %s" % answer.refused] += 1
        return None

    def check_payment(self, schema, question, target, answer):
        try:
            expected = schema.debits_of(target)
            if PERSONS_BESIDE_ROWS & set(question.kinds):  # rows of a relation below are counted
                expected = [(line.relation, budget) for line, (_, budget) in zip(answer.payment.lines, expected)]
            payments.check(expected, answer.payment, answer.calls)
        except calls.Wrong as wrong:
            self.finding(schema, question, wrong.kind, str(wrong), self.load_words)

    def judge(self, schema, question, first, second, first_load):
        self.counts["pairs"] += 1
        try:
            ratios = calls.compare(first.calls, second.calls)
            if first.seen != second.seen:
                raise calls.Wrong("seen", "\n".join("%s\n%s" % pair for pair in zip(first.seen, second.seen)
                                                    if pair[0] != pair[1]) or "%r\n%r" % (first.seen, second.seen))
        except calls.Wrong as wrong:
            self.finding(schema, question, wrong.kind, str(wrong), first_load)
            return
        for mechanism, ratio in ratios:
            self.calls[mechanism] += 1
            for by in [question.method, *schema.kinds]:
                self.best[mechanism, by] = max(self.best.get((mechanism, by), 0), ratio)

    def finding(self, schema, question, kind, words, first_load):
        self.findings.append(Finding(self.number, sorted(schema.kinds | question.kinds), kind, words,
                                     self.script(first_load, question)))

    def script(self, first_load, question):
        return "\n".join(self.schema_words + ["-- D"] + first_load + self.protect_words + [question.sql + ";"]
                         + ["-- its neighbour"] + self.load_words + [question.sql + ";"])


def run_scenario(lane, seed, number, narrow=None):
    """A scenario that breaks off is a finding."""
    scenario = Scenario(lane, seed, number, narrow)
    try:
        return scenario.run()
    except (psycopg2.Error, OSError, ValueError, LookupError, TypeError, ArithmeticError):
        scenario.findings.append(Finding(number, [], "broken off", traceback.format_exc(),
                                         "\n".join(getattr(scenario, "load_words", []))))
        lane.recover()
        return scenario
