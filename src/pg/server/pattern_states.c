/*
 * pattern_states.c -- the size of a regular expression.
 */
#include "pg/server/pattern_states.h"

#include <ctype.h>
#include <math.h>

#define GROUPS_MAX 30 /* of a regular expression, in one another */

/* The end of a class in brackets that begins here. A first ] and what is in [: :] do not end it. */
static const char *
end_of_class(const char *at)
{
	at += at[1] == '^' ? 2 : 1;
	if (*at == ']')
		at++;
	for (; *at != '\0' && *at != ']'; at++)
	{
		if (at[0] == '\\' && at[1] != '\0')
			at++;
		else if (at[0] == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '=') &&
				 strchr(at + 2, ']') != NULL)
			at = strchr(at + 2, ']');
	}
	return at;
}

/* The largest number in {2,5}; at is moved to its end. */
static double
count_of(const char **at)
{
	double count = 1;

	for (; **at != '\0' && **at != '}'; (*at)++)
		if (isdigit((unsigned char) **at))
			count = Max(count, strtod(*at, NULL));
	return count;
}

double
dp_pattern_states(const char *words, int *looks)
{
	double before[GROUPS_MAX]; /* states in front of each group that is open */
	bool looking[GROUPS_MAX];  /* whether it looks ahead or behind */
	int now = 0;               /* such groups that are open */
	double states = 0, last = 0;
	int groups = 0;

	*looks = 0;
	if (strncmp(words, "***", 3) == 0)
		return INFINITY;
	for (const char *at = words; *at != '\0'; at++)
	{
		if (*at == '{' && isdigit((unsigned char) at[1]))
		{
			states += last * (count_of(&at) - 1);
			if (*at == '\0')
				break;
			continue;
		}
		if (*at == '(')
		{
			if (groups == GROUPS_MAX)
				return INFINITY;
			looking[groups] = at[1] == '?' && at[2] != '\0' && strchr("=!<", at[2]) != NULL;
			now += looking[groups];
			*looks = Max(*looks, now);
			before[groups++] = states;
			states = 0;
			continue;
		}
		if (*at == ')' && groups > 0)
		{
			last = states + 1;
			states = before[--groups] + last;
			now -= looking[groups];
			continue;
		}
		if (at[0] == '\\' && at[1] != '\0')
		{
			at++;
			if (isdigit((unsigned char) *at) && *at != '0')
				return INFINITY;
		}
		else if (*at == '[')
			at = end_of_class(at);
		last = 1;
		states++;
		if (*at == '\0')
			break;
	}
	return groups == 0 ? states : INFINITY;
}
