"""What bench/papers/run wrote to OUT: figures that the designs must have whatever the noise, and plots that are XML."""
import csv
import glob
import os
import xml.etree.ElementTree as xml

from dptest import Tap

OUT = os.environ["OUT"]


def figures(paper):
    path = os.path.join(OUT, paper + ".csv")
    if not os.path.exists(path):
        return {}
    with open(path, newline="", encoding="utf-8") as file:
        return {(row["figure"], row["series"], row["x"], row["measure"]): float(row["value"]) for row in csv.DictReader(file)}


def main():
    tap = Tap()
    sbhg, steps, cipher = figures("sbhg"), figures("steps"), figures("cipher")
    error = lambda series: sbhg.get(("4.1", series, "10", "L1"), 0.0)
    tap.ok(700 < error("stability histogram, measured") < 790 and
           abs(error("stability histogram, measured") - error("Proposition 1 corrected, discrete noise")) < 40,
           "SBHG: the stability histogram has the error that the corrected proposition 1 says")
    tap.ok(abs(sbhg.get(("table 4.1", "empirical sampling", "", "U"), 0) - 999) < 450,
           "SBHG: U of rows drawn from 1,000 records is about 999")
    tap.ok(sbhg.get(("table 4.2", "SBHG, each table (0.1, 0.1)", "1", "rows outside"), 0) > 0.9,
           "SBHG: none of 10^10 records is met by chance")
    tap.ok(steps.get(("model 1, n = 4000", "original", "", "coverage"), 0) > 0.5,
           "STEPS: intervals of the original rows hold the coefficients")
    tap.ok(steps.get(("model 2, n = 4000", "flat Laplace", "10", "prediction RMSE"), 0) > 0.7,
           "STEPS: no prediction is better than the model's own noise")
    tap.ok(cipher.get(("experiment 1, n = 200", "FDH", "2", "tvd2"), 1) < 0.5 and
           ("experiment 1, n = 200", "MWEM 2-way", "2", "tvd3") in cipher, "CIPHER: distances of all methods")
    plots = glob.glob(os.path.join(OUT, "*.svg"))
    for path in plots:
        xml.parse(path)
    tap.ok(len(plots) >= 6, "plots are well-formed", "%d plots" % len(plots))
    tap.done()


if __name__ == "__main__":
    main()
