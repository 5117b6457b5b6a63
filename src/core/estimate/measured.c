/*
 * measured.c -- groups summed from noisy tables, and the best combination of several tables.
 */
#include "core/estimate/measured.h"

#include <math.h>
#include <string.h>

#include "core/base/saturate.h"
#include "core/domain/zeros.h"

/* ---- sums over the cells of one noisy table, for each group of a query ---- */

/* Sums over the cells of one table that belong to one group: c is the weight of a cell. */
typedef struct DpCellSums
{
	double value;   /* sum of c x noisy count */
	double cells;   /* cells with c > 0 */
	double weights; /* sum of c */
	double squares; /* sum of c^2 */
	double fourths; /* sum of c^4 */
	bool unusable;  /* some cell of the group was not measured by itself */
} DpCellSums;

#define DP_NO_LEVEL UINT32_MAX

/* One attribute of a table. */
typedef struct DpAxis
{
	uint32_t levels;
	/* [levels] weights of the condition; NAN if the levels of a group have different weights */
	const double *weight;
	double *own;        /* what weight points to, where it was made for this table */
	const bool *single; /* [levels] whether the level is counted by itself; NULL: all are */
	uint64_t step;      /* of by; 0: not in by */
	/* The level that is counted together with the level "other", and nothing else: its cells
	 * answer for it, and hold a few rows more. DP_NO_LEVEL: there is none. */
	uint32_t with_other;
	bool other_differs; /* the condition takes that level, and not "other" */
} DpAxis;

typedef struct DpTableSums
{
	const DpTable *table;
	DpNoiseTerm term;
	DpAxis *axis;      /* [attributes of the table] */
	DpCellSums *group; /* [groups] */
	DpCellSums all;    /* every cell, with weight 1 */
	DpCellSums given;  /* every cell, with the weight of the condition */
} DpTableSums;

/* Where a cell belongs. */
typedef struct DpCellPlace
{
	double weight; /* NAN: its levels have different ones */
	uint64_t group;
	bool single;   /* all its levels are counted by themselves */
	bool by_alone; /* those of by are, but for rows of "other" */
} DpCellPlace;

#define TICK_CELLS 65536

/* ---- one table ---- */

/* The level that shares its group with the level "other", if these two are all of it. */
static uint32_t
find_with_other(const DpAttribute *attribute, const uint32_t *group, const uint32_t *size)
{
	uint32_t other = attribute->levels - 1;

	if (!attribute->has_other || size[group[other]] != 2)
		return DP_NO_LEVEL;
	for (uint32_t i = 0; i < other; i++)
		if (group[i] == group[other])
			return i;
	return DP_NO_LEVEL;
}

/* Finds which levels of the attribute are counted by themselves, and the weight of each group. A
 * group of one level and "other" has the weight of that level, if it counts at all. */
static DpStatus
group_axis(const DpAttribute *attribute, const uint32_t *group, const double *weight, DpAxis *axis,
		   DpArena *arena)
{
	bool *single = dp_alloc(arena, axis->levels, sizeof(*single));
	uint32_t *size = dp_alloc(arena, axis->levels, sizeof(*size));
	double *first = dp_alloc(arena, axis->levels, sizeof(*first));

	axis->own = dp_alloc(arena, axis->levels, sizeof(*axis->own));
	DP_TRY_ALLOC(single && size && first && axis->own);
	for (uint32_t i = 0; i < axis->levels; i++)
	{
		double w = weight == NULL ? 1 : weight[i];

		if (size[group[i]]++ == 0)
			first[group[i]] = w;
		else if (first[group[i]] != w)
			first[group[i]] = NAN;
	}
	axis->with_other = find_with_other(attribute, group, size);
	if (axis->with_other != DP_NO_LEVEL && isnan(first[group[axis->with_other]]) &&
		weight[axis->with_other] > 0)
	{
		axis->other_differs = true;
		first[group[axis->with_other]] = weight[axis->with_other];
	}
	for (uint32_t i = 0; i < axis->levels; i++)
	{
		single[i] = size[group[i]] == 1;
		axis->own[i] = first[group[i]];
	}
	axis->single = single;
	axis->weight = axis->own;
	dp_free(arena, size, axis->levels, sizeof(*size));
	dp_free(arena, first, axis->levels, sizeof(*first));
	return DP_OK;
}

static DpStatus
make_axes(const DpMarginalQuery *query, const DpMeasuredTable *from, DpAxis *axis, DpArena *arena)
{
	for (uint32_t k = 0; k < from->table->n; k++)
	{
		uint32_t a = from->table->attribute[k];
		const double *weight = query->given == NULL ? NULL : query->given->weight[a];

		axis[k] = (DpAxis){.levels = query->domain->attribute[a].levels,
						   .weight = weight,
						   .step = dp_marginal_query_step(query, a),
						   .with_other = DP_NO_LEVEL};
		if (from->group != NULL)
			DP_TRY(
				group_axis(&query->domain->attribute[a], from->group[a], weight, &axis[k], arena));
	}
	return DP_OK;
}

static void
add_cell(DpCellSums *sums, double weight, double value)
{
	if (isnan(weight))
	{
		sums->unusable = true;
		return;
	}
	sums->value += weight * value;
	sums->cells += weight != 0;
	sums->weights += weight;
	sums->squares += weight * weight;
	sums->fourths += weight * weight * weight * weight;
}

static DpCellPlace
cell_place(const DpAxis *axis, uint32_t n, const uint32_t *code)
{
	DpCellPlace place = {.weight = 1, .single = true, .by_alone = true};

	for (uint32_t k = 0; k < n; k++)
	{
		double weight = axis[k].weight == NULL ? 1 : axis[k].weight[code[k]];
		bool single = axis[k].single == NULL || axis[k].single[code[k]];

		/* a level that does not count excludes the cell, whatever the others are */
		place.weight = place.weight == 0 || weight == 0 ? 0 : place.weight * weight;
		place.group += axis[k].step * code[k];
		place.single &= single;
		place.by_alone &= single || code[k] == axis[k].with_other || axis[k].step == 0;
	}
	return place;
}

static uint32_t
level_in_group(const DpAxis *axis, uint64_t group)
{
	return (uint32_t) (group / axis->step % axis->levels);
}

/* Marks the groups of levels that the table counts together with others. */
static void
mark_merged(const DpAxis *axis, uint32_t n, DpCellSums *group, uint64_t groups)
{
	for (uint32_t k = 0; k < n; k++)
	{
		if (axis[k].single == NULL || axis[k].step == 0)
			continue;
		for (uint64_t b = 0; b < groups; b++)
		{
			uint32_t level = level_in_group(&axis[k], b);

			if (!axis[k].single[level] && level != axis[k].with_other)
				group[b].unusable = true;
		}
	}
}

/* Whether rows of "other" are counted in a group of the query, for one axis. */
static bool
axis_has_other(const DpAxis *axis, uint64_t group)
{
	return axis->other_differs || (axis->step > 0 && axis->with_other != DP_NO_LEVEL &&
								   level_in_group(axis, group) == axis->with_other);
}

/* Goes on to the next cell in row-major order. */
static void
cell_next(const DpAxis *axis, uint32_t n, uint32_t *code)
{
	for (uint32_t k = n; k-- > 0; code[k] = 0)
		if (++code[k] < axis[k].levels)
			return;
}

static DpStatus
table_sums(const DpMarginalQuery *query, const DpMeasuredTable *from, DpTableSums *sums,
		   const DpTick *tick, DpArena *arena)
{
	const DpTable *table = from->table;
	uint64_t groups = dp_marginal_query_groups(query);
	DpAxis *axis = dp_alloc(arena, table->n, sizeof(*axis));
	uint32_t *code = dp_alloc(arena, table->n, sizeof(*code));
	DpZeroTest zeros = {.n = 0};

	*sums = (DpTableSums){.table = table, .term = dp_noise_term(table)};
	sums->group = dp_alloc(arena, groups, sizeof(*sums->group));
	DP_TRY_ALLOC(axis && code && sums->group);
	DP_TRY(make_axes(query, from, axis, arena));
	if (table->n > 0)
		DP_TRY(dp_zero_test_build(&zeros, query->domain, table->attribute, table->n, arena));
	mark_merged(axis, table->n, sums->group, groups);
	for (uint64_t i = 0; i < table->cells; i++, cell_next(axis, table->n, code))
	{
		bool noisy = from->noisy == NULL || from->noisy[i];
		DpCellPlace place;

		if (i % TICK_CELLS == 0)
			dp_tick(tick, (double) i / (double) table->cells);
		if (!noisy && from->group != NULL)
			continue; /* its group stands at another cell */
		place = cell_place(axis, table->n, code);
		if (zeros.n > 0 && place.single && dp_zero_test_forbids(&zeros, code))
			continue; /* known to be 0 */
		add_cell(&sums->all, noisy ? 1 : NAN, (double) table->value[i]);
		if (place.weight == 0)
			continue;
		place.weight = noisy ? place.weight : NAN;
		add_cell(&sums->given, place.weight, (double) table->value[i]);
		if (place.by_alone)
			add_cell(&sums->group[place.group], place.weight, (double) table->value[i]);
	}
	sums->axis = axis;
	dp_free(arena, code, table->n, sizeof(*code));
	return DP_OK;
}

static void
table_sums_free(DpTableSums *sums, uint64_t groups, DpArena *arena)
{
	for (uint32_t k = 0; k < sums->table->n; k++)
	{
		DpAxis *axis = &sums->axis[k];

		dp_free(arena, axis->own, axis->levels, sizeof(double));
		dp_free(arena, (void *) (uintptr_t) axis->single, axis->levels, sizeof(bool));
	}
	dp_free(arena, sums->axis, sums->table->n, sizeof(*sums->axis));
	dp_free(arena, sums->group, groups, sizeof(*sums->group));
}

#define TABLES_USED_MAX 64 /* tables that one group is combined from, the most precise first */
#define STDDEV_FEW 3.0 /* rows: below, one table is taken, whose distribution is known exactly */
#define TERMS_MAX (2 * TABLES_USED_MAX)
#define ZERO_CELLS_MAX 10000000

static bool
any_given(const DpMarginalQuery *query)
{
	for (uint32_t a = 0; a < query->domain->attributes; a++)
		if (dp_marginal_query_gives(query, a))
			return true;
	return false;
}

/* ---- several tables ---- */

/* The tables that one group is estimated from, with weights that add up to 1. */
typedef struct Mix
{
	uint32_t n;
	const DpTableSums *table[TABLES_USED_MAX];
	double weight[TABLES_USED_MAX];
	bool with_other;
	double other; /* rows of "other" that are counted with the group, at most */
} Mix;

static const DpCellSums *
total_of(const DpMarginalQuery *query, const DpTableSums *table)
{
	return query->measure == DP_MEASURE_RATE ? &table->given : &table->all;
}

/*
 * The largest number of rows of "other" in a group of a table: negative if it has none, NAN if
 * there is no bound. other: that number for each attribute. Rates have no bound, since "other" is
 * also in their total.
 */
static double
rest_of(const DpMarginalQuery *query, const DpTableSums *table, const double *other, uint64_t group)
{
	double sum = 0;
	bool any = false;

	for (uint32_t k = 0; k < table->table->n; k++)
	{
		if (!axis_has_other(&table->axis[k], group))
			continue;
		any = true;
		sum += query->measure == DP_MEASURE_RATE ? NAN : other[table->table->attribute[k]];
	}
	return any ? sum : -1;
}

static bool
is_usable(const DpMarginalQuery *query, const DpTableSums *table, uint64_t group)
{
	if (table->group[group].unusable || table->group[group].squares <= 0)
		return false;
	return query->measure == DP_MEASURE_COUNT || !total_of(query, table)->unusable;
}

static double
precision_of(const DpTableSums *table, uint64_t group)
{
	return 1 / (table->term.variance * table->group[group].squares);
}

/* Puts a table into its place by precision, where it is among the best. */
static void
mix_insert(Mix *mix, const DpTableSums *table, double precision)
{
	uint32_t k = mix->n;

	if (k == TABLES_USED_MAX)
	{
		if (precision <= mix->weight[k - 1])
			return;
		k--;
	}
	else
		mix->n++;
	for (; k > 0 && mix->weight[k - 1] < precision; k--)
	{
		mix->weight[k] = mix->weight[k - 1];
		mix->table[k] = mix->table[k - 1];
	}
	mix->weight[k] = precision;
	mix->table[k] = table;
}

/* Takes the usable tables that count nothing else with the group, or those that count the rest. */
static void
mix_usable(const DpMarginalQuery *query, const DpTableSums *table, uint32_t tables,
		   const double *other, uint64_t group, bool with_other, Mix *mix)
{
	mix->n = 0;
	mix->with_other = with_other;
	mix->other = 0;
	for (uint32_t t = 0; t < tables; t++)
	{
		double own = rest_of(query, &table[t], other, group);

		if (isnan(own) || (own >= 0) != with_other || !is_usable(query, &table[t], group))
			continue;
		mix->other = fmax(mix->other, own);
		mix_insert(mix, &table[t], precision_of(&table[t], group));
	}
}

static void
mix_tables(const DpMarginalQuery *query, const DpTableSums *table, uint32_t tables,
		   const double *other, uint64_t group, Mix *mix)
{
	double sum = 0;

	mix_usable(query, table, tables, other, group, false, mix);
	if (mix->n == 0)
		mix_usable(query, table, tables, other, group, true, mix);
	for (uint32_t i = 0; i < mix->n; i++)
		sum += mix->weight[i];
	if (mix->n > 1 && query->measure == DP_MEASURE_COUNT && 1 / sum < STDDEV_FEW * STDDEV_FEW)
	{
		mix->n = 1;
		sum = mix->weight[0];
	}
	for (uint32_t i = 0; i < mix->n; i++)
		mix->weight[i] /= sum;
}

static void
add_term(DpNoiseSum *distribution, const DpNoiseTerm *of, double count, double squares)
{
	DpNoiseTerm *term = &distribution->term[distribution->terms];

	if (count <= 0 || squares <= 0)
		return;
	*term = *of;
	term->count = count;
	term->coefficient = squares == count ? 1 : sqrt(squares / count);
	distribution->terms++;
}

/* Unequal coefficients as equal ones with the same second and fourth moment. */
static double
equal_count(const DpCellSums *sums)
{
	return sums->squares * sums->squares / sums->fourths;
}

static void
count_distribution(const Mix *mix, uint64_t group, DpNoiseSum *distribution)
{
	distribution->terms = 0;
	for (uint32_t i = 0; i < mix->n; i++)
	{
		const DpCellSums *own = &mix->table[i]->group[group];

		add_term(distribution, &mix->table[i]->term, equal_count(own),
				 mix->weight[i] * mix->weight[i] * own->squares);
	}
}

/* The distribution of X - pD, where X is the group and D the total. */
static void
share_distribution(const DpMarginalQuery *query, const Mix *mix, uint64_t group, double p,
				   DpNoiseSum *distribution)
{
	distribution->terms = 0;
	for (uint32_t i = 0; i < mix->n; i++)
	{
		const DpCellSums *own = &mix->table[i]->group[group];
		const DpCellSums *total = total_of(query, mix->table[i]);
		double w2 = mix->weight[i] * mix->weight[i], inside, other;

		if (query->measure == DP_MEASURE_RATE) /* both have the weights of the condition */
		{
			inside = (1 - p) * (1 - p) * own->squares;
			other = total->squares - own->squares;
		}
		else
		{
			inside = own->squares - 2 * p * own->weights + p * p * own->cells;
			other = total->squares - own->cells;
		}
		add_term(distribution, &mix->table[i]->term, equal_count(own), w2 * inside);
		add_term(distribution, &mix->table[i]->term, total->cells - own->cells, w2 * p * p * other);
	}
}

/* ---- intervals ---- */

/* The distribution at hand, and the half width of the one before; neighbouring groups mostly have
 * the same. */
typedef struct Distributions
{
	DpNoiseSum distribution;
	DpNoiseTerm term[TERMS_MAX];
	DpNoiseTerm last_term[TERMS_MAX];
	uint32_t last_terms;
	double last_confidence;
	double half_width;
	double confidence; /* of an interval */
	double
		confidence_with_other; /* of one beside a bound for each "other" that is counted with it */
} Distributions;

static double
half_width(Distributions *distributions, const Mix *mix)
{
	double confidence =
		mix->with_other ? distributions->confidence_with_other : distributions->confidence;
	const DpNoiseSum *distribution = &distributions->distribution;
	bool same;

	if (confidence <= 0)
		return 0;
	same = distributions->last_terms == distribution->terms && distribution->terms > 0 &&
		   distributions->last_confidence == confidence;
	for (uint32_t i = 0; i < distribution->terms && same; i++)
		same = distributions->last_term[i].noise == distribution->term[i].noise &&
			   distributions->last_term[i].scale == distribution->term[i].scale &&
			   distributions->last_term[i].coefficient == distribution->term[i].coefficient &&
			   distributions->last_term[i].count == distribution->term[i].count;
	if (same)
		return distributions->half_width;
	memcpy(distributions->last_term, distribution->term,
		   distribution->terms * sizeof(*distribution->term));
	distributions->last_terms = distribution->terms;
	distributions->last_confidence = confidence;
	distributions->half_width = dp_noise_distribution_half_width(distribution, confidence);
	return distributions->half_width;
}

/* What is counted is neither negative nor more than the most, so that clipping an interval never
 * takes the truth out of it. What is counted with the group may be none of it. */
static void
set_interval(DpGroupAnswer *answer, double half, double other, double most)
{
	answer->low = fmin(fmax(answer->estimate - half - other, 0), most);
	answer->high = fmin(fmax(answer->estimate + half, 0), most);
}

static void
answer_count(const DpMarginalQuery *query, const Mix *mix, uint64_t group,
			 Distributions *distributions, DpGroupAnswer *answer)
{
	double estimate = 0;

	for (uint32_t i = 0; i < mix->n; i++)
		estimate += mix->weight[i] * mix->table[i]->group[group].value;
	count_distribution(mix, group, &distributions->distribution);
	answer->estimate = estimate;
	answer->std_error = sqrt(dp_noise_distribution_variance(&distributions->distribution));
	set_interval(answer, half_width(distributions, mix), mix->other,
				 query->rows_public >= 0 ? query->rows_public : INFINITY);
}

static void
answer_share(const DpMarginalQuery *query, const Mix *mix, uint64_t group,
			 Distributions *distributions, DpGroupAnswer *answer)
{
	bool exact = query->measure == DP_MEASURE_SHARE && query->rows_public > 0;
	double part = 0, total = 0;

	for (uint32_t i = 0; i < mix->n; i++)
	{
		part += mix->weight[i] * mix->table[i]->group[group].value;
		total += mix->weight[i] * total_of(query, mix->table[i])->value;
	}
	total = exact ? query->rows_public : total;
	if (!(total > 0))
		return; /* the noise has swallowed the total */
	answer->estimate = part / total;
	if (exact)
		count_distribution(mix, group, &distributions->distribution);
	else
		share_distribution(query, mix, group, answer->estimate, &distributions->distribution);
	answer->std_error = sqrt(dp_noise_distribution_variance(&distributions->distribution)) / total;
	set_interval(answer, half_width(distributions, mix) / total, mix->other / total, 1);
}

/* ---- what is known without noise ---- */

static void
answer_exactly(DpGroupAnswer *answer, DpBasis basis, double value)
{
	*answer = (DpGroupAnswer){.basis = basis, .estimate = value, .low = value, .high = value};
}

/* Finds the groups none of whose cells can occur. */
static DpStatus
answer_zeros(const DpMarginalQuery *query, DpGroupAnswer *out, uint64_t groups, const DpTick *tick,
			 DpArena *arena)
{
	const DpDomain *domain = query->domain;
	uint32_t *attribute = dp_alloc(arena, domain->attributes, sizeof(*attribute));
	uint32_t *code = dp_alloc(arena, domain->attributes, sizeof(*code));
	DpAxis *axis = dp_alloc(arena, domain->attributes, sizeof(*axis));
	bool *possible = dp_alloc(arena, groups, sizeof(*possible));
	DpZeroTest zeros;
	uint64_t cells;
	uint32_t n = 0;

	DP_TRY_ALLOC(attribute && code && axis && possible);
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		if (!dp_marginal_query_gives(query, a) && !dp_marginal_query_groups_by(query, a))
			continue;
		axis[n] =
			(DpAxis){.levels = domain->attribute[a].levels,
					 .weight = dp_marginal_query_gives(query, a) ? query->given->weight[a] : NULL,
					 .step = dp_marginal_query_step(query, a)};
		attribute[n++] = a;
	}
	cells = dp_domain_cells(domain, attribute, n);
	DP_TRY(dp_zero_test_build(&zeros, domain, attribute, n, arena));
	for (uint64_t i = 0; i < cells && cells <= ZERO_CELLS_MAX; i++, cell_next(axis, n, code))
	{
		DpCellPlace place = cell_place(axis, n, code);

		if (i % TICK_CELLS == 0)
			dp_tick(tick, -1.0);
		possible[place.group] |=
			place.weight > 0 && !(zeros.n > 0 && dp_zero_test_forbids(&zeros, code));
	}
	for (uint64_t b = 0; b < groups && cells <= ZERO_CELLS_MAX; b++)
		if (!possible[b])
			answer_exactly(&out[b], DP_BASIS_ZERO, 0);
	dp_free(arena, attribute, domain->attributes, sizeof(*attribute));
	dp_free(arena, code, domain->attributes, sizeof(*code));
	dp_free(arena, axis, domain->attributes, sizeof(*axis));
	dp_free(arena, possible, groups, sizeof(*possible));
	return DP_OK;
}

/* The number of all rows, where it is public, and its share of itself. */
static bool
answer_total(const DpMarginalQuery *query, DpGroupAnswer *out)
{
	if (query->by.n > 0 || any_given(query))
		return false;
	if (query->measure != DP_MEASURE_COUNT)
		answer_exactly(out, DP_BASIS_PUBLIC, 1);
	else if (query->rows_public >= 0)
		answer_exactly(out, DP_BASIS_PUBLIC, query->rows_public);
	else
		return false;
	return true;
}

/* ---- the level "other" ---- */

/* The tables of an answer. */
typedef struct Sources
{
	const DpMarginalQuery *query;
	const DpMeasuredTable *table; /* [tables] */
	uint32_t tables;
	const DpTableSums *sums; /* [n] of those that hold the query's attributes */
	uint32_t n;
	const DpTick *tick;
	DpArena *arena;
} Sources;

/* Bounds, for each attribute whose level "other" some table counts with another level, the rows of
 * it. */
static DpStatus
bound_others(const Sources *sources, const bool *joined, double confidence, double *other)
{
	const DpDomain *domain = sources->query->domain;
	DpArena *arena = sources->arena;
	DpGiven given = {.attributes = domain->attributes};
	DpMarginalQuery own = {.domain = domain,
						   .given = &given,
						   .confidence = confidence,
						   .rows_public = sources->query->rows_public};

	given.weight = dp_alloc(arena, domain->attributes, sizeof(*given.weight));
	DP_TRY_ALLOC(given.weight);
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		DpGroupAnswer answer;

		other[a] = NAN;
		if (!joined[a])
			continue;
		given.weight[a] = dp_alloc(arena, domain->attribute[a].levels, sizeof(double));
		DP_TRY_ALLOC(given.weight[a]);
		given.weight[a][domain->attribute[a].levels - 1] = 1;
		DP_TRY(dp_measured_answer(&own, sources->table, sources->tables, &answer, sources->tick,
								  arena));
		other[a] = answer.high;
		given.weight[a] = NULL;
	}
	return DP_OK;
}

static DpStatus
find_others(const Sources *sources, Distributions *distributions, double **other)
{
	const DpTableSums *sums = sources->sums;
	const double confidence = sources->query->confidence;
	DpArena *arena = sources->arena;
	uint32_t p = sources->query->domain->attributes, found = 0;
	bool *joined = dp_alloc(arena, p, sizeof(*joined));

	*other = dp_alloc(arena, p, sizeof(**other));
	DP_TRY_ALLOC(joined && *other);
	for (uint32_t t = 0; t < sources->n; t++)
		for (uint32_t k = 0; k < sums[t].table->n; k++)
		{
			const DpAxis *axis = &sums[t].axis[k];
			uint32_t a = sums[t].table->attribute[k];

			if (joined[a] || axis->with_other == DP_NO_LEVEL ||
				(axis->step == 0 && !axis->other_differs))
				continue;
			joined[a] = true;
			found++;
		}
	distributions->confidence = confidence;
	distributions->confidence_with_other = 1 - (1 - confidence) / (found + 1);
	if (found > 0)
		DP_TRY(bound_others(sources, joined, distributions->confidence_with_other, *other));
	dp_free(arena, joined, p, sizeof(*joined));
	return DP_OK;
}

DpStatus
dp_measured_answer(const DpMarginalQuery *query, const DpMeasuredTable *table, uint32_t tables,
				   DpGroupAnswer *out, const DpTick *tick, DpArena *arena)
{
	uint64_t groups = dp_marginal_query_groups(query);
	DpTableSums *sums = dp_alloc(arena, tables, sizeof(*sums));
	Distributions *distributions = dp_alloc(arena, 1, sizeof(*distributions));
	double *other;
	uint32_t n = 0;
	Mix mix;

	if (groups > DP_ANSWER_CELLS_MAX)
		return DP_ERR_LIMIT;
	DP_TRY_ALLOC(sums && distributions);
	distributions->distribution.term = distributions->term;
	for (uint64_t b = 0; b < groups; b++)
		out[b] = (DpGroupAnswer){DP_BASIS_NONE, NAN, NAN, NAN, NAN, 0};
	if (answer_total(query, out))
		return DP_OK;
	DP_TRY(answer_zeros(query, out, groups, tick, arena));
	for (uint32_t t = 0; t < tables; t++)
		if (dp_noise_is_additive(table[t].table) &&
			dp_marginal_query_is_held(query, table[t].table))
			DP_TRY(table_sums(query, &table[t], &sums[n++], tick, arena));
	DP_TRY(
		find_others(&(Sources){query, table, tables, sums, n, tick, arena}, distributions, &other));
	for (uint64_t b = 0; b < groups; b++)
	{
		if (b % TICK_CELLS == 0)
			dp_tick(tick, -1.0);
		mix_tables(query, sums, n, other, b, &mix);
		if (out[b].basis == DP_BASIS_ZERO || mix.n == 0)
			continue;
		out[b].basis = DP_BASIS_MEASURED;
		out[b].other = mix.other;
		if (query->measure == DP_MEASURE_COUNT)
			answer_count(query, &mix, b, distributions, &out[b]);
		else
			answer_share(query, &mix, b, distributions, &out[b]);
	}
	for (uint32_t t = 0; t < n; t++)
		table_sums_free(&sums[t], groups, arena);
	dp_free(arena, other, query->domain->attributes, sizeof(*other));
	dp_free(arena, distributions, 1, sizeof(*distributions));
	dp_free(arena, sums, tables, sizeof(*sums));
	return DP_OK;
}
