/*
 * test_row_major.c -- walks over the cells of tables against nested loops.
 */
#include "core/base/row_major.h"

#include "unit.h"

static void
numbers(void)
{
	const uint32_t size[3] = {2, 3, 4};
	uint64_t step[3], cell = 0;
	uint32_t code[3];
	bool same = true;

	CHECK_I64(dp_row_major_steps(size, 3, step), 24, "three axes have the product of their levels");
	CHECK(step[0] == 12 && step[1] == 4 && step[2] == 1, "the last axis is the fastest");
	CHECK_I64(dp_row_major_steps(size, 0, step), 1, "a table without axes has one cell");
	CHECK_I64(dp_row_major_cell(size, 0, code), 0, "which is the first");
	for (uint32_t a = 0; a < 2; a++)
		for (uint32_t b = 0; b < 3; b++)
			for (uint32_t c = 0; c < 4; c++, cell++)
			{
				const uint32_t wanted[3] = {a, b, c};

				same &= dp_row_major_cell(size, 3, wanted) == cell;
				dp_row_major_codes(size, 3, cell, code);
				same &= memcmp(code, wanted, sizeof(code)) == 0;
			}
	CHECK(same, "a cell has the codes of nested loops, and the codes that cell");
}

static void
walks(void)
{
	const uint32_t size[3] = {2, 3, 4};
	const uint64_t step[3] = {1, 0, 2}; /* a table of the third axis and the first */
	uint32_t code[3] = {0}, next[3] = {0}, wanted[3];
	uint64_t place = 0;
	bool same = true;

	for (uint64_t cell = 0; cell < 24; cell++)
	{
		bool last = cell == 23;

		dp_row_major_codes(size, 3, cell, wanted);
		same &= memcmp(code, wanted, sizeof(code)) == 0 && memcmp(next, code, sizeof(code)) == 0;
		same &= place == wanted[0] + 2 * wanted[2];
		same &= dp_row_major_place(size, step, 3, cell) == place;
		same &= dp_row_major_follow(size, step, 3, code, &place) == !last;
		same &= dp_row_major_next(size, 3, next) == !last;
	}
	CHECK(same, "a walk passes all cells in order, with the second table at its side");
	CHECK(place == 0 && code[0] + code[1] + code[2] + next[0] + next[1] + next[2] == 0,
		  "and ends where it began");
	CHECK(!dp_row_major_next(size, 0, next) && !dp_row_major_follow(size, step, 0, code, &place),
		  "a table without axes has no second cell");
}

static void
joined_axes(void)
{
	uint32_t size[4], n = 0;
	uint64_t step[4];

	n = dp_row_major_append(size, step, n, 1, 99);
	CHECK_I64(n, 0, "an axis of one level is left out");
	n = dp_row_major_append(size, step, n, 2, 12);
	n = dp_row_major_append(size, step, n, 3, 4);
	CHECK(n == 1 && size[0] == 6 && step[0] == 4, "an axis that goes on is joined");
	n = dp_row_major_append(size, step, n, 5, 0);
	n = dp_row_major_append(size, step, n, 7, 0);
	CHECK(n == 2 && size[1] == 35 && step[1] == 0, "so are two that the second table lacks");
	n = dp_row_major_append(size, step, n, 2, 1);
	CHECK_I64(n, 3, "one that lies elsewhere is not");
	n = dp_row_major_append(size, step, 0, UINT32_MAX, 0);
	CHECK_I64(dp_row_major_append(size, step, n, 2, 0), 2, "nor is what would not fit 32 bits");
}

int
main(void)
{
	numbers();
	walks();
	joined_axes();
	return unit_finish();
}
