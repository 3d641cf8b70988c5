"""The types of fields, in words."""


def type_in_words(annotation: str) -> str:
    """A type in words."""
    words = {"str": "string", "int": "integer", "bool": "true or false", "None": "null"}
    names = {
        "list[str]": "list of strings",
        "list[int]": "list of integers",
        "list[dict[str, Any]]": "list of objects",
        "list[dict[str, str]]": "list of objects",
        "list[dict[str, int]]": "list of objects",
        "dict[str, Any]": "object",
        "tuple[int, int]": "two integers",
        "tuple[str, ...]": "strings",
        "tuple[tuple[str, str], ...]": "pairs of strings",
    }
    return " or ".join(names.get(part) or words.get(part) or _shape(part) for part in annotation.split(" | "))


def _shape(annotation: str) -> str:
    """What to call a class that describes an object, or a list of such objects."""
    item = annotation.removeprefix("list[").removesuffix("]")
    if not item.isidentifier() or not item[0].isupper():
        raise ValueError(f"{annotation}: say in docs/making/fields.py what to call this type")
    return "object" if item == annotation else "list of objects"
