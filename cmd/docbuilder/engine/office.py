"""One LibreOffice process: started, connected to over a private UNO pipe, limited and watched."""
import glob
import math
import os
import resource
import subprocess
import sys
import threading
import time

import confine

WATCH_SECONDS = 0.05
STALL_CHECK_SECONDS = 1
MOST_THREADS = 512
CPU_SLACK = 1
_PAGE = resource.getpagesize()
_TICKS = os.sysconf('SC_CLK_TCK')


def start(setup):
    """Starts LibreOffice. It shares stderr; its files and sockets are for its own user only."""
    command = [
        os.path.join(setup['program'], 'soffice.bin'), '--headless', '--invisible', '--norestore', '--nologo',
        '--nodefault', '--nofirststartwizard', '--nolockcheck', '--quickstart=no',
        '-env:UserInstallation=' + setup['profile'],
        # The machine's cache belongs to the first user that needs it, and no other can read it.
        '-env:UNO_SHARED_PACKAGES_CACHE=' + setup['profile'] + '/shared',
        f'--accept=pipe,name={setup["pipe"]};urp;StarOffice.ComponentContext',
    ]
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd='/',
        umask=0o077, preexec_fn=prepare)


def prepare():
    confine.die_with_parent()
    confine.alone()


def connect(setup, process):
    """Waits until LibreOffice listens and returns its component context. The service ends what takes too long."""
    program = setup['program']
    try:
        import uno
    except ImportError:
        sys.path.append(program)
        import uno
    _repair_exceptions(uno)
    from com.sun.star.connection import NoConnectException
    resolver = uno.getComponentContext().ServiceManager.createInstance('com.sun.star.bridge.UnoUrlResolver')
    address = f'uno:pipe,name={setup["pipe"]};urp;StarOffice.ComponentContext'
    # LibreOffice leaves the number out if the uid has no name.
    sockets = [f'/tmp/OSL_PIPE_{user}{setup["pipe"]}' for user in (f'{os.getuid()}_', '')]
    while True:
        if process.poll() is not None:
            raise RuntimeError(f'LibreOffice ended at its start with {process.returncode}')
        if any(map(os.path.exists, sockets)):
            try:
                return resolver.resolve(address)
            except NoConnectException:
                pass
        time.sleep(0.003)


def _repair_exceptions(uno):
    """pyuno 7.4 under Python 3.11 fails to return an exception as a value, because Python sets `args` of it."""
    original = uno._uno_struct__setattr__

    def setattr_(self, name, value):
        if name != 'args':
            original(self, name, value)

    uno._uno_struct__setattr__ = setattr_


class Watch:
    """Limits the process during a job. When it has ended, `on_death(reason, code)` is called once, from a thread."""

    def __init__(self, process, memory_bytes, stall_seconds, on_death):
        self._process = process
        self._memory = memory_bytes
        self._stall_seconds = stall_seconds
        self._on_death = on_death
        self._working = threading.Event()
        self._killed_for = None
        self._highest = 0
        self._file_bytes = 0
        self._folders = []
        self._disk, self._least = None, []
        self._cpu_seconds, self._used = math.inf, 0
        self._ticks, self._progress, self._checked = None, time.monotonic(), time.monotonic()
        threading.Thread(target=self._wait, daemon=True).start()
        threading.Thread(target=self._measure, daemon=True).start()

    def begin(self, cpu_seconds, file_bytes, folders):
        """Sets the limits of a job, which may write in `folders`."""
        used = cpu_ticks(self._process.pid) / _TICKS
        self._soft_limit(resource.RLIMIT_CPU, int(used + cpu_seconds) + CPU_SLACK)
        self._cpu_seconds, self._used = cpu_seconds, used + ended_seconds()
        self._soft_limit(resource.RLIMIT_FSIZE, file_bytes)
        self._highest = 0
        self._file_bytes = file_bytes
        self._folders = folders
        # The folder of all jobs: that of this one may go before it is looked at.
        self._disk, self._least = os.path.dirname(os.path.dirname(folders[0])), [sys.maxsize, sys.maxsize]
        self._ticks, self._progress = None, time.monotonic()
        self._working.set()

    def end(self):
        self._working.clear()
        return self._memory_in_use()

    def least_free(self):
        """Returns the least bytes and files that were free for results since the job began. A full disk may have room at once:
        LibreOffice has removed what it wrote, or another job has ended."""
        disk = os.statvfs(self._disk)
        # A file system without a number of files says 0.
        free = disk.f_bavail * disk.f_frsize, disk.f_favail if disk.f_files else sys.maxsize
        self._least = [min(pair) for pair in zip(self._least, free)]
        return self._least

    def _memory_in_use(self):
        """Returns LibreOffice's own memory: what it shares with other workers, its program and libraries, is there once."""
        with open(f'/proc/{self._process.pid}/statm', 'rb') as statm:
            resident, shared = map(int, statm.read().split()[1:3])
        return (resident - shared) * _PAGE

    def _soft_limit(self, name, value):
        hard = resource.prlimit(self._process.pid, name)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.prlimit(self._process.pid, name, (value, hard))

    def _measure(self):
        while True:
            self._working.wait()
            try:
                self._highest = max(self._highest, self._memory_in_use())
                self.least_free()
                excess = self._excess()
            except (OSError, IndexError):
                return
            if excess:
                self._killed_for = excess
                self._process.kill()
                return
            time.sleep(WATCH_SECONDS)

    def _excess(self):
        if self._highest > self._memory:
            return 'memory'
        if threads(self._process.pid) > MOST_THREADS:
            return 'threads'
        return 'stalled' if self._is_stalled() else None

    def _is_stalled(self):
        """Returns whether neither LibreOffice nor the process that draws has used CPU time for `stall_seconds`."""
        now = time.monotonic()
        if now - self._checked < STALL_CHECK_SECONDS:
            return False
        self._checked = now
        ticks = sum(map(cpu_ticks, children()))
        if ticks != self._ticks:
            self._ticks, self._progress = ticks, now
        return now - self._progress > self._stall_seconds

    def _wait(self):
        code = self._process.wait()
        self._on_death(self._killed_for or self._reason(), code)

    def _reason(self):
        # LibreOffice turns most signals, also those of a limit, into an abort of its own.
        if self._file_at_limit():
            return 'output_limit'
        # The kernel counts CPU time for the limit in another way than it tells it.
        if ended_seconds() - self._used > 0.8 * self._cpu_seconds:
            return 'cpu'
        # An allocation refused by RLIMIT_DATA ends it in many ways, but always near the limit.
        return 'memory' if self._highest > 0.8 * self._memory else 'crashed'

    def _file_at_limit(self):
        paths = (os.path.join(path, name) for top in self._folders for path, _, names in os.walk(top) for name in names)
        return self._file_bytes > 0 and any(os.lstat(path).st_size >= self._file_bytes for path in paths)


def children():
    """The process ids of this process's children."""
    lists = glob.glob('/proc/self/task/*/children')
    return [int(pid) for path in lists for pid in read(path).split()]


def threads(pid):
    """Counts the threads of a process; RLIMIT_NPROC counts those of all processes of the uid."""
    return os.stat(f'/proc/{pid}/task').st_nlink - 2


def cpu_ticks(pid):
    """CPU time that a process has used, in clock ticks; 0 when it has ended."""
    fields = read(f'/proc/{pid}/stat').rpartition(')')[2].split()
    return int(fields[11]) + int(fields[12]) if fields else 0


def ended_seconds():
    """CPU time that ended children of this process have used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read(path):
    try:
        with open(path, encoding='utf-8', errors='replace') as file:
            return file.read()
    except OSError:
        return ''
