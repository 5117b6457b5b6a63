------------------------------------------------------------------------------
-- 9. Public tables beside synthetic ones: copied as they are, or referred to where they stand
------------------------------------------------------------------------------

CREATE FUNCTION dp_catalog.dp_public_rows(relation regclass)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_public_rows(regclass) IS
	'internal: the rows of a table that is declared public, columns by the names of the column list';

-- Which of these relations are declared public.
CREATE FUNCTION dp_catalog.dp_public_among(relations regclass[])
	RETURNS regclass[] LANGUAGE sql STABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT coalesce(array_agg(r.relation ORDER BY r.place), '{}')
  FROM unnest($1) WITH ORDINALITY r (relation, place)
  JOIN @extschema@.dp_public_relations p ON p.relation::oid = r.relation::oid
$$;
COMMENT ON FUNCTION dp_catalog.dp_public_among(regclass[]) IS
	'internal: those of these relations that are declared public, in their order';

CREATE FUNCTION dp_catalog.dp_synthetic_copy(source regclass, schema name, OUT target oid, OUT rows bigint)
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	left_out text[];
	item record;
	last bigint; -- number that a key has got
BEGIN
	SELECT array_agg(c.left_out ORDER BY c.number) FILTER (WHERE c.left_out IS NOT NULL)
	  INTO left_out FROM dp_catalog.dp_synthetic_columns(source) c;
	target := dp_catalog.dp_synthetic_table(source, schema);
	SELECT (dp_catalog.dp_statement(format(
			'WITH kept AS (INSERT INTO %s (%s) SELECT %2$s FROM dp_catalog.dp_public_rows(%s) AS r (%s) RETURNING 1)'
			' SELECT count(*) FROM kept', dp_catalog.dp_qualified_name(target),
			string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum), source::oid,
			string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum)),
			ARRAY[target]))[1] INTO rows
	  FROM dp_catalog.dp_synthetic_columns(source) c JOIN pg_attribute a ON a.attrelid = target AND a.attname = c.name
	 WHERE c.is_inserted;
	-- keys are added to a filled table, which is faster
	FOR item IN SELECT * FROM dp_catalog.dp_synthetic_constraints(source) c WHERE c.kind <> 'f'
	LOOP
		IF item.left_out IS NOT NULL THEN
			left_out := left_out || item.left_out;
		ELSIF item.kind IN ('p', 'u') THEN
			PERFORM dp_catalog.dp_synthetic_index(item.index, target);
		END IF;
	END LOOP;
	FOR item IN SELECT * FROM dp_catalog.dp_synthetic_indexes(source)
	LOOP
		IF item.left_out IS NOT NULL THEN
			left_out := left_out || item.left_out;
		ELSE
			PERFORM dp_catalog.dp_synthetic_index(item.id, target);
		END IF;
	END LOOP;
	IF left_out IS NOT NULL THEN
		RAISE NOTICE 'left out of %: %', dp_catalog.dp_qualified_name(target), array_to_string(left_out, ', ')
			USING DETAIL = 'They would run code of another role with your rights, or cannot be kept.';
	END IF;
	FOR item IN SELECT c.name, a.atttypid FROM dp_catalog.dp_synthetic_columns(source) c
				  JOIN pg_attribute a ON a.attrelid = target AND a.attname = c.name
				 WHERE c.is_sequence AND a.attnotnull AND a.atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)
	LOOP
		last := (dp_catalog.dp_statement(format('SELECT greatest(max(%I), 0) FROM %s', item.name,
											dp_catalog.dp_qualified_name(target)), ARRAY[target]))[1];
		IF (coalesce(last, 0) < CASE item.atttypid WHEN 'smallint'::regtype THEN 32767 WHEN 'integer'::regtype THEN 2147483647
									ELSE 9223372036854775807 END) THEN
			PERFORM dp_catalog.dp_synthetic_identity(target, item.name, coalesce(last, 0) + 1);
		END IF;
	END LOOP;
	PERFORM dp_catalog.dp_synthetic_comment(target, concat_ws(E'\n',
		format('Public rows, copied by dpsyn from %s.', dp_catalog.dp_qualified_name(source)),
		obj_description(source, 'pg_class')));
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_copy(regclass, name) IS
	'internal: makes a table like a public one in a schema, with all its rows, and its keys but for '
	'foreign ones';

-- Foreign keys of these relations to public ones.
CREATE FUNCTION dp_catalog.dp_synthetic_public_links(relations regclass[], OUT id oid, OUT name name, OUT relation regclass,
													 OUT target regclass, OUT refers_by name[], OUT key name[])
	RETURNS SETOF record LANGUAGE sql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT f.id, f.name, f.relation::regclass, f.referred::regclass, f.refers_by, f.key
  FROM unnest($1) r CROSS JOIN LATERAL dp_catalog.dp_foreign_keys(child => r) f
  JOIN @extschema@.dp_public_relations p ON p.relation::oid = f.referred
 ORDER BY f.relation, f.name
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_public_links(regclass[]) IS
	'internal: foreign keys of relations to tables that are declared public';

-- Columns of a key of several are modelled one by one, so that together they need not be a key. Where
-- they are none, the first of them stays what it is, if it begins any, and the others follow: each
-- key is as likely.
CREATE FUNCTION dp_catalog.dp_synthetic_public_rows(source oid, refers_by name[], target oid, key name[], label text)
	RETURNS void LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	own constant text := dp_catalog.dp_qualified_name(source);
	pool constant text := dp_catalog.dp_qualified_name(target);
	matched constant text := dp_catalog.dp_key_condition('p', key, 'c', refers_by);
	apart boolean; -- keys are numbered among those that begin alike
	settings text;
	present text;
	keys text;
	nothing text;
BEGIN
	SELECT string_agg(format('%I = p.%I', k.refers_by, k.key), ', '), string_agg(format('c.%I IS NOT NULL', k.refers_by), ' AND '),
		   string_agg(quote_ident(k.key), ', '), string_agg(format('%I = NULL', k.refers_by), ', ') FILTER (WHERE NOT (a.attnotnull OR dp_catalog.dp_type_not_null(a.atttypid)))
	  INTO settings, present, keys, nothing FROM unnest(key, refers_by) k (key, refers_by)
	  JOIN pg_attribute a ON a.attrelid = source AND a.attname = k.refers_by;
	FOREACH apart IN ARRAY ARRAY[true, false]
	LOOP
		-- each row knows its number among the keys before it meets them
		PERFORM dp_catalog.dp_statement(format(
			'WITH sizes AS (SELECT %10$s AS dp_lead, count(*) AS dp_of FROM %3$s GROUP BY dp_lead),'
			' pool AS (SELECT %1$s, %10$s AS dp_lead, row_number() OVER (PARTITION BY %10$s ORDER BY %1$s) AS dp_n FROM %3$s),'
			' led AS MATERIALIZED (SELECT c.ctid AS dp_place, s.dp_lead,'
			'   1 + (''x'' || left(md5(%4$L || ROW(c.*)::text), 15))::bit(60)::bigint %% s.dp_of AS dp_n'
			'  FROM %5$s c JOIN sizes s ON s.dp_lead = %9$s WHERE %6$s AND NOT EXISTS (SELECT FROM %3$s p WHERE %7$s))'
			' UPDATE %5$s c SET %8$s FROM led l JOIN pool p ON p.dp_lead = l.dp_lead AND p.dp_n = l.dp_n WHERE l.dp_place = c.ctid',
			keys, NULL::text, pool, label, own, present, matched, settings,
			CASE WHEN apart THEN format('c.%I', refers_by[1]) ELSE '0' END, CASE WHEN apart THEN quote_ident(key[1]) ELSE '0' END), ARRAY[source, target]);
	END LOOP;
	IF nothing IS NOT NULL THEN -- there is no key
		PERFORM dp_catalog.dp_statement(format('UPDATE %s c SET %s WHERE %s AND NOT EXISTS (SELECT FROM %s p WHERE %s)',
											   own, nothing, present, pool, matched), ARRAY[source, target]);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_public_rows(oid, name[], oid, name[], text) IS
	'internal: makes columns of a synthetic table hold keys of several columns of a public table';

-- Foreign keys by which rows must refer to one of a public table that has none, so that there can be no such rows.
CREATE FUNCTION dp_catalog.dp_synthetic_without_rows(places dp_catalog.dp_place[], targets jsonb, OUT name name, OUT relation regclass,
													 OUT target regclass)
	RETURNS SETOF record LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_column
DECLARE
	link record;
	pool oid;
BEGIN
	FOR link IN SELECT l.* FROM dp_catalog.dp_synthetic_public_links(ARRAY(SELECT p.relation FROM unnest(places) p)) l
				 WHERE NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = l.relation AND a.attname = ANY (l.refers_by)
									  AND NOT (a.attnotnull OR dp_catalog.dp_type_not_null(a.atttypid)))
	LOOP
		pool := coalesce((targets ->> link.target::oid::text)::oid, link.target::oid);
		CONTINUE WHEN NOT has_table_privilege(pool, 'SELECT')
			OR (dp_catalog.dp_statement(format('SELECT EXISTS (SELECT FROM %s)', dp_catalog.dp_qualified_name(pool)), ARRAY[pool]))[1]::boolean;
		name := link.name;
		relation := link.relation;
		target := link.target;
		RETURN NEXT;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_without_rows(dp_catalog.dp_place[], jsonb) IS
	'internal: foreign keys by which rows would have to refer to rows of an empty public table';

-- Such rows are deleted, with all that belongs to them.
CREATE FUNCTION dp_catalog.dp_synthetic_trim_public(places dp_catalog.dp_place[], targets jsonb) RETURNS boolean
	LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	link record;
	source oid;
	rows text;
	trimmed boolean := false;
BEGIN
	FOR link IN SELECT * FROM dp_catalog.dp_synthetic_without_rows(places, targets)
	LOOP
		source := targets ->> link.relation::oid::text;
		rows := (dp_catalog.dp_statement(format('SELECT array_agg(c.ctid) FROM %s c', dp_catalog.dp_qualified_name(source)), ARRAY[source]))[1];
		CONTINUE WHEN rows IS NULL;
		PERFORM dp_catalog.dp_synthetic_delete(places, targets, link.relation, rows);
		trimmed := true;
	END LOOP;
	RETURN trimmed;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_trim_public(dp_catalog.dp_place[], jsonb) IS
	'internal: deletes rows of synthetic tables that would refer to rows of an empty public table; whether there were any';

-- targets: the synthetic tables and copies, by the numbers of their originals; linked: keys that are seen to
CREATE FUNCTION dp_catalog.dp_synthetic_public_keys(targets jsonb, linked oid[], seed bigint) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	link record;
	place record;
	source oid;
	target oid;
	shown text; -- what is wrong; NULL: nothing
BEGIN
	FOR link IN SELECT * FROM dp_catalog.dp_synthetic_public_links(ARRAY(SELECT t.key::oid::regclass FROM jsonb_each_text(targets) t))
	LOOP
		CONTINUE WHEN link.id = ANY (linked);
		source := targets ->> link.relation::oid::text;
		target := coalesce((targets ->> link.target::oid::text)::oid, link.target::oid);
		shown := NULL;
		IF target = link.target::oid AND NOT has_table_privilege(target, 'REFERENCES') THEN
			shown := format('You have no privilege REFERENCES on %s; name it among the relations, and it is copied.',
							dp_catalog.dp_qualified_name(target));
		ELSIF cardinality(link.refers_by) > 1 AND NOT has_table_privilege(target, 'SELECT') THEN
			shown := format('You may not read %s; name it among the relations, and it is copied.', dp_catalog.dp_qualified_name(target));
		ELSE
			BEGIN
				FOR place IN SELECT c.connamespace::regnamespace AS schema, c.conname AS name FROM pg_constraint c
							  WHERE c.conrelid = source AND c.contype = 'f' AND c.condeferrable
				LOOP -- a table with checks to come cannot be altered
					EXECUTE format('SET CONSTRAINTS %s.%I IMMEDIATE', place.schema, place.name);
				END LOOP;
				IF cardinality(link.refers_by) > 1 AND dp_catalog.dp_public_among(ARRAY[link.relation]) = '{}' THEN
					PERFORM dp_catalog.dp_synthetic_public_rows(source, link.refers_by, target,
																link.key, link.name || seed::text);
				END IF;
				PERFORM dp_catalog.dp_synthetic_foreign_key(link.id, source, target);
			EXCEPTION WHEN integrity_constraint_violation OR invalid_foreign_key OR data_exception OR datatype_mismatch
						OR insufficient_privilege THEN
				shown := 'Some rows refer to none there, or a rule does not allow it.';
			END;
		END IF;
		IF shown IS NOT NULL THEN
			RAISE NOTICE 'left out of %: %', dp_catalog.dp_qualified_name(source), format('foreign key %I', link.name)
				USING DETAIL = shown;
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_synthetic_public_keys(jsonb, oid[], bigint) IS
	'internal: foreign keys of synthetic tables and of copies to public tables';

