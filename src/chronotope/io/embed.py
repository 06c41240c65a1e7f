"""Embed JSON in HTML pages so that no value can end its element."""

import json
from typing import Any

_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def embed_json(data: Any) -> str:
    """Return JSON that is safe inside a `<script>` element: no text in it can end the element or begin another.

    >>> embed_json({"place": "Kent</script>"})
    '{"place":"Kent\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)
