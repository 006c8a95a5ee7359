"""Takes this process's rights away for good, before it starts the office: uid, capabilities, limits, Landlock, seccomp.

Everything here is one-way and inherited by children. Numbers are the kernel's (landlock(7), seccomp(2), prctl(2)).
"""
import ctypes
import os
import platform
import resource
import socket
import struct

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_confined = False
_paths = None

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 1, 24, 22, 38, 47
SIGKILL = 9


def _check(result, what):
    if result < 0:
        raise OSError(ctypes.get_errno(), what)
    return result


def _prctl(*arguments):
    return _libc.prctl(*(ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:5]))


def die_with_parent():
    """SIGKILL when the thread that started this process ends. A change of uid clears it: call it after that."""
    _check(_prctl(PR_SET_PDEATHSIG, SIGKILL), 'PDEATHSIG')


def drop_privileges(uid, gid):
    """Becomes `uid`:`gid` where one is given, and drops every capability."""
    capability = 0
    while _prctl(PR_CAPBSET_DROP, capability) == 0:
        capability += 1
    if uid is not None:
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    _prctl(PR_CAP_AMBIENT, 4)
    header, none = struct.pack('Ii', 0x20080522, 0), bytes(24)
    _check(_libc.capset(header, none), 'capset')
    _check(_prctl(PR_SET_NO_NEW_PRIVS, 1), 'NO_NEW_PRIVS')


def limit(data_bytes, processes):
    """Limits for this process and its children; those on CPU time and file size are set anew for each job."""
    limits = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_NOFILE, 1024), (resource.RLIMIT_DATA, data_bytes)]
    if processes:
        limits.append((resource.RLIMIT_NPROC, processes))
    for name, value in limits:
        hard = resource.getrlimit(name)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (value, value))


# ---- Landlock ---------------------------------------------------------------------------------------------
_EXECUTE, _WRITE, _READ, _READ_DIR, _REMOVE_DIR, _REMOVE_FILE = (1 << bit for bit in range(6))
_MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _REFER, _TRUNCATE, _IOCTL_DEV = (1 << bit for bit in (7, 8, 9, 13, 14, 15))
_READ_ONLY = _EXECUTE | _READ | _READ_DIR
_FILE_RIGHTS = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL_DEV
_WRITABLE = (_READ | _READ_DIR | _WRITE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _MAKE_SOCK | _REFER
             | _TRUNCATE)
_RIGHTS = {'read': _READ_ONLY, 'write': _WRITABLE, 'device': _READ | _WRITE, 'socket': _MAKE_SOCK, 'any': (1 << 16) - 1}


def landlock(paths):
    """
    Leaves only `paths`, a list of [path, 'read' | 'write' | 'device' | 'socket' | 'any']; those that do not exist are skipped.
    """
    global _paths
    _paths = paths
    abi = _check(_libc.syscall(444, None, 0, 1), 'landlock')
    known = (1 << (13 + (abi >= 2) + (abi >= 3) + (abi >= 5))) - 1
    net = 3 if abi >= 4 else 0
    scoped = 3 if abi >= 6 else 0
    attributes = struct.pack('QQQ', known, net, scoped)[: 24 if scoped else 16 if net else 8]
    ruleset = _check(_libc.syscall(444, attributes, len(attributes), 0), 'landlock_create_ruleset')
    for path, access in paths:
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        rights = _RIGHTS[access] & known
        if not os.path.isdir(path):
            rights &= _FILE_RIGHTS
        rule = struct.pack('=Qi', rights, fd)
        _check(_libc.syscall(445, ruleset, 1, rule, 0), 'landlock_add_rule')
        os.close(fd)
    _check(_libc.syscall(446, ruleset, 0), 'landlock_restrict_self')
    os.close(ruleset)


# ---- seccomp ----------------------------------------------------------------------------------------------
# System calls that a converter never needs and an exploit would like. Columns: x86_64, aarch64; -1 where there is none.
_REFUSED = {
    'ptrace': (101, 117), 'process_vm_readv': (310, 270), 'process_vm_writev': (311, 271), 'kcmp': (312, 272),
    'pidfd_getfd': (438, 438), 'process_madvise': (440, 440), 'mount': (165, 40), 'umount2': (166, 39),
    'pivot_root': (155, 41), 'chroot': (161, 51), 'open_tree': (428, 428), 'move_mount': (429, 429),
    'fsopen': (430, 430), 'fsconfig': (431, 431), 'fsmount': (432, 432), 'fspick': (433, 433),
    'mount_setattr': (442, 442), 'unshare': (272, 97), 'setns': (308, 268), 'bpf': (321, 280),
    'io_uring_setup': (425, 425), 'io_uring_enter': (426, 426), 'io_uring_register': (427, 427),
    'add_key': (248, 217), 'request_key': (249, 218), 'keyctl': (250, 219), 'userfaultfd': (323, 282),
    'perf_event_open': (298, 241), 'open_by_handle_at': (304, 265), 'name_to_handle_at': (303, 264),
    'kexec_load': (246, 104), 'kexec_file_load': (320, 294), 'init_module': (175, 105), 'finit_module': (313, 273),
    'delete_module': (176, 106), 'reboot': (169, 142), 'swapon': (167, 224), 'acct': (163, 89), 'syslog': (103, 116),
    'quotactl': (179, 60),
    # A worker is ended as a group: a process that has left it would live on, beside the next one with its uid.
    'setsid': (112, 157), 'setpgid': (109, 154),
    # Links would let a worker point the service, which moves results out of its folder, at another file.
    'symlink': (88, -1), 'symlinkat': (266, 36), 'link': (86, -1), 'linkat': (265, 37),
    # Landlock does not block changes of the mode of a file of the same uid or, before Linux 6.2, of its length.
    'chown': (92, -1), 'fchown': (93, 55), 'lchown': (94, -1), 'fchownat': (260, 54), 'truncate': (76, 45),
    'setxattr': (188, 5), 'lsetxattr': (189, 6), 'fsetxattr': (190, 7), 'setxattrat': (463, 463),
    'removexattr': (197, 14), 'lremovexattr': (198, 15), 'fremovexattr': (199, 16), 'removexattrat': (466, 466),
    'file_setattr': (469, 469),
    # Nor from watching a folder that it may not open.
    'inotify_init': (253, -1), 'inotify_init1': (294, 26), 'inotify_add_watch': (254, 27),
    'fanotify_init': (300, 262), 'fanotify_mark': (301, 263),
    # Nor from slowing down others of its uid.
    'setpriority': (141, 140), 'ioprio_set': (251, 30), 'sched_setaffinity': (203, 122), 'sched_setparam': (142, 118),
    'sched_setscheduler': (144, 119), 'sched_setattr': (314, 274),
    # Memory and queues that others of its uid share, and that outlive it.
    'shmget': (29, 194), 'shmat': (30, 196), 'shmctl': (31, 195), 'semget': (64, 190), 'semctl': (66, 191),
    'msgget': (68, 186), 'msgsnd': (69, 189), 'msgrcv': (70, 188), 'msgctl': (71, 187), 'mq_open': (240, 180),
    'mq_unlink': (241, 181),
}
# Programs do this to their own files without need: it is answered as done. LibreOffice opens its sockets in /tmp to
# every user where its uid has no name, and NSS, which decrypts OpenDocument, sets modes; a umask makes all files private.
_FEIGNED = {
    'chmod': (90, -1), 'fchmod': (91, 52), 'fchmodat': (268, 53), 'fchmodat2': (452, 452),
    'utime': (132, -1), 'utimes': (235, -1), 'futimesat': (261, -1), 'utimensat': (280, 88),
}
# The owner of a descriptor gets a signal when something arrives: F_SETOWN, F_SETSIG, F_SETOWN_EX; FIOSETOWN, SIOCSPGRP.
_COMMANDS = {'fcntl': ((72, 25), (8, 10, 15)), 'ioctl': ((16, 29), (0x8901, 0x8902))}
# Once it runs, the process that reads documents connects to nothing and starts no process. Landlock keeps it neither from the
# sockets of others, such as another worker's LibreOffice or the system bus, nor, before Linux 6.12, from signals to its uid.
_REFUSED_ALONE = {
    'connect': (42, 203), 'tkill': (200, 130), 'pidfd_send_signal': (424, 424), 'fork': (57, -1), 'vfork': (58, -1),
}
# The first argument is the process that they are for; 0 is the caller, or its group, which is the worker.
_ITSELF_ONLY = {'kill': (62, 129), 'tgkill': (234, 131), 'rt_sigqueueinfo': (129, 138), 'rt_tgsigqueueinfo': (297, 240),
                'prlimit64': (302, 261)}
_SOCKET, _SOCKETPAIR, _CLONE, _CLONE3 = (41, 198), (53, 199), (56, 220), (435, 435)
_NOT_STREAM = 0xE  # datagrams find their way to a path without `connect`
_NEW_NAMESPACES, _THREAD = 0x7E020000, 0x10000
_ALLOW, _KILL, _DONE, _EPERM, _ENOSYS = 0x7FFF0000, 0x80000000, 0x00050000, 0x00050001, 0x00050026
_LOAD, _JUMP_EQ, _JUMP_GE, _JUMP_SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_FIRST, _SECOND = 16, 24  # where arguments are


def seccomp():
    """Refuses sockets other than streams of AF_UNIX, new namespaces and the calls in `_REFUSED`; nothing changes a file's mode."""
    global _confined
    column, code = _beginning()
    code += [(_JUMP_EQ, 0, 1, _CLONE3[column]), (_RETURN, 0, 0, _ENOSYS)]  # its flags are out of a filter's reach
    for number in (_SOCKET[column], _SOCKETPAIR[column]):
        code += [(_JUMP_EQ, 0, 6, number), (_LOAD, 0, 0, _FIRST), (_JUMP_EQ, 0, 3, socket.AF_UNIX)]
        code += [(_LOAD, 0, 0, _SECOND), (_JUMP_SET, 1, 0, _NOT_STREAM), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM)]
    code += [(_JUMP_EQ, 0, 4, _CLONE[column]), (_LOAD, 0, 0, _FIRST), (_JUMP_SET, 1, 0, _NEW_NAMESPACES)]
    code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM)]
    for numbers, commands in _COMMANDS.values():
        skipped = len(commands) + 3
        code += [(_JUMP_EQ, 0, skipped, numbers[column]), (_LOAD, 0, 0, _SECOND)]
        code += [(_JUMP_EQ, left, 0, command) for left, command in zip(range(len(commands), 0, -1), commands)]
        code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM)]
    _filter(code + _answers(_FEIGNED, column, _DONE) + _answers(_REFUSED, column, _EPERM))
    _confined = True


def alone(threads=True):
    """Refuses a confined process to connect to a socket, to start a process (or, without `threads`, a thread), to signal
    or limit another process, and to read /proc."""
    if not _confined:
        return
    _hide_proc()
    column, code = _beginning()
    for numbers in _ITSELF_ONLY.values():
        code += [(_JUMP_EQ, 0, 5, numbers[column]), (_LOAD, 0, 0, _FIRST), (_JUMP_EQ, 1, 0, os.getpid())]
        code += [(_JUMP_EQ, 0, 1, 0), (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM)]
    code += [(_JUMP_EQ, 0, 4, _CLONE[column]), (_LOAD, 0, 0, _FIRST), (_JUMP_SET, 0, 1, _THREAD if threads else 0)]
    code += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _EPERM)]
    _filter(code + _answers(_REFUSED_ALONE, column, _EPERM))


def _hide_proc():
    """LibreOffice puts files that a workbook links to into its results, and /proc knows the peers of the whole pod."""
    paths = _paths or [['/' + name, 'any'] for name in os.listdir('/')]
    try:
        landlock([rule for rule in paths if rule[0] != '/proc'])
    except OSError:
        if _paths:  # a mount namespace, which has a /proc of its own, needs no Landlock
            raise


def _beginning():
    """The machine's column in the tables, and a filter's first lines, which leave the number of the call to be compared."""
    column, arch = {'x86_64': (0, 0xC000003E), 'aarch64': (1, 0xC00000B7)}[platform.machine()]
    code = [(_LOAD, 0, 0, 4), (_JUMP_EQ, 1, 0, arch), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    return column, code + [(_JUMP_GE, 0, 1, 0x40000000), (_RETURN, 0, 0, _EPERM)]  # x32: other numbers, same calls


def _answers(calls, column, answer):
    numbers = [row[column] for row in calls.values() if row[column] >= 0]
    return [line for number in numbers for line in ((_JUMP_EQ, 0, 1, number), (_RETURN, 0, 0, answer))]


def _filter(code):
    """Adds a filter to this process, which allows every call that it does not refuse."""
    code = code + [(_RETURN, 0, 0, _ALLOW)]
    program = b''.join(struct.pack('HBBI', *line) for line in code)
    buffer = ctypes.create_string_buffer(program, len(program))
    filter_ = struct.pack('HxxxxxxP', len(code), ctypes.addressof(buffer))
    _check(_libc.prctl(PR_SET_SECCOMP, 2, filter_, 0, 0), 'seccomp')


# ---- Proof ------------------------------------------------------------------------------------------------
def breaches(canary):
    """Lists the things that this process can still do although it should not; `canary` has a `port` that listens and a `file` that exists."""
    found = []
    try:
        with socket.create_connection(('127.0.0.1', canary['port']), timeout=2):
            found.append('reached a server of the host')
    except OSError:
        pass
    try:
        with open(canary['file'], 'rb'):
            found.append('read a file of the host')
    except OSError:
        pass
    with open('/proc/self/status', encoding='ascii') as status:
        facts = dict(line.split(':', 1) for line in status)
    for capability in ('CapPrm', 'CapEff', 'CapInh', 'CapAmb'):
        if int(facts[capability], 16) != 0:
            found.append(f'holds capabilities ({capability})')
    if facts['NoNewPrivs'].strip() != '1':
        found.append('may gain privileges')
    return found
