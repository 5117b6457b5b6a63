-- The update to the version that test/upgrade makes, and a model for the first real one: a table
-- gets a column, and a function another argument while it keeps its comment and its rights.

\echo Use "ALTER EXTENSION dpsyn UPDATE" to load this file. \quit

ALTER TABLE dp_catalog.dp_allocation ADD COLUMN purpose text NOT NULL DEFAULT 'any';

DO $$
DECLARE
	old constant regprocedure :=
		'@extschema@.dp_protect(regclass, float8, float8, text, name, integer, regclass, text, float8, regclass[], integer, float8, regclass, name)';
	rights constant aclitem[] := (SELECT proacl FROM pg_catalog.pg_proc WHERE oid = old);
	said constant text := pg_catalog.obj_description(old, 'pg_proc');
	new regprocedure;
	item record;
BEGIN
	EXECUTE pg_catalog.format('DROP FUNCTION %s', old);
	CREATE FUNCTION @extschema@.dp_protect(
		relation regclass, epsilon float8 DEFAULT NULL, delta float8 DEFAULT 0,
		neighbours text DEFAULT 'add_remove', unit_column name DEFAULT NULL,
		max_rows_per_unit integer DEFAULT 1, budget_of regclass DEFAULT NULL,
		accountant text DEFAULT NULL, max_epsilon_per_release float8 DEFAULT NULL,
		public_relations regclass[] DEFAULT NULL, sensitivity integer DEFAULT NULL,
		min_epsilon_per_release float8 DEFAULT 0.001, parent regclass DEFAULT NULL,
		order_column name DEFAULT NULL, purpose text DEFAULT NULL)
		RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
	new := '@extschema@.dp_protect(regclass, float8, float8, text, name, integer, regclass, text, float8, regclass[], integer, float8, regclass, name, text)';
	EXECUTE pg_catalog.format('COMMENT ON FUNCTION %s IS %L', new, said);
	IF rights IS NOT NULL THEN -- else they are the default, which it has
		EXECUTE pg_catalog.format('REVOKE ALL ON FUNCTION %s FROM public', new);
	END IF;
	FOR item IN SELECT * FROM pg_catalog.aclexplode(rights)
	LOOP
		EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO %s%s', new,
			CASE WHEN item.grantee = 0 THEN 'public' ELSE item.grantee::regrole::text END,
			CASE WHEN item.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
	END LOOP;
END
$$;
