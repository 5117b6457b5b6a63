/*
 * test_factor_product.c -- products of tables summed over attributes, beside loops over all cells.
 */
#include "core/estimate/factor_product.h"

#include <math.h>
#include <string.h>

#include "unit_data.h"

/* Sizes are random; each of the kinds of attribute that the walk meets may be missing. */
static void
test_products(DpArena *arena)
{
	double worst = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){8, 5, 1});
	for (int round = 0; round < 300; round++)
	{
		uint64_t used = arena->bytes_used, cells[3] = {1, 1, 1}, joint = 1;
		double a[1300], b[1300], out[1300], wanted[1300] = {0};
		DpProductAxis axis[5];
		uint32_t n = 1 + (uint32_t) dp_prng_below(&prng, 5);

		for (uint32_t k = n; k-- > 0;)
		{
			uint32_t kind = (uint32_t) dp_prng_below(&prng, 4);
			uint32_t size = 1 + (uint32_t) dp_prng_below(&prng, 4);

			axis[k] = (DpProductAxis){size, kind == 2 ? 0 : cells[0], kind == 1 ? 0 : cells[1],
									  kind == 3 ? 0 : cells[2]};
			cells[0] *= kind == 2 ? 1 : size;
			cells[1] *= kind == 1 ? 1 : size;
			cells[2] *= kind == 3 ? 1 : size;
			joint *= size;
		}
		for (uint32_t i = 0; i < 1300; i++)
		{
			a[i] = dp_prng_unit(&prng);
			b[i] = dp_prng_unit(&prng);
		}
		for (uint64_t i = 0; i < joint; i++)
		{
			uint64_t left = i, at[3] = {0, 0, 0};

			for (uint32_t k = n; k-- > 0; left /= axis[k].size)
			{
				at[0] += left % axis[k].size * axis[k].a;
				at[1] += left % axis[k].size * axis[k].b;
				at[2] += left % axis[k].size * axis[k].out;
			}
			wanted[at[2]] += a[at[0]] * b[at[1]];
		}
		MUST(dp_factor_product(axis, n, a, b, out, arena));
		for (uint64_t i = 0; i < cells[2]; i++)
			worst = fmax(worst, fabs(out[i] - wanted[i]));
		worst += arena->bytes_used != used;
	}
	CHECK(worst < 1e-9, "300 products of random tables, %.1e off", worst);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_products(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
