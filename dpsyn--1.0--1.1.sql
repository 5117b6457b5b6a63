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
	-- a release without any guarantee, which nobody paid for: the custodian's alone
	ADD COLUMN unprotected boolean NOT NULL DEFAULT false,
	DROP CONSTRAINT dp_ledger_entry_kind_check,
	DROP CONSTRAINT dp_ledger_entry_check,
	ADD CONSTRAINT dp_ledger_entry_kind_check
		CHECK (kind IN ('debit', 'released', 'failed', 'refund', 'reconcile', 'policy', 'refresh')),
	ADD CONSTRAINT dp_ledger_entry_check
		CHECK ((kind IN ('released', 'failed', 'refund')) = (debit IS NOT NULL)),
	ADD CHECK (NOT unprotected OR (epsilon_nano = 0 AND delta_atto = 0 AND payer IS NULL));

ALTER TABLE dp_release_store
	ADD COLUMN unprotected boolean NOT NULL DEFAULT false,
	ADD CHECK (NOT unprotected OR NOT public AND readers = '{}');

------------------------------------------------------------------------------
-- 2. The custodian
------------------------------------------------------------------------------

-- three functions get other arguments, and keep the rights that were granted on them
SELECT pg_catalog.set_config('dpsyn_update.' || p.proname, coalesce(p.proacl::text, ''), true)
  FROM pg_catalog.pg_proc p
 WHERE p.oid IN ('dp_protect(regclass, numeric, numeric, text)'::regprocedure,
				 'dp_explain(regclass, text, numeric, numeric, jsonb)'::regprocedure,
				 'dp_define_column(regclass, name, text[], text[], boolean, text, boolean)'::regprocedure);

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

-- beside the one of 1.0, without a default: so each call means one of them
CREATE FUNCTION dp_reconcile(relation regclass, spent_epsilon numeric, spent_delta numeric, spent_rho numeric)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_reconcile(regclass, numeric, numeric, numeric) IS
	'the same under accountant zcdp, with the rho that was spent, as dp_datasets reports it; the larger of it and that of spent_epsilon counts';

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
		   dp_rho(e.rho_pico) AS rho,
		   CASE WHEN e.kind <> 'debit' THEN NULL WHEN e.unprotected THEN 'none' ELSE 'differential privacy' END AS guarantee
	  FROM dp_ledger_entry e
	  LEFT JOIN dp_ledger_entry o ON o.debit = e.id AND o.kind IN ('released', 'failed')
	  LEFT JOIN dp_dataset d ON d.id = e.dataset
	  LEFT JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid
	 WHERE (e.debit IS NULL OR e.kind = 'refund')
	   AND (pg_catalog.pg_has_role(coalesce(c.relowner, 10), 'USAGE') OR pg_catalog.pg_has_role(e.role::oid, 'USAGE')
			OR pg_catalog.pg_has_role(e.payer::oid, 'USAGE'))
	 ORDER BY e.id;
COMMENT ON VIEW dp_ledger IS 'every debit with who, when, what, cost and what became of it, refunds, refreshes and policies; rho is the cost under accountant zcdp; guarantee none: a release that is not differentially private, for the custodian alone; a role sees its own lines, the custodian all';

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

-- unsafe: whether a column takes a CHECK's constant is tried in a subtransaction, which a parallel query cannot begin
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

-- hands the state on as it is, without making a copy of its bytes
CREATE FUNCTION dp_counts_final(dp_counts)
	RETURNS dp_counts AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_counts_final(dp_counts) IS 'internal: the result of an aggregate';

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
	FINALFUNC = dp_counts_final, COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_marginals(bytea, "any") IS
	'exact counts of all sets of a spec, of rows whose columns come in the order of the spec';

CREATE AGGREGATE dp_marginals(spec bytea, columns text[]) (
	SFUNC = dp_marginals_transition, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_counts_final, COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_marginals(bytea, text[]) IS 'the same, the columns as an array of their text forms';

CREATE AGGREGATE dp_marginals(spec bytea, columns integer[]) (
	SFUNC = dp_marginals_transition, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_counts_final, COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_marginals(bytea, integer[]) IS 'the same, the columns as an array of integers';

CREATE AGGREGATE dp_row_marginals(spec bytea, columns record) (
	SFUNC = dp_marginals_row_transition, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_counts_final, COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_row_marginals(bytea, record) IS 'the same, the columns as one row: for more than 98 of them';

CREATE AGGREGATE dp_conditional_histogram(spec bytea, VARIADIC columns "any") (
	SFUNC = dp_conditional_transition, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_counts_final, COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_conditional_histogram(bytea, "any") IS
	'as dp_marginals, with every set hashed: the last column of each set given the others';

CREATE AGGREGATE dp_conditional_histogram(spec bytea, columns text[]) (
	SFUNC = dp_conditional_transition, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_counts_final, COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_conditional_histogram(bytea, text[]) IS 'the same, the columns as an array of their text forms';

CREATE AGGREGATE dp_conditional_histogram(spec bytea, columns integer[]) (
	SFUNC = dp_conditional_transition, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_counts_final, COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_conditional_histogram(bytea, integer[]) IS 'the same, the columns as an array of integers';

CREATE AGGREGATE dp_merge(dp_counts) (
	SFUNC = dp_counts_combine, STYPE = dp_counts, SSPACE = 400000,
	FINALFUNC = dp_counts_final, COMBINEFUNC = dp_counts_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_merge(dp_counts) IS 'the sum of counts of the same spec: of shards, partitions or days';

-- What a release asks of each foreign server before it spends anything.
CREATE FUNCTION dp_counting_room_final(bigint)
	RETURNS bigint[] AS 'MODULE_PATHNAME' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_counting_room_final(bigint) IS 'internal: the result of dp_counting_room';

CREATE AGGREGATE dp_counting_room(*) (
	SFUNC = pg_catalog.int8inc, STYPE = bigint, INITCOND = '0', FINALFUNC = dp_counting_room_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_counting_room(*) IS
	'how this server counts, whatever the rows: the format of its counts, and the bytes of memory that an aggregate may take';

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
-- Structural zeros: combinations of levels that cannot occur
------------------------------------------------------------------------------

CREATE TABLE dp_dataset_zero
(
	dataset integer NOT NULL,
	columns name[] NOT NULL, -- in byte order
	number integer NOT NULL CHECK (number >= 1),
	combination text[] NOT NULL, -- a level of each column; NULL: the level for the rest
	PRIMARY KEY (dataset, columns, number)
);
COMMENT ON TABLE dp_dataset_zero IS 'declared structural zeros; read the view dp_zeros';
CREATE TRIGGER dp_guard_rows BEFORE INSERT OR UPDATE OR DELETE ON dp_dataset_zero
	FOR EACH ROW EXECUTE FUNCTION dp_catalog_guard();
CREATE TRIGGER dp_guard_truncate BEFORE TRUNCATE ON dp_dataset_zero
	FOR EACH STATEMENT EXECUTE FUNCTION dp_catalog_guard();
ALTER TABLE dp_dataset_zero ENABLE ALWAYS TRIGGER dp_guard_rows;
ALTER TABLE dp_dataset_zero ENABLE ALWAYS TRIGGER dp_guard_truncate;
REVOKE ALL ON dp_dataset_zero FROM public;
SELECT pg_catalog.pg_extension_config_dump('dp_dataset_zero', '');

CREATE FUNCTION dp_define_zeros(relation regclass, columns name[], combinations text[])
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_define_zeros(regclass, name[], text[]) IS
	'declares combinations of levels that cannot occur, as public knowledge that must not be read off the data; replaces those declared over the same columns; an array of arrays with a level for each column: a category, a bin as [lower,upper) or any value in it, NULL for the level that stands for the rest; an empty array or NULL: none any more';

CREATE FUNCTION dp_undefine_zeros(relation regclass, columns name[] DEFAULT NULL)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_undefine_zeros(regclass, name[]) IS
	'drops the zeros declared over these columns; NULL: all of the relation';

CREATE VIEW dp_zeros WITH (security_barrier) AS
	SELECT d.relation, z.columns, z.combination
	  FROM dp_datasets d
	  JOIN dp_dataset s ON s.relation::oid = d.relation::oid
	  JOIN dp_dataset_zero z ON z.dataset = s.id
	 WHERE d.active AND d.custodian IS NOT NULL
	 ORDER BY d.relation, z.columns, z.number;
COMMENT ON VIEW dp_zeros IS 'combinations of levels that custodians declared impossible: they get probability 0; for custodians and for roles that hold a grant';
GRANT SELECT ON dp_zeros TO public;

------------------------------------------------------------------------------
-- Priors: public counts of some columns
------------------------------------------------------------------------------

CREATE TABLE dp_dataset_prior
(
	dataset integer NOT NULL,
	columns name[] NOT NULL, -- in byte order
	cells text[] NOT NULL, -- a level of each column, cell by cell; NULL: the level for the rest
	counts bigint[] NOT NULL,
	uncertainty_nano bigint NOT NULL CHECK (uncertainty_nano BETWEEN 1 AND 1000000000),
	PRIMARY KEY (dataset, columns)
);
COMMENT ON TABLE dp_dataset_prior IS 'declared public counts; read the view dp_priors';
CREATE TRIGGER dp_guard_rows BEFORE INSERT OR UPDATE OR DELETE ON dp_dataset_prior
	FOR EACH ROW EXECUTE FUNCTION dp_catalog_guard();
CREATE TRIGGER dp_guard_truncate BEFORE TRUNCATE ON dp_dataset_prior
	FOR EACH STATEMENT EXECUTE FUNCTION dp_catalog_guard();
ALTER TABLE dp_dataset_prior ENABLE ALWAYS TRIGGER dp_guard_rows;
ALTER TABLE dp_dataset_prior ENABLE ALWAYS TRIGGER dp_guard_truncate;
REVOKE ALL ON dp_dataset_prior FROM public;
SELECT pg_catalog.pg_extension_config_dump('dp_dataset_prior', '');

CREATE FUNCTION dp_define_priors(relation regclass, columns name[], cells text[], counts bigint[],
								 uncertainty numeric DEFAULT 0.01)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_define_priors(regclass, name[], text[], bigint[], numeric) IS
	'declares public counts of some columns (a census, published statistics), which must not be read off the data; they cost nothing, and releases start from them as far as their method can; cells: an array of arrays with a level for each column, written as in dp_define_zeros; counts: rows in each, in any scale; uncertainty: how far the share of a cell may be from the truth (standard deviation); replaces those over the same columns; no cells: none any more';

CREATE FUNCTION dp_undefine_priors(relation regclass, columns name[] DEFAULT NULL)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_undefine_priors(regclass, name[]) IS
	'drops the public counts declared over these columns; NULL: all of the relation';

CREATE VIEW dp_priors WITH (security_barrier) AS
	SELECT d.relation, p.columns, p.cells, p.counts, dp_epsilon(p.uncertainty_nano) AS uncertainty
	  FROM dp_datasets d
	  JOIN dp_dataset s ON s.relation::oid = d.relation::oid
	  JOIN dp_dataset_prior p ON p.dataset = s.id
	 WHERE d.active AND d.custodian IS NOT NULL
	 ORDER BY d.relation, p.columns;
COMMENT ON VIEW dp_priors IS 'public counts that custodians declared, cell by cell; for custodians and for roles that hold a grant';
GRANT SELECT ON dp_priors TO public;

------------------------------------------------------------------------------
-- The front door: the method is chosen
------------------------------------------------------------------------------

CREATE FUNCTION dp_synthesize(target anyelement, epsilon numeric, delta numeric DEFAULT 0,
							  rows bigint DEFAULT NULL, attributes name[] DEFAULT NULL,
							  table_rows bigint DEFAULT NULL, open_share numeric DEFAULT NULL,
							  sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL,
							  seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'auto', $2, $3,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'attributes', $5, 'table_rows', $6, 'open_share', $7, 'independent_sets', $9)),
	$4, $8, $10)
$$;
COMMENT ON FUNCTION dp_synthesize(anyelement, numeric, numeric, bigint, name[], bigint, numeric, integer, boolean, bigint) IS
	'synthetic rows by the method that suits columns, levels, rows and budget, by public facts alone; a NOTICE says which and why; table_rows: how many rows the relation has, to the order of magnitude, as publicly known (NULL: what an earlier release told); spends epsilon and delta at each call';

------------------------------------------------------------------------------
-- Rows as the release: perturbed Gibbs sampling and its family
------------------------------------------------------------------------------

CREATE OR REPLACE VIEW dp_releases WITH (security_barrier) AS
	SELECT r.id AS release,
		   r.relation_name AS relation,
		   r.role,
		   r.method,
		   r.options,
		   dp_epsilon(r.epsilon_nano) AS epsilon,
		   dp_delta(r.delta_atto) AS delta,
		   r.rows,
		   r.sets,
		   r.released_at,
		   pg_catalog.length(r.model) AS model_bytes,
		   CASE WHEN r.unprotected THEN 'none' ELSE 'differential privacy' END AS guarantee
	  FROM dp_release_store r
	  LEFT JOIN dp_dataset d ON d.id = r.dataset
	  LEFT JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid
	 WHERE pg_catalog.pg_has_role(coalesce(c.relowner, 10), 'USAGE')
		OR NOT r.unprotected
	   AND (pg_catalog.pg_has_role(r.role::oid, 'USAGE') OR pg_catalog.pg_has_role(r.payer::oid, 'USAGE') OR r.public
			OR EXISTS (SELECT FROM pg_catalog.unnest(r.readers) reader WHERE pg_catalog.pg_has_role(reader::oid, 'USAGE')));
COMMENT ON VIEW dp_releases IS 'stored releases that the current role may draw from with dp_sample; guarantee none: not differentially private, for the custodian alone';

-- The name of a seed pool goes into the ledger, where no search_path is known.
CREATE FUNCTION dp_synthesize_pegs(target anyelement, epsilon numeric, rows bigint,
								   block integer DEFAULT NULL, parents integer DEFAULT NULL,
								   features jsonb DEFAULT NULL,
								   attribute_order name[] DEFAULT NULL,
								   selection_share numeric DEFAULT NULL,
								   sweeps integer DEFAULT NULL,
								   seed_pool regclass DEFAULT NULL,
								   attributes name[] DEFAULT NULL,
								   delta numeric DEFAULT 0, open_share numeric DEFAULT NULL,
								   sets integer DEFAULT 1,
								   independent_sets boolean DEFAULT NULL,
								   seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'pegs', $2, $12,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'rows', $3, 'block', $4, 'parents', $5, 'features', $6, 'attribute_order', $7,
		'selection_share', $8, 'sweeps', $9,
		'seed_pool', (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname)
						FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
					   WHERE c.oid OPERATOR(pg_catalog.=) $10::pg_catalog.oid),
		'attributes', $11, 'open_share', $13, 'independent_sets', $15)),
	NULL, $14, $16)
$$;
COMMENT ON FUNCTION dp_synthesize_pegs(anyelement, numeric, bigint, integer, integer, jsonb, name[], numeric, integer, regclass, name[], numeric, numeric, integer, boolean, bigint) IS
	'that many rows drawn behind the wall from perturbed conditional counts (PeGS); epsilon is the total of all rows, which are the release: no others can be drawn from it later; a seed only places values inside bins; epsilon-DP; spends epsilon at each call, and delta only for open columns';

CREATE FUNCTION dp_synthesize_pegs_ldiversity(target anyelement, l numeric, rows bigint,
											  parents integer DEFAULT NULL,
											  features jsonb DEFAULT NULL,
											  attribute_order name[] DEFAULT NULL,
											  sweeps integer DEFAULT NULL,
											  seed_pool regclass DEFAULT NULL,
											  attributes name[] DEFAULT NULL,
											  seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'pegs_ldiversity', 0, 0,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'l', $2, 'rows', $3, 'parents', $4, 'features', $5, 'attribute_order', $6, 'sweeps', $7,
		'seed_pool', (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname)
						FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
					   WHERE c.oid OPERATOR(pg_catalog.=) $8::pg_catalog.oid),
		'attributes', $9)),
	NULL, 1, $10)
$$;
COMMENT ON FUNCTION dp_synthesize_pegs_ldiversity(anyelement, numeric, bigint, integer, jsonb, name[], integer, regclass, name[], bigint) IS
	'NOT DIFFERENTIALLY PRIVATE: rows drawn from conditional counts whose entropy is raised to that of l equally likely values; for the custodian alone, charges no budget, and the ledger says that the release has no guarantee';

CREATE FUNCTION dp_synthesize_pmi(target anyelement, epsilon numeric, rows bigint,
								  alpha_mixing numeric DEFAULT NULL,
								  lambda numeric DEFAULT NULL, folds integer DEFAULT NULL,
								  features jsonb DEFAULT NULL, sweeps integer DEFAULT NULL,
								  seed_pool regclass DEFAULT NULL,
								  attributes name[] DEFAULT NULL,
								  sets integer DEFAULT 1,
								  independent_sets boolean DEFAULT NULL,
								  seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'pmi', $2, 0,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'rows', $3, 'alpha_mixing', $4, 'lambda', $5, 'folds', $6, 'features', $7, 'sweeps', $8,
		'seed_pool', (SELECT pg_catalog.format('%I.%I', n.nspname, c.relname)
						FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
					   WHERE c.oid OPERATOR(pg_catalog.=) $9::pg_catalog.oid),
		'attributes', $10, 'independent_sets', $12)),
	NULL, $11, $13)
$$;
COMMENT ON FUNCTION dp_synthesize_pmi(anyelement, numeric, bigint, numeric, numeric, integer, jsonb, integer, regclass, name[], integer, boolean, bigint) IS
	'that many rows drawn behind the wall from perturbed elastic-net regressions of each column on the others (perturbed multiple imputation); lambda NULL: cross-validated; epsilon is the total of all rows, which are the release: no others can be drawn from it later; epsilon-DP; spends epsilon at each call';

CREATE FUNCTION dp_synthesize_marginal(target anyelement, epsilon numeric,
									   rows bigint DEFAULT NULL, mechanism text DEFAULT NULL,
									   attributes name[] DEFAULT NULL,
									   delta numeric DEFAULT 0, open_share numeric DEFAULT NULL,
									   sets integer DEFAULT 1,
									   independent_sets boolean DEFAULT NULL,
									   seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'marginal', $2, $6,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'mechanism', $4, 'rows', CASE WHEN $4 OPERATOR(pg_catalog.=) 'bootstrap' THEN $3 END,
		'attributes', $5, 'open_share', $7, 'independent_sets', $9)),
	$3, $8, $10)
$$;
COMMENT ON FUNCTION dp_synthesize_marginal(anyelement, numeric, bigint, text, name[], numeric, numeric, integer, boolean, bigint) IS
	'synthetic rows, each column drawn by itself: mechanism laplace (default) from noisy margins, any number of rows; bootstrap (perturbed marginal Bayesian bootstrap): that many rows drawn behind the wall, no others later; epsilon-DP; spends epsilon at each call, and delta only for open columns';

------------------------------------------------------------------------------
-- Histograms, and domains that are never written out
------------------------------------------------------------------------------

-- of an open column: {"from": 1, "to": 9} and so on, with the values of its dictionaries; NULL: any value
ALTER TABLE dp_dataset_column ADD COLUMN domain jsonb;

DROP FUNCTION dp_define_column(regclass, name, text[], text[], boolean, text, boolean);
CREATE FUNCTION dp_define_column(relation regclass, column_name name,
								 categories text[] DEFAULT NULL, bins text[] DEFAULT NULL,
								 open boolean DEFAULT false, other text DEFAULT NULL,
								 complete boolean DEFAULT false, domain jsonb DEFAULT NULL)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_define_column(regclass, name, text[], text[], boolean, text, boolean, jsonb) IS
	'declares the public domain of a column: categories (the values), bins (ascending edges, the last bin closed, values outside clamped), or open (values discovered at a cost: with a domain, such as a dictionary, at epsilon alone, else with delta too); other: the value that stands for NULL and all the rest; complete: the categories are all there is, so there is no level for the rest, and what does not belong counts as the first';

-- the rights of all three
DO $$
DECLARE
	fn regprocedure;
	acl text;
	item record;
BEGIN
	FOREACH fn IN ARRAY ARRAY[
		'@extschema@.dp_protect(regclass, numeric, numeric, text, name, integer, regclass, text, numeric)'::regprocedure,
		'@extschema@.dp_explain(regclass, text, numeric, numeric, jsonb, integer)'::regprocedure,
		'@extschema@.dp_define_column(regclass, name, text[], text[], boolean, text, boolean, jsonb)'::regprocedure]
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

CREATE FUNCTION dp_domain_summary(domain jsonb)
	RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_domain_summary(jsonb) IS
	'internal: a domain with the number of values of each dictionary in place of the values';

CREATE OR REPLACE VIEW dp_columns WITH (security_barrier) AS
	SELECT d.relation, c.ordinal, c.column_name, c.type, c.kind, c.source, c.levels, c.labels,
		   c.has_other, c.other,
		   -- a dictionary by its name, not with all its values
		   CASE WHEN c.kind = 'open' THEN dp_domain_summary(s.domain) END AS domain
	  FROM dp_datasets d
	 CROSS JOIN LATERAL dp_column_domains(d.relation) c
	  LEFT JOIN dp_dataset p ON p.relation::oid = d.relation::oid
	  LEFT JOIN dp_dataset_column s ON s.dataset = p.id AND s.column_name = c.column_name
	 WHERE d.active AND d.custodian IS NOT NULL;
COMMENT ON VIEW dp_columns IS 'public domain of each column of the protected relations; kind is NULL where a column has none and comes back NULL; domain: what an open column may hold, if that was declared (of a dictionary the number of its values)';

CREATE FUNCTION dp_domain_table(dictionary regclass, column_name name)
	RETURNS jsonb LANGUAGE sql STABLE STRICT PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp
	AS $$
SELECT pg_catalog.jsonb_build_object('table', pg_catalog.format('%I.%I', n.nspname, c.relname), 'column', $2)
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE c.oid = $1
$$;
COMMENT ON FUNCTION dp_domain_table(regclass, name) IS
	'a domain: the values of a column of a public table, which is read when the domain is used';

CREATE FUNCTION dp_domain_range(low numeric, high numeric, step numeric DEFAULT 1)
	RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	AS $$ SELECT pg_catalog.jsonb_build_object('from', $1, 'to', $2, 'step', $3) $$;
COMMENT ON FUNCTION dp_domain_range(numeric, numeric, numeric) IS
	'a domain: low, low + step, ... up to high at most; of integers, or of decimals';

CREATE FUNCTION dp_domain_range(low date, high date, step integer DEFAULT 1)
	RETURNS jsonb LANGUAGE sql STABLE STRICT PARALLEL SAFE
	AS $$ SELECT pg_catalog.jsonb_build_object('from', $1, 'to', $2, 'step', $3) $$;
COMMENT ON FUNCTION dp_domain_range(date, date, integer) IS
	'a domain: every day, or every step-th, from low to high; years 1 to 9999';

CREATE FUNCTION dp_domain_values(VARIADIC list text[])
	RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	AS $$ SELECT pg_catalog.jsonb_build_object('values', $1) $$;
COMMENT ON FUNCTION dp_domain_values(text[]) IS 'a domain: these values; duplicates count once';

CREATE FUNCTION dp_domain_strings(alphabet text, min_length integer, max_length integer DEFAULT NULL)
	RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS $$ SELECT pg_catalog.jsonb_build_object('alphabet', $1, 'min_length', $2, 'max_length', coalesce($3, $2)) $$;
COMMENT ON FUNCTION dp_domain_strings(text, integer, integer) IS
	'a domain: all strings of that many characters of an alphabet (of min_length to max_length of them)';

CREATE FUNCTION dp_domain_product(parts jsonb[], separator text DEFAULT ' ')
	RETURNS jsonb LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	AS $$ SELECT pg_catalog.jsonb_build_object('product', pg_catalog.to_jsonb($1), 'separator', $2) $$;
COMMENT ON FUNCTION dp_domain_product(jsonb[], text) IS
	'a domain: all combinations of values of several domains in one text, with a separator of one ASCII character that only the last part may have in its values: word pairs';

CREATE FUNCTION dp_release_histogram(target anyelement, epsilon numeric, delta numeric, options jsonb)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION dp_release_histogram(anyelement, numeric, numeric, jsonb) IS
	'internal: the release behind dp_histogram; spends epsilon and delta, and returns its number';

CREATE FUNCTION dp_histogram_of(target anyelement, release bigint, OUT cell anyelement, OUT count bigint)
	RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION dp_histogram_of(anyelement, bigint) IS
	'the cells of a histogram that was released by dp_histogram, again and at no cost';

CREATE FUNCTION dp_histogram(target anyelement, columns name[], epsilon numeric, delta numeric DEFAULT 0,
							 mechanism text DEFAULT 'cathist', domain jsonb DEFAULT NULL,
							 rho numeric DEFAULT NULL)
	RETURNS TABLE (cell anyelement, count bigint)
	LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1000
	AS $$
SELECT h.cell, h.count
  FROM @extschema@.dp_histogram_of($1, @extschema@.dp_release_histogram($1, $3, $4,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'attributes', $2, 'mechanism', $5, 'domain', $6, 'rho', $7)))) h
$$;
COMMENT ON FUNCTION dp_histogram(anyelement, name[], numeric, numeric, text, jsonb, numeric) IS
	'noisy counts of the combinations of some columns, each a row of target''s type (NULL::some_table) with the other columns NULL, a bin by its lower edge; counts in rows; mechanism: cathist (any domain, epsilon alone; what reaches a threshold; rho: probability that nothing shows which nobody has), laplace (every cell of a small domain, also negative counts), stability (what reaches a threshold, with delta, no domain needed); domain: of a column, or {"column": domain}; spends epsilon (and delta) at each call, dp_histogram_of reads it again';

CREATE FUNCTION dp_synthesize_cathist(target anyelement, epsilon numeric, rows bigint DEFAULT NULL,
									  attributes name[] DEFAULT NULL, domain jsonb DEFAULT NULL,
									  rho numeric DEFAULT NULL, joint boolean DEFAULT NULL,
									  sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL,
									  seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'cathist', $2, 0,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'attributes', $4, 'domain', $5, 'rho', $6, 'joint', $7, 'independent_sets', $9)),
	$3, $8, $10)
$$;
COMMENT ON FUNCTION dp_synthesize_cathist(anyelement, numeric, bigint, name[], jsonb, numeric, boolean, integer, boolean, bigint) IS
	'synthetic rows from a histogram of each column over its domain, which may be huge, with epsilon/columns each (CatHist), or with joint from one of all columns; epsilon-DP; spends epsilon at each call';

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

CREATE FUNCTION dp_synthesize_cipher(target anyelement, epsilon numeric,
									 marginals anycompatible DEFAULT 2,
									 solver text DEFAULT NULL, lambda numeric DEFAULT NULL,
									 attributes name[] DEFAULT NULL,
									 cell_limit integer DEFAULT NULL,
									 rows bigint DEFAULT NULL,
									 sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL,
									 seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'cipher', $2, 0,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'marginals', @extschema@.dp_attribute_sets($3), 'solver', $4, 'lambda', $5,
		'attributes', $6, 'cell_limit', $7, 'independent_sets', $10)),
	$8, $9, $11)
$$;
COMMENT ON FUNCTION dp_synthesize_cipher(anyelement, numeric, anycompatible, text, numeric, name[], integer, bigint, integer, boolean, bigint) IS
	'synthetic rows from the joint distribution that fits noisy tables of small sets of columns (CIPHER); marginals: how many columns a set has, or the sets, such as {"age,income","sex,race,income"}; epsilon-DP; spends epsilon at each call';

CREATE FUNCTION dp_synthesize_mwem(target anyelement, epsilon numeric,
								   marginals anycompatible DEFAULT 2,
								   rounds integer DEFAULT NULL, share numeric DEFAULT NULL,
								   attributes name[] DEFAULT NULL,
								   cell_limit integer DEFAULT NULL,
								   rows bigint DEFAULT NULL, count_share numeric DEFAULT NULL,
								   sets integer DEFAULT 1, independent_sets boolean DEFAULT NULL,
								   seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement LANGUAGE sql VOLATILE PARALLEL UNSAFE COST 100000 ROWS 100000
	AS $$
SELECT * FROM @extschema@.dp_synthesize_with($1, 'mwem', $2, 0,
	pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
		'marginals', @extschema@.dp_attribute_sets($3), 'rounds', $4, 'share', $5,
		'attributes', $6, 'cell_limit', $7, 'count_share', $9, 'independent_sets', $11)),
	$8, $10, $12)
$$;
COMMENT ON FUNCTION dp_synthesize_mwem(anyelement, numeric, anycompatible, integer, numeric, name[], integer, bigint, numeric, integer, boolean, bigint) IS
	'synthetic rows from tables of small sets of columns that are chosen privately, one after another, where the fit so far is worst (MWEM); rounds NULL: two a column, no more than sets; epsilon-DP; spends epsilon at each call';

CREATE TYPE dp_noisy_counts AS (attributes text[], "values" text[], count double precision, variance double precision);
COMMENT ON TYPE dp_noisy_counts IS
	'one cell of a published table: columns, the value of each as its type prints it (NULL: none), noisy number of rows, variance of its noise in rows squared (0: exact)';

CREATE FUNCTION dp_fit_marginals(target anyelement, marginals dp_noisy_counts[],
								 rows bigint DEFAULT NULL, solver text DEFAULT 'entropic',
								 lambda double precision DEFAULT 0.001,
								 cell_limit integer DEFAULT 10000000, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 100000 ROWS 100000;
COMMENT ON FUNCTION dp_fit_marginals(anyelement, dp_noisy_counts[], bigint, text, double precision, integer, bigint) IS
	'rows from published noisy marginals, with the columns of target that they are about; rows NULL: as many as the marginals tell; reads no protected table, spends nothing';

CREATE FUNCTION dp_fit_marginals(target anyelement, marginals regclass,
								 rows bigint DEFAULT NULL, solver text DEFAULT 'entropic',
								 lambda double precision DEFAULT 0.001,
								 cell_limit integer DEFAULT 10000000, seed bigint DEFAULT NULL)
	RETURNS SETOF anyelement AS 'MODULE_PATHNAME', 'dp_fit_marginals_of' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 100000 ROWS 100000;
COMMENT ON FUNCTION dp_fit_marginals(anyelement, regclass, bigint, text, double precision, integer, bigint) IS
	'the same from the rows of a table or view with columns attributes, values, count and variance, which the caller may read';

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
