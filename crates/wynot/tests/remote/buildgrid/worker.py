"""A small worker for a Remote Execution service that hands out actions by the Bots interface, as BuildGrid does."""

import argparse
import functools
import hashlib
import os
import select
import signal
import sys
import tempfile
import threading
import time
import uuid
from pathlib import Path
from subprocess import DEVNULL, Popen

import grpc
from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2 as re
from buildgrid._protos.google.bytestream.bytestream_pb2 import ReadRequest, WriteRequest
from buildgrid._protos.google.bytestream.bytestream_pb2_grpc import ByteStreamStub
from buildgrid._protos.google.devtools.remoteworkers.v1test2 import bots_pb2, bots_pb2_grpc
from buildgrid._protos.google.rpc import code_pb2

HEARTBEAT = 0.2  # The seconds between two questions whether a running action is still wanted.
MAX_IDLE = 0.5  # The seconds without an action after which a session is replaced by a new one.
WAIT = 30  # The time limit of a request, also of one that waits for an action, in seconds.
CHUNK = 1 << 20

stopping = threading.Event()
# A process that is being started has copies of all open files for a moment, and a program that is open for writing
# cannot be run. So files are written and processes are started one at a time.
start_lock = threading.Lock()


class Failure(Exception):
    """An action that was not run to its end: the code and the message of the status that says why."""


class Storage:
    def __init__(self, channel, instance):
        self.stub = ByteStreamStub(channel)
        self.prefix = f"{instance}/" if instance else ""
        # Many actions have the same files.
        self.read = functools.lru_cache(maxsize=64)(self.read_stream)

    def get(self, digest):
        return self.read(f"{digest.hash}/{digest.size_bytes}") if digest.size_bytes else b""

    def read_stream(self, name):
        request = ReadRequest(resource_name=f"{self.prefix}blobs/{name}")
        return b"".join(reply.data for reply in self.stub.Read(request, timeout=WAIT))

    def put(self, path):
        data = path.read_bytes()
        digest = re.Digest(hash=hashlib.sha256(data).hexdigest(), size_bytes=len(data))
        name = f"{self.prefix}uploads/{uuid.uuid4()}/blobs/{digest.hash}/{digest.size_bytes}"
        starts = range(0, len(data) or 1, CHUNK)
        messages = [WriteRequest(resource_name=name, write_offset=at, data=data[at : at + CHUNK]) for at in starts]
        messages[-1].finish_write = True
        self.stub.Write(iter(messages), timeout=WAIT)
        return digest


class Bot:
    """A thread that runs one action after the other."""

    def __init__(self, channel, instance, scratch):
        self.stub = bots_pb2_grpc.BotsStub(channel)
        self.storage = Storage(channel, instance)
        self.instance, self.scratch, self.id = instance, scratch, str(uuid.uuid4())
        self.is_ready, self.is_free = threading.Event(), threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while not stopping.is_set():
            self.is_free.set()
            try:
                self.serve_session()
            except grpc.RpcError as error:
                print(f"a session ended: {error.code()}: {error.details()}", file=sys.stderr)
                stopping.wait(HEARTBEAT)
        self.is_free.set()

    def open_session(self):
        """Opens a session, which ends the one before. It gets no action as long as it is unhealthy."""
        session = bots_pb2.BotSession(bot_id=self.id, status=bots_pb2.UNHEALTHY)
        request = bots_pb2.CreateBotSessionRequest(parent=self.instance, bot_session=session)
        return self.stub.CreateBotSession.future(request, timeout=WAIT, wait_for_ready=not stopping.is_set())

    def serve_session(self):
        self.session = self.open_session().result()
        self.is_ready.set()
        self.session.status = bots_pb2.OK
        # On SQLite, BuildGrid may forget that a bot is free after an action was cancelled. In a new session, it is.
        used = time.monotonic()
        while not stopping.is_set() and time.monotonic() < used + MAX_IDLE:
            if self.session.leases:
                self.run_lease(self.session.leases[0])
                used = time.monotonic()
            else:
                self.is_free.set()
                self.update()
                self.is_free.clear()

    def update(self):
        request = bots_pb2.UpdateBotSessionRequest(name=self.session.name, bot_session=self.session)
        self.session = self.stub.UpdateBotSession(request, timeout=WAIT)

    def run_lease(self, lease):
        done = bots_pb2.Lease(id=lease.id, state=bots_pb2.COMPLETED)
        try:
            with tempfile.TemporaryDirectory(dir=self.scratch, ignore_cleanup_errors=True) as directory:
                done.result.Pack(self.execute(lease, Path(directory)))
        except Failure as failure:
            done.status.code, done.status.message = failure.args
        except Exception as error:
            # A blob is missing, or the input root or the program cannot be used.
            message = error.details() if isinstance(error, grpc.RpcError) else str(error)
            done.status.code, done.status.message = code_pb2.FAILED_PRECONDITION, message
        del self.session.leases[:]
        self.session.leases.append(done)
        self.update()

    def execute(self, lease, directory):
        """Runs an action in a directory. Returns its result."""
        action = re.Action.FromString(lease.payload.value)
        command = re.Command.FromString(self.storage.get(action.command_digest))
        self.stage(action.input_root_digest, directory / "root")
        working = directory / "root" / command.working_directory
        outputs = list(command.output_paths or command.output_files)
        for path in outputs:
            (working / path).parent.mkdir(parents=True, exist_ok=True)
        limit = action.timeout.ToNanoseconds() / 1e9 if action.HasField("timeout") else float("inf")
        env = {variable.name: variable.value for variable in command.environment_variables}
        args = dict(args=list(command.arguments), cwd=working, env=env, stdin=DEVNULL, start_new_session=True)
        with start_lock, open(directory / "stdout", "wb") as out, open(directory / "stderr", "wb") as err:
            process = Popen(**args, stdout=out, stderr=err)
        code = self.wait(process, lease, limit)
        stdout, stderr = self.storage.put(directory / "stdout"), self.storage.put(directory / "stderr")
        result = re.ActionResult(exit_code=code, stdout_digest=stdout, stderr_digest=stderr)
        for path in filter(lambda path: (working / path).exists(), outputs):
            digest, is_program = self.storage.put(working / path), os.access(working / path, os.X_OK)
            result.output_files.add(path=path, digest=digest, is_executable=is_program)
        return result

    def stage(self, digest, path):
        path.mkdir()
        directory = re.Directory.FromString(self.storage.get(digest))
        for node in directory.files:
            data = self.storage.get(node.digest)
            with start_lock:
                (path / node.name).write_bytes(data)
            (path / node.name).chmod(0o755 if node.is_executable else 0o644)
        for node in directory.symlinks:
            (path / node.name).symlink_to(node.target)
        for node in directory.directories:
            self.stage(node.digest, path / node.name)

    def wait(self, process, lease, limit):
        """Waits until a process ends, its time is over, or nobody wants its result. Returns its exit code."""
        end = time.monotonic() + limit
        ended = os.pidfd_open(process.pid)
        try:
            while not select.select([ended], [], [], min(HEARTBEAT, max(end - time.monotonic(), 0)))[0]:
                if stopping.is_set():
                    raise Failure(code_pb2.UNAVAILABLE, "the worker ends")
                if time.monotonic() >= end:
                    raise Failure(code_pb2.DEADLINE_EXCEEDED, f"the command runs for more than {limit} s")
                self.update()
                if all(other.id != lease.id for other in self.session.leases):
                    raise Failure(code_pb2.CANCELLED, "the result is not wanted any more")
        finally:
            # This ends what the command has left behind, too. Its number is not used again before it is waited for.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(ended)
        return process.returncode if process.returncode >= 0 else 128 - process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="host and port of the service")
    parser.add_argument("--instance", default="", help="the instance of the service")
    parser.add_argument("--workers", type=int, default=1, help="how many actions run at the same time")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    scratch_options = dict(prefix="worker-", ignore_cleanup_errors=True)
    with grpc.insecure_channel(options.address) as channel, tempfile.TemporaryDirectory(**scratch_options) as scratch:
        bots = [Bot(channel, options.instance, scratch) for _ in range(options.workers)]
        while not stopping.is_set() and not all(bot.is_ready.wait(HEARTBEAT) for bot in bots):
            pass
        print("ready", flush=True)
        stopping.wait()
        for bot in bots:
            bot.is_free.wait()
            bot.open_session().exception()


if __name__ == "__main__":
    main()
