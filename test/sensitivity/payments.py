"""Whether a question was paid for: which lines the ledger has of it, whose budgets they came from, and
that what the mechanisms of each tree were charged is covered by that tree's line."""
from collections import namedtuple

from calls import Wrong
from dptest import run

PARTS = ("epsilon", "delta", "rho")

# One line of the ledger: what was released, the relation whose budget paid, amounts by their parts.
Debit = namedtuple("Debit", "relation budget amounts")
# lines; spent: (relation whose budget it is, accountant) -> amounts by which its total grew
Payment = namedtuple("Payment", "lines spent")


def totals(connection):
    return {(name.split(".")[-1], accountant): amounts for name, accountant, *amounts in run(connection, """
        SELECT relation_name, accountant, spent_epsilon_nano, spent_delta_atto, spent_rho_pico
          FROM dp_catalog.dp_dataset d JOIN pg_class c ON c.oid = d.relation::oid AND d.dropped_at IS NULL""")}


def read(connection, before, last):
    """What was paid since the ledger's line `last`, before which there were these totals."""
    lines = [Debit(name.split(".")[-1], payer.split(".")[-1], amounts) for name, payer, *amounts in run(connection, """
        SELECT l.relation_name, b.relation_name, l.epsilon_nano, l.delta_atto, l.rho_pico
          FROM dp_catalog.dp_ledger_entry l JOIN dp_catalog.dp_dataset_state s ON s.id = l.dataset
          JOIN dp_catalog.dp_dataset b ON b.id = s.budget
         WHERE l.kind = 'debit' AND l.id > %s ORDER BY l.id""", last)]
    now = totals(connection)
    return Payment(lines, {key: [amount - earlier for amount, earlier in zip(now[key], before[key])]
                           for key in now if now[key] != before[key]})


def by_meter(calls):
    """What was charged, a sum for each meter: each tree has one."""
    sums = []
    for call in calls:
        if call.kind != "paid":
            continue
        if call.public["first"] or not sums:
            sums.append([0] * len(PARTS))
        sums[-1] = [amount + call.public[part] for amount, part in zip(sums[-1], PARTS)]
    return sums


def check(expected, payment, calls):
    """expected: (relation, the one whose budget pays) of each tree. Raises Wrong."""
    charged = by_meter(calls)
    if not payment.lines and not charged:
        return  # it was refused
    if sorted((line.relation, line.budget) for line in payment.lines) != sorted(expected):
        raise Wrong("unpaid", "the ledger has %r, and not %r" % (payment.lines, expected))
    # a release that failed has not come to all of them
    if len(charged) > len(payment.lines):
        raise Wrong("unpaid", "%d meters were charged, for %d lines" % (len(charged), len(payment.lines)))
    for line, amounts in zip(payment.lines, charged):
        if any(amount > paid for amount, paid in zip(amounts, line.amounts)):
            raise Wrong("unpaid", "%s was charged %r, and mechanisms spent %r" % (line.relation, line.amounts, amounts))
    check_totals(payment)


def check_totals(payment):
    """What the account of a budget counts: epsilon and delta, or rho."""
    wanted = {}
    for line in payment.lines:
        sums = wanted.setdefault(line.budget, [0] * len(PARTS))
        wanted[line.budget] = [amount + more for amount, more in zip(sums, line.amounts)]
    if {name for name, _ in payment.spent} != set(wanted):
        raise Wrong("unpaid", "the budgets of %r were charged, and not of %r" % (sorted(payment.spent), sorted(wanted)))
    for (name, accountant), spent in payment.spent.items():
        counted = slice(2, 3) if accountant == "zcdp" else slice(0, 2)
        if spent[counted] != wanted[name][counted]:
            raise Wrong("unpaid", "the total of %s grew by %r for lines of %r" % (name, spent, wanted[name]))
