/*
 * public_keys.h -- the domain of a column that refers to a public table: its keys.
 *
 * Runs in any process; it sees public facts.
 */
#ifndef DPSYN_PUBLIC_KEYS_H
#define DPSYN_PUBLIC_KEYS_H

#include "pg/server/compat.h"

#include "utils/relcache.h"

#include "pg/domain/public_table.h"

typedef struct DpPublicKeys
{
	const DpPublicTable *table;
	AttrNumber key; /* the column there */
	Oid type;       /* of the column that refers */
	int32 typmod;
	uint32 n;
	/* [n] the keys that the column can hold, in the order of the hierarchy */
	const char **label;
	uint32 *row;     /* [n] of the table */
	uint8 *boundary; /* [n] of the hierarchy (core/domain/range.h); NULL: there is none */
	List *levels;    /* of DpPublicColumn: what groups the keys, the coarsest first */
} DpPublicKeys;

/*
 * The keys that a single column refers to, by the number of the column; NULL: it refers to no
 * public table that can be read. strict: a declaration that no longer holds is an ERROR, and locks
 * are waited for. known: of other columns (DpPublicKeys), to which those that are read are added:
 * columns of one type that refer to one table share them.
 */
extern DpPublicKeys *dp_public_keys_read(Relation relation, AttrNumber number, bool strict,
										 List **known);
/* The same with the first of the keys alone. */
extern DpPublicKeys *dp_public_keys_read_first(Relation relation, AttrNumber number, List **known);
/* "part.p_brand, part.p_size": what groups the keys; "": nothing. */
extern char *dp_public_levels(const DpPublicKeys *keys);
/*
 * The column of a public table that a name means: "part.p_brand", or by the column that refers to
 * it "l_partkey.p_brand", of the table itself or one above it ("country.name"). NULL: none.
 * column: the name of the column whose keys these are.
 */
extern const DpPublicColumn *dp_public_column_find(const DpPublicKeys *keys, const char *column,
												   const char *name);
/* A digest of the keys and of the columns that group them. */
extern uint64 dp_public_keys_digest(const DpPublicKeys *keys);

#endif
