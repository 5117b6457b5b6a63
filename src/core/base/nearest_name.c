/*
 * nearest_name.c -- which of the names that there are somebody may have meant.
 *
 * Names are compared by the least number of edits that lead from one to the other: a byte that is
 * put in, left out or replaced, or two neighbours that change places (the optimal string alignment
 * distance). Upper and lower case are alike in ASCII. One edit is allowed for each three bytes that
 * were written, and three at most; names longer than NAME_BYTES are like no other.
 */
#include "core/base/nearest_name.h"

#include <stdbool.h>
#include <string.h>

#define NAME_BYTES 63
#define EDITS_MAX 3

DpNearestName
dp_nearest_name(const char *wrong)
{
	size_t allowed = strlen(wrong) / 3;

	return (DpNearestName){.wrong = wrong,
						   .edits = (allowed < EDITS_MAX ? allowed : EDITS_MAX) + 1};
}

static char
lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
}

static bool
alike(char a, char b)
{
	return lower(a) == lower(b);
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Row i of the table holds the edits from the first i bytes of a to the first j of b. */
static size_t
edits_between(const char *a, size_t a_n, const char *b, size_t b_n)
{
	size_t table[3][NAME_BYTES + 1];

	for (size_t j = 0; j <= b_n; j++)
		table[0][j] = j;
	for (size_t i = 1; i <= a_n; i++)
	{
		size_t *row = table[i % 3], *above = table[(i + 2) % 3], *above_that = table[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= b_n; j++)
		{
			row[j] = least(above[j], row[j - 1]) + 1;
			row[j] = least(row[j], above[j - 1] + !alike(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && alike(a[i - 1], b[j - 2]) && alike(a[i - 2], b[j - 1]))
				row[j] = least(row[j], above_that[j - 2] + 1);
		}
	}
	return table[a_n % 3][b_n];
}

void
dp_nearest_name_try(DpNearestName *nearest, const char *name)
{
	size_t wrong_n = strlen(nearest->wrong), n = strlen(name);
	size_t edits;

	if (wrong_n > NAME_BYTES || n > NAME_BYTES || strcmp(nearest->wrong, name) == 0)
		return;
	edits = edits_between(nearest->wrong, wrong_n, name, n);
	if (edits >= nearest->edits)
		return;
	nearest->edits = edits;
	nearest->found = name;
}
