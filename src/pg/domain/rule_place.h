/*
 * rule_place.h -- where rules are to hold: a domain, and the columns of its relation.
 */
#ifndef DPSYN_RULE_PLACE_H
#define DPSYN_RULE_PLACE_H

#include "pg/server/compat.h"

#include "core/domain/domain.h"

/* What a column of the relation is in the domain. */
typedef struct DpRuleColumn
{
	int attribute;   /* -1: none, the column is NULL */
	uint32 refers;   /* of a column without an attribute: 1 + that of whether it is not NULL
					  * (references.h); 0: none */
	AttrNumber base; /* the attribute is the distance from this column; 0: from none */
	bool from_above; /* or from a column of the row that the row belongs to, which no level tells */
} DpRuleColumn;

/* Where rules are to hold. */
typedef struct DpRulePlace
{
	const DpDomain *domain;
	const Oid *type;            /* [attributes] as which their labels are read */
	const int32 *typmod;        /* [attributes] */
	int columns;                /* of the relation */
	const DpRuleColumn *column; /* [columns] of column number i + 1 */
} DpRulePlace;

#endif
