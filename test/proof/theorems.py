"""The theorems that are proved, and the faults that show that they would be noticed.

A theorem is the function prove_NAME of a harness; the comment over it says what it states. What
is here says how cbmc gets there:

  quick     it takes seconds, and is a part of make check
  define    macros of the harness: bounds of what is looked at
  unwind    how often a loop may run. If a loop could run longer, the theorem is not proved.
  open      but not that: loops of coins have no end, and longer ones are not looked at
  wraps     the code wraps around on purpose: that unsigned numbers do is no fault
  replace   functions of the code for which the harness has others that may do anything allowed
  edits     changes of the sources: limits made small enough to be looked at
"""
from collections import namedtuple

Theorem = namedtuple("Theorem", "harness name says quick define unwind open wraps replace edits options")
Fault = namedtuple("Fault", "theorem says edit")

THEOREMS = []
FAULTS = []


def theorem(harness, name, says, quick=True, define=None, unwind=0, open=False, wraps=False,
            replace=None, edits=(), options=()):
    THEOREMS.append(Theorem(harness, name, says, quick, define or {}, unwind, open, wraps,
                            replace or {}, list(edits), list(options)))


def fault(says, path, old, new):
    """Of the theorem that stands before it."""
    last = THEOREMS[-1]
    FAULTS.append(Fault(last.harness + "." + last.name, says, ("core/" + path, old, new)))


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
theorem("decimal", "print", "what is printed is read back", unwind=9,
        define={"TEXT": 4, "DIGITS": 2, "VALUE": 127})
fault("a zero too many is cut off", "base/decimal.c", "\twhile (end[-1] == '0')",
      "\twhile (end[-1] == '0' || end[-1] == '5')")
theorem("decimal", "roundings_agree", "rounding up adds one at most, and only where digits are cut",
        quick=False, define=TEXT, unwind=8)
theorem("decimal", "rounds", "a request rounds up and a cap rounds down", quick=False, define=TEXT, unwind=9)

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
