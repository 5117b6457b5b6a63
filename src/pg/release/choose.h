/*
 * choose.h -- which method "auto" is.
 */
#ifndef DPSYN_CHOOSE_H
#define DPSYN_CHOOSE_H

#include "pg/server/compat.h"

#include "pg/release/request.h"

/* Puts the chosen method in the place of "auto", and says so in a NOTICE. Other names stay. */
extern void dp_resolve_method(DpReleaseRequest *request);

/* For dp_explain, which takes the option table_rows of "auto" with every method. */
extern void dp_take_table_rows(DpReleaseRequest *request);

#endif
