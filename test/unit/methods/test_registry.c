/*
 * test_registry.c -- the list of methods.
 */

#include "unit_data.h"

static void
test_registry(void)
{
	DpModel model = {.method = "nonsense"};
	const DpMethod *method;

	for (uint32_t i = 0; i < dp_methods_n; i++)
	{
		const DpMethod *m = dp_methods[i];

		CHECK(dp_method_find(m->name) == m, "%s is found", m->name);
		CHECK(m->plan && m->measure && m->sampler && m->sampler->prepare &&
				  (m->sampler->draw || m->sampler->fetch) && m->sampler->draw_cost && m->summary &&
				  m->guarantee && m->source,
			  "%s is complete", m->name);
		for (uint32_t k = 0; k < m->specs_n; k++)
			CHECK(m->specs[k].summary != NULL, "option %s has its sentence", m->specs[k].name);
	}
	CHECK(dp_method_find("nonsense") == NULL, "nonsense is not");
	CHECK_STATUS(dp_model_method(&model, &method, NULL), DP_ERR_CORRUPT,
				 "a model of it is not valid");
}

int
main(void)
{
	DpArena arena = dp_arena_malloc();

	test_registry();
	dp_arena_malloc_free(&arena);
	return unit_finish();
}
