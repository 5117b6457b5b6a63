/*
 * joint.c -- margins of a product of factors, chunk by chunk.
 *
 * Input:    sets s_1 ... s_m of attributes, log-factors theta
 * Output:   for each set the margin of x, in one pass over the cells
 * How:      by a tree. Its root is all attributes, its leaves are the sets. The attributes of a
 *           node are divided into a few groups. A set that misses one of the groups is a margin of
 *           the node without that group, a table that is smaller by the cells of the group. All
 *           sets that miss the same group share this child. With three groups every pair misses
 *           one: so all pairs of ten attributes of five levels (9.8e6 cells) take three passes to
 *           tables of at most 78,125 cells, and next to nothing after that. The number of groups
 *           is the one with the least work.
 *           Upwards, the factor of a node is the product of its children. Downwards, the margins
 *           of the children are summed from the node. At the root both happen to one chunk of cells
 *           at a time: it is made, added to the margins of all children, and forgotten.
 *           Factors are multiplied, rather than exponents added, because then exp is taken on the
 *           small tables only.
 * Memory:   the tables of the tree twice, and a chunk. There is no array of the size of the root.
 * Numerics: each table of theta is lowered by its maximum before exp; Z makes up for it. Cells
 *           below 1e-308 are 0. If all cells are, the step of the caller was too long.
 */
#include "core/estimate/joint.h"

#include <math.h>
#include <string.h>

#include "core/base/row_major.h"
#include "core/base/saturate.h"

#define CHUNK_CELLS 16384 /* 128 kB: half of a small second-level cache */
#define GROUPS_MAX 8
#define PASS_OVERHEAD 300 /* cells that starting a pass costs */
#define CHUNKS_A_TICK 16

struct DpJointNode
{
	uint32_t mask;
	uint64_t cells;
	int64_t set; /* index of the set that it is, or -1 */
	uint32_t children;
	uint32_t capacity; /* for children */
	DpJointNode **child;
	double *factor; /* [cells] product of its factors; NULL at the root */
	double *margin; /* [cells] */
	/* as a child: where a chunk of the parent's cells lies in its table */
	uint64_t prefix_step[DP_JOINT_ATTRIBUTES_MAX]; /* of the parent's outer axes */
	uint32_t runs;                                 /* of the parent's inner axes */
	DpRun run[DP_JOINT_ATTRIBUTES_MAX];
	/* as a parent */
	uint32_t inner;    /* the first attribute that is within a chunk */
	uint32_t prefixes; /* outer axes */
	uint32_t prefix_levels[DP_JOINT_ATTRIBUTES_MAX];
	uint64_t chunks;
	uint64_t chunk_cells;
};

uint64_t
dp_joint_set_cells(const uint32_t *levels, uint32_t mask)
{
	uint64_t cells = 1;

	for (uint32_t a = 0; mask >> a != 0; a++)
	{
		if (mask >> a & 1)
			cells = dp_multiply_saturated(cells, levels[a]);
	}
	return cells;
}

/* ---- the plan of sums ---- */

/* A way to divide the sets of a node among children. */
typedef struct Division
{
	uint32_t groups;
	uint32_t group[GROUPS_MAX]; /* masks, the one with the most cells first */
	double cost;
} Division;

/* Groups are neighbouring axes, so that cells that are summed lie side by side. */
static void
make_groups(const DpJoint *joint, uint32_t mask, uint32_t groups, Division *division)
{
	double want = pow((double) dp_joint_set_cells(joint->levels, mask), 1.0 / groups) * 0.999;
	double cells = 1;

	division->groups = 1;
	division->group[0] = 0;
	for (uint32_t a = 0; mask >> a != 0; a++)
	{
		if ((mask >> a & 1) == 0)
			continue;
		if (cells >= want && division->groups < groups)
		{
			division->group[division->groups++] = 0;
			cells = 1;
		}
		division->group[division->groups - 1] |= UINT32_C(1) << a;
		cells *= joint->levels[a];
	}
	for (uint32_t i = 1; i < division->groups; i++)
	{
		uint32_t moving = division->group[i];
		uint64_t size = dp_joint_set_cells(joint->levels, moving);
		uint32_t k = i;

		for (; k > 0 && dp_joint_set_cells(joint->levels, division->group[k - 1]) < size; k--)
			division->group[k] = division->group[k - 1];
		division->group[k] = moving;
	}
}

/* The first group that a set misses; the number of groups if it misses none. */
static uint32_t
group_missed(const Division *division, uint32_t mask)
{
	uint32_t g = 0;

	while (g < division->groups && (division->group[g] & mask) != 0)
		g++;
	return g;
}

/* Estimates the cells visited: a pass over the node for each child, and a few over the child
 * itself. */
static void
weigh(const DpJoint *joint, const DpJointNode *node, const uint32_t *list, uint32_t n,
	  Division *division)
{
	uint32_t united[GROUPS_MAX] = {0};
	double pass = (double) node->cells + PASS_OVERHEAD;

	division->cost = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t g = group_missed(division, joint->mask[list[i]]);

		if (g == division->groups)
			division->cost += pass;
		else
			united[g] |= joint->mask[list[i]];
	}
	for (uint32_t g = 0; g < division->groups; g++)
	{
		if (united[g] != 0)
			division->cost += pass + 3.0 * ((double) dp_joint_set_cells(joint->levels, united[g]) +
											PASS_OVERHEAD);
	}
}

static Division
best_division(const DpJoint *joint, const DpJointNode *node, const uint32_t *list, uint32_t n)
{
	Division best = {.groups = 0}; /* each set is a child of its own */

	weigh(joint, node, list, n, &best);
	for (uint32_t groups = 2; groups <= GROUPS_MAX; groups++)
	{
		Division division;

		make_groups(joint, node->mask, groups, &division);
		weigh(joint, node, list, n, &division);
		if (division.cost < best.cost)
			best = division;
	}
	return best;
}

static DpStatus make_node(DpJoint *joint, uint32_t mask, const uint32_t *list, uint32_t n,
						  const DpJointNode *parent, DpJointNode **out);

static DpStatus
add_child(DpJoint *joint, DpJointNode *node, const uint32_t *list, uint32_t n)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < n; i++)
		mask |= joint->mask[list[i]];
	return n == 0 ? DP_OK : make_node(joint, mask, list, n, node, &node->child[node->children++]);
}

/* Moves to part the sets that miss group g and none before it. */
static uint32_t
take_part(const DpJoint *joint, const Division *division, uint32_t g, const uint32_t *list,
		  uint32_t n, uint32_t *part)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		if (group_missed(division, joint->mask[list[i]]) == g)
			part[taken++] = list[i];
	}
	return taken;
}

static DpStatus
divide(DpJoint *joint, DpJointNode *node, const uint32_t *list, uint32_t n)
{
	Division division = best_division(joint, node, list, n);
	uint32_t *part = dp_alloc(joint->arena, n, sizeof(*part));
	uint32_t alone;

	node->capacity = n; /* each child has at least one set */
	node->child = dp_alloc(joint->arena, n, sizeof(*node->child));
	DP_TRY_ALLOC(part && node->child);
	for (uint32_t g = 0; g < division.groups; g++)
	{
		uint32_t taken = take_part(joint, &division, g, list, n, part);

		DP_TRY(add_child(joint, node, part, taken));
	}
	alone = take_part(joint, &division, division.groups, list, n, part);
	for (uint32_t i = 0; i < alone; i++)
		DP_TRY(add_child(joint, node, &part[i], 1));
	dp_free(joint->arena, part, n, sizeof(*part));
	return DP_OK;
}

/* Chooses the inner axes that make up one chunk, of at most CHUNK_CELLS unless one axis alone is
 * longer. */
static void
plan_chunks(const DpJoint *joint, DpJointNode *node)
{
	uint32_t axis = joint->attributes;

	node->chunk_cells = 1;
	while (axis > 0 &&
		   ((node->mask >> (axis - 1) & 1) == 0 ||
			node->chunk_cells * joint->levels[axis - 1] <= CHUNK_CELLS || node->chunk_cells == 1))
	{
		axis--;
		if (node->mask >> axis & 1)
			node->chunk_cells *= joint->levels[axis];
	}
	node->inner = axis;
	for (uint32_t a = 0; a < axis; a++)
	{
		if (node->mask >> a & 1)
			node->prefix_levels[node->prefixes++] = joint->levels[a];
	}
	node->chunks = node->cells / node->chunk_cells;
}

/* Puts an axis before the runs that are there, or joins it to the first run if both are kept or
 * both are dropped. */
static void
add_run(DpJointNode *child, uint64_t levels, uint64_t step, uint64_t step_small)
{
	DpRun *next = &child->run[0];

	if (child->runs > 0 && (next->step_small != 0) == (step_small != 0))
	{
		next->length *= levels;
		return;
	}
	memmove(child->run + 1, child->run, child->runs * sizeof(*child->run));
	child->run[0] = (DpRun){.length = levels, .step = step, .step_small = step_small};
	child->runs++;
}

/* Where the parent's axes lie in the child, from the innermost outwards. */
static void
place_child(const DpJoint *joint, const DpJointNode *parent, DpJointNode *child)
{
	uint64_t step = 1, step_small = 1;
	uint32_t prefix = parent->prefixes;

	for (uint32_t a = joint->attributes; a-- > 0;)
	{
		bool kept = child->mask >> a & 1;

		if ((parent->mask >> a & 1) == 0)
			continue;
		if (a < parent->inner)
			child->prefix_step[--prefix] = kept ? step_small : 0;
		else
			add_run(child, joint->levels[a], step, kept ? step_small : 0);
		step *= joint->levels[a];
		step_small *= kept ? joint->levels[a] : 1;
	}
}

static DpStatus
make_node(DpJoint *joint, uint32_t mask, const uint32_t *list, uint32_t n,
		  const DpJointNode *parent, DpJointNode **out)
{
	DpJointNode *node = dp_alloc(joint->arena, 1, sizeof(*node));
	uint32_t *rest = dp_alloc(joint->arena, n, sizeof(*rest));
	uint32_t left = 0;

	DP_TRY_ALLOC(node && rest);
	*node = (DpJointNode){.mask = mask, .set = -1};
	node->cells = dp_joint_set_cells(joint->levels, mask);
	for (uint32_t i = 0; i < n; i++)
	{
		if (parent != NULL && joint->mask[list[i]] == mask)
		{
			node->set = list[i];
			joint->holder[list[i]] = node;
		}
		else
			rest[left++] = list[i];
	}
	plan_chunks(joint, node);
	if (parent != NULL)
	{
		place_child(joint, parent, node);
		joint->buffer_cells += 2 * node->cells;
	}
	if (left > 0)
		DP_TRY(divide(joint, node, rest, left));
	dp_free(joint->arena, rest, n, sizeof(*rest));
	*out = node;
	return DP_OK;
}

DpStatus
dp_joint_init(DpJoint *joint, const uint32_t *levels, uint32_t attributes, const uint32_t *mask,
			  uint32_t sets, DpArena *arena)
{
	uint32_t *list = dp_alloc(arena, sets, sizeof(*list));
	uint32_t all;

	if (attributes < 1 || attributes > DP_JOINT_ATTRIBUTES_MAX || sets < 1)
		return DP_ERR_ARGUMENT;
	all = UINT32_MAX >> (32 - attributes);
	*joint = (DpJoint){.arena = arena, .attributes = attributes, .sets = sets};
	memcpy(joint->levels, levels, attributes * sizeof(*levels));
	joint->cells = dp_joint_set_cells(levels, all);
	if (joint->cells > DP_JOINT_CELLS_MAX)
		return DP_ERR_LIMIT;
	joint->mask = dp_memdup(arena, mask, sets * sizeof(*mask));
	joint->set_cells = dp_alloc(arena, sets, sizeof(*joint->set_cells));
	joint->margin = dp_alloc(arena, sets, sizeof(*joint->margin));
	joint->holder = dp_alloc(arena, sets, sizeof(*joint->holder));
	DP_TRY_ALLOC(list && joint->mask && joint->set_cells && joint->margin && joint->holder);
	for (uint32_t s = 0; s < sets; s++)
	{
		list[s] = s;
		joint->set_cells[s] = dp_joint_set_cells(levels, mask[s]);
		if (mask[s] == 0 || (mask[s] & ~all) != 0)
			return DP_ERR_ARGUMENT;
	}
	DP_TRY(make_node(joint, all, list, sets, NULL, &joint->root));
	joint->chunk_cells = joint->root->chunk_cells;
	joint->buffer_cells += joint->chunk_cells;
	dp_free(arena, list, sets, sizeof(*list));
	return DP_OK;
}

static DpStatus
ready_node(DpJoint *joint, DpJointNode *node)
{
	if (node != joint->root)
	{
		node->factor = dp_alloc(joint->arena, node->cells, sizeof(*node->factor));
		node->margin = dp_alloc(joint->arena, node->cells, sizeof(*node->margin));
		DP_TRY_ALLOC(node->factor && node->margin);
	}
	for (uint32_t i = 0; i < node->children; i++)
		DP_TRY(ready_node(joint, node->child[i]));
	return DP_OK;
}

DpStatus
dp_joint_ready(DpJoint *joint)
{
	joint->chunk = dp_alloc(joint->arena, joint->chunk_cells, sizeof(*joint->chunk));
	DP_TRY_ALLOC(joint->chunk);
	DP_TRY(ready_node(joint, joint->root));
	for (uint32_t s = 0; s < joint->sets; s++)
		joint->margin[s] = joint->holder[s]->margin;
	return DP_OK;
}

static void
free_node(DpJointNode *node, DpArena *arena)
{
	for (uint32_t i = 0; i < node->children; i++)
		free_node(node->child[i], arena);
	dp_free(arena, node->factor, node->cells, sizeof(*node->factor));
	dp_free(arena, node->margin, node->cells, sizeof(*node->margin));
	dp_free(arena, node->child, node->capacity, sizeof(*node->child));
	dp_free(arena, node, 1, sizeof(*node));
}

void
dp_joint_free(DpJoint *joint)
{
	DpArena *arena = joint->arena;

	if (joint->root != NULL)
		free_node(joint->root, arena);
	dp_free(arena, joint->chunk, joint->chunk_cells, sizeof(*joint->chunk));
	dp_free(arena, joint->mask, joint->sets, sizeof(*joint->mask));
	dp_free(arena, joint->set_cells, joint->sets, sizeof(*joint->set_cells));
	dp_free(arena, joint->margin, joint->sets, sizeof(*joint->margin));
	dp_free(arena, joint->holder, joint->sets, sizeof(*joint->holder));
	*joint = (DpJoint){.arena = arena};
}

/* ---- passes ---- */

/* Where chunk number i of the parent begins in the child. */
static uint64_t
chunk_offset(const DpJointNode *parent, const DpJointNode *child, uint64_t chunk)
{
	return dp_row_major_place(parent->prefix_levels, child->prefix_step, parent->prefixes, chunk);
}

/* Sets cells to the product of the children's factors; if keep, multiplies them by it. */
static void
multiply_chunk(const DpJointNode *node, uint64_t chunk, bool keep, double *cells)
{
	for (uint32_t i = 0; i < node->children; i++)
	{
		const DpJointNode *child = node->child[i];
		const double *factor = child->factor + chunk_offset(node, child, chunk);

		if (keep || i > 0)
			dp_runs_multiply(cells, factor, child->run, child->runs);
		else
			dp_runs_assign(cells, factor, child->run, child->runs);
	}
}

static void
sum_chunk(const DpJointNode *node, uint64_t chunk, const double *cells)
{
	for (uint32_t i = 0; i < node->children; i++)
	{
		DpJointNode *child = node->child[i];

		dp_runs_sum(cells, child->margin + chunk_offset(node, child, chunk), child->run,
					child->runs);
	}
}

static void
tick_chunk(uint64_t chunk, const DpTick *tick)
{
	if (chunk % CHUNKS_A_TICK == 0)
		dp_tick(tick, -1.0);
}

static void
exponentiate(const double *theta, uint64_t n, double *factor)
{
	double maximum = theta[0];

	for (uint64_t i = 1; i < n; i++)
		maximum = theta[i] > maximum ? theta[i] : maximum;
	for (uint64_t i = 0; i < n; i++)
		factor[i] = exp(theta[i] - maximum);
}

/* Computes the factors, from the leaves up. */
static void
multiply_node(DpJointNode *node, double *const *theta, const DpTick *tick)
{
	for (uint32_t i = 0; i < node->children; i++)
		multiply_node(node->child[i], theta, tick);
	if (node->factor == NULL)
		return;
	if (node->set >= 0)
		exponentiate(theta[node->set], node->cells, node->factor);
	for (uint64_t chunk = 0; chunk < node->chunks && node->children > 0; chunk++)
	{
		tick_chunk(chunk, tick);
		multiply_chunk(node, chunk, node->set >= 0, node->factor + chunk * node->chunk_cells);
	}
}

static void
clear_margins(const DpJointNode *node)
{
	for (uint32_t i = 0; i < node->children; i++)
		memset(node->child[i]->margin, 0, node->child[i]->cells * sizeof(double));
}

/* Computes the margins below a node from its own, downwards. */
static void
sum_node(DpJointNode *node, const DpTick *tick)
{
	clear_margins(node);
	for (uint64_t chunk = 0; chunk < node->chunks && node->children > 0; chunk++)
	{
		tick_chunk(chunk, tick);
		sum_chunk(node, chunk, node->margin + chunk * node->chunk_cells);
	}
	for (uint32_t i = 0; i < node->children; i++)
		sum_node(node->child[i], tick);
}

static void
scale_node(DpJointNode *node, double scale)
{
	for (uint64_t i = 0; i < node->cells; i++)
		node->margin[i] *= scale;
}

DpStatus
dp_joint_evaluate(DpJoint *joint, double *const *theta, const DpTick *tick)
{
	DpJointNode *root = joint->root;
	double total;

	multiply_node(root, theta, tick);
	clear_margins(root);
	for (uint64_t chunk = 0; chunk < root->chunks; chunk++)
	{
		tick_chunk(chunk, tick);
		multiply_chunk(root, chunk, false, joint->chunk);
		sum_chunk(root, chunk, joint->chunk);
	}
	total = dp_sum(root->child[0]->margin, root->child[0]->cells);
	if (!(total > 0x1p-1000) || !isfinite(total))
		return DP_ERR_RANGE;
	for (uint32_t i = 0; i < root->children; i++)
	{
		scale_node(root->child[i], 1 / total);
		sum_node(root->child[i], tick);
	}
	return DP_OK;
}

void
dp_joint_fill(const DpJoint *joint, double *out, const DpTick *tick)
{
	const DpJointNode *root = joint->root;
	double total = 0;

	for (uint64_t chunk = 0; chunk < root->chunks; chunk++)
	{
		double *cells = out + chunk * root->chunk_cells;

		tick_chunk(chunk, tick);
		multiply_chunk(root, chunk, false, cells);
		total += dp_sum(cells, root->chunk_cells);
	}
	for (uint64_t i = 0; i < joint->cells; i++)
		out[i] /= total;
}

void
dp_joint_project(const uint32_t *levels, uint32_t attributes, const double *dense, uint32_t mask,
				 double *out)
{
	DpJoint joint = {.attributes = attributes};
	DpJointNode parent = {.mask = attributes > 0 ? UINT32_MAX >> (32 - attributes) : 0};
	DpJointNode child = {.mask = mask};

	memcpy(joint.levels, levels, attributes * sizeof(*levels));
	parent.cells = parent.chunk_cells = dp_joint_set_cells(levels, parent.mask);
	child.cells = dp_joint_set_cells(levels, mask);
	place_child(&joint, &parent, &child);
	memset(out, 0, child.cells * sizeof(*out));
	dp_runs_sum(dense, out, child.run, child.runs);
}
