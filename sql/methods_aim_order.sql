-- aim without a workload: what no three columns tell; forecasts and plans of larger sets
\t on
\pset format unaligned
CREATE SCHEMA methods_aim_order;
CREATE ROLE regress_dp_aim_order;
GRANT USAGE, CREATE ON SCHEMA methods_aim_order TO regress_dp_aim_order;
SET search_path = methods_aim_order, public;
SET SESSION AUTHORIZATION regress_dp_aim_order;
SET client_min_messages = warning;
-- y is a parity of four columns, z one of three
CREATE TABLE t (a int NOT NULL, b int NOT NULL, c int NOT NULL, d int NOT NULL, e int NOT NULL, y int NOT NULL, z int NOT NULL);
INSERT INTO t SELECT a, b, c, d, e, (a + b + c + d) % 2, (c + d + e) % 2
  FROM (SELECT i % 2, i / 2 % 2, i / 4 % 2, i / 8 % 2, i / 16 % 2 FROM generate_series(0, 15999) i) r (a, b, c, d, e);
SELECT dp_protect('t', 1000000, 0.9);
SELECT dp_define_column('t', c, '{0,1}', complete => true) FROM unnest('{a,b,c,d,e,y,z}'::name[]) c;
CREATE FUNCTION kept(id bigint) RETURNS TABLE (of_four boolean, of_three boolean) LANGUAGE sql AS $$
	SELECT count(*) FILTER (WHERE y = (a + b + c + d) % 2) > 15000, count(*) FILTER (WHERE z = (c + d + e) % 2) > 15000
	  FROM dp_sample(NULL::methods_aim_order.t, id, 16000, 1) $$;
SELECT delta, options, k.*
  FROM (VALUES (1e-9, '{}'), (0, '{}'), (1e-9, '{"predict": "y"}'), (1e-9, '{"workload": 3}')) o (delta, options),
	   LATERAL kept(dp_release('t', 'aim', 20, delta, options::jsonb)) k;
-- larger sets take memory, which is told before
SELECT bool_and(more.memory_bytes > less.memory_bytes)
  FROM dp_explain('t', 'aim', 1, 1e-9, '{"table_rows": 16000}') more JOIN
	   dp_explain('t', 'aim', 1, 1e-9, '{"table_rows": 16000, "workload": 3}') less USING (stage) WHERE stage = 'total';

RESET SESSION AUTHORIZATION;
DROP SCHEMA methods_aim_order CASCADE;
DROP ROLE regress_dp_aim_order;
