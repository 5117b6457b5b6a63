/*
 * request.c -- one release, from words to a plan, without the data. The caller's backend
 * prepares a request to find errors early, and dp_explain does to show the plan. The
 * release worker prepares it again, and only that preparation counts. Then the worker
 * locks the ledger's rows and looks at them once more.
 */
#include "pg/release/request.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "optimizer/cost.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/inval.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

#include "core/base/nearest_name.h"
#include "core/base/saturate.h"
#include "core/domain/domain_check.h"
#include "core/methods/registry.h"
#include "core/domain/seed_pool.h"
#include "pg/budget/parent.h"
#include "pg/budget/shared_unit.h"
#include "pg/counting/seed_pool.h"
#include "pg/domain/ancestor_columns.h"
#include "pg/domain/derived.h"
#include "pg/domain/dictionary.h"
#include "pg/domain/fill.h"
#include "pg/domain/hierarchy.h"
#include "pg/domain/listed.h"
#include "pg/domain/prior.h"
#include "pg/domain/query.h"
#include "pg/domain/relation_rules.h"
#include "pg/domain/zeros.h"
#include "pg/release/request_parts.h"
#include "pg/server/bridge.h"
#include "pg/server/json.h"
#include "pg/server/catalog.h"
#include "pg/server/dpsyn.h"
#include "pg/server/subtransaction.h"

#define HISTOGRAM_METHOD "histogram"
#define DP_SETS_MAX 1000000

const DpMethod *
dp_method_called(const char *name)
{
	DpNearestName meant = dp_nearest_name(name);
	const DpMethod *method = dp_method_find(name);

	if (method != NULL)
		return method;
	dp_nearest_name_try(&meant, "auto");
	for (uint32 i = 0; i < dp_methods_n; i++)
		dp_nearest_name_try(&meant, dp_methods[i]->name);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT), errmsg("method \"%s\" does not exist", name),
			 meant.found ? errhint("Did you mean \"%s\"? The view dp_methods lists the methods.",
								   meant.found)
						 : errhint("The view dp_methods lists the methods.")));
}

static void
check_amounts(const DpReleaseRequest *request, const DpMethod *method)
{
	if (request->epsilon_nano < 1 && (method == NULL || !method->unprotected))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("epsilon must be at least 0.000000001")));
	if (request->delta_atto >= DP_DELTA_ONE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("delta must be below 1"),
						errhint("Choose it well below 1 / (number of rows), for instance 1e-9.")));
	if (request->sets < 1 || request->sets > DP_SETS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("sets must be between 1 and %d", DP_SETS_MAX)));
}

/* No budget buys a release that is not private. It is for the custodian, who pays nothing. */
static void
payer_find(const DpReleaseRequest *request, const DpMethod *method, bool for_update,
		   DpPrepared *prepared)
{
	if (method == NULL || !method->unprotected)
	{
		dp_payer_get(&prepared->dataset, request->user, for_update, &prepared->payer);
		return;
	}
	if (!dp_is_custodian(request->relation, request->user))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("only the owner of relation \"%s\" may use method \"%s\"",
							   dp_relation_label(request->relation), request->method),
						errdetail("It gives no differential privacy, so no budget buys it.")));
	prepared->payer = (DpPayer){.custodian = true, .role = InvalidOid};
}

/*
 * The caller's backend reads the seed pool and sends it. The worker takes what it was sent, if
 * it fits, each time that it prepares: it may not look up the caller's names, nor does it see
 * the caller's temporary tables.
 */
static void
seeds_attach(const DpReleaseRequest *request, DpPrepared *prepared)
{
	bool wanted = dp_option_text(&prepared->options, DP_OPTION_SEED_POOL) != NULL;
	bool was_sent = request->domains != NULL;
	DpError error = {0};

	if (!was_sent)
	{
		(void) dp_seed_pool_relation(prepared->relation, &prepared->options);
		return;
	}
	if (wanted != (request->seeds != NULL))
		elog(ERROR, "dpsyn: a release was asked for without its seed pool");
	if (wanted && dp_seed_pool_check(request->seeds, &prepared->relation->domain, &error) != DP_OK)
		dp_raise(&error);
	prepared->request.seeds = request->seeds;
}

/* The worker scans as the owner. What it would stumble over after the debit is found here. */
static void
check_owner_can_read(Oid relation)
{
	Oid owner = dp_relation_owner(relation);

	if (DP_SCHEMA_ACLCHECK(get_rel_namespace(relation), owner, ACL_USAGE) != ACLCHECK_OK ||
		pg_class_aclcheck(relation, owner, ACL_SELECT) != ACLCHECK_OK)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the owner of relation \"%s\" may not read it",
							   dp_relation_label(relation)),
						errdetail("A release reads it with the rights of its owner, role %s.",
								  dp_role_label(owner))));
	if (check_enable_rls(relation, owner, true) == RLS_ENABLED)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("row security of relation \"%s\" applies to its owner",
							   dp_relation_label(relation)),
						errdetail("A release reads every row, as its owner."),
						errhint("ALTER TABLE %s NO FORCE ROW LEVEL SECURITY.",
								dp_relation_label(relation))));
}

static void
check_owner_can_use(const char *schema, Oid relation)
{
	Oid oid = DatumGetObjectId(DirectFunctionCall1(regnamespacein, CStringGetDatum(schema)));
	Oid owner = dp_relation_owner(relation);

	if (DP_SCHEMA_ACLCHECK(oid, owner, ACL_USAGE) != ACLCHECK_OK)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("the owner of relation \"%s\" may not use the schema of dpsyn",
							   dp_relation_label(relation)),
						errdetail("A release counts with the rights of its owner, role %s.",
								  dp_role_label(owner)),
						errhint("GRANT USAGE ON SCHEMA %s TO %s.", schema, dp_role_label(owner))));
}

/* The worker counts as the owner, with functions of this extension. */
static void
check_owner_can_count(Oid relation)
{
	check_owner_can_use(dp_schema(), relation);
	check_owner_can_use("dp_catalog", relation);
}

/* What a query reads of rows above those that it counts is for who may ask of these. */
static void
check_above(const DpReleaseRequest *request, const DpRelation *relation)
{
	ListCell *cell;

	foreach (cell, dp_relations_above(relation))
	{
		Oid above = ((const DpRelation *) lfirst(cell))->oid;
		DpDataset dataset;

		dp_dataset_get(above, false, &dataset);
		dp_check_may_ask(&dataset, request->user);
		check_owner_can_read(above);
	}
}

/* Only a histogram can be of no columns: it is the number of rows then. */
static void
check_columns_named(const DpMethod *method, const DpOptions *options)
{
	const DpOption *names = dp_option_lists(options, "columns");

	if (names == NULL || names->kind != DP_VALUE_LIST || names->list[0].n > 0 ||
		(method != NULL && strcmp(method->name, HISTOGRAM_METHOD) == 0))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("option \"columns\" names no column"),
			 errhint("Leave it out to model every column with a public domain.")));
}

static void
check_something_to_model(const DpRelation *relation)
{
	if (relation->domain.attributes > 0)
		return;
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("relation \"%s\" has no column with a public domain",
						   dp_relation_label(relation->oid)),
					errhint("Its custodian can declare domains with dp_define_column; "
							"dp_suggest_columns writes the calls.")));
}

static Jsonb *
json_of(char *words)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(words)));
}

/* ---- domains that the caller asserts ---- */

static bool
takes_domains(const DpMethod *method)
{
	for (uint32 i = 0; i < method->specs_n; i++)
		if (method->specs[i].type == DP_OPTION_DOMAIN)
			return true;
	return false;
}

static bool
is_listed(const DpNameList *names, const char *name, size_t length)
{
	for (uint32 i = 0; i < names->n; i++)
		if (strlen(names->name[i]) == length && strncmp(names->name[i], name, length) == 0)
			return true;
	return false;
}

/* Whether every member of an object is one of the columns asked for. Then the object is a map. */
static bool
names_columns(JsonbContainer *object, const DpNameList *names)
{
	JsonbIterator *iterator = JsonbIteratorInit(object);
	JsonbValue value;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		if (token == WJB_KEY && !is_listed(names, value.val.string.val, value.val.string.len))
			return false;
	return true;
}

static char *
domain_map(JsonbContainer *map)
{
	JsonbIterator *iterator = JsonbIteratorInit(map);
	JsonbValue value;
	JsonbIteratorToken token;
	StringInfoData json;

	initStringInfo(&json);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			appendStringInfoString(&json, json.len ? ", " : "{");
			escape_json(&json, pnstrdup(value.val.string.val, value.val.string.len));
		}
		else if (token == WJB_VALUE)
			appendStringInfo(&json, ": %s", dp_domain_expand(JsonbValueToJsonb(&value)));
	}
	appendStringInfoString(&json, json.len ? "}" : "{}");
	return json.data;
}

/*
 * The option "domain" is {"column": domain, ...}, or a domain as such where one column is
 * asked for. An object of which every member is one of the columns is the former. The
 * caller's backend reads dictionaries here, and hands the worker what it read.
 */
static char *
domains_of(const DpReleaseRequest *request, const DpMethod *method, const DpOptions *options)
{
	Jsonb *given = json_of(request->options);
	const DpOption *names = dp_option_lists(options, "columns");
	JsonbValue *domain;
	StringInfoData json;

	if (request->domains != NULL)
		return request->domains[0] ? request->domains : NULL;
	if (method == NULL || !takes_domains(method) || !JB_ROOT_IS_OBJECT(given))
		return NULL;
	domain = getKeyJsonValueFromContainer(&given->root, "domain", 6, NULL);
	if (domain == NULL)
		return NULL;
	if (domain->type != jbvBinary)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a domain must be a list or an object"),
						errhint("dp_domain_range and its like write domains.")));
	if (JsonContainerIsObject(domain->val.binary.data) &&
		(names == NULL || names->kind != DP_VALUE_LIST ||
		 names_columns(domain->val.binary.data, &names->list[0])))
		return domain_map(domain->val.binary.data);
	if (names == NULL || names->kind != DP_VALUE_LIST || names->list[0].n != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("it is not said which column has which domain"),
				 errhint("Write {\"column\": domain, ...}, with columns that are asked for.")));
	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	escape_json(&json, names->list[0].name[0]);
	appendStringInfo(&json, ": %s}", dp_domain_expand(JsonbValueToJsonb(domain)));
	return json.data;
}

/*
 * The memory that counting takes beside the tables that it fills. The aggregate has tables of
 * its own, and half as much for its blocks. Each parallel worker, and the leader beside them,
 * has the same. It also has its counts as bytes, once by themselves and once in the tuple that
 * it hands over; these are seldom more than the tables. The leader receives them, and sums up
 * in tables. Rows that are kept where bins are found are divided among these processes, which have
 * them as bytes, too, until the leader has them all.
 */
#define KEPT_COPIES 5 /* of a part: its chunks, its bytes, their value, a tuple; and the leader's */
static uint64
scan_memory(Oid relation, const DpPlan *plan)
{
	uint64 tables = plan->scan_bytes > 0 ? plan->scan_bytes : plan->memory_bytes;
	uint64 state = dp_add_saturated(tables, tables / 2);
	uint64 workers = (uint64) Min(max_parallel_workers_per_gather, max_parallel_workers);
	bool keeps = plan->request->query == NULL && dp_asked_ranges(plan->request->domain) > 0;
	uint64 kept = keeps ? dpsyn_row_memory * UINT64CONST(1024) : 0;

	if (get_rel_relkind(relation) == RELKIND_FOREIGN_TABLE || workers == 0)
		return dp_add_saturated(state, kept);
	return dp_add_saturated(
		dp_add_saturated(dp_multiply_saturated(dp_add_saturated(state, tables), workers + 1),
						 state),
		dp_multiply_saturated(kept, KEPT_COPIES));
}

typedef struct Discovered
{
	DpRelation *relation;
	DpDomain *domain;
	DpArena *arena;
} Discovered;

static void
add_rules(void *argument)
{
	Discovered *discovered = argument;

	dp_relation_add_rules(discovered->relation, discovered->domain, false, discovered->arena);
}

/*
 * DpRuleSource.add_zeros: the levels of open columns are known by now. A level that cannot be read
 * as its column's type is no reason to fail after the debit.
 */
static DpStatus
rules_of_discovered(void *relation, DpDomain *domain, DpArena *arena)
{
	Discovered discovered = {relation, domain, arena};

	(void) dp_run_in_subtransaction(add_rules, &discovered);
	return DP_OK;
}

/* Histograms and queries are of the columns' own values, and a seed pool holds them. */
static bool
is_of_rows(const DpMethod *method, const DpOptions *options)
{
	return (method == NULL || (strcmp(method->name, HISTOGRAM_METHOD) != 0 &&
							   strcmp(method->name, DP_QUERY_METHOD) != 0)) &&
		   !dp_option_given(options, DP_OPTION_SEED_POOL);
}

/* In order of which attribute the rows of one parent are; where each has one row, in none. */
static void
request_order(const DpTreeTable *table, DpRequest *request)
{
	int previous;

	if (table->order < 0)
		return;
	previous = dp_domain_find(request->domain,
							  dp_tree_previous_name(table->name, table->dataset.order_column));
	request->ordered = previous >= 0;
	request->order = (uint32) table->order;
	request->previous = (uint32) Max(previous, 0);
}

static DpPrepared *
prepare_facts(const DpReleaseRequest *request, const DpMethod *method, DpPartPlace place)
{
	DpPrepared *prepared = palloc0(sizeof(DpPrepared));
	DpError error = {0};
	bool is_query = method != NULL && strcmp(method->name, DP_QUERY_METHOD) == 0;

	check_amounts(request, method);
	dp_dataset_get(request->relation, false, &prepared->dataset);
	if (place.number == 0) /* the root's payer pays for all */
		payer_find(request, method, false, prepared);

	check_owner_can_read(request->relation);
	check_owner_can_count(request->relation);
	if (prepared->dataset.unit_column)
		dp_check_unit_column(request->relation, prepared->dataset.unit_column);
	dp_dataset_check_view(&prepared->dataset);
	dp_dataset_check_shared(&prepared->dataset);
	dp_dataset_check_parents(&prepared->dataset);
	prepared->arena = dp_arena_for(CurrentMemoryContext);
	prepared->relation = dp_relation_domain(request->relation, prepared->dataset.id, true);
	dp_options_from_jsonb(json_of(request->options), &prepared->options);
	prepared->domains = domains_of(request, method, &prepared->options);
	if (prepared->domains != NULL)
		dp_relation_assert_domains(prepared->relation, json_of(prepared->domains));
	if (is_of_rows(method, &prepared->options))
		dp_hierarchies_read(prepared->relation, prepared->dataset.id);
	dp_zeros_read(prepared->relation, prepared->dataset.id, true);
	dp_priors_read(prepared->relation, prepared->dataset.id, true);
	check_columns_named(method, &prepared->options);
	if (is_query)
		dp_query_restrict(prepared->relation, &prepared->dataset, &prepared->options,
						  json_of(request->options));
	dp_relation_restrict(prepared->relation, &prepared->options);
	if (place.tree != NULL)
		dp_tree_inherit(place.tree, place.number, prepared->relation);
	check_above(request, prepared->relation);
	if (!is_query)
		dp_fill_check(prepared->relation);
	if (is_of_rows(method, &prepared->options))
		dp_relation_group_categories(prepared->relation, method != NULL && method->chooses_tables,
									 request->epsilon_nano);
	check_something_to_model(prepared->relation);
	dp_check_offsets(prepared->relation);
	dp_relation_read_domains(prepared->relation, &prepared->arena);
	if (!is_query) /* rules are of rows that are drawn */
		dp_relation_add_rules(prepared->relation, &prepared->relation->domain, true,
							  &prepared->arena);
	prepared->own = prepared->relation->domain.attributes;
	if (place.tree != NULL)
		dp_tree_extend(place.tree, place.number, prepared->relation);
	if (dp_domain_check(&prepared->relation->domain, &error) != DP_OK)
		dp_raise(&error);

	if (is_query)
		prepared->request.query =
			dp_query_read(prepared->relation, &prepared->options, json_of(request->options));
	prepared->request.domain = &prepared->relation->domain;
	if (!is_query)
		prepared->request.rules = (DpRuleSource){prepared->relation, rules_of_discovered};
	prepared->request.unit = dp_dataset_noise_unit(&prepared->dataset);
	if (place.tree != NULL)
	{
		prepared->request.unit.rows_max = place.tree->table[place.number].unit_rows;
		prepared->request.known = place.tree->table[place.number].known;
		prepared->request.share_nano = place.share_nano;
		request_order(&place.tree->table[place.number], &prepared->request);
	}
	prepared->request.budget =
		(DpBudget){.epsilon_nano = request->epsilon_nano, .delta_atto = request->delta_atto};
	prepared->request.no_false_positives_nano = prepared->dataset.no_false_positives_nano;
	prepared->request.options = &prepared->options;
	prepared->request.tick = &dp_interrupt_tick;
	prepared->request.sets = (uint32) request->sets;
	return prepared;
}

DpPrepared *
dp_prepare_facts(const DpReleaseRequest *request, const DpMethod *method)
{
	return prepare_facts(request, method, (DpPartPlace){.tree = NULL});
}

DpPrepared *
dp_prepare_table(const DpReleaseRequest *request, DpPartPlace place)
{
	const DpMethod *method = dp_method_called(request->method);
	DpPrepared *prepared;
	DpError error = {0};

	prepared = prepare_facts(request, method, place);
	if (dp_plan(method, &prepared->request, &prepared->plan, &prepared->arena, &error) != DP_OK)
		dp_raise(&error);
	prepared->plan.memory_bytes = dp_add_saturated(prepared->plan.memory_bytes,
												   scan_memory(request->relation, &prepared->plan));
	if (place.tree != NULL)
		dp_plan_full_rows(prepared, method, place.tree, place.number);
	seeds_attach(request, prepared);
	return prepared;
}

DpPrepared *
dp_prepare_request(const DpReleaseRequest *request)
{
	if (request->tree != NULL && request->tree[0] != '\0')
		return dp_prepare_tree(request);
	return dp_prepare_table(request, (DpPartPlace){.tree = NULL});
}

/* ---- under lock ---- */

static bool
same_unit(const DpDataset *a, const DpDataset *b)
{
	return a->id == b->id && a->sensitivity == b->sensitivity && a->parent == b->parent &&
		   a->unit.neighbours == b->unit.neighbours && a->unit.rows_max == b->unit.rows_max &&
		   a->unit.rows_secret == b->unit.rows_secret &&
		   (a->unit_column == NULL) == (b->unit_column == NULL) &&
		   (a->unit_column == NULL || strcmp(a->unit_column, b->unit_column) == 0);
}

static void
check_same_unit(const DpDataset *planned, const DpDataset *now)
{
	if (!same_unit(planned, now))
		ereport(ERROR, (errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						errmsg("relation \"%s\" was protected anew meanwhile",
							   dp_relation_label(now->relation)),
						errdetail("Nothing was spent."), errhint("Try again.")));
}

/* The other tables of a tree. Their budget is that of the root, whose row is locked. */
static void
check_parts(const DpPrepared *prepared)
{
	for (int i = 1; prepared->tree != NULL && i < prepared->tree->tables; i++)
	{
		DpDataset *planned = &prepared->part[i]->dataset;
		DpDataset now;

		dp_dataset_get(planned->relation, false, &now);
		check_same_unit(planned, &now);
		dp_dataset_check_parents(&now);
		check_owner_can_read(planned->relation);
	}
}

/*
 * Whose budget it is, what is left, who pays and which unit is protected are read anew, from
 * the rows that are locked now. What a custodian declares of columns (domains, zeros, priors)
 * is public and not locked: a declaration that changes after it was read counts as changed
 * after this release. Columns and owner cannot change, nor can the definition of a view, since the
 * worker holds the relation and what it reads. Whose a row of a view is, is judged anew all the same:
 * what can change it without a lock in the way, as a table that begins to inherit, is seen here. No
 * lock keeps the owner's rights from being revoked, so they are looked at once more.
 */
void
dp_prepared_lock(const DpReleaseRequest *request, DpPrepared *prepared)
{
	DpDataset planned = prepared->dataset;

	dp_dataset_get(request->relation, true, &prepared->dataset);
	AcceptInvalidationMessages(); /* of what became known while it waited for the row */
	check_same_unit(&planned, &prepared->dataset);
	check_parts(prepared);
	dp_dataset_check_view(&prepared->dataset);
	dp_dataset_check_shared(&prepared->dataset);
	dp_dataset_check_parents(&prepared->dataset);
	payer_find(request, prepared->plan.method, true, prepared);
	check_above(request, prepared->relation);
	check_owner_can_read(request->relation);
	check_owner_can_count(request->relation);
	dp_check_budget(&prepared->dataset, &prepared->payer, prepared->plan.cost);
}
