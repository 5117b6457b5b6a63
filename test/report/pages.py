"""The pages of dp_report: each is one well-formed page that loads nothing, lets no name or value
become markup, stays small, and shows well in a browser, in narrow and wide windows, light and dark.

    DPSYN_SCREENSHOTS=dir    keeps the pages and what the browser showed
"""
import collections
import os
import re
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import browser  # noqa: E402
from dptest import Tap, connect, one, run  # noqa: E402

BYTES_MAX = 1000000
WIDTHS = [400, 800, 1400]
BANNED = "script link img iframe object embed base form image use a".split()
HOSTILE = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'; DROP TABLE t; --",
    "&lt;b&gt;", "]]>", "-->", "</svg></style>", "%s %n %d", "\u202egnp.exe", "\u4e2d\u6587" * 40,
    "e\u0301" * 30, "x" * 500, "\U0001f600", "", " ", "\t\n", "NULL", "{{7*7}}", "\\", "ab",
]

SETUP = """
CREATE EXTENSION dpsyn;
CREATE TABLE people (age int NOT NULL, income numeric(10,2), born date, ward text NOT NULL,
	sex char(1) NOT NULL, kind int NOT NULL);
INSERT INTO people SELECT 18 + i * i % 70, CASE WHEN i % 20 > 0 THEN i % 1000 END,
	date '1950-01-01' + i * 7 % 20000, (ARRAY['er', 'icu', 'surgery'])[1 + i % 3],
	(ARRAY['f', 'm'])[1 + i % 2], i % 7 FROM generate_series(1, 5000) i;
SELECT dp_protect('people', 100000, 0.1);
SELECT dp_define_column('people', 'ward', '{er,icu,surgery}', complete => true),
	dp_define_column('people', 'sex', '{f,m}', complete => true),
	dp_define_column('people', 'kind', '{0,1,2,3,4,5,6}', complete => true),
	dp_define_column('people', 'age', bins => '{0,20,30,40,50,65,90}'),
	dp_define_column('people', 'income', bins => '{0,1,10,100,1000,100000}'),
	dp_define_column('people', 'born', bins => '{1950-01-01,1970-01-01,1980-01-01,2010-01-01}');
CREATE TABLE wide AS SELECT * FROM (SELECT i % 2 AS c1 FROM generate_series(1, 500) i) x;
CREATE TABLE lines (person int, kind int NOT NULL);
INSERT INTO lines SELECT i % 200, i % 5 FROM generate_series(1, 1000) i;
SELECT dp_protect('lines', 1000, unit_column => 'person', max_rows_per_unit => 3);
SELECT dp_define_column('lines', 'kind', '{0,1,2,3,4}', complete => true);
"""

# What a browser says of a page: whether it overflows, texts of figures that touch, that are shown
# too small, and that are hard to read against what is behind them; figures that are cut, while
# nothing says that they can be moved.
LOOK = r"""(() => {
  const page = document.scrollingElement;
  const said = {overflow: page.scrollWidth - innerWidth, height: page.scrollHeight,
                touching: [], outside: [], pale: [], small: [], cut: []};
  const name = e => e.textContent.slice(0, 30);
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll('text')].map(e => [e, e.getBoundingClientRect()])
      .filter(([e, box]) => box.width > 0);
    const shrunk = frame.width / svg.viewBox.baseVal.width;
    for (const [e] of boxes)
      if (parseFloat(getComputedStyle(e).fontSize) * shrunk < 9)
        said.small.push(name(e) + ' ' + shrunk.toFixed(2));
    for (const [e, box] of boxes)
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 2)
        said.outside.push(name(e));
    const bars = [...svg.querySelectorAll('rect.synthetic, rect.original')]
      .map(e => e.getBoundingClientRect());
    const covers = (bar, box) => bar.top < box.bottom - 3 && bar.bottom > box.top + 3 &&
      bar.left < box.right - 1 && bar.right > box.left + 1;
    for (const [e, box] of boxes)
      if (e.matches('.words, .label') && bars.some(bar => covers(bar, box)))
        said.touching.push(name(e) + ' / its bar');
    const sorted = boxes.sort((a, b) => a[1].top - b[1].top);
    for (let i = 0; i < sorted.length; i++)
      for (let j = i + 1; j < sorted.length && sorted[j][1].top < sorted[i][1].bottom - 3; j++) {
        const a = sorted[i][1], b = sorted[j][1];
        if (a.left < b.right - 1 && b.left < a.right - 1)
          said.touching.push(name(sorted[i][0]) + ' / ' + name(sorted[j][0]));
      }
  }
  const parts = colour => (colour.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = colour => {
    const [r, g, b] = parts(colour).slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = e => {
    if (e.matches('text.cell')) return getComputedStyle(e.previousElementSibling).fill;
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (parts(colour).length < 4 || parts(colour)[3] > 0.99) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  for (const e of document.querySelectorAll('main *')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim() !== '');
    if (!own || e.closest('title, desc') || e.getClientRects().length === 0) continue;
    const style = getComputedStyle(e);
    const a = light(e.tagName === 'text' ? style.fill : style.color), b = light(behind(e));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) said.pale.push(name(e) + ' ' + contrast.toFixed(1));
  }
  for (const e of document.querySelectorAll('.wide')) {
    const told = e.parentElement.querySelector('.wider');
    if (e.scrollWidth > e.clientWidth + 1 && (told === null || told.getClientRects().length === 0))
      said.cut.push(e.scrollWidth + ' in ' + e.clientWidth);
  }
  said.back = getComputedStyle(document.body).backgroundColor;
  return said;
})()"""

tap = Tap()


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def identifier(text):
    return '"' + text.replace('"', '""') + '"'


def hostile_table(db):
    """A table whose name, columns and values are all hostile."""
    table = identifier("t\"<script>alert('t')</script>&")
    columns = [text for text in HOSTILE if text][:14]
    values = ", ".join(map(literal, HOSTILE))
    run(db, "SET client_min_messages = error")
    cells = ", ".join(
        f"(ARRAY[{values}])[1 + (i * {k + 1}) % {len(HOSTILE)}] AS {identifier(name)}"
        for k, name in enumerate(columns)
    )
    run(db, f"CREATE TABLE {table} AS SELECT {cells} FROM generate_series(0, 999) i")
    run(db, "SELECT dp_protect(%s::regclass, 1000000, 0.1)", table)
    stored = run(db, "SELECT attname FROM pg_attribute"
                     " WHERE attrelid = %s::regclass AND attnum > 0", table)
    for row in stored:
        declare = "SELECT dp_define_column(%s::regclass, %s, categories => %s)"
        run(db, declare, table, row[0], HOSTILE)
    return table


def many_columns(db, columns, levels):
    """A table of many columns; the first has many levels."""
    names = [f"c{i}" for i in range(columns)]
    cells = ", ".join(
        f"((i * {k + 7}) % {levels if k == 0 else 3})::text AS {n}" for k, n in enumerate(names)
    )
    run(db, f"CREATE TABLE many AS SELECT {cells} FROM generate_series(1, 2000) i")
    run(db, "SELECT dp_protect('many', 1000000, 0.1)")
    values = [str(i) for i in range(levels)]
    run(db, "SELECT dp_define_column('many', 'c0', categories => %s)", values)
    for name in names[1:]:
        run(db, "SELECT dp_define_column('many', %s, '{0,1,2}', complete => true)", name)


def pages_of_releases(db):
    """Name and HTML of a page for each kind of release."""
    def release(relation, *rest):
        return one(db, f"SELECT dp_release(%s::regclass{', %s' * len(rest)})", relation, *rest)

    run(db, SETUP)
    table = hostile_table(db)
    many_columns(db, 200, 500)
    run(db, "SELECT * FROM dp_query(NULL::people, '{count(*),avg(age)}', 1, '{ward,sex}')")
    releases = {
        "mst": release("people", "mst", 1, 1e-6),
        "cipher, no noise left": release("people", "cipher", 10000, 0),
        "sbhg": release("people", "sbhg", 1, 1e-6),
        "steps, a small epsilon": release("people", "steps", 0.01, 0),
        "rows": release("people", "pmi", 10, 0, '{"rows": 30}'),
        "answers": one(db, "SELECT max(release) FROM dp_releases WHERE method = 'query'"),
        "units": release("lines", "marginal", 1, 0),
        "hostile names": release(table, "mst", 100, 1e-6),
        "many columns": release("many", "marginal", 1000, 0),
    }
    for name, number in releases.items():
        yield "release, " + name, one(db, "SELECT dp_report(%s)", number)


def pages_of_tables(db):
    """Name and HTML of a page for pairs of tables."""
    def report(original, synthetic, options="{}"):
        return one(db, "SELECT dp_report(%s::regclass, %s::regclass, %s)",
                   original, synthetic, options)

    number = one(db, "SELECT min(release) FROM dp_releases WHERE method = 'mst'")
    run(db, "CREATE TABLE people_synthetic AS"
            " SELECT * FROM dp_sample(NULL::people, %s, seed => 1)", number)
    yield "tables", report("people", "people_synthetic", """{"known": ["ward", "age", "kind"],
        "secret": "sex", "propensity": true, "outcome": "income", "predictors": ["age", "ward"]}""")
    run(db, """CREATE TABLE odd AS SELECT i AS id,
        'value number ' || i % 120 || ' with a long text behind it' AS "a long name that holds = and more",
        CASE WHEN i % 3 > 0 THEN timestamp '2020-01-01' + i * interval '17 minutes' END AS at,
        CASE WHEN i % 50 = 0 THEN 'NaN' ELSE (i % 313) / 313.0 - 0.5 END::float8 AS pct,
        (ARRAY['a = b', 'c', 'd = e = f'])[1 + i % 3] AS "level = of"
        FROM generate_series(1, 4000) i""")
    run(db, "CREATE TABLE odd_synthetic AS SELECT * FROM odd WHERE id % 5 > 1")
    page = report("odd", "odd_synthetic", """{"outcome": "pct", "predictors": ["level = of", "id"]}""")
    tap.ok("level = of: c<" in page, "a name of a column may hold what stands before a level")
    yield "tables, odd columns", page
    hostile = identifier("t\"<script>alert('t')</script>&")
    run(db, f"CREATE TABLE hostile_synthetic AS SELECT * FROM {hostile} LIMIT 500")
    yield "tables, hostile names", report(hostile, "hostile_synthetic")
    run(db, "CREATE TABLE many_synthetic AS SELECT * FROM many OFFSET 700")
    yield "tables, many columns", report("many", "many_synthetic")
    run(db, "CREATE TABLE tiny AS SELECT 1 AS a")
    yield "tables, one row", report("tiny", "tiny")
    yield "a database", page_of_database(db)


def page_of_database(db):
    """A page of two schemas: roots, what belongs to them, public tables and others, that refer to each other in all ways."""
    run(db, """CREATE SCHEMA town; CREATE SCHEMA town_copy; SET search_path = town, public;
        CREATE TABLE street (id int PRIMARY KEY, name text NOT NULL);
        CREATE TABLE person (id int PRIMARY KEY, "<script>" text, kind int NOT NULL CHECK (kind BETWEEN 0 AND 4),
            street int NOT NULL REFERENCES street, spouse int REFERENCES person, note json);
        CREATE TABLE "visit & more" (id int PRIMARY KEY, person int NOT NULL REFERENCES person, kind int NOT NULL
            CHECK (kind BETWEEN 0 AND 4), street int REFERENCES street);
        CREATE TABLE bill (id int PRIMARY KEY, visit int NOT NULL REFERENCES "visit & more", payer int REFERENCES person);
        CREATE TABLE log (line int, street int REFERENCES street, at point);
        INSERT INTO street SELECT i, 'street ' || i FROM generate_series(1, 5) i;
        INSERT INTO person SELECT i, 'n', i % 5, 1 + i % 5, nullif(i / 2, 0), '{}' FROM generate_series(1, 200) i;
        INSERT INTO "visit & more" SELECT i, 1 + i / 2, i % 5, 1 FROM generate_series(1, 300) i;
        INSERT INTO bill SELECT i, i, 1 + i / 3 FROM generate_series(1, 300) i;
        INSERT INTO log SELECT i, 1, '(0,0)' FROM generate_series(1, 9) i;
        SELECT dp_declare_public('street'), dp_protect('person', 100, 1e-6),
            dp_protect('"visit & more"', parent => 'person', max_rows_per_unit => 2),
            dp_protect('bill', parent => '"visit & more"', max_rows_per_unit => 1);""")
    for table in ("street", "person", '"visit & more"', "bill", "log"):
        run(db, f"CREATE TABLE town_copy.{table} AS SELECT * FROM town.{table}")
    run(db, "RESET search_path")
    return one(db, "SELECT dp_report('town', 'town_copy')")


# ---- what is true of every page ----------------------------------------------


def local(element):
    return element.tag.rsplit("}", 1)[-1]


def check_page(name, page):
    """Complaints about the text of a page."""
    complaints = []
    if len(page) >= BYTES_MAX:
        complaints.append(f"it has {len(page)} bytes")
    if not page.isascii():
        complaints.append("it is not ASCII")
    try:
        root = xml.etree.ElementTree.fromstring(page)
    except xml.etree.ElementTree.ParseError as error:
        return complaints + [f"not well-formed: {error}"]
    parents = {child: parent for parent in root.iter() for child in parent}
    ids = collections.Counter(e.get("id") for e in root.iter() if e.get("id"))
    complaints += [f"id {i} occurs {n} times" for i, n in ids.items() if n > 1]
    for element in root.iter():
        tag = local(element)
        if tag in BANNED:
            complaints.append(f"it has a <{tag}>")
        for key, value in element.attrib.items():
            if key.startswith("on") or key in ("src", "href", "srcset", "style"):
                complaints.append(f"<{tag}> has the attribute {key}={value}")
        if tag == "svg":
            labels = element.get("aria-labelledby", "").split()
            if element.get("role") != "img" or len(labels) != 2 or any(ids[i] != 1 for i in labels):
                complaints.append("a figure without title and description")
        if tag == "th" and element.get("scope") not in ("row", "col"):
            complaints.append("a <th> without scope")
        if tag == "title" and local(parents[element]) == "svg" and not element.text:
            complaints.append("an empty title")
        if tag == "desc" and not (element.text or "").strip().endswith("."):
            complaints.append("a figure that no sentence describes")
    if re.search(r"url\(|@import|expression\(|https?:", page):
        complaints.append("it refers to something elsewhere")
    if root.get("lang") != "en" or not root.findtext("head/title"):
        complaints.append("no language or title")
    if re.search(r"\bnan\b|\binf\b|\(null\)", page):
        complaints.append("it writes something unknown as a number")
    return complaints


def look(viewer, name, page, directory):
    """Complaints about what a browser shows, at each width, light and dark."""
    path = os.path.join(directory, re.sub(r"\W+", "-", name) + ".html")
    complaints, backs = [], {}
    with open(path, "w", encoding="ascii") as file:
        file.write(page)
    for width in WIDTHS:
        for dark in (False, True):
            viewer.open("file://" + path, width, dark)
            said = viewer.evaluate(LOOK)
            backs[dark] = said["back"]
            where = f"{width}{' dark' if dark else ''}: "
            if said["overflow"] > 0:
                complaints.append(where + f"overflows by {said['overflow']} pixels")
            if said["height"] < 500:
                complaints.append(where + f"is only {said['height']} pixels high")
            for what in ("touching", "outside", "small", "pale", "cut"):
                complaints += [where + f"{what}: {text}" for text in said[what][:5]]
            if dark and not os.environ.get("DPSYN_SCREENSHOTS"):
                continue
            shot = path[:-5] + f"-{width}{'-dark' if dark else ''}.png"
            viewer.screenshot(shot)
            if os.path.getsize(shot) < 10000:
                complaints.append(where + "shows nothing")
    if backs[False] == backs[True]:
        complaints.append("light and dark are the same")
    return complaints


def main():
    db = connect()
    pages = dict(pages_of_releases(db))
    pages.update(pages_of_tables(db))
    for name, page in pages.items():
        complaints = check_page(name, page)
        said = f"{name}: {len(page)} bytes, well-formed, alone, escaped"
        tap.ok(not complaints, said, *complaints)
    with tempfile.TemporaryDirectory(prefix="dpsyn-pages.") as scratch:
        directory = os.environ.get("DPSYN_SCREENSHOTS") or scratch
        if browser.find() is None:
            # where everything is tested, script/install-deps has brought one
            if os.environ.get("CI", "false") not in ("", "false"):
                tap.ok(False, "there is a Chromium to look at pages with")
            else:
                tap.skip("pages are looked at", "no Chromium: script/install-deps check")
        else:
            with browser.Browser() as viewer:
                for name, page in pages.items():
                    complaints = look(viewer, name, page, directory)
                    tap.ok(not complaints, f"{name}: shows at {WIDTHS} pixels", *complaints)
    tap.done()


if __name__ == "__main__":
    main()
