-- dpsyn 1.0 to 1.1. CREATE EXTENSION runs dpsyn--1.0.sql, then this.

\echo Use "ALTER EXTENSION dpsyn UPDATE TO '1.1'" to load this file. \quit

------------------------------------------------------------------------------
-- 1. The catalog: privacy units, shared budgets, zCDP, limits and refreshes.
--    rho is an exact integer too, in 1e-12.
------------------------------------------------------------------------------

ALTER TABLE dp_dataset
	-- the dataset whose budget pays for this one; NULL: its own, and only then it has amounts
	ADD COLUMN budget_of integer,
	ADD COLUMN unit_column name,
	ADD COLUMN max_rows_per_unit integer NOT NULL DEFAULT 1 CHECK (max_rows_per_unit >= 1),
	ADD COLUMN accountant text NOT NULL DEFAULT 'basic' CHECK (accountant IN ('basic', 'zcdp')),
	ADD COLUMN spent_rho_pico bigint NOT NULL DEFAULT 0 CHECK (spent_rho_pico >= 0),
	ADD COLUMN max_epsilon_nano bigint CHECK (max_epsilon_nano >= 1),
	ADD COLUMN refresh_every interval,
	ADD COLUMN refreshed_at timestamptz,
	ADD COLUMN relation_name text, -- when it was protected: tells a namesake, once it is dropped
	ALTER COLUMN epsilon_nano DROP NOT NULL,
	ALTER COLUMN delta_atto DROP NOT NULL,
	ADD CHECK (budget_of <> id),
	ADD CHECK ((budget_of IS NULL) = (epsilon_nano IS NOT NULL)),
	ADD CHECK ((epsilon_nano IS NULL) = (delta_atto IS NULL)),
	ADD CHECK ((refresh_every IS NULL) = (refreshed_at IS NULL));

UPDATE dp_dataset d SET relation_name = coalesce(
	(SELECT e.relation_name FROM dp_ledger_entry e WHERE e.dataset = d.id ORDER BY e.id DESC LIMIT 1),
	(SELECT pg_catalog.format('%I.%I', n.nspname, c.relname)
	   FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = d.relation::oid));
-- of what 1.0 spent the rho is not known: epsilon is a bound of it
UPDATE dp_dataset SET spent_rho_pico = spent_epsilon_nano * 1000;

-- the role's name at the last grant or release: tells it in a copy of the ledger
ALTER TABLE dp_allocation
	ADD COLUMN role_name name,
	ADD COLUMN spent_rho_pico bigint NOT NULL DEFAULT 0 CHECK (spent_rho_pico >= 0);
UPDATE dp_allocation a SET role_name = r.rolname, spent_rho_pico = a.spent_epsilon_nano * 1000
  FROM pg_catalog.pg_roles r WHERE r.oid = a.role::oid;

ALTER TABLE dp_ledger_entry
	ADD COLUMN rho_pico bigint NOT NULL DEFAULT 0,
	DROP CONSTRAINT dp_ledger_entry_kind_check,
	DROP CONSTRAINT dp_ledger_entry_check,
	ADD CONSTRAINT dp_ledger_entry_kind_check
		CHECK (kind IN ('debit', 'released', 'failed', 'refund', 'reconcile', 'policy', 'refresh')),
	ADD CONSTRAINT dp_ledger_entry_check
		CHECK ((kind IN ('released', 'failed', 'refund')) = (debit IS NOT NULL));

------------------------------------------------------------------------------
-- 2. The custodian
------------------------------------------------------------------------------

-- two functions get other arguments, and keep the rights that were granted on them
SELECT pg_catalog.set_config('dpsyn_update.' || p.proname, coalesce(p.proacl::text, ''), true)
  FROM pg_catalog.pg_proc p
 WHERE p.oid IN ('dp_protect(regclass, numeric, numeric, text)'::regprocedure,
				 'dp_explain(regclass, text, numeric, numeric, jsonb)'::regprocedure);

DROP FUNCTION dp_protect(regclass, numeric, numeric, text);
CREATE FUNCTION dp_protect(relation regclass, epsilon numeric DEFAULT NULL, delta numeric DEFAULT 0,
						   neighbours text DEFAULT 'add_remove', unit_column name DEFAULT NULL,
						   max_rows_per_unit integer DEFAULT 1, budget_of regclass DEFAULT NULL,
						   accountant text DEFAULT NULL, max_epsilon_per_release numeric DEFAULT NULL)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_protect(regclass, numeric, numeric, text, name, integer, regclass, text, numeric) IS
	'puts a relation under a total budget, its own or that of another relation with the same people (budget_of); neighbours: add_remove (one unit more or less) or replace_one (the number of units is public); a unit is a row, or all rows with the same value of unit_column, of which a release uses max_rows_per_unit at most; accountant: basic (sums of epsilon and delta) or zcdp (sums of rho, reported as epsilon). What was spent before stays spent';

CREATE FUNCTION dp_set_limit(relation regclass, max_epsilon_per_release numeric)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_set_limit(regclass, numeric) IS
	'the largest epsilon that one release of the relation may ask for; NULL: no limit but the budget';

CREATE FUNCTION dp_refresh(relation regclass, every interval)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_refresh(regclass, interval) IS
	'a policy, written into the ledger: at the first release after each such interval what was spent counts as 0 again, so that the promise holds for each interval and not for ever; NULL ends it';

-- What DROP EXTENSION would delete is said before it does.
CREATE FUNCTION dp_warn_of_drop() RETURNS event_trigger
	AS 'MODULE_PATHNAME' LANGUAGE C;
REVOKE ALL ON FUNCTION dp_warn_of_drop() FROM public;
COMMENT ON FUNCTION dp_warn_of_drop() IS 'internal: says what DROP EXTENSION dpsyn deletes';
CREATE EVENT TRIGGER dp_warn_of_drop ON ddl_command_start WHEN TAG IN ('DROP EXTENSION')
	EXECUTE FUNCTION dp_warn_of_drop();

------------------------------------------------------------------------------
-- 3. The analyst
------------------------------------------------------------------------------

DROP FUNCTION dp_explain(regclass, text, numeric, numeric, jsonb);
CREATE FUNCTION dp_explain(relation regclass, method text, epsilon numeric, delta numeric DEFAULT 0,
						   options jsonb DEFAULT '{}', sets integer DEFAULT 1,
						   OUT step integer, OUT stage text, OUT mechanism text, OUT tables bigint,
						   OUT epsilon_each numeric, OUT delta_each numeric,
						   OUT epsilon_total numeric, OUT delta_total numeric,
						   OUT noise_stddev double precision, OUT threshold bigint,
						   OUT cells bigint, OUT scans integer, OUT memory_bytes bigint,
						   OUT rho_total numeric, OUT random_cells double precision)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 5;
COMMENT ON FUNCTION dp_explain(regclass, text, numeric, numeric, jsonb, integer) IS
	'what a release would do and cost: a line a stage (cost of one table and of all, standard deviation of the noise and threshold in rows, expected number of empty cells that are kept), then the total; rho_total is what a relation under accountant zcdp is charged in place of epsilon; reads no data, spends nothing';

DO $$
DECLARE
	fn regprocedure;
	acl text;
	item record;
BEGIN
	FOREACH fn IN ARRAY ARRAY[
		'@extschema@.dp_protect(regclass, numeric, numeric, text, name, integer, regclass, text, numeric)'::regprocedure,
		'@extschema@.dp_explain(regclass, text, numeric, numeric, jsonb, integer)'::regprocedure]
	LOOP
		acl := pg_catalog.current_setting('dpsyn_update.' || (SELECT proname FROM pg_catalog.pg_proc WHERE oid = fn));
		CONTINUE WHEN acl = '';
		EXECUTE pg_catalog.format('REVOKE ALL ON FUNCTION %s FROM public', fn);
		FOR item IN SELECT * FROM pg_catalog.aclexplode(acl::aclitem[])
		LOOP
			EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO %s%s', fn,
				CASE WHEN item.grantee = 0 THEN 'public' ELSE item.grantee::regrole::text END,
				CASE WHEN item.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
		END LOOP;
	END LOOP;
END
$$;

------------------------------------------------------------------------------
-- 4. Contribution bounding
------------------------------------------------------------------------------

CREATE FUNCTION dp_row_order(key bytea, row_value record)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION dp_row_order(bytea, record) IS
	'internal: a keyed hash (SipHash-2-4, key of 16 bytes) of the values of a row, by which a release chooses the rows of a unit';

------------------------------------------------------------------------------
-- 5. Views, with the same rules as in 1.0: exact types, qualified names
------------------------------------------------------------------------------

CREATE FUNCTION dp_rho(pico bigint)
	RETURNS numeric AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_rho(bigint) IS 'internal: an amount of rho, from units of 1e-12';

CREATE FUNCTION dp_zcdp_total(epsilon_nano bigint, delta_atto bigint)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dp_zcdp_total(bigint, bigint) IS
	'internal: the rho, in 1e-12, that a relation with this delta may spend for this epsilon under accountant zcdp';

CREATE FUNCTION dp_zcdp_spent(rho_pico bigint, delta_atto bigint)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dp_zcdp_spent(bigint, bigint) IS
	'internal: the epsilon, in 1e-9, that a relation with this delta reports for spent rho under accountant zcdp';

-- what a dataset has spent of which budget, as views and refreshes see it now
CREATE VIEW dp_dataset_state WITH (security_barrier) AS
	SELECT d.id,
		   d.relation,
		   d.active,
		   d.neighbours,
		   d.unit_column,
		   d.max_rows_per_unit,
		   d.max_epsilon_nano,
		   d.protected_at,
		   b.id AS budget,
		   b.relation AS budget_relation,
		   b.accountant,
		   b.epsilon_nano,
		   b.delta_atto,
		   s.due,
		   CASE WHEN s.due THEN 0::bigint ELSE b.spent_epsilon_nano END AS spent_epsilon_nano,
		   CASE WHEN s.due THEN 0::bigint ELSE b.spent_delta_atto END AS spent_delta_atto,
		   CASE WHEN s.due THEN 0::bigint ELSE b.spent_rho_pico END AS spent_rho_pico,
		   b.refresh_every,
		   b.refreshed_at,
		   b.system_identifier,
		   b.timeline,
		   b.database
	  FROM dp_dataset d
	  JOIN dp_dataset b ON b.id = coalesce(d.budget_of, d.id)
	 CROSS JOIN LATERAL (SELECT coalesce(pg_catalog.clock_timestamp() >= b.refreshed_at + b.refresh_every, false)
						 AS due) s;
REVOKE ALL ON dp_dataset_state FROM public;
COMMENT ON VIEW dp_dataset_state IS 'internal: each dataset with the budget that pays for it';

CREATE OR REPLACE VIEW dp_datasets WITH (security_barrier) AS
	SELECT d.relation,
		   c.relowner::regrole AS custodian,
		   d.neighbours,
		   dp_epsilon(d.epsilon_nano) AS epsilon,
		   dp_delta(d.delta_atto) AS delta,
		   dp_epsilon(s.epsilon_nano) AS epsilon_spent,
		   dp_delta(d.spent_delta_atto) AS delta_spent,
		   dp_epsilon(greatest(d.epsilon_nano - s.epsilon_nano, 0::bigint)) AS epsilon_left,
		   dp_delta(greatest(d.delta_atto - s.reserved_atto - d.spent_delta_atto, 0::bigint)) AS delta_left,
		   d.active,
		   d.protected_at,
		   d.unit_column,
		   d.max_rows_per_unit,
		   CASE WHEN d.budget <> d.id THEN d.budget_relation END AS budget_of,
		   d.accountant,
		   s.rho,
		   s.rho_spent,
		   dp_epsilon(d.max_epsilon_nano) AS max_epsilon_per_release,
		   d.refresh_every,
		   d.refreshed_at + d.refresh_every AS refresh_due
	  FROM dp_dataset_state d
	 CROSS JOIN LATERAL (
			SELECT d.spent_epsilon_nano AS epsilon_nano, 0::bigint AS reserved_atto,
				   NULL::numeric AS rho, NULL::numeric AS rho_spent
			 WHERE d.accountant = 'basic'
			UNION ALL
			SELECT dp_zcdp_spent(d.spent_rho_pico, d.delta_atto), d.delta_atto / 2::bigint,
				   dp_rho(dp_zcdp_total(d.epsilon_nano, d.delta_atto)), dp_rho(d.spent_rho_pico)
			 WHERE d.accountant = 'zcdp') s
	  LEFT JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid
	 WHERE pg_catalog.pg_has_role(coalesce(c.relowner, 10), 'USAGE')
		OR EXISTS (SELECT FROM dp_allocation a
					WHERE a.dataset = d.id AND a.active AND pg_catalog.pg_has_role(a.role::oid, 'USAGE'));
COMMENT ON VIEW dp_datasets IS 'protected relations and their total budget (of the relation in budget_of, where there is one); under accountant zcdp epsilon_spent is what rho_spent comes to at half of delta; for custodians and for roles that hold a grant';

CREATE OR REPLACE VIEW dp_budgets WITH (security_barrier) AS
	SELECT d.relation,
		   a.role,
		   dp_epsilon(a.epsilon_nano) AS epsilon,
		   dp_delta(a.delta_atto) AS delta,
		   dp_epsilon(s.role_nano) AS epsilon_spent,
		   dp_delta(s.role_atto) AS delta_spent,
		   dp_epsilon(CASE WHEN a.active AND d.active THEN greatest(least(a.epsilon_nano - s.role_nano,
																		  d.epsilon_nano - s.total_nano), 0::bigint)
						   ELSE 0::bigint END) AS epsilon_left,
		   dp_delta(CASE WHEN a.active AND d.active THEN greatest(least(a.delta_atto - s.role_atto,
																		d.delta_atto - s.reserved_atto - d.spent_delta_atto), 0::bigint)
						 ELSE 0::bigint END) AS delta_left,
		   a.active,
		   a.granted_by,
		   a.granted_at,
		   d.accountant,
		   s.rho,
		   s.rho_spent
	  FROM dp_allocation a
	  JOIN dp_dataset_state d ON d.id = a.dataset
	 CROSS JOIN LATERAL (
			SELECT CASE WHEN d.due THEN 0::bigint ELSE a.spent_epsilon_nano END AS role_nano,
				   CASE WHEN d.due THEN 0::bigint ELSE a.spent_delta_atto END AS role_atto,
				   d.spent_epsilon_nano AS total_nano, 0::bigint AS reserved_atto,
				   NULL::numeric AS rho, NULL::numeric AS rho_spent
			 WHERE d.accountant = 'basic'
			UNION ALL
			SELECT dp_zcdp_spent(CASE WHEN d.due THEN 0::bigint ELSE a.spent_rho_pico END, d.delta_atto),
				   CASE WHEN d.due THEN 0::bigint ELSE a.spent_delta_atto END,
				   dp_zcdp_spent(d.spent_rho_pico, d.delta_atto), d.delta_atto / 2::bigint,
				   dp_rho(dp_zcdp_total(a.epsilon_nano, d.delta_atto)),
				   dp_rho(CASE WHEN d.due THEN 0::bigint ELSE a.spent_rho_pico END)
			 WHERE d.accountant = 'zcdp') s
	  LEFT JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid
	 WHERE pg_catalog.pg_has_role(coalesce(c.relowner, 10), 'USAGE') OR pg_catalog.pg_has_role(a.role::oid, 'USAGE');
COMMENT ON VIEW dp_budgets IS 'what each role was granted, has spent and can still spend (the smaller of its own rest and the relation''s); under accountant zcdp in terms of epsilon at half of the relation''s delta';

CREATE OR REPLACE VIEW dp_ledger WITH (security_barrier) AS
	SELECT e.id,
		   e.at,
		   e.relation_name AS relation,
		   e.role_name AS role,
		   e.payer,
		   e.method,
		   e.options,
		   e.row_type,
		   dp_epsilon(e.epsilon_nano) AS epsilon,
		   dp_delta(e.delta_atto) AS delta,
		   CASE e.kind WHEN 'debit' THEN coalesce(o.kind, 'debited')
					   WHEN 'refund' THEN 'refunded'
					   WHEN 'reconcile' THEN 'reconciled'
					   WHEN 'refresh' THEN 'refreshed'
					   ELSE e.kind END AS status,
		   o.duration,
		   e.debit AS refunds,
		   e.reason,
		   dp_rho(e.rho_pico) AS rho
	  FROM dp_ledger_entry e
	  LEFT JOIN dp_ledger_entry o ON o.debit = e.id AND o.kind IN ('released', 'failed')
	  LEFT JOIN dp_dataset d ON d.id = e.dataset
	  LEFT JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid
	 WHERE (e.debit IS NULL OR e.kind = 'refund')
	   AND (pg_catalog.pg_has_role(coalesce(c.relowner, 10), 'USAGE') OR pg_catalog.pg_has_role(e.role::oid, 'USAGE')
			OR pg_catalog.pg_has_role(e.payer::oid, 'USAGE'))
	 ORDER BY e.id;
COMMENT ON VIEW dp_ledger IS 'every debit with who, when, what, cost and what became of it, refunds, refreshes and policies; rho is the cost under accountant zcdp; a role sees its own lines, the custodian all';

-- ---- exact counts -------------------------------------------------------------

-- Of rows that the caller may read anyway; noise is drawn nowhere here. The
-- aggregates' state is the type itself, so that it can move between workers and
-- servers; a spec is bytea, since a collatable argument would stop postgres_fdw.

CREATE TYPE dp_counts;

CREATE FUNCTION dp_counts_in(cstring)
	RETURNS dp_counts AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_counts_in(cstring) IS 'I/O';

CREATE FUNCTION dp_counts_out(dp_counts)
	RETURNS cstring AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_counts_out(dp_counts) IS 'I/O';

CREATE FUNCTION dp_counts_recv(internal)
	RETURNS dp_counts AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_counts_recv(internal) IS 'I/O';

CREATE FUNCTION dp_counts_send(dp_counts)
	RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_counts_send(dp_counts) IS 'I/O';

CREATE TYPE dp_counts (
	INPUT = dp_counts_in,
	OUTPUT = dp_counts_out,
	RECEIVE = dp_counts_recv,
	SEND = dp_counts_send,
	INTERNALLENGTH = VARIABLE,
	STORAGE = extended
);
COMMENT ON TYPE dp_counts IS 'exact contingency tables over sets of columns; as secret as the rows that they count';

CREATE FUNCTION dp_marginal_spec(relation regclass, sets jsonb DEFAULT NULL, ways integer DEFAULT 2,
								 columns name[] DEFAULT NULL, dense_cells bigint DEFAULT 1000000)
	RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C STABLE CALLED ON NULL INPUT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_marginal_spec(regclass, jsonb, integer, name[], bigint) IS
	'what to count of a relation: the public domains of its columns, and sets of them: those listed, or all of that many ways';

CREATE FUNCTION dp_marginal_spec_from(columns jsonb, sets jsonb DEFAULT NULL, ways integer DEFAULT 2,
									  dense_cells bigint DEFAULT 1000000)
	RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_marginal_spec_from(jsonb, jsonb, integer, bigint) IS
	'what to count, with columns and their domains written by hand';

CREATE FUNCTION dp_marginal_columns(spec bytea)
	RETURNS text[] AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_marginal_columns(bytea) IS 'the columns that a spec wants, in order';

CREATE FUNCTION dp_counts_combine(dp_counts, dp_counts)
	RETURNS dp_counts AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_counts_combine(dp_counts, dp_counts) IS 'the sum of two counts of the same spec';

CREATE FUNCTION dp_marginals_transition(dp_counts, spec bytea, VARIADIC columns "any")
	RETURNS dp_counts AS 'MODULE_PATHNAME', 'dp_marginals_any'
	LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_marginals_transition(dp_counts, bytea, "any") IS 'internal: adds a row';

CREATE FUNCTION dp_marginals_transition(dp_counts, spec bytea, columns text[])
	RETURNS dp_counts AS 'MODULE_PATHNAME', 'dp_marginals_text'
	LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_marginals_transition(dp_counts, bytea, text[]) IS 'internal: adds a row';

CREATE FUNCTION dp_marginals_transition(dp_counts, spec bytea, columns integer[])
	RETURNS dp_counts AS 'MODULE_PATHNAME', 'dp_marginals_int'
	LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_marginals_transition(dp_counts, bytea, integer[]) IS 'internal: adds a row';

CREATE FUNCTION dp_marginals_row_transition(dp_counts, spec bytea, columns record)
	RETURNS dp_counts AS 'MODULE_PATHNAME', 'dp_marginals_record'
	LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_marginals_row_transition(dp_counts, bytea, record) IS 'internal: adds a row';

CREATE FUNCTION dp_conditional_transition(dp_counts, spec bytea, VARIADIC columns "any")
	RETURNS dp_counts AS 'MODULE_PATHNAME', 'dp_conditional_any'
	LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_conditional_transition(dp_counts, bytea, "any") IS 'internal: adds a row';

CREATE FUNCTION dp_conditional_transition(dp_counts, spec bytea, columns text[])
	RETURNS dp_counts AS 'MODULE_PATHNAME', 'dp_conditional_text'
	LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_conditional_transition(dp_counts, bytea, text[]) IS 'internal: adds a row';

CREATE FUNCTION dp_conditional_transition(dp_counts, spec bytea, columns integer[])
	RETURNS dp_counts AS 'MODULE_PATHNAME', 'dp_conditional_int'
	LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE;
COMMENT ON FUNCTION dp_conditional_transition(dp_counts, bytea, integer[]) IS 'internal: adds a row';

-- SSPACE: what 66 pairs of 12 columns take
CREATE AGGREGATE dp_marginals(spec bytea, VARIADIC columns "any") (
	SFUNC = dp_marginals_transition, STYPE = dp_counts, SSPACE = 400000,
	COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_marginals(bytea, "any") IS
	'exact counts of all sets of a spec, of rows whose columns come in the order of the spec';

CREATE AGGREGATE dp_marginals(spec bytea, columns text[]) (
	SFUNC = dp_marginals_transition, STYPE = dp_counts, SSPACE = 400000,
	COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_marginals(bytea, text[]) IS 'the same, the columns as an array of their text forms';

CREATE AGGREGATE dp_marginals(spec bytea, columns integer[]) (
	SFUNC = dp_marginals_transition, STYPE = dp_counts, SSPACE = 400000,
	COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_marginals(bytea, integer[]) IS 'the same, the columns as an array of integers';

CREATE AGGREGATE dp_row_marginals(spec bytea, columns record) (
	SFUNC = dp_marginals_row_transition, STYPE = dp_counts, SSPACE = 400000,
	COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_row_marginals(bytea, record) IS 'the same, the columns as one row: for more than 98 of them';

CREATE AGGREGATE dp_conditional_histogram(spec bytea, VARIADIC columns "any") (
	SFUNC = dp_conditional_transition, STYPE = dp_counts, SSPACE = 400000,
	COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_conditional_histogram(bytea, "any") IS
	'as dp_marginals, with every set hashed: the last column of each set given the others';

CREATE AGGREGATE dp_conditional_histogram(spec bytea, columns text[]) (
	SFUNC = dp_conditional_transition, STYPE = dp_counts, SSPACE = 400000,
	COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_conditional_histogram(bytea, text[]) IS 'the same, the columns as an array of their text forms';

CREATE AGGREGATE dp_conditional_histogram(spec bytea, columns integer[]) (
	SFUNC = dp_conditional_transition, STYPE = dp_counts, SSPACE = 400000,
	COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_conditional_histogram(bytea, integer[]) IS 'the same, the columns as an array of integers';

CREATE AGGREGATE dp_merge(dp_counts) (
	SFUNC = dp_counts_combine, STYPE = dp_counts, SSPACE = 400000,
	COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_merge(dp_counts) IS 'the sum of counts of the same spec: of shards, partitions or days';

CREATE FUNCTION dp_cells(counts dp_counts, set integer DEFAULT NULL, OUT set_number integer,
						 OUT columns text[], OUT cell text[], OUT count bigint)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE ROWS 1000;
COMMENT ON FUNCTION dp_cells(dp_counts, integer) IS
	'the non-empty cells of all sets, or of one, in order; a level for the rest is NULL unless it has a name';

CREATE FUNCTION dp_sets(counts dp_counts, OUT set_number integer, OUT columns text[], OUT hashed boolean,
						OUT cells bigint, OUT rows bigint)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION dp_sets(dp_counts) IS 'the sets that were counted, the cells that each can have, and of how many rows';

------------------------------------------------------------------------------
-- Trees and networks
------------------------------------------------------------------------------

CREATE FUNCTION dp_synthesize_steps(target anyelement, epsilon numeric,
									rows bigint DEFAULT NULL, layers integer DEFAULT NULL,
									attribute_order name[] DEFAULT NULL,
									groups jsonb DEFAULT NULL, layer_width integer DEFAULT NULL,
									branches text DEFAULT NULL, score text DEFAULT NULL,
									selection_share numeric DEFAULT NULL,
									attributes name[] DEFAULT NULL,
									count_share numeric DEFAULT NULL,
									dense_cells integer DEFAULT NULL,
									tolerance numeric DEFAULT NULL,
									delta numeric DEFAULT 0, open_share numeric DEFAULT NULL,
									sets integer DEFAULT 1,
									independent_sets boolean DEFAULT NULL,
									seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'steps', $2, $15,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'layers', $4, 'attribute_order', $5, 'groups', $6, 'layer_width', $7, 'branches', $8,
		'score', $9, 'selection_share', $10, 'attributes', $11, 'count_share', $12,
		'dense_cells', $13, 'tolerance', $14, 'open_share', $16, 'independent_sets', $18)),
	$3, $17, $19)
$$;
COMMENT ON FUNCTION dp_synthesize_steps(anyelement, numeric, bigint, integer, name[], jsonb, integer, text, text, numeric, name[], numeric, integer, numeric, numeric, numeric, integer, boolean, bigint) IS
	'synthetic rows from a tree of cross tables, the most important columns first (STEPS); epsilon-DP; spends epsilon at each call, and delta only for open columns; NULL options take the defaults that dp_methods shows';

CREATE FUNCTION dp_synthesize_uh(target anyelement, epsilon numeric,
								 rows bigint DEFAULT NULL, layers integer DEFAULT NULL,
								 layer_width integer DEFAULT NULL, order_seed bigint DEFAULT NULL,
								 attributes name[] DEFAULT NULL,
								 count_share numeric DEFAULT NULL,
								 dense_cells integer DEFAULT NULL,
								 tolerance numeric DEFAULT NULL,
								 delta numeric DEFAULT 0, open_share numeric DEFAULT NULL,
								 sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL,
								 seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'uh', $2, $11,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'layers', $4, 'layer_width', $5, 'order_seed', $6, 'attributes', $7, 'count_share', $8,
		'dense_cells', $9, 'tolerance', $10, 'open_share', $12, 'independent_sets', $14)),
	$3, $13, $15)
$$;
COMMENT ON FUNCTION dp_synthesize_uh(anyelement, numeric, bigint, integer, integer, bigint, name[], numeric, integer, numeric, numeric, numeric, integer, boolean, bigint) IS
	'synthetic rows from a tree of cross tables in a public random order of columns (universal histogram); epsilon-DP; spends epsilon at each call, and delta only for open columns';

CREATE FUNCTION dp_synthesize_flat(target anyelement, epsilon numeric,
								   rows bigint DEFAULT NULL, attributes name[] DEFAULT NULL,
								   count_share numeric DEFAULT NULL,
								   dense_cells integer DEFAULT NULL,
								   tolerance numeric DEFAULT NULL,
								   delta numeric DEFAULT 0, open_share numeric DEFAULT NULL,
								   sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL,
								   seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'flat', $2, $8,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'attributes', $4, 'count_share', $5, 'dense_cells', $6, 'tolerance', $7,
		'open_share', $9, 'independent_sets', $11)),
	$3, $10, $12)
$$;
COMMENT ON FUNCTION dp_synthesize_flat(anyelement, numeric, bigint, name[], numeric, integer, numeric, numeric, numeric, integer, boolean, bigint) IS
	'synthetic rows from one cross table of all columns, however large (flat Laplace); epsilon-DP; spends epsilon at each call, and delta only for open columns';

CREATE FUNCTION dp_synthesize_privbayes(target anyelement, epsilon numeric,
										rows bigint DEFAULT NULL, degree integer DEFAULT NULL,
										share numeric DEFAULT NULL, theta numeric DEFAULT NULL,
										network jsonb DEFAULT NULL,
										table_cells integer DEFAULT NULL,
										attributes name[] DEFAULT NULL,
										count_share numeric DEFAULT NULL,
										delta numeric DEFAULT 0, open_share numeric DEFAULT NULL,
										sets integer DEFAULT 1,
										independent_sets boolean DEFAULT NULL,
										seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'privbayes', $2, $11,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'degree', $4, 'share', $5, 'theta', $6, 'network', $7, 'table_cells', $8,
		'attributes', $9, 'count_share', $10, 'open_share', $12, 'independent_sets', $14)),
	$3, $13, $15)
$$;
COMMENT ON FUNCTION dp_synthesize_privbayes(anyelement, numeric, bigint, integer, numeric, numeric, jsonb, integer, name[], numeric, numeric, numeric, integer, boolean, bigint) IS
	'synthetic rows from a Bayesian network that is chosen privately (PrivBayes); degree NULL: the largest whose tables are useful; epsilon-DP; spends epsilon at each call, and delta only for open columns';

------------------------------------------------------------------------------
-- Inference from several synthetic sets
------------------------------------------------------------------------------

CREATE FUNCTION dp_combine_estimates(estimates double precision[],
									 standard_errors double precision[],
									 confidence double precision DEFAULT 0.95,
									 rule text DEFAULT 'private',
									 OUT estimate double precision,
									 OUT standard_error double precision,
									 OUT df double precision,
									 OUT low double precision, OUT high double precision)
	RETURNS record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_combine_estimates(double precision[], double precision[], double precision, text) IS
	'one estimate with its standard error, degrees of freedom and interval from those of m synthetic sets; rule private: T = B/m + W (Liu 2016), fully_synthetic: T = (1 + 1/m) B - W (Raghunathan, Reiter, Rubin 2003)';

CREATE FUNCTION dp_combine_chi_square(statistics double precision[], df double precision,
									  OUT statistic double precision, OUT df1 double precision,
									  OUT df2 double precision, OUT p double precision)
	RETURNS record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_combine_chi_square(double precision[], double precision) IS
	'one test from the chi-square statistics of m synthetic sets, each with df degrees of freedom (Li, Meng, Raghunathan, Rubin 1991): an F statistic and its p-value';

------------------------------------------------------------------------------
-- Joint distributions from low-order marginals
------------------------------------------------------------------------------

-- The option "marginals" or "workload" as a user may write an argument of any type: an integer, an
-- array, jsonb, or a literal without a type, which is read as one of them, or else as one set.
CREATE FUNCTION dp_attribute_sets(sets anycompatible) RETURNS jsonb
	LANGUAGE sql STABLE PARALLEL SAFE
	AS $$
SELECT CASE
	WHEN pg_catalog.jsonb_typeof(j) IS DISTINCT FROM 'string' THEN j
	WHEN t OPERATOR(pg_catalog.~) '^\s*(\d+\s*$|\[|\{\s*"([^"\\]|\\.)*"\s*:)' THEN t::pg_catalog.jsonb
	WHEN t OPERATOR(pg_catalog.~) '^\s*\{' THEN pg_catalog.to_jsonb(t::pg_catalog.text[])
	ELSE pg_catalog.jsonb_build_array(t) END
FROM pg_catalog.to_jsonb($1) j, LATERAL (SELECT j OPERATOR(pg_catalog.#>>) '{}') x (t)
$$;
COMMENT ON FUNCTION dp_attribute_sets(anycompatible) IS
	'sets of columns as options "marginals" and "workload" take them, from an integer (all sets of so many columns), an array such as {"age,income","sex,race,income"}, jsonb, or a text of one of these forms';

------------------------------------------------------------------------------
-- Graphical models
------------------------------------------------------------------------------

CREATE FUNCTION dp_synthesize_mst(target anyelement, epsilon numeric, delta numeric DEFAULT 0,
								  attributes name[] DEFAULT NULL, rows bigint DEFAULT NULL,
								  share_one numeric DEFAULT NULL,
								  share_select numeric DEFAULT NULL,
								  group_rare boolean DEFAULT NULL,
								  generation text DEFAULT NULL,
								  max_model_memory integer DEFAULT NULL,
								  open_share numeric DEFAULT NULL, sets integer DEFAULT 1,
								  independent_sets boolean DEFAULT NULL,
								  seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'mst', $2, $3,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'attributes', $4, 'share_one', $6, 'share_select', $7, 'group_rare', $8, 'generation', $9,
		'max_model_memory', $10, 'open_share', $11, 'independent_sets', $13)),
	$5, $12, $14)
$$;
COMMENT ON FUNCTION dp_synthesize_mst(anyelement, numeric, numeric, name[], bigint, numeric, numeric, boolean, text, integer, numeric, integer, boolean, bigint) IS
	'synthetic rows from a tree of pairs of columns that is chosen privately (MST); max_model_memory in MB, NULL: dpsyn.model_memory; (epsilon, delta)-DP, epsilon-DP with delta 0; spends at each call';

CREATE FUNCTION dp_synthesize_aim(target anyelement, epsilon numeric, delta numeric DEFAULT 0,
								  workload anycompatible DEFAULT NULL::text,
								  max_model_memory integer DEFAULT NULL,
								  rounds integer DEFAULT NULL, attributes name[] DEFAULT NULL,
								  rows bigint DEFAULT NULL, share_select numeric DEFAULT NULL,
								  group_rare boolean DEFAULT NULL,
								  generation text DEFAULT NULL,
								  open_share numeric DEFAULT NULL, sets integer DEFAULT 1,
								  independent_sets boolean DEFAULT NULL,
								  seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'aim', $2, $3,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'workload', @extschema@.dp_attribute_sets($4), 'max_model_memory', $5, 'rounds', $6, 'attributes', $7, 'share_select', $9,
		'group_rare', $10, 'generation', $11, 'open_share', $12, 'independent_sets', $14)),
	$8, $13, $15)
$$;
COMMENT ON FUNCTION dp_synthesize_aim(anyelement, numeric, numeric, anycompatible, integer, integer, name[], bigint, numeric, boolean, text, numeric, integer, boolean, bigint) IS
	'synthetic rows from tables of a workload that are chosen one after the other (AIM); workload: sets of columns with weights or an integer, by default 3; max_model_memory in MB, NULL: dpsyn.model_memory; (epsilon, delta)-DP, epsilon-DP with delta 0; spends at each call';
