"""What docs/tutorials/superset.md says to click, done by Superset's own interface: a database, a dataset and
a chart are made as the form does, then looked at in a browser.

    bi.py PORT_OF_THE_SERVER DIRECTORY_FOR_PICTURES
"""
import json
import os
import sys
import time
import urllib.error
import urllib.request

import browser

URL = os.environ["SUPERSET_URL"]
WIDTH = 1300


class Superset:
    def __init__(self):
        self.token = None
        self.token = self.call("/api/v1/security/login", username="admin", password="admin",
                               provider="db")["access_token"]

    def call(self, path, **body):
        request = urllib.request.Request(
            URL + path, data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json",
                     **({"Authorization": "Bearer " + self.token} if self.token else {})})
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            sys.exit("%s: %s" % (path, error.read().decode()[:2000]))


def make_dataset(superset, port, role, schema, table):
    database = superset.call("/api/v1/database/", database_name="sales of " + role,
                             sqlalchemy_uri="postgresql://%s@127.0.0.1:%s/examples" % (role, port))["id"]
    return superset.call("/api/v1/dataset/", database=database, schema=schema, table_name=table)["id"]


def make_chart(superset, dataset):
    """The number of a chart of synthetic rows."""
    parameters = {
        "datasource": "%d__table" % dataset, "viz_type": "echarts_timeseries_bar",
        "x_axis": "month", "x_axis_sort_asc": True, "groupby": ["channel"], "stack": "Stack",
        "metrics": [{"expressionType": "SIMPLE", "aggregate": "SUM", "label": "revenue",
                     "column": {"column_name": "total"}}],
        "row_limit": 1000, "show_legend": True, "x_axis_title": "month",
        "y_axis_title": "revenue", "x_axis_title_margin": 30, "y_axis_title_margin": 60,
        "adhoc_filters": [],
    }
    return superset.call("/api/v1/chart/", slice_name="Revenue by month and channel",
                          viz_type=parameters["viz_type"], datasource_id=dataset,
                          datasource_type="table", params=json.dumps(parameters))["id"]


def refresh(superset, dataset, times):
    """Asks for the data of a chart of the protected relation, past Superset's own cache."""
    question = {
        "columns": ["channel"], "row_limit": 1000, "orderby": [["count", False]],
        "metrics": ["count", {"expressionType": "SIMPLE", "aggregate": "SUM", "label": "revenue",
                              "column": {"column_name": "total"}}],
    }
    seen = []
    for _ in range(times):
        answer = superset.call("/api/v1/chart/data", datasource={"id": dataset, "type": "table"}, force=True,
                               queries=[question], result_format="json", result_type="full")["result"][0]
        if answer["is_cached"] or answer["error"]:
            sys.exit("a refresh of the chart: %s" % answer)
        seen.append(answer["data"])
    channels = {row["channel"] for row in seen[0]}
    if not {"web", "app", "phone"} <= channels or any(rows != seen[0] for rows in seen):
        sys.exit("the chart of the protected relation shows %s" % seen)
    print(answer["query"])
    print(seen[0])


def wait_for(window, condition, seconds=90):
    """Waits until a piece of script is true in the page."""
    deadline = time.monotonic() + seconds
    while not window.evaluate(condition):
        if time.monotonic() > deadline:
            sys.exit("the browser waits in vain for " + condition)
        time.sleep(0.3)


def main():
    port, pictures = sys.argv[1:]
    superset = Superset()
    refresh(superset, make_dataset(superset, port, "superset_private", "public", "sales"), 10)
    dataset = make_dataset(superset, port, "superset", "analyst", "sales_live")
    chart = make_chart(superset, dataset)
    with browser.Browser() as window:
        window.open(URL + "/login/", WIDTH)
        wait_for(window, "document.querySelector('input#username') !== null")
        # React knows what is typed, and not what is put into a field.
        for name in ("username", "password"):
            window.evaluate("document.querySelector('input#%s').focus()" % name)
            window.call("Input.insertText", text="admin")
        window.evaluate("document.querySelector('button[type=submit]').click()")
        wait_for(window, "!location.pathname.startsWith('/login')")
        time.sleep(2)
        window.open(URL + "/tablemodelview/list/", WIDTH)
        wait_for(window, "document.body.innerText.includes('sales_live')")
        time.sleep(2)
        window.screenshot(pictures + "/dataset.png", height=420)
        window.open(URL + "/explore/?slice_id=%d" % chart, WIDTH)
        wait_for(window, "document.querySelector('.chart-container canvas, .slice_container canvas') !== null")
        time.sleep(3)
        said = window.evaluate("document.body.innerText")
        if "Error" in said:
            sys.exit("the chart shows an error:\n" + said[-2000:])
        window.screenshot(pictures + "/chart.png", height=900)
    print("dataset %d, chart %d" % (dataset, chart))


if __name__ == "__main__":
    main()
