/*
 * row_former.c -- tuples of a job's rows, formed of pieces that are kept.
 *
 * Where a code alone decides a value, the bytes that the value has in a tuple are made once for each
 * code, and a row is their concatenation. They are padded with zeros to whole chunks, so that they
 * are copied a chunk at a time: what a chunk holds beyond the piece is zero, as PostgreSQL wants what
 * stands in front of an aligned value, and the next piece overwrites it.
 */
#include "pg/rows/row_former.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"

#define CHUNK 16

/* What a value is in a tuple. */
typedef struct Piece
{
	const char *bytes; /* NULL: the value is NULL */
	uint32 length;
	uint32 align;
} Piece;

typedef struct FormedColumn
{
	Form_pg_attribute form;
	uint32 attribute;  /* whose code decides the piece */
	const Piece *kept; /* [levels], in whole chunks; NULL: pieces are made for each row */
} FormedColumn;

struct DpRowFormer
{
	const DpDrawJob *job;
	int columns;
	FormedColumn *column;
	bool all_kept; /* no value need be decoded */
	Datum *values;
	bool *nulls;
	const Piece **piece;                           /* [columns] of a row */
	Piece *made;                                   /* [columns] */
	char (*short_bytes)[VARATT_SHORT_MAX + CHUNK]; /* [columns] room for the bytes of made ones */
	HeapTupleHeaderData *header;                   /* of a row without NULLs, but for its length */
};

static uint32
alignment(char code)
{
	switch (code)
	{
		case TYPALIGN_CHAR:
			return 1;
		case TYPALIGN_SHORT:
			return ALIGNOF_SHORT;
		case TYPALIGN_INT:
			return ALIGNOF_INT;
		default:
			return ALIGNOF_DOUBLE;
	}
}

/* room: for a value of fixed size up to that of a Datum, and for a short varlena. */
static Piece
piece_of(Form_pg_attribute form, Datum value, char *room)
{
	Piece piece = {NULL, (uint32) form->attlen, alignment(form->attalign)};

	if (form->attbyval)
	{
		store_att_byval(room, value, form->attlen);
		piece.bytes = room;
		return piece;
	}
	piece.bytes = DatumGetPointer(value);
	if (form->attlen == -2)
		piece.length = (uint32) strlen(piece.bytes) + 1;
	if (form->attlen != -1)
		return piece;
	if (!VARATT_IS_SHORT(piece.bytes))
		piece.bytes = (const char *) PG_DETOAST_DATUM(value);
	piece.length = (uint32) VARSIZE_ANY(piece.bytes);
	if (VARATT_IS_SHORT(piece.bytes))
		piece.align = 1;
	else if (form->attstorage != TYPSTORAGE_PLAIN && VARATT_CAN_MAKE_SHORT(piece.bytes))
	{
		piece.align = 1;
		piece.length = (uint32) VARATT_CONVERTED_SHORT_SIZE(piece.bytes);
		SET_VARSIZE_SHORT(room, piece.length);
		memcpy(room + VARHDRSZ_SHORT, VARDATA(piece.bytes), piece.length - VARHDRSZ_SHORT);
		piece.bytes = room;
	}
	return piece;
}

static const Piece *
pieces_keep(Form_pg_attribute form, const NullableDatum *of_code, uint32 levels)
{
	Piece *kept = palloc_extended(sizeof(Piece) * Max(levels, 1), MCXT_ALLOC_HUGE);

	for (uint32 code = 0; code < levels; code++)
	{
		char room[VARATT_SHORT_MAX + CHUNK] = {0};
		char *bytes;

		kept[code] = (Piece){.bytes = NULL};
		if (of_code[code].isnull)
			continue;
		kept[code] = piece_of(form, of_code[code].value, room);
		bytes = palloc0(TYPEALIGN(CHUNK, kept[code].length));
		memcpy(bytes, kept[code].bytes, kept[code].length);
		kept[code].bytes = bytes;
	}
	return kept;
}

static void
column_prepare(DpRowFormer *former, int i)
{
	const DpDrawJob *job = former->job;
	const DpDomain *domain = &job->stored->model.domain;
	FormedColumn *column = &former->column[i];
	DpDecoded decoded = dp_decoded(job->decoder, i);

	column->form = TupleDescAttr(job->row, i);
	/* rules choose values, and a filler gives some in place of NULL */
	if (job->rules != NULL || decoded.of_code == NULL || dp_filler_knows(job->filler, i))
	{
		former->all_kept = false;
		return;
	}
	column->attribute = (uint32) decoded.attribute;
	column->kept =
		pieces_keep(column->form, decoded.of_code, domain->attribute[decoded.attribute].levels);
}

static HeapTupleHeader
header_create(TupleDesc row)
{
	HeapTupleHeader header = palloc0(MAXALIGN(SizeofHeapTupleHeader));

	HeapTupleHeaderSetTypeId(header, row->tdtypeid);
	HeapTupleHeaderSetTypMod(header, row->tdtypmod);
	ItemPointerSetInvalid(&header->t_ctid);
	HeapTupleHeaderSetNatts(header, row->natts);
	for (int i = 0; i < row->natts; i++)
		if (TupleDescAttr(row, i)->attlen < 0)
			header->t_infomask |= HEAP_HASVARWIDTH;
	header->t_hoff = MAXALIGN(SizeofHeapTupleHeader);
	return header;
}

DpRowFormer *
dp_row_former_create(const DpDrawJob *job)
{
	DpRowFormer *former = palloc0(sizeof(DpRowFormer));
	int n = Max(job->row->natts, 1);

	former->job = job;
	former->columns = job->row->natts;
	former->column = palloc0(sizeof(FormedColumn) * n);
	former->values = palloc(sizeof(Datum) * n);
	former->nulls = palloc(sizeof(bool) * n);
	former->piece = palloc(sizeof(Piece *) * n);
	former->made = palloc0(sizeof(Piece) * n);
	former->short_bytes = palloc0(sizeof(*former->short_bytes) * n);
	former->header = header_create(job->row);
	former->all_kept = true;
	for (int i = 0; i < former->columns; i++)
		column_prepare(former, i);
	return former;
}

/* Finds the pieces of a row. Returns whether one is NULL; size: their bytes at most. */
static bool
find_pieces(DpRowFormer *former, const uint32 *codes, Size *size)
{
	bool any_null = false;

	*size = 0;
	for (int i = 0; i < former->columns; i++)
	{
		const FormedColumn *column = &former->column[i];
		const Piece *piece = &former->made[i];

		if (column->kept != NULL)
			piece = &column->kept[codes[column->attribute]];
		else if (former->nulls[i])
			former->made[i] = (Piece){.bytes = NULL};
		else
			former->made[i] = piece_of(column->form, former->values[i], former->short_bytes[i]);
		former->piece[i] = piece;
		any_null = any_null || piece->bytes == NULL;
		*size += piece->bytes == NULL ? 0 : piece->length + piece->align - 1;
	}
	return any_null;
}

/* Returns where the row ends. The tuple's memory goes on for a chunk behind it. */
static char *
copy_pieces(const DpRowFormer *former, char *start, bits8 *present)
{
	char *at = start;

	for (int i = 0; i < former->columns; i++)
	{
		const Piece *piece = former->piece[i];

		if (piece->bytes == NULL)
			continue;
		if (present != NULL)
			present[i >> 3] |= (bits8) (1 << (i & 7));
		if (piece->align > 1)
		{
			char *aligned = start + TYPEALIGN(piece->align, at - start);

			while (at < aligned)
				*at++ = 0;
		}
		if (former->column[i].kept == NULL)
			memcpy(at, piece->bytes, piece->length);
		else
			for (uint32 copied = 0; copied < piece->length; copied += CHUNK)
				memcpy(at + copied, piece->bytes + copied, CHUNK);
		at += piece->length;
	}
	return at;
}

HeapTuple
dp_row_form(DpRowFormer *former, DpRowStream *stream)
{
	const uint32 *codes = NULL;
	HeapTuple tuple;
	HeapTupleHeader header;
	Size size;
	bool any_null;
	uint8 offset = former->header->t_hoff;

	if (former->all_kept)
		codes = dp_job_codes(former->job, stream);
	else
		codes = dp_job_row(former->job, stream, former->values, former->nulls);
	any_null = find_pieces(former, codes, &size);
	if (any_null)
		offset = MAXALIGN(SizeofHeapTupleHeader + BITMAPLEN(former->columns));

	tuple = palloc(HEAPTUPLESIZE + offset + size + CHUNK);
	header = tuple->t_data = (HeapTupleHeader) ((char *) tuple + HEAPTUPLESIZE);
	memcpy(header, former->header, SizeofHeapTupleHeader);
	if (any_null)
	{
		memset(header->t_bits, 0, offset - SizeofHeapTupleHeader);
		header->t_infomask |= HEAP_HASNULL;
		header->t_hoff = offset;
	}
	tuple->t_len =
		(uint32) (copy_pieces(former, (char *) header + offset, any_null ? header->t_bits : NULL) -
				  (char *) header);
	HeapTupleHeaderSetDatumLength(header, tuple->t_len);
	ItemPointerSetInvalid(&tuple->t_self);
	tuple->t_tableOid = InvalidOid;
	return tuple;
}
