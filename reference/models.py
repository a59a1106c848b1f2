"""Models: from the alias a run records to the id that is sent."""

from typing import NamedTuple

ALIASES = {
    "opus-4.5": "claude-opus-4-5-20251101",
    "sonnet-4.5": "claude-sonnet-4-5-20250929",
    "haiku-4.5": "claude-haiku-4-5-20251001",
    "opus-4.1": "claude-opus-4-1-20250805",
    "sonnet-4": "claude-sonnet-4-20250514",
    "gpt-4o": "gpt-4o",
    "gpt-4o-mini": "gpt-4o-mini",
    "gpt-4.1": "gpt-4.1",
    "gpt-4.1-mini": "gpt-4.1-mini",
    "gpt-4.1-nano": "gpt-4.1-nano",
    "gpt-5": "gpt-5",
    "gpt-5-mini": "gpt-5-mini",
    "o1": "o1",
    "o1-pro": "o1-pro",
    "o3": "o3",
    "o3-mini": "o3-mini",
    "o3-pro": "o3-pro",
    "o4-mini": "o4-mini",
    "gemini-2.5-pro": "gemini-2.5-pro",
    "gemini-2.5-flash": "gemini-2.5-flash",
    "gemini-2.5-flash-lite": "gemini-2.5-flash-lite",
    "gemini-2.0-flash": "gemini-2.0-flash",
    "gemini-3-pro-preview": "gemini-3-pro-preview",
}
PROVIDERS = {"claude-": "anthropic", "gemini-": "google"}
WITHOUT_TEMPERATURE = ("gpt-5", "o1", "o3", "o4")
O200K_ANYWHERE = ("gpt-4o", "gpt-4.1", "gpt-5")
O200K_AT_START = ("o1", "o3", "o4")


class Model(NamedTuple):
    """An answering model."""

    alias: str  # as written; what a run records
    id: str  # what is sent
    provider: str
    takes_temperature: bool
    encoding: str | None  # None: its tokens can only be estimated


def resolve(alias: str, prefix: str = "") -> Model:
    """The model behind `alias` (looked up in lower case; unknown ones are their own id).

    `prefix` goes before the id of an OpenAI model that does not start with it already; what
    kind of model it is was decided before.
    """
    plain = ALIASES.get(alias.lower(), alias)
    starts = (name for start, name in PROVIDERS.items() if plain.startswith(start))
    provider = next(starts, "openai")
    prefixed = plain
    if provider == "openai" and not plain.startswith(prefix):
        prefixed = prefix + plain
    takes_temperature = not plain.startswith(WITHOUT_TEMPERATURE)
    return Model(alias, prefixed, provider, takes_temperature, _encoding(plain, provider))


def _encoding(plain: str, provider: str) -> str | None:
    if provider != "openai":
        return None
    if plain.startswith(O200K_AT_START) or any(part in plain for part in O200K_ANYWHERE):
        return "o200k_base"
    return "cl100k_base"
