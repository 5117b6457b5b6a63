"""The ledger as a model: what a release, its custodian and the machines around it may do,
step by step, in every order; and what must hold whatever they do.

A step is what happens between two moments at which somebody else can come between: a
statement, a wait for a lock, a commit, a message. docs/ledger-model.md says what is left out.
"""
from custodian import Custodian
from machines import Machines
from release import Release
from state import BUDGET, Ask, Scene


class Model(Release, Custodian, Machines):
    def __init__(self, scene, faults=()):
        super().__init__(scene, faults)
        self.taken = set()  # names of the steps that were taken
        self.worker_steps = {
            "idle": (self.ask,), "asked": (self.prepare,), "prepared": (self.announce,),
            "debiting": (self.lock,), "a refresh is due": (self.lock,),
            "no refresh is due": (self.lock,), "locked": (self.check,), "checked": (self.debit,),
            "debited": (self.commit_debit,),
            "debit flushed": (self.standby_has_debit, self.wait_is_cancelled),
            "paid": (self.read, self.read_fails), "measured": (self.keep,),
            "kept": (self.commit_release,), "release flushed": (self.standby_has_release,),
            "stored": (self.answer, self.answer_fails), "failing": (self.record_failure,),
            "ended": (),
        }
        if "debit after the read" in self.faults:
            self.worker_steps.update({"prepared": (self.read,), "measured": (self.announce,),
                                      "paid": (self.keep,)})
        self.session_steps = {
            "idle": (self.refund_begins, self.revoke, self.grant_again, self.lower_limit,
                     self.lower_budget, self.reconcile),
            "refund found": (self.refund_locks,), "refund locked": (self.refund_looks_again,),
            "refund checked": (self.refund_writes,), "refund written": (self.refund_ends,),
        }
        self.world_steps = (self.cluster_crashes, self.log_is_flushed, self.standby_replays,
                            self.interval_passes, self.backup, self.restore_elsewhere,
                            self.restore_in_place, self.promote, self.switch_off)

    def steps(self, state):
        """(what happens and where, the state after it) of all that can happen next."""
        for k, call in enumerate(state.calls):
            for step in self.worker_steps[call.at]:
                for words, after in step(state, k, call):
                    yield self.told(step, self.name(k) + words), self.seen(after)
            if call.at not in ("idle", "ended"):
                for step in self.worker_ends, self.caller_leaves:
                    for words, after in step(state, k, call):
                        yield self.told(step, self.name(k) + words), self.seen(after)
        for c, session in enumerate(state.sessions):
            if c > 0 and session.at == "idle" and state.sessions[c - 1].at == "idle":
                continue  # sessions are alike: the first begins
            for step in self.session_steps[session.at]:
                for words, after in step(state, c, session):
                    yield self.told(step, "custodian: " + words), self.seen(after)
        for step in self.world_steps:
            for words, after in step(state):
                yield self.told(step, words), self.seen(after)

    def name(self, k):
        return "release %d (%s): " % (k + 1, self.scene.asks[k].who)

    def told(self, step, words):
        self.taken.add(step.__name__)
        return words, step.places

    def seen(self, state):
        """Who sees a stored release has seen its noise: on any server, and on a standby."""
        out = state.world.out
        for server in state.servers:
            for k in range(len(state.calls)):
                if server.db[self.stored + k] or (state.world.standby == "streams"
                                                  and server.base[self.stored + k]):
                    out |= 1 << k
        return state if out == state.world.out else state._replace(
            world=state.world._replace(out=out))

    # ---- what must hold ----

    def broken(self, state):
        """The invariant that does not hold in a state; None if all do."""
        world = state.world
        if world.wrong:
            return world.wrong
        for k, call in enumerate(state.calls):
            if (world.out | world.read) >> k & 1:
                if self.on_disk(state.servers[call.server])[self.debits + k] is None:
                    return ("release %d is out, and its debit is not on disk" if world.out >> k & 1
                            else "release %d has read rows, and its debit is not on disk") % (k + 1)
        for i, server in enumerate(state.servers):
            what = server.up and self.server_broken(state, i, server.db)
            if what:
                return what
        return None

    def server_broken(self, state, i, db):
        budget, world = db[BUDGET], state.world
        lines, rhos, by_grant = 0, 0, [(0, 0)] * (self.debits - self.grants)
        for k in range(len(state.calls)):
            debit = db[self.debits + k]
            if debit is None or db[self.refunds + k] == "refund":
                continue
            if debit.refreshes == budget.refreshes:
                lines += debit.cost
                rhos += debit.rho
                if debit.grant is not None:
                    spent, rho = by_grant[debit.grant]
                    by_grant[debit.grant] = (spent + debit.cost, rho + debit.rho)
        reconciled = budget.settlements > budget.refreshes
        if lines > budget.spent or (lines < budget.spent and not reconciled):
            return "the total of the budget is %d, its lines add up to %d" % (budget.spent, lines)
        if rhos > budget.rho or (rhos < budget.rho and not reconciled):
            return "the rho of the budget is %d, its lines add up to %d" % (budget.rho, rhos)
        for g, amount in enumerate(by_grant):
            if (db[self.grants + g].spent, db[self.grants + g].rho) != amount:
                return "the total of a grant is not what its lines add up to"
        if budget.fence != i:
            return None  # it spends nothing: paid() sees to it
        out = out_rho = 0
        for k, ask in enumerate(self.scene.asks):
            if world.out >> k & 1:
                if db[self.refunds + k] == "refund":
                    return "release %d is out, and its debit was refunded" % (k + 1)
                if world.interval[k] == budget.refreshes:
                    out += ask.cost
                    out_rho += ask.rho
        if budget.known and budget.spent < out:
            return "spent is %d, out is %d" % (budget.spent, out)
        if budget.rho < out_rho:
            return "spent is rho %d, out is rho %d" % (budget.rho, out_rho)
        sums = budget._replace(spent=out, rho=out_rho)
        if "a lower budget" not in self.events and self.cap_passed(sums, True):
            return "what is out passes the caps of both accounts"
        return None


def places():
    """(name, places) of all steps."""
    model = Model(Scene("", (Ask(""),), 1))
    steps = {step for table in (model.worker_steps, model.session_steps)
             for steps in table.values() for step in steps}
    steps |= {*model.world_steps, model.worker_ends, model.caller_leaves}
    return sorted((step.__name__, getattr(step, "places", ())) for step in steps)
