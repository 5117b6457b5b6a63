/*
 * test_model.c -- models as bytes: the format pinned, every truncation and bit
 * flip refused, every invariant checked.
 */
#include "core/model/model.h"

#include "unit_data.h"
#include "unit_model.h"

typedef struct Bytes
{
	unsigned char *at;
	size_t length;
} Bytes;

static Bytes
bytes_of(DpArena *arena, const DpModel *model)
{
	Bytes bytes;

	MUST(dp_model_serialise(model, &bytes.at, &bytes.length, arena, NULL));
	return bytes;
}

/* FNV-1a again, so that a mistake in the format's digest shows. */
static void
seal(Bytes *bytes)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i + 8 < bytes->length; i++)
	{
		hash ^= bytes->at[i];
		hash *= UINT64_C(1099511628211);
	}
	for (size_t i = 0; i < 8; i++)
		bytes->at[bytes->length - 8 + i] = (unsigned char) (hash >> (8 * i));
}

static DpStatus
parse(DpArena *arena, Bytes bytes, DpModel *model)
{
	/* A block of the exact size, so that a sanitizer sees a byte read too many. */
	unsigned char *copy = dp_memdup(arena, bytes.at, bytes.length);
	DpError error;

	return dp_model_parse(copy, bytes.length, model, arena, &error);
}

/* The bytes of format 1. A change here is a change of what old databases hold. */
static void
test_golden(DpArena *arena)
{
	static const unsigned char golden[] = {
		0x01,                                          /* version */
		0x04, 's',  0x62, 'h',  'g',                   /* method */
		0x00, 0x02, 0xe8, 0x07,                        /* add/remove, 2 rows a unit, 1000 rows */
		0x02,                                          /* attributes */
		0x0a, 0x06, 'c',  'o',  'l',  'o',  'u',  'r', /* has other, has type */
		0x04, 't',  'e',  'x',  't',                   /* type */
		0x02, 0x03, 'r',  'e',  'd',                   /* labels */
		0x05, 0xc3, 0xa9, 't',  0xc3, 0xa9,            /* */
		0x01, 0x04, 's',  'i',  'z',  'e',             /* bins, no type */
		0x04, 0x01, '0',  0x02, '1',  '0',             /* edges */
		0x02, '2',  '0',  0x03, 'i',  'n',  'f',       /* */
		0x03,                                          /* tables */
		0x02, 0x02, 0x01, 0x00,                        /* dense, Laplace, over 1 and 0 */
		0x80, 0x94, 0xeb, 0xdc, 0x03, 0x00,            /* epsilon 1e9, delta 0 */
		0x02, 0x00,                                    /* sensitivity, threshold */
		0x00, 0x02, 0x01, 0x0a, 0x00, 0x01,            /* 0 and two more, -1, 5, 0 and one more */
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* smallest */
		0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* largest */
		0x05, 0x02, 0x00, 0x01,                         /* sparse, stability, over 0 and 1 */
		0x80, 0xca, 0xb5, 0xee, 0x01, 0xe8, 0x07,       /* epsilon 5e8, delta 1000 */
		0x02, 0x07, 0x02,                               /* sensitivity, threshold, cells */
		0x00, 0x02, 0x00,                               /* codes 0 2, value 7 */
		0x02, 0x00, 0xa5, 0x02,                         /* codes 2 0, value 300 */
		0x02, 0x00, 0x01, 0x00, 0x02, 0x00, 0x05,       /* the row count, -3 */
		0x02,                                           /* parameters */
		0x06, 's',  'w',  'e',  'e',  'p',  's',  0x28, /* 20 */
		0x06, 'o',  'f',  'f',  's',  'e',  't',  0x01, /* -1 */
	};
	DpModel model = unit_model(arena);
	Bytes bytes = bytes_of(arena, &model);
	Bytes expected = {dp_alloc(arena, sizeof(golden) + 8, 1), sizeof(golden) + 8};

	memcpy(expected.at, golden, sizeof(golden));
	seal(&expected);
	if (!CHECK(bytes.length == expected.length && memcmp(bytes.at, expected.at, bytes.length) == 0,
			   "the sample has the bytes of format 1"))
	{
		for (size_t i = 0; i < bytes.length; i++)
			unit_note("%zu: got %02x, want %02x", i, bytes.at[i],
					  i < expected.length ? expected.at[i] : 0);
	}
}

static void
test_round_trip(DpArena *arena)
{
	DpModel model = unit_model(arena);
	Bytes bytes = bytes_of(arena, &model);
	DpModel back;
	Bytes again;

	MUST(parse(arena, bytes, &back));
	again = bytes_of(arena, &back);
	CHECK(bytes.length == again.length && memcmp(bytes.at, again.at, again.length) == 0,
		  "bytes to model to bytes is the identity");
	CHECK_STRING(back.domain.attribute[0].labels[1], model.domain.attribute[0].labels[1],
				 "labels come back");
	CHECK(back.domain.attribute[1].type == NULL && back.domain.attribute[0].other == NULL,
		  "NULL comes back as NULL");
	CHECK(memcmp(back.table[0].value, model.table[0].value, 72) == 0 &&
			  memcmp(back.table[1].code, model.table[1].code, 16) == 0 &&
			  back.table[1].value[1] == 300 && back.table[2].value[0] == -3,
		  "cells come back");
	CHECK_I64(dp_model_parameter(&back, "offset", 9), -1, "parameters come back");
	CHECK_I64(dp_model_parameter(&back, "absent", 9), 9, "an absent one has its fallback");
	model.domain.attribute[0].other = "";
	bytes = bytes_of(arena, &model);
	MUST(parse(arena, bytes, &back));
	CHECK_STRING(back.domain.attribute[0].other, "", "an empty text is not NULL");
}

/* Every prefix, with the digest of the whole and with its own. */
static void
test_truncation(DpArena *arena)
{
	DpModel model = unit_model(arena);
	Bytes bytes = bytes_of(arena, &model);
	bool refused = true;
	DpModel back;

	for (size_t length = 0; length < bytes.length; length++)
	{
		Bytes cut = {dp_memdup(arena, bytes.at, bytes.length), length};

		refused &= parse(arena, cut, &back) == DP_ERR_CORRUPT;
		if (length < 8)
			continue;
		seal(&cut);
		refused &= parse(arena, cut, &back) == DP_ERR_CORRUPT;
	}
	CHECK(refused, "every truncation is refused, with and without a digest that holds");
}

/* Every bit: without a new digest refused; with one refused or a model whose bytes these are. */
static void
test_bit_flips(DpArena *arena)
{
	DpModel model = unit_model(arena);
	Bytes bytes = bytes_of(arena, &model);
	bool refused = true;
	bool canonical = true;
	uint32_t valid = 0;

	for (size_t bit = 0; bit < 8 * bytes.length; bit++)
	{
		Bytes flipped = {dp_memdup(arena, bytes.at, bytes.length), bytes.length};
		DpModel back;
		Bytes again;

		flipped.at[bit / 8] ^= (unsigned char) (1 << bit % 8);
		refused &= parse(arena, flipped, &back) == DP_ERR_CORRUPT;
		seal(&flipped);
		if (parse(arena, flipped, &back) != DP_OK)
			continue;
		valid++;
		again = bytes_of(arena, &back);
		canonical &=
			again.length == flipped.length && memcmp(again.at, flipped.at, again.length) == 0;
	}
	CHECK(refused, "every flipped bit is seen by the digest");
	CHECK(canonical, "what parses under a new digest (%u of them) is in its only form", valid);
}

static void
add_byte(DpArena *arena, Bytes *bytes, size_t at, unsigned char byte)
{
	unsigned char *longer = dp_alloc(arena, bytes->length + 1, 1);

	memcpy(longer, bytes->at, at);
	longer[at] = byte;
	memcpy(longer + at + 1, bytes->at + at, bytes->length - at);
	*bytes = (Bytes){longer, bytes->length + 1};
	seal(bytes);
}

/* Other encodings of the same model, and what is none. */
static void
test_forms(DpArena *arena)
{
	DpModel model = unit_model(arena);
	Bytes bytes = bytes_of(arena, &model);
	Bytes longer = bytes;
	DpModel back;

	add_byte(arena, &longer, bytes.length - 8, 0);
	CHECK_STATUS(parse(arena, longer, &back), DP_ERR_CORRUPT, "a byte left over is refused");
	longer = (Bytes){dp_memdup(arena, bytes.at, bytes.length), bytes.length};
	longer.at[7] = 0x82; /* rows_max 2 as 82 00 */
	add_byte(arena, &longer, 8, 0);
	CHECK_STATUS(parse(arena, longer, &back), DP_ERR_CORRUPT, "a longer integer is refused");
	longer = (Bytes){dp_memdup(arena, bytes.at, bytes.length), bytes.length};
	longer.at[0] = 2;
	seal(&longer);
	CHECK_STATUS(parse(arena, longer, &back), DP_ERR_CORRUPT, "another version is refused");
	longer = (Bytes){dp_memdup(arena, bytes.at, bytes.length), bytes.length};
	longer.at[3] = 0;
	seal(&longer);
	CHECK_STATUS(parse(arena, longer, &back), DP_ERR_CORRUPT, "a zero byte in a text is refused");
	for (size_t i = 0; i + 6 < bytes.length; i++)
	{
		static const unsigned char run[] = {0x00, 0x02, 0x01, 0x0a, 0x00, 0x01};

		if (memcmp(bytes.at + i, run, sizeof(run)) != 0)
			continue;
		longer = (Bytes){dp_memdup(arena, bytes.at, bytes.length), bytes.length};
		longer.at[i + 1] = 1; /* 0 and one more, then 0 alone */
		add_byte(arena, &longer, i + 2, 0);
		add_byte(arena, &longer, i + 3, 0);
		CHECK_STATUS(parse(arena, longer, &back), DP_ERR_CORRUPT, "a run cut in two is refused");
	}
}

/* Twenty bytes of zero runs must not get gigabytes. */
static void
test_greed(DpArena *arena)
{
	uint32_t levels[8];
	uint32_t attribute[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	DpModel model = unit_model(arena);
	int64_t *zeros = dp_alloc(arena, 100000000, sizeof(*zeros));
	DpTable dense = model.table[0];
	DpTable tables[2];
	DpModel back;
	Bytes bytes;

	for (int i = 0; i < 8; i++)
		levels[i] = 10;
	model.domain = unit_domain(arena, levels, 8);
	dense.n = 8;
	dense.attribute = attribute;
	dense.cells = 100000000;
	dense.value = zeros;
	tables[0] = tables[1] = dense;
	model.table = tables;
	model.tables = 1;
	bytes = bytes_of(arena, &model);
	CHECK(bytes.length < 1000, "10^8 zeros take %zu bytes with the domain", bytes.length);
	CHECK_OK(parse(arena, bytes, &back), "and are the most that is allowed");
	dp_free(arena, back.table[0].value, dense.cells, sizeof(*zeros));
	model.tables = 2;
	CHECK_STATUS(dp_model_check(&model, NULL), DP_ERR_CORRUPT, "twice that is refused");
	dp_free(arena, zeros, dense.cells, sizeof(*zeros));
}

/* Sets each byte in turn to a high value: no count may ask for more than the input holds. */
static void
test_counts_bounded(DpArena *arena)
{
	DpModel model = unit_model(arena);
	Bytes bytes = bytes_of(arena, &model);
	bool modest = true;

	for (size_t i = 0; i + 8 < bytes.length; i++)
	{
		Bytes large = {dp_memdup(arena, bytes.at, bytes.length), bytes.length};
		DpArena small = dp_arena_malloc();
		DpModel back;

		small.bytes_max = 100 * bytes.length;
		large.at[i] = 0x7f;
		seal(&large);
		modest &= parse(&small, large, &back) != DP_ERR_MEMORY;
		dp_arena_malloc_free(&small);
	}
	CHECK(modest, "no byte makes the reader ask for 100 times the input");
}

typedef void (*Break)(DpModel *model);

#define BREAK(name, statement)                                                                     \
	static void name(DpModel *model)                                                               \
	{                                                                                              \
		statement;                                                                                 \
	}

BREAK(no_method, model->method = "")
BREAK(bad_relation, model->unit.neighbours = (DpNeighbours) 2)
BREAK(no_rows_max, model->unit.rows_max = 0)
BREAK(negative_rows, model->rows = -1)
BREAK(still_open, unit_open(&model->domain.attribute[0]))
BREAK(other_without_level, model->domain.attribute[1].other = "x")
BREAK(attribute_twice, model->table[0].attribute[1] = 1)
BREAK(attribute_unknown, model->table[0].attribute[1] = 2)
BREAK(cells_missing, model->table[0].cells = 8)
BREAK(dense_with_codes, model->table[0].code = model->table[1].code)
BREAK(dense_stability, model->table[0].noise = DP_NOISE_STABILITY)
BREAK(dense_threshold, model->table[0].threshold_rows = 1)
BREAK(sparse_laplace, model->table[1].noise = DP_NOISE_LAPLACE)
BREAK(unknown_noise, model->table[0].noise = (DpNoise) 3)
BREAK(no_threshold, model->table[1].threshold_rows = 0)
BREAK(below_threshold, model->table[1].value[0] = 6)
BREAK(not_ascending, model->table[1].code[2] = 0; model->table[1].code[3] = 1)
BREAK(cell_twice, model->table[1].code[2] = 0; model->table[1].code[3] = 2)
BREAK(no_such_level, model->table[1].code[3] = 3)
BREAK(negative_cost, model->table[0].cost.epsilon_nano = -1)
BREAK(delta_over_one, model->table[1].cost.delta_atto = DP_DELTA_ONE + 1)
BREAK(no_sensitivity, model->table[0].sensitivity_l1 = 0)
BREAK(sparse_count, model->table[2] = model->table[1]; model->table[2].n = 0)
BREAK(parameter_twice, model->parameter[1].name = "sweeps")
BREAK(parameter_unnamed, model->parameter[1].name = "")
BREAK(too_many_tables, model->tables = DP_MODEL_TABLES_MAX + 1)
BREAK(too_many_parameters, model->parameters = DP_MODEL_PARAMETERS_MAX + 1)

static void
test_check(DpArena *arena)
{
	const struct
	{
		Break broken;
		const char *what;
	} cases[] = {
		{no_method, "no method"},
		{bad_relation, "an unknown relation"},
		{no_rows_max, "no rows a unit"},
		{negative_rows, "negative rows"},
		{still_open, "an open attribute"},
		{other_without_level, "other without its level"},
		{attribute_twice, "an attribute twice in a table"},
		{attribute_unknown, "an unknown attribute in a table"},
		{cells_missing, "a missing cell"},
		{dense_with_codes, "codes of a dense table"},
		{dense_stability, "stability noise on a dense table"},
		{dense_threshold, "a threshold of a dense table"},
		{sparse_laplace, "Laplace noise on a sparse table"},
		{unknown_noise, "unknown noise"},
		{no_threshold, "no threshold"},
		{below_threshold, "a cell below the threshold"},
		{not_ascending, "cells that do not ascend"},
		{cell_twice, "a cell twice"},
		{no_such_level, "a code that is no level"},
		{negative_cost, "a negative cost"},
		{delta_over_one, "delta over 1"},
		{no_sensitivity, "sensitivity 0"},
		{sparse_count, "a sparse row count"},
		{parameter_twice, "a parameter twice"},
		{parameter_unnamed, "a parameter without a name"},
		{too_many_tables, "too many tables"},
		{too_many_parameters, "too many parameters"},
	};
	DpError error;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		DpModel model = unit_model(arena);
		Bytes bytes;

		MUST(dp_model_check(&model, &error));
		cases[i].broken(&model);
		CHECK_STATUS(dp_model_check(&model, &error), DP_ERR_CORRUPT, "%s: refused", cases[i].what);
		CHECK_STATUS(dp_model_serialise(&model, &bytes.at, &bytes.length, arena, &error),
					 DP_ERR_CORRUPT, "%s: not written either", cases[i].what);
	}
}

/* What format 3 adds. */
static void
test_gaussian(DpArena *arena)
{
	DpModel model = unit_model_gaussian(arena);
	Bytes bytes = bytes_of(arena, &model), again;
	bool refused = true;
	DpModel back, view;

	CHECK(bytes.at[0] == 3 && dp_model_check(&model, NULL) == DP_OK, "format 3");
	MUST(parse(arena, bytes, &back));
	again = bytes_of(arena, &back);
	CHECK(bytes.length == again.length && memcmp(bytes.at, again.at, again.length) == 0,
		  "bytes to model to bytes is the identity");
	CHECK(back.table[2].noise == DP_NOISE_GAUSSIAN &&
			  back.table[2].cost.rho_pico == model.table[2].cost.rho_pico &&
			  back.table[2].sensitivity_l2_squared == 4 && back.table[2].sensitivity_l1 == 2 &&
			  back.table[2].value[8] == 310 && back.structure_n == 6,
		  "noise and what it was paid for come back");
	for (size_t length = 1; length < bytes.length; length++)
	{
		Bytes cut = {dp_memdup(arena, bytes.at, bytes.length), length};

		if (length >= 9)
			seal(&cut);
		refused &= parse(arena, cut, &view) == DP_ERR_CORRUPT;
	}
	CHECK(refused, "no shorter part of it is a model");
	model.table[1].cost.rho_pico = 0;
	CHECK_STATUS(dp_model_check(&model, NULL), DP_ERR_CORRUPT,
				 "noise that was paid for with nothing");
}

/* What format 2 adds: it comes back, in the only form it has. */
static void
test_structured(DpArena *arena)
{
	DpModel model = unit_model_structured(arena);
	Bytes bytes = bytes_of(arena, &model), again;
	bool refused = true;
	DpModel back, view;

	CHECK(bytes.at[0] == 2, "format 2");
	MUST(parse(arena, bytes, &back));
	again = bytes_of(arena, &back);
	CHECK(bytes.length == again.length && memcmp(bytes.at, again.at, again.length) == 0,
		  "bytes to model to bytes is the identity");
	CHECK(back.structure_n == 3 && back.structure[1] == UINT32_MAX && back.replicates == 2 &&
			  back.replicate[1].rows == INT64_MAX,
		  "structure and sets come back");
	for (size_t length = 1; length < bytes.length; length++)
	{
		Bytes cut = {dp_memdup(arena, bytes.at, bytes.length), length};

		if (length >= 9)
			seal(&cut);
		refused &= parse(arena, cut, &view) == DP_ERR_CORRUPT;
	}
	CHECK(refused, "no shorter part of it is a model");
	MUST(dp_model_view(&back, 1, &view));
	CHECK(view.tables == 2 && view.table == back.table && view.structure_n == 1 &&
			  view.structure[0] == 3 && view.rows == 5 && dp_model_check(&view, NULL) == DP_OK,
		  "the first set alone");
	MUST(dp_model_view(&back, 2, &view));
	CHECK(view.tables == 1 && view.table == back.table + 2 && view.structure_n == 2 &&
			  view.structure[1] == 0 && view.rows == INT64_MAX,
		  "the second set alone");
	CHECK_STATUS(dp_model_view(&back, 3, &view), DP_ERR_ARGUMENT, "there is no third");
	CHECK_STATUS(dp_model_view(&back, 0, &view), DP_ERR_ARGUMENT, "nor one before the first");
	model.replicate[0].tables = 1;
	CHECK_STATUS(dp_model_check(&model, NULL), DP_ERR_CORRUPT, "a table that no set has");
	model.replicate[0].tables = 2;
	model.replicate[1].rows = -1;
	CHECK_STATUS(dp_model_check(&model, NULL), DP_ERR_CORRUPT, "a set of fewer than no rows");
	model = unit_model(arena);
	MUST(dp_model_view(&model, 7, &view));
	CHECK(view.tables == 3 && view.rows == model.rows, "one measurement is every set");
}

/* A sparse histogram may not claim a delta, nor a stability histogram's kind of cells. */
static void
test_sparse_noise(DpArena *arena)
{
	DpModel model = unit_model(arena);
	DpModel back;

	model.table[1].noise = DP_NOISE_SPARSE;
	CHECK_STATUS(dp_model_check(&model, NULL), DP_ERR_CORRUPT, "a sparse histogram has no delta");
	model.table[1].cost.delta_atto = 0;
	CHECK_OK(parse(arena, bytes_of(arena, &model), &back), "without, it comes back");
	CHECK_I64(back.table[1].noise, DP_NOISE_SPARSE, "as what it is");
	model.table[0].noise = DP_NOISE_SPARSE;
	CHECK_STATUS(dp_model_check(&model, NULL), DP_ERR_CORRUPT, "a dense one is none");
}

/* A text at its limit, and one byte more. */
static void
test_text_limit(DpArena *arena)
{
	DpModel model = unit_model(arena);
	char *text = dp_alloc(arena, DP_TEXT_MAX + 2, 1);
	const char *labels[] = {text, "b"};
	DpModel back;

	memset(text, 'x', DP_TEXT_MAX);
	model.domain.attribute[0].labels = labels;
	CHECK_OK(parse(arena, bytes_of(arena, &model), &back), "a label of 1 MB comes back");
	text[DP_TEXT_MAX] = 'x';
	CHECK_STATUS(dp_model_check(&model, NULL), DP_ERR_CORRUPT, "a longer one is refused");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_golden(&arena);
	test_round_trip(&arena);
	test_truncation(&arena);
	test_bit_flips(&arena);
	test_forms(&arena);
	test_check(&arena);
	test_structured(&arena);
	test_gaussian(&arena);
	test_sparse_noise(&arena);
	test_text_limit(&arena);
	test_counts_bounded(&arena);
	test_greed(&arena);
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
