"""What happens to servers: crashes, disks, standbys, copies; and that time passes."""
from places import by_postgresql, implements, place
from state import IDLE, Base, Server, applied, replaced

DATASET = "src/pg/budget/dataset.c"


class Machines(Base):
    """Steps that nobody takes who asks or answers."""

    def crashed(self, state, i):
        """Server i stops: transactions are gone, and of the log what was not on disk."""
        server = state.servers[i]
        state = state._replace(servers=replaced(state.servers, i, server._replace(
            db=self.on_disk(server), log=server.log[:server.flushed])))
        return self.without_processes(state, i)

    def without_processes(self, state, i):
        return state._replace(
            calls=tuple(call._replace(at="ended", held=(), writes=())
                        if call.server == i and call.at != "idle" else call
                        for call in state.calls),
            sessions=tuple(IDLE if session.server == i else session for session in state.sessions))

    @by_postgresql("StartupXLOG")
    def cluster_crashes(self, state):
        after = self.spend_event(state, "a crash")
        if after:
            for i, server in enumerate(state.servers):
                if server.up:
                    yield "server %d crashes and comes back" % (i + 1), self.crashed(after, i)

    @by_postgresql("XLogBackgroundFlush")
    def log_is_flushed(self, state):
        for i, server in enumerate(state.servers):
            if server.flushed < len(server.log):
                after = self.flushed(state, i, server._replace(flushed=server.flushed + 1))
                yield ("a commit record reaches the disk",
                       state._replace(servers=replaced(state.servers, i, after)))

    @by_postgresql("PerformWalRecovery")
    def standby_replays(self, state):
        server = state.servers[0]
        if state.world.standby == "streams" and server.flushed > 0:
            yield ("the standby replays a commit record", state._replace(servers=replaced(
                state.servers, 0, server._replace(base=applied(server.base, server.log[0]),
                                                  log=server.log[1:], flushed=server.flushed - 1))))

    @implements(place(DATASET, "dataset_from_row", "dataset->ledger.refresh_due"))
    def interval_passes(self, state):
        after = self.spend_event(state, "an interval passes")
        if after:
            yield "an interval passes", self.with_world(after, now=state.world.now + 1)

    @by_postgresql("pg_basebackup, pg_dump, CREATE DATABASE")
    def backup(self, state):
        """Files (what is on disk) or a dump (what is visible)."""
        after = self.spend_event(state, "a backup")
        if after and state.servers[0].up:
            for db in {self.on_disk(state.servers[0]), state.servers[0].db}:
                yield "server 1 is backed up", self.with_world(after, backup=db)

    def copy(self, db):
        return Server(db, db, (), 0, True)

    @implements(place(DATASET, "dp_fence_here", "GetSystemIdentifier", "timeline_here",
                      "database_made_at"),
                place(DATASET, "dataset_from_row", "dp_fence_here", "fence_holds"))
    def restore_elsewhere(self, state):
        if state.world.backup is not None and len(state.servers) == 1:
            after = self.spend_event(state, "a restore elsewhere")
            if after:
                yield ("the backup is restored as server 2", after._replace(
                    servers=state.servers + (self.copy(state.world.backup),)))

    @by_postgresql("a copy of all files")
    def restore_in_place(self, state):
        if state.world.backup is not None:
            after = self.spend_event(state, "a restore in place")
            if after:
                after = self.without_processes(after, 0)
                yield ("the backup is put back in place as server 1", after._replace(
                    servers=replaced(after.servers, 0, self.copy(state.world.backup))))

    @implements(place(DATASET, "timeline_here", "GetWALInsertionTimeLine"))
    def promote(self, state):
        if state.world.standby == "streams":
            yield ("the standby is promoted: server 2", self.with_world(
                state._replace(servers=state.servers + (self.copy(state.servers[0].base),)),
                standby="promoted"))

    @by_postgresql("pg_ctl stop")
    def switch_off(self, state):
        if len(state.servers) == 2 and state.servers[0].up and self.scene.retires:
            after = self.crashed(state, 0)
            yield ("server 1 is switched off for good", after._replace(servers=replaced(
                after.servers, 0, after.servers[0]._replace(up=False))))
