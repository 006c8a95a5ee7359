"""The keywords of a document, which are a list in OpenDocument and one text everywhere else.

A text is parted at its semicolons, as Office does, or else at its commas, as many people write them. LibreOffice parts
that of OOXML at every space too, and joins a list with spaces.
"""
import zipfile
from xml.etree import ElementTree

_CORE = 'docProps/core.xml'
_MOST_BYTES = 1 << 20


class Keywords:
    def __init__(self, document, path, kind):
        """
        path: of the file that the document was loaded from
        kind: how LibreOffice has read its keywords: `list`, or a text that it parted at `commas` or `words`
        """
        self._properties = document.DocumentProperties
        self._list = read = self._properties.Keywords
        if read and kind != 'list':
            text = ', '.join(read) if kind == 'commas' else text_of_package(path) or ' '.join(read)
            self._list = parted(text)

    def write(self, kind):
        """Sets the keywords before the document is stored in a format that has them as a `list` or a `text`."""
        if self._list:
            self._properties.Keywords = (joined(self._list),) if kind == 'text' else self._list


def parted(text):
    pieces = text.split(';' if ';' in text else ',')
    return tuple(filter(None, map(str.strip, pieces)))


def joined(keywords):
    """Joins keywords so that `parted` finds them again, except one with a semicolon in it."""
    text = '; '.join(keywords)
    return text + ';' if ',' in text and ';' not in text else text


def text_of_package(path):
    """Returns None if there is no such text, or the file is encrypted."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(_CORE) as part:
            xml = part.read(_MOST_BYTES + 1)
        # A document type, which OPC forbids, could define entities that grow without end.
        if len(xml) > _MOST_BYTES or b'<!DOCTYPE' in xml:
            return None
        return ''.join(ElementTree.fromstring(xml).find('{*}keywords').itertext())
    except Exception:
        return None
