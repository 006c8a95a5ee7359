"""How a document is opened so that it knows its own name, but not the folder of its job."""


def find_place(source, target, files):
    """
    Fields with the file name show the URL that a document is opened with, which here has nothing but the name. Relative
    links are taken from where the results will be, so that they are the same in them; LibreOffice writes those of a PDF as
    they are seen from that URL.
    source, target: URLs of the document and of a result
    files: LibreOffice's SimpleFileAccess, whose streams stay inside of its own process
    returns: the URL to open and the properties that lead to the document
    """
    name = source.rpartition('/')[2]
    url = 'file:///' + name
    base = url if target.endswith('.pdf') else target.rpartition('/')[0] + '/' + name
    return url, {'InputStream': files.openFileRead(source), 'DocumentBaseURL': base}
