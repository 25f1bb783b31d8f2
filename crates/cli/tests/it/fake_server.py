"""A language server that does as it is told, for tests.

What calls mean is read from `answers.json` beside the work tree: "path:line:col"
(from 1) to "path:line:col", "outside" or null. How it behaves is in the file
`behaviour` there: one word a line. It writes down what it was asked.
"""
import json, os, sys, time
from urllib.parse import unquote

if "--version" in sys.argv:
    print("fake 3.14.1")
    sys.exit(0)

top = os.getcwd()
beside = os.path.dirname(top)
behaviour = set(open(os.path.join(beside, "behaviour")).read().split())
answers = json.load(open(os.path.join(beside, "answers.json")))
log = open(os.path.join(beside, "asked.log"), "a")
n_answers = 0

def send(message):
    body = json.dumps(message).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()


def read():
    length = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit(0)
        if line.strip() == b"":
            break
        name, value = line.split(b":", 1)
        if name.lower() == b"content-length":
            length = int(value)
    return json.loads(sys.stdin.buffer.read(length))


def place(text):
    path, line, col = text.rsplit(":", 2)
    at = {"line": int(line) - 1, "character": int(col) - 1}
    return {"uri": "file://" + os.path.join(top, path), "range": {"start": at, "end": at}}


def definition(params):
    path = unquote(params["textDocument"]["uri"][len("file://"):])
    at = params["position"]
    key = "%s:%d:%d" % (os.path.relpath(path, top), at["line"] + 1, at["character"] + 1)
    log.write(key + "\n")
    log.flush()
    if "die_on:" + key.split(":")[0] in behaviour:
        sys.stderr.write("fatal: cannot read " + key + "\n")
        sys.stderr.flush()
        os._exit(3)
    if "cold" in behaviour:
        return place(key)
    answer = answers.get(key)
    if answer == "outside":
        return [{"uri": "file:///usr/lib/other.py", "range": {"start": {"line": 0, "character": 0}}}]
    if answer == "escape":
        return [{"uri": "file://" + top + "/../secret.py", "range": {"start": {"line": 0, "character": 0}}}]
    return [place(answer)] if answer else None


if "loud" in behaviour:
    for _ in range(20000):
        sys.stderr.write("a warning that nobody reads, over and over again\n")
if "garbage" in behaviour:
    sys.stdout.buffer.write(b"hello, I am a server\n" * 10)
    sys.stdout.buffer.flush()
if "huge" in behaviour:
    sys.stdout.buffer.write(b"Content-Length: 99999999999\r\n\r\n")
    sys.stdout.buffer.flush()

while True:
    message = read()
    method, number = message.get("method"), message.get("id")
    if method is None:
        log.write("answered " + json.dumps(message.get("result")) + "\n")
        log.flush()
        continue
    if method == "initialize":
        encoding = "utf-8"
        send({"jsonrpc": "2.0", "id": number, "result": {
            "capabilities": {"definitionProvider": True, "positionEncoding": encoding}}})
        if "nosy" in behaviour:
            for at, (asked, params) in enumerate([
                ("workspace/configuration", {"items": [{"section": "python.analysis"}, {}]}),
                ("workspace/applyEdit", {"edit": {"changes": {}}}),
                ("window/showDocument", {"uri": "file:///etc/passwd"}),
            ]):
                send({"jsonrpc": "2.0", "id": 9000 + at, "method": asked, "params": params})
    elif method == "textDocument/definition":
        n_answers += 1
        if "hungry" in behaviour:
            hog = [b"x" * (1 << 20) for _ in range(2000)]
        if "mute" in behaviour:
            continue
        if "forgetful" in behaviour and n_answers > 6:
            send({"jsonrpc": "2.0", "id": number, "result": None})
            continue
        for word in behaviour:
            if word.startswith("die_after:") and n_answers > int(word.split(":")[1]):
                os._exit(9)
        if "busy" in behaviour and n_answers % 3 == 0:
            send({"jsonrpc": "2.0", "id": number, "error": {"code": -32801, "message": "content modified"}})
            continue
        if "slow" in behaviour:
            time.sleep(0.05)
        result = definition(message["params"])
        if "flood" in behaviour:
            result = (result or []) + [{"uri": "file:///x%d" % at, "range": {
                "start": {"line": at, "character": 0}}} for at in range(5000)]
        send({"jsonrpc": "2.0", "id": number, "result": result})
    elif method == "shutdown":
        send({"jsonrpc": "2.0", "id": number, "result": None})
    elif method == "exit":
        sys.exit(0)
    elif number is not None:
        send({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "no"}})
