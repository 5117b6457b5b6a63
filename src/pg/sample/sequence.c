/*
 * sequence.c -- the rows that belong to one row of a parent, in order of a column.
 */
#include "pg/sample/sequence.h"

#include "utils/lsyscache.h"
#include "utils/typcache.h"

struct DpSequence
{
	const DpDrawJob *job;
	int attribute;
	int column; /* number in the row type, from 0; -1: no column has to be in order */
	Oid collation;
	FmgrInfo *compare;
	NullableDatum *chosen; /* [rows] */
};

/* ---- codes ---- */

void
dp_sequence_sort(uint32 *codes, uint32 rows, uint32 attributes, uint32 attribute)
{
	Size bytes = sizeof(uint32) * attributes;
	uint32 *held = palloc(bytes);

	for (uint32 i = 1; i < rows; i++)
	{
		uint32 to = i;

		while (to > 0 && codes[(Size) (to - 1) * attributes + attribute] >
							 codes[(Size) i * attributes + attribute])
			to--;
		if (to == i)
			continue;
		memcpy(held, codes + (Size) i * attributes, bytes);
		memmove(codes + (Size) (to + 1) * attributes, codes + (Size) to * attributes,
				bytes * (i - to));
		memcpy(codes + (Size) to * attributes, held, bytes);
	}
	pfree(held);
}

/* ---- values ---- */

DpSequence *
dp_sequence_create(const DpDrawJob *job, int attribute)
{
	DpSequence *sequence = palloc0(sizeof(DpSequence));

	sequence->job = job;
	sequence->attribute = attribute;
	sequence->column = -1;
	for (int i = 0; i < job->row->natts && attribute >= 0; i++)
	{
		DpDecoded decoded = dp_decoded(job->decoder, i);

		if (decoded.attribute != attribute || !decoded.has_bins || decoded.base >= 0)
			continue;
		sequence->column = i;
		sequence->collation = TupleDescAttr(job->row, i)->attcollation;
		sequence->compare = &lookup_type_cache(getBaseType(TupleDescAttr(job->row, i)->atttypid),
											   TYPECACHE_CMP_PROC_FINFO)
								 ->cmp_proc_finfo;
	}
	return sequence;
}

static int
compare(const DpSequence *sequence, NullableDatum a, NullableDatum b)
{
	if (a.isnull || b.isnull)
		return (int) a.isnull - (int) b.isnull; /* NULL is last */
	return DatumGetInt32(
		FunctionCall2Coll(sequence->compare, sequence->collation, a.value, b.value));
}

static int
compare_chosen(const void *a, const void *b, void *sequence)
{
	return compare(sequence, *(const NullableDatum *) a, *(const NullableDatum *) b);
}

void
dp_sequence_choose(DpSequence *sequence, DpRowStream *stream, uint32 rows)
{
	const DpDrawJob *job = sequence->job;
	uint32 attributes = job->stored->model.domain.attributes;
	const uint32 *codes = stream->codes + (Size) stream->next * attributes;
	Datum *values;
	bool *nulls;

	if (sequence->column < 0)
		return;
	values = palloc(sizeof(Datum) * job->row->natts);
	nulls = palloc(sizeof(bool) * job->row->natts);
	sequence->chosen = palloc(sizeof(NullableDatum) * rows);
	for (uint32 i = 0; i < rows; i++)
	{
		dp_decode_column(job->decoder, sequence->column, codes + (Size) i * attributes,
						 &stream->bins, values, nulls);
		sequence->chosen[i] = (NullableDatum){values[sequence->column], nulls[sequence->column]};
	}
	/* the codes are sorted, so that this sorts inside of bins */
	qsort_arg(sequence->chosen, rows, sizeof(NullableDatum), compare_chosen, sequence);
}

void
dp_sequence_row(DpSequence *sequence, DpRowStream *stream, uint32 row, Datum *values, bool *nulls)
{
	stream->chosen_column = -1;
	if (sequence->column >= 0 && !sequence->chosen[row].isnull)
	{
		stream->chosen_column = sequence->column;
		stream->chosen = sequence->chosen[row].value;
	}
	dp_job_row(sequence->job, stream, values, nulls);
}

static bool
is_sorted(const DpSequence *sequence, uint32 rows, const Datum *values, const bool *nulls)
{
	int natts = sequence->job->row->natts;

	for (uint32 i = 1; i < rows; i++)
	{
		Size before = (Size) (i - 1) * natts + sequence->column;
		Size at = before + natts;

		if (compare(sequence, (NullableDatum){values[before], nulls[before]},
					(NullableDatum){values[at], nulls[at]}) > 0)
			return false;
	}
	return true;
}

/* Swaps all of two rows but what is filled. */
static void
swap_rows(const DpDrawJob *job, Datum *values, bool *nulls, Size a, Size b)
{
	int natts = job->row->natts;

	for (int i = 0; i < natts; i++)
	{
		Datum value = values[a * natts + i];
		bool isnull = nulls[a * natts + i];

		if (dp_placeholders_cover(job->placeholders, i))
			continue;
		values[a * natts + i] = values[b * natts + i];
		nulls[a * natts + i] = nulls[b * natts + i];
		values[b * natts + i] = value;
		nulls[b * natts + i] = isnull;
	}
}

void
dp_sequence_finalize(const DpSequence *sequence, uint32 rows, Datum *values, bool *nulls)
{
	const DpDrawJob *job = sequence->job;
	int natts = job->row->natts;

	if (sequence->column < 0 || is_sorted(sequence, rows, values, nulls))
		return;
	for (uint32 i = 1; i < rows; i++)
		for (uint32 to = i; to > 0 && !is_sorted(sequence, 2, values + (Size) (to - 1) * natts,
												 nulls + (Size) (to - 1) * natts);
			 to--)
			swap_rows(job, values, nulls, to - 1, to);
	for (uint32 i = 0; i < rows && job->rules != NULL; i++)
		dp_row_rules_compute_again(job->rules, values + (Size) i * natts, nulls + (Size) i * natts);
}
