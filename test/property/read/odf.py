"""What the OpenDocument readers share: the parts of a package, and styles with all that they inherit."""
import re
import zipfile
from xml.etree import ElementTree

URNS = {
    "office": "office", "style": "style", "text": "text", "table": "table", "draw": "drawing",
    "presentation": "presentation", "fo": "xsl-fo-compatible", "svg": "svg-compatible", "meta": "meta",
    "number": "datastyle", "config": "config", "of": "of",
}
NS = {short: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for short, name in URNS.items()}
NS["xlink"] = "http://www.w3.org/1999/xlink"
NS["dc"] = "http://purl.org/dc/elements/1.1/"
NS["loext"] = "urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"
SHORT = {name: short for short, name in NS.items()}
UNITS = {"mm": 1, "cm": 10, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6, "px": 25.4 / 96}
ALIGN = {"start": "left", "left": "left", "end": "right", "right": "right", "center": "center", "justify": "justify"}
SIDES = ("top", "right", "bottom", "left")


def q(name):
    short, local = name.split(":")
    return f"{{{NS[short]}}}{local}"


def short(name):
    if not name.startswith("{"):
        return name
    urn, local = name[1:].split("}")
    return f"{SHORT.get(urn, urn)}:{local}"


def mm(text):
    match = re.fullmatch(r"(-?[\d.]+)([a-z]+)", text or "")
    return float(match[1]) * UNITS[match[2]] if match and match[2] in UNITS else None


def pt(text):
    length = mm(text)
    return None if length is None else length * 72 / 25.4


def color(text):
    return text.upper() if text and text.startswith("#") else None


def line(text):
    match = re.fullmatch(r"([\d.]+[a-z]+) (\w+) (#\w+)", text or "")
    return {"width": pt(match[1]), "color": color(match[3])} if match and match[2] != "none" else None


def borders(properties):
    both = properties.get("fo:border")
    return {side: line(properties.get(f"fo:border-{side}", both)) for side in SIDES}


def attributes(element):
    return {short(name): value for name, value in element.attrib.items()}


class Package:
    """The XML parts, and `style(family, name)`: properties by kind, each with what it inherits."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            self.names = set(archive.namelist())
            self.content, self.styles, self.meta = (
                ElementTree.fromstring(archive.read(f"{part}.xml")) for part in ("content", "styles", "meta")
            )
            self.settings = ElementTree.fromstring(archive.read("settings.xml"))
        self.named, self.defaults, self.elements = {}, {}, {}
        for part, tree in (("styles", self.styles), ("content", self.content)):
            for group in tree:
                if short(group.tag) in ("office:styles", "office:automatic-styles"):
                    scope = "named" if short(group.tag) == "office:styles" else part
                    for element in group:
                        self.add(element, scope)
        fonts = list(self.styles.iter(q("style:font-face"))) + list(self.content.iter(q("style:font-face")))
        self.fonts = {f.get(q("style:name")): f.get(q("svg:font-family")).strip("'\"") for f in fonts}

    def add(self, element, scope):
        family = element.get(q("style:family"))
        if short(element.tag) == "style:default-style":
            self.defaults[family] = element
        elif short(element.tag) == "style:style":
            self.named[scope, family, element.get(q("style:name"))] = element
        else:
            self.elements[scope, short(element.tag), element.get(q("style:name"))] = element

    def find(self, family, name, part="content"):
        for scope in (part, "named"):
            if (scope, family, name) in self.named:
                return self.named[scope, family, name]
        return None

    def other(self, tag, name, part="content"):
        for scope in (part, "named", "styles"):
            if (scope, tag, name) in self.elements:
                return self.elements[scope, tag, name]
        return None

    def chain(self, family, name, part="content"):
        found = []
        style = self.find(family, name, part)
        while style is not None and len(found) < 20:
            found.append(style)
            style = self.find(family, style.get(q("style:parent-style-name")), part)
        return found

    def properties(self, family, name, part="content", defaults=True):
        """Attributes of all property elements, by their short names, the nearest winning."""
        merged = {}
        chain = self.chain(family, name, part)
        if defaults and family in self.defaults:
            chain = chain + [self.defaults[family]]
        for style in reversed(chain):
            for properties in style:
                if short(properties.tag).endswith("-properties"):
                    own = attributes(properties)
                    if "fo:border" in own or "fo:padding" in own:
                        for side in SIDES:
                            merged.pop(f"fo:border-{side}", None)
                    if any(f"fo:border-{side}" in own for side in SIDES) and "fo:border" in merged:
                        both = merged.pop("fo:border")
                        merged.update({f"fo:border-{side}": both for side in SIDES})
                    if "style:font-name" in own or "fo:font-family" in own:
                        merged.update({"style:font-name": None, "fo:font-family": ""})
                    merged.update(own)
        return merged

    def display_name(self, family, name, part="content"):
        """The named style behind a style."""
        for style in self.chain(family, name, part):
            if self.named.get(("named", family, style.get(q("style:name")))) is style:
                return style.get(q("style:display-name")) or style.get(q("style:name"))
        return None

    def meta_facts(self):
        def text(tag):
            return next((e.text or "" for e in self.meta.iter(q(tag))), "")

        keywords = [e.text or "" for e in self.meta.iter(q("meta:keyword"))]
        defaults = [attributes(e) for e in self.styles.iter(q("style:text-properties"))]
        languages = [
            f"{d.get(f'{ns}:language{suffix}')}-{d.get(f'{ns}:country{suffix}')}"
            for d in defaults
            for ns, suffix in (("fo", ""), ("style", "-asian"), ("style", "-complex"))
            if f"{ns}:language{suffix}" in d
        ]
        return {
            "title": text("dc:title"),
            "subject": text("dc:subject"),
            "author": text("meta:initial-creator"),
            "keywords": keywords,
            "description": text("dc:description"),
            "language": " ".join([text("dc:language"), *dict.fromkeys(languages)]),
        }


def look(properties, package):
    """A run's look of `style:text-properties`."""
    position = properties.get("style:text-position", "")
    raised = position.split(" ")[0]
    script = None
    if raised not in ("", "0%"):
        script = "sub" if raised == "sub" or raised.startswith("-") else "super"
    family = properties.get("fo:font-family", "").strip("'\"")
    return {
        "bold": properties.get("fo:font-weight") in ("bold", "600", "700", "800", "900"),
        "italic": properties.get("fo:font-style") in ("italic", "oblique"),
        "underline": properties.get("style:text-underline-style", "none") != "none",
        "strike": properties.get("style:text-line-through-style", "none") != "none",
        "color": color(properties.get("fo:color")),
        "highlight": color(properties.get("fo:background-color")),
        "font": package.fonts.get(properties.get("style:font-name")) or family or None,
        "size": pt(properties.get("fo:font-size")),
        "script": script,
    }


FIELDS = {"text:page-number": "page", "text:page-count": "pages", "text:title": "title"}


def runs(paragraph, base, package, part="content"):
    """Text in pieces of one look. `base` are the properties of the paragraph."""
    found = []

    def add(text, properties, link, field=None):
        if text:
            found.append({"text": text, "link": link, "field": field} | look(properties, package))

    def visit(element, properties, link):
        add(element.text, properties, link)
        for child in element:
            tag = short(child.tag)
            if tag == "text:s":
                add(" " * int(child.get(q("text:c"), "1")), properties, link)
            elif tag == "text:tab":
                add("\t", properties, link)
            elif tag == "text:line-break":
                add("\n", properties, link)
            elif tag == "text:span":
                own = package.properties("text", child.get(q("text:style-name")), part, defaults=False)
                visit(child, {**properties, **scaled(own, properties)}, link)
            elif tag == "text:a":
                visit(child, properties, child.get(q("xlink:href")))
            elif tag in FIELDS or tag.startswith(("text:page", "text:date")):
                add("".join(child.itertext()), properties, link, FIELDS.get(tag))
            elif tag not in ("draw:frame", "office:annotation"):
                visit(child, properties, link)
            add(child.tail, properties, link)

    visit(paragraph, base, None)
    return found


def scaled(own, inherited):
    """A font size in percent as one in points."""
    size = own.get("fo:font-size", "")
    if size.endswith("%") and pt(inherited.get("fo:font-size")):
        return {**own, "fo:font-size": f"{pt(inherited['fo:font-size']) * float(size[:-1]) / 100}pt"}
    return own
