/*
 * range_attribute.h -- columns that are modelled by a range, as attributes of a domain.
 *
 * Runs in any process; it sees the schema and dpsyn's catalog, and no data.
 */
#ifndef DPSYN_RANGE_ATTRIBUTE_H
#define DPSYN_RANGE_ATTRIBUTE_H

#include "pg/server/compat.h"

#include "utils/relcache.h"

#include "pg/domain/checks.h"
#include "pg/domain/declaration.h"
#include "pg/domain/relation_facts.h"
#include "pg/domain/schema_range.h"

/*
 * A declared range, without what CHECKs on the column forbid. form: the column that the values are
 * of; NULL where they are distances or fields. The column may have got another precision since.
 * That is an error if strict, and else false.
 */
extern bool dp_range_declared(const DpDeclaration *d, DpChecks *checks, Form_pg_attribute form,
							  bool strict, bool nullable, DpAttribute *attribute, DpColumn *column);
/* The range that the schema gives. */
extern void dp_range_of_schema(const DpSchemaRange *range, bool nullable, DpAttribute *attribute,
							   DpColumn *column);

/* Lowers the number of bins of ranges without a declared number if a relation has many columns, so
 * that the tables of all pairs can be counted. */
extern void dp_ranges_coarsen(DpDomain *domain);
/*
 * The public range of a column as a grid: from its outer edges, or from its least category to the
 * largest, in steps of what its type can tell apart, or of a part of the range that no noise shows.
 * False: it has none.
 */
extern bool dp_column_grid(const DpAttribute *attribute, const DpColumn *column, DpGrid *grid);

#endif
