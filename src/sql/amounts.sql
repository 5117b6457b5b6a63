------------------------------------------------------------------------------
-- 2. Amounts as views show them, from the integers of the catalog
------------------------------------------------------------------------------

CREATE FUNCTION dp_catalog.dp_epsilon(nano bigint)
	RETURNS numeric AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_epsilon(bigint) IS 'internal: an amount of epsilon, from units of 1e-9';

CREATE FUNCTION dp_catalog.dp_delta(atto bigint)
	RETURNS numeric AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_delta(bigint) IS 'internal: an amount of delta, from units of 1e-18';

CREATE FUNCTION dp_catalog.dp_rho(pico bigint)
	RETURNS numeric AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_catalog.dp_rho(bigint) IS 'internal: an amount of rho, from units of 1e-12';

CREATE FUNCTION dp_catalog.dp_zcdp_total(epsilon_nano bigint, delta_atto bigint)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dp_catalog.dp_zcdp_total(bigint, bigint) IS
	'internal: the rho, in 1e-12, that a relation with this delta may spend for this epsilon '
	'under accountant zcdp';

CREATE FUNCTION dp_catalog.dp_zcdp_spent(rho_pico bigint, delta_atto bigint)
	RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION dp_catalog.dp_zcdp_spent(bigint, bigint) IS
	'internal: the epsilon, in 1e-9, that a relation with this delta reports for spent rho under '
	'accountant zcdp';

