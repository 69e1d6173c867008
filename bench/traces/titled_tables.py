"""Tables in Markdown, for the pages of bench/vindicator.py and bench/smarttrack.py."""
from tables import row


def heading(names, left=1):
    """The first `left` columns are words, the others numbers."""
    yield row(names)
    yield row(["---"] * left + ["---:"] * (len(names) - left))


def titled(parts):
    """The lines of a page: each part is a title and the lines of its table. One empty line separates two parts."""
    for number, (title, lines) in enumerate(parts):
        if number:
            yield ""
        yield title
        yield ""
        lines = list(lines)
        yield from lines[:-1] if lines[-1] == "" else lines
