/*
 * belief_query.c -- tables over attributes that no clique holds together.
 *
 * The cliques that connect the attributes are a subtree, and one of them is its top. Each other
 * clique sends a message towards the top: a table over its separator and the wanted attributes
 * below it, divided by the counts of the separator. This is the probability of these attributes
 * given the separator. So at each clique a few small tables are multiplied, and whatever is not
 * needed further up is summed out.
 */
#include <float.h>
#include <string.h>

#include "core/base/index_list.h"
#include "core/base/saturate.h"
#include "core/estimate/factor_product.h"
#include "core/graphical/belief.h"

#define TABLE_ATTRIBUTES_MAX DP_PRODUCT_AXES_MAX
#define KEPT_MAX 4096
#define KEPT_LISTS 64  /* for each clique */
#define WORK_FACTOR 16 /* products of cells that may be summed for each cell */
#define SECONDS_A_SUMMED_CELL 5e-10

typedef struct Factor
{
	uint32_t n;
	uint32_t attribute[TABLE_ATTRIBUTES_MAX]; /* ascending */
	uint64_t cells;
	double *cell;
	bool kept; /* kept for other queries too, not to be freed */
} Factor;

/* The message of a clique to its neighbour `up`, about some of the attributes below. */
typedef struct Kept
{
	struct Kept *next;
	uint32_t up;
	Factor about; /* its attributes alone */
	Factor table;
} Kept;

struct DpBeliefKept
{
	DpArena *arena;
	uint32_t n;
	uint64_t cells_max, cells_left;
	bool full;      /* a message found no space */
	double seconds; /* of queries so far, by a price for each step */
	uint32_t cliques;
	Kept **first; /* [cliques x KEPT_LISTS] the messages of each */
};

typedef struct Query
{
	const DpBelief *belief;
	const DpAttributeSet *set;
	uint64_t cells_max;
	uint64_t *cells_left; /* what is left of cells_max, for all tables that exist at a time */
	DpArena *arena;
	uint32_t *up; /* [cliques] the neighbour towards the top of the subtree */
	bool *used;   /* [cliques] whether it is in the subtree */
} Query;

static void
add_seconds(const DpBelief *belief, double seconds)
{
	if (belief->kept != NULL)
		belief->kept->seconds += seconds;
}

double
dp_belief_seconds(const DpBelief *belief)
{
	return belief->kept != NULL ? belief->kept->seconds : 0;
}

/* Of a product of tables: its inner loops are over the last two attributes. */
static double
product_seconds(const DpProductAxis *axis, uint32_t n, uint64_t cells)
{
	double inner = 1;

	for (uint32_t k = n > 2 ? n - 2 : 0; k < n; k++)
		inner *= axis[k].size;
	return (double) cells * (SECONDS_A_SUMMED_CELL + DP_SECONDS_A_RUN / inner);
}

/* ---- factors ---- */

static void
factor_free(const Query *query, Factor *factor)
{
	if (factor->cell == NULL)
		return;
	if (!factor->kept)
		dp_free(query->arena, factor->cell, factor->cells, sizeof(double));
	*query->cells_left += factor->cells;
	factor->cell = NULL;
}

static DpStatus
factor_allocate(const Query *query, Factor *factor)
{
	factor->cells = 1;
	for (uint32_t k = 0; k < factor->n; k++)
		factor->cells =
			dp_multiply_saturated(factor->cells, query->belief->levels[factor->attribute[k]]);
	factor->cell = NULL;
	factor->kept = false;
	if (factor->cells > *query->cells_left)
		return DP_ERR_LIMIT;
	factor->cell = dp_alloc_uncleared(query->arena, factor->cells, sizeof(double));
	DP_TRY_ALLOC(factor->cell);
	*query->cells_left -= factor->cells;
	return DP_OK;
}

/* The attributes of a and of b together. */
static DpStatus
unite(const Factor *a, const uint32_t *b, uint32_t b_n, Factor *out)
{
	uint32_t i = 0, k = 0;

	out->n = 0;
	while (i < a->n || k < b_n)
	{
		uint32_t next = i >= a->n || (k < b_n && b[k] < a->attribute[i]) ? b[k] : a->attribute[i];

		if (out->n == TABLE_ATTRIBUTES_MAX)
			return DP_ERR_LIMIT;
		out->attribute[out->n++] = next;
		i += i < a->n && a->attribute[i] == next;
		k += k < b_n && b[k] == next;
	}
	return DP_OK;
}

/* Drops, in place, those attributes of a factor that are not in keep. */
static void
intersect(Factor *factor, const Factor *keep)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < factor->n; k++)
		if (dp_index_among(keep->attribute, keep->n, factor->attribute[k]))
			factor->attribute[n++] = factor->attribute[k];
	factor->n = n;
}

static uint64_t
step_in(const uint32_t *levels, const Factor *factor, uint32_t attribute)
{
	return dp_set_step(&(DpAttributeSet){factor->n, factor->attribute}, levels, attribute);
}

/* Sets out to the sum of a x b over the attributes that out lacks. Only the message of this
 * child is about them, so both tables have them. */
static DpStatus
multiply(const Query *query, const Factor *a, const Factor *b, Factor *out)
{
	const uint32_t *levels = query->belief->levels;
	DpProductAxis axis[TABLE_ATTRIBUTES_MAX];
	uint64_t work = 1;
	Factor both;

	DP_TRY(unite(a, b->attribute, b->n, &both));
	DP_TRY(factor_allocate(query, out));
	for (uint32_t k = 0; k < both.n; k++)
	{
		uint32_t attribute = both.attribute[k];

		axis[k] = (DpProductAxis){levels[attribute], step_in(levels, a, attribute),
								  step_in(levels, b, attribute), step_in(levels, out, attribute)};
		work = dp_multiply_saturated(work, levels[attribute]);
	}
	if (work > dp_multiply_saturated(query->cells_max, WORK_FACTOR))
		return DP_ERR_LIMIT;
	add_seconds(query->belief, product_seconds(axis, both.n, work));
	return dp_factor_product(axis, both.n, a->cell, b->cell, out->cell, query->arena);
}

/* ---- the subtree ---- */

/*
 * The clique that holds most of the wanted attributes. Of several it is one with the last of them:
 * whoever asks for one attribute with each of the others then finds all messages about the first
 * among those that are kept.
 */
static uint32_t
find_top(const Query *query)
{
	const DpJunctionTree *tree = query->belief->tree;
	uint32_t best = 0, best_rank = 0;

	for (uint32_t i = 0; i < tree->cliques; i++)
	{
		const DpAttributeSet *set = &tree->clique[i].set;
		uint32_t n = 0, last = 0, rank;

		for (uint32_t k = 0; k < query->set->n; k++)
			if (dp_index_among(set->attribute, set->n, query->set->attribute[k]))
			{
				n++;
				last = k;
			}
		rank = n * query->set->n + last;
		if (rank > best_rank ||
			(rank == best_rank && n > 0 && tree->clique[i].cells < tree->clique[best].cells))
		{
			best = i;
			best_rank = rank;
		}
	}
	return best;
}

/* Directs every clique towards top: first up to the root, then down again. */
static void
direct(Query *query, uint32_t top)
{
	const DpJunctionTree *tree = query->belief->tree;

	for (uint32_t i = 0; i < tree->cliques; i++)
		query->up[i] = tree->clique[i].parent;
	for (uint32_t i = top, below = top; i != 0; i = below)
	{
		below = tree->clique[i].parent;
		query->up[below] = i;
	}
	query->up[top] = top;
}

static uint32_t
distance(const Query *query, uint32_t clique, uint32_t top)
{
	uint32_t n = 0;

	for (; clique != top && !query->used[clique]; clique = query->up[clique])
		n++;
	return n;
}

/* Adds to the subtree the nearest clique with the attribute, and all cliques between. */
static void
reach(Query *query, uint32_t attribute, uint32_t top)
{
	const DpJunctionTree *tree = query->belief->tree;
	uint32_t best = tree->cliques, best_n = 0;

	for (uint32_t i = 0; i < tree->cliques; i++)
	{
		uint32_t n;

		if (!dp_set_holds(&tree->clique[i].set, attribute))
			continue;
		n = distance(query, i, top);
		if (best == tree->cliques || n < best_n)
		{
			best = i;
			best_n = n;
		}
	}
	for (; best != top && !query->used[best]; best = query->up[best])
		query->used[best] = true;
}

/* ---- messages ---- */

/* The clique that has the separator between a clique and its neighbour: the one that is the
 * child of the other. */
static const DpClique *
edge(const Query *query, uint32_t clique)
{
	const DpJunctionTree *tree = query->belief->tree;
	uint32_t up = query->up[clique];

	return &tree->clique[tree->clique[clique].parent == up && clique != 0 ? clique : up];
}

static DpStatus
clique_sum(const Query *query, uint32_t clique, Factor *out)
{
	const DpClique *of = &query->belief->tree->clique[clique];
	DpWalk walk;

	DP_TRY(factor_allocate(query, out));
	DP_TRY(dp_walk_init(&walk, query->belief->levels, &of->set,
						&(DpAttributeSet){out->n, out->attribute}));
	dp_walk_sum(&walk, query->belief->clique[clique].cell, out->cell);
	add_seconds(query->belief, SECONDS_A_SUMMED_CELL * (double) of->cells);
	return DP_OK;
}

/* Which attributes the clique's table must still have: wanted ones, its upper separator, and
 * what the messages of its children are about. */
static DpStatus
needed(const Query *query, uint32_t clique, bool top, const Factor *messages, uint32_t n,
	   Factor *keep)
{
	Factor so_far = {.n = 0};

	if (!top)
		DP_TRY(unite(&so_far, edge(query, clique)->separator.attribute,
					 edge(query, clique)->separator.n, keep));
	else
		*keep = so_far;
	so_far = *keep;
	DP_TRY(unite(&so_far, query->set->attribute, query->set->n, keep));
	for (uint32_t i = 0; i < n; i++)
	{
		so_far = *keep;
		DP_TRY(unite(&so_far, messages[i].attribute, messages[i].n, keep));
	}
	return DP_OK;
}

/* Turns the counts of each slice of the separator into probabilities that add up to 1. Of one so
 * small that its inverse is infinite nothing is left: 0 times that would be no number. */
static DpStatus
divide_by_separator(const Query *query, uint32_t clique, Factor *table)
{
	const DpClique *of = edge(query, clique);
	double *mass;
	DpWalk walk;

	DP_TRY(dp_walk_init(&walk, query->belief->levels, &(DpAttributeSet){table->n, table->attribute},
						&of->separator));
	mass = dp_alloc(query->arena, of->separator_cells, sizeof(double));
	DP_TRY_ALLOC(mass);
	dp_walk_sum(&walk, table->cell, mass);
	for (uint64_t i = 0; i < of->separator_cells; i++)
		mass[i] = mass[i] >= DBL_MIN ? 1 / mass[i] : 0;
	dp_walk_multiply(&walk, table->cell, mass);
	add_seconds(query->belief, dp_walk_seconds(&walk));
	dp_free(query->arena, mass, of->separator_cells, sizeof(double));
	return DP_OK;
}

/* The table of the clique itself, over the attributes that are needed. */
static DpStatus
own_message(const Query *query, uint32_t clique, bool top, const Factor *child, uint32_t n,
			Factor *out)
{
	const DpAttributeSet *set = &query->belief->tree->clique[clique].set;
	const Factor none = {.n = 0};
	Factor keep;

	DP_TRY(needed(query, clique, top, child, n, &keep));
	DP_TRY(unite(&none, set->attribute, set->n, out));
	intersect(out, &keep);
	DP_TRY(clique_sum(query, clique, out));
	return top ? DP_OK : divide_by_separator(query, clique, out);
}

/* Multiplies *table by the message of its first child, and keeps what is needed above and by the
 * n - 1 other messages. */
static DpStatus
absorb(const Query *query, uint32_t clique, bool top, Factor *child, uint32_t n, Factor *table)
{
	Factor product = {.n = 0}, keep;
	DpStatus status;

	DP_TRY(needed(query, clique, top, child + 1, n - 1, &keep));
	DP_TRY(unite(table, child->attribute, child->n, &product));
	intersect(&product, &keep);
	status = multiply(query, table, child, &product);
	factor_free(query, table);
	factor_free(query, child);
	*table = product;
	return status;
}

/* Multiplies a clique's table and the messages of its children, and keeps what is needed above.
 * The caller frees out and child, also after an error. */
static DpStatus
message(const Query *query, uint32_t clique, bool top, Factor *child, uint32_t n, Factor *out)
{
	DP_TRY(own_message(query, clique, top, child, n, out));
	for (uint32_t i = 0; i < n; i++)
		DP_TRY(absorb(query, clique, top, child + i, n - i, out));
	return DP_OK;
}

/* ---- messages that are kept ---- */

DpStatus
dp_belief_keep(DpBelief *belief, uint64_t cells_max, DpArena *arena)
{
	DpBeliefKept *kept = dp_alloc(arena, 1, sizeof(*kept));

	dp_belief_forget(belief);
	DP_TRY_ALLOC(kept);
	*kept = (DpBeliefKept){.arena = arena,
						   .cells_max = cells_max,
						   .cells_left = cells_max,
						   .cliques = belief->tree->cliques};
	kept->first = dp_alloc(arena, (size_t) kept->cliques * KEPT_LISTS, sizeof(*kept->first));
	DP_TRY_ALLOC(kept->first);
	belief->kept = kept;
	return DP_OK;
}

static void
drop_messages(DpBeliefKept *kept)
{
	for (size_t i = 0; i < (size_t) kept->cliques * KEPT_LISTS; i++)
		for (Kept *entry = kept->first[i], *next; entry != NULL; entry = next)
		{
			next = entry->next;
			dp_free(kept->arena, entry->table.cell, entry->table.cells, sizeof(double));
			dp_free(kept->arena, entry, 1, sizeof(*entry));
		}
	memset(kept->first, 0, (size_t) kept->cliques * KEPT_LISTS * sizeof(*kept->first));
	kept->n = 0;
	kept->cells_left = kept->cells_max;
	kept->full = false;
}

void
dp_belief_forget(DpBelief *belief)
{
	DpBeliefKept *kept = belief->kept;

	if (kept == NULL)
		return;
	drop_messages(kept);
	dp_free(kept->arena, kept->first, (size_t) kept->cliques * KEPT_LISTS, sizeof(*kept->first));
	dp_free(kept->arena, kept, 1, sizeof(*kept));
	belief->kept = NULL;
}

/* Whether the way to the top, from a used clique with the attribute, leads through this clique. */
static bool
is_below(const Query *query, uint32_t attribute, uint32_t clique, uint32_t top)
{
	const DpJunctionTree *tree = query->belief->tree;

	for (uint32_t i = 0; i < tree->cliques; i++)
	{
		const DpAttributeSet *set = &tree->clique[i].set;

		if (!query->used[i] || !dp_set_holds(set, attribute))
			continue;
		while (i != clique && i != top)
			i = query->up[i];
		return i == clique;
	}
	return false;
}

/* What a clique's message is about: the wanted attributes below it that its separator lacks. All
 * cliques with one of these are on the same side of the separator. */
static void
find_about(const Query *query, uint32_t clique, uint32_t top, Factor *about)
{
	const DpAttributeSet *separator = &edge(query, clique)->separator;

	about->n = 0;
	for (uint32_t k = 0; k < query->set->n && about->n < TABLE_ATTRIBUTES_MAX; k++)
	{
		uint32_t attribute = query->set->attribute[k];

		if (!dp_set_holds(separator, attribute) && is_below(query, attribute, clique, top))
			about->attribute[about->n++] = attribute;
	}
}

/* Finds the list with the message of a clique about given attributes, if there is one. */
static Kept **
kept_list(const DpBeliefKept *kept, uint32_t clique, const Factor *about)
{
	uint32_t hash = 0;

	for (uint32_t k = 0; k < about->n; k++)
		hash = hash * 31 + about->attribute[k];
	return &kept->first[(size_t) clique * KEPT_LISTS + hash % KEPT_LISTS];
}

static const Kept *
find_kept(const Query *query, uint32_t clique, const Factor *about)
{
	for (const Kept *entry = *kept_list(query->belief->kept, clique, about); entry != NULL;
		 entry = entry->next)
		if (entry->up == query->up[clique] && entry->about.n == about->n &&
			memcmp(entry->about.attribute, about->attribute,
				   about->n * sizeof(*about->attribute)) == 0)
			return entry;
	return NULL;
}

static DpStatus
keep(DpBeliefKept *kept, uint32_t clique, uint32_t up, const Factor *about, Factor *message)
{
	Kept *entry, **list = kept_list(kept, clique, about);

	if (message->cells > kept->cells_max / 4)
		return DP_OK;
	kept->full = kept->n == KEPT_MAX || message->cells > kept->cells_left;
	if (kept->full)
		return DP_OK;
	entry = dp_alloc(kept->arena, 1, sizeof(*entry));
	DP_TRY_ALLOC(entry);
	message->kept = true;
	*entry = (Kept){*list, up, *about, *message};
	*list = entry;
	kept->n++;
	kept->cells_left -= message->cells;
	return DP_OK;
}

static DpStatus collect(const Query *query, uint32_t clique, uint32_t top, Factor *out);

/* The message of a clique below the top. It is taken from those that are kept, or is kept from
 * now on. */
static DpStatus
collect_once(const Query *query, uint32_t clique, uint32_t top, Factor *out)
{
	DpBeliefKept *kept = query->belief->kept;
	const Kept *entry;
	Factor about;

	if (kept == NULL)
		return collect(query, clique, top, out);
	find_about(query, clique, top, &about);
	entry = find_kept(query, clique, &about);
	if (entry != NULL)
	{
		if (entry->table.cells > *query->cells_left)
			return DP_ERR_LIMIT;
		*query->cells_left -= entry->table.cells;
		*out = entry->table;
		return DP_OK;
	}
	DP_TRY(collect(query, clique, top, out));
	return keep(kept, clique, query->up[clique], &about, out);
}

/* ---- queries ---- */

static DpStatus
collect(const Query *query, uint32_t clique, uint32_t top, Factor *out)
{
	const DpJunctionTree *tree = query->belief->tree;
	Factor *child = dp_alloc(query->arena, query->set->n, sizeof(*child));
	DpStatus status = child == NULL ? DP_ERR_MEMORY : DP_OK;
	uint32_t n = 0;

	for (uint32_t i = 0; i < tree->cliques && status == DP_OK; i++)
		if (query->used[i] && i != clique && i != top && query->up[i] == clique)
			status =
				collect_once(query, i, top, &child[n++]); /* each leads to a wanted attribute */
	if (status == DP_OK)
		status = message(query, clique, clique == top, child, n, out);
	for (uint32_t i = 0; i < n; i++)
		factor_free(query, &child[i]);
	dp_free(query->arena, child, query->set->n, sizeof(*child));
	return status;
}

/* Answers a query whose attributes are in several cliques. */
static DpStatus
query_subtree(Query *query, double *out)
{
	uint32_t top = find_top(query);
	Factor result = {.n = 0};
	DpStatus status;

	if (query->belief->kept != NULL && query->belief->kept->full)
		drop_messages(query->belief->kept);
	direct(query, top);
	query->used[top] = true;
	for (uint32_t k = 0; k < query->set->n; k++)
		reach(query, query->set->attribute[k], top);
	status = collect(query, top, top, &result);
	if (status == DP_OK)
		memcpy(out, result.cell, result.cells * sizeof(*out));
	factor_free(query, &result);
	return status;
}

DpStatus
dp_belief_marginal(const DpBelief *belief, const DpAttributeSet *set, uint64_t cells_max,
				   double *out, DpArena *arena)
{
	const DpJunctionTree *tree = belief->tree;
	uint32_t clique = dp_junction_tree_find(tree, set);
	uint64_t left = cells_max;
	Query query = {
		.belief = belief, .set = set, .cells_max = cells_max, .cells_left = &left, .arena = arena};
	DpStatus status;
	DpWalk walk;

	if (clique < tree->cliques)
	{
		const DpAttributeSet *of = &tree->clique[clique].set;

		DP_TRY(dp_walk_init(&walk, belief->levels, of, set));
		dp_walk_sum(&walk, belief->clique[clique].cell, out);
		add_seconds(belief, SECONDS_A_SUMMED_CELL * (double) tree->clique[clique].cells);
		return DP_OK;
	}
	query.up = dp_alloc(arena, tree->cliques, sizeof(*query.up));
	query.used = dp_alloc(arena, tree->cliques, sizeof(*query.used));
	status = query.up == NULL || query.used == NULL ? DP_ERR_MEMORY : query_subtree(&query, out);
	dp_free(arena, query.up, tree->cliques, sizeof(*query.up));
	dp_free(arena, query.used, tree->cliques, sizeof(*query.used));
	return status;
}
