"""The columns of all answers: one name, one type and one meaning each, in frame, JSON, CSV, API and documentation."""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """The type of a column ('str', 'int', 'float', 'bool' or 'list[str]') and what it holds."""

    type: str
    meaning: str


def _columns(type: str, **meanings: str) -> dict[str, Column]:
    return {name: Column(type, meaning) for name, meaning in meanings.items()}


COLUMNS: dict[str, Column] = {
    **_columns(
        "str",
        word="the word asked about, or the word of this row",
        other="the other word or place of the pair",
        condition="the time bin, the place, or the time bin in a place",
        against="the condition that this one is compared with",
        time="the time bin",
        place="the place",
        at="the condition of the word asked about",
        neighbor="a word with a similar use in this condition",
        equivalent="the word that plays the part of the word asked about",
        before="the earlier condition",
        after="the later condition",
        collocate="the word that occurs near the word asked about",
        context="the context word",
        direction="'rises' or 'falls'",
        kind="'path' for the word itself, 'neighbor' for words near it",
        label="the text beside a point",
        sense="number of the sense, and its most typical words",
        document="the document: the fields that `prepare --keep` kept, then file and line",
        date="the date of the document, as given",
        text="the sentence",
    ),
    **_columns(
        "int",
        rank="1 for the best",
        count="how often the word occurs in the condition, or in all if there is no condition",
        other_count="how often the other word occurs there",
        neighbor_count="how often the neighbor occurs there",
        equivalent_count="how often the equivalent occurs there",
        count_before="how often the word occurs in the earlier condition",
        count_after="how often the word occurs in the later condition",
        conditions="number of conditions in which the word occurs often enough",
        documents="number of documents there with the word of the row; of a collocate or context, with both words near "
        "each other; null without the run",
        all_documents="number of documents in the condition",
        tokens="number of tokens in the condition",
        words="number of words compared",
        group="group of the place, from 1",
        other_group="group of the other place, from 1",
        plus_seeds="number of words on the positive side of the axis that occur often enough",
        minus_seeds="number of words on the negative side of the axis that occur often enough",
        start="first character of the word in the text",
        end="character after the word in the text",
        near_start="first character of the other word in the text",
        near_end="character after the other word in the text",
        usages="number of drawn usages of the word",
        distance_words="distance of the two words: 1 if they are adjacent",
    ),
    **_columns(
        "float",
        similarity="cosine of the two vectors",
        score="the value that rows are ranked by: the cosine, or CSLS",
        needed="similarity that a match needs; words without a counterpart reach it in 5 % of cases (see `chance`)",
        per_million="occurrences per million tokens",
        position="position on the axis: the cosine with it",
        value="position on the axis, or similarity with all other conditions",
        change="1 − cosine of the two vectors: 0 unchanged, 1 unrelated",
        z="how far the value stands out among words of similar frequency, in robust standard deviations",
        own="share of the movement that is specific to the word, not common to all words",
        stability="mean cosine of the word with itself over all pairs of conditions",
        corrected="the value corrected for noise: its cosine divided by the cosine that noise alone would leave",
        noise="the change that chance alone would show",
        effect="the smallest change of the word that counts, with its noise; p and q test whether it changed more",
        low="lower end of the interval",
        high="upper end of the interval",
        p="p-value",
        q="false discovery rate (Benjamini-Hochberg)",
        draw_stability="share of the bootstrap draws in which the word is among the most changed",
        seed_stability="share of the seeds in which the word is among the most changed",
        seed_spread="standard deviation of the change over the seeds",
        shift="distance between the mean vectors before and after the point",
        distance="1 − mean cosine of the words of the two places",
        x="horizontal position",
        y="vertical position",
        lat="latitude",
        lon="longitude",
        expected="expected count by chance",
        pmi="pointwise mutual information, base 2",
        log_likelihood="log-likelihood ratio (G²)",
        log_ratio="base-2 logarithm of the ratio after : before",
        per_thousand_before="per thousand occurrences of the word, before",
        per_thousand_after="per thousand occurrences of the word, after",
        pull="share of the context times its positive mutual information with the word, in this condition",
        elsewhere="the pull in all other conditions",
        share="share of the word's usages, or of its contexts",
        apd="mean cosine distance of a usage before and one after (APD)",
        prt="1 − cosine of the mean usages before and after (PRT)",
        amd="mean distance of a usage from the nearest one on the other side (AMD)",
        jsd="Jensen-Shannon divergence of clusters of usages before and after, base 2 (JSD)",
        p_apd="p-value of apd: labels of documents permuted",
        p_prt="p-value of prt",
        p_amd="p-value of amd",
        p_jsd="p-value of jsd",
        largest_share="largest share of the word's occurrences in one document, before or after",
    ),
    **_columns(
        "bool",
        match="whether the similarity reaches `needed`",
        changed="whether a significant change begins here",
        cut_before="whether the sentence is cut at its beginning",
        cut_after="whether the sentence is cut at its end",
        fallback="whether the word is absent there and the answer comes from its other conditions",
    ),
    **_columns(
        "list[str]",
        typical="words that are typical of the sense",
        near_in="conditions in which the neighbor is near",
        joined="neighbors after the point that became more similar",
        left="neighbors before the point that became less similar",
        neighbors_before="nearest words in the earlier condition",
        neighbors_after="nearest words in the later condition",
    ),
}
