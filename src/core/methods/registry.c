/*
 * registry.c -- the list of methods, to be looked up in.
 */
#include "core/methods/registry.h"

#include <string.h>

#define LIST(name) &dp_method_##name,

const DpMethod *const dp_methods[] = {DP_METHODS(LIST)};
const uint32_t dp_methods_n = sizeof(dp_methods) / sizeof(dp_methods[0]);

const DpMethod *
dp_method_find(const char *name)
{
	for (uint32_t i = 0; i < dp_methods_n; i++)
	{
		if (strcmp(dp_methods[i]->name, name) == 0)
			return dp_methods[i];
	}
	return NULL;
}

DpStatus
dp_model_method(const DpModel *model, const DpMethod **method, DpError *error)
{
	*method = dp_method_find(model->method);
	if (*method == NULL)
		return dp_fail(error, DP_ERR_CORRUPT, "stored model: it is of an unknown method");
	for (uint32_t i = 0; i < model->tables && !(*method)->gaussian; i++)
		if (model->table[i].noise == DP_NOISE_GAUSSIAN)
			return dp_fail(error, DP_ERR_CORRUPT,
						   "stored model: its method has no tables with Gaussian noise");
	return DP_OK;
}
