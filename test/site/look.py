"""The pages of the site in a browser, in narrow and wide windows: each has its heading, and none is
wider than its window.
"""
import glob
import os
import sys

import browser
from dptest import Tap

SITE = os.environ["SITE_OUT"]
WIDTHS = [400, 1400]
PAGES_LEAST = 40

# Wide tables and blocks of code scroll in frames of their own; whatever makes the page itself wider
# than the window is named.
LOOK = """(() => {
  const page = document.scrollingElement;
  const heading = document.querySelector('article h1');
  return {overflow: page.scrollWidth - innerWidth, heading: heading ? heading.innerText : '',
          fence: document.querySelector('article').innerText.includes('```'),
          broken: [...document.images].filter(e => !e.naturalWidth).map(e => e.src)};
})()"""

tap = Tap()


def look(window, page, width):
    window.open("file://" + page, width)
    said = window.evaluate(LOOK)
    if os.environ.get("DPSYN_SCREENSHOTS"):
        name = os.path.relpath(page, SITE).replace("/", "_")
        window.screenshot("%s/%s.%d.png" % (os.environ["DPSYN_SCREENSHOTS"], name, width),
                          height=1600)
    return ["%s at %d: %s" % (os.path.relpath(page, SITE), width, said)] \
        if said["overflow"] > 0 or not said["heading"] or said["broken"] or said["fence"] else []


def main():
    pages = sorted(page for page in glob.glob(SITE + "/**/*.html", recursive=True)
                   if not page.endswith("/404.html"))
    tap.ok(len(pages) >= PAGES_LEAST, "the site is built, without a warning or a dead link",
           len(pages))
    if browser.find() is None:
        tap.skip("the pages fit narrow and wide windows", "no Chromium is here")
    else:
        with browser.Browser() as window:
            for width in WIDTHS:
                wrong = [line for page in pages for line in look(window, page, width)]
                tap.ok(not wrong, "the pages fit a window of %d pixels" % width, *wrong)
    tap.done()


if __name__ == "__main__":
    sys.exit(main())
