-- a public hierarchy of categories: declared, shown, refused, and used by releases
\pset null NULL
\set SHOW_CONTEXT never
\t on
\pset format unaligned
CREATE SCHEMA t91;
CREATE ROLE regress_dp_91_owner;
CREATE ROLE regress_dp_91_analyst;
GRANT USAGE, CREATE ON SCHEMA t91 TO regress_dp_91_owner, regress_dp_91_analyst;
SET search_path = t91, public;
SET SESSION AUTHORIZATION regress_dp_91_owner;
SET client_min_messages = error;

-- 2,000 codes in 20 chapters; the list is in no order, and the ward follows the chapter
CREATE TABLE icd AS SELECT 'K' || lpad((c * 7919 % 2000)::text, 4, '0') AS code, 'B' || c % 100 AS block, 'C' || c % 20 AS chapter FROM generate_series(0, 1999) c;
CREATE TABLE visits (code text, ward text NOT NULL, n int NOT NULL CHECK (n BETWEEN 0 AND 9));
INSERT INTO visits SELECT code, 'w' || substr(chapter, 2)::int / 3, i % 10
  FROM (SELECT i, 'K' || lpad((floor(2000 * power((i * 7919 % 20000) / 20000.0, 2))::int * 7919 % 2000)::text, 4, '0') AS code FROM generate_series(1, 20000) i) x JOIN icd USING (code);
SELECT dp_protect('visits', epsilon => 1000, delta => 0.001);
SELECT dp_define_column('visits', 'code', (SELECT array_agg(code ORDER BY code) FROM icd)), dp_define_column('visits', 'ward', (SELECT array_agg('w' || c) FROM generate_series(0, 6) c), complete => true);

-- what is refused
SELECT dp_define_hierarchy('visits', 'code', prefixes => '{3,1}', columns => '{ward}');
SELECT dp_define_hierarchy('visits', 'code', '{K0000,B1}');
SELECT dp_define_hierarchy('visits', 'code', '{{K0000},{K0001}}');
SELECT dp_define_hierarchy('visits', 'code', '{{K0000,NULL}}');
SELECT dp_define_hierarchy('visits', 'code', '{{X,B1}}');
SELECT dp_define_hierarchy('visits', 'code', '{{K0000,B1},{K0000,B2}}');
SELECT dp_define_hierarchy('visits', 'code', '{{K0000,B1,C1},{K0001,B1,C2}}');
SELECT dp_define_hierarchy('visits', 'code', prefixes => '{1,3}');
SELECT dp_define_hierarchy('visits', 'code');
SELECT dp_define_hierarchy('visits', NULL);
SELECT dp_define_hierarchy('visits', 'code', (SELECT array_agg(ARRAY[code, block]) FROM icd WHERE false));
SELECT dp_define_hierarchy('visits', 'code', prefixes => (SELECT array_agg(20 - i) FROM generate_series(1, 17) i));
SELECT dp_define_hierarchy('visits', 'code', columns => '{ward}');
SELECT dp_define_hierarchy('visits', 'code', columns => '{ward,NULL}');
SELECT dp_define_hierarchy('visits', 'n', prefixes => '{1}');
SELECT dp_define_hierarchy('visits', 'nothing', prefixes => '{1}');
SELECT dp_define_hierarchy('visits', NULL, prefixes => '{1}');
SELECT dp_define_hierarchy('icd', 'code', prefixes => '{1}');
SELECT dp_define_hierarchy('icd', NULL, '{}');
SELECT count(hierarchy) FROM dp_columns;

-- what is declared replaces what was, and is shown
SELECT dp_define_hierarchy('visits', 'code', prefixes => '{3,2}');
SELECT relation, column_name, hierarchy FROM dp_columns WHERE hierarchy IS NOT NULL;
SELECT dp_define_hierarchy('visits', 'code', array_agg(ARRAY[code, block, chapter])) FROM icd;
SELECT relation, column_name, hierarchy - 'paths', jsonb_array_length(hierarchy->'paths') FROM dp_columns WHERE hierarchy IS NOT NULL;
SELECT column_name, hierarchy - 'paths' FROM dp_columns WHERE relation = 'visits'::regclass ORDER BY ordinal;

-- how wards depend on chapters comes back with it, and is lost without it, where codes are rare
CREATE FUNCTION follows(method text) RETURNS numeric LANGUAGE sql AS $$
	SELECT avg((ward = 'w' || substr(chapter, 2)::int / 3)::int)
	  FROM dp_synthesize(NULL::t91.visits, 2, 1e-9, method => method, rows => 10000, seed => 1) JOIN t91.icd USING (code) $$;
SELECT method, follows(method) > 0.75 FROM (VALUES ('mst'), ('aim'), ('sbhg'), ('privbayes')) m (method);
SELECT dp_define_hierarchy('visits', 'code', '{}');
SELECT count(hierarchy) FROM dp_columns;
SELECT method, follows(method) < 0.6 FROM (VALUES ('mst'), ('aim')) m (method);

-- a column whose levels a dictionary names is not a range: rare levels are grouped by node
CREATE TABLE patients (zip int NOT NULL, county text NOT NULL, state text, ill boolean NOT NULL);
INSERT INTO patients SELECT z, 'county ' || z / 10, 'state ' || z / 50, (z / 50 % 2 = 0) <> (i % 10 = 0) FROM (SELECT i, 10000 + (i * 7919 % 300) AS z FROM generate_series(1, 6000) i) x;
SELECT dp_protect('patients', 1000, 0.1), dp_define_column('patients', 'zip', (SELECT array_agg(z::text) FROM generate_series(10000, 10299) z), complete => true),
	   dp_define_column('patients', 'county', derived_from => 'zip', domain => (SELECT jsonb_object_agg(z, 'county ' || z / 10) FROM generate_series(10000, 10299) z)),
	   dp_define_column('patients', 'state', derived_from => 'zip', domain => (SELECT jsonb_object_agg(z, 'state ' || z / 50) FROM generate_series(10000, 10299) z));
SELECT dp_define_hierarchy('patients', 'zip', columns => '{state,county}');
SELECT dp_define_hierarchy('patients', 'zip', columns => '{county,state}');
SELECT column_name, hierarchy FROM dp_columns WHERE hierarchy IS NOT NULL AND relation = 'patients'::regclass;
SELECT method, bool_and(county = 'county ' || zip / 10 AND state = 'state ' || zip / 50), count(DISTINCT zip) > 100,
	   avg((ill = (zip / 50 % 2 = 0))::int) > 0.7
  FROM (VALUES ('mst'), ('aim')) m (method), dp_synthesize(NULL::patients, 1, 1e-9, method => method, rows => 5000, seed => 1) GROUP BY 1 ORDER BY 1;
-- the dictionary goes, and the hierarchy says so before anything is spent
SELECT dp_define_column('patients', 'state');
SELECT dp_release('patients', 'mst', 1, 1e-9);
SELECT dp_define_hierarchy('patients', NULL, '{}');
SELECT dp_define_hierarchy('patients', 'zip', prefixes => '{4,3}');
SELECT dp_define_column('patients', 'zip', open => true);
SELECT dp_release('patients', 'mst', 1, 1e-9);
SELECT dp_define_hierarchy('patients', NULL, '{}');
SELECT count(*) FROM dp_ledger WHERE relation_name = 't91.patients' AND status = 'released';

-- rights
SELECT dp_define_hierarchy('visits', 'code', prefixes => '{3}');
SET SESSION AUTHORIZATION regress_dp_91_analyst;
SELECT count(hierarchy) FROM dp_columns;
SELECT dp_define_hierarchy('visits', 'code', prefixes => '{2}');
SELECT dp_define_hierarchy('visits', NULL, '{}');
SELECT count(*) FROM dp_catalog.dp_dataset_hierarchy;
SET SESSION AUTHORIZATION regress_dp_91_owner;
SELECT dp_grant('visits', 'regress_dp_91_analyst', 1);
SET SESSION AUTHORIZATION regress_dp_91_analyst;
SELECT relation, hierarchy FROM dp_columns WHERE hierarchy IS NOT NULL;

RESET SESSION AUTHORIZATION;
DROP SCHEMA t91 CASCADE;
DROP OWNED BY regress_dp_91_analyst;
DROP ROLE regress_dp_91_owner, regress_dp_91_analyst;
