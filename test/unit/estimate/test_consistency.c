/*
 * test_consistency.c -- dense tables that speak of the same rows agree
 * afterwards, by inverse variance, and are nearer to the truth.
 */
#include "core/estimate/consistency.h"
#include "core/mechanism/mechanism.h"
#include "core/noise/noise.h"
#include "core/accounting/stddev.h"

#include "unit_data.h"

#define P 3
#define TABLES 6

static const uint32_t levels[P] = {2, 3, 5};

/* AB, BA (a twin of AB), BC, ABC, a sparse C, and the row count. */
static const uint32_t sets[TABLES][P] = {{0, 1}, {1, 0}, {1, 2}, {0, 1, 2}, {2}, {0}};
static const uint32_t set_size[TABLES] = {2, 2, 2, 3, 1, 0};
static const int64_t epsilons[TABLES] = {500000000, 250000000, 100000000,
										 200000000, 100000000, 100000000};

static uint64_t
cells_of(uint32_t t)
{
	uint64_t cells = 1;

	for (uint32_t k = 0; k < set_size[t]; k++)
		cells *= levels[sets[t][k]];
	return cells;
}

/* The code of attribute a in a cell of table t; UINT32_MAX if the table does not have it. */
static uint32_t
code_in(uint32_t t, uint64_t cell, uint32_t a)
{
	uint32_t code = UINT32_MAX;

	for (uint32_t k = set_size[t]; k-- > 0;)
	{
		if (sets[t][k] == a)
			code = (uint32_t) (cell % levels[sets[t][k]]);
		cell /= levels[sets[t][k]];
	}
	return code;
}

/* True counts of a joint in which everything depends on everything. */
static int64_t
truth(uint32_t a, uint32_t b, uint32_t c)
{
	return 10 + 7 * a * b + 3 * ((b + c) % 3) + 11 * (c == 4) * a;
}

static int64_t
true_cell(uint32_t t, uint64_t cell)
{
	int64_t sum = 0;
	uint32_t want[P];

	for (uint32_t a = 0; a < P; a++)
		want[a] = code_in(t, cell, a);
	for (uint32_t a = 0; a < levels[0]; a++)
		for (uint32_t b = 0; b < levels[1]; b++)
			for (uint32_t c = 0; c < levels[2]; c++)
			{
				const uint32_t code[P] = {a, b, c};
				bool in = true;

				for (uint32_t k = 0; k < P; k++)
					in &= want[k] == UINT32_MAX || want[k] == code[k];
				sum += in ? truth(a, b, c) : 0;
			}
	return sum;
}

static DpModel
make_model(DpArena *arena, DpRng *rng, bool noisy)
{
	static const char *names[P] = {"a", "b", "c"};
	static const char *labels[] = {"0", "1", "2", "3", "4"};
	DpModel model = {.method = "sbhg", .unit = {DP_ADD_REMOVE, 1}, .tables = TABLES};

	model.domain.attributes = P;
	model.domain.attribute = dp_alloc(arena, P, sizeof(DpAttribute));
	for (uint32_t a = 0; a < P; a++)
		model.domain.attribute[a] = (DpAttribute){.name = names[a],
												  .type = "text",
												  .labels_n = levels[a],
												  .labels = labels,
												  .levels = levels[a]};
	model.table = dp_alloc(arena, TABLES, sizeof(DpTable));
	for (uint32_t t = 0; t < TABLES; t++)
	{
		DpTable *table = &model.table[t];

		*table = (DpTable){.n = set_size[t],
						   .storage = t == 4 ? DP_SPARSE : DP_DENSE,
						   .cells = cells_of(t),
						   .noise = t == 4 ? DP_NOISE_STABILITY : DP_NOISE_LAPLACE,
						   .cost = {epsilons[t], t == 4, 0},
						   .sensitivity_l1 = 1};
		table->attribute = dp_memdup(arena, sets[t], set_size[t] * sizeof(uint32_t));
		table->value = dp_alloc(arena, table->cells, sizeof(int64_t));
		for (uint64_t cell = 0; cell < table->cells; cell++)
		{
			int64_t noise = 0;

			if (noisy &&
				dp_discrete_laplace(rng, (uint64_t) epsilons[t], DP_EPSILON_ONE, &noise) != DP_OK)
				abort();
			table->value[cell] = true_cell(t, cell) + noise;
		}
	}
	model.rows = true_cell(5, 0) + (noisy ? 4 : 0);
	return model;
}

static double
total_of(const DpModel *model, double *const *estimate, uint32_t t)
{
	double total = 0;

	for (uint64_t cell = 0; cell < model->table[t].cells; cell++)
		total += estimate[t][cell];
	return total;
}

static double
margin_of(const DpModel *model, double *const *estimate, uint32_t t, uint32_t a, uint32_t code)
{
	double sum = 0;

	for (uint64_t cell = 0; cell < model->table[t].cells; cell++)
		sum += code_in(t, cell, a) == code ? estimate[t][cell] : 0;
	return sum;
}

static void
test_agreement(DpArena *arena, DpRng *rng)
{
	DpModel model = make_model(arena, rng, true);
	double worst_total = 0;
	double worst_margin = 0;
	double worst_twin = 0;
	double **estimate;

	CHECK_STATUS(dp_consistency_make(&model, &estimate, NULL, arena), DP_OK, "made to agree");
	CHECK(estimate[4] == NULL && estimate[5] == NULL,
		  "a sparse table and the row count are left alone");
	for (uint32_t t = 0; t < 4; t++)
		worst_total = fmax(worst_total, fabs(total_of(&model, estimate, t) - (double) model.rows));
	CHECK(worst_total < 1e-9, "every total is the number of rows, within %g", worst_total);
	for (uint32_t t = 0; t < 4; t++)
		for (uint32_t s = 0; s < t; s++)
			for (uint32_t a = 0; a < P; a++)
				for (uint32_t v = 0; v < levels[a]; v++)
				{
					if (code_in(t, 0, a) == UINT32_MAX || code_in(s, 0, a) == UINT32_MAX)
						continue;
					worst_margin = fmax(worst_margin, fabs(margin_of(&model, estimate, t, a, v) -
														   margin_of(&model, estimate, s, a, v)));
				}
	CHECK(worst_margin < 1e-9, "every shared margin is the same, within %g", worst_margin);
	for (uint32_t a = 0; a < levels[0]; a++)
		for (uint32_t b = 0; b < levels[1]; b++)
			worst_twin = fmax(
				worst_twin, fabs(estimate[0][a * levels[1] + b] - estimate[1][b * levels[0] + a]));
	CHECK(worst_twin < 1e-9, "tables over the same attributes are one, within %g", worst_twin);
	dp_consistency_free(&model, estimate, arena);
}

/* Without noise there is nothing to correct. */
static void
test_truth_stays(DpArena *arena, DpRng *rng)
{
	DpModel model = make_model(arena, rng, false);
	double worst = 0;
	double **estimate;

	CHECK_STATUS(dp_consistency_make(&model, &estimate, NULL, arena), DP_OK, "made to agree");
	for (uint32_t t = 0; t < 4; t++)
		for (uint64_t cell = 0; cell < model.table[t].cells; cell++)
			worst = fmax(worst, fabs(estimate[t][cell] - (double) model.table[t].value[cell]));
	CHECK(worst < 1e-9, "consistent tables stay as they are, within %g", worst);
	dp_consistency_free(&model, estimate, arena);
}

/* Twins of variance v and w: the first moves by v / (v + w) of their difference. */
static void
test_twin_weights(DpArena *arena, DpRng *rng)
{
	DpModel model = make_model(arena, rng, false);
	double first = dp_laplace_stddev((DpLaplace){.epsilon_nano = epsilons[0], .sensitivity_l1 = 1});
	double second =
		dp_laplace_stddev((DpLaplace){.epsilon_nano = epsilons[1], .sensitivity_l1 = 1});
	double share = first * first / (first * first + second * second);
	double before;
	double **estimate;

	model.tables = 2;
	/* a difference that leaves totals and margins alone, so that only the averaging shows */
	model.table[1].value[0] += 100;
	model.table[1].value[1] -= 100;
	model.table[1].value[2] -= 100;
	model.table[1].value[3] += 100;
	before = (double) model.table[0].value[0];
	CHECK_STATUS(dp_consistency_make(&model, &estimate, NULL, arena), DP_OK, "made to agree");
	CHECK_NEAR(estimate[0][0], before + 100 * share, 1e-9, "twins weigh by inverse variance");
	dp_consistency_free(&model, estimate, arena);
}

static void
test_nearer_to_truth(DpArena *arena, DpRng *rng)
{
	double before = 0;
	double after = 0;

	for (int run = 0; run < 300; run++)
	{
		DpModel model = make_model(arena, rng, true);
		double **estimate;

		model.rows = true_cell(5, 0);
		if (dp_consistency_make(&model, &estimate, NULL, arena) != DP_OK)
			abort();
		for (uint64_t cell = 0; cell < model.table[2].cells; cell++)
		{
			before += pow((double) (model.table[2].value[cell] - true_cell(2, cell)), 2);
			after += pow(estimate[2][cell] - (double) true_cell(2, cell), 2);
		}
		dp_consistency_free(&model, estimate, arena);
	}
	CHECK(after < 0.75 * before, "squared error of the noisiest pair falls to %.2f of what it was",
		  after / before);
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 7);
	test_agreement(&arena, &rng);
	test_truth_stays(&arena, &rng);
	test_twin_weights(&arena, &rng);
	test_nearer_to_truth(&arena, &rng);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
