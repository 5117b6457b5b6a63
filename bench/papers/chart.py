"""Line charts and stacked bars as SVG, without a library. Each page of a figure is a row of panels. A line has
a colour, a shape of its marks and its name in the legend, so that no one needs the colours; light and dark
follow the reader's setting."""
import math
from xml.sax.saxutils import escape

LIGHT = ("#1f6fc4", "#c2500a", "#0d7f5f", "#8a4fb8", "#a87300", "#c23a6b", "#5c6670")
DARK = ("#6cb0f5", "#f59a5c", "#45c9a0", "#c39be8", "#e3b341", "#f285aa", "#a3acb5")
PANEL, HEIGHT, LEFT, TOP, BOTTOM, GAP = 300, 220, 52, 34, 44, 62


def style():
    rules = ["text{font:12px system-ui,sans-serif;fill:#1f2328}.s{font-size:11px;fill:#57606a}.b{font-weight:600}"
             ".g{stroke:#d8dee4}.a{stroke:#57606a}.bg{fill:#fff}"]
    colours = lambda all_of: "".join(".c%d{stroke:%s;fill:%s}" % (i, c, c) for i, c in enumerate(all_of))
    rules.append(colours(LIGHT) + ".l{fill:none;stroke-width:2}")
    rules.append("@media(prefers-color-scheme:dark){text{fill:#e6edf3}.s{fill:#9ea7b3}.g{stroke:#30363d}"
                 ".a{stroke:#9ea7b3}.bg{fill:#0d1117}%s.l{fill:none}}" % colours(DARK))
    return "<style>%s</style>" % "".join(rules)


def ticks(low, high, count=5):
    """Round numbers from low to high."""
    if high <= low:
        high = low + (abs(low) or 1)
    raw = (high - low) / count
    step = 10 ** math.floor(math.log10(raw))
    step *= next(m for m in (1, 2, 5, 10) if m * step >= raw)
    first = math.floor(low / step + 1e-9)
    return [round(k * step, 10) for k in range(first, math.ceil(high / step - 1e-9) + 1)]


def number(value):
    return "%d" % value if abs(value) >= 1000 and value == int(value) else "%.4g" % value


def mark(x, y, kind):
    """A shape of its own for each line."""
    shapes = ("M%g %gm-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", "M%g %gm-3.5 -3.5h7v7h-7z", "M%g %gm0 -5l5 8.5h-10z",
              "M%g %gm0 -5l5 5l-5 5l-5 -5z", "M%g %gm0 5l5 -8.5h-10z", "M%g %gm-1.5 -5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z",
              "M%g %gm-4.5 -1.5h9v3h-9z")
    return '<path class="c%d" d="%s"/>' % (kind % 7, shapes[kind % 7] % (x, y))


def text(x, y, words, kind="", anchor="start"):
    return '<text x="%g" y="%g" class="%s" text-anchor="%s">%s</text>' % (x, y, kind, anchor, escape(words))


class Panel:
    """lines: {name: [(x, y) or (x, y, error)]}; x is a number, or a word that stands at its place."""

    def __init__(self, title, x_label, lines, log_x=False, log_y=False, y_range=None):
        self.title, self.x_label, self.lines, self.log_x, self.log_y = title, x_label, lines, log_x, log_y
        self.words = None
        points = [p for line in lines.values() for p in line]
        if any(isinstance(p[0], str) for p in points):
            self.words = list(dict.fromkeys(p[0] for p in points))
        ys = [p[1] for p in points if not log_y or p[1] > 0]
        low, high = y_range or (min(ys + ([] if log_y else [0])), max(ys))
        if log_y:
            self.y_ticks = [10.0 ** k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
        else:
            self.y_ticks = ticks(low, high)
        xs = [self.place(p[0]) for p in points]
        self.x_low, self.x_high = min(xs), max(xs)
        self.x_ticks = self.some_x(sorted({p[0] for p in points}, key=self.place))

    def place(self, x):
        if self.words:
            return self.words.index(x)
        return math.log10(x) if self.log_x else x

    def some_x(self, values):
        """As many labels as have room."""
        every = max(1, math.ceil(len(values) / 8))
        return values[::every]

    def x_of(self, x):
        width = self.x_high - self.x_low or 1
        return 8 + (self.place(x) - self.x_low) / width * (PANEL - 16)

    def y_of(self, y):
        scale = (lambda v: math.log10(max(v, self.y_ticks[0]))) if self.log_y else float
        low, high = scale(self.y_ticks[0]), scale(self.y_ticks[-1])
        return HEIGHT - min(1.0, max(0.0, (scale(y) - low) / (high - low))) * HEIGHT

    def draw(self, kinds):
        out = [text(0, -14, self.title, "b")]
        for tick in self.y_ticks:
            y = self.y_of(tick)
            out.append('<path class="g" d="M0 %.1fH%d"/>' % (y, PANEL) + text(-6, y + 4, number(tick), "s", "end"))
        for tick in self.x_ticks:
            label = tick if isinstance(tick, str) else number(tick)
            out.append(text(self.x_of(tick), HEIGHT + 16, label, "s", "middle"))
        out.append('<path class="a" d="M0 %dH%d"/>' % (HEIGHT, PANEL) + text(PANEL / 2, HEIGHT + 34, self.x_label, "s", "middle"))
        for name, points in self.lines.items():
            kind = kinds[name]
            at = [(self.x_of(p[0]), self.y_of(p[1])) for p in points]
            out.append('<path class="c%d l" d="M%s"/>' % (kind % 7, "L".join("%.1f %.1f" % p for p in at)))
            for p in points:
                if len(p) > 2 and p[2]:
                    low, high = self.y_of(p[1] - p[2]), self.y_of(p[1] + p[2])
                    out.append('<path class="c%d l" d="M%.1f %.1fV%.1f"/>' % (kind % 7, self.x_of(p[0]), low, high))
            out += [mark(x, y, kind) for x, y in at]
        return out


class Stack:
    """bars: {name: {part: share}}, each from 0 to 1."""

    def __init__(self, title, bars):
        self.title, self.bars = title, bars
        self.lines = {part: None for bar in bars.values() for part in bar}

    def draw(self, kinds):
        out = [text(0, -14, self.title, "b")]
        height = min(26, HEIGHT / len(self.bars))
        for i, (name, bar) in enumerate(self.bars.items()):
            x, y = 110.0, i * height
            out.append(text(104, y + height / 2 + 4, name, "s", "end"))
            for part in self.lines:
                width = bar.get(part, 0) * (PANEL - 110)
                if width > 0:
                    out.append('<path class="c%d" style="stroke:none" d="M%.1f %.1fh%.1fv%.1fh-%.1fz"/>'
                               % (kinds[part] % 7, x, y + 2, max(width - 1, 0.5), height - 5, max(width - 1, 0.5)))
                    x += width
        return out


def draw(path, title, panels, columns=3, stacked=False):
    """stacked: bars, whose legend has squares."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    kinds = {name: i for i, name in enumerate(names)}
    columns = min(columns, len(panels))
    width = max(LEFT + columns * (PANEL + GAP) - GAP + 24, LEFT + 8 * len(title))
    legend, x, y = [], LEFT, 46
    for name in names:
        length = 30 + 7 * len(name)
        if x + length > width and x > LEFT:
            x, y = LEFT, y + 20
        shape = mark(x + 8, y, 1) if stacked else mark(x + 8, y, kinds[name])
        if stacked:
            shape = shape.replace('class="c1"', 'class="c%d" style="stroke:none"' % (kinds[name] % 7))
        legend.append(shape + text(x + 20, y + 4, name))
        x += length
    top = y + 20
    each = TOP + HEIGHT + BOTTOM if not stacked else TOP + 26 * max(len(panel.bars) for panel in panels) + 16
    height = top + math.ceil(len(panels) / columns) * each
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">'
           % (width, height, width, height), "<title>%s</title>" % escape(title), style(),
           '<rect class="bg" width="100%" height="100%"/>', text(LEFT, 24, title, "b")] + legend
    for i, panel in enumerate(panels):
        at = (LEFT + i % columns * (PANEL + GAP), top + i // columns * each + TOP)
        out.append('<g transform="translate(%g %g)">' % at + "".join(panel.draw(kinds)) + "</g>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>\n"]))
