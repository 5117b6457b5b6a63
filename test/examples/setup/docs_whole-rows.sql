CREATE EXTENSION dpsyn;
CREATE TABLE patients (id serial PRIMARY KEY, name text NOT NULL, email text UNIQUE, notes text, phone text, tag text,
	sex text NOT NULL CHECK (sex IN ('f', 'm')), born date NOT NULL CHECK (born BETWEEN '1900-01-01' AND '2029-12-31'),
	meta jsonb);
INSERT INTO patients (name, email, sex, born, meta)
SELECT 'somebody ' || i, 's' || i || '@example.org', (ARRAY['f', 'm'])[1 + i % 2], date '1940-01-01' + i * 13 % 25000,
	jsonb_build_object('plan', (ARRAY['basic', 'gold'])[1 + i % 2], 'age', i % 90, 'address', jsonb_build_object('city', 'Town'))
  FROM generate_series(1, 2000) AS i;
