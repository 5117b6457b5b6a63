"""Looks for each planted fault by pairs at random, until it is found."""
import multiprocessing
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import faults  # noqa: E402
import pairs  # noqa: E402
from dptest import Tap  # noqa: E402

SEED = os.environ["SENSITIVITY_SEED"]
LANES = int(os.environ.get("SENSITIVITY_LANES", 0)) or (os.cpu_count() or 1) + 1
SCENARIOS_MOST = 400
ASLEEP = 12  # scenarios with every fault asleep, of those kinds


def look_for(lane, at):
    """(found, pairs, words): what a fault was found by."""
    fault = faults.FAULTS[at]
    lane.plant(faults.numbers()[at])
    looked = 0
    other = []
    for number in range(SCENARIOS_MOST):
        scenario = pairs.run_scenario(lane, "%s fault %d" % (SEED, at), number, fault.narrow)
        looked += scenario.counts["pairs"]
        for finding in scenario.findings:
            if finding.kind in fault.kinds:
                return True, looked, finding.words
            other.append("%s: %s" % (finding.kind, finding.words))
    return False, looked, "\n".join(other[:3]) or "nothing was found"


def sleep(lane):
    """What is found where no fault is awake."""
    lane.plant(0)
    found = []
    for number in range(ASLEEP):
        scenario = pairs.run_scenario(lane, SEED + " asleep", number, {"shape": ["table"]})
        found += scenario.findings
    return not found, number, "\n".join("%s: %s\n%s" % (finding.kind, finding.words, finding.script)
                                        for finding in found[:3])


def work_in_lane(number, tasks, results):
    lane = pairs.Lane(number, os.environ["SPY_LIBRARY"])
    while True:
        with tasks:
            at = tasks.value
            tasks.value += 1
        if at > len(wanted()):
            return
        results.put((at,) + (sleep(lane) if at == 0 else look_for(lane, wanted()[at - 1])))


def wanted():
    words = os.environ.get("SENSITIVITY_FAULTS", "")
    return [at for at, fault in enumerate(faults.FAULTS) if re.search(words, fault.name)]


def main():
    tap = Tap()
    began = time.monotonic()
    tasks, results = multiprocessing.Value("i", 0), multiprocessing.Queue()
    lanes = [multiprocessing.Process(target=work_in_lane, args=(number, tasks, results)) for number in range(LANES)]
    for lane in lanes:
        lane.start()
    found = {}
    while len(found) <= len(wanted()) and any(lane.is_alive() for lane in lanes) or not results.empty():
        try:
            at, *result = results.get(timeout=1)
        except Exception:  # queue.Empty: nothing yet
            continue
        found[at] = result
    for lane in lanes:
        lane.join()
    for at in range(len(wanted()) + 1):
        is_found, looked, words = found.get(at, (False, 0, "its lane broke off"))
        if at == 0:
            tap.ok(is_found, "nothing is found where every fault is asleep", words)
        else:
            tap.ok(is_found, "found after %d pairs: %s" % (looked, faults.FAULTS[wanted()[at - 1]].name), words)
    print("# %.0f s" % (time.monotonic() - began))
    tap.done()


if __name__ == "__main__":
    main()
