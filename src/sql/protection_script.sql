------------------------------------------------------------------------------
-- 6. The script that protects a schema, for its custodian to read: who looks like a person, what
--    belongs to whom, which tables hold nobody's data, and the columns
------------------------------------------------------------------------------

-- "InvoiceLine", "invoice-lines": invoice_line, the last word as one thing of its kind.
CREATE FUNCTION dp_catalog.dp_words_of(name text) RETURNS text
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT regexp_replace(regexp_replace(regexp_replace(btrim(
	   regexp_replace(lower(regexp_replace($1, '([a-z0-9])([A-Z])', '\1_\2', 'g')), '[^[:alnum:]]+', '_', 'g'), '_'),
	   '(^|_)people$', '\1person'), 'ies$', 'y'), '([^su])s$', '\1')
$$;
COMMENT ON FUNCTION dp_catalog.dp_words_of(text) IS 'internal: a name in words of small letters';

-- What of a table looks like a person: its name, then columns that only people have, then some that
-- others have too.
CREATE FUNCTION dp_catalog.dp_looks_like_person(relation regclass, OUT by_name boolean, OUT sure name[], OUT others name[],
												OUT serves boolean)
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT w.word ~ '(^|_)(person|patient|customer|client|user|employee|staff|worker|member|player|student|pupil|teacher|lecturer|professor|doctor|physician|nurse|guest|visitor|passenger|author|subscriber|subject|participant|respondent|applicant|candidate|citizen|resident|inhabitant|voter|donor|buyer|account_holder|cardholder|policyholder|beneficiary|individual|human|prisoner|defendant|victim|guardian|relative|spouse|caregiver|driver|pilot|lawyer|attorney|officer|instructor|tutor|coach|borrower|salesperson|owner|household)$'
	   -- whose software others share is none
	   OR w.word ~ '(^|_)tenant$' AND EXISTS (
			SELECT FROM pg_attribute a, dp_catalog.dp_words_of(a.attname) c
			 WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped AND c ~ '(^|_)(first_?name|last_?name|surname|birth|e_?mail|phone|mobile)($|_)'),
	   coalesce((SELECT array_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a, dp_catalog.dp_words_of(a.attname) c
				  WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
					AND (c ~ '(^|_)(first_?name|last_?name|name_first|name_last|surname|given_?name|family_?name|forename|birth|birth_?(day|date|year)|date_of_birth|dob|born|sex|gender|ssn|social_security|passport|marital|marital_status|salary|hired?|hire_?date|race|ethnicity|religion)($|_)'
						 -- somebody who has no table
						 OR c ~ '(^|_)(passenger|patient|guest|visitor|student|pupil|employee|customer|client|tenant|donor)_(name|full_?name|id|no|number)$'
							AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = $1 AND k.contype = 'f' AND a.attnum = ANY (k.conkey)))), '{}'),
	   coalesce((SELECT array_agg(a.attname ORDER BY a.attnum) FROM pg_attribute a, dp_catalog.dp_words_of(a.attname) c
				  WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
					AND c ~ '(^|_)(e_?mail|phone|mobile|fax|addres|address)($|_)'), '{}'),
	   w.word ~ '(^|_)(employee|staff|worker|teacher|lecturer|professor|doctor|physician|nurse|driver|pilot|lawyer|attorney|officer|instructor|tutor|coach|salesperson)$'
  FROM pg_class r, dp_catalog.dp_words_of(r.relname) w (word) WHERE r.oid = $1
$$;
COMMENT ON FUNCTION dp_catalog.dp_looks_like_person(regclass) IS
	'internal: what of the names of a table and its columns looks like a person';

-- The least number of rows that 99 % of the parents have at most, and the most that any has.
CREATE FUNCTION dp_catalog.dp_suggest_bound(relation regclass, refers_by name[], parent regclass, OUT enough bigint, OUT most bigint,
											OUT middle bigint)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	parents bigint;
	grouped text; -- the columns that refer
BEGIN
	SELECT r.n INTO parents FROM dp_catalog.dp_read_as_owner(parent, format('SELECT count(*) FROM %s', parent)) AS r(n bigint);
	SELECT string_agg(quote_ident(c), ', ') INTO grouped FROM unnest(refers_by) c;
	SELECT r.enough, r.most, r.middle INTO enough, most, middle FROM dp_catalog.dp_read_as_owner(relation, format(
		'WITH each AS (SELECT count(*) AS n FROM %1$s WHERE ROW(%2$s) IS NOT NULL GROUP BY %2$s),'
		' sizes AS (SELECT n, sum(count(*)) OVER (ORDER BY n) AS upto, sum(count(*)) OVER () AS present FROM each GROUP BY n)'
		' SELECT min(n) FILTER (WHERE upto + greatest(%3$s - present, 0) >= 0.99 * greatest(%3$s, present)), max(n),'
		' min(n) FILTER (WHERE upto >= 0.5 * present) FROM sizes', relation, grouped, parents)) AS r(enough bigint, most bigint, middle bigint);
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_bound(regclass, name[], regclass) IS
	'internal: how many rows of a relation refer to a row of its parent; read off the data for dp_suggest_protection';

-- The column of a key of a reference and one more that numbers the rows of one parent: 1, 2, 3 ...
CREATE FUNCTION dp_catalog.dp_suggest_place(relation regclass, refers_by name[]) RETURNS name
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	numbered record;
	holds boolean;
BEGIN
	FOR numbered IN
		SELECT a.attname AS name, string_agg(quote_ident(r.column_name), ', ') AS grouped
		  FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey::int2[]), unnest(refers_by) r (column_name)
		 WHERE i.indrelid = relation AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL
		   AND i.indnkeyatts = cardinality(refers_by) + 1 AND a.attname <> ALL (refers_by)
		   AND a.atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype)
		   AND (SELECT count(*) FROM pg_attribute k WHERE k.attrelid = relation AND k.attnum = ANY (i.indkey::int2[])
				   AND k.attname = ANY (refers_by)) = cardinality(refers_by)
		   AND NOT EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(child => dp_suggest_place.relation) f WHERE a.attname = ANY (f.refers_by))
		 GROUP BY a.attname, i.indexrelid
	LOOP
		SELECT r.holds INTO holds FROM dp_catalog.dp_read_as_owner(relation, format(
			'SELECT bool_and(low = 1 AND high = n) AND max(n) > 1 FROM (SELECT min(%1$I) AS low, max(%1$I) AS high, count(*) AS n FROM %2$s GROUP BY %3$s) d',
			numbered.name, relation, numbered.grouped)) AS r(holds boolean);
		IF holds THEN
			RETURN numbered.name;
		END IF;
	END LOOP;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_place(regclass, name[]) IS
	'internal: the column that numbers the rows of one parent without a gap; read off the data for dp_suggest_protection';

-- Tables of people, and those whose foreign keys lead to them.
CREATE FUNCTION dp_catalog.dp_suggest_reaching(persons oid[], tables oid[]) RETURNS oid[]
	LANGUAGE sql STABLE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
WITH RECURSIVE up(relation) AS (
	SELECT unnest($1) UNION
	SELECT f.relation FROM up JOIN dp_catalog.dp_foreign_keys() f ON f.referred = up.relation AND f.relation <> f.referred
	 WHERE f.relation = ANY ($2))
SELECT coalesce(array_agg(relation ORDER BY relation), '{}') FROM up
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_reaching(oid[], oid[]) IS
	'internal: tables of people, and those that refer to them or to what refers to them';

-- The table whose rows refer to nearly all rows of another one: of people, each to one of few (homes and bookings come
-- with people, cities do not); of what belongs to people, each to its own (the addresses of a list of who lives where).
-- Without the data: the first of people that must refer to it, where it has times.
CREATE FUNCTION dp_catalog.dp_suggest_comes_with(relation regclass, persons oid[], reaching oid[], from_data boolean) RETURNS regclass
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	key record;
	comes boolean;
	many boolean;
	child regclass; -- that was found
BEGIN
	FOR key IN
		SELECT f.relation::regclass AS child, k.columns, k.always, f.relation = ANY (persons) AS is_person
		  FROM dp_catalog.dp_foreign_keys(parent => dp_suggest_comes_with.relation) f
		 CROSS JOIN LATERAL (
				SELECT string_agg(quote_ident(n.name), ', ' ORDER BY n.place) AS columns, bool_and(a.attnotnull) AS always
				  FROM unnest(f.refers_by) WITH ORDINALITY n (name, place)
				  JOIN pg_attribute a ON a.attrelid = f.relation AND a.attname = n.name) k
		 WHERE f.relation = ANY (persons || reaching) AND f.relation <> f.referred ORDER BY f.relation = ANY (persons) DESC, f.id, f.relation
	LOOP
		IF NOT from_data THEN
			IF key.is_person AND key.always AND dp_catalog.dp_suggest_has_time(relation) THEN
				RETURN key.child;
			END IF;
			CONTINUE;
		END IF;
		SELECT r.comes, r.many INTO comes, many FROM dp_catalog.dp_read_as_owner(key.child, format(
			'SELECT count(*) >= 20 AND sum(n) <= %3$s * count(*), sum(n) > 2.5 * count(*) FROM (SELECT count(*) AS n FROM %1$s WHERE ROW(%2$s) IS NOT NULL GROUP BY %2$s) d',
			key.child, key.columns, CASE WHEN key.is_person THEN 2.5 ELSE 1.6 END)) AS r(comes boolean, many boolean);
		IF many AND NOT coalesce(child = ANY (persons), false) THEN
			RETURN NULL; -- many share one: a course has one teacher, and is not the teacher's
		END IF;
		IF child IS NULL AND comes AND (SELECT r.most FROM dp_catalog.dp_read_as_owner(relation, format(
				'SELECT count(*) <= %s FROM %s', (SELECT floor(r.n / 0.9) FROM dp_catalog.dp_read_as_owner(key.child, format(
					'SELECT count(*) FROM (SELECT DISTINCT %2$s FROM %1$s WHERE ROW(%2$s) IS NOT NULL) d', key.child, key.columns)) AS r(n bigint)),
				relation)) AS r(most boolean)) THEN
			child := key.child;
		END IF;
	END LOOP;
	RETURN child;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_comes_with(regclass, oid[], oid[], boolean) IS
	'internal: the table of people, or of what is theirs, with which rows of a table that refers to nobody come; read off the data for dp_suggest_protection';

-- Whether all rows refer: NULL in a column that may be NULL says that a row is nobody's.
CREATE FUNCTION dp_catalog.dp_suggest_always(relation regclass, refers_by name[]) RETURNS boolean
	LANGUAGE sql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT r.always FROM dp_catalog.dp_read_as_owner($1, format('SELECT NOT EXISTS (SELECT FROM %s WHERE %s)', $1,
	(SELECT string_agg(format('%I IS NULL', c), ' OR ') FROM unnest($2) c))) AS r(always boolean)
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_always(regclass, name[]) IS
	'internal: whether no row of a relation has NULL in a reference; read off the data for dp_suggest_protection';

-- When something was, and not when a row was changed or what it says holds.
CREATE FUNCTION dp_catalog.dp_suggest_has_time(relation regclass) RETURNS boolean
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT EXISTS (SELECT FROM pg_attribute a, dp_catalog.dp_words_of(a.attname) w
				WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
				  AND a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype)
				  AND w !~ '(update|modif|chang|creat|load|insert|valid|releas|start|end)')
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_has_time(regclass) IS 'internal: whether rows of a table say when something was';

-- The column by which rows of one parent follow each other: the first time that is when something was, or a row was made.
CREATE FUNCTION dp_catalog.dp_suggest_order(relation regclass) RETURNS name
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT a.attname FROM pg_attribute a, dp_catalog.dp_words_of(a.attname) w
 WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
   AND a.atttypid IN ('date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype)
   AND w !~ '(update|modif|chang|load|insert|valid|birth|born)'
   AND NOT EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(child => $1) f WHERE a.attname = ANY (f.refers_by))
   -- distances from a range say more than an order beside it
   AND NOT EXISTS (SELECT FROM pg_attribute r WHERE r.attrelid = $1 AND r.attnum > 0 AND NOT r.attisdropped AND r.attnotnull
					  AND r.atttypid IN ('daterange'::regtype, 'tsrange'::regtype, 'tstzrange'::regtype))
 ORDER BY a.attnotnull DESC, w ~ 'creat', a.attnum LIMIT 1
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_order(regclass) IS
	'internal: the column by which rows of one parent may follow each other';

-- A column that says whose the rows of a table are, as by its name it holds keys of something, and no foreign key says of what: of
-- persons, whose rows beyond 100 are left out, else of that of which there are fewest, each in 100 rows at most.
CREATE FUNCTION dp_catalog.dp_suggest_unit(relation regclass, from_data boolean, OUT name name, OUT bound bigint)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	item record;
	found record;
	fewest bigint;
	of_person boolean;
BEGIN
	FOR item IN
		SELECT a.attname, w ~ '(person|patient|customer|client|user|employee|member|player|student|subject|visitor|guest|passenger|account)' AS of_person
		  FROM pg_attribute a, dp_catalog.dp_words_of(a.attname) w
		 WHERE a.attrelid = relation AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		   AND (w ~ '(^|_)(no|nr|key)$' OR a.attname ~* 'id$' AND w !~ '((^|_)(paid|valid|void|grid|aid|bid|solid)|guid|uuid)$')
		   AND w !~ '(^|_)(year|month|day|type|status|category|class|level|language|country|currency|division|div)_?(id|no|nr|key)$'
		   AND a.atttypid IN ('smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'uuid'::regtype, 'text'::regtype, 'varchar'::regtype, 'bpchar'::regtype)
		   AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND (i.indisprimary AND a.attnum = ANY (i.indkey) OR i.indisunique AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum))
		   AND NOT EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(child => relation) f WHERE a.attname = ANY (f.refers_by))
		 ORDER BY 2 DESC, a.attnum
	LOOP
		EXIT WHEN name IS NOT NULL AND (NOT from_data OR of_person AND NOT item.of_person);
		IF NOT from_data THEN
			name := item.attname;
			bound := 10;
			CONTINUE;
		END IF;
		SELECT r.* INTO found FROM dp_catalog.dp_read_as_owner(relation, format(
			'SELECT count(*), percentile_disc(0.99) WITHIN GROUP (ORDER BY n) FROM (SELECT count(*) AS n FROM %1$s WHERE %2$I IS NOT NULL GROUP BY %2$I) g',
			relation, item.attname)) AS r(n bigint, bound bigint);
		CONTINUE WHEN found.bound > 100 AND NOT item.of_person OR found.n >= fewest;
		name := item.attname;
		bound := least(coalesce(found.bound, 1), 100);
		fewest := found.n;
		of_person := item.of_person;
	END LOOP;
END
$$;
COMMENT ON FUNCTION dp_catalog.dp_suggest_unit(regclass, boolean) IS
	'internal: the column whose values may say whose the rows of a relation without such a key are, and how many rows one has; read off the data for dp_suggest_protection';

CREATE FUNCTION dp_suggest_protection(schema text, from_data boolean DEFAULT true)
	RETURNS SETOF text LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE
	SET search_path = pg_catalog, pg_temp SET jit = off
	AS $$
DECLARE
	trees_rows constant integer := 100; -- of a parent, at most, that are released together
	named oid[] := dp_catalog.dp_schemas_named(schema);
	schemas oid[];         -- those, and others that foreign keys join to them
	tables oid[];          -- of these
	what jsonb := '{}';    -- by the number of a table: {"kind": "person", "depth": 0, ...}
	done oid[] := '{}';    -- tables of which it is known what they are
	reaching oid[];        -- those that lead to a person by foreign keys
	tried text[] := '{}';  -- lines, with what was wrong with them when they were tried
	columns text[] := '{}';
	line text;
	reason text;
	trial text;            -- NULL: all lines could be tried
	item record;
	choice record;
	bound record;
	column_line text;
	place name;
	rows bigint;
	entry jsonb;
	more boolean;
BEGIN
	IF EXISTS (SELECT FROM unnest(named) n (id) WHERE NOT has_schema_privilege(n.id, 'USAGE')) THEN
		RAISE EXCEPTION 'permission denied for schema %', schema USING ERRCODE = 'insufficient_privilege';
	END IF;
	-- what is whose is seen where all tables are that foreign keys join
	WITH RECURSIVE keys AS (
		SELECT DISTINCT c.relnamespace AS child, p.relnamespace AS parent FROM dp_catalog.dp_foreign_keys() f
		  JOIN pg_class c ON c.oid = f.relation JOIN pg_class p ON p.oid = f.referred WHERE c.relnamespace <> p.relnamespace),
	joined(id) AS (
		SELECT unnest(named) UNION
		SELECT CASE k.child WHEN j.id THEN k.parent ELSE k.child END FROM joined j JOIN keys k ON j.id IN (k.child, k.parent))
	SELECT array_agg(j.id ORDER BY n.nspname) INTO schemas FROM joined j JOIN pg_namespace n ON n.oid = j.id
	 WHERE j.id = ANY (named) OR has_schema_privilege(j.id, 'USAGE') AND NOT (from_data AND EXISTS (
			SELECT FROM pg_class c WHERE c.relnamespace = j.id AND c.relkind IN ('r', 'p') AND NOT pg_has_role(c.relowner, 'USAGE')));
	tables := ARRAY(SELECT c.oid FROM pg_class c
					 WHERE c.relnamespace = ANY (schemas) AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
					   -- rows of a table that inherits are those of the other
					   AND NOT EXISTS (SELECT FROM pg_inherits i JOIN pg_class o ON o.oid = i.inhparent WHERE i.inhrelid = c.oid AND o.relnamespace = ANY (schemas))
					   AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')
					 ORDER BY c.oid);
	IF NOT named @> schemas THEN
		RAISE WARNING 'foreign keys join schema % to others', schema
			USING DETAIL = 'This script is about its tables alone, and calls that need others cannot be run.',
				  HINT = format('For all of them: dp_suggest_protection(%L).', (SELECT '{' || string_agg(quote_ident(n.nspname), ',' ORDER BY n.nspname) || '}'
																		   FROM pg_namespace n WHERE n.oid = ANY (schemas)));
	END IF;
	IF from_data THEN
		SELECT c.oid::regclass::text INTO line FROM pg_class c
		 WHERE c.oid = ANY (tables) AND NOT pg_has_role(c.relowner, 'USAGE') ORDER BY c.oid LIMIT 1;
		IF line IS NOT NULL THEN
			RAISE EXCEPTION 'only the owner of % may ask for suggestions from the data', line
				USING ERRCODE = 'insufficient_privilege', DETAIL = 'Suggestions are read off the data, without noise.',
					  HINT = 'from_data => false reads the schema alone.';
		END IF;
		RAISE WARNING 'this script is read off the data of schema %', schema
			USING DETAIL = 'Bounds on rows and domains of columns that are not public knowledge disclose what occurs.',
				  HINT = 'Replace each by what is publicly known before you run it.';
	END IF;

	-- who looks like a person
	FOR item IN
		SELECT c.oid::regclass AS relation, p.* FROM unnest(tables) c (oid), dp_catalog.dp_looks_like_person(c.oid) p
		 WHERE (p.by_name OR cardinality(p.sure) >= 2 OR cardinality(p.sure) = 1 AND p.others <> '{}')
		   -- what refers to a person, and is not called one, or has no other key, belongs to it
		   AND NOT EXISTS (
				SELECT FROM dp_catalog.dp_foreign_keys(child => c.oid) f, dp_catalog.dp_looks_like_person(f.referred) o
				 WHERE f.referred <> c.oid AND o.by_name
				   AND (NOT p.by_name OR EXISTS (
						SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND f.refers_by <@
							   ARRAY(SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (i.indkey)))))
		 ORDER BY c.oid
	LOOP
		done := done || item.relation::oid;
		what := what || jsonb_build_object(item.relation::oid, jsonb_build_object('kind', 'person', 'depth', 0, 'serves', item.serves,
			'why', concat_ws(': columns ', 'looks like a person', nullif(array_to_string((item.sure || item.others)[1:6], ', '), ''))));
	END LOOP;

	-- what comes with people, and what of these belongs to it: all persons of a booking are one unit
	LOOP
		reaching := dp_catalog.dp_suggest_reaching(done, tables);
		more := false;
		FOR item IN
			SELECT c.oid::regclass AS relation, w.child
			  FROM unnest(tables) c (oid), dp_catalog.dp_suggest_comes_with(c.oid, done, reaching, from_data) w (child)
			 WHERE c.oid <> ALL (reaching) AND w.child IS NOT NULL
		LOOP
			more := true;
			done := done || item.relation::oid;
			what := what || jsonb_build_object(item.relation::oid, jsonb_build_object('kind', 'person', 'depth', 0, 'serves', false,
				'why', format('its rows come with those of %s', item.child)));
			SELECT f.refers_by, f.name, count(*) OVER () AS ways, (
					SELECT bool_and(a.attnotnull) FROM pg_attribute a WHERE a.attrelid = f.relation AND a.attname = ANY (f.refers_by)) AS always
			  INTO choice FROM dp_catalog.dp_foreign_keys(item.child, item.relation) f LIMIT 1;
			CONTINUE WHEN choice.ways > 1 OR NOT choice.always OR NOT from_data OR what -> item.child::oid::text ->> 'kind' IS DISTINCT FROM 'person';
			SELECT b.* INTO bound FROM dp_catalog.dp_suggest_bound(item.child, choice.refers_by, item.relation) b;
			CONTINUE WHEN bound.enough > 5;
			what := what || jsonb_build_object(item.child::oid, (what -> item.child::oid::text) || jsonb_build_object(
				'kind', 'belongs', 'person', true, 'depth', 1, 'parent', item.relation::oid, 'refers_by', choice.refers_by,
				'bound', bound.enough, 'order', dp_catalog.dp_suggest_order(item.child),
				'why', format('%s; all of one row of %s are one unit, by foreign key %s', what -> item.child::oid::text ->> 'why', item.relation,
							  quote_ident(choice.name))));
		END LOOP;
		EXIT WHEN NOT more; -- what comes with these
	END LOOP;

	-- what belongs to whom
	LOOP
		-- one whose ways up are all known; where they go in a circle, the next
		SELECT r INTO choice FROM unnest(reaching) r WHERE r <> ALL (done)
		 ORDER BY EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(child => r) f WHERE f.referred <> r
							 AND f.referred = ANY (reaching) AND f.referred <> ALL (done)), r LIMIT 1;
		EXIT WHEN NOT FOUND;
		item := choice;
		entry := NULL;
		FOR choice IN
			SELECT f.name, f.referred::regclass AS parent, f.refers_by, (what -> f.referred::text ->> 'depth')::int AS depth,
				   count(*) OVER (PARTITION BY f.referred) AS ways
			  FROM dp_catalog.dp_foreign_keys(child => item.r) f
			 CROSS JOIN LATERAL (
					SELECT CASE WHEN from_data THEN dp_catalog.dp_suggest_always(f.relation, f.refers_by) ELSE bool_and(a.attnotnull) END AS always, array_agg(a.attnum ORDER BY k.place) AS numbers
					  FROM unnest(f.refers_by) WITH ORDINALITY k (name, place)
					  JOIN pg_attribute a ON a.attrelid = f.relation AND a.attname = k.name) n
			 WHERE f.referred = ANY (done) AND f.referred <> f.relation
			   AND what -> f.referred::text ->> 'kind' IN ('person', 'belongs', 'apart')
			   -- what persons refer to is not one person's
			   AND NOT EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(parent => item.r) b WHERE b.relation <> item.r
								  AND (what -> b.relation::text ->> 'kind' = 'person' OR what -> b.relation::text ? 'person'))
			 ORDER BY n.always DESC, (what -> f.referred::text ->> 'serves')::boolean, depth DESC, n.numbers
		LOOP
			SELECT NULL::bigint AS enough, NULL::bigint AS most, NULL::bigint AS middle INTO bound;
			IF from_data THEN
				SELECT b.* INTO bound FROM dp_catalog.dp_suggest_bound(item.r::regclass, choice.refers_by, choice.parent) b;
				CONTINUE WHEN bound.middle > trees_rows;
			END IF;
			entry := jsonb_build_object('kind', 'belongs', 'depth', choice.depth + 1, 'serves', what -> choice.parent::oid::text -> 'serves',
				'parent', choice.parent::oid, 'refers_by', choice.refers_by,
				-- one of its columns that no other reference to it has
				'unit', CASE WHEN choice.ways > 1 THEN coalesce((
					SELECT u.name FROM unnest(choice.refers_by) WITH ORDINALITY u (name, place)
					 WHERE NOT EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(item.r, choice.parent) f WHERE f.name <> choice.name AND u.name = ANY (f.refers_by))
					 ORDER BY u.place LIMIT 1), choice.refers_by[1]) END,
				'bound', CASE WHEN from_data THEN greatest(1, least(trees_rows, coalesce(bound.enough, 1))) ELSE 10 END,
				'order', dp_catalog.dp_suggest_order(item.r::regclass),
				'why', 'by foreign key ' || quote_ident(choice.name) ||
					   CASE WHEN NOT from_data THEN '; 10 stands for what is publicly known: of more rows of one parent, 10 are read'
							WHEN bound.enough IS NULL THEN '; no row refers to one'
							WHEN bound.enough > trees_rows THEN format('; 99 %% of the parents have at most %s rows, of which %s are read', bound.enough, trees_rows)
							WHEN bound.enough = bound.most THEN '; no parent has more rows'
							ELSE format('; 99 %% of the parents have at most so many rows, one has %s', bound.most) END);
			EXIT;
		END LOOP;
		IF entry IS NULL THEN
			entry := jsonb_build_object('kind', 'apart', 'depth', 0, 'serves', true,
				'why', CASE WHEN from_data THEN 'nobody''s alone, but it refers to rows that are protected: each row is a unit of its own'
							ELSE 'refers to rows that are protected: each row is a unit of its own' END);
		END IF;
		done := done || item.r;
		what := what || jsonb_build_object(item.r, entry);
	END LOOP;

	-- what is left holds nobody's data, as far as anything refers to it or it is a list of such things
	FOR item IN
		SELECT c.oid, c.oid::regclass AS relation,
			   EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(parent => c.oid) f WHERE f.relation <> c.oid) AS referred,
			   EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(child => c.oid) f WHERE f.referred <> c.oid) AS refers,
			   dp_catalog.dp_suggest_has_time(c.oid) AS has_time, u.name AS unit, u.bound,
			   (SELECT min(f.referred::regclass::text) FROM dp_catalog.dp_foreign_keys(child => c.oid) f
				 WHERE f.referred <> ALL (tables) AND dp_catalog.dp_public_among(ARRAY[f.referred::regclass]) = '{}') AS elsewhere
		  FROM unnest(tables) c (oid), dp_catalog.dp_suggest_unit(c.oid, from_data) u WHERE c.oid <> ALL (done)
	LOOP
		rows := NULL;
		IF from_data THEN
			SELECT r.n INTO rows FROM dp_catalog.dp_read_as_owner(item.relation, format('SELECT count(*) FROM %s', item.relation)) AS r(n bigint);
		END IF;
		what := what || jsonb_build_object(item.oid, CASE
			WHEN item.elsewhere IS NOT NULL THEN
			jsonb_build_object('kind', 'unknown', 'why', format('it refers to %s, of which nothing is said', item.elsewhere))
			WHEN item.referred OR item.refers AND NOT item.has_time AND item.unit IS NULL THEN
			jsonb_build_object('kind', 'public', 'why', concat_ws(', ', 'nobody''s data: refers to no person', rows || ' rows',
				CASE WHEN item.referred THEN 'referred to' ELSE 'a list of what is public' END))
			ELSE jsonb_build_object('kind', 'unknown', 'why', NULL, 'unit', item.unit, 'bound', item.bound) END);
	END LOOP;

	-- The lines are tried, and taken back: what does not run is a comment that says why. What columns
	-- are is known where their tables are protected.
	BEGIN
		PERFORM set_config('client_min_messages', 'error', true);
		FOR item IN
			WITH RECURSIVE listed AS (
				SELECT t.key::oid AS relation, t.value AS entry, t.value ->> 'kind' AS kind,
					   ARRAY[CASE t.value ->> 'kind' WHEN 'person' THEN 1 WHEN 'apart' THEN 2 WHEN 'public' THEN 3 ELSE 4 END, t.key::oid::bigint] AS place
				  FROM jsonb_each(what) t WHERE t.value ->> 'kind' <> 'belongs'
				 UNION ALL
				SELECT t.key::oid, t.value, 'belongs', l.place || t.key::oid::bigint
				  FROM listed l JOIN jsonb_each(what) t ON (t.value ->> 'parent')::oid = l.relation)
			SELECT l.relation::regclass AS relation, l.entry, l.kind FROM listed l JOIN pg_class c ON c.oid = l.relation
			 WHERE c.relnamespace = ANY (named) ORDER BY l.place
		LOOP
			line := CASE item.kind
				WHEN 'public' THEN format('SELECT @extschema@.dp_declare_public(%s);', dp_catalog.dp_literal(item.relation::text))
				WHEN 'belongs' THEN format('SELECT @extschema@.dp_protect(%s, parent => %s, max_rows_per_unit => %s%s%s);',
					dp_catalog.dp_literal(item.relation::text), dp_catalog.dp_literal((item.entry ->> 'parent')::oid::regclass::text), item.entry ->> 'bound',
					coalesce(', unit_column => ' || dp_catalog.dp_literal(item.entry ->> 'unit'), ''),
					CASE WHEN (item.entry ->> 'bound')::int > 1 THEN ', order_column => ' || dp_catalog.dp_literal(item.entry ->> 'order') END)
				-- each row by itself would be too little where rows of one person are many, which a key that is no unit may say
				WHEN 'unknown' THEN CASE WHEN item.entry ->> 'why' IS NULL AND (item.entry ->> 'unit' IS NOT NULL OR NOT EXISTS (
					SELECT FROM pg_attribute a WHERE a.attrelid = item.relation AND a.attnum > 0 AND a.attname ~* '(id|_no|_nr|code|key)$'
					   AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey))
					   AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'f' AND a.attnum = ANY (k.conkey))))
					THEN format('SELECT @extschema@.dp_protect(%s, epsilon => 10, delta => 1e-6%s);', dp_catalog.dp_literal(item.relation::text),
								coalesce(', unit_column => ' || dp_catalog.dp_literal(item.entry ->> 'unit') || ', max_rows_per_unit => ' || (item.entry ->> 'bound'), '')) END
				ELSE format('SELECT @extschema@.dp_protect(%s, epsilon => 10, delta => 1e-6);', dp_catalog.dp_literal(item.relation::text)) END;
			reason := item.entry ->> 'why';
			IF item.kind = 'unknown' AND line IS NOT NULL THEN
				reason := format('no foreign key says whose its rows are, so that %s taken for somebody''s; if nobody''s: SELECT @extschema@.dp_declare_public(%s) in place of it',
								 coalesce('those of one ' || (item.entry ->> 'unit') || ' are', 'each is'), dp_catalog.dp_literal(item.relation::text));
			END IF;
			IF line IS NULL THEN
				tried := tried || format('-- %s', dp_catalog.dp_one_line(format(
					'%1$s: %3$s. If each is somebody''s: SELECT @extschema@.dp_protect(%2$s, epsilon => 10, delta => 1e-6), then what dp_suggest_columns(%2$s) writes; if nobody''s: SELECT @extschema@.dp_declare_public(%2$s)',
					item.relation, dp_catalog.dp_literal(item.relation::text), coalesce(reason, 'no key says whose its rows are'))));
				CONTINUE;
			END IF;
			IF from_data AND item.kind IN ('person', 'apart') THEN
				SELECT r.n INTO rows FROM dp_catalog.dp_read_as_owner(item.relation, format('SELECT count(*) FROM %s', item.relation)) AS r(n bigint);
				reason := format('%s; %s rows', reason, rows);
			END IF;
			IF EXISTS (SELECT FROM @extschema@.dp_datasets d WHERE d.relation = item.relation AND d.active) THEN
				tried := tried || format('-- %s', dp_catalog.dp_one_line(format('%s is protected already', item.relation)));
			ELSIF dp_catalog.dp_public_among(ARRAY[item.relation]) <> '{}' THEN
				tried := tried || format('-- %s', dp_catalog.dp_one_line(format('%s is declared public already', item.relation)));
				CONTINUE;
			ELSE
				trial := NULL;
				IF pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = item.relation), 'USAGE') THEN
					BEGIN
						IF item.kind = 'public' THEN
							PERFORM @extschema@.dp_declare_public(item.relation::pg_catalog.regclass, true::pg_catalog.bool);
						ELSE
							PERFORM @extschema@.dp_protect(item.relation::pg_catalog.regclass, CASE WHEN item.kind <> 'belongs' THEN 10 END::pg_catalog.float8,
								CASE WHEN item.kind <> 'belongs' THEN 1e-6 ELSE 0 END::pg_catalog.float8, 'add_remove'::pg_catalog.text, (item.entry ->> 'unit')::pg_catalog.name,
								coalesce((item.entry ->> 'bound')::integer, 1)::pg_catalog.int4, NULL::pg_catalog.regclass, NULL::pg_catalog.text, NULL::pg_catalog.float8, NULL::pg_catalog.regclass[],
								NULL::pg_catalog.int4, 0.001::pg_catalog.float8, (item.entry ->> 'parent')::oid::pg_catalog.regclass,
								CASE WHEN (item.entry ->> 'bound')::integer > 1 THEN item.entry ->> 'order' END::pg_catalog.name);
						END IF;
					EXCEPTION WHEN object_not_in_prerequisite_state OR invalid_parameter_value OR feature_not_supported OR wrong_object_type
								OR program_limit_exceeded OR insufficient_privilege OR invalid_foreign_key THEN
						GET STACKED DIAGNOSTICS trial = MESSAGE_TEXT;
					END;
				END IF;
				IF trial IS NOT NULL THEN
					tried := tried || format('-- %s', dp_catalog.dp_one_line(format('%s cannot be run: %s', line, trial)));
					CONTINUE;
				END IF;
				tried := tried || format('%s -- %s', line, dp_catalog.dp_one_line(reason));
			END IF;
			CONTINUE WHEN item.kind = 'public' OR NOT pg_has_role((SELECT c.relowner FROM pg_class c WHERE c.oid = item.relation), 'USAGE');
			what := jsonb_set(what, ARRAY[item.relation::oid::text, 'columns'], 'true');
		END LOOP;
		FOR item IN SELECT t.key::oid::regclass AS relation, t.value AS entry FROM jsonb_each(what) t
					 WHERE t.value ? 'columns' ORDER BY t.key::oid
		LOOP
			place := NULL;
			IF from_data AND item.entry ->> 'kind' = 'belongs' THEN
				place := dp_catalog.dp_suggest_place(item.relation, ARRAY(SELECT c.name::name FROM jsonb_array_elements_text(item.entry -> 'refers_by') c (name)));
			END IF;
			IF place IS NOT NULL THEN
				line := format('SELECT @extschema@.dp_define_column(%s, %s, fill => ''{place}'');', dp_catalog.dp_literal(item.relation::text), dp_catalog.dp_literal(place));
				BEGIN
					PERFORM @extschema@.dp_define_column(item.relation::pg_catalog.regclass, place::pg_catalog.name, NULL::pg_catalog.text[],
						NULL::pg_catalog.text[], false::pg_catalog.bool, NULL::pg_catalog.text, false::pg_catalog.bool, NULL::pg_catalog.jsonb,
						NULL::pg_catalog.text[], NULL::pg_catalog.text, NULL::pg_catalog.int4, NULL::pg_catalog.text, NULL::pg_catalog.name,
						false::pg_catalog.bool, '{place}'::pg_catalog.text, NULL::pg_catalog.text, NULL::pg_catalog.text);
					columns := columns || format('%s -- it numbers the rows of one parent', line);
				EXCEPTION WHEN object_not_in_prerequisite_state OR invalid_parameter_value OR feature_not_supported THEN
					NULL;
				END;
			END IF;
			FOR column_line IN SELECT s FROM @extschema@.dp_suggest_columns(item.relation::pg_catalog.regclass, from_data::pg_catalog.bool, 1::pg_catalog.float8) s
			LOOP
				columns := columns || CASE WHEN starts_with(column_line, '-- read off')
										   THEN format('-- %s: %s', dp_catalog.dp_one_line(item.relation::text), substr(column_line, 4))
										   WHEN starts_with(column_line, '-- ')
										   THEN format('-- %s.%s', dp_catalog.dp_one_line(item.relation::text), substr(column_line, 4))
										   ELSE column_line END;
			END LOOP;
			-- names and free text would be NULL, and rows of which most is NULL are refused
			FOR choice IN
				SELECT d.column_name AS name, format('dp_define_column(%s, %s, ', dp_catalog.dp_literal(item.relation::text), dp_catalog.dp_literal(d.column_name)) AS call,
					   CASE WHEN t.type IN ('inet'::regtype, 'cidr'::regtype)
						THEN replace('10.1{[0-9]:2}.1{[0-9]:2}.' || CASE WHEN t.type = 'inet'::regtype THEN '1{[0-9]:2}' ELSE '0/24' END,
									 '{[', CASE WHEN EXISTS (SELECT FROM pg_index i WHERE i.indrelid = item.relation AND i.indisunique AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
												THEN '{n:[' ELSE '{[' END)
						WHEN t.type = 'macaddr'::regtype THEN '0200{n:8}'
						WHEN t.type = 'uuid'::regtype THEN '{uuid}'
						WHEN t.type = 'xml'::regtype THEN '<made-up>{n}</made-up>'
						WHEN t.typmod < 0 OR t.typmod - 4 >= length(d.column_name) + 8 THEN d.column_name || ' {n}'
						WHEN t.typmod - 4 >= 5 AND t.type <> 'bpchar'::regtype THEN '{n}' ELSE format('{[a-z]:%s}', t.typmod - 4) END AS pattern
				  FROM dp_catalog.dp_column_roles(item.relation) d JOIN pg_attribute a ON a.attrelid = item.relation AND a.attnum = d.ordinal
				 CROSS JOIN LATERAL (
						WITH RECURSIVE base (type, typmod, of) AS (
							SELECT a.atttypid, a.atttypmod, CASE WHEN b.typtype = 'd' THEN b.oid END FROM pg_type b WHERE b.oid = a.atttypid UNION ALL
							SELECT b.typbasetype, b.typtypmod, CASE WHEN o.typtype = 'd' THEN o.oid END FROM base JOIN pg_type b ON b.oid = base.of JOIN pg_type o ON o.oid = b.typbasetype)
						SELECT base.type, base.typmod FROM base WHERE base.of IS NULL) t
				 WHERE coalesce(d.kind, 'fill') = 'fill' AND (d.source = 'no domain' OR d.kind IS NULL AND d.source = 'unique') AND a.attname = d.column_name
				   AND NOT EXISTS (SELECT FROM dp_catalog.dp_foreign_keys(child => item.relation) f WHERE a.attname = ANY (f.refers_by))
				   AND t.type IN ('text'::regtype, 'varchar'::regtype, 'bpchar'::regtype, 'inet'::regtype, 'cidr'::regtype, 'macaddr'::regtype, 'uuid'::regtype, 'xml'::regtype) ORDER BY d.ordinal
			LOOP
				CONTINUE WHEN EXISTS (SELECT FROM unnest(columns) l WHERE NOT starts_with(l, '-- ') AND position(choice.call IN l) > 0);
				IF from_data THEN
					choice.pattern := dp_catalog.dp_suggest_missing(item.relation, choice.name) || choice.pattern;
				END IF;
				BEGIN
					PERFORM @extschema@.dp_define_column(item.relation::pg_catalog.regclass, choice.name::pg_catalog.name, NULL::pg_catalog.text[],
						NULL::pg_catalog.text[], false::pg_catalog.bool, NULL::pg_catalog.text, false::pg_catalog.bool, NULL::pg_catalog.jsonb,
						NULL::pg_catalog.text[], NULL::pg_catalog.text, NULL::pg_catalog.int4, NULL::pg_catalog.text, NULL::pg_catalog.name,
						false::pg_catalog.bool, choice.pattern::pg_catalog.text, NULL::pg_catalog.text, NULL::pg_catalog.text);
					columns := columns || format('SELECT @extschema@.dp_define_column(%s, %s, fill => %s); -- names or free text: made up',
						dp_catalog.dp_literal(item.relation::text), dp_catalog.dp_literal(choice.name), dp_catalog.dp_literal(choice.pattern));
				EXCEPTION WHEN object_not_in_prerequisite_state OR invalid_parameter_value OR feature_not_supported OR data_exception THEN
					NULL;
				END;
			END LOOP;
			IF from_data THEN
				PERFORM dp_catalog.dp_take_rows(item.relation, 0);
			END IF;
		END LOOP;
		RAISE EXCEPTION USING ERRCODE = 'DP000';
	EXCEPTION WHEN SQLSTATE 'DP000' THEN
		NULL; -- what was tried is taken back
	END;
	RETURN QUERY SELECT unnest(tried || columns);
END
$$;
COMMENT ON FUNCTION dp_suggest_protection(text, boolean) IS
	'the script that protects the tables of a schema, or of several ({sales,staff}), each line with its reason: who looks like a person, which '
	'rows belong to whom, by which key and how many of them count, which tables hold nobody''s data, and '
	'the columns (dp_suggest_columns); it runs as it is printed, and is a proposal to be read: bounds and '
	'domains are READ OFF THE DATA; from_data false: from the schema alone, for all who may use it';

