"""What the custodian may do while releases are under way."""
from places import by_postgresql, implements, place
from state import BUDGET, IDLE, Base, Budget, Grant, Session, applied, with_row

REFUND = "src/pg/budget/refund.c"
POLICY = "src/pg/budget/policy.c"
CATALOG = "dpsyn--1.0.sql"


class Custodian(Base):
    """Steps of session c."""

    def refundable(self, db, k):
        debit = db[self.debits + k]
        released = db[self.outcomes + k] == "released"
        return (debit is not None and db[self.refunds + k] != "refund"
                and (not released or "a refund of what is out" in self.faults)
                and debit.settlements == db[BUDGET].settlements)

    @implements(place(REFUND, "dp_refund", "check_refundable(id, debit_find", "budget_lock",
                      "check_refundable(id, debit_find", "line_write", "dp_ledger_spend"),
                place(REFUND, "debit_find", "'released'", "'refund'", "'refresh', 'reconcile'"))
    def refund_begins(self, state, c, session):
        after = self.spend_event(state, "a refund")
        if after is None:
            return
        for i, server in enumerate(state.servers):
            for k in range(len(state.calls)):
                if server.up and self.refundable(server.db, k):
                    yield ("finds release %d to be refundable%s"
                           % (k + 1, " on server %d" % (i + 1) if len(state.servers) > 1 else ""),
                           self.with_session(after, c, Session("refund found", k, i, (), ())))

    @implements(place(REFUND, "budget_lock", "dp_dataset_find(debit->spender, true",
                      "dp_check_fence"),
                place(REFUND, "dp_refund", "check_refundable", "budget_lock", "check_refundable"))
    def refund_locks(self, state, c, session):
        rows = self.dataset_rows(self.scene.asks[session.debit].relation)
        db = state.servers[session.server].db
        due = self.refresh_due(state, db[BUDGET])
        if due:
            rows += tuple(range(self.grants, self.debits))
        if not self.free(state, session, session.server, rows):
            return
        if (db[BUDGET].fence != session.server and not self.faults
                & {"the fence is ignored", "a refund behind the fence"}):
            yield "the refund is refused: this is a copy", self.with_session(state, c, IDLE)
            return
        yield ("locks the budget's row", self.with_session(state, c, session._replace(
            at="refund locked", held=rows, writes=self.refreshed(state, db, ()) if due else ())))

    @implements(place(REFUND, "dp_refund", "budget_lock", "check_refundable(id, debit_find",
                      "line_write"))
    def refund_looks_again(self, state, c, session):
        db = applied(state.servers[session.server].db, session.writes)
        if (self.refundable(db, session.debit)
                or "a refund does not look again" in self.faults):
            yield ("looks again", self.with_session(state, c,
                                                    session._replace(at="refund checked")))
        else:
            yield "looks again, and the refund is refused", self.with_session(state, c, IDLE)

    @implements(place(REFUND, "line_write", "'refund'"),
                place(REFUND, "dp_refund", "line_write", "dp_ledger_spend", "-1"),
                place(CATALOG, "dp_ledger_entry_refund_idx", "(debit)",
                      "WHERE kind IN ('released', 'refund')"))
    def refund_writes(self, state, c, session):
        k, db = session.debit, applied(state.servers[session.server].db, session.writes)
        debit, key = db[self.debits + k], self.refunds + k
        rows = (key,) + (() if debit.grant is None else (self.grants + debit.grant,))
        if not self.free(state, session, session.server, rows):
            return
        if db[key] is not None and self.index_is_there():
            yield "the refund fails: the release has its outcome", self.with_session(state, c, IDLE)
            return
        budget = db[BUDGET]
        writes = with_row(session.writes, key, "refund")
        writes = with_row(writes, BUDGET, budget._replace(spent=budget.spent - debit.cost,
                                                          rho=budget.rho - debit.rho))
        for row in rows[1:]:
            writes = with_row(writes, row, db[row]._replace(spent=db[row].spent - debit.cost,
                                                            rho=db[row].rho - debit.rho))
        if any(row.spent < 0 for _, row in writes if isinstance(row, (Budget, Grant))):
            yield "the refund fails: less than 0 would be spent", self.with_session(state, c, IDLE)
            return
        yield ("writes the refund of release %d" % (k + 1), self.with_session(
            state, c, session._replace(at="refund written", writes=writes,
                                       held=tuple(sorted(set(session.held + rows))))))

    @by_postgresql("CommitTransactionCommand")
    def refund_ends(self, state, c, session):
        """The custodian's own transaction: it may roll back, or not wait for the disk."""
        yield ("commits the refund", self.with_session(
            self.committed(state, session.server, session.writes, False), c, IDLE))
        yield "rolls back", self.with_session(state, c, IDLE)

    def change(self, state, event, row, value, words):
        """A transaction that is one row: it waits for the row's lock and commits."""
        after = self.spend_event(state, event)
        if after:
            for i, server in enumerate(state.servers):
                if server.up and self.free(state, None, i, (row,)) and value(server.db) is not None:
                    yield words, self.committed(after, i, ((row, value(server.db)),), False)

    @implements(place("src/pg/budget/grant.c", "dp_revoke", "SET active = false"))
    def revoke(self, state, c, session):
        for row in range(self.grants, self.debits):
            yield from self.change(
                state, "a revoke", row,
                lambda db, row=row: db[row]._replace(active=False) if db[row].active else None,
                "revokes a grant")

    @implements(place("src/pg/budget/grant.c", "dp_grant", "ON CONFLICT (dataset, role) DO UPDATE",
                      "active = true"))
    def grant_again(self, state, c, session):
        for row in range(self.grants, self.debits):
            yield from self.change(
                state, "a grant", row,
                lambda db, row=row: None if db[row].active else db[row]._replace(active=True),
                "grants again")

    @implements(place(POLICY, "set_max_epsilon", "own_dataset", "SET max_epsilon_nano"),
                place(POLICY, "own_dataset", "dp_dataset_get(relation, true"))
    def lower_limit(self, state, c, session):
        row = self.shares if self.scene.relations > 1 else BUDGET
        yield from self.change(state, "a lower limit", row,
                               lambda db: db[row]._replace(limit=0) if db[row].limit else None,
                               "lowers the limit of one release")

    @implements(place(POLICY, "set_budget", "own_budget", "SET epsilon_nano"),
                place(POLICY, "own_budget", "dp_dataset_find(relation, true"))
    def lower_budget(self, state, c, session):
        yield from self.change(state, "a lower budget", BUDGET, lambda db: db[BUDGET]._replace(
            cap=db[BUDGET].cap - 1), "lowers the budget")

    def out_in_interval(self, state):
        """What the custodian knows of: with a refresh, what is out since the last interval began."""
        return [ask for k, ask in enumerate(self.scene.asks) if state.world.out >> k & 1
                and (not self.scene.refresh or state.world.interval[k] == state.world.now)]

    @implements(place(POLICY, "dp_reconcile", "own_budget", "dp_fence_here",
                      "spent_epsilon_nano = greatest(spent_epsilon_nano, $2)",
                      "system_identifier = $5", "timeline = $6", "database = $7", '"reconcile"'),
                place(POLICY, "dp_reconcile", "as_rho", "sum_argument"),
                place("src/pg/budget/dataset.c", "epsilon_is_known",
                      "e.kind = 'reconcile'", "dataset->ledger.refresh_due"))
    def reconcile(self, state, c, session):
        for i, server in enumerate(state.servers):
            budget = server.db[BUDGET]
            due = self.refresh_due(state, budget) and "a reconcile leaves a refresh due" not in self.faults
            rows = (BUDGET, *range(self.grants, self.debits)) if due else (BUDGET,)
            if not server.up or budget.fence == i or not self.free(state, None, i, rows):
                continue
            if self.scene.retires and any(other.up for other in
                                          state.servers[:i] + state.servers[i + 1:]):
                continue
            stated = rho = 0
            if self.scene.stated != "nothing":
                rho = sum(ask.rho for ask in self.out_in_interval(state))
            if self.scene.stated == "what is out":
                stated = sum(ask.cost for ask in self.out_in_interval(state))
            refreshed = self.refreshed(state, server.db, ()) if due else ()
            budget = dict(refreshed).get(BUDGET, budget)
            writes = with_row(refreshed, BUDGET, budget._replace(
                spent=(stated if "reconcile lowers what is known" in self.faults
                       else max(budget.spent, stated)),
                rho=max(budget.rho, rho),
                # a line of the ledger that states more rho, and no more epsilon with it
                known=budget.known and (rho <= budget.rho or stated > budget.spent), fence=i,
                settlements=budget.settlements + 1))
            yield ("reconciles server %d, and states %d" % (i + 1, stated),
                   self.committed(state, i, writes, False))
