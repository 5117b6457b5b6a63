/*
 * consistency.c -- mutual consistency of dense noisy tables, by inverse variance.
 *
 * dp_consistency_make -- estimates that agree on what they have in common
 *
 * Inputs:      the noisy tables of a model and its number of rows; nothing exact
 * Output:      an estimate of each dense table
 * Guarantee:   post-processing of what is released
 * Why:         the tables count the same rows with independent noise. So what two of them say of
 *              the same margin can be averaged, weighted by inverse variance, and the average put
 *              back: every cell of a slice is moved by the same amount, which is the least-squares
 *              correction. There are three steps, and each keeps what the earlier ones achieved.
 *              Tables over the same attributes are averaged cell by cell. Every table is moved to
 *              the common total. Then, attribute by attribute, every table is moved to the average
 *              margin. This adds as much to some slices as it takes from others, evenly over all
 *              other attributes. So it changes neither the total nor the margin of another
 *              attribute, and one pass is enough.
 * Source:      mutual consistency of marginals, as in Qardaji, Yang, Li, "PriView" (2014),
 *              here for one-way margins and with weights
 */
#include "core/estimate/consistency.h"

#include <string.h>

#include "core/base/row_major.h"
#include "core/domain/attribute_set.h"
#include "core/model/noisy_table.h"
#include "core/domain/priors.h"
#include "core/domain/zeros.h"

typedef struct Consistency
{
	const DpModel *model;
	double **estimate; /* [tables] */
	double *variance;  /* [tables] of one cell, rows^2; of g averaged tables: see average_twins */
} Consistency;

static bool
takes_part(const DpTable *table)
{
	return table->storage == DP_DENSE && table->n > 0;
}

static uint32_t
levels_of(const DpModel *model, const DpTable *table, uint32_t position)
{
	return model->domain.attribute[table->attribute[position]].levels;
}

/* The position of attribute in the table; table->n if the table does not have it. */
static uint32_t
position_of(const DpTable *table, uint32_t attribute)
{
	return dp_index_place(table->attribute, table->n, attribute);
}

/* The number of cells from one value of the attribute at position to the next. */
static uint64_t
stride_of(const DpModel *model, const DpTable *table, uint32_t position)
{
	return dp_domain_cells(&model->domain, table->attribute + position + 1,
						   table->n - position - 1);
}

/* ---- starting point ---- */

static DpStatus
start_table(Consistency *c, uint32_t i, DpArena *arena)
{
	const DpTable *table = &c->model->table[i];

	c->variance[i] = dp_table_variance(table);
	c->estimate[i] = dp_alloc(arena, table->cells, sizeof(double));
	DP_TRY_ALLOC(c->estimate[i]);
	for (uint64_t cell = 0; cell < table->cells; cell++)
		c->estimate[i][cell] = (double) table->value[cell];
	/* zeros are known to be 0 */
	dp_zeros_fill(&c->model->domain, table->attribute, table->n, 0, c->estimate[i]);
	return DP_OK;
}

/* ---- tables over the same attributes ---- */

static bool
same_attributes(const DpTable *a, const DpTable *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t k = 0; k < a->n; k++)
	{
		if (position_of(b, a->attribute[k]) == b->n)
			return false;
	}
	return true;
}

/* A walk over the cells of one table, along another over the same attributes. */
typedef struct Both
{
	uint32_t n;
	uint32_t size[DP_ATTRIBUTES_MAX], code[DP_ATTRIBUTES_MAX];
	uint64_t step[DP_ATTRIBUTES_MAX];
	uint64_t at; /* the cell of the other table */
} Both;

static void
both_begin(const DpModel *model, const DpTable *a, const DpTable *b, Both *both)
{
	uint32_t size[DP_ATTRIBUTES_MAX];

	*both = (Both){.n = a->n};
	dp_domain_levels(&model->domain, a->attribute, a->n, both->size);
	dp_domain_levels(&model->domain, b->attribute, b->n, size);
	dp_set_steps_along(&(DpAttributeSet){b->n, b->attribute}, size,
					   &(DpAttributeSet){a->n, a->attribute}, both->step);
}

static void
both_next(Both *both)
{
	(void) dp_row_major_follow(both->size, both->step, both->n, both->code, &both->at);
}

/* Adds weight x the estimate of table b to sum, whose cells are in the order of table a. */
static void
add_weighted(const Consistency *c, uint32_t a, uint32_t b, double weight, double *sum)
{
	Both both;

	both_begin(c->model, &c->model->table[a], &c->model->table[b], &both);
	for (uint64_t cell = 0; cell < c->model->table[a].cells; cell++, both_next(&both))
		sum[cell] += weight * c->estimate[b][both.at];
}

/* Gives table b the cells of average, which are in the order of table a. */
static void
take_average(Consistency *c, uint32_t a, uint32_t b, const double *average)
{
	Both both;

	both_begin(c->model, &c->model->table[a], &c->model->table[b], &both);
	for (uint64_t cell = 0; cell < c->model->table[a].cells; cell++, both_next(&both))
		c->estimate[b][both.at] = average[cell];
}

/* Averages the table `first` with the later ones over the same attributes. done[i]: table i is
 * averaged already. Each of g averaged tables gets g times the variance of the average, so that
 * together they weigh as one table. */
static DpStatus
average_twins(Consistency *c, uint32_t first, bool *done, DpArena *arena)
{
	const DpTable *table = &c->model->table[first];
	double weights = 0;
	uint32_t twins = 0;
	double *sum = dp_alloc(arena, table->cells, sizeof(*sum));

	DP_TRY_ALLOC(sum);
	for (uint32_t i = first; i < c->model->tables; i++)
	{
		if (done[i] || !takes_part(&c->model->table[i]) ||
			!same_attributes(table, &c->model->table[i]))
			continue;
		add_weighted(c, first, i, 1 / c->variance[i], sum);
		weights += 1 / c->variance[i];
		twins++;
	}
	for (uint64_t cell = 0; cell < table->cells; cell++)
		sum[cell] /= weights;
	for (uint32_t i = first; i < c->model->tables; i++)
	{
		if (done[i] || !takes_part(&c->model->table[i]) ||
			!same_attributes(table, &c->model->table[i]))
			continue;
		take_average(c, first, i, sum);
		c->variance[i] = twins / weights;
		done[i] = true;
	}
	dp_free(arena, sum, table->cells, sizeof(*sum));
	return DP_OK;
}

/* ---- totals and margins ---- */

static void
move_to_total(Consistency *c, uint32_t i)
{
	const DpTable *table = &c->model->table[i];
	double total = 0;
	double shift;

	for (uint64_t cell = 0; cell < table->cells; cell++)
		total += c->estimate[i][cell];
	shift = ((double) c->model->rows - total) / (double) table->cells;
	for (uint64_t cell = 0; cell < table->cells; cell++)
		c->estimate[i][cell] += shift;
}

/* Adds scale x the margin of the attribute at position to margin. */
static void
add_margin(const Consistency *c, uint32_t i, uint32_t position, double scale, double *margin)
{
	const DpTable *table = &c->model->table[i];
	uint64_t stride = stride_of(c->model, table, position);
	uint32_t levels = levels_of(c->model, table, position);

	for (uint64_t cell = 0; cell < table->cells; cell++)
		margin[(cell / stride) % levels] += scale * c->estimate[i][cell];
}

/* Moves each slice of table i evenly, so that the margin becomes the target. work[levels]. */
static void
move_to_margin(Consistency *c, uint32_t i, uint32_t position, const double *target, double *work)
{
	const DpTable *table = &c->model->table[i];
	uint64_t stride = stride_of(c->model, table, position);
	uint32_t levels = levels_of(c->model, table, position);
	double slice_cells = (double) (table->cells / levels);

	memset(work, 0, levels * sizeof(*work));
	add_margin(c, i, position, 1, work);
	for (uint32_t v = 0; v < levels; v++)
		work[v] = (target[v] - work[v]) / slice_cells;
	for (uint64_t cell = 0; cell < table->cells; cell++)
		c->estimate[i][cell] += work[(cell / stride) % levels];
}

/* Public priors of an attribute count like one more table each. */
static DpStatus
add_priors(const Consistency *c, uint32_t attribute, double *margin, double *weights,
		   DpArena *arena)
{
	const DpDomain *domain = &c->model->domain;
	uint32_t levels = domain->attribute[attribute].levels;
	double rows = (double) c->model->rows;

	for (uint32_t i = 0; i < domain->priors && rows > 0; i++)
	{
		const DpPrior *prior = &domain->prior[i];
		DpTable shape = {.n = prior->n, .attribute = prior->attribute};
		uint32_t position = position_of(&shape, attribute);
		uint64_t stride;
		double *expected;
		double weight;

		if (position == prior->n)
			continue;
		expected = dp_alloc(arena, prior->cells, sizeof(*expected));
		DP_TRY_ALLOC(expected);
		dp_prior_expected(prior, rows, expected);
		stride = stride_of(c->model, &shape, position);
		weight = (double) levels / ((double) prior->cells * dp_prior_variance(prior, rows));
		for (uint64_t cell = 0; cell < prior->cells; cell++)
			margin[(cell / stride) % levels] += weight * expected[cell];
		*weights += weight;
		dp_free(arena, expected, prior->cells, sizeof(*expected));
	}
	return DP_OK;
}

static DpStatus
fit_to_attribute(Consistency *c, uint32_t attribute, DpArena *arena)
{
	uint32_t levels = c->model->domain.attribute[attribute].levels;
	double *margin = dp_alloc(arena, levels, 2 * sizeof(*margin));
	double weights = 0;

	DP_TRY_ALLOC(margin);
	for (uint32_t i = 0; i < c->model->tables; i++)
	{
		const DpTable *table = &c->model->table[i];
		uint32_t position = position_of(table, attribute);
		double weight;

		if (!takes_part(table) || position == table->n)
			continue;
		weight = (double) levels / ((double) table->cells * c->variance[i]);
		weights += weight;
		add_margin(c, i, position, weight, margin);
	}
	DP_TRY(add_priors(c, attribute, margin, &weights, arena));
	for (uint32_t v = 0; v < levels && weights > 0; v++)
		margin[v] /= weights;
	for (uint32_t i = 0; i < c->model->tables; i++)
	{
		uint32_t position = position_of(&c->model->table[i], attribute);

		if (takes_part(&c->model->table[i]) && position < c->model->table[i].n)
			move_to_margin(c, i, position, margin, margin + levels);
	}
	dp_free(arena, margin, levels, 2 * sizeof(*margin));
	return DP_OK;
}

/* ---- the three steps ---- */

static DpStatus
make_consistent(Consistency *c, bool *done, const DpTick *tick, DpArena *arena)
{
	for (uint32_t i = 0; i < c->model->tables; i++)
	{
		if (takes_part(&c->model->table[i]))
			DP_TRY(start_table(c, i, arena));
	}
	for (uint32_t i = 0; i < c->model->tables; i++)
	{
		dp_tick(tick, -1.0);
		if (!takes_part(&c->model->table[i]))
			continue;
		if (!done[i])
			DP_TRY(average_twins(c, i, done, arena));
		move_to_total(c, i);
	}
	for (uint32_t a = 0; a < c->model->domain.attributes; a++)
	{
		dp_tick(tick, -1.0);
		DP_TRY(fit_to_attribute(c, a, arena));
	}
	return DP_OK;
}

DpStatus
dp_consistency_make(const DpModel *model, double ***estimate_out, const DpTick *tick,
					DpArena *arena)
{
	Consistency c = {.model = model};
	bool *done = dp_alloc(arena, model->tables, sizeof(*done));

	c.estimate = dp_alloc(arena, model->tables, sizeof(*c.estimate));
	c.variance = dp_alloc(arena, model->tables, sizeof(*c.variance));
	DP_TRY_ALLOC(c.estimate && c.variance && done);
	DP_TRY(make_consistent(&c, done, tick, arena));
	dp_free(arena, c.variance, model->tables, sizeof(*c.variance));
	dp_free(arena, done, model->tables, sizeof(*done));
	*estimate_out = c.estimate;
	return DP_OK;
}

void
dp_consistency_free(const DpModel *model, double **estimate, DpArena *arena)
{
	for (uint32_t i = 0; i < model->tables; i++)
		dp_free(arena, estimate[i], model->table[i].cells, sizeof(double));
	dp_free(arena, estimate, model->tables, sizeof(*estimate));
}
