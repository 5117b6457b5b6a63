/*
 * factor_product.c -- the product of two tables, summed over some of their attributes.
 *
 * An attribute is in all three tables (shared), in a and out (left), in b and out (right), or in a
 * and b (summed). So for each cell of the shared attributes this is a product of two matrices. The
 * tables are laid out so that the innermost loop runs along whole axes of one kind: the longest of
 * the three kinds that out has.
 */
#include "core/estimate/factor_product.h"

#include "core/base/row_major.h"
#include "core/estimate/strides.h"

enum Kind
{
	SHARED,
	LEFT,
	RIGHT,
	SUMMED,
	KINDS
};

/* Axes by kind, each kind in the given order, so that the last has the shortest step. */
typedef struct Kinds
{
	uint32_t n[KINDS];
	size_t cells[KINDS];
	DpProductAxis axis[KINDS][DP_PRODUCT_AXES_MAX];
} Kinds;

static DpStatus
sort_axes(const DpProductAxis *axis, uint32_t axes, Kinds *kinds)
{
	for (int kind = 0; kind < KINDS; kind++)
		kinds->cells[kind] = 1;
	if (axes > DP_PRODUCT_AXES_MAX)
		return DP_ERR_INTERNAL;
	for (uint32_t k = 0; k < axes; k++)
	{
		int kind = axis[k].out == 0 ? SUMMED
				   : axis[k].b == 0 ? LEFT
				   : axis[k].a == 0 ? RIGHT
									: SHARED;

		if ((kind == SUMMED || kind == LEFT) && axis[k].a == 0)
			return DP_ERR_INTERNAL;
		if (kind == SUMMED && axis[k].b == 0)
			return DP_ERR_INTERNAL;
		if (axis[k].size == 1)
			continue;
		kinds->axis[kind][kinds->n[kind]++] = axis[k];
		kinds->cells[kind] *= axis[k].size;
	}
	return DP_OK;
}

/* ---- layouts ---- */

/* The axes of a table in the wanted order, with the table's own steps along them. */
typedef struct Layout
{
	uint32_t n;
	uint32_t size[DP_PRODUCT_AXES_MAX];
	uint64_t step[DP_PRODUCT_AXES_MAX];
	size_t cells;
	bool natural; /* the table already lies so */
} Layout;

static uint64_t
step_in(const DpProductAxis *axis, char table)
{
	return table == 'a' ? axis->a : table == 'b' ? axis->b : axis->out;
}

static Layout
lay_out(const Kinds *kinds, char table, const enum Kind *order)
{
	Layout layout = {.n = 0, .cells = 1};

	for (int i = 0; i < 3; i++)
		for (uint32_t k = 0; k < kinds->n[order[i]]; k++)
			layout.n = dp_row_major_append(layout.size, layout.step, layout.n,
										   kinds->axis[order[i]][k].size,
										   step_in(&kinds->axis[order[i]][k], table));
	for (uint32_t k = 0; k < layout.n; k++)
		layout.cells *= layout.size[k];
	layout.natural = layout.n == 0 || (layout.n == 1 && layout.step[0] == 1);
	return layout;
}

/* The last two axes have loops of their own: runs are mostly short. */
static void
pack(const Layout *layout, const double *table, double *packed)
{
	uint32_t code[DP_PRODUCT_AXES_MAX] = {0}, outer = layout->n > 1 ? layout->n - 2 : 0;
	uint64_t rows = layout->n > 1 ? layout->size[outer] : 1;
	uint64_t row_step = layout->n > 1 ? layout->step[outer] : 0;
	uint64_t run = layout->size[layout->n - 1];
	uint64_t step = layout->step[layout->n - 1];
	uint64_t at = 0;

	do
		for (uint64_t row = 0; row < rows; row++)
			for (uint64_t i = 0; i < run; i++)
				*packed++ = table[at + row * row_step + i * step];
	while (dp_row_major_follow(layout->size, layout->step, outer, code, &at));
}

static void
unpack(const Layout *layout, const double *packed, double *table)
{
	uint32_t code[DP_PRODUCT_AXES_MAX] = {0};
	uint64_t run = layout->size[layout->n - 1];
	uint64_t step = layout->step[layout->n - 1];
	uint64_t at = 0;

	do
		for (uint64_t i = 0; i < run; i++)
			table[at + i * step] = *packed++;
	while (dp_row_major_follow(layout->size, layout->step, layout->n - 1, code, &at));
}

/* ---- products ---- */

/* Multiplies tables that are laid out as shared, rows, columns; if shared_last, as rows,
 * columns, shared. */
static void
multiply(const Kinds *kinds, bool shared_last, const double *a, const double *b, double *out)
{
	size_t left = kinds->cells[LEFT], right = kinds->cells[RIGHT], terms = kinds->cells[SUMMED];

	if (shared_last)
	{
		dp_product_cells(
			a, b, out,
			(DpProductShape){
				.rows = left, .terms = terms, .columns = right, .run = kinds->cells[SHARED]});
		return;
	}
	for (size_t i = 0; i < kinds->cells[SHARED]; i++)
		dp_product_rows(a + i * left * terms, b + i * terms * right, out + i * left * right,
						(DpProductShape){.rows = left, .terms = terms, .columns = right, .run = 1});
}

/* The table itself if it already lies so; else a copy, which the caller frees. */
static const double *
packed_of(const Layout *layout, const double *table, double **copy, DpArena *arena)
{
	*copy = NULL;
	if (layout->natural)
		return table;
	*copy = dp_alloc_uncleared(arena, layout->cells, sizeof(**copy));
	if (*copy != NULL)
		pack(layout, table, *copy);
	return *copy;
}

static DpStatus
multiply_packed(const Kinds *kinds, bool shared_last, const double *a, const double *b, double *out,
				DpArena *arena)
{
	static const enum Kind orders[2][3][3] = {
		{{SHARED, LEFT, SUMMED}, {SHARED, SUMMED, RIGHT}, {SHARED, LEFT, RIGHT}},
		{{LEFT, SUMMED, SHARED}, {SUMMED, RIGHT, SHARED}, {LEFT, RIGHT, SHARED}}};
	Layout of_a = lay_out(kinds, 'a', orders[shared_last][0]);
	Layout of_b = lay_out(kinds, 'b', orders[shared_last][1]);
	Layout of_out = lay_out(kinds, 'o', orders[shared_last][2]);
	double *copy_a, *copy_b, *result = out;
	const double *packed_a = packed_of(&of_a, a, &copy_a, arena);
	const double *packed_b = packed_of(&of_b, b, &copy_b, arena);
	DpStatus status = DP_ERR_MEMORY;

	if (!of_out.natural)
		result = dp_alloc(arena, of_out.cells, sizeof(*result));
	if (packed_a != NULL && packed_b != NULL && result != NULL)
	{
		if (of_out.natural)
			for (size_t i = 0; i < of_out.cells; i++)
				out[i] = 0;
		multiply(kinds, shared_last, packed_a, packed_b, result);
		if (!of_out.natural)
			unpack(&of_out, result, out);
		status = DP_OK;
	}
	dp_free(arena, copy_a, of_a.cells, sizeof(double));
	dp_free(arena, copy_b, of_b.cells, sizeof(double));
	if (!of_out.natural)
		dp_free(arena, result, of_out.cells, sizeof(double));
	return status;
}

/* Exchanges the roles of a and b: what is only in a is then only in b. */
static void
exchange(DpProductAxis *axis, uint32_t axes)
{
	for (uint32_t k = 0; k < axes; k++)
	{
		uint64_t step = axis[k].a;

		axis[k].a = axis[k].b;
		axis[k].b = step;
	}
}

DpStatus
dp_factor_product(const DpProductAxis *axis, uint32_t axes, const double *a, const double *b,
				  double *out, DpArena *arena)
{
	DpProductAxis turned[DP_PRODUCT_AXES_MAX];
	Kinds kinds = {{0}, {0}, {{{0, 0, 0, 0}}}};
	size_t longest;

	DP_TRY(sort_axes(axis, axes, &kinds));
	longest = kinds.cells[LEFT] > kinds.cells[RIGHT] ? kinds.cells[LEFT] : kinds.cells[RIGHT];
	if (kinds.cells[SHARED] > longest || kinds.cells[RIGHT] == longest)
		return multiply_packed(&kinds, kinds.cells[SHARED] > longest, a, b, out, arena);
	for (uint32_t k = 0; k < axes; k++)
		turned[k] = axis[k];
	exchange(turned, axes);
	return dp_factor_product(turned, axes, b, a, out, arena);
}
