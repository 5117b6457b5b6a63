/*
 * registry.h -- the methods there are.
 */
#ifndef DP_REGISTRY_H
#define DP_REGISTRY_H

#include "core/release/method.h"

extern const DpMethod *const dp_methods[];
extern const uint32_t dp_methods_n;
extern const DpMethod *dp_method_find(const char *name);

/* Finds the method of a parsed model. DP_ERR_CORRUPT: the model names no method. */
extern DpStatus dp_model_method(const DpModel *model, const DpMethod **method,
								DpError *error) DP_MUST_USE;

#endif
