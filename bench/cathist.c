/*
 * cathist.c -- CatHist as bench/cathist.py drives it, linked with the core alone: the very functions of
 * the release worker (dp_sparse_histogram_plan and _release), many times and without a server.
 *
 *   cathist EPSILON_NANO RHO_NANO SIZE L1 RUNS count...
 *
 * The counts are of values 0, 1, 2, ... of a domain of SIZE. Prints "fidelity seconds values" of each
 * run: the share of rows that have a released value, times the share of released rows whose value
 * occurs; the time of the release; and how many values were released.
 */
#include "core/mechanism/sparse_histogram.h"
#include "test/unit/unit_arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#define VALUES_MAX 1000

static bool
fill(void *context, void *buffer, size_t bytes)
{
	(void) context;
	return getrandom(buffer, bytes, 0) == (ssize_t) bytes;
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static double
fidelity(const DpSparseCells *out, const int64_t *count, uint64_t n)
{
	double rows = 0, released = 0, kept = 0, true_released = 0;

	for (uint64_t i = 0; i < n; i++)
		rows += (double) count[i];
	for (uint64_t i = 0; i < out->n; i++)
	{
		released += (double) out->value[i];
		if (out->index[i] >= n)
			continue;
		kept += (double) count[out->index[i]];
		true_released += (double) out->value[i];
	}
	return released > 0 ? kept / rows * true_released / released : 0;
}

static int
run(int64_t epsilon_nano, int64_t rho_nano, uint64_t size, DpUnit unit, const uint64_t *index,
	const int64_t *count, uint64_t n)
{
	DpArena arena = dp_arena_malloc();
	DpSparseCells out = {.n = 0};
	DpSparseRule rule;
	DpMeter meter;
	double started = now();
	DpRng rng;
	DpStatus status;

	dp_rng_init(&rng, fill, NULL);
	dp_meter_init(&meter, dp_cost_pure(epsilon_nano));
	status =
		dp_sparse_histogram_plan(&(DpSparseHistogram){epsilon_nano, unit, size}, rho_nano, &rule);
	if (status == DP_OK)
		status = dp_sparse_histogram_release(&(DpNoiseSource){.meter = &meter, .rng = &rng}, &rule,
											 &(DpOccupiedCells){n, index, count}, &out, &arena);
	started = now() - started;
	if (status == DP_OK)
		printf("%.9f %.9f %llu\n", fidelity(&out, count, n), started, (unsigned long long) out.n);
	dp_arena_malloc_free(&arena);
	return status != DP_OK;
}

int
main(int argc, char **argv)
{
	uint64_t index[VALUES_MAX], n = 0;
	int64_t count[VALUES_MAX];
	int failed = 0;

	if (argc < 7 || argc - 6 > VALUES_MAX)
		return 2;
	for (; 6 + n < (uint64_t) argc; n++)
	{
		index[n] = n;
		count[n] = strtoll(argv[6 + n], NULL, 10);
	}
	for (int i = atoi(argv[5]); i > 0 && !failed; i--)
		failed =
			run(strtoll(argv[1], NULL, 10), strtoll(argv[2], NULL, 10), strtoull(argv[3], NULL, 10),
				(DpUnit){atoi(argv[4]) == 2 ? DP_REPLACE_ONE : DP_ADD_REMOVE, 1}, index, count, n);
	return failed;
}
