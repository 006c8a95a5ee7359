"""Pictures of pages, drawn with the PDFium that comes with LibreOffice from a PDF of the one page.

Measured against the other ways (docs/decisions/0003-engine.md): LibreOffice's own graphic filters do the first page
only, garble small text and compress slowly; pdftoppm draws as well, but its start and its PNG writer take longer. This
way is the same for texts, sheets and slides and for every page, and its pictures are those of the PDF.

The PDF is made of a document that nobody trusts. So it is read in a process of its own, which inherits this one's
confinement and gets limits: whatever goes wrong there, the worker lives on and its messages stay its own.
"""
import ctypes
import os
import resource
import struct
import zlib

import confine

MEMORY = 512 * 1024 * 1024
NO_PAGE, NO_MEMORY = 2, 3
_BGR, _REVERSED_TO_RGB, _WHITE = 2, 0x10, 0xFFFFFFFF
_RED_GREEN_BLUE = 2
_PNG_LEVEL = 3
_WEBP_QUALITY = 85

_pointer, _int, _float = ctypes.c_void_p, ctypes.c_int, ctypes.c_float
_FUNCTIONS = {
    'FPDF_LoadDocument': (_pointer, ctypes.c_char_p, ctypes.c_char_p),
    'FPDF_GetPageCount': (_int, _pointer),
    'FPDF_LoadPage': (_pointer, _pointer, _int),
    'FPDF_GetPageWidthF': (_float, _pointer),
    'FPDF_GetPageHeightF': (_float, _pointer),
    'FPDFBitmap_CreateEx': (_pointer, _int, _int, _int, _pointer, _int),
    'FPDFBitmap_FillRect': (None, _pointer, _int, _int, _int, _int, ctypes.c_ulong),
    'FPDF_RenderPageBitmap': (None, _pointer, _pointer, _int, _int, _int, _int, _int, _int),
}


class PictureFailed(Exception):
    """The process that draws ended without a picture."""


class NoPage(Exception):
    """The PDF is not one page."""


class Artist:
    def __init__(self, program):
        """Loads the libraries once, for all the processes that draw. `program` is LibreOffice's folder."""
        self._pdfium = ctypes.CDLL(os.path.join(program, 'libpdfiumlo.so'))
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(self._pdfium, name)
            function.restype, function.argtypes = result, arguments
        self._pdfium.FPDF_InitLibrary()
        self._webp = ctypes.CDLL('libwebp.so.7')
        self._webp.WebPEncodeRGB.restype = ctypes.c_size_t
        self._webp.WebPEncodeRGB.argtypes = (_pointer, _int, _int, _int, _float, ctypes.POINTER(_pointer))

    def draw(self, pdf, target, encoding, box, cpu_seconds, file_bytes):
        """Draws the page of `pdf` as large as fits in `box` (width, height in pixels) into the new file `target`.

        `encoding` is 'png', 'webp' or 'raw', a PNG without compression.
        """
        child = os.fork()
        if child == 0:
            code = 1
            try:
                confine.die_with_parent()
                confine.alone(threads=False)
                _limit(cpu_seconds, file_bytes)
                code = self._draw(pdf, target, encoding, box)
            except MemoryError:
                code = NO_MEMORY
            finally:
                os._exit(code)  # no clean-up: all of it is the parent's
        status = os.waitpid(child, 0)[1]
        code = os.waitstatus_to_exitcode(status)
        if code != 0:
            raise {NO_PAGE: NoPage, NO_MEMORY: MemoryError}.get(code, PictureFailed)(code)

    def _draw(self, pdf, target, encoding, box):
        pdfium = self._pdfium
        document = pdfium.FPDF_LoadDocument(pdf.encode(), None)
        if not document or pdfium.FPDF_GetPageCount(document) != 1:
            return NO_PAGE
        page = pdfium.FPDF_LoadPage(document, 0)
        width, height = fit(pdfium.FPDF_GetPageWidthF(page), pdfium.FPDF_GetPageHeightF(page), box)
        stride = (3 * width + 3) // 4 * 4
        pixels = ctypes.create_string_buffer(stride * height)
        bitmap = pdfium.FPDFBitmap_CreateEx(width, height, _BGR, pixels, stride)
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
        pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, _REVERSED_TO_RGB)
        if encoding == 'webp':
            data = self._encode_webp(pixels, width, height, stride)
        else:
            data = encode_png(pixels, width, height, stride, _PNG_LEVEL if encoding == 'png' else 0)
        with open(target, 'xb', buffering=0) as file:
            while data:
                data = data[file.write(data):]
        return 0

    def _encode_webp(self, pixels, width, height, stride):
        output = _pointer()
        size = self._webp.WebPEncodeRGB(pixels, width, height, stride, _WEBP_QUALITY, ctypes.byref(output))
        if size == 0:
            raise PictureFailed('webp')
        return ctypes.string_at(output, size)


def _limit(cpu_seconds, file_bytes):
    for name, value in ((resource.RLIMIT_CPU, cpu_seconds), (resource.RLIMIT_FSIZE, file_bytes),
                        (resource.RLIMIT_DATA, MEMORY)):
        hard = resource.getrlimit(name)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (value, value))


def fit(width, height, box):
    """The largest size in whole pixels, at least one, that has the page's proportions and lies within `box`."""
    scale = min(box[0] / width, box[1] / height)
    return tuple(max(1, min(limit, round(length * scale))) for length, limit in zip((width, height), box))


def encode_png(pixels, width, height, stride, level):
    """RGB pixels as PNG (ISO/IEC 15948): rows without a filter, which a page of text needs not."""
    view = memoryview(pixels)
    rows = b''.join(part for row in range(height) for part in (b'\0', view[row * stride:row * stride + 3 * width]))
    header = struct.pack('>IIBBBBB', width, height, 8, _RED_GREEN_BLUE, 0, 0, 0)
    chunks = ((b'IHDR', header), (b'IDAT', zlib.compress(rows, level)), (b'IEND', b''))
    return b'\x89PNG\r\n\x1a\n' + b''.join(
        struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
        for kind, data in chunks)

