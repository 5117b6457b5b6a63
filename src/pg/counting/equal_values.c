/*
 * equal_values.c -- which texts of a column's values mean equal values; see equal_values.h.
 */
#include "pg/counting/equal_values.h"

#include "utils/lsyscache.h"

#include "pg/counting/encode.h"
#include "pg/server/catalog.h"
#include "pg/server/subtransaction.h"
#include "pg/server/values.h"

typedef struct Comparison
{
	const DpColumn *column;
	const DpAttribute *attribute;
	const char **value;
	uint64 n;
	bool *repeated;
} Comparison;

/* The first one of equal values is the level that all of them have. */
static void
compare(void *argument)
{
	Comparison *comparison = argument;
	Oid type = getBaseType(comparison->column->type);
	const char *collation = dp_collation_label(comparison->column->collation);
	DpAttribute levels = {.name = comparison->attribute->name,
						  .type = comparison->attribute->type,
						  .kind = DP_CATEGORIES,
						  .labels = comparison->value,
						  .labels_n = (uint32) comparison->n,
						  .has_other = true};
	DpSpec spec = {.domain = {.attributes = 1, .attribute = &levels}, .collation = &collation};
	DpEncoder *encoder;
	int level;

	dp_attribute_count_levels(&levels);
	encoder = dp_encoders_create(&spec, &type, DP_FORM_TYPED);
	level = dp_values_begin();
	for (uint64 i = 0; i < comparison->n; i++)
	{
		NullableDatum value = {dp_value_in(comparison->value[i], type, -1), false};

		comparison->repeated[i] = dp_encode_value(encoder, &value) < i;
	}
	dp_values_end(level);
}

void
dp_mark_equal(const DpRelation *relation, const DpAttribute *attribute, const char *const *value,
			  uint64 n, bool *repeated)
{
	int index = dp_domain_find(&relation->domain, attribute->name);
	Comparison comparison = {NULL, attribute, (const char **) value, n, repeated};
	DpUserContext user_context;
	bool compared;

	memset(repeated, 0, sizeof(bool) * n);
	if (index < 0 || n < 2)
		return;
	comparison.column = &relation->column[index];
	dp_become_owner(&user_context, dp_relation_owner(relation->oid));
	compared = dp_run_in_subtransaction(compare, &comparison);
	dp_unelevate(&user_context);
	if (!compared)
		memset(repeated, 0, sizeof(bool) * n);
}
