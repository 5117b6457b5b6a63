/*
 * unit_dependence.h -- the dependence score of every small pair table, in both storages, beside its
 * definition, and of its neighbours.
 */
#ifndef UNIT_DEPENDENCE_H
#define UNIT_DEPENDENCE_H

#include "core/exact/marginal.h"
#include "core/select/pairs.h"

#include "unit_data.h"

/* A pair table straight from counts; sparse gets its rows one by one. */
static inline DpMarginal
pair_from_counts(DpArena *arena, const DpDomain *domain, const int64_t *count, DpStorage storage)
{
	const uint32_t pair[] = {0, 1};
	uint32_t columns = domain->attribute[1].levels;
	DpMarginal marginal;

	MUST(dp_marginal_init(&marginal, domain, &(DpAttributeSet){2, pair}, storage, arena, NULL));
	for (uint32_t cell = 0; cell < domain->attribute[0].levels * columns; cell++)
	{
		uint32_t row = cell / columns;
		uint32_t column = cell % columns;
		const uint32_t *codes[] = {&row, &column};

		for (int64_t i = 0; i < count[cell]; i++)
			MUST(dp_marginal_add(&marginal, codes, 1));
	}
	return marginal;
}

static inline int64_t
score_of(DpArena *arena, const DpDomain *domain, const int64_t *count, DpStorage storage)
{
	DpMarginal marginal = pair_from_counts(arena, domain, count, storage);
	int64_t score;

	MUST(dp_marginal_dependence(&marginal, &score, arena));
	dp_marginal_free(&marginal);
	return score;
}

/* floor(1024 n R), in rationals: S/(2n), summed cell by cell. */
static inline int64_t
naive_score(const int64_t *count, uint32_t rows, uint32_t columns)
{
	int64_t n = 0;
	int64_t sum = 0;

	for (uint32_t i = 0; i < rows * columns; i++)
		n += count[i];
	if (n == 0)
		return 0;
	for (uint32_t r = 0; r < rows; r++)
	{
		for (uint32_t c = 0; c < columns; c++)
		{
			int64_t row = 0;
			int64_t column = 0;

			for (uint32_t i = 0; i < columns; i++)
				row += count[r * columns + i];
			for (uint32_t i = 0; i < rows; i++)
				column += count[i * columns + c];
			sum += llabs(n * count[r * columns + c] - row * column);
		}
	}
	return 1024 * sum / (2 * n);
}

/* The next table of at most n rows over k cells; false after the last. */
static inline bool
next_table(int64_t *count, uint32_t k, int64_t n)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < k; i++)
		total += count[i];
	for (uint32_t i = 0; i < k; i++)
	{
		if (total < n)
		{
			count[i]++;
			return true;
		}
		total -= count[i];
		count[i] = 0;
	}
	return false;
}

/* Every table of at most n rows, and each of its neighbours. */
static inline void
brute_force(DpArena *arena, uint32_t rows, uint32_t columns, int64_t n)
{
	const uint32_t levels[] = {rows, columns};
	DpDomain domain = unit_domain(arena, levels, 2);
	uint32_t k = rows * columns;
	int64_t count[9] = {0};
	int64_t worst_add = 0;
	int64_t worst_replace = 0;
	bool agree = true;

	do
	{
		int64_t score = score_of(arena, &domain, count, DP_DENSE);

		agree &= score == naive_score(count, rows, columns) &&
				 score == score_of(arena, &domain, count, DP_SPARSE);
		for (uint32_t i = 0; i < k; i++)
		{
			int64_t added;

			count[i]++;
			added = llabs(naive_score(count, rows, columns) - score);
			worst_add = added > worst_add ? added : worst_add;
			for (uint32_t j = 0; j < k; j++)
			{
				int64_t replaced;

				if (j == i || count[j] == 0)
					continue;
				count[j]--;
				replaced = llabs(naive_score(count, rows, columns) - score);
				worst_replace = replaced > worst_replace ? replaced : worst_replace;
				count[j]++;
			}
			count[i]--;
		}
	} while (next_table(count, k, n));
	CHECK(agree, "%ux%u: dense, sparse and naive scores agree on every table", rows, columns);
	CHECK(worst_add <= 2048, "%ux%u: a row more moves it by %" PRId64 " <= 2048", rows, columns,
		  worst_add);
	CHECK(worst_replace <= 3072, "%ux%u: a row replaced moves it by %" PRId64 " <= 3072", rows,
		  columns, worst_replace);
}

#endif
