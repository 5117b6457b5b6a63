-- Databases in the shapes that people have: by the script as it is printed, and one call, with every table and every key.
\set VERBOSITY terse
SET client_min_messages = error;
-- what is missing in the copy, and tables that have no rows there
CREATE FUNCTION pg_temp.lost(source name, made name) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	item record;
	n bigint;
BEGIN
	FOR item IN SELECT c.relname, (SELECT m.oid::regclass FROM pg_class m WHERE m.relname = c.relname AND m.relnamespace = made::regnamespace) AS made
				  FROM pg_class c WHERE c.relnamespace = source::regnamespace AND c.relkind = 'r' ORDER BY 1 LOOP
		EXECUTE format('SELECT count(*) FROM %s', item.made) INTO n;
		IF n = 0 THEN
			RETURN NEXT item.relname || ' is empty';
		END IF;
	END LOOP;
	RETURN QUERY SELECT d FROM (SELECT format('%s %s', c.relname, replace(pg_get_constraintdef(k.oid), source || '.', '')) AS d
								  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE c.relnamespace = source::regnamespace AND k.contype <> 'n'
								EXCEPT SELECT format('%s %s', c.relname, replace(pg_get_constraintdef(k.oid), made || '.', ''))
								  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE c.relnamespace = made::regnamespace) d ORDER BY 1;
END
$$;

CREATE FUNCTION pg_temp.run() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	words text;
	n bigint := 0;
BEGIN
	FOR words IN SELECT s.line FROM script s ORDER BY s.n LOOP
		IF NOT starts_with(words, '--') THEN
			EXECUTE words;
			n := n + 1;
		END IF;
	END LOOP;
	RETURN n;
END
$$;

-- a staff history: an employee of a department is the employee's, and nothing begins before somebody was hired
CREATE SCHEMA t_staff;
CREATE SCHEMA t_staff_made;
CREATE TABLE t_staff.employee (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, birth_date date NOT NULL, first_name varchar(14) NOT NULL,
	sex char(1) NOT NULL CHECK (upper(sex) IN ('M', 'F')), hire_date date NOT NULL, CHECK (hire_date > birth_date));
CREATE TABLE t_staff.department (id char(4) PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE t_staff.department_employee (employee_id bigint REFERENCES t_staff.employee, department_id char(4) REFERENCES t_staff.department,
	from_date date NOT NULL, to_date date NOT NULL, PRIMARY KEY (employee_id, department_id));
CREATE TABLE t_staff.title (employee_id bigint REFERENCES t_staff.employee, title text, from_date date, to_date date, PRIMARY KEY (employee_id, title, from_date));
INSERT INTO t_staff.employee (birth_date, first_name, sex, hire_date) SELECT date '1952-02-01' + (i * 37) % 4700, 'First' || i % 97, CASE WHEN i % 5 < 3 THEN 'M' ELSE 'F' END, date '1985-01-01' + (i * 91) % 5000 FROM generate_series(1, 400) i;
INSERT INTO t_staff.department SELECT 'd00' || i, 'Department ' || i FROM generate_series(1, 9) i;
INSERT INTO t_staff.department_employee SELECT id, 'd00' || 1 + (id * 7 + k * 3) % 9, hire_date + k * 800, CASE WHEN k = id % 2 THEN '9999-01-01' ELSE hire_date + 800 END FROM t_staff.employee, generate_series(0, 1) k WHERE k <= id % 2;
INSERT INTO t_staff.title SELECT id, (ARRAY['Engineer', 'Senior Engineer', 'Staff'])[1 + (id + k) % 3], hire_date + k * 1500, CASE WHEN k < id % 2 THEN hire_date + 1500 END FROM t_staff.employee, generate_series(0, 1) k WHERE k <= id % 2;
CREATE TEMP TABLE script AS SELECT line, n FROM dp_suggest_protection('t_staff') WITH ORDINALITY s (line, n);
SELECT replace(line, 'public.', '') FROM script WHERE line ~ 'dp_protect|declare_public|_date'' *, *offset_of|9999' ORDER BY n;
SELECT pg_temp.run();
SELECT count(*) FROM dp_create_synthetic('t_staff', 't_staff_made', 9, 1e-9, seed => 1);
SELECT pg_temp.lost('t_staff', 't_staff_made');
SELECT count(*) FILTER (WHERE d.from_date < e.hire_date OR t.from_date < e.hire_date) AS before_hired FROM t_staff_made.employee e
  LEFT JOIN t_staff_made.department_employee d ON d.employee_id = e.id LEFT JOIN t_staff_made.title t ON t.employee_id = e.id;

-- flights: a booking comes with its passengers, who get a seat each on a plane, and numbers in the form that they have
CREATE SCHEMA t_flights;
CREATE SCHEMA t_flights_made;
CREATE TABLE t_flights.flight (id integer PRIMARY KEY, no char(6) NOT NULL, leaves timestamptz NOT NULL, UNIQUE (no, leaves));
CREATE TABLE t_flights.booking (book_ref char(6) PRIMARY KEY, book_date date NOT NULL, amount numeric(10, 2) NOT NULL);
CREATE TABLE t_flights.ticket (no char(13) PRIMARY KEY, book_ref char(6) NOT NULL REFERENCES t_flights.booking, passenger_id varchar(20) NOT NULL, passenger_name text NOT NULL);
CREATE TABLE t_flights.leg (ticket char(13) REFERENCES t_flights.ticket, flight integer REFERENCES t_flights.flight, fare text NOT NULL CHECK (fare IN ('Economy', 'Business')), PRIMARY KEY (ticket, flight));
CREATE TABLE t_flights.boarding_pass (ticket char(13), flight integer, seat varchar(4) NOT NULL, PRIMARY KEY (ticket, flight), UNIQUE (flight, seat),
	FOREIGN KEY (ticket, flight) REFERENCES t_flights.leg);
INSERT INTO t_flights.flight SELECT i, 'PG' || lpad((i % 7)::text, 4, '0'), timestamptz '2017-07-01 06:00+00' + i * interval '7 hours' FROM generate_series(1, 30) i;
INSERT INTO t_flights.booking SELECT upper(lpad(to_hex(i * 3571 + 1000), 6, '0')), date '2017-06-01' + (i * 97) % 60, 3000 + (i * 700) % 60000 FROM generate_series(1, 300) i;
INSERT INTO t_flights.ticket SELECT '0005432' || lpad((i * 10 + k)::text, 6, '0'), upper(lpad(to_hex(i * 3571 + 1000), 6, '0')), lpad(((i * 7919 + k * 13) % 10000)::text, 4, '0') || ' ' || lpad(((i * 104729 + k) % 1000000)::text, 6, '0'),
	'NAME' || i % 300 || ' SURNAME' || k FROM generate_series(1, 300) i, generate_series(1, 2) k WHERE k <= 1 + i % 2;
INSERT INTO t_flights.leg SELECT no, 1 + row_number() OVER (ORDER BY no) % 30, CASE WHEN right(no, 2)::integer % 5 > 0 THEN 'Economy' ELSE 'Business' END FROM t_flights.ticket;
INSERT INTO t_flights.boarding_pass SELECT ticket, flight, 1 + s / 4 || (ARRAY['A', 'C', 'D', 'F'])[1 + s % 4]
  FROM (SELECT *, (5 * flight + 7 * row_number() OVER (PARTITION BY flight ORDER BY ticket)) % 120 AS s FROM t_flights.leg) l;
-- what has times, and people must refer to, is not public where the data is not looked at either
SELECT replace(line, 'public.', '') FROM dp_suggest_protection('t_flights', false) line WHERE line ~ 'booking|flight''\)' AND line ~ 'SELECT';
DROP TABLE script;
CREATE TEMP TABLE script AS SELECT line, n FROM dp_suggest_protection('t_flights') WITH ORDINALITY s (line, n);
SELECT replace(line, 'public.', '') FROM script WHERE line ~ 'dp_protect|declare_public|passenger_id' ORDER BY n;
SELECT pg_temp.run();
SELECT count(*) FROM dp_create_synthetic('t_flights', 't_flights_made', 9, 1e-9, seed => 1);
SELECT pg_temp.lost('t_flights', 't_flights_made');
SELECT bool_and(passenger_id ~ '^[0-9]{4} [0-9]{6}$') AS form, count(DISTINCT passenger_id) = count(*) AS differ FROM t_flights_made.ticket;
SELECT (SELECT count(*) FROM t_flights_made.boarding_pass) >= 0.9 * count(*) AS seated FROM t_flights_made.leg;

-- a school: the section that pupils are in is a teacher's, and what they were at is of that section, too
CREATE SCHEMA t_school;
CREATE SCHEMA t_school_made;
CREATE TABLE t_school.course (id integer PRIMARY KEY, title text NOT NULL);
CREATE TABLE t_school.teacher (id integer PRIMARY KEY, subject text NOT NULL CHECK (subject IN ('math', 'art')), mentor integer REFERENCES t_school.teacher);
CREATE TABLE t_school.section (id integer PRIMARY KEY, course integer NOT NULL REFERENCES t_school.course, year integer NOT NULL CHECK (year BETWEEN 2020 AND 2023),
	teacher integer NOT NULL REFERENCES t_school.teacher, UNIQUE (course, year));
CREATE TABLE t_school.student (id uuid PRIMARY KEY, grade integer NOT NULL CHECK (grade BETWEEN 1 AND 12), sibling uuid REFERENCES t_school.student, ip inet NOT NULL, CHECK (sibling <> id));
CREATE TABLE t_school.enrolled (student uuid REFERENCES t_school.student, section integer REFERENCES t_school.section, mark integer CHECK (mark BETWEEN 0 AND 100), PRIMARY KEY (student, section));
CREATE TABLE t_school.attended (student uuid, section integer, day date, PRIMARY KEY (student, section, day), FOREIGN KEY (student, section) REFERENCES t_school.enrolled);
CREATE TABLE t_school.guardian (id serial PRIMARY KEY, phone text, speaks text CHECK (speaks IN ('de', 'en')));
CREATE TABLE t_school.guards (student uuid REFERENCES t_school.student, guardian integer REFERENCES t_school.guardian, PRIMARY KEY (student, guardian));
INSERT INTO t_school.course SELECT i, 'Course ' || i FROM generate_series(1, 20) i;
INSERT INTO t_school.teacher SELECT i, CASE WHEN i % 2 = 0 THEN 'math' ELSE 'art' END, CASE WHEN i > 3 THEN i % 3 + 1 END FROM generate_series(1, 60) i;
INSERT INTO t_school.section SELECT c * 10 + y, c, 2020 + y, 1 + (c * 4 + y) % 60 FROM generate_series(1, 20) c, generate_series(0, 2) y;
INSERT INTO t_school.student SELECT md5(i::text)::uuid, 1 + i % 12, CASE WHEN i % 3 = 0 THEN md5((i - 1)::text)::uuid END, '10.0.0.0'::inet + i FROM generate_series(1, 300) i;
INSERT INTO t_school.enrolled SELECT md5(i::text)::uuid, (1 + (i + k * 7) % 20) * 10 + i % 3, 40 + i * k % 60 FROM generate_series(1, 300) i, generate_series(1, 2) k;
INSERT INTO t_school.attended SELECT student, section, date '2022-01-01' + section + k * 7 FROM t_school.enrolled, generate_series(1, 2) k;
INSERT INTO t_school.guardian (phone, speaks) SELECT '+49 ' || i, CASE WHEN i % 4 = 0 THEN 'en' ELSE 'de' END FROM generate_series(1, 100) i;
INSERT INTO t_school.guards SELECT md5(i::text)::uuid, 1 + (i + k * 50) % 100 FROM generate_series(1, 300) i, generate_series(0, 1) k;
DROP TABLE script;
CREATE TEMP TABLE script AS SELECT line, n FROM dp_suggest_protection('t_school') WITH ORDINALITY s (line, n);
SELECT replace(line, 'public.', '') FROM script WHERE line ~ 'dp_protect|declare_public' ORDER BY n;
SELECT pg_temp.run();
SELECT count(*) FROM dp_create_synthetic('t_school', 't_school_made', 9, 1e-9, seed => 1);
SELECT pg_temp.lost('t_school', 't_school_made');
SELECT count(DISTINCT e.section) > 8 AS sections, count(*) > 500 AS attended, bool_and(a.section > 0) AS turned FROM t_school_made.attended a JOIN t_school_made.enrolled e USING (student, section);
SELECT count(sibling) BETWEEN 50 AND 150 AS siblings, count(DISTINCT ip) > 100 AS addresses FROM t_school_made.student;

-- a clinical data model: of many concepts few occur in a column, and a date follows from a time that could be NULL
CREATE SCHEMA t_clinic;
CREATE SCHEMA t_clinic_made;
CREATE TABLE t_clinic.concept (id integer PRIMARY KEY, name text NOT NULL, vocabulary text NOT NULL);
CREATE TABLE t_clinic.person (id integer PRIMARY KEY, gender integer NOT NULL REFERENCES t_clinic.concept, year_of_birth integer NOT NULL, birth_datetime timestamp);
CREATE TABLE t_clinic.visit (id integer PRIMARY KEY, person integer NOT NULL REFERENCES t_clinic.person, kind integer NOT NULL REFERENCES t_clinic.concept, start_date date NOT NULL, end_date date NOT NULL);
CREATE TABLE t_clinic.condition (id integer PRIMARY KEY, person integer NOT NULL REFERENCES t_clinic.person, concept integer NOT NULL REFERENCES t_clinic.concept,
	start_date date NOT NULL, end_date date, visit integer REFERENCES t_clinic.visit);
INSERT INTO t_clinic.concept SELECT i, 'Concept ' || i, 'v' || i % 5 FROM generate_series(1, 1000) i;
INSERT INTO t_clinic.person SELECT i, CASE WHEN i % 2 = 0 THEN 507 ELSE 532 END, 1930 + (i * 17) % 80, make_timestamp(1930 + (i * 17) % 80, 1 + i % 12, 1 + i % 28, 0, 0, 0) FROM generate_series(1, 300) i;
INSERT INTO t_clinic.visit SELECT row_number() OVER (), i, 200 + k % 3, d, d + i % 5 FROM (SELECT i, k, date '2010-06-01' + (i * 13) % 1000 + k * 200 AS d FROM generate_series(1, 300) i, generate_series(0, 2) k WHERE k <= i % 3) v;
INSERT INTO t_clinic.condition SELECT id, person, 300 + (person * 3 + id) % 50, start_date, CASE WHEN id % 3 = 0 THEN start_date + 20 + person % 30 END, id FROM t_clinic.visit WHERE id % 4 < 3;
DROP TABLE script;
CREATE TEMP TABLE script AS SELECT line, n FROM dp_suggest_protection('t_clinic') WITH ORDINALITY s (line, n);
SELECT replace(line, 'public.', '') FROM script WHERE line ~ 'dp_protect|declare_public|gender|year_of_birth|offset_of' ORDER BY n;
SELECT pg_temp.run();
SELECT count(*) FROM dp_create_synthetic('t_clinic', 't_clinic_made', 9, 1e-9, seed => 1);
SELECT pg_temp.lost('t_clinic', 't_clinic_made');
SELECT array_agg(DISTINCT gender ORDER BY gender) AS genders, bool_and(year_of_birth = extract(year FROM birth_datetime)) AS born FROM t_clinic_made.person;
SELECT count(*) FILTER (WHERE c.start_date < v.start_date OR c.end_date < c.start_date OR v.end_date < v.start_date) AS disordered, count(*) FILTER (WHERE c.person <> v.person) AS of_others
  FROM t_clinic_made.condition c JOIN t_clinic_made.visit v ON v.id = c.visit;
DROP SCHEMA t_staff_made, t_staff, t_flights_made, t_flights, t_school_made, t_school, t_clinic_made, t_clinic CASCADE;
