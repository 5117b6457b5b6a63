/*
 * closest_rows.c -- the distance of synthetic rows to the closest original one, beside that of
 * original rows that are held out.
 */
#include "pg/evaluate/risk.h"

#include <math.h>

#include "miscadmin.h"

#include "core/base/prng.h"
#include "core/evaluate/closest_record.h"
#include "core/exact/count_kernel.h"
#include "pg/server/bridge.h"

#define REFERENCE_FACTOR 50 /* rows to compare with, for each row that is compared */
#define MEMORY_SHARE 4

/* ---- drawing rows ---- */

/* Codes of rows that were drawn: code[column][row]. */
typedef struct Drawn
{
	uint32 rows;
	uint32 **code;
} Drawn;

/* Whether the next of `left` things is among the `wanted` ones: Knuth's selection sampling. */
static bool
selected(DpPrng *prng, uint64 left, uint64 wanted)
{
	return dp_prng_below(prng, left) < wanted;
}

static Drawn
drawn_create(const DpTwoTables *tables, uint32 rows)
{
	Drawn drawn = {.code = palloc(sizeof(uint32 *) * tables->columns)};

	for (uint32 c = 0; c < tables->columns; c++)
		drawn.code[c] = palloc_extended(sizeof(uint32) * Max(rows, 1), MCXT_ALLOC_HUGE);
	return drawn;
}

/* Draws `wanted` rows, each with the same probability; they stay in their order. */
static Drawn
draw_rows(const DpTwoTables *tables, DpSide side, uint32 wanted, DpPrng *prng)
{
	Drawn drawn = drawn_create(tables, wanted);
	uint64 left = (uint64) tables->rows[side];
	uint32 code[DP_BATCH_ROWS];
	bool chosen[DP_BATCH_ROWS];
	uint32 n;

	dp_code_rows_rewind(tables->codes[side]);
	while ((n = dp_code_rows_next(tables->codes[side])) > 0)
	{
		uint32 first = drawn.rows;

		for (uint32 i = 0; i < n; i++)
		{
			chosen[i] = selected(prng, left--, wanted - drawn.rows);
			drawn.rows += chosen[i];
		}
		for (uint32 c = 0; c < tables->columns; c++)
		{
			uint32 to = first;

			dp_code_rows_read(tables->codes[side], c, code);
			for (uint32 i = 0; i < n; i++)
				if (chosen[i])
					drawn.code[c][to++] = code[i];
		}
	}
	return drawn;
}

/* Takes `wanted` rows of those that were drawn away from them. */
static Drawn
hold_out(const DpTwoTables *tables, Drawn *drawn, uint32 wanted, DpPrng *prng)
{
	Drawn held = drawn_create(tables, wanted);
	uint32 kept = 0;

	for (uint32 i = 0; i < drawn->rows; i++)
	{
		bool taken = selected(prng, drawn->rows - i, wanted - held.rows);

		for (uint32 c = 0; c < tables->columns; c++)
		{
			if (taken)
				held.code[c][held.rows] = drawn->code[c][i];
			else
				drawn->code[c][kept] = drawn->code[c][i];
		}
		held.rows += taken;
		kept += !taken;
	}
	drawn->rows = kept;
	return held;
}

/* ---- records ---- */

/* The range of the original's finite numbers; 0 where the column is not one of numbers. */
static double
width_of(const DpComparedColumn *column)
{
	double low = NAN;
	double high = NAN;

	for (uint32 i = 0; column->kind == DP_KIND_NUMBER && i < column->values.n - 1; i++)
	{
		double number = column->values.number[column->order[i]];

		if (column->values.rows[DP_ORIGINAL][column->order[i]] == 0 || !isfinite(number))
			continue;
		low = isnan(low) ? number : low;
		high = number;
	}
	return isnan(low) ? 0 : high - low;
}

static DpRecords
records_of(const DpTwoTables *tables, const Drawn *drawn)
{
	DpRecordColumn *record = palloc0(sizeof(DpRecordColumn) * tables->domain.attributes);

	for (uint32 a = 0; a < tables->domain.attributes; a++)
	{
		const DpComparedColumn *column = &tables->column[tables->column_of[a]];
		const uint32 *code = drawn->code[tables->column_of[a]];
		double width = width_of(column);
		double *number;

		record[a].code = code;
		if (width == 0)
			continue;
		number = palloc_extended(sizeof(double) * Max(drawn->rows, 1), MCXT_ALLOC_HUGE);
		for (uint32 i = 0; i < drawn->rows; i++)
			number[i] = code[i] == DP_CODE_NULL ? NAN : column->values.number[code[i]] / width;
		record[a].number = number;
	}
	return (DpRecords){tables->domain.attributes, record, drawn->rows};
}

/* ---- answers ---- */

static int
compare_doubles(const void *a, const void *b)
{
	double first = *(const double *) a;
	double second = *(const double *) b;

	return (first > second) - (first < second);
}

typedef struct Distances
{
	double mean;
	double low;  /* the 5 % quantile, interpolated */
	double same; /* the share of rows that some record equals */
} Distances;

static Distances
distances_of(const DpRecords *from, const DpRecords *to)
{
	double *distance = palloc(sizeof(double) * from->rows);
	double place = 0.05 * (from->rows - 1);
	uint32 rank = (uint32) place;
	Distances found = {0};

	dp_closest_records(from, to, distance, &dp_interrupt_tick);
	qsort(distance, from->rows, sizeof(double), compare_doubles);
	for (uint32 i = 0; i < from->rows; i++)
	{
		found.mean += distance[i] / from->rows;
		found.same += distance[i] == 0;
	}
	found.same /= from->rows;
	found.low = distance[rank];
	if (place > rank)
		found.low += (place - rank) * (distance[rank + 1] - distance[rank]);
	return found;
}

static uint32
reference_rows(const DpRisk *risk)
{
	uint64 row_bytes = (uint64) risk->tables.columns * (sizeof(uint32) + sizeof(double));
	uint64 fit = risk->tables.memory / MEMORY_SHARE / row_bytes;

	return (uint32) Max(Min((uint64) risk->sample * REFERENCE_FACTOR, fit), 1);
}

void
dp_risk_closest_records(DpRisk *risk)
{
	DpTwoTables *tables = &risk->tables;
	uint64 original_rows = (uint64) tables->rows[DP_ORIGINAL];
	uint32 row_release = (uint32) Min((uint64) risk->sample, original_rows / 2);
	uint32 synthetic_rows =
		(uint32) Min((uint64) risk->sample, (uint64) tables->rows[DP_SYNTHETIC]);
	uint32 monte_carlo = (uint32) Min(original_rows, (uint64) row_release + reference_rows(risk));
	Drawn reference, held, synthetic;
	DpRecords records[3];
	Distances of_held, of_synthetic;
	DpPrng prng;
	char *detail;

	if (row_release == 0)
		return;
	dp_prng_seed(&prng, (DpStream){(uint64) risk->seed, 0, 0});
	reference = draw_rows(tables, DP_ORIGINAL, monte_carlo, &prng);
	held = hold_out(tables, &reference, row_release, &prng);
	synthetic = draw_rows(tables, DP_SYNTHETIC, synthetic_rows, &prng);
	records[0] = records_of(tables, &reference);
	records[1] = records_of(tables, &held);
	records[2] = records_of(tables, &synthetic);
	of_held = distances_of(&records[1], &records[0]);
	of_synthetic = distances_of(&records[2], &records[0]);
	detail = psprintf("of %u synthetic rows to the closest of %u original rows, over %u columns; "
					  "the baseline is of %u original rows that are held out",
					  synthetic.rows, reference.rows, tables->domain.attributes, held.rows);
	dp_risk_put(risk, &(DpRiskRow){"closest_record_mean", of_synthetic.mean, of_held.mean, detail});
	dp_risk_put(risk,
				&(DpRiskRow){"closest_record_5_percent", of_synthetic.low, of_held.low, detail});
	dp_risk_put(risk, &(DpRiskRow){"closest_record_same", of_synthetic.same, of_held.same,
								   "share of these rows that equal one of the original rows"});
}
