"""Facts of a docx, by python-docx; what its objects do not tell is read off their XML."""
from urllib.parse import quote

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml.ns import qn

from ooxml import keywords
from wordml import (
    HIGHLIGHTS, has_numbering, parent_of, value, first, value_in,
    merged, toggle, page_break, raised, twips, outline,
    color, line_of, text_of, images,
)

MM_PER_EMU = 1 / 36000
ALIGN = {"start": "left", "left": "left", "end": "right", "right": "right", "center": "center", "both": "justify"}
FIELDS = {"PAGE": "page", "NUMPAGES": "pages", "TITLE": "title", "DOCPROPERTY": "title"}


def read(path):
    document = docx.Document(path)
    reader = Reader(document)
    section = document.sections[0]
    core = document.core_properties
    return {
        "meta": {
            "title": core.title or "",
            "subject": core.subject or "",
            "author": core.author or "",
            "keywords": keywords(core),
            "description": core.comments or "",
            "language": language(document, core),
        },
        "page": {
            "width": section.page_width * MM_PER_EMU,
            "height": section.page_height * MM_PER_EMU,
            "landscape": section.orientation == 1,
            "top": section.top_margin * MM_PER_EMU,
            "right": section.right_margin * MM_PER_EMU,
            "bottom": section.bottom_margin * MM_PER_EMU,
            "left": section.left_margin * MM_PER_EMU,
        },
        "header": reader.blocks(section.header._element),
        "footer": reader.blocks(section.footer._element),
        "blocks": reader.blocks(document.element.body),
    }


def language(document, core):
    lang = document.styles.element.find(f".//{qn('w:docDefaults')}//{qn('w:lang')}")
    found = [] if lang is None else [lang.get(qn(f"w:{name}")) for name in ("val", "eastAsia", "bidi")]
    return " ".join(filter(None, [core.language, *found]))


class Reader:
    def __init__(self, document):
        self.part = document.part
        self.styles = {style.style_id: style for style in document.styles}
        self.default = document.styles.default(WD_STYLE_TYPE.PARAGRAPH) or document.styles["Normal"]
        defaults = document.styles.element.find(qn("w:docDefaults"))
        self.run_defaults = [] if defaults is None else list(defaults.iter(qn("w:rPr")))
        self.paragraph_defaults = [] if defaults is None else list(defaults.iter(qn("w:pPr")))
        self.numbering = document.part.numbering_part.element if has_numbering(document) else None

    def blocks(self, parent):
        facts = []
        broken = False
        for child in parent:
            if child.tag == qn("w:p"):
                facts.append(self.paragraph(child))
                facts[-1]["breakBefore"] |= broken or page_break(child) == "first"
                broken = page_break(child) == "last"
            elif child.tag == qn("w:tbl"):
                facts.append(self.table(child))
                facts[-1]["table"]["breakBefore"] = broken
                broken = False
        return facts

    def chain(self, style_id, kind):
        found = []
        style = self.styles.get(style_id)
        while style is not None:
            properties = style.element.find(qn(kind))
            if properties is not None:
                found.append(properties)
            style = style.base_style
        return found

    def paragraph(self, p):
        own = p.find(qn("w:pPr"))
        style_id = value(own, "w:pStyle") or self.default.style_id
        chain = ([own] if own is not None else []) + self.chain(style_id, "w:pPr") + self.paragraph_defaults
        spacing = merged(chain, "w:spacing")
        indent = merged(chain, "w:ind")
        border = first(chain, "w:pBdr")
        numbered = self.numbered(chain)
        # What a list level says of indents stands behind what a paragraph says, and before its style.
        fallback = numbered.pop("indent", {}) if numbered else {}
        direct = merged(chain[:1], "w:ind") if own is not None else {}
        indent = {**indent, **fallback, **direct}
        line = spacing.get("line")
        return {
            "style": self.styles[style_id].name if style_id in self.styles else style_id,
            "outline": outline(chain),
            "list": numbered,
            "align": ALIGN.get(value_in(chain, "w:jc"), "left"),
            "before": twips(spacing.get("before")),
            "after": twips(spacing.get("after")),
            "line": None if line is None or spacing.get("lineRule", "auto") != "auto" else int(line) / 2.4,
            "left": twips(indent.get("left", indent.get("start"))),
            "right": twips(indent.get("right", indent.get("end"))),
            "first": twips(indent["firstLine"]) if "firstLine" in indent else -twips(indent.get("hanging")),
            "keep": toggle(first(chain, "w:keepNext")),
            "breakBefore": toggle(first(chain, "w:pageBreakBefore")),
            "borders": {side: line_of(border, side) for side in ("top", "bottom")},
            "runs": self.runs(p, style_id),
            "images": images(p),
        }

    def numbered(self, chain):
        properties = first(chain, "w:numPr")
        if properties is None or self.numbering is None:
            return None
        number = value(properties, "w:numId")
        level = int(value(properties, "w:ilvl") or 0)
        if number in (None, "0"):
            return None
        found = [n for n in self.numbering.findall(qn("w:num")) if n.get(qn("w:numId")) == number]
        if not found:
            return None
        levels = [o for o in found[0].findall(qn("w:lvlOverride")) if o.get(qn("w:ilvl")) == str(level)]
        start = next((value(override, "w:startOverride") for override in levels), None)
        for abstract in self.numbering.findall(qn("w:abstractNum")):
            if abstract.get(qn("w:abstractNumId")) == value(found[0], "w:abstractNumId"):
                levels.append(abstract)
        for lvl in (definition for parent in levels for definition in parent.findall(qn("w:lvl"))):
            if lvl.get(qn("w:ilvl")) == str(level):
                properties = lvl.find(qn("w:pPr"))
                return {
                    "level": level,
                    "format": value(lvl, "w:numFmt"),
                    "start": int(start or value(lvl, "w:start") or 1),
                    "id": number,
                    "indent": merged([properties], "w:ind") if properties is not None else {},
                }
        return None

    def runs(self, p, style_id):
        """Text in pieces of one look. Fields of several runs are one piece."""
        facts = []
        field = None
        for child in p.iter(qn("w:r"), qn("w:fldSimple")):
            if child.tag == qn("w:fldSimple"):
                continue
            mark = child.find(qn("w:fldChar"))
            if mark is not None:
                kind = mark.get(qn("w:fldCharType"))
                field = "" if kind == "begin" else None if kind == "end" else field
            for code in child.iter(qn("w:instrText")):
                field = (field or "") + (code.text or "")
            simple = parent_of(child, "w:fldSimple")
            code = simple.get(qn("w:instr")) if simple is not None else field
            text = text_of(child)
            if text == "":
                continue
            link = parent_of(child, "w:hyperlink")
            target = None
            if link is not None and link.get(qn("r:id")):
                anchor = link.get(qn("w:anchor"))
                target = (self.target(link) or "") + (f"#{anchor}" if anchor else "")
            elif code and code.split()[0:1] == ["HYPERLINK"]:
                quoted = code.split('"')[1::2]
                target = "#".join(quoted) if "\\l" in code else quoted[0]
            name = (code or "").split()
            # Which LibreOffice 25.2 does itself.
            target = quote(target or "", safe="%/?:#[]@!$&'()*+,;=~")
            facts.append(
                {"text": text, "link": target or None, "field": FIELDS.get(name[0]) if name else None}
                | self.look(child, style_id)
            )
        return facts

    def target(self, link):
        parts = [self.part] + [r.target_part for r in self.part.rels.values() if not r.is_external]
        for part in parts:
            if getattr(part, "element", None) is link.getroottree().getroot():
                return part.rels[link.get(qn("r:id"))].target_ref
        return None

    def look(self, run, style_id):
        own = run.find(qn("w:rPr"))
        character = value(own, "w:rStyle")
        chain = ([own] if own is not None else []) + self.chain(character, "w:rPr")
        chain += self.chain(style_id, "w:rPr") + self.run_defaults
        fonts = merged(chain, "w:rFonts")
        shade = first(chain, "w:shd")
        highlight = value_in(chain, "w:highlight")
        underline = value_in(chain, "w:u")
        size = value_in(chain, "w:sz")
        vertical = value_in(chain, "w:vertAlign")
        fill = shade.get(qn("w:fill")) if shade is not None else None
        return {
            "bold": toggle(first(chain, "w:b")),
            "italic": toggle(first(chain, "w:i")),
            "underline": underline not in (None, "none"),
            "strike": toggle(first(chain, "w:strike")),
            "color": color(value_in(chain, "w:color")),
            "highlight": color(fill) or (HIGHLIGHTS.get(highlight) if highlight else None),
            "font": fonts.get("ascii"),
            "fonts": [fonts.get(name) for name in ("ascii", "hAnsi", "eastAsia", "cs")],
            "size": int(size) / 2 if size else None,
            "script": {"superscript": "super", "subscript": "sub"}.get(vertical) or raised(chain),
        }

    def table(self, tbl):
        properties = tbl.find(qn("w:tblPr"))
        outer = properties.find(qn("w:tblBorders")) if properties is not None else None
        rows = []
        header = 0
        for tr in tbl.findall(qn("w:tr")):
            header += 1 if tr.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is not None else 0
            rows.append([self.cell(tc, outer) for tc in tr.findall(qn("w:tc"))])
        widths = [twips(c.get(qn("w:w"))) for c in tbl.find(qn("w:tblGrid"))]
        return {"table": {"widths": widths, "headerRows": header, "rows": rows}}

    def cell(self, tc, outer):
        properties = tc.find(qn("w:tcPr"))
        borders = properties.find(qn("w:tcBorders"))
        shade = properties.find(qn("w:shd"))
        vertical = value(properties, "w:vAlign")
        sides = {}
        for side in ("top", "right", "bottom", "left"):
            sides[side] = line_of(borders, side)
            if sides[side] is None and (borders is None or borders.find(qn(f"w:{side}")) is None):
                sides[side] = line_of(outer, side)
        return {
            "blocks": self.blocks(tc),
            "background": color(shade.get(qn("w:fill"))) if shade is not None else None,
            "valign": {"center": "middle", "bottom": "bottom"}.get(vertical, "top"),
            "borders": sides,
        }
