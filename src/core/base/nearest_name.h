/*
 * nearest_name.h -- which of the names that there are somebody may have meant.
 */
#ifndef DP_NEAREST_NAME_H
#define DP_NEAREST_NAME_H

#include <stddef.h>

typedef struct DpNearestName
{
	const char *wrong; /* what was written */
	const char *found; /* the name that is most like it; NULL: none is much like it */
	size_t edits;      /* fewer than these would have to lead from one to the other */
} DpNearestName;

/* Begins a search for what was meant by a name that does not serve. The text must outlive it. */
extern DpNearestName dp_nearest_name(const char *wrong);

/* Looks at a name that exists. Of names that are as near the first one stays. The very name that
 * was written is not what was meant: something else is wrong with it. */
extern void dp_nearest_name_try(DpNearestName *nearest, const char *name);

#endif
