-- The noise of a sum goes by the range, however wide that is and however much budget there is.
\pset null NULL
\t on
\pset format unaligned
CREATE SCHEMA wide_ranges;
SET search_path = wide_ranges, public;
SET client_min_messages = error;
CREATE TABLE payments (day integer NOT NULL CHECK (day BETWEEN 0 AND 9), cents integer, atoms bigint, at timestamptz);
SELECT dp_protect('payments', epsilon => 1e6, delta => 0.1);
-- one range is 2^40 times the other one
SELECT dp_define_column('payments', 'cents', range => '{0,1024}'), dp_define_column('payments', 'atoms', range => '{0,1125899906842624}');
-- Half of the interval of a measure, in parts of the width of its range. Days have bins that are found,
-- so that all is paid in rho, and the noise is Gaussian.
CREATE FUNCTION part_of_range(measure text, width numeric, epsilon numeric) RETURNS numeric LANGUAGE sql AS $$
	SELECT round(half_width::numeric / width, 9) FROM dp_explain('payments', 'query', epsilon, 1e-9,
		jsonb_build_object('measures', jsonb_build_array(measure), 'by', '["day"]'::jsonb)) e WHERE e.stage = measure
$$;
SELECT epsilon, part_of_range('sum(cents)', 1024, epsilon) > 0 AS noisy,
	   round(part_of_range('sum(atoms)', 1125899906842624, epsilon) / part_of_range('sum(cents)', 1024, epsilon), 1) AS alike
  FROM unnest('{0.5,20,50,1000}'::numeric[]) epsilon;
SELECT DISTINCT mechanism FROM unnest('{0.5,50,1000}'::numeric[]) epsilon, dp_explain('payments', 'query', epsilon, 1e-9,
	'{"measures": ["sum(atoms)"], "by": ["day"]}') e WHERE e.stage ~ 'atoms' AND mechanism IS NOT NULL;
DROP SCHEMA wide_ranges CASCADE;
