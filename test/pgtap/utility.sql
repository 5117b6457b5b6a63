-- With hardly any noise synthetic rows are the data's: margins of one and two
-- columns within 2 % total variation distance.
SET client_min_messages = warning;
SELECT plan(17);

CREATE ROLE pgtap_utility_owner;
CREATE ROLE pgtap_utility_analyst;
GRANT ALL ON SCHEMA public TO pgtap_utility_owner, pgtap_utility_analyst;
SET SESSION AUTHORIZATION pgtap_utility_owner;

-- a chain: b follows a, c follows b; 4 x 3 x 5 values, some NULL
CREATE TABLE chain (a text, b int, c date);
INSERT INTO chain
SELECT chr(97 + a), b, CASE WHEN c < 4 THEN DATE '2020-01-01' + c END
  FROM generate_series(0, 19999) i,
	   LATERAL (SELECT i % 20 AS x, i / 20 % 10 AS y, i / 200 % 20 AS z) digits,
	   LATERAL (SELECT CASE WHEN x < 8 THEN 0 WHEN x < 14 THEN 1 WHEN x < 18 THEN 2 ELSE 3 END AS a) a,
	   LATERAL (SELECT CASE WHEN y < 7 THEN a % 3 ELSE (a + y) % 3 END AS b) b,
	   LATERAL (SELECT CASE WHEN z < 14 THEN b ELSE (b + z) % 5 END AS c) c;
-- three columns of which each two are independent and all three are not
CREATE TABLE parity (a boolean NOT NULL, b boolean NOT NULL, c boolean NOT NULL);
INSERT INTO parity SELECT i % 2 = 0, i / 2 % 2 = 0, (i + i / 2) % 2 = 0 FROM generate_series(1, 20000) i;
SELECT dp_protect('chain', 1000000, 0.5);
SELECT dp_define_column('chain', 'a', '{a,b,c,d}');
SELECT dp_define_column('chain', 'b', '{0,1,2}');
SELECT dp_define_column('chain', 'c', '{2020-01-01,2020-01-02,2020-01-03,2020-01-04}');
SELECT dp_grant('chain', 'pgtap_utility_analyst', 1000000, 0.5);
SELECT dp_protect('parity', 1000000, 0.5);
SELECT dp_grant('parity', 'pgtap_utility_analyst', 1000000, 0.5);

-- the distance of the margins of some columns of two tables
CREATE FUNCTION distance(data regclass, synthetic regclass, columns text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	result numeric;
BEGIN
	EXECUTE format('SELECT sum(abs(coalesce(r.share, 0) - coalesce(s.share, 0))) / 2
					  FROM (SELECT row(%3$s)::text AS cell, count(*) / sum(count(*)) OVER () AS share FROM %1$s GROUP BY 1) r
					  FULL JOIN (SELECT row(%3$s)::text AS cell, count(*) / sum(count(*)) OVER () AS share FROM %2$s GROUP BY 1) s USING (cell)',
				   data, synthetic, columns) INTO result;
	RETURN result;
END
$$;

SET SESSION AUTHORIZATION pgtap_utility_analyst;
CREATE TABLE chain_sbhg AS SELECT * FROM dp_synthesize_sbhg(NULL::chain, 1e4, 1e-6, rows => 200000, parents => 2, seed => 1);
CREATE TABLE chain_sba AS SELECT * FROM dp_synthesize_sba(NULL::chain, 1e4, 1e-6, rows => 200000, seed => 1);
CREATE TABLE chain_sparse AS SELECT * FROM dp_synthesize_sbhg(NULL::chain, 1e4, 1e-6, rows => 200000, dense_cells => 0, seed => 1,
	network => '{"a": [], "b": ["a"], "c": ["b"]}');
CREATE TABLE parity_sbhg AS SELECT * FROM dp_synthesize_sbhg(NULL::parity, 1e4, 1e-6, rows => 200000, parents => 2, seed => 1);
RESET SESSION AUTHORIZATION;

SELECT cmp_ok(distance('chain', synthetic, columns), '<', 0.02, format('%s: margin of %s', synthetic, columns))
  FROM unnest('{chain_sbhg,chain_sba}'::regclass[]) synthetic, unnest('{a,b,c,"a, b","a, c","b, c"}'::text[]) columns;
SELECT cmp_ok((SELECT max(distance('chain', 'chain_sparse', columns)) FROM unnest('{a,b,c,"a, b","a, c","b, c"}'::text[]) columns),
			  '<', 0.02, 'the chain itself, from stability histograms');
SELECT cmp_ok(distance('chain', 'chain_sba', 'a, b, c'), '<', 0.02, 'sba: all three columns together');
SELECT cmp_ok((SELECT max(distance('parity', 'parity_sbhg', columns)) FROM unnest('{a,b,c,"a, b","a, c","b, c"}'::text[]) columns),
			  '<', 0.02, 'parity: margins of one and two columns');
-- a Gibbs sampler cannot leave its half of a parity: only the margins are promised
SELECT is((SELECT count(DISTINCT (a, b, c))::int FROM parity_sbhg WHERE (a = b) <> c), 0,
		  'parity: cells that do not occur are not made up');
SELECT is((SELECT count(*)::int FROM chain_sba WHERE (a, b, c) NOT IN (SELECT DISTINCT a, b, c FROM chain WHERE c IS NOT NULL)
			  AND c IS NOT NULL), 0, 'sba: neither are others');
SELECT * FROM finish();

RESET SESSION AUTHORIZATION;
DROP OWNED BY pgtap_utility_owner, pgtap_utility_analyst CASCADE;
DROP ROLE pgtap_utility_owner, pgtap_utility_analyst;
