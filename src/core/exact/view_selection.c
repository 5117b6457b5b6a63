/*
 * view_selection.c -- which tables to count, so that all sets are margins of them.
 *
 * Input:    sets of attributes S_1 ... S_m, levels, a bound c on cells
 * Output:   blocks B_1 ... B_b, each S_i a subset of one of them
 * Why:      a row costs one increment a block, not one a set, and margins are exact sums
 *           of integers. 66 pairs of 12 columns like those of Adult are in 16 blocks of at
 *           most 4096 cells, which are small enough for the nearest cache.
 * How:      greedily, as for set selection. The largest set that is left becomes a new block.
 *           The block grows by the attribute that completes the most sets, and among
 *           equals by the one with the fewest levels, while its cells stay within c. The
 *           sets that it contains are done.
 * Cost:     each added attribute takes O(b m k) steps for m sets of k attributes. So sets
 *           are taken in chunks; neighbours in a list have most in common. A list of all pairs of
 *           hundreds of columns is cut into runs of neighbours instead, in one walk: pairs of one
 *           column come one after the other.
 */
#include "core/exact/view_selection.h"

#include <string.h>

#include "core/base/saturate.h"
#include "core/base/sort.h"

#define CHUNK_SETS 2048

typedef struct Cover
{
	const DpSpec *spec;
	uint64_t cells_max;
	DpArena *arena;
	const DpTick *tick;
	uint64_t *left; /* sets that are in no block yet, the largest first */
	uint64_t left_n;
	bool *inside;   /* [attributes] whether the block that grows has it */
	uint32_t *gain; /* [attributes] how many sets it would complete */
	uint32_t *member;
	uint32_t members;
	uint64_t cells; /* cells of the block that grows */
} Cover;

static bool
larger_set(const void *context, uint64_t a, uint64_t b)
{
	const DpSpec *spec = context;

	return dp_spec_cells(spec, (uint32_t) a) > dp_spec_cells(spec, (uint32_t) b);
}

static void
include(Cover *selection, uint32_t attribute)
{
	selection->inside[attribute] = true;
	selection->member[selection->members++] = attribute;
	selection->cells = dp_multiply_saturated(selection->cells,
											 selection->spec->domain.attribute[attribute].levels);
}

/* Counts the attributes of a set that are outside the block, and stops at two. *missing is one
 * of them. */
static uint32_t
count_missing(const Cover *selection, uint64_t index, uint32_t *missing)
{
	const DpSpecSet *set = &selection->spec->set[index];
	uint32_t n = 0;

	for (uint32_t k = 0; k < set->n && n < 2; k++)
	{
		if (!selection->inside[set->attribute[k]])
		{
			*missing = set->attribute[k];
			n++;
		}
	}
	return n;
}

/* Whether attribute a is the better one to add. */
static bool
better(const Cover *selection, uint32_t a, uint32_t b)
{
	if (selection->gain[a] != selection->gain[b])
		return selection->gain[a] > selection->gain[b];
	return selection->spec->domain.attribute[a].levels <
		   selection->spec->domain.attribute[b].levels;
}

/* Adds an attribute to the block. The result is false if none completes a set within the bound. */
static bool
grow(Cover *selection)
{
	uint32_t attributes = selection->spec->domain.attributes;
	uint32_t best = attributes;
	uint32_t missing = 0;

	dp_tick(selection->tick, -1.0);
	memset(selection->gain, 0, attributes * sizeof(*selection->gain));
	for (uint64_t i = 0; i < selection->left_n; i++)
	{
		if (count_missing(selection, selection->left[i], &missing) == 1)
			selection->gain[missing]++;
	}
	for (uint32_t a = 0; a < attributes; a++)
	{
		uint32_t levels = selection->spec->domain.attribute[a].levels;

		if (selection->gain[a] > 0 &&
			dp_multiply_saturated(selection->cells, levels) <= selection->cells_max &&
			(best == attributes || better(selection, a, best)))
			best = a;
	}
	if (best == attributes)
		return false;
	include(selection, best);
	return true;
}

/* Removes the sets that the block contains from those that are left. */
static DpStatus
finish_block(Cover *selection, DpBlock *block)
{
	uint64_t kept = 0;
	uint32_t missing;

	for (uint64_t i = 0; i < selection->left_n; i++)
		block->sets += count_missing(selection, selection->left[i], &missing) == 0;
	block->of.n = selection->members;
	block->cells = selection->cells;
	block->of.attribute = dp_memdup(selection->arena, selection->member,
									selection->members * sizeof(*block->of.attribute));
	block->levels = dp_alloc(selection->arena, block->of.n, sizeof(*block->levels));
	block->set = dp_alloc(selection->arena, block->sets, sizeof(*block->set));
	if (block->of.attribute == NULL || block->levels == NULL || block->set == NULL)
		return DP_ERR_MEMORY;
	dp_domain_levels(&selection->spec->domain, block->of.attribute, block->of.n, block->levels);
	block->sets = 0;
	for (uint64_t i = 0; i < selection->left_n; i++)
	{
		if (count_missing(selection, selection->left[i], &missing) == 0)
			block->set[block->sets++] = (uint32_t) selection->left[i];
		else
			selection->left[kept++] = selection->left[i];
	}
	selection->left_n = kept;
	return DP_OK;
}

static DpStatus
make_block(Cover *selection, DpBlock *block)
{
	const DpSpecSet *seed = &selection->spec->set[selection->left[0]];

	memset(selection->inside, 0, selection->spec->domain.attributes * sizeof(*selection->inside));
	selection->members = 0;
	selection->cells = 1;
	for (uint32_t k = 0; k < seed->n; k++)
		include(selection, seed->attribute[k]);
	while (grow(selection))
		;
	return finish_block(selection, block);
}

/* Takes the next dense sets from *next on. */
static DpStatus
take_chunk(Cover *selection, uint32_t *next)
{
	selection->left_n = 0;
	for (; *next < selection->spec->sets && selection->left_n < CHUNK_SETS; (*next)++)
	{
		if (selection->spec->set[*next].storage == DP_DENSE)
			selection->left[selection->left_n++] = *next;
	}
	return dp_sort_indexes(selection->left, selection->left_n, larger_set, selection->spec,
						   selection->arena);
}

static DpStatus
cover_chunks(Cover *selection, DpViewSelection *out)
{
	uint32_t next = 0;

	while (next < selection->spec->sets)
	{
		DP_TRY(take_chunk(selection, &next));
		while (selection->left_n > 0)
		{
			DpBlock *block = &out->block[out->blocks++];

			DP_TRY(make_block(selection, block));
			out->cells = dp_add_saturated(out->cells, block->cells);
		}
	}
	return DP_OK;
}

bool
dp_view_selection_is_run(const DpSpec *spec, uint32_t set, uint64_t set_cells_max)
{
	return spec->set[set].storage == DP_DENSE && spec->set[set].n > 0 &&
		   dp_spec_cells(spec, set) <= set_cells_max;
}

/* Whether the next set can join the block that grows; then it is in it. */
static bool
join_run(Cover *selection, uint32_t set)
{
	uint32_t missing = 0, n = count_missing(selection, set, &missing);

	if (n > 1)
		return false;
	if (n == 1)
	{
		uint32_t levels = selection->spec->domain.attribute[missing].levels;

		if (dp_multiply_saturated(selection->cells, levels) > selection->cells_max)
			return false;
		include(selection, missing);
	}
	return true;
}

/* The block of the set *next and of those after it that can join. */
static DpStatus
make_run(Cover *selection, uint32_t *next, uint64_t set_cells_max, DpBlock *block)
{
	const DpSpecSet *seed = &selection->spec->set[*next];

	selection->left_n = 0;
	selection->left[selection->left_n++] = (*next)++;
	selection->members = 0;
	selection->cells = 1;
	for (uint32_t k = 0; k < seed->n; k++)
		include(selection, seed->attribute[k]);
	while (*next < selection->spec->sets && selection->left_n < CHUNK_SETS &&
		   dp_view_selection_is_run(selection->spec, *next, set_cells_max) &&
		   join_run(selection, *next))
		selection->left[selection->left_n++] = (*next)++;
	DP_TRY(finish_block(selection, block));
	for (uint32_t k = 0; k < block->of.n; k++)
		selection->inside[block->of.attribute[k]] = false;
	return DP_OK;
}

static DpStatus
cover_runs(Cover *selection, uint64_t set_cells_max, DpViewSelection *out)
{
	for (uint32_t next = 0; next < selection->spec->sets;)
	{
		dp_tick(selection->tick, -1.0);
		if (!dp_view_selection_is_run(selection->spec, next, set_cells_max))
		{
			next++;
			continue;
		}
		DP_TRY(make_run(selection, &next, set_cells_max, &out->block[out->blocks]));
		out->cells = dp_add_saturated(out->cells, out->block[out->blocks++].cells);
	}
	return DP_OK;
}

/* By runs, if set_cells_max is not 0. */
static DpStatus
cover_by(const DpSpec *spec, uint64_t cells_max, uint64_t set_cells_max, DpViewSelection *out,
		 const DpTick *tick, DpArena *arena)
{
	uint32_t attributes = spec->domain.attributes;
	Cover selection = {
		.spec = spec,
		.cells_max = cells_max,
		.arena = arena,
		.tick = tick,
		.left = dp_alloc(arena, CHUNK_SETS, sizeof(*selection.left)),
		.inside = dp_alloc(arena, attributes, sizeof(*selection.inside)),
		.gain = dp_alloc(arena, attributes, sizeof(*selection.gain)),
		.member = dp_alloc(arena, attributes, sizeof(*selection.member)),
	};
	DpStatus status = DP_ERR_MEMORY;

	*out = (DpViewSelection){.block = dp_alloc(arena, spec->sets, sizeof(*out->block))};
	if (selection.left != NULL && selection.inside != NULL && selection.gain != NULL &&
		selection.member != NULL && out->block != NULL)
		status = set_cells_max > 0 ? cover_runs(&selection, set_cells_max, out)
								   : cover_chunks(&selection, out);
	dp_free(arena, selection.left, CHUNK_SETS, sizeof(*selection.left));
	dp_free(arena, selection.inside, attributes, sizeof(*selection.inside));
	dp_free(arena, selection.gain, attributes, sizeof(*selection.gain));
	dp_free(arena, selection.member, attributes, sizeof(*selection.member));
	return status;
}

DpStatus
dp_view_selection(const DpSpec *spec, uint64_t cells_max, DpViewSelection *out, const DpTick *tick,
				  DpArena *arena)
{
	return cover_by(spec, cells_max, 0, out, tick, arena);
}

DpStatus
dp_view_selection_runs(const DpSpec *spec, uint64_t cells_max, uint64_t set_cells_max,
					   DpViewSelection *out, const DpTick *tick, DpArena *arena)
{
	return cover_by(spec, cells_max, set_cells_max, out, tick, arena);
}
