/*
 * fitted.c -- a small store of fits.
 *
 * An entry has its own memory context with a copy of the model's bytes. It is made below the
 * caller's context, so that an error or a cancel in the middle frees it, and moves to the session's
 * when it is complete. Whoever uses an entry pins it until its own context ends; what is not pinned
 * may give way to another.
 */
#include "pg/sample/fitted.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "core/sample/model_query.h"
#include "pg/server/bridge.h"

#define ENTRIES_MAX 16

typedef enum Kind
{
	FIT,
	DRAWN, /* rows, and no fit */
	MADE   /* rows that the caller has drawn */
} Kind;

typedef struct Entry
{
	struct Entry *next; /* the one that was used before */
	MemoryContext context;
	DpStored stored;
	uint32 set;
	Kind kind;
	int pins;
	bool kept; /* whether it is in the list */
	DpFitted fitted;
} Entry;

typedef struct Pin
{
	MemoryContextCallback callback;
	Entry *entry;
} Pin;

static Entry *entries = NULL; /* the last used first */

static void
unpin(void *pin)
{
	((Pin *) pin)->entry->pins--;
}

static const DpFitted *
pin_entry(Entry *entry)
{
	Pin *pin = palloc(sizeof(Pin));

	pin->entry = entry;
	pin->callback.func = unpin;
	pin->callback.arg = pin;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &pin->callback);
	entry->pins++;
	return &entry->fitted;
}

/* Finds an entry, and moves it to the front. */
static Entry *
find_entry(const DpStored *stored, uint32 set, Kind kind)
{
	for (Entry **at = &entries; *at != NULL; at = &(*at)->next)
	{
		Entry *entry = *at;

		if (entry->stored.id != stored->id || entry->set != set || entry->kind != kind ||
			entry->stored.length != stored->length ||
			memcmp(entry->stored.bytes, stored->bytes, stored->length) != 0)
			continue;
		*at = entry->next;
		entry->next = entries;
		entries = entry;
		return entry;
	}
	return NULL;
}

/* Drops entries that nobody uses, the longest unused first, until there is enough space. */
static bool
reserve(Size bytes)
{
	Size limit = (Size) maintenance_work_mem * 1024;

	for (;;)
	{
		Size used = bytes;
		int n = 1;
		Entry **victim = NULL, *entry;

		for (Entry **at = &entries; *at != NULL; at = &(*at)->next, n++)
		{
			used += MemoryContextMemAllocated((*at)->context, true);
			victim = (*at)->pins == 0 ? at : victim;
		}
		if (used <= limit && n <= ENTRIES_MAX)
			return true;
		if (victim == NULL || bytes > limit)
			return false;
		entry = *victim;
		*victim = entry->next;
		MemoryContextDelete(entry->context);
	}
}

/* DP_ERR_LIMIT means that rows must be drawn to answer: a fit that is absent. */
static void
fit_entry(Entry *entry, const DpTick *tick)
{
	const DpModelQuery *query = entry->stored.method->sampler->query;
	DpError error = {0};
	void *fitted = NULL;
	DpStatus status = DP_ERR_LIMIT;

	if (query != NULL && !dp_model_holds_rows(&entry->fitted.model))
		status = query->fit(&entry->fitted.model, &fitted, tick, &entry->stored.arena, &error);
	if (status == DP_ERR_LIMIT)
		return;
	if (status != DP_OK)
	{
		error.status = status;
		dp_raise(&error);
	}
	entry->fitted.fitted = fitted;
}

static void
draw_entry(Entry *entry, const DpTick *tick)
{
	const DpModel *model = &entry->fitted.model;
	uint32 *all = palloc(sizeof(uint32) * Max(model->domain.attributes, 1));
	DpAttributeSet kept = {model->domain.attributes, all};
	DpError error = {0};
	DpStatus status;

	for (uint32 a = 0; a < kept.n; a++)
		all[a] = a;
	status = dp_monte_carlo_make(entry->stored.method->sampler, model, &kept, &entry->fitted.drawn,
								 tick, &entry->stored.arena, &error);
	if (status == DP_OK)
		return;
	error.status = status;
	dp_raise(&error);
}

static Entry *
make_entry(const DpStored *stored, uint32 set, Kind kind, DpDrawnMaker maker, const DpTick *tick)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "dpsyn fit", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	Entry *entry = palloc0(sizeof(Entry));

	entry->context = context;
	entry->set = set;
	entry->kind = kind;
	entry->stored.id = stored->id;
	entry->stored.sets = stored->sets;
	entry->stored.length = stored->length;
	entry->stored.bytes = MemoryContextAllocHuge(context, Max(stored->length, 1));
	memcpy(entry->stored.bytes, stored->bytes, stored->length);
	dp_stored_parse(&entry->stored);
	if (dp_model_view(&entry->stored.model, set, &entry->fitted.model) != DP_OK)
		elog(ERROR, "a stored release has fewer sets than its line says");
	if (kind == FIT)
		fit_entry(entry, tick);
	else if (kind == DRAWN)
		draw_entry(entry, tick);
	else
		maker.make(maker.context, &entry->fitted, &entry->stored.arena);
	entry->fitted.trials = palloc0(sizeof(DpTrials) * DP_RAKING_SIZES);
	entry->fitted.arena = &entry->stored.arena;
	MemoryContextSwitchTo(caller);
	return entry;
}

static const DpFitted *
get_entry(const DpStored *stored, uint32 set, Kind kind, DpDrawnMaker maker, const DpTick *tick)
{
	Entry *entry = find_entry(stored, set, kind);

	if (entry != NULL)
		return pin_entry(entry);
	entry = make_entry(stored, set, kind, maker, tick);
	if (!reserve(MemoryContextMemAllocated(entry->context, true)))
		return &entry->fitted; /* it ends with the caller's context */
	MemoryContextSetParent(entry->context, TopMemoryContext);
	entry->kept = true;
	entry->next = entries;
	entries = entry;
	return pin_entry(entry);
}

const DpFitted *
dp_fitted_get(const DpStored *stored, uint32 set, const DpTick *tick)
{
	return get_entry(stored, set, FIT, (DpDrawnMaker){0}, tick);
}

const DpFitted *
dp_drawn_get(const DpStored *stored, uint32 set, const DpTick *tick)
{
	return get_entry(stored, set, DRAWN, (DpDrawnMaker){0}, tick);
}

const DpFitted *
dp_drawn_get_made(const DpStored *stored, uint32 set, DpDrawnMaker maker)
{
	return get_entry(stored, set, MADE, maker, NULL);
}

bool
dp_drawn_is_kept(const DpStored *stored)
{
	uint64 sets = (uint64) stored->sets;

	/* a query needs an entry of each kind and set, and all at once */
	return 2 * sets <= ENTRIES_MAX &&
		   dp_monte_carlo_bytes(&stored->model) <= (uint64) maintenance_work_mem * 1024 / sets;
}
