/*
 * request_rights.h -- who pays for a release, and what the worker will be allowed to read: all of
 * it is known before the debit.
 */
#ifndef DPSYN_REQUEST_RIGHTS_H
#define DPSYN_REQUEST_RIGHTS_H

#include "pg/release/prepared.h"

/* Finds the payer. No budget buys a release that is not private. It is for the custodian, who pays
 * nothing. */
extern void dp_request_payer(const DpReleaseRequest *request, const DpMethod *method,
							 bool for_update, DpPrepared *prepared);
/* ERROR unless the owner of the relation can read all of it: the worker scans as the owner. */
extern void dp_check_owner_can_read(Oid relation);
/* ERROR unless the owner can use the functions of this extension, with which the worker counts. */
extern void dp_check_owner_can_count(Oid relation);
/* ERROR unless the user may ask of the relations above that a query reads too. */
extern void dp_check_rows_above(const DpReleaseRequest *request, const DpRelation *relation);

/* ERROR if the current user, who wrote the options, may not read a public table that a question in them
 * names. */
extern void dp_check_question_rights(Jsonb *options);

#endif
