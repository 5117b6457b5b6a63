/*
 * rewrite.h -- a statement that asks about private relations, made one that reads noisy answers.
 */
#ifndef DPSYN_REWRITE_H
#define DPSYN_REWRITE_H

#include "pg/server/compat.h"

#include "nodes/parsenodes.h"

#include "pg/sql/private_relation.h"

/*
 * Takes a statement as the planner gets it: analysed, its views replaced. Its private relations are
 * gone afterwards, and PostgreSQL plans and runs what is left, with its own checks of rights. ERROR
 * for what cannot be asked. It touches no rows. false: nothing in it is private.
 */
extern bool dp_rewrite_privately(DpPrivacy *privacy, Query *query);

#endif
