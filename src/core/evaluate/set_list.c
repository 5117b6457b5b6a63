/*
 * set_list.c -- the sets of attributes of one size, or a sample of them.
 */
#include "core/evaluate/set_counts.h"

#include <string.h>

#include "core/base/index_list.h"
#include "core/base/sort.h"

/* The sets, one after the other. */
typedef struct Members
{
	uint32_t size;
	uint32_t *member;
} Members;

/* The next set in lexicographic order; false after the last. */
static bool
advance(uint32_t *member, uint32_t size, uint32_t attributes)
{
	for (uint32_t k = size; k-- > 0;)
	{
		if (member[k] + size - k >= attributes)
			continue;
		member[k]++;
		for (uint32_t i = k + 1; i < size; i++)
			member[i] = member[i - 1] + 1;
		return true;
	}
	return false;
}

static bool
set_before(const void *context, uint64_t a, uint64_t b)
{
	const Members *members = context;

	return dp_attributes_compare(members->member + a * members->size, members->size,
								 members->member + b * members->size, members->size) < 0;
}

/*
 * All sets where `all` is sets; or else so many of them, each with the same probability (Knuth's
 * selection sampling).
 */
static void
select_sets(const DpSetRequest *request, uint64_t all, uint32_t sets, DpPrng *prng,
			uint32_t *member)
{
	uint32_t current[DP_ATTRIBUTES_MAX];
	uint32_t taken = 0;

	for (uint32_t k = 0; k < request->size; k++)
		current[k] = k;
	for (uint64_t i = 0; i < all && taken < sets; i++)
	{
		if (all == sets || dp_prng_below(prng, all - i) < sets - taken)
			memcpy(member + (size_t) taken++ * request->size, current,
				   request->size * sizeof(*current));
		(void) advance(current, request->size, request->attributes);
	}
}

/* A random set: members are drawn until they are distinct. */
static void
draw_set(const DpSetRequest *request, DpPrng *prng, uint32_t *member)
{
	for (uint32_t k = 0; k < request->size; k++)
	{
		uint32_t drawn = (uint32_t) dp_prng_below(prng, request->attributes - k);
		uint32_t place = 0;

		/* the drawn one of those that are not members yet, into its place */
		while (place < k && member[place] <= drawn)
		{
			drawn++;
			place++;
		}
		memmove(member + place + 1, member + place, (k - place) * sizeof(*member));
		member[place] = drawn;
	}
}

/* Keeps each set once, in order; returns how many there are. */
static DpStatus
keep_distinct(Members *members, uint32_t *sets, DpArena *arena)
{
	size_t width = members->size * sizeof(uint32_t);
	uint64_t *index = dp_alloc(arena, *sets, sizeof(*index));
	uint32_t *kept = dp_alloc(arena, *sets, width);
	uint32_t n = 0;

	DP_TRY_ALLOC(index && kept);
	for (uint32_t i = 0; i < *sets; i++)
		index[i] = i;
	DP_TRY(dp_sort_indexes(index, *sets, set_before, members, arena));
	for (uint32_t i = 0; i < *sets; i++)
	{
		const uint32_t *from = members->member + index[i] * members->size;

		if (n == 0 || memcmp(kept + (size_t) (n - 1) * members->size, from, width) != 0)
			memcpy(kept + (size_t) n++ * members->size, from, width);
	}
	memcpy(members->member, kept, n * width);
	dp_free(arena, kept, *sets, width);
	dp_free(arena, index, *sets, sizeof(*index));
	*sets = n;
	return DP_OK;
}

/* At most half of all sets are drawn, so that at least every second draw is a new one. */
static DpStatus
draw_sets(const DpSetRequest *request, DpPrng *prng, Members *members, DpArena *arena)
{
	uint32_t sets = 0;

	while (sets < request->sets_max)
	{
		for (; sets < request->sets_max; sets++)
			draw_set(request, prng, members->member + (size_t) sets * request->size);
		DP_TRY(keep_distinct(members, &sets, arena));
	}
	return DP_OK;
}

DpStatus
dp_set_list(const DpSetRequest *request, DpAttributeSet **set, uint32_t *sets, uint64_t *all,
			DpArena *arena)
{
	Members members = {.size = request->size};
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){request->seed, request->size, 0});
	*all = dp_combinations(request->attributes, request->size);
	*sets = *all < request->sets_max ? (uint32_t) *all : request->sets_max;
	*set = dp_alloc(arena, *sets, sizeof(**set));
	members.member = dp_alloc(arena, *sets, request->size * sizeof(uint32_t));
	DP_TRY_ALLOC(*set && members.member);
	if (*all / 2 < request->sets_max)
		select_sets(request, *all, *sets, &prng, members.member);
	else
		DP_TRY(draw_sets(request, &prng, &members, arena));
	for (uint32_t i = 0; i < *sets; i++)
		(*set)[i] = (DpAttributeSet){request->size, members.member + (size_t) i * request->size};
	return DP_OK;
}
