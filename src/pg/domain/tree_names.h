/*
 * tree_names.h -- what attributes of tables that belong together are called: by models, which
 * drawing reads again, and by what compares such tables. Runs in any process.
 */
#ifndef DPSYN_TREE_NAMES_H
#define DPSYN_TREE_NAMES_H

#include "pg/server/compat.h"

extern char *dp_tree_count_name(const char *child);
extern char *dp_tree_siblings_name(const char *child);
extern char *dp_tree_parent_name(const char *parent, const char *attribute);
extern char *dp_tree_previous_name(const char *child, const char *attribute);
extern char *dp_tree_again_name(const char *child, const char *attribute);

#endif
