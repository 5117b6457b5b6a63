"""Searches the model: what must hold holds in every state; each planted fault, and each
thing that cannot be guaranteed, is found by its shortest way.
"""
import dataclasses
import time

from dptest import Tap
from model import Model, places
from places import missing, place
from search import search
from state import Ask, Scene

MACHINES = {"a crash": 1, "a worker ends": 1, "a read fails": 1, "a caller leaves": 1}

TWO_ROLES = Scene(
    "two roles, the last of a budget, two refunds",
    asks=(Ask("ann", grant=0), Ask("bob", grant=1)), grants=((0, 1), (0, 1)), cap=1, sessions=2,
    events={**MACHINES, "a refund": 2})
ONE_ROLE = Scene(
    "one role twice, the last of its grant, revoked and granted again",
    asks=(Ask("ann", grant=0), Ask("ann", grant=0)), grants=((0, 1),), cap=2,
    events={**MACHINES, "a refund": 1, "a revoke": 1, "a grant": 1})
CHANGES = Scene(
    "a role and the custodian, while limit and budget are lowered",
    asks=(Ask("ann", grant=0), Ask("custodian", cost=2)), grants=((0, 1),), cap=3,
    events={"a crash": 1, "a read fails": 1, "a refund": 1, "a lower limit": 1,
            "a lower budget": 1})
SHARED = Scene(
    "two relations, one budget",
    asks=(Ask("ann", relation=0, grant=0), Ask("bob", relation=1, grant=1)), relations=2,
    grants=((0, 1), (1, 1)), cap=1,
    events={"a crash": 1, "a worker ends": 1, "a refund": 1, "a revoke": 1, "a lower limit": 1})
REFRESH = Scene(
    "a refresh, and three calls",
    asks=(Ask("ann", grant=0), Ask("ann", grant=0), Ask("custodian")), grants=((0, 1),), cap=1,
    refresh=True, events={"an interval passes": 1, "a read fails": 1, "a refund": 1, "a crash": 1})
COPIES = Scene(
    "a clone, or a backup restored elsewhere",
    asks=(Ask("ann", grant=0), Ask("bob", grant=1)), grants=((0, 1), (0, 1)), cap=1,
    events={"a backup": 1, "a restore elsewhere": 1, "a refund": 1, "a crash": 1,
            "a read fails": 1})
COPIES_REFRESHED = Scene(
    "a copy that is reconciled while a refresh is due",
    asks=(Ask("ann", grant=0), Ask("bob", grant=1)), grants=((0, 1), (0, 1)), cap=1, refresh=True,
    events={"a backup": 1, "a restore elsewhere": 1, "an interval passes": 1, "a crash": 1})
ASYNCHRONOUS = Scene(
    "an asynchronous standby is promoted, and what is out is stated",
    asks=(Ask("ann", grant=0), Ask("bob", grant=1)), grants=((0, 1), (0, 1)), cap=1,
    standby="asynchronous", events={"a refund": 1, "a crash": 1, "a read fails": 1})
SYNCHRONOUS = Scene(
    "a synchronous standby is promoted, and nothing is stated",
    asks=(Ask("ann", grant=0), Ask("bob", grant=1)), grants=((0, 1), (0, 1)), cap=1,
    standby="synchronous", stated="nothing",
    events={"a refund": 1, "a crash": 1, "a worker ends": 1, "a read fails": 1})
# A release of cost 2 fits the sum of costs alone, two of cost 1 the sum of rho too.
ACCOUNTS = Scene(
    "two accounts, either of which allows",
    asks=(Ask("ann", grant=0, cost=2, rho=3), Ask("bob", grant=1, rho=1),
          Ask("custodian", rho=1)),
    grants=((0, 2), (0, 2)), cap=2, rho_cap=2,
    events={"a crash": 1, "a read fails": 1, "a refund": 1})
ACCOUNTS_COPIED = Scene(
    "two accounts, and a copy where rho alone is stated",
    asks=(Ask("ann", grant=0, rho=2), Ask("custodian", cost=2, rho=3)), grants=((0, 2),), cap=2,
    rho_cap=2, stated="rho", events={"a backup": 1, "a restore elsewhere": 1, "a refund": 1})
SCENES = (ACCOUNTS, ACCOUNTS_COPIED, TWO_ROLES, ONE_ROLE, CHANGES, SHARED, REFRESH, COPIES,
          COPIES_REFRESHED, ASYNCHRONOUS, SYNCHRONOUS)

# Each is a way to write the same functions wrongly.
FAULTS = (
    ("the answer before the debit's commit", TWO_ROLES),
    ("the answer before the outcome's commit", TWO_ROLES),
    ("debit after the read", TWO_ROLES),
    ("asynchronous commit", TWO_ROLES),
    ("no row lock", TWO_ROLES),
    ("only the relation's own row is locked", SHARED),
    ("no unique index", TWO_ROLES),
    ("a refund of what is out", TWO_ROLES),
    ("a refund does not look again", REFRESH),
    ("a refresh looks before it locks", REFRESH),
    ("a reconcile leaves a refresh due", COPIES_REFRESHED),
    ("the grant is not looked at again", ONE_ROLE),
    ("the fence is ignored", COPIES),
    ("reconcile lowers what is known", COPIES),
    ("a refund behind the fence", SYNCHRONOUS),
    ("each account sees its own releases alone", ACCOUNTS),
    ("a sum that is not known is relied on", ACCOUNTS_COPIED),
)

# What the threat model says does not hold. If one of these were not found, the model would
# be too weak, or the page out of date.
EXCEPTIONS = (
    dataclasses.replace(COPIES, name="an old backup is put back in place",
                        events={"a backup": 1, "a restore in place": 1}),
    dataclasses.replace(COPIES, name="the original goes on after its copy was reconciled",
                        retires=False),
    dataclasses.replace(COPIES, name="a copy is reconciled, and nothing is stated",
                        stated="nothing"),
    dataclasses.replace(ASYNCHRONOUS, name="an asynchronous standby is promoted, and nothing is"
                        " stated", stated="nothing"),
    dataclasses.replace(SYNCHRONOUS, name="the wait for a synchronous standby is cancelled",
                        events={"a cancelled wait": 1}),
)

tap = Tap()


def say_way(result):
    for number, (words, where) in enumerate(result.trace, 1):
        print("# %4d. %s  [%s]" % (number, words, where[0].function))
    print("#       so: " + result.broken)


def size(result):
    return "%d states, %d steps, depth %d" % (result.states, result.steps, result.depth)


def check_places():
    """Each step names the functions that take it, and these are there as the model has them."""
    for name, where in places():
        lacks = [missing(one) for one in where if one.file is not None]
        tap.ok(where and not any(lacks),
               "%s: %s" % (name, ", ".join(one.function for one in where)), *filter(None, lacks))
    for where in (place("src/pg/worker/worker.c", "release_dedit"),
                  place("src/pg/worker/worker.c", "release_debit", "transaction_commit",
                        "dp_ledger_debit"),
                  place("src/pg/budget/refund.c", "line_write", "'released'"),
                  place("dpsyn--1.0.sql", "dp_ledger_entry_refund_idx", "'failed'")):
        tap.ok(missing(where), "noticed: %s" % missing(where))


class Searches:
    """Searches, one after another, and what they came to in all."""

    def __init__(self):
        self.states, self.begin, self.taken = 0, time.monotonic(), set()

    def run(self, scene, *faults):
        model = Model(scene, faults)
        result = search(model)
        self.states += result.states
        self.taken |= model.taken
        return result


def main():
    check_places()
    searches = Searches()
    for scene in SCENES:
        result = searches.run(scene)
        if not tap.ok(result.broken is None, "%s: %s" % (scene.name, size(result))):
            say_way(result)
    for fault, scene in FAULTS:
        result = searches.run(scene, fault)
        if tap.ok(result.broken is not None, "found: %s (%s)" % (fault, scene.name)):
            say_way(result)
    for scene in EXCEPTIONS:
        result = searches.run(scene)
        if tap.ok(result.broken is not None, "not guaranteed: %s" % scene.name):
            say_way(result)
    tap.equal(sorted({name for name, _ in places()} - searches.taken), [],
              "each step is taken somewhere")
    print("# %d states in %.1f s" % (searches.states, time.monotonic() - searches.begin))
    tap.done()


if __name__ == "__main__":
    main()
