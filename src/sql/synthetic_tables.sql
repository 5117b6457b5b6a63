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

-- Domains whose CHECKs or defaults are their owner's code, that are another role's, or that the
-- caller may not use, give way to the types that they are over. Other types of another role that
-- can run code give way to text.
CREATE FUNCTION dp_catalog.dp_synthetic_type(INOUT type oid, INOUT typmod integer)
	LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	t record;
BEGIN
	LOOP
		SELECT typtype, typbasetype, typtypmod, typelem, typcategory, typnamespace, typdefaultbin
		  INTO STRICT t FROM pg_type WHERE oid = type;
		IF t.typcategory = 'A' AND t.typtype = 'b'
			AND dp_catalog.dp_type_runs_code(t.typelem) THEN
			-- of values that are arrays themselves too, as of any others
			SELECT CASE WHEN e.typcategory = 'A' THEN e.oid ELSE e.typarray END, -1 INTO STRICT type, typmod
			  FROM dp_catalog.dp_synthetic_type(t.typelem, -1) s JOIN pg_type e ON e.oid = s.type;
			RETURN;
		END IF;
		IF t.typtype <> 'd' AND dp_catalog.dp_is_others_type(type) THEN
			type := 'text'::regtype;
			typmod := -1;
			RETURN;
		END IF;
		IF t.typtype <> 'd'
			OR NOT dp_catalog.dp_is_others_type(type)
			   AND dp_catalog.dp_runs_code(t.typdefaultbin) IS NOT TRUE
			   AND has_type_privilege(type, 'USAGE') AND has_schema_privilege(t.typnamespace, 'USAGE')
			   AND NOT EXISTS (SELECT FROM pg_constraint c
								WHERE c.contypid = type
								  AND (dp_catalog.dp_uses_untrusted_code('pg_constraint', c.oid)
									   OR dp_catalog.dp_runs_code(c.conbin)))
			   AND (SELECT typtype FROM pg_type WHERE oid = t.typbasetype) <> 'd' THEN
			RETURN;
		END IF;
		typmod := t.typtypmod;
		type := t.typbasetype;
	END LOOP;
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
	   coalesce(d.kind IN ('key', 'fill') AND d.labels[1] ~ '\{(n|n:([1-9]|1[0-9])|uuid)\}', false),
	   coalesce(d.kind IN ('key', 'fill') AND d.labels[1] = '{null}', d.kind IS NULL AND d.source IS DISTINCT FROM 'fields'),
	   x.not_null AND a.attgenerated = '',
	   CASE WHEN x.untrusted_code AND NOT x.is_sequence
			THEN format(CASE a.attgenerated WHEN '' THEN 'the default of column %I'
											ELSE 'the expression of column %I' END, a.attname)
			WHEN (x.type, x.typmod) <> (a.atttypid, a.atttypmod)
			THEN format('type %s of column %I', format_type(a.atttypid, a.atttypmod), a.attname) END
  FROM pg_attribute a
  LEFT JOIN pg_attrdef f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
  -- Fields of a column have its number, and names of their own.
  LEFT JOIN dp_catalog.dp_column_domains($1) d ON d.ordinal = a.attnum AND d.column_name = a.attname
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

-- CHECK, PRIMARY KEY and UNIQUE. is_kept: the rows keep it by themselves. number: whose column a CHECK
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
	   OR EXISTS (SELECT FROM dp_catalog.dp_synthetic_columns($1) s
				   WHERE s.number = ANY (c.conkey)
					 AND (s.is_unique OR c.contype = 'u' AND s.is_null AND NOT x.nulls_equal)),
	   c.condeferrable,
	   CASE WHEN c.contype = 'f' THEN format('foreign key %I', c.conname)
			WHEN c.contype = 'x' THEN format('constraint %I', c.conname)
			WHEN dp_catalog.dp_uses_untrusted_code('pg_constraint', c.oid) OR dp_catalog.dp_runs_code(c.conbin)
			THEN format('constraint %I', c.conname) END
  FROM pg_constraint c
 CROSS JOIN LATERAL (SELECT coalesce((SELECT i.indnullsnotdistinct FROM pg_index i WHERE i.indexrelid = c.conindid), false) AS nulls_equal) x
 WHERE c.conrelid = $1 AND c.contype IN ('c', 'p', 'u', 'f', 'x')
   -- a foreign key to a partitioned table is one, however many it has for partitions
   AND NOT EXISTS (SELECT FROM pg_constraint p WHERE p.oid = c.conparentid AND p.conrelid = c.conrelid)
   AND (to_jsonb(c) ->> 'conenforced') IS DISTINCT FROM 'false'
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

CREATE FUNCTION dp_catalog.dp_trial_rows(target anyelement, relation regclass, rows bigint, seed bigint)
	RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 10000 ROWS 100;
COMMENT ON FUNCTION dp_catalog.dp_trial_rows(anyelement, regclass, bigint, bigint) IS
	'internal: rows of a model that says nothing, by the public domains of a relation, to be held '
	'against the rules of a synthetic table before anything is paid for';

-- The relations of a tree, parents first, with the columns that refer to the parent and its key.
CREATE FUNCTION dp_catalog.dp_tree_list(relations regclass[], OUT relation regclass, OUT parent regclass,
							 OUT refers_by name[], OUT key name[])
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 3;
COMMENT ON FUNCTION dp_catalog.dp_tree_list(regclass[]) IS
	'internal: relations that are released together, parents first';

-- The names of columns, as a constraint numbers them.
CREATE FUNCTION dp_catalog.dp_key_columns(relation regclass, numbers smallint[]) RETURNS name[]
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT array_agg(a.attname ORDER BY n.place)
  FROM unnest(numbers) WITH ORDINALITY n (number, place) JOIN pg_attribute a ON a.attrelid = relation AND a.attnum = n.number
$$;
COMMENT ON FUNCTION dp_catalog.dp_key_columns(regclass, smallint[]) IS
	'internal: names of columns by their numbers';

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

-- Foreign keys of one column between these relations, besides those by which rows belong to each other:
-- to another relation, whose rows do not belong to its own. Where a row may refer to any row, the
-- column is neither modelled, nor declared, nor UNIQUE. One of several columns that refer to the parent may
-- also refer to the ancestor whose key it holds. Of several of one column, one.
CREATE FUNCTION dp_catalog.dp_synthetic_links(relations regclass[], OUT id oid, OUT name name, OUT relation regclass,
									 OUT refers_by name, OUT target regclass, OUT key name)
	RETURNS SETOF record LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
WITH RECURSIVE tree AS MATERIALIZED (SELECT * FROM dp_catalog.dp_tree_list($1)),
above (relation, ancestor) AS (
	SELECT t.relation, t.parent FROM tree t WHERE t.parent IS NOT NULL
	 UNION ALL
	SELECT b.relation, t.parent FROM above b JOIN tree t ON t.relation = b.ancestor WHERE t.parent IS NOT NULL),
holds (relation, refers_by, target, key) AS ( -- whose key a column holds: the parent's, and so on
	SELECT t.relation, n.refers_by, t.parent, n.key FROM tree t, unnest(t.refers_by, t.key) n (refers_by, key)
	 UNION ALL
	SELECT h.relation, h.refers_by, t.parent, n.key FROM holds h JOIN tree t ON t.relation = h.target,
		   unnest(t.refers_by, t.key) n (refers_by, key) WHERE n.refers_by = h.key)
SELECT DISTINCT ON (t.relation, a.attname) f.oid, f.conname, t.relation, a.attname, o.relation, k.attname
  FROM tree t
  JOIN pg_constraint f ON f.conrelid = t.relation AND f.contype = 'f' AND f.confrelid <> f.conrelid
  JOIN tree o ON o.relation = f.confrelid
  JOIN pg_attribute a ON a.attrelid = f.conrelid AND ARRAY[a.attnum] = f.conkey
  JOIN pg_attribute k ON k.attrelid = f.confrelid AND ARRAY[k.attnum] = f.confkey
 WHERE NOT EXISTS (SELECT FROM above b WHERE b.relation = o.relation AND b.ancestor = t.relation)
   AND CASE WHEN a.attname = ANY (t.refers_by)
			THEN cardinality(t.refers_by) > 1 AND o.relation <> t.parent AND EXISTS (
				SELECT FROM holds h
				 WHERE h.relation = t.relation AND h.refers_by = a.attname AND h.target = o.relation AND h.key = k.attname)
			ELSE NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = t.relation AND i.indisunique AND a.attnum = ANY (i.indkey))
				 AND NOT EXISTS (SELECT FROM dp_catalog.dp_column_domains(t.relation) d
								  WHERE d.ordinal = a.attnum AND (d.source = 'declared' OR d.kind NOT IN ('key', 'fill')))
	   END
   AND NOT EXISTS (SELECT FROM pg_constraint p WHERE p.oid = f.conparentid AND p.conrelid = f.conrelid)
 ORDER BY t.relation, a.attname, f.conname
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_links(regclass[]) IS
	'internal: foreign keys of relations that are released together, besides those to the parents';

CREATE FUNCTION dp_catalog.dp_synthetic_refer(targets jsonb, id oid) RETURNS void
	LANGUAGE sql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT dp_catalog.dp_synthetic_foreign_key(c.oid, (targets ->> c.conrelid::text)::oid, (targets ->> c.confrelid::text)::oid)
  FROM pg_constraint c WHERE c.oid = id
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_refer(jsonb, oid) IS
	'internal: adds a foreign key like this one to synthetic tables, which are by the numbers of their originals';

CREATE FUNCTION dp_catalog.dp_synthetic_parent_key(relation regclass, parent regclass, refers_by name[]) RETURNS oid
	LANGUAGE sql STABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT c.oid FROM pg_constraint c
 WHERE c.conrelid = relation AND c.contype = 'f' AND c.confrelid = parent
   AND dp_catalog.dp_key_columns(relation, c.conkey) = refers_by
 ORDER BY c.conname LIMIT 1
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_parent_key(regclass, regclass, name[]) IS
	'internal: the foreign key by which a relation refers to its parent';

-- A row whose CHECKs do not allow the row that was drawn for it (one account that pays itself) is given
-- another one, up to twenty times.
CREATE FUNCTION dp_catalog.dp_synthetic_link_any(source oid, refers_by name, target oid, key name, keys bigint,
												 label text) RETURNS void
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	refused text; -- rows that still need one, as an array of tid; NULL: all
	columns text; -- of the row as it would be
	number smallint;
BEGIN
	SELECT string_agg(CASE WHEN a.attname <> dp_synthetic_link_any.refers_by THEN format('c.%I', a.attname)
						   WHEN EXISTS (SELECT FROM pg_attribute k WHERE k.attrelid = target AND k.attname = dp_synthetic_link_any.key
										   AND k.atttypid = a.atttypid) THEN 'p.key'
						   ELSE format('p.key::%s', format_type(a.atttypid, a.atttypmod)) END, ', ' ORDER BY a.attnum),
		   max(a.attnum) FILTER (WHERE a.attname = dp_synthetic_link_any.refers_by)
	  INTO columns, number FROM pg_attribute a WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped;
	FOR try IN 1..20 LOOP
		refused := (dp_catalog.dp_statement(format(
			'WITH pool AS (SELECT r.%4$I AS key, row_number() OVER (ORDER BY r.%4$I) AS n FROM %3$s r WHERE r.%4$I IS NOT NULL),'
			' led AS (SELECT c.ctid AS dp_place, p.key, dp_catalog.dp_keeps_checks(%9$s, ROW(%5$s), %6$s) AS fits FROM %1$s c'
			' JOIN pool p ON p.n = 1 + (''x'' || left(md5(%7$L || ROW(c.*)::text), 15))::bit(60)::bigint %% %8$s'
			' WHERE %10$L IS NULL OR c.ctid = ANY (%10$L::tid[])),'
			' done AS (UPDATE %1$s c SET %2$I = l.key FROM led l WHERE l.fits AND l.dp_place = c.ctid)'
			' SELECT array_agg(l.dp_place) FROM led l WHERE NOT l.fits',
			dp_catalog.dp_qualified_name(source), refers_by, dp_catalog.dp_qualified_name(target), key, columns, number,
			label || CASE WHEN try > 1 THEN try::text ELSE '' END, keys, source, refused), ARRAY[source, target]))[1];
		EXIT WHEN refused IS NULL;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_link_any(oid, name, oid, name, bigint, text) IS
	'internal: gives each row of a synthetic table any of so many keys of another one that its CHECKs allow, by a label';

-- Gives rows of synthetic tables rows to refer to: the one that they belong to, where that is above
-- their parent, and else any, by seed.
CREATE FUNCTION dp_catalog.dp_synthetic_link(relations regclass[], targets jsonb, seed bigint) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	link record;
	place record;
	source oid;
	target oid;
	joined text; -- the way up
	on_the_way oid[]; -- its tables
	reached regclass;
	steps int;
	there bigint; -- rows to refer to
	setting text; -- the statement that sets the column; NULL: it may lead anywhere
BEGIN
	FOR link IN SELECT * FROM dp_catalog.dp_synthetic_links(relations)
	LOOP
		source := targets ->> link.relation::oid::text;
		target := targets ->> link.target::oid::text;
		there := (dp_catalog.dp_statement(format('SELECT count(%I) FROM %s', link.key, dp_catalog.dp_qualified_name(target)),
										  ARRAY[target]))[1];
		IF there = 0 THEN
			RAISE NOTICE 'left out of %: %', dp_catalog.dp_qualified_name(source), format('foreign key %I', link.name)
				USING DETAIL = 'No row is there that it could lead to.';
			CONTINUE;
		END IF;
		joined := format('%s x0', dp_catalog.dp_qualified_name(source));
		on_the_way := ARRAY[source];
		reached := link.relation;
		steps := 0;
		LOOP
			SELECT * INTO place FROM dp_catalog.dp_tree_list(relations) t WHERE t.relation = reached;
			EXIT WHEN place.parent IS NULL;
			steps := steps + 1;
			on_the_way := on_the_way || (targets ->> place.parent::oid::text)::oid;
			joined := joined || format(' JOIN %s x%s ON %s',
				dp_catalog.dp_qualified_name((targets ->> place.parent::oid::text)::oid), steps,
				dp_catalog.dp_key_condition('x' || steps, place.key, 'x' || steps - 1, place.refers_by));
			reached := place.parent;
			EXIT WHEN reached = link.target;
		END LOOP;
		IF reached = link.target AND steps > 1 THEN
			setting := format('UPDATE %s c SET %I = x%s.%I FROM %s WHERE x0.ctid = c.ctid',
							  dp_catalog.dp_qualified_name(source), link.refers_by, steps, link.key, joined);
		ELSE
			setting := NULL;
		END IF;
		BEGIN
			-- a table with checks to come cannot be altered
			FOR place IN SELECT c.connamespace::regnamespace AS schema, c.conname AS name FROM pg_constraint c
						  WHERE c.conrelid = source AND c.contype = 'f' AND c.condeferrable
			LOOP
				EXECUTE format('SET CONSTRAINTS %s.%I IMMEDIATE', place.schema, place.name);
			END LOOP;
			IF setting IS NOT NULL THEN
				PERFORM dp_catalog.dp_statement(setting, on_the_way);
			ELSE
				PERFORM dp_catalog.dp_synthetic_link_any(source, link.refers_by, target, link.key, there,
														 link.name || seed::text);
			END IF;
			PERFORM dp_catalog.dp_synthetic_refer(targets, link.id);
		EXCEPTION WHEN integrity_constraint_violation OR invalid_foreign_key OR data_exception OR program_limit_exceeded THEN
			RAISE NOTICE 'left out of %: %', dp_catalog.dp_qualified_name(source), format('foreign key %I', link.name)
				USING DETAIL = 'Another constraint does not allow what it would hold, or what it leads to is not UNIQUE.';
		END;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_link(regclass[], jsonb, bigint) IS
	'internal: foreign keys of synthetic tables besides those to the parents, and what they hold';

-- parent: to whose synthetic table a foreign key is added when both are filled, as are those of linked
CREATE FUNCTION dp_catalog.dp_synthetic_make(source regclass, schema name, parent regclass, refers_by name[], linked oid[])
	RETURNS oid
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	target oid; -- the new table
	skip_repeated boolean;
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
			SELECT FROM pg_constraint c
			 WHERE c.oid = item.id
			   AND (c.oid = ANY (linked) OR c.confrelid = parent AND dp_catalog.dp_key_columns(source, c.conkey) = refers_by));
		IF item.left_out IS NOT NULL OR NOT (item.is_kept OR skip_repeated) THEN
			left_out := left_out || coalesce(item.left_out, format('constraint %I', item.name));
		ELSIF item.kind IN ('p', 'u') THEN
			PERFORM dp_catalog.dp_synthetic_index(item.index, target);
		END IF;
	END LOOP;
	FOR item IN SELECT * FROM dp_catalog.dp_synthetic_indexes(source)
	LOOP
		IF item.left_out IS NOT NULL OR item.is_unique AND NOT skip_repeated THEN
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
COMMENT ON FUNCTION dp_catalog.dp_synthetic_make(regclass, name, regclass, name[], oid[]) IS
	'internal: makes an empty table like a relation';

-- filling: a statement of these relations
CREATE FUNCTION dp_catalog.dp_synthetic_fill(source regclass, target oid, filling text, relations oid[],
											 OUT wanted bigint, OUT kept bigint)
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	counts bigint[];
	item record;
	dropped boolean := false;
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
	FOR item IN SELECT i.indexrelid FROM pg_index i WHERE i.indrelid = target AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)
	LOOP
		PERFORM dp_catalog.dp_synthetic_drop_index(item.indexrelid);
	END LOOP;
	counts := dp_catalog.dp_statement(filling, relations)::bigint[];
	wanted := counts[1];
	kept := counts[2];
	FOR item IN SELECT i.id, i.name FROM dp_catalog.dp_synthetic_indexes(source) i WHERE i.is_computed AND i.left_out IS NULL
	LOOP
		BEGIN
			PERFORM dp_catalog.dp_synthetic_index(item.id, target);
		EXCEPTION WHEN data_exception OR program_limit_exceeded OR unique_violation THEN
			RAISE NOTICE 'left out of %: %', dp_catalog.dp_qualified_name(target), format('index %I', item.name)
				USING DETAIL = 'It has no value for some of the rows, or is not unique.';
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
	found bigint := 0;
	misses int := 0; -- rounds in a row
	counts bigint[];
	x record;
BEGIN
	IF NOT EXISTS (SELECT FROM dp_catalog.dp_synthetic_constraints(source) c
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
		counts := dp_catalog.dp_statement(format(
			'WITH drawn (%s, fits) AS MATERIALIZED (SELECT drawn.*, dp_catalog.dp_keeps_checks(%s, drawn)'
			' FROM dp_catalog.dp_sample(NULL::%s, %s, %s, %s) drawn),'
			' kept AS (INSERT INTO %s (%s) SELECT %s FROM drawn WHERE fits %s ON CONFLICT DO NOTHING RETURNING 1)'
			' SELECT count(*) FROM kept', x.every, target, x.name, release, drawn,
			hashtextextended(format('%s again %s', seed, round), 0), x.name, x.columns, x.taken,
			CASE WHEN NOT numbered THEN format('LIMIT %s', missing - found) END), ARRAY[target])::bigint[];
		found := found + counts[1];
		misses := CASE WHEN counts[1] = 0 THEN misses + 1 ELSE 0 END;
		EXIT WHEN misses = 3 OR found = missing;
	END LOOP;
	RETURN found;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_replace(regclass, oid, bigint, bigint, bigint, bigint) IS
	'internal: draws rows in place of those that repeat what is UNIQUE, and returns how many were found';

CREATE FUNCTION dp_catalog.dp_create_synthetic(relations regclass[], schema name, epsilon float8,
											   delta float8, options jsonb, seed bigint)
	RETURNS TABLE (relation regclass, synthetic regclass, rows bigint)
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
	SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_column
DECLARE
	source regclass;   -- the relation, or the root of several
	source_name text;
	target oid;        -- a new table
	target_name text;
	targets jsonb := '{}'; -- of all relations, by their numbers
	copied regclass[]; -- public tables among the relations
	linked oid[];      -- foreign keys that are added when all tables are filled
	several boolean;
	made_by text;      -- the method
	rows_asked bigint; -- NULL: as many as the release says
	rows_max bigint;   -- that keys can number
	drawn_with bigint := seed;
	monte_carlo text;   -- of one relation, in FROM
	wanted bigint;     -- rows of it
	paid bigint;       -- the release
	drawn bigint;      -- rows of the root
	last bigint;       -- number that a key has got
	kept bigint;
	skip_repeated boolean;
	said text;
	place record;
	item record;
BEGIN
	-- what is wrong with the call
	IF relations IS NULL OR schema IS NULL OR epsilon IS NULL OR delta IS NULL OR options IS NULL
		OR array_position(relations, NULL) IS NOT NULL OR cardinality(relations) = 0 THEN
		RAISE EXCEPTION 'relations, schema, epsilon, delta and options must not be null'
			USING ERRCODE = 'null_value_not_allowed';
	ELSIF jsonb_typeof(options) <> 'object' THEN
		RAISE EXCEPTION 'options must be a JSON object' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	copied := dp_catalog.dp_public_among(relations);
	relations := ARRAY(SELECT r FROM unnest(relations) r WHERE r <> ALL (copied));
	IF cardinality(relations) = 0 THEN
		RAISE EXCEPTION 'all of these relations are public' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Name the protected relations that refer to them, too.';
	END IF;
	several := cardinality(relations) > 1;
	source := relations[array_lower(relations, 1)];
	IF several THEN
		SELECT t.relation INTO source FROM dp_catalog.dp_tree_list(relations) t WHERE t.parent IS NULL;
	END IF;
	SELECT format('%I.%I', n.nspname, c.relname)
	  INTO source_name
	  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = source;
	IF source_name IS NULL THEN
		RAISE EXCEPTION 'relation with OID % does not exist', source::oid USING ERRCODE = 'undefined_table';
	END IF;
	made_by := coalesce(options ->> 'method', 'auto');
	rows_asked := options ->> 'rows';
	options := options - 'method';
	IF NOT coalesce((SELECT m.options ? 'rows' FROM @extschema@.dp_methods m WHERE m.method = made_by), false) THEN
		options := options - 'rows';
	END IF;
	IF jsonb_typeof(options -> 'columns') = 'array' THEN
		SELECT string_agg(quote_ident(c.name), ', ' ORDER BY c.number) INTO said
		  FROM dp_catalog.dp_synthetic_columns(source) c
		  JOIN dp_catalog.dp_column_domains(source) d ON d.ordinal = c.number AND d.column_name = c.name
		 WHERE c.not_null AND d.kind NOT IN ('key', 'fill') AND NOT options -> 'columns' ? c.name::text;
		IF said IS NOT NULL THEN
			RAISE EXCEPTION 'columns that must not be NULL are not among the option columns: %', said
				USING ERRCODE = 'invalid_parameter_value';
		END IF;
	END IF;

	IF NOT EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = dp_create_synthetic.schema) THEN
		RAISE EXCEPTION 'schema "%" does not exist', schema
			USING ERRCODE = 'invalid_schema_name', DETAIL = 'Nothing was spent.',
				  HINT = format('Make it first: CREATE SCHEMA %I. Its tables get the names of the originals.', schema);
	END IF;

	rows_max := dp_catalog.dp_rows_max(source, rows_asked);
	IF several THEN
		PERFORM dp_catalog.dp_check_keys(t.relation, CASE WHEN t.parent IS NULL THEN rows_asked END, t.parent IS NOT NULL)
		   FROM dp_catalog.dp_tree_list(relations) t;
	ELSIF jsonb_typeof(options -> 'columns') IS DISTINCT FROM 'array' THEN
		PERFORM dp_catalog.dp_check_keys(source, rows_asked, false);
	END IF;

	-- The tables are made first, so that whatever is wrong with them costs nothing.
	FOREACH relation IN ARRAY copied
	LOOP
		SELECT c.target, c.rows INTO target, rows FROM dp_catalog.dp_synthetic_copy(relation, schema) c;
		targets := targets || jsonb_build_object(relation::oid, target);
		synthetic := target;
		RETURN NEXT;
	END LOOP;
	linked := ARRAY(SELECT l.id FROM dp_catalog.dp_synthetic_public_links(relations) l);
	IF several THEN
		FOR place IN SELECT * FROM dp_catalog.dp_tree_list(relations)
		LOOP
			targets := targets || jsonb_build_object(place.relation::oid,
				dp_catalog.dp_synthetic_make(place.relation, schema, place.parent, place.refers_by,
					linked || ARRAY(SELECT l.id FROM dp_catalog.dp_synthetic_links(relations) l)));
		END LOOP;
		-- Keys are added to filled tables, which is faster. What keeps them from being is seen now.
		FOR place IN SELECT t.*, (targets ->> t.relation::oid::text)::oid AS child, (targets ->> t.parent::oid::text)::oid AS above
					   FROM dp_catalog.dp_tree_list(relations) t WHERE t.parent IS NOT NULL
		LOOP
			PERFORM dp_catalog.dp_synthetic_refer(targets,
				dp_catalog.dp_synthetic_parent_key(place.relation, place.parent, place.refers_by));
			FOR item IN SELECT c.conname AS name FROM pg_constraint c
						 WHERE c.conrelid = place.child AND c.confrelid = place.above
			LOOP
				PERFORM dp_catalog.dp_synthetic_drop_constraint(place.child, item.name);
			END LOOP;
		END LOOP;
	ELSE
		targets := targets || jsonb_build_object(source::oid, dp_catalog.dp_synthetic_make(source, schema, NULL, NULL, linked));
	END IF;

	-- From here on it is paid for.
	paid := CASE WHEN several THEN dp_catalog.dp_release(relations, made_by, epsilon, delta, options, 1)
				 ELSE dp_catalog.dp_release(source, made_by, epsilon, delta, options, 1) END;
	RAISE NOTICE 'release % is stored, whatever becomes of this transaction; draw from it again at no cost with dp_sample(NULL::%, %)',
		paid, source_name, paid;
	IF drawn_with IS NULL THEN
		drawn_with := ('x' || translate(left(gen_random_uuid()::text, 18), '-', ''))::bit(64)::bigint;
	END IF;
	SELECT coalesce(rows_asked, least(r.rows, rows_max)), r.method INTO drawn, made_by
	  FROM @extschema@.dp_releases r WHERE r.release = paid;
	FOR place IN SELECT source AS relation, NULL::regclass AS parent, NULL::name[] AS refers_by, NULL::name[] AS key WHERE NOT several
				 UNION ALL SELECT t.* FROM dp_catalog.dp_tree_list(CASE WHEN several THEN relations END) t
	LOOP
		target := targets ->> place.relation::oid::text;
		target_name := dp_catalog.dp_qualified_name(target);
		skip_repeated := NOT EXISTS (SELECT FROM dp_catalog.dp_synthetic_constraints(place.relation) c
									  WHERE c.is_deferrable AND c.kind IN ('p', 'u'));
		-- no row is there without the row that it refers to
		monte_carlo := format('dp_catalog.dp_sample(NULL::%s, %s, %s, %s) drawn WHERE %s', target_name, paid, drawn, drawn_with,
							 CASE WHEN place.parent IS NULL THEN 'true'
							 ELSE format('EXISTS (SELECT FROM %s parent WHERE %s)',
										 dp_catalog.dp_qualified_name((targets ->> place.parent::oid::text)::oid),
										 dp_catalog.dp_key_condition('parent', place.key, 'drawn', place.refers_by)) END);
		SELECT f.wanted, f.kept INTO wanted, kept
		  FROM (SELECT string_agg(format('c%s', a.attnum), ', ' ORDER BY a.attnum) AS every,
					   string_agg(format('c%s', a.attnum), ', ' ORDER BY a.attnum) FILTER (WHERE c.is_inserted) AS taken,
					   string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FILTER (WHERE c.is_inserted) AS columns
				  FROM dp_catalog.dp_synthetic_columns(place.relation) c
				  JOIN pg_attribute a ON a.attrelid = target AND a.attname = c.name) x,
			   dp_catalog.dp_synthetic_fill(place.relation, target, format(
				'WITH drawn (%s, fits) AS MATERIALIZED (SELECT drawn.*, %s FROM %s),'
				' kept AS (INSERT INTO %s (%s) SELECT %s FROM drawn WHERE fits %s RETURNING 1)'
				' SELECT (SELECT count(*) FROM drawn), (SELECT count(*) FROM kept)', x.every,
				CASE WHEN EXISTS (SELECT FROM pg_constraint c WHERE c.conrelid = target AND c.contype = 'c')
					 THEN format('dp_catalog.dp_keeps_checks(%s, drawn)', target) ELSE 'true' END,
				monte_carlo, target_name, x.columns, x.taken,
				CASE WHEN skip_repeated THEN 'ON CONFLICT DO NOTHING' END),
				ARRAY(SELECT t.value::oid FROM jsonb_each_text(targets) t)) f;
		IF kept < wanted AND place.parent IS NULL AND skip_repeated THEN
			kept := kept + dp_catalog.dp_synthetic_replace(place.relation, target, paid, drawn, drawn_with, wanted - kept);
		END IF;
		IF kept < wanted THEN
			RAISE NOTICE '% of % rows% were left out: they break a CHECK, or repeat what is UNIQUE', wanted - kept, wanted,
				CASE WHEN several THEN format(' of %s', place.relation) ELSE '' END;
		END IF;

		IF place.parent IS NOT NULL THEN
			PERFORM dp_catalog.dp_synthetic_refer(targets,
				dp_catalog.dp_synthetic_parent_key(place.relation, place.parent, place.refers_by));
		END IF;

		-- a sequence of its own, where the original has one
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
		PERFORM dp_catalog.dp_synthetic_comment(target, concat_ws(E'\n',
			format('Synthetic rows, made by dpsyn from release %s of %s: method %s, epsilon %s, delta %s, seed %s.',
				   paid, source_name, made_by, epsilon::numeric, delta::numeric, drawn_with),
			obj_description(place.relation, 'pg_class')));
		relation := place.relation;
		synthetic := target;
		rows := kept;
		RETURN NEXT;
	END LOOP;
	IF several THEN
		PERFORM dp_catalog.dp_synthetic_link(relations, targets, drawn_with);
	END IF;
	PERFORM dp_catalog.dp_synthetic_public_keys(targets, drawn_with);
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_create_synthetic(regclass[], name, float8, float8, jsonb, bigint) IS
	'internal: dp_create_synthetic';

CREATE FUNCTION dp_create_synthetic(source regclass, schema name, epsilon float8,
									delta float8 DEFAULT 0, options jsonb DEFAULT '{}',
									seed bigint DEFAULT NULL)
	RETURNS TABLE (relation regclass, synthetic regclass, rows bigint)
	LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
BEGIN ATOMIC
	SELECT * FROM dp_catalog.dp_create_synthetic(ARRAY[$1], $2, $3, $4, $5, $6);
END;
COMMENT ON FUNCTION dp_create_synthetic(regclass, name, float8, float8, jsonb, bigint) IS
	'makes a table like a protected relation in a schema of the caller''s (columns, NOT NULL, CHECK, '
	'keys, indexes, comments), and fills it with the rows of a new release; '
	'needs a budget, and no '
	'right to SELECT; options: method (default auto), rows, and those of the method; what the '
	'caller may not use is left out with a NOTICE; the release is paid for and stored even if the '
	'transaction is rolled back';

CREATE FUNCTION dp_create_synthetic(relations text, schema name, epsilon float8,
									delta float8 DEFAULT 0, options jsonb DEFAULT '{}',
									seed bigint DEFAULT NULL)
	RETURNS TABLE (relation regclass, synthetic regclass, rows bigint)
	LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
BEGIN ATOMIC
	SELECT * FROM dp_catalog.dp_create_synthetic(
		CASE WHEN pg_catalog.starts_with(pg_catalog.ltrim($1, E' \t\n\r\v\f'), '{') THEN $1::pg_catalog.regclass[]
			 ELSE ARRAY[$1::pg_catalog.regclass] END,
		$2, $3, $4, $5, $6);
END;
COMMENT ON FUNCTION dp_create_synthetic(text, name, float8, float8, jsonb, bigint) IS
	'the same for one relation by name, or for several that belong together (dp_protect with parent), '
	'which get one release and foreign keys: ''{patients,visits}''';

