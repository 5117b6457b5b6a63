/*
 * tree_names.c -- what attributes of tables that belong together are called.
 */
#include "pg/domain/tree_names.h"

char *
dp_tree_count_name(const char *child)
{
	return psprintf("%s.count", child);
}

char *
dp_tree_siblings_name(const char *child)
{
	return psprintf("%s.siblings", child);
}

char *
dp_tree_parent_name(const char *parent, const char *attribute)
{
	return psprintf("%s.%s", parent, attribute);
}

char *
dp_tree_previous_name(const char *child, const char *attribute)
{
	return psprintf("%s.previous.%s", child, attribute);
}

char *
dp_tree_again_name(const char *child, const char *attribute)
{
	return psprintf("%s.again.%s", child, attribute);
}
