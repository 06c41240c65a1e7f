"""The loop that finds tokens in UTF-8."""

from __future__ import annotations

import numpy as np

from chronotope.corpus.tokenizer import BETWEEN, JOINER, LETTER, POINT, WITHIN
from chronotope.runtime.kernels import kernel


@kernel()
def find_tokens(data, bounds, classes, out, ends, length):  # type: ignore[no-untyped-def]
    """Copy the tokens of each text to `out` and their ends to `ends[1:]`; return their number."""
    tokens = written = 0
    for text in range(len(length)):
        i, stop = bounds[text], bounds[text + 1]
        first = last = -1  # the token so far, if there is one
        pending = BETWEEN  # a joiner or point that belongs to the token if a letter or digit follows
        while i <= stop:
            after, kind = i + 1, BETWEEN
            if i < stop:
                code = np.int64(data[i])
                if code >= 0x80:
                    more = 1 + (code >= 0xE0) + (code >= 0xF0)
                    code &= 0x3F >> more
                    for k in range(i + 1, i + 1 + more):
                        code = (code << 6) | (data[k] & 0x3F)
                    after += more
                kind = classes[code]
            if first >= 0 and kind == LETTER and (pending != POINT or 48 <= data[i] <= 57):
                last, pending = after, BETWEEN
            elif first >= 0 and kind == WITHIN and pending == BETWEEN:
                last = after
            elif first >= 0 and pending == BETWEEN and (kind == JOINER or (kind == POINT and 48 <= data[i - 1] <= 57)):
                pending = kind
            else:
                if first >= 0:
                    for k in range(first, last):
                        out[written] = data[k]
                        written += 1
                    tokens += 1
                    ends[tokens] = written
                    length[text] += 1
                first, last = (i, after) if kind == LETTER else (-1, -1)
                pending = BETWEEN
            i = after
    return tokens
