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
	'internal: the rows of a SELECT from a relation, read with the rights of its owner, for who has them';

CREATE FUNCTION dp_suggest_columns(relation regclass, from_data boolean DEFAULT true,
								   epsilon float8 DEFAULT 1)
	RETURNS SETOF text LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
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
	list text;
	ends text;
	resolution text;
	threshold numeric; -- rows that a value must have to stand clear of the noise
	bins bigint; -- that can be found
	columns integer;
	unit_rows bigint; -- of a unit that count
	units bigint; -- that have rows, as far as a column tells them apart; NULL: each row is one
	repeats boolean;
	keys text; -- another, unprotected relation to which a column refers
	range_from text; -- what gives a column its range
	numbered text; -- the pattern of texts that are numbered
	made text; -- what is declared; NULL: nothing
	remark text; -- what becomes of it
	base name; -- from which it is a short way
	bases name[]; -- that others are distances from, declared or suggested
	distances name[]; -- that are distances
	opens name[] := '{}'; -- that could be open
	open_at integer[] := '{}'; -- so many lines come before that of each
	lines text[] := '{}';
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
	END IF;

	-- a rule of thumb: the columns share the budget, tables of one column get half of it, and a
	-- count stands clear of Laplace noise at three standard deviations
	SELECT greatest(count(*), 1) INTO columns FROM dp_catalog.dp_column_domains(relation) c
	 WHERE coalesce(c.kind, 'key') NOT IN ('key', 'fill') OR c.source IN ('no range', 'no domain', 'not looked at');
	threshold := ceil(3 * sqrt(2.0) * 2 * columns / epsilon);
	WITH RECURSIVE up(relation, parent, rows) AS (
		SELECT d.relation::oid, d.parent::oid, d.max_rows_per_unit::numeric FROM @extschema@.dp_datasets d WHERE d.relation = dp_suggest_columns.relation
		 UNION ALL SELECT d.relation::oid, d.parent::oid, up.rows * d.max_rows_per_unit FROM up JOIN @extschema@.dp_datasets d ON d.relation::oid = up.parent)
	SELECT coalesce(least(max(up.rows), 1000000), 1) INTO unit_rows FROM up;
	IF from_data THEN
		-- what is said of the rows of one unit again and again is no list either
		SELECT (SELECT r.n FROM dp_catalog.dp_read_as_owner(dp_suggest_columns.relation, format(
				'SELECT count(DISTINCT dp_catalog.dp_text(%I)) FROM %s', d.unit_column, dp_suggest_columns.relation)) AS r(n bigint))
		  INTO units FROM @extschema@.dp_datasets d WHERE d.relation = dp_suggest_columns.relation AND d.unit_column IS NOT NULL;
	END IF;
	SELECT coalesce(array_agg(d.offset_of), '{}'), coalesce(array_agg(d.column_name), '{}') INTO bases, distances
	  FROM @extschema@.dp_columns d
	 WHERE d.relation = dp_suggest_columns.relation AND d.offset_of IS NOT NULL;

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
			   b.column_name <> a.attname AS is_field,
			   -- by itself: with others it may repeat
			   EXISTS (SELECT FROM pg_index i WHERE i.indrelid = relation AND i.indisunique AND i.indpred IS NULL
						  AND i.indnkeyatts = 1 AND i.indkey[0] = b.ordinal) AS is_key
		  FROM base b JOIN pg_attribute a ON a.attrelid = relation AND a.attnum = b.ordinal JOIN pg_type t ON t.oid = b.type AND t.typtype <> 'd'
		 ORDER BY b.ordinal
	LOOP
		made := NULL;
		remark := NULL;
		SELECT f.parent::regclass::text INTO keys
		  FROM dp_catalog.dp_foreign_keys() f JOIN pg_attribute a ON a.attrelid = f.relation AND ARRAY[a.attname] = f.refers_by
		 WHERE f.relation = dp_suggest_columns.relation::oid AND a.attnum = col.ordinal AND f.parent <> f.relation
		 ORDER BY f.id LIMIT 1;
		range_from := CASE col.source WHEN 'assumed' THEN 'assumed' ELSE 'by its type' END;
		IF col.source IN ('declared', 'schema', 'check', 'public table') THEN -- that needs no word
			remark := concat_ws(' ', col.kind, CASE WHEN cardinality(col.labels) <= 10 THEN col.labels::text END,
								CASE col.source WHEN 'declared' THEN 'as declared' WHEN 'check' THEN 'by CHECK'
											WHEN 'public table' THEN format('by the %s keys of a public table', cardinality(col.labels)) ELSE 'by the schema' END,
								'at resolution ' || col.resolution);
			IF from_data AND col.kind IN ('categories', 'range') AND NOT col.is_field THEN
				SELECT s.n, s.rows, s.seldom INTO n, rows, seldom FROM dp_catalog.dp_repeats(relation, col.name, threshold) s;
				remark := format('%s: at epsilon %s %s', remark, epsilon,
								 CASE WHEN rows = 0 THEN 'nothing is found, since no row has a value'
									  WHEN col.kind = 'range' THEN format('about %s of at most 32 bins are found', least(32, n, greatest(1, rows / threshold::bigint)))
									  WHEN seldom >= threshold THEN 'all that occur stand clear of the noise'
									  ELSE format('values of fewer than about %s rows drown in the noise', threshold) END);
			END IF;
		ELSIF col.source = 'fields' THEN
			remark := 'modelled by its fields';
		ELSIF col.source IN ('sequence', 'foreign key', 'generated', 'unit')
			  OR col.source IN ('primary key', 'unique') AND (col.is_key OR col.is_number OR col.is_time) THEN
			remark := format('nothing to declare (%s): its values carry nothing that a release could learn', col.source);
		ELSIF from_data AND col.kind = 'range' AND col.is_number AND dp_catalog.dp_counts_in_parent(relation, col.name) THEN
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
			IF n >= 50 AND NOT col.is_number AND NOT col.is_time AND NOT col.is_field AND col.type IN ('text'::regtype, 'varchar'::regtype) THEN
				numbered := dp_catalog.dp_suggest_numbered(relation, col.name);
			END IF;
			bins := least(32, n, greatest(1, rows / threshold::bigint));
			IF n = 0 THEN
				remark := 'no row has a value';
			ELSIF numbered IS NOT NULL AND (n > 400 OR NOT repeats) THEN -- few that repeat are codes
				made := 'fill => ' || dp_catalog.dp_literal(numbered);
				remark := format('texts that are numbered, %s of them', n);
			ELSIF n <= (CASE WHEN col.kind = 'range' OR col.is_number THEN 40 ELSE 1000 END) AND repeats
				  AND (n > 1 OR NOT col.is_time) THEN
				SELECT r.list INTO list FROM dp_catalog.dp_read_as_owner(relation, format(
							   'SELECT dp_catalog.dp_literal(dp_catalog.dp_text(array_agg(v ORDER BY %s))) FROM (SELECT DISTINCT dp_catalog.dp_text(%I) AS v FROM %s WHERE %I IS NOT NULL) d',
							   CASE WHEN col.is_number AND col.type <> 'money'::regtype THEN 'v::numeric' ELSE 'v COLLATE "C"' END,
							   col.name, relation, col.name)) AS r(list text);
				made := format('categories => %s', list);
				remark := CASE WHEN seldom >= threshold THEN 'all of them stand clear of the noise'
							   ELSE format('values of fewer than about %s rows drown in the noise', threshold) END
						  || CASE WHEN dp_catalog.dp_is_data_key(relation, col.name) THEN '; a key column that is data' ELSE '' END;
			ELSIF col.is_number OR col.is_time THEN
				SELECT s.ends, s.resolution INTO ends, resolution
				  FROM dp_catalog.dp_suggest_range(relation, col.name, col.type,
													CASE WHEN col.source <> 'assumed' THEN col.labels END) s;
				made := concat_ws(', ', 'range => ' || dp_catalog.dp_literal(ends), 'resolution => ' || dp_catalog.dp_literal(resolution));
				remark := format('about %s of at most 32 bins are found%s', bins,
								 CASE WHEN dp_catalog.dp_is_data_key(relation, col.name) THEN '; a key column that is data' END);
				IF ends IS NULL THEN
					made := NULL;
					remark := 'its values are not finite, or too large for a range';
				END IF;
			ELSIF col.kind = 'range' THEN
				remark := format('range %s by its type: at epsilon %s about %s of at most 32 bins are found', col.labels, epsilon, bins);
			ELSIF NOT repeats THEN
				remark := 'nothing to declare: most values occur once, as in names and free text';
			ELSIF kept = 0 THEN
				remark := format('at epsilon %s open => true would find no value, since each has fewer than about %s rows; if a public table lists its values, %s%s, domain => dp_domain_table(''list'', ''value''))',
								 epsilon, threshold, call, dp_catalog.dp_literal(col.name));
			ELSE
				made := NULL; -- that is seen once all such columns are known
				remark := NULL;
				opens := opens || col.name;
				open_at := open_at || cardinality(lines);
			END IF;
		END IF;
		IF from_data AND col.is_time AND col.kind = 'range' AND col.source <> 'declared' AND col.name <> ALL (bases) THEN
			SELECT s.base, s.ends INTO base, ends FROM dp_catalog.dp_suggest_distance(relation, col.name, distances) s;
			IF base IS NOT NULL THEN
				made := format('offset_of => %s, range => %s', dp_catalog.dp_literal(base), dp_catalog.dp_literal(ends));
				remark := format('it keeps its short distance from %I', base);
				bases := bases || base;
				distances := distances || col.name;
			END IF;
		END IF;
		-- A name may hold a line break, which would end a comment and begin a statement.
		lines := lines || CASE WHEN made IS NULL THEN format('-- %s', dp_catalog.dp_one_line(format('%I: %s', col.name, remark)))
							   ELSE format('%s%s, %s); -- at epsilon %s %s', call, dp_catalog.dp_literal(col.name), made, epsilon,
										   dp_catalog.dp_one_line(remark)) END;
	END LOOP;
	IF opens <> '{}' THEN
		SELECT dp_catalog.dp_open_threshold(relation, (cardinality(opens) + count(*))::integer, unit_rows, epsilon) INTO threshold
		  FROM dp_catalog.dp_column_domains(relation) c WHERE c.kind = 'open';
		FOR i IN 1 .. cardinality(opens) LOOP
			SELECT s.kept, s.rows INTO kept, rows FROM dp_catalog.dp_repeats(relation, opens[i], threshold) s;
			remark := format('values of about %s %% of its rows are found: those of some %s rows or more', round(100.0 * kept / rows), threshold);
			lines[open_at[i] + 1] := CASE WHEN kept * 5 >= rows
				THEN format('%s%s, open => true); -- at epsilon %s %s', call, dp_catalog.dp_literal(opens[i]), epsilon, remark)
				ELSE format('-- %s', dp_catalog.dp_one_line(format('%I: at epsilon %s open => true would find too little: %s', opens[i], epsilon, remark))) END;
		END LOOP;
	END IF;
	RETURN QUERY SELECT l FROM unnest(lines) WITH ORDINALITY u(l, n) ORDER BY u.n;
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
									  OUT rows bigint, OUT kept bigint, OUT seldom bigint)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	SELECT r.n, r.rows, r.kept, r.seldom INTO n, rows, kept, seldom FROM dp_catalog.dp_read_as_owner(relation, format(
		'SELECT count(*), coalesce(sum(c)::bigint, 0), coalesce((sum(c) FILTER (WHERE c >= %L))::bigint, 0), min(c)
		   FROM (SELECT count(*) AS c FROM %s WHERE %I IS NOT NULL GROUP BY dp_catalog.dp_text(%I)) d',
		threshold, relation, column_name, column_name)) AS r(n bigint, rows bigint, kept bigint, seldom bigint);
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_repeats(regclass, name, float8) IS
	'internal: how many different values a column has, in how many rows, in how many of those that '
	'have a value of so many rows at least, and how many rows the rarest value has';

-- "product 1", "product 2": 'product {n}'. "C0001": 'C{n:4}'. NULL: they are no such texts.
CREATE FUNCTION dp_catalog.dp_suggest_numbered(relation regclass, column_name name) RETURNS text
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	prefix text;
	suffix text;
	digits integer; -- as many in each
	padded boolean;
BEGIN
	SELECT r.prefix, r.suffix, r.digits, r.padded INTO prefix, suffix, digits, padded FROM dp_catalog.dp_read_as_owner(relation, format(
		'SELECT min(m[1]), min(m[3]), CASE WHEN min(length(m[2])) = max(length(m[2])) THEN max(length(m[2])) END, bool_or(m[2] LIKE ''0_%%'')
		   FROM (SELECT regexp_match(t, ''^([^0-9]*)([0-9]{1,18})([^0-9]*)$'') AS m
				   FROM (SELECT dp_catalog.dp_text(%1$I) AS t FROM %2$s WHERE %1$I IS NOT NULL) v) w
		 HAVING bool_and(m IS NOT NULL) AND min(m[1]) = max(m[1]) AND min(m[3]) = max(m[3])
			AND count(DISTINCT m[2]::bigint) >= 0.1 * (max(m[2]::bigint) - min(m[2]::bigint) + 1)', column_name, relation))
		AS r(prefix text, suffix text, digits integer, padded boolean);
	IF prefix || suffix = '' OR prefix || suffix ~ '[{}]' OR padded AND digits IS NULL THEN
		RETURN NULL;
	END IF;
	RETURN prefix || CASE WHEN padded THEN format('{n:%s}', digits) ELSE '{n}' END || suffix;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_numbered(regclass, name) IS
	'internal: the pattern of texts that differ in a number alone; read off the data for dp_suggest_columns';

-- (line) of PRIMARY KEY (order, line), where (order) refers to the parent.
CREATE FUNCTION dp_catalog.dp_is_data_key(relation regclass, column_name name) RETURNS boolean
	LANGUAGE sql STABLE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
SELECT EXISTS (
	SELECT FROM @extschema@.dp_datasets d
	  JOIN pg_index i ON i.indrelid = d.relation AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL
	  JOIN dp_catalog.dp_foreign_keys() f ON f.relation = d.relation AND f.parent = d.parent
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
	  JOIN dp_catalog.dp_foreign_keys() f ON f.relation = d.relation AND f.parent = d.parent
	 WHERE d.relation = dp_counts_in_parent.relation ORDER BY f.name LIMIT 1;
	SELECT r.counts INTO counts FROM dp_catalog.dp_read_as_owner(relation, format(
		'SELECT coalesce(bool_and(low IN (0, 1) AND high - low + 1 = n) AND min(low) = max(low) AND max(n) > 1, false)
		   FROM (SELECT min(%1$I::numeric) AS low, max(%1$I::numeric) AS high, count(DISTINCT %1$I) AS n FROM %2$s GROUP BY %3$s) g',
		column_name, relation, refers_by)) AS r(counts boolean);
	RETURN counts;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_counts_in_parent(regclass, name) IS
	'internal: whether a column of a key holds integers from 1, or from 0, without gaps inside each parent; '
	'read off the data for dp_suggest_columns';

CREATE FUNCTION dp_catalog.dp_suggest_distance(relation regclass, column_name name, distances name[], OUT base name,
											   OUT ends text)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp SET IntervalStyle = postgres
	AS $$
DECLARE
	other record;
	low interval;
	high interval;
	most interval; -- of nearly all rows
	spread interval; -- of the other column
	least interval;
	unit text;
	size numeric; -- of the widest distance, in units
	against boolean; -- a row has the other time after this one
BEGIN
	FOR other IN
		SELECT a.attname, a.atttypid FROM pg_attribute a JOIN pg_attribute own USING (attrelid, atttypid)
		  JOIN dp_catalog.dp_column_domains(relation) c ON c.ordinal = a.attnum
		 WHERE a.attrelid = relation AND own.attname = dp_suggest_distance.column_name AND a.attname <> own.attname
		   AND a.attname <> ALL (distances) AND c.kind = 'range' AND c.column_name = a.attname
		   AND a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype)
		 ORDER BY a.attnum
	LOOP
		-- most pairs of times are in no order: a first row against it is found soon
		SELECT r.against INTO against FROM dp_catalog.dp_read_as_owner(relation, format(
			'SELECT EXISTS (SELECT FROM %3$s WHERE %1$I > %2$I AND isfinite(%1$I) AND isfinite(%2$I))',
			other.attname, column_name, relation)) AS r(against boolean);
		CONTINUE WHEN against;
		SELECT r.* INTO low, high, most, spread FROM dp_catalog.dp_read_as_owner(relation, format(
			'SELECT min(d), max(d), percentile_disc(0.99) WITHIN GROUP (ORDER BY d),
					percentile_disc(0.95) WITHIN GROUP (ORDER BY b) - percentile_disc(0.05) WITHIN GROUP (ORDER BY b)
			   FROM (SELECT %1$I::timestamp AS b, %2$I::timestamp - %1$I::timestamp AS d FROM %3$s
					  WHERE isfinite(%1$I) AND isfinite(%2$I)) t', other.attname, column_name, relation))
			AS r(low interval, high interval, most interval, spread interval);
		CONTINUE WHEN low IS NULL OR high = interval '0' OR most * 10 > spread OR most >= least;
		least := most;
		base := other.attname;
		unit := CASE WHEN other.atttypid = 'date'::regtype OR high > interval '2 days' THEN 'days'
					 WHEN high > interval '2 hours' THEN 'hours' ELSE 'minutes' END;
		size := ceil(extract(epoch FROM high) / extract(epoch FROM ('1 ' || unit)::interval));
		-- rounded outward, to the next 1, 2 or 5 with zeros
		SELECT min(r) INTO size FROM (SELECT d * 10.0 ^ k AS r FROM unnest('{1,2,5}'::numeric[]) d, generate_series(0, 8) k) s
		 WHERE r >= size;
		ends := CASE WHEN other.atttypid = 'date'::regtype THEN format('{0,%s}', trim_scale(size))
					 ELSE format('{0 %2$s,%1$s %2$s}', trim_scale(size), unit) END;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_distance(regclass, name, name[]) IS
	'internal: the date or time before a column from which it is never far, beside how that one is spread, '
	'and round ends of the distance; NULL: there is none; read off the data for dp_suggest_columns';

CREATE FUNCTION dp_catalog.dp_suggest_range(relation regclass, column_name name, type regtype, bounds text[],
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
	whole_days boolean;
BEGIN
	IF type IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype) THEN
		SELECT r.* INTO first, last, whole_days FROM dp_catalog.dp_read_as_owner(relation, format(
			'SELECT min(%1$I)::timestamp, max(%1$I)::timestamp, bool_and(%1$I::timestamp = date_trunc(''day'', %1$I::timestamp))
			   FROM %2$s WHERE isfinite(%1$I)', column_name, relation)) AS r(first timestamp, last timestamp, whole_days boolean);
		field := CASE WHEN last - first > interval '7000 days' THEN 'decade' WHEN last - first > interval '700 days' THEN 'year'
					  ELSE 'month' END;
		-- timestamps before Christ are not worth a round year
		IF first < '0002-01-01' OR last > '9980-01-01' THEN
			ends := CASE WHEN first IS NOT NULL THEN bounds::text END;
			RETURN;
		END IF;
		first := date_trunc(field, first);
		last := date_trunc(field, last) + CASE field WHEN 'decade' THEN interval '10 years' WHEN 'year' THEN interval '1 year' ELSE interval '1 month' END;
		IF type = 'date'::regtype THEN
			ends := format('{%s,%s}', first::date, last::date);
		ELSE
			ends := format('{%s,%s}', to_char(first, 'YYYY-MM-DD'), to_char(last, 'YYYY-MM-DD'));
			resolution := CASE WHEN whole_days THEN '1 day' END;
		END IF;
		RETURN;
	END IF;
	SELECT r.* INTO low, high, digits FROM dp_catalog.dp_read_as_owner(relation, format(
		'SELECT min(%1$I::numeric), max(%1$I::numeric), max(scale(trim_scale(%1$I::numeric))) FROM %2$s
		  WHERE dp_catalog.dp_text(%1$I) NOT IN (''NaN'', ''Infinity'', ''-Infinity'')', column_name, relation))
		AS r(low numeric, high numeric, digits integer);
	IF greatest(-low, high) > 1e17 AND bounds IS NULL THEN
		RETURN;
	END IF;
	-- round limits outward, to a power of ten between a tenth of the width and the width
	unit := CASE WHEN high > low THEN 10 ^ ceil(log((high - low) / 10)) ELSE 1 END;
	low := floor(low / unit) * unit;
	high := greatest(ceil(high / unit) * unit, low + unit);
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
COMMENT ON FUNCTION dp_catalog.dp_suggest_range(regclass, name, regtype, text[]) IS
	'internal: round limits of the values of a column, and the steps that they are multiples of, '
	'read off the data for dp_suggest_columns';

-- What stands in calls that are ready to be run.
CREATE FUNCTION dp_catalog.dp_literal(words text)
	RETURNS text AS 'MODULE_PATHNAME', 'dp_literal_of' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_literal(text) IS 'internal: words as a literal of one line';

CREATE FUNCTION dp_catalog.dp_one_line(words text)
	RETURNS text AS 'MODULE_PATHNAME', 'dp_one_line_of' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_one_line(text) IS 'internal: words without line breaks, for a comment';

