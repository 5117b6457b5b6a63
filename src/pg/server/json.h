/*
 * json.h -- reading jsonb: members and texts, and the options of a method.
 *
 * Runs in any process. What users write as JSON is public: options, domains, specs.
 */
#ifndef DPSYN_JSON_H
#define DPSYN_JSON_H

#include "pg/server/compat.h"

#include "lib/stringinfo.h"
#include "utils/jsonb.h"

#include "core/domain/options.h"

/* A member of an object; NULL if there is none. */
extern JsonbValue *dp_json_member(JsonbContainer *object, const char *key);
/* Both are false for NULL. */
extern bool dp_json_is_array(const JsonbValue *value);
extern bool dp_json_is_object(const JsonbValue *value);
/* The text of a string, a number or a boolean; NULL for anything else, and for NULL. */
extern char *dp_json_text(const JsonbValue *value);
/* Appends the value as JSON. */
extern void dp_json_put(StringInfo json, JsonbValue *value);
/* An object as options; ERROR for anything else. A value of a form that no option has is
 * DP_VALUE_OTHER, which the method refuses. */
extern void dp_options_from_jsonb(Jsonb *json, DpOptions *options);

#endif
