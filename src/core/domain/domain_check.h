/*
 * domain_check.h -- every invariant of a domain, and copies of one.
 */
#ifndef DP_DOMAIN_CHECK_H
#define DP_DOMAIN_CHECK_H

#include "core/domain/domain.h"

/* Checks every invariant: names are set and unique, levels >= 1 and consistent, labels present,
 * and zeros in their one form. DP_ERR_ARGUMENT. */
extern DpStatus dp_domain_check(const DpDomain *domain, DpError *error) DP_MUST_USE;
/* A deep copy. */
extern DpStatus dp_domain_copy(const DpDomain *from, DpDomain *to, DpArena *arena) DP_MUST_USE;

#endif
