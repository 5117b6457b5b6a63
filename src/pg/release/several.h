/*
 * several.h -- which relations a request is of: one, or several that are released together.
 */
#ifndef DPSYN_SEVERAL_H
#define DPSYN_SEVERAL_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

#include "pg/release/request.h"

/* Fills relation and tree of a request. Several relations are released by aim where the method is
 * "auto". ERROR unless they are a tree. */
extern void dp_request_relations(DpReleaseRequest *request, List *relations);

#endif
