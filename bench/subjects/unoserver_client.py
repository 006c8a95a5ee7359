"""A client of unoserver that is kept running: reads {input, output} as JSON lines, says how long the XML-RPC call took."""
import json
import sys
import time
from xmlrpc.client import Fault, ServerProxy

START_SECONDS = 60

server = ServerProxy(sys.argv[1], allow_none=True)
deadline = time.monotonic() + START_SECONDS
while True:
    try:
        server.info()
        break
    except OSError:
        if time.monotonic() > deadline:
            raise
        time.sleep(0.1)
print(json.dumps({'ready': True}), flush=True)

for line in sys.stdin:
    task = json.loads(line)
    started = time.perf_counter()
    try:
        server.convert(task['input'], None, task['output'], 'pdf')
        answer = {'ms': 1000 * (time.perf_counter() - started)}
    except Fault as fault:
        answer = {'error': fault.faultString}
    print(json.dumps(answer), flush=True)
