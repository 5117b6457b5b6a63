/*
 * cell_json.h -- a group of rows as jsonb: {"sex": "f", "age": "[18,30)"}.
 *
 * Runs on the caller's side of the wall, on released codes and public labels.
 */
#ifndef DPSYN_CELL_JSON_H
#define DPSYN_CELL_JSON_H

#include "pg/server/compat.h"

#include "utils/jsonb.h"

#include "core/domain/attribute_set.h"

typedef struct DpCellWriter DpCellWriter;

/* Prepares cells over the attributes of a set, in any order. */
extern DpCellWriter *dp_cell_writer(const DpDomain *domain, const DpAttributeSet *set);
/*
 * A cell, from the codes of its attributes in the order of the set. A number stays a number, a
 * boolean a boolean, a bin is the text of a range, and the level "other" is null or what it is
 * written as. group: NULL, or [attributes][levels]: then a level stands for all levels of its
 * group, which become an array if they are several.
 */
extern Jsonb *dp_cell_json(const DpCellWriter *writer, const uint32 *code, uint32 *const *group);

#endif
