"""An SVG of bars: the processor time of each variant as a multiple of the native run's, for each program and kernel and in the mean. Written by
hand, so that it needs nothing to make it and renders alike everywhere."""
from variants import NATIVE, VARIANTS

COLOURS = {"tsan": "#4c78a8", "gcc-tsan": "#9ecae9", "empty": "#bab0ac", "fto-hb": "#54a24b", "st-wdc": "#e45756", "st-dc": "#f58518",
           "st-wcp": "#b279a2"}
BAR, GAP, LEFT, TOP, WIDTH = 11, 12, 125, 64, 860
SCALE = WIDTH - LEFT - 60


def text(x, y, words, anchor="start", size=12, weight="normal"):
    words = str(words).replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" font-weight="{weight}">{words}</text>'


def step_of(limit):
    """A round distance between the lines of the scale, of which there are then at most ten."""
    for step in (1, 2, 5, 10, 20, 50, 100, 200):
        if limit / step <= 10:
            return step
    return 500


def group(name, values, y, limit, weight="normal"):
    """The bars of one program, (variant, ratio) each."""
    middle = y + BAR * len(values) / 2 + 4
    yield text(LEFT - 8, middle, name, "end", weight=weight)
    for index, (variant, ratio) in enumerate(values):
        top = y + index * BAR
        length = SCALE * min(ratio, limit) / limit
        yield f'<rect x="{LEFT}" y="{top:.1f}" width="{length:.1f}" height="{BAR - 1.5}" fill="{COLOURS[variant]}"/>'
        yield text(LEFT + length + 4, top + BAR - 2, f"{ratio:.1f}", size=9)


def chart(parts):
    """`parts` are (title, tables.Medians)."""
    shown = [(title, medians) for title, medians in parts if medians.items]
    names = [name for name in VARIANTS if name != NATIVE.name and any(name in medians.variants for _, medians in shown)]
    rows = []  # (title of a part) or (name, values, weight)
    for title, medians in shown:
        rows.append(title)
        for item in medians.items:
            values = [(name, medians.ratio(item, name, "cpu")) for name in names]
            rows.append((item, [pair for pair in values if pair[1]], "normal"))
        means = [(name, medians.mean(name, "cpu")[0]) for name in names]
        rows.append(("geometric mean", [pair for pair in means if pair[1]], "bold"))
    limit = max((ratio for each in rows if not isinstance(each, str) for _, ratio in each[1]), default=1) * 1.03
    body, y = [], TOP
    for each in rows:
        if isinstance(each, str):
            y += 8
            body.append(text(8, y + 12, each, weight="bold", size=13))
            y += 26
        else:
            body += group(each[0], each[1], y, limit, each[2])
            y += BAR * len(each[1]) + GAP
    lines = []
    for value in range(0, int(limit) + 1, step_of(limit)):
        x = LEFT + SCALE * value / limit
        lines.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{y}" stroke="#ddd"/>')
        lines.append(text(x, y + 14, value, "middle", 10))
    legend, x = [text(8, 18, "Processor time, as a multiple of the native run's", weight="bold", size=14)], 8
    for name in names:
        title = VARIANTS[name].title
        legend.append(f'<rect x="{x}" y="32" width="11" height="11" fill="{COLOURS[name]}"/>')
        legend.append(text(x + 15, 42, title))
        x += 30 + 7 * len(title)
    height = y + 24
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
                      'font-family="sans-serif" fill="#222">', f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
                      *legend, *lines, *body, "</svg>"]) + "\n"
