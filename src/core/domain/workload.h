/*
 * workload.h -- the sets of attributes that an option of type SETS or WEIGHTED_SETS asks
 * for. Their marginals are to be counted, or to be right.
 */
#ifndef DP_WORKLOAD_H
#define DP_WORKLOAD_H

#include "core/domain/attribute_set.h"
#include "core/domain/options.h"

#define DP_WORKLOAD_SETS_MAX 100000
#define DP_WEIGHT_ONE INT64_C(1000000000)                /* weight = 1 in 1e-9 */
#define DP_WEIGHT_MAX (INT64_C(1000000) * DP_WEIGHT_ONE) /* of one set, duplicates added up */

/* Whether an attribute is known before a row is drawn. A number from 0 on: it is, and it tells
 * of that attribute alone. */
typedef enum DpKnown
{
	DP_DRAWN = -1,
	DP_KNOWN = -2
} DpKnown;

typedef struct DpWorkloadSet
{
	DpAttributeSet of;   /* one attribute or more, ascending */
	int64_t weight_nano; /* >= 1; DP_WEIGHT_ONE unless the user says otherwise */
} DpWorkloadSet;

/* Distinct sets. Smaller sets come first; sets of one size are in lexicographic order. */
typedef struct DpWorkload
{
	uint32_t sets;
	DpWorkloadSet *set;
} DpWorkload;

/* What a checked option asks for, and the limits of it, which are known before anything is
 * spent. */
typedef struct DpWorkloadQuery
{
	const char *option;    /* its name */
	const DpOption *given; /* NULL: it is not given */
	uint32_t size;         /* attributes of each set, where the option is a number or not given */
	const DpDomain *domain;
	uint32_t sets_max;
	/* The most cells of all sets together; 0 means no limit. A set that names an open attribute
	 * is left out: how many levels it will have is not known, so the method has to check that. */
	uint64_t cells_max;
	const DpTick *tick; /* there can be very many sets to read */
	/* [attributes] what is known before the rest is drawn (DpKnown), where the option is not given.
	 * Each set has something that is drawn. An attribute that describes another one stands with it.
	 * NULL: nothing is known. */
	const int32_t *known;
} DpWorkloadQuery;

/*
 * Reads the workload that a checked option stands for. An option that is not given has its
 * default; where there are fewer attributes than the default asks for, all of them are one
 * set. Sets that are listed twice become one, and their weights add up. A set may lie within
 * another.
 *
 * DP_ERR_UNDEFINED: a column is not modelled. DP_ERR_ARGUMENT: there is no set; or a set is
 * empty, names a column twice or is larger than the domain; or a weight is out of range.
 * DP_ERR_LIMIT.
 */
extern DpStatus dp_workload_read(const DpWorkloadQuery *query, DpWorkload *workload, DpArena *arena,
								 DpError *error) DP_MUST_USE;
/* Whether any of these attributes is drawn. */
extern bool dp_workload_draws(const uint32_t *attribute, uint32_t n, const int32_t *known);
/* Whether a default workload contains such a set, given the known attributes: at least one
 * attribute must be drawn, and one that describes another attribute's siblings stands only with
 * that attribute. */
extern bool dp_workload_is_of_use(const DpAttributeSet *set, const int32_t *known);
/* Cells of all sets; saturates. */
extern uint64_t dp_workload_cells(const DpWorkload *workload, const DpDomain *domain);
/* The first attribute that is in no set, or `attributes` if each is in one. */
extern uint32_t dp_workload_uncovered(const DpWorkload *workload, uint32_t attributes);

#endif
