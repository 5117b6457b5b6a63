"""Breadth-first search through all states of a model, and the shortest way to a state
that breaks an invariant.
"""
import gc
from collections import namedtuple

Result = namedtuple("Result", "states steps depth broken trace")


def search(model, states_max=2000000):
    """Visits every state that can be reached, or stops at the first that is broken."""
    gc.disable()  # states hold no cycles, and there are many
    first = model.initial()
    came_from = {first: None}
    frontier, steps, depth = [first], 0, 0
    while frontier:
        reached = []
        for state in frontier:
            for name, after in model.steps(state):
                steps += 1
                if after in came_from:
                    continue
                came_from[after] = (state, name)
                broken = model.broken(after)
                if broken:
                    return Result(len(came_from), steps, depth + 1, broken, way(came_from, after))
                reached.append(after)
        if len(came_from) > states_max:
            raise RuntimeError("more than %d states" % states_max)
        frontier = reached
        depth += bool(reached)
    return Result(len(came_from), steps, depth, None, [])


def way(came_from, state):
    """The steps to a state. The search is breadth-first, so no way is shorter."""
    names = []
    while came_from[state] is not None:
        state, name = came_from[state]
        names.append(name)
    return names[::-1]
