/*
 * counts_bytes.c -- counts as bytes.
 *
 * Format 1 (integers as in domain_bytes.h):
 *
 *	byte      1, the version
 *	          length of the spec, and its bytes, which end with their digest
 *	          number of rows, number of sets, or one more where rows are kept
 *	          for each set the length of its bytes, so that one is found without the others; then
 *	          that of the code cache
 *	          for each set
 *	            dense: the cells, row-major; a 0 is followed by the number of further zeros
 *	            hashed: number of non-empty cells; each its codes and its rows, in
 *	            ascending order of codes
 *	          the code cache (code_cache.c); no bytes if it was lost
 *
 * Every row is in one cell of every set, so the cells of each set sum to the number
 * of rows. Checking that finds most accidents, and bounds what a forger can do: a sum
 * of cells that were read overflows only if the numbers of rows do.
 */
#include <string.h>

#include "core/base/saturate.h"
#include "core/domain/domain_bytes.h"
#include "core/exact/count_kernel.h"
#include "core/exact/counts.h"
#include "core/exact/marginal_hash.h"

#define VERSION DP_COUNTS_FORMAT
#define INTEGER_BYTES_MAX 10
#define TICK_CELLS (UINT64_C(1) << 16) /* between two ticks */

/* ---- writing ---- */

/* What is written of one set. */
typedef struct Section
{
	const DpMarginal *table;
	uint32_t *code; /* hashed: [cells x n] */
	int64_t *count; /* hashed: [cells] */
	uint64_t cells;
	size_t length;
} Section;

static inline void
tick_cells(uint64_t cell, const DpTick *tick)
{
	if (cell % TICK_CELLS == 0)
		dp_tick(tick, -1.0);
}

static void
put_dense(DpWriter *writer, const DpMarginal *table, const DpTick *tick)
{
	for (uint64_t i = 0; i < table->cells; i++)
	{
		uint64_t first = i;

		tick_cells(i, tick);
		dp_put_integer(writer, (uint64_t) table->dense[i]);
		if (table->dense[i] != 0)
			continue;
		while (i + 1 < table->cells && table->dense[i + 1] == 0)
			i++;
		dp_put_integer(writer, i - first);
	}
}

static void
put_section(DpWriter *writer, const Section *section, const DpTick *tick)
{
	uint32_t n = section->table->n;

	if (section->table->storage == DP_DENSE)
	{
		put_dense(writer, section->table, tick);
		return;
	}
	dp_put_integer(writer, section->cells);
	for (uint64_t i = 0; i < section->cells; i++)
	{
		tick_cells(i, tick);
		for (uint32_t k = 0; k < n; k++)
			dp_put_integer(writer, section->code[i * n + k]);
		dp_put_integer(writer, (uint64_t) section->count[i]);
	}
}

static DpStatus
make_sections(const DpCounts *counts, Section *section, DpArena *arena)
{
	for (uint32_t i = 0; i < counts->spec->sets; i++)
	{
		DpWriter measure = {.bytes = NULL};

		section[i].table = &counts->table[i];
		if (counts->table[i].storage == DP_SPARSE)
			DP_TRY(dp_marginal_cells(&counts->table[i], &section[i].code, &section[i].count,
									 &section[i].cells, arena));
		put_section(&measure, &section[i], counts->tick);
		section[i].length = measure.length;
	}
	return DP_OK;
}

static void
free_sections(Section *section, uint32_t sets, DpArena *arena)
{
	for (uint32_t i = 0; i < sets; i++)
	{
		dp_free(arena, section[i].code, section[i].cells,
				section[i].table->n * sizeof(*section[i].code));
		dp_free(arena, section[i].count, section[i].cells, sizeof(*section[i].count));
	}
	dp_free(arena, section, sets, sizeof(*section));
}

/* A section for each set, and one for the code cache. */
static uint32_t
sections_of(const DpSpec *spec)
{
	return spec->sets + (spec->keep.bytes_max > 0);
}

static void
put_header(DpWriter *writer, const DpCounts *counts, const Section *section, DpBytes spec)
{
	dp_put_byte(writer, VERSION);
	dp_put_integer(writer, spec.length);
	dp_put_bytes(writer, spec.at, spec.length);
	dp_put_integer(writer, (uint64_t) dp_counts_rows(counts));
	dp_put_integer(writer, sections_of(counts->spec));
	for (uint32_t i = 0; i < counts->spec->sets; i++)
		dp_put_integer(writer, section[i].length);
	if (counts->spec->keep.bytes_max > 0)
		dp_put_integer(writer, dp_code_cache_length(&counts->kept));
}

DpStatus
dp_counts_serialise(const DpCounts *counts, DpBytes spec, unsigned char **bytes, size_t *length,
					DpArena *arena, DpError *error)
{
	uint32_t sets = counts->spec->sets;
	Section *section = dp_alloc(arena, sets, sizeof(*section));
	DpWriter writer = {.bytes = NULL};

	if (counts->rows > 0 || counts->block_rows > 0 || counts->changing)
		return dp_fail(error, DP_ERR_INTERNAL, "counts that are not flushed");
	if (section == NULL || make_sections(counts, section, arena) != DP_OK)
		return dp_fail(error, DP_ERR_MEMORY, "no memory for the bytes of counts");
	put_header(&writer, counts, section, spec);
	for (uint32_t i = 0; i < sets; i++)
		writer.length += section[i].length;
	*length = writer.length + dp_code_cache_length(&counts->kept);
	writer.bytes = dp_alloc(arena, *length, 1);
	if (writer.bytes == NULL)
		return dp_fail(error, DP_ERR_MEMORY, "no memory for the bytes of counts");
	writer.length = 0;
	put_header(&writer, counts, section, spec);
	for (uint32_t i = 0; i < sets; i++)
		put_section(&writer, &section[i], counts->tick);
	dp_code_cache_write(&counts->kept, writer.bytes + writer.length);
	free_sections(section, sets, arena);
	*bytes = writer.bytes;
	return DP_OK;
}

/* ---- bounds ---- */

static uint64_t
smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The most bytes of an integer that is at most `maximum`. */
static uint64_t
integer_bytes(uint64_t maximum)
{
	DpWriter measure = {.bytes = NULL};

	dp_put_integer(&measure, maximum);
	return measure.length;
}

/* A run of zeros takes at most three integers, and so do a cell and the zeros behind it. */
static uint64_t
dense_bytes_max(uint64_t cells, uint64_t rows)
{
	uint64_t each = integer_bytes(rows);
	uint64_t all = dp_multiply_saturated(cells, each);
	uint64_t filled = dp_multiply_saturated(rows, each + 1 + integer_bytes(cells));

	return dp_add_saturated(smaller(all, filled), 3 * INTEGER_BYTES_MAX);
}

static uint64_t
hashed_bytes_max(const DpSpec *spec, const DpSpecSet *set, uint64_t cells, uint64_t rows)
{
	uint64_t each = integer_bytes(rows);

	for (uint32_t k = 0; k < set->n; k++)
		each += integer_bytes(spec->domain.attribute[set->attribute[k]].levels - 1);
	return dp_add_saturated(dp_multiply_saturated(smaller(cells, rows), each), INTEGER_BYTES_MAX);
}

static uint64_t
set_bytes_max(const DpSpec *spec, uint32_t set, uint64_t rows)
{
	uint64_t cells = dp_spec_cells(spec, set);

	return spec->set[set].storage == DP_DENSE
			   ? dense_bytes_max(cells, rows)
			   : hashed_bytes_max(spec, &spec->set[set], cells, rows);
}

static uint64_t
kept_bytes_max(const DpSpec *spec, uint64_t rows)
{
	return smaller(spec->keep.bytes_max,
				   dp_multiply_saturated(rows, dp_code_cache_row_bytes(&spec->domain)));
}

uint64_t
dp_spec_bytes_max(const DpSpec *spec, uint64_t rows)
{
	uint64_t bytes = ((uint64_t) spec->sets + 4) * INTEGER_BYTES_MAX;

	for (uint32_t i = 0; i < spec->sets; i++)
		bytes = dp_add_saturated(bytes, set_bytes_max(spec, i, rows));
	return dp_add_saturated(bytes, kept_bytes_max(spec, rows));
}

/* A hash table that grows is there twice, once at half its size. Blocks take memory that is left
 * over, so they do not count. */
static uint64_t
set_memory_max(const DpSpec *spec, uint32_t set, uint64_t rows)
{
	const DpSpecSet *shape = &spec->set[set];
	uint64_t bytes = dp_marginal_bytes(&spec->domain, shape->attribute, shape->n, shape->storage,
									   smaller(dp_spec_cells(spec, set), rows));

	return shape->storage == DP_DENSE ? bytes : dp_add_saturated(bytes, bytes / 2);
}

uint64_t
dp_spec_memory_max(const DpSpec *spec, uint64_t rows)
{
	uint64_t bytes = (uint64_t) spec->domain.attributes *
					 (DP_BATCH_ROWS * sizeof(uint32_t) + sizeof(uint32_t *));

	bytes += (uint64_t) spec->sets * sizeof(DpMarginal);
	for (uint32_t i = 0; i < spec->sets; i++)
		bytes = dp_add_saturated(bytes, set_memory_max(spec, i, rows));
	return dp_add_saturated(bytes, kept_bytes_max(spec, rows));
}

/* ---- reading ---- */

static DpReader
reader_of(const unsigned char *at, const unsigned char *end, DpError *error)
{
	return (DpReader){.name = "counts", .at = at, .end = end, .error = error, .status = DP_OK};
}

DpStatus
dp_counts_view(const unsigned char *bytes, size_t length, DpCountsView *view, DpError *error)
{
	DpReader reader = reader_of(bytes, bytes + length, error);
	uint64_t sections = 0;

	*view = (DpCountsView){.end = bytes + length};
	if (dp_get_byte(&reader) != VERSION)
		dp_reader_fault(&reader, DP_ERR_CORRUPT, "they are of an unknown version");
	view->spec_length = (size_t) dp_get_count(&reader, UINT64_MAX, 1);
	view->spec_bytes = reader.at;
	reader.at += view->spec_length;
	view->rows = (int64_t) dp_get_bounded(&reader, INT64_MAX);
	view->sections = (uint32_t) dp_get_count(&reader, DP_SPEC_SETS_MAX + 1, 1);
	view->lengths = reader.at;
	/* No sum wraps, since each term is at most what is left, and there are few terms. */
	for (uint32_t i = 0; i < view->sections && reader.status == DP_OK; i++)
		sections += dp_get_bounded(&reader, dp_reader_left(&reader));
	view->first = reader.at;
	if (reader.status == DP_OK && sections != dp_reader_left(&reader))
		dp_reader_fault(&reader, DP_ERR_CORRUPT, "the lengths of their sets do not add up");
	return reader.status;
}

/* Adds the cells to into[cells]. Where into is NULL it only checks them. */
static void
read_dense(DpReader *reader, uint64_t cells, uint64_t rows, int64_t *into, const DpTick *tick)
{
	uint64_t rows_left = rows;
	bool after_run = false;

	for (uint64_t i = 0; i < cells && reader->status == DP_OK; i++)
	{
		uint64_t value = dp_get_bounded(reader, rows_left);

		tick_cells(i, tick);
		if (value != 0)
		{
			if (into != NULL)
				into[i] += (int64_t) value;
			rows_left -= value;
			after_run = false;
			continue;
		}
		if (after_run)
			dp_reader_fault(reader, DP_ERR_CORRUPT, "a run of zeros is cut in two");
		after_run = true;
		i += dp_get_bounded(reader, cells - 1 - i);
	}
	if (rows_left > 0)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "the cells of a set are not its rows");
}

/* Reads the codes of the next cell. It must come after the cell in code; the result is false on
 * a fault. */
static bool
read_codes(DpReader *reader, const DpSpec *spec, const DpSpecSet *set, bool first, uint32_t *code)
{
	bool after = first;

	for (uint32_t k = 0; k < set->n; k++)
	{
		uint32_t levels = spec->domain.attribute[set->attribute[k]].levels;
		uint32_t value = (uint32_t) dp_get_bounded(reader, levels - 1);

		if (!after && value < code[k])
			dp_reader_fault(reader, DP_ERR_CORRUPT, "the cells of a set are not in order");
		after = after || value > code[k];
		code[k] = value;
	}
	if (!after)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "a set has a cell twice");
	return reader->status == DP_OK;
}

static DpStatus
bump(DpMarginal *into, const uint32_t *code, int64_t count)
{
	uint64_t key[DP_ATTRIBUTES_MAX];

	memset(key, 0, into->key_words * sizeof(*key));
	for (uint32_t k = 0; k < into->n; k++)
		dp_key_put(&into->field[k], code[k], key);
	return dp_marginal_hash_bump(into, key, count);
}

static void
read_sparse(DpReader *reader, const DpSpec *spec, const DpSpecSet *set, uint64_t rows,
			DpMarginal *into, const DpTick *tick)
{
	uint64_t cells = dp_get_count(reader, UINT64_MAX, (uint64_t) set->n + 1);
	uint64_t rows_left = rows;
	uint32_t code[DP_ATTRIBUTES_MAX];

	for (uint64_t i = 0; i < cells && reader->status == DP_OK; i++)
	{
		uint64_t count;
		DpStatus status = DP_OK;

		tick_cells(i, tick);
		if (!read_codes(reader, spec, set, i == 0, code))
			return;
		count = dp_get_bounded(reader, rows_left);
		if (count == 0)
			dp_reader_fault(reader, DP_ERR_CORRUPT, "a set has an empty cell");
		else if (into != NULL)
			status = bump(into, code, (int64_t) count);
		if (status != DP_OK)
			dp_reader_fault(reader, status, dp_status_text(status));
		rows_left -= count;
	}
	if (rows_left > 0)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "the cells of a set are not its rows");
}

static DpStatus
read_section(const DpCountsView *view, const DpSpec *spec, uint32_t set, DpReader *reader,
			 DpMarginal *into, const DpTick *tick)
{
	int64_t total = 0;

	if (into != NULL && __builtin_add_overflow(into->total, view->rows, &total))
		return dp_fail(reader->error, DP_ERR_RANGE, "too many rows");
	if (spec->set[set].storage == DP_DENSE)
		read_dense(reader, dp_spec_cells(spec, set), (uint64_t) view->rows,
				   into == NULL ? NULL : into->dense, tick);
	else
		read_sparse(reader, spec, &spec->set[set], (uint64_t) view->rows, into, tick);
	if (dp_reader_left(reader) > 0)
		dp_reader_fault(reader, DP_ERR_CORRUPT, "bytes of a set are left over");
	if (into != NULL)
		into->total = total;
	return reader->status;
}

/* Reads into tables[sets] and kept, or only checks where these are NULL. *set is the set at which
 * it stopped. */
static DpStatus
read_sections(const DpCountsView *view, const DpSpec *spec, DpMarginal *tables, DpCodeCache *kept,
			  uint32_t *set, const DpTick *tick, DpError *error)
{
	DpReader lengths = reader_of(view->lengths, view->first, error);
	const unsigned char *at = view->first;

	if (view->sections != sections_of(spec))
		return dp_fail(error, DP_ERR_CORRUPT, "counts: they are not of as many sets as their spec");
	for (*set = 0; *set < spec->sets; (*set)++)
	{
		uint64_t length = dp_get_integer(&lengths);
		DpReader section = reader_of(at, at + length, error);
		DpMarginal *into = tables == NULL ? NULL : &tables[*set];

		DP_TRY(read_section(view, spec, *set, &section, into, tick));
		at += length;
	}
	if (spec->keep.bytes_max > 0 &&
		!dp_code_cache_read(kept, spec, (uint64_t) view->rows, at, dp_get_integer(&lengths)))
		return dp_fail(error, DP_ERR_CORRUPT, "counts: cached rows are not those of their spec");
	return DP_OK;
}

DpStatus
dp_counts_check(const DpCountsView *view, DpSpec *spec, const DpTick *tick, DpArena *arena,
				DpError *error)
{
	uint32_t set;

	DP_TRY(dp_spec_parse(view->spec_bytes, view->spec_length, spec, tick, arena, error));
	return read_sections(view, spec, NULL, NULL, &set, tick, error);
}

DpStatus
dp_counts_add_bytes(DpCounts *counts, const DpCountsView *view, DpError *error)
{
	uint32_t set = 0;
	DpStatus status;

	DP_TRY(dp_counts_finalize(counts, error));
	counts->changing = true;
	status =
		read_sections(view, counts->spec, counts->table, &counts->kept, &set, counts->tick, error);
	counts->changing = status != DP_OK;
	return status == DP_ERR_MEMORY ? dp_counts_too_large(counts, set, error) : status;
}

DpStatus
dp_counts_read_set(const DpCountsView *view, const DpSpec *spec, uint32_t set, DpMarginal *table,
				   DpError *error)
{
	DpReader lengths = reader_of(view->lengths, view->first, error);
	const unsigned char *at = view->first;
	uint64_t length = 0;
	DpReader section;

	if (set >= spec->sets || view->sections != sections_of(spec))
		return dp_fail(error, DP_ERR_ARGUMENT, "there is no set number %u", set + 1);
	for (uint32_t i = 0; i <= set; i++)
	{
		at += length;
		length = dp_get_integer(&lengths);
	}
	section = reader_of(at, at + length, error);
	return read_section(view, spec, set, &section, table, NULL);
}
