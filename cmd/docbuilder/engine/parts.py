"""Whether what stands in the parts of a package can be read. Of a workbook or a presentation LibreOffice leaves out a part that
it cannot read, without a word, and of an empty text document it makes an empty page. Imported once LibreOffice is connected."""
import posixpath
import zipfile
from xml.parsers import expat

_BLOCK = 1 << 18
# Root elements, by the end of the type of the relationship that leads to a part.
_ROOTS = {
    'officeDocument': {'document', 'workbook', 'presentation'},
    'worksheet': {'worksheet'},
    'sharedStrings': {'sst'},
    'slide': {'sld'},
}
# LibreOffice opens documents without what other relationships lead to.
_NEEDED = {'officeDocument', 'worksheet', 'sharedStrings', 'slide'}
# Nothing of these is shown, or they are in other formats.
_ASIDE = {'customXml', 'aFChunk', 'attachedTemplate', 'hyperlink'}
_OPEN_DOCUMENT = {'content.xml': {'document-content'}, 'styles.xml': {'document-styles'}}


class DamagedPart(Exception):
    pass


def assert_whole(path):
    """
    Refuses a package of OOXML or OpenDocument in which a part of the content is missing, is no well-formed XML or is another
    part: all to which relationships lead from the main part, or the content and the styles.
    """
    try:
        with zipfile.ZipFile(path) as package:
            if '[Content_Types].xml' in package.namelist():
                assert_related(package)
            else:
                for name, roots in _OPEN_DOCUMENT.items():
                    if name == 'content.xml' or name in package.namelist():
                        read(package, name, roots)
    except (zipfile.BadZipFile, zipfile.zlib.error, expat.ExpatError, KeyError, EOFError) as error:
        raise DamagedPart() from error


def assert_related(package):
    names = {name.lower(): name for name in package.namelist()}
    found = {''}
    waiting = ['']
    while waiting:
        part = waiting.pop()
        for kind, target in relationships(package, names, part):
            name = names.get(target.lower())
            if kind in _ASIDE or name in found or (part == '') != (kind == 'officeDocument'):
                continue
            if name is None and kind not in _NEEDED:
                continue
            if kind in _ROOTS or target.endswith('.xml'):
                read(package, name, _ROOTS.get(kind))
            found.add(name)
            waiting.append(name)


def relationships(package, names, part):
    """Kinds and targets of a part's relationships to other parts."""
    folder, name = posixpath.split(part)
    where = names.get(posixpath.join(folder, '_rels', name + '.rels').lower())
    found = []

    def start(tag, values):
        if tag.rpartition(' ')[2] == 'Relationship' and values.get('TargetMode') != 'External':
            target = posixpath.normpath(posixpath.join('/' + folder, values.get('Target', '').partition('#')[0]))
            found.append((values.get('Type', '').rpartition('/')[2], target.lstrip('/')))

    if where is not None:
        parser = expat.ParserCreate(namespace_separator=' ')
        parser.StartElementHandler = start
        parser.Parse(package.read(where), True)
    return found


def read(package, name, roots=None):
    """Reads a part to its end; its root element must be one of `roots`, whatever its namespace."""
    parser = expat.ParserCreate(namespace_separator=' ')

    def start(tag, values):
        parser.StartElementHandler = None
        if roots and tag.rpartition(' ')[2] not in roots:
            raise DamagedPart()

    parser.StartElementHandler = start
    with package.open(package.getinfo(name or '')) as stream:
        while block := stream.read(_BLOCK):
            parser.Parse(block)
    parser.Parse(b'', True)
