"""The one string of an OOXML file that holds all its keywords, as Office shows them."""


def keywords(core):
    return [keyword.strip() for keyword in (core.keywords or "").split(";") if keyword.strip()]
