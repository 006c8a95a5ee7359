"""One job: load, count, store. Imported once LibreOffice is connected, because pyuno makes its types then."""
import time

import uno
import unohelper
from com.sun.star.beans import PropertyValue
from com.sun.star.task import XInteractionHandler2

_SHORTS = ('MacroExecutionMode', 'UpdateDocMode')


class Refusal(unohelper.Base, XInteractionHandler2):
    """Answers every question of LibreOffice with nothing, which cancels what it was doing, and notes the questions."""

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


class Jobs:
    def __init__(self, desktop):
        self._desktop = desktop
        self._refusal = Refusal()
        self._document = None
        self._task = None
        self._phase = None

    def run(self, task):
        """Loads, stores and counts. The document stays open until `close`, so that the result need not wait for it."""
        self._refusal.asked.clear()
        self._task = task
        self._phase = 'load'
        started = time.perf_counter()
        self._document = self._load(task['load'])
        self._phase = 'store'
        loaded = time.perf_counter()
        if task['endParagraph']:
            end_with_paragraph(self._document)
        self._document.storeToURL(task['output'], properties(task['store']))
        stored = time.perf_counter()
        self._phase = 'count'
        pages = count(self._document, task['count'])
        return {'pages': pages, 'loadMs': 1000 * (loaded - started), 'storeMs': 1000 * (stored - loaded)}

    def _load(self, values):
        load = properties(values) + (PropertyValue('InteractionHandler', 0, self._refusal, 0),)
        document = self._desktop.loadComponentFromURL(self._task['input'], '_blank', 0, load)
        if document is None:
            raise RuntimeError('nothing was loaded')
        return document

    def close(self):
        document, self._document = self._document, None
        if document is not None:
            document.close(True)

    def explain(self, error):
        """Why the last `run` failed; names and numbers only, for messages hold parts of documents."""
        if self._phase == 'load' and 'Password' in self._task['load'] and not self._refusal.asked_for_password():
            self._knock()
        return {'phase': self._phase, 'type': type(error).__name__, 'asked': list(self._refusal.asked)}

    def _knock(self):
        """LibreOffice 25.2 calls a wrong password of an ODF file a general error. Without one it asks, if there is one."""
        try:
            self._document = self._load({name: item for name, item in self._task['load'].items() if name != 'Password'})
        except Exception:
            pass


def properties(values):
    return tuple(PropertyValue(name, 0, value(name, item), 0) for name, item in values.items())


def value(name, item):
    if name in _SHORTS:
        return uno.Any('short', item)
    if isinstance(item, dict):
        return uno.Any('[]com.sun.star.beans.PropertyValue', properties(item))
    return item


def count(document, what):
    if what == 'pages':
        return document.CurrentController.PageCount
    if what == 'sheets':
        return document.Sheets.Count
    if what == 'slides':
        return document.DrawPages.Count
    return 0


def end_with_paragraph(document):
    from com.sun.star.text.ControlCharacter import PARAGRAPH_BREAK
    text = document.Text
    text.insertControlCharacter(text.End, PARAGRAPH_BREAK, False)
