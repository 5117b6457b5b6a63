-- A shop's tables as they come: text where numbers are meant, several spellings, a jsonb column. The
-- people are invented. zip_codes is public: the codes that there are.
CREATE TABLE customers (id integer PRIMARY KEY, email text, sex text, born text, zip text);
CREATE TABLE orders (id integer PRIMARY KEY, customer integer NOT NULL REFERENCES customers,
	at timestamptz NOT NULL, total text, meta jsonb);
CREATE TABLE zip_codes (zip text PRIMARY KEY, city text NOT NULL);

INSERT INTO zip_codes
SELECT to_char(10115 + 17 * i, 'FM00000'), (ARRAY['Mitte', 'Wedding', 'Pankow', 'Neukoelln'])[1 + i % 4]
  FROM generate_series(0, 39) AS i;

SELECT setseed(0.5) \g /dev/null
INSERT INTO customers
SELECT i, format('customer%s@example.org', i),
	   (ARRAY['f', 'F', 'female', 'm', 'M ', 'male', '', NULL])[1 + floor(random() * 7.3)::integer],
	   CASE WHEN random() < 0.05 THEN 'unknown' ELSE (1940 + floor(random() * 65))::text END,
	   CASE WHEN random() < 0.03 THEN 'n/a'
			ELSE ' ' || (10115 + 17 * floor(40 * random() * random()))::text END
  FROM generate_series(1, 4000) AS i;

-- Some customers buy much more than others.
INSERT INTO orders
SELECT row_number() OVER (), c.id, timestamptz '2025-01-01 00:00+00' + random() * interval '365 days',
	   CASE WHEN random() < 0.02 THEN '-' WHEN random() < 0.3
			THEN replace((5 + 10 * exp(2.2 * random()))::numeric(8, 2)::text, '.', ',') || ' EUR'
			ELSE (5 + 10 * exp(2.5 * random()))::numeric(8, 2)::text END,
	   jsonb_build_object('channel', (ARRAY['web', 'web', 'web', 'app', 'app', 'phone'])
			[1 + floor(random() * 6)::integer], 'gift', random() < 0.1, 'session', md5(random()::text))
  FROM customers c, LATERAL generate_series(1, 1 + floor(8 * random() ^ 3 + 0 * c.id)::integer);
