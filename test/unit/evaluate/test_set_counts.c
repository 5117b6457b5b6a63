/*
 * test_set_counts.c -- many sets counted in two tables: the same whatever the memory, dense and
 * hashed.
 */
#include "core/evaluate/association.h"
#include "core/evaluate/set_counts.h"

#include "core/exact/count_kernel.h"
#include "unit.h"

#define ATTRIBUTES 6
#define ROWS 3001
#define DENSE_CELL_BYTES 40 /* of both tables of a set, at most */

/* Of the second, all tables of three are small. */
static const uint32_t levels_large[ATTRIBUTES] = {2, 3, 7, 200, 11, 900};
static const uint32_t levels_small[ATTRIBUTES] = {5, 8, 13, 40, 17, 29};
static const uint32_t *levels_of = levels_large;

typedef struct Rows
{
	uint32_t factor;
	uint32_t next;
} Rows;

static uint32_t
code_of(uint32_t factor, uint32_t row, uint32_t attribute)
{
	return (row * factor + row / 7 * attribute + row % 5 * row) % levels_of[attribute];
}

static void
rows_rewind(void *context)
{
	((Rows *) context)->next = 0;
}

static uint32_t
rows_next(void *context, uint32_t *const *code)
{
	Rows *rows = context;
	uint32_t n = 0;

	for (; n < DP_BATCH_ROWS && rows->next < ROWS; n++, rows->next++)
		for (uint32_t a = 0; a < ATTRIBUTES; a++)
			code[a][n] = code_of(rows->factor, rows->next, a);
	return n;
}

typedef struct Job
{
	const DpAttributeSet *set;
	uint32_t left_out;
	uint32_t wrong;
	uint32_t taken;
	uint32_t hashed;
	uint32_t passes;
	uint64_t bytes_most;
	double variation[102];
	DpArena arena;
} Job;

/* Each table has each row once, and cells in order, except those of hashed tables. */
static bool
is_right(const DpTablePair *pair)
{
	int64_t total[2] = {0, 0};

	for (uint64_t i = 0; i < pair->cells; i++)
	{
		total[0] += pair->count[0][i];
		total[1] += pair->count[1][i];
		for (uint32_t k = 0; k < pair->n && i > 0 && pair->key == NULL; k++)
		{
			uint32_t before = dp_table_pair_code(pair, i - 1, k);
			uint32_t here = dp_table_pair_code(pair, i, k);

			if (before > here)
				return false;
			if (before < here)
				break;
		}
	}
	return total[0] == ROWS && total[1] == ROWS && pair->total[0] == ROWS && pair->total[1] == ROWS;
}

/* The same, row by row. */
static double
variation_of(const DpAttributeSet *set)
{
	uint64_t cells = 1;
	double sum = 0;
	int16_t *apart;

	for (uint32_t k = 0; k < set->n; k++)
		cells *= levels_of[set->attribute[k]];
	apart = calloc(cells, sizeof(*apart));
	for (uint32_t side = 0; side < 2; side++)
	{
		for (uint32_t row = 0; row < ROWS; row++)
		{
			uint64_t cell = 0;

			for (uint32_t k = 0; k < set->n; k++)
				cell = cell * levels_of[set->attribute[k]] +
					   code_of(side ? 37 : 31, row, set->attribute[k]);
			apart[cell] = (int16_t) (apart[cell] + (side ? 1 : -1));
		}
	}
	for (uint64_t i = 0; i < cells; i++)
		sum += abs(apart[i]);
	free(apart);
	return sum / 2 / ROWS;
}

static DpStatus
take(void *context, uint32_t number, const DpTablePair *pair)
{
	Job *job = context;
	double variation = dp_table_distance(pair).total_variation;

	job->taken++;
	if (job->arena.bytes_used > job->bytes_most)
		job->bytes_most = job->arena.bytes_used;
	job->hashed += pair->key != NULL;
	job->wrong += !is_right(pair) || fabs(variation - job->variation[number]) > 1e-15;
	return DP_OK;
}

static void
leave_out(void *context, uint32_t number, uint64_t bytes)
{
	Job *job = context;

	(void) number;
	job->left_out += bytes > 0;
}

static DpArena *
fresh(void *context)
{
	Job *job = context;

	if (job->passes++ > 0)
		dp_arena_malloc_free(&job->arena);
	job->arena = dp_arena_malloc();
	return &job->arena;
}

/* What a pass needs besides its tables. */
#define BYTES_BESIDES 200000

static void
check_pass(Job *job, DpSetCounting counting, uint64_t bytes_max, uint32_t passes_min,
		   uint32_t passes_max)
{
	DpPairTaker taker = {job, take, leave_out};
	DpArena kept = dp_arena_malloc();
	DpArenaSource memory = {job, fresh, &kept};
	DpError error = {0};
	uint32_t small = 0;

	job->left_out = job->wrong = job->taken = job->hashed = job->passes = 0;
	job->bytes_most = 0;
	counting.bytes_max = bytes_max;
	for (uint32_t i = 0; i < counting.sets; i++)
		small += DENSE_CELL_BYTES * dp_domain_cells(counting.domain, counting.set[i].attribute,
													counting.set[i].n) <=
				 bytes_max;
	CHECK_STATUS(dp_count_sets(&counting, &taker, &memory, &error), DP_OK,
				 "sets are counted in %llu bytes", (unsigned long long) bytes_max);
	CHECK_I64((int64_t) kept.bytes_used, 0, "nothing is kept");
	dp_arena_malloc_free(&kept);
	dp_arena_malloc_free(&job->arena);
	CHECK_I64(job->wrong, 0, "as row by row");
	CHECK(job->taken >= small, "%u sets have room in any case", small);
	CHECK_I64(job->left_out + job->taken, counting.sets, "the others are said to be left out");
	CHECK(job->passes >= passes_min && job->passes <= passes_max, "in %u passes", job->passes);
	CHECK(job->hashed > 0 || job->left_out > 0, "%u of them are hashed", job->hashed);
	CHECK(job->bytes_most < bytes_max + BYTES_BESIDES, "in %llu bytes",
		  (unsigned long long) job->bytes_most);
}

/* Sets of three, with the set of all attributes at `joint`, if that is one of them; twice: once
 * more at the end. */
static void
check_sets(const uint32_t *levels, uint32_t joint, bool twice)
{
	static const uint32_t all_attributes[ATTRIBUTES] = {0, 1, 2, 3, 4, 5};
	DpAttribute attribute[ATTRIBUTES] = {0};
	DpDomain domain = {.attributes = ATTRIBUTES, .attribute = attribute};
	Rows state[2] = {{31, 0}, {37, 0}};
	DpCodedRows rows[2] = {{&state[0], ROWS, rows_rewind, rows_next},
						   {&state[1], ROWS, rows_rewind, rows_next}};
	DpArena arena = dp_arena_malloc();
	DpAttributeSet *threes;
	DpAttributeSet set[102];
	uint64_t all;
	DpSetCounting counting = {.domain = &domain, .rows = rows, .set = set};
	Job job = {.set = NULL};
	bool with_joint;

	levels_of = levels;
	for (uint32_t a = 0; a < ATTRIBUTES; a++)
		attribute[a] = (DpAttribute){.name = "a", .kind = DP_CATEGORIES, .levels = levels[a]};
	if (dp_set_list(&(DpSetRequest){ATTRIBUTES, 3, 100, 1}, &threes, &counting.sets, &all,
					&arena) != DP_OK)
		abort();
	memcpy(set, threes, counting.sets * sizeof(*set));
	with_joint = joint <= counting.sets;
	if (with_joint)
	{
		memmove(set + joint + 1, set + joint, (counting.sets - joint) * sizeof(*set));
		set[joint] = (DpAttributeSet){ATTRIBUTES, all_attributes};
		counting.sets++;
	}
	if (twice)
		set[counting.sets++] = (DpAttributeSet){ATTRIBUTES, all_attributes};
	for (uint32_t i = 0; i < counting.sets; i++)
		job.variation[i] = variation_of(&set[i]);
	check_pass(&job, counting, 1 << 30, 1 + with_joint, 1 + with_joint);
	check_pass(&job, counting, 2000000, 2, 20);
	check_pass(&job, counting, 100000, 2, 20);
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	check_sets(levels_large, UINT32_MAX, false);
	check_sets(levels_large, 0, false);
	check_sets(levels_small, 20, false);
	check_sets(levels_small, 20, true);
	return unit_finish();
}
