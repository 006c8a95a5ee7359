"""Makes protected documents: protect.py <program folder> <profile folder> <password> <source> <target> <filter>..."""
import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'cmd/docbuilder/engine'))
import office

program, profile, password, *rest = sys.argv[1:]
setup = {'program': program, 'profile': pathlib.Path(profile).as_uri(), 'pipe': f'svc_protect_{os.getpid()}'}
process = office.start(setup)
try:
    context = office.connect(setup, process)
    desktop = context.ServiceManager.createInstanceWithContext('com.sun.star.frame.Desktop', context)
    import uno
    from com.sun.star.beans import NamedValue, PropertyValue

    def properties(**values):
        return tuple(PropertyValue(name, 0, value, 0) for name, value in values.items())

    for source, target, filter_name in zip(*[iter(rest)] * 3):
        document = desktop.loadComponentFromURL(pathlib.Path(source).as_uri(), '_blank', 0, properties(Hidden=True))
        if target.endswith(('odt', 'ods', 'odp', 'doc', 'xls')):
            secret = properties(Password=password)
        else:
            data = (NamedValue('CryptoType', 'Standard'), NamedValue('OOXPassword', password))
            secret = properties(EncryptionData=uno.Any('[]com.sun.star.beans.NamedValue', data))
        document.storeToURL(pathlib.Path(target).as_uri(), properties(FilterName=filter_name) + secret)
        document.close(True)
    try:
        desktop.terminate()  # so that it removes its sockets
    except Exception:
        pass
    process.wait(10)
finally:
    process.kill()
