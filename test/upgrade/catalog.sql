-- Everything that the extension made, one line each, without numbers: two
-- databases that print the same have the same catalog.
\pset format unaligned
\pset tuples_only on
SET search_path = pg_catalog;
CREATE VIEW pg_temp.members AS
SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
 WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = 'dpsyn';

SELECT 'version ' || extversion FROM pg_extension WHERE extname = 'dpsyn';
SELECT 'object ' || pg_describe_object(classid, objid, 0) FROM pg_temp.members
 WHERE classid <> 'pg_type'::regclass OR EXISTS (SELECT FROM pg_type WHERE oid = objid AND typtype <> 'c' AND typelem = 0)
 ORDER BY 1;
SELECT 'comment ' || pg_describe_object(classid, objid, 0) || ': ' || obj_description(objid, classid::regclass::name)
  FROM pg_temp.members ORDER BY 1;
SELECT pg_get_functiondef(p.oid) || E'\n' || coalesce(p.proacl::text, 'default rights')
  FROM pg_temp.members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid AND p.prokind <> 'a' ORDER BY 1;
SELECT 'aggregate ' || p.oid::regprocedure || ' ' || (row_to_json(a)::jsonb - 'aggfnoid' || jsonb_build_object('aggtranstype', a.aggtranstype::regtype))
  FROM pg_temp.members m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid JOIN pg_aggregate a ON a.aggfnoid = p.oid ORDER BY 1;
SELECT c.relkind::text || ' ' || c.relname || ' ' || coalesce(c.relacl::text, 'default rights') || ' ' || coalesce(c.reloptions::text, '')
	   || coalesce(' dumped where ' || e.extcondition[array_position(e.extconfig, c.oid)], '')
  FROM pg_temp.members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
  JOIN pg_extension e ON e.extname = 'dpsyn' ORDER BY 1;
SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
	   || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END || ' ' || a.attidentity::text
	   || coalesce(' ' || pg_get_expr(d.adbin, d.adrelid), '')
  FROM pg_temp.members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid AND c.relkind IN ('r', 'v')
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
 ORDER BY c.relname, a.attname;
SELECT 'constraint ' || c.relname || ' ' || o.conname || ' ' || pg_get_constraintdef(o.oid)
  FROM pg_temp.members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
  JOIN pg_constraint o ON o.conrelid = c.oid ORDER BY 1;
SELECT pg_get_indexdef(i.indexrelid)
  FROM pg_temp.members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
  JOIN pg_index i ON i.indrelid = c.oid ORDER BY 1;
SELECT pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text
  FROM pg_temp.members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
  JOIN pg_trigger t ON t.tgrelid = c.oid ORDER BY 1;
SELECT 'event trigger ' || t.evtname || ' ' || t.evtevent || ' ' || t.evtfoid::regproc || ' ' || t.evtenabled::text || ' ' || t.evttags::text
  FROM pg_temp.members m JOIN pg_event_trigger t ON m.classid = 'pg_event_trigger'::regclass AND t.oid = m.objid ORDER BY 1;
SELECT 'view ' || c.relname || ' ' || pg_get_viewdef(c.oid)
  FROM pg_temp.members m JOIN pg_class c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid AND c.relkind = 'v' ORDER BY 1;
