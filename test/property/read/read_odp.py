"""Facts of an odp, in the form of those of a pptx."""
from odf import ALIGN, Package, attributes, borders, color, mm, pt, q, runs, scaled, short

KINDS = {"title": "title", "subtitle": "subtitle", "outline": "body", "footer": "footer", "page-number": "number"}
SHAPES = {
    "rectangle": "rect", "round-rectangle": "roundRect", "ellipse": "ellipse", "isosceles-triangle": "triangle",
    "diamond": "diamond",
}


def read(path):
    package = Package(path)
    pages = package.content.findall(f"{q('office:body')}/{q('office:presentation')}/{q('draw:page')}")
    masters = {m.get(q("style:name")): m for m in package.styles.iter(q("style:master-page"))}
    first = masters[pages[0].get(q("draw:master-page-name"))]
    layout = package.other("style:page-layout", first.get(q("style:page-layout-name")), "styles")
    size = attributes(layout.find(q("style:page-layout-properties")))
    return {
        "meta": package.meta_facts(),
        "width": mm(size["fo:page-width"]),
        "height": mm(size["fo:page-height"]),
        "slides": [Page(package, page, masters).facts() for page in pages],
    }


class Page:
    def __init__(self, package, page, masters):
        self.package = package
        self.page = page
        self.master = masters[page.get(q("draw:master-page-name"))]

    def facts(self):
        notes = self.page.find(q("presentation:notes"))
        texts = []
        for frame in [] if notes is None else notes.findall(q("draw:frame")):
            if frame.get(q("presentation:class")) == "notes":
                for p in frame.iter(q("text:p")):
                    texts.append("".join(r["text"] for r in runs(p, {}, self.package)))
        shapes = [self.shape(child) for child in self.page if short(child.tag) != "presentation:notes"]
        return {
            "shapes": [s for s in shapes if s is not None],
            "background": self.background(),
            "footer": self.marginal("footer"),
            "number": self.marginal("page-number"),
            "notes": "\n".join(texts),
        }

    def marginal(self, kind):
        """What the slide shows of its master's footer or number: as a field, or as text."""
        own = self.package.properties("drawing-page", self.page.get(q("draw:style-name")), defaults=False)
        frames = [f for f in self.master if f.get(q("presentation:class")) == kind]
        if own.get(f"presentation:display-{kind}") != "true" or not frames:
            return None
        if frames[0].find(f".//{q('presentation:footer')}") is not None:
            wanted = self.page.get(q("presentation:use-footer-name"))
            declared = self.package.content.iter(q("presentation:footer-decl"))
            return next((d.text for d in declared if d.get(q("presentation:name")) == wanted), None)
        return "".join(r["text"] for p in frames[0].iter(q("text:p")) for r in runs(p, {}, self.package, "styles"))

    def background(self):
        own = self.package.properties("drawing-page", self.page.get(q("draw:style-name")), defaults=False)
        if own.get("draw:fill") == "solid":
            return color(own.get("draw:fill-color"))
        above = self.package.properties("drawing-page", self.master.get(q("draw:style-name")), "styles", defaults=False)
        return color(above.get("draw:fill-color")) if above.get("draw:fill") == "solid" else None

    def shape(self, element):
        tag = short(element.tag)
        if not tag.startswith("draw:"):
            return None
        kind, content, table, image = self.kind_of(element, tag)
        family = "presentation" if element.get(q("presentation:style-name")) else "graphic"
        name = element.get(q(f"{'presentation' if family == 'presentation' else 'draw'}:style-name"))
        look = self.package.properties(family, name)
        if tag == "draw:line":
            ends = [mm(element.get(q(f"svg:{end}"))) for end in ("x1", "y1", "x2", "y2")]
            place = {"x": ends[0], "y": ends[1], "width": ends[2] - ends[0], "height": ends[3] - ends[1]}
        else:
            place = {k: mm(element.get(q(f"svg:{k}"))) or 0 for k in ("x", "y", "width", "height")}
        about = element.find(q("svg:desc"))
        geometry = element.find(q("draw:enhanced-geometry"))
        stroke = look.get("draw:stroke", "none") != "none"
        href = None if image is None else image.get(q("xlink:href"))
        return {
            "kind": kind,
            "placeholder": element.get(q("presentation:class")) is not None,
            **place,
            "geometry": None if geometry is None else SHAPES.get(geometry.get(q("draw:type")), geometry.get(q("draw:type"))),
            "fill": color(look.get("draw:fill-color")) if look.get("draw:fill") == "solid" else None,
            "line": {"width": pt(look.get("svg:stroke-width", "0pt")), "color": color(look.get("svg:stroke-color"))} if stroke else None,
            "arrow": "draw:marker-end" in look,
            "valign": look.get("draw:textarea-vertical-align", "top"),
            "alt": "" if about is None else about.text or "",
            "bytes": int(href in self.package.names) if href else 0,
            "paragraphs": [] if content is None else self.paragraphs(content, look),
            "table": None if table is None else self.table(table),
        }

    def kind_of(self, element, tag):
        box, table, image = (element.find(q(f"draw:{n}")) for n in ("text-box", "table", "image"))
        table = element.find(q("table:table"))
        known = KINDS.get(element.get(q("presentation:class")))
        if tag == "draw:line":
            return "line", None, None, None
        if tag == "draw:custom-shape":
            return "shape", element, None, None
        if table is not None:
            return "table", None, table, None
        if image is not None and box is None:
            return "picture", None, None, image
        return known or "text", box, None, None

    def paragraphs(self, parent, look, level=0, styles=()):
        facts = []
        for child in parent:
            tag = short(child.tag)
            if tag == "text:p":
                facts.append(self.paragraph(child, look, level, styles))
            elif tag == "text:list":
                name = child.get(q("text:style-name")) or (styles[-1] if styles else None)
                facts += self.paragraphs(child, look, level + 1, (*styles, name))
            elif tag in ("text:list-item", "text:list-header"):
                facts += self.paragraphs(child, look, level, styles)
        return facts

    def paragraph(self, element, look, level, styles):
        merged = dict(look)
        merged.pop("fo:background-color", None)
        for style in reversed(self.package.chain("paragraph", element.get(q("text:style-name")))):
            for properties in style:
                merged.update(scaled(attributes(properties), merged))
        mark = None
        if level > 0:
            style = self.package.other("text:list-style", styles[-1])
            for entry in [] if style is None else style:
                if entry.get(q("text:level")) == str(level):
                    mark = "bullet" if short(entry.tag).endswith("bullet") else "number"
                    if mark == "number" and not entry.get(q("style:num-format")):
                        mark = None
        return {
            "level": max(0, level - 1),
            "mark": mark if merged.get("text:enable-numbering") != "false" else None,
            "align": ALIGN.get(merged.get("fo:text-align"), "left"),
            "runs": runs(element, merged, self.package),
        }

    def table(self, element):
        widths, rows = [], []
        for column in element.iter(q("table:table-column")):
            own = self.package.properties("table-column", column.get(q("table:style-name")))
            widths += [mm(own.get("style:column-width"))] * int(column.get(q("table:number-columns-repeated"), 1))
        for row in element.iter(q("table:table-row")):
            usual = row.get(q("table:default-cell-style-name"))
            rows.append([self.cell(cell, usual) for cell in row if short(cell.tag) == "table:table-cell"])
        return {"widths": widths, "rows": rows}

    def cell(self, element, usual):
        look = self.package.properties("table-cell", element.get(q("table:style-name")) or usual)
        return {
            "paragraphs": self.paragraphs(element, look),
            # Cells are filled unless they say that they are not.
            "fill": color(look.get("draw:fill-color")) if look.get("draw:fill", "solid") == "solid" else None,
            "valign": look.get("draw:textarea-vertical-align", "top"),
            "borders": borders(look),
        }
