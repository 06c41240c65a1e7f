"""The words of the invented world: function words, topics, and offices whose holders have invented names."""

from collections.abc import Mapping
from typing import NamedTuple

# The function words before a content word of any topic: a linker, a determiner, both ('of the') or none.
LINKERS = ("of", "and", "to", "in", "was", "for", "with", "on", "by", "that")
DETERMINERS = ("the", "a", "this", "its")

# The words of a topic, the frequent ones first.
TOPICS: Mapping[str, tuple[str, ...]] = {
    topic: tuple(words.split())
    for topic, words in {
        "river": "river water shore flood bridge mud valley upstream ferry canal reed current dam ford",
        "money": "money loan credit debt interest account deposit savings mortgage cash lender fund payment wealth",
        "harvest": "harvest field wheat farmer grain barley plough orchard crop hay seed mill autumn straw",
        "sea": "sea ship sailor harbor wave anchor fleet captain island sail tide coast deck mast",
        "music": "music song singer violin choir piano concert melody drum orchestra tune guitar rhythm opera",
        "weather": "weather rain wind storm snow sun fog thunder frost heat sky drought ice breeze",
        "medicine": "doctor patient hospital disease nurse fever surgery pill wound vaccine clinic symptom infection",
        "school": "school teacher pupil lesson student book class exam college reading grammar homework degree library",
        "law": "law court judge trial crime lawyer prison jury verdict witness sentence appeal guilty prisoner",
        "war": "war army soldier battle enemy weapon general attack troops peace victory siege retreat bomb",
        "technology": "computer software machine screen program internet data keyboard robot code file laptop server",
        "kitchen": "kitchen bread meat cheese soup oven butter salt potato sauce cook plate pepper onion",
        "clothes": "clothes coat shirt dress hat wool shoe button tailor silk fashion cotton sleeve glove",
        "motoring": "car road driver engine wheel truck traffic fuel motorway brake garage tire seat parking",
        "railway": "train station track platform ticket passenger carriage rail whistle signal tunnel freight",
        "house": "house room door wall roof window floor stairs garden chimney tenant furniture brick apartment",
        "forest": "forest tree wolf bear leaf hunter deer branch wood moss fox path pine mushroom",
        "birds": "bird nest wing feather egg eagle crow swallow sparrow flight owl beak goose heron",
        "press": "news editor reporter article column headline journalist interview story print reader rumor scandal",
        "games": "game match goal player coach referee stadium score ball season trophy league fan penalty",
        "mountain": "mountain summit climber rope glacier cliff ridge peak slope cave avalanche gorge pass hut",
        "telephone": "telephone call message caller line number dial operator voice text handset battery antenna",
        "energy": "energy coal power plant electricity furnace steam turbine smoke oil pipe boiler reactor mine",
        "church": "church priest prayer bell altar faith bishop hymn sermon saint chapel monk candle pilgrim",
        "family": "family mother father child sister brother wedding husband wife uncle grandmother cousin marriage",
        "trade": "trade market merchant price goods shop export customer tariff cargo sale warehouse profit buyer",
        "science": "science theory experiment laboratory atom physics formula telescope hypothesis proof star lens",
        "art": "art painter portrait canvas museum color sculpture gallery brush drawing statue marble sketch",
    }.items()
}


class Office(NamedTuple):
    """An office, or another role of names."""

    words: tuple[str, ...]  # the words around its names
    topics: tuple[str, str]  # related topics
    ending: str  # of the names
    by_time: bool  # whether the names differ between years
    by_place: bool  # whether the names differ between places


OFFICES: Mapping[str, Office] = {
    office: Office(tuple(words.split()), topics, ending, "time" in differs, "place" in differs)
    for differs, office, ending, topics, words in (
        ("place", "capital", "burg", ("house", "railway"), "capital city mayor avenue square palace district embassy"),
        ("place", "currency", "ar", ("money", "trade"), "currency coin note exchange inflation mint purse cent"),
        ("place", "dish", "oni", ("kitchen", "family"), "dish recipe dinner spice stew flavor appetite feast"),
        ("place", "newspaper", "post", ("press", "telephone"), "newspaper daily edition subscriber publisher weekly"),
        ("place", "team", "ers", ("games", "motoring"), "team champion tournament club squad defender derby cup"),
        ("place", "lake", "mere", ("river", "mountain"), "lake swimmer fisherman boat trout paddle pier raft"),
        ("time", "chairman", "sen", ("war", "energy"), "chairman assembly delegate resolution charter treaty veto"),
        ("time", "virtuoso", "elli", ("music", "art"), "virtuoso recital applause encore maestro audience soloist"),
        ("time", "laureate", "stein", ("science", "medicine"), "laureate prize discovery academy medal honor genius"),
        ("time", "device", "tron", ("technology", "school"), "device gadget model pocket invention warranty patent"),
        ("time place", "leader", "son", ("law", "church"), "president minister cabinet election speech parliament"),
    )
}
