/*
 * frechet_bounds.c -- bounds of a group from the parts of its attributes that were measured.
 */
#include "core/estimate/frechet_bounds.h"

#include <math.h>

#define PARTS_MAX 16

/* The attributes that a query and some table have in common, and the answer about them. */
typedef struct Part
{
	bool *has;    /* [attributes] */
	uint32_t n;   /* attributes */
	uint32_t *by; /* those of by, ascending */
	uint32_t by_n;
	DpGroupAnswer *answer; /* [its groups] */
	uint64_t groups;
} Part;

typedef struct Bounds
{
	const DpMarginalQuery *query;
	bool *named; /* [attributes] what the query names */
	uint32_t named_n;
	uint32_t parts;
	Part part[PARTS_MAX];
	DpGroupAnswer total; /* of all rows */
} Bounds;

static DpStatus
find_named(Bounds *bounds, DpArena *arena)
{
	const DpMarginalQuery *query = bounds->query;
	uint32_t p = query->domain->attributes;

	bounds->named = dp_alloc(arena, p, sizeof(bool));
	DP_TRY_ALLOC(bounds->named);
	for (uint32_t k = 0; k < query->by.n; k++)
		bounds->named[query->by.attribute[k]] = true;
	for (uint32_t a = 0; a < p; a++)
	{
		bounds->named[a] |= query->given != NULL && query->given->weight[a] != NULL;
		bounds->named_n += bounds->named[a];
	}
	return DP_OK;
}

static bool
is_known(const Bounds *bounds, const bool *has)
{
	for (uint32_t i = 0; i < bounds->parts; i++)
	{
		bool same = true;

		for (uint32_t a = 0; a < bounds->query->domain->attributes && same; a++)
			same = bounds->part[i].has[a] == has[a];
		if (same)
			return true;
	}
	return false;
}

/* Adds what a table has in common with the query. Where there is no space, the smallest part
 * gives way. */
static DpStatus
add_part(Bounds *bounds, const DpTable *table, DpArena *arena)
{
	uint32_t p = bounds->query->domain->attributes, at = bounds->parts;
	bool *has = dp_alloc(arena, p, sizeof(*has));
	uint32_t n = 0;

	DP_TRY_ALLOC(has);
	for (uint32_t k = 0; k < table->n; k++)
	{
		has[table->attribute[k]] = bounds->named[table->attribute[k]];
		n += has[table->attribute[k]];
	}
	if (n == 0 || is_known(bounds, has))
	{
		dp_free(arena, has, p, sizeof(*has));
		return DP_OK;
	}
	if (at == PARTS_MAX)
	{
		at = 0;
		for (uint32_t i = 1; i < PARTS_MAX; i++)
			at = bounds->part[i].n < bounds->part[at].n ? i : at;
		if (bounds->part[at].n >= n)
			return DP_OK;
	}
	else
		bounds->parts++;
	bounds->part[at] = (Part){.has = has, .n = n};
	return DP_OK;
}

static DpStatus
answer_part(const Bounds *bounds, Part *part, const DpMeasuredTable *table, uint32_t tables,
			double confidence, const DpTick *tick, DpArena *arena)
{
	const DpMarginalQuery *query = bounds->query;
	uint32_t p = query->domain->attributes;
	DpMarginalQuery own = *query;
	DpGiven given = {.attributes = p, .weight = dp_alloc(arena, p, sizeof(*given.weight))};

	part->by = dp_alloc(arena, query->by.n, sizeof(*part->by));
	DP_TRY_ALLOC(part->by && given.weight);
	for (uint32_t k = 0; k < query->by.n; k++)
		if (part->has[query->by.attribute[k]])
			part->by[part->by_n++] = query->by.attribute[k];
	for (uint32_t a = 0; a < p && query->given != NULL; a++)
		given.weight[a] = part->has[a] ? query->given->weight[a] : NULL;
	own.by = (DpAttributeSet){part->by_n, part->by};
	own.given = &given;
	own.measure = DP_MEASURE_COUNT;
	own.confidence = confidence;
	part->groups = dp_marginal_query_groups(&own);
	part->answer = dp_alloc(arena, part->groups, sizeof(*part->answer));
	DP_TRY_ALLOC(part->answer);
	return dp_measured_answer(&own, table, tables, part->answer, tick, arena);
}

/* The group of a part in which a group of the query lies. */
static const DpGroupAnswer *
answer_of(const Bounds *bounds, const Part *part, uint64_t group)
{
	const DpMarginalQuery *query = bounds->query;
	uint64_t own = 0, step = 1;

	for (uint32_t k = query->by.n; k-- > 0;)
	{
		uint32_t a = query->by.attribute[k], levels = query->domain->attribute[a].levels;

		if (part->has[a])
		{
			own += group % levels * step;
			step *= levels;
		}
		group /= levels;
	}
	return &part->answer[own];
}

static bool
covers(const Bounds *bounds, const Part *a, const Part *b)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < bounds->query->domain->attributes; i++)
		n += a->has[i] || b->has[i];
	return n == bounds->named_n;
}

static void
bound_group(const Bounds *bounds, uint64_t group, DpGroupAnswer *answer)
{
	double low = 0, high = bounds->total.high; /* NAN if nothing tells the total */
	bool any = false;

	for (uint32_t i = 0; i < bounds->parts; i++)
	{
		const DpGroupAnswer *own = answer_of(bounds, &bounds->part[i], group);

		if (isnan(own->high))
			continue;
		any = true;
		high = fmin(high, own->high); /* the number, if one is NAN */
		for (uint32_t k = 0; k < i; k++)
		{
			const DpGroupAnswer *other = answer_of(bounds, &bounds->part[k], group);

			if (covers(bounds, &bounds->part[i], &bounds->part[k]))
				low = fmax(low, own->low + other->low - bounds->total.high);
		}
	}
	if (!any)
		return;
	answer->low = fmin(low, high);
	answer->high = high;
	if (bounds->query->measure == DP_MEASURE_COUNT)
		return;
	answer->low = bounds->total.high > 0 ? answer->low / bounds->total.high : 0;
	answer->high = bounds->total.low > 0 ? fmin(answer->high / bounds->total.low, 1) : 1;
}

DpStatus
dp_frechet_bounds(const DpMarginalQuery *query, const DpMeasuredTable *table, uint32_t tables,
				  DpGroupAnswer *out, const DpTick *tick, DpArena *arena)
{
	Bounds bounds = {.query = query};
	DpMarginalQuery all = *query;
	uint64_t groups = dp_marginal_query_groups(query);
	double confidence;

	if (query->measure == DP_MEASURE_RATE)
		return DP_OK;
	DP_TRY(find_named(&bounds, arena));
	for (uint32_t t = 0; t < tables; t++)
		if (dp_noise_is_additive(table[t].table))
			DP_TRY(add_part(&bounds, table[t].table, arena));
	confidence = 1 - (1 - query->confidence) / (bounds.parts + 1);
	all.by.n = 0;
	all.given = NULL;
	all.measure = DP_MEASURE_COUNT;
	all.confidence = confidence;
	DP_TRY(dp_measured_answer(&all, table, tables, &bounds.total, tick, arena));
	for (uint32_t i = 0; i < bounds.parts; i++)
		DP_TRY(answer_part(&bounds, &bounds.part[i], table, tables, confidence, tick, arena));
	for (uint64_t b = 0; b < groups; b++)
		if (out[b].basis == DP_BASIS_NONE)
			bound_group(&bounds, b, &out[b]);
	return DP_OK;
}
