/*
 * place_boundaries.c -- more edges for bins that are found, where values of other attributes begin
 * or end to be missing.
 *
 * Bins of a range have about an equal part of the rows each, so an edge lies where it happens to
 * lie. A bin of births from 1994 to 2011 mixes those who have an income with those who cannot. No
 * table of it tells them apart, and so no method does.
 *
 * dp_edges_place -- edges, one after the other
 *
 * Inputs: exact counts of pairs, in one scan: a range in parts that are finer than its bins, and
 *              another attribute, of which only the level "other" is distinguished
 * Output:      edges, each between two parts of a bin of some range
 * Neighbours:  the dataset's
 * Guarantee: each edge is chosen by the exponential mechanism or permute-and-flip, for an amount of
 * the plan's privacy_measure. A row moves a score by its unit at most, and with it the largest
 * of the scores that an edge has by several attributes. Later choices know earlier ones,
 *              and all compose.
 * Source:      docs/methods/ranges.md
 */
#include "core/plan/discover_ranges.h"

#include <math.h>
#include <string.h>

#include "core/base/saturate.h"
#include "core/estimate/range_bins.h"
#include "core/exact/boundary_scores.h"

#define PLACE_BOUNDARIES "place edges of bins"
#define EDGES 4        /* in a release */
#define PARTS 128      /* that a range is cut into */
#define LEVELS_MAX 256 /* of another attribute, or where it is missing is not looked at */
#define CELLS_MAX (UINT64_C(1) << 24) /* of all pairs together */

/* ---- plan ---- */

/* Whether its bins will be found, and may have one more edge. Neighbours in a list have nothing in
 * common. */
static bool
is_divided(const DpAttribute *attribute)
{
	return attribute->range != NULL && attribute->range->listed == NULL &&
		   attribute->range->state == DP_RANGE_REQUESTED;
}

/* Whether it may be missing, and it is looked at where. */
static bool
may_be_missing(const DpAttribute *attribute)
{
	if (attribute->open || !attribute->has_other)
		return false;
	return attribute->range != NULL ? attribute->range->state == DP_RANGE_REQUESTED
									: attribute->levels <= LEVELS_MAX;
}

static bool
is_pair(const DpAttribute *a, const DpAttribute *b)
{
	return (is_divided(a) && may_be_missing(b)) || (is_divided(b) && may_be_missing(a));
}

/* Levels of an attribute in the tables, at most. */
static uint64_t
levels_most(const DpAttribute *attribute)
{
	return attribute->levels + (is_divided(attribute) ? PARTS : 0);
}

/* The number of pairs, and the cells of all of them at most. */
static uint32_t
count_pairs(const DpDomain *domain, uint64_t *cells)
{
	uint32_t pairs = 0;

	*cells = 0;
	for (uint32_t a = 0; a < domain->attributes; a++)
		for (uint32_t b = a + 1; b < domain->attributes; b++)
			if (is_pair(&domain->attribute[a], &domain->attribute[b]))
			{
				*cells += levels_most(&domain->attribute[a]) * levels_most(&domain->attribute[b]);
				pairs++;
			}
	return pairs;
}

/* Whether scores of units of so many rows are not beyond what a choice may take. */
static bool
unit_is_scored(const DpUnit *unit)
{
	return dp_unit_l1(unit) <= DP_SELECT_SENSITIVITY_MAX / DP_EDGE_SCORE_UNIT;
}

uint32_t
dp_edges_number(const DpPlan *plan)
{
	const DpRequest *request = plan->request;
	uint64_t cells;
	uint32_t pairs = count_pairs(request->domain, &cells);

	if (request->query != NULL || pairs == 0 || cells > CELLS_MAX)
		return 0;
	return unit_is_scored(&request->unit) ? EDGES : 0;
}

/* Where few bins are wanted, those that are found count for more. */
uint32_t
dp_boundaries_capacity(const DpPlan *plan, const DpAttribute *attribute)
{
	return plan->range.edge > 0 && is_divided(attribute) && attribute->range->bins_max >= 4 * EDGES
			   ? EDGES
			   : 0;
}

static int64_t
scores_sensitivity(const DpPlan *plan)
{
	return dp_unit_l1(&plan->request->unit) * DP_EDGE_SCORE_UNIT;
}

DpStatus
dp_edges_plan(DpPlan *plan, const DpPrivacyMeasure *privacy_measure, int64_t each, DpError *error)
{
	uint64_t cells;
	uint32_t pairs = count_pairs(plan->request->domain, &cells);

	plan->scans++;
	plan->memory_bytes = dp_add_saturated(plan->memory_bytes, cells * sizeof(int64_t));
	dp_plan_counts(plan, cells * sizeof(int64_t));
	dp_expect_tables(&plan->estimate, pairs, 2);
	return dp_privacy_measure_plan_selection(
		plan, privacy_measure, &(DpPrivacyMeasureStage){PLACE_BOUNDARIES, EDGES, each},
		scores_sensitivity(plan), error);
}

/* ---- counts ---- */

/* A range that may get edges. */
typedef struct Divided
{
	uint32_t attribute;
	DpRange *range;     /* gets the edges */
	DpRangeParts parts; /* its bins in parts */
	uint32_t *share;    /* [parts] what is expected below each, of the rows of its bin */
	uint32_t missing;   /* number of the next */
	DpEdgeCounts *by;   /* [missing] by each attribute that may be missing */
	int64_t *score;     /* [parts] */
} Divided;

typedef struct Places
{
	const DpMeasurement *m;
	DpDomain domain; /* in which the levels of divided ranges are their parts */
	uint32_t n;
	Divided *divided;
	Divided **of; /* [attributes] NULL: it is not divided */
} Places;

/* The attribute in whose range each part is a bin. Its leaves have no weights: it is for
 * counting. */
static DpStatus
attribute_of_parts(DpAttribute *attribute, const DpRangeParts *parts, DpArena *arena)
{
	DpRange *range = dp_memdup(arena, attribute->range, sizeof(*range));

	DP_TRY_ALLOC(range);
	range->bins = range->leaves = parts->n;
	range->bin = range->leaf = parts->first;
	range->weight = dp_alloc(arena, parts->n, sizeof(*range->weight));
	DP_TRY_ALLOC(range->weight);
	attribute->range = range;
	return dp_attribute_label_bins(attribute, arena);
}

static DpStatus
divide(Places *places, uint32_t a, DpAttribute *attribute)
{
	DpArena *arena = places->m->arena;
	uint32_t attributes = places->domain.attributes;
	Divided *divided = &places->divided[places->n++];

	places->of[a] = divided;
	divided->attribute = a;
	attribute->range = divided->range = dp_range_copy(attribute->range, arena);
	DP_TRY_ALLOC(divided->range);
	DP_TRY(dp_range_parts(divided->range, PARTS, &divided->parts, arena));
	divided->share = dp_alloc(arena, divided->parts.n, sizeof(*divided->share));
	divided->score = dp_alloc(arena, divided->parts.n, sizeof(*divided->score));
	divided->by = dp_alloc(arena, attributes, sizeof(*divided->by));
	DP_TRY_ALLOC(divided->share && divided->score && divided->by);
	return attribute_of_parts(&places->domain.attribute[a], &divided->parts, arena);
}

/* Divides the ranges of found, which become copies of their own. */
static DpStatus
divide_ranges(Places *places, DpDomain *found)
{
	const DpDomain *requested = places->m->plan->request->domain;
	DpArena *arena = places->m->arena;

	places->domain = *found;
	places->domain.attribute =
		dp_memdup(arena, found->attribute, found->attributes * sizeof(*found->attribute));
	places->divided = dp_alloc(arena, found->attributes, sizeof(*places->divided));
	places->of = dp_alloc(arena, found->attributes, sizeof(Divided *));
	DP_TRY_ALLOC(places->domain.attribute && places->divided && places->of);
	for (uint32_t a = 0; a < found->attributes; a++)
		if (is_divided(&requested->attribute[a]))
			DP_TRY(divide(places, a, &found->attribute[a]));
	return DP_OK;
}

/* Counts all pairs, in one scan. */
static DpStatus
count_tables(const Places *places, DpMarginal *pair, uint32_t pairs, DpError *error)
{
	const DpDomain *requested = places->m->plan->request->domain;
	DpMeasurement m = *places->m;
	uint32_t n = 0;

	m.domain = &places->domain;
	for (uint32_t a = 0; a < requested->attributes; a++)
		for (uint32_t b = a + 1; b < requested->attributes; b++)
		{
			uint32_t *both;

			if (!is_pair(&requested->attribute[a], &requested->attribute[b]))
				continue;
			both = dp_memdup(m.arena, (uint32_t[]){a, b}, 2 * sizeof(*both));
			DP_TRY_ALLOC(both);
			DP_TRY(dp_marginal_init(&pair[n++], m.domain, &(DpAttributeSet){2, both}, DP_DENSE,
									m.arena, error));
		}
	return dp_count_marginals(&m, pair, pairs, error);
}

/* Copies from a pair, for each part of one side, the counts where the other side is missing and
 * where it is not. */
static DpStatus
take_side(Divided *divided, const DpMarginal *pair, int side, DpArena *arena)
{
	DpEdgeCounts *by = &divided->by[divided->missing++];
	uint32_t others = pair->levels[1 - side];
	size_t part_stride = side == 0 ? others : 1, other_stride = side == 0 ? 1 : pair->levels[1];

	by->missing = dp_alloc(arena, divided->parts.n, sizeof(*by->missing));
	by->there = dp_alloc(arena, divided->parts.n, sizeof(*by->there));
	DP_TRY_ALLOC(by->missing && by->there);
	for (uint32_t i = 0; i < divided->parts.n; i++)
	{
		const int64_t *count = pair->dense + i * part_stride;

		by->missing[i] = count[(others - 1) * other_stride];
		for (uint32_t level = 0; level + 1 < others; level++)
			by->there[i] += count[level * other_stride];
	}
	return DP_OK;
}

static DpStatus
count_missing(const Places *places, DpError *error)
{
	const DpDomain *requested = places->m->plan->request->domain;
	DpArena *arena = places->m->arena;
	uint64_t cells;
	uint32_t pairs = count_pairs(requested, &cells);
	DpMarginal *pair = dp_alloc(arena, pairs, sizeof(*pair));

	DP_TRY_ALLOC(pair);
	DP_TRY(count_tables(places, pair, pairs, error));
	for (uint32_t i = 0; i < pairs; i++)
	{
		for (int side = 0; side < 2; side++)
		{
			Divided *divided = places->of[pair[i].attribute[side]];

			if (divided != NULL &&
				may_be_missing(&requested->attribute[pair[i].attribute[1 - side]]))
				DP_TRY(take_side(divided, &pair[i], side, arena));
		}
		dp_marginal_free(&pair[i]);
	}
	return DP_OK;
}

/* ---- choices ---- */

/* What is expected below a part, of the rows of its bin. */
static uint32_t
expected_share(const DpRange *range, int64_t at)
{
	uint32_t bin = dp_range_bin(range, at);
	double share = 0;

	if (range->bin[bin] < at)
		share = dp_range_share(range, bin, range->bin[bin], at - 1);
	return (uint32_t) fmin(fmax(round(share * DP_EDGE_SHARE_ONE), 1), DP_EDGE_SHARE_ONE - 1);
}

static void
score_edges(Divided *divided)
{
	const DpRange *range = divided->range;
	const DpRangeParts *parts = &divided->parts;

	memset(divided->score, 0, parts->n * sizeof(*divided->score));
	for (uint32_t i = 0; i < parts->n; i++)
		divided->share[i] = expected_share(range, parts->first[i]);
	for (uint32_t low = 0, high; low < parts->n; low = high)
	{
		int64_t last = dp_range_bin_last(range, dp_range_bin(range, parts->first[low]));

		for (high = low + 1; high < parts->n && parts->first[high] <= last;)
			high++;
		for (uint32_t i = 0; i < divided->missing; i++)
			dp_boundary_scores(&divided->by[i], divided->share, low, high, divided->score);
	}
}

/* An edge that may be chosen. */
typedef struct Candidate
{
	Divided *divided;
	int64_t at;
} Candidate;

/* Lists parts that do not begin a bin, of ranges that may have one more. */
static size_t
list_candidates(const Places *places, Candidate *candidate, int64_t *score)
{
	size_t n = 0;

	for (uint32_t i = 0; i < places->n; i++)
	{
		Divided *divided = &places->divided[i];
		const DpRange *range = divided->range;

		if (range->bins >= range->bins_max || divided->missing == 0)
			continue;
		score_edges(divided);
		for (uint32_t part = 0; part < divided->parts.n; part++)
		{
			int64_t at = divided->parts.first[part];

			if (range->bin[dp_range_bin(range, at)] == at)
				continue;
			candidate[n] = (Candidate){divided, at};
			score[n++] = divided->score[part];
		}
	}
	return n;
}

static DpStatus
choose_edges(const Places *places, const DpPrivacyMeasure *privacy_measure, int64_t each)
{
	const DpMeasurement *m = places->m;
	DpScores scores = {.sensitivity = scores_sensitivity(m->plan)};
	size_t capacity = 0, chosen;
	Candidate *candidate;
	int64_t *score;

	for (uint32_t i = 0; i < places->n; i++)
		capacity += places->divided[i].parts.n;
	candidate = dp_alloc(m->arena, capacity, sizeof(*candidate));
	scores.score = score = dp_alloc(m->arena, capacity, sizeof(*score));
	DP_TRY_ALLOC(candidate && score);
	for (int i = 0; i < EDGES; i++)
	{
		scores.n = list_candidates(places, candidate, score);
		if (scores.n == 0)
			break;
		DP_TRY(dp_privacy_measure_select(&m->noise, privacy_measure, each, &scores, &chosen));
		DP_TRY(dp_range_add_edge(candidate[chosen].divided->range, candidate[chosen].at, m->arena));
	}
	return DP_OK;
}

DpStatus
dp_edges_place(const DpMeasurement *m, const DpPrivacyMeasure *privacy_measure, int64_t each,
			   DpDomain *found, DpError *error)
{
	Places places = {.m = m};

	dp_announce(m, PLACE_BOUNDARIES);
	DP_TRY(divide_ranges(&places, found));
	DP_TRY(count_missing(&places, error));
	DP_TRY(choose_edges(&places, privacy_measure, each));
	for (uint32_t i = 0; i < places.n; i++)
		DP_TRY(dp_attribute_label_bins(&found->attribute[places.divided[i].attribute], m->arena));
	return DP_OK;
}
