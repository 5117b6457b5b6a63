/*
 * fill_pattern.c -- what patterns of a relation's columns say of a row.
 */
#include "pg/domain/fill_pattern.h"

#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "pg/server/bridge.h"

DpPattern *
dp_fill_pattern(const char *words)
{
	DpArena arena = dp_arena_for(CurrentMemoryContext);
	DpPattern *pattern = dp_pattern_read(words, &arena);

	if (pattern == NULL)
		dp_raise(&(DpError){.status = DP_ERR_MEMORY});
	return pattern;
}

void
dp_fill_append(StringInfo list, const char *value, bool always)
{
	enlargeStringInfo(list, (int) (2 * strlen(value)) + 5);
	appendStringInfoChar(list, list->len == 0 ? '{' : ',');
	list->len += (int) dp_pattern_quote(value, always, list->data + list->len);
}

char *
dp_fill_constant(const char *words)
{
	StringInfoData list;

	if (dp_pattern_facts(words).constant && !dp_pattern_is_null(words) &&
		!dp_pattern_is_list(words))
		return pstrdup(words);
	initStringInfo(&list);
	dp_fill_append(&list, words, true);
	appendStringInfoChar(&list, '}');
	return list.data;
}

int *
dp_fill_columns(Relation relation, const DpPattern *pattern)
{
	int *index = palloc(sizeof(int) * Max(dp_pattern_columns(pattern), 1));

	for (uint32 i = 0; i < dp_pattern_columns(pattern); i++)
	{
		AttrNumber number = get_attnum(RelationGetRelid(relation), dp_pattern_column(pattern, i));

		index[i] = number > 0 ? number - 1 : -1;
	}
	return index;
}

bool
dp_fill_takes_from_columns(Relation relation, const char *words)
{
	DpPattern *pattern;
	int *index;

	if (!dp_pattern_facts(words).column)
		return false;
	pattern = dp_fill_pattern(words);
	index = dp_fill_columns(relation, pattern);
	for (uint32 i = 0; i < dp_pattern_columns(pattern); i++)
		if (index[i] >= 0)
			return true;
	return false;
}

char *
dp_fill_first_text(Relation relation, const char *words)
{
	DpPattern *pattern = dp_fill_pattern(words);
	const char **columns = palloc0(sizeof(char *) * Max(dp_pattern_columns(pattern), 1));
	int *index = dp_fill_columns(relation, pattern);
	char *text = palloc(dp_pattern_facts(words).bytes);

	for (uint32 i = 0; i < dp_pattern_columns(pattern); i++)
		if (index[i] >= 0)
			columns[i] = "";
	dp_pattern_write(pattern, (DpPatternRow){1, 1}, (DpStream){0}, columns, text);
	return text;
}
