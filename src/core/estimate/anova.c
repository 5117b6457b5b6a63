/*
 * anova.c -- interaction components of noisy tables, pooled and shrunk.
 *
 * dp_anova_clean
 *
 * Inputs:      noisy tables over sets of attributes, each with the variance of its noise;
 *              the number of rows N
 * Output:      for each of them a table of proportions; tables that share attributes agree on
 *              them, up to the projection at the end
 * How:         a table over s is the sum of one component for each u within s: what of the table
 *              varies with all attributes of u and sums to 0 along each of them. In orthonormal
 *              contrasts (dp_contrasts) the components are blocks of coefficients, and independent
 *              noise of equal variance stays independent and equal. A component that several
 *              tables have is estimated from each of them, on the scale of the margin over u.
 *              There its noise has variance v x (cells of s / cells of u). These estimates are
 *              pooled by inverse variance.
 *              Then each component is damped by the positive-part James-Stein factor
 *              max(0, 1 - d w / |c|^2), where d is the number of its coefficients and w the
 *              variance of one. Last, each table is put together again and projected on the
 *              simplex by itself.
 * Why:         pooling is the best linear unbiased estimate of consistent tables; shrinking keeps
 *              an interaction that is all noise out of the joint distribution
 * Source:      James, Stein (1961); docs/methods/cipher.md
 * Cost:        cells x attributes of each table
 */
#include "core/estimate/anova.h"

#include <math.h>

#include "core/base/sort.h"
#include "core/estimate/joint.h"
#include "core/estimate/weights.h"

#define TICK_CELLS 65536

/* The components of all tables: one for each set that lies within the set of a table. The empty
 * set comes first. */
typedef struct Components
{
	uint64_t n;
	uint64_t *mask;    /* [n] ascending */
	uint64_t *offset;  /* [n] where its coefficients begin */
	double *precision; /* [n] of one coefficient */
	uint64_t coefficients;
	double *value; /* [coefficients] on the scale of the margin */
} Components;

typedef struct Cleaning
{
	const DpNoisyTables *given;
	DpArena *arena;
	const DpTick *tick;
	Components component;
} Cleaning;

/* ---- contrasts ---- */

/* Helmert's contrasts: y_0 = sum x / root K,
 * y_j = (x_0 + ... + x_(j-1) - j x_j) / root(j (j + 1)). */
static void
contrast_line(double *x, uint64_t step, uint32_t levels)
{
	double sum = x[0];

	for (uint32_t j = 1; j < levels; j++)
	{
		double next = x[j * step];

		x[j * step] = (sum - j * next) / sqrt((double) j * (j + 1.0));
		sum += next;
	}
	x[0] = sum / sqrt((double) levels);
}

static void
contrast_line_back(double *y, uint64_t step, uint32_t levels)
{
	double later = y[0] / sqrt((double) levels);

	for (uint32_t j = levels - 1; j >= 1; j--)
	{
		double scaled = y[j * step] / sqrt((double) j * (j + 1.0));

		y[j * step] = later - j * scaled;
		later += scaled;
	}
	y[0] = later;
}

void
dp_contrasts(double *value, bool inverse, const uint32_t *levels, uint32_t mask)
{
	uint64_t cells = dp_joint_set_cells(levels, mask);
	uint64_t step = cells;

	for (uint32_t a = 0; mask >> a != 0; a++)
	{
		uint64_t block = step;

		if ((mask >> a & 1) == 0)
			continue;
		step /= levels[a];
		for (uint64_t start = 0; start < cells; start += block)
		{
			for (uint64_t i = 0; i < step; i++)
			{
				if (inverse)
					contrast_line_back(value + start + i, step, levels[a]);
				else
					contrast_line(value + start + i, step, levels[a]);
			}
		}
	}
}

/* ---- which components there are ---- */

static uint32_t
count_bits(uint32_t mask)
{
	return (uint32_t) __builtin_popcount(mask);
}

/* Turns a local mask, whose bit k is the k-th attribute of mask, into a mask of attributes. */
static uint32_t
expand_bits(uint32_t local, uint32_t mask)
{
	uint32_t out = 0;

	for (uint32_t a = 0, k = 0; mask >> a != 0; a++)
	{
		if (mask >> a & 1)
			out |= (local >> k++ & 1) << a;
	}
	return out;
}

static bool
smaller(const void *context, uint64_t a, uint64_t b)
{
	(void) context;
	return a < b;
}

/* The number of a component's coefficients. */
static uint64_t
coefficients_of(const uint32_t *levels, uint64_t mask)
{
	uint64_t n = 1;

	for (uint32_t a = 0; mask >> a != 0; a++)
	{
		if (mask >> a & 1)
			n *= levels[a] - 1;
	}
	return n;
}

static DpStatus
list_masks(const Cleaning *cleaning, uint64_t **masks, uint64_t *capacity, uint64_t *n)
{
	uint64_t listed = 0;

	*capacity = *n = 0;
	for (uint32_t t = 0; t < cleaning->given->tables; t++)
		*capacity += UINT64_C(1) << count_bits(cleaning->given->table[t].mask);
	*masks = dp_alloc(cleaning->arena, *capacity, sizeof(**masks));
	DP_TRY_ALLOC(*masks);
	for (uint32_t t = 0; t < cleaning->given->tables; t++)
	{
		uint32_t mask = cleaning->given->table[t].mask;

		for (uint32_t local = 0; local >> count_bits(mask) == 0; local++)
			(*masks)[listed++] = expand_bits(local, mask);
	}
	DP_TRY(dp_sort_indexes(*masks, listed, smaller, NULL, cleaning->arena));
	for (uint64_t i = 0; i < listed; i++)
	{
		if (i == 0 || (*masks)[i] != (*masks)[*n - 1])
			(*masks)[(*n)++] = (*masks)[i];
	}
	return DP_OK;
}

static DpStatus
make_components(Cleaning *cleaning)
{
	Components *component = &cleaning->component;
	DpArena *arena = cleaning->arena;
	uint64_t *masks;
	uint64_t capacity;

	DP_TRY(list_masks(cleaning, &masks, &capacity, &component->n));
	component->mask = dp_memdup(arena, masks, component->n * sizeof(*masks));
	dp_free(arena, masks, capacity, sizeof(*masks));
	component->offset = dp_alloc(arena, component->n, sizeof(*component->offset));
	component->precision = dp_alloc(arena, component->n, sizeof(*component->precision));
	DP_TRY_ALLOC(component->mask && component->offset && component->precision);
	for (uint64_t i = 0; i < component->n; i++)
	{
		component->offset[i] = component->coefficients;
		component->coefficients += coefficients_of(cleaning->given->levels, component->mask[i]);
	}
	component->value = dp_alloc(arena, component->coefficients, sizeof(*component->value));
	return component->value == NULL ? DP_ERR_MEMORY : DP_OK;
}

static void
free_components(Cleaning *cleaning)
{
	Components *component = &cleaning->component;

	dp_free(cleaning->arena, component->mask, component->n, sizeof(*component->mask));
	dp_free(cleaning->arena, component->offset, component->n, sizeof(*component->offset));
	dp_free(cleaning->arena, component->precision, component->n, sizeof(*component->precision));
	dp_free(cleaning->arena, component->value, component->coefficients, sizeof(double));
}

static uint64_t
find_component(const Components *component, uint32_t mask)
{
	uint64_t low = 0, high = component->n;

	while (high - low > 1)
	{
		uint64_t middle = low + (high - low) / 2;

		if (component->mask[middle] <= mask)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* ---- between tables and components ---- */

/* Where the components of one table are. */
typedef struct View
{
	uint32_t n; /* attributes of the table */
	uint32_t levels[DP_JOINT_ATTRIBUTES_MAX];
	uint64_t *component; /* [2^n] by the local mask */
	double *scale;       /* [2^n] root of the cells that are summed up in a cell of the margin */
} View;

static DpStatus
make_view(const Cleaning *cleaning, const DpNoisyTable *table, View *view)
{
	uint64_t subsets;

	view->n = 0;
	for (uint32_t a = 0; table->mask >> a != 0; a++)
	{
		if (table->mask >> a & 1)
			view->levels[view->n++] = cleaning->given->levels[a];
	}
	subsets = UINT64_C(1) << view->n;
	view->component = dp_alloc(cleaning->arena, subsets, sizeof(*view->component));
	view->scale = dp_alloc(cleaning->arena, subsets, sizeof(*view->scale));
	DP_TRY_ALLOC(view->component && view->scale);
	for (uint32_t local = 0; local < subsets; local++)
	{
		uint32_t mask = expand_bits(local, table->mask);

		view->component[local] = find_component(&cleaning->component, mask);
		view->scale[local] =
			sqrt((double) (table->cells / dp_joint_set_cells(cleaning->given->levels, mask)));
	}
	return DP_OK;
}

static void
free_view(const Cleaning *cleaning, View *view)
{
	dp_free(cleaning->arena, view->component, UINT64_C(1) << view->n, sizeof(*view->component));
	dp_free(cleaning->arena, view->scale, UINT64_C(1) << view->n, sizeof(*view->scale));
}

/* Finds the component that a cell of the contrasts belongs to. Returns its local mask and sets
 * *place to the place within it. */
static uint32_t
locate(const View *view, const uint32_t *code, uint64_t *place)
{
	uint32_t local = 0;

	*place = 0;
	for (uint32_t k = 0; k < view->n; k++)
	{
		if (code[k] == 0)
			continue;
		local |= UINT32_C(1) << k;
		*place = *place * (view->levels[k] - 1) + code[k] - 1;
	}
	return local;
}

static void
advance(const View *view, uint32_t *code)
{
	for (uint32_t k = view->n; k-- > 0;)
	{
		if (++code[k] < view->levels[k])
			return;
		code[k] = 0;
	}
}

/* Adds coefficient / scale x precision of one table to the pooled sums. */
static void
gather(Cleaning *cleaning, const View *view, const double *contrast, const DpNoisyTable *table)
{
	Components *component = &cleaning->component;
	uint32_t code[DP_JOINT_ATTRIBUTES_MAX] = {0};

	for (uint64_t i = 0; i < table->cells; i++, advance(view, code))
	{
		uint64_t place;
		uint32_t local = locate(view, code, &place);

		if (i % TICK_CELLS == 0)
			dp_tick(cleaning->tick, -1.0);
		component->value[component->offset[view->component[local]] + place] +=
			contrast[i] / (view->scale[local] * table->variance);
	}
	for (uint64_t local = 0; local >> view->n == 0; local++)
		component->precision[view->component[local]] +=
			1 / (view->scale[local] * view->scale[local] * table->variance);
}

static void
scatter(const Cleaning *cleaning, const View *view, double *contrast, uint64_t cells)
{
	const Components *component = &cleaning->component;
	uint32_t code[DP_JOINT_ATTRIBUTES_MAX] = {0};

	for (uint64_t i = 0; i < cells; i++, advance(view, code))
	{
		uint64_t place;
		uint32_t local = locate(view, code, &place);

		if (i % TICK_CELLS == 0)
			dp_tick(cleaning->tick, -1.0);
		contrast[i] = component->value[component->offset[view->component[local]] + place] /
					  view->scale[local];
	}
}

static DpStatus
take_apart(Cleaning *cleaning, const DpNoisyTable *table)
{
	double *contrast = dp_memdup(cleaning->arena, table->value, table->cells * sizeof(*contrast));
	View view;

	DP_TRY_ALLOC(contrast);
	dp_contrasts(contrast, false, cleaning->given->levels, table->mask);
	DP_TRY(make_view(cleaning, table, &view));
	gather(cleaning, &view, contrast, table);
	free_view(cleaning, &view);
	dp_free(cleaning->arena, contrast, table->cells, sizeof(*contrast));
	return DP_OK;
}

static DpStatus
put_together(const Cleaning *cleaning, const DpNoisyTable *table, double **out)
{
	double *clean = dp_alloc(cleaning->arena, table->cells, sizeof(*clean));
	double *work = dp_alloc(cleaning->arena, table->cells, sizeof(*work));
	View view;

	DP_TRY_ALLOC(clean && work);
	DP_TRY(make_view(cleaning, table, &view));
	scatter(cleaning, &view, clean, table->cells);
	free_view(cleaning, &view);
	dp_contrasts(clean, true, cleaning->given->levels, table->mask);
	for (uint64_t i = 0; i < table->cells; i++)
		clean[i] /= cleaning->given->rows;
	dp_simplex_project(clean, table->cells, work, 1);
	dp_free(cleaning->arena, work, table->cells, sizeof(*work));
	*out = clean;
	return DP_OK;
}

/* ---- pooling and shrinking ---- */

static double
james_stein(const double *value, uint64_t n, double variance)
{
	double energy = 0;

	for (uint64_t i = 0; i < n; i++)
		energy += value[i] * value[i];
	return energy > 0 ? fmax(0, 1 - (double) n * variance / energy) : 0;
}

static void
finalize_components(Cleaning *cleaning, bool shrink)
{
	Components *component = &cleaning->component;

	for (uint64_t i = 0; i < component->n; i++)
	{
		double *value = component->value + component->offset[i];
		uint64_t n = coefficients_of(cleaning->given->levels, component->mask[i]);
		double factor;

		for (uint64_t k = 0; k < n; k++)
			value[k] /= component->precision[i];
		factor = shrink && component->mask[i] != 0
					 ? james_stein(value, n, 1 / component->precision[i])
					 : 1;
		for (uint64_t k = 0; k < n; k++)
			value[k] *= factor;
	}
	component->value[0] = cleaning->given->rows; /* the empty set's component is the total */
}

DpStatus
dp_anova_clean(const DpNoisyTables *given, bool shrink, double **clean, const DpTick *tick,
			   DpArena *arena)
{
	Cleaning cleaning = {.given = given, .arena = arena, .tick = tick};

	DP_TRY(make_components(&cleaning));
	for (uint32_t t = 0; t < given->tables; t++)
		DP_TRY(take_apart(&cleaning, &given->table[t]));
	finalize_components(&cleaning, shrink);
	for (uint32_t t = 0; t < given->tables; t++)
		DP_TRY(put_together(&cleaning, &given->table[t], &clean[t]));
	free_components(&cleaning);
	return DP_OK;
}
