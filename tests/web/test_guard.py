"""Strangers, wrong names, paths and sizes are refused; nothing of them stays, and nothing ends."""

from __future__ import annotations

import signal
import socket
import time
from importlib import util
from typing import TYPE_CHECKING

import pytest

from heldout.cli.main import main
from tests.web.serving import Server, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import httpx

CSV = b"truth,score\n1,0.9\n0,0.1\n"


def ask(server: Server, **headers: str) -> httpx.Response:
    with server.client() as client:
        return client.post("/open", data={"names": "iris"}, headers=headers)


def opened(client: httpx.Client, *names: str) -> str:
    answer = client.post("/open", data={"names": list(names)})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def finished(client: httpx.Client, job: str) -> str:
    """The page of a job that is over."""
    with client.stream("GET", f"{job}/events") as events:
        assert "event: end" in list(events.iter_lines())
    return client.get(job).text


def test_without_token_or_with_a_wrong_one_there_is_nothing(server: Server) -> None:
    with server.client(is_known=False) as client:
        for path in ("/", "/?token=wrong", "/?token=", "/works/x", "/jobs/x/report.html", "/alive"):
            assert client.get(path).status_code == 401
        assert client.post("/files", files={"files": ("a.csv", CSV)}).status_code == 401
        client.cookies.set(f"heldout-{server.origin.rpartition(':')[2]}", "guess")
        assert client.get("/").status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1", "127.0.0.1", ""])
def test_host_of_another_name_is_refused(server: Server, host: str) -> None:
    assert ask(server, host=host).status_code in (400, 421)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "https://127.0.0.1"])
def test_request_from_another_page_is_refused(server: Server, origin: str) -> None:
    assert ask(server, origin=origin).status_code == 403


def test_every_answer_forbids_what_pages_do_not_need(server: Server) -> None:
    with server.client() as client:
        for path in ("/", "/nowhere"):
            headers = client.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cache-control"] == "no-store"
    with server.client(is_known=False) as client:
        cookie = client.get(server.address).headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=lax" in cookie


@pytest.mark.parametrize(
    "name", ["data/../stderr.txt", "../stderr.txt", "/etc/passwd", "data/link.csv", "-", "*.csv"]
)
def test_only_files_that_are_offered_are_opened(server: Server, name: str) -> None:
    outside = server.data.parent / "secret.csv"
    outside.write_bytes(CSV)
    link = server.data / "link.csv"
    link.unlink(missing_ok=True)
    link.symlink_to(outside)
    with server.client() as client:
        assert "link.csv" not in client.get("/").text
        assert client.post("/open", data={"names": name}).status_code == 404
        for path in ("/jobs/../../etc/passwd", "/works/%2e%2e%2f", "/jobs/x/..%2freport.html"):
            assert client.get(path).status_code == 404


def test_upload_that_is_too_large_is_refused_and_leaves_nothing(server: Server) -> None:
    before = server.uploads()
    with server.client() as client:
        large = b"truth,score\n" + b"1,0.9\n" * 300_000
        assert client.post("/files", files={"files": ("a.csv", large)}).status_code == 413

        def untold() -> Iterator[bytes]:
            yield b'--x\r\ncontent-disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
            yield from (large[i : i + 65536] for i in range(0, len(large), 65536))

        kind = {"content-type": "multipart/form-data; boundary=x"}
        assert client.post("/files", content=untold(), headers=kind).status_code == 413
        assert client.get("/").status_code == 200
    assert server.uploads() == before


def test_upload_that_breaks_off_leaves_nothing(server: Server) -> None:
    before = server.uploads()
    with server.client() as client:
        cookie = "; ".join(f"{key}={value}" for key, value in client.cookies.items())
        host = server.origin.removeprefix("http://")
        name, _, port = host.partition(":")
        with socket.create_connection((name, int(port))) as connection:
            head = (
                f"POST /files HTTP/1.1\r\nhost: {host}\r\norigin: {server.origin}\r\n"
                f"cookie: {cookie}\r\ncontent-length: 100000\r\n"
                "content-type: multipart/form-data; boundary=x\r\n\r\n"
                '--x\r\ncontent-disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
            )
            connection.sendall(head.encode() + CSV * 100)
            time.sleep(0.3)
        time.sleep(0.3)
        assert client.get("/").status_code == 200
    assert server.uploads() == before


def test_two_hundred_slow_connections_keep_nobody_out(server: Server) -> None:
    name, _, port = server.origin.removeprefix("http://").partition(":")
    slow = [socket.create_connection((name, int(port))) for _ in range(200)]
    try:
        for connection in slow:
            connection.sendall(b"POST /files HTTP/1.1\r\nhost: ")
        with server.client() as client:
            assert client.get("/").status_code == 200
            assert client.get(opened(client, "iris")).status_code == 200
    finally:
        for connection in slow:
            connection.close()


@pytest.mark.parametrize(
    "model",
    ["os:system", "prepare:os:system", "knn[a=1],os:getcwd", "nope"],
)
def test_models_that_are_not_named_ones_are_refused(server: Server, model: str) -> None:
    with server.client() as client:
        work = opened(client, "iris")
        form = {"command": "evaluate", "other_models": model}
        answer = client.post(work, data=form)
        assert answer.status_code == 400
        assert "no model is named" in answer.text


def test_form_cannot_bring_other_options_or_columns(server: Server) -> None:
    with server.client() as client:
        work = opened(client, "example:spam")
        assert client.post(work, data={"command": "runs"}).status_code == 400
        assert client.post(work, data={"command": "score", "truth": "99"}).status_code == 400
        form = {"command": "score", "positive": "--output=/tmp/x", "output": "stolen.html"}
        page = finished(client, client.post(work, data=form).headers["location"])
        assert "--output=/tmp/x" in page
        assert "ended with an error" in page
    assert not [path for path in server.uploads() if path.name == "stolen.html"]


def test_people_do_not_see_what_others_have(server: Server) -> None:
    with server.client() as first, server.client() as second:
        work = opened(first, "example:spam")
        form = {"command": "score", "positive": "spam"}
        job = first.post(work, data=form).headers["location"]
        assert "report.html" in finished(first, job)
        assert first.get(f"{job}/report.html").status_code == 200
        for path in (work, job, f"{job}/report.html", f"{job}/events"):
            assert second.get(path).status_code == 404
        assert second.post(f"{job}/stop").status_code == 404


def test_command_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    with served(tmp_path, "--max-seconds", "2") as server, server.client() as client:
        work = opened(client, "digits")
        form = {"command": "evaluate", "models": ["forest", "boosting"], "procedure": "50x10-fold"}
        job = client.post(work, data=form).headers["location"]
        assert "took too long" in finished(client, job)


def test_too_many_columns_are_refused(tmp_path: Path) -> None:
    with served(tmp_path, "--max-columns", "3") as server, server.client() as client:
        answer = client.post("/open", data={"names": "iris"})
        assert answer.status_code == 400
        assert "iris has 5 columns, and this server takes 3" in answer.text


def test_files_go_when_nobody_is_there_any_more(tmp_path: Path) -> None:
    with served(tmp_path, "--max-idle", "1") as server, server.client() as client:
        answer = client.post("/files", files={"files": ("a.csv", CSV)})
        assert answer.status_code == 303
        assert "a.csv" in client.get(answer.headers["location"]).text
        until = time.monotonic() + 30
        while server.uploads() and time.monotonic() < until:
            time.sleep(0.2)
        assert not server.uploads()
        assert client.get("/").status_code == 401


def test_server_that_is_told_to_end_leaves_nothing(tmp_path: Path) -> None:
    with (
        served(tmp_path, ending=signal.SIGTERM) as server,
        server.client() as client,
    ):
        files = {"files": ("a.csv", (server.data / "a.csv").read_bytes())}
        assert client.post("/files", files=files).status_code == 303
        assert server.uploads()


def test_missing_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "heldout.cli.serve.find_spec",
        lambda name: None if name == "uvicorn" else util.find_spec(name),
    )
    assert main(["serve"]) == 2
    assert 'heldout serve needs uvicorn: pip install "heldout[web]"' in capsys.readouterr().err
