-- A table with the columns of Adult, small.
CREATE EXTENSION IF NOT EXISTS dpsyn;
CREATE TABLE adult (age integer NOT NULL, education text NOT NULL, sex text NOT NULL, race text NOT NULL,
	hours integer NOT NULL, hours_per_week integer NOT NULL, income text NOT NULL);
INSERT INTO adult SELECT 17 + i * 7 % 60, (ARRAY['school', 'college', 'university'])[1 + i * 5 % 3],
	(ARRAY['Female', 'Male'])[1 + i % 2], (ARRAY['White', 'Black', 'Other'])[1 + i % 7 % 3], 10 + i * 11 % 50,
	10 + i * 11 % 50, CASE WHEN i * 7 % 60 + i * 5 % 3 * 20 + i * i % 50 > 75 THEN '>50K' ELSE '<=50K' END
  FROM generate_series(1, 3000) AS i;
SELECT dp_protect('adult', epsilon => 5000, delta => 1e-6);
SELECT dp_define_column('adult', 'age', bins => '{17,25,35,50,90}'),
	dp_define_column('adult', 'education', '{school,college,university}', complete => true),
	dp_define_column('adult', 'sex', '{Female,Male}', complete => true),
	dp_define_column('adult', 'race', '{White,Black,Other}', complete => true),
	dp_define_column('adult', 'hours', bins => '{0,20,40,60}'),
	dp_define_column('adult', 'hours_per_week', bins => '{0,20,40,60}'),
	dp_define_column('adult', 'income', '{<=50K,>50K}', complete => true);
