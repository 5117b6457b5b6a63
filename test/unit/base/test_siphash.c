/*
 * test_siphash.c -- SipHash-2-4 against the test vectors of its authors: key
 * 00 01 .. 0f, message 00 01 .. n-1.
 */
#include "core/base/siphash.h"

#include "unit.h"

static const struct
{
	size_t length;
	uint64_t hash;
} vectors[] = {
	{0, UINT64_C(0x726fdb47dd0e0e31)},  {1, UINT64_C(0x74f839c593dc67fd)},
	{2, UINT64_C(0x0d6c8009d9a94f5a)},  {3, UINT64_C(0x85676696d7fb7e2d)},
	{7, UINT64_C(0xab0200f58b01d137)},  {8, UINT64_C(0x93f5f5799a932462)},
	{15, UINT64_C(0xa129ca6149be45e5)}, {63, UINT64_C(0x958a324ceb064572)},
};

/* The message in pieces of so many bytes. */
static uint64_t
hash_in_pieces(const unsigned char *key, const unsigned char *message, size_t length, size_t piece)
{
	DpSiphash hash;

	dp_siphash_start(&hash, key);
	for (size_t i = 0; i < length; i += piece)
		dp_siphash_add(&hash, message + i, length - i < piece ? length - i : piece);
	return dp_siphash_finish(&hash);
}

int
main(void)
{
	unsigned char key[DP_SIPHASH_KEY_BYTES];
	unsigned char message[64];

	for (unsigned i = 0; i < sizeof(key); i++)
		key[i] = (unsigned char) i;
	for (unsigned i = 0; i < sizeof(message); i++)
		message[i] = (unsigned char) i;
	for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++)
	{
		size_t length = vectors[v].length;

		CHECK(hash_in_pieces(key, message, length, 64) == vectors[v].hash,
			  "the vector of %zu bytes", length);
		for (size_t piece = 1; piece <= 9; piece += 4)
			CHECK(hash_in_pieces(key, message, length, piece) == vectors[v].hash,
				  "the vector of %zu bytes in pieces of %zu", length, piece);
	}
	key[15] ^= 1;
	CHECK(hash_in_pieces(key, message, 15, 64) != vectors[6].hash, "another key, another hash");
	return unit_finish();
}
