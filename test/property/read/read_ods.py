"""Facts of an ods, in the form of those of an xlsx. Number formats are told as Excel's codes, as far as they matter."""
import datetime
import re

from odf import ALIGN, NS, Package, attributes, borders, color, look, mm, q, short

EPOCH = datetime.datetime(1899, 12, 30)


def read(path):
    package = Package(path)
    spreadsheet = package.content.find(f"{q('office:body')}/{q('office:spreadsheet')}")
    filters = {}
    for database in spreadsheet.iter(q("table:database-range")):
        if database.get(q("table:display-filter-buttons")) == "true":
            address = database.get(q("table:target-range-address"))
            name, ref = ref_of(address)
            filters[name] = ref
    views = freezes(package)
    tables = spreadsheet.findall(q("table:table"))
    return {
        "meta": package.meta_facts(),
        "sheets": [sheet(package, table, filters, views) for table in tables],
    }


def ref_of(address):
    """`'A b'.A1:'A b'.C4` as name and `A1:C4`."""
    cells = re.findall(r"(?:^|:)\$?('(?:[^']|'')*'|[^.:']*)\.\$?([A-Z]+)\$?(\d+)", address)
    name = cells[0][0]
    name = name[1:-1].replace("''", "'") if name.startswith("'") else name
    places = [f"{column}{row}" for _, column, row in cells]
    return name, ":".join(places if len(places) > 1 else places * 2)


def freezes(package):
    found = {}
    for entry in package.settings.iter(q("config:config-item-map-entry")):
        items = {i.get(q("config:name")): i.text for i in entry.findall(q("config:config-item"))}
        if "HorizontalSplitMode" in items:
            columns = int(items["HorizontalSplitPosition"]) if items["HorizontalSplitMode"] == "2" else 0
            rows = int(items["VerticalSplitPosition"]) if items["VerticalSplitMode"] == "2" else 0
            found[entry.get(q("config:name"))] = {"rows": rows, "columns": columns}
    return found


def sheet(package, table, filters, views):
    name = table.get(q("table:name"))
    style = package.properties("table", table.get(q("table:style-name")))
    columns, repeat_columns, defaults = [], 0, []
    for column in table.iter(q("table:table-column")):
        count = min(int(column.get(q("table:number-columns-repeated"), 1)), 60)
        own = package.properties("table-column", column.get(q("table:style-name")))
        hidden = column.get(q("table:visibility")) in ("collapse", "filter")
        columns += [{"width": mm(own.get("style:column-width")), "hidden": hidden}] * count
        defaults += [column.get(q("table:default-cell-style-name"))] * count
    for head in table.iter(q("table:table-header-columns")):
        for column in head.iter(q("table:table-column")):
            repeat_columns += int(column.get(q("table:number-columns-repeated"), 1))
    repeat_rows = sum(
        int(row.get(q("table:number-rows-repeated"), 1))
        for head in table.iter(q("table:table-header-rows"))
        for row in head.iter(q("table:table-row"))
    )
    cells, heights = {}, {}
    number = 0
    for row in table.iter(q("table:table-row")):
        repeated = int(row.get(q("table:number-rows-repeated"), 1))
        own = package.properties("table-row", row.get(q("table:style-name")))
        for _ in range(min(repeated, 20)):
            number += 1
            if own.get("style:use-optimal-row-height") == "false":
                heights[number] = mm(own.get("style:row-height"))
            row_cells(package, row, number, defaults, cells)
        number += max(0, repeated - 20)
    area = table.get(q("table:print-ranges"))
    printing = page(package, chain_master(package, table))
    printing |= {"repeatRows": repeat_rows, "repeatColumns": repeat_columns, "area": ref_of(area)[1] if area else None}
    return {
        "name": name,
        "hidden": style.get("table:display") == "false",
        "tabColor": color(style.get("table:tab-color", style.get("tableooo:tab-color"))),
        "cells": cells,
        "columns": columns,
        "heights": heights,
        "freeze": views.get(name, {"rows": 0, "columns": 0}),
        "autofilter": filters.get(name),
        "print": printing,
    }


def row_cells(package, row, number, defaults, cells):
    column = 0
    for cell in row:
        if short(cell.tag) not in ("table:table-cell", "table:covered-table-cell"):
            continue
        count = int(cell.get(q("table:number-columns-repeated"), 1))
        for _ in range(min(count, 60)):
            if column < len(defaults):
                cells[f"{letters(column)}{number}"] = facts(package, cell, cell.get(q("table:style-name")) or defaults[column])
            column += 1
        column += max(0, count - 60)


def letters(index):
    return chr(65 + index) if index < 26 else letters(index // 26 - 1) + chr(65 + index % 26)


def facts(package, cell, style):
    properties = package.properties("table-cell", style)
    kind, value = value_of(cell)
    letters_of = look(properties, package)
    # A cell's background is not that of its letters.
    letters_of.pop("highlight")
    align = ALIGN.get(properties.get("fo:text-align")) if properties.get("style:text-align-source") == "fix" else None
    formula = cell.get(q("table:formula"))
    return {
        "value": value,
        "kind": kind,
        "formula": formula.split(":", 1)[1] if formula else None,
        "format": number_format(package, style),
        "align": align,
        "valign": {"automatic": None}.get(properties.get("style:vertical-align"), properties.get("style:vertical-align")),
        "background": color(properties.get("fo:background-color")),
        "wrap": properties.get("fo:wrap-option") == "wrap",
        "borders": borders(properties),
    } | letters_of


def value_of(cell):
    kind = cell.get(q("office:value-type"))
    if kind in ("float", "percentage", "currency"):
        return "number", float(cell.get(q("office:value")))
    if kind == "boolean":
        return "boolean", cell.get(q("office:boolean-value")) == "true"
    if kind == "date":
        try:
            moment = datetime.datetime.fromisoformat(cell.get(q("office:date-value"))[:26])
        except ValueError:  # a number far beyond the calendar, in a column of dates
            return "number", None
        return "number", (moment - EPOCH) / datetime.timedelta(days=1)
    if kind == "time":
        match = re.fullmatch(r"(-?)PT(\d+)H(\d+)M([\d.]+)S", cell.get(q("office:time-value")))
        if match is None:
            return "number", None
        days = (int(match[2]) + int(match[3]) / 60 + float(match[4]) / 3600) / 24
        return "number", -days if match[1] else days
    if kind == "string":
        return "string", "\n".join(text_of(p) for p in cell.findall(q("text:p")))
    return "none", None


def text_of(element):
    text = element.text or ""
    for child in element:
        tag = short(child.tag)
        if tag == "text:s":
            text += " " * int(child.get(q("text:c"), "1"))
        elif tag == "text:tab":
            text += "\t"
        elif tag == "text:line-break":
            text += "\n"
        else:
            text += text_of(child)
        text += child.tail or ""
    return text


def number_format(package, style):
    for entry in package.chain("table-cell", style):
        name = entry.get(q("style:data-style-name"))
        if name is not None:
            return code(package, name)
    return "General"


TAGS = ("number", "currency", "percentage", "date", "time", "text", "boolean")


def code(package, name):
    for tag in TAGS:
        style = package.other(f"number:{tag}-style", name)
        if style is not None:
            break
    else:
        return "?"
    text = ""
    truncated = style.get(q("number:truncate-on-overflow")) == "false"
    for part in style:
        own = attributes(part)
        kind = short(part.tag)
        long = own.get("number:style") == "long"
        if kind == "number:number":
            decimals = int(own.get("number:decimal-places", 0))
            general = "number:decimal-places" not in own
            digits = "#,##0" if own.get("number:grouping") == "true" else "0"
            text += "General" if general else digits + ("." + "0" * decimals if decimals else "")
        elif kind == "number:scientific-number":
            text += "0.00E+00"
        elif kind == "number:currency-symbol":
            text += part.text or ""
        elif kind == "number:text-content":
            text += "@"
        elif kind == "number:boolean":
            text += "BOOLEAN"
        elif kind in ("number:text", "loext:text"):
            text += part.text or " "
        else:
            unit = {"day": "d", "month": "m", "year": "yy", "hours": "h", "minutes": "m", "seconds": "s"}[kind[7:]]
            text += f"[{unit}]" if truncated and unit == "h" else unit * 2 if long else unit
    return text


def chain_master(package, table):
    style = package.find("table", table.get(q("table:style-name")))
    name = style.get(q("style:master-page-name"))
    return next(m for m in package.styles.iter(q("style:master-page")) if m.get(q("style:name")) == name)


def page(package, master):
    layout = package.other("style:page-layout", master.get(q("style:page-layout-name")), "styles")
    own = attributes(layout.find(q("style:page-layout-properties")))
    margins = {side: mm(own.get(f"fo:margin-{side}", own.get("fo:margin", "0mm"))) for side in ("top", "right", "bottom", "left")}
    for side, tag, part in (("top", "style:header-style", "header"), ("bottom", "style:footer-style", "footer")):
        properties = layout.find(f"{q(tag)}/{q('style:header-footer-properties')}")
        shown = master.find(q(f"style:{part}"))
        if properties is not None and shown is not None and shown.get(q("style:display")) != "false":
            height = attributes(properties)
            margins[side] += mm(height.get("svg:height", height.get("fo:min-height", "0mm"))) or 0
    fit = {name: own.get(f"style:scale-to-{axis}") for name, axis in (("fitWidth", "X"), ("fitHeight", "Y"))}
    return {
        "width": mm(own["fo:page-width"]),
        "height": mm(own["fo:page-height"]),
        "landscape": own.get("style:print-orientation") == "landscape",
        "margins": margins,
        **{name: int(value) if value is not None else None for name, value in fit.items()},
        "gridlines": "grid" in own.get("style:print", "").split(),
        "center": own.get("style:table-centering") in ("horizontal", "both"),
        "header": marginal(master, "style:header"),
        "footer": marginal(master, "style:footer"),
    }


def marginal(master, tag):
    part = master.find(q(tag))
    texts = {}
    for side in ("left", "center", "right"):
        region = None if part is None else part.find(q(f"style:region-{side}"))
        texts[side] = "" if region is None else "\n".join(fields(p) for p in region.findall(q("text:p")))
    if part is not None and not any(texts.values()):
        texts["center"] = "\n".join(fields(p) for p in part.findall(q("text:p")))
    return texts


def fields(element):
    for page_field in element.iter(q("text:page-number")):
        page_field.text = "{page}"
    for count in element.iter(q("text:page-count")):
        count.text = "{pages}"
    return text_of(element)


NS.setdefault("tableooo", "http://openoffice.org/2009/table")
