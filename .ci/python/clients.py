"""
Asks a running `svc serve` with the Python SDK of TypeSafe, unchanged: `python clients.py <path of the installed svc> [zstd]`. The SDK
sends images as multipart/form-data, and compresses bodies from 1,024 bytes on if it has zstd. With `zstd`, it must. The last line is
`N passed, N failed`.
"""

import asyncio
import base64
import json
import os
import re
import subprocess
import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, HTTPServer

from typesafe_sdk import (
    AsyncTypeSafeClient,
    Choice,
    Image,
    Noul,
    RetryPolicy,
    Score,
    TypeSafeAPIError,
    TypeSafeAuthenticationError,
    TypeSafeBadRequestError,
    TypeSafeClient,
    TypeSafeInternalServerError,
    TypeSafeNotFoundError,
    TypeSafeUnprocessableEntityError,
)

program, *encodings = sys.argv[1:]
services = []


def start_service(*flags, **env):
    """Starts `svc serve` with these flags. Returns its address."""
    service = subprocess.Popen(
        ["node", program, "serve", "--port", "0", *flags],
        env={"PATH": os.environ["PATH"], "SERVICE_API_KEYS": "k", **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    services.append(service)
    for line in service.stderr:
        address = re.search(r"http://[\d.]+:\d+", line)
        if address:
            # Someone must read the log, or the service waits.
            threading.Thread(target=service.stderr.read, daemon=True).start()
            return address[0]
    raise RuntimeError("svc serve ended at once")


def start_upstream(reply):
    """
    Starts a service. `reply` gets the document of each request, and returns the status and the document of the response. Returns the
    address, and the list of the requests that it gets: each a pair of its headers and its document.
    """
    received = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            received.append((self.headers, document))
            status, response = reply(document)
            body = json.dumps(response).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}", received


def start_front(dialect, reply):
    """Starts a service that passes requests on to a service of this dialect."""
    address, received = start_upstream(reply)
    flags = ["--engine=upstream", f"--engine-dialect={dialect}", f"--engine-url={address}"]
    return start_service(*flags, SERVICE_ENGINE_API_KEY="e"), received


counts = {"passed": 0, "failed": 0}


def test(title):
    """Runs the decorated function at once, and counts it as passed if it raises nothing."""

    def run(work):
        try:
            work()
        except Exception:
            counts["failed"] += 1
            print(f"FAIL {title}")
            traceback.print_exc(file=sys.stdout)
        else:
            counts["passed"] += 1
            print(f"ok {title}")

    return run


def settings(base_url, **changes):
    return {"base_url": base_url, "api_key": "k", "model": "svc-latest", **changes}


def catch_error(error_class, work):
    try:
        work()
    except error_class as error:
        return error
    raise AssertionError(f"no {error_class.__name__}")


ticket = "I was charged twice this month. Fix it now."
states = {
    "a small state": {"ticket": ticket},
    "a state of 4 KiB": {"ticket": ticket, "more": "The invoice says 20 €. " * 180},
}
questions = {
    "billing": Noul(instructions="Was the customer charged twice?"),
    "tone": Choice(
        instructions="What is the tone?",
        criteria={"calm": "polite", "angry": "fix it now", "other": None},
    ),
    "urgency": Score(instructions="How urgent?", criteria=["can wait", {"text": "fix it now"}]),
}


def check_answers(response):
    assert response.model == "svc-embedded-1"
    assert re.match("req_", response.request_id)
    assert 0 <= response.nouls["billing"].noul <= 1
    tone = response.choices["tone"]
    assert tone.choice in tone.probabilities
    assert list(tone.probabilities) == ["calm", "angry", "other"]
    assert abs(sum(tone.probabilities.values()) - 1) < 1e-9
    urgency = response.scores["urgency"]
    assert urgency.legend == {0: "can wait", 1: {"text": "fix it now"}}
    assert 0 <= urgency.score <= 1 and 0 <= urgency.confidence <= 1
    return response


service_url = start_service()
client = TypeSafeClient(**settings(service_url))

for encoding in encodings:

    @test(f"has {encoding}, which it then uses by default")
    def _():
        """The constructor raises an error if there is no such encoder."""
        explicit = TypeSafeClient(**settings(service_url, compression=encoding))
        check_answers(explicit.system_one(state=states["a state of 4 KiB"], questions=questions))


for name, state in states.items():

    @test(f"answers questions about {name}")
    def _():
        check_answers(client.system_one(state=state, questions=questions))

    @test(f"answers the async client about {name} as the sync client")
    def _():
        async def ask():
            async with AsyncTypeSafeClient(**settings(service_url)) as async_client:
                return await async_client.system_one(state=state, questions=questions)

        expected = client.system_one(state=state, questions=questions)
        assert check_answers(asyncio.run(ask())).answers == expected.answers


@test("lists the models for both clients")
def _():
    async def list_models():
        async with AsyncTypeSafeClient(**settings(service_url)) as async_client:
            return await async_client.models.list()

    for models in (client.models.list().models, asyncio.run(list_models()).models):
        assert [model.name for model in models] == ["svc-latest", "svc-embedded-1"]


png = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
large_jpeg = b"\xff\xd8\xff" + bytes(1 << 20)


def answer_intact(document):
    return 200, {"model": "m", "answers": {"intact": {"type": "noul", "noul": 0.9}}, "usage": {}}


def check_images(ask):
    """Checks that images reach another service as base64. `ask` asks with the images `png` and `large_jpeg` in the state."""
    front_url, received = start_front("systemone", answer_intact)
    state = {"text": "The parcel on arrival.", "photo": Image(png), "label": Image(large_jpeg)}
    response = ask(front_url, {"state": state, "questions": {"intact": Noul(instructions="Intact?")}})
    assert response.nouls["intact"].noul == 0.9
    [(_, document)] = received
    for name, image_format, content in (("photo", "png", png), ("label", "jpeg", large_jpeg)):
        reference = document["state"][name]
        assert document["assets"][reference] == {
            "type": "image",
            "format": image_format,
            "data_base64": base64.b64encode(content).decode(),
        }


@test("passes images on")
def _():
    check_images(lambda url, request: TypeSafeClient(**settings(url)).system_one(**request))


@test("passes images of the async client on")
def _():
    async def ask(url, request):
        async with AsyncTypeSafeClient(**settings(url)) as async_client:
            return await async_client.system_one(**request)

    check_images(lambda url, request: asyncio.run(ask(url, request)))


@test("says that an engine takes no images")
def _():
    error = catch_error(
        TypeSafeBadRequestError,
        lambda: client.system_one(state={"photo": Image(png)}, questions=questions),
    )
    assert "400 images are not supported by this engine" in str(error)


@test("gives the answers to the other questions if a provider refuses one")
def _():
    def refuse_second(document):
        answers = [
            {"type": "predicate", "name": "a", "probability": 0.9},
            {"type": "refusal", "name": "b"},
        ]
        return 200, {"model": "m", "answers": answers, "usage": {"input_tokens": 1, "output_tokens": 0}}

    front_url, _ = start_front("decisions", refuse_second)
    two = {"a": Noul(instructions="Is it a complaint?"), "b": Noul(instructions="Is it a threat?")}
    response = TypeSafeClient(**settings(front_url)).system_one(state="x", questions=two)
    assert list(response.answers) == ["a"] and response.nouls["a"].noul == 0.9


no_retries = RetryPolicy(max_retries=0)


@test("raises its error classes, with message and request id")
def _():
    def ask_with(error_class, message, base_url=service_url, **changes):
        request = {"state": "x", "questions": questions, **changes}
        key = request.pop("api_key", "k")
        other = TypeSafeClient(**settings(base_url, api_key=key, retry=no_retries))
        error = catch_error(error_class, lambda: other.system_one(**request))
        assert message in str(error), error
        assert re.match("req_", error.request_id)
        return error

    ask_with(TypeSafeAuthenticationError, "401 Cannot authenticate with the server.", api_key="wrong")
    ask_with(TypeSafeBadRequestError, "400 Unknown model: svc-9", model="svc-9")
    labels = {f"l{i}": None for i in range(256)}
    ask_with(
        TypeSafeUnprocessableEntityError,
        "422 questions.q.criteria: ",
        questions={"q": Choice(instructions="?", criteria=labels)},
    )
    ask_with(TypeSafeNotFoundError, "404 Not Found", base_url=f"{service_url}/elsewhere")
    large = ask_with(TypeSafeAPIError, "request exceeds 2097152 bytes", state="x" * (3 << 20))
    assert large.status == 413


def count_attempts(failures):
    """Asks a service that fails so often before it answers. Returns the number of attempts, and the error; `None` if there is none."""

    def reply(document):
        if len(received) > failures:
            return answer_intact(document)
        return 503, {"detail": {"error_type": "overloaded", "message": "Try again."}}

    front_url, received = start_front("systemone", reply)
    retrying = TypeSafeClient(**settings(front_url, retry=RetryPolicy(backoff_initial=0.01)))
    try:
        retrying.system_one(state="x" * 5000, questions={"intact": Noul(instructions="Intact?")})
    except TypeSafeInternalServerError as error:
        return len(received), error
    return len(received), None


@test("sends the same body again after a 503, at most twice")
def _():
    assert count_attempts(failures=2) == (3, None)
    attempts, error = count_attempts(failures=9)
    assert attempts == 3 and "503 Try again." in str(error)


@test("waits as long as a 429 asks, and then succeeds")
def _():
    limited = TypeSafeClient(**settings(start_service("--rate-limit", "60")))
    # 60 requests pass at once. The next one passes after a second.
    for _ in range(61):
        assert limited.models.list().models


for service in services:
    service.kill()
print(f"{counts['passed']} passed, {counts['failed']} failed")
sys.exit(counts["failed"] > 0)
