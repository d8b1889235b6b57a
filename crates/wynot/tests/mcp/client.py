"""A client of `wynot mcp`, on the official SDK: client.py WYNOT DIRECTORY SCENARIO.

Each scenario talks to a server of its own and ends with an exception if something is wrong. DIRECTORY holds the files that
the test has prepared.
"""

import json
import os
import signal
import sys

import anyio
import jsonschema
from mcp import Client, MCPError, StdioServerParameters

WYNOT, DIRECTORY, SCENARIO = sys.argv[1:]

# Long enough for a busy machine.
PATIENCE = 120


def client(**options):
    # Every process below the server has this environment, by which the test finds those that are left.
    environment = {"XDG_STATE_HOME": os.path.join(DIRECTORY, "state")}
    server = StdioServerParameters(command=WYNOT, args=["mcp"], env=environment, cwd=DIRECTORY)
    return Client(server, **options)


def text_of(answer):
    (content,) = answer.content
    assert len(content.text) < 3300, content.text
    return content.text


def succeeded(answer):
    assert not answer.is_error, text_of(answer)
    return answer.structured_content


def refused(answer, *words):
    text = text_of(answer)
    assert answer.is_error, text
    for word in words + ("hint: ",):
        assert word in text, f"{word} is not in {text}"
    assert answer.structured_content["status"] == "error", answer.structured_content
    return text


def searches():
    """The processes of searches: those with the environment of the server, and `--json` among their arguments."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                is_ours = DIRECTORY.encode() in file.read()
            with open(f"/proc/{process}/cmdline", "rb") as file:
                is_search = b"--events=/dev/stdout" in file.read().split(b"\0")
        except OSError:
            continue
        if is_ours and is_search:
            found.append(int(process))
    return found


async def state_of(connection, search):
    answer = succeeded(await connection.call_tool("status", {"id": search}))
    (state,) = answer["searches"]
    return state


async def wait_until(condition):
    with anyio.fail_after(PATIENCE):
        while not await condition():
            await anyio.sleep(0.05)


SLOW = {"input": "slow.txt", "test": ["./slow.sh", "{}"], "unit": "line", "more_options": ["--jobs=1"]}


async def start_slow(connection):
    """Starts a slow search in the background; returns its id when it has removed something."""
    search = succeeded(await connection.call_tool("reduce", SLOW | {"background": True}))["id"]

    async def has_progress():
        state = await state_of(connection, search)
        assert state["state"] == "running", state
        return state["bytes"] and state["bytes"]["after"] < state["bytes"]["before"]

    await wait_until(has_progress)
    return search


async def tools():
    for mode in ["legacy", "auto"]:
        async with client(mode=mode) as connection:
            assert connection.server_info.name == "wynot"
            assert "max_time" in connection.instructions
            listed = (await connection.list_tools()).tools
            names = "reduce isolate options changes history explain status result cancel"
            assert [tool.name for tool in listed] == names.split()
            for tool in listed:
                schema = tool.input_schema
                jsonschema.Draft202012Validator.check_schema(schema)
                (example,) = schema["examples"]
                jsonschema.validate(example, schema)
                assert json.loads(tool.description.split("Example: ")[1]) == example
                assert all(one["description"] for one in schema["properties"].values())
            answer = await connection.call_tool("status", {})
            assert succeeded(answer) == {"searches": []}


async def progress():
    seen = []

    async def on_progress(number, _, message):
        seen.append((number, message))

    async with client() as connection:
        arguments = SLOW | {"max_tests": 30}
        answer = await connection.call_tool("reduce", arguments, progress_callback=on_progress)
        result = succeeded(answer)
        assert result["status"] == "stopped" and result["tests"]["executed"] == 30, result
        text = text_of(answer)
        for word in ["stopped", "30 tests", "is the failure", "slow.min.txt", "bad", "higher limit"]:
            assert word in text, text
        numbers = [number for number, _ in seen]
        assert len(numbers) >= 2 and numbers == sorted(set(numbers)), seen
        assert any("tests" in message and "bytes" in message for _, message in seen), seen
        # It goes on where it stopped.
        answer = await connection.call_tool("reduce", SLOW | {"max_tests": 31})
        assert succeeded(answer)["tests"]["replayed"] > 20, answer


async def cancel_a_request(mode):
    async with client(mode=mode) as connection:
        has_begun = anyio.Event()

        async def on_progress(number, *_):
            if number > 3:
                has_begun.set()

        async with anyio.create_task_group() as group:

            async def call():
                await connection.call_tool("reduce", SLOW, progress_callback=on_progress)

            group.start_soon(call)
            with anyio.fail_after(PATIENCE):
                await has_begun.wait()
            assert searches()
            group.cancel_scope.cancel()

        async def has_ended():
            return not searches()

        await wait_until(has_ended)
        state = await state_of(connection, "reduce-1")
        assert state["state"] == "cancelled", state
        result = succeeded(await connection.call_tool("result", {"id": "reduce-1"}))
        assert result["status"] == "stopped", result


async def cancellation():
    for mode in ["legacy", "auto"]:
        await cancel_a_request(mode)


async def background():
    async with client() as connection:
        search = await start_slow(connection)
        state = await state_of(connection, search)
        assert state["tests"] > 0 and state["seconds"] > 0, state
        answer = await connection.call_tool("result", {"id": search})
        assert succeeded(answer)["state"] == "running"
        assert "best so far:" in text_of(answer) and "bad" in text_of(answer)
        answer = await connection.call_tool("result", {"id": search, "wait_seconds": 1})
        assert succeeded(answer)["state"] == "running"
        result = succeeded(await connection.call_tool("cancel", {"id": search}))
        assert result["status"] == "stopped", result
        # What was cancelled stays so.
        assert succeeded(await connection.call_tool("cancel", {"id": search})) == result
        quick = {"input": "quick.txt", "test": ["./quick.sh", "{}"], "background": True}
        search = succeeded(await connection.call_tool("reduce", quick))["id"]
        answer = await connection.call_tool("result", {"id": search, "wait_seconds": 600})
        assert succeeded(answer)["status"] == "minimal"
        listed = succeeded(await connection.call_tool("status", {}))["searches"]
        assert [one["state"] for one in listed] == ["cancelled", "finished"], listed


async def errors():
    async with client() as connection:
        call = connection.call_tool
        for name in ["shrink", "", "reduce "]:
            try:
                await call(name, {})
                raise AssertionError(f"{name} is no tool")
            except MCPError as error:
                assert "there is no tool" in str(error), error
        good = {"input": "quick.txt", "test": ["./quick.sh", "{}"]}
        refused(await call("reduce", {}), 'needs "input"')
        refused(await call("reduce"), 'needs "input"')
        refused(await call("reduce", good | {"test": "./quick.sh {}"}), '"test"', "list of strings")
        refused(await call("reduce", good | {"test": []}), '"test" is empty')
        refused(await call("reduce", good | {"input": 7}), '"input"')
        refused(await call("reduce", good | {"max_tests": -1}), '"max_tests"')
        refused(await call("reduce", good | {"timeout": "1s"}), '"timeout"', "more_options")
        refused(await call("reduce", good | {"directory": "nowhere"}), "no directory")
        refused(await call("reduce", good | {"input": "no.txt"}), "cannot read no.txt")
        refused(await call("reduce", good | {"input": "nul\0.txt"}), "null character")
        refused(await call("reduce", good | {"input": "--help"}), "cannot read ./--help")
        refused(await call("reduce", good | {"max_time": "5 parsecs"}), "no unit of time")
        refused(await call("reduce", good | {"more_options": ["--no-such-option"]}), "--no-such-option")
        refused(await call("reduce", good | {"more_options": ["--help"]}), "exit code 0")
        refused(await call("reduce", good | {"more_options": ["--", "true"]}), "cannot contain")
        refused(await call("reduce", good | {"test": ["./no-such-test"]}), "no-such-test")
        refused(await call("reduce", good | {"test": ["true"]}), "does not tell them apart")
        refused(await call("reduce", good | {"test": ["x" * 200_000]}), "error: ")
        refused(await call("changes", {"good": "a", "test": ["true"]}), "--bad")
        for tool in ["status", "result", "cancel"]:
            refused(await call(tool, {"id": "reduce-999"}), "no search")
        refused(await call("result", {"id": 1}), '"id"')
        # After all of that it still works.
        assert succeeded(await call("reduce", good))["status"] == "minimal"


async def killed():
    async with client() as connection:
        search = await start_slow(connection)
        (process,) = searches()
        os.kill(process, signal.SIGKILL)
        answer = await connection.call_tool("result", {"id": search, "wait_seconds": 60})
        refused(answer, "killed by signal 9", "same arguments", "best so far:")
        answer = await connection.call_tool("reduce", SLOW | {"max_tests": 3})
        assert succeeded(answer)["tests"]["replayed"] > 0, answer


async def unresponsive():
    async with client() as connection:
        search = await start_slow(connection)
        (process,) = searches()
        os.kill(process, signal.SIGSTOP)
        started = anyio.current_time()
        answer = await connection.call_tool("cancel", {"id": search})
        assert anyio.current_time() - started > 9, "it has time to end"
        refused(answer, "killed by signal 9", "same arguments", "best so far:")
        assert (await state_of(connection, search))["state"] == "cancelled"
        assert not searches()


async def queue():
    most, messages, answers = 0, [], []

    async with client() as connection:

        async def on_progress(_number, _total, message):
            messages.append(message)

        async def call(number):
            arguments = {"input": f"many/{number}.txt", "test": ["./quick.sh", "{}"], "max_tests": 2}
            answers.append(await connection.call_tool("reduce", arguments, progress_callback=on_progress))

        async with anyio.create_task_group() as group:
            for number in range(100):
                group.start_soon(call, number)
            while len(answers) < 100:
                listed = succeeded(await connection.call_tool("status", {}))["searches"]
                most = max(most, [one["state"] for one in listed].count("running"))
                await anyio.sleep(0.02)
        for answer in answers:
            succeeded(answer)
        assert most == 2, most
        assert any("waiting" in message for message in messages), messages


async def searches_of_all_kinds():
    async with client() as connection:
        call = connection.call_tool
        answer = await call("reduce", {"input": "binary", "test": ["./binary.sh", "{}"]})
        assert "(no UTF-8) " in text_of(answer), text_of(answer)
        succeeded(answer)
        arguments = {"input": "quick.txt", "passing": "passing.txt", "test": ["./quick.sh", "{}"]}
        answer = await call("isolate", arguments)
        assert "instead of" in text_of(answer), text_of(answer)
        assert succeeded(answer)["difference"]["deltas"] >= 1
        arguments = {"vary": "-a -b -c", "test": ["./options.sh", "{options}"]}
        answer = await call("options", arguments)
        assert "fails: ./options.sh -b" in text_of(answer), text_of(answer)
        succeeded(answer)
        arguments = {"good": "HEAD~2", "bad": "HEAD", "test": ["sh", "check.sh"], "directory": "repository"}
        answer = await call("changes", arguments)
        for word in ["commit ", "fails with", "+broken"]:
            assert word in text_of(answer), text_of(answer)
        succeeded(answer)
        answer = await call("history", {"test": ["sh", "check.sh"], "directory": "repository"})
        assert "verdict: regression" in text_of(answer), text_of(answer)
        succeeded(answer)
        arguments = {"pass": "./program 1", "fail": "./program 7", "fail_when": ["exit=1"]}
        answer = await call("explain", arguments)
        assert "program.c:4: number is 7 (instead of 1)" in text_of(answer), text_of(answer)
        assert succeeded(answer)["status"] == "found"


async def leaving():
    """The client leaves while searches run; the test looks for what is left."""
    async with client() as connection:
        await start_slow(connection)


anyio.run(globals()[SCENARIO])
