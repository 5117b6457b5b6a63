------------------------------------------------------------------------------
-- 3. The custodian: the owner of the relation, a member of the owning role, or
--    a superuser. Budgets, who may spend them, and what became of them
------------------------------------------------------------------------------

CREATE FUNCTION dp_protect(relation regclass, epsilon float8 DEFAULT NULL, delta float8 DEFAULT 0,
						   neighbours text DEFAULT 'add_remove', unit_column name DEFAULT NULL,
						   max_rows_per_unit integer DEFAULT 1, budget_of regclass DEFAULT NULL,
						   accountant text DEFAULT NULL, max_epsilon_per_release float8 DEFAULT NULL,
						   public_relations regclass[] DEFAULT NULL, sensitivity integer DEFAULT NULL,
						   min_epsilon_per_release float8 DEFAULT 0.001, parent regclass DEFAULT NULL,
						   order_column name DEFAULT NULL)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_protect(
	regclass, float8, float8, text, name, integer, regclass, text, float8, regclass[], integer,
	float8, regclass, name) IS
	'puts a relation under a total budget, its own or that of another relation with the same '
	'people (budget_of); neighbours: add_remove (one unit more or less) or replace_one (the '
	'number of units of a table is public, unless the budget is shared); a unit is a row, or all '
	'rows with the same value of '
	'unit_column, of which a release uses max_rows_per_unit at most; accountant: basic (sums of '
	'epsilon and delta) or zcdp (sums of rho, reported as epsilon). Each row of a view must depend '
	'on rows of one unit; public_relations: relations in it whose rows are nobody''s; sensitivity: '
	'how many rows of any other view one unit that is added or removed can change, as the custodian '
	'states (under replace_one, where one goes and another comes, noise covers twice as many); '
	'max_epsilon_per_release, min_epsilon_per_release: as dp_alter_protection sets them; '
	'parent, in place of a budget: a foreign key says to which row of it a row belongs, whose unit, '
	'neighbours and budget are its own, and max_rows_per_unit how many to each row (bounds multiply '
	'on the way to the root), unit_column a column of that key where there are several; order_column: '
	'the rows that belong to one row of parent follow each other by this column, and synthetic ones '
	'do, too (default: by primary key); '
	'after dp_unprotect what was spent stays spent, and unit, budget and accountant may not change '
	'once something was';

CREATE FUNCTION dp_unprotect(relation regclass)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_unprotect(regclass) IS
	'no more releases from the relation; ledger, stored releases, grants, declarations and what was '
	'spent stay';

CREATE FUNCTION dp_alter_protection(relation regclass, epsilon float8 DEFAULT NULL, delta float8 DEFAULT NULL,
									max_epsilon_per_release float8 DEFAULT NULL,
									min_epsilon_per_release float8 DEFAULT NULL,
									no_false_positives float8 DEFAULT NULL,
									refresh_every interval DEFAULT NULL, alerts float8[] DEFAULT NULL)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_alter_protection(
	regclass, float8, float8, float8, float8, float8, interval, float8[]) IS
	'changes settings of a protected relation, all of them or, after an error, none; what is not given, '
	'or NULL, stays. epsilon, delta: the total budget; what was spent stays spent, and a total below it '
	'only stops further releases; warns, as dp_protect does, of a total epsilon above 20 and of a '
	'total delta above 0.001, which promise little. max_epsilon_per_release: the largest epsilon that '
	'one release may ask for; infinity: no limit but the budget. min_epsilon_per_release: the smallest, '
	'since whether a release fails can depend on the data, and this bounds how often one can ask; 0: no '
	'minimum. no_false_positives: the least probability with which a sparse histogram (option '
	'no_false_positives) and the discovery of a column with a domain (open_no_false_positives) must show '
	'nothing that nobody has; a release that does not say gets this or 0.9, whichever is more; 0: no such '
	'policy. refresh_every: a policy, written into the ledger: at the first release after each such '
	'interval what was spent counts as 0 again, so that the promise holds for each interval and not for '
	'ever; an interval of 0 ends it. alerts: shares of the budget, in place of those before; once a '
	'release brings the spent share to one of them (0.8: 80 %; of epsilon or delta the larger), the server '
	'log gets a WARNING and listeners to dpsyn_budget a NOTIFY, which every role of the database may hear: '
	'{"relation", "share", "spent"}; {}: none';

CREATE FUNCTION dp_declare_public(relation regclass, public boolean DEFAULT true)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_declare_public(regclass, boolean) IS
	'declares that a table holds nobody''s data: a catalogue of goods, a list of countries; its rows '
	'can be copied by whoever has a budget for a protected relation, or referred to '
	'as they are; refused where its rows are or were protected, or refer to some that are; public '
	'false: takes it back; a declaration is checked again whenever a release uses it';

CREATE FUNCTION dp_grant(relation regclass, role regrole, epsilon float8, delta float8 DEFAULT 0)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_grant(regclass, regrole, float8, float8) IS
	'sets the part of the budget that a role (and its members) may spend in all; running it '
	'again does not add; a role that was renamed needs it again; the role also needs USAGE of the '
	'relation''s schema, and no right on the relation: warns if it may read or write it';

CREATE FUNCTION dp_grant(release bigint, role regrole DEFAULT NULL)
	RETURNS void AS 'MODULE_PATHNAME', 'dp_grant_release' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_grant(bigint, regrole) IS
	'lets another role (NULL: every role) draw from a stored release, for instance through a view; '
	'for who asked or paid for it and for the custodian; it cannot be taken back, as what was seen '
	'cannot be';

CREATE FUNCTION dp_revoke(relation regclass, role regrole)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_revoke(regclass, regrole) IS
	'the role may spend no more; what it spent stays spent, also if it is granted a budget again';

CREATE FUNCTION dp_refund(ledger_id bigint, reason text)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_refund(bigint, text) IS
	'gives back what a debit cost that came to nothing (failed, or debited where the server went '
	'down; never one that was released), by a new line in the ledger with a reason; returns that '
	'line''s number';

CREATE FUNCTION dp_reconcile(relation regclass, spent_epsilon float8, spent_delta float8 DEFAULT 0)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_reconcile(regclass, float8, float8) IS
	'after a restore, clone, upgrade or promotion: states what was spent in all, never less than '
	'this ledger knows, and lets the relation spend here; revokes, with a WARNING, grants whose role '
	'is gone or bears another name than at its last grant or release, since in a copy its number '
	'may be somebody else''s';

-- The last argument has no default, so that each call means one of the two functions.
CREATE FUNCTION dp_reconcile(relation regclass, spent_epsilon float8, spent_delta float8, spent_rho float8)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_reconcile(regclass, float8, float8, float8) IS
	'the same under accountant zcdp, with the rho that was spent, as dp_datasets reports it; the '
	'larger of it and that of spent_epsilon counts; from now on only rho counts, if it is more '
	'than this ledger knew';

CREATE FUNCTION dp_reconcile(relation regclass, spent_epsilon float8, spent_delta float8, spent_rho float8,
							 spent_epsilon_sum float8)
	RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION dp_reconcile(regclass, float8, float8, float8, float8) IS
	'the same, with the sum of the epsilons too (epsilon_sum in dp_datasets), so that either '
	'account can go on';

