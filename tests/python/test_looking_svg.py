"""`render_svg` and `State._repr_svg_`."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_rl as mrl
from games_to_look_at import GAMES, board, games
from reference import random_game

NAMES = st.text(max_size=60)


class Picture:
    """An SVG, taken apart."""

    def __init__(self, text):
        self.text = text
        self.root = ElementTree.fromstring(text)
        for element in self.root.iter():
            element.tag = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
        self.width, self.height = map(float, self.root.get("viewBox").split()[2:])

    def parts(self, name, root=None):
        return [e for e in (self.root if root is None else root).iter() if e.get("data-part") == name]

    def pits(self):
        return {int(pit.get("data-pit")): pit for pit in self.parts("pit")}

    def count(self, pit):
        return int(self.parts("count", pit)[0].find("text").text)

    def seeds(self, part):
        return len(list(part.iter("use")))

    def words(self):
        return [text.text or "" for text in self.root.iter("text")]

    def at(self, pit):
        disc = self.parts("count", pit)[0].find("text")
        return float(disc.get("x")), float(disc.get("y"))


@settings(max_examples=60, deadline=None)
@given(games, st.booleans(), st.booleans())
def test_it_shows_the_position(game, flip, last_move):
    state = random_game(*game)
    picture, shown = Picture(mrl.render_svg(state, flip=flip, last_move=last_move)), board(state.position())
    pits = picture.pits()
    assert [picture.count(pits[i]) for i in range(len(pits))] == shown.pits
    assert [picture.seeds(pits[i]) for i in range(len(pits))] == [min(seeds, 20) for seeds in shown.pits]
    assert [bool(picture.parts("many", pits[i])) for i in range(len(pits))] == [seeds > 20 for seeds in shown.pits]
    assert [i for i in range(len(pits)) if picture.parts("nki", pits[i])] == shown.nki
    choices = {int(re.findall(r"\d+", state.action_name(a))[0]) for a in state.legal_actions()}
    assert {i for i in range(len(pits)) if picture.parts("playable", pits[i])} == choices
    for store in picture.parts("store"):
        score = shown.scores[int(store.get("data-player"))]
        assert store.find("text").text == str(score)
        assert picture.seeds(store) == min(score, 48)
    hand = [part.find("text").text for part in picture.parts("in-hand") if part.get("display") != "none"]
    assert hand == ([f"{shown.hand} in hand"] if shown.hand else [])


@settings(max_examples=30, deadline=None)
@given(games)
def test_rows_are_where_the_rules_draw_them(game):
    """Player 0's row below, from his left; Player 1's above, from his right; the other way round when flipped."""
    state = random_game(*game)
    row = len(board(state.position()).pits) // 2
    ring = [*range(row, 2 * row), *range(row)] if game[0].startswith("giuthi") else list(range(2 * row))
    for flip in (False, True):
        picture = Picture(mrl.render_svg(state, flip=flip))
        places = {pit: picture.at(element) for pit, element in picture.pits().items()}
        below, above = (ring[row:], ring[:row]) if flip else (ring[:row], ring[row:])
        assert sorted(below, key=lambda pit: places[pit][0]) == below
        assert sorted(above, key=lambda pit: -places[pit][0]) == above
        assert min(places[pit][1] for pit in below) > max(places[pit][1] for pit in above)


def test_the_last_move_is_shown_lap_by_lap():
    state = mrl.State.from_position("giuthi-4x4", "1,5,0,2/0,1,2,0 0 0 p0")
    before = Picture(state._repr_svg_())
    assert not before.parts("tracks")[0].findall("*") and not before.parts("taken")
    state.play("6ccw")
    picture = Picture(state._repr_svg_())
    tracks = [element for element in picture.parts("tracks")[0].iter("path") if element.get("stroke")]
    # Two laps, the first counter-clockwise and the second clockwise, in colours of their own.
    assert len(tracks) == 2 and len({track.get("stroke") for track in tracks}) == 2
    taken = {pit: picture.parts("taken", element) for pit, element in picture.pits().items()}
    assert {pit: mark[0].find("text").text for pit, mark in taken.items() if mark} == {1: "\u22125", 6: "\u22121"}
    assert "Player 0 played 6ccw: 2 laps, captured 6" in picture.words()
    plain = Picture(mrl.render_svg(state, last_move=False))
    assert not plain.parts("tracks")[0].findall("*") and not plain.parts("taken")
    assert not any("played" in words for words in plain.words())


def test_a_position_from_text_has_no_last_move():
    state = mrl.State("giuthi-8x8")
    state.play("12ccw")
    again = mrl.State.from_position("giuthi-8x8", state.position())
    assert "played 12ccw" in state._repr_svg_() and "played" not in again._repr_svg_()


def test_long_moves_show_their_last_laps():
    state = mrl.State("giuthi-8x8")
    while len(state.trace(state.legal_actions()[0]).laps) <= 6:
        state.play(state.legal_actions()[0])
    assert state.play(state.legal_actions()[0]).laps > 6
    picture = Picture(state._repr_svg_())
    assert len([path for path in picture.parts("tracks")[0].iter("path") if path.get("stroke")]) == 6


@pytest.mark.parametrize(
    "game, text, words",
    [
        ("giuthi-4x4", "0,0,0,0/0,0,0,0 4 2 p1 no-moves", "Player 0 wins, 4 to 2"),
        ("giuthi-4x4", "0,0,0,0/0,0,0,0 2 4 p1 no-moves", "Player 1 wins, 4 to 2"),
        ("giuthi-4x4", "0,0,0,0/0,0,0,0 3 3 p1 no-moves", "A draw, 3 to 3"),
        ("giuthi-2x2", "5,0/0,5 0 0 p1 endless", "A draw: the sowing never ends"),
        ("giuthi-2x2", "5,0/0,5 0 0 p1 repetition", "A draw: the position came back"),
        ("giuthi-2x2", "5,0/0,5 0 0 p1", "Player 1 to move"),
        ("kiothi-6x5", mrl.State("kiothi-6x5").position(), "Player 0 lifts two boma"),
    ],
)
def test_it_says_whose_turn_it_is_or_how_it_ended(game, text, words):
    state = mrl.State.from_position(game, text)
    assert words in Picture(state._repr_svg_()).words()
    assert words in Picture(state._repr_svg_()).root.find("title").text


def test_kiothis_opening_is_told():
    state = mrl.State("kiothi-6x5")
    state.play("lift 4")
    words = Picture(state._repr_svg_()).words()
    assert {"Player 0 lifts a second boma", "Player 0 lifts boma 4", "5 in hand"} <= set(words)
    state.play("lift 9")
    state.play("place 0")
    words = Picture(state._repr_svg_()).words()
    assert {"Player 0 places 9 warriors", "Player 0 places a warrior in boma 0", "9 in hand"} <= set(words)


@settings(max_examples=60, deadline=None)
@given(NAMES, NAMES)
def test_names_are_escaped(one, other):
    picture = Picture(mrl.render_svg(mrl.State("giuthi-3x3"), players=(one, other)))
    shown = [part.find("text").text or "" for part in picture.parts("player")]
    for name, words in zip((other, one), shown):
        if name.isprintable() and len(name) <= 40:
            assert words == name
    markup = Picture(mrl.render_svg(mrl.State("giuthi-3x3"), players=("<b>&\"'", "]]>")))
    assert {"<b>&\"'", "]]>"} <= set(markup.words())


@pytest.mark.parametrize("game", GAMES)
def test_it_needs_nothing_from_elsewhere(game):
    picture = Picture(random_game(game, 5, 30)._repr_svg_())
    names = {element.get("id") for element in picture.root.iter() if element.get("id")}
    for element in picture.root.iter():
        assert element.tag not in ("script", "style", "image", "foreignObject", "a")
        assert element.tag != "use" or element.get("href").removeprefix("#") in names
        for value in element.attrib.values():
            assert "//" not in value
            for name in re.findall(r"url\(#(\w+)\)", value):
                assert name in names
        for name in element.get("aria-labelledby", "").split():
            assert name in names
    assert len(picture.text) < 60_000


def test_pictures_in_one_page_do_not_share_names():
    one, other = mrl.State("giuthi-3x3"), mrl.State("giuthi-3x3")
    other.play(other.legal_actions()[0])
    pictures = [Picture(state._repr_svg_()) for state in (one, other)]
    names = [{e.get("id") for e in picture.root.iter() if e.get("id")} for picture in pictures]
    assert names[0] and not names[0] & names[1]
    assert one._repr_svg_() == mrl.State("giuthi-3x3")._repr_svg_() == mrl.render_svg(one)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"players": "ab"}, "players are two names"),
        ({"players": ("a",)}, "players are two names"),
        ({"players": ("a", 1)}, "players are two names"),
        ({"flip": 1}, "flip is a bool"),
        ({"last_move": None}, "last_move is a bool"),
        ({"state": "giuthi"}, "state is a State, not str"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(TypeError, match=message):
        mrl.render_svg(**{"state": mrl.State("giuthi-3x3"), **arguments})
