"""The kinds of pictures that `plot` draws: for each, what it asks and what it draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.cli.options import needed_condition, warn_if_rare
from chronotope.errors import SettingsError, did_you_mean

if TYPE_CHECKING:
    from chronotope.embeddings import ConditionedEmbeddings


@dataclass(frozen=True)
class Asked:
    """What the command line says about a picture; each kind takes what it needs."""

    words: tuple[str, ...]
    subtitle: str | None
    resampling: Mapping[str, Any]
    at: str | None = None
    start: str | None = None
    to: str | None = None
    against: str = "first"
    formula: str | None = None
    fixed: bool = False
    place: str | None = None
    coordinates: Path | None = None
    edges: Path | None = None
    nearest: int = 3
    method: str = "lle"
    over: str | None = None
    least: bool = False
    top: int | None = None
    min_count: int | None = None

    def check(self, kind: str) -> None:
        """Refuse an unknown kind, a wrong number of words, and options that have no meaning, in one clear line."""
        if kind not in KINDS:
            raise SettingsError(f"KIND must be one of {', '.join(KINDS)}, not '{kind}'{did_you_mean(kind, KINDS)}")
        least, most = KINDS[kind][1]
        if not least <= len(self.words) <= most:
            wanted = {(0, 0): "no word", (1, 1): "one word", (3, 3): "three words"}.get((least, most), "a word or more")
            raise SettingsError(f"plot {kind} takes {wanted}, not {len(self.words)}")
        given = [part.name for part in fields(self) if part.default not in (MISSING, getattr(self, part.name))]
        for name in given:
            if name not in TAKES[kind]:
                known = ", ".join(map(_option, TAKES[kind]))
                raise SettingsError(f"{_option(name)} has no meaning for plot {kind}; what it takes: {known}")

    @property
    def support(self) -> int:
        """How often a word must occur, for most kinds."""
        return 5 if self.min_count is None else self.min_count

    @property
    def drawn_again(self) -> dict[str, Any]:
        """What an answer about a few words needs for intervals over documents."""
        wanted = ("counts", "bootstrap", "seed", "threads", "progress")
        return {name: self.resampling[name] for name in wanted if name in self.resampling}


def _option(name: str) -> str:
    """An option as it is typed."""
    return "--from" if name == "start" else f"--{name.replace('_', '-')}"


def draw(kind: str, source: ConditionedEmbeddings | Path, asked: Asked) -> Any:
    """The chart of one kind, from a model or, for the kinds in `OF_RUNS`, from the path of a run."""
    if isinstance(source, Path):
        return KINDS[kind][2](source, asked)
    if kind in ALONG_TIME and source.conditions.times and source.conditions.places:
        from chronotope.analysis.own_vectors import timeline

        timeline(source.conditions, asked.place)  # without a place it is an error: nothing would tell their dots apart
    if kind in OF_ONE_PLACE and asked.place:
        from chronotope.analysis.one_place import of_place
        from chronotope.views.style import made_by

        if asked.resampling.get("bootstrap"):
            raise SettingsError(f"plot {kind} of one place shows no intervals over documents; leave out --bootstrap")
        source = of_place(source, asked.place)
        at = asked.at.partition("/")[0] if asked.at else None
        asked = replace(asked, at=at, subtitle=asked.subtitle or f"{asked.place} alone · {made_by(source.signature)}")
    return KINDS[kind][2](source, asked)


def _company(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.company import company
    from chronotope.views import charts

    answer = company(embeddings, asked.words[0], top=asked.top or 4, min_count=asked.support)
    return charts.company(answer, subtitle=asked.subtitle)


def _series(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.views import lines

    return lines.series(_similarities(embeddings, asked), subtitle=asked.subtitle)


def _changepoints(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.changepoints import change_points
    from chronotope.views import lines

    found = [change_points(embeddings, word, place=asked.place, top=0, min_count=asked.support) for word in asked.words]
    return lines.series(_similarities(embeddings, asked), found, subtitle=asked.subtitle)


def _frequency(run: Path, asked: Asked) -> Any:
    from chronotope.analysis.frequency import frequency
    from chronotope.views import frequency_chart

    if asked.at and asked.place:
        raise SettingsError("give either --at or --place: --at takes a place, too")
    answer = frequency(run, asked.words, at=asked.at or asked.place, start=asked.start, end=asked.to)
    return frequency_chart.frequency(answer, subtitle=asked.subtitle)


def _use(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.views import lines

    return lines.frequency(_similarities(embeddings, asked), subtitle=asked.subtitle)


def _similarities(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.series import series

    return [
        series(embeddings, word, asked.against, place=asked.place, min_count=asked.support, **asked.drawn_again)
        for word in asked.words
    ]


def _heatmap(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.series import self_similarity
    from chronotope.views import tiles

    answer = self_similarity(embeddings, asked.words[0], place=asked.place, min_count=asked.support)
    return tiles.self_similarity(answer, subtitle=asked.subtitle)


def _trajectory(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.trajectory import trajectory
    from chronotope.views import plane

    word, top = asked.words[0], asked.top or 3
    answer = trajectory(embeddings, word, method=asked.method, top=top, min_count=asked.support)
    return plane.trajectory(answer, subtitle=asked.subtitle)


def _ranks(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.ranks import ranks
    from chronotope.views import bump

    answer = ranks(embeddings, asked.words[0], place=asked.place, top=asked.top or 5, min_count=asked.support)
    return bump.ranks(answer, subtitle=asked.subtitle)


def _equivalents(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.everywhere import equivalents_everywhere
    from chronotope.views import ranked

    at = needed_condition(embeddings, asked.at)
    warn_if_rare(embeddings, asked.words[0], at)
    answer = equivalents_everywhere(embeddings, asked.words[0], at, top=asked.top or 3, min_count=asked.support)
    return ranked.everywhere(answer, subtitle=asked.subtitle)


def _analogy(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.analogy import analogy
    from chronotope.views import ranked

    at = needed_condition(embeddings, asked.at)
    a, b, c = asked.words
    for word, where in ((a, at), (b, at), (c, asked.to or at)):
        warn_if_rare(embeddings, word, where)
    answer = analogy(embeddings, a, b, c, at, asked.to, top=asked.top or 10, min_count=asked.support)
    return ranked.analogy(answer, subtitle=asked.subtitle)


def _axis(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.axes import positions
    from chronotope.views import lines

    if not asked.formula:
        raise SettingsError("plot axis needs --formula, such as 'fruit - company'")
    found = [
        positions(embeddings, word, asked.formula, fixed=asked.fixed, min_count=asked.support, **asked.drawn_again)
        for word in asked.words
    ]
    return lines.positions(found, subtitle=asked.subtitle)


def _drift(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.drift import drift
    from chronotope.cli.drift import say_if_nothing
    from chronotope.views import ranked

    # The same support as the command `drift` has, so that what it resampled is not resampled again.
    least = 20 if asked.min_count is None else asked.min_count
    answer = drift(embeddings, asked.start, asked.to, over=asked.over, min_count=least, **asked.resampling)
    say_if_nothing(answer)
    return ranked.drift(answer, asked.top or 20, subtitle=asked.subtitle)


def _stable(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.stability import stable
    from chronotope.views import ranked

    enough = max(2, len(embeddings.conditions) // 2)
    answer = stable(embeddings, min_count=asked.support, min_conditions=enough, **asked.resampling)
    return ranked.stable(answer, asked.top or 20, least=asked.least, subtitle=asked.subtitle)


def _collocates(run: Path, asked: Asked) -> Any:
    from chronotope.analysis.collocates import collocate_changes, collocates
    from chronotope.cli.collocates import say_why_none, say_why_unchanged
    from chronotope.views import collocate_chart

    word, top = asked.words[0], asked.top or 12
    if asked.start and asked.to and not asked.at:
        changes = collocate_changes(run, word, asked.start, asked.to, top=top)
        if not (changes.rising or changes.falling):
            say_why_unchanged(run, changes)
        return collocate_chart.collocate_changes(changes, subtitle=asked.subtitle)
    if not asked.at or asked.start or asked.to:
        raise SettingsError("plot collocates needs one condition (--at), or two to compare (--from and --to)")
    answer = collocates(run, word, at=asked.at, top=top)
    if not answer.rows:
        say_why_none(run, answer)
    return collocate_chart.collocates(answer, subtitle=asked.subtitle)


def _places(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.places import place_distances
    from chronotope.views import tiles

    return tiles.distances(place_distances(embeddings, min_count=asked.min_count or 10), subtitle=asked.subtitle)


def _map(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.maps import word_map
    from chronotope.cli.places import coordinates_of
    from chronotope.cli.train import read_edges
    from chronotope.views import map_chart, ranked

    answer = word_map(
        embeddings,
        asked.words[0],
        asked.formula,
        coordinates=coordinates_of(embeddings, asked.coordinates) if asked.coordinates else None,
        edges=read_edges(asked.edges) if asked.edges else None,
        nearest=asked.nearest,
        min_count=asked.support,
    )
    drawn = map_chart.word_map if asked.coordinates else ranked.places
    return drawn(answer, subtitle=asked.subtitle)


def _grid(embeddings: ConditionedEmbeddings, asked: Asked) -> Any:
    from chronotope.analysis.grid import grid
    from chronotope.views import tiles

    answer = grid(embeddings, asked.words[0], asked.formula, min_count=asked.support)
    return tiles.grid(answer, subtitle=asked.subtitle)


SEVERAL = 8
OF_RUNS = ("frequency", "collocates")
# The kinds that show, with --place, the time line of that place as if there were no other.
OF_ONE_PLACE = ("company", "trajectory", "equivalents", "axis")
# The kinds that draw lines over time, of one place at a time.
ALONG_TIME = ("series", "use", "axis")
# The kinds that show intervals over documents.
WITH_INTERVALS = ("series", "changepoints", "use", "axis", "drift", "stable")
# The kinds that exchange the documents of conditions at random.
WITH_PERMUTATIONS = ("drift", "stable")
# What it shows, how many words it takes at least and at most, and what draws it.
KINDS: dict[str, tuple[str, tuple[int, int], Callable[[Any, Asked], Any]]] = {
    "company": ("who stands near the word, and when", (1, 1), _company),
    "ranks": ("its neighbors in each condition, in order", (1, 1), _ranks),
    "series": ("words compared with themselves over the conditions", (1, SEVERAL), _series),
    "changepoints": ("the same with the points where they change", (1, SEVERAL), _changepoints),
    "use": ("the same beside how often they occur", (1, SEVERAL), _use),
    "frequency": ("how often words of a RUN are used, with intervals", (1, SEVERAL), _frequency),
    "collocates": ("what stands beside a word of a RUN (--at), or comes and goes (--from, --to)", (1, 1), _collocates),
    "heatmap": ("a word in every condition compared with every other", (1, 1), _heatmap),
    "trajectory": ("its path among its company in a plane", (1, 1), _trajectory),
    "equivalents": ("who plays its part in every condition (--at)", (1, 1), _equivalents),
    "analogy": ("A B C: the words that complete the analogy (--at)", (3, 3), _analogy),
    "axis": ("where words stand along --formula", (1, SEVERAL), _axis),
    "drift": ("the words that changed most (--from, --to, --over)", (0, 0), _drift),
    "stable": ("the words that kept their meaning, or --least", (0, 0), _stable),
    "places": ("places by their use of words", (0, 0), _places),
    "map": ("a word in each place (--coordinates)", (1, 1), _map),
    "grid": ("a word over time × place", (1, 1), _grid),
}
# The options of each kind, beside those of every picture (--output, --subtitle) and those of resamples.
TAKES: dict[str, tuple[str, ...]] = {
    "company": ("place", "top", "min_count"),
    "ranks": ("place", "top", "min_count"),
    "series": ("against", "place", "min_count"),
    "changepoints": ("against", "place", "min_count"),
    "use": ("against", "place", "min_count"),
    "frequency": ("at", "place", "start", "to"),
    "collocates": ("at", "start", "to", "top"),
    "heatmap": ("place", "min_count"),
    "trajectory": ("place", "method", "top", "min_count"),
    "equivalents": ("at", "place", "top", "min_count"),
    "analogy": ("at", "to", "top", "min_count"),
    "axis": ("formula", "fixed", "place", "min_count"),
    "drift": ("start", "to", "over", "top", "min_count"),
    "stable": ("least", "top", "min_count"),
    "places": ("min_count",),
    "map": ("formula", "coordinates", "edges", "nearest", "min_count"),
    "grid": ("formula", "min_count"),
}
