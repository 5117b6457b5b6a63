/*
 * test_rule.c -- what a rule can be on boxes of values, beside all values.
 */
#include "core/base/prng.h"
#include "core/domain/domain.h"
#include "core/domain/rule.h"

#include "unit_data.h"
#include "unit_model.h"

#define ATTRIBUTES 3
#define LEVELS 4 /* three with numbers, and one that is missing */
#define TRIALS 4000

/* A random case: levels of random widths, and a rule of one or two linear parts. */
typedef struct Case
{
	DpDomain domain;
	DpInterval interval[ATTRIBUTES][LEVELS];
	DpRuleAxis axis[ATTRIBUTES];
	unsigned char levels[LEVELS];
	uint32_t position[4][ATTRIBUTES];
	double coefficient[4][ATTRIBUTES];
	double constant[4];
	double rounded[4][ATTRIBUTES]; /* what the rule has of the coefficients, if it has not all */
	double error[4][ATTRIBUTES];
	DpRuleNode node[4];
	DpRuleNode *child[3];
	DpRule rule;
} Case;

static int64_t
pick(DpPrng *prng, int64_t low, int64_t high)
{
	return low + (int64_t) dp_prng_below(prng, (uint64_t) (high - low + 1));
}

static void
make_linear(Case *c, uint32_t i, DpPrng *prng, int64_t coefficient_max)
{
	DpRuleNode *node = &c->node[i];

	*node = (DpRuleNode){.kind = DP_RULE_LINEAR,
						 .n = (uint32_t) pick(prng, 1, ATTRIBUTES),
						 .position = c->position[i],
						 .coefficient = c->coefficient[i],
						 .constant = (double) pick(prng, -6, 6),
						 .comparison = (DpComparison) pick(prng, DP_BELOW, DP_ABOVE)};
	for (uint32_t k = 0; k < node->n; k++)
	{
		int64_t factor = pick(prng, 1, coefficient_max);

		c->position[i][k] = (k + i) % ATTRIBUTES;
		c->coefficient[i][k] = (double) (pick(prng, 0, 1) ? factor : -factor);
	}
}

/* The rule knows its numbers to an eighth or a quarter, as it does those of which a double holds no
 * more than the first digits. */
static void
round_numbers(Case *c, uint32_t i, DpPrng *prng)
{
	DpRuleNode *node = &c->node[i];

	for (uint32_t k = 0; k < node->n; k++)
	{
		c->error[i][k] = 0.125 * (double) pick(prng, 0, 2);
		c->rounded[i][k] = c->coefficient[i][k] + (double) pick(prng, -1, 1) * c->error[i][k];
	}
	node->coefficient = c->rounded[i];
	node->error = c->error[i];
	node->constant_error = 0.25;
	node->constant += (double) pick(prng, -1, 1) * node->constant_error;
}

static void
make_case(Case *c, DpArena *arena, DpPrng *prng, bool simple, bool rounds)
{
	static const uint32_t levels[ATTRIBUTES] = {LEVELS, LEVELS, LEVELS};

	c->domain = unit_domain(arena, levels, ATTRIBUTES);
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		int64_t at = pick(prng, -5, 0);

		for (uint32_t l = 0; l + 1 < LEVELS; l++)
		{
			int64_t width = pick(prng, 0, 3);

			c->interval[a][l] = (DpInterval){(double) at, (double) (at + width)};
			at += width + 1;
		}
		c->axis[a] = (DpRuleAxis){c->interval[a], LEVELS - 1};
	}
	make_linear(c, 0, prng, simple ? 1 : 3);
	make_linear(c, 1, prng, 3);
	for (uint32_t i = 0; i < 2; i++)
	{
		c->constant[i] = c->node[i].constant;
		if (rounds)
			round_numbers(c, i, prng);
	}
	for (uint32_t l = 0; l < LEVELS; l++)
		c->levels[l] = (unsigned char) (1U << pick(prng, 0, 2));
	c->node[2] = (DpRuleNode){
		.kind = DP_RULE_LEVELS, .n = 1, .position = c->position[2], .levels = c->levels};
	c->position[2][0] = (uint32_t) pick(prng, 0, ATTRIBUTES - 1);
	for (uint32_t i = 0; i < 3; i++)
		c->child[i] = &c->node[i];
	c->node[3] = (DpRuleNode){.kind = pick(prng, 0, 1) ? DP_RULE_AND : DP_RULE_OR,
							  .n = simple ? 1 : (uint32_t) pick(prng, 1, 3),
							  .child = c->child};
	c->rule = (DpRule){.name = "r", .n = ATTRIBUTES, .attribute = {0, 1, 2}, .root = &c->node[3]};
}

static unsigned
row_linear(const Case *c, uint32_t i, const uint32_t *codes, const double *value)
{
	const DpRuleNode *node = &c->node[i];
	double sum = c->constant[i];
	bool truth;

	for (uint32_t k = 0; k < node->n; k++)
	{
		if (codes[node->position[k]] == LEVELS - 1)
			return DP_CAN_BE_NULL;
		sum += c->coefficient[i][k] * value[node->position[k]];
	}
	switch (node->comparison)
	{
		case DP_BELOW:
			truth = sum < 0;
			break;
		case DP_AT_MOST:
			truth = sum <= 0;
			break;
		case DP_EQUAL:
			truth = sum == 0;
			break;
		case DP_DIFFERENT:
			truth = sum != 0;
			break;
		case DP_AT_LEAST:
			truth = sum >= 0;
			break;
		default:
			truth = sum > 0;
	}
	return truth ? DP_CAN_BE_TRUE : DP_CAN_BE_FALSE;
}

static unsigned
row_truth(const Case *c, const uint32_t *codes, const double *value)
{
	const DpRuleNode *root = &c->node[3];
	unsigned decided = root->kind == DP_RULE_AND ? DP_CAN_BE_FALSE : DP_CAN_BE_TRUE;
	bool null = false;

	for (uint32_t i = 0; i < root->n; i++)
	{
		const DpRuleNode *node = root->child[i];
		unsigned truth = node->kind == DP_RULE_LEVELS ? c->levels[codes[node->position[0]]]
													  : row_linear(c, i, codes, value);

		if (truth == decided)
			return decided;
		null |= truth == DP_CAN_BE_NULL;
	}
	if (null)
		return DP_CAN_BE_NULL;
	return decided == DP_CAN_BE_FALSE ? DP_CAN_BE_TRUE : DP_CAN_BE_FALSE;
}

/* Goes on to the next integers inside the box. */
static bool
next_values(const DpInterval *box, double *value)
{
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
	{
		if (++value[a] <= box[a].high)
			return true;
		value[a] = box[a].low;
	}
	return false;
}

static void
box_of(const Case *c, const uint32_t *codes, DpInterval *box)
{
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
		box[a] = codes[a] == LEVELS - 1 ? (DpInterval){0, 0} : c->interval[a][codes[a]];
}

typedef struct Faults
{
	int unsound;  /* a truth that occurs was called impossible */
	int loose;    /* one that does not occur was called possible, where the bounds are exact */
	int lost;     /* tightening lost a point that keeps the rule */
	int wide;     /* it kept more than the hull, where it is exact */
	int compared; /* combinations */
} Faults;

/* The points of a combination that keep the rule, and the box around them. */
static void
check_combination(const Case *c, const uint32_t *codes, bool simple, Faults *faults)
{
	DpInterval box[ATTRIBUTES];
	DpInterval tight[ATTRIBUTES];
	DpInterval hull[ATTRIBUTES] = {
		{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, {INFINITY, -INFINITY}};
	double value[ATTRIBUTES];
	unsigned truth = 0;
	bool left;

	box_of(c, codes, box);
	memcpy(tight, box, sizeof(box));
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
		value[a] = box[a].low;
	do
	{
		unsigned own = row_truth(c, codes, value);

		truth |= own;
		for (uint32_t a = 0; a < ATTRIBUTES && own != DP_CAN_BE_FALSE; a++)
		{
			hull[a].low = fmin(hull[a].low, value[a]);
			hull[a].high = fmax(hull[a].high, value[a]);
		}
	} while (next_values(box, value));
	faults->compared++;
	faults->unsound += (truth & ~dp_rule_truth(&c->rule, &c->domain, c->axis, codes)) != 0;
	left = dp_rule_tighten(&c->rule, &c->domain, c->axis, codes, tight);
	if (!left)
		faults->lost += truth != DP_CAN_BE_FALSE;
	for (uint32_t a = 0; a < ATTRIBUTES && left; a++)
		faults->lost += hull[a].low < tight[a].low || hull[a].high > tight[a].high;
	if (!simple)
		return;
	/* one linear form of factors 1 and -1 takes every integer between its ends */
	faults->loose += truth != dp_rule_truth(&c->rule, &c->domain, c->axis, codes);
	for (uint32_t a = 0; a < ATTRIBUTES && left && c->node[0].comparison != DP_DIFFERENT &&
						 c->node[0].comparison != DP_BELOW && c->node[0].comparison != DP_ABOVE;
		 a++)
		faults->wide += hull[a].low != tight[a].low || hull[a].high != tight[a].high;
}

static void
test_brute_force(DpArena *arena, bool simple, bool rounds)
{
	Faults faults = {0};
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){simple, 1, rounds});
	for (int trial = 0; trial < TRIALS; trial++)
	{
		uint32_t codes[ATTRIBUTES];
		Case c;

		make_case(&c, arena, &prng, simple, rounds);
		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			codes[a] = (uint32_t) dp_prng_below(&prng, LEVELS);
		check_combination(&c, codes, simple, &faults);
	}
	CHECK_I64(faults.compared, TRIALS, "combinations of %s rules were compared",
			  rounds   ? "rounded"
			  : simple ? "simple"
					   : "composed");
	CHECK_I64(faults.unsound, 0, "no truth that occurs is called impossible");
	CHECK_I64(faults.loose, 0, "and where bounds are exact, none that does not is called possible");
	CHECK_I64(faults.lost, 0, "tightening loses no point that keeps the rule");
	CHECK_I64(faults.wide, 0, "and where bounds are exact, it keeps no more than their hull");
}

/* Numbers that a double does not hold are rounded outward. */
static void
test_outward(void)
{
	DpInterval a[1] = {{0.1, 0.1}};
	DpInterval b[1] = {{0.2, 0.2}};
	DpInterval c[1] = {{0.3, 0.3}};
	DpRuleAxis axis[3] = {{a, UINT32_MAX}, {b, UINT32_MAX}, {c, UINT32_MAX}};
	uint32_t position[3] = {0, 1, 2};
	double coefficient[3] = {1, 1, -1};
	DpRuleNode node = {.kind = DP_RULE_LINEAR,
					   .n = 3,
					   .position = position,
					   .coefficient = coefficient,
					   .comparison = DP_AT_MOST};
	DpRule rule = {.name = "sum", .n = 3, .attribute = {0, 1, 2}, .root = &node};
	DpDomain domain = {0};
	uint32_t codes[3] = {0, 0, 0};

	CHECK(dp_rule_truth(&rule, &domain, axis, codes) & DP_CAN_BE_TRUE,
		  ".1 + .2 <= .3 may be true, though not in doubles");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_brute_force(&arena, true, false);
	test_brute_force(&arena, false, false);
	test_brute_force(&arena, false, true);
	test_outward();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
