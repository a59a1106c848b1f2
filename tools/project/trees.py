"""The id that git would give a folder of files, without git."""

import hashlib
from collections.abc import Mapping


def tree_id(files: Mapping[str, bytes]) -> str:
    """The SHA-1 id of the git tree of these files, by path; none is executable or a link."""
    return _tree(files).hex()


def _tree(files: Mapping[str, bytes]) -> bytes:
    entries, folders = [], dict[str, dict[str, bytes]]()
    for path, data in files.items():
        name, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(name, {})[rest] = data
        else:
            entries.append((name.encode(), b"100644", _object(b"blob", data)))
    # git sorts a folder as if its name ended in a slash.
    entries += [(f"{name}/".encode(), b"40000", _tree(inside)) for name, inside in folders.items()]
    rows = [mode + b" " + name.rstrip(b"/") + b"\0" + id for name, mode, id in sorted(entries)]
    return _object(b"tree", b"".join(rows))


def _object(kind: bytes, data: bytes) -> bytes:
    header = kind + b" " + str(len(data)).encode() + b"\0"
    return hashlib.sha1(header + data, usedforsecurity=False).digest()
