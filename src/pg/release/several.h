/*
 * several.h -- which relations a call names: one, or several that are released together.
 */
#ifndef DPSYN_SEVERAL_H
#define DPSYN_SEVERAL_H

#include "pg/server/compat.h"

#include "fmgr.h"
#include "nodes/pg_list.h"

#include "pg/release/request.h"

/* Argument 0: a regclass, a regclass[], or a text that is written as either. OIDs. */
extern List *dp_relations_argument(FunctionCallInfo fcinfo);
/* Fills relation and tree of a request. Several relations are released by aim where the method is
 * "auto". ERROR unless they are a tree. */
extern void dp_request_relations(DpReleaseRequest *request, List *relations);

#endif
