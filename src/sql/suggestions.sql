------------------------------------------------------------------------------
-- 5. What might be declared of a relation's columns, for its custodian to read
------------------------------------------------------------------------------

CREATE FUNCTION dp_catalog.dp_text(value anyelement)
	RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_text(anyelement) IS
	'internal: a value as a text, by the output function of its type: a cast to text can be anybody''s code';

CREATE FUNCTION dp_catalog.dp_read_as_owner(relation regclass, statement text)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_read_as_owner(regclass, text) IS
	'internal: the rows of a SELECT from a relation, and those that its rows belong to, read with the rights of its owner, for who has them';

CREATE FUNCTION dp_catalog.dp_take_rows(relation regclass, rows integer)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_take_rows(regclass, integer) IS
	'internal: reads a relation once and keeps a sample of its rows, and those at the ends of its columns, for dp_read_as_owner, for who may; 0: gives them up';

CREATE FUNCTION dp_catalog.dp_rows_taken(relation regclass, OUT source text, OUT scale float8)
	RETURNS record AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_rows_taken(regclass) IS
	'internal: what a statement of dp_read_as_owner reads for the rows of a relation, and how many rows one of these stands for';

-- A column of text whose values hardly repeat. Of a table that is declared public a column serves that has half of its values.
-- Fields of a jsonb column that have few values, as lists.
CREATE FUNCTION dp_catalog.dp_suggest_fields(relation regclass, column_name name, OUT field text, OUT list text)
	RETURNS SETOF record LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	RETURN QUERY SELECT r.field, r.list FROM dp_catalog.dp_read_as_owner(relation, format(
		'WITH v AS (SELECT %1$I AS o FROM %2$s WHERE %1$I IS NOT NULL),
			  f AS (SELECT e.key, (e.value #>> ''{}'') COLLATE "C" AS x, jsonb_typeof(e.value) AS type FROM v, jsonb_each(CASE jsonb_typeof(v.o) WHEN ''object'' THEN v.o END) e
					 WHERE jsonb_typeof(e.value) IN (''string'', ''number'', ''boolean''))
		 SELECT format(CASE WHEN min(type) <> max(type) OR min(type) = ''string'' THEN ''%%I->>%%L'' WHEN min(type) = ''boolean'' THEN ''(%%I->>%%L)::boolean''
							WHEN bool_and(x ~ ''^-?[0-9]{1,9}$'') THEN ''(%%I->>%%L)::integer'' ELSE ''(%%I->>%%L)::numeric'' END, %3$L, key), dp_catalog.dp_literal(dp_catalog.dp_text(array_agg(DISTINCT x)))
		   FROM f GROUP BY key HAVING count(DISTINCT x) <= 40 AND count(DISTINCT x) * 2 <= count(*) AND count(*) * 10 >= (SELECT count(*) FROM v)
		  ORDER BY key LIMIT 20',
		column_name, (SELECT t.source FROM dp_catalog.dp_rows_taken(relation) t), column_name)) AS r(field text, list text);
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_fields(regclass, name) IS
	'internal: fields of a jsonb column that have few values, with these; read off the data for dp_suggest_columns';

-- An object with the fields that most have, and made-up texts. NULL: they are no such objects. type: json or jsonb.
CREATE FUNCTION dp_catalog.dp_suggest_object(relation regclass, column_name name, type regtype) RETURNS text
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	RETURN (SELECT r.made FROM dp_catalog.dp_read_as_owner(relation, format(
		'WITH v AS (SELECT %1$I AS o FROM %2$s WHERE %1$I IS NOT NULL LIMIT 1000),
			  f AS (SELECT e.key, mode() WITHIN GROUP (ORDER BY %3$s_typeof(e.value)) AS type
					  FROM v, %3$s_each(CASE %3$s_typeof(v.o) WHEN ''object'' THEN v.o END) e GROUP BY e.key HAVING count(*) * 2 >= (SELECT count(*) FROM v))
		 SELECT ''{'' || string_agg(format(''%%s: %%s'', to_json(key), CASE type WHEN ''string'' THEN format(''%%s'', to_json(key || '' {n}'')) WHEN ''number'' THEN ''0''
				WHEN ''boolean'' THEN ''false'' WHEN ''object'' THEN ''{}'' WHEN ''array'' THEN ''[]'' ELSE ''null'' END), '', '' ORDER BY key) || ''}''
		   FROM f HAVING NOT bool_or(key ~ ''[{}]'' OR strpos(key, chr(92)) > 0) AND (SELECT bool_and(%3$s_typeof(o) = ''object'') FROM v)',
		column_name, (SELECT t.source FROM dp_catalog.dp_rows_taken(relation) t), type)) AS r(made text));
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_object(regclass, name, regtype) IS
	'internal: a pattern of a json column that makes objects like those that occur; read off the data for dp_suggest_columns';

CREATE FUNCTION dp_catalog.dp_suggest_fill(relation regclass, column_name name, is_key boolean, OUT made text, OUT remark text)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	shape record;
	list record;
	held numeric;
	own text[];
	public text[];
	parts text[];
	source text;
	scale float8;
BEGIN
	SELECT t.source, t.scale INTO source, scale FROM dp_catalog.dp_rows_taken(relation) t;
	SELECT * INTO shape FROM dp_catalog.dp_read_as_owner(relation, format(
		-- of a sample, a thousand rows tell which characters occur
		'WITH d AS (SELECT rtrim(dp_catalog.dp_text(%1$I)) COLLATE "C" AS v FROM %2$s WHERE %1$I IS NOT NULL)
		 SELECT count(v), min(length(v)), max(length(v)), count(DISTINCT v) = count(v), max(f.mail::integer) > 0, max(f.alphabet)
		   FROM d, (SELECT bool_and(v ~ ''^[^@ ]+@[^@ ]+[.][A-Za-z]+$'') AS mail,
				CASE WHEN bool_and(v ~ ''^[0-9]+$'') THEN ''0-9'' WHEN bool_and(v ~ ''^[0-9a-f]+$'') THEN ''0-9a-f''
					 WHEN bool_and(v ~ ''^[0-9A-F]+$'') THEN ''0-9A-F'' WHEN bool_and(v ~ ''^[a-z]+$'') THEN ''a-z''
					 WHEN bool_and(v ~ ''^[A-Z]+$'') THEN ''A-Z'' WHEN bool_and(v ~ ''^[A-Z0-9]+$'') THEN ''A-Z0-9''
					 WHEN bool_and(v ~ ''^[a-z0-9]+$'') THEN ''a-z0-9'' WHEN bool_and(v ~ ''^[A-Za-z0-9]+$'') THEN ''A-Za-z0-9'' END AS alphabet
				FROM (SELECT v FROM d LIMIT %3$s) w) f', column_name, source, CASE WHEN scale > 1 THEN '1000' ELSE 'ALL' END))
		AS r(n bigint, shortest int, longest int, differ boolean, mail boolean, alphabet text);
	IF shape.n = 0 THEN
		RETURN;
	END IF;
	made := 'fill => ' || dp_catalog.dp_literal((SELECT dp_catalog.dp_suggest_numbered(relation, column_name, r.n, r.rows) FROM dp_catalog.dp_repeats(relation, column_name, 1) r));
	IF is_key AND made IS NOT NULL THEN
		remark := 'made up: texts that are numbered';
		RETURN;
	END IF;
	made := NULL;
	IF shape.mail THEN
		SELECT array_agg(a.attname ORDER BY a.attnum) INTO parts FROM pg_attribute a
		 WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> column_name AND a.attname !~ '["{}:,[\\]'
			   AND a.atttypid IN ('text'::regtype, 'varchar'::regtype) AND dp_catalog.dp_words_of(a.attname) ~ '(first|given|fore|last|family|sur)_?name';
		made := format('fill => %s', dp_catalog.dp_literal(coalesce((SELECT string_agg('{' || part || '}', '.') FROM unnest(parts) part), 'user') || '{n}@example.org'));
		remark := 'addresses that are nobody''s' || CASE WHEN parts IS NOT NULL THEN ', of what the row has, once that is filled' ELSE '' END;
		RETURN;
	END IF;
	SELECT r.list INTO own FROM dp_catalog.dp_read_as_owner(relation, format(
		'SELECT array_agg(DISTINCT v) FROM (SELECT rtrim(dp_catalog.dp_text(%1$I)) COLLATE "C" AS v FROM %2$s WHERE %1$I IS NOT NULL LIMIT 1000) d', column_name, source)) AS r(list text[]);
	FOR list IN
		SELECT c.oid::regclass AS of, a.attname
		  FROM unnest(dp_catalog.dp_public_among(ARRAY(SELECT t.oid::regclass FROM pg_class t WHERE t.relkind IN ('r', 'p')))) c (oid)
		  JOIN pg_attribute a ON a.attrelid = c.oid
		 WHERE NOT is_key AND a.attnum > 0 AND NOT a.attisdropped
			   AND a.atttypid IN ('text'::regtype, 'varchar'::regtype) AND has_column_privilege(c.oid, a.attnum, 'SELECT')
		 ORDER BY c.oid::regclass::text, a.attnum
	LOOP
		public := (dp_catalog.dp_statement(format('SELECT array_agg(DISTINCT rtrim(dp_catalog.dp_text(%1$I))) FROM %2$s WHERE %1$I IS NOT NULL', list.attname, list.of), ARRAY[list.of::oid]))[1]::text[];
		SELECT avg((v = ANY (public))::integer) INTO held FROM unnest(own) v;
		IF held >= .5 THEN
			made := format('fill_from => %s', dp_catalog.dp_literal(format('%s(%I)', list.of, list.attname)));
			remark := format('made up: that public table has %s %% of its values', round(100 * held));
			RETURN;
		END IF;
	END LOOP;
	IF shape.alphabet IS NULL AND shape.shortest = shape.longest AND shape.longest BETWEEN 4 AND 40 THEN
		made := 'fill => ' || dp_catalog.dp_literal(dp_catalog.dp_suggest_form(relation, column_name, is_key OR shape.differ));
		IF made IS NOT NULL THEN
			remark := 'made up: texts of one form';
		END IF;
	ELSIF shape.alphabet IS NOT NULL AND shape.shortest = shape.longest
		-- of three letters there are 17,576
		AND (shape.longest >= 4 OR shape.longest = 3 AND shape.alphabet ~* '-z' AND shape.n <= 8000) THEN
		made := format('fill => %s', dp_catalog.dp_literal(format('{%s[%s]:%s}', CASE WHEN is_key OR shape.differ THEN 'n:' ELSE '' END, shape.alphabet, shape.longest)));
		remark := format('made up: texts of %s such characters', shape.longest);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_fill(regclass, name, boolean) IS
	'internal: what a column of texts that hardly repeat can be filled with, READ OFF THE DATA';

-- "0123 456789": '{[0-9]:4} {[0-9]:6}', where all texts have one length, and in each place digits, letters, or the same sign.
CREATE FUNCTION dp_catalog.dp_suggest_form(relation regclass, column_name name, differ boolean) RETURNS text
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	kinds text[]; -- of the places, one after the other
	part record;
	form text := '';
	varies bigint; -- so many places
BEGIN
	SELECT r.kinds INTO kinds FROM dp_catalog.dp_read_as_owner(relation, format(
		'SELECT array_agg(kind ORDER BY place)
		   FROM (SELECT place, CASE WHEN bool_and(sign ~ ''[0-9]'') AND count(DISTINCT sign) > 1 THEN ''[0-9]'' WHEN bool_and(sign ~ ''[a-z]'') AND count(DISTINCT sign) > 1 THEN ''[a-z]''
							   WHEN bool_and(sign ~ ''[A-Z]'') AND count(DISTINCT sign) > 1 THEN ''[A-Z]'' WHEN bool_and(sign ~ ''[A-Z0-9]'') AND count(DISTINCT sign) > 1 THEN ''[A-Z0-9]''
							   WHEN min(sign) = max(sign) THEN min(sign) END AS kind
				   FROM (SELECT rtrim(dp_catalog.dp_text(%1$I)) AS v FROM %2$s WHERE %1$I IS NOT NULL LIMIT 5000) t,
						unnest(string_to_array(v, NULL)) WITH ORDINALITY u (sign, place) GROUP BY place) p', column_name,
		(SELECT t.source FROM dp_catalog.dp_rows_taken(relation) t))) AS r(kinds text[]);
	IF array_position(kinds, NULL) IS NOT NULL OR array_to_string(kinds, '') ~ '[{}\\]' THEN
		RETURN NULL;
	END IF;
	FOR part IN
		SELECT kind, count(*) AS length, sum(count(*)) FILTER (WHERE length(kind) > 1) OVER () AS places
		  FROM (SELECT kind, place, place - row_number() OVER (PARTITION BY kind ORDER BY place) AS run FROM unnest(kinds) WITH ORDINALITY u (kind, place)) r
		 GROUP BY kind, run ORDER BY min(place)
	LOOP
		varies := part.places;
		IF length(part.kind) = 1 THEN
			form := form || repeat(part.kind, part.length::integer);
		ELSE -- all parts together tell rows apart
			form := form || format('{%s%s:%s}', CASE WHEN differ THEN 'n:' END, part.kind, part.length);
		END IF;
	END LOOP;
	RETURN CASE WHEN varies >= 4 THEN form END;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_form(regclass, name, boolean) IS
	'internal: the pattern of texts that have the same signs or kinds of signs in the same places, READ OFF THE DATA';

CREATE FUNCTION dp_suggest_columns(relation regclass, from_data boolean DEFAULT true,
								   epsilon float8 DEFAULT 1)
	RETURNS SETOF text LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp SET jit = off
	-- texts that mean the same to the session that runs the calls
	SET DateStyle = 'ISO, YMD' SET IntervalStyle = postgres SET extra_float_digits = 1
	SET TimeZone = 'UTC' SET lc_monetary = 'C'
	AS $$
DECLARE
	col record;
	rows bigint; -- that are not NULL
	n bigint; -- distinct values
	kept bigint; -- rows whose value has enough of them to be found
	seldom bigint; -- rows of the rarest value
	ends text;
	resolution text;
	threshold numeric; -- rows that a value must have to exceed the noise
	bins bigint; -- that can be found
	columns integer;
	unit_rows bigint; -- of a unit that count
	units bigint; -- that have rows, as far as a column tells them apart; NULL: each row is one
	repeats boolean;
	keys text; -- another, unprotected relation to which a column refers
	range_from text; -- what gives a column its range
	numbered text; -- the pattern of texts that are numbered
	refers boolean; -- rows of children to it
	made text; -- what is declared; NULL: nothing
	remark text; -- what becomes of it
	missing text; -- part of a pattern
	near record; -- from which it is a distance
	others boolean; -- it refers to rows above the parent, most of which the row does not belong to
	bases name[]; -- that others of the row are distances from, declared or suggested
	ordered_by name; -- what rows are in order of has bins of its own
	computed jsonb := '{}'; -- {"column": expression}
	fields text[]; -- calls about those of a jsonb column
	step numeric; -- of which all values are multiples
	opens name[] := '{}'; -- that could be open
	open_at integer[] := '{}'; -- so many lines come before that of each
	lines text[] := '{}';
	source text; -- of rows that stand for all
	scale float8; -- for so many each
	belongs boolean; -- to the rows of a parent
	call constant text := format('SELECT @extschema@.dp_define_column(%s, ', dp_catalog.dp_literal(relation::text));
BEGIN
	IF epsilon <= 0 THEN
		RAISE EXCEPTION 'epsilon must be above 0' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	IF from_data AND NOT pg_has_role((SELECT relowner FROM pg_class WHERE oid = relation), 'USAGE') THEN
		RAISE EXCEPTION 'only the owner of % may ask for suggestions from the data', relation
			USING ERRCODE = 'insufficient_privilege',
				  DETAIL = 'Suggestions are read off the data, without noise.',
				  HINT = 'from_data => false reads the schema alone.';
	END IF;
	IF from_data THEN
		RAISE WARNING 'these domains are read off the data of %', relation
			USING DETAIL = 'A domain that is not public knowledge discloses which values occur.',
				  HINT = 'Replace each list by what is publicly known (a code book, a standard, round limits) before you run it.';
		PERFORM dp_catalog.dp_take_rows(relation, 20000);
		SELECT t.source, t.scale INTO source, scale FROM dp_catalog.dp_rows_taken(relation) t;
	END IF;

	-- a rule of thumb: the columns share the budget, tables of one column get half of it, and a
	-- count exceeds Laplace noise by three standard deviations
	SELECT greatest(count(*), 1) INTO columns FROM dp_catalog.dp_column_domains(relation) c
	 WHERE coalesce(c.kind, 'key') NOT IN ('key', 'fill', 'computed') OR c.source IN ('no range', 'no domain', 'not looked at');
	threshold := ceil(3 * sqrt(2.0) * 2 * columns / epsilon);
	WITH RECURSIVE up(relation, parent, rows) AS (
		SELECT d.relation::oid, d.parent::oid, d.max_rows_per_unit::numeric FROM @extschema@.dp_datasets d WHERE d.relation = dp_suggest_columns.relation
		 UNION ALL SELECT d.relation::oid, d.parent::oid, up.rows * d.max_rows_per_unit FROM up JOIN @extschema@.dp_datasets d ON d.relation::oid = up.parent)
	SELECT coalesce(least(max(up.rows), 1000000), 1) INTO unit_rows FROM up;
	IF from_data THEN
		-- what is said of the rows of one unit again and again is no list either
		SELECT max((SELECT r.n FROM dp_catalog.dp_repeats(dp_suggest_columns.relation, u.name, 1) r))
		  INTO units FROM @extschema@.dp_datasets d
		  LEFT JOIN dp_catalog.dp_foreign_keys(child => dp_suggest_columns.relation) f ON f.referred = d.parent AND d.unit_column = ANY (f.refers_by)
		 CROSS JOIN LATERAL unnest(coalesce(f.refers_by, ARRAY[d.unit_column])) u (name)
		 WHERE d.relation = dp_suggest_columns.relation AND d.unit_column IS NOT NULL;
	END IF;
	SELECT coalesce(array_agg(d.offset_of), '{}') INTO bases FROM @extschema@.dp_columns d
	 WHERE d.relation = dp_suggest_columns.relation AND d.offset_of IS NOT NULL;
	SELECT d.order_column, d.parent IS NOT NULL INTO ordered_by, belongs FROM @extschema@.dp_datasets d WHERE d.relation = dp_suggest_columns.relation;

	IF from_data THEN
		SELECT coalesce(jsonb_object_agg(c.column_name, c.expression), '{}') INTO computed FROM dp_catalog.dp_suggest_computed(relation) c
		 WHERE c.column_name IS DISTINCT FROM ordered_by;
	END IF;

	FOR col IN
		WITH RECURSIVE base AS (
			SELECT c.ordinal, c.column_name, c.kind, c.source, c.labels, c.resolution, c.has_other,
				   a.atttypid AS type, a.atttypmod AS typmod
			  FROM dp_catalog.dp_column_domains(relation) c
			  JOIN pg_attribute a ON a.attrelid = relation AND a.attnum = c.ordinal
			UNION ALL
			SELECT b.ordinal, b.column_name, b.kind, b.source, b.labels, b.resolution, b.has_other,
				   t.typbasetype, t.typtypmod
			  FROM base b JOIN pg_type t ON t.oid = b.type AND t.typtype = 'd')
		SELECT b.ordinal, b.column_name AS name, b.type::regtype, b.typmod, b.kind, b.source, b.labels, b.resolution,
			   b.type IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'real'::regtype,
						  'double precision'::regtype, 'numeric'::regtype, 'money'::regtype) AS is_number,
			   b.type IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) AS is_time,
			   t.typcategory = 'S' AS is_text, b.column_name <> a.attname AS is_field, a.attname AS field_of,
			   -- by itself: with others it may repeat
			   EXISTS (SELECT FROM pg_index i WHERE i.indrelid = relation AND i.indisunique AND i.indpred IS NULL
						  AND i.indnkeyatts = 1 AND i.indkey[0] = b.ordinal) AS is_key
		  FROM base b JOIN pg_attribute a ON a.attrelid = relation AND a.attnum = b.ordinal JOIN pg_type t ON t.oid = b.type AND t.typtype <> 'd'
		 ORDER BY b.ordinal, b.column_name
	LOOP
		made := NULL;
		remark := NULL;
		others := NULL;
		SELECT f.referred::regclass::text INTO keys
		  FROM dp_catalog.dp_foreign_keys(child => relation) f JOIN pg_attribute a ON a.attrelid = f.relation AND ARRAY[a.attname] = f.refers_by
		 WHERE a.attnum = col.ordinal AND f.referred <> f.relation
		 ORDER BY f.id LIMIT 1;
		range_from := CASE col.source WHEN 'assumed' THEN 'assumed' ELSE 'by its type' END;
		step := NULL;
		IF from_data AND col.kind = 'range' AND col.is_number AND col.source <> 'declared' AND NOT computed ? col.name THEN
			step := dp_catalog.dp_suggest_step(relation, col.name);
		END IF;
		IF col.source IN ('declared', 'schema', 'check', 'public table') THEN -- that needs no word
			remark := concat_ws(' ', col.kind, CASE WHEN cardinality(col.labels) <= 10 THEN col.labels::text END,
								CASE col.source WHEN 'declared' THEN 'as declared' WHEN 'check' THEN 'by CHECK'
											WHEN 'public table' THEN format('by the %s keys of a public table', cardinality(col.labels)) ELSE 'by the schema' END,
								'at resolution ' || col.resolution);
			IF from_data AND col.kind IN ('categories', 'range') AND NOT col.is_field THEN
				SELECT s.n, s.rows, s.seldom INTO n, rows, seldom FROM dp_catalog.dp_repeats(relation, col.name, threshold) s;
				ends := col.labels::text;
				IF col.source = 'check' AND col.kind = 'range' AND (col.is_number OR col.is_time) THEN -- which may say one end alone
					ends := dp_catalog.dp_suggest_narrower(relation, col.name, col.type, col.labels);
				END IF;
				-- of many keys the few that occur, as of all that can be said
				IF (CASE col.source WHEN 'public table' THEN cardinality(col.labels) > 64 AND n BETWEEN 1 AND least(1000, cardinality(col.labels) / 10)
								   WHEN 'check' THEN col.kind = 'range' AND n = 1 ELSE false END) AND n * 2 <= rows THEN
					made := format('categories => %s%s', dp_catalog.dp_suggest_list(relation, col.name, col.type), CASE WHEN (SELECT a.attnotnull FROM pg_attribute a WHERE a.attrelid = relation AND a.attnum = col.ordinal)
																	THEN ', complete => true' ELSE '' END);
					remark := CASE col.source WHEN 'check' THEN 'the same in all rows' ELSE format('%s keys of a public table, of %s', n, cardinality(col.labels)) END;
				-- a few values of all that a CHECK allows, as in prices
				ELSIF col.source = 'check' AND col.is_number AND col.type <> 'money'::regtype AND n BETWEEN 1 AND 40 AND n * 2 <= rows
					AND 4 * n < ((ends::text[])[2]::numeric - (ends::text[])[1]::numeric) / coalesce(step, col.resolution::numeric) THEN
					made := 'categories => ' || dp_catalog.dp_suggest_list(relation, col.name, col.type);
					remark := format('%s values of the %s', n, remark);
				ELSIF step IS NOT NULL OR ends <> col.labels::text THEN
					made := concat_ws(', ', 'range => ' || dp_catalog.dp_literal(ends), 'resolution => ' || dp_catalog.dp_literal(step::text));
				END IF;
				remark := format('%s: at epsilon %s %s', remark, epsilon,
								 CASE WHEN rows = 0 THEN 'nothing is found, since no row has a value'
									  WHEN col.kind = 'range' AND NOT starts_with(coalesce(made, ''), 'categories') THEN format('about %s of at most 32 bins are found', least(32, n, greatest(1, rows / threshold::bigint)))
									  WHEN seldom >= threshold THEN 'all that occur exceed the noise'
									  ELSE format('values of fewer than about %s rows drown in the noise', threshold) END);
			END IF;
		ELSIF col.source = 'fields' THEN
			remark := CASE WHEN col.type = 'jsonb'::regtype THEN 'modelled by its fields' ELSE 'modelled by its bounds and its ends' END;
		ELSIF col.source IN ('sequence', 'foreign key', 'generated', 'unit')
			  OR col.source IN ('primary key', 'unique') AND (col.is_key OR col.is_number OR col.is_time) THEN
			-- unless a CHECK on it has given it a form
			IF from_data AND col.source IN ('primary key', 'unique') AND col.is_text
			   AND (col.labels::text[])[1] IN ('{n}', col.name || ' {n}') THEN
				SELECT f.made, f.remark INTO made, remark FROM dp_catalog.dp_suggest_fill(relation, col.name, true) f;
				remark := remark || '; a key';
			END IF;
			IF from_data AND keys IS NOT NULL AND col.source IN ('foreign key', 'unique', 'primary key')
			   AND col.type IN ('integer'::regtype, 'bigint'::regtype, 'uuid'::regtype) THEN
				others := dp_catalog.dp_suggest_others(relation, col.name);
			END IF;
			IF others THEN
				made := format('fill => ''{%s}''', CASE WHEN col.type = 'uuid'::regtype THEN 'uuid' ELSE 'n' END);
				remark := 'it refers to others than the row that it belongs to';
			ELSIF from_data AND col.source = 'foreign key' AND others IS NULL THEN
				SELECT s.made, s.remark INTO made, remark FROM dp_catalog.dp_suggest_together(relation, col.name, col.type) s;
			END IF;
			remark := coalesce(remark, format('nothing to declare (%s): its values carry nothing that a release could learn', col.source));
		ELSIF col.is_field AND col.source = 'type' THEN
			remark := 'by its type; what is public is better: declare it so';
			IF from_data THEN
				SELECT s.made, s.remark INTO made, remark FROM dp_catalog.dp_suggest_part(relation, col.field_of, split_part(col.name, '(', 1)) s;
			END IF;
		ELSIF from_data AND col.kind = 'range' AND col.is_number AND belongs AND dp_catalog.dp_counts_in_parent(relation, col.name) THEN
			made := 'fill => ''{place}''';
			remark := 'it is not modelled: it counts the rows of a parent, 1, 2, 3';
		ELSIF keys IS NOT NULL THEN -- a relation that is not protected need not be public: no call to run as it is
			remark := CASE WHEN dp_catalog.dp_public_among(ARRAY[keys::regclass]) <> '{}' THEN format('not modelled: public table %s has no row that it could refer to', keys)
					  ELSE format('%s; if %s holds nobody''s data, better SELECT @extschema@.dp_declare_public(%s)',
							 CASE WHEN col.kind = 'range' THEN format('range %s %s', col.labels, range_from) ELSE 'not modelled' END,
							 keys, dp_catalog.dp_literal(keys)) END;
		ELSIF NOT from_data THEN
			remark := CASE WHEN col.kind = 'range' THEN
								format('range %s %s, at resolution %s; a narrower one that is public is better: %s%s, range => ''{low,high}'')',
									   col.labels, range_from, col.resolution, call, dp_catalog.dp_literal(col.name))
						   WHEN col.source = 'no range' THEN format('not modelled: declare its range, %s%s, range => ''{low,high}'')', call, dp_catalog.dp_literal(col.name))
						   WHEN col.kind IS NULL THEN 'NULL in each row; to model it, declare categories, or open => true'
						   ELSE format('made up, %s; to model it, declare categories, or open => true', col.labels[1]) END;
		ELSE
			SELECT s.n, s.rows, s.kept, s.seldom INTO n, rows, kept, seldom FROM dp_catalog.dp_repeats(relation, col.name, threshold) s;
			-- values that hardly repeat are no categories
			repeats := n * 2 <= least(rows, units) AND col.type <> 'bytea'::regtype
					   AND dp_catalog.dp_words_of(col.name) !~ '(^|_)(password|passwd|pwd|secret|token|hash|salt)($|_)';
			numbered := NULL;
			-- a part of a key of rows to which those of children belong
			refers := col.is_text AND EXISTS (
				SELECT FROM @extschema@.dp_datasets d CROSS JOIN LATERAL dp_catalog.dp_foreign_keys(d.relation, d.parent) f
				 WHERE d.parent = dp_suggest_columns.relation AND d.active AND col.name = ANY (f.key));
			IF (n >= 50 OR refers) AND NOT col.is_number AND NOT col.is_time AND NOT col.is_field AND col.type IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype) THEN
				numbered := dp_catalog.dp_suggest_numbered(relation, col.name, n, CASE WHEN refers THEN n ELSE rows END);
			END IF;
			bins := least(32, n, greatest(1, rows / threshold::bigint));
			IF n = 0 THEN
				remark := 'no row has a value';
			ELSIF (refers OR numbered IS NOT NULL) AND (n > 400 OR NOT repeats) THEN -- few that repeat are codes
				made := 'fill => ' || dp_catalog.dp_literal(coalesce(numbered, '{n}'));
				remark := CASE WHEN refers THEN 'made up: rows of other tables refer to it' ELSE format('texts that are numbered, %s of them', n) END;
			ELSIF n = rows AND n > 1 AND NOT col.is_field AND col.type IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)
				  AND (SELECT r.numbers FROM dp_catalog.dp_read_as_owner(relation, format(
							-- so many of so few do not all differ by chance
							'SELECT min(%1$I) IN (0, 1) AND max(%1$I) - min(%1$I) + 1 = count(*) OR %3$L AND count(*) >= 50 AND max(%1$I)::numeric - min(%1$I) < 5 * count(*) FROM %2$s',
							col.name, relation, dp_catalog.dp_words_of(col.name) ~ '(^|_)(id|no|nr|num|number|rownum|row|index|line|seq|sequence)($|_)')) AS r(numbers boolean)) THEN
				made := 'key => true';
				remark := 'it is not modelled: it numbers the rows';
			ELSIF n <= (CASE WHEN col.kind = 'range' OR col.is_number THEN 40 ELSE 1000 END) AND repeats THEN
				made := format('categories => %s', dp_catalog.dp_suggest_list(relation, col.name, col.type));
				remark := CASE WHEN seldom >= threshold THEN 'all of them exceed the noise'
							   ELSE format('values of fewer than about %s rows drown in the noise', threshold) END
						  || CASE WHEN belongs AND dp_catalog.dp_is_data_key(relation, col.name) THEN '; a key column that is data' ELSE '' END;
			ELSIF col.is_number OR col.is_time OR col.type = 'interval'::regtype THEN
				SELECT s.ends, s.resolution INTO ends, resolution
				  FROM dp_catalog.dp_suggest_range(relation, dp_catalog.dp_values_taken(relation, col.name), 'v', col.type,
													CASE WHEN col.source <> 'assumed' THEN col.labels END) s;
				resolution := coalesce(step::text, resolution);
				made := concat_ws(', ', 'range => ' || dp_catalog.dp_literal(ends), 'resolution => ' || dp_catalog.dp_literal(resolution));
				remark := format('about %s of at most 32 bins are found%s', bins,
								 CASE WHEN belongs AND dp_catalog.dp_is_data_key(relation, col.name) THEN '; a key column that is data' END);
				IF ends IS NULL THEN
					made := NULL;
					remark := 'its values are not finite, or too large for a range';
				END IF;
			ELSIF col.kind = 'range' THEN
				remark := format('range %s by its type: at epsilon %s about %s of at most 32 bins are found', col.labels, epsilon, bins);
			ELSIF NOT repeats THEN
				IF col.is_text AND NOT col.is_field THEN
					SELECT f.made, f.remark INTO made, remark FROM dp_catalog.dp_suggest_fill(relation, col.name, col.is_key) f;
				ELSIF col.type = 'bytea'::regtype THEN
					made := 'fill => ''\x{[0-9a-f]:32}''';
					remark := 'made up';
				ELSIF col.type IN ('jsonb'::regtype, 'json'::regtype) AND NOT col.is_field THEN
					fields := '{}';
					IF col.type = 'jsonb'::regtype THEN
						fields := ARRAY(SELECT format('%s%s, categories => %s); -- at epsilon %s a field of few values', call,
							dp_catalog.dp_literal(f.field), f.list, epsilon) FROM dp_catalog.dp_suggest_fields(relation, col.name) f);
					END IF;
					lines := lines || fields;
					IF fields <> '{}' THEN
						remark := 'modelled by its fields of few values, and has no others';
					ELSE
						made := 'fill => ' || dp_catalog.dp_literal(dp_catalog.dp_suggest_object(relation, col.name, col.type));
						remark := CASE WHEN made IS NOT NULL THEN 'made up, with the fields that most have' END;
					END IF;
				END IF;
				remark := coalesce(remark, 'nothing to declare: most values occur once, as in names and free text');
			ELSIF kept = 0 THEN
				remark := format('at epsilon %s open => true would find no value, since each has fewer than about %s rows; if a public table lists its values, %s%s, domain => ''{"table": "list", "column": "value"}'')',
								 epsilon, threshold, call, dp_catalog.dp_literal(col.name));
			ELSE
				made := NULL; -- that is seen once all such columns are known
				remark := NULL;
				opens := opens || col.name;
				open_at := open_at || cardinality(lines);
			END IF;
		END IF;
		IF from_data AND col.kind = 'range' AND col.source <> 'declared' AND NOT col.is_field AND keys IS NULL AND NOT computed ? col.name AND (col.is_time OR made IS NULL OR starts_with(made, 'range'))
			THEN
			-- of a key only from what all rows of one parent have
			SELECT s.* INTO near FROM dp_catalog.dp_suggest_distance(relation, col.name, col.name <> ALL (bases) AND col.name IS DISTINCT FROM ordered_by
				AND NOT coalesce(belongs AND dp_catalog.dp_is_data_key(relation, col.name), false),
				ARRAY(SELECT jsonb_object_keys(computed)::name)) s;
			IF near.base IS NOT NULL THEN
				made := concat_ws(', ', format('offset_of => %s, range => %s', dp_catalog.dp_literal(near.base), dp_catalog.dp_literal(near.ends)),
								  'resolution => ' || dp_catalog.dp_literal(near.resolution), 'other => ' || dp_catalog.dp_literal(near.far));
				remark := near.remark;
				bases := array_remove(bases || near.own_base, NULL);
			END IF;
		END IF;
		-- a key that is NULL in some rows holds in the others what it would by itself
		IF from_data AND made IS NULL AND col.source = 'unique' AND col.kind IN ('key', 'fill') AND NOT computed ? col.name
		   AND NOT EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(child => relation) f WHERE col.name = ANY (f.refers_by))
		   AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = relation AND col.ordinal = ANY (i.indkey) AND i.indnullsnotdistinct)
		   AND dp_catalog.dp_suggest_missing(relation, col.name) NOT IN ('', '{null:100}') THEN
			made := 'fill => ' || dp_catalog.dp_literal((col.labels::text[])[1]);
			remark := 'made up: a key';
		END IF;
		IF from_data AND starts_with(made, 'fill => ') AND NOT col.is_field AND col.source <> 'foreign key' AND others IS NULL THEN
			missing := dp_catalog.dp_suggest_missing(relation, col.name);
			made := regexp_replace(made, '''', '''' || missing);
		END IF;
		IF computed ? col.name THEN
			made := format('computed => %s', dp_catalog.dp_literal(computed ->> col.name));
			remark := 'so it is in all rows; declare it where that is publicly known';
		END IF;
		-- A name may hold a line break, which would end a comment and begin a statement.
		lines := lines || CASE WHEN made IS NULL THEN format('-- %s', dp_catalog.dp_one_line(format('%I: %s', col.name, remark)))
							   ELSE format('%s%s, %s); -- %s%s', call, dp_catalog.dp_literal(col.name), made,
										   CASE WHEN computed ? col.name THEN '' ELSE format('at epsilon %s ', epsilon) END,
										   dp_catalog.dp_one_line(remark)) END;
	END LOOP;
	IF opens <> '{}' THEN
		SELECT dp_catalog.dp_open_threshold(relation, (cardinality(opens) + count(*))::integer, unit_rows, epsilon) INTO threshold
		  FROM dp_catalog.dp_column_domains(relation) c WHERE c.kind = 'open';
		FOR i IN 1 .. cardinality(opens) LOOP
			CONTINUE WHEN computed ? opens[i];
			SELECT s.kept, s.rows INTO kept, rows FROM dp_catalog.dp_repeats(relation, opens[i], threshold) s;
			remark := format('values of about %s %% of its rows are found: those of some %s rows or more', round(100.0 * kept / rows), threshold);
			lines[open_at[i] + 1] := CASE WHEN kept * 5 >= rows
				THEN format('%s%s, open => true); -- at epsilon %s %s', call, dp_catalog.dp_literal(opens[i]), epsilon, remark)
				ELSE format('-- %s', dp_catalog.dp_one_line(format('%I: at epsilon %s open => true would find too little: %s', opens[i], epsilon, remark))) END;
		END LOOP;
	END IF;
	RETURN QUERY SELECT l FROM unnest(lines) WITH ORDINALITY u(l, n) ORDER BY u.n;
	IF from_data THEN
		RETURN QUERY SELECT '-- ' || dp_catalog.dp_one_line(r) FROM dp_catalog.dp_suggest_remarks(relation, ARRAY(SELECT jsonb_object_keys(computed)::name)) r;
		IF scale >= 1.05 THEN
			RETURN NEXT format('-- read off a sample, of about one row in %s: lists may lack values that are seldom, counts are estimates', round(scale::numeric, 1));
		END IF;
		PERFORM dp_catalog.dp_take_rows(relation, 0);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_suggest_columns(regclass, boolean, float8) IS
	'ready-made dp_define_column calls for the columns about which something can be declared, and '
	'comments for the others; for the owner, READ OFF THE DATA: edit them to what is public before '
	'running them; from_data false: reads the schema alone, for all who may see its domains';

-- A tenth of the budget finds values of open columns, which share it. A value must pass a threshold: 1 + ln(1 / 2 delta) / epsilon
-- for each row of a unit. Of the tables of a tree the root has two parts of the budget, and any other five.
CREATE FUNCTION dp_catalog.dp_open_threshold(relation regclass, opens integer, unit_rows bigint, epsilon float8) RETURNS numeric
	LANGUAGE sql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
WITH RECURSIVE up (relation, parent) AS (
	SELECT d.relation::oid, d.parent::oid FROM @extschema@.dp_datasets d WHERE d.relation = $1 AND d.active
	 UNION SELECT d.relation::oid, d.parent::oid FROM up JOIN @extschema@.dp_datasets d ON d.relation::oid = up.parent AND d.active),
tree (relation, parent) AS (
	SELECT up.relation, up.parent FROM up WHERE up.parent IS NULL
	 UNION SELECT d.relation::oid, d.parent::oid FROM tree JOIN @extschema@.dp_datasets d ON d.parent::oid = tree.relation AND d.active)
SELECT ceil((unit_rows * (1 + 10 * opens / (epsilon * s.share) * ln(10 * opens / (2 * s.share * 1e-9))))::numeric)
  FROM (SELECT CASE WHEN count(*) < 2 THEN 1.0
					ELSE CASE WHEN bool_or(t.relation = $1::oid AND t.parent IS NULL) THEN 2.0 ELSE 5.0 END / (5.0 * count(*) - 3.0) END
			   ::float8 AS share FROM tree t) s
$$;
COMMENT ON FUNCTION dp_catalog.dp_open_threshold(regclass, integer, bigint, float8) IS
	'internal: about how many rows a value of an open column needs to be found at delta 1e-9, in a release of all tables of its tree';

CREATE FUNCTION dp_catalog.dp_repeats(relation regclass, column_name name, threshold float8, OUT n bigint,
									  OUT rows bigint, OUT kept bigint, OUT seldom bigint, OUT missing float8)
	RETURNS record AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_repeats(regclass, name, float8) IS
	'internal: how many different values a column has, in how many rows, in how many of those that '
	'have a value of so many rows at least, how many rows the rarest value has, and in which share of rows the column is NULL';

CREATE FUNCTION dp_catalog.dp_values_taken(relation regclass, column_name name)
	RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_values_taken(regclass, name) IS
	'internal: what a statement of dp_read_as_owner reads for the different values of a column (v), with the number of rows of each (rows)';

CREATE FUNCTION dp_catalog.dp_decides(relation regclass, by_column name, of_column name, way text)
	RETURNS boolean AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_decides(regclass, name, name, text) IS
	'internal: whether the values of a column (way value), whether it is NULL (missing), or where its values lie (order) say what another one holds; after: whether it hardly ever lies after that; '
	'read off the data for dp_suggest_columns';

CREATE FUNCTION dp_catalog.dp_decided_by_two(relation regclass, first name, second name, others name[], OUT decided name[], OUT combinations bigint)
	RETURNS record AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_catalog.dp_decided_by_two(regclass, name, name, name[]) IS
	'internal: which columns two others decide together, and neither alone, and how many combinations these have; read off the data for dp_suggest_columns';

-- {null:30}, where so many rows of a hundred are NULL.
CREATE FUNCTION dp_catalog.dp_suggest_missing(relation regclass, column_name name) RETURNS text
	LANGUAGE sql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
SELECT CASE WHEN r.missing >= .005 THEN format('{null:%s}', round((100 * r.missing)::numeric) - (r.missing < 1 AND r.missing >= .995)::integer) ELSE '' END
  FROM dp_catalog.dp_repeats($1, $2, 1) r
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_missing(regclass, name) IS
	'internal: how often a column is NULL, as part of a pattern; read off the data for dp_suggest_columns';

-- Above the parent it is the row that this one belongs to that is referred to, unless most rows say otherwise.
CREATE FUNCTION dp_catalog.dp_suggest_others(relation regclass, column_name name) RETURNS boolean
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	above record;
BEGIN
	SELECT u.joined, format('t0.%I <> t%s.%I', dp_suggest_others.column_name, u.step, f.key[1]) AS is_other INTO above
	  FROM dp_catalog.dp_suggest_joined(relation) j, unnest(j.above, j.joined) WITH ORDINALITY u (above, joined, step)
	  JOIN dp_catalog.dp_foreign_keys(child => dp_suggest_others.relation) f ON f.referred = u.above AND f.refers_by = ARRAY[dp_suggest_others.column_name]
	 WHERE u.step > 1 ORDER BY u.step LIMIT 1;
	RETURN CASE WHEN FOUND THEN (SELECT r.others FROM dp_catalog.dp_read_as_owner(relation, format(
		'SELECT avg((%s)::integer) > 0.5 FROM (SELECT * FROM %s LIMIT 5000) t0%s', above.is_other, t.source, above.joined)) AS r(others boolean)) END
	  FROM dp_catalog.dp_rows_taken(relation) t;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_others(regclass, name) IS
	'internal: whether most rows refer to another row above their parent than the one that they belong to; NULL: by that column they refer to none above it; read off the data for dp_suggest_columns';

-- Of a reference: how many rows are referred to, where that is far fewer than by chance. Rows of which the column holds the
-- same refer to the same row.
CREATE FUNCTION dp_catalog.dp_suggest_together(relation regclass, column_name name, type regtype, OUT made text, OUT remark text)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	n bigint;    -- rows that are referred to
	rows bigint; -- that refer
	keys float8; -- rows that could be
	digits integer;
	first integer; -- values of the digit before them
	width constant integer := CASE type WHEN 'smallint'::regtype THEN 5 WHEN 'integer'::regtype THEN 10 WHEN 'bigint'::regtype THEN 10 END;
BEGIN
	SELECT s.n, s.rows INTO n, rows FROM dp_catalog.dp_repeats(relation, column_name, 1) s;
	SELECT min(c.reltuples) INTO keys FROM dp_catalog.dp_foreign_keys(child => relation) f JOIN pg_class c ON c.oid = f.referred
	 WHERE f.refers_by = ARRAY[column_name];
	IF width IS NULL OR n = 0 OR coalesce(keys, 0) <= 0 OR n >= .8 * keys * (1 - exp(-least(rows / keys, 700))) THEN
		RETURN;
	END IF;
	digits := floor(log(n));
	first := ceil(n / 10.0 ^ digits);
	IF first = 10 THEN
		digits := digits + 1;
		first := 1;
	END IF;
	IF 1 + digits + (first > 1)::integer <= width - 1 THEN
		made := format('fill => %L', '1' || repeat('0', width - 1 - digits - (first > 1)::integer)
			|| CASE WHEN first > 1 THEN format('{[0-%s]:1}', first - 1) ELSE '' END || CASE WHEN digits > 0 THEN format('{[0-9]:%s}', digits) ELSE '' END);
		remark := format('%s rows are referred to, of %s: those that hold the same refer to the same', n, keys);
	END IF;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_together(regclass, name, regtype) IS
	'internal: a pattern of as many values as there are rows that a foreign key refers to; read off the data for dp_suggest_columns';

-- "product 1", "product 2": 'product {n}'. "C0001": 'C{n:4}'. NULL: they are no such texts.
-- Numbers that occur again are random ones of the same digits.
CREATE FUNCTION dp_catalog.dp_suggest_numbered(relation regclass, column_name name, n bigint, rows bigint) RETURNS text
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	prefix text;
	suffix text;
	digits integer; -- as many in each
	most integer; -- digits of the longest
	padded boolean;
BEGIN
	-- a thousand of the n different values tell how close the numbers stand
	SELECT r.prefix, r.suffix, r.digits, r.most, r.padded INTO prefix, suffix, digits, most, padded FROM dp_catalog.dp_read_as_owner(relation, format(
		'SELECT min(m[1]), min(m[3]), CASE WHEN min(length(m[2])) = max(length(m[2])) THEN max(length(m[2])) END, max(length(m[2])), bool_or(m[2] LIKE ''0_%%'')
		   FROM (SELECT regexp_match(t, ''^([^0-9]*)([0-9]{1,38})([^0-9]*)$'') AS m
				   FROM (SELECT rtrim(dp_catalog.dp_text(v)) COLLATE "C" AS t FROM %s LIMIT 1000) v) w
		 HAVING bool_and(m IS NOT NULL) AND min(m[1]) = max(m[1]) AND min(m[3]) = max(m[3])
			AND count(DISTINCT m[2]::numeric) * greatest(%s, count(*)) / count(*) >= 0.1 * (max(m[2]::numeric) - min(m[2]::numeric) + 1)', dp_catalog.dp_values_taken(relation, column_name), n))
		AS r(prefix text, suffix text, digits integer, most integer, padded boolean);
	IF prefix || suffix = '' OR prefix || suffix ~ '[{}]' OR padded AND digits IS NULL THEN
		RETURN NULL;
	END IF;
	RETURN prefix || CASE WHEN n * 2 <= rows THEN format('{[0-9]:%s}', most) WHEN padded THEN repeat('0', digits - 18) || format('{n:%s}', least(digits, 18)) ELSE '{n}' END || suffix;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_numbered(regclass, name, bigint, bigint) IS
	'internal: the pattern of texts that differ in a number alone; read off the data for dp_suggest_columns';

-- (line) of PRIMARY KEY (order, line), where (order) refers to the parent.
CREATE FUNCTION dp_catalog.dp_is_data_key(relation regclass, column_name name) RETURNS boolean
	LANGUAGE sql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
SELECT EXISTS (
	SELECT FROM @extschema@.dp_datasets d
	  JOIN pg_index i ON i.indrelid = d.relation AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL
	  CROSS JOIN LATERAL dp_catalog.dp_foreign_keys(d.relation, d.parent) f
	 CROSS JOIN LATERAL (SELECT array_agg(a.attname) AS columns FROM pg_attribute a
						  WHERE a.attrelid = d.relation AND a.attnum = ANY (i.indkey)) k
	 WHERE d.relation = $1 AND f.refers_by <@ k.columns AND $2 = ANY (k.columns) AND $2 <> ALL (f.refers_by))
$$;
COMMENT ON FUNCTION dp_catalog.dp_is_data_key(regclass, name) IS
	'internal: whether a column stands in a key beside the whole reference to the parent';

CREATE FUNCTION dp_catalog.dp_counts_in_parent(relation regclass, column_name name) RETURNS boolean
	LANGUAGE plpgsql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	refers_by text; -- columns of the reference
	counts boolean;
BEGIN
	IF NOT dp_catalog.dp_is_data_key(relation, column_name) THEN
		RETURN false;
	END IF;
	SELECT (SELECT string_agg(quote_ident(k.name), ', ') FROM unnest(f.refers_by) k (name)) INTO refers_by
	  FROM @extschema@.dp_datasets d
	  CROSS JOIN LATERAL dp_catalog.dp_foreign_keys(d.relation, d.parent) f
	 WHERE d.relation = dp_counts_in_parent.relation ORDER BY f.name LIMIT 1;
	SELECT r.counts INTO counts FROM dp_catalog.dp_read_as_owner(relation, format(
		'SELECT coalesce(bool_and(low IN (0, 1) AND high - low + 1 = n AND n = rows) AND min(low) = max(low) AND max(n) > 1, false)
		   FROM (SELECT min(%1$I::numeric) AS low, max(%1$I::numeric) AS high, count(DISTINCT %1$I) AS n, count(*) AS rows FROM %2$s GROUP BY %3$s) g',
		column_name, relation, refers_by)) AS r(counts boolean);
	RETURN counts;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_counts_in_parent(regclass, name) IS
	'internal: whether a column of a key holds integers from 1, or from 0, without gaps inside each parent, each once; '
	'read off the data for dp_suggest_columns';

-- Its own, t0, and those that its rows belong to, t1, t2 ..., which are joined.
CREATE FUNCTION dp_catalog.dp_suggest_joined(relation regclass, OUT above regclass[], OUT joined text[])
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	at regclass := relation;
	step record;
	words text := '';
BEGIN
	above := '{}';
	joined := '{}';
	LOOP
		SELECT d.parent, string_agg(format('t%s.%I OPERATOR(pg_catalog.%s) t%s.%I', cardinality(above) + 1, k.attname, o.oprname,
										   cardinality(above), f.attname), ' AND ' ORDER BY n.place) AS condition,
			   bool_and(o.oprnamespace = 'pg_catalog'::regnamespace) AS is_plain INTO step
		  FROM @extschema@.dp_datasets d
		 CROSS JOIN LATERAL (SELECT c.* FROM pg_constraint c JOIN pg_attribute u ON u.attrelid = d.relation AND u.attname = d.unit_column
							  WHERE c.conrelid = d.relation AND c.confrelid = d.parent AND c.contype = 'f' AND u.attnum = ANY (c.conkey)
							  ORDER BY c.oid LIMIT 1) c
		 CROSS JOIN LATERAL unnest(c.conkey, c.confkey, c.conpfeqop) WITH ORDINALITY n (refers, key, equal, place)
		  JOIN pg_attribute f ON f.attrelid = c.conrelid AND f.attnum = n.refers
		  JOIN pg_attribute k ON k.attrelid = c.confrelid AND k.attnum = n.key
		  JOIN pg_operator o ON o.oid = n.equal
		 WHERE d.relation = at AND d.active GROUP BY d.parent;
		EXIT WHEN step.parent IS NULL OR NOT step.is_plain;
		words := words || format(' JOIN %s t%s ON %s', step.parent, cardinality(above) + 1, step.condition);
		above := above || step.parent;
		joined := joined || words;
		at := step.parent;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_joined(regclass) IS
	'internal: the relations that rows of a relation belong to, its parent first, and the words that join them up to each';

-- 1 day, 1 hour and so on, where nearly all numbers of seconds are multiples of that.
CREATE FUNCTION dp_catalog.dp_suggest_time_step(seconds text) RETURNS text
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
SELECT 'CASE ' || string_agg(format('WHEN avg(((%s)::numeric %% %s = 0)::integer) >= 0.99 THEN %L', $1, s.seconds, s.name), ' ' ORDER BY s.seconds DESC) || ' END'
  FROM (VALUES (86400, '1 day'), (3600, '1 hour'), (60, '1 minute'), (1, '1 second')) s (seconds, name)
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_time_step(text) IS
	'internal: an aggregate that gives the coarsest step of which nearly all of some times are multiples; for dp_suggest_columns';

-- What lies before a column: of the row itself, if beside, or of a row that this belongs to. Two columns that are
-- ordered in nearly all rows, and would not be, were they drawn apart.
CREATE FUNCTION dp_catalog.dp_suggest_distance(relation regclass, column_name name, beside boolean, left_out name[], OUT base text, OUT own_base name,
											   OUT ends text, OUT resolution text, OUT far text, OUT remark text)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	type oid;
	never_null boolean;
	is_time boolean;
	other record;
	value text; -- of a column, as a number of days, seconds or units
	pairs text;
	found record;
	near boolean;
	least float8; -- distance of nearly all rows
	unit text;
	size numeric; -- of the widest distance, in units
	source constant text := (SELECT t.source FROM dp_catalog.dp_rows_taken(relation) t);
BEGIN
	SELECT a.atttypid, a.attnotnull INTO type, never_null FROM pg_attribute a WHERE a.attrelid = relation AND a.attname = dp_suggest_distance.column_name;
	is_time := type IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype);
	value := CASE WHEN type = 'date'::regtype THEN 'CASE WHEN isfinite(%1$s) THEN (%1$s - date ''2000-01-01'')::float8 END'
				  WHEN type IN ('timestamp'::regtype, 'timestamptz'::regtype) THEN 'CASE WHEN isfinite(%1$s) THEN extract(epoch FROM %1$s)::float8 END'
				  WHEN type IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'numeric'::regtype)
				  THEN 'CASE WHEN %1$s > -1e15 AND %1$s < 1e15 THEN %1$s::float8 END' END;
	IF is_time THEN
		far := dp_catalog.dp_suggest_far(relation, column_name);
	END IF;
	FOR other IN
		WITH c AS MATERIALIZED (
			SELECT c.*, d.ordinal, d.column_name
			  FROM dp_catalog.dp_suggest_joined(relation) j,
				   LATERAL (SELECT 0 AS step, relation AS relation, 't0' AS alias, NULL AS label, '' AS joined WHERE beside
							 UNION ALL SELECT u.step, u.above, 't' || u.step, u.above::text, u.joined
							  FROM unnest(j.above, j.joined) WITH ORDINALITY u (above, joined, step)) c,
				   dp_catalog.dp_column_roles(c.relation) d
			 WHERE value IS NOT NULL AND d.kind IN ('range', 'bins'))
		SELECT c.alias, c.label, c.joined, a.attname, a.atttypid, e.name, e.value, e.after FROM c
		  JOIN pg_attribute a ON a.attrelid = c.relation AND c.ordinal = a.attnum
		 CROSS JOIN LATERAL (
				SELECT quote_ident(a.attname) AS name, format(CASE a.atttypid WHEN type THEN '%s.%I' WHEN 'date'::regtype THEN '(CASE WHEN %1$s.%2$I <= ''9999-12-31'' THEN %1$s.%2$I::timestamp END)'
					   ELSE format('(%%s.%%I::%s)', type::regtype) END, c.alias, a.attname) AS value, false AS after
				 WHERE c.column_name = a.attname AND (a.atttypid = type OR is_time AND a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype))
				 UNION ALL -- the ends of ranges, which others lie before, too
				SELECT CASE WHEN quote_ident(a.attname) = a.attname THEN format('%s(%s)', f.part, a.attname) ELSE quote_ident(format('%s(%I)', f.part, a.attname)) END,
					   format('%s(%s.%I)', f.part, c.alias, a.attname), f.after
				  FROM pg_range r, (VALUES ('lower', false), ('lower', true), ('upper', false)) f(part, after)
				 WHERE r.rngtypid = a.atttypid AND r.rngsubtype = type AND c.column_name = format('lower(%I)', a.attname) AND (f.part = 'lower' OR NOT never_null)) e
		 WHERE (c.step > 0 OR a.attname <> dp_suggest_distance.column_name AND a.attname <> ALL (left_out))
		   -- where what it is from is NULL, so is the column
		   AND (a.attnotnull OR NOT never_null)
		   AND NOT EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.relation AND f.contype = 'f' AND a.attnum = ANY (f.conkey))
		 ORDER BY c.step = 0 AND a.atttypid <> type AND e.name = quote_ident(a.attname), c.step, a.attnum, e.after, e.name
	LOOP
		pairs := format('SELECT %1$s%2$s AS b, %1$s%3$s AS x FROM ', CASE WHEN other.after THEN '- ' END, format(value, other.value),
						CASE WHEN far IS NULL THEN format(value, format('t0.%I', column_name))
							 ELSE format('CASE WHEN t0.%I <> %L THEN %s END', column_name, far, format(value, format('t0.%I', column_name))) END);
		CONTINUE WHEN far IS NULL AND other.label IS NULL AND other.name = quote_ident(other.attname) AND other.atttypid = type AND NOT dp_catalog.dp_decides(relation, other.attname, column_name, 'after');
		-- most pairs are in no order, or numbers of different things, as a few rows say
		SELECT r.against, r.far INTO found FROM dp_catalog.dp_read_as_owner(relation, format(
			'SELECT count(*) FILTER (WHERE x < b) > 0.05 * count(*), 3 * percentile_disc(0.99) WITHIN GROUP (ORDER BY x - b)
					> percentile_disc(0.95) WITHIN GROUP (ORDER BY b) - percentile_disc(0.05) WITHIN GROUP (ORDER BY b)
			   FROM (%s(SELECT * FROM %s LIMIT 1000) t0%s) p', pairs, source, other.joined)) AS r(against boolean, far boolean);
		CONTINUE WHEN found.against OR found.far AND NOT is_time;
		SELECT r.*, (SELECT avg((x < b)::integer) FROM unnest(r.xs) x, unnest(r.bs) b) AS apart INTO found
		  FROM dp_catalog.dp_read_as_owner(relation, format(
			'SELECT count(*), count(*) FILTER (WHERE x < b), max(x - b), percentile_disc(0.99) WITHIN GROUP (ORDER BY x - b), %4$s,
					percentile_disc(array[0.05,0.15,0.25,0.35,0.45,0.55,0.65,0.75,0.85,0.95]) WITHIN GROUP (ORDER BY b),
					percentile_disc(array[0.05,0.15,0.25,0.35,0.45,0.55,0.65,0.75,0.85,0.95]) WITHIN GROUP (ORDER BY x)
			   FROM (%1$s%2$s t0%3$s) p WHERE b IS NOT NULL AND x IS NOT NULL', pairs, source, other.joined,
			CASE WHEN is_time AND type <> 'date'::regtype THEN dp_catalog.dp_suggest_time_step('x - b') ELSE 'NULL::text' END))
			AS r(n bigint, against bigint, high float8, most float8, step text, bs float8[], xs float8[]);
		near := found.most * 10 <= found.bs[10] - found.bs[1];
		CONTINUE WHEN found.n < 20 OR found.against * 1000 > found.n OR found.high < 0 OR found.high = 0 AND other.label IS NULL;
		-- what lies above is taken where it is much nearer
		CONTINUE WHEN found.most * CASE WHEN own_base IS NOT NULL AND other.label IS NOT NULL THEN 2 ELSE 1 END >= least;
		-- times of one row that are near each other belong together; else what counts is that the order would be lost
		CONTINUE WHEN NOT CASE WHEN near THEN is_time AND other.label IS NULL OR found.apart >= 0.05
							   WHEN other.label IS NULL THEN is_time AND other.atttypid = type AND found.apart >= 0.2 AND found.most <= found.bs[10] - found.bs[1]
							   ELSE is_time AND found.apart >= 0.1 AND found.most <= 2 * (found.bs[10] - found.bs[1]) END;
		least := found.most;
		own_base := CASE WHEN other.label IS NULL THEN other.attname END;
		base := CASE WHEN other.label IS NULL AND strpos(other.attname, '.') = 0 AND other.name = quote_ident(other.attname) THEN other.attname::text
					 ELSE concat_ws('.', other.label, other.name) END;
		unit := CASE WHEN type = 'date'::regtype OR NOT is_time THEN NULL
					 WHEN found.high > 172800 THEN 'days' WHEN found.high > 7200 THEN 'hours' ELSE 'minutes' END;
		size := found.high::numeric / CASE unit WHEN 'days' THEN 86400 WHEN 'hours' THEN 3600 WHEN 'minutes' THEN 60 ELSE 1 END;
		-- rounded outward, to the next 1, 2 or 5 with zeros
		SELECT min(r) INTO size FROM (SELECT d * 10.0 ^ k AS r FROM unnest('{1,2,5}'::numeric[]) d, generate_series(0, 15) k) s WHERE r >= size;
		-- a step is no longer than the unit in which the ends are written
		resolution := CASE WHEN unit = 'minutes' AND found.step IN ('1 day', '1 hour') THEN '1 minute' WHEN unit = 'hours' AND found.step = '1 day' THEN '1 hour' ELSE found.step END;
		ends := format(CASE WHEN other.after THEN '{-%1$s%2$s,0%2$s}' ELSE '{0%2$s,%1$s%2$s}' END, trim_scale(size), ' ' || unit);
		remark := format(CASE WHEN near THEN 'it keeps its short distance from %s' WHEN other.after THEN 'it never lies after %s' ELSE 'it never lies before %s' END,
						 concat_ws('.', other.label, other.name))
				  || CASE WHEN found.apart < 0.05 THEN '' ELSE format('; drawn apart, about %s %% would lie %s it', round(100 * found.apart),
																	  CASE WHEN other.after THEN 'after' ELSE 'before' END) END
				  || CASE WHEN found.against > 0 THEN format('; %s rows in %s are against it', found.against, found.n) ELSE '' END;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_distance(regclass, name, boolean, name[]) IS
	'internal: the column, or the end of a range, before which another one hardly ever lies, beside it or in a row that its row belongs to, with round '
	'ends of the distance, and the value far from all others that many rows have; NULL: there is none; read off the data for dp_suggest_columns';

CREATE FUNCTION dp_catalog.dp_suggest_far(relation regclass, column_name name) RETURNS text
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	RETURN (SELECT f.far FROM dp_catalog.dp_repeats(relation, column_name, 1) r, dp_catalog.dp_read_as_owner(relation, format(
		'SELECT min(dp_catalog.dp_text(v)) FROM %1$s
		  WHERE rows * 100 >= (SELECT sum(rows) FROM %1$s)
				AND (NOT isfinite(v) OR v::date IN (''0001-01-01'', ''1753-01-01'', ''1900-01-01'', ''2099-12-31'', ''2999-12-31'', ''9999-01-01'', ''9999-12-31''))',
		dp_catalog.dp_values_taken(relation, column_name))) AS f(far text) WHERE r.missing = 0);
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_far(regclass, name) IS
	'internal: the value by which one row in 100 or more of a column without NULL says that there is no such time; NULL: there is none';

-- What a column of a range type is modelled by. part: bounds, lower or upper.
CREATE FUNCTION dp_catalog.dp_suggest_part(relation regclass, column_name name, part text, OUT made text, OUT remark text)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp SET IntervalStyle = postgres
	AS $$
DECLARE
	kind record;
	found record;
	size numeric;
	unit text := '';
	ends text;
	resolution text;
	finite text; -- that an end is one
BEGIN
	SELECT r.rngsubtype AS subtype, r.rngsubtype IN ('integer'::regtype, 'bigint'::regtype, 'date'::regtype) AS is_discrete, a.attnotnull AS not_null,
		   r.rngsubtype IN ('timestamp'::regtype, 'timestamptz'::regtype) AS is_time INTO kind
	  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
	  JOIN pg_range r ON CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END IN (r.rngtypid, r.rngmultitypid)
	 WHERE a.attrelid = relation AND a.attname = dp_suggest_part.column_name;
	IF kind.subtype IS NULL THEN
		remark := 'a part of a range, by its type';
	ELSIF part = 'bounds' THEN
		finite := CASE WHEN kind.is_time OR kind.subtype = 'date'::regtype THEN 'isfinite(%s)' ELSE '%s IS NOT NULL' END;
		SELECT r.* INTO found FROM dp_catalog.dp_read_as_owner(relation, format(
			'SELECT count(*), count(*) FILTER (WHERE empty), count(*) FILTER (WHERE NOT (empty OR a AND b)),'
			' array_agg(DISTINCT CASE WHEN empty THEN ''empty'' WHEN a AND b THEN ''[a,b)'' WHEN a THEN ''[a,)'' WHEN b THEN ''(,b)'' ELSE ''(,)'' END)'
			' FROM (SELECT isempty(%1$I), coalesce(%3$s, false), coalesce(%4$s, false) FROM %2$s WHERE %1$I IS NOT NULL) f(empty, a, b)',
			column_name, relation, format(finite, format('lower(%I)', column_name)), format(finite, format('upper(%I)', column_name))))
			AS r(n bigint, empty bigint, infinite bigint, forms text[]);
		remark := CASE WHEN found.empty + found.infinite = 0 AND found.n > 0 THEN 'each range has both ends'
					   ELSE format('%s of %s ranges are empty, and %s lack an end', found.empty, found.n, found.infinite) END;
		IF cardinality(found.forms) < 5 THEN
			made := format('categories => %s', dp_catalog.dp_literal(found.forms::text)) || CASE WHEN kind.not_null THEN ', complete => true' ELSE '' END;
		END IF;
	ELSIF part = 'lower' THEN
		SELECT s.ends, s.resolution INTO ends, resolution
		  FROM dp_catalog.dp_suggest_range(relation, relation::text, format('coalesce(lower(%1$I), upper(%1$I))', column_name), kind.subtype, NULL) s;
		remark := CASE WHEN ends IS NULL THEN 'no range has an end' ELSE 'the lower end of a range' END;
	ELSE
		SELECT r.* INTO found FROM dp_catalog.dp_read_as_owner(relation, format(CASE
			WHEN kind.is_time THEN 'SELECT max(extract(epoch FROM upper(%1$I) - lower(%1$I))), 0 FROM %2$s WHERE isfinite(lower(%1$I)) AND isfinite(upper(%1$I))'
			WHEN kind.subtype = 'date'::regtype
			THEN 'SELECT max(upper(%1$I) - lower(%1$I))::numeric, 0 FROM %2$s WHERE isfinite(lower(%1$I)) AND isfinite(upper(%1$I))'
			ELSE 'SELECT max(upper(%1$I)::numeric - lower(%1$I)::numeric), max(scale(trim_scale(upper(%1$I)::numeric - lower(%1$I)::numeric))) FROM %2$s
				   WHERE abs(lower(%1$I)::numeric) < 1e15 AND abs(upper(%1$I)::numeric) < 1e15' END,
			column_name, relation)) AS r(high numeric, digits integer);
		size := greatest(found.high, CASE WHEN found.digits > 0 THEN 10.0 ^ -found.digits ELSE 1 END);
		IF kind.is_time THEN
			unit := CASE WHEN size > 172800 THEN ' days' WHEN size > 7200 THEN ' hours' ELSE ' minutes' END;
			size := size / CASE unit WHEN ' days' THEN 86400 WHEN ' hours' THEN 3600 ELSE 60 END;
		END IF;
		-- rounded outward, to the next 1, 2 or 5 with zeros
		SELECT min(r) INTO size FROM (SELECT d * 10.0 ^ k AS r FROM unnest('{1,2,5}'::numeric[]) d, generate_series(-6, 15) k) s WHERE r >= size;
		ends := format('{%s%s,%s%2$s}', CASE WHEN kind.is_discrete THEN 1 ELSE 0 END, unit, trim_scale(size));
		resolution := CASE WHEN kind.subtype = 'numeric'::regtype AND found.digits <= 6 THEN trim_scale(10.0 ^ -found.digits)::text END;
		remark := 'how far it is from the lower end to the upper one';
		IF found.high IS NULL THEN
			ends := NULL;
			remark := 'no range has both ends';
		END IF;
	END IF;
	IF ends IS NOT NULL THEN
		made := concat_ws(', ', 'range => ' || dp_catalog.dp_literal(ends), 'resolution => ' || dp_catalog.dp_literal(resolution));
	END IF;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_part(regclass, name, text) IS
	'internal: what might be declared of a part of a range; read off the data for dp_suggest_columns';

CREATE FUNCTION dp_catalog.dp_suggest_range(relation regclass, source text, expression text, type regtype, bounds text[],
								 OUT ends text, OUT resolution text)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	SET DateStyle = 'ISO, YMD' SET IntervalStyle = postgres SET extra_float_digits = 1
	SET TimeZone = 'UTC' SET lc_monetary = 'C'
	AS $$
DECLARE
	low numeric;
	high numeric;
	unit numeric;
	digits integer;
	first timestamp;
	last timestamp;
	field text;
	step text;
	seconds integer; -- of the unit in which ends of intervals are written
BEGIN
	IF type IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) THEN
		SELECT r.* INTO first, last, step FROM dp_catalog.dp_read_as_owner(relation, format(
			-- a date can be beyond what a timestamp holds
			'SELECT min(x)::timestamp, max(x)::timestamp, %3$s
			   FROM (SELECT least(greatest(%1$s, ''0001-01-01''), ''9999-12-31'') AS x FROM %2$s WHERE isfinite(%1$s)) s',
			expression, source, dp_catalog.dp_suggest_time_step('extract(epoch FROM x::timestamp)'))) AS r(first timestamp, last timestamp, step text);
		field := CASE WHEN last - first > interval '7000 days' THEN 'decade' WHEN last - first > interval '700 days' THEN 'year'
					  ELSE 'month' END;
		-- timestamps before Christ are not worth a round year
		IF first IS NULL OR first < '0002-01-01' THEN
			ends := CASE WHEN first IS NOT NULL THEN bounds::text END;
			RETURN;
		END IF;
		first := date_trunc(field, first);
		last := CASE WHEN last > '9980-01-01' THEN least(bounds[2]::timestamp, '9999-12-31') -- how tables write that there is no end
				ELSE date_trunc(field, last) + CASE field WHEN 'decade' THEN interval '10 years' WHEN 'year' THEN interval '1 year' ELSE interval '1 month' END END;
		IF type = 'date'::regtype THEN
			ends := format('{%s,%s}', first::date, last::date);
		ELSE
			ends := format('{%s,%s}', to_char(first, 'YYYY-MM-DD'), to_char(last, 'YYYY-MM-DD'));
			resolution := step;
		END IF;
		RETURN;
	END IF;
	IF type = 'interval'::regtype THEN -- a month has 30 days
		SELECT r.* INTO low, high, resolution FROM dp_catalog.dp_read_as_owner(relation, format(
			'SELECT min(e), max(e), %3$s
			   FROM (SELECT ((extract(year FROM x) * 12 + extract(month FROM x)) * 30 + extract(day FROM x)) * 86400
							+ extract(hour FROM x) * 3600 + extract(minute FROM x) * 60 + extract(second FROM x) AS e FROM (SELECT %1$s AS x FROM %2$s) v) s
			  WHERE abs(e) < 1e11', expression, source, dp_catalog.dp_suggest_time_step('e'))) AS r(low numeric, high numeric, resolution text);
		field := CASE WHEN greatest(-low, high) > 172800 THEN 'days' WHEN greatest(-low, high) > 7200 THEN 'hours'
					  WHEN greatest(-low, high) > 120 THEN 'minutes' ELSE 'seconds' END;
		seconds := CASE field WHEN 'days' THEN 86400 WHEN 'hours' THEN 3600 WHEN 'minutes' THEN 60 ELSE 1 END;
		low := low / seconds;
		high := high / seconds;
	ELSE
		-- one value that is far beyond what a range can hold says nothing of the others: it is clamped
		SELECT r.* INTO low, high, digits FROM dp_catalog.dp_read_as_owner(relation, format(
			'WITH s AS (SELECT x FROM (SELECT %1$s::%4$s AS x FROM %2$s) s WHERE x NOT IN (''NaN'', ''Infinity'', ''-Infinity'') AND %3$s)
			 SELECT min(x)::numeric, max(x)::numeric,
					CASE WHEN (SELECT max(scale(trim_scale(f.x::numeric))) FROM (SELECT x FROM s LIMIT 100) f) <= 6 THEN (SELECT max(scale(trim_scale(x::numeric))) FROM s) END
			   FROM s', expression, source, CASE WHEN bounds IS NULL THEN 'abs(x) <= 1e17' ELSE 'true' END,
			CASE WHEN type IN ('real'::regtype, 'double precision'::regtype) THEN type ELSE 'numeric'::regtype END))
			AS r(low numeric, high numeric, digits integer);
	END IF;
	IF low IS NULL THEN
		RETURN;
	END IF;
	-- round limits outward, to a power of ten between a tenth of the width and the width
	unit := CASE WHEN high > low THEN 10 ^ ceil(log((high - low) / 10)) ELSE 1 END;
	low := floor(low / unit) * unit;
	high := greatest(ceil(high / unit) * unit, low + unit);
	IF type = 'interval'::regtype THEN
		ends := format('{%s %s,%s %2$s}', trim_scale(low), field, trim_scale(high));
		RETURN;
	END IF;
	IF bounds IS NOT NULL THEN
		low := greatest(low, CASE type WHEN 'money'::regtype THEN bounds[1]::money::numeric ELSE bounds[1]::numeric END);
		high := least(high, CASE type WHEN 'money'::regtype THEN bounds[2]::money::numeric ELSE bounds[2]::numeric END);
	END IF;
	ends := format('{%s,%s}', trim_scale(low), trim_scale(high));
	-- a type without steps: those that the data has, if they are coarser than a millionth of the range
	IF type IN ('real'::regtype, 'double precision'::regtype, 'numeric'::regtype) AND bounds IS NULL AND digits <= 6
	   AND (high - low) * 10.0 ^ digits <= 1000000 THEN
		resolution := trim_scale(10.0 ^ -digits)::text;
	END IF;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_range(regclass, text, text, regtype, text[]) IS
	'internal: round limits of the values of a column, and the steps that they are multiples of, '
	'read off the data for dp_suggest_columns';

-- Of spellings that the type calls equal, the one that most rows have.
CREATE FUNCTION dp_catalog.dp_suggest_list(relation regclass, column_name name, type regtype) RETURNS text
	LANGUAGE sql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT r.list FROM dp_catalog.dp_read_as_owner(relation, format(
		'SELECT dp_catalog.dp_literal(dp_catalog.dp_text(array_agg(t ORDER BY %s)))
		   FROM (SELECT (array_agg(dp_catalog.dp_text(v) ORDER BY rows DESC, dp_catalog.dp_text(v)))[1] AS t FROM %s GROUP BY %s) d',
		CASE WHEN type IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'real'::regtype, 'double precision'::regtype, 'numeric'::regtype)
			 THEN 't::numeric' ELSE 't COLLATE "C"' END,
		dp_catalog.dp_values_taken(relation, column_name),
		CASE WHEN EXISTS (SELECT FROM pg_opclass o JOIN pg_am m ON m.oid = o.opcmethod
						   WHERE m.amname IN ('btree', 'hash') AND o.opcdefault AND o.opcintype = type)
			 THEN 'v' ELSE 'dp_catalog.dp_text(v)' END)) AS r(list text)
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_list(regclass, name, regtype) IS
	'internal: the values of a column, as a literal of what categories takes; read off the data for dp_suggest_columns';

-- A CHECK with one end leaves the other one to the type, which is far beyond what occurs.
CREATE FUNCTION dp_catalog.dp_suggest_narrower(relation regclass, column_name name, type regtype, bounds text[]) RETURNS text
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	ends text[];
	shares numeric; -- of the bounds that what occurs takes
BEGIN
	SELECT s.ends INTO ends FROM dp_catalog.dp_suggest_range(relation, dp_catalog.dp_values_taken(relation, column_name), 'v', type, bounds) s;
	IF type IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) THEN
		shares := extract(epoch FROM ends[2]::timestamp - ends[1]::timestamp) / nullif(extract(epoch FROM bounds[2]::timestamp - bounds[1]::timestamp), 0);
	ELSIF type <> 'money'::regtype THEN
		shares := (ends[2]::numeric - ends[1]::numeric) / nullif(bounds[2]::numeric - bounds[1]::numeric, 0);
	END IF;
	-- an end of nines is that of a numeric(p,s), of which nobody says that it occurs
	RETURN CASE WHEN shares <= CASE WHEN bounds[2] ~ '^9{3,}([.]9+)?$' THEN 0.25 ELSE 0.01 END THEN ends ELSE bounds END;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_narrower(regclass, name, regtype, text[]) IS
	'internal: round limits of a column within those by its CHECK, where it takes a hundredth of them at most, or a quarter of those that end with a numeric(p,s); read off the data for '
	'dp_suggest_columns';

-- What stands in calls that are ready to be run.
CREATE FUNCTION dp_catalog.dp_literal(words text)
	RETURNS text AS 'MODULE_PATHNAME', 'dp_literal_of' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_literal(text) IS 'internal: words as a literal of one line';

CREATE FUNCTION dp_catalog.dp_one_line(words text)
	RETURNS text AS 'MODULE_PATHNAME', 'dp_one_line_of' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_one_line(text) IS 'internal: words without line breaks, for a comment';

