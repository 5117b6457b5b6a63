/*
 * declaration.h -- what a custodian has declared about columns, as dp_define_column has stored it.
 *
 * Runs in any process; it sees dpsyn's catalog, and no data.
 */
#ifndef DPSYN_DECLARATION_H
#define DPSYN_DECLARATION_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"
#include "utils/jsonb.h"

#include "pg/domain/distance.h"

/* One row of dp_dataset_column. */
typedef struct DpDeclaration
{
	char *column;
	Oid type;
	char *kind;
	const char **labels;
	uint32 labels_n;
	char *other;
	bool complete;
	Jsonb *domain;    /* NULL: none */
	char *resolution; /* of a range; NULL: none */
	uint32 bins_max;
	DpDistanceBase offset_of; /* column NULL: none */
	char *derived_from;       /* NULL: none */
	bool assumed;             /* by its type: nobody declared it */
	bool used;
} DpDeclaration;

/* All declarations of a dataset, by the names of their columns. */
extern List *dp_declarations_read(int32 dataset_id);
/* That of a column, which counts as used from then on; NULL: none. */
extern DpDeclaration *dp_declaration_of(List *declarations, const char *column);
/* Those of fields of a jsonb column, which count as used from then on. */
extern List *dp_declarations_of_json(List *declarations, const char *column);
/* Adds the declarations of the parts of a range column of that type; a part without one gets a
 * default. An end is complete if every range has that end. */
extern List *dp_declarations_of_range(List *declarations, const char *column, Oid type,
									  bool not_null);
/* The names of the columns that tell the dataset's units apart, or to which row of a parent a row
 * belongs; NIL: none. *of_parent: which of the two. */
extern List *dp_unit_read(Oid relation, int32 dataset_id, bool *of_parent);

#endif
