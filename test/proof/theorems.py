"""The theorems that are proved, and the faults that show that they would be noticed.

A theorem is the function prove_NAME of a harness; the comment over it says what it states. What
is here says how cbmc gets there:

  quick     it takes seconds, and is a part of make check, with the first of its faults; all other
            faults are looked for at night
  define    macros of the harness: bounds of what is looked at
  unwind    how often a loop may run. If a loop could run longer, the theorem is not proved.
  open      but not that: loops of coins have no end, and longer ones are not looked at
  wraps     the code wraps around on purpose: that unsigned numbers do is no fault
  replace   functions of the code for which the harness has others that may do anything allowed
  edits     changes of the sources: limits made small enough to be looked at
  tested    it is not proved: the function test_NAME of a program is run with very many inputs
"""
from collections import namedtuple

Theorem = namedtuple("Theorem", "harness name says quick define unwind open wraps replace edits"
                     " options tested")
Fault = namedtuple("Fault", "theorem says quick edit")

THEOREMS = []
FAULTS = []


def theorem(harness, name, says, quick=True, define=None, unwind=0, open=False, wraps=False,
            replace=None, edits=(), options=(), tested=False):
    THEOREMS.append(Theorem(harness, name, says, quick, define or {}, unwind, open, wraps,
                            replace or {}, list(edits), list(options), tested))


def fault(says, path, old, new):
    """Of the theorem that stands before it."""
    last = THEOREMS[-1]
    first = all(known.theorem is not last for known in FAULTS)
    FAULTS.append(Fault(last, says, last.quick and first, ("core/" + path, old, new)))


BUDGET = {"PARTS": 1, "SHARE": 1}

theorem("budget", "add", "a sum of budgets is exact, or refused", define=BUDGET)
fault("the sum of rho wraps around", "accounting/budget.c",
      "__builtin_add_overflow(a.rho_pico, b.rho_pico, &sum.rho_pico) ||",
      "(sum.rho_pico = (int64_t) ((uint64_t) a.rho_pico + (uint64_t) b.rho_pico), 0) ||")
theorem("budget", "subtract", "a difference is exact, or an overdraw", define=BUDGET)
fault("delta is not looked at", "accounting/budget.c", "b.delta_atto > a.delta_atto || b.rho_pico",
      "b.rho_pico")
theorem("budget", "left", "what is left of a request is exact in epsilon and delta", define=BUDGET)
fault("what is left is more by one", "accounting/budget.c",
      "out->epsilon_nano = a.epsilon_nano - b.epsilon_nano;",
      "out->epsilon_nano = a.epsilon_nano - b.epsilon_nano + 1;")
theorem("budget", "meter", "no charge takes a meter beyond its limit", define=BUDGET)
fault("rho is not held against the limit", "accounting/meter.c",
      "spent->delta_atto <= meter->limit.delta_atto && spent->rho_pico <= meter->limit.rho_pico;",
      "spent->delta_atto <= meter->limit.delta_atto;")
fault("a refused charge is forgotten", "accounting/meter.c", "\t\tmeter->broken = true;\n", "")
theorem("budget", "meter_begins", "a meter begins within its limit", define=BUDGET)
theorem("budget", "meter_sums", "four charges are added up exactly", define=BUDGET, unwind=5)
fault("a charge replaces what was spent", "accounting/meter.c", "\tmeter->spent = spent;",
      "\tmeter->spent = cost;")
theorem("budget", "unit", "sensitivities are what the unit says, or saturate", define=BUDGET)
fault("the square wraps around", "accounting/privacy_unit.c",
      "return squared > INT64_MAX ? DP_SENSITIVITY_TOO_LARGE : (int64_t) squared;",
      "return (int64_t) (uint64_t) squared;")
theorem("budget", "divide", "any share of a budget is a budget", define=BUDGET)
fault("a share for no part is the whole negative", "accounting/budget.c",
      "return (DpBudget){.epsilon_nano = 0}; /*", "return (DpBudget){.epsilon_nano = -1}; /*")
for parts in [2, 3, 7]:
    theorem("budget", "divide_rounds", "a share of 1 in %d rounds down" % parts,
            define={"PARTS": parts, "SHARE": 1})
fault("a share rounds up", "accounting/budget.c",
      ".epsilon_nano = (int64_t) ((uint64_t) total.epsilon_nano / parts),",
      ".epsilon_nano = (int64_t) (((uint64_t) total.epsilon_nano + parts - 1) / parts),")
theorem("budget", "multiply", "up to 15 times a budget is exact, or refused", quick=False, define=BUDGET)
fault("a product of rho wraps around", "accounting/budget.c",
      "__builtin_mul_overflow(budget.rho_pico, times, &product.rho_pico) ||",
      "(product.rho_pico = (int64_t) ((uint64_t) budget.rho_pico * times), 0) ||")

TEXT = {"TEXT": 4, "DIGITS": 3}
theorem("decimal", "parse", "any text of up to 4 bytes is read within its bounds", define=TEXT, unwind=22)
fault("digits are looked for behind the end", "base/decimal.c", "\tend = decimal->digits + digits;",
      "\tend = decimal->digits + digits + (digits == 0);")
theorem("decimal", "print", "what is printed is read back", quick=False, unwind=9,
        define={"TEXT": 4, "DIGITS": 2, "VALUE": 127})
fault("a zero too many is cut off", "base/decimal.c", "\twhile (end[-1] == '0')",
      "\twhile (end[-1] == '0' || end[-1] == '5')")
theorem("decimal", "roundings_agree", "rounding up adds one at most, and only where digits are cut",
        quick=False, define=TEXT, unwind=8)
for behind, kept in [(2, 1), (3, 4)]:
    theorem("decimal", "rounds", "a request rounds up and a cap rounds down, to %d digits" % kept,
            quick=kept == 1, define={**TEXT, "BEHIND": behind, "KEPT": kept}, unwind=9)
    if kept == 1:
        fault("a request rounds down", "base/decimal.c", "if (round_up && rest &&",
              "if (false && rest &&")
        fault("a cap rounds up", "base/decimal.c", "if (round_up && rest &&", "if (rest &&")
        fault("a number without a rest rounds up", "base/decimal.c", "if (round_up && rest &&",
              "if (round_up &&")

theorem("rng", "below_bounds", "no number is below 0, and 0 takes no bits", define={"BOUND": 3}, unwind=3,
        replace={"dp_rng_u64": "one_word"})
for bound in [3, 10]:
    theorem("rng", "below_uniform", "numbers below %d are exactly uniform" % bound,
            define={"BOUND": bound}, unwind=3, wraps=True, replace={"dp_rng_u64": "one_word"})
fault("words that favour a value are kept", "noise/rng.c",
      "} while ((uint64_t) product < bound && (uint64_t) product < (0 - bound) % bound);",
      "} while (false);")
theorem("rng", "take", "bytes are taken once, and within the buffer", define={"BOUND": 3}, unwind=10,
        edits=[("core/noise/rng.h", "#define DP_RNG_BUFFER 4096", "#define DP_RNG_BUFFER 24")])
fault("bytes stay in the buffer", "noise/rng.c", "\twipe(rng->buffer + rng->position, bytes);\n", "")
fault("the last bytes are taken beyond the end", "noise/rng.c",
      "if (DP_RNG_BUFFER - rng->position < bytes)", "if (DP_RNG_BUFFER == rng->position)")

N = {"TERM_BITS": 60}
theorem("noise", "bernoulli", "a coin refuses odds above 1, and keeps 0 and 1", define=N, unwind=4)
fault("a coin of odds 0 comes up", "noise/bernoulli.c", "*out = draw < numerator;",
      "*out = draw <= numerator;")
theorem("noise", "bernoulli_exp", "exp(-p/q) takes any p and q", define=N, unwind=4, open=True)
fault("a whole part that is not flipped away", "noise/bernoulli.c",
      "bernoulli_exp_fraction(rng, (Fraction){numerator % denominator, denominator}, one,",
      "bernoulli_exp_fraction(rng, (Fraction){numerator, denominator}, one,")
theorem("noise", "geometric", "a geometric draw never overflows", define=N, unwind=3,
        replace={"truncated_exponential": "any_truncated", "geometric_unit": "any_geometric_unit"})
fault("a draw of more than 64 bits is cut", "noise/noise.c",
      "\tif (y > UINT64_MAX)\n\t\treturn DP_ERR_RANGE;\n", "")
theorem("noise", "laplace", "a Laplace draw is a size with a sign, or out of range", define=N,
        unwind=4, open=True, replace={"dp_geometric_exp": "any_geometric"})
fault("a size of 64 bits is given a sign", "noise/noise.c",
      "\tif (size > INT64_MAX)\n\t\treturn DP_ERR_RANGE;\n", "")
theorem("noise", "square_root", "a square root below 2^16 is exact", define=N, unwind=34)
fault("a square root is one too large", "noise/discrete_gaussian.c",
      "if ((root + bit) * (root + bit) <= x)", "if ((root + bit) * (root + bit) <= x + 1)")
theorem("noise", "square_root_any", "no square root overflows", define=N, unwind=34)
fault("a square root has a bit too many", "noise/discrete_gaussian.c",
      "uint64_t bit = UINT64_C(1) << 31; bit > 0", "uint64_t bit = UINT64_C(1) << 32; bit > 0")

B = {"LENGTH": 11}
theorem("bytes", "integer", "any bytes are an integer in its one form, or a fault", define=B, unwind=12, wraps=True)
fault("a longer form of an integer is taken", "domain/domain_bytes.c",
      "if ((shift == 63 && byte > 1) || (shift > 0 && byte == 0))", "if (shift == 63 && byte > 1)")
fault("a byte behind the end is read", "domain/domain_bytes.h",
      "\tif (dp_reader_left(reader) == 0)\n", "\tif (reader->at > reader->end)\n")
theorem("bytes", "integer_back", "a written integer is read back", define=B, unwind=12, wraps=True)
fault("the last of ten bytes is refused", "domain/domain_bytes.c", "(shift == 63 && byte > 1)",
      "(shift == 63)")
theorem("bytes", "signed_back", "a written signed integer is read back", define=B, unwind=12, wraps=True)
fault("the sign is read the other way", "domain/domain_bytes.c", "-(int64_t) (zigzag & 1);",
      "-(int64_t) (~zigzag & 1);")
theorem("bytes", "bounds", "a bounded number keeps to its bound", define=B, unwind=12, wraps=True)
fault("a number may be one more than its bound", "domain/domain_bytes.c", "if (value <= maximum)",
      "if (value <= maximum || value == maximum + 1)")
theorem("bytes", "count", "no more things are announced than there are bytes", define=B, unwind=12, wraps=True)
fault("each thing takes a byte less", "domain/domain_bytes.c",
      "if (count <= dp_reader_left(reader) / bytes_each)",
      "if (count <= dp_reader_left(reader) / (bytes_each - (bytes_each > 1)))")
T = {"LENGTH": 5}
theorem("bytes", "text", "a text ends where it says", define=T, unwind=12, wraps=True)
fault("a text is not ended", "domain/domain_bytes.c", "dp_get_memory(reader, length + 1, 1);",
      "dp_get_memory(reader, length, 1);")
theorem("bytes", "text_back", "a written text is read back", define=T, unwind=12, wraps=True)
fault("a text leaves its last byte", "domain/domain_bytes.c", "\t\treader->at += length;",
      "\t\treader->at += length - (length > 2);")
theorem("bytes", "digest", "a written digest holds", define=T, unwind=13, wraps=True)
fault("a byte of the digest is left out", "domain/domain_bytes.c",
      "\tfor (int i = 0; i < DP_DIGEST_BYTES; i++)\n\t\thash |=",
      "\tfor (int i = 1; i < DP_DIGEST_BYTES; i++)\n\t\thash |=")
theorem("bytes", "digest_any", "any bytes may be asked for a digest", define=T, unwind=13, wraps=True,
        options=["--slice-formula"])
fault("fewer bytes than a digest are asked for one", "domain/domain_bytes.c",
      "\tif (length < DP_DIGEST_BYTES)\n\t\treturn false;\n", "")

M = {"CELLS": 3}
SEARCH = {"dp_gap_survives": "any_survival", "dp_select_rate": "any_select_rate"}
DIVISOR = {"dp_common_divisor": "any_divisor"}
theorem("mechanism", "noise_add", "noise that fails leaves no exact count", define=M, unwind=5)
fault("what was not reached stays exact", "mechanism/mechanism.c", "memset(out, 0, n * sizeof(*out));",
      "memset(out, 0, (n - 1) * sizeof(*out));")
fault("an error leaves all as it is", "mechanism/mechanism.c",
      "return dp_noise_cleared(add_to_each(noise, distribution, counts, n, out), out, n);",
      "return add_to_each(noise, law, counts, n, out);")
theorem("mechanism", "noisy_count", "a noisy count is exact, or out of range", define=M)
fault("a noisy count wraps around", "mechanism/mechanism.c",
      "return __builtin_add_overflow(count, noise, out) ? DP_ERR_RANGE : DP_OK;",
      "*out = (int64_t) ((uint64_t) count + (uint64_t) noise);\n\treturn DP_OK;")
theorem("mechanism", "release", "noise comes after the charge, and no error leaves a count", define=M,
        unwind=5, wraps=True,
        replace={"dp_laplace_rate": "any_rate", "gaussian_variance": "any_variance"})
fault("Laplace noise is drawn whatever the meter says", "mechanism/mechanism.c",
      "\t\tstatus = dp_meter_charge(noise->meter, dp_cost_pure(distribution.epsilon_nano));",
      "\t\t(void) dp_meter_charge(noise->meter, dp_cost_pure(distribution.epsilon_nano));")
fault("a refused Gaussian release leaves its counts", "mechanism/gaussian.c",
      "return dp_noise_cleared(status, out, n);", "return status;")
theorem("mechanism", "laplace_rate", "no rate is taken that is out of range", define=M, unwind=5,
        wraps=True, replace=DIVISOR)
fault("a sensitivity that saturated is taken", "mechanism/mechanism.c",
      "\tif (distribution.sensitivity_l1 == DP_SENSITIVITY_TOO_LARGE)\n\t\treturn DP_ERR_RANGE;\n", "")
fault("a denominator wraps around", "mechanism/mechanism.c",
      "if (__builtin_mul_overflow(unit_nano, steps / common, &rate->denominator))",
      "if (rate->denominator = unit_nano * (steps / common), false)")
theorem("mechanism", "select_rate", "nor by a selection", define=M, unwind=5, wraps=True,
        replace=DIVISOR)
fault("a selection takes a sensitivity that saturated", "mechanism/mechanism.c",
      "return scores->sensitivity == DP_SENSITIVITY_TOO_LARGE ? DP_ERR_RANGE : DP_OK;",
      "return DP_OK;")
theorem("mechanism", "rate_exact", "a rate is epsilon over the sensitivity, exactly",
        define={"CELLS": 1, "RATE_MAX": 8}, unwind=8, quick=False)
fault("a common factor is divided out once", "mechanism/mechanism.c",
      "&rate->denominator))", "&rate->denominator) || (rate->denominator += common > 1) == 0)")
theorem("mechanism", "fit_terms", "a variance of too many digits rounds up", quick=False,
        define={"CELLS": 1, "TERM_BITS": 7}, unwind=9,
        edits=[("core/noise/noise.h", "#define DP_GAUSSIAN_TERM_MAX (UINT64_C(1) << 60)",
                "#define DP_GAUSSIAN_TERM_MAX (UINT64_C(1) << 4)")])
fault("a variance rounds down", "mechanism/gaussian.c",
      "(numerator * power + denominator - 1) / denominator)", "(numerator * power) / denominator)")
theorem("mechanism", "select", "a selection chooses a candidate, or none after an error", define=M,
        unwind=5, wraps=True, replace=SEARCH)
fault("the last candidate is one too far", "mechanism/mechanism.c", "\t\t\t*chosen = i;",
      "\t\t\t*chosen = i + 1;")
theorem("mechanism", "offer", "no candidate that was refused is chosen", define=M, unwind=4, open=True,
        wraps=True, replace=SEARCH)
fault("a refused candidate is offered", "mechanism/exponential.c",
      "\t\tif (refused != NULL && refused[candidate])\n\t\t\tcontinue;\n\t\tDP_TRY", "\t\tDP_TRY")
theorem("mechanism", "best", "gaps of scores are exact", define=M, unwind=5, wraps=True)
fault("the last score is not looked at", "mechanism/mechanism.c",
      "for (size_t i = 1; i < scores->n; i++)\n\t\tif (scores->score[i] > best)",
      "for (size_t i = 1; i + 1 < scores->n; i++)\n\t\tif (scores->score[i] > best)")
theorem("mechanism", "gap_survives", "a gap of 0 survives, and coins have odds", define=M, unwind=3,
        open=True, wraps=True)
fault("the rest of a gap is not reduced", "mechanism/mechanism.c",
      "(uint64_t) (product % rate.denominator), rate.denominator, &heads)",
      "(uint64_t) (product % rate.denominator), rate.numerator - 1, &heads)")
for rows in [1, 3]:
    theorem("mechanism", "disjoint", "shares for groups of a unit of %d rows round down" % rows,
            quick=rows == 1, define={"CELLS": 1, "ROWS": rows})
    if rows == 1:
        fault("a share of rho is divided once", "mechanism/disjoint.c",
              "return rho_pico / dp_unit_l1(&unit) / dp_unit_l1(&unit);",
              "return rho_pico / dp_unit_l1(&unit);")

SMALL_ROWS = [("core/mechanism/stability.c", "#define THRESHOLD_ROWS_MAX (INT64_C(1) << 62)",
               "#define THRESHOLD_ROWS_MAX (INT64_C(1) << 5)")]
for most in [255, 15]:
    theorem("zcdp", "rho_of_budget", "a rho up to %d is one whose epsilon is within the budget" % most,
            quick=most == 15, unwind=10 if most == 255 else 6,
            replace={"dp_epsilon_of_rho": "any_epsilon_of_rho"},
            edits=[("core/accounting/zcdp.c", "int64_t low = 0, high = INT64_MAX;",
                    "int64_t low = 0, high = %d;" % most)])
fault("the first rho that is too much is taken", "accounting/zcdp.c", "\treturn low;", "\treturn high;")
theorem("zcdp", "threshold", "a threshold is one whose delta is within the budget", unwind=7,
        replace={"dp_stability_delta": "any_delta"}, edits=SMALL_ROWS)
fault("a threshold is one too low", "mechanism/stability.c", "\t*threshold_rows = high;",
      "\t*threshold_rows = high - 1;")
theorem("zcdp", "stability", "a cell is silent or passes the threshold", unwind=4,
        replace={"dp_stability_threshold": "any_threshold"})
fault("a cell under the threshold shows", "mechanism/stability_release.c", "if (noisy[i] < threshold)",
      "if (noisy[i] < threshold - 1)")
fault("an empty cell gets noise", "mechanism/stability_release.c", "if (counts[i] < 1)",
      "if (counts[i] < 0)")
fault("a refused release leaves its counts", "mechanism/stability_release.c",
      "return dp_noise_cleared(release(noise, goal, counts, n, noisy, threshold_rows), noisy, n);",
      "return release(noise, goal, counts, n, noisy, threshold_rows);")

P = {"CELLS": 2, "TERM_BITS": 4}
theorem("privtree", "rate", "noise of a tree has terms in range", define=P, wraps=True)
fault("a denominator of a tree wraps around", "mechanism/privtree.c",
      "if (__builtin_mul_overflow(below, rows / common, &rate->denominator) ||",
      "if ((rate->denominator = below * (rows / common), false) ||")
theorem("privtree", "level", "what a level costs rounds up", define=P, replace={"rate_of": "any_rate_of"})
fault("what a level costs rounds down", "mechanism/privtree.c", "(above + below - 1) / below",
      "above / below")
theorem("privtree", "is_split", "no decision overflows", define=P)
fault("deep nodes are worth less than nothing", "mechanism/privtree.c",
      "- node->depth * level_rows;", "- (node->depth + 200) * level_rows;")
SHALLOW = [("core/mechanism/privtree.h", "#define DP_PRIVTREE_DEPTH_MAX 128",
            "#define DP_PRIVTREE_DEPTH_MAX 3")]
for cells in [2, 3]:
    theorem("privtree", "release", "leaves of up to %d cells are ascending, and within them" % cells,
            quick=False, define={"CELLS": cells}, unwind=2 * cells + 1,
            replace={"rate_of": "any_rate_of"}, edits=SHALLOW)
    if cells == 2:
        fault("a place outside of its node is taken", "mechanism/privtree.c",
              "if (middle <= node.low || middle >= node.high ||", "if (middle <= node.low ||")
fault("the stack has a place too few", "mechanism/privtree.c",
      "Node stack[DP_PRIVTREE_DEPTH_MAX + 1]", "Node stack[DP_PRIVTREE_DEPTH_MAX - 2]")

C = {"CELLS": 2, "LENGTH": 4, "FILLED": 0}
theorem("counts", "dense", "the cells of a dense set are its rows, within the table",
        quick=False, define=C, unwind=4)
fault("a run of zeros may be of any length", "exact/counts_bytes.c",
      "i += dp_get_bounded(reader, cells - 1 - i);", "i += dp_get_bounded(reader, UINT64_MAX);")
fault("rows that no cell has are not missed", "exact/counts_bytes.c",
      "\t\ti += dp_get_bounded(reader, cells - 1 - i);\n\t}\n\tif (rows_left > 0)",
      "\t\ti += dp_get_bounded(reader, cells - 1 - i);\n\t}\n\tif (rows_left > 1)")
theorem("counts", "dense", "so where a table has rows already", quick=False,
        define={"CELLS": 2, "LENGTH": 4, "FILLED": 1}, unwind=4)
theorem("counts", "codes", "cells of a sparse set are levels, in order", define=C, unwind=4, wraps=True)
fault("a code is one more than the last level", "exact/counts_bytes.c",
      "(uint32_t) dp_get_bounded(reader, levels - 1);", "(uint32_t) dp_get_bounded(reader, levels);")
fault("a cell may come twice", "exact/counts_bytes.c", "\tif (!after)\n\t\tdp_reader_fault",
      "\tif (false)\n\t\tdp_reader_fault")
theorem("counts", "view", "places in any bytes are within them",
        define={"CELLS": 2, "LENGTH": 6}, unwind=8, wraps=True)
fault("lengths of sets need not add up", "exact/counts_bytes.c",
      "if (reader.status == DP_OK && sections != dp_reader_left(&reader))",
      "if (reader.status == DP_OK && sections > dp_reader_left(&reader))")
fault("a spec may be longer than the bytes", "exact/counts_bytes.c",
      "view->spec_length = (size_t) dp_get_count(&reader, UINT64_MAX, 1);",
      "view->spec_length = (size_t) dp_get_bounded(&reader, UINT64_MAX);")

Z = {"CELLS": 2, "LENGTH": 4}
theorem("model", "dense", "no run of zeros goes past a dense table", quick=False, define=Z, unwind=4, wraps=True)
fault("a run of zeros may go one past the table", "model/model_bytes.c",
      "i += dp_get_bounded(reader, table->cells - 1 - i);",
      "i += dp_get_bounded(reader, table->cells - 1 - i), table->cells += i + 1 == table->cells;")
fault("the limit of cells is for one table", "model/model_bytes.c",
      "if (table->cells > DP_MODEL_CELLS_MAX - *dense_cells)", "if (table->cells > DP_MODEL_CELLS_MAX)")
theorem("model", "sparse", "cells of a sparse table are within it, at the threshold or above",
        quick=False, define={"LENGTH": 4, "ATTRIBUTES": 2}, unwind=5, wraps=True)
fault("a value passes the threshold by more than 63 bits hold", "model/model_bytes.c",
      "dp_get_bounded(reader, (uint64_t) (INT64_MAX - table->threshold_rows));",
      "dp_get_bounded(reader, INT64_MAX);")
fault("codes take a place less than they are", "model/model_bytes.c",
      "table->code = dp_get_memory(reader, table->cells, table->n * sizeof(*table->code));",
      "table->code = dp_get_memory(reader, table->cells, sizeof(*table->code));")
theorem("model", "structure", "sets of a model are as many as it says", quick=False, define=Z, unwind=6, wraps=True)
fault("sets are announced that have no bytes", "model/model_bytes.c",
      "dp_get_count(reader, DP_REPLICATES_MAX, 3);", "dp_get_bounded(reader, DP_REPLICATES_MAX);")
theorem("model", "attributes", "attributes of a list are those of the domain", define=Z, unwind=6,
        wraps=True)
fault("an attribute is one behind the last", "model/model_bytes.c",
      "attribute[k] = (uint32_t) dp_get_bounded(reader, domain->attributes - 1);\n\treturn attribute;",
      "attribute[k] = (uint32_t) dp_get_bounded(reader, domain->attributes);\n\treturn attribute;")
theorem("model", "prior", "counts of a prior are within it", define=Z, unwind=6, wraps=True)
fault("a prior has more cells than bytes", "model/model_bytes.c",
      "if (prior->cells > dp_reader_left(reader)) /*", "if (false) /*")

FEW, MANY = {"DRAWS": 40000}, {"DRAWS": 2000000}
theorem("outward", "rho_of_epsilon", "rho of epsilon rounds up", define=FEW, tested=True)
fault("rho of epsilon rounds down", "accounting/zcdp.c", "(int64_t) ceill(units) :",
      "(int64_t) floorl(units) :")
fault("rho of epsilon has no slack", "accounting/zcdp.c",
      "(long double) DP_RHO_ONE * (1 + SLACK));", "(long double) DP_RHO_ONE * (1 - SLACK));")
theorem("outward", "epsilon_of_rho", "epsilon of rho, and rho of a budget, are on the safe side",
        define=FEW, tested=True)
fault("epsilon of rho is too small by its slack", "accounting/zcdp.c", "/ x + SLACK * sizes;",
      "/ x - 4 * SLACK * sizes;")
fault("delta is counted twice", "accounting/zcdp.c", "(log_inverse_delta - log_order) / x + SLACK",
      "(log_inverse_delta - 2 * log_order) / x + SLACK")
theorem("outward", "delta", "delta of a threshold rounds up", define=FEW, tested=True)
fault("a threshold is one too low", "mechanism/stability.c", "tail_upper(e0, threshold_rows - k);",
      "tail_upper(e0, threshold_rows - k + 1);")
fault("rows of a unit in many cells count once", "mechanism/stability.c",
      "k_cells = (long double) k * tail_upper", "k_cells = tail_upper")
theorem("outward", "gaps", "odds of an empty cell are between those of its neighbours", define=FEW, tested=True)
fault("odds of an empty cell round down", "mechanism/sparse_histogram.c",
      "s = ceill(ldexpl(", "s = floorl(ldexpl(")
fault("odds of an empty cell have no upper end", "mechanism/sparse_histogram.c",
      "\t\t\tldexpl(hit, -(int) r) > p.at_most)", "\t\t\tfalse)")
theorem("outward", "alpha", "pseudo-counts round up", define=FEW, tested=True)
fault("a pseudo-count rounds down", "mechanism/perturbed.c",
      "alpha->base = (uint64_t) ceil(", "alpha->base = (uint64_t) floor(")
theorem("outward", "select_epsilon", "epsilon of a selection rounds down, exactly", define=FEW, tested=True)
fault("epsilon of a selection rounds up", "mechanism/exponential.c", "\treturn root;",
      "\treturn root + 1;")
for name in ["rho_of_epsilon", "epsilon_of_rho", "delta", "gaps",
             "alpha", "select_epsilon"]:
    theorem("outward", name, "with very many inputs", quick=False, define=MANY, tested=True)
