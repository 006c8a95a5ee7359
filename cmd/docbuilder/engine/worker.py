"""The main program of a worker: confines itself, keeps one LibreOffice, and converts documents for the service.

It reads JSON lines (setup and jobs) from stdin and writes answers to stdout. The service chooses filters and properties.
"""
import json
import os
import sys
import threading
import time
import urllib.parse

import confine
import office

_answers = os.fdopen(os.dup(1), 'w', encoding='utf-8')
_lock = threading.Lock()

BRIDGE_GONE = ('DisposedException', 'BridgeRuntimeError')
DEATH_SECONDS = 5


def answer(**message):
    with _lock:
        _answers.write(json.dumps(message) + '\n')
        _answers.flush()


def main():
    os.dup2(2, 1)  # other output is no answer
    setup = json.loads(sys.stdin.buffer.readline())
    confine_as(setup)
    process = office.start(setup)
    if setup['sandbox'] != 'namespaces':
        answer(leader=process.pid)

    def on_death(reason, code):
        answer(died=reason, message=f'LibreOffice ended with {code}')
        os._exit(3)

    try:
        context = office.connect(setup, process)
        from job import Jobs
        jobs = Jobs(context, setup['program'])
        watch = office.Watch(process, setup['memory'], setup['stallSeconds'], on_death)
        answer(ready=True)
        for line in iter(sys.stdin.buffer.readline, b''):
            serve(json.loads(line), jobs, watch)
    finally:
        process.kill()


def serve(task, jobs, watch):
    folder = urllib.parse.unquote(urllib.parse.urlsplit(os.path.dirname(task['outputs'][0]['url'])).path)
    watch.begin(task['cpuSeconds'], task['fileBytes'], [folder, os.environ['TMPDIR']])
    jobs.on_main_thread(lambda: perform(task, jobs, watch))
    answer(closed=True, memory=watch.end())


def perform(task, jobs, watch):
    """Does a job. The answer comes before the document is closed, which takes time."""
    try:
        answer(answer='done', **jobs.run(task))
    except Exception as error:
        kind = type(error).__name__.rpartition('.')[2]
        if kind in BRIDGE_GONE or kind == 'RuntimeException' and not jobs.office_survives():
            time.sleep(DEATH_SECONDS)  # the thread that watches LibreOffice ends this process and reports the reason
            raise
        answer(answer='failed', free=watch.least_free(), **jobs.explain(error))
    jobs.close()


def confine_as(setup):
    """Confines this process, and ends it if it can still do what it should not."""
    confine.limit(setup['dataBytes'], setup['processes'])
    if setup['sandbox'] == 'off':
        confine.die_with_parent()
        return
    confine.drop_privileges(setup['uid'], setup['gid'])
    confine.die_with_parent()
    if setup['sandbox'] == 'landlock':
        confine.landlock(setup['paths'])
        confine.seccomp()
    breaches = confine.breaches(setup['canary'])
    if breaches:
        answer(refused='; '.join(breaches))
        sys.exit(4)
    if setup['sandbox'] == 'namespaces':
        confine.seccomp()


main()
