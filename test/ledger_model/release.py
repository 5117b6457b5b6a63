"""A release, from the call to the answer: the caller and its worker."""
from places import by_postgresql, implements, place
from state import BUDGET, Base, Debit, applied, replaced, with_row

WORKER = "src/pg/worker/worker.c"
SETTINGS = "src/pg/worker/settings.c"
LEDGER = "src/pg/budget/ledger.c"
DATASET = "src/pg/budget/dataset.c"
PAYER = "src/pg/budget/payer.c"
REQUEST = "src/pg/release/request.c"
FOREST = "src/pg/release/request_forest.c"
CALLER = "src/pg/release/release.c"
CATALOG = "dpsyn--1.0.sql"


class Release(Base):
    """Steps of call k."""

    @implements(place(CALLER, "dp_run_release", "check_spending", "forest_prepare",
                      "worker_start", "answer_get"),
                place(CALLER, "forest_prepare", "tree_prepare", "dp_forest_check_budgets"),
                place(FOREST, "dp_forest_check_budgets", "dp_forest_add_costs", "dp_check_budget"),
                place(FOREST, "dp_forest_add_costs", "add_cost(&prepared[i]->dataset.ledger.spent"),
                place(PAYER, "dp_check_budget", "dp_check_fence", "check_limit", "check_fits",
                      "check_fits"),
                place(PAYER, "fits", "dataset->ledger.epsilon_known", "cost.epsilon_nano",
                      "dataset->accountant == DP_ZCDP", "cost.rho_pico",
                      "epsilon_fits || rho_fits"))
    def ask(self, state, k, call):
        asks = self.scene.asks
        if k > 0 and asks[k] == asks[k - 1] and state.calls[k - 1].at == "idle":
            return  # callers that ask for the same are alike: the first begins
        for i, server in enumerate(state.servers):
            if server.up and self.fits(state, server.db, i, asks[k]):
                yield ("asks" if len(state.servers) == 1 else "asks server %d" % (i + 1),
                       self.with_call(state, k, at="asked", server=i))

    @implements(place(WORKER, "release_prepare", "dp_prepare_request", "dp_forest_check_budgets",
                      "transaction_commit"),
                place(WORKER, "release_debit", "dp_running_stage", "lock_relations",
                      "release_prepare"))
    def prepare(self, state, k, call):
        if self.fits(state, state.servers[call.server].db, call.server, self.scene.asks[k]):
            yield "the worker prepares", self.with_call(state, k, at="prepared")
        else:
            yield "the worker prepares, and refuses", self.ended(state, k)

    @implements(place(WORKER, "release_debit", "release_prepare",
                      "dp_channel_caller_is_gone(state->channel)", "return false",
                      "release_check"))
    def announce(self, state, k, call):
        if not call.caller:
            yield "the worker sees that its caller is gone, and ends", self.ended(state, k)
        elif "a refresh looks before it locks" in self.faults:
            due = self.refresh_due(state, state.servers[call.server].db[BUDGET])
            yield ("the worker looks whether a refresh is due", self.with_call(
                state, k, at="a refresh is due" if due else "no refresh is due"))
        else:
            yield "the worker announces the debit", self.with_call(state, k, at="debiting")

    @implements(place(DATASET, "dp_dataset_find", "dataset_read(relation, for_update",
                      "dataset->ledger.refresh_due", "refresh_apply", "dataset_read(relation, true"),
                place(DATASET, "dataset_read", "FOR UPDATE", "LOCK_SHARED", "check_locked"),
                place(REQUEST, "dp_prepared_lock", "dp_dataset_get(request->relation, true",
                      "dp_request_payer"),
                place(FOREST, "dp_forest_lock", "order_of_payment", "lock_own_rows",
                      "dp_prepared_lock"),
                place(WORKER, "release_check", "dp_forest_lock", "dp_forest_check_budgets"),
                place(DATASET, "refresh_apply", "FOR UPDATE OF a", "'refresh'",
                      "spent_epsilon_nano = 0", "spent_epsilon_nano = 0"))
    def lock(self, state, k, call):
        rows = self.dataset_rows(self.scene.asks[k].relation)
        if "only the relation's own row is locked" in self.faults:
            rows = rows[-1:]
        db = state.servers[call.server].db
        due = (self.refresh_due(state, db[BUDGET]) if call.at == "debiting"
               else call.at == "a refresh is due")
        if due:
            rows += tuple(range(self.grants, self.debits))
        if "no row lock" in self.faults:
            yield "the worker reads the budget's row", self.with_call(state, k, at="locked")
        elif self.free(state, call, call.server, rows):
            yield ("the worker locks the budget's row" + (" and refreshes it" if due else ""),
                   self.with_call(state, k, at="locked", held=rows,
                                  writes=self.refreshed(state, db, ()) if due else ()))

    @implements(place(PAYER, "payer_lock", "AND active FOR UPDATE", "payer_from_row"),
                place(PAYER, "dp_payer_get", "payer_choose", "payer_lock"),
                place(REQUEST, "dp_prepared_lock",
                      "dp_request_payer(request, prepared->plan.method, true"),
                place(WORKER, "release_check", "dp_forest_lock", "dp_forest_check_budgets"))
    def check(self, state, k, call):
        ask = self.scene.asks[k]
        careless = "the grant is not looked at again" in self.faults
        rows = () if ask.grant is None else (self.grants + ask.grant,)
        db = applied(state.servers[call.server].db, call.writes)
        held = call.held
        if "no row lock" not in self.faults and not careless:
            if not self.free(state, call, call.server, rows):
                return
            held += tuple(row for row in rows if row not in held)
        if self.fits(state, db, call.server, ask, True, not careless):
            yield ("the worker locks the grant's row and checks the budget" if rows
                   else "the worker checks the budget",
                   self.with_call(state, k, at="checked", held=held))
        else:
            yield "the worker checks the budget, and refuses", self.ended(state, k)

    @implements(place(LEDGER, "dp_ledger_debit", "dp_ledger_spend", "'debit'"),
                place(LEDGER, "dp_ledger_spend",
                      "UPDATE dp_catalog.dp_dataset SET spent_epsilon_nano = spent_epsilon_nano + $1",
                      "UPDATE dp_catalog.dp_allocation SET", "spent_epsilon_nano = spent_epsilon_nano + $1"))
    def debit(self, state, k, call):
        ask = self.scene.asks[k]
        rows = (BUDGET,) + (() if ask.grant is None else (self.grants + ask.grant,))
        if not self.free(state, call, call.server, rows):
            return
        db = applied(state.servers[call.server].db, call.writes)
        budget = db[BUDGET]
        writes = with_row(call.writes, BUDGET, budget._replace(
            spent=budget.spent + ask.cost, rho=budget.rho + ask.rho))
        for row in rows[1:]:
            writes = with_row(writes, row, db[row]._replace(spent=db[row].spent + ask.cost,
                                                            rho=db[row].rho + ask.rho))
        writes = with_row(writes, self.debits + k,
                          Debit(ask.cost, ask.grant, budget.refreshes, budget.settlements,
                                ask.rho))
        yield ("the worker writes the debit", self.with_call(
            state, k, at="debited", held=tuple(sorted(set(call.held + rows))), writes=writes))
        if "the answer before the debit's commit" in self.faults:
            yield ("the worker writes the debit, reads, and answers", self.with_world(
                self.with_call(state, k, at="debited", held=tuple(sorted(set(call.held + rows))),
                               writes=writes),
                out=state.world.out | 1 << k, read=state.world.read | 1 << k))

    @implements(place(WORKER, "release_debit", "dp_ledger_debit", "transaction_commit",
                      "state->debit = state->tree[0].debit"),
                place(SETTINGS, "pinned_settings", '{"synchronous_commit", "on"}'),
                place(SETTINGS, "dp_worker_settings_pin", "pinned_settings[i].name"))
    def commit_debit(self, state, k, call):
        if "asynchronous commit" in self.faults:
            yield ("the worker commits the debit, and does not wait for the disk", self.paid(
                self.committed(state, call.server, call.writes, False), k, call))
        elif self.scene.standby == "synchronous" and call.server == 0:
            yield ("the worker commits the debit: it is on disk, not yet on the standby",
                   self.with_call(state._replace(servers=replaced(
                       state.servers, 0, self.logged(state, 0, call.writes, True))),
                       k, at="debit flushed"))
        else:
            yield ("the worker commits the debit", self.paid(
                self.committed(state, call.server, call.writes, True), k, call))

    @by_postgresql("SyncRepWaitForLSN")
    def standby_has_debit(self, state, k, call):
        if state.world.standby == "streams" and state.servers[0].base[self.debits + k] is not None:
            yield ("the standby has the debit, which is now visible",
                   self.paid(self.visible(state, 0, call.writes), k, call))

    @by_postgresql("SyncRepWaitForLSN")
    def wait_is_cancelled(self, state, k, call):
        after = self.spend_event(state, "a cancelled wait")
        if after:
            yield ("a superuser cancels the wait for the standby",
                   self.paid(self.visible(after, 0, call.writes), k, call))

    def paid(self, state, k, call):
        """The debit is visible. Under the locks that are now given back it must have fitted."""
        ask = self.scene.asks[k]
        db = state.servers[call.server].db
        budget = db[BUDGET]
        limit = db[self.shares + ask.relation - 1].limit if ask.relation else budget.limit
        grant = None if ask.grant is None else db[self.grants + ask.grant]
        wrong = ("the budget's cap is passed" if self.cap_passed(budget, budget.known) else
                 "the limit of one release is passed" if ask.cost > limit else
                 "the cap of a grant is passed"
                 if grant and self.cap_passed(grant, budget.known) else
                 "a revoked grant has paid" if grant and not grant.active else
                 "a copy spends before it is reconciled" if budget.fence != call.server else None)
        interval = dict(call.writes)[self.debits + k].refreshes
        return self.with_world(self.with_call(state, k, at="paid", held=(), writes=()),
                               wrong=wrong or state.world.wrong,
                               interval=replaced(state.world.interval, k, interval))

    @implements(place(WORKER, "release_measure", "tree_measure"),
                place(WORKER, "tree_measure", "dp_meter_init", "source_measure"),
                place(WORKER, "source_measure", "dp_scan_create", "dp_measure"),
                place(WORKER, "release_read_and_keep", "transaction_begin(true)",
                      "release_measure"),
                place(WORKER, "release_run", "release_debit", "release_read_and_keep"))
    def read(self, state, k, call):
        after = self.with_world(self.with_call(state, k, at="measured"),
                                read=state.world.read | 1 << k)
        yield "the worker reads rows and draws noise", after
        if "the answer before the outcome's commit" in self.faults:
            yield ("the worker reads rows, draws noise, and answers",
                   self.with_world(after, out=state.world.out | 1 << k))

    @implements(place(WORKER, "release_run", "PG_CATCH", "AbortCurrentTransaction",
                      "record_failure", "report_failure"))
    def read_fails(self, state, k, call):
        after = self.spend_event(state, "a read fails")
        if after:
            yield ("an error while the worker reads rows", self.with_world(
                self.with_call(after, k, at="failing"), read=state.world.read | 1 << k))

    @implements(place(LEDGER, "dp_ledger_outcome", "INSERT INTO dp_catalog.dp_ledger_entry"),
                place(LEDGER, "dp_release_keep", "INSERT INTO dp_catalog.dp_release_store"),
                place(WORKER, "release_read_and_keep", "release_measure", "tree_keep",
                      "transaction_commit"),
                place(WORKER, "tree_keep", "dp_release_keep", "part_keep", "dp_ledger_outcome",
                      '"released"'),
                place(CATALOG, "dp_ledger_entry_refund_idx", "(debit)",
                      "WHERE kind IN ('released', 'refund')"))
    def keep(self, state, k, call):
        keys = (self.outcomes + k, self.refunds + k)
        writes = ((self.outcomes + k, "released"), (self.refunds + k, "released"),
                  (self.stored + k, True))
        if self.index_is_there():
            if not self.free(state, call, call.server, keys):
                return  # waits for the transaction that wrote the key
            if state.servers[call.server].db[self.refunds + k] is not None:
                yield ("the worker cannot store the release: its debit was refunded",
                       self.with_call(state, k, at="failing"))
                return
        else:
            keys, writes = keys[:1], (writes[0], writes[2])
        yield ("the worker stores the release, with its outcome",
               self.with_call(state, k, at="kept", held=keys, writes=writes))

    @implements(place(WORKER, "release_read_and_keep", "tree_keep", "transaction_commit"))
    def commit_release(self, state, k, call):
        if self.scene.standby == "synchronous" and call.server == 0:
            yield ("the worker commits the release: it is on disk, not yet on the standby",
                   self.with_call(state._replace(servers=replaced(
                       state.servers, 0, self.logged(state, 0, call.writes, True))),
                       k, at="release flushed"))
        else:
            yield ("the worker commits the release", self.with_call(
                self.committed(state, call.server, call.writes,
                               "asynchronous commit" not in self.faults),
                k, at="stored", held=(), writes=()))

    @by_postgresql("SyncRepWaitForLSN")
    def standby_has_release(self, state, k, call):
        if state.world.standby == "streams" and state.servers[0].base[self.stored + k]:
            yield ("the standby has the release, which is now visible",
                   self.with_call(self.visible(state, 0, call.writes), k, at="stored", held=(),
                                  writes=()))

    @implements(place(WORKER, "release_run", "release_read_and_keep", "dp_channel_send_released"),
                place(CALLER, "answer_get", "answer_wait"),
                place(CALLER, "answer_wait", "dp_channel_answer"),
                place(CALLER, "answer_read", "return answer->release"),
                place("src/pg/sample/store.c", "stored_read", "release_row"))
    def answer(self, state, k, call):
        after = self.ended(state, k)
        yield ("the worker answers", self.with_world(after, out=state.world.out | 1 << k)
               if call.caller else after)

    @implements(place(WORKER, "release_run", "dp_channel_send_released", "PG_CATCH",
                      "record_failure"))
    def answer_fails(self, state, k, call):
        after = self.spend_event(state, "a read fails")
        if after:
            yield "an error while the worker answers", self.with_call(after, k, at="failing")

    @implements(place(WORKER, "record_failure", "dp_ledger_outcome", '"failed"',
                      "transaction_commit", "PG_CATCH"),
                place(CATALOG, "dp_ledger_entry_outcome_idx", "(debit)",
                      "WHERE kind IN ('released', 'failed')"))
    def record_failure(self, state, k, call):
        if state.servers[call.server].db[self.outcomes + k] is None:
            state = self.committed(state, call.server, ((self.outcomes + k, "failed"),),
                                   "asynchronous commit" not in self.faults)
        yield "the worker writes what came of it, unless that is written", self.ended(state, k)

    @implements(place(WORKER, "dp_release_worker_main", "pqsignal(SIGTERM, die)"),
                place(WORKER, "finalize_at_exit", "AbortOutOfAnyTransaction", "record_failure"),
                place(CALLER, "worker_register", "BGW_NEVER_RESTART"))
    def worker_ends(self, state, k, call):
        """What waits for a standby is committed, whatever becomes of who waits."""
        after = self.spend_event(state, "a worker ends")
        if after is None:
            return
        if call.at == "debit flushed":
            after = self.paid(self.visible(after, call.server, call.writes), k, call)
        elif call.at == "release flushed":
            after = self.visible(after, call.server, call.writes)
        yield "the worker is ended", self.ended(after, k)
        if after.calls[k].at in ("paid", "measured", "kept"):
            yield ("the worker is ended, and still says so in the ledger",
                   self.with_call(after, k, at="failing", held=(), writes=()))

    @implements(place(CALLER, "answer_wait", "CHECK_FOR_INTERRUPTS"),
                place("src/pg/release/channel.c", "caller_leaves", "caller_is_gone"))
    def caller_leaves(self, state, k, call):
        if call.caller:
            after = self.spend_event(state, "a caller leaves")
            if after:
                yield "the caller gives up", self.with_call(after, k, caller=False)
