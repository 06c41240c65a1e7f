from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.views.placing import place_labels

FRAME = (600.0, 400.0)
points = st.lists(st.tuples(st.floats(60, 540), st.floats(40, 360)), min_size=1, max_size=12)


def overlap(a, b):
    return abs(a.x - b.x) < (a.width + b.width) / 2 - 1e-6 and abs(a.y - b.y) < (a.height + b.height) / 2 - 1e-6


@settings(max_examples=60)
@given(points)
def test_no_label_lies_over_another_or_outside(where):
    boxes = place_labels(where, [(50, 14)] * len(where), FRAME)
    assert not any(overlap(a, b) for a, b in combinations(boxes, 2))
    for box in boxes:
        assert box.width / 2 <= box.x <= FRAME[0] - box.width / 2
        assert box.height / 2 <= box.y <= FRAME[1] - box.height / 2


def test_a_label_alone_stands_right_beside_its_point():
    (box,) = place_labels([(100, 100)], [(40, 14)], FRAME)
    assert (box.x, box.y, box.far) == (127, 100, False)


def test_a_label_keeps_off_a_line():
    line = [(x, 100.0) for x in range(100, 300, 5)]
    (box,) = place_labels([(100, 100)], [(40, 14)], FRAME, line)
    assert box.x < 100 or abs(box.y - 100) > 8
