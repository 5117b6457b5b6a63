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
#include "common/hashfn.h"
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

#include "core/base/nearest_name.h"
#include "core/base/saturate.h"
#include "core/domain/domain.h"
#include "core/methods/registry.h"
#include "core/domain/seed_pool.h"
#include "core/plan/planner.h"
#include "pg/budget/parent.h"
#include "pg/budget/shared_unit.h"
#include "pg/counting/equal_values.h"
#include "pg/counting/seed_pool.h"
#include "pg/domain/ancestor_columns.h"
#include "pg/domain/computed.h"
#include "pg/domain/derived.h"
#include "pg/domain/dictionary.h"
#include "pg/domain/fill.h"
#include "pg/domain/predicate.h"
#include "pg/domain/declared_facts.h"
#include "pg/domain/public_lookup.h"
#include "pg/domain/range_attribute.h"
#include "pg/domain/references.h"
#include "pg/domain/relation_rules.h"
#include "pg/question/asked.h"
#include "pg/release/request_parts.h"
#include "pg/release/request_rights.h"
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

/*
 * The caller's backend reads the seed pool and sends it. The worker uses what was sent, if it fits,
 * each time that it prepares: it can neither look up the caller's names nor see the caller's
 * temporary tables.
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

/* A table of a tree may have nothing but its keys: how many rows it has for each row of its parent,
 * or its children for each of its own, is modelled all the same. */
static void
check_something_to_model(const DpRelation *relation, const DpTableTree *tree)
{
	if (relation->domain.attributes > 0 || tree != NULL)
		return;
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("relation \"%s\" has no column with a public domain",
						   dp_relation_words(relation->oid)),
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
domain_map(JsonbContainer *map, Oid relation)
{
	JsonbIterator *iterator = JsonbIteratorInit(map);
	JsonbValue value;
	JsonbIteratorToken token;
	StringInfoData json;
	char *column = NULL;

	initStringInfo(&json);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			column = dp_json_text(&value);
			appendStringInfoString(&json, json.len ? ", " : "{");
			escape_json(&json, column);
		}
		else if (token == WJB_VALUE)
			appendStringInfo(&json, ": %s",
							 dp_domain_expand(JsonbValueToJsonb(&value),
											  dp_type_in_relation(&relation, column)));
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
						errhint("For example {\"from\": 1, \"to\": 1000000} or [\"a\", \"b\"].")));
	if (JsonContainerIsObject(domain->val.binary.data) &&
		(names == NULL || names->kind != DP_VALUE_LIST ||
		 names_columns(domain->val.binary.data, &names->list[0])))
		return domain_map(domain->val.binary.data, request->relation);
	if (names == NULL || names->kind != DP_VALUE_LIST || names->list[0].n != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("it is not said which column has which domain"),
				 errhint("Write {\"column\": domain, ...}, with columns that are asked for.")));
	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	escape_json(&json, names->list[0].name[0]);
	appendStringInfo(
		&json, ": %s}",
		dp_domain_expand(JsonbValueToJsonb(domain),
						 dp_type_in_relation(&request->relation, names->list[0].name[0])));
	return json.data;
}

/*
 * The memory of counting, in addition to the tables that it fills. The aggregate has tables of its
 * own, and half as much again for its blocks. So has the leader, and each parallel worker. A worker
 * also has its counts as bytes, once by themselves and once in the tuple that it sends; these are
 * seldom larger than the tables. The leader receives them, and adds them up in tables. Rows that
 * are kept, for finding bins and for a query, are divided among these processes. Each has its rows
 * as bytes, too, until the leader has all of them.
 */
#define KEPT_COPIES 5 /* of a part: its chunks, its bytes, their value, a tuple; and the leader's */
static uint64
scan_memory(Oid relation, const DpPlan *plan)
{
	uint64 tables = plan->scan_bytes > 0 ? plan->scan_bytes : plan->memory_bytes;
	uint64 state = dp_add_saturated(tables, tables / 2);
	uint64 workers = (uint64) Min(max_parallel_workers_per_gather, max_parallel_workers);
	bool keeps = plan->request->query != NULL || dp_requested_ranges(plan->request->domain) > 0;
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

/* DpRuleSource.mark_equal */
static void
equal_values(void *relation, const DpAttribute *attribute, const char *const *value, uint64_t n,
			 bool *repeated)
{
	dp_mark_equal(relation, attribute, value, n, repeated);
}

/* Histograms and queries are of the columns' own values, and a seed pool holds them. */
static bool
is_of_rows(const DpMethod *method, const DpOptions *options)
{
	return (method == NULL || (strcmp(method->name, HISTOGRAM_METHOD) != 0 &&
							   strcmp(method->name, DP_QUERY_METHOD) != 0)) &&
		   !dp_option_given(options, DP_OPTION_SEED_POOL);
}

/* Sets the attribute by which the rows of one parent are sorted; none if a parent has at most one
 * row. */
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

/* ---- facts, step by step ---- */

/* What is prepared, on its way. */
typedef struct Preparation
{
	const DpReleaseRequest *request;
	const DpMethod *method; /* NULL: any that a budget pays for */
	DpPartPlace place;
	bool is_query;
	bool is_question; /* a query of expressions */
	DpPrepared *prepared;
} Preparation;

/*
 * How far a preparation is. Each step takes the type that the step before it gives, so that no other
 * order compiles: declarations are read of a relation whose unit and rights were checked, columns are
 * chosen among declared ones, levels are grouped of chosen columns, and what a tree adds comes last.
 */
typedef struct Permitted
{
	Preparation of; /* who pays, what the unit is, and what the caller may read */
} Permitted;

typedef struct Declared
{
	Preparation of; /* columns, hierarchies, zeros and priors, as declared */
} Declared;

typedef struct Chosen
{
	Preparation of; /* the columns that the caller asks for, or that the ancestors determine */
} Chosen;

typedef struct Modelled
{
	Preparation of; /* the domain of its own columns is complete */
} Modelled;

typedef struct Extended
{
	Preparation of; /* the domain is that of the release */
} Extended;

static Permitted
check_permitted(Preparation of)
{
	const DpReleaseRequest *request = of.request;
	DpPrepared *prepared = of.prepared;

	check_amounts(request, of.method);
	dp_dataset_get(request->relation, false, &prepared->dataset);
	if (of.place.number == 0) /* the root's payer pays for all */
		dp_request_payer(request, of.method, false, prepared);

	dp_check_owner_can_read(request->relation);
	dp_check_owner_can_count(request->relation);
	if (prepared->dataset.unit_column)
		dp_check_unit_column(request->relation, prepared->dataset.unit_column);
	dp_dataset_check_view(&prepared->dataset);
	dp_dataset_check_shared(&prepared->dataset);
	dp_dataset_check_parents(&prepared->dataset);
	return (Permitted){of};
}

static Declared
read_declared(Permitted permitted)
{
	Preparation of = permitted.of;
	DpPrepared *prepared = of.prepared;

	prepared->arena = dp_arena_for(CurrentMemoryContext);
	prepared->relation = of.is_question
							 ? dp_relation_columns(of.request->relation, prepared->dataset.id, true)
							 : dp_relation_domain(of.request->relation, prepared->dataset.id, true);
	dp_options_from_jsonb(json_of(of.request->options), &prepared->options);
	prepared->domains = domains_of(of.request, of.method, &prepared->options);
	if (prepared->domains != NULL)
		dp_relation_assert_domains(prepared->relation, json_of(prepared->domains));
	if (is_of_rows(of.method, &prepared->options))
		dp_hierarchies_read(prepared->relation, prepared->dataset.id);
	dp_zeros_read(prepared->relation, prepared->dataset.id, true);
	dp_priors_read(prepared->relation, prepared->dataset.id, true);
	return (Declared){of};
}

static Chosen
choose_columns(Declared declared)
{
	Preparation of = declared.of;
	DpPrepared *prepared = of.prepared;

	check_columns_named(of.method, &prepared->options);
	if (of.is_question)
		dp_asked_restrict(
			prepared->relation,
			dp_asked_read(json_of(of.request->options), prepared->relation, &prepared->dataset));
	else if (of.is_query)
		dp_asked_columns_restrict(prepared->relation, &prepared->dataset, &prepared->options,
								  json_of(of.request->options));
	if (!of.is_question)
		dp_relation_restrict(prepared->relation, &prepared->options);
	if (of.place.tree != NULL)
		dp_tree_inherit(of.place.tree, of.place.number, prepared->relation);
	if (is_of_rows(of.method, &prepared->options))
		dp_relation_compute(prepared->relation, &prepared->options);
	dp_check_rows_above(of.request, prepared->relation);
	if (!of.is_query)
		dp_fill_check(prepared->relation);
	return (Chosen){of};
}

/* Whether rows are modelled, and all that is known of them. */
static bool
models_references(Preparation of)
{
	return !of.is_query && is_of_rows(of.method, &of.prepared->options) &&
		   dp_option_lists(&of.prepared->options, "columns") == NULL;
}

/* The modelled columns of the ancestors; NIL: none can be modelled together with these. */
static List *
modelled_above(DpPartPlace place)
{
	List *above = NIL;

	for (int i = place.number; place.tree != NULL && i > 0;)
	{
		i = place.tree->table[i].parent;
		above = lappend(above, place.tree->table[i].facts);
	}
	return above;
}

static Modelled
complete_domain(Chosen chosen)
{
	Preparation of = chosen.of;
	DpPrepared *prepared = of.prepared;

	if (is_of_rows(of.method, &prepared->options))
		dp_relation_group_categories(prepared->relation,
									 of.method != NULL && of.method->chooses_tables,
									 of.request->epsilon_nano);
	if (models_references(of) && of.place.tree == NULL)
		dp_existence_add(prepared->relation);
	check_something_to_model(prepared->relation, of.place.tree);
	if (is_of_rows(of.method, &prepared->options))
		dp_ranges_coarsen(&prepared->relation->domain);
	if (!of.is_query) /* which reads both columns, and is of the distance */
	{
		dp_check_offsets(prepared->relation);
		dp_check_offsets_above(prepared->relation, modelled_above(of.place));
	}
	dp_relation_read_domains(prepared->relation, &prepared->arena);
	if (models_references(of))
		dp_references_add(prepared->relation, &prepared->dataset,
						  dp_relations_together(of.request));
	if (!of.is_query) /* rules are of rows that are drawn */
		dp_relation_add_rules(prepared->relation, &prepared->relation->domain, true,
							  &prepared->arena);
	prepared->own = prepared->relation->domain.attributes;
	return (Modelled){of};
}

static Extended
extend_domain(Modelled modelled)
{
	Preparation of = modelled.of;
	DpError error = {0};

	if (of.place.tree != NULL)
		dp_tree_extend(of.place.tree, of.place.number, of.prepared->relation);
	dp_relation_add_rules_above(of.prepared->relation, &of.prepared->arena);
	if (dp_domain_check(&of.prepared->relation->domain, &error) != DP_OK)
		dp_raise(&error);
	return (Extended){of};
}

/* Rows of a unit are bounded after the filter, if a row identifies its unit. Worker nodes of Citus
 * send rows without it. */
static void
query_units(DpPrepared *prepared, DpQuery *query)
{
	DpAsked *asked = prepared->relation->asked;
	const char *given = dp_option_text(&prepared->options, DP_OPTION_MAX_ROWS);
	uint32 *rows_max = &prepared->request.unit.rows_max;

	dp_asked_check_rows(asked, &prepared->dataset);
	if (!dp_dataset_has_units(&prepared->dataset))
		return;
	query->has_units = !asked->by_columns || !dp_dataset_is_distributed(&prepared->dataset);
	if (dp_asked_has_one_row(asked))
		*rows_max = 1;
	else if (given != NULL) /* what is no such number is refused when the release is planned */
		*rows_max = (uint32) Max(Min(strtod(given, NULL), *rows_max), 1);
}

/* Fills in what the core plans by. */
static DpPrepared *
request_facts(Extended extended)
{
	const DpReleaseRequest *request = extended.of.request;
	DpPartPlace place = extended.of.place;
	DpPrepared *prepared = extended.of.prepared;

	if (!extended.of.is_question)
		prepared->request.rules =
			(DpRuleSource){.context = prepared->relation,
						   .add_zeros = extended.of.is_query ? NULL : rules_of_discovered,
						   .mark_equal = equal_values};
	prepared->request.domain = &prepared->relation->domain;
	prepared->request.unit = dp_dataset_noise_unit(&prepared->dataset);
	if (extended.of.is_query)
	{
		DpQuery *query;

		if (!extended.of.is_question)
			dp_asked_columns_read(prepared->relation, &prepared->options,
								  json_of(request->options));
		query = dp_asked_query(prepared->relation);
		query_units(prepared, query);
		prepared->request.query = query;
	}
	if (place.tree != NULL)
	{
		prepared->request.unit.rows_max = place.tree->table[place.number].unit_rows;
		prepared->request.known = place.tree->table[place.number].known;
		prepared->request.share_nano = place.share_nano;
		request_order(&place.tree->table[place.number], &prepared->request);
	}
	prepared->request.budget =
		(DpBudget){.epsilon_nano = request->epsilon_nano, .delta_atto = request->delta_atto};
	prepared->request.no_false_positives_nano = prepared->dataset.policy.no_false_positives_nano;
	prepared->request.options = &prepared->options;
	prepared->request.tick = &dp_interrupt_tick;
	prepared->request.sets = (uint32) request->sets;
	return prepared;
}

static DpPrepared *
prepare_facts(const DpReleaseRequest *request, const DpMethod *method, DpPartPlace place)
{
	Preparation of = {.request = request,
					  .method = method,
					  .place = place,
					  .is_query = method != NULL && strcmp(method->name, DP_QUERY_METHOD) == 0,
					  .prepared = palloc0(sizeof(DpPrepared))};

	of.is_question = of.is_query && dp_asked_given(json_of(request->options));
	return request_facts(
		extend_domain(complete_domain(choose_columns(read_declared(check_permitted(of))))));
}

DpPrepared *
dp_prepare_facts(const DpReleaseRequest *request, const DpMethod *method)
{
	return prepare_facts(request, method, (DpPartPlace){.tree = NULL});
}

DpPrepared *
dp_prepare_table(const DpReleaseRequest *request, DpPartPlace place, DpError *error)
{
	const DpMethod *method = dp_method_called(request->method);
	DpPrepared *prepared;
	DpError own = {0};

	if (error == NULL)
		error = &own;
	prepared = prepare_facts(request, method, place);
	if (dp_plan(method, &prepared->request, &prepared->plan, &prepared->arena, error) != DP_OK)
	{
		if (place.tree != NULL)
			dp_say_of_table(error, place.tree->table[place.number].name);
		if (error == &own)
			dp_raise(error);
		return NULL;
	}
	prepared->plan.memory_bytes = dp_add_saturated(prepared->plan.memory_bytes,
												   scan_memory(request->relation, &prepared->plan));
	if (place.tree != NULL)
		dp_plan_full_rows(prepared, method, place.tree, place.number);
	seeds_attach(request, prepared);
	return prepared;
}

uint64
dp_prepared_public(const DpPrepared *prepared)
{
	uint64 digest = dp_public_digest(prepared->relation);

	for (int i = 1; prepared->tree != NULL && i < prepared->tree->tables; i++)
		digest = hash_combine64(digest, dp_public_digest(prepared->part[i]->relation));
	return digest;
}

/* The worker reads public tables again, as what is planned by them must be what is read. */
static void
check_public_unchanged(const DpReleaseRequest *request, const DpPrepared *prepared)
{
	bool is_worker = request->domains != NULL;

	if (is_worker && request->public_digest != dp_prepared_public(prepared))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("a public table to which relation \"%s\" refers was changed meanwhile",
						dp_relation_words(request->relation)),
				 errdetail("What this transaction has changed there counts when it is "
						   "committed. Nothing was spent."),
				 errhint("Commit, and try again.")));
}

DpPrepared *
dp_prepare_request(const DpReleaseRequest *request)
{
	DpPrepared *prepared;

	dp_check_together(request);
	prepared = request->tree != NULL && request->tree[0] != '\0'
				   ? dp_prepare_tree(request, NULL)
				   : dp_prepare_table(request, (DpPartPlace){.tree = NULL}, NULL);

	check_public_unchanged(request, prepared);
	return prepared;
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
							   dp_relation_words(now->relation)),
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
		dp_check_owner_can_read(planned->relation);
		dp_check_public_tables(prepared->part[i]->relation);
	}
}

/*
 * Whose budget it is, what is left, who pays and which unit is protected are read anew, from
 * the rows that are locked now. What a custodian declares of columns (domains, zeros, priors)
 * is public and not locked: a declaration that changes after it was read counts as changed
 * after this release. Columns and owner cannot change, nor can the definition of a view, since the
 * worker holds the relation and what it reads. Whose a row of a view is, is judged anew all the
 * same: what can change it without a lock in the way, as a table that begins to inherit, is seen
 * here. No lock keeps the owner's rights from being revoked, so they are looked at once more.
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
	dp_request_payer(request, prepared->plan.method, true, prepared);
	dp_check_rows_above(request, prepared->relation);
	dp_check_public_tables(prepared->relation);
	dp_check_owner_can_read(request->relation);
	dp_check_owner_can_count(request->relation);
}
