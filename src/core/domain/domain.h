/*
 * domain.h -- the public domain of a relation: which attributes, how many
 * levels each, what the levels are called. Nothing here comes from the data,
 * except labels of open attributes after they were released with noise.
 */
#ifndef DP_DOMAIN_H
#define DP_DOMAIN_H

#include "core/domain/range.h"
#include "core/domain/universe.h"

#define DP_ATTRIBUTES_MAX 1600 /* PostgreSQL's limit of columns */
#define DP_LEVELS_MAX 10000000 /* levels of one attribute */
#define DP_SUBSET_MAX 7        /* attributes of a table that a choice of parents can ask for */
#define DP_CELLS_SATURATED UINT64_MAX /* a product that does not fit 64 bits */

/* How a table is kept, by public sizes alone: every cell, or the cells that are not empty. */
typedef enum DpStorage
{
	DP_DENSE = 0,
	DP_SPARSE = 1
} DpStorage;

typedef enum DpAttributeKind
{
	DP_CATEGORIES = 0, /* labels[i] is the text form of level i */
	/* labels[i], labels[i+1] are the edges of level i; the last bin is closed. range.h says more
	 * where the attribute has a range. */
	DP_BINS = 1
} DpAttributeKind;

typedef struct DpAttribute
{
	const char *name; /* column name */
	const char *type; /* SQL type, without domains and typmod, by a label that all sessions read */
	DpAttributeKind kind;
	bool open; /* the levels are to be discovered: levels and labels_n are 0 until then */
	const DpUniverse *universe; /* open: the values that can occur; NULL: any, or not open */
	const DpRange *range;       /* bins: that they are found on a grid; NULL: they are stated */
	bool has_other;             /* the last level stands for NULL and every unlisted value */
	const char *other;          /* what that level is written as; NULL = SQL NULL */
	const uint8_t *boundary;    /* [labels_n] of categories in the order of a public hierarchy: its
								 * boundaries (range.h); NULL: there is none. Is never
								 * stored. */
	uint32_t labels_n;          /* categories: number of labels; bins: number of edges */
	const char **labels;
	/* categories: labels_n + has_other; bins: labels_n - 1 + has_other, with a range what
	 * dp_range_levels says + has_other */
	uint32_t levels;
} DpAttribute;

/* Combinations of levels of these attributes that cannot occur. */
typedef struct DpZeroSet
{
	uint32_t n;          /* >= 1 */
	uint32_t *attribute; /* [n] strictly ascending */
	uint64_t tuples;     /* >= 1 */
	uint32_t *code;      /* [tuples x n] strictly ascending */
} DpZeroSet;

/* Structural zeros are public knowledge that the custodian states. zeros.h says what is done
 * with them. */
typedef struct DpZeros
{
	uint32_t sets;  /* 0 = none */
	DpZeroSet *set; /* strictly ascending: by n, then by attributes */
} DpZeros;

/* Public counts of the levels of some attributes: stated by the custodian, or released of the table
 * that rows belong to. See priors.h. */
typedef struct DpPrior
{
	uint32_t n;               /* >= 1 */
	uint32_t *attribute;      /* [n] strictly ascending */
	uint64_t cells;           /* product of levels */
	int64_t *count;           /* [cells] row-major, >= 0, not all 0 */
	int64_t uncertainty_nano; /* standard deviation of the share of a cell, in 1e-9; 1..1e9 */
} DpPrior;

/* zeros and prior are not part of a domain's bytes (domain_bytes.h); those of a model hold them. */
typedef struct DpDomain
{
	uint32_t attributes;
	DpAttribute *attribute;
	DpZeros zeros; /* combinations that get probability 0 */
	uint32_t priors;
	DpPrior *prior; /* strictly ascending: by n, then by attributes */
} DpDomain;

/* Sets levels from kind, labels_n, range and has_other. */
extern void dp_attribute_count_levels(DpAttribute *attribute);
/* Whether the level "other", the last one, is NULL. */
extern bool dp_attribute_has_null(const DpAttribute *attribute);
/* Whether both have the same kind and the same labels in the same order, and both or neither the level
 * "other". Ranges are not compared. */
extern bool dp_attribute_same_labels(const DpAttribute *a, const DpAttribute *b);
/* Labels the bins of its range, which are found, and sets levels. */
extern DpStatus dp_attribute_label_bins(DpAttribute *attribute, DpArena *arena) DP_MUST_USE;
/* The index of a name, or -1. */
extern int dp_domain_find(const DpDomain *domain, const char *name);
/* The attribute's name that is most like this one, or NULL: none is much like it. */
extern const char *dp_domain_nearest(const DpDomain *domain, const char *name);
/* Product of the levels of the listed attributes. It is DP_CELLS_SATURATED where it exceeds 64
 * bits, or where an open attribute is not discovered yet. */
extern uint64_t dp_domain_cells(const DpDomain *domain, const uint32_t *attributes, uint32_t n);
/* The levels of each of n attributes. */
extern void dp_domain_levels(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
							 uint32_t *levels);
/* The cell of a row-major table over n attributes that has a row's codes, codes[domain]. */
extern uint64_t dp_domain_cell(const DpDomain *domain, const uint32_t *attributes, uint32_t n,
							   const uint32_t *codes);

/* How many attributes have a range whose bins are still to be found. */
extern uint32_t dp_requested_ranges(const DpDomain *domain);
/* The same, and those whose bins will be taken from another attribute. */
extern uint32_t dp_unknown_ranges(const DpDomain *domain);
/* How many attributes are open. */
extern uint32_t dp_open_attributes(const DpDomain *domain);

/* Size of the domain of a table: the product of levels and of sizes of universes. It saturates,
 * also where an open attribute has no universe. */
extern uint64_t dp_cells_size(const DpDomain *domain, const uint32_t *attributes, uint32_t n);
/* The number of values that the attribute can take. It saturates as dp_cells_size does. */
extern uint64_t dp_attribute_size(const DpAttribute *attribute);
extern bool dp_cells_any_open(const DpDomain *domain, const uint32_t *attributes, uint32_t n);

/* Every invariant of a domain, and copies of one. */

/* Checks every invariant: names are set and unique, levels >= 1 and consistent, labels present,
 * and zeros in their one form. DP_ERR_ARGUMENT. */
extern DpStatus dp_domain_check(const DpDomain *domain, DpError *error) DP_MUST_USE;
/* A deep copy. */
extern DpStatus dp_domain_copy(const DpDomain *from, DpDomain *to, DpArena *arena) DP_MUST_USE;

#endif
