"""The loop that finds tokens in UTF-8."""

import numpy as np

from chronotope.corpus.tokenizer import (
    BETWEEN,
    BREAK,
    HYPHENATED,
    INITIAL,
    JOINER,
    LETTER,
    LOWER,
    POINT,
    SHOUTED,
    STOP,
    WITHIN,
)
from chronotope.runtime.kernels import kernel

DOT, HYPHEN = 46, 45
STOPS = (33, DOT, 63)  # ! . ?


@kernel()
def find_tokens(data, bounds, classes, out, ends, length, flags):  # type: ignore[no-untyped-def]
    """Copy the tokens of each text to `out` and their ends to `ends[1:]`, and set flags; return their number."""
    tokens = written = sentence = 0
    lower = True  # whether the sentence has a lower-case letter
    for text in range(len(length)):
        i, stop = bounds[text], bounds[text + 1]
        first = last = -1  # the token so far, if there is one
        pending = BETWEEN  # a joiner or point that belongs to the token if a letter or digit follows
        gap = STOP  # what stands before the next token
        end = bounds[text]  # of the token before
        while i <= stop:
            code, after, kind = np.int64(32), i + 1, BETWEEN
            if i < stop:
                code = np.int64(data[i])
                if code >= 0x80:
                    more = 1 + (code >= 0xE0) + (code >= 0xF0)
                    code &= 0x3F >> more
                    for k in range(i + 1, i + 1 + more):
                        code = (code << 6) | (data[k] & 0x3F)
                    after += more
                kind = classes[code]
            if kind < LETTER:
                gap = max(gap, STOP if code == DOT or kind == STOP else BREAK if kind in (BREAK, JOINER) else BETWEEN)
            if first >= 0 and kind >= LETTER and (pending != POINT or 48 <= data[i] <= 57):
                last, pending, gap = after, BETWEEN, BETWEEN
                lower = lower or kind == LOWER
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
                    gap = STOP if data[last - 1] in STOPS else gap  # in text that is split at blanks
                    end = last
                first, last = -1, -1
                if kind >= LETTER:
                    if gap == STOP:
                        for k in range(sentence, tokens if not lower else sentence):
                            flags[k] |= SHOUTED
                        sentence, lower = tokens, False
                    flags[tokens] = INITIAL * (gap != BETWEEN)
                    flags[tokens] += HYPHENATED * (gap == BETWEEN and i == end + 1 and data[end] == HYPHEN)
                    first, last, gap = i, after, BETWEEN
                    lower = lower or kind == LOWER
                pending = BETWEEN
            i = after
    for k in range(sentence, tokens if not lower else sentence):
        flags[k] |= SHOUTED
    return tokens
