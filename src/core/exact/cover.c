/*
 * cover.c -- which tables to count, so that all sets are margins of them.
 *
 * Input:    sets of attributes S_1 ... S_m, levels, a bound c on cells
 * Output:   blocks B_1 ... B_b, each S_i a subset of one of them
 * Why:      a row costs one increment a block, not one a set, and margins are exact sums
 *           of integers. 66 pairs of 12 columns like those of Adult are in 16 blocks of at
 *           most 4096 cells, which are small enough for the nearest cache.
 * How:      greedily, as for set cover. The largest set that is left becomes a new block.
 *           The block grows by the attribute that completes the most sets, and among
 *           equals by the one with the fewest levels, while its cells stay within c. The
 *           sets that it contains are done.
 * Cost:     each added attribute takes O(b m k) steps for m sets of k attributes. So sets
 *           are taken in chunks; neighbours in a list have most in common. A list of all pairs of
 *           hundreds of columns is cut into runs of neighbours instead, in one walk: pairs of one
 *           column come one after the other.
 */
#include "core/exact/cover.h"

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
include(Cover *cover, uint32_t attribute)
{
	cover->inside[attribute] = true;
	cover->member[cover->members++] = attribute;
	cover->cells =
		dp_multiply_saturated(cover->cells, cover->spec->domain.attribute[attribute].levels);
}

/* Counts the attributes of a set that are outside the block, and stops at two. *missing is one
 * of them. */
static uint32_t
count_missing(const Cover *cover, uint64_t index, uint32_t *missing)
{
	const DpSpecSet *set = &cover->spec->set[index];
	uint32_t n = 0;

	for (uint32_t k = 0; k < set->n && n < 2; k++)
	{
		if (!cover->inside[set->attribute[k]])
		{
			*missing = set->attribute[k];
			n++;
		}
	}
	return n;
}

/* Whether attribute a is the better one to add. */
static bool
better(const Cover *cover, uint32_t a, uint32_t b)
{
	if (cover->gain[a] != cover->gain[b])
		return cover->gain[a] > cover->gain[b];
	return cover->spec->domain.attribute[a].levels < cover->spec->domain.attribute[b].levels;
}

/* Adds an attribute to the block. The result is false if none completes a set within the bound. */
static bool
grow(Cover *cover)
{
	uint32_t attributes = cover->spec->domain.attributes;
	uint32_t best = attributes;
	uint32_t missing = 0;

	dp_tick(cover->tick, -1.0);
	memset(cover->gain, 0, attributes * sizeof(*cover->gain));
	for (uint64_t i = 0; i < cover->left_n; i++)
	{
		if (count_missing(cover, cover->left[i], &missing) == 1)
			cover->gain[missing]++;
	}
	for (uint32_t a = 0; a < attributes; a++)
	{
		uint32_t levels = cover->spec->domain.attribute[a].levels;

		if (cover->gain[a] > 0 && dp_multiply_saturated(cover->cells, levels) <= cover->cells_max &&
			(best == attributes || better(cover, a, best)))
			best = a;
	}
	if (best == attributes)
		return false;
	include(cover, best);
	return true;
}

/* Removes the sets that the block contains from those that are left. */
static DpStatus
finish_block(Cover *cover, DpBlock *block)
{
	uint64_t kept = 0;
	uint32_t missing;

	for (uint64_t i = 0; i < cover->left_n; i++)
		block->sets += count_missing(cover, cover->left[i], &missing) == 0;
	block->n = cover->members;
	block->cells = cover->cells;
	block->attribute =
		dp_memdup(cover->arena, cover->member, cover->members * sizeof(*block->attribute));
	block->levels = dp_alloc(cover->arena, block->n, sizeof(*block->levels));
	block->set = dp_alloc(cover->arena, block->sets, sizeof(*block->set));
	if (block->attribute == NULL || block->levels == NULL || block->set == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t k = 0; k < block->n; k++)
		block->levels[k] = cover->spec->domain.attribute[block->attribute[k]].levels;
	block->sets = 0;
	for (uint64_t i = 0; i < cover->left_n; i++)
	{
		if (count_missing(cover, cover->left[i], &missing) == 0)
			block->set[block->sets++] = (uint32_t) cover->left[i];
		else
			cover->left[kept++] = cover->left[i];
	}
	cover->left_n = kept;
	return DP_OK;
}

static DpStatus
make_block(Cover *cover, DpBlock *block)
{
	const DpSpecSet *seed = &cover->spec->set[cover->left[0]];

	memset(cover->inside, 0, cover->spec->domain.attributes * sizeof(*cover->inside));
	cover->members = 0;
	cover->cells = 1;
	for (uint32_t k = 0; k < seed->n; k++)
		include(cover, seed->attribute[k]);
	while (grow(cover))
		;
	return finish_block(cover, block);
}

/* Takes the next dense sets from *next on. */
static DpStatus
take_chunk(Cover *cover, uint32_t *next)
{
	cover->left_n = 0;
	for (; *next < cover->spec->sets && cover->left_n < CHUNK_SETS; (*next)++)
	{
		if (cover->spec->set[*next].storage == DP_DENSE)
			cover->left[cover->left_n++] = *next;
	}
	return dp_sort_indexes(cover->left, cover->left_n, larger_set, cover->spec, cover->arena);
}

static DpStatus
cover_chunks(Cover *cover, DpCover *out)
{
	uint32_t next = 0;

	while (next < cover->spec->sets)
	{
		DP_TRY(take_chunk(cover, &next));
		while (cover->left_n > 0)
		{
			DpBlock *block = &out->block[out->blocks++];

			DP_TRY(make_block(cover, block));
			out->cells = dp_add_saturated(out->cells, block->cells);
		}
	}
	return DP_OK;
}

bool
dp_cover_is_run(const DpSpec *spec, uint32_t set, uint64_t set_cells_max)
{
	return spec->set[set].storage == DP_DENSE && spec->set[set].n > 0 &&
		   dp_spec_cells(spec, set) <= set_cells_max;
}

/* Whether the next set can join the block that grows; then it is in it. */
static bool
join_run(Cover *cover, uint32_t set)
{
	uint32_t missing = 0, n = count_missing(cover, set, &missing);

	if (n > 1)
		return false;
	if (n == 1)
	{
		uint32_t levels = cover->spec->domain.attribute[missing].levels;

		if (dp_multiply_saturated(cover->cells, levels) > cover->cells_max)
			return false;
		include(cover, missing);
	}
	return true;
}

/* The block of the set *next and of those after it that can join. */
static DpStatus
make_run(Cover *cover, uint32_t *next, uint64_t set_cells_max, DpBlock *block)
{
	const DpSpecSet *seed = &cover->spec->set[*next];

	cover->left_n = 0;
	cover->left[cover->left_n++] = (*next)++;
	cover->members = 0;
	cover->cells = 1;
	for (uint32_t k = 0; k < seed->n; k++)
		include(cover, seed->attribute[k]);
	while (*next < cover->spec->sets && cover->left_n < CHUNK_SETS &&
		   dp_cover_is_run(cover->spec, *next, set_cells_max) && join_run(cover, *next))
		cover->left[cover->left_n++] = (*next)++;
	DP_TRY(finish_block(cover, block));
	for (uint32_t k = 0; k < block->n; k++)
		cover->inside[block->attribute[k]] = false;
	return DP_OK;
}

static DpStatus
cover_runs(Cover *cover, uint64_t set_cells_max, DpCover *out)
{
	for (uint32_t next = 0; next < cover->spec->sets;)
	{
		dp_tick(cover->tick, -1.0);
		if (!dp_cover_is_run(cover->spec, next, set_cells_max))
		{
			next++;
			continue;
		}
		DP_TRY(make_run(cover, &next, set_cells_max, &out->block[out->blocks]));
		out->cells = dp_add_saturated(out->cells, out->block[out->blocks++].cells);
	}
	return DP_OK;
}

/* By runs, if set_cells_max is not 0. */
static DpStatus
cover_by(const DpSpec *spec, uint64_t cells_max, uint64_t set_cells_max, DpCover *out,
		 const DpTick *tick, DpArena *arena)
{
	uint32_t attributes = spec->domain.attributes;
	Cover cover = {
		.spec = spec,
		.cells_max = cells_max,
		.arena = arena,
		.tick = tick,
		.left = dp_alloc(arena, CHUNK_SETS, sizeof(*cover.left)),
		.inside = dp_alloc(arena, attributes, sizeof(*cover.inside)),
		.gain = dp_alloc(arena, attributes, sizeof(*cover.gain)),
		.member = dp_alloc(arena, attributes, sizeof(*cover.member)),
	};
	DpStatus status = DP_ERR_MEMORY;

	*out = (DpCover){.block = dp_alloc(arena, spec->sets, sizeof(*out->block))};
	if (cover.left != NULL && cover.inside != NULL && cover.gain != NULL && cover.member != NULL &&
		out->block != NULL)
		status =
			set_cells_max > 0 ? cover_runs(&cover, set_cells_max, out) : cover_chunks(&cover, out);
	dp_free(arena, cover.left, CHUNK_SETS, sizeof(*cover.left));
	dp_free(arena, cover.inside, attributes, sizeof(*cover.inside));
	dp_free(arena, cover.gain, attributes, sizeof(*cover.gain));
	dp_free(arena, cover.member, attributes, sizeof(*cover.member));
	return status;
}

DpStatus
dp_marginal_cover(const DpSpec *spec, uint64_t cells_max, DpCover *out, const DpTick *tick,
				  DpArena *arena)
{
	return cover_by(spec, cells_max, 0, out, tick, arena);
}

DpStatus
dp_marginal_cover_runs(const DpSpec *spec, uint64_t cells_max, uint64_t set_cells_max, DpCover *out,
					   const DpTick *tick, DpArena *arena)
{
	return cover_by(spec, cells_max, set_cells_max, out, tick, arena);
}
