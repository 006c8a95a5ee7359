"""Checks that the parts of a package can be read. LibreOffice leaves out parts of a workbook or presentation that it cannot
read and reports nothing; an empty text document becomes an empty page. Imported once LibreOffice is connected."""
import posixpath
import zipfile
import zlib
from xml.parsers import expat

_BLOCK = 1 << 18
# Root elements, by the end of the type of the relationship that leads to a part.
_ROOTS = {
    'officeDocument': {'document', 'workbook', 'presentation'},
    'worksheet': {'worksheet'},
    'sharedStrings': {'sst'},
    'slide': {'sld'},
}
# The content of these is not shown, or is in other formats.
_ASIDE = {'customXml', 'aFChunk', 'attachedTemplate', 'hyperlink'}
# Elements of a main part that name, by the id of a relationship, a sheet or slide that must be there.
_LEADING = {'sheet', 'sldId'}
_LED_TO = {'worksheet', 'chartsheet', 'dialogsheet', 'xlMacrosheet', 'xlIntlMacrosheet', 'slide'}
# Without these the cells of a workbook are empty or show other values, a text loses its numbering, and a slide the content
# of its layout and master.
_NEEDED = {'sharedStrings', 'styles', 'slideLayout', 'slideMaster', 'theme'}
_NEEDS = {'slide': 'slideLayout', 'slideLayout': 'slideMaster'}
_OPEN_DOCUMENT = {'content.xml': {'document-content', 'document'}, 'styles.xml': {'document-styles'}}
_PICTURES = ('Pictures/', 'ObjectReplacements/')


class DamagedPart(Exception):
    pass


def assert_whole(path):
    """
    Refuses a package of OOXML or OpenDocument in which a part of the content is missing, is no well-formed XML, has another
    root element or a wrong checksum. The content is all to which relationships lead from the main part, or content, styles,
    pictures and embedded objects.
    """
    try:
        with zipfile.ZipFile(path) as package:
            if '[Content_Types].xml' in package.namelist():
                Related(package).read_all()
                return
            read_open_document(package)
    except (zipfile.BadZipFile, zlib.error, expat.ExpatError, KeyError, EOFError) as error:
        raise DamagedPart() from error


def read_open_document(package):
    names = set(package.namelist())
    for name, roots in _OPEN_DOCUMENT.items():
        if name == 'content.xml' or name in names:
            read(package, name, roots)
    for name in names:
        if name.startswith(_PICTURES) and not name.endswith('/'):
            read_bytes(package, name)
        # An embedded object that has a picture is shown by it.
        if name.endswith('/content.xml') and 'ObjectReplacements/' + posixpath.dirname(name) not in names:
            read(package, name)


class Related:
    """The parts of an OOXML package, in the order in which relationships lead to them."""

    def __init__(self, package):
        self._package = package
        self._names = {name.lower(): name for name in package.namelist()}
        self._seen = set()

    def read_all(self):
        main = [target for kind, target in self._relationships('').values() if kind == 'officeDocument']
        for part in main:
            relationships = self._relationships(part)
            for wanted in self._read_main(part):
                kind, target = relationships[wanted]
                if kind not in _LED_TO or self._name(target) is None:
                    raise DamagedPart()
            self._read_related(relationships)

    def _read_main(self, part):
        """The ids of the relationships that the sheets or slides of a document have."""
        leading = []

        def start(tag, values):
            if tag.rpartition(' ')[2] in _LEADING:
                leading.extend(value for key, value in values.items()
                               if value and key.endswith('/relationships id'))

        self._seen.add(self._name(part))
        read(self._package, self._name(part), _ROOTS['officeDocument'], start)
        return leading

    def _read_related(self, relationships):
        waiting = [relationships]
        while waiting:
            for kind, target in waiting.pop().values():
                name = self._name(target)
                if name is None and kind in _NEEDED:
                    raise DamagedPart()
                if name is None or name in self._seen or kind in _ASIDE:
                    continue
                self._seen.add(name)
                if kind in _ROOTS or name.lower().endswith('.xml'):
                    read(self._package, name, _ROOTS.get(kind))
                else:
                    read_bytes(self._package, name)
                further = self._relationships(name)
                if kind in _NEEDS and _NEEDS[kind] not in {needed for needed, _ in further.values()}:
                    raise DamagedPart()
                waiting.append(further)

    def _name(self, part):
        return self._names.get(part.lower())

    def _relationships(self, part):
        """Kind and target of a part's relationships to other parts, by their ids."""
        folder, name = posixpath.split(part)
        found = {}

        def start(tag, values):
            if tag.rpartition(' ')[2] == 'Relationship' and values.get('TargetMode') != 'External':
                target = posixpath.normpath(posixpath.join('/' + folder, values.get('Target', '').partition('#')[0]))
                found[values.get('Id')] = (values.get('Type', '').rpartition('/')[2], target.lstrip('/'))

        where = self._name(posixpath.join(folder, '_rels', name + '.rels'))
        if where is not None:
            read(self._package, where, on_start=start)
        return found


def read(package, name, roots=None, on_start=None):
    """
    Reads a part to its end.
    roots: the names, without a namespace, that its root element may have
    on_start: called for each further element
    """
    parser = expat.ParserCreate(namespace_separator=' ')

    def start(tag, values):
        if roots and tag.rpartition(' ')[2] not in roots:
            raise DamagedPart()
        parser.StartElementHandler = on_start

    parser.StartElementHandler = start
    with package.open(package.getinfo(name or '')) as stream:
        while block := stream.read(_BLOCK):
            parser.Parse(block)
    parser.Parse(b'', True)


def read_bytes(package, name):
    """Reads a part that is no XML to its end, where its checksum is compared."""
    with package.open(package.getinfo(name)) as stream:
        while stream.read(_BLOCK):
            pass
