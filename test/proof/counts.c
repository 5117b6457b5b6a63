/*
 * counts.c -- the readers of partial counts: whatever the bytes are, nothing outside of a table is
 * written, and the cells that were read are as many rows as the counts say.
 */
#define BYTES_MAX 64
#include "proof_stub.h"

#ifndef CELLS
#define CELLS 3
#endif
#ifndef FILLED
#define FILLED 1 /* whether a table has rows already */
#endif
#ifndef LENGTH
#define LENGTH 4
#endif

#include "proof_reader.h"

#include "core/exact/counts_bytes.c"

/* A dense set of up to CELLS cells, into a table of just that size or into none: after a success the
 * cells have grown by the rows, none of them shrank, and no sum has overflowed, as the total of the
 * table and the rows do not. */
void
prove_dense(void)
{
	DpReader reader = any_reader();
	uint64_t cells = nondet_byte(), rows = nondet_uint64();
	int64_t table[CELLS], before[CELLS];
	bool only_checked = nondet_bool();
	uint64_t total = rows, grown = 0;

	given(cells >= 1 && cells <= CELLS && rows <= INT64_MAX);
	for (size_t i = 0; i < CELLS; i++)
	{
		before[i] = table[i] = FILLED ? nondet_int64() : 0;
		given(table[i] >= 0 && (uint64_t) table[i] <= INT64_MAX - total);
		total += (uint64_t) table[i];
	}
	read_dense(&reader, cells, rows, only_checked ? NULL : table, NULL);
	holds(reader.at <= reader.end);
	for (size_t i = 0; i < CELLS; i++)
	{
		holds(table[i] >= before[i] && (i < cells || table[i] == before[i]));
		grown += (uint64_t) (table[i] - before[i]);
	}
	holds(grown <= rows);
	holds(reader.status != DP_OK || grown == (only_checked ? 0 : rows));
}

/* Codes of a cell of a set of two attributes: after a success each is a level, and the cell comes
 * behind the one before. */
void
prove_codes(void)
{
	DpReader reader = any_reader();
	DpAttribute attribute[2];
	uint32_t number[2] = {0, 1}, code[2] = {nondet_uint32(), nondet_uint32()};
	uint32_t before[2] = {code[0], code[1]};
	DpSpecSet set = {.attribute = number, .n = 2};
	DpSpec spec = {.domain = {.attribute = attribute, .attributes = 2}};
	bool first = nondet_bool();

	for (int a = 0; a < 2; a++)
	{
		attribute[a].levels = nondet_uint32();
		given(attribute[a].levels >= 1);
	}
	if (!read_codes(&reader, &spec, &set, first, code))
		return;
	holds(code[0] < attribute[0].levels && code[1] < attribute[1].levels);
	holds(first || code[0] > before[0] || (code[0] == before[0] && code[1] > before[1]));
}

/* Any bytes, up to LENGTH of them: every place that is found lies within them, places follow one
 * another, and the lengths of sections add up to the rest. */
void
prove_view(void)
{
	DpReader reader = any_reader();
	DpCountsView view;
	size_t length = (size_t) (reader.end - reader.at);

	if (dp_counts_view(reader.at, length, &view, NULL) != DP_OK)
		return;
	holds(view.end == reader.end && view.rows >= 0);
	holds(view.spec_bytes >= reader.at && view.spec_bytes <= view.end);
	holds(view.spec_length <= (size_t) (view.end - view.spec_bytes));
	holds(view.lengths >= view.spec_bytes + view.spec_length && view.lengths <= view.first);
	holds(view.first <= view.end);
	holds(view.sections <= length);
	holds(sum == (uint64_t) (view.end - view.first));
}
