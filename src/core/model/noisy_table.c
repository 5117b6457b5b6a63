/*
 * noisy_table.c -- variance of a released table, and estimates from several.
 */
#include "core/model/noisy_table.h"

#include <math.h>

#include "core/accounting/stddev.h"

#define VARIANCE_LEAST 1e-100
#define OTHER_DEVIATIONS 2.0 /* fewer rows of the level "other" may be noise */

double
dp_table_variance(const DpTable *table)
{
	double stddev = table->noise == DP_NOISE_GAUSSIAN
						? dp_gaussian_stddev(
							  (DpGaussian){.rho_pico = table->cost.rho_pico,
										   .sensitivity_l2_squared = table->sensitivity_l2_squared})
						: dp_laplace_stddev((DpLaplace){.epsilon_nano = table->cost.epsilon_nano,
														.sensitivity_l1 = table->sensitivity_l1});

	return fmax(stddev * stddev, VARIANCE_LEAST);
}

bool
dp_table_other_is_noise(const DpTable *table, const DpAttribute *attribute)
{
	return attribute->has_other && (double) table->value[attribute->levels - 1] <
									   OTHER_DEVIATIONS * sqrt(dp_table_variance(table));
}

double
dp_table_total(const DpTable *table)
{
	double total = 0;

	for (uint64_t i = 0; i < table->cells; i++)
		total += (double) table->value[i];
	return total;
}

void
dp_rows_mean_add(DpRowsMean *mean, DpRowsEstimate estimate)
{
	mean->weights += 1 / estimate.variance;
	mean->sum += 1 / estimate.variance * estimate.rows;
}

double
dp_rows_mean(const DpRowsMean *mean)
{
	return mean->weights > 0 ? mean->sum / mean->weights : 0;
}

int64_t
dp_rows_whole(double rows)
{
	return rows <= 0 ? 0 : rows >= 0x1p62 ? INT64_C(1) << 62 : (int64_t) llround(rows);
}

/* The cells of a dense table have independent noise, so the variance of its total is the sum of
 * the variances of its cells. */
static double
total_variance(const DpTable *table)
{
	return (double) table->cells * dp_table_variance(table);
}

int64_t
dp_rows_estimate(const DpModel *model)
{
	DpRowsMean mean = {0};

	for (uint32_t i = 0; i < model->tables; i++)
	{
		const DpTable *table = &model->table[i];

		if (table->noise == DP_NOISE_LAPLACE)
			dp_rows_mean_add(&mean, (DpRowsEstimate){.rows = dp_table_total(table),
													 .variance = total_variance(table)});
	}
	return dp_rows_whole(dp_rows_mean(&mean));
}

double
dp_rows_stddev(const DpModel *model)
{
	uint32_t tables = model->replicates > 0 ? model->replicate[0].tables : model->tables;
	DpRowsMean mean = {0};

	if (dp_unit_rows_public(&model->unit))
		return 0;
	for (uint32_t i = 0; i < tables; i++)
		if (model->table[i].noise == DP_NOISE_LAPLACE || model->table[i].noise == DP_NOISE_GAUSSIAN)
			dp_rows_mean_add(&mean, (DpRowsEstimate){.variance = total_variance(&model->table[i])});
	return mean.weights > 0 ? sqrt(1 / mean.weights) : INFINITY;
}
