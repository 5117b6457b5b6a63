/*
 * rights.h -- whose rights hold: who may act for whom, and code of users that runs with
 * no more rights than its owner has. Runs in any process.
 */
#ifndef DPSYN_RIGHTS_H
#define DPSYN_RIGHTS_H

#include "pg/server/compat.h"

#include "nodes/pg_list.h"

/* Who the current user was, and which settings held, before dp_become_owner or dp_catalog_open. */
typedef struct DpUserContext
{
	Oid user;
	int security_context;
	int guc_level;
} DpUserContext;

/* Whether user has the owner's privileges and could become the owner by SET ROLE: only then may code of
 * the owner's run, and it runs as the owner. */
extern bool dp_may_become(Oid user, Oid owner);
/*
 * Makes owner the current user, with search_path pinned, in a security-restricted context, so that
 * code of users can run. The current user stays who it is where it may not become the owner, and where
 * owner is InvalidOid: rights are lowered here, and never raised.
 */
extern void dp_become_owner(DpUserContext *user_context, Oid owner);
/* The owner of these relations, if they have one, and reading them as it gives what the current user
 * would read. Else InvalidOid. */
extern Oid dp_common_owner(const List *relations);
/* Takes that back, and every setting that was changed in between. */
extern void dp_unelevate(DpUserContext *user_context);

/* Whether user has the rights of the relation's owner; of a relation that is gone, a superuser's.
 */
extern bool dp_is_custodian(Oid relation, Oid user);
/* ERROR unless the current user is the relation's custodian. action: "protect it". */
extern void dp_check_custodian(Oid relation, const char *action);
/* ERROR unless there is such a role. */
extern void dp_check_role(Oid role);
/* InvalidOid if the relation is gone. */
extern Oid dp_relation_owner(Oid relation);
/* Or a materialized view. */
extern bool dp_is_view(Oid relation);
/* No name is found in a schema of users until the settings are taken back. */
extern void dp_pin_settings(void);

#endif
