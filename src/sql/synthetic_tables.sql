------------------------------------------------------------------------------
-- 8. Tables like the originals, filled. Everything is read from the catalog, by whoever may ask for
--    releases: no right to SELECT from the original is needed, which LIKE would want. What would
--    run somebody's code as the caller is left out, and a NOTICE says so.
------------------------------------------------------------------------------

-- Functions that are neither PostgreSQL's own nor an extension's.
CREATE FUNCTION dp_catalog.dp_is_untrusted_code(class oid, object oid)
	RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT $2 >= 16384
   AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = $1 AND e.objid = $2 AND e.deptype = 'e')
$$;
COMMENT ON FUNCTION dp_catalog.dp_is_untrusted_code(oid, oid) IS
	'internal: whether an object of the catalog is neither PostgreSQL''s own nor an extension''s';

-- Whether a type has a cast that calls a function of its owner's. The words of an expression may
-- mean such a cast, although the expression that they were printed from does not have it.
CREATE FUNCTION dp_catalog.dp_has_own_cast(type oid)
	RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT $1 >= 16384
   AND EXISTS (SELECT FROM pg_cast c
				WHERE $1 IN (c.castsource, c.casttarget) AND dp_catalog.dp_is_untrusted_code('pg_proc'::regclass, c.castfunc))
$$;
COMMENT ON FUNCTION dp_catalog.dp_has_own_cast(oid) IS
	'internal: whether a type has a cast that runs code which is neither PostgreSQL''s own nor an '
	'extension''s';

-- Whether an object uses functions, operators, types or sequences that are neither PostgreSQL's own
-- nor an extension's, or columns of types that have casts of such a kind.
CREATE FUNCTION dp_catalog.dp_uses_untrusted_code(class regclass, object oid)
	RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT EXISTS (
	SELECT FROM pg_depend d
	 WHERE d.classid = $1 AND d.objid = $2
	   AND (d.deptype = 'n' AND d.refobjid >= 16384
			AND (d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass, 'pg_opfamily'::regclass)
				 OR d.refclassid = 'pg_type'::regclass AND (SELECT t.typtype <> 'e' FROM pg_type t WHERE t.oid = d.refobjid)
				 OR d.refclassid = 'pg_class'::regclass AND (SELECT c.relkind = 'S' FROM pg_class c WHERE c.oid = d.refobjid))
			AND dp_catalog.dp_is_untrusted_code(d.refclassid, d.refobjid)
			OR d.refclassid = 'pg_type'::regclass AND d.refobjid >= 16384 AND dp_catalog.dp_has_own_cast(d.refobjid)
			OR d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0
			AND (SELECT a.atttypid >= 16384 AND dp_catalog.dp_has_own_cast(a.atttypid)
				   FROM pg_attribute a WHERE a.attrelid = d.refobjid AND a.attnum = d.refobjsubid)))
$$;
COMMENT ON FUNCTION dp_catalog.dp_uses_untrusted_code(regclass, oid) IS
	'internal: whether an object of the catalog uses code that is neither PostgreSQL''s nor an '
	'extension''s';

-- The judge of whose code runs (src/pg/server/untrusted_code.h), which looks at what expressions call.
-- Functions that take SQL as a text, such as query_to_xml, are PostgreSQL's own.
CREATE FUNCTION dp_catalog.dp_runs_code(expression pg_node_tree)
	RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_runs_code(pg_node_tree) IS
	'internal: whether an expression of a table could run code that somebody wrote, or takes long for each row';

CREATE FUNCTION dp_catalog.dp_type_runs_code(type oid)
	RETURNS boolean AS 'MODULE_PATHNAME', 'dp_is_code' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_type_runs_code(oid) IS
	'internal: whether reading a value of a type could run code that somebody wrote';

-- Whose owner could make the type run other code tomorrow, and has not the rights of the current
-- user anyway. A superuser has everybody's rights, but nobody has a superuser's.
CREATE FUNCTION dp_catalog.dp_is_others_type(type oid)
	RETURNS boolean LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT dp_catalog.dp_type_runs_code(t.oid) AND NOT pg_has_role(t.typowner, current_user, 'USAGE')
  FROM pg_type t WHERE t.oid = $1
$$;
COMMENT ON FUNCTION dp_catalog.dp_is_others_type(oid) IS
	'internal: whether a type can run code, and belongs to another role than the caller''s';

-- Domains whose CHECKs or defaults are their owner's code, that are another role's, that the caller
-- may not use, or that are over such a one, give way to the types that they are over. Other types of
-- another role that can run code give way to text.
CREATE FUNCTION dp_catalog.dp_synthetic_type(INOUT type oid, INOUT typmod integer)
	LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	t record;
	base record;
BEGIN
	SELECT typtype, typbasetype, typtypmod, typelem, typcategory, typnamespace, typdefaultbin
	  INTO STRICT t FROM pg_type WHERE oid = type;
	IF t.typcategory = 'A' AND t.typtype = 'b' AND dp_catalog.dp_type_runs_code(t.typelem) THEN
		-- of values that are arrays themselves too, as of any others
		SELECT CASE WHEN e.typcategory = 'A' THEN e.oid ELSE e.typarray END, -1 INTO STRICT type, typmod
		  FROM dp_catalog.dp_synthetic_type(t.typelem, -1) s JOIN pg_type e ON e.oid = s.type;
	ELSIF t.typtype <> 'd' AND dp_catalog.dp_is_others_type(type) THEN
		type := 'text'::regtype;
		typmod := -1;
	ELSIF t.typtype = 'd' THEN
		SELECT s.type, s.typmod INTO STRICT base FROM dp_catalog.dp_synthetic_type(t.typbasetype, t.typtypmod) s;
		IF base.type <> t.typbasetype
			OR dp_catalog.dp_is_others_type(type)
			OR dp_catalog.dp_runs_code(t.typdefaultbin)
			OR NOT has_type_privilege(type, 'USAGE') OR NOT has_schema_privilege(t.typnamespace, 'USAGE')
			OR EXISTS (SELECT FROM pg_constraint c
						WHERE c.contypid = type
						  AND (dp_catalog.dp_uses_untrusted_code('pg_constraint', c.oid)
							   OR dp_catalog.dp_runs_code(c.conbin))) THEN
			type := base.type;
			typmod := base.typmod;
		END IF;
	END IF;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_type(oid, integer) IS
	'internal: the type that a column of a synthetic table has';

CREATE FUNCTION dp_catalog.dp_type_not_null(type oid)
	RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_type_not_null(oid) IS
	'internal: whether a type is a domain that is NOT NULL, or over one';

CREATE FUNCTION dp_catalog.dp_synthetic_columns(relation regclass, OUT number smallint, OUT name name,
									 OUT type oid, OUT typmod integer, OUT has_expression boolean,
									 OUT is_required boolean, OUT is_inserted boolean,
									 OUT is_sequence boolean, OUT is_unique boolean,
									 OUT is_null boolean, OUT not_null boolean, OUT left_out text)
	RETURNS SETOF record LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT a.attnum, a.attname, x.type, x.typmod,
	   f.oid IS NOT NULL AND NOT x.untrusted_code AND NOT x.is_sequence,
	   x.not_null AND NOT (a.attgenerated <> '' AND x.untrusted_code),
	   a.attgenerated = '' OR x.untrusted_code,
	   x.is_sequence,
	   coalesce(d.kind IN ('key', 'fill') AND d.fill ~ '\{(n|n:([1-9]|1[0-9])|n:\[([^]\\]|\\.)+\](:\d+)?|uuid)\}', false),
	   coalesce(d.kind IN ('key', 'fill') AND d.fill = '{null}', d.kind IS NULL AND d.source IS DISTINCT FROM 'fields'),
	   x.not_null AND a.attgenerated = '',
	   CASE WHEN x.untrusted_code AND NOT x.is_sequence
			THEN format(CASE a.attgenerated WHEN '' THEN 'the default of column %I'
											ELSE 'the expression of column %I' END, a.attname)
			WHEN (x.type, x.typmod) <> (a.atttypid, a.atttypmod)
			THEN format('type %s of column %I', format_type(a.atttypid, a.atttypmod), a.attname) END
  FROM pg_attribute a
  LEFT JOIN pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
  -- Fields of a column have its number, and names of their own.
  LEFT JOIN dp_catalog.dp_column_roles($1) d ON d.ordinal = a.attnum AND d.column_name = a.attname
 CROSS JOIN LATERAL dp_catalog.dp_synthetic_type(a.atttypid, a.atttypmod) t
 CROSS JOIN LATERAL (
		SELECT t.type, t.typmod,
			   a.attnotnull OR dp_catalog.dp_type_not_null(a.atttypid) AS not_null,
			   coalesce(dp_catalog.dp_uses_untrusted_code('pg_attrdef', f.oid)
						OR dp_catalog.dp_runs_code(f.adbin), false) AS untrusted_code,
			   a.attidentity <> ''
			   OR a.attgenerated = '' AND coalesce(pg_get_expr(f.adbin, f.adrelid) ~ '\m(nextval|currval|lastval)\(', false)
			   AS is_sequence OFFSET 0) x -- computed once for each column
 WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
 ORDER BY a.attnum
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_columns(regclass) IS
	'internal: the columns of a synthetic table, and what becomes of each';

-- The CHECKs of domain types that synthetic tables have not.
CREATE FUNCTION dp_catalog.dp_synthetic_domain_checks(relation regclass, OUT number smallint, OUT id oid,
										   OUT left_out text)
	RETURNS SETOF record LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
WITH RECURSIVE domains (number, type, typmod) AS (
	SELECT a.attnum, a.atttypid, a.atttypmod FROM pg_attribute a
	 WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
	 UNION ALL
	SELECT d.number, t.typbasetype, t.typtypmod FROM domains d
	  JOIN pg_type t ON t.oid = d.type AND t.typtype = 'd'
	 WHERE (SELECT s.type FROM dp_catalog.dp_synthetic_type(d.type, d.typmod) s) <> d.type)
SELECT d.number, c.oid,
	   CASE WHEN dp_catalog.dp_uses_untrusted_code('pg_constraint', c.oid) OR dp_catalog.dp_runs_code(c.conbin)
			THEN format('constraint %I', c.conname) END
  FROM domains d
  JOIN pg_type t ON t.oid = d.type AND t.typtype = 'd'
  JOIN pg_constraint c ON c.contypid = d.type AND c.contype = 'c'
 WHERE (SELECT s.type FROM dp_catalog.dp_synthetic_type(d.type, d.typmod) s) <> d.type
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_domain_checks(regclass) IS
	'internal: the CHECKs of domain types that give way to the types that they are over';

-- EXCLUDE constraints that rows keep: no two of those with the same in some columns have anything of a range in common, which is
-- a column, or made of the columns low and high. value: what of a drawn row takes the place of c17, the column that is its
-- end, so that each ends where the next begins; NULL: all columns are compared by =. holds: that a drawn row has such a range.
CREATE FUNCTION dp_catalog.dp_synthetic_exclusions(relation regclass, OUT id oid, OUT columns smallint[], OUT number smallint, OUT value text,
												OUT holds text)
	RETURNS SETOF record LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT e.id, e.same || e.range || r.low, coalesce(r.high, e.range),
	   CASE WHEN e.range <> 0 THEN format('c%1$s * %2$s(NULL, lead(lower(c%1$s)) OVER (%3$s ORDER BY lower(c%1$s) NULLS FIRST))', e.range, e.type, e.alike)
			WHEN r.high IS NOT NULL THEN format('CASE WHEN c%2$s < lead(c%2$s) OVER (%3$s ORDER BY c%2$s) THEN least(c%1$s, lead(c%2$s) OVER (%3$s ORDER BY c%2$s)%4$s) ELSE c%1$s END',
												   r.high, r.low, e.alike, r.before) END,
	   CASE WHEN r.high IS NOT NULL THEN format('(c%s <= c%s) IS NOT FALSE', r.low, r.high)
			WHEN e.range <> 0 THEN format('isempty(c%s) IS NOT TRUE', e.range) END
  FROM (SELECT c.oid AS id, coalesce(array_agg(x.number) FILTER (WHERE o.oprname = '='), '{}') AS same,
			   max(x.number) FILTER (WHERE o.oprname = '&&') AS range, max(format_type(a.atttypid, NULL)) FILTER (WHERE o.oprname = '&&') AS type,
			   max(pg_get_indexdef(c.conindid, x.place::integer, false)) FILTER (WHERE o.oprname = '&&') AS words,
			   'PARTITION BY 0' || coalesce(string_agg(format(', c%s', x.number), '') FILTER (WHERE o.oprname = '='), '') AS alike,
			   bool_and(o.oid < 16384 AND CASE o.oprname WHEN '=' THEN x.number > 0
						WHEN '&&' THEN x.number = 0 OR a.atttypid IN (SELECT g.rngtypid FROM pg_range g WHERE g.rngtypid < 16384) ELSE false END)
			   AND count(*) FILTER (WHERE o.oprname = '&&') <= 1 AS is_known
		  FROM pg_constraint c
		  JOIN pg_index i ON i.indexrelid = c.conindid
		 CROSS JOIN LATERAL unnest(c.conexclop, (string_to_array(i.indkey::text, ' ')::smallint[])[1:i.indnkeyatts]) WITH ORDINALITY x (operator, number, place)
		  JOIN pg_operator o ON o.oid = x.operator
		  LEFT JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = x.number AND x.number > 0
		 WHERE c.conrelid = $1 AND c.contype = 'x' AND NOT c.condeferrable
		   AND dp_catalog.dp_runs_code(i.indexprs) IS NOT TRUE AND dp_catalog.dp_runs_code(i.indpred) IS NOT TRUE
		 GROUP BY c.oid) e
  LEFT JOIN LATERAL (
		SELECT l.attnum AS low, h.attnum AS high, CASE WHEN e.words LIKE '%''[]''%' AND g.rngcanonical <> 0 THEN ' - 1' ELSE '' END AS before
		  FROM pg_range g JOIN pg_attribute l ON l.attrelid = $1 AND l.atttypid = g.rngsubtype AND l.attnum > 0
		  JOIN pg_attribute h ON h.attrelid = $1 AND h.atttypid = g.rngsubtype AND h.attnum > 0 AND h.attgenerated = ''
		 WHERE e.range = 0 AND g.rngtypid < 16384
		   AND starts_with(replace(e.words, 'COALESCE(', ''), format('%s(%I, %I', format_type(g.rngtypid, NULL), l.attname, h.attname))
		 ORDER BY length(h.attname) DESC LIMIT 1) r ON true
 WHERE e.is_known AND (e.range IS DISTINCT FROM 0 OR r.high IS NOT NULL)
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_exclusions(regclass) IS
	'internal: EXCLUDE constraints that a synthetic table has, and how its rows are made to keep them';

CREATE FUNCTION dp_catalog.dp_synthetic_has_ranges(relation regclass) RETURNS text
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT coalesce(string_agg(e.holds, ' AND ' ORDER BY e.id), 'true') FROM dp_catalog.dp_synthetic_exclusions($1) e
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_has_ranges(regclass) IS
	'internal: that EXCLUDE constraints of a synthetic table can compute the ranges of a drawn row';

-- CHECK, PRIMARY KEY, UNIQUE and EXCLUDE. is_kept: the rows keep it by themselves. number: whose column a CHECK
-- of a domain type becomes one of. Without a name: PostgreSQL finds one.
CREATE FUNCTION dp_catalog.dp_synthetic_constraints(relation regclass, OUT id oid, OUT number smallint,
										 OUT name name, OUT kind "char", OUT index oid,
										 OUT is_kept boolean, OUT is_deferrable boolean,
										 OUT left_out text)
	RETURNS SETOF record LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT * FROM (
SELECT c.oid, NULL::smallint AS number, c.conname, c.contype, c.conindid,
	   c.contype = 'c'
	   OR c.contype <> 'x' AND EXISTS (SELECT FROM dp_catalog.dp_synthetic_columns($1) s
				   WHERE s.number = ANY (c.conkey)
					 AND (s.is_unique OR c.contype = 'u' AND s.is_null AND NOT x.nulls_equal)),
	   c.condeferrable,
	   CASE WHEN c.contype = 'x' AND NOT EXISTS (SELECT FROM dp_catalog.dp_synthetic_exclusions($1) e WHERE e.id = c.oid)
			  OR dp_catalog.dp_uses_untrusted_code('pg_constraint', c.oid) OR dp_catalog.dp_runs_code(c.conbin)
			  OR c.contype = 'x' AND dp_catalog.dp_uses_untrusted_code('pg_class', c.conindid)
			THEN format('constraint %I', c.conname) END
  FROM pg_constraint c
 CROSS JOIN LATERAL (SELECT coalesce((SELECT i.indnullsnotdistinct FROM pg_index i WHERE i.indexrelid = c.conindid), false) AS nulls_equal) x
 WHERE c.conrelid = $1 AND c.contype IN ('c', 'p', 'u', 'x')
   AND (to_jsonb(c) ->> 'conenforced') IS DISTINCT FROM 'false'
 UNION ALL
SELECT f.id, NULL, f.name, 'f', 0, false, f.is_deferrable, format('foreign key %I', f.name)
  FROM dp_catalog.dp_foreign_keys(child => $1) f
 UNION ALL
SELECT d.id, d.number, NULL, 'c'::"char", 0, true, false, d.left_out
  FROM dp_catalog.dp_synthetic_domain_checks($1) d
) k ORDER BY k.contype = 'c', k.conname NULLS LAST
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_constraints(regclass) IS
	'internal: the constraints of a synthetic table, and what becomes of each';

-- Indexes that no constraint brings along.
CREATE FUNCTION dp_catalog.dp_synthetic_indexes(relation regclass, OUT id oid, OUT name name, OUT is_unique boolean,
									 OUT is_computed boolean, OUT left_out text)
	RETURNS SETOF record LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT c.oid, c.relname, i.indisunique, i.indexprs IS NOT NULL OR i.indpred IS NOT NULL,
	   CASE WHEN dp_catalog.dp_uses_untrusted_code('pg_class', c.oid) OR dp_catalog.dp_runs_code(i.indexprs)
				 OR dp_catalog.dp_runs_code(i.indpred)
			THEN format('index %I', c.relname) END
  FROM pg_index i
  JOIN pg_class c ON c.oid = i.indexrelid
 WHERE i.indrelid = $1 AND i.indisvalid
   AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.conrelid = $1)
 ORDER BY c.relname
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_indexes(regclass) IS
	'internal: the indexes of a synthetic table that belong to no constraint';

-- What makes the tables. All of it goes by OIDs: what words mean can change between looking and making,
-- and a table that was made of another one's words would run code of others as the caller.
CREATE FUNCTION dp_catalog.dp_synthetic_table(source regclass, schema name)
	RETURNS oid AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_table(regclass, name) IS
	'internal: makes an empty table with the columns and CHECKs of a relation, and returns it';

CREATE FUNCTION dp_catalog.dp_synthetic_index(index oid, target oid)
	RETURNS oid AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_index(oid, oid) IS
	'internal: gives a synthetic table an index like this one, with its constraint, and returns it';

CREATE FUNCTION dp_catalog.dp_synthetic_drop_index(index oid)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_drop_index(oid) IS 'internal: drops an index of a synthetic table';

CREATE FUNCTION dp_catalog.dp_synthetic_foreign_key(id oid, target oid, parent oid)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_foreign_key(oid, oid, oid) IS
	'internal: gives a synthetic table a foreign key like this one, to another synthetic table';

CREATE FUNCTION dp_catalog.dp_synthetic_drop_constraint(target oid, name name)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_drop_constraint(oid, name) IS
	'internal: drops a constraint of a synthetic table';

CREATE FUNCTION dp_catalog.dp_synthetic_identity(target oid, column_name name, first bigint)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_identity(oid, name, bigint) IS
	'internal: gives a column of a synthetic table a sequence of its own';

CREATE FUNCTION dp_catalog.dp_synthetic_comment(target oid, words text)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_comment(oid, text) IS 'internal: the comment of a synthetic table';

CREATE FUNCTION dp_catalog.dp_keeps_checks(relation oid, "row" record, number integer DEFAULT 0)
	RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_keeps_checks(oid, record, integer) IS
	'internal: whether a row keeps the CHECKs of a table; those of one column, if it has a number';

CREATE FUNCTION dp_catalog.dp_trial_rows(target anyelement, relation regclass, seed bigint)
	RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 10000 ROWS 100;
COMMENT ON FUNCTION dp_catalog.dp_trial_rows(anyelement, regclass, bigint) IS
	'internal: rows of a model that says nothing, by the public domains of a relation, to be held '
	'against the rules of a synthetic table before anything is paid for';

-- A relation of those that are released together, with the columns that refer to its parent and its
-- key; without a parent it is a root.
CREATE TYPE dp_catalog.dp_place AS (relation regclass, parent regclass, refers_by name[], key name[]);
COMMENT ON TYPE dp_catalog.dp_place IS 'internal: a relation among those that are released together';

CREATE FUNCTION dp_catalog.dp_tree_list(relations regclass[])
	RETURNS SETOF dp_catalog.dp_place AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 3;
COMMENT ON FUNCTION dp_catalog.dp_tree_list(regclass[]) IS
	'internal: relations that are released together, tree by tree, parents first';

CREATE FUNCTION dp_catalog.dp_release_list(release bigint, OUT relation regclass, OUT parent regclass, OUT refers_by name[],
										   OUT key name[], OUT tree bigint)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 3;
COMMENT ON FUNCTION dp_catalog.dp_release_list(bigint) IS
	'internal: the relations of a stored release, and of those that were made by the same call, each with '
	'the release of its tree';

CREATE FUNCTION dp_catalog.dp_relations_named(words text) RETURNS regclass[]
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_relations_named(text) IS
	'internal: the relations that a text names: one, several in braces, or all of a schema or several';

CREATE FUNCTION dp_catalog.dp_schemas_named(words text) RETURNS oid[]
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_schemas_named(text) IS
	'internal: the schemas that a text names: one, or several in braces';

CREATE FUNCTION dp_catalog.dp_is_protected(relation regclass) RETURNS boolean
	AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_is_protected(regclass) IS 'internal: whether a relation is protected now';

-- The names of columns, as a constraint numbers them.
-- "p.site = c.ward_site AND ...": that a row of a table called child refers to one called parent.
CREATE FUNCTION dp_catalog.dp_key_condition(parent text, key name[], child text, refers_by name[]) RETURNS text
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT string_agg(format('%s.%I = %s.%I', parent, k.key, child, k.refers_by), ' AND ')
  FROM unnest(key, refers_by) k (key, refers_by)
$$;
COMMENT ON FUNCTION dp_catalog.dp_key_condition(text, name[], text, name[]) IS
	'internal: a condition by which a row belongs to a row';

-- A foreign key between relations that are released together, but for those that say whose a row is.
CREATE TYPE dp_catalog.dp_link AS (
	id oid, name name, relation regclass, refers_by name[], target regclass, key name[],
	free name[],     -- columns of refers_by that can be set; the others have their values from elsewhere
	steps integer,   -- the target is so many relations above, and the row that it refers to is that one; NULL: it is any, as where
					 -- it is declared what the column holds
	can_be_null boolean,
	keeps boolean,   -- what a column holds is modelled, and stays where there is such a key
	differ_in name[], -- among rows with the same in these, no two refer to the same row; NULL: any do
	carried name[],  -- those of free that rows of other tables hold as their parent's key: they change with it
	together boolean -- rows that hold the same value refer to the same row
);
COMMENT ON TYPE dp_catalog.dp_link IS 'internal: a foreign key that is set once the tables are filled';

-- Of several over one column the longest sets it. Columns that rows of other tables hold as their parent's key stay, but for
-- integers and uuids. copied: public tables, to which by several columns, one of which is set elsewhere or is a part of what is
-- UNIQUE: of those that are modelled the first one stays, or the first that is UNIQUE without another, and others that fit are set.
CREATE FUNCTION dp_catalog.dp_synthetic_links(places dp_catalog.dp_place[], copied regclass[] DEFAULT '{}') RETURNS SETOF dp_catalog.dp_link
	LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
WITH RECURSIVE place AS MATERIALIZED (SELECT * FROM unnest(places)),
above (relation, ancestor, steps) AS (
	SELECT t.relation, t.parent, 1 FROM place t WHERE t.parent IS NOT NULL
	 UNION ALL
	SELECT b.relation, t.parent, b.steps + 1 FROM above b JOIN place t ON t.relation = b.ancestor WHERE t.parent IS NOT NULL),
keys AS MATERIALIZED (
	SELECT f.id, f.name, t.relation, f.refers_by, o.relation AS target, f.key, t.refers_by AS parents_by,
		   row_number() OVER (PARTITION BY t.relation ORDER BY cardinality(f.refers_by) DESC, f.name) AS turn
	  FROM place t
	 CROSS JOIN LATERAL dp_catalog.dp_foreign_keys(child => t.relation) f
	  JOIN (SELECT p.relation FROM place p UNION ALL SELECT unnest(copied)) o ON o.relation = f.referred
	 WHERE NOT f.is_period
	   AND (f.referred <> ALL (copied) OR cardinality(f.refers_by) > 1 AND (
			f.refers_by && t.refers_by OR EXISTS (SELECT FROM place b WHERE b.parent = t.relation AND b.key && f.refers_by)
			OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = t.relation AND i.indisunique
						  AND f.refers_by && dp_catalog.dp_key_columns(t.relation, string_to_array(i.indkey::text, ' ')::smallint[]))))
	   AND (t.parent = f.referred AND t.refers_by = f.refers_by) IS NOT TRUE)
SELECT ROW(k.id, k.name, k.relation, k.refers_by, k.target, k.key, c.free || c.carried,
		   CASE WHEN NOT EXISTS (SELECT FROM dp_catalog.dp_column_roles(k.relation) d
								  WHERE d.column_name = ANY (c.free) AND d.kind = 'fill' AND d.source = 'declared')
				THEN (SELECT min(b.steps) FROM above b WHERE b.relation = k.relation AND b.ancestor = k.target AND b.steps > 1) END,
		   c.can_be_null,
		   EXISTS (SELECT FROM dp_catalog.dp_column_roles(k.relation) d
					WHERE d.column_name = ANY (c.free || c.carried) AND d.kind NOT IN ('key', 'fill')),
		   u.differ_in, c.carried,
		   cardinality(k.refers_by) = 1 AND u.differ_in IS NULL
		   AND EXISTS (SELECT FROM dp_catalog.dp_column_roles(k.relation) d
						WHERE d.column_name = ANY (c.free) AND d.kind = 'fill' AND d.source = 'declared'
							  AND d.fill !~ '\{(n|n:([1-9]|1[0-9])|n:\[([^]\\]|\\.)+\](:\d+)?|uuid)\}'))::dp_catalog.dp_link
  FROM keys k
  LEFT JOIN LATERAL (
		SELECT n.name FROM unnest(k.refers_by) WITH ORDINALITY n (name, place)
		  JOIN dp_catalog.dp_column_roles(k.relation) d ON d.column_name = n.name AND d.kind NOT IN ('key', 'fill')
		 WHERE k.target = ANY (copied) AND NOT k.refers_by && coalesce(k.parents_by, '{}')
		 ORDER BY NOT EXISTS (SELECT FROM pg_index i, dp_catalog.dp_key_columns(k.relation, (string_to_array(i.indkey::text, ' ')::smallint[])[1:i.indnkeyatts]) u (columns)
							   WHERE i.indrelid = k.relation AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL
								 AND n.name = ANY (u.columns) AND NOT k.refers_by <@ u.columns), n.place LIMIT 1) s ON true
 CROSS JOIN LATERAL (
		SELECT coalesce(array_agg(a.attname ORDER BY n.place) FILTER (WHERE NOT b.is_key), '{}') AS free,
			   coalesce(array_agg(a.attname ORDER BY n.place) FILTER (WHERE b.is_key), '{}') AS carried,
			   coalesce(bool_and(NOT a.attnotnull AND NOT dp_catalog.dp_type_not_null(a.atttypid)), false) AS can_be_null
		  FROM unnest(k.refers_by) WITH ORDINALITY n (name, place)
		  JOIN pg_attribute a ON a.attrelid = k.relation AND a.attname = n.name
		 CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM place b WHERE b.parent = k.relation AND a.attname = ANY (b.key)) AS is_key) b
		 WHERE a.attname <> ALL (coalesce(k.parents_by, '{}')) AND a.attgenerated = '' AND a.attname IS DISTINCT FROM s.name
		   -- one that tells rows of a parent apart, and nothing that is modelled
		   AND (NOT b.is_key OR a.attnotnull AND k.parents_by IS NOT NULL AND k.target <> k.relation AND cardinality(k.refers_by) = 1
				AND a.atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'uuid'::regtype)
				AND EXISTS (SELECT FROM dp_catalog.dp_column_roles(k.relation) d WHERE d.column_name = a.attname AND d.kind IN ('key', 'fill'))
				AND NOT EXISTS (SELECT FROM place b WHERE b.parent = k.relation AND a.attname = ANY (b.key) AND NOT b.key && k.parents_by))
		   AND NOT EXISTS (SELECT FROM keys e WHERE e.relation = k.relation AND e.turn < k.turn AND a.attname = ANY (e.refers_by))) c
  LEFT JOIN LATERAL (
		SELECT ARRAY(SELECT i.name FROM unnest(x.columns) i (name) WHERE i.name <> ALL (k.refers_by)) AS differ_in
		  FROM (SELECT dp_catalog.dp_key_columns(k.relation, (string_to_array(i.indkey::text, ' ')::smallint[])[1:i.indnkeyatts]) AS columns
				  FROM pg_index i WHERE i.indrelid = k.relation AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL) x
		 WHERE x.columns && (c.free || c.carried)
		 ORDER BY cardinality(x.columns), x.columns LIMIT 1) u ON true
 -- what others refer to is set first, as its rows can be left out
 ORDER BY EXISTS (SELECT FROM keys e WHERE e.id <> k.id AND e.relation = k.target AND e.refers_by && k.key),
	   NOT EXISTS (SELECT FROM keys e WHERE e.target = k.relation AND e.relation <> k.relation), k.relation, k.turn
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_links(dp_catalog.dp_place[], regclass[]) IS
	'internal: foreign keys of relations that are released together, besides those to the parents';

CREATE FUNCTION dp_catalog.dp_synthetic_refer(targets jsonb, id oid) RETURNS void
	LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT dp_catalog.dp_synthetic_foreign_key(f.id, (targets ->> f.relation::text)::oid, (targets ->> f.referred::text)::oid)
  FROM dp_catalog.dp_foreign_keys() f WHERE f.id = $2 AND targets ? f.relation::text
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_refer(jsonb, oid) IS
	'internal: adds a foreign key like this one to synthetic tables, which are by the numbers of their originals';

CREATE FUNCTION dp_catalog.dp_synthetic_parent_key(relation regclass, parent regclass, refers_by name[]) RETURNS oid
	LANGUAGE sql STABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT f.id FROM dp_catalog.dp_foreign_keys($1, $2) f WHERE f.refers_by = $3 ORDER BY f.name LIMIT 1
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_parent_key(regclass, regclass, name[]) IS
	'internal: the foreign key by which a relation refers to its parent';

-- Columns that number rows which UNIQUE indexes tell apart by other columns, too: within is these. Rows that others refer to by
-- such a number keep it, as do those that it alone distinguishes while values are exchanged (dp_synthetic_exchange).
CREATE FUNCTION dp_catalog.dp_synthetic_numbered(relation regclass, OUT index oid, OUT name name, OUT within name[])
	RETURNS SETOF record LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
WITH keys AS (
	SELECT i.indexrelid AS index, i.indisprimary AND count(*) OVER () > 1 AS stays,
		   dp_catalog.dp_key_columns($1, (string_to_array(i.indkey::text, ' ')::smallint[])[1:i.indnkeyatts]) AS columns
	  FROM pg_index i WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL)
SELECT k.index, d.column_name, array_remove(k.columns, d.column_name)
  FROM dp_catalog.dp_column_roles($1) d
  JOIN pg_attribute a ON a.attrelid = $1 AND a.attnum = d.ordinal AND a.atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)
  JOIN keys k ON d.column_name = ANY (k.columns) AND cardinality(k.columns) > 1 AND NOT k.stays
 WHERE d.kind = 'key' AND d.fill = '{n}' AND d.source IN ('unique', 'primary key')
   AND NOT EXISTS (SELECT FROM keys o WHERE d.column_name = ANY (o.columns) AND o.index <> k.index)
   AND NOT EXISTS (SELECT FROM dp_catalog.dp_synthetic_columns($1) s WHERE s.is_unique AND s.name = ANY (k.columns) AND s.name <> d.column_name)
   AND NOT EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(parent => $1) f WHERE d.column_name = ANY (f.key))
   AND NOT EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(child => $1) f WHERE d.column_name = ANY (f.refers_by))
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_numbered(regclass) IS
	'internal: columns of a synthetic table that number rows within what other columns hold';

-- UNIQUE indexes over columns that links set, or that are numbered then: they are made after that.
CREATE FUNCTION dp_catalog.dp_synthetic_late(relation regclass, links dp_catalog.dp_link[], OUT index oid, OUT name name, OUT kind text)
	RETURNS SETOF record LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT i.indexrelid, c.relname, CASE WHEN k.oid IS NULL THEN 'index' ELSE 'constraint' END
  FROM pg_index i
  JOIN pg_class c ON c.oid = i.indexrelid
  LEFT JOIN pg_constraint k ON k.conindid = i.indexrelid AND k.conrelid = $1 AND k.contype IN ('p', 'u')
 WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL
   AND (EXISTS (SELECT FROM unnest(links) l, unnest(l.free) f (name)
				  JOIN pg_attribute a ON a.attrelid = $1 AND a.attname = f.name
				 WHERE l.relation = $1 AND a.attnum = ANY (i.indkey) AND f.name <> ALL (l.carried))
		OR i.indexrelid IN (SELECT n.index FROM dp_catalog.dp_synthetic_numbered($1) n))
 ORDER BY k.contype NULLS LAST, c.relname
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_late(regclass, dp_catalog.dp_link[]) IS
	'internal: indexes that are made when what rows refer to is set';

-- What a column that refers is set to. An integer that changes with rows of other tables is negative first, and so never one
-- that another row still has.
CREATE FUNCTION dp_catalog.dp_link_value(link dp_catalog.dp_link, source oid, place bigint) RETURNS text
	LANGUAGE sql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT CASE WHEN a.attname = ANY (link.carried) AND a.atttypid <> 'uuid'::regtype
			 -- what it holds until then is negative by itself
			 AND NOT EXISTS (SELECT FROM dp_catalog.dp_column_roles(link.relation) d WHERE d.column_name = a.attname AND starts_with(d.fill, '-{'))
			THEN format('-1 - l.k%s', place) ELSE 'l.k' || place END
  FROM pg_attribute a WHERE a.attrelid = source AND a.attname = link.refers_by[place]
$$;
COMMENT ON FUNCTION dp_catalog.dp_link_value(dp_catalog.dp_link, oid, bigint) IS 'internal: the value that a column of a foreign key gets';

-- Tables whose rows hold what a link sets, as the key of the parent's row: their columns, and those of that key.
CREATE FUNCTION dp_catalog.dp_link_carried(link dp_catalog.dp_link, places dp_catalog.dp_place[], OUT relation regclass, OUT columns name[],
										   OUT key name[])
	RETURNS SETOF record LANGUAGE sql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
WITH RECURSIVE place AS MATERIALIZED (SELECT * FROM unnest(places)),
below (relation, columns, key) AS (
	SELECT p.relation, p.refers_by, p.key FROM place p WHERE p.parent = (link).relation AND p.key && (link).carried
	 UNION ALL
	SELECT p.relation, ARRAY(SELECT p.refers_by[array_position(p.key, c.name)] FROM unnest(b.columns) WITH ORDINALITY c (name, n) ORDER BY c.n), b.key
	  FROM below b JOIN place p ON p.parent = b.relation AND p.key @> b.columns)
SELECT * FROM below
$$;
COMMENT ON FUNCTION dp_catalog.dp_link_carried(dp_catalog.dp_link, dp_catalog.dp_place[]) IS
	'internal: tables whose rows hold what a foreign key above them sets';

-- The parts of statements about a foreign key, for the tables called c (that has it) and p (of its keys k1, k2, ...).
CREATE FUNCTION dp_catalog.dp_link_words(link dp_catalog.dp_link, source oid, OUT keys text, OUT keys_listed text, OUT has text,
										 OUT fixed_keys text, OUT matches text, OUT matches_row text, OUT setting text,
										 OUT nothing text, OUT made text, OUT check_of integer)
	LANGUAGE sql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT string_agg(format('r.%I AS k%s', n.key, n.place), ', ' ORDER BY n.place),
	   string_agg('r.' || quote_ident(n.key), ', ' ORDER BY n.place),
	   string_agg(format('c.%I IS NOT NULL', n.refers_by), ' AND ' ORDER BY n.place),
	   string_agg('k' || n.place, ', ' ORDER BY n.place) FILTER (WHERE n.refers_by <> ALL (link.free)),
	   coalesce(string_agg(format('s.k%s = c.%I', n.place, n.refers_by), ' AND ' ORDER BY n.place)
				FILTER (WHERE n.refers_by <> ALL (link.free)), 'true'),
	   coalesce(string_agg(format('p.k%s = (w.whole).%I', n.place, n.refers_by), ' AND ' ORDER BY n.place)
				FILTER (WHERE n.refers_by <> ALL (link.free)), 'true'),
	   string_agg(format('%I = %s', n.refers_by, dp_catalog.dp_link_value(link, source, n.place)), ', ' ORDER BY n.place) FILTER (WHERE n.refers_by = ANY (link.free)),
	   string_agg(format('%I = NULL', n.refers_by), ', ' ORDER BY n.place) FILTER (WHERE n.refers_by = ANY (link.free)),
	   (SELECT string_agg(CASE WHEN a.attname <> ALL (link.free) THEN format('(w.whole).%I', a.attname)
							   WHEN k.atttypid = a.atttypid THEN 'p.k' || array_position(link.refers_by, a.attname)
							   ELSE format('p.k%s::%s', array_position(link.refers_by, a.attname),
										   format_type(a.atttypid, a.atttypmod)) END, ', ' ORDER BY a.attnum)
		  FROM pg_attribute a
		  LEFT JOIN pg_attribute k ON k.attrelid = link.target AND k.attname = link.key[array_position(link.refers_by, a.attname)]
		 WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped),
	   CASE WHEN cardinality(link.free) = 1
			THEN (SELECT a.attnum FROM pg_attribute a WHERE a.attrelid = source AND a.attname = link.free[1]) ELSE 0 END
  FROM unnest(link.refers_by, link.key) WITH ORDINALITY n (refers_by, key, place)
$$;
COMMENT ON FUNCTION dp_catalog.dp_link_words(dp_catalog.dp_link, oid) IS 'internal: parts of statements about a foreign key';

-- A number of 60 bits for each row, by a label.
CREATE FUNCTION dp_catalog.dp_link_hash(label text, words text) RETURNS bigint
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN ('x' OPERATOR(pg_catalog.||) pg_catalog.left(pg_catalog.md5(label OPERATOR(pg_catalog.||) words), 15))::pg_catalog.bit(60)::pg_catalog.int8;
COMMENT ON FUNCTION dp_catalog.dp_link_hash(text, text) IS 'internal: a number that follows from texts';

-- A column may be called as a table is here. The keys that there are (pool), how many there are for a row (size), and the rows that refer (whole; place; keys;
-- h: a number; i: the row's place among those, rows, that must not refer to the same).
-- wanted: of these alone, as an array of tid, where the others do not matter; NULL: of all.
CREATE FUNCTION dp_catalog.dp_link_rows(link dp_catalog.dp_link, source oid, target oid, label text, wanted text DEFAULT NULL) RETURNS text
	LANGUAGE sql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT format(
	'WITH pool AS MATERIALIZED (SELECT %1$s, row_number() OVER (%2$sORDER BY %3$s) AS n FROM %4$s r WHERE ROW(%3$s) IS NOT NULL),'
	' size AS (SELECT %5$scount(*) AS keys FROM pool%6$s),'
	' refers AS MATERIALIZED (SELECT c.*::%10$s AS whole, c.ctid AS place, coalesce(s.keys, 0) AS keys,'
	' dp_catalog.dp_link_hash(%7$L, %15$s) AS h, dp_catalog.dp_link_hash(%7$L, %14$s) AS g,%16$s'
	' row_number() OVER (PARTITION BY %8$s%9$s ORDER BY dp_catalog.dp_link_hash(%7$L, ROW(c.*)::text), c.ctid) - 1 AS i,'
	' count(*) OVER (PARTITION BY %8$s%9$s) AS rows'
	' FROM %10$s c LEFT JOIN size s ON %11$s WHERE %12$s%13$s)',
	x.keys, 'PARTITION BY ' || f.columns || ' ', x.keys_listed, dp_catalog.dp_qualified_name(target),
	x.fixed_keys || ', ', ' GROUP BY ' || x.fixed_keys, label,
	coalesce((SELECT string_agg(format('c.%I', d.name), ', ') FROM unnest(link.differ_in) d (name)), quote_literal('') || '::text'),
	(SELECT string_agg(format(', c.%I', r.name), '') FROM unnest(link.refers_by) r (name) WHERE r.name <> ALL (link.free)),
	dp_catalog.dp_qualified_name(source), x.matches, x.has,
	-- what is modelled stays, where there is such a key
	concat(CASE WHEN link.keeps AND link.differ_in IS NULL
				THEN format(' AND NOT EXISTS (SELECT FROM %s kept WHERE %s)', dp_catalog.dp_qualified_name(target),
							dp_catalog.dp_key_condition('kept', link.key, 'c', link.refers_by)) END,
		   CASE WHEN wanted IS NOT NULL AND link.differ_in IS NULL AND NOT link.together
				THEN format(' AND c.ctid = ANY (%L::tid[])', wanted) END),
	coalesce((SELECT 'ROW(' || string_agg('c.' || quote_ident(d.name), ', ') || ')::text' FROM unnest(link.differ_in) d (name)), quote_literal('')),
	CASE WHEN link.together THEN format('dp_catalog.dp_text(c.%I)', link.refers_by[1]) ELSE 'ROW(c.*)::text' END,
	CASE WHEN link.together THEN format(' dense_rank() OVER (ORDER BY dp_catalog.dp_link_hash(%L, dp_catalog.dp_text(c.%I))) AS together,', label, link.refers_by[1]) END)
  FROM dp_catalog.dp_link_words(link, source) x,
	   (SELECT string_agg(format('r.%I', n.key), ', ' ORDER BY n.place) AS columns
		  FROM unnest(link.refers_by, link.key) WITH ORDINALITY n (refers_by, key, place) WHERE n.refers_by <> ALL (link.free)) f
$$;
COMMENT ON FUNCTION dp_catalog.dp_link_rows(dp_catalog.dp_link, oid, oid, text, text) IS
	'internal: the first words of a statement about the rows that refer to others by a foreign key';

-- Which key a row gets, by its number. Rows that refer together refer, in their own table, to one of as many first rows as
-- there are values. Rows that must differ go round from a place in steps that meet each key once, and at each try farther.
-- A row of the same table comes before the row that refers to it, and the first one refers to none, or to itself.
CREATE FUNCTION dp_catalog.dp_link_choice(link dp_catalog.dp_link, try integer) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT CASE WHEN link.relation = link.target AND link.differ_in IS NOT NULL
			THEN CASE WHEN link.can_be_null THEN 'nullif(own.n - 1, 0)' ELSE 'own.n' END
			WHEN link.relation = link.target
			THEN format('CASE WHEN own.n > 1 THEN 1 + %s %% (own.n - 1) %s END', CASE WHEN link.together THEN '(f.together - 1)' ELSE 'f.h' END,
						CASE WHEN link.can_be_null THEN '' WHEN try = 1 THEN 'ELSE 1' ELSE 'ELSE 1 + f.h % f.keys' END)
			WHEN link.differ_in IS NOT NULL
			-- in a list of results steps are made one by one
			THEN format('CASE WHEN f.i + %1$s * f.rows < f.keys THEN 1 + (f.g %% f.keys + (f.i + %1$s * f.rows) * (SELECT s.step FROM ('
						'SELECT generate_series(1 + f.g %% f.keys, 1 + 2 * f.keys) AS step) s WHERE gcd(s.step, f.keys) = 1 LIMIT 1)) %% f.keys END', try - 1)
			ELSE 'CASE WHEN f.keys > 0 THEN 1 + f.h % f.keys END' END
$$;
COMMENT ON FUNCTION dp_catalog.dp_link_choice(dp_catalog.dp_link, integer) IS
	'internal: an expression for the number of the key that a row refers to';

-- Gives each row that refers to any a key of the target that its CHECKs allow (no account pays itself), by a label; up to
-- twenty times where they do not. Of the few rows that none is found for those that can are NULL, and the others are left out:
-- how many is returned. refused: the rows, as an array of tid; NULL: all.
CREATE FUNCTION dp_catalog.dp_synthetic_link_any(link dp_catalog.dp_link, places dp_catalog.dp_place[], targets jsonb, label text, refused text)
	RETURNS bigint
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	source oid := targets ->> link.relation::oid::text;
	target oid := targets ->> link.target::oid::text;
	words record;
	below text;   -- statements that change rows of other tables
	altered oid[] := ARRAY[source];
	item record;
BEGIN
	SELECT * INTO words FROM dp_catalog.dp_link_words(link, source);
	SELECT string_agg(format(', below%s AS (UPDATE %s d SET %s FROM led l WHERE l.fits AND %s)', b.n, dp_catalog.dp_qualified_name(b.made),
							 (SELECT string_agg(format('%I = %s', c.name, dp_catalog.dp_link_value(link, source, array_position(link.refers_by, c.key))), ', ')
								FROM unnest(b.columns, b.key) c (name, key) WHERE c.key = ANY (link.carried)),
							 dp_catalog.dp_key_condition('(l.whole)', b.key, 'd', b.columns)), ''),
		   altered || coalesce(array_agg(b.made) FILTER (WHERE b.made IS NOT NULL), '{}') INTO below, altered
	  FROM (SELECT b.*, (targets ->> b.relation::oid::text)::oid AS made, row_number() OVER () AS n FROM dp_catalog.dp_link_carried(link, places) b) b;
	FOR try IN 1..20 LOOP
		refused := (dp_catalog.dp_statement(format(
			'%1$s, wanted AS MATERIALIZED (SELECT f.whole, f.place, %2$s AS n FROM refers f%3$s WHERE %4$L IS NULL OR f.place = ANY (%4$L::tid[])),'
			' led AS (SELECT w.place, w.whole, p.*, (p.n IS NOT NULL OR %5$L) AND dp_catalog.dp_keeps_checks(%6$s, ROW(%7$s), %8$s) AS fits'
			' FROM wanted w LEFT JOIN pool p ON p.n = w.n AND %9$s),'
			' done AS (UPDATE %10$s c SET %11$s FROM led l WHERE l.fits AND l.place = c.ctid)%12$s'
			' SELECT array_agg(l.place) FROM led l WHERE NOT l.fits',
			dp_catalog.dp_link_rows(link, source, target, label || CASE WHEN try > 1 AND link.differ_in IS NULL THEN try::text ELSE '' END, refused),
			dp_catalog.dp_link_choice(link, try),
			CASE WHEN link.relation = link.target
				 THEN ' JOIN pool own ON ' || (SELECT string_agg(format('own.k%s = (f.whole).%I', n.place, n.key), ' AND ')
											   FROM unnest(link.key) WITH ORDINALITY n (key, place)) END,
			refused, link.can_be_null, source, words.made, words.check_of, words.matches_row,
			dp_catalog.dp_qualified_name(source), words.setting, below), altered || target))[1];
		EXIT WHEN refused IS NULL;
	END LOOP;
	-- all at once, as they refer to each other
	SELECT string_agg(format('turned%s AS (UPDATE %s d SET %s WHERE %s)', t.n, dp_catalog.dp_qualified_name(t.made), t.setting, t.has), ', ') AS words,
		   array_agg(t.made) AS made INTO item
	  FROM (SELECT row_number() OVER () AS n, u.made, string_agg(format('%1$I = -1 - %1$I', c.name), ', ') AS setting,
				   string_agg(format('%I < 0', c.name), ' AND ') AS has
			  FROM (SELECT source AS made, link.carried AS columns, link.carried AS key UNION ALL
					SELECT (targets ->> b.relation::oid::text)::oid, b.columns, b.key FROM dp_catalog.dp_link_carried(link, places) b) u,
				   unnest(u.columns, u.key) c (name, key)
			 WHERE c.key = ANY (link.carried) AND starts_with(dp_catalog.dp_link_value(link, source, array_position(link.refers_by, c.key)), '-')
			 GROUP BY u.made) t;
	IF item.words IS NOT NULL THEN
		PERFORM dp_catalog.dp_statement(format('WITH %s SELECT 1', item.words), item.made);
	END IF;
	IF refused IS NOT NULL AND link.can_be_null THEN
		refused := (dp_catalog.dp_statement(format(
			'WITH none AS (SELECT NULL::bigint AS n, %6$s), led AS (SELECT c.ctid AS place, dp_catalog.dp_keeps_checks(%4$s, ROW(%5$s), %7$s) AS fits'
			' FROM (SELECT c.*::%1$s AS whole, c.ctid FROM %1$s c WHERE c.ctid = ANY (%3$L::tid[])) c, LATERAL (SELECT c.whole) w, none p),'
			' done AS (UPDATE %1$s c SET %2$s FROM led l WHERE l.fits AND l.place = c.ctid) SELECT array_agg(l.place) FROM led l WHERE NOT l.fits',
			dp_catalog.dp_qualified_name(source), words.nothing, refused, source, words.made,
			(SELECT string_agg(format('NULL::%s AS k%s', format_type(a.atttypid, a.atttypmod), n.place), ', ')
			   FROM unnest(link.key) WITH ORDINALITY n (key, place) JOIN pg_attribute a ON a.attrelid = target AND a.attname = n.key), words.check_of), ARRAY[source]))[1];
	END IF;
	IF refused IS NOT NULL AND cardinality(refused::tid[]) * 10 <= (dp_catalog.dp_statement(format(
			'SELECT count(*) FROM %s', dp_catalog.dp_qualified_name(source)), ARRAY[source]))[1]::bigint THEN
		RETURN dp_catalog.dp_synthetic_delete(places, targets, link.relation, refused);
	END IF;
	RETURN 0;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_link_any(dp_catalog.dp_link, dp_catalog.dp_place[], jsonb, text, text) IS
	'internal: gives rows of a synthetic table that refer to another a key that there is, and leaves others out';

-- Rows that refer to one that is left out, as an array of tid.
CREATE FUNCTION dp_catalog.dp_link_dangling(link dp_catalog.dp_link, targets jsonb) RETURNS text
	LANGUAGE sql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT (dp_catalog.dp_statement(format('SELECT array_agg(c.ctid) FROM %s c WHERE %s AND NOT EXISTS (SELECT FROM %s p WHERE %s)',
			dp_catalog.dp_qualified_name(x.source), (dp_catalog.dp_link_words(link, x.source)).has, dp_catalog.dp_qualified_name(x.target),
			dp_catalog.dp_key_condition('p', link.key, 'c', link.refers_by)), ARRAY[x.source, x.target]))[1]
  FROM (SELECT (targets ->> link.relation::oid::text)::oid AS source, (targets ->> link.target::oid::text)::oid AS target) x
$$;
COMMENT ON FUNCTION dp_catalog.dp_link_dangling(dp_catalog.dp_link, jsonb) IS
	'internal: rows of a synthetic table that refer to none that there is';

-- Gives each row that refers to an ancestor the key of the row that it belongs to.
CREATE FUNCTION dp_catalog.dp_synthetic_link_above(link dp_catalog.dp_link, places dp_catalog.dp_place[], targets jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	source oid := targets ->> link.relation::oid::text;
	on_the_way oid[] := ARRAY[source];
	joined text := format('%s x0', dp_catalog.dp_qualified_name(source));
	reached regclass := link.relation;
	place record;
BEGIN
	FOR step IN 1..link.steps LOOP
		SELECT p.*, (targets ->> p.parent::oid::text)::oid AS above INTO STRICT place FROM unnest(places) p WHERE p.relation = reached;
		on_the_way := on_the_way || place.above;
		joined := joined || format(' JOIN %s x%s ON %s', dp_catalog.dp_qualified_name(place.above), step,
								   dp_catalog.dp_key_condition('x' || step, place.key, 'x' || step - 1, place.refers_by));
		reached := place.parent;
	END LOOP;
	PERFORM dp_catalog.dp_statement(format('UPDATE %s c SET %s FROM %s WHERE x0.ctid = c.ctid AND %s',
		dp_catalog.dp_qualified_name(source),
		(SELECT string_agg(format('%I = x%s.%I', n.refers_by, link.steps, n.key), ', ')
		   FROM unnest(link.refers_by, link.key) n (refers_by, key) WHERE n.refers_by = ANY (link.free)),
		joined, (dp_catalog.dp_link_words(link, source)).has), on_the_way);
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_link_above(dp_catalog.dp_link, dp_catalog.dp_place[], jsonb) IS
	'internal: lets rows of a synthetic table refer to the row above that they belong to';

-- Deletes rows, and before them what belongs to them; rows: an array of tid. Returns how many of the table itself.
CREATE FUNCTION dp_catalog.dp_synthetic_delete(places dp_catalog.dp_place[], targets jsonb, relation regclass, rows text) RETURNS bigint
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	target oid := targets ->> relation::oid::text;
	child record;
	below text;
BEGIN
	FOR child IN SELECT p.*, (targets ->> p.relation::oid::text)::oid AS made FROM unnest(places) p WHERE p.parent = dp_synthetic_delete.relation
	LOOP
		below := (dp_catalog.dp_statement(format(
			'SELECT array_agg(d.ctid) FROM %s d JOIN %s u ON %s WHERE u.ctid = ANY (%L::tid[])',
			dp_catalog.dp_qualified_name(child.made), dp_catalog.dp_qualified_name(target),
			dp_catalog.dp_key_condition('u', child.key, 'd', child.refers_by), rows), ARRAY[child.made, target]))[1];
		IF below IS NOT NULL THEN
			PERFORM dp_catalog.dp_synthetic_delete(places, targets, child.relation, below);
		END IF;
	END LOOP;
	RETURN (dp_catalog.dp_statement(format(
		'WITH gone AS (DELETE FROM %s c WHERE c.ctid = ANY (%L::tid[]) RETURNING 1) SELECT count(*) FROM gone',
		dp_catalog.dp_qualified_name(target), rows), ARRAY[target]))[1];
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_delete(dp_catalog.dp_place[], jsonb, regclass, text) IS
	'internal: deletes rows of a synthetic table with all that belongs to them';

-- Rows that must refer to different ones, where there are not so many, or to one of few (of their tenant), where there is none. What else refers to such a row, or can be the only
-- one to do so, changes with it, so this ends when nothing changes.
CREATE FUNCTION dp_catalog.dp_synthetic_trim(links dp_catalog.dp_link[], places dp_catalog.dp_place[], targets jsonb, seed bigint)
	RETURNS boolean
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	link dp_catalog.dp_link;
	source oid;
	target oid;
	surplus text;
	gone bigint;
	again boolean := true;
	trimmed boolean := false;
BEGIN
	WHILE again LOOP
		again := false;
		FOR link IN SELECT * FROM unnest(links) l
					 WHERE (l.differ_in IS NOT NULL OR NOT l.refers_by <@ l.free) AND NOT l.can_be_null AND l.free <> '{}' AND l.relation <> l.target
		LOOP
			source := targets ->> (link).relation::oid::text;
			target := targets ->> (link).target::oid::text;
			surplus := (dp_catalog.dp_statement(format('%s SELECT array_agg(f.place) FROM refers f WHERE %s'
				' AND EXISTS (SELECT FROM pool)', dp_catalog.dp_link_rows(link, source, target, link.name || seed::text),
				CASE WHEN link.differ_in IS NOT NULL THEN 'f.i >= f.keys' ELSE 'f.keys = 0' END), ARRAY[source, target]))[1];
			CONTINUE WHEN surplus IS NULL;
			gone := dp_catalog.dp_synthetic_delete(places, targets, (link).relation, surplus);
			RAISE NOTICE '% rows of % were left out: there are not so many rows that they could refer to by foreign key %',
				gone, (link).relation, quote_ident((link).name);
			again := true;
			trimmed := true;
		END LOOP;
	END LOOP;
	RETURN trimmed;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_trim(dp_catalog.dp_link[], dp_catalog.dp_place[], jsonb, bigint) IS
	'internal: deletes rows of synthetic tables that cannot refer to a row of their own; whether there were any';

-- Sets what refers to rows of other tables, adds the indexes over these columns, then the keys.
CREATE FUNCTION dp_catalog.dp_synthetic_link(links dp_catalog.dp_link[], places dp_catalog.dp_place[], targets jsonb, seed bigint)
	RETURNS void
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	link dp_catalog.dp_link;
	item record;
	lost oid[] := '{}'; -- links that came to nothing
	refused text;       -- rows that need another key; NULL: all
	left_out bigint[] := array_fill(0, ARRAY[cardinality(links)]); -- rows, by links
	before bigint[];
BEGIN
	-- a table with checks to come cannot be altered
	FOR item IN SELECT c.connamespace::regnamespace AS schema, c.conname AS name FROM pg_constraint c
				 WHERE c.contype = 'f' AND c.condeferrable AND c.conrelid IN (SELECT t.value::oid FROM jsonb_each_text(targets) t)
	LOOP
		EXECUTE format('SET CONSTRAINTS %s.%I IMMEDIATE', item.schema, item.name);
	END LOOP;
	-- again, if rows were left out, to which others may refer
	WHILE left_out IS DISTINCT FROM before LOOP
		before := left_out;
		FOR i IN 1..cardinality(links) LOOP
			link := links[i];
			CONTINUE WHEN link.free = '{}' OR link.id = ANY (lost);
			IF 0 < ANY (before) THEN
				CONTINUE WHEN link.steps IS NOT NULL; -- a row is left out with the one that it belongs to
				refused := dp_catalog.dp_link_dangling(link, targets);
				CONTINUE WHEN refused IS NULL;
				IF link.differ_in IS NOT NULL THEN
					refused := NULL;
				END IF;
			END IF;
			BEGIN
				IF link.steps IS NOT NULL THEN
					PERFORM dp_catalog.dp_synthetic_link_above(link, places, targets);
				ELSE
					left_out[i] := left_out[i] + dp_catalog.dp_synthetic_link_any(link, places, targets, link.name || seed::text, refused);
				END IF;
			EXCEPTION WHEN integrity_constraint_violation OR data_exception OR program_limit_exceeded THEN
				lost := lost || link.id;
				RAISE NOTICE 'left out of %: %', dp_catalog.dp_qualified_name((targets ->> link.relation::oid::text)::oid),
					format('foreign key %I', link.name)
					USING DETAIL = 'Another constraint does not allow what it would hold.';
			END;
		END LOOP;
	END LOOP;
	FOR item IN SELECT l.*, n.gone FROM unnest(left_out) WITH ORDINALITY n (gone, i), LATERAL (SELECT (links[n.i]).*) l WHERE n.gone > 0 ORDER BY n.i
	LOOP
		RAISE NOTICE '% rows of % were left out: none that they could refer to by foreign key % keeps their CHECKs',
			item.gone, dp_catalog.dp_qualified_name((targets ->> item.relation::oid::text)::oid), quote_ident(item.name);
	END LOOP;
	FOR item IN SELECT dp_catalog.dp_qualified_name((targets ->> p.relation::oid::text)::oid) AS words, n.name, n.within,
					   (targets ->> p.relation::oid::text)::oid AS target FROM unnest(places) p, dp_catalog.dp_synthetic_numbered(p.relation) n
	LOOP
		BEGIN
			PERFORM dp_catalog.dp_statement(format(
				'UPDATE %1$s c SET %2$I = r.n FROM (SELECT o.ctid AS place, row_number() OVER (PARTITION BY %3$s ORDER BY o.%2$I) AS n FROM %1$s o) r'
				' WHERE r.place = c.ctid', item.words, item.name, (SELECT string_agg(format('o.%I', w), ', ') FROM unnest(item.within) w)), ARRAY[item.target]);
		EXCEPTION WHEN integrity_constraint_violation OR data_exception OR program_limit_exceeded THEN
			NULL; -- a CHECK wants greater numbers, or what is computed of them does
		END;
	END LOOP;
	FOR item IN SELECT (targets ->> p.relation::oid::text)::oid AS target, i.* FROM unnest(places) p, dp_catalog.dp_synthetic_late(p.relation, links) i
	LOOP
		BEGIN
			PERFORM dp_catalog.dp_synthetic_index(item.index, item.target);
		EXCEPTION WHEN unique_violation THEN
			RAISE NOTICE 'left out of %: %', dp_catalog.dp_qualified_name(item.target), format('%s %I', item.kind, item.name)
				USING DETAIL = 'Rows repeat what is UNIQUE in it.';
		END;
	END LOOP;
	FOREACH link IN ARRAY links LOOP
		CONTINUE WHEN link.id = ANY (lost);
		BEGIN
			PERFORM dp_catalog.dp_synthetic_refer(targets, link.id);
		EXCEPTION WHEN integrity_constraint_violation OR invalid_foreign_key THEN
			RAISE NOTICE 'left out of %: %', dp_catalog.dp_qualified_name((targets ->> link.relation::oid::text)::oid),
				format('foreign key %I', link.name)
				USING DETAIL = 'There is no row that some of its rows could refer to, or what it leads to is not UNIQUE.';
		END;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_link(dp_catalog.dp_link[], dp_catalog.dp_place[], jsonb, bigint) IS
	'internal: foreign keys of synthetic tables besides those to the parents, and what they hold';

-- Makes an index, to see that it can be made, and drops it.
CREATE FUNCTION dp_catalog.dp_synthetic_try_index(index oid, target oid) RETURNS void
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	made oid := dp_catalog.dp_synthetic_index(index, target);
	constraint_name name := (SELECT c.conname FROM pg_constraint c WHERE c.conindid = made AND c.conrelid = target);
BEGIN
	IF constraint_name IS NOT NULL THEN
		PERFORM dp_catalog.dp_synthetic_drop_constraint(target, constraint_name);
	ELSE
		PERFORM dp_catalog.dp_synthetic_drop_index(made);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_try_index(oid, oid) IS 'internal: makes an index of a synthetic table, and drops it';

-- The foreign key to the parent's synthetic table is added when both are filled, as are those of links, and what links make late.
CREATE FUNCTION dp_catalog.dp_synthetic_make(place dp_catalog.dp_place, schema name, links dp_catalog.dp_link[], linked oid[])
	RETURNS oid
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	source regclass := place.relation;
	target oid; -- the new table
	skip_repeated boolean;
	late oid[] := ARRAY(SELECT l.index FROM dp_catalog.dp_synthetic_late(place.relation, links) l);
	left_out text[];
	item record;
BEGIN
	SELECT array_agg(c.left_out ORDER BY c.number) FILTER (WHERE c.left_out IS NOT NULL)
	  INTO left_out
	  FROM dp_catalog.dp_synthetic_columns(source) c;
	target := dp_catalog.dp_synthetic_table(source, schema);
	skip_repeated := NOT EXISTS (SELECT FROM dp_catalog.dp_synthetic_constraints(source) c
								  WHERE c.is_deferrable AND c.kind IN ('p', 'u'));
	FOR item IN SELECT * FROM dp_catalog.dp_synthetic_constraints(source)
	LOOP
		CONTINUE WHEN item.kind = 'f' AND EXISTS (
			SELECT FROM dp_catalog.dp_foreign_keys(child => source) f
			 WHERE f.id = item.id
			   AND (f.id = ANY (linked) OR EXISTS (SELECT FROM unnest(links) l WHERE l.id = f.id)
					OR (f.referred, f.refers_by) = (place.parent, place.refers_by)));
		IF item.index = ANY (late) THEN
			PERFORM dp_catalog.dp_synthetic_try_index(item.index, target);
		ELSIF item.left_out IS NOT NULL OR NOT (item.is_kept OR skip_repeated)
			-- what is set later may repeat
			OR item.kind = 'x' AND EXISTS (
				SELECT FROM dp_catalog.dp_synthetic_exclusions(source) e, unnest(e.columns) n (number), unnest(links) l, unnest(l.free) f (name)
				  JOIN pg_attribute a ON a.attrelid = source AND a.attname = f.name
				 WHERE e.id = item.id AND l.relation = source AND a.attnum = n.number) THEN
			left_out := left_out || coalesce(item.left_out, format('constraint %I', item.name));
		ELSIF item.kind IN ('p', 'u', 'x') THEN
			PERFORM dp_catalog.dp_synthetic_index(item.index, target);
		END IF;
	END LOOP;
	FOR item IN SELECT * FROM dp_catalog.dp_synthetic_indexes(source)
	LOOP
		IF item.id = ANY (late) THEN
			PERFORM dp_catalog.dp_synthetic_try_index(item.id, target);
		ELSIF item.left_out IS NOT NULL OR item.is_unique AND NOT skip_repeated THEN
			left_out := left_out || coalesce(item.left_out, format('index %I', item.name));
		ELSE
			PERFORM dp_catalog.dp_synthetic_index(item.id, target);
		END IF;
	END LOOP;
	IF left_out IS NOT NULL THEN
		RAISE NOTICE 'left out of %: %', dp_catalog.dp_qualified_name(target), array_to_string(left_out, ', ')
			USING DETAIL = 'They refer to other relations, would run code of another role with your rights, or cannot be kept.';
	END IF;
	RETURN target;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_make(dp_catalog.dp_place, name, dp_catalog.dp_link[], oid[]) IS
	'internal: makes an empty table like a relation';

-- Drops indexes over expressions, and EXCLUDE constraints that have one. Returns the indexes of the original's.
CREATE FUNCTION dp_catalog.dp_synthetic_drop_computed(source regclass, target oid) RETURNS oid[]
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	dropped oid[] := '{}';
	item record;
BEGIN
	FOR item IN SELECT i.indexrelid, c.conname, s.conindid FROM pg_index i
				  LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.conrelid = target AND c.contype = 'x'
				  LEFT JOIN pg_constraint s ON s.conrelid = source AND s.conname = c.conname
				 WHERE i.indrelid = target AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)
	LOOP
		IF item.conname IS NOT NULL THEN
			PERFORM dp_catalog.dp_synthetic_drop_constraint(target, item.conname);
			dropped := dropped || item.conindid;
		ELSE
			PERFORM dp_catalog.dp_synthetic_drop_index(item.indexrelid);
		END IF;
	END LOOP;
	RETURN dropped || ARRAY(SELECT i.id FROM dp_catalog.dp_synthetic_indexes(source) i WHERE i.is_computed AND i.left_out IS NULL);
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_drop_computed(regclass, oid) IS
	'internal: drops what may have no value for rows of a synthetic table; returns the indexes of the original that it is like';

-- filling: a statement of these relations
CREATE FUNCTION dp_catalog.dp_synthetic_fill(source regclass, target oid, filling text, relations oid[],
											 OUT wanted bigint, OUT kept bigint)
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	counts bigint[];
	computed oid[];
	item record;
BEGIN
	BEGIN
		counts := dp_catalog.dp_statement(filling, relations)::bigint[];
		wanted := counts[1];
		kept := counts[2];
		RETURN;
	EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
		-- An index over an expression may have no value for a row that was made up.
		IF NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = target AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)) THEN
			RAISE;
		END IF;
	END;
	computed := dp_catalog.dp_synthetic_drop_computed(source, target);
	counts := dp_catalog.dp_statement(filling, relations)::bigint[];
	wanted := counts[1];
	kept := counts[2];
	FOR item IN SELECT c.oid AS id, coalesce(k.conname, c.relname) AS name, CASE WHEN k.oid IS NULL THEN 'index' ELSE 'constraint' END AS kind
				  FROM unnest(computed) i JOIN pg_class c ON c.oid = i LEFT JOIN pg_constraint k ON k.conindid = i AND k.conrelid = source
	LOOP
		BEGIN
			PERFORM dp_catalog.dp_synthetic_index(item.id, target);
		EXCEPTION WHEN data_exception OR program_limit_exceeded OR unique_violation OR exclusion_violation THEN
			RAISE NOTICE 'left out of %: %', dp_catalog.dp_qualified_name(target), format('%s %I', item.kind, item.name)
				USING DETAIL = 'It has no value for some of the rows, or some of them break it.';
		END;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_fill(regclass, oid, text, oid[]) IS
	'internal: runs the statement that fills a table, and leaves out indexes that cannot take its rows; '
	'returns the numbers of rows that they give';

-- Where all columns of a key are modelled, rows repeat it. In place of those that were left out others
-- are drawn from the same release, which costs nothing: row n again, where keys number the rows, and else
-- as many as are missing. Three rounds that find none are the last.
CREATE FUNCTION dp_catalog.dp_synthetic_replace(source regclass, target oid, release bigint, drawn bigint,
												seed bigint, missing bigint) RETURNS bigint
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	numbered boolean := EXISTS (SELECT FROM dp_catalog.dp_column_domains(source) d
								 WHERE d.kind = 'key' AND d.labels[1] ~ '\{n[:}]');
	-- distances that rows of other tables have from row n are not from another row n
	followed boolean := EXISTS (SELECT FROM @extschema@.dp_columns d WHERE starts_with(d.offset_of, dp_synthetic_replace.source::text || '.'));
	found bigint := 0;
	misses int := 0; -- rounds in a row
	counts bigint[];
	x record;
BEGIN
	IF (numbered AND followed) OR NOT EXISTS (SELECT FROM dp_catalog.dp_synthetic_constraints(source) c
					WHERE c.kind IN ('p', 'u') AND NOT c.is_kept AND c.left_out IS NULL)
		AND NOT EXISTS (SELECT FROM dp_catalog.dp_synthetic_indexes(source) i WHERE i.is_unique AND i.left_out IS NULL) THEN
		RETURN 0;
	END IF;
	SELECT string_agg(format('c%s', a.attnum), ', ' ORDER BY a.attnum) AS every,
		   string_agg(format('c%s', a.attnum), ', ' ORDER BY a.attnum) FILTER (WHERE c.is_inserted) AS taken,
		   string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE c.is_inserted) AS columns,
		   dp_catalog.dp_qualified_name(target) AS name INTO x
	  FROM dp_catalog.dp_synthetic_columns(source) c
	  JOIN pg_attribute a ON a.attrelid = target AND a.attname = c.name;
	FOR round IN 1..30 LOOP
		BEGIN
			counts := dp_catalog.dp_statement(format(
				'WITH drawn (%s, fits) AS MATERIALIZED (SELECT drawn.*, dp_catalog.dp_keeps_checks(%s, drawn.*)'
				' FROM dp_catalog.dp_sample(NULL::%s, %s, %s, %s) drawn),'
				' kept AS (INSERT INTO %s (%s) SELECT %s FROM drawn WHERE fits AND %s %s ON CONFLICT DO NOTHING RETURNING 1)'
				' SELECT count(*) FROM kept', x.every, target, x.name, release, drawn,
				hashtextextended(format('%s again %s', seed, round), 0), x.name, x.columns, x.taken, dp_catalog.dp_synthetic_has_ranges(target),
				CASE WHEN NOT numbered THEN format('LIMIT %s', missing - found) END), ARRAY[target])::bigint[];
		EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
			EXIT; -- an index over an expression has no value for one of them
		END;
		found := found + counts[1];
		misses := CASE WHEN counts[1] = 0 THEN misses + 1 ELSE 0 END;
		EXIT WHEN misses = 3 OR found = missing;
	END LOOP;
	RETURN found;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_replace(regclass, oid, bigint, bigint, bigint, bigint) IS
	'internal: draws rows in place of those that repeat what is UNIQUE, and returns how many were found';

-- Rows that were left out since they repeat what is UNIQUE, and whose PRIMARY KEY is free, get in such columns what another row
-- has there, then any value of a public list or a time near their own, and NULL in the end: 64 are tried, or fewer where many
-- rows are missing. What refers to a row that is not public stays. Costs nothing.
CREATE FUNCTION dp_catalog.dp_synthetic_exchange(place dp_catalog.dp_place, target oid, drawn text, relations oid[], missing bigint)
	RETURNS bigint
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp SET enable_nestloop = off -- of drawn rows nobody knows how many there are
	AS $$
DECLARE
	primary_key smallint[] := (SELECT c.conkey FROM pg_constraint c WHERE c.conrelid = target AND c.contype = 'p');
	x record;
BEGIN
	WITH exchanged AS (
		SELECT a.attnum, row_number() OVER (ORDER BY a.attnum) - 1 AS n, count(*) OVER () AS columns,
			   CASE a.atttypid WHEN 'date'::regtype THEN '::integer'
					WHEN 'timestamp'::regtype THEN ' * interval ''1 s''' WHEN 'timestamptz'::regtype THEN ' * interval ''1 s''' END AS step
		  FROM pg_attribute a
		  JOIN dp_catalog.dp_column_roles(place.relation) d ON d.column_name = a.attname AND d.kind NOT IN ('key', 'fill', 'computed')
		 WHERE a.attrelid = target AND a.attnum <> ALL (primary_key)
		   AND EXISTS (SELECT FROM pg_index i WHERE i.indrelid = target AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL
						  AND a.attnum = ANY (i.indkey))
		   AND (d.source = 'public table'
				OR NOT EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(child => place.relation) f WHERE a.attname = ANY (f.refers_by))))
	SELECT string_agg(format('c%s', a.attnum), ', ' ORDER BY a.attnum) AS every,
		   string_agg(v.value, ', ' ORDER BY a.attnum) AS made,
		   string_agg(v.value, ', ' ORDER BY a.attnum) FILTER (WHERE c.is_inserted) AS taken,
		   string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE c.is_inserted) AS columns,
		   string_agg(format('k.%I = d.c%s', a.attname, a.attnum), ' AND ') FILTER (WHERE a.attnum = ANY (primary_key)) AS is_same,
		   dp_catalog.dp_qualified_name(target) AS name, count(e.attnum) AS exchanged INTO x
	  FROM dp_catalog.dp_synthetic_columns(place.relation) c
	  JOIN pg_attribute a ON a.attrelid = target AND a.attname = c.name
	  LEFT JOIN exchanged e ON e.attnum = a.attnum
	 -- one column after the other, then all at once
	 CROSS JOIN LATERAL (SELECT CASE WHEN e.attnum IS NULL THEN format('m.c%s', a.attnum)
									 ELSE format('CASE %s WHEN try %% %s NOT IN (%s, %s) THEN m.c%s%s ELSE o.c%5$s END',
												 CASE WHEN NOT a.attnotnull THEN 'WHEN try = tries THEN NULL' END, e.columns + 1, e.n, e.columns, a.attnum,
												 (SELECT CASE WHEN d.kind = 'range' AND e.step IS NOT NULL
															  THEN format(' WHEN try * 2 > tries THEN greatest(%L, least(%L, m.c%s + (((m.n * 31 + try * 17) %% 255) - 127)%s))',
																		  d.labels[1], d.labels[2], a.attnum, e.step)
															  WHEN d.kind = 'categories' AND cardinality(d.labels) BETWEEN 1 AND 1000 THEN format(' WHEN try * 2 > tries THEN (%L::text[])[1 + (m.n + try) %% %s]::%s', d.labels, cardinality(d.labels),
																format_type(a.atttypid, a.atttypmod)) END
													FROM dp_catalog.dp_column_domains(place.relation) d
												   WHERE d.column_name = a.attname)) END AS value) v;
	IF x.exchanged = 0 OR x.is_same IS NULL THEN
		RETURN 0;
	END IF;
	RETURN (dp_catalog.dp_statement(format(
		'WITH drawn (%1$s) AS MATERIALIZED (SELECT drawn.* FROM %2$s),'
		' d AS MATERIALIZED (SELECT *, row_number() OVER () AS n, count(*) OVER () AS rows FROM drawn),'
		' missing AS MATERIALIZED (SELECT * FROM d WHERE NOT EXISTS (SELECT FROM %3$s k WHERE %4$s)),'
		' kept AS (INSERT INTO %3$s (%5$s) SELECT %6$s FROM missing m CROSS JOIN (SELECT %7$s AS tries) t CROSS JOIN generate_series(1, tries) try'
		' JOIN d o ON o.n = 1 + (m.n + try * 7919) %% m.rows'
		' WHERE dp_catalog.dp_keeps_checks(%8$s, ROW(%9$s)) ORDER BY try, m.n ON CONFLICT DO NOTHING RETURNING 1)'
		' SELECT count(*) FROM kept', x.every, drawn, x.name, x.is_same, x.columns, x.taken,
		greatest(4, least(64, 2000000 / missing)), target, x.made), relations))[1];
EXCEPTION WHEN data_exception OR program_limit_exceeded THEN
	RETURN 0; -- an index over an expression has no value for one of them
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_exchange(dp_catalog.dp_place, oid, text, oid[], bigint) IS
	'internal: keeps rows that repeat what is UNIQUE with the values of others; returns how many';

-- What is wrong with a call, before anything is made.
CREATE FUNCTION dp_catalog.dp_synthetic_check_call(relations regclass[], schema name, epsilon float8, delta float8, options jsonb,
												   release bigint) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	unknown oid := (SELECT r.relation FROM unnest(relations) r (relation)
					 WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = r.relation) LIMIT 1);
BEGIN
	IF relations IS NULL OR schema IS NULL OR delta IS NULL OR options IS NULL
		OR array_position(relations, NULL) IS NOT NULL OR cardinality(relations) = 0 THEN
		RAISE EXCEPTION 'relations, schema, delta and options must not be null'
			USING ERRCODE = 'null_value_not_allowed';
	ELSIF (epsilon IS NULL) = (release IS NULL) THEN
		RAISE EXCEPTION 'either epsilon or release must be given'
			USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Nothing was spent.',
				  HINT = 'epsilon buys a new release. release => 42 makes the tables from the rows of a stored one, at no cost.';
	ELSIF jsonb_typeof(options) <> 'object' THEN
		RAISE EXCEPTION 'options must be a JSON object' USING ERRCODE = 'invalid_parameter_value';
	ELSIF release IS NOT NULL AND options - 'rows' <> '{}' THEN
		RAISE EXCEPTION 'a stored release has its options already'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Only the option rows can be given with it.';
	ELSIF unknown IS NOT NULL THEN
		RAISE EXCEPTION 'relation with OID % does not exist', unknown USING ERRCODE = 'undefined_table';
	ELSIF NOT EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = schema) THEN
		RAISE EXCEPTION 'schema "%" does not exist', schema
			USING ERRCODE = 'invalid_schema_name', DETAIL = 'Nothing was spent.',
				  HINT = format('Make it first: CREATE SCHEMA %I. Its tables get the names of the originals.', schema);
	ELSIF NOT has_schema_privilege(schema, 'CREATE') OR NOT has_schema_privilege(schema, 'USAGE') THEN
		RAISE EXCEPTION 'permission denied for schema %', schema
			USING ERRCODE = 'insufficient_privilege', DETAIL = 'Nothing was spent.',
				  HINT = format('GRANT USAGE, CREATE ON SCHEMA %I TO %I.', schema, current_user);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_check_call(regclass[], name, float8, float8, jsonb, bigint) IS
	'internal: an error for arguments of dp_create_synthetic that say nothing';

-- Of one relation. Of several none can be left out.
CREATE FUNCTION dp_catalog.dp_synthetic_check_columns(source regclass, options jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	missing text;
BEGIN
	IF jsonb_typeof(options -> 'columns') = 'array' THEN
		SELECT string_agg(quote_ident(c.name), ', ' ORDER BY c.number) INTO missing
		  FROM dp_catalog.dp_synthetic_columns(source) c
		  JOIN dp_catalog.dp_column_domains(source) d ON d.ordinal = c.number AND d.column_name = c.name
		 WHERE c.not_null AND d.kind NOT IN ('key', 'fill', 'computed') AND NOT options -> 'columns' ? c.name::text;
		IF missing IS NOT NULL THEN
			RAISE EXCEPTION 'columns that must not be NULL are not among the option columns: %', missing
				USING ERRCODE = 'invalid_parameter_value';
		END IF;
	END IF;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_check_columns(regclass, jsonb) IS
	'internal: an error where the option columns leaves out what must not be NULL';

-- The relations of a call, tree by tree, parents first: as they are protected, or as a stored release has them.
CREATE FUNCTION dp_catalog.dp_synthetic_places(relations regclass[], release bigint) RETURNS dp_catalog.dp_place[]
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	places dp_catalog.dp_place[];
BEGIN
	IF release IS NULL THEN
		RETURN ARRAY(SELECT t FROM dp_catalog.dp_tree_list(relations) t);
	END IF;
	places := ARRAY(SELECT ROW(l.relation, l.parent, l.refers_by, l.key)::dp_catalog.dp_place FROM dp_catalog.dp_release_list(release) l);
	IF EXISTS (SELECT FROM unnest(places) p WHERE p.relation IS NULL) THEN
		RAISE EXCEPTION 'a relation of release % was dropped', release
			USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'Tables are made like those that it was made of.',
				  HINT = 'dp_sample draws rows into any table of the same name.';
	ELSIF NOT (ARRAY(SELECT p.relation FROM unnest(places) p) @> relations
			   AND relations @> ARRAY(SELECT p.relation FROM unnest(places) p)) THEN
		RAISE EXCEPTION 'release % is of other relations', release
			USING ERRCODE = 'invalid_parameter_value',
				  DETAIL = format('It is of %s.', (SELECT string_agg(dp_catalog.dp_qualified_name(p.relation), ', ') FROM unnest(places) p)),
				  HINT = 'Name all of these, and no others.';
	END IF;
	RETURN places;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_places(regclass[], bigint) IS
	'internal: the relations of a call of dp_create_synthetic, and whose rows belong to whose';

-- How many rows of a root are asked for; NULL: as many as the release says. Of several roots it is said by their names.
CREATE FUNCTION dp_catalog.dp_synthetic_rows(root regclass, options jsonb, roots bigint) RETURNS bigint
	LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	name text := (SELECT c.relname FROM pg_class c WHERE c.oid = root);
BEGIN
	IF jsonb_typeof(options -> 'rows') = 'object' THEN
		RETURN options -> 'rows' ->> name;
	ELSIF roots > 1 AND options ->> 'rows' IS NOT NULL THEN
		RAISE EXCEPTION 'option "rows" does not say of which relation'
			USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Nothing was spent.',
				  HINT = format('Write {"rows": {"%s": %s}}, with the name of each relation that has no parent.', name, options -> 'rows');
	END IF;
	RETURN options ->> 'rows';
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_rows(regclass, jsonb, bigint) IS 'internal: how many rows of a root are asked for';

-- Empty tables, by the numbers of their originals. What keeps keys from being added, once they are filled, is seen now.
CREATE FUNCTION dp_catalog.dp_synthetic_make_all(places dp_catalog.dp_place[], links dp_catalog.dp_link[], linked oid[], schema name)
	RETURNS jsonb
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	targets jsonb := '{}';
	place dp_catalog.dp_place;
	child oid;
	item record;
BEGIN
	FOREACH place IN ARRAY places LOOP
		targets := targets || jsonb_build_object(place.relation::oid, dp_catalog.dp_synthetic_make(place, schema, links, linked));
	END LOOP;
	FOREACH place IN ARRAY places LOOP
		CONTINUE WHEN place.parent IS NULL;
		child := targets ->> place.relation::oid::text;
		PERFORM dp_catalog.dp_synthetic_refer(targets,
			dp_catalog.dp_synthetic_parent_key(place.relation, place.parent, place.refers_by));
		FOR item IN SELECT c.conname AS name FROM pg_constraint c
					 WHERE c.conrelid = child AND c.confrelid = (targets ->> place.parent::oid::text)::oid
		LOOP
			PERFORM dp_catalog.dp_synthetic_drop_constraint(child, item.name);
		END LOOP;
	END LOOP;
	RETURN targets;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_make_all(dp_catalog.dp_place[], dp_catalog.dp_link[], oid[], name) IS
	'internal: makes empty tables like relations';

-- Fills a table with rows of a stored release. No row is there without the row of the parent that it refers to.
CREATE FUNCTION dp_catalog.dp_synthetic_draw(place dp_catalog.dp_place, targets jsonb, release bigint, root_rows bigint, seed bigint,
											 OUT wanted bigint, OUT kept bigint)
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	target oid := targets ->> place.relation::oid::text;
	target_name text := dp_catalog.dp_qualified_name(target);
	skip_repeated boolean := NOT EXISTS (SELECT FROM dp_catalog.dp_synthetic_constraints(place.relation) c
										  WHERE c.is_deferrable AND c.kind IN ('p', 'u'));
	drawn text;
	item record;
BEGIN
	drawn := format('dp_catalog.dp_sample(NULL::%s, %s, %s, %s) drawn WHERE %s', target_name, release, root_rows, seed,
					CASE WHEN place.parent IS NULL THEN 'true'
					ELSE format('EXISTS (SELECT FROM %s parent WHERE %s)',
								dp_catalog.dp_qualified_name((targets ->> place.parent::oid::text)::oid),
								dp_catalog.dp_key_condition('parent', place.key, 'drawn', place.refers_by)) END);
	LOOP
		BEGIN
			SELECT f.wanted, f.kept INTO wanted, kept
			  FROM (SELECT string_agg(format('c%s', a.attnum), ', ' ORDER BY a.attnum) AS every,
						   string_agg(format('c%s', a.attnum), ', ' ORDER BY a.attnum) FILTER (WHERE c.is_inserted) AS taken,
						   string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE c.is_inserted) AS columns,
						   string_agg(coalesce(e.value, format('c%s', a.attnum)), ', ' ORDER BY a.attnum) AS cut, count(e.value) AS ends
					  FROM dp_catalog.dp_synthetic_columns(place.relation) c
					  JOIN pg_attribute a ON a.attrelid = target AND a.attname = c.name
					  LEFT JOIN (SELECT e.number, min(e.value) AS value FROM dp_catalog.dp_synthetic_exclusions(target) e GROUP BY 1) e ON e.number = a.attnum) x,
				   dp_catalog.dp_synthetic_fill(place.relation, target, format(
					'WITH drawn (%1$s, fits) AS MATERIALIZED (SELECT drawn.*, %2$s FROM %3$s), cut (%1$s, fits) AS (SELECT %4$s, fits FROM drawn WHERE fits),'
					' kept AS (INSERT INTO %5$s (%6$s) SELECT %7$s FROM cut WHERE %8$s AND %10$s %9$s RETURNING 1)'
					' SELECT (SELECT count(*) FROM drawn), (SELECT count(*) FROM kept)', x.every,
					CASE WHEN EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = target AND c.contype = 'c')
						 THEN format('dp_catalog.dp_keeps_checks(%s, drawn.*)', target) ELSE 'true' END,
					drawn, x.cut, target_name, x.columns, x.taken,
					CASE WHEN x.ends > 0 THEN format('dp_catalog.dp_keeps_checks(%s, ROW(%s))', target, x.every) ELSE 'fits' END,
					CASE WHEN skip_repeated THEN 'ON CONFLICT DO NOTHING' END, dp_catalog.dp_synthetic_has_ranges(target)),
					ARRAY(SELECT t.value::oid FROM jsonb_each_text(targets) t)) f;
			IF kept < wanted AND place.parent IS NULL AND skip_repeated THEN
				kept := kept + dp_catalog.dp_synthetic_replace(place.relation, target, release, root_rows, seed, wanted - kept);
			END IF;
			-- EXCLUDE is worth a tenth of the rows
			EXIT WHEN kept * 10 >= wanted * 9 OR NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = target AND c.contype = 'x');
			RAISE SQLSTATE 'DPX01';
		EXCEPTION WHEN SQLSTATE 'DPX01' THEN -- the rows are gone
		END;
		FOR item IN SELECT c.conname FROM pg_constraint c WHERE c.conrelid = target AND c.contype = 'x' ORDER BY 1 LOOP
			RAISE NOTICE 'left out of %: %', dp_catalog.dp_qualified_name(target), format('constraint %I', item.conname)
				USING DETAIL = 'Fewer than nine of ten rows would be left with it.';
			PERFORM dp_catalog.dp_synthetic_drop_constraint(target, item.conname);
		END LOOP;
	END LOOP;
	IF kept < wanted AND skip_repeated AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = target AND c.contype = 'x') THEN
		kept := kept + coalesce(dp_catalog.dp_synthetic_exchange(place, target, drawn,
			ARRAY(SELECT t.value::oid FROM jsonb_each_text(targets) t), wanted - kept), 0);
	END IF;
	IF place.parent IS NOT NULL THEN
		PERFORM dp_catalog.dp_synthetic_refer(targets,
			dp_catalog.dp_synthetic_parent_key(place.relation, place.parent, place.refers_by));
	END IF;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_draw(dp_catalog.dp_place, jsonb, bigint, bigint, bigint) IS
	'internal: fills a synthetic table; returns the numbers of rows that were drawn and kept';

-- Rows of a model that says nothing are put into the new tables, and taken out again: what keeps all of them out
-- would keep out those that are paid for. Keys to other tables are looked at when those are filled.
CREATE FUNCTION dp_catalog.dp_synthetic_try(place dp_catalog.dp_place, target oid) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	target_name text := dp_catalog.dp_qualified_name(target);
	skip_repeated boolean := NOT EXISTS (SELECT FROM dp_catalog.dp_synthetic_constraints(place.relation) c
										  WHERE c.is_deferrable AND c.kind IN ('p', 'u'));
	problem text;
	x record;
	item record;
BEGIN
	SELECT string_agg(format('c%s', a.attnum), ', ' ORDER BY a.attnum) AS every,
		   string_agg(format('c%s', a.attnum), ', ' ORDER BY a.attnum) FILTER (WHERE c.is_inserted) AS taken,
		   string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE c.is_inserted) AS columns INTO x
	  FROM dp_catalog.dp_synthetic_columns(place.relation) c
	  JOIN pg_attribute a ON a.attrelid = target AND a.attname = c.name;
	-- what values an open column has is found in the data alone
	IF EXISTS (SELECT FROM dp_catalog.dp_synthetic_columns(place.relation) c
				 JOIN dp_catalog.dp_column_domains(place.relation) d ON d.ordinal = c.number AND d.kind = 'open'
				WHERE c.not_null) THEN
		RETURN;
	END IF;
	FOR try IN 1..5 LOOP
		BEGIN
			-- an index that has no value for a row is left out later
			PERFORM dp_catalog.dp_synthetic_drop_computed(place.relation, target);
			IF (dp_catalog.dp_statement(format(
				'WITH drawn (%s, fits) AS MATERIALIZED (SELECT drawn.*, dp_catalog.dp_keeps_checks(%s, drawn.*)'
				' FROM dp_catalog.dp_trial_rows(NULL::%s, %s, %s) drawn),'
				' kept AS (INSERT INTO %s (%s) SELECT %s FROM drawn WHERE fits AND %s %s RETURNING 1)'
				' SELECT count(*) FROM kept', x.every, target, target_name, place.relation::oid, try, target_name, x.columns, x.taken,
				dp_catalog.dp_synthetic_has_ranges(target),
				CASE WHEN skip_repeated THEN 'ON CONFLICT DO NOTHING' END), ARRAY[target]))[1]::bigint > 0 THEN
				RAISE SQLSTATE 'DPOK1';
			END IF;
			problem := coalesce(problem, 'None of the rows that were made up for trial kept its CHECKs.');
		EXCEPTION
			WHEN SQLSTATE 'DPOK1' THEN
				RETURN; -- and nothing is left of the rows
			WHEN integrity_constraint_violation OR data_exception OR program_limit_exceeded THEN
				problem := upper(left(SQLERRM, 1)) || substr(SQLERRM, 2) || '.';
		END;
	END LOOP;
	RAISE EXCEPTION 'rows of relation "%" could not be kept',
		(SELECT format('%s.%s', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = place.relation)
		USING ERRCODE = 'object_not_in_prerequisite_state',
			  DETAIL = format('%s Nothing was spent.', problem),
			  HINT = format('Declare what its columns can hold, with dp_define_column: dp_suggest_columns(%L) writes the calls. Option partial goes on all the same.',
							place.relation);
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_try(dp_catalog.dp_place, oid) IS
	'internal: an error where not one row that is made up for trial can stand in a synthetic table';

-- A sequence of its own, where the original has one.
CREATE FUNCTION dp_catalog.dp_synthetic_sequences(place dp_catalog.dp_place, target oid, drawn bigint) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	item record;
	last bigint; -- number that a key has got
BEGIN
	FOR item IN SELECT c.name, a.atttypid FROM dp_catalog.dp_synthetic_columns(place.relation) c
				  JOIN pg_attribute a ON a.attrelid = target AND a.attname = c.name
				 WHERE c.is_sequence AND c.is_unique AND a.attnotnull
	LOOP
		last := drawn;
		IF place.parent IS NOT NULL AND item.atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype) THEN
			last := (dp_catalog.dp_statement(format('SELECT coalesce(max(%I), 0) FROM %s', item.name,
												dp_catalog.dp_qualified_name(target)), ARRAY[target]))[1];
		END IF;
		IF (last < CASE item.atttypid WHEN 'smallint'::regtype THEN 32767 WHEN 'integer'::regtype THEN 2147483647
									  WHEN 'bigint'::regtype THEN 9223372036854775807 END) THEN
			PERFORM dp_catalog.dp_synthetic_identity(target, item.name, last + 1);
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_sequences(dp_catalog.dp_place, oid, bigint) IS
	'internal: gives a synthetic table the sequences that its original has';

-- The options that a method takes: rows is one of dp_create_synthetic's own, where the method has no such option.
CREATE FUNCTION dp_catalog.dp_synthetic_options(options jsonb, method text) RETURNS jsonb
	LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT CASE WHEN coalesce((SELECT m.options ? 'rows' FROM @extschema@.dp_methods m WHERE m.method = dp_synthetic_options.method), false)
			THEN options - 'method' ELSE options - 'method' - 'rows' END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_options(jsonb, text) IS
	'internal: the options of dp_create_synthetic that are those of the method';

-- release: to draw from; NULL: a new one is paid for
CREATE FUNCTION dp_catalog.dp_create_synthetic(relations regclass[], schema name, epsilon float8,
											   delta float8, options jsonb, seed bigint, release bigint)
	RETURNS TABLE (relation regclass, synthetic regclass, rows bigint)
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
	SET search_path = pg_catalog, pg_temp SET jit = off
	AS $$
#variable_conflict use_column
DECLARE
	copied regclass[] := coalesce(dp_catalog.dp_public_among(relations), '{}'); -- public tables among them
	paid bigint := release;
	made_by text := coalesce(options ->> 'method', 'auto');
	places dp_catalog.dp_place[];
	links dp_catalog.dp_link[];
	roots regclass[];
	targets jsonb := '{}'; -- the new tables, by the numbers of their originals
	rows_max jsonb := '{}';  -- that keys can number, and are asked for, by the numbers of roots
	rows_asked jsonb := '{}';
	drawn_with bigint := seed;
	drawn bigint;       -- rows of a root
	root regclass;
	root_name text;
	place record;
	filled record;
	result jsonb := '[]';
	trimmed boolean;
BEGIN
	PERFORM dp_catalog.dp_synthetic_check_call(relations, schema, epsilon, delta, options, release);
	relations := ARRAY(SELECT r FROM unnest(relations) r WHERE r <> ALL (copied));
	IF cardinality(relations) = 0 THEN
		RAISE EXCEPTION 'all of these relations are public' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Name the protected relations that refer to them, too.';
	END IF;
	places := dp_catalog.dp_synthetic_places(relations, release);
	roots := ARRAY(SELECT p.relation FROM unnest(places) p WHERE p.parent IS NULL);
	IF cardinality(places) = 1 THEN
		PERFORM dp_catalog.dp_synthetic_check_columns(roots[1], options);
	END IF;
	FOREACH root IN ARRAY roots LOOP
		rows_asked := rows_asked || jsonb_build_object(root::oid, dp_catalog.dp_synthetic_rows(root, options, cardinality(roots)));
		rows_max := rows_max || jsonb_build_object(root::oid,
			dp_catalog.dp_rows_max(root, (rows_asked ->> root::oid::text)::bigint));
	END LOOP;
	IF release IS NULL AND jsonb_typeof(options -> 'columns') IS DISTINCT FROM 'array' THEN
		PERFORM dp_catalog.dp_check_keys(p.relation, (rows_asked ->> p.relation::oid::text)::bigint, p.parent IS NOT NULL)
		   FROM unnest(places) p;
	END IF;

	-- The tables are made first, so that whatever is wrong with them costs nothing.
	links := ARRAY(SELECT l FROM dp_catalog.dp_synthetic_links(places, copied) l);
	FOREACH relation IN ARRAY copied LOOP
		SELECT c.target, c.rows INTO synthetic, rows FROM dp_catalog.dp_synthetic_copy(relation, schema) c;
		targets := targets || jsonb_build_object(relation::oid, synthetic::oid);
		RETURN NEXT;
	END LOOP;
	targets := targets || dp_catalog.dp_synthetic_make_all(places, links,
		ARRAY(SELECT l.id FROM dp_catalog.dp_synthetic_public_links(relations) l), schema);
	FOR place IN SELECT * FROM dp_catalog.dp_synthetic_without_rows(places, targets) LOOP
		RAISE NOTICE 'there will be no rows of %: by foreign key % each must refer to a row of %, which has none',
			place.relation, quote_ident(place.name), place.target;
	END LOOP;
	IF release IS NULL THEN
		IF NOT coalesce((options ->> 'partial')::boolean, false) THEN
			PERFORM dp_catalog.dp_synthetic_try(p, (targets ->> p.relation::oid::text)::oid) FROM unnest(places) p;
		END IF;
		-- From here on it is paid for.
		paid := dp_catalog.dp_release(ARRAY(SELECT p.relation FROM unnest(places) p), made_by, epsilon, delta,
									  dp_catalog.dp_synthetic_options(options, made_by), 1);
		RAISE NOTICE 'release % is stored, whatever becomes of this transaction; draw from it again at no cost with dp_sample(NULL::%, %)',
			paid, dp_catalog.dp_qualified_name(roots[1]), paid;
	END IF;
	IF drawn_with IS NULL THEN
		drawn_with := ('x' || translate(left(gen_random_uuid()::text, 18), '-', ''))::bit(64)::bigint;
	END IF;

	FOR place IN SELECT t.*, (targets ->> t.relation::oid::text)::oid AS target, r.rows, r.method, r.epsilon, r.delta,
						ROW(t.relation, t.parent, t.refers_by, t.key)::dp_catalog.dp_place AS itself
				   FROM dp_catalog.dp_release_list(paid) WITH ORDINALITY t (relation, parent, refers_by, key, tree, turn)
				   JOIN @extschema@.dp_releases r ON r.release = t.tree
				  ORDER BY t.turn
	LOOP
		IF place.parent IS NULL THEN
			root := place.relation;
			root_name := dp_catalog.dp_qualified_name(root);
			drawn := coalesce((rows_asked ->> root::oid::text)::bigint,
				greatest(least(place.rows, (rows_max ->> root::oid::text)::bigint),
						 -- rows of others must refer to one
						 (SELECT 1 FROM unnest(links) l WHERE l.target = root AND l.relation <> root AND NOT l.can_be_null LIMIT 1)));
		END IF;
		SELECT * INTO filled FROM dp_catalog.dp_synthetic_draw(place.itself, targets, place.tree, drawn, drawn_with);
		IF filled.kept < filled.wanted THEN
			RAISE NOTICE '% of % rows% were left out: they break a CHECK, or repeat what is UNIQUE or must not overlap', filled.wanted - filled.kept,
				filled.wanted, CASE WHEN cardinality(places) > 1 THEN format(' of %s', place.relation) ELSE '' END;
		END IF;
		PERFORM dp_catalog.dp_synthetic_sequences(place.itself, place.target, drawn);
		PERFORM dp_catalog.dp_synthetic_comment(place.target, concat_ws(E'\n',
			format('Synthetic rows, made by dpsyn from release %s of %s: method %s, epsilon %s, delta %s, seed %s.',
				   place.tree, root_name, place.method, place.epsilon::float8::numeric, place.delta::float8::numeric, drawn_with),
			obj_description(place.relation, 'pg_class')));
		result := result || jsonb_build_object('relation', place.relation::oid, 'target', place.target, 'kept', filled.kept);
	END LOOP;
	trimmed := dp_catalog.dp_synthetic_trim(links, places, targets, drawn_with)
		OR dp_catalog.dp_synthetic_trim_public(places, targets);
	PERFORM dp_catalog.dp_synthetic_link(links, places, targets, drawn_with);
	FOR place IN SELECT * FROM jsonb_to_recordset(result) t (relation oid, target oid, kept bigint) LOOP
		relation := place.relation;
		synthetic := place.target;
		rows := CASE WHEN trimmed OR cardinality(links) > 0
				THEN (dp_catalog.dp_statement(format('SELECT count(*) FROM %s', dp_catalog.dp_qualified_name(synthetic)), ARRAY[place.target]))[1]
				ELSE place.kept::text END;
		RETURN NEXT;
	END LOOP;
	PERFORM dp_catalog.dp_synthetic_public_keys(targets, ARRAY(SELECT l.id FROM unnest(links) l), drawn_with);
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_create_synthetic(regclass[], name, float8, float8, jsonb, bigint, bigint) IS
	'internal: dp_create_synthetic';

CREATE FUNCTION dp_create_synthetic(source regclass, schema name, epsilon float8 DEFAULT NULL,
									delta float8 DEFAULT 0, options jsonb DEFAULT '{}',
									seed bigint DEFAULT NULL, release bigint DEFAULT NULL)
	RETURNS TABLE (relation regclass, synthetic regclass, rows bigint)
	LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
BEGIN ATOMIC
	SELECT * FROM dp_catalog.dp_create_synthetic(ARRAY[$1], $2, $3, $4, $5, $6, $7);
END;
COMMENT ON FUNCTION dp_create_synthetic(regclass, name, float8, float8, jsonb, bigint, bigint) IS
	'makes a table like a protected relation in a schema of the caller''s (columns, NOT NULL, CHECK, '
	'keys, indexes, comments), and fills it with the rows of a new release; '
	'needs a budget, and no '
	'right to SELECT; options: method (default auto), rows, and those of the method; what the '
	'caller may not use is left out with a NOTICE; the release is paid for and stored even if the '
	'transaction is rolled back; release: a stored release in place of epsilon, whose rows the tables hold, '
	'as often as wanted, at no cost';

-- All tables of schemas, but for partitions and what belongs to extensions. ERROR where nothing is said of some.
CREATE FUNCTION dp_catalog.dp_tables_of_schemas(schemas oid[]) RETURNS regclass[]
	LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	named text := (SELECT string_agg(quote_ident(n.nspname), ',') FROM unnest(schemas) s (id) JOIN pg_namespace n ON n.oid = s.id);
	neither text;
	others text;
	relations regclass[];
BEGIN
	SELECT string_agg(dp_catalog.dp_qualified_name(s.relation), ', ') FILTER (WHERE NOT s.known),
		   string_agg(dp_catalog.dp_qualified_name(s.relation), ',') FILTER (WHERE s.known), array_agg(s.relation)
	  INTO neither, others, relations
	  FROM (SELECT c.oid::regclass AS relation, dp_catalog.dp_is_protected(c.oid) OR dp_catalog.dp_public_among(ARRAY[c.oid::regclass]) <> '{}' AS known
			  FROM pg_class c
			 WHERE c.relnamespace = ANY (schemas) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
			   -- rows of a table that inherits are those of the other, unless that is elsewhere or it is said of itself
			   AND (dp_catalog.dp_is_protected(c.oid) OR NOT EXISTS (
					SELECT FROM pg_inherits i JOIN pg_class o ON o.oid = i.inhparent WHERE i.inhrelid = c.oid AND o.relnamespace = ANY (schemas)))
			   AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')
			 ORDER BY array_position(schemas, c.relnamespace), c.relname) s;
	IF relations IS NULL THEN
		RAISE EXCEPTION 'schema "%" has no tables', named USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Nothing was spent.';
	ELSIF neither IS NOT NULL THEN
		RAISE EXCEPTION 'schema "%" has tables of which nothing is said: %', named, neither
			USING ERRCODE = 'object_not_in_prerequisite_state',
				  DETAIL = 'They are neither protected nor public. Nothing was spent.',
				  HINT = format('Their owner can protect them: dp_suggest_protection(%L) writes the calls.',
								CASE WHEN cardinality(schemas) = 1 THEN named ELSE '{' || named || '}' END)
					  || coalesce(format(' Or name the others: %L.', '{' || others || '}'), '');
	END IF;
	RETURN relations;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_tables_of_schemas(oid[]) IS
	'internal: the tables of schemas, for functions that take relations';

CREATE FUNCTION dp_create_synthetic(relations text, schema name, epsilon float8 DEFAULT NULL,
									delta float8 DEFAULT 0, options jsonb DEFAULT '{}',
									seed bigint DEFAULT NULL, release bigint DEFAULT NULL)
	RETURNS TABLE (relation regclass, synthetic regclass, rows bigint)
	LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
BEGIN ATOMIC
	SELECT * FROM dp_catalog.dp_create_synthetic(dp_catalog.dp_relations_named($1), $2, $3, $4, $5, $6, $7);
END;
COMMENT ON FUNCTION dp_create_synthetic(text, name, float8, float8, jsonb, bigint, bigint) IS
	'the same for one relation by name, for several, which get one call''s releases and foreign keys: '
	'''{patients,visits,doctors}'', or for all tables of a schema, ''public'', or of several: ''{sales,staff}''';
