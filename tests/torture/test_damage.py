"""Damaged files and files of strangers: one clear line, nothing overwritten, nothing run, no memory filled."""

from __future__ import annotations

import json
import signal

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chronotope.analysis.drift import drift
from chronotope.conditions import Conditions
from chronotope.cooccurrence import Counts
from chronotope.embeddings import load
from chronotope.errors import ChronotopeError, DamagedFileError, InputError
from chronotope.io.run_folder import verify_run
from chronotope.methods import ConditionedModel, GraphModel
from embeddings.invented import model_of
from forging import forge_run
from worlds import contents


def flipped(path, place=0.5, bit=3):
    """Change one bit of a file."""
    data = bytearray(path.read_bytes())
    data[min(int(place * len(data)), len(data) - 1)] ^= 1 << bit
    path.write_bytes(data)


class TestDamaged:
    def test_one_bit_or_a_missing_end_in_any_file_of_a_run_is_found(self, run):
        for path in sorted(run.iterdir()):
            if path.suffix == ".ct" or not path.stat().st_size:
                continue
            whole = path.read_bytes()
            for place in (0.1, 0.5, 0.99):
                path.write_bytes(whole)
                flipped(path, place)
                with pytest.raises((DamagedFileError, InputError)):
                    verify_run(run)
            path.write_bytes(whole[:-7])
            with pytest.raises(DamagedFileError, match=rf"{path.name} (is missing or cut short|cannot be read)"):
                Counts.open(run)
            path.write_bytes(whole)
        verify_run(run)

    @pytest.mark.parametrize("part", ["vectors", "contexts"])
    def test_one_bit_in_a_model_is_found_before_anything_is_made_from_it(self, run, part, chronotope):
        model = run / "model.ct"
        whole = model.read_bytes()
        header = 8 + int.from_bytes(whole[:8], "little")
        begin, _ = json.loads(whole[8:header])[part]["data_offsets"]
        changed = bytearray(whole)
        changed[header + begin + 5] ^= 1
        model.write_bytes(changed)
        load(model)  # opening reads no vector, and stays quick
        before = contents(run)
        with pytest.raises(DamagedFileError, match=f"the checksum of its {part} does not match"):
            load(model, verify=True)
        for arguments in (("inspect", model, "--verify"), ("inspect", run, "--verify"), ("extend", model, "x.jsonl")):
            assert f"the checksum of its {part} does not match" in chronotope(*arguments, code=2).stderr
        assert contents(run) == before

    @pytest.mark.parametrize(
        ("version", "line"),
        [(3, r"older chronotope; prepare it again \(--force replaces it\)"), (99, "newer chronotope; upgrade")],
    )
    def test_a_run_of_another_version_is_not_touched_and_says_what_to_do(self, run, version, line):
        forge_run(run, format=version)
        before = contents(run)
        with pytest.raises(DamagedFileError, match=line):
            Counts.open(run)
        assert contents(run) == before

    def test_training_on_altered_counts_is_refused(self, run, chronotope):
        flipped(run / "support.parquet", 0.4)
        before = contents(run)
        assert "prepare the run again" in chronotope("train", run, "-o", run / "new.ct", code=2).stderr
        assert contents(run) == before

    @pytest.mark.parametrize("method", [GraphModel(dimensions=4, epochs=3), ConditionedModel(dimensions=4, epochs=3)])
    def test_a_damaged_checkpoint_is_not_resumed(self, run, method):
        counts, path = Counts.open(run), run / "model.ct.checkpoint"
        with pytest.raises(KeyboardInterrupt):
            method.fit(counts, checkpoint=path, on_step=lambda *_: signal.raise_signal(signal.SIGINT))
        whole = path.read_bytes()
        for place in (0.01, 0.5, 0.9, 0.999):
            flipped(path, place)
            damaged = path.read_bytes()
            with pytest.raises(DamagedFileError, match=r"cannot be read \(.*\); train again without resuming"):
                method.fit(counts, checkpoint=path, resume=True)
            assert path.read_bytes() == damaged
            path.write_bytes(whole)

    def test_damaged_resamples_are_not_believed_and_resamples_do_not_pile_up(self, run):
        for seed in range(10):
            drift(run, permutations=1, min_count=5, keep_in=run, seed=seed)
        kept = sorted(run.glob("*.resamples"))
        assert len(kept) == 8
        for path in kept:
            flipped(path, 0.9)
        with pytest.raises(DamagedFileError, match="delete it, and ask again"):
            drift(run, permutations=1, min_count=5, keep_in=run, seed=9)


def rewritten(path, change):
    """A Parquet file with changed columns."""
    change(pl.read_parquet(path)).write_parquet(path)


def all_of(column, value):
    return lambda table: table.with_columns(pl.lit(value, table.schema[column]).alias(column))


def negative_length(table):
    """A document of less than no words, made up for by the next."""
    length = table["length"].to_list()
    return table.with_columns(pl.Series("length", [-5, length[0] + length[1] + 5, *length[2:]]))


STRANGE = {
    "a word beyond the vocabulary": ("cells", all_of("context", 10**6)),
    "a negative word": ("cells", all_of("word", -(10**6))),
    "more after than there is": ("cells", lambda table: table.with_columns((pl.col("count") + 1).alias("after"))),
    "cells of another type": ("cells", lambda table: table.cast({"word": pl.Float32})),
    "cells with gaps": ("cells", all_of("count", None)),
    "no cells at all": ("cells", lambda table: table.clear()),
    "support beyond the vocabulary": ("support", lambda table: table.with_columns(pl.col("word") + 10**6)),
    "support out of order": ("support", lambda table: table.reverse()),
    "support of a condition that is not there": ("support", lambda table: table.with_columns(pl.col("condition") + 99)),
    "support of nothing": ("support", all_of("count", 0)),
    "support with other columns": ("support", lambda table: table.rename({"word": "wort"})),
    "fewer words": ("lexicon", lambda table: table.head(3)),
    "words that are numbers": ("lexicon", lambda table: table.with_columns(pl.int_range(pl.len()).alias("word"))),
    "documents of negative length": ("documents", negative_length),
    "documents out of order": ("documents", lambda table: table.with_columns(pl.col("condition").reverse())),
    "documents of no condition": ("documents", lambda table: table.with_columns(pl.col("condition") + 99)),
}


def use_everything(run):
    """Ask of a run all that reads its files."""
    counts = Counts.open(run)
    _ = counts.store.checked_ids
    GraphModel(dimensions=4, epochs=2).fit(counts)
    ConditionedModel(dimensions=4, epochs=1).fit(counts)


class TestStrangers:
    @pytest.mark.parametrize("strange", STRANGE)
    def test_a_run_that_lies_is_not_believed(self, run, strange):
        """Even where every checksum fits; compiled code would write where it is told to."""
        name, change = STRANGE[strange]
        rewritten(run / f"{name}.parquet", change)
        forge_run(run)
        with pytest.raises(DamagedFileError) as caught:
            use_everything(run)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("number", [-1, -(2**31), 10**6, 2**31 - 1])
    def test_tokens_that_name_no_word_reach_no_compiled_code(self, run, number):
        tokens = np.memmap(run / "tokens.bin", np.int32, "r+")
        tokens[len(tokens) // 2] = number
        tokens.flush()
        forge_run(run)
        counts = Counts.open(run)
        embeddings = GraphModel(dimensions=4, epochs=2).fit(counts)  # from the cells alone
        with pytest.raises(DamagedFileError, match="names a word that does not exist"):
            drift(embeddings, permutations=1, min_count=5)

    @pytest.mark.parametrize(
        "change",
        [
            {"conditions": {"times": ["1990"], "places": [], "time_of": [7], "place_of": []}},
            {"conditions": {"times": ["1990", "1990"], "places": [], "time_of": [0, 1], "place_of": []}},
            {"cells": [10**30]},
            {"vocabulary": {"size": -1}},
            {"files": {"../../secret": {"bytes": 1, "checksum": ""}}},
            {"files": {"/etc/passwd": {"bytes": 1, "checksum": ""}}},
            {"files": ["tokens.bin"]},
            {"counting": {"window": "wide"}},
            {"counting": {"window": 1 << 32}},
            {"unit": 0.5},
        ],
        ids=str,
    )
    def test_a_run_json_that_lies_is_not_believed(self, run, change):
        forge_run(run, **change)
        with pytest.raises(ChronotopeError) as caught:
            Counts.open(run)
        assert "\n" not in str(caught.value)

    def test_json_that_would_fill_the_memory_is_not_unpacked(self, run, tmp_path):
        (run / "run.json").write_bytes(b"[" + b"[]," * 10_000_000 + b"[]]")
        with pytest.raises(DamagedFileError, match="larger than any that chronotope writes"):
            Counts.open(run)
        text = b'{"__metadata__":{"chronotope":"[' + b"[]," * 2_000_000 + b'[]]"}}'
        (tmp_path / "bomb.ct").write_bytes(len(text).to_bytes(8, "little") + text)
        with pytest.raises(DamagedFileError, match="is damaged or not a model"):
            load(tmp_path / "bomb.ct")
        (run / "run.json").write_bytes(b"[" * 1_000_000)
        with pytest.raises(DamagedFileError, match="nested too deeply"):
            Counts.open(run)

    def test_a_table_that_unpacks_to_billions_of_rows_is_not_read(self, run):
        """A few kilobytes that claim ten million rows of the same number."""
        many = 10_000_000
        same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(many, np.int8)), pa.array([7], pa.int32()))
        table = pa.table({"condition": same, "word": same, "count": same})
        pq.write_table(table, run / "support.parquet", compression="zstd")
        assert (run / "support.parquet").stat().st_size < 200_000
        forge_run(run)
        with pytest.raises(DamagedFileError, match="claims more rows than it can hold"):
            Counts.open(run)

    def test_words_that_command_a_terminal_are_shown_as_they_are(self, tmp_path, chronotope):
        words = ["river", "ba\x1b[31mnk", "\x9b2Jmoney", "\u202eevil", "a\rb\x07"]
        vectors = np.random.default_rng(1).standard_normal((2, 5, 3))
        model_of(vectors, Conditions.of_places(["x\x1b]0;gone\x07", "y"]), words).save(tmp_path / "m.ct")
        for arguments in (
            ("neighbors", "river", "--at", "y"),
            ("neighbors", "river", "--at", "y", "--json"),
            ("neighbors", "river", "--at", "y", "--markdown"),
            ("equivalents", "river", "--at", "y", "--to", "x\x1b]0;gone\x07"),
            ("inspect",),
            ("inspect", "--json"),
            ("neighbors", "rivet", "--at", "y"),
            ("neighbors", "\x1b[2J", "--at", "y"),
        ):
            unknown = not {"rivet", "\x1b[2J"}.isdisjoint(arguments)
            shown = "".join(chronotope(arguments[0], tmp_path / "m.ct", *arguments[1:], code=2 * unknown))
            assert not set("\x1b\x9b\u202e\r\x07") & set(shown), arguments
            if "--json" in arguments and arguments[0] == "neighbors":
                assert {row["neighbor"] for row in json.loads(shown)["rows"]} <= set(words)
