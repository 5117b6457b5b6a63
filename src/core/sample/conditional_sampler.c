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
#include "core/sample/conditional_sampler.h"

#include <string.h>

#include "core/base/row_major.h"
#include "core/sample/graphical_fit.h"

#define NOTHING UINT32_MAX
#define OPEN_CELLS_MAX (UINT64_C(1) << 22) /* of one clique */

/* A clique, as far as it is open. */
typedef struct Node
{
	uint32_t known, open;
	uint32_t *known_attribute, *open_attribute;
	uint64_t *known_step; /* [known] in share */
	uint32_t cells;       /* combinations of open attributes */
	uint64_t *offset;     /* [cells] in share */
	uint32_t *code;       /* [cells x open] */
	uint32_t *up;         /* [cells] the entry of message to which a cell belongs */
	uint32_t messages;    /* combinations of open attributes of the separator */
	double *share;        /* [cells of the clique] n_C / n_S */
	uint32_t *order;      /* [cells] by the entry of message, and there ascending */
	uint32_t *start;      /* [messages + 1] where the cells of an entry begin in order */
	/* of the row that was drawn last */
	bool is_weighed;      /* the following hold */
	bool is_changed;      /* they did not hold before it */
	uint64_t known_at;    /* the first of the cells in share that agree with what is known */
	double *weight;       /* [cells] */
	double *message;      /* [messages] */
	double *sum;          /* [cells] sums of the weights of an entry, in order, up to each cell */
	bool *is_summed;      /* [messages] whether they are made */
	uint32_t recorded;    /* the entry that was recorded; NOTHING: none */
	uint32_t below;       /* cliques whose parent this is, and whose separator has something open */
	uint32_t *child;      /* [below] */
	uint32_t **at;        /* [below][cells] the entry of the child's message */
	uint32_t weighed;     /* open attributes whose weights count here */
	uint32_t *weighed_at; /* [weighed] places among the open ones */
	uint32_t separators;  /* open attributes of the separator */
	uint32_t *separator_attribute, *separator_step; /* [separators] */
} Node;

/* Levels that the next row must not have. */
typedef struct Without
{
	const uint32_t *code;
	uint32_t n;
} Without;

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
	bool records;           /* each row writes recorded */
	double **recorded;      /* as level_weight: the probability of each group */
	uint64_t *version;      /* [attributes] of recorded: how often it was written */
	Without *without;       /* [attributes] */
	uint32_t withouts;      /* how many of them are not empty */
};

/* ---- compiling ---- */

/* Sorts the attributes of a clique into known and open ones. */
static DpStatus
node_attributes(Node *node, const DpClique *clique, const bool *known, const uint32_t *levels,
				uint64_t *open_step, DpArena *arena)
{
	uint64_t step = 1, cells = 1;

	node->known_attribute = dp_alloc(arena, clique->set.n + 1, sizeof(uint32_t));
	node->open_attribute = dp_alloc(arena, clique->set.n + 1, sizeof(uint32_t));
	node->known_step = dp_alloc(arena, clique->set.n + 1, sizeof(uint64_t));
	if (!node->known_attribute || !node->open_attribute || !node->known_step)
		return DP_ERR_MEMORY;
	for (uint32_t k = clique->set.n; k-- > 0; step *= levels[clique->set.attribute[k]])
	{
		uint32_t a = clique->set.attribute[k];

		if (known[a])
		{
			node->known_attribute[node->known] = a;
			node->known_step[node->known++] = step;
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
	node->weight = dp_alloc(arena, node->cells, sizeof(double));
	if (!node->offset || !node->code || !node->weight)
		return DP_ERR_MEMORY;
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
	node->messages = 1;
	node->separator_attribute = dp_alloc(arena, clique->separator.n + 1, sizeof(uint32_t));
	node->separator_step = dp_alloc(arena, clique->separator.n + 1, sizeof(uint32_t));
	if (!node->separator_attribute || !node->separator_step)
		return DP_ERR_MEMORY;
	for (uint32_t k = 0; k < clique->separator.n; k++)
	{
		uint32_t a = clique->separator.attribute[k];

		if (known[a])
			continue;
		node->separator_attribute[node->separators] = a;
		node->separator_step[node->separators++] = node->messages;
		node->messages *= levels[a];
	}
	node->message = dp_alloc(arena, node->messages, sizeof(double));
	return node->message != NULL ? DP_OK : DP_ERR_MEMORY;
}

/* Puts the cells of each entry of the message next to each other. */
static DpStatus
node_order(Node *node, DpArena *arena)
{
	node->order = dp_alloc(arena, node->cells, sizeof(uint32_t));
	node->start = dp_alloc(arena, (uint64_t) node->messages + 2, sizeof(uint32_t));
	node->sum = dp_alloc(arena, node->cells, sizeof(double));
	node->is_summed = dp_alloc(arena, node->messages, sizeof(bool));
	if (!node->order || !node->start || !node->sum || !node->is_summed)
		return DP_ERR_MEMORY;
	/* start is one entry ahead until the cells are placed */
	for (uint32_t cell = 0; cell < node->cells; cell++)
		node->start[node->up[cell] + 2]++;
	for (uint32_t entry = 2; entry <= node->messages; entry++)
		node->start[entry] += node->start[entry - 1];
	for (uint32_t cell = 0; cell < node->cells; cell++)
		node->order[node->start[node->up[cell] + 1]++] = cell;
	return DP_OK;
}

/* For each cell of a node, the entry of the message of a separator that its attributes hold. */
static DpStatus
entries_of(const Node *node, const Node *to, uint32_t **out, DpArena *arena)
{
	uint32_t *entry = dp_alloc(arena, node->cells, sizeof(*entry));

	if (entry == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t cell = 0; cell < node->cells; cell++)
		for (uint32_t k = 0; k < node->open; k++)
			for (uint32_t s = 0; s < to->separators; s++)
				if (to->separator_attribute[s] == node->open_attribute[k])
					entry[cell] +=
						node->code[(size_t) cell * node->open + k] * to->separator_step[s];
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
	if (node->share == NULL || sum == NULL)
		return DP_ERR_MEMORY;
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
	DP_TRY(entries_of(node, node, &node->up, arena));
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
		rows->node[i].child = dp_alloc(arena, rows->nodes, sizeof(uint32_t));
		rows->node[i].at = dp_alloc(arena, rows->nodes, sizeof(uint32_t *));
		if (!rows->node[i].child || !rows->node[i].at)
			return DP_ERR_MEMORY;
	}
	for (uint32_t i = 1; i < rows->nodes; i++)
	{
		Node *parent = &rows->node[tree->clique[i].parent];

		if (rows->node[i].messages == 1)
			continue;
		DP_TRY(entries_of(parent, &rows->node[i], &parent->at[parent->below], arena));
		parent->child[parent->below++] = i;
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

	if (rows == NULL || open_step == NULL)
		return DP_ERR_MEMORY;
	*rows = (DpConditionalSampler){.fit = fit, .attributes = p};
	rows->nodes = fit->graphical.belief.tree->cliques;
	rows->node = dp_alloc(arena, rows->nodes, sizeof(Node));
	rows->group = dp_alloc(arena, p + 1, sizeof(uint32_t));
	rows->known = dp_memdup(arena, known, p * sizeof(*known));
	rows->order = dp_alloc(arena, p + 1, sizeof(uint32_t));
	if (!rows->node || !rows->group || !rows->known || !rows->order)
		return DP_ERR_MEMORY;
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
	rows->recorded = dp_alloc(arena, rows->attributes + 1, sizeof(*rows->recorded));
	rows->version = dp_alloc(arena, rows->attributes + 1, sizeof(*rows->version));
	rows->without = dp_alloc(arena, rows->attributes + 1, sizeof(*rows->without));
	if (!rows->without || !rows->level_weight || !rows->recorded || !rows->version || !counts)
		return DP_ERR_MEMORY;
	DP_TRY(dp_raking_place_new(raking, &rows->place, arena));
	for (uint32_t a = 0; a < rows->attributes; a++)
	{
		if (rows->known[a])
			continue;
		rows->level_weight[a] = dp_alloc(arena, levels[a], sizeof(double));
		rows->recorded[a] = dp_alloc(arena, levels[a], sizeof(double));
		if (rows->level_weight[a] == NULL || rows->recorded[a] == NULL)
			return DP_ERR_MEMORY;
	}
	for (uint32_t i = 0; i < rows->nodes; i++)
	{
		Node *node = &rows->node[i];

		node->weighed = 0;
		node->weighed_at = dp_alloc(arena, node->open + 1, sizeof(*node->weighed_at));
		if (node->weighed_at == NULL)
			return DP_ERR_MEMORY;
		for (uint32_t k = 0; k < node->open; k++)
		{
			if (counts[node->open_attribute[k]])
				continue;
			counts[node->open_attribute[k]] = true;
			node->weighed_at[node->weighed++] = k;
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
	rows->records = records;
	for (uint32_t i = 0; i < rows->nodes; i++)
		rows->node[i].is_weighed = false;
}

DpRakingShares
dp_conditional_sampler_recorded(const DpConditionalSampler *rows)
{
	return (DpRakingShares){(const double *const *) rows->recorded, rows->version};
}

/* Whether the weights of the open cells are not those of the row before; sees to known_at. */
static bool
node_is_changed(const DpConditionalSampler *rows, Node *node)
{
	uint64_t known_at = 0;
	bool changed = !node->is_weighed;

	for (uint32_t k = 0; k < node->known; k++)
		known_at += rows->group[node->known_attribute[k]] * node->known_step[k];
	changed |= known_at != node->known_at;
	node->known_at = known_at;
	for (uint32_t b = 0; b < node->below; b++)
		changed |= rows->node[node->child[b]].is_changed;
	for (uint32_t k = 0; k < node->weighed; k++)
		changed |= rows->place->is_changed[node->open_attribute[node->weighed_at[k]]];
	return changed;
}

/* The weights of the open cells of a node, and its message. */
static void
node_weigh(const DpConditionalSampler *rows, Node *node)
{
	const double *share = node->share + node->known_at;
	double *weight = node->weight;

	memset(node->message, 0, node->messages * sizeof(double));
	memset(node->is_summed, 0, node->messages * sizeof(bool));
	node->recorded = NOTHING;
	node->is_weighed = true;
	for (uint32_t cell = 0; cell < node->cells; cell++)
		weight[cell] = share[node->offset[cell]];
	for (uint32_t b = 0; b < node->below; b++)
	{
		const double *message = rows->node[node->child[b]].message;
		const uint32_t *at = node->at[b];

		for (uint32_t cell = 0; cell < node->cells; cell++)
			weight[cell] *= message[at[cell]];
	}
	for (uint32_t k = 0; k < node->weighed; k++)
	{
		const uint32_t *code = node->code + node->weighed_at[k];
		const double *of_level = rows->level_weight[node->open_attribute[node->weighed_at[k]]];

		for (uint32_t cell = 0; cell < node->cells; cell++)
			weight[cell] *= of_level[code[(size_t) cell * node->open]];
	}
	for (uint32_t cell = 0; cell < node->cells; cell++)
	{
		weight[cell] = weight[cell] > 0 ? weight[cell] : 0;
		node->message[node->up[cell]] += weight[cell];
	}
}

/* Whether cells are drawn of a node: else all of it is drawn before, or known. */
static bool
node_draws(const Node *node)
{
	return node->open > node->separators;
}

/* Makes the sums of an entry. Where it has no weight, all of its cells have the same. */
static void
entry_sum(Node *node, uint32_t entry)
{
	bool even = !(node->message[entry] > 0);
	double sum = 0;

	for (uint32_t i = node->start[entry]; i < node->start[entry + 1]; i++)
		node->sum[i] = sum += even ? 1 : node->weight[node->order[i]];
	node->is_summed[entry] = true;
}

/* The one of the cells that belong to an entry of the message in which `at` of their weight
 * ends: the first whose sum is above it. */
static uint32_t
node_cell(Node *node, uint32_t entry, double at)
{
	uint32_t first = node->start[entry], last = node->start[entry + 1] - 1;

	if (!node->is_summed[entry])
		entry_sum(node, entry);
	at *= node->sum[last];
	while (last > first && node->sum[last - 1] == node->sum[last])
		last--; /* cells without weight at the end are never drawn, however `at` is rounded */
	while (first < last)
	{
		uint32_t middle = first + (last - first) / 2;

		if (node->sum[middle] > at)
			last = middle;
		else
			first = middle + 1;
	}
	return node->order[first];
}

static bool
is_separator(const Node *node, uint32_t attribute)
{
	for (uint32_t s = 0; s < node->separators; s++)
		if (node->separator_attribute[s] == attribute)
			return true;
	return false;
}

/* Writes how probable the levels are that a node draws, given the entry of its message. */
static void
node_record(const DpConditionalSampler *rows, Node *node, uint32_t entry)
{
	double total = node->message[entry];
	uint32_t first = node->start[entry], end = node->start[entry + 1];

	if (node->recorded == entry)
		return;
	node->recorded = entry;
	for (uint32_t k = 0; k < node->open; k++)
	{
		uint32_t a = node->open_attribute[k];
		double *recorded = rows->recorded[a];

		if (is_separator(node, a))
			continue;
		rows->version[a]++;
		memset(recorded, 0, rows->fit->graphical.levels[a] * sizeof(*recorded));
		for (uint32_t i = first; i < end; i++)
			recorded[node->code[(size_t) node->order[i] * node->open + k]] +=
				total > 0 ? node->weight[node->order[i]] / total : 1.0 / (end - first);
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
	uint32_t i = 0;
	double at;

	if (split->n == 1)
		return split->level[0];
	if (rows->withouts > 0 && rows->without[attribute].n > 0)
		return level_without(rows, attribute, split, prng);
	for (at = dp_prng_unit(prng); i + 1 < split->n && at >= split->cumulative[i]; i++)
		;
	return split->level[i];
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
		rows->node[i].is_changed = rows->node[i].open > 0 && node_is_changed(rows, &rows->node[i]);
		if (rows->node[i].is_changed)
			node_weigh(rows, &rows->node[i]);
	}
	for (uint32_t i = 0; i < rows->nodes; i++)
	{
		Node *node = &rows->node[i];
		uint32_t entry = 0, cell;

		if (!node_draws(node))
			continue;
		for (uint32_t s = 0; s < node->separators; s++)
			entry += rows->group[node->separator_attribute[s]] * node->separator_step[s];
		if (rows->records)
			node_record(rows, node, entry);
		cell = node_cell(node, entry,
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
