"""The tables that can be made again: on which text, with which thresholds, against which pairs."""

from __future__ import annotations

from dataclasses import dataclass

from chronotope.config import CorpusSettings, CountSettings


@dataclass(frozen=True)
class PairFile:
    """A file of test pairs.

    Attributes
    ----------
    file
        Where it is in the data folder.
    within
        Whether pairs about conditions that the corpus does not have are left out (they are about other years), instead
        of counting as wrong.
    paper
        The name of the paper's figures on the same pairs, if it has some.
    """

    file: str
    within: bool = False
    paper: str | None = None


@dataclass(frozen=True)
class Table:
    """An experiment: every method is trained on the same counts and asked about the same pairs.

    Attributes
    ----------
    name, title
        What it is called.
    file
        The text, in the data folder: one JSON object a line.
    corpus, counting
        How it is read and counted.
    pairs
        The test pairs.
    tokens_each
        At most so many running words of each place, by whole documents drawn with a fixed seed; None: all of them.
    renamings_of
        The table whose counts it takes, with words renamed (see `renaming`); the pairs then ask for their names.
    """

    name: str
    title: str
    file: str
    corpus: CorpusSettings
    counting: CountSettings
    pairs: tuple[PairFile, ...] = ()
    tokens_each: int | None = None
    renamings_of: str | None = None

    @property
    def axis(self) -> str:
        """Along what the conditions differ: 'time' or 'place'."""
        return "time" if self.corpus.time else "place"

    @property
    def files(self) -> tuple[str, ...]:
        """All that it needs of the data folder."""
        return (self.file, *(pairs.file for pairs in self.pairs))


# The test pairs are lower case without accents.
BY_PLACE = CorpusSettings(place="place", strip_accents=True)
BY_YEAR = CorpusSettings(time="time", every="1y", strip_accents=True)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        Table(
            name="places",
            title="Places: nine varieties of English, open texts, at most a million words each",
            file="ice9_open.jsonl.zst",
            corpus=BY_PLACE,
            counting=CountSettings(min_count=5),
            pairs=(PairFile("tests/ice_equivalents.csv", paper="spatial"),),
            tokens_each=1_000_000,
        ),
        Table(
            name="time",
            title="Time: United Nations General Debate, 1990–2016 by year",
            file="ungdc.jsonl.zst",
            corpus=CorpusSettings(time="time", every="1y", strip_accents=True, where="time >= 1990 AND time <= 2016"),
            counting=CountSettings(min_count=100),
            pairs=(PairFile("tests/ungdc_roles.csv", within=True),),
        ),
        Table(
            name="news",
            title="Time: speeches, briefings, court opinions and abstracts, 1990–2016 by year",
            file="pool_1990_2016.jsonl.zst",
            corpus=BY_YEAR,
            counting=CountSettings(min_count=200),
            pairs=(
                PairFile("tests/yao_1.csv", paper="temporal 1"),
                PairFile("tests/yao_2.csv", paper="temporal 2"),
            ),
        ),
    )
}

# The examples want rarer words than the table does: apple occurs 153 times in 27 years.
EXAMPLES_OVER_TIME = Table(
    name="examples",
    title="Examples over time: the text of `news` with a lower threshold",
    file="pool_1990_2016.jsonl.zst",
    corpus=BY_YEAR,
    counting=CountSettings(min_count=50),
)
