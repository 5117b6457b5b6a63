/*
 * conditional_sampler.c -- exact draws from a junction tree given levels that differ from row to
 * row.
 *
 * With the counts n_C of the cliques and n_S of the separators the joint distribution is prod n_C /
 * prod n_S. For a row, a message goes from each clique to its parent: for each combination of the
 * open attributes of the separator, the sum of n_C / n_S times the messages from below, over the
 * cells that agree with what is known. Then the cliques are drawn from the root on, each given the
 * open attributes that its separator has got. This is belief propagation (Lauritzen and
 * Spiegelhalter 1988) over the open cells alone.
 *
 * Rows come in order of what is known of them. So a clique keeps the weights of its cells until
 * something changes that they depend on, and a row costs a search in their sums, and not a visit
 * to each cell.
 */
#include "core/sample/clique_conditional.h"
#include "core/sample/conditional_sampler.h"

#include <string.h>

#include "core/base/row_major.h"
#include "core/sample/graphical_fit.h"

#define NOTHING UINT32_MAX
#define OPEN_CELLS_MAX (UINT64_C(1) << 22) /* of one clique */

/* Attributes of a clique, and what each counts in the number of a cell or an entry. */
typedef struct Steps
{
	uint32_t n;
	uint32_t *attribute; /* [n] */
	uint64_t *step;      /* [n] */
} Steps;

/* The entries of the message of a clique: combinations of the open attributes of its separator. */
typedef struct Entries
{
	uint32_t n;
	uint32_t *of_cell; /* [cells] the one to which a cell belongs */
	uint32_t *order;   /* [cells] by entry, and there ascending */
	uint32_t *start;   /* [n + 1] where the cells of an entry begin in order */
} Entries;

/* The child cliques whose separator has an unknown attribute. */
typedef struct Children
{
	uint32_t n;
	uint32_t *node;   /* [n] */
	uint32_t **entry; /* [n][cells] the one of the child's message */
} Children;

/* What a clique keeps of the row that was drawn last. */
typedef struct Weighed
{
	bool is_valid;     /* the following hold */
	bool is_changed;   /* they did not hold before it */
	uint64_t known_at; /* the first of the cells in share that agree with what is known */
	double *weight;    /* [cells] */
	double *message;   /* [entries] */
	double *sum;       /* [cells] sums of the weights of an entry, in order, up to each cell */
	bool *is_summed;   /* [entries] whether they are made */
	uint32_t recorded; /* the entry that was recorded; NOTHING: none */
} Weighed;

/* A clique, as far as it is open. */
typedef struct Node
{
	Steps known; /* steps in share */
	uint32_t open;
	uint32_t *open_attribute;
	uint32_t cells;   /* combinations of open attributes */
	uint64_t *offset; /* [cells] in share */
	uint32_t *code;   /* [cells x open] */
	double *share;    /* [cells of the clique] n_C / n_S */
	Steps separator;  /* open attributes of the separator; steps in the entries */
	Entries entries;
	Children children;
	uint32_t raked;     /* open attributes whose weights count here */
	uint32_t *raked_at; /* [raked] places among the open ones */
	Weighed last;
} Node;

/* Levels that the next row must not have. */
typedef struct Without
{
	const uint32_t *code;
	uint32_t n;
} Without;

/* How probable the levels were of which the last row was drawn: see DpRakingShares. */
typedef struct Recorded
{
	bool is_on;        /* each row is recorded */
	double **share;    /* [attributes][groups]; NULL for a known one */
	uint64_t *version; /* [attributes] how often each was written */
} Recorded;

struct DpConditionalSampler
{
	const DpGraphicalFit *fit;
	uint32_t attributes;
	const bool *known;
	uint32_t *order; /* [attributes] those that are known first */
	uint32_t knowns;
	uint32_t nodes;
	Node *node;
	const uint32_t *codes;  /* of the row whose known levels hold */
	uint32_t *group;        /* [attributes] scratch */
	const DpRaking *raking; /* NULL: no weights */
	DpRakingPlace *place;   /* of the row that was drawn last; NULL: no weights */
	double **level_weight;  /* [attributes][groups] its weights; NULL for a known one */
	const double *point;    /* [draws]; NULL: random numbers */
	Recorded recorded;
	Without *without;  /* [attributes] */
	uint32_t withouts; /* how many of them are not empty */
};

/* ---- compiling ---- */

/* Sorts the attributes of a clique into known and open ones. */
static DpStatus
node_attributes(Node *node, const DpClique *clique, const bool *known, const uint32_t *levels,
				uint64_t *open_step, DpArena *arena)
{
	uint64_t step = 1, cells = 1;

	node->known.attribute = dp_alloc(arena, clique->set.n + 1, sizeof(uint32_t));
	node->open_attribute = dp_alloc(arena, clique->set.n + 1, sizeof(uint32_t));
	node->known.step = dp_alloc(arena, clique->set.n + 1, sizeof(uint64_t));
	DP_TRY_ALLOC(node->known.attribute && node->open_attribute && node->known.step);
	for (uint32_t k = clique->set.n; k-- > 0; step *= levels[clique->set.attribute[k]])
	{
		uint32_t a = clique->set.attribute[k];

		if (known[a])
		{
			node->known.attribute[node->known.n] = a;
			node->known.step[node->known.n++] = step;
			continue;
		}
		node->open_attribute[node->open] = a;
		open_step[node->open++] = step;
		cells *= levels[a];
		if (cells > OPEN_CELLS_MAX)
			return DP_ERR_LIMIT;
	}
	node->cells = (uint32_t) cells;
	return DP_OK;
}

/* Lists the open cells. */
static DpStatus
node_cells(Node *node, const uint32_t *levels, const uint64_t *open_step, DpArena *arena)
{
	node->offset = dp_alloc(arena, node->cells, sizeof(uint64_t));
	node->code = dp_alloc(arena, (uint64_t) node->cells * node->open + 1, sizeof(uint32_t));
	node->last.weight = dp_alloc(arena, node->cells, sizeof(double));
	DP_TRY_ALLOC(node->offset && node->code && node->last.weight);
	for (uint32_t cell = 0; cell < node->cells; cell++)
	{
		uint32_t rest = cell;

		for (uint32_t k = 0; k < node->open; k++)
		{
			uint32_t code = rest % levels[node->open_attribute[k]];

			rest /= levels[node->open_attribute[k]];
			node->code[(size_t) cell * node->open + k] = code;
			node->offset[cell] += code * open_step[k];
		}
	}
	return DP_OK;
}

static DpStatus
node_separator(Node *node, const DpClique *clique, const bool *known, const uint32_t *levels,
			   DpArena *arena)
{
	node->entries.n = 1;
	node->separator.attribute = dp_alloc(arena, clique->separator.n + 1, sizeof(uint32_t));
	node->separator.step = dp_alloc(arena, clique->separator.n + 1, sizeof(uint64_t));
	DP_TRY_ALLOC(node->separator.attribute && node->separator.step);
	for (uint32_t k = 0; k < clique->separator.n; k++)
	{
		uint32_t a = clique->separator.attribute[k];

		if (known[a])
			continue;
		node->separator.attribute[node->separator.n] = a;
		node->separator.step[node->separator.n++] = node->entries.n;
		node->entries.n *= levels[a];
	}
	node->last.message = dp_alloc(arena, node->entries.n, sizeof(double));
	return node->last.message != NULL ? DP_OK : DP_ERR_MEMORY;
}

/* Puts the cells of each entry of the message next to each other. */
static DpStatus
node_order(Node *node, DpArena *arena)
{
	Entries *entries = &node->entries;

	entries->order = dp_alloc(arena, node->cells, sizeof(uint32_t));
	entries->start = dp_alloc(arena, (uint64_t) entries->n + 2, sizeof(uint32_t));
	node->last.sum = dp_alloc(arena, node->cells, sizeof(double));
	node->last.is_summed = dp_alloc(arena, entries->n, sizeof(bool));
	DP_TRY_ALLOC(entries->order && entries->start && node->last.sum && node->last.is_summed);
	/* start is one entry ahead until the cells are placed */
	for (uint32_t cell = 0; cell < node->cells; cell++)
		entries->start[entries->of_cell[cell] + 2]++;
	for (uint32_t entry = 2; entry <= entries->n; entry++)
		entries->start[entry] += entries->start[entry - 1];
	for (uint32_t cell = 0; cell < node->cells; cell++)
		entries->order[entries->start[entries->of_cell[cell] + 1]++] = cell;
	return DP_OK;
}

/* For each cell of a node, the entry of the message of a separator that its attributes hold. */
static DpStatus
entries_of(const Node *node, const Node *to, uint32_t **out, DpArena *arena)
{
	uint32_t *entry = dp_alloc(arena, node->cells, sizeof(*entry));

	DP_TRY_ALLOC(entry);
	for (uint32_t cell = 0; cell < node->cells; cell++)
		for (uint32_t k = 0; k < node->open; k++)
			for (uint32_t s = 0; s < to->separator.n; s++)
				if (to->separator.attribute[s] == node->open_attribute[k])
					entry[cell] +=
						node->code[(size_t) cell * node->open + k] * to->separator.step[s];
	*out = entry;
	return DP_OK;
}

/* n_C / n_S of a clique, in the order of its cells. */
static DpStatus
node_shares(Node *node, const DpClique *clique, const DpBeliefClique *belief, bool root,
			const uint32_t *levels, DpArena *arena)
{
	double *sum = dp_alloc(arena, clique->separator_cells, sizeof(*sum));
	uint32_t size[DP_ATTRIBUTES_MAX];
	uint64_t step[DP_ATTRIBUTES_MAX];

	node->share = dp_memdup(arena, belief->cell, clique->cells * sizeof(double));
	DP_TRY_ALLOC(node->share && sum);
	dp_set_levels(&clique->set, levels, size);
	for (uint32_t k = 0; k < clique->set.n; k++)
		step[k] = dp_set_step(&clique->separator, levels, clique->set.attribute[k]);
	for (int pass = 0; pass < 2 && !root; pass++)
		for (uint64_t cell = 0; cell < clique->cells; cell++)
		{
			uint64_t at = dp_row_major_place(size, step, clique->set.n, cell);

			if (pass == 0)
				sum[at] += belief->cell[cell] > 0 ? belief->cell[cell] : 0;
			else
				node->share[cell] = sum[at] > 0 ? belief->cell[cell] / sum[at] : 0;
		}
	dp_free(arena, sum, clique->separator_cells, sizeof(*sum));
	return DP_OK;
}

static DpStatus
node_build(DpConditionalSampler *rows, uint32_t number, uint64_t *open_step, DpArena *arena)
{
	const DpBelief *belief = &rows->fit->graphical.belief;
	const DpClique *clique = &belief->tree->clique[number];
	Node *node = &rows->node[number];

	DP_TRY(node_attributes(node, clique, rows->known, belief->levels, open_step, arena));
	DP_TRY(node_cells(node, belief->levels, open_step, arena));
	DP_TRY(node_separator(node, clique, rows->known, belief->levels, arena));
	DP_TRY(entries_of(node, node, &node->entries.of_cell, arena));
	DP_TRY(node_order(node, arena));
	return node_shares(node, clique, &belief->clique[number], number == 0, belief->levels, arena);
}

/* Tells each node which messages it gets. One of a single entry changes nothing. */
static DpStatus
nodes_join(DpConditionalSampler *rows, DpArena *arena)
{
	const DpJunctionTree *tree = rows->fit->graphical.belief.tree;

	for (uint32_t i = 0; i < rows->nodes; i++)
	{
		rows->node[i].children.node = dp_alloc(arena, rows->nodes, sizeof(uint32_t));
		rows->node[i].children.entry = dp_alloc(arena, rows->nodes, sizeof(uint32_t *));
		DP_TRY_ALLOC(rows->node[i].children.node && rows->node[i].children.entry);
	}
	for (uint32_t i = 1; i < rows->nodes; i++)
	{
		Node *parent = &rows->node[tree->clique[i].parent];
		Children *children = &parent->children;

		if (rows->node[i].entries.n == 1)
			continue;
		DP_TRY(entries_of(parent, &rows->node[i], &children->entry[children->n], arena));
		children->node[children->n++] = i;
	}
	return DP_OK;
}

DpStatus
dp_conditional_sampler_build(const void *fitted, const bool *known, DpConditionalSampler **out,
							 DpArena *arena)
{
	DpConditionalSampler *rows = dp_alloc(arena, 1, sizeof(*rows));
	const DpGraphicalFit *fit = fitted;
	uint32_t p = fit->graphical.attributes;
	uint64_t *open_step = dp_alloc(arena, p + 1, sizeof(*open_step));

	DP_TRY_ALLOC(rows && open_step);
	*rows = (DpConditionalSampler){.fit = fit, .attributes = p};
	rows->nodes = fit->graphical.belief.tree->cliques;
	rows->node = dp_alloc(arena, rows->nodes, sizeof(Node));
	rows->group = dp_alloc(arena, p + 1, sizeof(uint32_t));
	rows->known = dp_memdup(arena, known, p * sizeof(*known));
	rows->order = dp_alloc(arena, p + 1, sizeof(uint32_t));
	DP_TRY_ALLOC(rows->node && rows->group && rows->known && rows->order);
	for (uint32_t a = 0; a < p; a++)
		if (known[a])
			rows->order[rows->knowns++] = a;
	for (uint32_t a = 0, open = rows->knowns; a < p; a++)
		if (!known[a])
			rows->order[open++] = a;
	for (uint32_t i = 0; i < rows->nodes; i++)
		DP_TRY(node_build(rows, i, open_step, arena));
	DP_TRY(nodes_join(rows, arena));
	*out = rows;
	return DP_OK;
}

/* The weights of an attribute count in one of the cliques that hold it. */
DpStatus
dp_conditional_sampler_weigh(DpConditionalSampler *rows, const DpRaking *raking, DpArena *arena)
{
	const uint32_t *levels = rows->fit->graphical.levels;
	bool *counts = dp_alloc(arena, rows->attributes + 1, sizeof(*counts));

	rows->level_weight = dp_alloc(arena, rows->attributes + 1, sizeof(*rows->level_weight));
	rows->recorded.share = dp_alloc(arena, rows->attributes + 1, sizeof(*rows->recorded.share));
	rows->recorded.version = dp_alloc(arena, rows->attributes + 1, sizeof(*rows->recorded.version));
	rows->without = dp_alloc(arena, rows->attributes + 1, sizeof(*rows->without));
	DP_TRY_ALLOC(rows->without && rows->level_weight && rows->recorded.share &&
				 rows->recorded.version && counts);
	DP_TRY(dp_raking_place_new(raking, &rows->place, arena));
	for (uint32_t a = 0; a < rows->attributes; a++)
	{
		if (rows->known[a])
			continue;
		rows->level_weight[a] = dp_alloc(arena, levels[a], sizeof(double));
		rows->recorded.share[a] = dp_alloc(arena, levels[a], sizeof(double));
		DP_TRY_ALLOC(rows->level_weight[a] && rows->recorded.share[a]);
	}
	for (uint32_t i = 0; i < rows->nodes; i++)
	{
		Node *node = &rows->node[i];

		node->raked = 0;
		node->raked_at = dp_alloc(arena, node->open + 1, sizeof(*node->raked_at));
		DP_TRY_ALLOC(node->raked_at);
		for (uint32_t k = 0; k < node->open; k++)
		{
			if (counts[node->open_attribute[k]])
				continue;
			counts[node->open_attribute[k]] = true;
			node->raked_at[node->raked++] = k;
		}
	}
	rows->raking = raking;
	return DP_OK;
}

/* ---- drawing ---- */

void
dp_conditional_sampler_condition(DpConditionalSampler *rows, const uint32_t *codes)
{
	rows->codes = codes;
}

void
dp_conditional_sampler_point(DpConditionalSampler *rows, const double *point)
{
	rows->point = point;
}

void
dp_conditional_sampler_without(DpConditionalSampler *rows, uint32_t attribute,
							   const uint32_t *codes, uint32_t n)
{
	rows->withouts -= rows->without[attribute].n > 0;
	rows->without[attribute] = (Without){codes, n};
	rows->withouts += n > 0;
}

void
dp_conditional_sampler_record(DpConditionalSampler *rows, bool records)
{
	rows->recorded.is_on = records;
	for (uint32_t i = 0; i < rows->nodes; i++)
		rows->node[i].last.is_valid = false;
}

DpRakingShares
dp_conditional_sampler_recorded(const DpConditionalSampler *rows)
{
	return (DpRakingShares){(const double *const *) rows->recorded.share, rows->recorded.version};
}

/* Whether the weights of the open cells are not those of the row before; sees to known_at. */
static bool
node_is_changed(const DpConditionalSampler *rows, Node *node)
{
	uint64_t known_at = 0;
	bool changed = !node->last.is_valid;

	for (uint32_t k = 0; k < node->known.n; k++)
		known_at += rows->group[node->known.attribute[k]] * node->known.step[k];
	changed |= known_at != node->last.known_at;
	node->last.known_at = known_at;
	for (uint32_t b = 0; b < node->children.n; b++)
		changed |= rows->node[node->children.node[b]].last.is_changed;
	for (uint32_t k = 0; k < node->raked; k++)
		changed |= rows->place->is_changed[node->open_attribute[node->raked_at[k]]];
	return changed;
}

/* The weights of the open cells of a node, and its message. */
static void
node_weigh(const DpConditionalSampler *rows, Node *node)
{
	Weighed *last = &node->last;
	const double *share = node->share + last->known_at;
	double *weight = last->weight;

	memset(last->message, 0, node->entries.n * sizeof(double));
	memset(last->is_summed, 0, node->entries.n * sizeof(bool));
	last->recorded = NOTHING;
	last->is_valid = true;
	for (uint32_t cell = 0; cell < node->cells; cell++)
		weight[cell] = share[node->offset[cell]];
	for (uint32_t b = 0; b < node->children.n; b++)
	{
		const double *message = rows->node[node->children.node[b]].last.message;
		const uint32_t *at = node->children.entry[b];

		for (uint32_t cell = 0; cell < node->cells; cell++)
			weight[cell] *= message[at[cell]];
	}
	for (uint32_t k = 0; k < node->raked; k++)
	{
		const uint32_t *code = node->code + node->raked_at[k];
		const double *of_level = rows->level_weight[node->open_attribute[node->raked_at[k]]];

		for (uint32_t cell = 0; cell < node->cells; cell++)
			weight[cell] *= of_level[code[(size_t) cell * node->open]];
	}
	for (uint32_t cell = 0; cell < node->cells; cell++)
	{
		weight[cell] = weight[cell] > 0 ? weight[cell] : 0;
		last->message[node->entries.of_cell[cell]] += weight[cell];
	}
}

/* Whether cells are drawn of a node: else all of it is drawn before, or known. */
static bool
node_draws(const Node *node)
{
	return node->open > node->separator.n;
}

/* Makes the sums of an entry. Where it has no weight, all of its cells have the same. */
static void
entry_sum(const Entries *entries, Weighed *last, uint32_t entry)
{
	bool even = !(last->message[entry] > 0);
	double sum = 0;

	for (uint32_t i = entries->start[entry]; i < entries->start[entry + 1]; i++)
		last->sum[i] = sum += even ? 1 : last->weight[entries->order[i]];
	last->is_summed[entry] = true;
}

/* The one of the cells that belong to an entry of the message in which `at` of their weight
 * ends: the first whose sum is above it. */
static uint32_t
entry_cell(const Entries *entries, Weighed *last, uint32_t entry, double at)
{
	uint32_t low = entries->start[entry], high = entries->start[entry + 1] - 1;
	const double *sum = last->sum;

	if (!last->is_summed[entry])
		entry_sum(entries, last, entry);
	at *= sum[high];
	while (high > low && sum[high - 1] == sum[high])
		high--; /* cells without weight at the end are never drawn, however `at` is rounded */
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (sum[middle] > at)
			high = middle;
		else
			low = middle + 1;
	}
	return entries->order[low];
}

static bool
is_separator(const Node *node, uint32_t attribute)
{
	for (uint32_t s = 0; s < node->separator.n; s++)
		if (node->separator.attribute[s] == attribute)
			return true;
	return false;
}

/* Writes how probable the levels are that a node draws, given the entry of its message. */
static void
node_record(const DpConditionalSampler *rows, Node *node, uint32_t entry)
{
	Weighed *last = &node->last;
	double total = last->message[entry];
	const uint32_t *first = node->entries.order + node->entries.start[entry];
	const uint32_t *end = node->entries.order + node->entries.start[entry + 1];

	if (last->recorded == entry)
		return;
	last->recorded = entry;
	for (uint32_t k = 0; k < node->open; k++)
	{
		uint32_t a = node->open_attribute[k];
		double *recorded = rows->recorded.share[a];

		if (is_separator(node, a))
			continue;
		rows->recorded.version[a]++;
		memset(recorded, 0, rows->fit->graphical.levels[a] * sizeof(*recorded));
		for (const uint32_t *cell = first; cell < end; cell++)
			recorded[node->code[(size_t) *cell * node->open + k]] +=
				total > 0 ? last->weight[*cell] / total : 1.0 / (double) (end - first);
	}
}

uint32_t
dp_conditional_sampler_dimensions(const DpConditionalSampler *rows)
{
	uint32_t draws = 0;

	for (uint32_t i = 0; i < rows->nodes; i++)
		draws += node_draws(&rows->node[i]);
	return rows->fit->systematic
			   ? draws < DP_QUASI_RANDOM_DIMENSIONS_MAX ? draws : DP_QUASI_RANDOM_DIMENSIONS_MAX
			   : 0;
}

static uint32_t
group_of(const DpConditionalSampler *rows, uint32_t attribute, uint32_t code)
{
	return rows->fit->group == NULL ? code : rows->fit->group[attribute][code];
}

/* The share of a level in its group. */
static double
share_of(const DpConditionalSampler *rows, uint32_t attribute, uint32_t code)
{
	return rows->fit->share == NULL ? 1 : rows->fit->share[attribute][code];
}

/* Takes the levels that the row must not have out of the weights of their groups. */
static void
weigh_without(const DpConditionalSampler *rows, uint32_t attribute)
{
	const Without *without = &rows->without[attribute];
	double *weight = rows->level_weight[attribute];

	rows->place->is_changed[attribute] = rows->place->is_stale[attribute] = true;
	for (uint32_t i = 0; i < without->n; i++)
	{
		uint32_t group = group_of(rows, attribute, without->code[i]), out = 0;
		double left = 1;
		bool first = true;

		/* all levels of a group at once, so that nothing is left of one that has no others */
		for (uint32_t k = 0; k < without->n && first; k++)
		{
			if (group_of(rows, attribute, without->code[k]) != group)
				continue;
			first = k >= i;
			left -= share_of(rows, attribute, without->code[k]);
			out++;
		}
		if (first)
			weight[group] *= out < rows->fit->split[attribute][group].n && left > 0 ? left : 0;
	}
}

static bool
is_without(const DpConditionalSampler *rows, uint32_t attribute, uint32_t code)
{
	const Without *without = &rows->without[attribute];

	for (uint32_t i = 0; i < without->n; i++)
		if (without->code[i] == code)
			return true;
	return false;
}

/* One of the levels of a group that the row may have. */
static uint32_t
level_without(const DpConditionalSampler *rows, uint32_t attribute, const DpLevelSplit *split,
			  DpPrng *prng)
{
	uint32_t found = split->level[0];
	double all = 0, at;

	for (uint32_t i = 0; i < split->n; i++)
		if (!is_without(rows, attribute, split->level[i]))
			all += share_of(rows, attribute, split->level[i]);
	at = dp_prng_unit(prng) * all;
	for (uint32_t i = 0; i < split->n && at >= 0; i++)
	{
		if (is_without(rows, attribute, split->level[i]))
			continue;
		found = split->level[i];
		at -= share_of(rows, attribute, found);
	}
	return found;
}

static uint32_t
level_of(const DpConditionalSampler *rows, uint32_t attribute, DpPrng *prng)
{
	const DpLevelSplit *split = &rows->fit->split[attribute][rows->group[attribute]];

	if (split->n == 1)
		return split->level[0];
	if (rows->withouts > 0 && rows->without[attribute].n > 0)
		return level_without(rows, attribute, split, prng);
	return split->level[dp_cumulative_find(split->cumulative, split->n, dp_prng_unit(prng))];
}

static void
draw(const void *state, DpPrng *prng, uint32_t *codes)
{
	const DpConditionalSampler *rows = state;
	uint32_t draws = 0;

	for (uint32_t i = 0; i < rows->knowns; i++)
	{
		uint32_t a = rows->order[i];

		codes[a] = rows->codes[a];
		rows->group[a] = group_of(rows, a, codes[a]);
	}
	if (rows->raking != NULL)
		dp_raking_weigh(rows->raking, rows->group, rows->place, rows->level_weight);
	for (uint32_t a = 0; a < rows->attributes && rows->withouts > 0; a++)
		if (rows->without[a].n > 0)
			weigh_without(rows, a);
	for (uint32_t i = rows->nodes; i-- > 0;)
	{
		Node *node = &rows->node[i];

		node->last.is_changed = node->open > 0 && node_is_changed(rows, node);
		if (node->last.is_changed)
			node_weigh(rows, node);
	}
	for (uint32_t i = 0; i < rows->nodes; i++)
	{
		Node *node = &rows->node[i];
		uint32_t entry = 0, cell;

		if (!node_draws(node))
			continue;
		for (uint32_t s = 0; s < node->separator.n; s++)
			entry += rows->group[node->separator.attribute[s]] * node->separator.step[s];
		if (rows->recorded.is_on)
			node_record(rows, node, entry);
		cell = entry_cell(&node->entries, &node->last, entry,
						  rows->point != NULL && draws < DP_QUASI_RANDOM_DIMENSIONS_MAX
							  ? rows->point[draws]
							  : dp_prng_unit(prng));
		draws++;
		for (uint32_t k = 0; k < node->open; k++)
			rows->group[node->open_attribute[k]] = node->code[(size_t) cell * node->open + k];
	}
	for (uint32_t i = rows->knowns; i < rows->attributes; i++)
		codes[rows->order[i]] = level_of(rows, rows->order[i], prng);
}

static uint64_t
draw_cost(const DpModel *model, const void *state)
{
	(void) state;
	return model->domain.attributes;
}

const DpSampler dp_conditional_row_sampler = {.draw = draw, .draw_cost = draw_cost};
