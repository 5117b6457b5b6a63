/*
 * json_field.h -- fields of a jsonb column that are modelled as columns of their own, such as
 * meta->>'plan' or (meta->'address'->>'floor')::integer, and parts of a range (range_part.h), such as
 * lower(during).
 *
 * Such a column has a name as a user writes it, without the cast, and is read and put together by
 * PostgreSQL's own functions alone. Runs in any process; it sees no data.
 */
#ifndef DPSYN_JSON_FIELD_H
#define DPSYN_JSON_FIELD_H

#include "pg/server/compat.h"

#include "utils/jsonb.h"

#include "pg/domain/column_field.h"

/* Whether a name could be that of a field. */
extern bool dp_is_json_field(const char *words);
/* Whether the name of a declaration is that of a field, in the one form that they are stored in.
 * No column of such a name can be declared. */
extern bool dp_is_json_field_name(const char *name);
/* Reads words of which dp_is_json_field is true. ERROR if they are no field, or of a type that
 * fields cannot have. */
extern DpJsonField *dp_json_field_parse(const char *words);
/* The same for a name that it has made, with the type that it has found. */
extern DpJsonField *dp_json_field_of_name(const char *name, Oid type);
/* The type of its values, which of a part of a range is that of its column. */
extern Oid dp_json_field_type(const DpJsonField *field);
/* ERROR where one of the two fields of a column is inside of the other, or is the same. */
extern void dp_check_json_fields_apart(const DpJsonField *field, const DpJsonField *other);
/*
 * The field as an expression over the relation's columns. It fails for no value: what is not of the
 * type is NULL, and a number beyond its limits is the limit.
 */
extern char *dp_json_field_expression(const DpJsonField *field, const char *of);

/*
 * The object with these fields, of one column: fields [n], values and nulls for each. A field that
 * is NULL is left out. false: all are.
 */
extern bool dp_json_fields_object(DpJsonField *const *field, int n, const Datum *values,
								  const bool *nulls, Datum *object);

#endif
