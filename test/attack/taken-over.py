#!/usr/bin/python3
"""What code that took a worker over tries against its neighbours. Run in the place of LibreOffice; it tells on stderr what
it can do. `prey.json` beside it names a process, a folder of the service with a file, and a socket that listens."""
import ctypes
import fcntl
import json
import os
import resource
import signal
import socket
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'prey.json'), encoding='utf-8') as file:
    prey = json.load(file)
pid, folder, listener = prey['pid'], prey['folder'], prey['socket']
inside = os.path.join(folder, 'file')
stream, other = socket.socketpair()
PIPES = os.pipe()
F_SETOWN_EX, F_SETSIG, FIOSETOWN, IN_ALL, IDLE_IO, IPC_NEW = 15, 10, 0x8901, 0xFFF, 3 << 13, 0o1600


def call(name, *arguments):
    result = getattr(libc, name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


def changes(attempt, fact):
    before = fact()
    attempt()
    if fact() == before:
        raise PermissionError('nothing changed')


def fork():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


ATTEMPTS = {
    'signal': lambda: os.kill(pid, 0),
    'signal all': lambda: os.kill(-1, 0),
    'signal by descriptor': lambda: signal.pidfd_send_signal(os.pidfd_open(pid), 0),
    'own a pipe': lambda: fcntl.fcntl(PIPES[0], fcntl.F_SETOWN, pid),
    'own a pipe (extended)': lambda: fcntl.fcntl(PIPES[0], F_SETOWN_EX, struct.pack('ii', 1, pid)),
    'choose a signal': lambda: fcntl.fcntl(PIPES[0], F_SETSIG, 9),
    'own a socket': lambda: fcntl.ioctl(stream, FIOSETOWN, struct.pack('i', pid)),
    'make idle': lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)),
    'set a parameter': lambda: os.sched_setparam(pid, os.sched_param(0)),
    'make nice': lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
    'bind to a core': lambda: os.sched_setaffinity(pid, {min(os.sched_getaffinity(0))}),
    'slow down its disk': lambda: call('syscall', 251 if os.uname().machine == 'x86_64' else 30, 1, pid, IDLE_IO),
    'limit': lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE),
    'change a time': lambda: changes(lambda: os.utime(inside, (0, 0)), lambda: os.stat(inside).st_mtime),
    'change a group': lambda: os.chown(folder, -1, os.getgid()),
    'set an attribute': lambda: os.setxattr(folder, 'user.svc', b'1'),
    'cut a file': lambda: os.truncate(inside, 1),
    'write a file': lambda: open(inside, 'r+', encoding='utf-8').close(),
    'make a file': lambda: open(os.path.join(folder, 'new'), 'x', encoding='utf-8').close(),
    'make a folder': lambda: os.mkdir(os.path.join(folder, 'folder')),
    'replace a file': lambda: os.replace(os.path.join(folder, 'spare'), inside),
    'watch a folder': lambda: call('inotify_add_watch', call('inotify_init1', 0), folder.encode(), IN_ALL),
    'watch by fanotify': lambda: call('fanotify_init', 0x200, 0),
    'connect to a socket': lambda: socket.socket(socket.AF_UNIX).connect(listener),
    'send to a socket': lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
    'send from a pair': lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
    'read who the pod speaks with': lambda: open('/proc/net/tcp', encoding='ascii').close(),
    'read the mounts': lambda: open('/proc/self/mountinfo', encoding='utf-8').close(),
    'list processes': lambda: os.listdir('/proc'),
    'share memory': lambda: call('shmctl', call('shmget', 0, 4096, IPC_NEW), 0, None),
    'start a process': fork,
    'start a program': lambda: os.waitpid(os.posix_spawn('/bin/true', ['true'], {}), 0),
    # In the end: afterwards nobody gets in.
    'close a file': lambda: changes(lambda: os.chmod(inside, 0), lambda: os.stat(inside).st_mode),
    'remove a file': lambda: os.unlink(inside),
    'close a folder': lambda: changes(lambda: os.chmod(folder, 0), lambda: os.stat(folder).st_mode),
}
for name, attempt in ATTEMPTS.items():
    try:
        attempt()
        print('can', name, file=sys.stderr)
    except OSError:
        pass
print('tried', len(ATTEMPTS), file=sys.stderr)
