/*
 * text_table.h -- a hash table of texts with a number for each, in one process.
 */
#ifndef DPSYN_TEXT_TABLE_H
#define DPSYN_TEXT_TABLE_H

#include "pg/server/compat.h"

#include "common/hashfn.h"

typedef struct TextEntry
{
	char *words; /* key */
	uint32 hash;
	char status;
	int64 number;
} TextEntry;

#define SH_PREFIX text_table
#define SH_ELEMENT_TYPE TextEntry
#define SH_KEY_TYPE char *
#define SH_KEY words
#define SH_HASH_KEY(tb, key) hash_bytes((const unsigned char *) key, strlen(key))
#define SH_EQUAL(tb, a, b) (strcmp(a, b) == 0)
#define SH_SCOPE static inline
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* The entry of a text. One that is new starts with that number, and keeps a copy in context. */
static inline TextEntry *
text_table_entry(text_table_hash *table, char *words, int64 number, MemoryContext context)
{
	bool found;
	TextEntry *entry = text_table_insert(table, words, &found);

	if (!found)
	{
		entry->words = MemoryContextStrdup(context, words);
		entry->number = number;
	}
	return entry;
}

#endif
