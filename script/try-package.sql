-- A first use of an installed package: a table, a budget, an analyst, rows.
CREATE EXTENSION dpsyn;
CREATE TABLE visits (ward text CHECK (ward IN ('surgery', 'medicine', 'children')), nights integer
	CHECK (nights BETWEEN 0 AND 60));
INSERT INTO visits SELECT (ARRAY['surgery', 'medicine', 'children'])[1 + i % 3], i % 11
  FROM generate_series(1, 3000) AS i;
CREATE ROLE analyst;
GRANT CREATE ON SCHEMA public TO analyst;
SELECT dp_protect('visits', epsilon => 2, delta => 1e-6);
SELECT dp_grant('visits', 'analyst', epsilon => 1, delta => 1e-9);
SET ROLE analyst;
CREATE TABLE visits_synthetic AS SELECT * FROM dp_synthesize(NULL::visits, epsilon => 1, delta => 1e-9);
DO $$
BEGIN
	ASSERT (SELECT count(*) FROM visits_synthetic WHERE ward IS NOT NULL AND nights IS NOT NULL)
		   BETWEEN 2500 AND 3500, 'about 3000 whole rows';
END
$$;
SELECT ward, count(*), round(avg(nights), 1) AS nights FROM visits_synthetic GROUP BY ward ORDER BY ward;
SELECT epsilon_spent, epsilon_left FROM dp_budgets;
