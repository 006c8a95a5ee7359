"""How a document is opened so that it knows its own name, but not the folder of its job."""


def place_of(source, target, files):
    """
    Fields with the file name show the URL that a document is opened with, which here has nothing but the name. Relative
    links are taken from where the results will be, so that they are the same in them.
    source, target: URLs of the document and of a result
    files: LibreOffice's SimpleFileAccess, whose streams stay inside of its own process
    returns: the URL to open and the properties that lead to the document
    """
    name = source.rpartition('/')[2]
    base = target.rpartition('/')[0] + '/' + name
    return 'file:///' + name, {'InputStream': files.openFileRead(source), 'DocumentBaseURL': base}
