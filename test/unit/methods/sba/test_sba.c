/*
 * test_sba.c -- the histogram over all attributes: its privacy by enumeration of
 * the whole release, and that measure follows the enumerated distribution.
 */
#include "core/methods/registry.h"
#include "core/model/model.h"

#include "unit_data.h"
#include "unit_stat.h"

#define VALUES 120 /* outcomes that are distinguished; what is beyond is lumped */

/* The stages of a release of one attribute with two levels, as planned. */
typedef struct Distribution
{
	long double cell_e0;
	int64_t threshold;
	long double rows_e0; /* 0 = rows are not released */
	DpBudget cost;
} Distribution;

static Distribution
planned_distribution(DpArena *arena, const DpDomain *domain, DpUnit unit, DpBudget budget)
{
	static const DpOptions none = {0, NULL};
	DpRequest request = {.domain = domain, .unit = unit, .budget = budget, .options = &none};
	Distribution distribution = {.rows_e0 = 0};
	DpPlan plan;
	DpError error;

	MUST(dp_plan(dp_method_find("sba"), &request, &plan, arena, &error));
	distribution.cost = plan.cost;
	for (uint32_t i = 0; i < plan.stages; i++)
	{
		long double e0 = (long double) plan.stage[i].each.epsilon_nano * 1e-9L / dp_unit_l1(&unit);

		if (plan.stage[i].threshold_rows == 0)
			distribution.rows_e0 = e0;
		else
		{
			distribution.cell_e0 = e0;
			distribution.threshold = plan.stage[i].threshold_rows;
		}
	}
	return distribution;
}

/* [0] silent, [1 + k] the value threshold + k; the last one all that is larger. */
static void
cell_distribution(const Distribution *distribution, int64_t count, long double *out)
{
	memset(out, 0, VALUES * sizeof(*out));
	if (count == 0)
	{
		out[0] = 1;
		return;
	}
	out[0] = 1 - unit_laplace_above(distribution->cell_e0, distribution->threshold - count);
	for (int64_t k = 0; k < VALUES - 2; k++)
		out[1 + k] = unit_laplace_mass(distribution->cell_e0, distribution->threshold + k - count);
	out[VALUES - 1] =
		unit_laplace_above(distribution->cell_e0, distribution->threshold + VALUES - 2 - count);
}

/* [k] the value k - VALUES/2, both ends lumped. One point of mass if rows are not released. */
static void
rows_distribution(const Distribution *distribution, int64_t rows, long double *out)
{
	memset(out, 0, VALUES * sizeof(*out));
	out[0] = 1;
	if (distribution->rows_e0 == 0)
		return;
	out[0] = unit_laplace_above(distribution->rows_e0, VALUES / 2 + rows);
	for (int64_t k = 1; k < VALUES - 1; k++)
		out[k] = unit_laplace_mass(distribution->rows_e0, k - VALUES / 2 - rows);
	out[VALUES - 1] = unit_laplace_above(distribution->rows_e0, VALUES / 2 - 1 - rows);
}

static bool
same_distribution(const long double *p, const long double *q)
{
	for (int i = 0; i < VALUES; i++)
		if (p[i] != q[i])
			return false;
	return true;
}

/* What has one distribution in both tables tells nothing: all its outcomes as one. */
static void
merge_outcomes(long double *p, long double *q)
{
	memset(p, 0, VALUES * sizeof(*p));
	p[0] = 1;
	memcpy(q, p, VALUES * sizeof(*q));
}

/* Sum of max(P - e^epsilon Q, 0) over all outcomes (cell 0, cell 1, rows) of the release. */
static long double
hockey_stick(const Distribution *distribution, const int64_t *d, const int64_t *e)
{
	long double p[3][VALUES];
	long double q[3][VALUES];
	long double ratio = expl((long double) distribution->cost.epsilon_nano * 1e-9L);
	long double sum = 0;

	for (int i = 0; i < 2; i++)
	{
		cell_distribution(distribution, d[i], p[i]);
		cell_distribution(distribution, e[i], q[i]);
	}
	rows_distribution(distribution, d[0] + d[1], p[2]);
	rows_distribution(distribution, e[0] + e[1], q[2]);
	for (int i = 0; i < 3; i++)
		if (same_distribution(p[i], q[i]))
			merge_outcomes(p[i], q[i]);
	for (int i = 0; i < VALUES; i++)
	{
		for (int k = 0; k < VALUES; k++)
		{
			long double both_p = p[0][i] * p[1][k];
			long double both_q = ratio * q[0][i] * q[1][k];

			if (both_p == 0)
				continue;
			for (int n = 0; n < VALUES; n++)
				sum += fmaxl(both_p * p[2][n] - both_q * q[2][n], 0);
		}
	}
	return sum;
}

static bool
are_neighbours(const int64_t *d, const int64_t *e, DpUnit unit)
{
	int64_t added = 0;
	int64_t removed = 0;

	for (int i = 0; i < 2; i++)
	{
		added += e[i] > d[i] ? e[i] - d[i] : 0;
		removed += d[i] > e[i] ? d[i] - e[i] : 0;
	}
	if (added + removed == 0)
		return false;
	if (unit.neighbours == DP_REPLACE_ONE)
		return added == removed && added <= unit.rows_max;
	return (added == 0 || removed == 0) && added + removed <= unit.rows_max;
}

static long double
worst_case(const Distribution *distribution, DpUnit unit, int64_t rows_max)
{
	long double worst = 0;
	int64_t d[2];
	int64_t e[2];

	for (d[0] = 0; d[0] <= rows_max; d[0]++)
		for (d[1] = 0; d[1] <= d[0]; d[1]++)
			for (e[0] = 0; e[0] <= rows_max; e[0]++)
				for (e[1] = 0; e[1] <= rows_max; e[1]++)
					if (are_neighbours(d, e, unit))
						worst = fmaxl(worst, fmaxl(hockey_stick(distribution, d, e),
												   hockey_stick(distribution, e, d)));
	return worst;
}

static void
test_privacy(DpArena *arena)
{
	const uint32_t levels[] = {2};
	DpDomain domain = unit_domain(arena, levels, 1);

	for (int neighbours = DP_ADD_REMOVE; neighbours <= DP_REPLACE_ONE; neighbours++)
	{
		for (uint32_t rows_max = 1; rows_max <= 2; rows_max++)
		{
			for (int64_t tenth = 10; tenth <= 30; tenth += 20)
			{
				DpUnit unit = {(DpNeighbours) neighbours, rows_max};
				DpBudget budget = {tenth * DP_EPSILON_ONE / 10, DP_DELTA_ONE / 20, 0};
				Distribution distribution = planned_distribution(arena, &domain, unit, budget);
				long double delta = (long double) distribution.cost.delta_atto / DP_DELTA_ONE;
				long double worst = worst_case(&distribution, unit, 1 + rows_max);

				CHECK(worst <= delta * (1 + 1e-9L),
					  "%s, %u rows a unit, epsilon %.1f, T %" PRId64 ": delta %.5Lf <= %.5Lf",
					  neighbours ? "replace" : "add/remove", rows_max, (double) tenth / 10,
					  distribution.threshold, worst, delta);
				distribution.threshold--;
				/* One row less must not do, or the check does not bite. */
				if (rows_max == 1)
					CHECK(worst_case(&distribution, unit, 1 + rows_max) > delta,
						  "a lower threshold would break it");
			}
		}
	}
}

static uint64_t
count_value(const DpTable *table, uint32_t code, int64_t *value)
{
	for (uint64_t i = 0; i < table->cells; i++)
	{
		if (table->code[i] == code)
		{
			*value = table->value[i];
			return 1;
		}
	}
	return 0;
}

/*
 * Releases of a table with 3 and 1 rows. It compares the outcomes of each cell with the exact
 * distribution.
 */
static void
test_distribution(DpArena *arena)
{
	const uint32_t levels[] = {3};
	static const DpOptions none = {0, NULL};
	const int64_t counts[] = {3, 1, 0};
	DpDomain domain = unit_domain(arena, levels, 1);
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpBudget budget = {DP_EPSILON_ONE, DP_DELTA_ONE / 10, 0};
	Distribution distribution = planned_distribution(arena, &domain, unit, budget);
	uint64_t observed[3][VALUES] = {{0}};
	uint64_t rows_observed[VALUES] = {0};
	long double exact[VALUES];
	double probability[VALUES];
	const int releases = 30000;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 99);
	for (int i = 0; i < releases; i++)
	{
		DpArena each = dp_arena_malloc();
		UnitTable table = unit_table(&each, &domain, 4);
		UnitRelease release;

		table.code[0][i % 4] = 1; /* in whatever row it stands */
		MUST(unit_release(&release, "sba", &table, unit, budget, &none, &rng, &each));
		for (uint32_t k = 0; k < 3; k++)
		{
			int64_t value = distribution.threshold - 1;

			(void) count_value(&release.model.table[0], k, &value);
			value -= distribution.threshold - 1;
			observed[k][value < VALUES - 1 ? value : VALUES - 1]++;
		}
		rows_observed[release.model.table[1].value[0] + VALUES / 2 > 0
						  ? (release.model.table[1].value[0] + VALUES / 2 < VALUES - 1
								 ? release.model.table[1].value[0] + VALUES / 2
								 : VALUES - 1)
						  : 0]++;
		dp_arena_malloc_free(&each);
	}
	for (uint32_t k = 0; k < 2; k++)
	{
		cell_distribution(&distribution, counts[k], exact);
		for (int i = 0; i < VALUES; i++)
			probability[i] = (double) exact[i];
		CHECK(unit_chi_square_p(observed[k], probability, VALUES, releases) > UNIT_P_MIN,
			  "a cell of %" PRId64 " rows follows the law", counts[k]);
	}
	CHECK_I64(observed[2][0], releases, "an empty cell is always silent");
	rows_distribution(&distribution, 4, exact);
	for (int i = 0; i < VALUES; i++)
		probability[i] = (double) exact[i];
	CHECK(unit_chi_square_p(rows_observed, probability, VALUES, releases) > UNIT_P_MIN,
		  "the row count follows the law");
}

static UnitTable
skewed_table(DpArena *arena, const DpDomain *domain, uint32_t rows)
{
	UnitTable table = unit_table(arena, domain, rows);

	for (uint32_t i = 0; i < rows; i++)
	{
		table.code[0][i] = i % 10 < 7 ? 0 : i % 3;
		table.code[1][i] = (table.code[0][i] + i % 2) % domain->attribute[1].levels;
	}
	return table;
}

static void
test_plan(DpArena *arena)
{
	const uint32_t levels[] = {3, 4};
	DpDomain domain = unit_domain(arena, levels, 2);
	UnitTable table = skewed_table(arena, &domain, 5000);
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpBudget budget = {DP_EPSILON_ONE, 1000, 0};
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 1);
	MUST(unit_release(&release, "sba", &table, unit, budget, &options.options, &rng, arena));
	CHECK(release.plan.stages == 2 && release.plan.scans == 1 && table.scans == 1,
		  "row count and histogram, one scan");
	CHECK(release.plan.cost.epsilon_nano == DP_EPSILON_ONE &&
			  release.plan.cost.delta_atto == 1000 &&
			  release.meter.spent.epsilon_nano == DP_EPSILON_ONE &&
			  release.meter.spent.delta_atto == 1000,
		  "all of the budget is planned and spent");
	CHECK_I64(release.plan.stage[0].total.epsilon_nano, 20000000, "2 %% for the row count");
	CHECK_NEAR(release.model.rows, 5000, 600, "the row count is about right");
	CHECK(release.model.rows == release.model.table[1].value[0] && release.model.rows != 5000,
		  "and is the noisy one");
	unit.neighbours = DP_REPLACE_ONE;
	MUST(unit_release(&release, "sba", &table, unit, budget, &options.options, &rng, arena));
	CHECK(release.plan.stages == 1 && release.model.rows == 5000 && release.model.tables == 1,
		  "with a public count there is nothing to count");
	unit.neighbours = DP_ADD_REMOVE;
	budget.delta_atto = 0;
	CHECK_STATUS(unit_release(&release, "sba", &table, unit, budget, &options.options, &rng, arena),
				 DP_ERR_ARGUMENT, "without delta there is no stability histogram");
	CHECK(strstr(release.error.hint, "dense_cells") != NULL, "the hint names the way out");
	unit_number(&options, "dense_cells", "12");
	MUST(unit_release(&release, "sba", &table, unit, budget, &options.options, &rng, arena));
	CHECK(release.model.tables == 1 && release.model.table[0].storage == DP_DENSE &&
			  release.plan.stage[0].cells == 12,
		  "a dense table needs neither delta nor a row count");
	CHECK_NEAR(release.model.rows, 5000, 50, "its total tells the rows");
	options.option[0].text = "11";
	CHECK_STATUS(unit_release(&release, "sba", &table, unit, budget, &options.options, &rng, arena),
				 DP_ERR_ARGUMENT, "a cell too many");
}

static double
joint_distance(const UnitTable *table, const uint32_t *drawn, uint32_t rows)
{
	double difference[12] = {0};
	double sum = 0;

	for (uint32_t i = 0; i < table->rows; i++)
		difference[table->code[0][i] * 4 + table->code[1][i]] += 1.0 / table->rows;
	for (uint32_t i = 0; i < rows; i++)
		difference[drawn[2 * i] * 4 + drawn[2 * i + 1]] -= 1.0 / rows;
	for (int i = 0; i < 12; i++)
		sum += fabs(difference[i]);
	return sum / 2;
}

static void
test_draws(DpArena *arena)
{
	const uint32_t levels[] = {3, 4};
	DpDomain domain = unit_domain(arena, levels, 2);
	UnitTable table = skewed_table(arena, &domain, 5000);
	UnitTable empty = unit_table(arena, &domain, 0);
	DpUnit unit = {DP_ADD_REMOVE, 1};
	DpBudget budget = {1000 * DP_EPSILON_ONE, 1000, 0};
	UnitOptions options = {.lists = 0};
	UnitRelease release;
	uint32_t *drawn;
	uint64_t observed[12] = {0};
	double uniform[12];
	DpPrng prng;
	DpRng rng;

	unit_fixed_rng(&rng, &prng, 2);
	MUST(unit_release(&release, "sba", &table, unit, budget, &options.options, &rng, arena));
	drawn = unit_draw(&release, arena, 40000, 5);
	CHECK(joint_distance(&table, drawn, 40000) < 0.01, "at a huge epsilon the joint comes back");
	MUST(unit_release(&release, "sba", &empty, unit, budget, &options.options, &rng, arena));
	CHECK_I64(release.model.table[0].cells, 0, "an empty table releases nothing");
	CHECK_I64(release.model.rows, 0, "and no rows");
	drawn = unit_draw(&release, arena, 40000, 5);
	for (uint32_t i = 0; i < 40000; i++)
		observed[drawn[2 * i] * 4 + drawn[2 * i + 1]]++;
	for (int i = 0; i < 12; i++)
		uniform[i] = 1.0 / 12;
	CHECK(unit_chi_square_p(observed, uniform, 12, 40000) > UNIT_P_MIN,
		  "from nothing, rows are uniform over the domain");
	unit_number(&options, "dense_cells", "100");
	MUST(unit_release(&release, "sba", &table, unit, budget, &options.options, &rng, arena));
	drawn = unit_draw(&release, arena, 40000, 5);
	CHECK(joint_distance(&table, drawn, 40000) < 0.01, "so it does from a dense table");
}

/* The model that a release gives must not depend on the order of rows but through noise. */
static void
test_row_order(DpArena *arena)
{
	const uint32_t levels[] = {60, 60};
	DpDomain domain = unit_domain(arena, levels, 2);
	UnitTable forward = unit_table(arena, &domain, 3000);
	UnitTable backward = unit_table(arena, &domain, 3000);
	DpUnit unit = {DP_REPLACE_ONE, 1};
	DpBudget budget = {1000 * DP_EPSILON_ONE, 1000, 0};
	static const DpOptions none = {0, NULL};
	UnitRelease releases[2];
	unsigned char *bytes[2];
	size_t length[2];
	DpPrng prng;
	DpRng rng;

	for (uint32_t i = 0; i < 3000; i++)
	{
		for (int a = 0; a < 2; a++)
			forward.code[a][i] = backward.code[a][2999 - i] = (i * (uint32_t) (7 + a)) % 60;
	}
	for (int i = 0; i < 2; i++)
	{
		unit_fixed_rng(&rng, &prng, 4);
		MUST(unit_release(&releases[i], "sba", i == 0 ? &forward : &backward, unit, budget, &none,
						  &rng, arena));
		MUST(dp_model_serialise(&releases[i].model, &bytes[i], &length[i], arena, NULL));
	}
	CHECK(releases[0].model.table[0].cells > 50 && length[0] == length[1] &&
			  memcmp(bytes[0], bytes[1], length[0]) == 0,
		  "rows in reverse, the same noise: the same bytes");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_plan(&arena);
	test_draws(&arena);
	test_row_order(&arena);
	test_distribution(&arena);
	test_privacy(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
