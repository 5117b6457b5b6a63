------------------------------------------------------------------------------
-- 14. Views. Every function and operator here is one of pg_catalog, or one of dpsyn
--     whose types match exactly, so that nothing that was planted in the schema
--     beforehand is called in its place.
------------------------------------------------------------------------------

-- Whether the current role has the rights of a role that still has its name of then.
CREATE FUNCTION dp_catalog.dp_has_role(role regrole, role_name name)
	RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
	RETURN EXISTS (SELECT FROM pg_catalog.pg_roles r
					WHERE r.oid OPERATOR(pg_catalog.=) role::pg_catalog.oid
					  AND r.rolname OPERATOR(pg_catalog.=) role_name
					  AND pg_catalog.pg_has_role(r.oid, 'USAGE'));
COMMENT ON FUNCTION dp_catalog.dp_has_role(regrole, name) IS
	'internal: whether the current role has the rights of a role that still has this name';

-- what a dataset has spent now, a refresh that is due included, and whose budget it is
CREATE VIEW dp_catalog.dp_dataset_state WITH (security_barrier) AS
	SELECT d.id,
		   d.relation,
		   d.active,
		   d.neighbours,
		   d.unit_column,
		   d.max_rows_per_unit,
		   d.max_epsilon_nano,
		   d.min_epsilon_nano,
		   d.no_false_positives_nano,
		   d.sensitivity,
		   d.public_relations,
		   d.parent,
		   d.order_column,
		   d.protected_at,
		   d.dropped_at,
		   b.id AS budget,
		   b.relation AS budget_relation,
		   b.accountant,
		   b.epsilon_nano,
		   b.delta_atto,
		   s.due,
		   CASE WHEN s.due THEN 0::bigint ELSE b.spent_epsilon_nano END AS spent_epsilon_nano,
		   CASE WHEN s.due THEN 0::bigint ELSE b.spent_delta_atto END AS spent_delta_atto,
		   CASE WHEN s.due THEN 0::bigint ELSE b.spent_rho_pico END AS spent_rho_pico,
		   -- the sum of epsilons is all that was spent: no rho was stated without it since
		   s.due OR b.accountant = 'basic' OR NOT EXISTS (
			   SELECT FROM dp_catalog.dp_ledger_entry e
				WHERE e.dataset = b.id AND e.kind = 'reconcile' AND e.rho_pico > 0 AND e.epsilon_nano = 0
				  AND NOT EXISTS (SELECT FROM dp_catalog.dp_ledger_entry f
								   WHERE f.dataset = b.id AND f.kind = 'refresh' AND f.id > e.id))
			   AS epsilon_known,
		   b.refresh_every,
		   b.refreshed_at,
		   b.system_identifier,
		   b.timeline,
		   b.database
	  FROM dp_catalog.dp_dataset d
	  JOIN dp_catalog.dp_dataset b ON b.id = coalesce(d.budget_of, d.id)
	 CROSS JOIN LATERAL (SELECT coalesce(pg_catalog.clock_timestamp() >= b.refreshed_at + b.refresh_every, false)
						 AS due) s;
REVOKE ALL ON dp_catalog.dp_dataset_state FROM public;
COMMENT ON VIEW dp_catalog.dp_dataset_state IS 'internal: each dataset with the budget that pays for it';

CREATE VIEW dp_datasets WITH (security_barrier) AS
	SELECT d.relation,
		   c.relowner::regrole AS custodian,
		   d.neighbours,
		   dp_catalog.dp_epsilon(d.epsilon_nano) AS epsilon,
		   dp_catalog.dp_delta(d.delta_atto) AS delta,
		   dp_catalog.dp_epsilon(s.epsilon_nano) AS epsilon_spent,
		   dp_catalog.dp_delta(d.spent_delta_atto) AS delta_spent,
		   dp_catalog.dp_epsilon(greatest(d.epsilon_nano - s.epsilon_nano, d.epsilon_nano - s.sum_nano, 0::bigint)) AS epsilon_left,
		   dp_catalog.dp_delta(greatest(d.delta_atto - s.reserved_atto - d.spent_delta_atto, 0::bigint)) AS delta_left,
		   d.active,
		   d.protected_at,
		   d.unit_column,
		   d.max_rows_per_unit,
		   CASE WHEN d.budget <> d.id THEN d.budget_relation END AS budget_of,
		   d.accountant,
		   s.rho,
		   s.rho_spent,
		   dp_catalog.dp_epsilon(d.max_epsilon_nano) AS max_epsilon_per_release,
		   d.refresh_every,
		   d.refreshed_at + d.refresh_every AS refresh_due,
		   d.sensitivity,
		   d.public_relations,
		   dp_catalog.dp_epsilon(d.min_epsilon_nano) AS min_epsilon_per_release,
		   dp_catalog.dp_epsilon(s.sum_nano) AS epsilon_sum,
		   d.parent,
		   d.order_column,
		   dp_catalog.dp_epsilon(d.no_false_positives_nano) AS no_false_positives,
		   ARRAY(SELECT a.share FROM dp_catalog.dp_alert a WHERE a.dataset = d.id ORDER BY a.share) AS alerts
	  FROM dp_catalog.dp_dataset_state d
	 CROSS JOIN LATERAL (
			SELECT d.spent_epsilon_nano AS epsilon_nano, d.spent_epsilon_nano AS sum_nano,
				   0::bigint AS reserved_atto, NULL::numeric AS rho, NULL::numeric AS rho_spent
			 WHERE d.accountant = 'basic'
			UNION ALL
			SELECT dp_catalog.dp_zcdp_spent(d.spent_rho_pico, d.delta_atto),
				   CASE WHEN d.epsilon_known THEN d.spent_epsilon_nano END, d.delta_atto / 2::bigint,
				   dp_catalog.dp_rho(dp_catalog.dp_zcdp_total(d.epsilon_nano, d.delta_atto)), dp_catalog.dp_rho(d.spent_rho_pico)
			 WHERE d.accountant = 'zcdp') s
	  LEFT JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid AND d.dropped_at IS NULL
	 WHERE pg_catalog.pg_has_role(coalesce(c.relowner, 10), 'USAGE')
		OR pg_catalog.pg_has_role('pg_monitor'::name, 'USAGE')
		OR EXISTS (SELECT FROM dp_catalog.dp_allocation a
					WHERE a.dataset = d.id AND a.active AND dp_catalog.dp_has_role(a.role, a.role_name));
COMMENT ON VIEW dp_datasets IS
	'protected relations and their total budget (of the relation in budget_of, where there is '
	'one); under accountant zcdp epsilon_spent is what rho_spent comes to at half of delta, '
	'epsilon_sum what the epsilons add up to (NULL: not known), and epsilon_left what the better '
	'of both leaves; alerts: at which shares of it the server log and listeners are notified, as '
	'dp_alter_protection set them; for custodians and for roles that hold a grant';

CREATE VIEW dp_public_relations WITH (security_barrier) AS
	SELECT p.relation, c.relowner::regrole AS custodian, p.declared_by_name AS declared_by, p.declared_at
	  FROM dp_catalog.dp_public_relation p
	  JOIN pg_catalog.pg_class c ON c.oid = p.relation::oid
	 ORDER BY p.relation;
COMMENT ON VIEW dp_public_relations IS
	'tables that hold nobody''s data, who declared that (dp_declare_public), and when';

CREATE VIEW dp_columns WITH (security_barrier) AS
	SELECT d.relation, c.ordinal, c.column_name, c.type, c.kind, c.source, c.levels, c.labels,
		   c.has_other, c.other,
		   -- a dictionary appears with its name, not with all its values
		   CASE WHEN c.kind = 'open' THEN dp_catalog.dp_domain_summary(s.domain) END AS domain,
		   c.resolution,
		   CASE WHEN s.offset_relation IS NULL THEN s.offset_of::text
				ELSE pg_catalog.format('%s.%I', s.offset_relation, s.offset_of) END AS offset_of,
		   CASE WHEN h.levels IS NOT NULL
				THEN pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
					 'levels', h.levels, 'prefixes', h.prefixes, 'columns', h.columns, 'paths', h.paths)) END AS hierarchy
	  FROM dp_datasets d
	 CROSS JOIN LATERAL dp_catalog.dp_column_domains_now(d.relation) c
	  LEFT JOIN dp_catalog.dp_dataset p ON p.relation::oid = d.relation::oid AND p.dropped_at IS NULL
	  LEFT JOIN dp_catalog.dp_dataset_column s ON s.dataset = p.id AND s.column_name = c.column_name
	  LEFT JOIN dp_catalog.dp_dataset_hierarchy h ON h.dataset = p.id AND h.column_name = c.column_name
	 WHERE d.active AND d.custodian IS NOT NULL;
COMMENT ON VIEW dp_columns IS
	'public domain of each column of the protected relations; source: declared, outdated (the column '
	'changed its type since), schema (for values), check or type (for a range), '
	'assumed (of a type that has no limits); of a range the labels are its two ends; kind is key, fill or computed where a column is not modelled but holds what '
	'labels says, NULL where it has neither, and source then says why: primary key, unique, '
	'sequence, foreign key, generated, unit, fields, no range, no domain, outdated, or not looked at '
	'(its constraints take more work than is spent on a relation); domain: what an open column may hold, if that was declared (of a '
	'dictionary the number of its values); offset_of: the column from which distances are modelled instead of '
	'the values, behind the name of its relation where that is another; hierarchy: as dp_define_hierarchy was given it, prefixes, '
	'columns, or paths, levels + 1 texts each; one row with source locked and no column for a relation '
	'that somebody is changing at the time';

CREATE VIEW dp_budgets WITH (security_barrier) AS
	SELECT d.relation,
		   a.role,
		   dp_catalog.dp_epsilon(a.epsilon_nano) AS epsilon,
		   dp_catalog.dp_delta(a.delta_atto) AS delta,
		   dp_catalog.dp_epsilon(s.role_nano) AS epsilon_spent,
		   dp_catalog.dp_delta(s.role_atto) AS delta_spent,
		   dp_catalog.dp_epsilon(CASE WHEN a.active AND d.active THEN greatest(least(
								greatest(a.epsilon_nano - s.role_nano, a.epsilon_nano - s.role_sum_nano),
								greatest(d.epsilon_nano - s.total_nano, d.epsilon_nano - s.total_sum_nano)), 0::bigint)
						   ELSE 0::bigint END) AS epsilon_left,
		   dp_catalog.dp_delta(CASE WHEN a.active AND d.active THEN greatest(least(a.delta_atto - s.role_atto,
																		d.delta_atto - s.reserved_atto - d.spent_delta_atto), 0::bigint)
						 ELSE 0::bigint END) AS delta_left,
		   a.active,
		   a.granted_by,
		   a.granted_at,
		   d.accountant,
		   s.rho,
		   s.rho_spent,
		   dp_catalog.dp_epsilon(s.role_sum_nano) AS epsilon_sum
	  FROM dp_catalog.dp_allocation a
	  JOIN dp_catalog.dp_dataset_state d ON d.id = a.dataset
	 CROSS JOIN LATERAL (
			SELECT CASE WHEN d.due THEN 0::bigint ELSE a.spent_epsilon_nano END AS role_nano,
				   CASE WHEN d.due THEN 0::bigint ELSE a.spent_delta_atto END AS role_atto,
				   d.spent_epsilon_nano AS total_nano, 0::bigint AS reserved_atto,
				   CASE WHEN d.due THEN 0::bigint ELSE a.spent_epsilon_nano END AS role_sum_nano,
				   d.spent_epsilon_nano AS total_sum_nano,
				   NULL::numeric AS rho, NULL::numeric AS rho_spent
			 WHERE d.accountant = 'basic'
			UNION ALL
			SELECT dp_catalog.dp_zcdp_spent(CASE WHEN d.due THEN 0::bigint ELSE a.spent_rho_pico END, d.delta_atto),
				   CASE WHEN d.due THEN 0::bigint ELSE a.spent_delta_atto END,
				   dp_catalog.dp_zcdp_spent(d.spent_rho_pico, d.delta_atto), d.delta_atto / 2::bigint,
				   CASE WHEN NOT d.epsilon_known THEN NULL WHEN d.due THEN 0::bigint ELSE a.spent_epsilon_nano END,
				   CASE WHEN d.epsilon_known THEN d.spent_epsilon_nano END,
				   dp_catalog.dp_rho(dp_catalog.dp_zcdp_total(a.epsilon_nano, d.delta_atto)),
				   dp_catalog.dp_rho(CASE WHEN d.due THEN 0::bigint ELSE a.spent_rho_pico END)
			 WHERE d.accountant = 'zcdp') s
	  LEFT JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid AND d.dropped_at IS NULL
	 WHERE pg_catalog.pg_has_role(coalesce(c.relowner, 10), 'USAGE') OR dp_catalog.dp_has_role(a.role, a.role_name)
		OR pg_catalog.pg_has_role('pg_monitor'::name, 'USAGE');
COMMENT ON VIEW dp_budgets IS
	'what each role was granted, has spent and can still spend (the smaller of its own rest and '
	'the relation''s); under accountant zcdp epsilon_spent is what rho_spent comes to at half of '
	'the relation''s delta, and epsilon_left what the better of both accounts leaves; custodians see '
	'all, roles their own';

CREATE VIEW dp_ledger WITH (security_barrier) AS
	SELECT e.id,
		   e.at,
		   c.oid::regclass AS relation,
		   e.role_name AS role,
		   e.payer,
		   e.method,
		   e.options,
		   e.row_type,
		   dp_catalog.dp_epsilon(e.epsilon_nano) AS epsilon,
		   dp_catalog.dp_delta(e.delta_atto) AS delta,
		   CASE e.kind WHEN 'debit' THEN coalesce(o.kind, 'debited')
					   WHEN 'refund' THEN 'refunded'
					   WHEN 'reconcile' THEN 'reconciled'
					   WHEN 'refresh' THEN 'refreshed'
					   ELSE e.kind END AS status,
		   o.duration,
		   e.debit AS refunds,
		   e.reason,
		   dp_catalog.dp_rho(e.rho_pico) AS rho,
		   CASE WHEN e.kind <> 'debit' THEN NULL WHEN e.unprotected THEN 'none' ELSE 'differential privacy' END AS guarantee,
		   e.relation_name
	  FROM dp_catalog.dp_ledger_entry e
	  LEFT JOIN dp_catalog.dp_ledger_entry o ON o.debit = e.id AND o.kind IN ('released', 'failed')
	  LEFT JOIN dp_catalog.dp_dataset d ON d.id = e.dataset
	  LEFT JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid AND d.dropped_at IS NULL
	 WHERE (e.debit IS NULL OR e.kind = 'refund')
	   AND (pg_catalog.pg_has_role(coalesce(c.relowner, 10), 'USAGE') OR dp_catalog.dp_has_role(e.role, e.role_name)
			OR pg_catalog.pg_has_role('pg_monitor'::name, 'USAGE')
			OR EXISTS (SELECT FROM dp_catalog.dp_allocation a
						WHERE a.dataset = e.dataset AND a.role = e.payer AND dp_catalog.dp_has_role(a.role, a.role_name)))
	 ORDER BY e.id;
COMMENT ON VIEW dp_ledger IS
	'every debit with who, who paid, when, what, cost and what became of it, refunds, refreshes and '
	'policies; status: debited, released, failed, refunded (refunds: number of the debit), '
	'reconciled, policy, refreshed; rho is the cost under accountant zcdp; guarantee none: a release that is not '
	'differentially private, for the custodian alone; relation: NULL where it was dropped since; '
	'relation_name: what it was called then; a role sees its own lines, the custodian all';

CREATE VIEW dp_releases WITH (security_barrier) AS
	SELECT r.id AS release,
		   c.oid::regclass AS relation,
		   r.role,
		   r.method,
		   r.options,
		   dp_catalog.dp_epsilon(r.epsilon_nano) AS epsilon,
		   dp_catalog.dp_delta(r.delta_atto) AS delta,
		   r.rows,
		   r.sets,
		   r.released_at,
		   pg_catalog.length(r.model) AS model_bytes,
		   CASE WHEN r.unprotected THEN 'none' ELSE 'differential privacy' END AS guarantee,
		   r.forest,
		   r.relation_name,
		   r.public_relations
	  FROM dp_catalog.dp_release_store r
	  LEFT JOIN dp_catalog.dp_dataset d ON d.id = r.dataset
	  LEFT JOIN pg_catalog.pg_class c ON c.oid = d.relation::oid AND d.dropped_at IS NULL
	 WHERE pg_catalog.pg_has_role(coalesce(c.relowner, 10), 'USAGE')
		OR pg_catalog.pg_has_role('pg_monitor'::name, 'USAGE')
		OR NOT r.unprotected
	   AND (dp_catalog.dp_has_role(r.role, r.role_name) OR dp_catalog.dp_has_role(r.payer, r.payer_name) OR r.public
			OR EXISTS (SELECT FROM ROWS FROM (pg_catalog.unnest(r.readers),
											  pg_catalog.unnest(r.reader_names)) reader(role, name)
						WHERE dp_catalog.dp_has_role(reader.role, reader.name)));
COMMENT ON VIEW dp_releases IS
	'stored releases that the current role may draw from with dp_sample; guarantee none: not '
	'differentially private, for the custodian alone; forest: the same of all that one call released '
	'together, the release of its first tree (NULL: it was one tree); relation: NULL where it was dropped since; '
	'relation_name and public_relations: what it and the public tables that the release stands on were called '
	'then; members of pg_monitor see all, and may draw '
	'from those of others as little as before';

CREATE VIEW dp_declared_cells WITH (security_barrier) AS
	SELECT d.relation, c.columns, c.cells, c.counts, c.uncertainty
	  FROM dp_datasets d
	  JOIN dp_catalog.dp_dataset s ON s.relation::oid = d.relation::oid AND s.dropped_at IS NULL
	 CROSS JOIN LATERAL (
			SELECT z.columns, pg_catalog.array_agg(z.combination ORDER BY z.number) AS cells,
				   NULL::bigint[] AS counts, NULL::numeric AS uncertainty
			  FROM dp_catalog.dp_dataset_zero z WHERE z.dataset = s.id GROUP BY z.columns
			UNION ALL
			SELECT p.columns,
				   (SELECT pg_catalog.array_agg(c.levels ORDER BY c.n)
					  FROM (SELECT (u.place - 1) / pg_catalog.cardinality(p.columns) AS n,
								   pg_catalog.array_agg(u.level ORDER BY u.place) AS levels
							  FROM pg_catalog.unnest(p.cells) WITH ORDINALITY u (level, place) GROUP BY 1) c),
				   p.counts, dp_catalog.dp_epsilon(p.uncertainty_nano)
			  FROM dp_catalog.dp_dataset_prior p WHERE p.dataset = s.id) c
	 WHERE d.active AND d.custodian IS NOT NULL
	 ORDER BY d.relation, c.counts IS NOT NULL, c.columns;
COMMENT ON VIEW dp_declared_cells IS
	'what custodians declared of cells (dp_define_cells): combinations of levels that cannot occur, and get '
	'probability 0 (counts NULL), and public counts; for custodians and for roles that hold a grant';

CREATE VIEW dp_methods AS
	SELECT method, guarantee, summary, source, options FROM dp_catalog.dp_method_list();
COMMENT ON VIEW dp_methods IS
	'the methods, their guarantee, and their options with type, default, limits, place and a '
	'sentence each';

CREATE VIEW dp_running AS
	SELECT pid, relation, role, caller_pid, ledger_id, stage, started_at FROM dp_catalog.dp_running_list();
COMMENT ON VIEW dp_running IS
	'releases that run now in this database: the worker''s pid (for dp_cancel), who asked, which '
	'session waits, the line of the ledger once it is debited, the stage; a role sees its own, '
	'the custodian all of the relation, members of pg_monitor all';

GRANT SELECT ON dp_datasets, dp_public_relations, dp_columns, dp_declared_cells, dp_budgets, dp_ledger,
	dp_releases, dp_methods, dp_running TO public;
