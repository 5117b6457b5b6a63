/*
 * subtransaction.c -- the one place where an error is caught and the session goes on; see
 * subtransaction.h.
 */
#include "pg/server/subtransaction.h"

#include "access/xact.h"
#include "utils/resowner.h"

/*
 * Whether an error is due to what somebody declared. The others would come to whoever asks at any
 * other place as well, and perhaps not the next time.
 */
static bool
is_of_what_was_declared(int sqlstate)
{
	switch (ERRCODE_TO_CATEGORY(sqlstate))
	{
		case ERRCODE_OPERATOR_INTERVENTION: /* a cancel, a timeout, a shutdown */
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_SYSTEM_ERROR:
		case ERRCODE_TRANSACTION_ROLLBACK: /* a deadlock */
		case ERRCODE_INVALID_TRANSACTION_STATE:
			return false;
		default:
			return sqlstate != ERRCODE_LOCK_NOT_AVAILABLE && sqlstate != ERRCODE_DATA_CORRUPTED &&
				   sqlstate != ERRCODE_INDEX_CORRUPTED;
	}
}

static bool
run(void (*call)(void *), void *argument, bool (*counts)(void *argument), bool keeps)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool succeeded = false;

	if (IsInParallelMode())
	{
		call(argument);
		return true;
	}
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		call(argument);
		if (keeps)
			ReleaseCurrentSubTransaction();
		else
			RollbackAndReleaseCurrentSubTransaction();
		succeeded = true;
	}
	PG_CATCH();
	{
		/*
		 * First of all the rollback, as where PostgreSQL itself ends a transaction: the error
		 * waits meanwhile where it is. Copying it could fail for lack of memory, and then the
		 * subtransaction would stay.
		 */
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
		if (!is_of_what_was_declared(geterrcode()) || (counts != NULL && !counts(argument)))
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return succeeded;
}

bool
dp_run_in_subtransaction_if(void (*call)(void *), void *argument, bool (*counts)(void *argument))
{
	return run(call, argument, counts, true);
}

bool
dp_run_in_subtransaction(void (*call)(void *), void *argument)
{
	return run(call, argument, NULL, true);
}

bool
dp_run_and_undo(void (*call)(void *), void *argument)
{
	return run(call, argument, NULL, false);
}

static bool
none_counts(void *unused)
{
	return false;
}

void
dp_run_and_undo_or_fail(void (*call)(void *), void *argument)
{
	(void) run(call, argument, none_counts, false);
}
