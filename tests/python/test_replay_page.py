"""The page of `replay` in a real Chromium. `make browser` installs what these tests need; without it they are left out."""

import os
import shutil

import pytest

import mancala_rl as mrl
from games_to_look_at import board
from reference import random_game

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)

LEFT_OUT = "the replay page is not tested: there is no {}, `make browser` installs it"

try:
    from playwright.sync_api import Error, sync_playwright
except ImportError:
    pytest.skip(LEFT_OUT.format("Playwright"), allow_module_level=True)


def launch(playwright):
    # Root has no sandbox.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)


if CHROMIUM is None:
    try:
        with sync_playwright() as its_own:
            launch(its_own).close()
    except Error:
        pytest.skip(LEFT_OUT.format("Chromium"), allow_module_level=True)


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        found = launch(playwright)
        yield found
        found.close()


SEEN = """() => {
    const root = document.querySelector(".board:not([hidden])");
    const visible = (e) => e.getAttribute("display") !== "none";
    const part = (of, name) => [...of.querySelectorAll(`[data-part="${name}"]`)];
    const pits = part(root, "pit").sort((a, b) => a.dataset.pit - b.dataset.pit);
    const stores = part(root, "store").sort((a, b) => a.dataset.player - b.dataset.player);
    const marked = (name) => pits.flatMap((pit, i) => part(pit, name).some(visible) ? [i] : []);
    return {
        seat: Number(root.dataset.seat),
        frame: Number(document.body.dataset.frame),
        at: Number(document.getElementById("at").value),
        ply: Number(document.querySelector("#moves [aria-current]").dataset.ply),
        told: document.getElementById("told").textContent,
        counts: pits.map((pit) => Number(part(pit, "count")[0].textContent)),
        drawn: pits.map((pit) => part(pit, "seed").filter(visible).length),
        scores: stores.map((store) => Number(store.querySelector("text").textContent)),
        nki: marked("nki"),
        playable: marked("playable"),
        taken: marked("taken").map((i) => [i, -Number(part(pits[i], "taken")[0].textContent.replace("\u2212", "-"))]),
        hand: part(root, "in-hand").filter(visible).map((e) => parseInt(e.textContent)),
    };
}"""
"""Seeds by pit as the board in sight says, in numbers and as seeds that are drawn, and what stands around it."""


class Page:
    """A replay that is open in a browser."""

    def __init__(self, page, replay, path):
        self.page, self.replay = page, replay
        self.frames = replay.frames
        self.problems = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.problems.append(message.text) if message.type == "error" else None)
        self.requests = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(replay.save(path).as_uri())

    def frame(self):
        return int(self.page.locator("body").get_attribute("data-frame"))

    def click(self, name):
        self.page.locator(f"#{name}").click()

    def wait_for(self, frame):
        self.page.wait_for_selector(f'body[data-frame="{frame}"]', timeout=120_000)

    def seen(self):
        """What is in sight."""
        return self.page.evaluate(SEEN)

    def walk(self, button):
        """What is in sight now, and after every click on a button until it is disabled."""
        script = f"""(name) => {{
            const [seen, button, out] = [{SEEN}, document.getElementById(name), [({SEEN})()]];
            while (!button.disabled) {{ button.click(); out.push(seen()); }}
            return out;
        }}"""
        return self.page.evaluate(script, button)

    def agrees(self, index, seen=None):
        """Whether all that is in sight is the frame's."""
        seen, frame = seen or self.seen(), self.frames[index]
        assert seen == {
            "seat": seen["seat"],
            "frame": index,
            "at": index,
            "ply": frame["ply"],
            "told": frame["told"],
            "counts": list(frame["pits"]),
            "drawn": [min(seeds, 20) for seeds in frame["pits"]],
            "scores": list(frame["scores"]),
            "nki": frame.get("nki", []),
            "playable": frame.get("playable", []),
            "taken": [list(taken) for taken in frame.get("taken", [])],
            "hand": [frame["hand"]] if "hand" in frame else [],
        }

    def shows(self, state, seen=None):
        seen, shown = seen or self.seen(), board(state.position())
        assert (seen["counts"], tuple(seen["scores"]), seen["nki"]) == (shown.pits, shown.scores, shown.nki)


@pytest.fixture
def opened(browser, tmp_path):
    pages = []

    def open_page(game, **options):
        context = browser.new_context(offline=True, reduced_motion=options.pop("motion", "reduce"), **options)
        context.set_default_timeout(120_000)  # of a busy machine
        page = Page(context.new_page(), mrl.replay(game), tmp_path / f"{len(pages)}.html")
        pages.append((context, page))
        return page

    yield open_page
    for context, page in pages:
        assert page.problems == [] and len(page.requests) == 1, "no errors, and nothing but the page was asked for"
        context.close()


GAMES = [("giuthi-3x3", 1), ("giuthi-5x4?capture=occupied", 2), ("giuthi-8x8", 7), ("kiothi-3x1", 3), ("kiothi-4x3", 4)]


@pytest.mark.parametrize("game, seed", GAMES)
def test_a_whole_game_lap_by_lap(opened, game, seed):
    state = random_game(game, seed)
    page = opened(state)
    seen = page.walk("lap-on")
    assert len(seen) == len(page.frames)
    for index, frame in enumerate(seen):
        page.agrees(index, frame)
    page.shows(state, seen[-1])
    assert page.walk("lap-back") == seen[::-1]


@pytest.mark.parametrize("game, seed", GAMES)
def test_a_whole_game_move_by_move(opened, game, seed):
    state = random_game(game, seed)
    page = opened(state)
    at, actions = state.history()
    seen = page.walk("move-on")
    assert [frame["ply"] for frame in seen] == list(range(len(actions) + 1))
    for frame, action in zip(seen, [*actions, None]):
        page.shows(at, frame)
        if action is not None:
            at.play(action)
    page.shows(state)
    assert page.page.locator("#turn").text_content() == page.replay.title.split(": ", 1)[1]
    assert page.walk("move-back") == seen[::-1]


def test_buttons_take_clicks_of_a_mouse(opened):
    state = random_game("giuthi-3x3", 1)
    page = opened(state)
    for index in range(1, 6):
        page.click("lap-on")
        page.agrees(index)
    page.click("lap-back")
    page.agrees(4)
    page.click("first")
    page.agrees(0)
    assert page.page.locator("#lap-back").is_disabled() and page.page.locator("#first").is_disabled()
    page.click("move-on")
    page.agrees(max(i for i, frame in enumerate(page.frames) if frame["ply"] == 1))
    page.click("lap-on")
    page.click("move-back")
    assert page.frames[page.frame()]["ply"] == 1
    page.click("last")
    page.agrees(len(page.frames) - 1)
    page.shows(state)
    assert page.page.locator("#lap-on").is_disabled() and page.page.locator("#last").is_disabled()


def test_moves_in_the_list(opened):
    state = random_game("giuthi-5x4", 6)
    page = opened(state)
    names = page.page.locator("#moves .name").all_text_contents()
    assert names == ["start", *page.replay.moves]
    at, actions = state.history()
    page.page.locator(f'#moves [data-ply="{len(actions)}"]').click()
    page.shows(state)
    for action in actions[:3]:
        at.play(action)
    page.page.locator('#moves [data-ply="3"]').click()
    page.shows(at)


def test_keys(opened):
    page = opened(random_game("giuthi-5x4", 2))
    press = page.page.keyboard.press
    plies = [frame["ply"] for frame in page.frames]
    ends = {ply: len(plies) - 1 - plies[::-1].index(ply) for ply in plies}
    for key, frame in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("ArrowDown", ends[1]),
        ("ArrowDown", ends[2]),
        ("ArrowUp", ends[1]),
        ("End", len(plies) - 1),
        ("ArrowRight", len(plies) - 1),
        ("ArrowDown", len(plies) - 1),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowUp", 0),
        ("Alt+ArrowRight", 0),
    ]:
        press(key)
        assert page.frame() == frame, key
    press("f")
    assert page.seen()["seat"] == 1
    press("f")
    assert page.seen()["seat"] == 0


def test_the_place_in_the_game_can_be_dragged(opened):
    page = opened(random_game("giuthi-5x4", 2))
    page.page.locator("#at").fill("7")
    page.agrees(7)
    page.page.locator("#at").focus()
    page.page.keyboard.press("ArrowRight")
    page.agrees(8)


@pytest.mark.parametrize("game, seed", [("giuthi-5x4", 2), ("kiothi-4x3", 4)])
def test_flipping_shows_the_same_from_the_other_seat(opened, game, seed):
    page = opened(random_game(game, seed, 40))
    page.click("last")
    index = len(page.frames) - 1
    page.agrees(index)

    def places():
        boxes = [box.bounding_box() for box in page.page.locator('.board:not([hidden]) [data-part="pit"]').all()]
        return [(box["x"] + box["width"] / 2, box["y"]) for box in boxes]

    before = places()
    page.click("flip")
    page.agrees(index)
    after = places()
    assert page.seen()["seat"] == 1
    row, middle = len(before) // 2, before[0][0] + after[0][0]
    for pit, (one, other) in enumerate(zip(before, after)):
        assert one[0] + other[0] == pytest.approx(middle, abs=5), "left is right"
        opposite = 2 * row - 1 - pit
        assert (one[1] < before[opposite][1]) == (other[1] > after[opposite][1]), "above is below"
    assert page.page.locator("#flip").get_attribute("aria-pressed") == "true"
    page.click("move-back")
    page.click("flip")
    page.agrees(page.frame())


def test_it_plays_by_itself_and_pauses(opened):
    state = random_game("giuthi-3x3", 1)
    page = opened(state)
    page.page.locator("#speed").select_option("0.1")
    play = page.page.locator("#play")
    assert play.get_attribute("aria-label") == "Play"
    page.page.locator("body").click(position={"x": 2, "y": 2})
    page.page.keyboard.press("Space")
    assert play.get_attribute("aria-label") == "Pause"
    page.wait_for(len(page.frames) - 1)
    page.shows(state)
    page.page.wait_for_function("document.getElementById('play').getAttribute('aria-label') === 'Play'")
    page.click("first")
    page.page.locator("#speed").select_option("0.4")
    page.click("play")
    page.wait_for(2)
    page.click("play")
    assert play.get_attribute("aria-label") == "Play"
    stood = page.frame()
    page.page.wait_for_timeout(1500)  # long enough for some ten frames
    assert page.frame() == stood < len(page.frames) - 1, "paused"


def test_a_pause_stops_falling_seeds_and_they_fall_on(opened):
    state = random_game("giuthi-3x3", 1)
    page = opened(state, motion="no-preference")
    play, press = page.page.locator("#play"), page.page.keyboard.press
    hand = page.page.locator('.board:not([hidden]) [data-part="hand"]')
    page.page.evaluate("document.querySelector('#speed').selectedOptions[0].value = 6")  # a seed in 0.9 s
    for _ in range(2):
        press("Space")
        hand.wait_for()
        press("Space")
        assert play.get_attribute("aria-label") == "Play"
        counts = page.seen()["counts"]
        page.page.wait_for_timeout(2000)  # as long as two seeds take
        assert page.seen()["counts"] == counts != page.frames[1]["pits"] and page.frame() == 0 and hand.is_visible()
    # By hand the lap that stands still is ended, or left.
    press("ArrowLeft")
    page.agrees(0)
    press("Space")
    hand.wait_for()
    press("ArrowRight")
    page.agrees(1)
    press("ArrowLeft")
    # Whoever plays while a lap of one step falls lets it fall, and what comes after it too.
    page.page.locator("#speed").select_option("0.4")
    page.page.locator("#speed").blur()
    press("ArrowRight")
    for _ in range(3):
        press("Space")
    page.wait_for(3)
    page.page.locator("#speed").select_option("0.1")
    page.wait_for(len(page.frames) - 1)
    page.shows(state)


ENDS = """() => {
    const root = document.querySelector(".board:not([hidden])");
    const at = (e, x, y) => { const p = new DOMPoint(x, y).matrixTransform(e.getScreenCTM()); return [p.x, p.y]; };
    const pits = [...root.querySelectorAll('[data-part="pit"]')].map((pit) => {
        const { x, y } = pit.dataset;
        return [Number(pit.dataset.pit), ...at(pit, Number(x), Number(y))];
    });
    const near = (x, y) => pits.reduce((a, b) => Math.hypot(a[1] - x, a[2] - y) < Math.hypot(b[1] - x, b[2] - y) ? a : b)[0];
    const tracks = root.querySelector('[data-part="tracks"]');
    const paths = [...tracks.querySelectorAll("path")];
    const start = tracks.querySelector("circle");
    if (!paths.length) return null;
    const tip = paths.at(-1).getPointAtLength(0);
    return [near(...at(start, start.cx.baseVal.value, start.cy.baseVal.value)), near(...at(paths.at(-1), tip.x, tip.y))];
}"""
"""The pits that the lines of the laps begin and end at, on the board in sight."""


@pytest.mark.parametrize("game, plies", [("giuthi-8x8", 15), ("kiothi-4x3", 60)])
def test_laps_lead_from_pit_to_pit_from_both_seats(opened, game, plies):
    page = opened(random_game(game, 5, plies))
    seen = 0
    for index, frame in enumerate(page.frames):
        if "lap" not in frame or not frame.get("tracks"):
            continue
        seen += 1
        page.page.locator("#at").fill(str(index))
        lap = frame["lap"]
        landing = (lap["from"] + lap["step"] * lap["seeds"]) % len(frame["pits"])
        is_whole_move = index + 1 == len(page.frames) or page.frames[index + 1]["ply"] != frame["ply"]
        for _ in range(2):
            ends = page.page.evaluate(ENDS)
            assert ends[1] == landing and (is_whole_move or ends[0] == lap["from"]), (index, frame["told"])
            page.click("flip")
    assert seen > 10


def test_seeds_fall_one_by_one(opened):
    state = mrl.State("giuthi-8x8")
    state.play("12ccw")
    page = opened(state, motion="no-preference")
    page.page.evaluate(
        """() => {
            window.held = [];
            const hand = document.querySelector('[data-part="hand"]');
            new MutationObserver(() => window.held.push(Number(hand.textContent)))
                .observe(hand, { subtree: true, childList: true, characterData: true });
        }"""
    )
    page.page.locator("#speed").select_option("0.4")
    page.page.keyboard.press("ArrowRight")
    page.wait_for(1)
    page.agrees(1)
    held = page.page.evaluate("window.held")
    assert held == list(range(8, -1, -1))
    # A second key while the seeds of a lap fall ends it at once; both in one call, lest they have fallen by then.
    key = "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))"
    page.page.evaluate(f"() => {{ {key}; {key}; }}")
    page.agrees(2)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_are_readable_in_light_and_dark(opened, scheme):
    page = opened(random_game("giuthi-5x4", 2, 20), color_scheme=scheme)
    colours = page.page.evaluate(
        """() => ["#told", "#turn", "#moves .name", "h1", ".keys"].map((name) => {
            const element = document.querySelector(name);
            const behind = (e) => {
                for (; e; e = e.parentElement) {
                    const colour = getComputedStyle(e).backgroundColor;
                    if (colour !== "rgba(0, 0, 0, 0)") return colour;
                }
                return "rgb(255, 255, 255)";
            };
            return [name, getComputedStyle(element).color, behind(element)];
        })"""
    )
    for name, text, behind in colours:
        one, other = sorted((luminance(text), luminance(behind)))
        assert (other + 0.05) / (one + 0.05) >= 4.5, (name, text, behind)
    assert (luminance(colours[0][2]) < 0.2) == (scheme == "dark")


def luminance(colour):
    """WCAG's, of a CSS colour as browsers compute it."""
    channels = [float(word) / 255 for word in colour.strip("rgba()").split(",")[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_everything_has_a_name(opened):
    page = opened(random_game("kiothi-4x3", 4, 30))
    for element in page.page.locator("button, input, select").all():
        name = element.evaluate(
            "(e) => e.getAttribute('aria-label') || e.closest('label')?.textContent || e.textContent"
        )
        assert name.strip()
    for svg in page.page.locator(".board svg").all():
        assert svg.get_attribute("role") == "img" and svg.get_attribute("aria-labelledby")
    assert page.page.locator("#told").get_attribute("aria-live") == "polite"
    assert page.page.locator("html").get_attribute("lang") == "en"


def test_it_fits_a_telephone(opened):
    page = opened(random_game("giuthi-10x9", 4, 30), viewport={"width": 360, "height": 740})
    assert page.page.evaluate("document.documentElement.scrollWidth <= 360")
