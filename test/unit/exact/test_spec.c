/*
 * test_spec.c -- specs of what to count: checks, names, bytes.
 */
#include "core/domain/domain_bytes.h"

#include "unit_counts.h"

static const uint32_t levels[] = {3, 2, 5};

static void
refuse(const char *why, DpSpec *spec, DpStatus want)
{
	DpError error;
	DpStatus status = dp_spec_check(spec, NULL, &error);

	CHECK_I64(status, want, "%s", why);
	CHECK(error.status == want && error.message[0] != '\0', "%s, says the error", why);
}

static void
check_refused(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec good = unit_spec(&arena, levels, 3);
	DpSpec spec = good;
	DpSpecSet set = {.n = 2, .attribute = dp_alloc(&arena, 4, sizeof(uint32_t))};

	CHECK_OK(dp_spec_check(&good, NULL, NULL), "a good one");
	spec.sets = 0;
	refuse("no set", &spec, DP_ERR_ARGUMENT);
	spec.sets = 1;
	spec.set = &set;
	refuse("a set with a column twice", &spec, DP_ERR_ARGUMENT);
	set.attribute[1] = 3;
	refuse("a set with a column that is not there", &spec, DP_ERR_ARGUMENT);
	set.n = 0;
	refuse("an empty set", &spec, DP_ERR_ARGUMENT);
	set.n = 4;
	refuse("a set of too many", &spec, DP_ERR_ARGUMENT);
	set = (DpSpecSet){.n = 1, .attribute = set.attribute, .storage = (DpStorage) 2};
	refuse("a set of a third kind", &spec, DP_ERR_ARGUMENT);
	set.storage = DP_DENSE;
	spec.sets = DP_SPEC_SETS_MAX + 1;
	refuse("too many sets", &spec, DP_ERR_LIMIT);
	spec.sets = 1;
	unit_open(&spec.domain.attribute[0]);
	refuse("an open column", &spec, DP_ERR_ARGUMENT);
	dp_arena_malloc_free(&arena);
}

/* What mst counts of the widest table: a limit below would show after its budget is spent. */
static void
check_all_pairs(void)
{
	static uint32_t two[DP_ATTRIBUTES_MAX], member[DP_ATTRIBUTES_MAX];
	static uint32_t pair[DP_ATTRIBUTES_MAX * (DP_ATTRIBUTES_MAX - 1)];
	DpArena arena = dp_arena_malloc();
	DpSpec spec = {.sets = 0};
	uint32_t *next = pair;

	for (uint32_t a = 0; a < DP_ATTRIBUTES_MAX; a++)
	{
		two[a] = 2;
		member[a] = a;
	}
	spec.domain = unit_domain(&arena, two, DP_ATTRIBUTES_MAX);
	spec.set = dp_alloc(&arena, DP_ATTRIBUTES_MAX * (DP_ATTRIBUTES_MAX + 1) / 2, sizeof(*spec.set));
	for (uint32_t a = 0; a < DP_ATTRIBUTES_MAX; a++)
	{
		spec.set[spec.sets++] = (DpSpecSet){.n = 1, .attribute = &member[a], .storage = DP_DENSE};
		for (uint32_t b = a + 1; b < DP_ATTRIBUTES_MAX; b++, next += 2)
		{
			next[0] = a;
			next[1] = b;
			spec.set[spec.sets++] = (DpSpecSet){.n = 2, .attribute = next, .storage = DP_DENSE};
		}
	}
	CHECK_OK(dp_spec_check(&spec, NULL, NULL), "all pairs of as many columns as there can be");
	dp_arena_malloc_free(&arena);
}

static void
check_too_large(void)
{
	DpArena arena = dp_arena_malloc();
	const uint32_t large[] = {50000, 50000};
	DpSpec spec = {.domain = unit_domain(&arena, large, 2)};

	spec.set = dp_alloc(&arena, 1, sizeof(*spec.set));
	unit_add_set(&spec, &arena, DP_DENSE, 2, (uint32_t[]){0, 1});
	refuse("2.5 thousand million dense cells", &spec, DP_ERR_LIMIT);
	spec.set[0].storage = DP_SPARSE;
	CHECK_OK(dp_spec_check(&spec, NULL, NULL), "hashed they are no problem");
	dp_arena_malloc_free(&arena);
}

static void
check_names(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, levels, 3);
	char name[40];
	char small[8];

	dp_spec_set_name(&spec, spec.sets - 1, name, sizeof(name));
	CHECK_STRING(name, "(c0, c1, c2)", "a set is named by its columns");
	dp_spec_set_name(&spec, spec.sets - 1, small, sizeof(small));
	CHECK_STRING(small, "(c0,...", "cut where it does not fit");
	dp_arena_malloc_free(&arena);
}

static void
check_bytes(void)
{
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, levels, 3);
	DpSpec parsed;
	unsigned char *bytes;
	unsigned char *again;
	size_t length;
	size_t again_length;
	bool refused = true;

	spec.collation[1] = "x.\"ä\"";
	spec.clamps = true;
	MUST(dp_spec_serialise(&spec, &bytes, &length, NULL, &arena, NULL));
	CHECK_OK(dp_spec_parse(bytes, length, &parsed, NULL, &arena, NULL), "bytes are read");
	CHECK_STRING(parsed.collation[1], spec.collation[1], "with a collation");
	CHECK(parsed.collation[0] == NULL, "where there is one");
	CHECK(parsed.clamps, "and what is done with values outside");
	MUST(dp_spec_serialise(&parsed, &again, &again_length, NULL, &arena, NULL));
	CHECK(again_length == length && memcmp(bytes, again, length) == 0,
		  "written again they are the same");
	for (size_t i = 0; i < length; i++)
	{
		DpError error;

		refused &= dp_spec_parse(bytes, i, &parsed, NULL, &arena, &error) == DP_ERR_CORRUPT;
		bytes[i] ^= 1;
		refused &= dp_spec_parse(bytes, length, &parsed, NULL, &arena, &error) == DP_ERR_CORRUPT;
		bytes[i] ^= 1;
	}
	CHECK(refused, "no cut and no changed byte is taken");
	dp_arena_malloc_free(&arena);
}

static bool
is_ascii(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if ((unsigned char) text[i] >= 0x80)
			return false;
	return true;
}

/* The bytes hold together, but a text among them is not valid: of an attribute, a level or a
 * collation. */
static void
check_encoding(void)
{
	DpArena arena = dp_arena_malloc();
	const char *foreign = "a\xf0";

	for (int where = 0; where < 5; where++)
	{
		DpSpec spec = unit_spec(&arena, levels, 3);
		DpAttribute *attribute = &spec.domain.attribute[1];
		const char **text[] = {&attribute->name, &attribute->type, &attribute->other,
							   &attribute->labels[0], &spec.collation[1]};
		unsigned char *bytes;
		size_t length;
		DpSpec parsed;
		DpError error;

		attribute->has_other = true;
		dp_attribute_count_levels(attribute);
		*text[where] = foreign;
		MUST(dp_spec_serialise(&spec, &bytes, &length, NULL, &arena, NULL));
		CHECK_OK(dp_spec_parse(bytes, length, &parsed, NULL, &arena, NULL), "any encoding");
		dp_text_is_valid = is_ascii;
		CHECK_STATUS(dp_spec_parse(bytes, length, &parsed, NULL, &arena, &error), DP_ERR_ENCODING,
					 "a text that is not valid, at place %d", where);
		CHECK(strchr(error.message, '\xf0') == NULL, "which the error does not quote");
		dp_text_is_valid = NULL;
	}
	dp_arena_malloc_free(&arena);
}

int
main(void)
{
	check_refused();
	check_all_pairs();
	check_too_large();
	check_names();
	check_bytes();
	check_encoding();
	return unit_finish();
}
