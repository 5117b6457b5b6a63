-- Databases in the shapes that people and textbooks have: by the script as it is printed, and one call, with every table
-- and every key.
\set VERBOSITY terse
SET client_min_messages = error;
SET TimeZone = 'UTC';
CREATE TEMP TABLE script (line text, n bigint);
-- what is missing in the copy, and tables that have no rows there
CREATE FUNCTION pg_temp.lost(sources text, made name) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	schemas regnamespace[] := CASE WHEN sources LIKE '{%' THEN sources ELSE '{' || sources || '}' END;
	any_schema text := '\m(' || array_to_string(schemas || made::regnamespace, '|') || ')\.';
	item record;
	n bigint;
BEGIN
	FOR item IN SELECT c.relname, (SELECT m.oid::regclass FROM pg_class m WHERE m.relname = c.relname AND m.relnamespace = made::regnamespace) AS made
				  FROM pg_class c WHERE c.relnamespace = ANY (schemas) AND c.relkind = 'r' ORDER BY 1 LOOP
		EXECUTE format('SELECT count(*) FROM %s', item.made) INTO n;
		IF n = 0 THEN
			RETURN NEXT item.relname || ' is empty';
		END IF;
	END LOOP;
	RETURN QUERY SELECT d FROM (SELECT format('%s %s', c.relname, regexp_replace(pg_get_constraintdef(k.oid), any_schema, '', 'g')) AS d
								  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE c.relnamespace = ANY (schemas) AND k.contype <> 'n'
								EXCEPT SELECT format('%s %s', c.relname, regexp_replace(pg_get_constraintdef(k.oid), any_schema, '', 'g'))
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
TRUNCATE script;
INSERT INTO script SELECT line, n FROM dp_suggest_protection('t_staff') WITH ORDINALITY s (line, n);
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
TRUNCATE script;
INSERT INTO script SELECT line, n FROM dp_suggest_protection('t_flights') WITH ORDINALITY s (line, n);
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
TRUNCATE script;
INSERT INTO script SELECT line, n FROM dp_suggest_protection('t_school') WITH ORDINALITY s (line, n);
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
TRUNCATE script;
INSERT INTO script SELECT line, n FROM dp_suggest_protection('t_clinic') WITH ORDINALITY s (line, n);
SELECT replace(line, 'public.', '') FROM script WHERE line ~ 'dp_protect|declare_public|gender|year_of_birth|offset_of' ORDER BY n;
SELECT pg_temp.run();
SELECT count(*) FROM dp_create_synthetic('t_clinic', 't_clinic_made', 9, 1e-9, seed => 1);
SELECT pg_temp.lost('t_clinic', 't_clinic_made');
SELECT array_agg(DISTINCT gender ORDER BY gender) AS genders, bool_and(year_of_birth = extract(year FROM birth_datetime)) AS born FROM t_clinic_made.person;
SELECT count(*) FILTER (WHERE c.start_date < v.start_date OR c.end_date < c.start_date OR v.end_date < v.start_date) AS disordered, count(*) FILTER (WHERE c.person <> v.person) AS of_others
  FROM t_clinic_made.condition c JOIN t_clinic_made.visit v ON v.id = c.visit;
DROP SCHEMA t_staff_made, t_staff, t_flights_made, t_flights, t_school_made, t_school, t_clinic_made, t_clinic CASCADE;

-- a library: what is borrowed is nobody's, and nothing comes back before it was lent
CREATE SCHEMA t_library; CREATE SCHEMA t_library_made;
CREATE TABLE t_library.publisher (id serial PRIMARY KEY, name text NOT NULL UNIQUE, city text);
CREATE TABLE t_library.author (id serial PRIMARY KEY, full_name text NOT NULL, born smallint);
CREATE TABLE t_library.book (isbn char(13) PRIMARY KEY CHECK (isbn ~ '^[0-9]{13}$'), title text NOT NULL, publisher integer REFERENCES t_library.publisher, published smallint CHECK (published BETWEEN 1450 AND 2100), language char(2) NOT NULL DEFAULT 'en', tags text[]);
CREATE TABLE t_library.book_author (isbn char(13) REFERENCES t_library.book ON DELETE CASCADE, author integer REFERENCES t_library.author, place smallint NOT NULL DEFAULT 1, PRIMARY KEY (isbn, author));
CREATE TABLE t_library.branch (id smallint PRIMARY KEY, name text NOT NULL, address text);
CREATE TABLE t_library.copy (id serial PRIMARY KEY, isbn char(13) NOT NULL REFERENCES t_library.book, branch smallint NOT NULL REFERENCES t_library.branch, acquired date NOT NULL, condition text NOT NULL DEFAULT 'good' CHECK (condition IN ('new', 'good', 'worn')));
CREATE TYPE t_library.membership AS ENUM ('child', 'adult', 'senior');
CREATE DOMAIN t_library.email AS text CHECK (VALUE ~ '^[^@]+@[^@]+$');
CREATE TABLE t_library.member (id serial PRIMARY KEY, card_no char(8) NOT NULL UNIQUE, first_name text NOT NULL, last_name text NOT NULL, email t_library.email UNIQUE, birth_date date, kind t_library.membership NOT NULL, joined date NOT NULL DEFAULT current_date, branch smallint REFERENCES t_library.branch, CHECK (joined > birth_date));
CREATE TABLE t_library.loan (id bigserial PRIMARY KEY, member integer NOT NULL REFERENCES t_library.member, copy integer NOT NULL REFERENCES t_library.copy, lent_at timestamp NOT NULL, due date NOT NULL, returned_at timestamp, renewals smallint NOT NULL DEFAULT 0 CHECK (renewals BETWEEN 0 AND 5), CHECK (returned_at IS NULL OR returned_at >= lent_at), CHECK (due >= lent_at::date), UNIQUE (copy, lent_at));
CREATE TABLE t_library.reservation (member integer REFERENCES t_library.member, isbn char(13) REFERENCES t_library.book, placed_at timestamp NOT NULL, fulfilled boolean NOT NULL DEFAULT false, PRIMARY KEY (member, isbn, placed_at));
CREATE TABLE t_library.fine (loan bigint PRIMARY KEY REFERENCES t_library.loan, amount numeric(6, 2) NOT NULL CHECK (amount > 0), paid_on date);
INSERT INTO t_library.publisher (name, city) SELECT 'Publisher ' || i, 'City ' || i % 9 FROM generate_series(1, 25) i;
INSERT INTO t_library.author (full_name, born) SELECT 'Author ' || i, 1900 + i % 90 FROM generate_series(1, 150) i;
INSERT INTO t_library.book SELECT lpad((9780000000000 + i * 37)::text, 13, '0'), 'Title ' || i, 1 + i % 25, 1950 + i % 70, (ARRAY['en', 'de', 'fr'])[1 + i % 3], ARRAY['t' || i % 5] FROM generate_series(1, 300) i;
INSERT INTO t_library.book_author SELECT isbn, 1 + (row_number() OVER () * k * 7) % 150, k FROM t_library.book, generate_series(1, 2) k ON CONFLICT DO NOTHING;
INSERT INTO t_library.branch SELECT i, 'Branch ' || i, 'Street ' || i FROM generate_series(1, 4) i;
INSERT INTO t_library.copy (isbn, branch, acquired, condition) SELECT isbn, 1 + (k * 3 + row_number() OVER ()) % 4, date '2005-01-01' + (row_number() OVER () * 13)::int % 5000, (ARRAY['new', 'good', 'worn'])[1 + k % 3] FROM t_library.book, generate_series(1, 3) k;
INSERT INTO t_library.member (card_no, first_name, last_name, email, birth_date, kind, joined, branch) SELECT 'L' || lpad(i::text, 7, '0'), 'First' || i % 40, 'Last' || i % 333, 'm' || i || '@mail.org', date '1940-01-01' + (i * 97) % 27000, (ARRAY['child', 'adult', 'senior'])[1 + i % 3]::t_library.membership, date '2015-01-01' + (i * 11) % 3000, 1 + i % 4 FROM generate_series(1, 600) i;
INSERT INTO t_library.loan (member, copy, lent_at, due, returned_at, renewals) SELECT m, 1 + (m * k * 17) % 900, t, t::date + 28, CASE WHEN (m + k) % 7 > 0 THEN t + ((m * k) % 40 || ' days')::interval END, k % 3
  FROM (SELECT i AS m, k, timestamp '2023-01-01 09:00' + ((i * 3 + k * 50) % 600) * interval '1 day' + (i * k % 480) * interval '1 minute' AS t FROM generate_series(1, 600) i, generate_series(1, 5) k WHERE k <= 1 + i % 5) x ON CONFLICT DO NOTHING;
INSERT INTO t_library.reservation SELECT i, (SELECT isbn FROM t_library.book OFFSET (i * 7) % 300 LIMIT 1), timestamp '2023-02-01' + i * interval '9 hours', i % 2 = 0 FROM generate_series(1, 600, 2) i;
INSERT INTO t_library.fine SELECT id, 0.5 + id % 20, CASE WHEN id % 2 = 0 THEN returned_at::date END FROM t_library.loan WHERE returned_at::date > due;
TRUNCATE script;
INSERT INTO script SELECT line, n FROM dp_suggest_protection('t_library') WITH ORDINALITY s (line, n);
SELECT replace(line, 'public.', '') FROM script WHERE line ~ 'dp_protect|public\(|email|card_no|returned_at|paid_on' ORDER BY n;
SELECT pg_temp.run() > 0;
SELECT count(*) FROM dp_create_synthetic('t_library', 't_library_made', 9, 1e-9, seed => 1, options => '{"method": "mst"}');
SELECT pg_temp.lost('t_library', 't_library_made');
SELECT bool_and(returned_at >= lent_at AND due >= lent_at::date) AS ordered, count(DISTINCT copy) > 200 AS copies FROM t_library_made.loan;
SELECT bool_and(card_no ~ '^L[0-9]{7}$') AS form, bool_and(joined > birth_date) AS ordered, count(DISTINCT kind) AS kinds FROM t_library_made.member;

-- a university: a course is known by two columns, as are what it needs and the rooms; and all teach alone
CREATE SCHEMA t_uni; CREATE SCHEMA t_uni_made;
CREATE TABLE t_uni.department (code varchar(4) PRIMARY KEY, name text NOT NULL, building text, budget numeric(12, 2) CHECK (budget > 0));
CREATE TABLE t_uni.course (department varchar(4) REFERENCES t_uni.department, number smallint CHECK (number BETWEEN 100 AND 799), title text NOT NULL, credits smallint NOT NULL CHECK (credits IN (1, 2, 3, 4)), PRIMARY KEY (department, number));
CREATE TABLE t_uni.prerequisite (department varchar(4), number smallint, needs_department varchar(4), needs_number smallint, PRIMARY KEY (department, number, needs_department, needs_number),
	FOREIGN KEY (department, number) REFERENCES t_uni.course ON DELETE CASCADE, FOREIGN KEY (needs_department, needs_number) REFERENCES t_uni.course, CHECK ((department, number) <> (needs_department, needs_number)));
CREATE TABLE t_uni.instructor (id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, name text NOT NULL, department varchar(4) REFERENCES t_uni.department, salary numeric(8, 2) CHECK (salary > 29000), hired date NOT NULL);
CREATE TABLE t_uni.room (building text, number text, capacity smallint NOT NULL CHECK (capacity > 0), PRIMARY KEY (building, number));
CREATE TABLE t_uni.section (id serial PRIMARY KEY, department varchar(4) NOT NULL, number smallint NOT NULL, term text NOT NULL CHECK (term IN ('spring', 'summer', 'fall')), year smallint NOT NULL CHECK (year BETWEEN 2000 AND 2100), section_no smallint NOT NULL, building text, room text, slot char(1),
	UNIQUE (department, number, term, year, section_no), FOREIGN KEY (department, number) REFERENCES t_uni.course, FOREIGN KEY (building, room) REFERENCES t_uni.room (building, number));
CREATE TABLE t_uni.teaches (instructor integer REFERENCES t_uni.instructor, section integer REFERENCES t_uni.section, share numeric(3, 2) NOT NULL DEFAULT 1 CHECK (share > 0 AND share <= 1), PRIMARY KEY (instructor, section));
CREATE TABLE t_uni.student (matriculation char(7) PRIMARY KEY, name text NOT NULL, email text NOT NULL UNIQUE, born date, department varchar(4) REFERENCES t_uni.department, total_credits smallint NOT NULL DEFAULT 0 CHECK (total_credits >= 0), advisor integer REFERENCES t_uni.instructor, enrolled_on date NOT NULL, CHECK (enrolled_on > born));
CREATE TABLE t_uni.takes (student char(7) REFERENCES t_uni.student ON DELETE CASCADE, section integer REFERENCES t_uni.section, grade varchar(2) CHECK (grade IN ('A', 'A-', 'B+', 'B', 'C', 'F')), points numeric(2, 1), enrolled_at timestamptz NOT NULL, PRIMARY KEY (student, section));
CREATE TABLE t_uni.attendance (student char(7), section integer, day date, present boolean NOT NULL, PRIMARY KEY (student, section, day), FOREIGN KEY (student, section) REFERENCES t_uni.takes);
INSERT INTO t_uni.department SELECT (ARRAY['CS', 'MATH', 'PHYS', 'HIST', 'BIO'])[i], 'Department ' || i, 'Hall ' || i, 100000 * i FROM generate_series(1, 5) i;
INSERT INTO t_uni.course SELECT code, 100 + i * 10, code || ' course ' || i, 1 + i % 4 FROM t_uni.department, generate_series(1, 12) i;
INSERT INTO t_uni.prerequisite SELECT department, number, department, number - 10 FROM t_uni.course WHERE number > 130;
INSERT INTO t_uni.instructor (name, department, salary, hired) SELECT 'Prof ' || i, (ARRAY['CS', 'MATH', 'PHYS', 'HIST', 'BIO'])[1 + i % 5], 50000 + i * 700, date '1990-01-01' + i * 100 FROM generate_series(1, 60) i;
INSERT INTO t_uni.room SELECT 'Hall ' || b, (100 + r)::text, 20 + 10 * (r % 5) FROM generate_series(1, 5) b, generate_series(1, 6) r;
INSERT INTO t_uni.section (department, number, term, year, section_no, building, room, slot) SELECT department, number, (ARRAY['spring', 'fall'])[1 + y % 2], 2020 + y, s, 'Hall ' || 1 + (number / 10 + s) % 5, (101 + (y + s) % 6)::text, chr(65 + s) FROM t_uni.course, generate_series(0, 2) y, generate_series(1, 2) s;
INSERT INTO t_uni.teaches SELECT 1 + (id * 7) % 60, id, 1 FROM t_uni.section;
INSERT INTO t_uni.student SELECT lpad((4000000 + i * 13)::text, 7, '0'), 'Student ' || i, 's' || i || '@uni.edu', date '1998-01-01' + (i * 5) % 2000, (ARRAY['CS', 'MATH', 'PHYS', 'HIST', 'BIO'])[1 + i % 5], i % 120, CASE WHEN i % 4 > 0 THEN 1 + i % 60 END, date '2019-09-01' + 365 * (i % 3) FROM generate_series(1, 400) i;
INSERT INTO t_uni.takes SELECT matriculation, 1 + (r * k * 11) % 360, g, CASE g WHEN 'A' THEN 4.0 WHEN 'A-' THEN 3.7 WHEN 'B+' THEN 3.3 WHEN 'B' THEN 3.0 WHEN 'C' THEN 2.0 WHEN 'F' THEN 0.0 END, enrolled_on + r % 300 * interval '1 day'
  FROM (SELECT matriculation, enrolled_on, row_number() OVER () AS r, k, (ARRAY['A', 'A-', 'B+', 'B', 'C', 'F', NULL])[1 + (row_number() OVER () * k) % 7] AS g FROM t_uni.student, generate_series(1, 4) k) x ON CONFLICT DO NOTHING;
INSERT INTO t_uni.attendance SELECT student, section, enrolled_at::date + 7 * k, k % 3 > 0 FROM t_uni.takes, generate_series(1, 3) k WHERE section % 3 = 0;
TRUNCATE script;
INSERT INTO script SELECT line, n FROM dp_suggest_protection('t_uni') WITH ORDINALITY s (line, n);
SELECT replace(line, 'public.', '') FROM script WHERE line ~ 'dp_protect|public\(|share|email|''day''' ORDER BY n;
SELECT pg_temp.run() > 0;
SELECT count(*) FROM dp_create_synthetic('t_uni', 't_uni_made', 9, 1e-9, seed => 1, options => '{"method": "mst"}');
SELECT pg_temp.lost('t_uni', 't_uni_made');
SELECT bool_and(share = 1) AS alone FROM t_uni_made.teaches;
SELECT count(*) > 600 AS days FROM t_uni_made.attendance a JOIN t_uni_made.student s ON s.matriculation = a.student;

-- a helpdesk: who answers is one of those who ask, settings are jsonb, and tickets are numbered within their category
CREATE SCHEMA t_desk; CREATE SCHEMA t_desk_made;
CREATE TYPE t_desk.priority AS ENUM ('low', 'normal', 'high', 'urgent');
CREATE TABLE t_desk.organization (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, plan text NOT NULL CHECK (plan IN ('free', 'team', 'enterprise')), created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE t_desk.agent_group (id integer PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE t_desk."user" (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), organization bigint REFERENCES t_desk.organization, email text NOT NULL UNIQUE, display_name text NOT NULL, role text NOT NULL DEFAULT 'customer' CHECK (role IN ('customer', 'agent', 'admin')), agent_group integer REFERENCES t_desk.agent_group, settings jsonb NOT NULL DEFAULT '{}', phone varchar(20), created_at timestamptz NOT NULL, last_login timestamptz, CHECK (role <> 'customer' OR agent_group IS NULL), CHECK (last_login >= created_at));
CREATE TABLE t_desk.category (id integer PRIMARY KEY, parent integer REFERENCES t_desk.category, name text NOT NULL);
CREATE TABLE t_desk.sla (priority t_desk.priority PRIMARY KEY, first_reply interval NOT NULL, resolve interval NOT NULL);
CREATE TABLE t_desk.ticket (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, number text NOT NULL UNIQUE CHECK (number ~ '^T-[0-9]+$'), requester uuid NOT NULL REFERENCES t_desk."user", assignee uuid REFERENCES t_desk."user", category integer NOT NULL REFERENCES t_desk.category, priority t_desk.priority NOT NULL DEFAULT 'normal' REFERENCES t_desk.sla, status text NOT NULL CHECK (status IN ('new', 'open', 'pending', 'solved', 'closed')), subject text NOT NULL, body text, opened_at timestamptz NOT NULL, first_reply_at timestamptz, solved_at timestamptz, satisfaction smallint CHECK (satisfaction BETWEEN 1 AND 5), channel text, merged_into bigint REFERENCES t_desk.ticket, category_no integer NOT NULL, UNIQUE (category, category_no),
	CHECK (status NOT IN ('solved', 'closed') OR solved_at IS NOT NULL), CHECK (solved_at >= opened_at), CHECK (first_reply_at >= opened_at), CHECK (merged_into <> id), CHECK (satisfaction IS NULL OR status IN ('solved', 'closed')));
CREATE TABLE t_desk.comment (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ticket bigint NOT NULL REFERENCES t_desk.ticket ON DELETE CASCADE, author uuid NOT NULL REFERENCES t_desk."user", reply_to bigint REFERENCES t_desk.comment, body text NOT NULL, is_public boolean NOT NULL DEFAULT true, created_at timestamptz NOT NULL);
CREATE TABLE t_desk.attachment (id uuid PRIMARY KEY, comment bigint NOT NULL REFERENCES t_desk.comment, file_name text NOT NULL, bytes bigint NOT NULL CHECK (bytes > 0), content bytea, mime text NOT NULL);
CREATE TABLE t_desk.tag (id serial PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE t_desk.ticket_tag (ticket bigint REFERENCES t_desk.ticket, tag integer REFERENCES t_desk.tag, PRIMARY KEY (ticket, tag));
CREATE TABLE t_desk.status_change (ticket bigint REFERENCES t_desk.ticket, seq smallint, from_status text, to_status text NOT NULL, by_user uuid REFERENCES t_desk."user", at timestamptz NOT NULL, PRIMARY KEY (ticket, seq));
CREATE TABLE t_desk.worklog (id serial PRIMARY KEY, ticket bigint NOT NULL REFERENCES t_desk.ticket, agent uuid NOT NULL REFERENCES t_desk."user", worked tstzrange NOT NULL CHECK (NOT isempty(worked)), billable boolean NOT NULL);
INSERT INTO t_desk.organization (name, plan, created_at) SELECT 'Org ' || i, (ARRAY['free', 'team', 'enterprise'])[1 + i % 3], timestamptz '2018-01-01' + i * interval '11 days' FROM generate_series(1, 80) i;
INSERT INTO t_desk.agent_group SELECT i, 'Group ' || i FROM generate_series(1, 5) i;
INSERT INTO t_desk."user" (id, organization, email, display_name, role, agent_group, settings, phone, created_at, last_login) SELECT md5('u' || i)::uuid, 1 + i % 80, 'u' || i || '@x.org', 'User ' || i % 190, CASE WHEN i % 10 = 0 THEN 'agent' WHEN i % 97 = 0 THEN 'admin' ELSE 'customer' END, CASE WHEN i % 10 = 0 THEN 1 + i % 5 END,
	jsonb_build_object('lang', (ARRAY['en', 'de'])[1 + i % 2], 'signature', md5(i::text)), '+49' || lpad((i * 7919 % 1000000)::text, 7, '0'), timestamptz '2020-01-01' + i * interval '13 hours', CASE WHEN i % 5 > 0 THEN timestamptz '2020-01-01' + i * interval '13 hours' + (i % 90) * interval '1 day' END FROM generate_series(1, 700) i;
INSERT INTO t_desk.category SELECT i, CASE WHEN i > 4 THEN 1 + i % 4 END, 'Category ' || i FROM generate_series(1, 20) i;
INSERT INTO t_desk.sla SELECT p, (4 - n) * interval '4 hours' + interval '1 hour', (5 - n) * interval '2 days' FROM unnest(enum_range(NULL::t_desk.priority)) WITH ORDINALITY u (p, n);
INSERT INTO t_desk.ticket (number, requester, assignee, category, priority, status, subject, body, opened_at, first_reply_at, solved_at, satisfaction, channel, merged_into, category_no)
	SELECT 'T-' || n, md5('u' || i)::uuid, CASE WHEN n % 6 > 0 THEN md5('u' || 10 * (1 + n % 70))::uuid END, 1 + n % 20, (enum_range(NULL::t_desk.priority))[1 + n % 4], s, 'Subject ' || md5(n::text), md5(n::text) || ' text', t, CASE WHEN n % 6 > 0 THEN t + (n % 30) * interval '1 hour' END, CASE WHEN s IN ('solved', 'closed') THEN t + (n % 90) * interval '3 hours' END, CASE WHEN s = 'closed' AND n % 3 > 0 THEN 1 + n % 5 END, (ARRAY['web', 'mail', 'chat'])[1 + n % 3], CASE WHEN n % 40 = 0 THEN n - 3 END, 1 + n / 20
	FROM (SELECT i, row_number() OVER (ORDER BY i, k) AS n, timestamptz '2021-06-01' + ((i * 37 + k * 111) % 1000) * interval '17 hours' AS t, (ARRAY['new', 'open', 'pending', 'solved', 'closed'])[1 + (i * k) % 5] AS s FROM generate_series(1, 700) i, generate_series(1, 3) k WHERE k <= i % 4 AND i % 10 > 0) x;
INSERT INTO t_desk.comment (ticket, author, reply_to, body, is_public, created_at) SELECT id, CASE WHEN k % 2 = 1 THEN requester ELSE coalesce(assignee, requester) END, NULL, md5((id * k)::text), k % 3 > 0, opened_at + k * interval '5 hours' FROM t_desk.ticket, generate_series(1, 4) k WHERE k <= 1 + id % 4;
UPDATE t_desk.comment c SET reply_to = c.id - 1 WHERE EXISTS (SELECT FROM t_desk.comment d WHERE d.id = c.id - 1 AND d.ticket = c.ticket);
INSERT INTO t_desk.attachment SELECT md5(id::text)::uuid, id, 'file' || id || '.png', 1000 + id * 7, '\x00', (ARRAY['image/png', 'text/plain'])[1 + id % 2] FROM t_desk.comment WHERE id % 5 = 0;
INSERT INTO t_desk.tag (name) SELECT 'tag' || i FROM generate_series(1, 30) i;
INSERT INTO t_desk.ticket_tag SELECT id, 1 + (id * k * 3) % 30 FROM t_desk.ticket, generate_series(1, 2) k ON CONFLICT DO NOTHING;
INSERT INTO t_desk.status_change SELECT id, k, CASE WHEN k > 1 THEN 'open' END, CASE WHEN k = 1 THEN 'open' ELSE status END, assignee, opened_at + k * interval '2 hours' FROM t_desk.ticket, generate_series(1, 2) k;
INSERT INTO t_desk.worklog (ticket, agent, worked, billable) SELECT id, assignee, tstzrange(opened_at + interval '1 hour', opened_at + interval '1 hour' + (10 + id % 90) * interval '1 minute'), id % 2 = 0 FROM t_desk.ticket WHERE assignee IS NOT NULL AND id % 2 = 0;
TRUNCATE script;
INSERT INTO script SELECT line, n FROM dp_suggest_protection('t_desk') WITH ORDINALITY s (line, n);
SELECT replace(line, 'public.', '') FROM script WHERE line ~ 'dp_protect|public\(|email|settings|content|_no''' ORDER BY n;
SELECT pg_temp.run() > 0;
SELECT count(*) FROM dp_create_synthetic('t_desk', 't_desk_made', 9, 1e-9, seed => 1, options => '{"method": "mst"}');
SELECT pg_temp.lost('t_desk', 't_desk_made');
SELECT bool_and(email::text ~ '@') AS mail, bool_and(settings - 'lang' = '{}') AS of_fields, count(DISTINCT settings) > 1 AS settings FROM t_desk_made."user";
SELECT bool_and(n = most) AS numbered FROM (SELECT count(*) AS n, max(category_no) AS most FROM t_desk_made.ticket GROUP BY category) c;
SELECT bool_and(status NOT IN ('solved', 'closed') OR solved_at >= opened_at) AS solved FROM t_desk_made.ticket;
SELECT count(DISTINCT content) = count(*) AS contents, bool_and(length(content) = 16) AS bytes FROM t_desk_made.attachment;

DROP SCHEMA t_library_made, t_library, t_uni_made, t_uni, t_desk_made, t_desk CASCADE;

-- a telephone company in two schemas: what is whose is seen across them, and the addresses of a list of who lives where are people's
CREATE SCHEMA t_crm; CREATE SCHEMA t_net; CREATE SCHEMA t_phones_made;
CREATE TABLE t_crm.subscriber (id integer PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, born date NOT NULL);
CREATE TABLE t_crm.address (id integer PRIMARY KEY, street text NOT NULL, floor smallint NOT NULL);
CREATE TABLE t_crm.lives_at (subscriber integer REFERENCES t_crm.subscriber, address integer REFERENCES t_crm.address, kind text NOT NULL CHECK (kind IN ('home', 'work')), PRIMARY KEY (subscriber, address));
CREATE TABLE t_net.tariff (code char(2) PRIMARY KEY, monthly integer NOT NULL);
CREATE TABLE t_net.review (id serial PRIMARY KEY, tariff_id char(2) NOT NULL REFERENCES t_net.tariff, stars smallint NOT NULL CHECK (stars BETWEEN 1 AND 5));
CREATE TABLE t_net.card (iccid char(8) PRIMARY KEY, subscriber integer NOT NULL REFERENCES t_crm.subscriber, tariff char(2) NOT NULL REFERENCES t_net.tariff, active boolean NOT NULL, ordered date NOT NULL, shipped date, due date NOT NULL);
INSERT INTO t_crm.subscriber SELECT i, 'First' || i % 30, 'Last' || i, date '1950-01-01' + (i * 37) % 20000 FROM generate_series(1, 400) i;
INSERT INTO t_crm.address SELECT i, 'Street ' || i, i % 6 FROM generate_series(1, 420) i;
INSERT INTO t_crm.lives_at SELECT 1 + (i - 1) % 400, i, CASE WHEN i % 3 = 0 THEN 'work' ELSE 'home' END FROM generate_series(1, 420) i;
INSERT INTO t_net.tariff SELECT 'T' || i, 10 * i FROM generate_series(1, 6) i;
INSERT INTO t_net.review (tariff_id, stars) SELECT 'T' || 1 + i % 6, 1 + i % 5 FROM generate_series(1, 60) i;
INSERT INTO t_net.card SELECT lpad(i::text, 8, '0'), 1 + i % 400, 'T' || 1 + i % 6, i % 4 > 0, o, o + 2 + i % 5, o + 9 + i % 3 FROM generate_series(1, 500) i, LATERAL (SELECT date '2020-01-01' + (i * 53) % 1500 AS o) o;
SELECT dp_suggest_protection('{t_crm,t_nowhere}');
SET client_min_messages = warning;
SELECT replace(line, 'public.', '') FROM dp_suggest_protection('t_net', false) line WHERE line ~ 'dp_protect|declare_public';
SET client_min_messages = error;
TRUNCATE script;
INSERT INTO script SELECT line, n FROM dp_suggest_protection('{t_crm,t_net}') WITH ORDINALITY s (line, n);
SELECT replace(line, 'public.', '') FROM script WHERE line ~ 'dp_protect|declare_public' ORDER BY n;
-- a date that is always there is not measured from one that may be missing
SELECT replace(line, 'public.', '') FROM script WHERE line ~ '''(shipped|due)''' ORDER BY n;
SELECT pg_temp.run() > 0;
SELECT count(*) > 0 AS explained FROM dp_explain('{t_crm,t_net}', epsilon => 9, delta => 1e-9);
SELECT relation FROM dp_create_synthetic('{t_crm,t_net}', 't_phones_made', 9, 1e-9, seed => 1, options => '{"method": "mst"}') ORDER BY relation::text;
SELECT pg_temp.lost('{t_crm,t_net}', 't_phones_made');
SELECT count(shipped) > 0 AND bool_and(shipped >= ordered AND due >= ordered) AS in_order FROM t_phones_made.card;
SELECT count(DISTINCT split_part(c, '.', 1)) AS tables FROM dp_evaluate('{t_crm,t_net}', 't_phones_made'), unnest(columns::text[]) c WHERE c LIKE '%.%';
DROP SCHEMA t_phones_made, t_net, t_crm CASCADE;
