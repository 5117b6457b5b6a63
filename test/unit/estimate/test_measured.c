/*
 * test_measured.c -- groups answered from noisy tables, beside least squares over the joint table.
 */
#include "core/estimate/measured.h"

#include "unit_measured.h"

#define JOINT 12
#define GROUPS_MAX 12

static uint64_t
cell_of(const DpTable *table, const uint32_t *code)
{
	uint64_t cell = 0;

	for (uint32_t k = 0; k < table->n; k++)
		cell = cell * sizes[table->attribute[k]] + code[table->attribute[k]];
	return cell;
}

static void
decode(uint32_t joint, uint32_t *code)
{
	for (uint32_t a = P; a-- > 0; joint /= sizes[a])
		code[a] = joint % sizes[a];
}

/* Minimises the sum of (y - A x)^2 / v over joint tables x, by conjugate gradients. */
static void
least_squares(const DpTable *table, uint32_t tables, double *x)
{
	double normal[JOINT][JOINT] = {{0}}, residual[JOINT] = {0}, step[JOINT];
	uint32_t a[P], b[P];

	for (uint32_t t = 0; t < tables; t++)
		for (uint32_t i = 0; i < JOINT; i++)
		{
			decode(i, a);
			residual[i] +=
				(double) table[t].value[cell_of(&table[t], a)] / dp_noise_term(&table[t]).variance;
			for (uint32_t j = 0; j < JOINT; j++)
			{
				decode(j, b);
				if (cell_of(&table[t], a) == cell_of(&table[t], b))
					normal[i][j] += 1 / dp_noise_term(&table[t]).variance;
			}
		}
	memset(x, 0, JOINT * sizeof(*x));
	memcpy(step, residual, sizeof(step));
	for (int round = 0; round < 200; round++)
	{
		double rr = 0, sas = 0, next = 0, image[JOINT];

		for (uint32_t i = 0; i < JOINT; i++)
		{
			image[i] = 0;
			for (uint32_t j = 0; j < JOINT; j++)
				image[i] += normal[i][j] * step[j];
			rr += residual[i] * residual[i];
			sas += step[i] * image[i];
		}
		if (rr < 1e-18)
			return;
		for (uint32_t i = 0; i < JOINT; i++)
		{
			x[i] += rr / sas * step[i];
			residual[i] -= rr / sas * image[i];
			next += residual[i] * residual[i];
		}
		for (uint32_t i = 0; i < JOINT; i++)
			step[i] = residual[i] + next / rr * step[i];
	}
}

/* All tables hold attribute 1, so that least squares over everything is the best combination. */
static void
test_least_squares(DpArena *arena, DpDomain *domain)
{
	const uint32_t sets[][2] = {{0, 1}, {2, 1}, {1, 0}};
	double worst = 0;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){1, 0, 0});
	for (int round = 0; round < 50; round++)
	{
		uint32_t by[] = {1};
		double x[JOINT], want[3] = {0};
		DpGroupAnswer answer[GROUPS_MAX];
		DpTable table[3];
		DpMarginalQuery question = {
			.domain = domain, .by = {1, by}, .confidence = 0.95, .rows_public = -1};
		uint32_t code[P];

		for (uint32_t t = 0; t < 3; t++)
			table[t] = random_table(arena, sets[t], t < 2 ? 2 : 1,
									1000000 * (1 + (int64_t) dp_prng_below(&prng, 100)), &prng);
		least_squares(table, 3, x);
		for (uint32_t i = 0; i < JOINT; i++)
		{
			decode(i, code);
			want[code[1]] += x[i];
		}
		MUST(dp_measured_answer(&question, measured(arena, table, 3), 3, answer, NULL, arena));
		for (uint32_t b = 0; b < 3; b++)
			worst = fmax(worst, fabs(answer[b].estimate - want[b]));
	}
	CHECK_NEAR(worst, 0, 1e-6, "estimates are those of least squares");
}

static void
test_condition(DpArena *arena, DpDomain *domain)
{
	const uint32_t all[] = {0, 1, 2};
	uint32_t by[] = {0};
	double weight[] = {1, 0, 0.5};
	double *weights[P] = {NULL, weight, NULL};
	DpGiven given = {.attributes = P, .weight = weights};
	DpMarginalQuery question = {
		.domain = domain, .by = {1, by}, .given = &given, .confidence = 0.95, .rows_public = -1};
	DpGroupAnswer answer[2];
	DpTable table;
	double want = 0, v;
	DpPrng prng;

	dp_prng_seed(&prng, (DpStream){2, 0, 0});
	table = random_table(arena, all, 3, 20000000, &prng);
	v = dp_noise_term(&table).variance;
	MUST(dp_measured_answer(&question, measured(arena, &table, 1), 1, answer, NULL, arena));
	for (uint32_t c = 0; c < 2; c++)
		want += (double) table.value[c] + 0.5 * (double) table.value[4 + c];
	CHECK_NEAR(answer[0].estimate, want, 1e-9, "cells count by their weight");
	CHECK_NEAR(answer[0].std_error, sqrt(v * 2 * (1 + 0.25)), 1e-9, "and so does their noise");
	question.measure = DP_MEASURE_SHARE;
	question.rows_public = 4000;
	MUST(dp_measured_answer(&question, measured(arena, &table, 1), 1, answer, NULL, arena));
	CHECK_NEAR(answer[0].estimate, want / 4000, 1e-12, "a share of a public number");
	CHECK_NEAR(answer[0].std_error, sqrt(v * 2.5) / 4000, 1e-12, "has the noise of the count");
	question.measure = DP_MEASURE_RATE;
	MUST(dp_measured_answer(&question, measured(arena, &table, 1), 1, answer, NULL, arena));
	CHECK_NEAR(answer[0].estimate + answer[1].estimate, 1, 1e-12, "rates of all groups are 1");
	CHECK_NEAR(answer[0].std_error, answer[1].std_error, 1e-12, "and equally uncertain, if two");
}

/* A share of a noisy total: X - pD has coefficient 1 - p in the group and -p elsewhere. */
static void
test_share(DpArena *arena, DpDomain *domain)
{
	const uint32_t set[] = {1};
	uint32_t by[] = {1};
	DpMarginalQuery question = {.domain = domain,
								.by = {1, by},
								.measure = DP_MEASURE_SHARE,
								.confidence = 0.95,
								.rows_public = -1};
	DpGroupAnswer answer[3];
	DpTable table;
	DpPrng prng;
	double p, total;

	dp_prng_seed(&prng, (DpStream){3, 0, 0});
	table = random_table(arena, set, 1, 20000000, &prng);
	total = (double) (table.value[0] + table.value[1] + table.value[2]);
	p = (double) table.value[1] / total;
	MUST(dp_measured_answer(&question, measured(arena, &table, 1), 1, answer, NULL, arena));
	CHECK_NEAR(answer[1].estimate, p, 1e-12, "a share of a noisy total");
	CHECK_NEAR(answer[1].std_error,
			   sqrt(dp_noise_term(&table).variance * ((1 - p) * (1 - p) + 2 * p * p)) / total,
			   1e-12, "knows that the total has the same noise");
}

static void
test_zeros(DpArena *arena, DpDomain *domain)
{
	const uint32_t set[] = {0, 1};
	uint32_t attribute[] = {0, 1}, code[] = {0, 0, 0, 1}, by[] = {0, 1}, one[] = {0};
	DpZeroSet zeros = {.n = 2, .attribute = attribute, .tuples = 2, .code = code};
	DpDomain limited = *domain;
	DpMarginalQuery question = {
		.domain = &limited, .by = {2, by}, .confidence = 0.95, .rows_public = -1};
	DpGroupAnswer answer[6];
	DpTable table;
	DpPrng prng;

	limited.zeros = (DpZeros){1, &zeros};
	dp_prng_seed(&prng, (DpStream){4, 0, 0});
	table = random_table(arena, set, 2, 20000000, &prng);
	MUST(dp_measured_answer(&question, measured(arena, &table, 1), 1, answer, NULL, arena));
	CHECK(answer[0].basis == DP_BASIS_ZERO && answer[0].high == 0 && answer[0].estimate == 0,
		  "a structural zero is 0");
	CHECK(answer[2].basis == DP_BASIS_MEASURED && answer[2].std_error > 0, "and others are not");
	question.by = (DpAttributeSet){1, one};
	MUST(dp_measured_answer(&question, measured(arena, &table, 1), 1, answer, NULL, arena));
	CHECK_NEAR(answer[0].estimate, (double) table.value[2], 0, "sums leave them out");
	CHECK_NEAR(answer[0].std_error, sqrt(dp_noise_term(&table).variance), 1e-12,
			   "with their noise");
}

/* Level 2 of attribute 1 is the rest, and is counted with level 1. A table of attribute 1 alone,
 * which is older, knows each level. */
static void
test_rest(DpArena *arena, DpDomain *domain)
{
	const uint32_t set[] = {0, 1}, one[] = {1};
	uint32_t first[] = {0, 1}, second[] = {0, 1, 1}, third[] = {0, 1}, by[] = {0, 1};
	uint32_t *group[P] = {first, second, third};
	bool noisy[] = {true, true, false, true, true, false};
	double only[] = {0, 1, 0}, *weights[P] = {NULL, only, NULL};
	DpGiven given = {.attributes = P, .weight = weights};
	DpDomain nullable = *domain;
	DpMarginalQuery question = {
		.domain = &nullable, .by = {2, by}, .confidence = 0.95, .rows_public = -1};
	DpGroupAnswer answer[6], rest;
	DpMeasuredTable from[2] = {{.group = group, .noisy = noisy}};
	DpTable table[2];
	DpPrng prng;
	double half;

	dp_prng_seed(&prng, (DpStream){7, 0, 0});
	nullable.attribute = dp_memdup(arena, domain->attribute, P * sizeof(*domain->attribute));
	nullable.attribute[1].has_other = true;
	table[0] = random_table(arena, set, 2, 2000000000, &prng);
	table[1] = random_table(arena, one, 1, 2000000000, &prng);
	table[1].value[2] = 5;
	from[0].table = &table[0];
	from[1].table = &table[1];
	MUST(dp_measured_answer(&question, from, 2, answer, NULL, arena));
	CHECK(answer[1].basis == DP_BASIS_MEASURED && answer[4].basis == DP_BASIS_MEASURED,
		  "a level that is counted with the rest is measured");
	CHECK_NEAR(answer[1].estimate, (double) table[0].value[1], 0, "by the cell of both");
	CHECK(answer[2].basis == DP_BASIS_NONE, "the rest is not");
	CHECK(answer[0].other == 0 && answer[0].high - answer[0].low < 6,
		  "nor is another level touched");
	only[1] = 0;
	only[2] = 1;
	question.by.n = 0;
	question.given = &given;
	question.confidence = 0.975;
	MUST(dp_measured_answer(&question, from, 2, &rest, NULL, arena));
	half = answer[1].high - answer[1].estimate;
	CHECK_NEAR(answer[1].other, rest.high, 0, "which has a bound, at half of what may fail");
	CHECK_NEAR(answer[1].low, fmax(answer[1].estimate - half - rest.high, 0), 0,
			   "by which the interval reaches down");
	only[1] = 1;
	only[2] = 0;
	question.by.n = 1;
	question.confidence = 0.95;
	MUST(dp_measured_answer(&question, from, 2, answer, NULL, arena));
	CHECK(answer[0].basis == DP_BASIS_MEASURED && answer[0].other == rest.high,
		  "a condition on the level is answered in the same way");
	question.measure = DP_MEASURE_RATE;
	MUST(dp_measured_answer(&question, from, 2, answer, NULL, arena));
	CHECK(answer[0].basis == DP_BASIS_NONE, "a rate is not: its total has the rest, too");
	question.measure = DP_MEASURE_COUNT;
	MUST(dp_measured_answer(&question, from, 1, answer, NULL, arena));
	CHECK(answer[0].basis == DP_BASIS_NONE, "without a table of the rest nothing bounds it");
	only[2] = 1;
	MUST(dp_measured_answer(&question, from, 2, answer, NULL, arena));
	CHECK(answer[0].basis == DP_BASIS_MEASURED && answer[0].other == 0,
		  "both are measured as ever");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();
	DpDomain domain = unit_domain(&arena, sizes, P);

	test_least_squares(&arena, &domain);
	test_condition(&arena, &domain);
	test_share(&arena, &domain);
	test_zeros(&arena, &domain);
	test_rest(&arena, &domain);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
