/*
 * distinct_codes.c -- levels by which the rows of one parent differ.
 */
#include "pg/sample/tree_level.h"

#include "utils/jsonb.h"

#include "pg/domain/derived.h"
#include "pg/domain/schema_keys.h"
#include "pg/domain/table_tree.h"

#define CHOICES_MAX 1000

/* The attributes of one key. */
typedef struct CodeSet
{
	int n;
	uint32 attribute[INDEX_MAX_KEYS];
	uint32 *capacity[INDEX_MAX_KEYS]; /* [levels] */
	uint32 levels[INDEX_MAX_KEYS];
	/* of one attribute: */
	bool in_order;    /* rows come in its order */
	uint32 *out;      /* levels that a row cannot have, */
	uint32 outs_ever; /* those that never come first */
} CodeSet;

struct DpDistinctCodes
{
	uint32 attributes; /* of a row */
	uint32 most;
	int sets;
	CodeSet *set;
};

/* ---- making ---- */

/* How many different values a level has; UINT32_MAX: more than rows can use up. */
static uint32
level_capacity(const DpAttribute *attribute, uint32 code, bool nulls_equal)
{
	const DpRange *range = attribute->range;
	uint64 values;

	if (attribute->has_other && code == attribute->levels - 1)
		return attribute->other == NULL && !nulls_equal ? PG_UINT32_MAX : 1;
	if (attribute->kind == DP_CATEGORIES)
		return 1;
	if (range == NULL || range->state != DP_RANGE_FOUND)
		return PG_UINT32_MAX;
	values = (uint64) dp_range_bin_last(range, code) - (uint64) range->bin[code];
	return values < PG_UINT32_MAX ? (uint32) values + 1 : PG_UINT32_MAX;
}

/* Whether a column that must not be NULL gets another level in place of that one. */
static bool
is_never_null(const DpStored *stored, const char *name)
{
	return stored->fill != NULL && getKeyJsonValueFromContainer(&stored->fill->root, name,
																(int) strlen(name), NULL) != NULL;
}

/* The attribute that decides a column by itself; -1: none does. */
static int
attribute_of(const DpStored *stored, const char *name)
{
	DpDerivation derivation;

	if (dp_derivation_find(stored->derived, name, &derivation))
		return -1;
	return dp_domain_find(&stored->model.domain, name);
}

static uint64
add_capped(uint64 a, uint64 b)
{
	return Min(a + Min(b, PG_UINT32_MAX), PG_UINT32_MAX);
}

/* Returns how many rows its levels tell apart. */
static uint64
set_attribute(CodeSet *set, const DpStored *stored, uint32 a, bool nulls_equal)
{
	const DpAttribute *attribute = &stored->model.domain.attribute[a];
	bool never_null =
		attribute->has_other && attribute->other == NULL && is_never_null(stored, attribute->name);
	uint32 *capacity = palloc_extended(sizeof(uint32) * attribute->levels, MCXT_ALLOC_HUGE);
	uint64 rows = 0;

	for (uint32 code = 0; code < attribute->levels; code++)
	{
		capacity[code] = level_capacity(attribute, code, nulls_equal);
		if (never_null && code == attribute->levels - 1)
			capacity[code] = 0;
		rows = add_capped(rows, capacity[code]);
	}
	set->attribute[set->n] = a;
	set->levels[set->n] = attribute->levels;
	set->capacity[set->n++] = capacity;
	return rows;
}

/* false: it is not decided by levels alone. */
static bool
set_create(const DpStored *stored, const DpDistinct *distinct, CodeSet *set, uint32 *most)
{
	uint64 rows = 1;
	ListCell *cell;

	if (list_length(distinct->columns) > INDEX_MAX_KEYS)
		return false;
	foreach (cell, distinct->columns)
		if (attribute_of(stored, lfirst(cell)) < 0)
			return false;
	*set = (CodeSet){0};
	foreach (cell, distinct->columns)
	{
		rows *= set_attribute(set, stored, (uint32) attribute_of(stored, lfirst(cell)),
							  distinct->nulls_equal);
		rows = Min(rows, PG_UINT32_MAX);
	}
	*most = Min(*most, (uint32) rows);
	if (set->n != 1)
		return set->n > 0;
	set->in_order =
		dp_model_parameter(&stored->model, DP_MODEL_ORDER, -1) == (int64) set->attribute[0];
	set->out = palloc(sizeof(uint32) * (2 * DP_TREE_ROWS_MAX + 2));
	for (uint32 code = 0; code < set->levels[0]; code++)
		if (set->capacity[0][code] == 0)
			set->out[set->outs_ever++] = code; /* NULL at most */
	return true;
}

DpDistinctCodes *
dp_distinct_codes_create(const DpStored *stored)
{
	DpDistinctCodes *distinct = palloc0(sizeof(DpDistinctCodes));
	List *sets = dp_distinct_find(stored->derived);
	ListCell *cell;

	distinct->attributes = stored->model.domain.attributes;
	distinct->most = DP_TREE_ROWS_MAX;
	distinct->set = palloc(sizeof(CodeSet) * Max(list_length(sets), 1));
	foreach (cell, sets)
		distinct->sets +=
			set_create(stored, lfirst(cell), &distinct->set[distinct->sets], &distinct->most);
	return distinct;
}

uint32
dp_distinct_codes_most(const DpDistinctCodes *distinct)
{
	return distinct->most;
}

/* ---- rows ---- */

static bool
is_same(const CodeSet *set, const uint32 *a, const uint32 *b)
{
	for (int k = 0; k < set->n; k++)
		if (a[set->attribute[k]] != b[set->attribute[k]])
			return false;
	return true;
}

/* How many rows have these levels. */
static uint64
capacity_of(const CodeSet *set, const uint32 *codes)
{
	uint64 capacity = 1;

	for (int k = 0; k < set->n; k++)
		capacity = Min(capacity * set->capacity[k][codes[set->attribute[k]]], PG_UINT32_MAX);
	return capacity;
}

/* Whether so many rows before have used up the levels of these codes. */
static bool
is_used_up(const DpDistinctCodes *distinct, const CodeSet *set, const uint32 *codes,
		   const uint32 *end, uint32 before)
{
	uint64 capacity = capacity_of(set, codes);
	uint32 used = 0;

	for (uint32 i = 1; i <= before && used < capacity; i++)
		used += is_same(set, codes, end - (Size) i * distinct->attributes);
	return used >= capacity;
}

static uint32
out_add(CodeSet *set, uint32 outs, uint32 code)
{
	for (uint32 i = 0; i < outs; i++)
		if (set->out[i] == code)
			return outs;
	set->out[outs] = code;
	return outs + 1;
}

/* Adds the last levels, after which too few are left for the rows that follow in order. */
static uint32
out_add_last(CodeSet *set, uint32 attributes, uint32 outs, const uint32 *codes, uint32 before,
			 uint32 left)
{
	uint64 capacity = 0;

	for (uint32 code = set->levels[0]; code-- > 0;)
	{
		uint32 used = 0;

		capacity += set->capacity[0][code];
		for (uint32 i = 1; i <= before; i++)
			used += *(codes - (Size) i * attributes + set->attribute[0]) >= code;
		if (capacity >= (uint64) used + left)
			break;
		outs = out_add(set, outs, code);
	}
	return outs;
}

void
dp_distinct_codes_remove(DpDistinctCodes *distinct, DpConditionalSampler *sampler,
						 const uint32 *codes, uint32 before, uint32 left)
{
	for (int s = 0; s < distinct->sets; s++)
	{
		CodeSet *set = &distinct->set[s];
		uint32 outs = set->outs_ever;

		if (set->n != 1)
			continue;
		for (uint32 i = 1; i <= before; i++)
		{
			const uint32 *row = codes - (Size) i * distinct->attributes;

			if (is_used_up(distinct, set, row, codes, before))
				outs = out_add(set, outs, row[set->attribute[0]]);
		}
		if (set->in_order)
			outs = out_add_last(set, distinct->attributes, outs, codes, before, left);
		dp_conditional_sampler_without(sampler, set->attribute[0], set->out, outs);
	}
}

void
dp_distinct_codes_restore(DpDistinctCodes *distinct, DpConditionalSampler *sampler)
{
	for (int s = 0; s < distinct->sets; s++)
		if (distinct->set[s].n == 1)
			dp_conditional_sampler_without(sampler, distinct->set[s].attribute[0], NULL, 0);
}

bool
dp_distinct_codes_repeat(const DpDistinctCodes *distinct, const uint32 *codes, uint32 before)
{
	for (int s = 0; s < distinct->sets; s++)
		if (is_used_up(distinct, &distinct->set[s], codes, codes, before))
			return true;
	return false;
}

/* Any level that is left, all alike. */
static void
choose_one(const DpDistinctCodes *distinct, const CodeSet *set, uint32 *codes, uint32 before,
		   DpPrng *prng)
{
	uint32 left = 0, drawn = codes[set->attribute[0]];
	uint32 *code = &codes[set->attribute[0]];

	for (*code = 0; *code < set->levels[0]; (*code)++)
		left += !is_used_up(distinct, set, codes, codes, before);
	if (left == 0)
	{
		*code = drawn;
		return;
	}
	left = (uint32) dp_prng_below(prng, left);
	for (*code = 0; *code < set->levels[0]; (*code)++)
		if (!is_used_up(distinct, set, codes, codes, before) && left-- == 0)
			return;
}

/* Any levels of several attributes, as long as it takes to find some that are left. */
static void
choose_several(const DpDistinctCodes *distinct, const CodeSet *set, uint32 *codes, uint32 before,
			   DpPrng *prng)
{
	for (int try = 0; try < CHOICES_MAX && is_used_up(distinct, set, codes, codes, before); try++)
		for (int k = 0; k < set->n; k++)
			codes[set->attribute[k]] = (uint32) dp_prng_below(prng, set->levels[k]);
}

void
dp_distinct_codes_choose(const DpDistinctCodes *distinct, uint32 *codes, uint32 before,
						 DpPrng *prng)
{
	for (int s = 0; s < distinct->sets; s++)
	{
		const CodeSet *set = &distinct->set[s];

		if (set->n == 1 && is_used_up(distinct, set, codes, codes, before))
			choose_one(distinct, set, codes, before, prng);
		else if (set->n > 1)
			choose_several(distinct, set, codes, before, prng);
	}
}
