-- People, as several pages know them.
CREATE EXTENSION IF NOT EXISTS dpsyn;
CREATE TABLE people (id integer PRIMARY KEY, age integer NOT NULL, sex text NOT NULL, city text, born date,
	smoker boolean NOT NULL, zip text, state text, status text NOT NULL, employed boolean NOT NULL, sector text NOT NULL);
INSERT INTO people SELECT i, i * 7 % 91, (ARRAY['f', 'm'])[1 + i % 2], 'city ' || i % 4, date '1950-01-01' + i * 17 % 20000,
	i % 4 = 0, (10000 + i % 9)::text, 'state ' || i % 9 % 3,
	CASE WHEN i * 7 % 91 < 16 THEN 'Single' ELSE (ARRAY['Single', 'Married', 'Widowed'])[1 + i % 3] END,
	i % 3 > 0, CASE i % 3 WHEN 0 THEN 'none' WHEN 1 THEN 'private' ELSE 'public' END
  FROM generate_series(1, 3000) AS i;
CREATE TABLE gazetteer (name text PRIMARY KEY);
INSERT INTO gazetteer SELECT 'city ' || i FROM generate_series(0, 20) AS i;
CREATE TABLE public_zips (zip text PRIMARY KEY, state text NOT NULL);
INSERT INTO public_zips SELECT (10000 + i)::text, 'state ' || i % 3 FROM generate_series(0, 8) AS i;
SELECT dp_protect('people', epsilon => 40, delta => 1e-6);
SELECT dp_define_column('people', 'age', bins => '{0,16,30,65,120}'),
	dp_define_column('people', 'sex', '{f,m}', complete => true),
	dp_define_column('people', 'city', open => true),
	dp_define_column('people', 'born', range => '{1900-01-01,2029-12-31}'),
	dp_define_column('people', 'zip', open => true, domain => '{"table": "public_zips", "column": "zip"}'),
	dp_define_column('people', 'status', '{Single,Married,Widowed}', complete => true),
	dp_define_column('people', 'sector', '{none,private,public}', complete => true);
