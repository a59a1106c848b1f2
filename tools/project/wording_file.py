"""The wording as a TOML file that people can read and edit."""

from dataclasses import asdict

from reference.wording import Wording

HEAD = """\
# Every sentence that a program prints into a prompt, as it said them when it was asked. A name in
# braces is a hole.

"""


def to_toml(words: Wording) -> bytes:
    """The file that `reference.wording.load` reads as `words`.

    Texts of several lines are printed as such; what can't be seen is escaped.
    """
    return (HEAD + "".join(map(_entry, asdict(words).items()))).encode()


def _entry(entry: tuple[str, str]) -> str:
    name, text = entry
    if "\n" not in text:
        return f'{name} = "{_escaped(text)}"\n'
    # Only where a quote could end the text does it need an escape.
    quote = '"' if '""' in text or text.endswith('"') else ""
    lines = "\n".join(_escaped(line, quote) for line in text.split("\n"))
    return f'\n{name} = """\n{lines}"""\n'


def _escaped(text: str, quote: str = '"') -> str:
    return "".join(_character(character, quote) for character in text)


def _character(character: str, quote: str) -> str:
    if character in ("\\", quote):
        return f"\\{character}"
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
