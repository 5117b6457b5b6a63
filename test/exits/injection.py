"""The library that counts a process's requests for memory, and cuts it short: inject.c."""
import collections
import mmap
import os
import struct

COUNT, STARVE, CANCEL = range(3)
CONTROL = "@6l"  # process, act, seen, at, times, bytes
SPARED = struct.calcsize(CONTROL)  # after these, and the library's own
Asked = collections.namedtuple("Asked", "requests bytes")


class Injection:
    def __init__(self):
        with open(os.environ["EXITS_CONTROL"], "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 4096)

    def arm(self, process, act, at=0, times=0):
        struct.pack_into(CONTROL, self.memory, 0, 0, act, 0, at, times, 0)
        struct.pack_into("@l", self.memory, 0, process)

    def spared(self):
        """How many requests were not refused for where they came from, since the server began."""
        return struct.unpack_from("@l", self.memory, SPARED)[0]

    def disarm(self):
        """What was asked for since."""
        struct.pack_into("@l", self.memory, 0, 0)
        _, _, requests, _, _, size = struct.unpack_from(CONTROL, self.memory, 0)
        return Asked(requests, size)


injection = Injection()
