"""The embedded memvara: the six `/v1` routes over the real engine, in process or on loopback.

with open_memory(Path("run/memory.db")) as memory:
    app = application(memory, key="local")           # any WSGI server can run it, and
    httpx.Client(transport=httpx.WSGITransport(app)) # httpx can call it without one
"""

from .app import application
from .memory import Memory, open_memory

__all__ = ["Memory", "application", "open_memory"]
