/*
 * steps_clusters.c -- private choice of groups of attributes.
 *
 * dp_steps_select_clusters
 *
 * Inputs:      the exact scores of dp_steps_scores; L layers, nodes_max
 * Output:      groups of attributes, one a layer, of any size: at least one attribute is left over
 * Neighbours:  the dataset's
 * Guarantee:   (epsilon, 0)-DP with epsilon = L x epsilon_each, basic composition of
 *              permute-and-flip (dp_select)
 * Why:         a layer divides the attributes that are left into a group T and the others R. The
 *              score of T is mean(T) - mean(R), so each division has two candidates: which side
 *              comes first is chosen too. A row more moves minus AIC of all attributes in one
 * direction, by less than 2 (minus BIC by less than 3; aic.c). So both means move in that
 * direction, and their difference by less than 2 (3) a row, and not by twice as much. L1
 * rows that join or leave move it by L1 times that. Rounding moves a score by less than
 *              3, so the difference of two means by less than 6, and is less than 1 in the
 *              difference itself: 7 is added. The dependence of
 *              attributes may move in both directions, so their difference moves by twice its
 *              sensitivity. Which groups are candidates follows from the number of levels and from
 *              what was chosen before.
 * Source:      the STEPS paper, end of section 2.2.3. Departures: there the larger mean comes first
 *              at no cost, though it is read from the data, and the utility is the absolute
 *              difference; groups whose table would have more than nodes_max cells are left out
 * Errors:      those of dp_select and of counting
 */
#include "core/methods/steps/steps_clusters.h"

#include "core/base/index_list.h"
#include "core/base/saturate.h"
#include "core/mechanism/mechanism.h"
#include "core/select/aic.h"
#include "core/select/pairs.h"

#define ROUNDING 7

/* The attributes that no layer has yet, and the cells of a table of all that layers have. */
typedef struct Left
{
	uint32_t attribute[DP_ATTRIBUTES_MAX];
	uint32_t n;
	uint64_t cells_above;
} Left;

/* The groups that are small enough. */
typedef struct Groups
{
	uint32_t size_max;
	uint64_t n;
	uint64_t capacity;
	uint32_t *member; /* [capacity x size_max] places in Left; unused ones are at the end */
	uint32_t *size;   /* [capacity] */
	int64_t *score;   /* [capacity] SECRET */
} Groups;

int64_t
dp_steps_cluster_sensitivity(const DpStepsSelection *selection, const DpUnit *unit, uint32_t left)
{
	int64_t row = selection->bic ? dp_bic_row_sensitivity() : dp_aic_row_sensitivity();

	if (selection->dependence)
		return 2 * dp_dependence_sensitivity(unit) * (left > 1 ? left - 1 : 1) + 1;
	return row * (int64_t) dp_unit_l1(unit) + ROUNDING;
}

bool
dp_steps_clusters_fit(const DpStepsSelection *selection, const DpDomain *domain)
{
	for (uint32_t a = 0; a < domain->attributes && domain->attributes > 1; a++)
		if (!domain->attribute[a].open && domain->attribute[a].levels <= selection->nodes_max)
			return true;
	return false;
}

/* The number of candidate groups of attributes, and their largest size: all sizes, or as many as
 * keep the number of groups within the limit. */
static uint64_t
groups_of(uint32_t left, uint32_t *size_max)
{
	uint64_t n = 0;

	for (*size_max = 0; *size_max + 1 < left; ++*size_max)
	{
		uint64_t more = dp_add_saturated(n, dp_combinations(left, *size_max + 1));

		if (more > DP_CLUSTERS_MAX && *size_max > 0)
			break;
		n = more;
	}
	return n;
}

/* floor(mean of the group - mean of the others). */
static int64_t
difference_of_means(int64_t sum, uint32_t n, int64_t all, uint32_t left)
{
	__int128 part = (__int128) sum * (left - n) - (__int128) (all - sum) * n;
	__int128 whole = (__int128) n * (left - n);

	return (int64_t) ((part >= 0 ? part : part - whole + 1) / whole);
}

/* Lists all groups that begin with `size` members and go on after the last of them. */
static void
list_groups(const DpDomain *domain, const Left *left, uint64_t cells, uint64_t cells_max,
			uint32_t *member, uint32_t size, Groups *groups)
{
	for (uint32_t i = size == 0 ? 0 : member[size - 1] + 1; i < left->n; i++)
	{
		uint64_t more = dp_multiply_saturated(cells, domain->attribute[left->attribute[i]].levels);

		if (more > cells_max)
			continue;
		member[size] = i;
		for (uint32_t k = 0; k <= size; k++)
			groups->member[groups->n * groups->size_max + k] = member[k];
		groups->size[groups->n++] = size + 1;
		if (size + 1 < groups->size_max)
			list_groups(domain, left, more, cells_max, member, size + 1, groups);
	}
}

static DpStatus
make_groups(const DpMeasurement *m, const Left *left, uint64_t cells_max, Groups *groups)
{
	uint32_t member[DP_ATTRIBUTES_MAX];

	*groups = (Groups){.n = 0};
	groups->capacity = groups_of(left->n, &groups->size_max);
	groups->member =
		dp_alloc(m->arena, groups->capacity, groups->size_max * sizeof(*groups->member));
	groups->size = dp_alloc(m->arena, groups->capacity, sizeof(*groups->size));
	groups->score = dp_alloc(m->arena, groups->capacity, sizeof(*groups->score));
	DP_TRY_ALLOC(groups->member && groups->size && groups->score);
	list_groups(m->domain, left, left->cells_above, cells_max, member, 0, groups);
	return DP_OK;
}

static void
free_groups(const DpMeasurement *m, Groups *groups)
{
	dp_free(m->arena, groups->member, groups->capacity, groups->size_max * sizeof(*groups->member));
	dp_free(m->arena, groups->size, groups->capacity, sizeof(*groups->size));
	dp_free(m->arena, groups->score, groups->capacity, sizeof(*groups->score));
}

static void
score_groups(const DpStepsScores *scores, const Left *left, Groups *groups)
{
	int64_t score[DP_ATTRIBUTES_MAX];
	int64_t all = 0;

	dp_steps_score_left(scores, left->attribute, left->n, score);
	for (uint32_t i = 0; i < left->n; i++)
		all += score[i];
	for (uint64_t g = 0; g < groups->n; g++)
	{
		int64_t sum = 0;

		for (uint32_t k = 0; k < groups->size[g]; k++)
			sum += score[groups->member[g * groups->size_max + k]];
		groups->score[g] = difference_of_means(sum, groups->size[g], all, left->n);
	}
}

/* Moves the members from what is left to the end of the order. */
static void
take_group(const DpDomain *domain, const uint32_t *member, uint32_t size, Left *left,
		   uint32_t *order)
{
	uint32_t kept = 0;

	for (uint32_t i = 0, k = 0; i < left->n; i++)
	{
		if (k == size || member[k] != i)
		{
			left->attribute[kept++] = left->attribute[i];
			continue;
		}
		order[k++] = left->attribute[i];
		left->cells_above *= domain->attribute[left->attribute[i]].levels;
	}
	left->n = kept;
}

/* *size: 0 where no group is small enough. */
static DpStatus
choose_group(const DpMeasurement *m, const DpStepsSelection *selection, const DpStepsScores *scores,
			 Left *left, uint32_t *order, uint32_t *size)
{
	Groups groups;
	DpScores choice;
	size_t chosen;

	*size = 0;
	DP_TRY(make_groups(m, left, selection->nodes_max, &groups));
	if (groups.n > 0)
	{
		score_groups(scores, left, &groups);
		choice = (DpScores){.score = groups.score,
							.n = groups.n,
							.sensitivity = dp_steps_cluster_sensitivity(
								selection, &m->plan->request->unit, left->n)};
		DP_TRY(dp_select(&m->noise, &choice, selection->epsilon_each_nano, &chosen));
		*size = groups.size[chosen];
		take_group(m->domain, groups.member + chosen * groups.size_max, *size, left, order);
	}
	free_groups(m, &groups);
	return DP_OK;
}

DpStatus
dp_steps_select_clusters(const DpMeasurement *m, const DpStepsSelection *selection, uint32_t *order,
						 DpLayerWidths *widths, DpError *error)
{
	Left left = {.n = m->domain->attributes, .cells_above = 1};
	DpStepsScores scores;
	uint32_t placed = 0;

	for (uint32_t a = 0; a < left.n; a++)
		left.attribute[a] = a;
	*widths = (DpLayerWidths){.layers = 0};
	DP_TRY(dp_steps_scores(m, selection, &scores, error));
	while (widths->layers < selection->widths.layers && left.n > 1)
	{
		uint32_t size;

		dp_tick(m->noise.tick, -1.0);
		DP_TRY(choose_group(m, selection, &scores, &left, order + placed, &size));
		if (size == 0)
			break;
		widths->width[widths->layers++] = size;
		placed += size;
	}
	for (uint32_t i = 0; i < left.n; i++)
		order[placed + i] = left.attribute[i];
	dp_steps_scores_free(m, &scores);
	return DP_OK;
}
