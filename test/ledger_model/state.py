"""A state of the model: what is on disk and in memory, and what an omniscient observer
knows; and what all steps share: locks, commits, events.
"""
from collections import namedtuple
from dataclasses import dataclass, field

# ---- rows of the catalog -----------------------------------------------------

# dp_dataset, of the relation that has the budget. refreshes and settlements count the
# lines of the ledger that say so; limit is max_epsilon_nano of that relation. Under accountant
# zcdp there is a second sum, rho, with a cap of its own (None: accountant basic); known is
# whether the first leaves nothing out.
Budget = namedtuple("Budget", "cap spent refreshes settlements fence limit rho_cap rho known")
# dp_dataset, of a relation that spends another's budget
Share = namedtuple("Share", "limit")
# dp_allocation
Grant = namedtuple("Grant", "active cap spent rho_cap rho")
# dp_ledger_entry, kind debit; grant is the row that paid too
Debit = namedtuple("Debit", "cost grant refreshes settlements rho")

BUDGET = 0  # its row in a database, which is a tuple of rows

# ---- a state -----------------------------------------------------------------

# db is what sessions see. The log holds commit records after base, of which the first
# flushed are on disk. base is where a standby stands; without one, the disk itself.
Server = namedtuple("Server", "db base log flushed up")
# A call and its worker. held are locked rows, writes what is not yet visible.
Call = namedtuple("Call", "at server caller held writes")
# A session of the custodian, in the middle of dp_refund.
Session = namedtuple("Session", "at debit server held writes")
# out: calls whose noisy result somebody could have seen. interval: of each debit, the
# number of refreshes before it. read: calls that have read rows.
World = namedtuple("World", "out read interval now backup standby left wrong")
State = namedtuple("State", "servers calls sessions world")

IDLE = Session("idle", None, None, (), ())


@dataclass(frozen=True)
class Ask:
    """What a caller asks for: of which relation, who pays (None: the custodian), how much."""
    who: str
    relation: int = 0
    grant: int = None
    cost: int = 1
    rho: int = 0


@dataclass(frozen=True)
class Scene:
    """The bounds of one search."""
    name: str
    asks: tuple
    cap: int
    rho_cap: int = None  # of the relation and of every grant; None: accountant basic
    grants: tuple = ()  # (relation, cap)
    relations: int = 1
    limit: int = 9
    refresh: bool = False
    sessions: int = 1
    standby: str = None  # None, "asynchronous" or "synchronous"
    stated: str = "what is out"  # at dp_reconcile; or "nothing"
    retires: bool = True  # the original is switched off before a copy is reconciled
    events: dict = field(default_factory=dict, hash=False)  # how often each may happen


def applied(db, writes):
    rows = list(db)
    for row, value in writes:
        rows[row] = value
    return tuple(rows)


def with_row(writes, row, value):
    return tuple(write for write in writes if write[0] != row) + ((row, value),)


def replaced(items, i, item):
    return items[:i] + (item,) + items[i + 1:]


class Base:
    """What all steps share."""

    def __init__(self, scene, faults):
        self.scene, self.faults = scene, frozenset(faults)
        calls = len(scene.asks)
        self.shares = 1  # rows of further relations
        self.grants = self.shares + scene.relations - 1
        self.debits = self.grants + len(scene.grants)
        self.outcomes = self.debits + calls  # unique index dp_ledger_entry_outcome_idx
        self.refunds = self.outcomes + calls  # unique index dp_ledger_entry_refund_idx
        self.stored = self.refunds + calls  # dp_release_store
        self.events = sorted(scene.events)

    def initial(self):
        scene, calls = self.scene, len(self.scene.asks)
        db = ((Budget(scene.cap, 0, 0, 0, 0, scene.limit, scene.rho_cap, 0, True),)
              + (Share(scene.limit),) * (scene.relations - 1)
              + tuple(Grant(True, cap, 0, scene.rho_cap, 0) for _, cap in scene.grants)
              + (None,) * calls * 4)
        world = World(0, 0, (None,) * calls, 0, None, "streams" if scene.standby else None,
                      tuple(scene.events[event] for event in self.events), None)
        return State((Server(db, db, (), 0, True),),
                     (Call("idle", None, True, (), ()),) * calls, (IDLE,) * scene.sessions, world)

    # ---- locks, commits, events ----

    def free(self, state, me, server, rows):
        """Whether no other transaction on this server holds one of these rows."""
        for other in state.calls + state.sessions:
            if other is not me and other.server == server:
                for row in rows:
                    if row in other.held:
                        return False
        return True

    def flushed(self, state, i, server):
        """The disk moves on; where no standby follows, nothing older is of interest."""
        if i == 0 and state.world.standby == "streams":
            return server
        base = server.base
        for record in server.log[:server.flushed]:
            base = applied(base, record)
        return server._replace(base=base, log=server.log[server.flushed:], flushed=0)

    def logged(self, state, i, writes, synchronous):
        server = state.servers[i]
        log = server.log + (writes,)
        return self.flushed(state, i, server._replace(
            log=log, flushed=len(log) if synchronous else server.flushed))

    def committed(self, state, i, writes, synchronous):
        """A commit record is written, flushed if it is synchronous, and visible."""
        server = self.logged(state, i, writes, synchronous)
        return state._replace(servers=replaced(state.servers, i,
                                               server._replace(db=applied(server.db, writes))))

    @staticmethod
    def visible(state, i, writes):
        server = state.servers[i]
        return state._replace(servers=replaced(state.servers, i,
                                               server._replace(db=applied(server.db, writes))))

    @staticmethod
    def on_disk(server):
        db = server.base
        for record in server.log[:server.flushed]:
            db = applied(db, record)
        return db

    def spend_event(self, state, event):
        """The state in which an event has happened once more; None if it may not."""
        if event not in self.events:
            return None
        i = self.events.index(event)
        left = state.world.left
        if left[i] == 0:
            return None
        return state._replace(world=state.world._replace(left=replaced(left, i, left[i] - 1)))

    @staticmethod
    def with_call(state, k, **changes):
        return state._replace(calls=replaced(state.calls, k, state.calls[k]._replace(**changes)))

    @staticmethod
    def with_session(state, c, session):
        return state._replace(sessions=replaced(state.sessions, c, session))

    @staticmethod
    def with_world(state, **changes):
        return state._replace(world=state.world._replace(**changes))

    def ended(self, state, k):
        """The worker is gone, and with it its transaction and its locks."""
        return self.with_call(state, k, at="ended", held=(), writes=())

    def index_is_there(self):
        """dp_ledger_entry_refund_idx, over lines that say released or refund."""
        return not self.faults & {"no unique index", "a refund of what is out"}

    # ---- whether a release fits ----

    def refresh_due(self, state, budget):
        return self.scene.refresh and state.world.now > budget.refreshes

    def fits(self, state, db, server, ask, locked=False, grant_active=True):
        """Under the lock a refresh that was due is written: what is due later is not looked at."""
        budget = db[BUDGET]
        due = not locked and self.refresh_due(state, budget)
        if budget.fence != server and "the fence is ignored" not in self.faults:
            return False
        limit = db[self.shares + ask.relation - 1].limit if ask.relation else budget.limit
        if ask.cost > limit:
            return False
        if ask.grant is not None:
            grant = db[self.grants + ask.grant]
            if grant_active and not grant.active:
                return False
            if not self.either_fits(grant, ask, due, budget.known):
                return False
        return self.either_fits(budget, ask, due, budget.known)

    def either_fits(self, row, ask, due, known):
        """Whether the sum of costs stays within its cap, or that of rho within its own."""
        spent, rho = (0, 0) if due else (row.spent, row.rho)
        known = known or due or "a sum that is not known is relied on" in self.faults
        if "each account sees its own releases alone" in self.faults and row.rho_cap is not None:
            return (rho + ask.rho <= row.rho_cap or spent - rho + ask.cost <= row.cap)
        return ((known and spent + ask.cost <= row.cap)
                or (row.rho_cap is not None and rho + ask.rho <= row.rho_cap))

    @staticmethod
    def cap_passed(row, known):
        """Whether no account of a row is within its cap."""
        return ((row.spent > row.cap or not known)
                and (row.rho_cap is None or row.rho > row.rho_cap))

    def dataset_rows(self, relation):
        """The rows that READ_OWN or LOCK_SHARED lock."""
        return (BUDGET, self.shares + relation - 1) if relation else (BUDGET,)

    def refreshed(self, state, db, writes):
        """refresh_apply: what was spent is 0 again, for the relation and for every role."""
        budget = db[BUDGET]
        writes = with_row(writes, BUDGET, budget._replace(
            spent=0, rho=0, known=True, refreshes=state.world.now,
            settlements=budget.settlements + 1))
        for row in range(self.grants, self.debits):
            writes = with_row(writes, row, db[row]._replace(spent=0, rho=0))
        return writes
