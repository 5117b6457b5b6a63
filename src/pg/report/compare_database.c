/*
 * compare_database.c -- tables that belong together, in one figure: their keys, who is protected, and
 * what of them is made up.
 */
#include "pg/report/compare.h"

#include <math.h>

#include "lib/stringinfo.h"

#include "core/report/page.h"

/* A table, as it stands in the figure and in the table below it. */
typedef struct Member
{
	const DpComparedTable *table;
	int number; /* among the compared tables */
	double rows[2];
	uint32 modelled, made_up;
} Member;

typedef struct Members
{
	const DpCompareTree *tree;
	uint32 n;
	Member *member;  /* [n] each root is followed by what belongs to it; public tables come last */
	DpTableBox *box; /* [n] */
	int *place;      /* [tables] of a compared table in member */
} Members;

/* ---- what is known of them ---- */

/* Columns without a row of dp_evaluate that tells: all are compared. */
static void
read_member(const DpCompareTree *tree, Member *member)
{
	const DpComparedTable *table = member->table;
	const char *all = dp_compared_name(table, "*");
	const DpTreeRow *rows = dp_tree_row(tree, "rows", all, NULL);

	member->rows[0] = rows == NULL ? NAN : rows->original;
	member->rows[1] = rows == NULL ? NAN : rows->synthetic;
	if (table->role != DP_COMPARED_PUBLIC)
	{
		member->modelled = (uint32) list_length(table->column);
		if (table->role != DP_COMPARED_UNPROTECTED)
			member->made_up = (uint32) table->columns - member->modelled;
	}
}

static void
add_with_members(Members *members, int number, uint32 depth)
{
	static const DpTableRole role[] = {[DP_COMPARED_UNPROTECTED] = DP_TABLE_UNPROTECTED,
									   [DP_COMPARED_PUBLIC] = DP_TABLE_PUBLIC,
									   [DP_COMPARED_ROOT] = DP_TABLE_ROOT,
									   [DP_COMPARED_MEMBER] = DP_TABLE_MEMBER};
	const DpComparedTables *tables = &members->tree->tables;
	const DpComparedTable *table = &tables->table[number];
	uint32 at = members->n++;
	Member *member = &members->member[at];

	*member = (Member){.table = table, .number = number};
	members->place[number] = (int) at;
	read_member(members->tree, member);
	members->box[at] = (DpTableBox){
		.name = dp_report_words(table->name),
		.words = isnan(member->rows[0]) ? ""
										: psprintf("%s rows, synthetic %s",
												   pstrdup(dp_written_count(member->rows[0]).text),
												   pstrdup(dp_written_count(member->rows[1]).text)),
		.role = role[table->role],
		.parent = table->parent < 0 ? -1 : members->place[table->parent],
		.depth = depth,
		.modelled = member->modelled,
		.made_up = member->made_up};
	for (int i = 0; i < tables->n; i++)
		if (tables->table[i].parent == number)
			add_with_members(members, i, depth + 1);
}

static Members
members_of(const DpCompareTree *tree)
{
	const DpComparedTables *tables = &tree->tables;
	Members members = {.tree = tree,
					   .member = palloc0(sizeof(Member) * tables->n),
					   .box = palloc0(sizeof(DpTableBox) * tables->n),
					   .place = palloc0(sizeof(int) * tables->n)};

	for (int is_public = 0; is_public < 2; is_public++)
		for (int i = 0; i < tables->n; i++)
			if (tables->table[i].parent < 0 &&
				(tables->table[i].role == DP_COMPARED_PUBLIC) == (is_public == 1))
				add_with_members(&members, i, 0);
	return members;
}

/* ---- the figure ---- */

static DpTableArrow *
arrows_of(const Members *members, uint32 *n)
{
	DpTableArrow *arrow = NULL;
	uint32 most = 0;

	*n = 0;
	for (uint32 m = 0; m < members->n; m++)
		most += (uint32) list_length(members->member[m].table->references);
	arrow = palloc(sizeof(DpTableArrow) * Max(most, 1));
	for (uint32 m = 0; m < members->n; m++)
	{
		const DpComparedTable *table = members->member[m].table;
		ListCell *cell;

		foreach (cell, table->references)
		{
			const DpComparedReference *reference = lfirst(cell);

			/* that to the parent is drawn as a branch */
			if (reference->parent != table->parent)
				arrow[(*n)++] = (DpTableArrow){m, (uint32) members->place[reference->parent]};
		}
	}
	return arrow;
}

static void
put_figure(DpPage *page, const Members *members)
{
	DpDatabaseFigure database = {.n = members->n, .table = members->box};

	database.arrow = arrows_of(members, &database.arrows);
	database.words.title = psprintf("The %u tables and their foreign keys", members->n);
	database.words.description =
		"A box for each table, with a square for each column. A table stands below and to the "
		"right "
		"of that to whose rows its rows belong, and a line joins them. Lines on the right are the "
		"other foreign keys. The table beside it says the same.";
	dp_put(page, "<figure class=\"matrix\"><div class=\"wide\">");
	dp_put_database(page, &database);
	dp_put(
		page,
		"</div><p class=\"note wider\">If lines are missing at the right, the figure is wider "
		"than the window: move it sideways.</p>"
		"<ul class=\"key\"><li><span class=\"swatch root\"></span>protected: noise hides who is "
		"in it</li><li><span class=\"swatch member\"></span>each row belongs "
		"to one of its parent</li><li><span class=\"swatch open\"></span>public: nobody's data</li>"
		"<li><span class=\"swatch synthetic\"></span>a column that is modelled, and compared</li>"
		"<li><span class=\"swatch original\"></span>one that is made up</li></ul>");
	if (members->n > DP_DATABASE_TABLES_MAX)
		dp_put(page, "<figcaption>%u of %u tables are drawn.</figcaption>", DP_DATABASE_TABLES_MAX,
			   (unsigned) members->n);
	dp_put(page, "</figure>\n");
}

/* ---- as a table ---- */

static const char *
protection_words(const Members *members, const Member *member)
{
	const DpComparedTable *table = member->table;

	switch (table->role)
	{
		case DP_COMPARED_PUBLIC:
			return "public, as it is";
		case DP_COMPARED_ROOT:
			if (table->unit_column != NULL)
				return psprintf("protected: rows of one %s together, up to %u",
								dp_report_words(table->unit_column), (unsigned) table->rows_max);
			return table->rows_max == 1
					   ? "protected: each row"
					   : psprintf("protected: any %u rows together", (unsigned) table->rows_max);
		case DP_COMPARED_MEMBER:
			return table->parent < 0
					   ? "protected, with a table that is not here"
					   : psprintf("protected with %s: up to %u for each row there",
								  dp_report_words(members->tree->tables.table[table->parent].name),
								  (unsigned) table->rows_max);
		default:
			return "not protected";
	}
}

/* "customer, staff (2)": the other tables that its foreign keys lead to. */
static const char *
references_words(const Members *members, const Member *member)
{
	const DpComparedTable *table = member->table;
	StringInfoData words;
	ListCell *cell;

	initStringInfo(&words);
	foreach (cell, table->references)
	{
		const DpComparedReference *reference = lfirst(cell);

		if (reference->parent != table->parent)
			appendStringInfo(
				&words, "%s%s", words.len > 0 ? ", " : "",
				reference->parent == member->number
					? "itself"
					: dp_report_words(members->tree->tables.table[reference->parent].name));
	}
	return words.data;
}

static void
put_tables(DpPage *page, const Members *members)
{
	dp_put(page,
		   "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Table</th>"
		   "<th scope=\"col\">Who is protected</th><th scope=\"col\">Refers to</th>"
		   "<th scope=\"col\" class=\"n\">Rows</th><th scope=\"col\" class=\"n\">Synthetic</th>"
		   "<th scope=\"col\" class=\"n\">Columns compared</th>"
		   "<th scope=\"col\" class=\"n\">made up</th></tr></thead><tbody>\n");
	for (uint32 m = 0; m < members->n; m++)
	{
		const Member *member = &members->member[m];
		bool is_public = member->table->role == DP_COMPARED_PUBLIC;

		dp_put(page,
			   "<tr class=\"of-table\"><th scope=\"row\">%.*s</th><td>%s</td><td>%s</td>"
			   "<td class=\"n\">%s</td><td class=\"n\">%s</td>",
			   63, members->box[m].name, protection_words(members, member),
			   references_words(members, member), pstrdup(dp_written_count(member->rows[0]).text),
			   pstrdup(dp_written_count(member->rows[1]).text));
		dp_put(page, "<td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
			   is_public ? "" : psprintf("%u", member->modelled),
			   is_public ? "" : psprintf("%u", member->made_up));
	}
	dp_put(page, "</tbody></table></div>\n");
}

/* ---- what is made up ---- */

static void
put_made_up(DpPage *page, const DpCompareTree *tree)
{
	uint32 n = 0;

	for (uint64 r = 0; r < tree->n; r++)
		n += strcmp(tree->row[r].measure, "made_up") == 0;
	if (n == 0)
		return;
	dp_put(page,
		   "<details><summary>What is made up: %u columns hold keys, fills and NULL, and "
		   "no value of the original</summary><div class=\"scroll\"><table><thead><tr>"
		   "<th scope=\"col\">Column</th><th scope=\"col\">What stands there</th>"
		   "<th scope=\"col\" class=\"n\">NULL in the original</th>"
		   "<th scope=\"col\" class=\"n\">Synthetic</th></tr></thead><tbody>\n",
		   (unsigned) n);
	for (uint64 r = 0; r < tree->n; r++)
	{
		const DpTreeRow *row = &tree->row[r];

		if (strcmp(row->measure, "made_up") == 0)
			dp_put(page,
				   "<tr class=\"made-up\"><th scope=\"row\" class=\"long\">%.*s</th><td>%.*s</td>"
				   "<td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
				   127, dp_report_words(row->column[0]), 80, dp_report_words(row->detail),
				   isnan(row->original) ? "" : pstrdup(dp_written_percent(row->original).text),
				   isnan(row->synthetic) ? "" : pstrdup(dp_written_percent(row->synthetic).text));
	}
	dp_put(page, "</tbody></table></div></details>\n");
}

/* ---- the page ---- */

static void
put_distance_total(DpPage *page, const DpTreeRow *row, const char *meaning)
{
	if (row != NULL)
		dp_put_tile(page, pstrdup(dp_written_percent(row->value).text), meaning);
}

void
dp_put_compared_totals(DpPage *page, const DpCompareTree *tree)
{
	Members members = members_of(tree);
	uint32 modelled = 0, made_up = 0;

	for (uint32 m = 0; m < members.n; m++)
	{
		modelled += members.member[m].modelled;
		made_up += members.member[m].made_up;
	}
	dp_put(page, "<ul class=\"tiles\">\n");
	dp_put_tile(page, psprintf("%u", members.n), "tables");
	dp_put_tile(page, psprintf("%u", modelled), "columns compared");
	dp_put_tile(page, psprintf("%u", made_up),
				"columns made up, and not compared: keys, fills, NULL");
	put_distance_total(page, dp_tree_row(tree, "tvd1", "*", NULL),
					   "of the rows would have to change, on average, for a column to be right");
	put_distance_total(page, dp_tree_row(tree, "tvd2", "*", NULL),
					   "for a pair of columns of one table");
	put_distance_total(page, dp_tree_row(tree, "tvd2", "*", "*"),
					   "for a pair across a foreign key");
	dp_put(page, "</ul>");
}

void
dp_put_compared_database(DpCompareReport *of, const DpCompareTree *tree)
{
	DpPage *page = &of->report.page;
	Members members = members_of(tree);

	dp_put(page,
		   "<section><h2>The database</h2>\n<p>Tables, the foreign keys between them, and who "
		   "is protected. Squares are columns: what is modelled is like the original as far "
		   "as the noise allows, and what is made up says nothing of it.</p>\n"
		   "<div class=\"pairs\">");
	put_figure(page, &members);
	dp_put(page, "<div>");
	put_tables(page, &members);
	put_made_up(page, tree);
	dp_put(page, "</div></div></section>\n");
}
