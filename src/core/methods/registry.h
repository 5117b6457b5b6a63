/*
 * registry.h -- the methods there are. A new method is a new line of DP_METHODS.
 */
#ifndef DP_REGISTRY_H
#define DP_REGISTRY_H

#include "core/plan/method.h"

#define DP_METHODS(ENTRY)                                                                          \
	ENTRY(sba)                                                                                     \
	ENTRY(sbhg)                                                                                    \
	ENTRY(steps)                                                                                   \
	ENTRY(uh)                                                                                      \
	ENTRY(flat)                                                                                    \
	ENTRY(privbayes)                                                                               \
	ENTRY(cipher)                                                                                  \
	ENTRY(mwem)                                                                                    \
	ENTRY(mst)                                                                                     \
	ENTRY(aim)                                                                                     \
	ENTRY(pegs)                                                                                    \
	ENTRY(pegs_ldiversity)                                                                         \
	ENTRY(pmi)                                                                                     \
	ENTRY(marginal)                                                                                \
	ENTRY(histogram)                                                                               \
	ENTRY(cathist)                                                                                 \
	ENTRY(query)

#define DP_DECLARE_METHOD(name) extern const DpMethod dp_method_##name;
DP_METHODS(DP_DECLARE_METHOD)
#undef DP_DECLARE_METHOD

extern const DpMethod *const dp_methods[];
extern const uint32_t dp_methods_n;
extern const DpMethod *dp_method_find(const char *name);

/* Finds the method of a parsed model. DP_ERR_CORRUPT: the model names no method. */
extern DpStatus dp_model_method(const DpModel *model, const DpMethod **method,
								DpError *error) DP_MUST_USE;

#endif
