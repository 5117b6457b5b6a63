/*
 * test_privtree_exact.c -- PrivTree by enumeration of whole trees: that the code has the
 * distribution that its proof speaks of, that this distribution keeps epsilon between neighbours
 * under both relations, and that less bias or less noise would not.
 */
#include "core/domain/range.h"
#include "core/mechanism/privtree.h"

#include "unit_arena.h"
#include "unit_walk.h"

#define CELLS_MAX 1024
#define NOISE_MAX 12 /* both ends stand for all beyond: no table of the walk tells them apart */

/* Takes the place of the noise: a walk over its values. */
DpStatus
dp_discrete_laplace(DpRng *rng, uint64_t numerator, uint64_t denominator, int64_t *out)
{
	long double a = expl(-(long double) numerator / (long double) denominator);
	Walk *walk = rng->context;
	uint64_t branch;

	DP_TRY(walk_branch(walk, 2 * NOISE_MAX + 1, &branch));
	*out = (int64_t) branch - NOISE_MAX;
	walk->probability *=
		powl(a, (long double) llabs(*out)) / (1 + a) * (llabs(*out) == NOISE_MAX ? 1 : 1 - a);
	return DP_OK;
}

/* The tree of all that follows: divides, or the nodes of a hierarchy. */
static const uint8_t *hierarchy;

static uint32_t
divide(const void *context, uint32_t low, uint32_t high)
{
	(void) context;
	return hierarchy == NULL ? low + (high - low) / 2 : dp_hierarchy_split(hierarchy, low, high);
}

/* ---- the distribution by its formula ---- */

typedef struct Distribution
{
	long double a; /* exp(-1/lam) */
	int64_t level_rows;
	uint32_t cells;
} Distribution;

static Distribution
distribution_of(const DpPrivTreeRule *rule, uint32_t cells)
{
	return (Distribution){
		expl(-(long double) rule->noise_numerator / (long double) rule->noise_denominator),
		rule->level_rows, cells};
}

/* log P[the node is split], or that it is not. */
static long double
log_decision(const Distribution *distribution, int64_t rows, int depth, bool splits)
{
	int64_t m = rows - depth * distribution->level_rows;
	long double tail;

	m = m < -distribution->level_rows ? -distribution->level_rows : m;
	if (!splits)
		m = 1 - m; /* P[Z <= -m] = P[Z >= m] = P[Z > -(1 - m)] */
	/* P[Z >= 1 - m] */
	tail = powl(distribution->a, fabsl((long double) (m <= 0 ? 1 - m : m))) / (1 + distribution->a);
	return m <= 0 ? logl(tail) : log1pl(-tail);
}

static int64_t
rows_in(const int64_t *counts, uint32_t low, uint32_t high)
{
	int64_t sum = 0;

	for (uint32_t i = low; i < high; i++)
		sum += counts[i];
	return sum;
}

/* Log probability of the tree whose leaves begin at the bits of a mask. */
static long double
log_tree(const Distribution *distribution, const int64_t *counts, uint64_t leaves, uint32_t low,
		 uint32_t high, int depth)
{
	uint64_t inside = (leaves >> low) & ((UINT64_C(1) << (high - low)) - 1);
	bool splits = inside != 1;
	uint32_t middle = divide(NULL, low, high);

	if (high - low == 1)
		return 0;
	return log_decision(distribution, rows_in(counts, low, high), depth, splits) +
		   (splits ? log_tree(distribution, counts, leaves, low, middle, depth + 1) +
						 log_tree(distribution, counts, leaves, middle, high, depth + 1)
				   : 0);
}

/* Whether a mask is a tree: each node that is split has leaves on both sides from its ends. */
static bool
is_tree(uint64_t leaves, uint32_t low, uint32_t high)
{
	uint64_t inside = (leaves >> low) & ((UINT64_C(1) << (high - low)) - 1);
	uint32_t middle = divide(NULL, low, high);

	if (inside == 1)
		return true;
	return (inside & 1) != 0 && high - low > 1 && is_tree(leaves, low, middle) &&
		   is_tree(leaves, middle, high);
}

/* ---- the code follows it ---- */

typedef struct Setting
{
	DpPrivTree goal;
	uint32_t cells;
	const int64_t *counts;
} Setting;

static DpStatus
sample(DpRng *rng, const void *parameter, int *outcome)
{
	const Setting *s = parameter;
	DpPublicTree tree = {s->cells, divide, NULL};
	DpArena arena = dp_arena_malloc();
	uint32_t leaf[CELLS_MAX], leaves = 0;
	DpMeter meter;
	DpStatus status;

	dp_meter_init(&meter, dp_cost_pure(s->goal.epsilon_nano));
	status = dp_privtree_release(&(DpNoiseSource){.meter = &meter, .rng = rng}, &s->goal, &tree,
								 s->counts, leaf, &leaves, &arena);
	*outcome = status == DP_OK ? 0 : -1;
	for (uint32_t i = 0; i < leaves && status == DP_OK; i++)
		*outcome |= 1 << leaf[i];
	dp_arena_malloc_free(&arena);
	return status;
}

static void
test_distribution(DpNeighbours neighbours, int64_t epsilon_nano, uint32_t cells,
				  const int64_t *counts)
{
	Setting s = {{epsilon_nano, {neighbours, 1}}, cells, counts};
	long double truth[WALK_OUTCOMES] = {0}, sum = 0;
	DpPrivTreeRule rule;
	Distribution distribution;
	Walk walk;

	MUST(dp_privtree_rule(&s.goal, &rule));
	distribution = distribution_of(&rule, cells);
	for (uint64_t leaves = 1; leaves < UINT64_C(1) << cells; leaves++)
		if (is_tree(leaves, 0, cells))
			sum += truth[leaves] = expl(log_tree(&distribution, counts, leaves, 0, cells, 0));
	CHECK_NEAR(sum, 1, 1e-15, "the probabilities of all trees add up to 1");
	walk_all(&walk, cells > 4 ? 1e-6L : 1e-12L, sample, &s);
	CHECK(walk_agrees(&walk, truth) && walk.lost < 0.02L,
		  "%u cells, %" PRId64 " rows: the distribution of the proof, within %.1Le", cells,
		  rows_in(counts, 0, cells), walk.lost);
}

static void
test_distributions(void)
{
	static const int64_t four[][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 3, 0}, {5, 1, 0, 1}};
	static const int64_t eight[8] = {3, 0, 0, 0, 0, 0, 1, 0};

	for (size_t i = 0; i < sizeof(four) / sizeof(*four); i++)
	{
		test_distribution(DP_ADD_REMOVE, 3 * DP_EPSILON_ONE, 4, four[i]);
		test_distribution(DP_REPLACE_ONE, 2 * DP_EPSILON_ONE, 4, four[i]);
	}
	test_distribution(DP_ADD_REMOVE, 6 * DP_EPSILON_ONE, 8, eight);
}

/* ---- the distribution is private ---- */

/* The largest |log ratio| of any tree, over all trees of all neighbours of small tables. */
static long double
worst_small(const Distribution *distribution, DpNeighbours neighbours)
{
	long double worst = 0;
	int64_t counts[8], other[8];

	for (int code = 0; code < 256; code++)
	{
		for (int i = 0; i < 8; i++)
			counts[i] = (code >> i & 1) * (1 + i * distribution->level_rows / 4);
		for (int in = 0; in < 8; in++)
		{
			memcpy(other, counts, sizeof(other));
			other[in]++;
			if (neighbours == DP_REPLACE_ONE)
			{
				int out = (in + 1 + code % 7) % 8;

				if (counts[out] == 0)
					continue;
				other[out]--;
			}
			for (uint64_t leaves = 1; leaves < 256; leaves += 2)
				if (is_tree(leaves, 0, 8))
					worst = fmaxl(worst, fabsl(log_tree(distribution, counts, leaves, 0, 8, 0) -
											   log_tree(distribution, other, leaves, 0, 8, 0)));
		}
	}
	return worst;
}

/* The largest log ratio of any tree between two tables: a tree is best below a node either
 * because the node is a leaf, or because it is split and both divides are best. */
static long double
best_ratio(const Distribution *distribution, const int64_t *here, const int64_t *there,
		   uint32_t low, uint32_t high, int depth)
{
	uint32_t middle = divide(NULL, low, high);
	int64_t a, b;
	long double leaf, split;

	if (high - low == 1 || memcmp(here + low, there + low, (high - low) * sizeof(*here)) == 0)
		return 0;
	a = rows_in(here, low, high);
	b = rows_in(there, low, high);
	leaf =
		log_decision(distribution, a, depth, false) - log_decision(distribution, b, depth, false);
	split = log_decision(distribution, a, depth, true) -
			log_decision(distribution, b, depth, true) +
			best_ratio(distribution, here, there, low, middle, depth + 1) +
			best_ratio(distribution, here, there, middle, high, depth + 1);
	return fmaxl(leaf, split);
}

/*
 * The worst of tables in which all rows are in the first and the last cell: there a path has the
 * same count on all its levels, which is the worst case of the proof.
 */
static long double
worst_deep(const Distribution *distribution, DpUnit unit, int64_t rows_max)
{
	int64_t here[CELLS_MAX] = {0}, there[CELLS_MAX] = {0};
	int64_t k = unit.rows_max;
	bool replaced = unit.neighbours == DP_REPLACE_ONE;
	long double worst = 0;

	for (int64_t first = k; first <= rows_max; first++)
		for (int i = 0; i < (replaced ? 3 : 1); i++)
		{
			here[0] = first;
			there[0] = first - k;
			here[distribution->cells - 1] = replaced ? i * (distribution->level_rows + 1) : 0;
			there[distribution->cells - 1] = here[distribution->cells - 1] + (replaced ? k : 0);
			worst = fmaxl(worst, best_ratio(distribution, here, there, 0, distribution->cells, 0));
			worst = fmaxl(worst, best_ratio(distribution, there, here, 0, distribution->cells, 0));
		}
	return worst;
}

static void
test_private(DpUnit unit, int64_t epsilon_nano)
{
	long double epsilon = (long double) epsilon_nano * 1e-9L, worst, lam;
	DpPrivTreeRule rule;
	Distribution distribution;

	MUST(dp_privtree_rule(&(DpPrivTree){epsilon_nano, unit}, &rule));
	lam = (long double) rule.noise_denominator / (long double) rule.noise_numerator;
	CHECK((long double) rule.level_rows >= lam * logl(2) &&
			  (long double) rule.level_rows < lam * logl(2) + 1.001L,
		  "a level takes lam ln 2 rows, rounded up");
	distribution = distribution_of(&rule, CELLS_MAX);
	worst = worst_deep(&distribution, unit, 14 * rule.level_rows);
	CHECK(worst <= epsilon * (1 + 1e-12L), "%s, %u rows, epsilon %.2Lf: at most e^%.4Lf",
		  unit.neighbours == DP_REPLACE_ONE ? "replaced" : "added", unit.rows_max, epsilon, worst);
	if (epsilon < 0.5L && unit.rows_max == 1) /* dlt is then hardly more than lam ln 2 */
		CHECK(worst >= 0.95L * epsilon, "and nearly as much: the test is tight");
	if (unit.rows_max == 1)
	{
		distribution.cells = 8;
		CHECK(worst_small(&distribution, unit.neighbours) <= epsilon * (1 + 1e-12L),
			  "all trees over 8 cells");
	}
}

/* What would happen with a mistake: the test above would notice. */
static void
test_notices(void)
{
	const DpUnit added = {DP_ADD_REMOVE, 1}, replaced = {DP_REPLACE_ONE, 1};
	DpPrivTreeRule rule;
	Distribution distribution;

	MUST(dp_privtree_rule(&(DpPrivTree){DP_EPSILON_ONE / 10, added}, &rule));
	distribution = distribution_of(&rule, CELLS_MAX);
	CHECK(worst_deep(&distribution, replaced, 14 * rule.level_rows) > 0.12L,
		  "lam of an added row is too little for a replaced one");
	distribution.level_rows = 0;
	CHECK(worst_deep(&distribution, added, 200) > 0.15L,
		  "without bias epsilon grows with the depth");
}

/* Nodes of one, two and five cells: the tree is deeper on one side. */
static void
test_hierarchy(void)
{
	static const uint8_t border[8] = {0, 2, 1, 2, 0, 0, 1, 0};
	static const int64_t four[4] = {2, 0, 3, 0};

	hierarchy = border;
	CHECK(divide(NULL, 0, 8) == 3 && divide(NULL, 0, 3) == 1 && divide(NULL, 3, 8) == 6,
		  "the coarsest borders are split first");
	test_distribution(DP_ADD_REMOVE, 3 * DP_EPSILON_ONE, 4, four);
	test_distribution(DP_REPLACE_ONE, 2 * DP_EPSILON_ONE, 4, four);
	for (int r = 0; r < 2; r++)
	{
		DpUnit unit = {r == 0 ? DP_ADD_REMOVE : DP_REPLACE_ONE, 1};
		DpPrivTreeRule rule;
		Distribution distribution;

		MUST(dp_privtree_rule(&(DpPrivTree){DP_EPSILON_ONE, unit}, &rule));
		distribution = distribution_of(&rule, 8);
		CHECK(worst_small(&distribution, unit.neighbours) <= 1 + 1e-12L,
			  "all trees over a hierarchy of 8 cells keep epsilon");
	}
	hierarchy = NULL;
}

static void
test_errors(void)
{
	DpPrivTreeRule rule;
	DpMeter meter;
	DpArena arena = dp_arena_malloc();
	uint32_t leaf[4], leaves;
	int64_t counts[4] = {0};
	DpNoiseSource noise = {.meter = &meter};
	DpPrivTree goal = {DP_EPSILON_ONE, {DP_ADD_REMOVE, 1}};

	CHECK_STATUS(dp_privtree_rule(&(DpPrivTree){0, {DP_ADD_REMOVE, 1}}, &rule), DP_ERR_ARGUMENT,
				 "epsilon 0 is refused");
	CHECK_STATUS(dp_privtree_rule(&(DpPrivTree){DP_EPSILON_ONE, {DP_ADD_REMOVE, 0}}, &rule),
				 DP_ERR_ARGUMENT, "a unit without rows is refused");
	CHECK_OK(dp_privtree_rule(&(DpPrivTree){1, {DP_REPLACE_ONE, 1000}}, &rule),
			 "the smallest epsilon has a rule");
	dp_meter_init(&meter, dp_cost_pure(DP_EPSILON_ONE - 1));
	CHECK_STATUS(dp_privtree_release(&noise, &goal, &(DpPublicTree){4, divide, NULL}, counts, leaf,
									 &leaves, &arena),
				 DP_ERR_OVERDRAW, "too little is left: nothing is drawn");
	goal.concentrated = true;
	CHECK(dp_privtree_cost(&goal).epsilon_nano == 0 &&
			  dp_privtree_cost(&goal).rho_pico == dp_rho_of_epsilon(DP_EPSILON_ONE),
		  "it can be charged as rho alone");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	test_distributions();
	test_hierarchy();
	for (int r = 0; r < 2; r++)
		for (uint32_t k = 1; k <= 3; k += 2)
		{
			test_private((DpUnit){r == 0 ? DP_ADD_REMOVE : DP_REPLACE_ONE, k}, DP_EPSILON_ONE / 10);
			test_private((DpUnit){r == 0 ? DP_ADD_REMOVE : DP_REPLACE_ONE, k}, DP_EPSILON_ONE);
			test_private((DpUnit){r == 0 ? DP_ADD_REMOVE : DP_REPLACE_ONE, k}, 5 * DP_EPSILON_ONE);
		}
	test_notices();
	test_errors();
	return unit_finish();
}
