/*
 * zeros.c -- structural zeros as a part of the domain: their one form, what must hold for
 * them, and whether they leave any row possible.
 */
#include "core/domain/zeros.h"

#include <string.h>

#include "core/base/sort.h"
#include "core/domain/attribute_set.h"

#define SEARCH_LOOKUPS_MAX UINT64_C(20000000)

/* ---- one form ---- */

static bool
attribute_before(const void *context, uint64_t a, uint64_t b)
{
	const uint32_t *attribute = context;

	return attribute[a] < attribute[b];
}

/* -1, 0 or 1, as the n numbers of a stand before, with or after those of b in lexicographic
 * order. */
static int
compare(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
	{
		if (a[k] != b[k])
			return a[k] < b[k] ? -1 : 1;
	}
	return 0;
}

static bool
tuple_before(const void *context, uint64_t a, uint64_t b)
{
	const DpZeroSet *set = context;

	return compare(set->code + a * set->n, set->code + b * set->n, set->n) < 0;
}

static int
compare_sets(const DpZeroSet *a, const DpZeroSet *b)
{
	return dp_attributes_compare(a->attribute, a->n, b->attribute, b->n);
}

static bool
set_before(const void *context, uint64_t a, uint64_t b)
{
	const DpZeroSet *set = context;

	return compare_sets(&set[a], &set[b]) < 0;
}

/* Sets out[i] to the thing that is i-th in this order. Each of the n things has `width` numbers. */
static void
permute(const uint32_t *from, const uint64_t *order, uint64_t n, uint32_t width, uint32_t *out)
{
	for (uint64_t i = 0; i < n; i++)
		memcpy(out + i * width, from + order[i] * width, width * sizeof(*out));
}

/* Puts the attributes into ascending order, and their codes with them. */
static DpStatus
order_attributes(DpZeroSet *set, DpArena *arena)
{
	uint32_t attribute[DP_ZEROS_WIDTH_MAX];
	uint32_t code[DP_ZEROS_WIDTH_MAX];
	uint64_t order[DP_ZEROS_WIDTH_MAX];

	for (uint32_t k = 0; k < set->n; k++)
		order[k] = k;
	memcpy(attribute, set->attribute, set->n * sizeof(*attribute));
	DP_TRY(dp_sort_indexes(order, set->n, attribute_before, attribute, arena));
	permute(attribute, order, set->n, 1, set->attribute);
	for (uint64_t i = 0; i < set->tuples; i++)
	{
		memcpy(code, set->code + i * set->n, set->n * sizeof(*code));
		permute(code, order, set->n, 1, set->code + i * set->n);
	}
	return DP_OK;
}

static DpStatus
order_tuples(DpZeroSet *set, DpArena *arena)
{
	uint64_t *order = dp_alloc(arena, set->tuples, sizeof(*order));
	uint32_t *code = dp_alloc(arena, set->tuples, set->n * sizeof(*code));
	uint64_t kept = 0;

	DP_TRY_ALLOC(order && code);
	for (uint64_t i = 0; i < set->tuples; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(order, set->tuples, tuple_before, set, arena));
	permute(set->code, order, set->tuples, set->n, code);
	for (uint64_t i = 0; i < set->tuples; i++)
	{
		if (kept > 0 && compare(set->code + (kept - 1) * set->n, code + i * set->n, set->n) == 0)
			continue;
		memcpy(set->code + kept++ * set->n, code + i * set->n, set->n * sizeof(*code));
	}
	dp_free(arena, order, set->tuples, sizeof(*order));
	dp_free(arena, code, set->tuples, set->n * sizeof(*code));
	set->tuples = kept;
	return DP_OK;
}

static DpStatus
order_sets(DpZeros *zeros, DpArena *arena)
{
	uint64_t *order = dp_alloc(arena, zeros->sets, sizeof(*order));
	DpZeroSet *set = dp_memdup(arena, zeros->set, zeros->sets * sizeof(*set));

	DP_TRY_ALLOC(order && set);
	for (uint32_t i = 0; i < zeros->sets; i++)
		order[i] = i;
	DP_TRY(dp_sort_indexes(order, zeros->sets, set_before, set, arena));
	for (uint32_t i = 0; i < zeros->sets; i++)
		zeros->set[i] = set[order[i]];
	return DP_OK;
}

DpStatus
dp_zeros_canonical(DpZeros *zeros, DpArena *arena, DpError *error)
{
	for (uint32_t s = 0; s < zeros->sets; s++)
	{
		DpZeroSet *set = &zeros->set[s];

		if (set->n < 1 || set->n > DP_ZEROS_WIDTH_MAX)
		{
			(void) dp_fail(error, DP_ERR_ARGUMENT, "zeros over no column, or over too many");
			dp_fail_detail(error, "A combination may be of 1 to %d columns.", DP_ZEROS_WIDTH_MAX);
			return DP_ERR_ARGUMENT;
		}
		DP_TRY(order_attributes(set, arena));
		DP_TRY(order_tuples(set, arena));
		for (uint32_t k = 1; k < set->n; k++)
		{
			if (set->attribute[k] == set->attribute[k - 1])
				return dp_fail(error, DP_ERR_ARGUMENT, "zeros name a column twice");
		}
	}
	DP_TRY(order_sets(zeros, arena));
	for (uint32_t s = 1; s < zeros->sets; s++)
	{
		if (compare_sets(&zeros->set[s - 1], &zeros->set[s]) == 0)
			return dp_fail(error, DP_ERR_ARGUMENT, "zeros over the same columns occur twice");
	}
	return DP_OK;
}

/* ---- what must hold ---- */

static DpStatus
check_set(const DpDomain *domain, const DpZeroSet *set, DpError *error)
{
	DP_TRY(dp_attributes_check(domain, set->attribute, set->n, "zeros", error));
	for (uint64_t i = 0; i < set->tuples; i++)
	{
		const uint32_t *code = set->code + i * set->n;

		for (uint32_t k = 0; k < set->n; k++)
		{
			if (code[k] >= domain->attribute[set->attribute[k]].levels)
				return dp_fail(error, DP_ERR_ARGUMENT, "zeros have a code that is no level");
		}
		if (i > 0 && compare(code - set->n, code, set->n) >= 0)
			return dp_fail(error, DP_ERR_ARGUMENT, "the combinations of zeros do not ascend");
	}
	/* Tuples are distinct, so their number alone decides. */
	if (set->tuples == dp_domain_cells(domain, set->attribute, set->n))
	{
		(void) dp_fail(error, DP_ERR_ARGUMENT, "zeros leave no combination of their columns");
		dp_fail_hint(error, "At least one combination must be possible.");
		return DP_ERR_ARGUMENT;
	}
	return DP_OK;
}

DpStatus
dp_zeros_check(const DpDomain *domain, DpError *error)
{
	const DpZeros *zeros = &domain->zeros;
	uint64_t tuples = 0;

	if (zeros->sets > DP_ZEROS_SETS_MAX || (zeros->sets > 0 && zeros->set == NULL))
		return dp_fail(error, DP_ERR_ARGUMENT, "there are zeros over too many sets of columns");
	for (uint32_t s = 0; s < zeros->sets; s++)
	{
		const DpZeroSet *set = &zeros->set[s];

		if (set->n < 1 || set->n > DP_ZEROS_WIDTH_MAX || set->tuples < 1 ||
			set->tuples > DP_ZEROS_TUPLES_MAX - tuples)
			return dp_fail(error, DP_ERR_ARGUMENT, "zeros are too wide, too many, or empty");
		tuples += set->tuples;
		if (s > 0 && compare_sets(set - 1, set) >= 0)
			return dp_fail(error, DP_ERR_ARGUMENT, "the sets of zeros do not ascend");
		DP_TRY(check_set(domain, set, error));
	}
	return DP_OK;
}

/* ---- whether anything is left ---- */

/* Whether codes 0..a hold a forbidden combination whose last attribute is a. The code of a was
 * chosen last. */
static bool
forbidden_so_far(const DpZeros *zeros, uint32_t a, const uint32_t *codes)
{
	for (uint32_t s = 0; s < zeros->sets; s++)
	{
		const DpZeroSet *set = &zeros->set[s];

		DpZeroLookup lookup = {.set = set};

		if (set->attribute[set->n - 1] != a)
			continue;
		memcpy(lookup.position, set->attribute, set->n * sizeof(*set->attribute));
		if (dp_zero_lookup_holds(&lookup, codes))
			return true;
	}
	return false;
}

/* The attributes that any set names, ascending; returns how many. */
static uint32_t
named_attributes(const DpDomain *domain, uint32_t *out)
{
	bool named[DP_ATTRIBUTES_MAX] = {false};
	uint32_t n = 0;

	for (uint32_t s = 0; s < domain->zeros.sets; s++)
	{
		for (uint32_t k = 0; k < domain->zeros.set[s].n; k++)
			named[domain->zeros.set[s].attribute[k]] = true;
	}
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		if (named[a])
			out[n++] = a;
	}
	return n;
}

/* Goes on to the next codes in lexicographic order that differ at one of the attributes up to
 * *i. *i becomes the attribute whose code was raised. The result is false if there are no more
 * codes. */
static bool
next_codes(const DpDomain *domain, const uint32_t *attributes, uint32_t *i, uint32_t *codes)
{
	for (;;)
	{
		uint32_t a = attributes[*i];

		if (++codes[a] < domain->attribute[a].levels)
			return true;
		codes[a] = 0;
		if (*i == 0)
			return false;
		(*i)--;
	}
}

/* The search goes depth first, and takes the lowest code that fits at each attribute. */
DpStatus
dp_zeros_possible(const DpDomain *domain, DpError *error)
{
	uint32_t attributes[DP_ATTRIBUTES_MAX];
	uint32_t codes[DP_ATTRIBUTES_MAX] = {0};
	uint32_t n = named_attributes(domain, attributes);
	uint64_t lookups = 0;

	for (uint32_t i = 0; i < n; lookups += domain->zeros.sets)
	{
		if (lookups > SEARCH_LOOKUPS_MAX)
			return DP_OK;
		if (!forbidden_so_far(&domain->zeros, attributes[i], codes))
			i++;
		else if (!next_codes(domain, attributes, &i, codes))
		{
			(void) dp_fail(error, DP_ERR_ARGUMENT, "the zeros forbid every row there could be");
			dp_fail_hint(error, "The custodian can change them with dp_define_cells; the view "
								"dp_declared_cells lists them.");
			return DP_ERR_ARGUMENT;
		}
	}
	return DP_OK;
}

/* The next codes in an order in which each attribute that is not fixed runs in a circle from the code
 * that it had. *i as for next_codes; step[i] counts how far attribute i has gone. */
static bool
next_codes_from(const DpDomain *domain, const uint32_t *attributes, const bool *fixed, uint32_t *i,
				uint32_t *step, uint32_t *codes)
{
	for (;;)
	{
		uint32_t a = attributes[*i], levels = domain->attribute[a].levels;

		if (fixed == NULL || !fixed[a])
		{
			codes[a] = (codes[a] + 1) % levels;
			if (++step[*i] < levels)
				return true;
		}
		step[*i] = 0; /* and the code is what it was */
		if (*i == 0)
			return false;
		(*i)--;
	}
}

DpStatus
dp_zeros_avoid(const DpDomain *domain, const bool *fixed, uint32_t *codes)
{
	uint32_t attributes[DP_ATTRIBUTES_MAX], step[DP_ATTRIBUTES_MAX] = {0};
	uint32_t n = named_attributes(domain, attributes);
	uint64_t lookups = 0;

	for (uint32_t i = 0; i < n; lookups += domain->zeros.sets)
	{
		if (lookups > SEARCH_LOOKUPS_MAX)
			return DP_ERR_LIMIT;
		if (!forbidden_so_far(&domain->zeros, attributes[i], codes))
			i++;
		else if (!next_codes_from(domain, attributes, fixed, &i, step, codes))
			return DP_ERR_LIMIT;
	}
	return DP_OK;
}

/* ---- copies ---- */

DpStatus
dp_zeros_copy(const DpZeros *from, DpZeros *to, DpArena *arena)
{
	*to = (DpZeros){.sets = from->sets};
	if (from->sets == 0)
		return DP_OK;
	to->set = dp_memdup(arena, from->set, from->sets * sizeof(*to->set));
	DP_TRY_ALLOC(to->set);
	for (uint32_t s = 0; s < from->sets; s++)
	{
		DpZeroSet *set = &to->set[s];

		set->attribute = dp_memdup(arena, set->attribute, set->n * sizeof(*set->attribute));
		set->code = dp_memdup(arena, set->code, set->tuples * set->n * sizeof(*set->code));
		DP_TRY_ALLOC(set->attribute && set->code);
	}
	return DP_OK;
}

void
dp_zeros_restrict(DpZeros *zeros, const uint32_t *index)
{
	uint32_t kept = 0;

	for (uint32_t s = 0; s < zeros->sets; s++)
	{
		DpZeroSet *set = &zeros->set[s];

		if (dp_attributes_renumber(set->attribute, set->n, index))
			zeros->set[kept++] = *set;
	}
	zeros->sets = kept;
}
