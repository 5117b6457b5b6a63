/*
 * compat.h -- the only place that knows of differences between the supported
 * PostgreSQL versions, 15 to 19.
 */
#ifndef DPSYN_COMPAT_H
#define DPSYN_COMPAT_H

/* 19: a word of C23 in its headers, which -std=gnu11 hides. */
#if defined(__GNUC__) && !defined(__clang__) && __STDC_VERSION__ < 202311L
#define typeof_unqual __typeof_unqual__
#endif

#include "postgres.h"
#include "fmgr.h"

#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"

#include "access/tupdesc.h"
#include "utils/guc.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 200000
#error "dpsyn supports PostgreSQL 15 to 19"
#endif

/* The core multiplies in 128 bits. */
#ifndef __SIZEOF_INT128__
#error "dpsyn needs a 64-bit platform with __int128"
#endif

/* 18 wants this marker of a function in front of it, where older versions allow it too. */
#define DP_NORETURN __attribute__((noreturn))

/* 18: the module's name and version show in pg_get_loaded_modules(). */
#if PG_VERSION_NUM >= 180000
#define DP_MODULE_MAGIC PG_MODULE_MAGIC_EXT(.name = "dpsyn", .version = DPSYN_VERSION)
#else
#define DP_MODULE_MAGIC PG_MODULE_MAGIC
#endif

/* 16: an argument for where a syntax error is to go. */
#if PG_VERSION_NUM >= 160000
#define DP_QUALIFIED_NAME(text) stringToQualifiedNameList(text, NULL)
#else
#define DP_QUALIFIED_NAME(text) stringToQualifiedNameList(text)
#endif

/* 16: one function checks the rights on all kinds of objects. */
#if PG_VERSION_NUM >= 160000
#define DP_SCHEMA_ACLCHECK(schema, role, mode)                                                     \
	object_aclcheck(NamespaceRelationId, schema, role, mode)
#define DP_FUNCTION_ACLCHECK(function, role)                                                       \
	object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE)
#else
#define DP_SCHEMA_ACLCHECK(schema, role, mode) pg_namespace_aclcheck(schema, role, mode)
#define DP_FUNCTION_ACLCHECK(function, role) pg_proc_aclcheck(function, role, ACL_EXECUTE)
#endif

/* 16: a member can have a role's privileges and not be able to become it (SET FALSE). */
#if PG_VERSION_NUM >= 160000
#define DP_CAN_SET_ROLE(member, role) member_can_set_role(member, role)
#else
#define DP_CAN_SET_ROLE(member, role) is_member_of_role(member, role)
#endif

/*
 * 16: the rights of a query's relations are kept beside the range table, and for a parent but not
 * for its children. A reader that is InvalidOid is whoever runs the query, whose rights
 * DP_MAY_READ checks.
 */
#if PG_VERSION_NUM >= 160000
#define DP_ENTRY_HAS_RIGHTS(entry) ((entry)->perminfoindex != 0)
#define DP_ENTRY_READER(planned, entry)                                                            \
	((entry)->perminfoindex == 0 ? InvalidOid                                                      \
								 : getRTEPermissionInfo((planned)->permInfos, entry)->checkAsUser)
#define DP_ENTRY_SET_READER(query, entry, role)                                                    \
	(getRTEPermissionInfo((query)->rteperminfos, entry)->checkAsUser = (role))
#define DP_MAY_READ(planned) ExecCheckPermissions((planned)->rtable, (planned)->permInfos, false)
#else
#define DP_ENTRY_HAS_RIGHTS(entry) true
#define DP_ENTRY_READER(planned, entry) ((void) (planned), (entry)->checkAsUser)
#define DP_ENTRY_SET_READER(query, entry, role) ((entry)->checkAsUser = (role))
#define DP_MAY_READ(planned) ExecCheckRTPerms((planned)->rtable, false)
#endif

/* 18: columns may be of a row before or after it was changed. Variables of all columns of an entry
 * of a range table, dropped ones too. */
#if PG_VERSION_NUM >= 180000
#define DP_EXPAND_ENTRY(entry, number, columns)                                                    \
	expandRTE(entry, number, 0, VAR_RETURNING_DEFAULT, -1, true, NULL, columns)
#else
#define DP_EXPAND_ENTRY(entry, number, columns) expandRTE(entry, number, 0, -1, true, NULL, columns)
#endif

/* 18: bytes can be reversed, too, so that the function has the type in its name. */
#if PG_VERSION_NUM >= 180000
#define F_REVERSE F_REVERSE_TEXT
#endif

/* 18: the executor does not learn any more whether the query runs once. */
#if PG_VERSION_NUM >= 180000
#define DP_EXECUTOR_RUN(query) ExecutorRun(query, ForwardScanDirection, 0)
#define DP_EXECUTOR_RUN_ARGUMENTS QueryDesc *query, ScanDirection direction, uint64 count
#define DP_EXECUTOR_RUN_HANDED_ON query, direction, count
#else
#define DP_EXECUTOR_RUN(query) ExecutorRun(query, ForwardScanDirection, 0, true)
#define DP_EXECUTOR_RUN_ARGUMENTS QueryDesc *query, ScanDirection direction, uint64 count, bool once
#define DP_EXECUTOR_RUN_HANDED_ON query, direction, count, once
#endif

/* 19: the planner may say what it did for EXPLAIN. */
#if PG_VERSION_NUM >= 190000
#define DP_PLAN_QUERY(query, text, options, parameters)                                            \
	pg_plan_query(query, text, options, parameters, NULL)
#define DP_PLANNER_ARGUMENTS                                                                       \
	Query *query, const char *text, int options, ParamListInfo parameters,                         \
		struct ExplainState *explain
#define DP_PLANNER_HANDED_ON query, text, options, parameters, explain
#else
#define DP_PLAN_QUERY(query, text, options, parameters)                                            \
	pg_plan_query(query, text, options, parameters)
#define DP_PLANNER_ARGUMENTS Query *query, const char *text, int options, ParamListInfo parameters
#define DP_PLANNER_HANDED_ON query, text, options, parameters
#endif

/* 19: a hook after analysis does not change how constants were found. */
#if PG_VERSION_NUM >= 190000
#define DP_JUMBLE_STATE const JumbleState
#else
#define DP_JUMBLE_STATE JumbleState
#endif

/* 17: the timeout that bounds a whole transaction. */
#if PG_VERSION_NUM >= 170000
#define DP_HAVE_TRANSACTION_TIMEOUT 1
#endif

/* 17: intervals can be infinite. */
#if PG_VERSION_NUM >= 170000
#define DP_INTERVAL_NOT_FINITE(span) INTERVAL_NOT_FINITE(span)
#else
#define DP_INTERVAL_NOT_FINITE(span) ((void) (span), false)
#endif

/* 18: what an operator means is known for every kind of index; the numbers are those of B-trees. */
#if PG_VERSION_NUM >= 180000
#define DP_MEANINGS_OF_OPERATOR(operator) get_op_index_interpretation(operator)
#define DP_MEANING_STRATEGY(meaning) ((int) ((OpIndexInterpretation *) (meaning))->cmptype)
#define DP_MEANING_FAMILY(meaning) (((OpIndexInterpretation *) (meaning))->opfamily_id)
#else
#define DP_MEANINGS_OF_OPERATOR(operator) get_op_btree_interpretation(operator)
#define DP_MEANING_STRATEGY(meaning) (((OpBtreeInterpretation *) (meaning))->strategy)
#define DP_MEANING_FAMILY(meaning) (((OpBtreeInterpretation *) (meaning))->opfamily_id)
#endif

/* 16: one function checks the owner of all kinds of objects. */
#if PG_VERSION_NUM >= 160000
#define DP_OWNS_EXTENSION(extension, role) object_ownercheck(ExtensionRelationId, extension, role)
#define DP_OWNS_RELATION(relation, role) object_ownercheck(RelationRelationId, relation, role)
#else
#define DP_OWNS_EXTENSION(extension, role) pg_extension_ownercheck(extension, role)
#define DP_OWNS_RELATION(relation, role) pg_class_ownercheck(relation, role)
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

/* 18: the same of foreign keys, as the relation cache lists them. */
#if PG_VERSION_NUM >= 180000
#define DP_FOREIGN_KEY_IS_ENFORCED(key) ((key)->conenforced)
#else
#define DP_FOREIGN_KEY_IS_ENFORCED(key) ((void) (key), true)
#endif

/* 18: the same of a constraint that is to be made, and NOT NULL is one that is listed. */
#if PG_VERSION_NUM >= 180000
#define DP_CONSTRAINT_ENFORCE(constraint) ((constraint)->is_enforced = true)
#define DP_NOT_NULL_CONSTRAINT(statement, column)                                                  \
	((statement)->nnconstraints =                                                                  \
		 lappend((statement)->nnconstraints, makeNotNullConstraint(makeString(column))))
#else
#define DP_CONSTRAINT_ENFORCE(constraint) ((void) (constraint))
#define DP_NOT_NULL_CONSTRAINT(statement, column) ((void) (statement), (void) (column))
#endif

/* 16: how many partitions an index is made for. 19: where in a query it stands. */
#if PG_VERSION_NUM >= 190000
#define DP_DEFINE_INDEX(table, statement)                                                          \
	DefineIndex(NULL, table, statement, InvalidOid, InvalidOid, InvalidOid, -1, false, true, true, \
				false, false)
#elif PG_VERSION_NUM >= 160000
#define DP_DEFINE_INDEX(table, statement)                                                          \
	DefineIndex(table, statement, InvalidOid, InvalidOid, InvalidOid, -1, false, true, true,       \
				false, false)
#else
#define DP_DEFINE_INDEX(table, statement)                                                          \
	DefineIndex(table, statement, InvalidOid, InvalidOid, InvalidOid, false, true, true, false,    \
				false)
#endif

/* 19: a tuple descriptor that was filled must be finalized before it is used, or tuples are taken
 * apart at wrong places. script/lint looks that none is forgotten. */
#if PG_VERSION_NUM >= 190000
#define DP_TUPLE_DESC_FINALIZE(desc) TupleDescFinalize(desc)
#else
#define DP_TUPLE_DESC_FINALIZE(desc) ((void) (desc))
#endif

/* 19: jsonb is built in a state that has the result. */
#if PG_VERSION_NUM >= 190000
#define DpJsonbState JsonbInState
#define DP_JSONB_PUSH(state, token, value) pushJsonbValue(state, token, value)
#else
typedef struct DpJsonbState
{
	struct JsonbParseState *parse;
	struct JsonbValue *result; /* once the outermost object has ended */
} DpJsonbState;
#define DP_JSONB_PUSH(state, token, value)                                                         \
	((void) ((state)->result = pushJsonbValue(&(state)->parse, token, value)))
#endif

/* 19: a tranche of locks has its name from the first, in all processes. */
#if PG_VERSION_NUM >= 190000
#define DP_LOCK_TRANCHE_NEW(name) LWLockNewTrancheId(name)
#define DP_LOCK_TRANCHE_REGISTER(tranche, name) ((void) 0)
#else
#define DP_LOCK_TRANCHE_NEW(name) LWLockNewTrancheId()
#define DP_LOCK_TRANCHE_REGISTER(tranche, name) LWLockRegisterTranche(tranche, name)
#endif

/*
 * Shared memory by name that needs no shared_preload_libraries: 17 has a registry of
 * segments, before that there is what the server has left of its own, some 100 kB.
 * Whoever comes first initialises it.
 */
#if PG_VERSION_NUM >= 170000
#include "storage/dsm_registry.h"
#else
#include "storage/lwlock.h"
#include "storage/shmem.h"
#endif

typedef void DpInitMemory(void *memory);

#if PG_VERSION_NUM >= 190000
static inline void
dp_init_named_memory(void *memory, void *init)
{
	(*(DpInitMemory **) init)(memory);
}
#endif

static inline void *
dp_shared_memory(const char *name, size_t bytes, DpInitMemory *init)
{
	bool found;
#if PG_VERSION_NUM >= 190000
	return GetNamedDSMSegment(name, bytes, dp_init_named_memory, &found, &init);
#elif PG_VERSION_NUM >= 170000
	return GetNamedDSMSegment(name, bytes, init, &found);
#else
	void *memory;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	memory = ShmemInitStruct(name, bytes, &found);
	if (!found)
		init(memory);
	LWLockRelease(AddinShmemInitLock);
	return memory;
#endif
}

/* FOREIGN KEY (..., PERIOD ...) is of PostgreSQL 18 on. */
#if PG_VERSION_NUM >= 180000
#define DP_CONSTRAINT_HAS_PERIOD(constraint) ((constraint)->conperiod)
#else
#define DP_CONSTRAINT_HAS_PERIOD(constraint) ((void) (constraint), false)
#endif

/* 18: a path counts the nodes below it that settings disable, and costs come after that. */
#if PG_VERSION_NUM >= 180000
#define DP_PATH_DISABLED_AS(path, child) ((path)->disabled_nodes = (child)->disabled_nodes)
#else
#define DP_PATH_DISABLED_AS(path, child) ((void) (path), (void) (child))
#endif

/* A range of two bounds. */
#if PG_VERSION_NUM >= 160000
#define DP_MAKE_RANGE(type, lower, upper, empty) make_range(type, lower, upper, empty, NULL)
#else
#define DP_MAKE_RANGE(type, lower, upper, empty) make_range(type, lower, upper, empty)
#endif

#endif
