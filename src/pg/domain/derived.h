/*
 * derived.h -- columns whose values are made from other columns when rows are drawn: distances, and
 * columns that a public dictionary gives, as a state by its zip.
 *
 * A release keeps what drawing needs of them, {"discharged": {"offset_of": "admitted"},
 * "state": {"derived_from": "zip", "values": {"10115": "Berlin"}}}, so that it can be drawn from
 * whatever becomes of the declarations. Runs in any process; it sees no data.
 */
#ifndef DPSYN_DERIVED_H
#define DPSYN_DERIVED_H

#include "pg/server/compat.h"

#include "pg/domain/relation.h"

/* ERROR unless a dictionary is an object of texts, numbers, booleans and nulls. */
extern void dp_check_dictionary(Jsonb *dictionary, const char *column);
/* ERROR, before anything is spent, where a distance is modelled and its base is not. */
extern void dp_check_offsets(const DpRelation *relation);
/* What a release of the relation keeps, as text. */
extern char *dp_derived_to_json(const DpRelation *relation);

/* What is kept of a column. */
typedef struct DpDerivation
{
	char *base;
	bool is_offset;
	Jsonb *dictionary; /* NULL for an offset */
} DpDerivation;

/* Finds a column in what a release keeps; false: it is not there. derived NULL: nothing is kept. */
extern bool dp_derivation_find(Jsonb *derived, const char *column, DpDerivation *derivation);
/* The value that a dictionary has for a text; NULL: none, or NULL. */
extern char *dp_dictionary_look_up(Jsonb *dictionary, const char *text);

#endif
