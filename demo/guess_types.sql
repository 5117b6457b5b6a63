-- Guesses the types of a table's columns, which all are text, from their values, and gives them these.
-- For a file that a newcomer has at hand (make demo DATA=file.csv). Wants the psql variables table (quoted
-- where it needs quotes) and delimiter (of the file). Which form all values have is read off the data: a
-- table of your own has types that were declared.
SET client_min_messages = warning;

-- Whether all values have a form, and are values of the type.
CREATE FUNCTION pg_temp.fits(relation regclass, column_name name, pattern text, expression text) RETURNS boolean
	LANGUAGE plpgsql AS $$
DECLARE
	fits boolean;
BEGIN
	EXECUTE format('SELECT bool_and(btrim(%I) ~* %L) FROM %s', column_name, pattern, relation) INTO fits;
	IF fits THEN
		EXECUTE format('SELECT count(%s) FROM %s', format(expression, column_name), relation);
	END IF;
	RETURN fits;
EXCEPTION WHEN data_exception THEN -- 31 February, or too many digits
	RETURN false;
END
$$;

-- The first that fits is taken. A number that begins with 0 may be a code (a postal one), and stays text.
CREATE TEMP TABLE guess (id serial, type text, what text, pattern text, expression text);
INSERT INTO guess (type, what, pattern, expression) VALUES
	('boolean', 'true and false', '^(true|false)$', '%I::boolean'),
	('boolean', 't and f', '^[tf]$', '%I::boolean'),
	('boolean', 'yes and no', '^(yes|no)$', '%I::boolean'),
	('integer', 'whole numbers', '^[+-]?(0|[1-9][0-9]{0,9})$', '%I::integer'),
	('bigint', 'whole numbers', '^[+-]?(0|[1-9][0-9]{0,18})$', '%I::bigint'),
	('numeric', 'numbers', '^[+-]?((0|[1-9][0-9]*)([.][0-9]*)?|[.][0-9]+)$', '%I::numeric'),
	('double precision', 'numbers with exponents', '^[+-]?((0|[1-9][0-9]*)([.][0-9]*)?|[.][0-9]+)(e[+-]?[0-9]+)?$', '%I::float8'),
	('date', 'dates', '^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$', '%I::date'),
	('date', 'dates, the day first', '^[0-9]{1,2}[.][0-9]{1,2}[.][0-9]{4}$', 'to_date(%I, ''DD.MM.YYYY'')'),
	('date', 'dates, the month first', '^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}$', 'to_date(%I, ''MM/DD/YYYY'')'),
	('date', 'dates, the day first', '^[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}$', 'to_date(%I, ''DD/MM/YYYY'')'),
	('time', 'times of day', '^[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?$', '%I::time'),
	('timestamp', 'dates with times', '^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?$', '%I::timestamp'),
	('timestamptz', 'dates with times and zones',
	 '^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)? ?(z|[+-][0-9]{2}(:?[0-9]{2})?)$', '%I::timestamptz');
-- where a comma does not part columns, it may be that of decimals
INSERT INTO guess (type, what, pattern, expression)
SELECT 'numeric', 'numbers with a decimal comma', '^[+-]?(0|[1-9][0-9]*)(,[0-9]+)?$', 'replace(%I, '','', ''.'')::numeric'
 WHERE :'delimiter' <> ',';

CREATE TEMP TABLE guessed AS
SELECT a.attnum, a.attname, g.*
  FROM pg_attribute a
  LEFT JOIN LATERAL (SELECT f.*, f.type = 'date' AND count(*) OVER (PARTITION BY f.pattern) > 1 AS unclear
					   FROM guess f WHERE pg_temp.fits(a.attrelid, a.attname, f.pattern, f.expression)
					  ORDER BY f.id LIMIT 1) g ON true
 WHERE a.attrelid = :'table'::regclass AND a.attnum > 0 AND NOT a.attisdropped;

SELECT attname AS "column", CASE WHEN unclear OR type IS NULL THEN 'text' ELSE type END AS "guessed type",
	   CASE WHEN unclear THEN 'dates of which no value says whether the day or the month comes first'
			WHEN type IS NULL THEN 'no other form that all values have' ELSE 'all values are ' || what END AS "because"
  FROM guessed ORDER BY attnum;

SELECT format('ALTER TABLE %s %s', :'table'::regclass,
			  string_agg(format('ALTER COLUMN %I TYPE %s USING %s', attname, type, format(expression, attname)), ', ' ORDER BY attnum))
  FROM guessed WHERE type IS NOT NULL AND NOT unclear HAVING count(*) > 0 \gexec
