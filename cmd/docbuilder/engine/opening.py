"""Opens a document so that it shows its name, but not the folder of its job."""


def find_place(source, target, files):
    """
    Fields with the file name show the URL of the document, which here is only the name. The base URL of relative links is
    that of the results, so that they stay as they are; LibreOffice writes those of a PDF relative to the document's URL.
    source, target: URLs of the document and of a result
    files: LibreOffice's SimpleFileAccess, whose streams stay inside of its own process
    returns: the URL to open and the properties that lead to the document
    """
    name = source.rpartition('/')[2]
    url = 'file:///' + name
    base = url if target.endswith('.pdf') else target.rpartition('/')[0] + '/' + name
    return url, {'InputStream': files.openFileRead(source), 'DocumentBaseURL': base}
