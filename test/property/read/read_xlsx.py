"""Facts of an xlsx, by openpyxl."""
import re

import openpyxl
import openpyxl.worksheet._reader
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.dimensions import RowDimension
from openpyxl.worksheet.header_footer import HeaderFooterItem

from ooxml import keywords

# Days and times stay the numbers that they are in the file.
openpyxl.worksheet._reader.from_excel = lambda value, *_, **__: value


def whole(_, node):
    """A header or footer as it is written: openpyxl stumbles over colours in small letters and over quotes."""
    item = HeaderFooterItem()
    item.left.text = node.text
    return item


HeaderFooterItem.from_tree = classmethod(whole)


class Row(RowDimension):
    """Knows whether its height was asked for: others depend on fonts and on how LibreOffice fits a row to its text."""

    def __init__(self, *args, customHeight=None, **others):
        super().__init__(*args, **others)
        self.asked = customHeight in ("1", "true")


openpyxl.worksheet._reader.RowDimension = Row

MM_PER_INCH = 25.4
# Widths of openpyxl are characters of the default font, 7 pixels each at 96 dots per inch; 5 are padding.
MM_PER_PIXEL = 25.4 / 96
PAPERS = {
    "1": (215.9, 279.4), "5": (215.9, 355.6), "8": (297, 420), "9": (210, 297), "11": (148, 210), "13": (182, 257),
    "34": (176, 250),
}


def read(path):
    formulas = openpyxl.load_workbook(path)
    values = openpyxl.load_workbook(path, data_only=True)
    core = formulas.properties
    return {
        "meta": {
            "title": core.title or "",
            "subject": core.subject or "",
            "author": core.creator or "",
            "keywords": keywords(core),
            "description": core.description or "",
            "language": core.language or "",
        },
        "sheets": [sheet(formulas, ws, values[ws.title]) for ws in formulas.worksheets],
    }


def sheet(book, ws, computed):
    cells = {}
    for row in ws.iter_rows():
        for cell in row:
            if cell.value is not None or cell.has_style:
                cells[cell.coordinate] = facts(cell, computed[cell.coordinate], book)
    pane = ws.sheet_view.pane
    frozen = pane is not None and pane.state in ("frozen", "frozenSplit")
    return {
        "name": ws.title,
        "hidden": ws.sheet_state != "visible",
        "tabColor": color(ws.sheet_properties.tabColor, book),
        "cells": cells,
        "columns": columns(ws),
        "heights": {n: d.height * MM_PER_INCH / 72 for n, d in ws.row_dimensions.items() if d.height and getattr(d, "asked", False)},
        "freeze": {"rows": int(pane.ySplit or 0) if frozen else 0, "columns": int(pane.xSplit or 0) if frozen else 0},
        "autofilter": ws.auto_filter.ref,
        "print": printing(ws),
    }


def facts(cell, computed, book):
    font, border, alignment = cell.font, cell.border, cell.alignment
    formula = cell.value if cell.data_type == "f" else None
    value = computed.value
    if isinstance(value, str):
        value = re.sub(r"_x([0-9A-F]{4})_", lambda match: chr(int(match[1], 16)), value)
    kind = {"s": "string", "b": "boolean", "n": "number", "d": "number", "e": "error"}.get(computed.data_type)
    return {
        "value": value,
        "kind": kind,
        "formula": formula,
        "format": cell.number_format,
        "bold": bool(font.b),
        "italic": bool(font.i),
        "underline": font.u not in (None, "none"),
        "strike": bool(font.strike),
        "color": color(font.color, book),
        "font": font.name,
        "size": font.sz,
        "align": alignment.horizontal,
        "valign": {"center": "middle"}.get(alignment.vertical, alignment.vertical),
        "background": color(cell.fill.fgColor, book) if cell.fill.fill_type == "solid" else None,
        "wrap": bool(alignment.wrap_text),
        "borders": {side: line(getattr(border, side), book) for side in ("top", "right", "bottom", "left")},
    }


WIDTHS = {"hair": 0.05, "thin": 0.75, "medium": 1.75, "thick": 2.5, "double": 2.5, "dotted": 0.75, "dashed": 0.75}


def line(side, book):
    if side is None or side.style is None:
        return None
    return {"width": WIDTHS.get(side.style, 1), "color": color(side.color, book) or "#000000", "style": side.style}


def color(value, book):
    if value is None:
        return None
    if value.type == "rgb" and isinstance(value.rgb, str):
        return f"#{value.rgb[-6:]}"
    return "#000000" if value.type == "indexed" and value.indexed in (8, 64) else None


def columns(ws):
    found = []
    for letter in [get_column_letter(index) for index in range(1, 41)]:
        dimension = None
        for d in ws.column_dimensions.values():
            if d.min is not None and d.min <= len(found) + 1 <= d.max:
                dimension = d
        width = None if dimension is None else dimension.width
        found.append({"width": pixels(width), "hidden": bool(dimension is not None and dimension.hidden)})
    return found


def pixels(width):
    return None if width is None else width * 7 * MM_PER_PIXEL


def printing(ws):
    setup, margins = ws.page_setup, ws.page_margins
    paper = PAPERS.get(str(setup.paperSize)) if setup.paperSize else None
    if setup.paperWidth and setup.paperHeight:
        paper = (length(setup.paperWidth), length(setup.paperHeight))
    landscape = setup.orientation == "landscape"
    if paper and landscape:
        paper = (max(paper), min(paper))
    fit = ws.sheet_properties.pageSetUpPr is not None and ws.sheet_properties.pageSetUpPr.fitToPage
    rows = re.search(r"\$?(\d+):\$?(\d+)", ws.print_title_rows or "")
    cols = re.search(r"\$?([A-Z]+):\$?([A-Z]+)", ws.print_title_cols or "")
    return {
        "width": paper[0] if paper else None,
        "height": paper[1] if paper else None,
        "landscape": landscape,
        "margins": {side: getattr(margins, side) * MM_PER_INCH for side in ("top", "right", "bottom", "left")},
        "fitWidth": setup.fitToWidth if fit else None,
        "fitHeight": setup.fitToHeight if fit else None,
        "repeatRows": int(rows[2]) if rows else 0,
        "repeatColumns": openpyxl.utils.column_index_from_string(cols[2]) if cols else 0,
        "gridlines": bool(ws.print_options.gridLines),
        "center": bool(ws.print_options.horizontalCentered),
        "area": area(ws.print_area),
        "header": marginal(ws.oddHeader),
        "footer": marginal(ws.oddFooter),
    }


def length(text):
    return float(re.sub(r"[^\d.]", "", str(text))) * (25.4 if str(text).endswith("in") else 1)


def area(text):
    found = text[0] if isinstance(text, list) and text else text
    return found.split("!")[-1].replace("$", "") if found else None


CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|\d+|(.))', re.S | re.A)


def marginal(part):
    sides = {"L": "", "C": "", "R": ""}
    side = "C"
    place = 0
    text = part.left.text or ""
    for match in CODE.finditer(text):
        sides[side] += text[place : match.start()]
        place = match.end()
        code = match[1]
        if code in sides:
            side = code
        else:
            sides[side] += {"P": "{page}", "N": "{pages}", "&": "&"}.get(code, "")
    sides[side] += text[place:]
    return {"left": sides["L"], "center": sides["C"], "right": sides["R"]}
