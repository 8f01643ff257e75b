// Shows the frames of a game, which the page brings along. What the rules do stands in the frames: nothing is worked out here.
"use strict";
(() => {
  const game = JSON.parse(document.getElementById("game").textContent);
  const frames = game.frames;
  const lastOf = [];
  frames.forEach((frame, i) => { lastOf[frame.ply] = i; });
  const find = (id) => document.getElementById(id);
  const all = (root, selector) => [...root.querySelectorAll(selector)];
  const part = (root, name) => root.querySelector(`[data-part="${name}"]`);
  const shown = (element, yes) => { if (element) element.setAttribute("display", yes ? "inline" : "none"); };
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  // What changes of each of the two boards.
  const boards = all(document, ".board").map((root) => ({
    root,
    pits: all(root, '[data-part="pit"]').map((pit) => ({
      seeds: all(pit, '[data-part="seed"]'),
      count: part(pit, "count").querySelector("text"),
      many: part(pit, "many"),
      taken: part(pit, "taken"),
      nki: part(pit, "nki"),
      playable: part(pit, "playable"),
      x: Number(pit.dataset.x),
      y: Number(pit.dataset.y),
    })),
    stores: [0, 1].map((player) => {
      const store = root.querySelector(`[data-part="store"][data-player="${player}"]`);
      return { seeds: all(store, '[data-part="seed"]'), count: store.querySelector("text") };
    }),
    turns: [0, 1].map((player) => root.querySelector(`[data-part="player"][data-player="${player}"] circle`)),
    inHand: part(root, "in-hand"),
    tracks: part(root, "tracks"),
    hand: part(root, "hand"),
  }));

  let at = 0;
  let playing = false;
  let sowing = null; // a lap whose seeds fall: the step that comes next, its timer (null: it stands still), and what comes after
  const pace = () => Number(find("speed").value);

  function fill(pit, seeds) {
    pit.seeds.forEach((seed, i) => shown(seed, i < seeds));
    pit.count.textContent = seeds;
    pit.count.setAttribute("opacity", seeds ? 1 : 0.35);
    shown(pit.many, seeds > pit.seeds.length);
    pit.many.querySelector("text").textContent = seeds;
  }

  function draw(board, frame) {
    const taken = new Map(frame.taken || []);
    board.pits.forEach((pit, i) => {
      fill(pit, frame.pits[i]);
      shown(pit.taken, taken.has(i));
      pit.taken.querySelector("text").textContent = `\u2212${taken.get(i)}`;
      shown(pit.nki, (frame.nki || []).includes(i));
      shown(pit.playable, (frame.playable || []).includes(i));
      if (frame.mover !== null) pit.playable.firstElementChild.setAttribute("stroke", game.colours[frame.mover]);
    });
    board.stores.forEach((store, player) => {
      store.seeds.forEach((seed, i) => shown(seed, i < frame.scores[player]));
      store.count.textContent = frame.scores[player];
    });
    board.turns.forEach((turn, player) => turn.setAttribute("fill", frame.mover === player ? game.colours[player] : "none"));
    shown(board.inHand, frame.hand > 0);
    board.inHand.querySelector("text").textContent = `${frame.hand || 0} in hand`;
    board.tracks.innerHTML = frame.tracks || "";
    shown(board.hand, false);
  }

  function show(index) {
    stopSowing();
    at = Math.max(0, Math.min(frames.length - 1, index));
    const frame = frames[at];
    const done = at === lastOf[frame.ply];
    boards.forEach((board) => draw(board, frame));
    find("turn").textContent = done ? game.turns[frame.ply] : `${game.names[frame.mover]} sows`;
    find("summary").textContent = frame.ply ? `${frame.ply}. ${game.told[frame.ply - 1]}` : "";
    find("told").textContent = frame.told;
    find("at").value = at;
    find("at").setAttribute("aria-valuetext", `move ${frame.ply} of ${lastOf.length - 1}: ${frame.told}`);
    const x = frames.length > 1 ? (1000 * at) / (frames.length - 1) : 0;
    find("cursor").setAttribute("x1", x);
    find("cursor").setAttribute("x2", x);
    for (const id of ["first", "move-back", "lap-back"]) find(id).disabled = at === 0;
    for (const id of ["last", "move-on", "lap-on"]) find(id).disabled = at === frames.length - 1;
    choose(frame.ply);
    document.body.dataset.frame = at;
  }

  // Marks a move in the list, and scrolls the list, not the page, to it.
  function choose(ply) {
    const list = find("moves");
    for (const button of all(list, "button")) {
      if (Number(button.dataset.ply) !== ply) {
        button.removeAttribute("aria-current");
        continue;
      }
      button.setAttribute("aria-current", "step");
      const top = button.offsetTop - list.offsetTop;
      if (top < list.scrollTop || top + button.offsetHeight > list.scrollTop + list.clientHeight) {
        list.scrollTop = top - list.clientHeight / 2;
      }
    }
  }

  function stopSowing() {
    holdSowing();
    sowing = null;
  }

  function holdSowing() {
    if (sowing === null) return;
    clearTimeout(sowing.timer);
    sowing.timer = null;
  }

  // Goes a frame on; the seeds of a lap are seen to fall one by one.
  function lapOn(then) {
    if (sowing !== null && then) { // it goes on from where it stands
      sowing.then = then;
      if (sowing.timer === null) sowing.step();
      return;
    }
    if (sowing !== null) {
      show(at + 1); // the lap that was being sown is over
      return;
    }
    const next = frames[at + 1];
    if (!next) return;
    if (!next.lap || still.matches || pace() < 0.2) {
      show(at + 1);
      if (then) then();
      return;
    }
    sow(frames[at], next, then);
  }

  function sow(before, after, then) {
    const { from, seeds, step } = after.lap;
    const ring = before.pits.length;
    const pits = [...before.pits];
    const wait = Math.min(150, 2600 / seeds) * pace();
    let hand = seeds;
    let pit = from;
    pits[from] -= seeds;
    const target = at + 1;
    const later = (step) => { Object.assign(sowing, { step, timer: setTimeout(step, wait) }); };
    sowing = { then };
    const tick = () => {
      for (const board of boards) {
        fill(board.pits[pit], pits[pit]);
        shown(board.hand, true);
        board.hand.setAttribute("transform", `translate(${board.pits[pit].x} ${board.pits[pit].y - 30})`);
        board.hand.querySelector("text").textContent = hand;
      }
      if (hand === 0) {
        later(() => {
          const whatThen = sowing.then;
          show(target);
          if (whatThen) whatThen();
        });
        return;
      }
      later(() => {
        pit = (pit + step + ring) % ring;
        pits[pit] += 1;
        hand -= 1;
        tick();
      });
    };
    for (const board of boards) {
      board.tracks.innerHTML = "";
      for (const other of board.pits) {
        shown(other.playable, false);
        shown(other.taken, false);
      }
    }
    find("told").textContent = after.told;
    tick();
  }

  function play(yes) {
    playing = yes && at < frames.length - 1;
    const button = find("play");
    button.classList.toggle("playing", playing);
    button.setAttribute("aria-label", playing ? "Pause" : "Play");
    // Nobody wants every lap of a game that plays by itself read out.
    find("told").setAttribute("aria-live", playing ? "off" : "polite");
    if (playing) run();
    else holdSowing();
  }

  let rest = null;
  function run() {
    clearTimeout(rest);
    if (!playing) return;
    lapOn(() => {
      if (at === frames.length - 1) play(false);
      else rest = setTimeout(run, (at === lastOf[frames[at].ply] ? 900 : 380) * pace());
    });
  }

  // Whoever steps by hand wants it to stand still.
  const byHand = (act) => () => {
    if (playing) play(false);
    clearTimeout(rest);
    act();
  };
  const plyAt = () => frames[at].ply;
  const go = {
    first: byHand(() => show(0)),
    "move-back": byHand(() => show(at === lastOf[plyAt()] ? lastOf[plyAt() - 1] ?? 0 : lastOf[plyAt() - 1])),
    "lap-back": byHand(() => show(sowing === null ? at - 1 : at)),
    "lap-on": byHand(() => lapOn()),
    "move-on": byHand(() => show(at === lastOf[plyAt()] ? lastOf[plyAt() + 1] ?? at : lastOf[plyAt()])),
    last: byHand(() => show(frames.length - 1)),
    play: () => { clearTimeout(rest); play(!playing || at === frames.length - 1); },
    flip,
  };

  function flip() {
    for (const { root } of boards) root.hidden = !root.hidden;
    find("flip").setAttribute("aria-pressed", String(boards[0].root.hidden));
  }

  for (const [id, act] of Object.entries(go)) find(id).addEventListener("click", act);
  find("at").max = frames.length - 1;
  find("at").addEventListener("input", () => byHand(() => show(Number(find("at").value)))());
  find("moves").addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) byHand(() => show(lastOf[Number(button.dataset.ply)]))();
  });
  const keys = {
    ArrowLeft: go["lap-back"], ArrowRight: go["lap-on"], ArrowUp: go["move-back"], ArrowDown: go["move-on"],
    Home: go.first, End: go.last, " ": go.play, k: go.play, f: flip,
  };
  document.addEventListener("keydown", (event) => {
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    const own = event.target.closest("select") || (event.key === " " && event.target.closest("button"));
    if (!act || own || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    act();
  });
  if (game.flip) flip();
  show(0);
})();
