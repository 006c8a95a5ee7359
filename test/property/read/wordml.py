"""Bits of WordprocessingML that python-docx does not tell."""
from docx.oxml.ns import qn

MM_PER_TWIP = 25.4 / 1440
MM_PER_EMU = 1 / 36000
HIGHLIGHTS = {"yellow": "#FFFF00", "red": "#FF0000", "black": "#000000", "white": "#FFFFFF"}


def has_numbering(document):
    return any(rel.reltype.endswith("/numbering") for rel in document.part.rels.values())


def parent_of(element, tag):
    return next(element.iterancestors(qn(tag)), None)


def value(parent, tag):
    found = None if parent is None else parent.find(qn(tag))
    return None if found is None else found.get(qn("w:val"))


def first(chain, tag):
    return next((found for found in (p.find(qn(tag)) for p in chain) if found is not None), None)


def value_in(chain, tag):
    found = first(chain, tag)
    return None if found is None else found.get(qn("w:val"))


def merged(chain, tag):
    attributes = {}
    for properties in reversed(chain):
        found = properties.find(qn(tag))
        if found is not None:
            own = {name.split("}")[1]: content for name, content in found.attrib.items()}
            if "hanging" in own:
                attributes.pop("firstLine", None)
            if "firstLine" in own:
                attributes.pop("hanging", None)
            attributes.update(own)
    return attributes


def toggle(element):
    return element is not None and element.get(qn("w:val"), "true") not in ("0", "false", "off", "none")


def page_break(p):
    """Where a paragraph has a page break: as its first, or as its last thing."""
    things = [thing for run in p.iter(qn("w:r")) for thing in run if thing.tag != qn("w:rPr")]
    for place, name in ((0, "first"), (-1, "last")):
        if things and things[place].tag == qn("w:br") and things[place].get(qn("w:type")) == "page":
            return "last" if len(things) == 1 else name
    return None


def raised(chain):
    position = value_in(chain, "w:position")
    if position is None or int(position) == 0:
        return None
    return "super" if int(position) > 0 else "sub"


def twips(text):
    return float(text or 0) * MM_PER_TWIP


def outline(chain):
    level = value_in(chain, "w:outlineLvl")
    return int(level) + 1 if level is not None and int(level) < 9 else None


def color(text):
    return f"#{text.upper()}" if text and text != "auto" else None


def line_of(borders, side):
    names = {"left": ("left", "start"), "right": ("right", "end")}.get(side, (side,))
    for name in names:
        found = None if borders is None else borders.find(qn(f"w:{name}"))
        if found is not None and found.get(qn("w:val")) not in ("nil", "none", None):
            return {"width": int(found.get(qn("w:sz"), 0)) / 8, "color": color(found.get(qn("w:color")))}
    return None


def text_of(run):
    text = ""
    for child in run:
        if child.tag == qn("w:t"):
            text += child.text or ""
        elif child.tag in (qn("w:tab"), qn("w:ptab")):
            text += "\t"
        elif child.tag == qn("w:cr") or (child.tag == qn("w:br") and child.get(qn("w:type")) in (None, "textWrapping")):
            text += "\n"
        elif child.tag == qn("w:noBreakHyphen"):
            text += "-"
    return text


def images(p):
    found = []
    for inline in p.iter(qn("wp:inline"), qn("wp:anchor")):
        extent = inline.find(qn("wp:extent"))
        about = inline.find(qn("wp:docPr"))
        size = {"width": int(extent.get("cx")) * MM_PER_EMU, "height": int(extent.get("cy")) * MM_PER_EMU}
        found.append({**size, "alt": about.get("descr") or "", "bytes": len(list(inline.iter(qn("a:blip"))))})
    return found
