"""An SVG of the event distances of dynamic races, as Figure 6 of the paper on Vindicator: for each class, the share of races whose accesses are at
least a given number of events apart. Written by hand, as bench/online/plot.py."""
import math

from plot import text
from vindicator_tables import CLASSES, at_least, distances

COLOURS = {"HB": "#4c78a8", "WCP-only": "#e45756", "DC-only": "#54a24b", "WDC-only": "#b279a2"}
DASHES = {"HB": "", "WCP-only": "6 3", "DC-only": "2 3", "WDC-only": "8 3 2 3"}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 400, 60, 110, 44, 50
POINTS = 300


def chart(results):
    shown = {name: distances(results, name) for name in CLASSES[:4]}
    shown = {name: parts for name, parts in shown.items() if parts}
    most = max((steps[-1][0] for parts in shown.values() for _, steps in parts), default=1)
    decades = max(1, math.ceil(math.log10(max(most, 2))))
    across = lambda distance: LEFT + (WIDTH - LEFT - RIGHT) * math.log10(distance) / decades
    down = lambda share: TOP + (HEIGHT - TOP - BOTTOM) * (1 - share)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
             'fill="#222">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             text(8, 20, f"Dynamic races of {len(results)} programs: how many have accesses at least so many events apart", size=14, weight="bold")]
    for quarter in range(5):
        y = down(quarter / 4)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(text(LEFT - 6, y + 4, f"{25 * quarter} %", "end", 11))
    for power in range(decades + 1):
        parts.append(text(across(10**power), HEIGHT - BOTTOM + 18, f"{10**power:,}", "middle", 10))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "event distance", "middle"))
    for number, (name, own) in enumerate(shown.items()):
        points = [10**(decades * index / POINTS) for index in range(POINTS + 1)]
        path = " ".join(f"{across(each):.1f},{down(at_least(own, each)):.1f}" for each in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[name]}" stroke-width="2" stroke-dasharray="{DASHES[name]}"/>')
        y = TOP + 14 + 18 * number
        parts.append(f'<line x1="{WIDTH - RIGHT + 8}" y1="{y - 4}" x2="{WIDTH - RIGHT + 28}" y2="{y - 4}" stroke="{COLOURS[name]}" stroke-width="2" '
                     f'stroke-dasharray="{DASHES[name]}"/>')
        parts.append(text(WIDTH - RIGHT + 34, y, name))
    return "\n".join([*parts, "</svg>"]) + "\n"
