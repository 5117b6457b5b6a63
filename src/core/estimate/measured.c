/*
 * measured.c -- groups summed from noisy tables, and the best combination of several tables.
 */
#include "core/estimate/measured.h"

#include <math.h>
#include <string.h>

#include "core/base/saturate.h"
#include "core/domain/zeros.h"

#define TABLES_USED_MAX 64 /* tables that one group is combined from, the most precise first */
#define STDDEV_FEW 3.0     /* rows: below, one table is taken, whose law is known exactly */
#define TERMS_MAX (2 * TABLES_USED_MAX)
#define TICK_CELLS 65536
#define ZERO_CELLS_MAX 10000000

/* Sums over the cells of one table that belong to one group: c is the weight of a cell. */
typedef struct Sums
{
	double value;   /* sum of c x noisy count */
	double cells;   /* cells with c > 0 */
	double weights; /* sum of c */
	double squares; /* sum of c^2 */
	double fourths; /* sum of c^4 */
	bool unusable;  /* some cell of the group was not measured by itself */
} Sums;

typedef struct TableSums
{
	const DpTable *table;
	DpNoiseTerm term;
	Sums *group; /* [groups] */
	Sums all;    /* every cell, with weight 1 */
	Sums given;  /* every cell, with the weight of the condition */
} TableSums;

/* One attribute of a table. */
typedef struct Axis
{
	uint32_t levels;
	const double *weight; /* [levels] of the condition; NAN where those of one group differ */
	double *own;          /* what weight points to, where it was made for this table */
	const bool *single;   /* [levels] whether the level is counted by itself; NULL: all are */
	uint64_t step;        /* of by; 0: not in by */
} Axis;

/* ---- questions ---- */

uint64_t
dp_question_groups(const DpQuestion *question)
{
	return dp_domain_cells(question->domain, question->by.attribute, question->by.n);
}

static bool
is_given(const DpQuestion *question, uint32_t attribute)
{
	return question->given != NULL && question->given->weight[attribute] != NULL;
}

static bool
any_given(const DpQuestion *question)
{
	for (uint32_t a = 0; a < question->domain->attributes; a++)
		if (is_given(question, a))
			return true;
	return false;
}

static bool
in_by(const DpQuestion *question, uint32_t attribute)
{
	for (uint32_t k = 0; k < question->by.n; k++)
		if (question->by.attribute[k] == attribute)
			return true;
	return false;
}

/* Whether the table is over every attribute that the question names. */
static bool
holds_question(const DpQuestion *question, const DpTable *table)
{
	for (uint32_t a = 0; a < question->domain->attributes; a++)
	{
		uint32_t k = 0;

		if (!is_given(question, a) && !in_by(question, a))
			continue;
		while (k < table->n && table->attribute[k] != a)
			k++;
		if (k == table->n)
			return false;
	}
	return true;
}

static uint64_t
by_step(const DpQuestion *question, uint32_t attribute)
{
	uint64_t step = 1;

	for (uint32_t k = question->by.n; k-- > 0;)
	{
		if (question->by.attribute[k] == attribute)
			return step;
		step *= question->domain->attribute[question->by.attribute[k]].levels;
	}
	return 0;
}

/* ---- one table ---- */

/* Finds which levels of the attribute are counted by themselves, and the weight of each group. */
static DpStatus
group_axis(const uint32_t *group, const double *weight, Axis *axis, DpArena *arena)
{
	bool *single = dp_alloc(arena, axis->levels, sizeof(*single));
	uint32_t *size = dp_alloc(arena, axis->levels, sizeof(*size));
	double *first = dp_alloc(arena, axis->levels, sizeof(*first));

	axis->own = dp_alloc(arena, axis->levels, sizeof(*axis->own));
	if (single == NULL || size == NULL || first == NULL || axis->own == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t i = 0; i < axis->levels; i++)
	{
		double w = weight == NULL ? 1 : weight[i];

		if (size[group[i]]++ == 0)
			first[group[i]] = w;
		else if (first[group[i]] != w)
			first[group[i]] = NAN;
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
make_axes(const DpQuestion *question, const DpMeasuredTable *from, Axis *axis, DpArena *arena)
{
	for (uint32_t k = 0; k < from->table->n; k++)
	{
		uint32_t a = from->table->attribute[k];
		const double *weight = question->given == NULL ? NULL : question->given->weight[a];

		axis[k] = (Axis){.levels = question->domain->attribute[a].levels,
						 .weight = weight,
						 .step = by_step(question, a)};
		if (from->group != NULL)
			DP_TRY(group_axis(from->group[a], weight, &axis[k], arena));
	}
	return DP_OK;
}

static void
free_axes(Axis *axis, uint32_t n, DpArena *arena)
{
	for (uint32_t k = 0; k < n; k++)
	{
		dp_free(arena, axis[k].own, axis[k].levels, sizeof(double));
		dp_free(arena, (void *) (uintptr_t) axis[k].single, axis[k].levels, sizeof(bool));
	}
}

static void
add_cell(Sums *sums, double weight, double value)
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

/* Where a cell belongs. */
typedef struct Place
{
	double weight; /* NAN: its levels have different ones */
	uint64_t group;
	bool single;    /* all its levels are counted by themselves */
	bool by_single; /* those of by are */
} Place;

static Place
place_of(const Axis *axis, uint32_t n, const uint32_t *code)
{
	Place place = {.weight = 1, .single = true, .by_single = true};

	for (uint32_t k = 0; k < n; k++)
	{
		double weight = axis[k].weight == NULL ? 1 : axis[k].weight[code[k]];
		bool single = axis[k].single == NULL || axis[k].single[code[k]];

		/* a level that does not count excludes the cell, whatever the others are */
		place.weight = place.weight == 0 || weight == 0 ? 0 : place.weight * weight;
		place.group += axis[k].step * code[k];
		place.single &= single;
		place.by_single &= single || axis[k].step == 0;
	}
	return place;
}

/* Marks the groups of levels that the table counts together with others. */
static void
mark_merged(const DpQuestion *question, const Axis *axis, const DpTable *table, Sums *group,
			uint64_t groups)
{
	for (uint32_t k = 0; k < table->n; k++)
	{
		if (axis[k].single == NULL || !in_by(question, table->attribute[k]))
			continue;
		for (uint64_t b = 0; b < groups; b++)
			if (!axis[k].single[b / axis[k].step % axis[k].levels])
				group[b].unusable = true;
	}
}

static void
next_code(const Axis *axis, uint32_t n, uint32_t *code)
{
	for (uint32_t k = n; k-- > 0; code[k] = 0)
		if (++code[k] < axis[k].levels)
			return;
}

static DpStatus
sum_table(const DpQuestion *question, const DpMeasuredTable *from, TableSums *sums,
		  const DpTick *tick, DpArena *arena)
{
	const DpTable *table = from->table;
	uint64_t groups = dp_question_groups(question);
	Axis *axis = dp_alloc(arena, table->n, sizeof(*axis));
	uint32_t *code = dp_alloc(arena, table->n, sizeof(*code));
	DpZeroTest zeros = {.n = 0};

	*sums = (TableSums){.table = table, .term = dp_noise_term(table)};
	sums->group = dp_alloc(arena, groups, sizeof(*sums->group));
	if (axis == NULL || code == NULL || sums->group == NULL)
		return DP_ERR_MEMORY;
	DP_TRY(make_axes(question, from, axis, arena));
	if (table->n > 0)
		DP_TRY(dp_zero_test_build(&zeros, question->domain, table->attribute, table->n, arena));
	mark_merged(question, axis, table, sums->group, groups);
	for (uint64_t i = 0; i < table->cells; i++, next_code(axis, table->n, code))
	{
		bool noisy = from->noisy == NULL || from->noisy[i];
		Place place;

		if (i % TICK_CELLS == 0)
			dp_tick(tick, (double) i / (double) table->cells);
		if (!noisy && from->group != NULL)
			continue; /* its group stands at another cell */
		place = place_of(axis, table->n, code);
		if (zeros.n > 0 && place.single && dp_zero_test_forbids(&zeros, code))
			continue; /* known to be 0 */
		add_cell(&sums->all, noisy ? 1 : NAN, (double) table->value[i]);
		if (place.weight == 0)
			continue;
		place.weight = noisy ? place.weight : NAN;
		add_cell(&sums->given, place.weight, (double) table->value[i]);
		if (place.by_single)
			add_cell(&sums->group[place.group], place.weight, (double) table->value[i]);
	}
	free_axes(axis, table->n, arena);
	dp_free(arena, axis, table->n, sizeof(*axis));
	dp_free(arena, code, table->n, sizeof(*code));
	return DP_OK;
}

/* ---- several tables ---- */

/* The tables that one group is estimated from, with weights that add up to 1. */
typedef struct Mix
{
	uint32_t n;
	const TableSums *table[TABLES_USED_MAX];
	double weight[TABLES_USED_MAX];
} Mix;

static const Sums *
total_of(const DpQuestion *question, const TableSums *table)
{
	return question->measure == DP_MEASURE_RATE ? &table->given : &table->all;
}

static bool
is_usable(const DpQuestion *question, const TableSums *table, uint64_t group)
{
	if (table->group[group].unusable || table->group[group].squares <= 0)
		return false;
	return question->measure == DP_MEASURE_COUNT || !total_of(question, table)->unusable;
}

static double
precision_of(const TableSums *table, uint64_t group)
{
	return 1 / (table->term.variance * table->group[group].squares);
}

/* Puts a table into its place by precision, where it is among the best. */
static void
mix_insert(Mix *mix, const TableSums *table, double precision)
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

static void
mix_tables(const DpQuestion *question, const TableSums *table, uint32_t tables, uint64_t group,
		   Mix *mix)
{
	double sum = 0;

	mix->n = 0;
	for (uint32_t t = 0; t < tables; t++)
		if (is_usable(question, &table[t], group))
			mix_insert(mix, &table[t], precision_of(&table[t], group));
	for (uint32_t i = 0; i < mix->n; i++)
		sum += mix->weight[i];
	if (mix->n > 1 && question->measure == DP_MEASURE_COUNT && 1 / sum < STDDEV_FEW * STDDEV_FEW)
	{
		mix->n = 1;
		sum = mix->weight[0];
	}
	for (uint32_t i = 0; i < mix->n; i++)
		mix->weight[i] /= sum;
}

static void
add_term(DpNoiseSum *law, const DpNoiseTerm *of, double count, double squares)
{
	DpNoiseTerm *term = &law->term[law->terms];

	if (count <= 0 || squares <= 0)
		return;
	*term = *of;
	term->count = count;
	term->coefficient = squares == count ? 1 : sqrt(squares / count);
	law->terms++;
}

/* Unequal coefficients as equal ones with the same second and fourth moment. */
static double
equal_count(const Sums *sums)
{
	return sums->squares * sums->squares / sums->fourths;
}

static void
count_law(const Mix *mix, uint64_t group, DpNoiseSum *law)
{
	law->terms = 0;
	for (uint32_t i = 0; i < mix->n; i++)
	{
		const Sums *own = &mix->table[i]->group[group];

		add_term(law, &mix->table[i]->term, equal_count(own),
				 mix->weight[i] * mix->weight[i] * own->squares);
	}
}

/* The law of X - pD, where X is the group and D the total. */
static void
share_law(const DpQuestion *question, const Mix *mix, uint64_t group, double p, DpNoiseSum *law)
{
	law->terms = 0;
	for (uint32_t i = 0; i < mix->n; i++)
	{
		const Sums *own = &mix->table[i]->group[group];
		const Sums *total = total_of(question, mix->table[i]);
		double w2 = mix->weight[i] * mix->weight[i], inside, rest;

		if (question->measure == DP_MEASURE_RATE) /* both have the weights of the condition */
		{
			inside = (1 - p) * (1 - p) * own->squares;
			rest = total->squares - own->squares;
		}
		else
		{
			inside = own->squares - 2 * p * own->weights + p * p * own->cells;
			rest = total->squares - own->cells;
		}
		add_term(law, &mix->table[i]->term, equal_count(own), w2 * inside);
		add_term(law, &mix->table[i]->term, total->cells - own->cells, w2 * p * p * rest);
	}
}

/* ---- intervals ---- */

/* The half width of the law before; neighbouring groups mostly have the same. */
typedef struct Memo
{
	DpNoiseTerm term[TERMS_MAX];
	uint32_t terms;
	double half_width;
} Memo;

static double
half_width(Memo *memo, const DpNoiseSum *law, double confidence)
{
	bool same = memo->terms == law->terms && law->terms > 0;

	for (uint32_t i = 0; i < law->terms && same; i++)
		same = memo->term[i].noise == law->term[i].noise &&
			   memo->term[i].scale == law->term[i].scale &&
			   memo->term[i].coefficient == law->term[i].coefficient &&
			   memo->term[i].count == law->term[i].count;
	if (same)
		return memo->half_width;
	memcpy(memo->term, law->term, law->terms * sizeof(*law->term));
	memo->terms = law->terms;
	memo->half_width = dp_noise_law_half_width(law, confidence);
	return memo->half_width;
}

/* What is counted is neither negative nor more than the most, so that clipping an interval never
 * takes the truth out of it. */
static void
set_interval(DpGroupAnswer *answer, double half, double most)
{
	answer->low = fmin(fmax(answer->estimate - half, 0), most);
	answer->high = fmin(fmax(answer->estimate + half, 0), most);
}

static void
answer_count(const DpQuestion *question, const Mix *mix, uint64_t group, Memo *memo,
			 DpNoiseSum *law, DpGroupAnswer *answer)
{
	double estimate = 0;

	for (uint32_t i = 0; i < mix->n; i++)
		estimate += mix->weight[i] * mix->table[i]->group[group].value;
	count_law(mix, group, law);
	answer->estimate = estimate;
	answer->std_error = sqrt(dp_noise_law_variance(law));
	set_interval(answer, half_width(memo, law, question->confidence),
				 question->rows_public >= 0 ? question->rows_public : INFINITY);
}

static void
answer_share(const DpQuestion *question, const Mix *mix, uint64_t group, Memo *memo,
			 DpNoiseSum *law, DpGroupAnswer *answer)
{
	bool exact = question->measure == DP_MEASURE_SHARE && question->rows_public > 0;
	double part = 0, total = 0;

	for (uint32_t i = 0; i < mix->n; i++)
	{
		part += mix->weight[i] * mix->table[i]->group[group].value;
		total += mix->weight[i] * total_of(question, mix->table[i])->value;
	}
	total = exact ? question->rows_public : total;
	if (!(total > 0))
		return; /* the noise has swallowed the total */
	answer->estimate = part / total;
	if (exact)
		count_law(mix, group, law);
	else
		share_law(question, mix, group, answer->estimate, law);
	answer->std_error = sqrt(dp_noise_law_variance(law)) / total;
	set_interval(answer, half_width(memo, law, question->confidence) / total, 1);
}

/* ---- what is known without noise ---- */

static void
answer_exactly(DpGroupAnswer *answer, DpBasis basis, double value)
{
	*answer = (DpGroupAnswer){.basis = basis, .estimate = value, .low = value, .high = value};
}

/* Finds the groups none of whose cells can occur. */
static DpStatus
answer_zeros(const DpQuestion *question, DpGroupAnswer *out, uint64_t groups, const DpTick *tick,
			 DpArena *arena)
{
	const DpDomain *domain = question->domain;
	uint32_t *attribute = dp_alloc(arena, domain->attributes, sizeof(*attribute));
	uint32_t *code = dp_alloc(arena, domain->attributes, sizeof(*code));
	Axis *axis = dp_alloc(arena, domain->attributes, sizeof(*axis));
	bool *possible = dp_alloc(arena, groups, sizeof(*possible));
	DpZeroTest zeros;
	uint64_t cells;
	uint32_t n = 0;

	if (attribute == NULL || code == NULL || axis == NULL || possible == NULL)
		return DP_ERR_MEMORY;
	for (uint32_t a = 0; a < domain->attributes; a++)
	{
		if (!is_given(question, a) && !in_by(question, a))
			continue;
		axis[n] = (Axis){.levels = domain->attribute[a].levels,
						 .weight = is_given(question, a) ? question->given->weight[a] : NULL,
						 .step = by_step(question, a)};
		attribute[n++] = a;
	}
	cells = dp_domain_cells(domain, attribute, n);
	DP_TRY(dp_zero_test_build(&zeros, domain, attribute, n, arena));
	for (uint64_t i = 0; i < cells && cells <= ZERO_CELLS_MAX; i++, next_code(axis, n, code))
	{
		Place place = place_of(axis, n, code);

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
answer_total(const DpQuestion *question, DpGroupAnswer *out)
{
	if (question->by.n > 0 || any_given(question))
		return false;
	if (question->measure != DP_MEASURE_COUNT)
		answer_exactly(out, DP_BASIS_PUBLIC, 1);
	else if (question->rows_public >= 0)
		answer_exactly(out, DP_BASIS_PUBLIC, question->rows_public);
	else
		return false;
	return true;
}

DpStatus
dp_measured_answer(const DpQuestion *question, const DpMeasuredTable *table, uint32_t tables,
				   DpGroupAnswer *out, const DpTick *tick, DpArena *arena)
{
	uint64_t groups = dp_question_groups(question);
	TableSums *sums = dp_alloc(arena, tables, sizeof(*sums));
	DpNoiseTerm term[TERMS_MAX];
	DpNoiseSum law = {.term = term};
	Memo memo = {.terms = 0};
	uint32_t n = 0;
	Mix mix;

	if (groups > DP_ANSWER_CELLS_MAX)
		return DP_ERR_LIMIT;
	if (sums == NULL)
		return DP_ERR_MEMORY;
	for (uint64_t b = 0; b < groups; b++)
		out[b] = (DpGroupAnswer){DP_BASIS_NONE, NAN, NAN, NAN, NAN};
	if (answer_total(question, out))
		return DP_OK;
	DP_TRY(answer_zeros(question, out, groups, tick, arena));
	for (uint32_t t = 0; t < tables; t++)
		if (dp_noise_is_additive(table[t].table) && holds_question(question, table[t].table))
			DP_TRY(sum_table(question, &table[t], &sums[n++], tick, arena));
	for (uint64_t b = 0; b < groups; b++)
	{
		if (b % TICK_CELLS == 0)
			dp_tick(tick, -1.0);
		mix_tables(question, sums, n, b, &mix);
		if (out[b].basis == DP_BASIS_ZERO || mix.n == 0)
			continue;
		out[b].basis = DP_BASIS_MEASURED;
		if (question->measure == DP_MEASURE_COUNT)
			answer_count(question, &mix, b, &memo, &law, &out[b]);
		else
			answer_share(question, &mix, b, &memo, &law, &out[b]);
	}
	for (uint32_t t = 0; t < n; t++)
		dp_free(arena, sums[t].group, groups, sizeof(*sums[t].group));
	dp_free(arena, sums, tables, sizeof(*sums));
	return DP_OK;
}
