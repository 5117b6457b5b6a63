-- The 2,201 people on board the Titanic, by class, sex, age and whether they
-- survived.
--
-- Source: R. J. MacG. Dawson, "The 'Unusual Episode' Data Revisited", Journal of
-- Statistics Education 3(3), 1995; counts from the British Board of Trade's inquiry
-- of 1912 (reprinted 1990).

CREATE TYPE titanic_class AS ENUM ('1st', '2nd', '3rd', 'crew');

-- dpsyn reads the public domain of a column off its type and its constraints;
-- "age" has neither, so its owner will declare it with dp_define_column.
CREATE TABLE titanic (
	class    titanic_class NOT NULL,
	sex      text NOT NULL CHECK (sex IN ('male', 'female')),
	age      text NOT NULL,
	survived text NOT NULL CHECK (survived IN ('no', 'yes'))
);

INSERT INTO titanic (class, sex, age, survived)
SELECT per_class.class, published.sex, published.age, published.survived
  FROM (VALUES
	-- survived, sex, age        1st  2nd  3rd crew
	('no',  'male',   'child', ARRAY[  0,   0,  35,   0]),
	('no',  'male',   'adult', ARRAY[118, 154, 387, 670]),
	('no',  'female', 'child', ARRAY[  0,   0,  17,   0]),
	('no',  'female', 'adult', ARRAY[  4,  13,  89,   3]),
	('yes', 'male',   'child', ARRAY[  5,  11,  13,   0]),
	('yes', 'male',   'adult', ARRAY[ 57,  14,  75, 192]),
	('yes', 'female', 'child', ARRAY[  1,  13,  14,   0]),
	('yes', 'female', 'adult', ARRAY[140,  80,  76,  20])
  ) AS published (survived, sex, age, people)
 CROSS JOIN LATERAL unnest(enum_range(NULL::titanic_class), published.people)
	   AS per_class (class, people)
 CROSS JOIN LATERAL generate_series(1, per_class.people);

DO $$
BEGIN
	ASSERT (SELECT count(*) FROM titanic) = 2201, 'the Titanic carried 2201 people';
	ASSERT (SELECT count(*) FROM titanic WHERE survived = 'yes') = 711, '711 of them survived';
END
$$;
