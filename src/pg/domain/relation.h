/*
 * relation.h -- the public domain of a relation, and where its columns are.
 *
 * Runs in any process; it sees the schema and dpsyn's catalog, and no data.
 */
#ifndef DPSYN_RELATION_H
#define DPSYN_RELATION_H

#include "pg/server/compat.h"

#include "utils/jsonb.h"

#include "core/domain/options.h"
#include "pg/domain/relation_facts.h"

/* Whether levels of an attribute are known before a release finds them. */
extern bool dp_attribute_has_levels(const DpAttribute *attribute);

/*
 * What the schema and the custodian declare about the columns. dataset_id 0: the schema alone. A
 * column whose declaration no longer fits the table has no domain; strict makes that an error.
 */
extern DpRelation *dp_relation_domain(Oid relation, int32 dataset_id, bool strict);
/* The same without reading public tables: what refers to one has the domain of its type. */
extern DpRelation *dp_relation_columns(Oid relation, int32 dataset_id, bool strict);
/* dp_relation_domain but for the values: of a public table one key stands for all. */
extern DpRelation *dp_relation_roles(Oid relation, int32 dataset_id);
/* dp_relation_domain of a relation that is protected now; NULL: it is not. */
extern DpRelation *dp_relation_protected(Oid relation);
/* Keeps the attributes that the option "columns" names, or all if it is not given. ERROR for a
 * name that has no domain. */
extern void dp_relation_restrict(DpRelation *relation, const DpOptions *options);
/* Makes an attribute a column that is not modelled. The caller sets what the column contains. */
extern DpUnmodelled *dp_relation_unmodel(DpRelation *relation, uint32 attribute);
/* From now on a column has the value that the attribute base has. It is not modelled any more. */
extern void dp_relation_derive(DpRelation *relation, const char *column, const char *base,
							   const char *table);
/* Adds an attribute, as the last one. */
extern void dp_relation_add(DpRelation *relation, char *name, const DpAttribute *attribute,
							const DpColumn *column);
/* Gives open columns the domains of an object {"column": domain}, in place of those they had. */
extern void dp_relation_assert_domains(DpRelation *relation, Jsonb *domains);
/* Fills the universe of each open attribute whose column has a domain. */
extern void dp_relation_read_domains(DpRelation *relation, DpArena *arena);

/* The number of an attribute; ERROR if the relation has none of that name. */
extern uint32 dp_relation_attribute(const DpRelation *relation, const char *name);
/* The error that it raises, for a column whose domain does not serve. */
extern DP_NORETURN void dp_no_public_domain(const DpRelation *relation, const char *name);

#endif
