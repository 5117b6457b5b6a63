/*
 * hierarchy.h -- a public hierarchy of categories: codes in blocks, blocks in chapters.
 *
 * The categories stand in an order in which those of a node follow one another. So the hierarchy is
 * given by the boundaries between neighbours: border[i] is the number of levels above the
 * categories on which place i and the place before it are in different nodes. It is 0 between two
 * places of one node of the finest level, and the number of levels between two nodes of the
 * coarsest one. Levels nest: who differs on one level differs on all finer ones. border[0] is not
 * read.
 */
#ifndef DP_HIERARCHY_H
#define DP_HIERARCHY_H

#include <stdint.h>

#define DP_HIERARCHY_LEVELS_MAX 16 /* above the categories */

/*
 * Where a public binary tree over the hierarchy splits the places [low, high), high - low >= 2: at
 * the middle one of the coarsest boundaries inside. So every node of the hierarchy is a node of the
 * tree, and the tree is not deeper than the logarithm of the places and two for each level.
 */
extern uint32_t dp_hierarchy_split(const uint8_t *boundary, uint32_t low, uint32_t high);

#endif
