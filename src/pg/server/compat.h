/*
 * compat.h -- the only place that knows of differences between the supported
 * PostgreSQL versions, 15 to 18.
 */
#ifndef DP_COMPAT_H
#define DP_COMPAT_H

#include "postgres.h"
#include "fmgr.h"

#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"

#include "access/tupdesc.h"
#include "utils/guc.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 190000
#error "dpsyn supports PostgreSQL 15 to 18"
#endif

/* The core multiplies in 128 bits. */
#ifndef __SIZEOF_INT128__
#error "dpsyn needs a 64-bit platform with __int128"
#endif

/* 18 moved the marker of functions that do not return in front of them. */
#define DP_NORETURN __attribute__((noreturn))

/* 18: the module's name and version show in pg_get_loaded_modules(). */
#if PG_VERSION_NUM >= 180000
#define DP_MODULE_MAGIC PG_MODULE_MAGIC_EXT(.name = "dpsyn", .version = DPSYN_VERSION)
#else
#define DP_MODULE_MAGIC PG_MODULE_MAGIC
#endif

/* 16: an error context for syntax. */
#if PG_VERSION_NUM >= 160000
#define DP_QUALIFIED_NAME(text) stringToQualifiedNameList(text, NULL)
#else
#define DP_QUALIFIED_NAME(text) stringToQualifiedNameList(text)
#endif

/* 16: one function asks for the rights on all kinds of objects. */
#if PG_VERSION_NUM >= 160000
#define DP_SCHEMA_ACLCHECK(schema, role, mode)                                                     \
	object_aclcheck(NamespaceRelationId, schema, role, mode)
#else
#define DP_SCHEMA_ACLCHECK(schema, role, mode) pg_namespace_aclcheck(schema, role, mode)
#endif

/* 16: rights are kept beside the range table, and of a parent alone. InvalidOid: as who runs the query. */
#if PG_VERSION_NUM >= 160000
#define DP_ENTRY_HAS_RIGHTS(entry) ((entry)->perminfoindex != 0)
#define DP_ENTRY_READER(planned, entry)                                                            \
	((entry)->perminfoindex == 0 ? InvalidOid                                                      \
								 : getRTEPermissionInfo((planned)->permInfos, entry)->checkAsUser)
#define DP_ENTRY_SET_READER(query, entry, role)                                                    \
	(getRTEPermissionInfo((query)->rteperminfos, entry)->checkAsUser = (role))
#else
#define DP_ENTRY_HAS_RIGHTS(entry) true
#define DP_ENTRY_READER(planned, entry) ((void) (planned), (entry)->checkAsUser)
#define DP_ENTRY_SET_READER(query, entry, role) ((entry)->checkAsUser = (role))
#endif

/* 18: whether a query runs once is no longer said. */
#if PG_VERSION_NUM >= 180000
#define DP_EXECUTOR_RUN(query) ExecutorRun(query, ForwardScanDirection, 0)
#else
#define DP_EXECUTOR_RUN(query) ExecutorRun(query, ForwardScanDirection, 0, true)
#endif

/* 17: the timeout that bounds a whole transaction. */
#if PG_VERSION_NUM >= 170000
#define DP_HAVE_TRANSACTION_TIMEOUT 1
#endif

/* 16: one function for the owners of all kinds of objects. */
#if PG_VERSION_NUM >= 160000
#define DP_OWNS_EXTENSION(extension, role) object_ownercheck(ExtensionRelationId, extension, role)
#else
#define DP_OWNS_EXTENSION(extension, role) pg_extension_ownercheck(extension, role)
#endif

/* 18: constraints that are declared but not enforced, NOT NULL that is not validated. */
#if PG_VERSION_NUM >= 180000
#define DP_CHECK_IS_ENFORCED(check) ((check)->ccenforced)
#define DP_COLUMN_IS_NOT_NULL(desc, i)                                                             \
	(TupleDescCompactAttr(desc, i)->attnullability == ATTNULLABLE_VALID)
#else
#define DP_CHECK_IS_ENFORCED(check) true
#define DP_COLUMN_IS_NOT_NULL(desc, i) (TupleDescAttr(desc, i)->attnotnull)
#endif

#endif
