"""CatHist: figure 2, the fidelity F of three columns of Adult whose values are said to be English words, or pairs of
them, by epsilon and rho. Each release is a dp_histogram of a role without rights."""
import lab as laboratory
from chart import Panel

WORDS = 171476  # of the Oxford English Dictionary's second edition, as the paper counts them
DOMAINS = {"words": WORDS, "word pairs": WORDS ** 2}
COLUMNS = {"sex": "words", "workclass": "word pairs", "marital_status": "word pairs"}  # as in the paper
EPSILONS = (0.01, 0.1, 1)
RHOS = (0.1, 0.5, 0.9, 0.99)


def adult(lab):
    """Only counts and the size of the domain matter, so a value is a number: {column: {number: count}}."""
    _, _, rows = laboratory.read_rows(lab.file("adult"), list(COLUMNS))
    numbers = [{} for _ in COLUMNS]
    out = [[number.setdefault(value, len(number)) for number, value in zip(numbers, row)] for row in rows]
    lab.ask("DROP TABLE IF EXISTS people")
    laboratory.load_open(lab.owner, "people", "bigint", out,
                         {c: '\'{"from": 0, "to": %d}\'' % (DOMAINS[d] - 1) for c, d in COLUMNS.items()})
    return {c: dict(lab.ask('SELECT "%s", count(*) FROM people GROUP BY 1' % c)) for c in COLUMNS}, len(rows)


def figure_2(lab, figures):
    if lab.file("adult") is None:
        print("  left out: there is no Adult")
        return
    counts, n = adult(lab)
    for column, domain in COLUMNS.items():
        for epsilon in lab.some(EPSILONS):
            for rho in lab.some(RHOS):
                found, values = [], []
                for _ in range(lab.times(8, 2)):
                    released = dict(lab.ask("SELECT (cell->>%s)::bigint, estimate FROM dp_histogram(NULL::people, %s, %s, no_false_positives => %s)",
                                            (column, [column], epsilon, rho), lab.analyst))
                    found.append(laboratory.fidelity(counts[column], released))
                    values.append(len(released))
                series = "%s, epsilon %g" % (column, epsilon)
                figures.add("2", series, rho, "F", found)
                figures.add("2", series, rho, "values told", values)
    by_measure = lambda measure: [
        Panel("%s (%s): %s" % (column, domain, measure), "rho, the probability of no invented value",
              {"epsilon %g" % e: figures.lines("2", measure)["%s, epsilon %g" % (column, e)]
               for e in EPSILONS if "%s, epsilon %g" % (column, e) in figures.lines("2", measure)},
              y_range=(0.5, 1) if measure == "F" else None)
        for column, domain in COLUMNS.items()]
    lab.chart("cathist_fidelity", "Figure 2: CatHist on three columns of Adult, %d rows" % n,
              by_measure("F") + by_measure("values told"))


if __name__ == "__main__":
    laboratory.run("cathist", (figure_2,))
