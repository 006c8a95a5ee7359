"""One job: load once, store each output, count. Imported once LibreOffice is connected, because pyuno makes its types then."""
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import uno
import unohelper
from com.sun.star.awt import XCallback
from com.sun.star.beans import PropertyValue
from com.sun.star.io import IOException
from com.sun.star.task import XInteractionHandler2

import parts
import picture
import sheets
from keywords import Keywords
from opening import find_place

_SHORTS = ('MacroExecutionMode', 'UpdateDocMode')
# In the names of the filters of Office Open XML.
_OOXML = ('2007', 'Office Open XML')
_JPEG = {'Quality': 90}
_DYING_SECONDS = 0.5


class OtherFormat(Exception):
    pass


class Refusal(unohelper.Base, XInteractionHandler2):
    """Gives no answer to questions of LibreOffice, which cancels its work, and records the questions."""

    def __init__(self):
        self.asked = []

    def handle(self, request):
        self.handleInteractionRequest(request)

    def handleInteractionRequest(self, request):
        question = request.getRequest()
        code = getattr(question, 'Code', getattr(question, 'ErrCode', ''))
        self.asked.append(f'{type(question).__name__}:{getattr(code, "value", code)}')
        return False

    def asked_for_password(self):
        return any('Password' in question for question in self.asked)


class Callback(unohelper.Base, XCallback):
    """Calls a function in LibreOffice's thread and raises its error in the thread that waits."""

    def __init__(self, function):
        self._function = function
        self._ended = threading.Event()
        self._error = None

    def notify(self, _data):
        try:
            self._function()
        except BaseException as error:
            self._error = error
        self._ended.set()

    def wait(self):
        self._ended.wait()
        if self._error:
            raise self._error


class Jobs:
    def __init__(self, context, program):
        self._context = context
        self._desktop = self._service('com.sun.star.frame.Desktop')
        self._main_loop = self._service('com.sun.star.awt.AsyncCallback')
        self._files = self._service('com.sun.star.ucb.SimpleFileAccess')
        self._program = program
        self._reader = ThreadPoolExecutor(1)
        self._artist = None
        self._refusal = Refusal()
        self._document = None
        self._task = None
        self._phase = None
        self._output = None
        self._keywords = None
        self._whole = None

    def on_main_thread(self, function):
        """
        Calls a function on LibreOffice's main thread, where --convert-to runs as well. While it runs, no event is handled that
        would show a window, such as that of a comment, whose .ui file the packages without a GUI lack.
        """
        callback = Callback(function)
        self._main_loop.addCallback(callback, None)
        callback.wait()

    def run(self, task):
        """Loads, stores and counts. The document stays open until `close`."""
        self._refusal.asked.clear()
        self._task = task
        self._phase = 'load'
        started = time.perf_counter()
        # The parts are read while LibreOffice, which is another process, reads them too.
        check = parts.assert_whole if task['isPackage'] else lambda _path: None
        self._whole = self._reader.submit(check, uno.fileUrlToSystemPath(task['input']))
        self._document = self._load(task['load'])
        self._whole.result()
        if not is_loaded_as(self._document, task):
            raise OtherFormat()
        if task['calculate']:
            self._document.calculateAll()
        if task['fitColumns']:
            sheets.fit_columns(self._document.Sheets.getByIndex(0))
        if task['room']:
            self._phase = 'room'
            sheets.assert_room(self._document, uno.fileUrlToSystemPath(task['input']), **task['room'])
        self._keywords = Keywords(self._document, uno.fileUrlToSystemPath(task['input']), task['keywords'])
        self._phase = 'store'
        loaded = time.perf_counter()
        if task['layOut']:
            count(self._document, 'pages')
        self._store_all(task['outputs'])
        stored = time.perf_counter()
        self._phase = 'count'
        counted = count(self._document, task['count'])
        return {'counted': counted, 'loadMs': 1000 * (loaded - started), 'storeMs': 1000 * (stored - loaded)}

    def _load(self, values):
        url, place = find_place(self._task['input'], self._task['outputs'][0]['url'], self._files)
        load = properties({**values, **place, 'InteractionHandler': self._refusal})
        document = self._desktop.loadComponentFromURL(url, '_blank', 0, load)
        if document is None:
            raise RuntimeError('nothing was loaded')
        if self._task['isProtected']:
            forget_password(document)
        return document

    def _store_all(self, outputs):
        """Stores all outputs in order, but those last for which the document must be changed."""
        ended = False
        for index in sorted(range(len(outputs)), key=lambda index: outputs[index]['endParagraph']):
            self._output = index
            output = outputs[index]
            self._keywords.write(output['keywords'])
            if output['endParagraph'] and not ended:
                end_with_paragraph(self._document)
                ended = True
            if output['picture']:
                self._store_picture(output)
            else:
                self._store(output)

    def _store(self, output):
        embed_less(self._document, fonts=not output['withoutVideos'])
        try:
            self._write(output['url'], output['store'])
        except IOException:
            if not output['withoutVideos'] or not remove_videos(self._document):
                raise
            self._write(output['url'], output['store'])

    def _write(self, url, store):
        # Otherwise LibreOffice would store this moment and nobody as the last change, because of what was set here.
        self._document.setModified(False)
        self._document.storeToURL(url, properties(store))

    def _store_picture(self, output):
        """Stores a PDF and draws it (picture.py). LibreOffice converts a PNG to JPEG."""
        self._phase = 'store'
        self._write(output['url'] + '.pdf', output['store'])
        self._phase = 'picture'
        self._artist = self._artist or picture.Artist(self._program)
        wanted, target = output['picture'], uno.fileUrlToSystemPath(output['url'])
        jpeg = wanted['format'] == 'jpeg'
        drawn, encoding = (target + '.png', 'raw') if jpeg else (target, wanted['format'])
        box = (wanted['width'], wanted['height'])
        self._artist.draw(target + '.pdf', drawn, encoding, box, self._task['cpuSeconds'], self._task['fileBytes'])
        os.unlink(target + '.pdf')
        if jpeg:
            graphics = self._service('com.sun.star.graphic.GraphicProvider')
            graphic = graphics.queryGraphic(properties({'URL': output['url'] + '.png'}))
            graphics.storeGraphic(
                graphic, properties({'URL': output['url'], 'MimeType': 'image/jpeg', 'FilterData': _JPEG}))
            os.unlink(drawn)
        self._phase = 'store'

    def _service(self, name):
        return self._context.ServiceManager.createInstanceWithContext(name, self._context)

    def close(self):
        document, self._document = self._document, None
        if document is not None:
            document.close(True)

    def office_survives(self):
        """Returns whether LibreOffice still works after a RuntimeException, which a document or its end may have caused."""
        time.sleep(_DYING_SECONDS)
        try:
            self._desktop.getFrames().getCount()
            return True
        except Exception:
            return False

    def explain(self, error):
        """Returns why the last `run` failed, without messages, which may contain text of the document."""
        error = self._whole.exception() or error
        if self._phase == 'load' and not self._document and 'Password' in self._task['load']:
            if not self._refusal.asked_for_password():
                self._knock()
        return {'phase': self._phase, 'output': self._output, 'type': type(error).__name__,
                'asked': list(self._refusal.asked)}

    def _knock(self):
        """LibreOffice 25.2 reports a wrong password of an ODF file as a general error; without a password it asks for one."""
        try:
            self._document = self._load({name: item for name, item in self._task['load'].items() if name != 'Password'})
        except Exception:
            pass


def is_loaded_as(document, task):
    """Returns whether it is of the expected family and, if LibreOffice chose the filter, of OOXML."""
    names = [argument.Value for argument in document.Args if argument.Name == 'FilterName']
    chosen = 'FilterName' in task['load'] or any(ooxml in name for name in names for ooxml in _OOXML)
    return document.supportsService(task['service']) and chosen


def forget_password(document):
    """LibreOffice protects some formats with the password of the loaded document, but not if that has a list of keys."""
    no_keys = uno.Any('[]com.sun.star.beans.NamedValue', ())
    document.attachResource(document.URL, (PropertyValue('EncryptionData', 0, no_keys, 0),))


def properties(values):
    return tuple(PropertyValue(name, 0, value(name, item), 0) for name, item in values.items())


def value(name, item):
    if name in _SHORTS:
        return uno.Any('short', item)
    if isinstance(item, dict):
        return uno.Any('[]com.sun.star.beans.PropertyValue', properties(item))
    return item


def embed_less(document, fonts):
    """
    A document that embeds fonts would get all those of its styles, Chinese ones of 20 MB each included: only those that it
    uses, or none, remain.
    """
    settings = document.createInstance('com.sun.star.document.Settings')
    if getattr(settings, 'EmbedFonts', False):
        settings.EmbedOnlyUsedFonts = True
        settings.EmbedAsianScriptFonts = False
        settings.EmbedFonts = fonts


def count(document, what):
    if what == 'pages':
        return document.CurrentController.PageCount
    if what == 'sheets':
        return document.Sheets.Count
    if what == 'slides':
        return document.DrawPages.Count
    return 0


def remove_videos(document):
    """Removes all videos and returns their number."""
    pages = document.DrawPages if hasattr(document, 'DrawPages') else [document.DrawPage]
    return sum(remove_videos_in(page) for page in pages)


def remove_videos_in(shapes):
    removed = 0
    for shape in [shapes.getByIndex(index) for index in range(shapes.Count)]:
        if shape.ShapeType == 'com.sun.star.drawing.GroupShape':
            removed += remove_videos_in(shape)
        elif shape.ShapeType.endswith('.MediaShape'):
            shapes.remove(shape)
            removed += 1
    return removed


def end_with_paragraph(document):
    from com.sun.star.text.ControlCharacter import PARAGRAPH_BREAK
    text = document.Text
    text.insertControlCharacter(text.End, PARAGRAPH_BREAK, False)
