/*
 * attempt.c -- running what may fail because of what somebody else declared.
 */
#include "pg/server/attempt.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

bool
dp_attempt(void (*call)(void *), void *argument)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool succeeded = false;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		call(argument);
		ReleaseCurrentSubTransaction();
		succeeded = true;
	}
	PG_CATCH();
	{
		int category = ERRCODE_TO_CATEGORY(geterrcode());

		if (category == ERRCODE_OPERATOR_INTERVENTION || category == ERRCODE_INSUFFICIENT_RESOURCES)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return succeeded;
}
