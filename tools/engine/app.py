"""The six `/v1` routes as a WSGI application; every error is JSON that says what was wrong."""

import hmac
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs

from . import bodies
from .bodies import BadRequest
from .memory import TENANT, KeyReused, Memory

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PHRASES = {
    200: "OK",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    422: "Unprocessable Content",
    500: "Internal Server Error",
}


class Refusal(Exception):
    """An answer other than 200: status, the code a program reads, the words a person reads."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Call(NamedTuple):
    """One request to a route: the query's `user` (None without one), headers, body."""

    memory: Memory
    user: str | None
    key: str | None
    body: bytes

    @property
    def tag(self) -> str:
        """The user that the request is about. Raises BadRequest."""
        if not self.user or self.user == "*":
            raise BadRequest("the query needs user=TAG, and TAG may not be empty or *")
        return self.user


def whoami(call: Call) -> dict[str, Any]:
    return {
        "token_id": "embedded",
        "scope": {"tenant": TENANT, "user": call.user, "agent": None, "session": None},
        "effective_privilege": "admin",
        "read_only": False,
    }


def health(call: Call) -> dict[str, Any]:
    return {"status": "ok", "memvara_version": call.memory.version}


def add(call: Call) -> dict[str, Any]:
    return call.memory.add(call.tag, bodies.messages(call.body), call.key)


def search(call: Call) -> dict[str, Any]:
    return call.memory.search(call.tag, bodies.query(call.body))


def stats(call: Call) -> dict[str, Any]:
    return call.memory.stats(call.tag)


def erase(call: Call) -> dict[str, Any]:
    user = bodies.erased_user(call.body)
    if not user or user == "*":
        raise Refusal(403, "forbidden_scope", "this would erase the whole tenant: name one user")
    if user != call.tag:
        raise Refusal(403, "forbidden_scope", "the query and the body name different users")
    return call.memory.erase(user)


Route = Callable[[Call], dict[str, Any]]

ROUTES: Mapping[str, tuple[str, Route]] = {
    "/v1/whoami": ("GET", whoami),
    "/v1/health": ("GET", health),
    "/v1/memories": ("POST", add),
    "/v1/search": ("POST", search),
    "/v1/stats": ("GET", stats),
    "/v1/erasures": ("POST", erase),
}


def application(memory: Memory, key: str) -> "WSGIApplication":
    """The service over `memory` for callers that show the bearer `key`; threads may share it."""

    def app(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        try:
            status, answer = 200, respond(memory, key, environ)
        except Refusal as refusal:
            status, answer = refusal.status, error_json(refusal.code, refusal)
        except BadRequest as error:
            status, answer = 422, error_json("invalid_request", error)
        except KeyReused as error:
            status, answer = 409, error_json("conflict", error)
        except Exception as error:  # a full disk, a locked store: no caller's fault, worth a retry
            logging.getLogger(__name__).exception("%s failed", environ["PATH_INFO"])
            status, answer = 500, error_json("internal", error)
        body = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        start_response(f"{status} {PHRASES[status]}", headers)
        return [body]

    return app


def respond(memory: Memory, key: str, environ: "WSGIEnvironment") -> dict[str, Any]:
    """The answer to one request. Raises Refusal, BadRequest or KeyReused."""
    path, method = environ["PATH_INFO"], environ["REQUEST_METHOD"]
    if path not in ROUTES:
        raise Refusal(404, "not_found", f"no such route: {path}")
    allowed, route = ROUTES[path]
    if method != allowed:
        raise Refusal(405, "method_not_allowed", f"{path} takes {allowed}, not {method}")
    if route is not health and not authorized(environ, key):
        raise Refusal(401, "unauthenticated", "the bearer key is missing or not the server's")
    users = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True).get("user", [])
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    return route(
        Call(memory, users[0] if users else None, environ.get("HTTP_IDEMPOTENCY_KEY"), body)
    )


def authorized(environ: "WSGIEnvironment", key: str) -> bool:
    shown = environ.get("HTTP_AUTHORIZATION", "").encode("latin-1")
    return hmac.compare_digest(shown, f"Bearer {key}".encode())


def error_json(code: str, error: Exception) -> dict[str, Any]:
    return {"error": {"code": code, "message": str(error), "detail": None}}
