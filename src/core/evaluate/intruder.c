/*
 * intruder.c -- who is unique, and what an intruder learns from synthetic rows.
 *
 * Cells are put into ascending order of codes and the secret is the last attribute, so the cells of
 * persons who agree in what is known stand together: a group.
 */
#include "core/evaluate/intruder.h"

#include <math.h>

/* What is guessed of the secret: the commonest level, and the mean of the numbers. */
typedef struct Guess
{
	uint32_t level;
	double mean; /* NaN: there is no number */
} Guess;

typedef struct Group
{
	uint64_t first;
	uint64_t end;
	int64_t rows[2];
} Group;

typedef struct Intrusion
{
	const DpIntruderTask *task;
	Guess prior;    /* of the whole original, without synthetic rows */
	Guess fallback; /* of all synthetic rows, where none matches */
} Intrusion;

static uint32_t
secret_of(const DpTablePair *pair, uint64_t cell)
{
	return dp_table_pair_code(pair, cell, pair->n - 1);
}

static double
number_of(const DpIntruderTask *task, uint32_t level)
{
	return task->number == NULL ? NAN : task->number[level];
}

/* A guess in the making. Of levels that are equally common it is the first. */
typedef struct Weighing
{
	const DpIntruderTask *task;
	uint32_t level;
	int64_t most;
	double sum, n; /* of the numbers of rows, and of such rows */
} Weighing;

static void
weigh(Weighing *weighing, uint32_t level, int64_t rows)
{
	double number = number_of(weighing->task, level);

	if (rows > weighing->most)
	{
		weighing->most = rows;
		weighing->level = level;
	}
	if (rows > 0 && isfinite(number))
	{
		weighing->sum += number * (double) rows;
		weighing->n += (double) rows;
	}
}

static Guess
guess_of(const Weighing *weighing)
{
	return (Guess){weighing->level, weighing->n > 0 ? weighing->sum / weighing->n : NAN};
}

static DpStatus
guess_from_all(const DpIntruderTask *task, int side, Guess *guess, DpArena *arena)
{
	uint32_t levels = task->pair->levels[task->pair->n - 1];
	int64_t *rows = dp_alloc(arena, levels, sizeof(*rows));
	Weighing weighing = {.task = task};

	DP_TRY_ALLOC(rows);
	for (uint64_t i = 0; i < task->pair->cells; i++)
		rows[secret_of(task->pair, i)] += task->pair->count[side][i];
	for (uint32_t level = 0; level < levels; level++)
		weigh(&weighing, level, rows[level]);
	*guess = guess_of(&weighing);
	dp_free(arena, rows, levels, sizeof(*rows));
	return DP_OK;
}

/* The guess from the synthetic rows of a group, of which there is at least one. */
static Guess
guess_from_group(const DpIntruderTask *task, const Group *group)
{
	Weighing weighing = {.task = task};

	for (uint64_t i = group->first; i < group->end; i++)
		weigh(&weighing, secret_of(task->pair, i), task->pair->count[1][i]);
	return guess_of(&weighing);
}

/* Compares guesses with the persons of a group. error and error_baseline are sums here. */
static void
judge(const Intrusion *intrusion, const Group *group, const Guess *guess, DpGuesses *into)
{
	const DpTablePair *pair = intrusion->task->pair;

	for (uint64_t i = group->first; i < group->end; i++)
	{
		int64_t persons = pair->count[0][i];
		uint32_t level = secret_of(pair, i);
		double number = number_of(intrusion->task, level);

		into->persons += persons;
		if (level == guess->level)
			into->right += persons;
		if (level == intrusion->prior.level)
			into->right_baseline += persons;
		if (persons == 0 || !isfinite(number))
			continue;
		into->numbers += persons;
		into->error += (double) persons * fabs(number - guess->mean);
		into->error_baseline += (double) persons * fabs(number - intrusion->prior.mean);
	}
}

static void
take_group(const Intrusion *intrusion, const Group *group, DpIntruder *found)
{
	Guess guess = intrusion->fallback;

	found->unique[1] += group->rows[1] == 1;
	if (group->rows[1] > 0)
	{
		guess = guess_from_group(intrusion->task, group);
		if (isnan(guess.mean))
			guess.mean = intrusion->fallback.mean;
		found->met += group->rows[0];
	}
	judge(intrusion, group, &guess, &found->all);
	if (group->rows[0] != 1)
		return;
	found->unique[0]++;
	found->unique_met += group->rows[1] > 0;
	found->meets_unique += group->rows[1];
	judge(intrusion, group, &guess, &found->of_unique);
}

static bool
same_group(const DpTablePair *pair, uint64_t a, uint64_t b)
{
	for (uint32_t k = 0; k + 1 < pair->n; k++)
		if (dp_table_pair_code(pair, a, k) != dp_table_pair_code(pair, b, k))
			return false;
	return true;
}

static void
means_of(DpGuesses *guesses)
{
	double numbers = (double) guesses->numbers;

	guesses->error = numbers > 0 ? guesses->error / numbers : NAN;
	guesses->error_baseline = numbers > 0 ? guesses->error_baseline / numbers : NAN;
}

DpStatus
dp_intruder(const DpIntruderTask *task, DpIntruder *found, DpArena *arena)
{
	DpTablePair ordered;
	const DpTablePair *pair = &ordered;
	DpIntruderTask own = {pair, task->number};
	Intrusion intrusion = {.task = &own};
	Group group = {0};

	*found = (DpIntruder){.met = 0};
	DP_TRY(dp_table_pair_order(task->pair, &ordered, arena));
	DP_TRY(guess_from_all(&own, 0, &intrusion.prior, arena));
	DP_TRY(guess_from_all(&own, 1, &intrusion.fallback, arena));
	while (group.first < pair->cells)
	{
		group.end = group.first;
		group.rows[0] = group.rows[1] = 0;
		while (group.end < pair->cells && same_group(pair, group.first, group.end))
		{
			group.rows[0] += pair->count[0][group.end];
			group.rows[1] += pair->count[1][group.end];
			group.end++;
		}
		take_group(&intrusion, &group, found);
		group.first = group.end;
	}
	means_of(&found->all);
	means_of(&found->of_unique);
	return DP_OK;
}
