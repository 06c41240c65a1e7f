"""Write the types of the explorer's answers for its page, from the schema of the API.

python tools/explorer_types.py     writes src/chronotope/views/explorer/page/answers.d.ts
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from fastapi import FastAPI

from chronotope.conditions import Conditions
from chronotope.cooccurrence.vocabulary import Support
from chronotope.embeddings import ConditionedEmbeddings
from chronotope.views.explorer.api import Asking, routes
from chronotope.views.explorer.explored import Explored

TARGET = Path(__file__).parent.parent / "src/chronotope/views/explorer/page/answers.d.ts"
HEAD = "// The answers of the API. Written by tools/explorer_types.py from its schema: do not edit.\n"
SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typescript(schema: Mapping[str, Any]) -> str:
    """Return the TypeScript type of a JSON schema.

    Examples
    --------
    >>> typescript({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]})
    'number[] | null'
    """
    if "$ref" in schema:
        return short_name(str(schema["$ref"]).rsplit("/", 1)[1])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(map(typescript, schema["anyOf"])))
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    if schema.get("type") == "array":
        items = typescript(schema["items"])
        return f"({items})[]" if " | " in items else f"{items}[]"
    if schema.get("type") == "object":
        extra = schema.get("additionalProperties", True)
        return f"Record<string, {'any' if extra is True else typescript(extra)}>"
    return SIMPLE.get(schema.get("type", ""), "any")


def short_name(schema: str) -> str:
    """Return the name of an interface: `Question` for QuestionAbout."""
    return schema if schema == "About" else schema.removesuffix("About")


def interfaces(openapi: Mapping[str, Any]) -> str:
    """Return an interface for the rows of each answer, and `Answers`, which names the answer of each address."""
    parts = [HEAD]
    for name, schema in openapi["components"]["schemas"].items():
        properties = {field: typescript(type_) for field, type_ in schema.get("properties", {}).items()}
        if name.endswith("Answer"):
            # All answers differ in their rows alone.
            generic = "interface Answer<Row = Record<string, any>> {\n  rows: Row[];\n"
            if generic not in "".join(parts):
                lines = [f"  {field}: {type_};\n" for field, type_ in properties.items() if field != "rows"]
                parts.append(f"\n{generic}{''.join(lines)}}}\n")
        elif not name.endswith("Error"):
            lines = [f"  {field}: {type_};\n" for field, type_ in properties.items()]
            parts.append(f"\ninterface {short_name(name)} {{\n{''.join(lines)}}}\n")
    parts.append("\ninterface Answers {\n")
    for address, methods in sorted(openapi["paths"].items()):
        schema = methods["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        type_ = re.sub(r"(\w+)Answer$", r"Answer<\1Row>", typescript(schema))
        parts.append(f"  {address.removeprefix('/api/')}: {type_};\n")
    return "".join([*parts, "}\n"])


def generate() -> str:
    """Return the file as the registry has it now."""
    # The schema is the same for every model.
    support = Support(np.array([0, 1]), np.array([0]), np.array([1]))
    model = ConditionedEmbeddings(["word"], Conditions.of_times(["1990"]), support, np.eye(1))
    app = FastAPI()
    app.include_router(routes(Asking(Explored(model, "any"))))
    return interfaces(app.openapi())


if __name__ == "__main__":
    TARGET.write_text(generate(), encoding="utf-8")
    print(f"wrote {TARGET}")
