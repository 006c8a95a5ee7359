"""Facts of a pptx, by python-pptx; what its objects do not tell is read off their XML."""
import pptx
from pptx.oxml.ns import qn

from ooxml import keywords

MM_PER_EMU = 1 / 36000
ALIGN = {"l": "left", "r": "right", "ctr": "center", "just": "justify"}
ANCHOR = {"t": "top", "ctr": "middle", "b": "bottom"}
KINDS = {
    "title": "title", "ctrTitle": "title", "subTitle": "subtitle", "body": "body", "obj": "body", "ftr": "footer",
    "sldNum": "number",
}


def read(path):
    deck = pptx.Presentation(path)
    core = deck.core_properties
    languages = {r.get("lang") for s in deck.slides for r in s.element.iter(qn("a:rPr")) if r.get("lang")}
    return {
        "meta": {
            "title": core.title or "",
            "subject": core.subject or "",
            "author": core.author or "",
            "keywords": keywords(core),
            "description": core.comments or "",
            "language": " ".join([core.language or "", *sorted(languages)]),
        },
        "width": deck.slide_width * MM_PER_EMU,
        "height": deck.slide_height * MM_PER_EMU,
        "slides": [slide(s) for s in deck.slides],
    }


def slide(s):
    layout = {p.placeholder_format.type for p in s.slide_layout.placeholders}
    return {
        "shapes": [shape(x, layout, s.part) for x in s.shapes],
        "background": background(s),
        "footer": placeholder_text(s, "ftr"),
        "number": placeholder_text(s, "sldNum"),
        "notes": s.notes_slide.notes_text_frame.text if s.has_notes_slide and s.notes_slide.notes_text_frame else "",
    }


def placeholder_text(s, kind):
    for x in s.placeholders:
        if x.element.find(f".//{qn('p:nvPr')}/{qn('p:ph')}").get("type") == kind:
            return x.text_frame.text
    return None


def background(s):
    for holder in (s, s.slide_layout, s.slide_layout.slide_master):
        fill = holder.element.find(f".//{qn('p:bg')}/{qn('p:bgPr')}/{qn('a:solidFill')}")
        if fill is not None:
            return color(fill)
    return None


def shape(x, layout, part):
    element = x.element
    kind = "other"
    if x.is_placeholder:
        found = element.find(f".//{qn('p:nvPr')}/{qn('p:ph')}")
        kind = KINDS.get(found.get("type", "body"), "other")
        if found.get("type") == "subTitle":
            kind = "subtitle"
    elif x.has_chart:
        kind = "other"
    elif getattr(x, "has_table", False) and x.has_table:
        kind = "table"
    elif element.tag == qn("p:pic"):
        kind = "picture"
    elif element.tag == qn("p:cxnSp"):
        kind = "line"
    elif element.tag == qn("p:sp"):
        kind = "text" if element.find(f".//{qn('p:cNvSpPr')}").get("txBox") == "1" else "shape"
    properties = element.find(qn("p:spPr"))
    geometry = None if properties is None else properties.find(qn("a:prstGeom"))
    outline = None if properties is None else properties.find(qn("a:ln"))
    body = element.find(qn("p:txBody"))
    about = element.find(f".//{qn('p:cNvPr')}")
    blip = element.find(f".//{qn('a:blip')}")
    if kind == "shape" and geometry is not None and geometry.get("prst") == "line":
        kind = "line"
    frame = None if body is None else body.find(qn("a:bodyPr"))
    return {
        "kind": kind,
        "placeholder": x.is_placeholder,
        "x": (x.left or 0) * MM_PER_EMU,
        "y": (x.top or 0) * MM_PER_EMU,
        "width": (x.width or 0) * MM_PER_EMU,
        "height": (x.height or 0) * MM_PER_EMU,
        "geometry": None if geometry is None else geometry.get("prst"),
        "fill": None if properties is None else color(properties.find(qn("a:solidFill"))),
        "line": line(outline),
        "arrow": outline is not None and any(
            outline.find(qn(end)) is not None and outline.find(qn(end)).get("type", "none") != "none"
            for end in ("a:headEnd", "a:tailEnd")
        ),
        "valign": None if frame is None else ANCHOR.get(frame.get("anchor", "t")),
        "alt": about.get("descr") or "",
        "bytes": 0 if blip is None else len(part.related_part(blip.get(qn("r:embed"))).blob),
        "paragraphs": [] if body is None else [paragraph(p, body, part) for p in body.findall(qn("a:p"))],
        "table": table(x.table, part) if kind == "table" else None,
    }


def paragraph(p, body, part):
    properties = p.find(qn("a:pPr"))
    level = 0 if properties is None else int(properties.get("lvl", 0))
    mark = None
    if properties is not None:
        mark = "bullet" if properties.find(qn("a:buChar")) is not None else None
        mark = "number" if properties.find(qn("a:buAutoNum")) is not None else mark
    align = None if properties is None else properties.get("algn")
    found = []
    for child in p:
        if child.tag in (qn("a:r"), qn("a:fld")):
            text = "".join(t.text or "" for t in child.findall(qn("a:t")))
            found.append({"text": text, "field": child.get("type")} | look(child.find(qn("a:rPr")), part))
        elif child.tag == qn("a:br"):
            found.append({"text": "\n", "field": None} | look(child.find(qn("a:rPr")), part))
    return {"level": level, "mark": mark, "align": ALIGN.get(align, "left"), "runs": found}


def look(properties, part):
    def get(name, otherwise=None):
        return otherwise if properties is None else properties.get(name, otherwise)

    def child(name):
        return None if properties is None else properties.find(qn(name))

    latin, link = child("a:latin"), child("a:hlinkClick")
    size, baseline = get("sz"), int(get("baseline", "0"))
    target = None
    if link is not None and link.get(qn("r:id")):
        target = part.rels[link.get(qn("r:id"))].target_ref
    return {
        "bold": get("b") == "1",
        "italic": get("i") == "1",
        "underline": get("u", "none") != "none",
        "strike": get("strike", "noStrike") != "noStrike",
        "color": color(child("a:solidFill")),
        "highlight": color(child("a:highlight")),
        "font": None if latin is None else latin.get("typeface"),
        "size": None if size is None else int(size) / 100,
        "script": "super" if baseline > 0 else "sub" if baseline < 0 else None,
        "link": target,
    }


def color(fill):
    found = None if fill is None else fill.find(qn("a:srgbClr"))
    return None if found is None else f"#{found.get('val').upper()}"


def line(outline):
    if outline is None or outline.find(qn("a:solidFill")) is None:
        return None
    return {"width": int(outline.get("w", 0)) / 12700, "color": color(outline.find(qn("a:solidFill")))}


def table(t, part):
    rows = [[cell(tc, part) for tc in tr.findall(qn("a:tc"))] for tr in t._tbl.findall(qn("a:tr"))]
    return {"widths": [c.width * MM_PER_EMU for c in t.columns], "rows": rows}


def cell(tc, part):
    properties = tc.find(qn("a:tcPr"))
    body = tc.find(qn("a:txBody"))
    sides = {"top": "a:lnT", "right": "a:lnR", "bottom": "a:lnB", "left": "a:lnL"}
    return {
        "paragraphs": [paragraph(p, body, part) for p in body.findall(qn("a:p"))],
        "fill": None if properties is None else color(properties.find(qn("a:solidFill"))),
        "valign": "top" if properties is None else ANCHOR.get(properties.get("anchor", "t")),
        "borders": {side: None if properties is None else line(properties.find(qn(tag))) for side, tag in sides.items()},
    }
