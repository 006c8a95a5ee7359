"""Facts of an odt, in the form of those of a docx."""
from odf import ALIGN, Package, attributes, borders, color, mm, q, runs, scaled, short

FORMATS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


def read(path):
    package = Package(path)
    body = package.content.find(f"{q('office:body')}/{q('office:text')}")
    reader = Reader(package, "content")
    master = next(package.styles.iter(q("style:master-page")))
    marginals = Reader(package, "styles")
    return {
        "meta": package.meta_facts(),
        "page": page(package, master),
        "header": marginal(master, "style:header", marginals),
        "footer": marginal(master, "style:footer", marginals),
        "blocks": reader.blocks(body),
    }


def marginal(master, tag, reader):
    found = master.find(q(tag))
    return [] if found is None else reader.blocks(found)


def page(package, master):
    layout = package.other("style:page-layout", master.get(q("style:page-layout-name")), "styles")
    own = attributes(layout.find(q("style:page-layout-properties")))
    margins = {side: mm(own.get(f"fo:margin-{side}", own.get("fo:margin", "0mm"))) for side in ("top", "right", "bottom", "left")}
    for side, tag in (("top", "style:header-style"), ("bottom", "style:footer-style")):
        properties = layout.find(f"{q(tag)}/{q('style:header-footer-properties')}")
        if properties is not None:
            height = attributes(properties)
            margins[side] += mm(height.get("fo:min-height", height.get("svg:height", "0mm"))) or 0
    return {
        "width": mm(own["fo:page-width"]),
        "height": mm(own["fo:page-height"]),
        "landscape": own.get("style:print-orientation") == "landscape",
        **margins,
    }


class Reader:
    def __init__(self, package, part):
        self.package = package
        self.part = part

    def blocks(self, parent, level=0, styles=(), first=None):
        facts = []
        for child in parent:
            tag = short(child.tag)
            if tag in ("text:p", "text:h"):
                facts.append(self.paragraph(child, level, styles))
            elif tag == "text:list":
                name = child.get(q("text:style-name")) or (styles[-1] if styles else None)
                facts += self.blocks(child, level + 1, (*styles, name))
            elif tag in ("text:list-item", "text:list-header", "text:section"):
                facts += self.blocks(child, level, styles)
            elif tag == "table:table":
                facts.append(self.table(child))
        return facts

    def paragraph(self, element, level, styles):
        name = element.get(q("text:style-name"))
        properties = self.base(name)
        package = self.package
        line = properties.get("fo:line-height", "")
        numbered = self.numbered(level, styles)
        return {
            "style": package.display_name("paragraph", name, self.part),
            "outline": int(element.get(q("text:outline-level"), 0)) or None,
            "list": numbered,
            "align": ALIGN.get(properties.get("fo:text-align"), "left"),
            "before": mm(properties.get("fo:margin-top")) or 0,
            "after": mm(properties.get("fo:margin-bottom")) or 0,
            "line": float(line[:-1]) if line.endswith("%") else 100 if line in ("", "normal") else None,
            "left": mm(properties.get("fo:margin-left")) or 0,
            "right": mm(properties.get("fo:margin-right")) or 0,
            "first": mm(properties.get("fo:text-indent")) or 0,
            "keep": properties.get("fo:keep-with-next") == "always",
            "breakBefore": properties.get("fo:break-before") == "page",
            "borders": borders(properties),
            "runs": runs(element, properties, package, self.part),
            "images": self.images(element),
        }

    def base(self, name):
        """Properties of a paragraph; a font size in percent counts from the style above."""
        merged = {}
        chain = [self.package.defaults.get("paragraph"), *reversed(self.package.chain("paragraph", name, self.part))]
        for style in chain:
            for properties in [] if style is None else style:
                if short(properties.tag).endswith("-properties"):
                    own = attributes(properties)
                    if "fo:border" in own:
                        merged = {key: value for key, value in merged.items() if not key.startswith("fo:border-")}
                    # A paragraph's background is not that of its letters.
                    if short(properties.tag) == "style:paragraph-properties":
                        own.pop("fo:background-color", None)
                    merged.update(scaled(own, merged))
        return merged

    def numbered(self, level, styles):
        if level == 0:
            return None
        style = self.package.other("text:list-style", styles[-1], self.part)
        for entry in [] if style is None else style:
            if entry.get(q("text:level")) == str(level):
                bullet = short(entry.tag) == "text:list-level-style-bullet"
                kind = "bullet" if bullet else FORMATS.get(entry.get(q("style:num-format")), "none")
                return {"level": level - 1, "format": kind, "start": int(entry.get(q("text:start-value"), "1"))}
        return {"level": level - 1, "format": None, "start": 1}

    def images(self, element):
        found = []
        for frame in element.iter(q("draw:frame")):
            image = frame.find(q("draw:image"))
            if image is None:
                continue
            about = frame.find(q("svg:desc"))
            size = {"width": mm(frame.get(q("svg:width"))), "height": mm(frame.get(q("svg:height")))}
            there = image.get(q("xlink:href")) in self.package.names
            found.append({**size, "alt": "" if about is None else about.text or "", "bytes": int(there)})
        return found

    def table(self, element):
        widths = []
        header = 0
        rows = []
        for child in element:
            tag = short(child.tag)
            if tag in ("table:table-column", "table:table-columns"):
                for column in [child] if tag.endswith("column") else child:
                    style = self.package.properties("table-column", column.get(q("table:style-name")), self.part)
                    widths += [mm(style.get("style:column-width"))] * int(column.get(q("table:number-columns-repeated"), 1))
            elif tag in ("table:table-header-rows", "table:table-rows"):
                inside = child.findall(q("table:table-row"))
                header += len(inside) if "header" in tag else 0
                rows += [self.row(row) for row in inside]
            elif tag == "table:table-row":
                rows.append(self.row(child))
        style = self.package.properties("table", element.get(q("table:style-name")), self.part)
        return {
            "table": {
                "widths": widths,
                "headerRows": header,
                "rows": rows,
                "breakBefore": style.get("fo:break-before") == "page",
            }
        }

    def row(self, element):
        return [self.cell(cell) for cell in element if short(cell.tag) == "table:table-cell"]

    def cell(self, element):
        properties = self.package.properties("table-cell", element.get(q("table:style-name")), self.part)
        valign = properties.get("style:vertical-align")
        return {
            "blocks": self.blocks(element),
            "background": color(properties.get("fo:background-color")),
            "valign": valign if valign in ("middle", "bottom") else "top",
            "borders": borders(properties),
        }
