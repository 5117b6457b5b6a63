"""An analyst's session by SQLAlchemy, as Superset uses it, with pandas."""
import os

import pandas
import sqlalchemy
from sqlalchemy import text

release = int(os.environ["RELEASE"])
engine = sqlalchemy.create_engine("postgresql+psycopg2:///postgres?host=%s&port=%s&user=ann" % (
    os.environ["PGHOST"], os.environ["PGPORT"]))
inspector = sqlalchemy.inspect(engine)
# what a tool lists is what people are to see
tables, views = inspector.get_table_names(), set(inspector.get_view_names())
assert tables == ["visits"], tables
assert {"visits_synthetic", "dp_budgets", "dp_ledger"} <= views, views
assert not any(name.startswith("dp_dataset_") for name in views), views
columns = {column["name"]: str(column["type"]) for column in inspector.get_columns("visits_synthetic")}
assert columns == {"ward": "TEXT", "nights": "INTEGER"}, columns
with engine.connect() as link:
    plan = pandas.read_sql(text("SELECT * FROM dp_explain('visits', 'marginal', 1.5)"), link)
    rows = pandas.read_sql(
        text("SELECT * FROM dp_synthesize_marginal(NULL::visits, :epsilon, rows => 50)"), link,
        params={"epsilon": 1.5})
    assert list(rows.columns) == ["ward", "nights"] and rows["nights"].dtype.kind == "i", rows
    parts = pandas.read_sql(
        text("SELECT * FROM dp_sample(NULL::visits, :release, 2500, seed => 3)"),
        link.execution_options(stream_results=True), params={"release": release}, chunksize=500)
    drawn = sum(len(part) for part in parts)
    view = len(pandas.read_sql(text("SELECT * FROM visits_synthetic"), link))
    private = pandas.read_sql(
        text("SELECT ward, count(*) FROM visits WHERE nights >= :least GROUP BY ward ORDER BY ward"), link,
        params={"least": 5})
    try:
        link.execute(text("SELECT dp_release('visits', 'marginal', 99)"))
        state = "none"
    except sqlalchemy.exc.DBAPIError as error:
        state = error.orig.pgcode
print("plan", plan["stage"].iloc[-1], "rows", len(rows), "cursor", drawn, "view", view,
      "private", len(private), "sqlstate", state)
