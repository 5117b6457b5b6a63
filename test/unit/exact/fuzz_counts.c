/*
 * fuzz_counts.c -- specs and counts read from anything.
 *
 * The digest of the spec is put right, so that the fuzzer need not find it.
 * What is accepted must be in its only form: read into tables and written again
 * it gives the same bytes. An odd first byte says that the rest are edits of
 * valid counts: place, new byte.
 */
#include <stdlib.h>
#include <string.h>

#include "core/domain/domain_bytes.h"
#include "unit_counts.h"

#define BYTES_MAX (UINT64_C(4) << 20) /* of memory: small counts are enough */

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool condition)
{
	if (!condition)
		abort();
}

/* Where the spec in the bytes ends with its digest, makes it hold. */
static void
seal(unsigned char *bytes, size_t length)
{
	DpCountsView view;
	DpError error;
	unsigned char *digest;
	uint64_t hash;

	if (dp_counts_view(bytes, length, &view, &error) != DP_OK || view.spec_length < DP_DIGEST_BYTES)
		return;
	digest = bytes + (view.spec_bytes - bytes) + view.spec_length - DP_DIGEST_BYTES;
	hash = dp_bytes_digest(view.spec_bytes, view.spec_length - DP_DIGEST_BYTES);
	for (size_t i = 0; i < DP_DIGEST_BYTES; i++)
		digest[i] = (unsigned char) (hash >> (8 * i));
}

static void
check_form(const DpCountsView *view, const DpSpec *spec, DpArena *arena, const unsigned char *bytes,
		   size_t length)
{
	DpCounts counts;
	DpError error;
	unsigned char *again;
	size_t again_length;
	DpStatus status = dp_counts_init(&counts, spec, NULL, arena, &error);

	if (status == DP_OK)
		status = dp_counts_add_bytes(&counts, view, &error);
	must(status == DP_OK || status == DP_ERR_MEMORY || status == DP_ERR_LIMIT);
	if (status != DP_OK || counts.kept.lost || /* without memory the bytes are others */
		dp_counts_serialise(&counts, (DpBytes){view->spec_bytes, view->spec_length}, &again,
							&again_length, arena, &error) != DP_OK)
		return;
	must(again_length == length && memcmp(again, bytes, length) == 0);
	/* twice as much, or too much */
	status = dp_counts_add_bytes(&counts, view, &error);
	must(status == DP_OK || status == DP_ERR_RANGE);
	must(status != DP_OK || dp_counts_rows(&counts) == 2 * view->rows);
}

static void
check_input(const uint8_t *data, size_t size)
{
	DpArena arena = dp_arena_malloc();
	unsigned char *bytes = malloc(size > 0 ? size : 1);
	DpCountsView view;
	DpSpec spec;
	DpError error;

	must(bytes != NULL);
	if (size > 0)
		memcpy(bytes, data, size);
	seal(bytes, size);
	arena.bytes_max = BYTES_MAX;
	if (dp_counts_view(bytes, size, &view, &error) == DP_OK &&
		dp_counts_check(&view, &spec, NULL, &arena, &error) == DP_OK)
	{
		must(dp_spec_check(&spec, NULL, &error) == DP_OK);
		check_form(&view, &spec, &arena, bytes, size);
	}
	free(bytes);
	dp_arena_malloc_free(&arena);
}

static void
check_edits(const uint8_t *edit, size_t size)
{
	static const uint32_t levels[] = {2, 3, 4};
	DpArena arena = dp_arena_malloc();
	DpSpec spec = unit_spec(&arena, levels, 3);
	DpCounts counts;
	DpPrng prng;
	UnitBytes bytes;

	dp_prng_seed(&prng, (DpStream){1, 2, 3});
	if (size > 0 && edit[0] % 2 == 1)
		spec.keep = (DpKeep){.bytes_max = 1 << 20, .parts = 2};
	if (size > 0 && edit[0] % 4 >= 2)
		spec.memory_max = 1 << 30;
	must(dp_counts_init(&counts, &spec, NULL, &arena, NULL) == DP_OK);
	must(unit_add_rows(&counts, NULL, &prng, 40, NULL) == DP_OK);
	bytes = unit_bytes(&counts, &arena);
	for (size_t i = 0; i + 1 < size; i += 2)
		bytes.at[edit[i] % bytes.length] = edit[i + 1];
	check_input(bytes.at, bytes.length);
	dp_arena_malloc_free(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0 && data[0] % 2 == 1)
		check_edits(data + 1, size - 1);
	check_input(data, size);
	return 0;
}
