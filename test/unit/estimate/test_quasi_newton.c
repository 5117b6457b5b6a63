/*
 * test_quasi_newton.c -- minima that are known in closed form, on and off a
 * subspace; a line search from far away; the promises on evaluations and memory.
 */
#include "core/base/prng.h"
#include "core/estimate/quasi_newton.h"

#include "unit.h"

#define N 60

typedef struct Function
{
	double a[N], b[N]; /* what they mean is up to the function */
	double last[N];    /* where it was evaluated last */
	double least;      /* value so far */
	double small;      /* the largest slope that is small enough */
	unsigned evaluations;
} Function;

static double
note(Function *f, const double *x, double value)
{
	memcpy(f->last, x, sizeof(f->last));
	f->least = f->evaluations++ == 0 ? value : fmin(f->least, value);
	return value;
}

static bool
is_flat(void *context, const double *gradient)
{
	const Function *f = context;

	for (int i = 0; i < N; i++)
		if (!(fabs(gradient[i]) <= f->small))
			return false;
	return true;
}

/* sum of a (x - b)^2 / 2: its diagonal is all of its curvature. */
static double
bowl(void *context, const double *x, double *gradient, double *curvature)
{
	Function *f = context;
	double value = 0;

	for (int i = 0; i < N; i++)
	{
		gradient[i] = f->a[i] * (x[i] - f->b[i]);
		curvature[i] = f->a[i];
		value += gradient[i] * (x[i] - f->b[i]) / 2;
	}
	return note(f, x, value);
}

/* x'Ax / 2 - b'x, A with 2.01 on the diagonal and -1 beside it: stiff, and the diagonal tells
 * little. */
static double
chain(void *context, const double *x, double *gradient, double *curvature)
{
	Function *f = context;
	double value = 0;

	for (int i = 0; i < N; i++)
	{
		double row = 2.01 * x[i] - (i > 0 ? x[i - 1] : 0) - (i + 1 < N ? x[i + 1] : 0);

		gradient[i] = row - f->b[i];
		curvature[i] = 2.01;
		value += x[i] * (row / 2 - f->b[i]);
	}
	return note(f, x, value);
}

/* The same where the diagonal is known up to a factor. */
static double
scaled_chain(void *context, const double *x, double *gradient, double *curvature)
{
	double value = chain(context, x, gradient, curvature);

	for (int i = 0; i < N; i++)
		curvature[i] *= 1e4;
	return value;
}

/* A x = b by elimination. */
static void
solve_chain(const double *b, double *x)
{
	double factor[N];

	factor[0] = 1 / 2.01;
	x[0] = b[0] / 2.01;
	for (int i = 1; i < N; i++)
	{
		factor[i] = 1 / (2.01 - factor[i - 1]);
		x[i] = (b[i] + x[i - 1]) * factor[i];
	}
	for (int i = N - 1; i-- > 0;)
		x[i] += factor[i] * x[i + 1];
}

/* sum of exp(x) - b x, least at log b. From the left of it a step by the curvature goes much too
 * far. */
static double
steep(void *context, const double *x, double *gradient, double *curvature)
{
	Function *f = context;
	double value = 0;

	for (int i = 0; i < N; i++)
	{
		gradient[i] = exp(x[i]) - f->b[i];
		curvature[i] = exp(x[i]);
		value += exp(x[i]) - f->b[i] * x[i];
	}
	return note(f, x, value);
}

/* log sum exp(x) - b x with b adding up to 1: flat along (1, ..., 1), so the minimum is looked
 * for where x adds up to 0, at log b less its mean. */
static double
softmax(void *context, const double *x, double *gradient, double *curvature)
{
	Function *f = context;
	double sum = 0, value;

	for (int i = 0; i < N; i++)
		sum += exp(x[i]);
	value = log(sum);
	for (int i = 0; i < N; i++)
	{
		double p = exp(x[i]) / sum;

		gradient[i] = p - f->b[i];
		curvature[i] = p;
		value -= f->b[i] * x[i];
	}
	return note(f, x, value);
}

static void
centre(void *context, double *direction)
{
	double mean = 0;

	(void) context;
	for (int i = 0; i < N; i++)
		mean += direction[i] / N;
	for (int i = 0; i < N; i++)
		direction[i] -= mean;
}

static double
distance(const double *a, const double *b)
{
	double worst = 0;

	for (int i = 0; i < N; i++)
		worst = fmax(worst, fabs(a[i] - b[i]));
	return worst;
}

static void
draw_coefficients(Function *f, uint64_t seed)
{
	DpPrng prng;

	*f = (Function){.small = 1e-9};
	dp_prng_seed(&prng, (DpStream){seed, 0, 0});
	for (int i = 0; i < N; i++)
	{
		f->a[i] = ldexp(1 + dp_prng_unit(&prng), (int) dp_prng_below(&prng, 20) - 10);
		f->b[i] = 1 + dp_prng_unit(&prng);
	}
}

static void
test_quadratic(DpArena *arena)
{
	double x[N] = {0}, want[N];
	uint32_t evaluations, few;
	Function f;
	DpObjective objective = {.context = &f, .n = N, .value = bowl, .done = is_flat};

	draw_coefficients(&f, 1);
	MUST(dp_newton_minimise(&objective, x, 100, &evaluations, NULL, arena));
	CHECK(distance(x, f.b) < 1e-9, "a sum of squares is least at its centre");
	CHECK_I64(evaluations, 2, "one step is enough where the diagonal says all");
	objective.value = chain;
	draw_coefficients(&f, 2);
	memset(x, 0, sizeof(x));
	solve_chain(f.b, want);
	MUST(dp_newton_minimise(&objective, x, 1000, &evaluations, NULL, arena));
	CHECK(distance(x, want) < 1e-6, "a stiff quadratic is least where elimination says");
	CHECK(evaluations < 400, "in %u evaluations: it learns what the diagonal does not tell",
		  evaluations); /* steepest descent takes thousands */
	CHECK_I64(f.evaluations, evaluations, "as many as it says");
	few = evaluations;
	objective.pairs = DP_NEWTON_PAIRS_MAX;
	memset(x, 0, sizeof(x));
	MUST(dp_newton_minimise(&objective, x, 1000, &evaluations, NULL, arena));
	CHECK(distance(x, want) < 1e-6 && 4 * evaluations < 3 * few,
		  "in fewer with a longer memory (%u)", evaluations);
	objective.pairs = 0;
	objective.value = scaled_chain;
	memset(x, 0, sizeof(x));
	MUST(dp_newton_minimise(&objective, x, 1000, &evaluations, NULL, arena));
	CHECK(distance(x, want) < 1e-6 && evaluations < 400,
		  "in no more where the diagonal is wrong by a factor (%u)", evaluations);
}

static void
test_line_search(DpArena *arena)
{
	double want[N], x[N];
	uint32_t evaluations;
	Function f;
	DpObjective objective = {.context = &f, .n = N, .value = steep, .done = is_flat};

	draw_coefficients(&f, 3);
	for (int i = 0; i < N; i++)
	{
		want[i] = log(f.b[i]);
		x[i] = i % 2 ? -4 : 1; /* a step by the curvature would be to exp(100) */
	}
	MUST(dp_newton_minimise(&objective, x, 1000, &evaluations, NULL, arena));
	CHECK(distance(x, want) < 1e-8, "from far away it comes to log b (%u evaluations)",
		  evaluations);
	CHECK(evaluations < 200, "soon");
}

static void
test_subspace(DpArena *arena)
{
	double want[N], x[N] = {0}, sum = 0;
	uint32_t evaluations;
	Function f;
	DpObjective objective = {
		.context = &f, .n = N, .value = softmax, .project = centre, .done = is_flat};

	draw_coefficients(&f, 4);
	for (int i = 0; i < N; i++)
		sum += f.b[i];
	for (int i = 0; i < N; i++)
	{
		f.b[i] /= sum;
		want[i] = log(f.b[i]);
	}
	centre(NULL, want);
	f.small = 1e-10;
	MUST(dp_newton_minimise(&objective, x, 1000, &evaluations, NULL, arena));
	CHECK(distance(x, want) < 1e-6, "on the subspace it comes to the point that is there");
	sum = 0;
	for (int i = 0; i < N; i++)
		sum += x[i];
	CHECK_NEAR(sum, 0, 1e-9, "and never leaves it");
}

/* However soon it is stopped. */
static void
test_stops(DpArena *arena)
{
	unsigned elsewhere = 0, worse = 0, more = 0;
	uint32_t evaluations;
	Function f;
	DpObjective objective = {.context = &f, .n = N, .value = steep, .done = is_flat};

	for (uint32_t most = 1; most <= 40; most++)
	{
		double x[N], gradient[N], curvature[N], value, least;

		draw_coefficients(&f, 5);
		for (int i = 0; i < N; i++)
			x[i] = i % 3 - 5.0;
		MUST(dp_newton_minimise(&objective, x, most, &evaluations, NULL, arena));
		elsewhere += distance(x, f.last) != 0;
		more += evaluations > most;
		least = f.least;
		value = steep(&f, x, gradient, curvature);
		worse += value > least + 1e-12 * fabs(least);
	}
	CHECK_I64(elsewhere, 0, "the function was last evaluated at the point that is given back");
	CHECK_I64(worse, 0, "which is the best one");
	CHECK_I64(more, 0, "and not after more evaluations than were allowed");
	draw_coefficients(&f, 6);
	memcpy(f.last, f.b, sizeof(f.b));
	objective.value = bowl;
	MUST(dp_newton_minimise(&objective, f.last, 50, &evaluations, NULL, arena));
	CHECK_I64(evaluations, 1, "at the minimum it stays");
}

static void
test_memory(void)
{
	DpArena arena = dp_arena_malloc();
	double x[N] = {0};
	uint32_t evaluations;
	Function f;
	DpObjective objective = {.context = &f, .n = N, .value = bowl, .done = is_flat};

	draw_coefficients(&f, 7);
	arena.bytes_max = dp_newton_bytes(N);
	CHECK_OK(dp_newton_minimise(&objective, x, 9, &evaluations, NULL, &arena),
			 "as many bytes as it says are enough");
	CHECK_I64(arena.bytes_used, 0, "and are given back");
	arena.bytes_max = dp_newton_bytes(N) - 1;
	CHECK_STATUS(dp_newton_minimise(&objective, x, 9, &evaluations, NULL, &arena), DP_ERR_MEMORY,
				 "one byte less is not");
	CHECK(dp_newton_bytes(UINT64_MAX / 2) == UINT64_MAX, "bytes saturate");
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_quadratic(&arena);
	test_line_search(&arena);
	test_subspace(&arena);
	test_stops(&arena);
	test_memory();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
