/*
 * tree_growth.c -- distances, gains through the tree, candidates.
 */
#include "core/methods/mst/tree_growth.h"

#include <math.h>

#include "core/base/saturate.h"

#define NO_PAIR UINT32_MAX
#define ROWS_MAX (INT64_C(1) << 37) /* norms stop here; that makes them move less */
#define NOISE_KEPT 0.3 /* the part of the noise on all cells that is left after a fit */
#define DISTANCE_MAX (ROWS_MAX * DP_SCORE_UNIT)
#define LOSS_MAX (ROWS_MAX * DP_KERNEL_ONE)
#define WORK_MAX 0x1p35 /* limit of multiplications; beyond it a weight costs too much time */

typedef enum DpTreePlace
{
	OUTSIDE,
	IN_TREE,
	IN_OTHER /* in a tree that nothing more can join */
} DpTreePlace;

uint64_t
dp_tree_growth_cells(uint32_t attributes, uint64_t largest)
{
	uint64_t pairs = (uint64_t) attributes * attributes;

	return dp_add_saturated(4 * pairs, dp_multiply_saturated(4, largest));
}

/* ---- before the first pair ---- */

/*
 * The distance that a pair would have by chance alone if its expected table were the truth.
 * It is the mean deviation of a Poisson count (its limits for few rows and for many). The
 * noise of releasing the pair is added, of which a fit keeps a part.
 */
static int64_t
chance_of(const DpTreeGrowth *growth, uint64_t cells)
{
	double rows = NOISE_KEPT * DP_ABSOLUTE_OF_NORMAL * growth->noise_stddev * (double) cells;

	for (uint64_t k = 0; k < cells; k++)
	{
		double mean = growth->expected[k] > 0 ? growth->expected[k] : 0;

		rows += mean < 1 ? 2 * mean * exp(-mean) : DP_ABSOLUTE_OF_NORMAL * sqrt(mean);
	}
	return rows < ROWS_MAX ? (int64_t) (rows * DP_SCORE_UNIT) : DISTANCE_MAX;
}

/* What is expected of each attribute; NULL where something public connects some. The cliques are as
 * many as the attributes only where each has its own. */
static DpStatus
expect_one_way(const DpGraphicalMeasure *measure, double ***one)
{
	const DpGraphical *graphical = &measure->graphical;
	DpArena *arena = measure->m->arena;

	*one = NULL;
	if (graphical->tree.cliques != graphical->attributes)
		return DP_OK;
	*one = dp_alloc(arena, graphical->attributes, sizeof(**one));
	if (*one == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < graphical->attributes; a++)
	{
		(*one)[a] = dp_alloc(arena, graphical->levels[a], sizeof(***one));
		if ((*one)[a] == NULL)
			return DP_ERR_MEMORY;
		DP_TRY(dp_graphical_marginal(graphical, &(DpAttributeSet){1, &a}, (*one)[a]));
	}
	return DP_OK;
}

static void
free_one_way(const DpGraphicalMeasure *measure, double **one)
{
	const DpGraphical *graphical = &measure->graphical;

	for (uint32_t a = 0; one != NULL && a < graphical->attributes; a++)
		dp_free(measure->m->arena, one[a], graphical->levels[a], sizeof(**one));
	dp_free(measure->m->arena, one, graphical->attributes, sizeof(*one));
}

/* Makes the expected table of a pair: the product where attributes are independent. */
static DpStatus
expect_pair(DpTreeGrowth *growth, const DpAttributeSet *set, double *const *one)
{
	const DpGraphical *graphical = &growth->measure->graphical;
	uint32_t a = set->attribute[0], b = set->attribute[1];
	double rows = fmax(dp_graphical_total(graphical), 1);

	if (one == NULL)
		return dp_graphical_marginal(graphical, set, growth->expected);
	for (size_t x = 0; x < graphical->levels[a]; x++)
		for (size_t y = 0; y < graphical->levels[b]; y++)
			growth->expected[x * graphical->levels[b] + y] = one[a][x] * (one[b][y] / rows);
	return DP_OK;
}

static DpStatus
find_distances(DpTreeGrowth *growth)
{
	DpGraphicalMeasure *measure = growth->measure;
	double **one;

	DP_TRY(expect_one_way(measure, &one));
	for (uint32_t i = 0; i < measure->marginals; i++)
	{
		const DpExactMarginal *exact = &measure->exact[i];
		DpStatus status;

		if (exact->set.n != 2)
			continue;
		dp_tick(measure->m->noise.tick, -1.0);
		status = expect_pair(growth, &exact->set, one);
		if (status == DP_ERR_LIMIT) /* zeros and priors connect too much, by public sizes alone */
			continue;
		DP_TRY(status);
		growth->distance[i] = dp_graphical_distance_from(measure, i, growth->expected);
		growth->chance[i] = chance_of(growth, exact->cells);
		growth->pair[exact->set.attribute[0] * growth->attributes + exact->set.attribute[1]] = i;
		growth->pair[exact->set.attribute[1] * growth->attributes + exact->set.attribute[0]] = i;
	}
	free_one_way(measure, one);
	return DP_OK;
}

/* Whether tables are small enough for all products. Public numbers decide. */
static bool
can_weigh(const DpGraphicalMeasure *measure)
{
	double levels = 0;

	for (uint32_t a = 0; a < measure->m->domain->attributes; a++)
		levels += measure->grouping.levels[a];
	return levels * levels * levels <= WORK_MAX &&
		   measure->m->domain->attributes <= DP_TREE_ATTRIBUTES_MAX;
}

DpStatus
dp_tree_growth_init(DpTreeGrowth *growth, DpGraphicalMeasure *measure, uint32_t predicted,
					int64_t weight, double noise_stddev)
{
	DpArena *arena = measure->m->arena;
	uint32_t p = measure->m->domain->attributes;

	*growth = (DpTreeGrowth){
		.measure = measure, .attributes = p, .predicted = predicted, .work_cells = 1};
	growth->weight = can_weigh(measure) ? weight : 0;
	growth->noise_stddev = noise_stddev;
	for (uint32_t i = 0; i < measure->marginals; i++)
		if (measure->exact[i].cells > growth->work_cells)
			growth->work_cells = measure->exact[i].cells;
	growth->place = dp_alloc(arena, p, sizeof(*growth->place));
	growth->pair = dp_alloc(arena, (size_t) p * p, sizeof(*growth->pair));
	growth->gain = dp_alloc(arena, (size_t) p * p, sizeof(*growth->gain));
	growth->distance = dp_alloc(arena, measure->marginals, sizeof(*growth->distance));
	growth->chance = dp_alloc(arena, measure->marginals, sizeof(*growth->chance));
	growth->expected = dp_alloc(arena, growth->work_cells, sizeof(double));
	growth->kernel = dp_alloc(arena, growth->work_cells, sizeof(double));
	growth->exact = dp_alloc(arena, growth->work_cells, sizeof(double));
	growth->product = dp_alloc(arena, growth->work_cells, sizeof(double));
	if (growth->place == NULL || growth->pair == NULL || growth->gain == NULL ||
		growth->distance == NULL || growth->chance == NULL || growth->expected == NULL ||
		growth->kernel == NULL || growth->exact == NULL || growth->product == NULL)
		return DP_ERR_MEMORY;
	for (size_t k = 0; k < (size_t) p * p; k++)
		growth->pair[k] = NO_PAIR;
	return find_distances(growth);
}

/* ---- candidates ---- */

static int64_t
at_most(int64_t value, int64_t limit)
{
	return value < limit ? value : limit;
}

/* The unit of a score for one row. Without a weight nothing is in 1/DP_KERNEL_ONE. */
static int64_t
score_unit(int64_t weight)
{
	return weight > 0 ? (int64_t) DP_SCORE_UNIT * DP_TREE_WEIGHT_ONE * DP_KERNEL_ONE
					  : DP_SCORE_UNIT;
}

/* What a score says of the pair of a and b, as it counts. */
static int64_t
said_of(const DpTreeGrowth *growth, uint32_t a, uint32_t b, int64_t value)
{
	bool counts_whole =
		growth->predicted == DP_PREDICT_NONE || a == growth->predicted || b == growth->predicted;

	return counts_whole ? value : value / DP_PREDICT_OTHERS;
}

static int64_t
score(const DpTreeGrowth *growth, uint32_t i, uint32_t j)
{
	uint32_t cell = i * growth->attributes + j;
	uint32_t exact = growth->pair[cell];
	int64_t distance = at_most(growth->distance[exact], DISTANCE_MAX) - growth->chance[exact];

	return said_of(growth, i, j, distance * (score_unit(growth->weight) / DP_SCORE_UNIT)) +
		   growth->weight * growth->gain[cell];
}

/* With a thousand columns most of the time is reading memory: so a pair's cells are those of its
 * levels, and its exact is left alone. */
static void
list_pairs(const DpTreeGrowth *growth, DpTreePlace from, uint64_t capacity, uint32_t *candidate,
		   int64_t *scores, size_t *n)
{
	const DpGraphicalMeasure *measure = growth->measure;
	const uint32_t *levels = measure->grouping.levels;
	uint32_t p = growth->attributes;

	for (uint32_t i = 0; i < p; i++)
	{
		if (growth->place[i] != from)
			continue;
		for (uint32_t j = from == OUTSIDE ? i : 0; j < p; j++)
		{
			uint32_t exact = growth->pair[i * p + j];

			if (growth->place[j] != OUTSIDE || exact == NO_PAIR ||
				(uint64_t) levels[i] * levels[j] > capacity ||
				!dp_graphical_can_hold(measure, exact))
				continue;
			candidate[*n] = exact;
			scores[(*n)++] = score(growth, i, j);
		}
	}
}

int64_t
dp_tree_growth_sensitivity(int64_t weight, uint32_t attributes)
{
	int64_t others = attributes > 1 ? attributes - 1 : 0;

	return score_unit(weight) / DP_TREE_WEIGHT_ONE * (DP_TREE_WEIGHT_ONE + 3 * others * weight);
}

void
dp_tree_growth_list(DpTreeGrowth *growth, uint64_t capacity, uint32_t *candidate, int64_t *scores,
					size_t *n, int64_t *sensitivity)
{
	*n = 0;
	list_pairs(growth, IN_TREE, capacity, candidate, scores, n);
	*sensitivity = dp_tree_growth_sensitivity(growth->weight, growth->joined);
	if (*n > 0)
		return;
	for (uint32_t a = 0; a < growth->attributes; a++)
		if (growth->place[a] == IN_TREE)
			growth->place[a] = IN_OTHER;
	growth->joined = 0;
	list_pairs(growth, OUTSIDE, capacity, candidate, scores, n);
	*sensitivity = dp_tree_growth_sensitivity(growth->weight, 0);
}

/* ---- gains ---- */

/* Makes kernel[of's levels][given's levels] from the expected table of both: the shares of the
 * levels of `of` given a level of `given`, in integers. */
static void
make_kernel(DpTreeGrowth *growth, uint32_t of, uint32_t given)
{
	const uint32_t *levels = growth->measure->grouping.levels;
	size_t step_of = of < given ? levels[given] : 1, step_given = of < given ? 1 : levels[of];

	for (uint32_t g = 0; g < levels[given]; g++)
	{
		double sum = 0, so_far = 0;
		int64_t before = 0;

		for (uint32_t k = 0; k < levels[of]; k++)
			sum += growth->expected[k * step_of + g * step_given];
		for (uint32_t k = 0; k < levels[of]; k++)
		{
			/* What rounding leaves goes on to the next level. The sum is at most one, whatever
			 * the numbers are. */
			double share = (so_far += growth->expected[k * step_of + g * step_given]) / sum;
			int64_t up_to = share < 1 ? (int64_t) (fmax(share, 0) * DP_KERNEL_ONE) : DP_KERNEL_ONE;

			up_to = up_to > before ? up_to : before;
			growth->kernel[k * levels[given] + g] = (double) (up_to - before);
			before = up_to;
		}
	}
}

/* Copies exact[i's levels][j's levels]. */
static void
copy_exact(DpTreeGrowth *growth, uint32_t i, uint32_t j)
{
	const DpExactMarginal *exact =
		&growth->measure->exact[growth->pair[i * growth->attributes + j]];
	const uint32_t *levels = growth->measure->grouping.levels;
	size_t step_i = i < j ? levels[j] : 1, step_j = i < j ? 1 : levels[i];

	for (uint32_t x = 0; x < levels[i]; x++)
		for (uint32_t y = 0; y < levels[j]; y++)
			growth->exact[x * levels[j] + y] = (double) exact->count[x * step_i + y * step_j];
}

/* |M_aj - K M_ij| in 1/DP_KERNEL_ONE rows, where the kernel K is a's given i. It is exact: below
 * 2^41 rows no cell leaves 2^53, and a sum that does is beyond LOSS_MAX. */
static int64_t
find_loss(DpTreeGrowth *growth, uint32_t a, uint32_t i, uint32_t j)
{
	const uint32_t *levels = growth->measure->grouping.levels;
	size_t cells = (size_t) levels[a] * levels[j];
	double loss = 0;

	copy_exact(growth, i, j);
	for (size_t k = 0; k < cells; k++)
		growth->product[k] = 0;
	dp_product_rows(
		growth->kernel, growth->exact, growth->product,
		(DpProductShape){.rows = levels[a], .terms = levels[i], .columns = levels[j], .run = 1});
	copy_exact(growth, a, j);
	for (size_t k = 0; k < cells; k++)
	{
		double gap = growth->exact[k] * DP_KERNEL_ONE - growth->product[k];

		loss += gap < 0 ? -gap : gap;
	}
	return loss < LOSS_MAX ? (int64_t) loss : LOSS_MAX;
}

/* Adds what the pairs of i with attributes outside would tell about a's pairs with them. */
static void
add_gains(DpTreeGrowth *growth, uint32_t a, uint32_t i)
{
	uint32_t p = growth->attributes;

	make_kernel(growth, a, i);
	for (uint32_t j = 0; j < p; j++)
	{
		uint32_t other = growth->pair[a * p + j];

		if (growth->place[j] != OUTSIDE || other == NO_PAIR || growth->pair[i * p + j] == NO_PAIR)
			continue;
		growth->gain[i * p + j] +=
			said_of(growth, a, j,
					at_most(growth->distance[other], DISTANCE_MAX) * DP_KERNEL_ONE -
						find_loss(growth, a, i, j) * DP_SCORE_UNIT);
		dp_tick(growth->measure->m->noise.tick, -1.0);
	}
}

/* Adds the gains between an attribute that has just joined and those that were there. */
static DpStatus
meet(DpTreeGrowth *growth, uint32_t joined)
{
	DpGraphicalMeasure *measure = growth->measure;

	for (uint32_t a = 0; a < growth->attributes; a++)
	{
		uint32_t pair = growth->pair[a * growth->attributes + joined];
		DpStatus status;

		if (growth->place[a] != IN_TREE || a == joined || pair == NO_PAIR)
			continue;
		status =
			dp_graphical_marginal(&measure->graphical, &measure->exact[pair].set, growth->expected);
		if (status == DP_ERR_LIMIT) /* by public sizes alone: nothing is gained */
			continue;
		DP_TRY(status);
		add_gains(growth, a, joined);
		add_gains(growth, joined, a);
	}
	return DP_OK;
}

DpStatus
dp_tree_growth_join(DpTreeGrowth *growth, uint32_t exact)
{
	const uint32_t *attribute = growth->measure->exact[exact].set.attribute;
	uint32_t outside = 0;

	for (uint32_t k = 0; k < 2; k++)
	{
		if (growth->place[attribute[k]] == IN_TREE)
			continue;
		growth->place[attribute[k]] = IN_TREE;
		growth->joined++;
		outside = attribute[k];
	}
	if (growth->weight == 0 || growth->joined == growth->attributes)
		return DP_OK;
	return meet(growth, outside);
}

void
dp_tree_growth_free(DpTreeGrowth *growth)
{
	DpArena *arena = growth->measure->m->arena;
	size_t p = growth->attributes;

	dp_free(arena, growth->place, p, sizeof(*growth->place));
	dp_free(arena, growth->pair, p * p, sizeof(*growth->pair));
	dp_free(arena, growth->gain, p * p, sizeof(*growth->gain));
	dp_free(arena, growth->distance, growth->measure->marginals, sizeof(*growth->distance));
	dp_free(arena, growth->chance, growth->measure->marginals, sizeof(*growth->chance));
	dp_free(arena, growth->expected, growth->work_cells, sizeof(double));
	dp_free(arena, growth->kernel, growth->work_cells, sizeof(double));
	dp_free(arena, growth->exact, growth->work_cells, sizeof(double));
	dp_free(arena, growth->product, growth->work_cells, sizeof(double));
}
