/*
 * conditional.c -- compiling a noisy table to conditional distributions.
 *
 * The cells of a table ascend by (parents..., target), so that the cells of one key stand together,
 * for every prefix length. One walk counts the keys of all levels, and then one walk for each level
 * fills it.
 */
#include "core/sample/conditional.h"

#include <string.h>

#include "core/base/row_major.h"
#include "core/base/saturate.h"

#define DIRECT_SLOTS_ALWAYS 32768 /* a directory up to this size is direct however empty it is */
#define TICK_CELLS 65536

/* A walk over the cells with positive weight, in order. */
typedef struct Walk
{
	const DpTable *table;
	const uint32_t *levels;
	const double *weight;
	const DpTick *tick;
	uint64_t next;
	uint32_t code[DP_ATTRIBUTES_MAX];
} Walk;

static void
decode_cell(Walk *walk, uint64_t cell)
{
	const DpTable *table = walk->table;

	if (table->storage == DP_SPARSE)
	{
		memcpy(walk->code, table->code + cell * table->n, table->n * sizeof(*walk->code));
		return;
	}
	dp_row_major_codes(walk->levels, table->n, cell, walk->code);
}

/* Goes to the next cell; *weight is its weight and walk->code its codes. Returns false at the
 * end. */
static bool
walk_next(Walk *walk, double *weight)
{
	while (walk->next < walk->table->cells)
	{
		uint64_t cell = walk->next++;

		if (cell % TICK_CELLS == 0)
			dp_tick(walk->tick, -1.0);
		if (walk->weight[cell] <= 0)
			continue;
		decode_cell(walk, cell);
		*weight = walk->weight[cell];
		return true;
	}
	return false;
}

/* The number of leading parents that agree. */
static uint32_t
common_prefix(const uint32_t *a, const uint32_t *b, uint32_t parents)
{
	uint32_t k = 0;

	while (k < parents && a[k] == b[k])
		k++;
	return k;
}

/* Sets keys[r] to the number of distinct keys of the first r parents. Returns the number of
 * cells with positive weight. */
static uint64_t
count_keys(Walk walk, uint32_t parents, uint64_t *keys)
{
	uint32_t previous[DP_ATTRIBUTES_MAX] = {0};
	uint64_t cells = 0;
	double weight;

	memset(keys, 0, (parents + 1) * sizeof(*keys));
	while (walk_next(&walk, &weight))
	{
		uint32_t common = cells == 0 ? 0 : common_prefix(previous, walk.code, parents);

		/* A prefix that is longer than the common one begins a new key. */
		for (uint32_t r = common + 1; r <= parents; r++)
			keys[r]++;
		memcpy(previous, walk.code, parents * sizeof(*previous));
		cells++;
	}
	keys[0] = cells > 0;
	return cells;
}

static DpStatus
init_directory(DpConditionalLevel *level, const uint32_t *levels, uint64_t keys, DpArena *arena)
{
	uint64_t direct_slots = dp_product_saturated(levels, level->parents);

	level->stride = dp_alloc(arena, level->parents, sizeof(*level->stride));
	level->field = dp_alloc(arena, level->parents, sizeof(*level->field));
	DP_TRY_ALLOC(level->stride && level->field);
	level->direct = direct_slots <= DIRECT_SLOTS_ALWAYS || direct_slots <= 4 * keys;
	level->slots = direct_slots;
	if (level->direct)
		(void) dp_row_major_steps(levels, level->parents, level->stride);
	else
	{
		for (level->slots = 1; level->slots < 2 * keys;)
			level->slots *= 2;
		level->key_words = dp_key_layout(levels, level->parents, level->field);
		level->keys = dp_alloc(arena, level->slots, level->key_words * sizeof(*level->keys));
		DP_TRY_ALLOC(level->keys);
	}
	if (level->slots > UINT32_MAX)
		return DP_ERR_LIMIT;
	level->slot = dp_alloc(arena, level->slots, sizeof(*level->slot));
	return level->slot == NULL ? DP_ERR_MEMORY : DP_OK;
}

/* In a hashed level: the slot of the key, or the free slot where it belongs. At most half of the
 * slots are taken. Keys lie in the slots, not in a list as those of slot_table.h: one access less
 * in a loop that runs for each value drawn. */
static uint64_t
find_slot(const DpConditionalLevel *level, const uint64_t *key)
{
	uint64_t mask = level->slots - 1;
	uint64_t slot = dp_key_hash(key, level->key_words) & mask;

	while (level->slot[slot].n != 0 &&
		   !dp_key_equal(level->keys + slot * level->key_words, key, level->key_words))
		slot = (slot + 1) & mask;
	return slot;
}

static DpConditionalSlot *
insert_slot(DpConditionalLevel *level, const uint32_t *codes)
{
	uint64_t key[DP_ATTRIBUTES_MAX];
	uint64_t slot = 0;

	if (level->direct)
	{
		for (uint32_t k = 0; k < level->parents; k++)
			slot += codes[k] * level->stride[k];
		return &level->slot[slot];
	}
	memset(key, 0, level->key_words * sizeof(*key));
	for (uint32_t k = 0; k < level->parents; k++)
		dp_key_put(&level->field[k], codes[k], key);
	slot = find_slot(level, key);
	memcpy(level->keys + slot * level->key_words, key, level->key_words * sizeof(*key));
	return &level->slot[slot];
}

/* The distribution that is being gathered: the weights of one key by target. */
typedef struct Gather
{
	uint32_t n;        /* distinct targets so far */
	uint32_t *target;  /* [levels of the target] */
	double *weight;    /* parallel to target */
	uint32_t *place;   /* [levels of the target]: 1 + where the target stands; 0 = not yet */
	uint32_t *work;    /* for the alias table */
	uint32_t capacity; /* levels of the target */
} Gather;

static DpStatus
init_gather(Gather *gather, uint32_t target_levels, DpArena *arena)
{
	gather->n = 0;
	gather->capacity = target_levels;
	gather->target = dp_alloc(arena, target_levels, sizeof(*gather->target));
	gather->weight = dp_alloc(arena, target_levels, sizeof(*gather->weight));
	gather->place = dp_alloc(arena, target_levels, sizeof(*gather->place));
	gather->work = dp_alloc(arena, target_levels, sizeof(*gather->work));
	return gather->target && gather->weight && gather->place && gather->work ? DP_OK
																			 : DP_ERR_MEMORY;
}

static void
free_gather(Gather *gather, DpArena *arena)
{
	dp_free(arena, gather->target, gather->capacity, sizeof(*gather->target));
	dp_free(arena, gather->weight, gather->capacity, sizeof(*gather->weight));
	dp_free(arena, gather->place, gather->capacity, sizeof(*gather->place));
	dp_free(arena, gather->work, gather->capacity, sizeof(*gather->work));
}

static void
gather_add(Gather *gather, uint32_t target, double weight)
{
	uint32_t place = gather->place[target];

	if (place == 0)
	{
		place = ++gather->n;
		gather->place[target] = place;
		gather->target[place - 1] = target;
		gather->weight[place - 1] = 0;
	}
	gather->weight[place - 1] += weight;
}

/* Turns what was gathered into the alias table of a key, and empties it. */
static void
gather_flush(Gather *gather, DpConditionalLevel *level, const uint32_t *codes, uint64_t *entries)
{
	DpConditionalSlot *slot = insert_slot(level, codes);

	slot->first = (uint32_t) *entries;
	slot->n = gather->n;
	dp_alias_build(gather->weight, gather->target, gather->n, gather->work,
				   level->entry + *entries);
	*entries += gather->n;
	for (uint32_t i = 0; i < gather->n; i++)
		gather->place[gather->target[i]] = 0;
	gather->n = 0;
}

static void
fill_level(DpConditionalLevel *level, Walk walk, Gather *gather)
{
	uint32_t current[DP_ATTRIBUTES_MAX];
	uint32_t target = walk.table->n - 1;
	uint64_t entries = 0;
	double weight;

	while (walk_next(&walk, &weight))
	{
		if (gather->n > 0 && common_prefix(current, walk.code, level->parents) < level->parents)
			gather_flush(gather, level, current, &entries);
		memcpy(current, walk.code, level->parents * sizeof(*current));
		gather_add(gather, walk.code[target], weight);
	}
	if (gather->n > 0)
		gather_flush(gather, level, current, &entries);
}

/* Builds one level. A key has at most as many entries as cells, and as the target has levels. */
static DpStatus
build_level(DpConditionalLevel *level, const Walk *walk, uint64_t keys, uint64_t cells,
			Gather *gather, DpArena *arena)
{
	uint64_t entries = dp_multiply_saturated(keys, walk->levels[walk->table->n - 1]);

	entries = entries < cells ? entries : cells;
	DP_TRY(init_directory(level, walk->levels, keys, arena));
	level->entry = dp_alloc(arena, entries, sizeof(*level->entry));
	DP_TRY_ALLOC(level->entry);
	fill_level(level, *walk, gather);
	return DP_OK;
}

/* The number of prefix lengths that have distributions, without the empty prefix. */
static uint32_t
prefix_lengths(uint32_t parents, bool with_prefixes)
{
	if (!with_prefixes)
		return parents > 0;
	return parents < DP_CONDITIONAL_PREFIXES ? parents : DP_CONDITIONAL_PREFIXES;
}

static DpStatus
build_levels(DpConditional *conditional, const Walk *walk, bool with_prefixes, DpArena *arena)
{
	uint64_t keys[DP_ATTRIBUTES_MAX];
	uint64_t cells = count_keys(*walk, conditional->parents, keys);
	uint32_t lengths = prefix_lengths(conditional->parents, with_prefixes);
	Gather gather;

	if (cells > UINT32_MAX)
		return DP_ERR_LIMIT;
	conditional->levels = lengths + 1;
	conditional->level = dp_alloc(arena, conditional->levels, sizeof(*conditional->level));
	DP_TRY_ALLOC(conditional->level);
	DP_TRY(init_gather(&gather, conditional->target_levels, arena));
	for (uint32_t i = 0; i < conditional->levels; i++)
	{
		DpConditionalLevel *level = &conditional->level[i];

		level->parents =
			lengths == 0 ? 0
						 : (uint32_t) ((uint64_t) conditional->parents * (lengths - i) / lengths);
		DP_TRY(build_level(level, walk, keys[level->parents], cells, &gather, arena));
	}
	free_gather(&gather, arena);
	return DP_OK;
}

DpStatus
dp_conditional_build(DpConditional *conditional, const DpEstimatedTable *from, bool with_prefixes,
					 const DpTick *tick, DpArena *arena)
{
	const DpTable *table = from->table;
	uint32_t levels[DP_ATTRIBUTES_MAX];
	Walk walk = {.table = table, .levels = levels, .tick = tick};
	double *weight;

	if (table->n < 1 || table->n > DP_ATTRIBUTES_MAX)
		return DP_ERR_CORRUPT;
	*conditional = (DpConditional){.parents = table->n - 1};
	dp_domain_levels(from->domain, table->attribute, table->n, levels);
	conditional->parent =
		dp_memdup(arena, table->attribute, conditional->parents * sizeof(*conditional->parent));
	DP_TRY_ALLOC(conditional->parent);
	conditional->target_levels = levels[table->n - 1];
	DP_TRY(dp_weights_make(from, &weight, arena));
	walk.weight = weight;
	DP_TRY(build_levels(conditional, &walk, with_prefixes, arena));
	dp_free(arena, weight, table->cells, sizeof(*weight));
	return DP_OK;
}

static uint64_t
direct_slot(const DpConditional *conditional, const DpConditionalLevel *level, const uint32_t *row)
{
	uint64_t slot = 0;

	for (uint32_t k = 0; k < level->parents; k++)
		slot += row[conditional->parent[k]] * level->stride[k];
	return slot;
}

static uint64_t
hashed_slot(const DpConditional *conditional, const DpConditionalLevel *level, const uint32_t *row)
{
	uint64_t key[DP_ATTRIBUTES_MAX];

	memset(key, 0, level->key_words * sizeof(*key));
	for (uint32_t k = 0; k < level->parents; k++)
		dp_key_put(&level->field[k], row[conditional->parent[k]], key);
	return find_slot(level, key);
}

uint64_t
dp_conditional_slot(const DpConditional *conditional, const DpConditionalLevel *level,
					const uint32_t *row)
{
	return level->direct ? direct_slot(conditional, level, row)
						 : hashed_slot(conditional, level, row);
}

bool
dp_conditional_draw(const DpConditional *conditional, const DpConditionalLevel *level,
					const uint32_t *row, DpPrng *prng, uint32_t *value)
{
	const DpConditionalSlot *slot = &level->slot[dp_conditional_slot(conditional, level, row)];

	if (slot->n == 0)
		return false;
	*value = dp_alias_draw(level->entry + slot->first, slot->n, prng);
	return true;
}

/* The first level from `first` on that has the key of a row, and where; the number of levels: none.
 */
static uint32_t
find_level(const DpConditional *conditional, uint32_t first, const uint32_t *row,
		   const DpConditionalSlot **slot)
{
	for (uint32_t i = first; i < conditional->levels; i++)
	{
		const DpConditionalLevel *level = &conditional->level[i];

		*slot = &level->slot[dp_conditional_slot(conditional, level, row)];
		if ((*slot)->n > 0)
			return i;
	}
	return conditional->levels;
}

uint32_t
dp_conditional_pick(const DpConditional *conditional, uint32_t first, const uint32_t *row,
					uint64_t random, uint32_t *value)
{
	const DpConditionalSlot *slot = NULL;
	uint32_t i = find_level(conditional, first, row, &slot);

	if (i < conditional->levels)
		*value = dp_alias_pick(conditional->level[i].entry + slot->first, slot->n, random);
	else
		*value = (uint32_t) dp_prng_scale(random, conditional->target_levels);
	return i;
}

uint32_t
dp_conditional_distribution(const DpConditional *conditional, uint32_t first, const uint32_t *row,
							double *distribution)
{
	const DpConditionalSlot *slot = NULL;
	uint32_t i = find_level(conditional, first, row, &slot);
	bool found = i < conditional->levels;

	for (uint32_t k = 0; k < conditional->target_levels; k++)
		distribution[k] = found ? 0 : 1.0 / conditional->target_levels;
	if (found)
		dp_alias_distribution(conditional->level[i].entry + slot->first, slot->n, distribution);
	return i;
}

bool
dp_conditional_is_total(const DpConditional *conditional, uint32_t first)
{
	const DpConditionalLevel *level = &conditional->level[first];

	/* a hashed directory is at most half full, and is made where most keys are missing */
	for (uint64_t slot = 0; level->direct && slot < level->slots; slot++)
		if (level->slot[slot].n == 0)
			return false;
	return level->direct;
}

uint32_t
dp_conditional_draw_backoff(const DpConditional *conditional, uint32_t first, const uint32_t *row,
							DpPrng *prng)
{
	uint32_t value;

	(void) dp_conditional_pick(conditional, first, row, dp_prng_u64(prng), &value);
	return value;
}
