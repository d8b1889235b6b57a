"""A program for `wynot reduce --reduce-with`: it proposes the first half of the text, as long as that fails."""
import base64
import json
import sys


def receive():
    message = json.loads(sys.stdin.readline() or sys.exit())
    return base64.b64decode(message["content"]), message["interesting"]


def send(**message):
    print(json.dumps(message), flush=True)


text, _ = receive()
while True:
    half = text[: len(text) // 2]
    send(content=base64.b64encode(half).decode())
    _, interesting = receive()
    if interesting:
        text = half
    else:
        send(idle=True)
        text, _ = receive()
