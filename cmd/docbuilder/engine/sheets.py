"""Widths of columns, and the room that a format has. Imported once LibreOffice is connected, as job.py."""
import zipfile

# com.sun.star.sheet.CellFlags.
_VALUE, _DATETIME, _STRING, _FORMULA = 1, 2, 4, 16
_CONTENT = _VALUE | _DATETIME | _STRING | _FORMULA
_FITTED_CELLS = 200_000
_CELLS_AT_ONCE = 4096
_BLOCK = 1 << 20
# Where the text of a cell begins and ends, in what may hold such texts: OpenDocument, and the two places of OOXML.
_OPEN_DOCUMENT = (b'<text:p', b'</table:table-cell>')
_PARTS = {
    'content.xml': _OPEN_DOCUMENT,
    'xl/sharedStrings.xml': (b'<si', b'</si>'),
    'xl/worksheets/': (b'<is', b'</is>'),
}


class TooManyRows(Exception):
    pass


class TooManyColumns(Exception):
    pass


class TooLongCells(Exception):
    pass


def fit_columns(sheet):
    """LibreOffice measures only the text with the most letters of each column, so a wider text of fewer letters is cut off.
    Measuring all takes some microseconds a cell, so it is not done in large sheets."""
    last = find_end(sheet)
    if (last.EndColumn + 1) * (last.EndRow + 1) <= _FITTED_CELLS:
        sheet.getCellRangeByPosition(0, 0, last.EndColumn, last.EndRow).Columns.OptimalWidth = True


def find_end(sheet):
    """Returns the address of the last used cell, which may have a format only."""
    cursor = sheet.createCursor()
    cursor.gotoEndOfUsedArea(False)
    return cursor.RangeAddress


def assert_room(document, path, rows, columns, letters):
    """
    Refuses a document with content beyond so many rows and columns of a sheet or letters of a cell (UTF-16 units), which
    LibreOffice would leave out and report nothing.
    path: of the file that the document was loaded from
    """
    for sheet in document.Sheets:
        last = find_end(sheet)
        if last.EndRow >= rows and has_content(sheet, 0, rows, last):
            raise TooManyRows()
        if last.EndColumn >= columns and has_content(sheet, columns, 0, last):
            raise TooManyColumns()
    # Checking the cells of a large sheet takes as long as storing it, and hardly any file has such texts.
    if may_have_text_over(path, letters) and any(has_text_over(sheet, letters) for sheet in document.Sheets):
        raise TooLongCells()


def has_content(sheet, column, row, last):
    """Formats alone are no content: whole rows and columns often have them."""
    return sheet.getCellRangeByPosition(column, row, last.EndColumn, last.EndRow).queryContentCells(_CONTENT).Count > 0


def has_text_over(sheet, letters):
    return any(
        isinstance(text, str) and 2 * len(text) > letters and len(text.encode('utf-16-le')) > 2 * letters
        for found in sheet.queryContentCells(_STRING).RangeAddresses
        for block in blocks(found)
        for row in sheet.getCellRangeByPosition(*block).DataArray
        for text in row)


def blocks(found):
    """Splits a range into blocks of few cells: column, row, last column, last row."""
    rows = max(1, _CELLS_AT_ONCE // (found.EndColumn - found.StartColumn + 1))
    for row in range(found.StartRow, found.EndRow + 1, rows):
        yield found.StartColumn, row, found.EndColumn, min(row + rows - 1, found.EndRow)


def may_have_text_over(path, size):
    """Returns whether a cell in a file may have a text of more letters, by its bytes; True if they cannot be read."""
    try:
        if not zipfile.is_zipfile(path):
            with open(path, 'rb') as file:
                return has_piece_over(file, size, *_OPEN_DOCUMENT)
        with zipfile.ZipFile(path) as archive:
            return is_encrypted(archive) or any(
                has_piece_over(archive.open(name), size, *limits)
                for name in archive.namelist()
                for part, limits in _PARTS.items() if name.startswith(part))
    except Exception:
        return True


def is_encrypted(archive):
    return 'META-INF/manifest.xml' in archive.namelist() and b'encryption-data' in archive.read('META-INF/manifest.xml')


def has_piece_over(stream, size, opening, closing):
    """Returns whether there are more bytes between an `opening` and the first `closing` after it."""
    def is_over(piece):
        return len(piece) > size and 0 <= piece.find(opening) < len(piece) - size

    rest = b''
    while block := stream.read(_BLOCK):
        *pieces, rest = (rest + block).split(closing)
        if any(map(is_over, pieces)) or is_over(rest):
            return True
        # Styles, for example, which stand before the first cell.
        if opening not in rest:
            rest = rest[-len(closing):]
    return False
