// Shows one position of a game at a time. Without it the page shows them all.
for (const game of document.querySelectorAll(".game")) {
  const frames = [...game.querySelectorAll(".frames > li")];
  const at = game.querySelector(".at");
  let shown = 0;
  const show = (index) => {
    shown = Math.max(0, Math.min(frames.length - 1, index));
    frames.forEach((frame, i) => { frame.hidden = i !== shown; });
    at.textContent = "ply " + shown + " of " + (frames.length - 1) + "  " + frames[shown].dataset.move;
  };
  const go = {
    first: () => show(0),
    back: () => show(shown - 1),
    on: () => show(shown + 1),
    last: () => show(frames.length - 1),
  };
  const keys = { Home: go.first, ArrowLeft: go.back, ArrowRight: go.on, End: go.last };
  game.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  for (const button of game.querySelectorAll("button")) {
    button.addEventListener("click", () => go[button.dataset.to]());
  }
  game.classList.add("stepped");
  game.querySelector(".keys").hidden = false;
  show(0);
}
