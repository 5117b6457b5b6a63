/*
 * rule.c -- what a rule says of a combination of levels: the logic of NULL, arithmetic on
 * intervals.
 */
#include "core/domain/rule.h"

#include <math.h>
#include <string.h>

#define EXACT_MAX 9007199254740992.0 /* 2^53: integers up to here are added without rounding */
#define TIGHTEN_ROUNDS 3             /* one bound may sharpen another */

/* What the functions below share: a rule at one combination of levels. */
typedef struct Place
{
	const DpRule *rule;
	const DpDomain *domain;
	const DpRuleAxis *axis;
	const uint32_t *codes;
	DpInterval *box; /* [rule->n] the numbers that each attribute may have */
} Place;

DpComparison
dp_comparison_opposite(DpComparison comparison)
{
	switch (comparison)
	{
		case DP_BELOW:
			return DP_AT_LEAST;
		case DP_AT_MOST:
			return DP_ABOVE;
		case DP_EQUAL:
			return DP_DIFFERENT;
		case DP_DIFFERENT:
			return DP_EQUAL;
		case DP_AT_LEAST:
			return DP_BELOW;
		default:
			return DP_AT_MOST;
	}
}

/* ---- numbers that are rounded outward ---- */

static bool
is_exact(double a)
{
	return fabs(a) <= EXACT_MAX && floor(a) == a;
}

/* result is a op b, rounded; it is exact if all three are integers that a double holds. */
static DpInterval
outward(double low, double high, bool exact)
{
	if (exact && is_exact(low) && is_exact(high))
		return (DpInterval){low, high};
	return (DpInterval){nextafter(low, -INFINITY), nextafter(high, INFINITY)};
}

static DpInterval
add(DpInterval a, DpInterval b)
{
	return outward(a.low + b.low, a.high + b.high,
				   is_exact(a.low) && is_exact(a.high) && is_exact(b.low) && is_exact(b.high));
}

static DpInterval
scale(DpInterval a, double by)
{
	bool exact = is_exact(a.low) && is_exact(a.high) && is_exact(by);

	return by < 0 ? outward(a.high * by, a.low * by, exact)
				  : outward(a.low * by, a.high * by, exact);
}

/* All x with x * by in a. */
static DpInterval
unscale(DpInterval a, double by)
{
	double low = (by < 0 ? a.high : a.low) / by;
	double high = (by < 0 ? a.low : a.high) / by;
	bool exact = fabs(by) == 1;

	return (DpInterval){exact ? low : nextafter(low, -INFINITY),
						exact ? high : nextafter(high, INFINITY)};
}

/* ---- truth ---- */

static unsigned
truth_and(unsigned a, unsigned b)
{
	unsigned truth = (a | b) & DP_CAN_BE_FALSE;

	if (a & b & DP_CAN_BE_TRUE)
		truth |= DP_CAN_BE_TRUE;
	if ((a & DP_CAN_BE_NULL && b & (DP_CAN_BE_NULL | DP_CAN_BE_TRUE)) ||
		(b & DP_CAN_BE_NULL && a & DP_CAN_BE_TRUE))
		truth |= DP_CAN_BE_NULL;
	return truth;
}

static unsigned
truth_or(unsigned a, unsigned b)
{
	unsigned truth = (a | b) & DP_CAN_BE_TRUE;

	if (a & b & DP_CAN_BE_FALSE)
		truth |= DP_CAN_BE_FALSE;
	if ((a & DP_CAN_BE_NULL && b & (DP_CAN_BE_NULL | DP_CAN_BE_FALSE)) ||
		(b & DP_CAN_BE_NULL && a & DP_CAN_BE_FALSE))
		truth |= DP_CAN_BE_NULL;
	return truth;
}

/* Whether a linear form is NULL: one of its numbers is. */
static bool
is_missing(const Place *place, const DpRuleNode *node)
{
	for (uint32_t k = 0; k < node->n; k++)
	{
		uint32_t p = node->position[k];

		if (place->codes[p] == place->axis[place->rule->attribute[p]].missing)
			return true;
	}
	return false;
}

static DpInterval
widen(DpInterval a, double by)
{
	return by > 0 ? (DpInterval){nextafter(a.low - by, -INFINITY), nextafter(a.high + by, INFINITY)}
				  : a;
}

/* How far the term k is off at most, because its coefficient is. */
static double
term_error(const Place *place, const DpRuleNode *node, uint32_t k)
{
	DpInterval box = place->box[node->position[k]];

	if (node->error == NULL || node->error[k] == 0)
		return 0;
	return nextafter(node->error[k] * fmax(fabs(box.low), fabs(box.high)), INFINITY);
}

/* The sum of a linear form without the term skip (n: of all). */
static DpInterval
form_range(const Place *place, const DpRuleNode *node, uint32_t skip)
{
	DpInterval sum = widen((DpInterval){node->constant, node->constant}, node->constant_error);

	for (uint32_t k = 0; k < node->n; k++)
	{
		if (k == skip)
			continue;
		if (node->coefficient[k] != 0)
			sum = add(sum, scale(place->box[node->position[k]], node->coefficient[k]));
		sum = widen(sum, term_error(place, node, k));
	}
	return sum;
}

static unsigned
truth_when(bool can_be_true, bool can_be_false)
{
	return (can_be_true ? DP_CAN_BE_TRUE : 0) | (can_be_false ? DP_CAN_BE_FALSE : 0);
}

static unsigned
truth_linear(const Place *place, const DpRuleNode *node)
{
	DpInterval sum;

	if (is_missing(place, node))
		return DP_CAN_BE_NULL;
	sum = form_range(place, node, node->n);
	switch (node->comparison)
	{
		case DP_BELOW:
			return truth_when(sum.low < 0, sum.high >= 0);
		case DP_AT_MOST:
			return truth_when(sum.low <= 0, sum.high > 0);
		case DP_AT_LEAST:
			return truth_when(sum.high >= 0, sum.low < 0);
		case DP_ABOVE:
			return truth_when(sum.high > 0, sum.low <= 0);
		case DP_EQUAL:
			return truth_when(sum.low <= 0 && sum.high >= 0, sum.low < 0 || sum.high > 0);
		default:
			return truth_when(sum.low < 0 || sum.high > 0, sum.low <= 0 && sum.high >= 0);
	}
}

static unsigned
truth_levels(const Place *place, const DpRuleNode *node)
{
	uint64_t cell = 0;

	for (uint32_t k = 0; k < node->n; k++)
	{
		uint32_t p = node->position[k];

		cell = cell * place->domain->attribute[place->rule->attribute[p]].levels + place->codes[p];
	}
	return node->levels[cell];
}

static unsigned
truth_of(const Place *place, const DpRuleNode *node)
{
	bool is_and = node->kind == DP_RULE_AND;
	unsigned truth = is_and ? DP_CAN_BE_TRUE : DP_CAN_BE_FALSE;

	switch (node->kind)
	{
		case DP_RULE_CONSTANT:
			return node->truth;
		case DP_RULE_LEVELS:
			return truth_levels(place, node);
		case DP_RULE_LINEAR:
			return truth_linear(place, node);
		default:
			for (uint32_t i = 0; i < node->n; i++)
				truth = is_and ? truth_and(truth, truth_of(place, node->child[i]))
							   : truth_or(truth, truth_of(place, node->child[i]));
			return truth;
	}
}

/* The box of a combination of levels. An attribute without numbers has all of them. */
static void
box_of_levels(const DpRule *rule, const DpRuleAxis *axis, const uint32_t *codes, DpInterval *box)
{
	for (uint32_t p = 0; p < rule->n; p++)
	{
		const DpRuleAxis *own = &axis[rule->attribute[p]];

		box[p] = own->level == NULL || codes[p] == own->missing ? (DpInterval){-INFINITY, INFINITY}
																: own->level[codes[p]];
	}
}

unsigned
dp_rule_truth(const DpRule *rule, const DpDomain *domain, const DpRuleAxis *axis,
			  const uint32_t *codes)
{
	DpInterval box[DP_ZEROS_WIDTH_MAX];
	Place place = {rule, domain, axis, codes, box};

	box_of_levels(rule, axis, codes, box);
	return truth_of(&place, rule->root);
}

/* ---- tightening ---- */

static bool
intersect(DpInterval *a, DpInterval b)
{
	a->low = a->low > b.low ? a->low : b.low;
	a->high = a->high < b.high ? a->high : b.high;
	return a->low <= a->high;
}

/* The term k has to be in -(the rest), on the side or sides that the comparison bounds. */
static bool
tighten_term(const Place *place, const DpRuleNode *node, uint32_t k)
{
	DpInterval rest = form_range(place, node, k);
	DpInterval term = {-INFINITY, INFINITY};

	if (node->comparison == DP_BELOW || node->comparison == DP_AT_MOST ||
		node->comparison == DP_EQUAL)
		term.high = -rest.low;
	if (node->comparison == DP_ABOVE || node->comparison == DP_AT_LEAST ||
		node->comparison == DP_EQUAL)
		term.low = -rest.high;
	return intersect(&place->box[node->position[k]],
					 unscale(widen(term, term_error(place, node, k)), node->coefficient[k]));
}

static bool
tighten_linear(const Place *place, const DpRuleNode *node)
{
	if (truth_linear(place, node) == DP_CAN_BE_FALSE)
		return false;
	if (is_missing(place, node) || node->comparison == DP_DIFFERENT)
		return true;
	for (uint32_t k = 0; k < node->n; k++)
		if (node->coefficient[k] != 0 && !tighten_term(place, node, k))
			return false;
	return true;
}

static bool tighten(const Place *place, const DpRuleNode *node);

/* The smallest box around what the alternatives leave. */
static bool
tighten_or(const Place *place, const DpRuleNode *node)
{
	DpInterval hull[DP_ZEROS_WIDTH_MAX];
	bool any = false;

	for (uint32_t i = 0; i < node->n; i++)
	{
		DpInterval own[DP_ZEROS_WIDTH_MAX];
		Place part = *place;

		memcpy(own, place->box, place->rule->n * sizeof(*own));
		part.box = own;
		if (truth_of(&part, node->child[i]) == DP_CAN_BE_FALSE || !tighten(&part, node->child[i]))
			continue;
		for (uint32_t p = 0; p < place->rule->n; p++)
		{
			hull[p].low = any && hull[p].low < own[p].low ? hull[p].low : own[p].low;
			hull[p].high = any && hull[p].high > own[p].high ? hull[p].high : own[p].high;
		}
		any = true;
	}
	if (any)
		memcpy(place->box, hull, place->rule->n * sizeof(*hull));
	return any;
}

static bool
tighten(const Place *place, const DpRuleNode *node)
{
	switch (node->kind)
	{
		case DP_RULE_AND:
			for (uint32_t i = 0; i < node->n; i++)
				if (!tighten(place, node->child[i]))
					return false;
			return true;
		case DP_RULE_OR:
			return tighten_or(place, node);
		case DP_RULE_LINEAR:
			return tighten_linear(place, node);
		default:
			return truth_of(place, node) != DP_CAN_BE_FALSE;
	}
}

bool
dp_rule_tighten(const DpRule *rule, const DpDomain *domain, const DpRuleAxis *axis,
				const uint32_t *codes, DpInterval *box)
{
	Place place = {rule, domain, axis, codes, box};

	for (int round = 0; round < TIGHTEN_ROUNDS; round++)
	{
		DpInterval before[DP_ZEROS_WIDTH_MAX];

		memcpy(before, box, rule->n * sizeof(*box));
		if (!tighten(&place, rule->root))
			return false;
		if (memcmp(before, box, rule->n * sizeof(*box)) == 0)
			break;
	}
	return true;
}
