/*
 * question_lock.c -- one session at a time asks a question: the others wait, and read its answer.
 *
 * So the charts of a dashboard that load together pay once. It is an advisory lock of a kind that no
 * function of PostgreSQL takes, and holds the transaction no longer than the question takes. Of two
 * questions with one hash, one waits for nothing; of one that is held up, whoever asks it waits too,
 * and can cancel.
 */
#include "pg/sql/question_lock.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lock.h"

#define LOCK_KIND 3 /* pg_advisory_lock and its like use 1 and 2 */

static LOCKTAG
tag_of(const DpQuestionPlan *plan)
{
	const char *words = dp_question_normal_form(plan);
	uint32 hash = hash_bytes((const unsigned char *) words, (int) strlen(words));
	LOCKTAG tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, dp_question_relation(plan), hash, LOCK_KIND);
	return tag;
}

void
dp_question_lock(const DpQuestionPlan *plan)
{
	LOCKTAG tag = tag_of(plan);

	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

void
dp_question_unlock(const DpQuestionPlan *plan)
{
	LOCKTAG tag = tag_of(plan);

	(void) LockRelease(&tag, ExclusiveLock, false);
}
