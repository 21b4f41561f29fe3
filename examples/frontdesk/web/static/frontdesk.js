// What pages do beyond links and forms. Each of them works without this file.
"use strict";

// A page that is live shows what others do. What somebody has begun to enter is not replaced: the page says that it is out of date.
let changes;
const listen = () => {
	const live = document.getElementById("live");
	if (!live) return;
	changes = new EventSource(live.dataset.live);
	changes.onmessage = () => {
		if (document.querySelector("#live .edited")) document.getElementById("stale").hidden = false;
		else htmx.trigger(document.body, "changed");
	};
};
document.addEventListener("input", (e) => e.target.classList.add("edited"));
addEventListener("pagehide", () => changes?.close());

// A hold shows how long it lasts. The page says how long, not until when: the clock of the browser may be wrong.
const count = () => {
	for (const e of document.querySelectorAll("[data-left]")) {
		if (e.shown !== e.dataset.left) [e.shown, e.end] = [e.dataset.left, performance.now() + 1000 * e.dataset.left];
		const left = Math.round((e.end - performance.now()) / 1000);
		if (left < 0) return location.reload();
		e.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
	}
};
setInterval(count, 1000);

// Guests are dragged to another room by filling in the form that does the same.
let drag, dragged = false;
document.addEventListener("pointerdown", (e) => {
	const who = e.target.closest("[data-who]");
	dragged = false;
	if (who && e.button === 0) drag = { who, x: e.clientX, y: e.clientY, over: null };
});
document.addEventListener("pointermove", (e) => {
	if (!drag) return;
	if (Math.hypot(e.clientX - drag.x, e.clientY - drag.y) > 5) dragged = true;
	if (!dragged) return;
	drag.over?.classList.remove("over");
	drag.over = document.elementFromPoint(e.clientX, e.clientY)?.closest("[data-room]");
	drag.over?.classList.add("over");
});
document.addEventListener("pointerup", () => {
	const done = drag;
	drag = null;
	if (!done?.over) return;
	done.over.classList.remove("over");
	const form = document.getElementById("move"), from = done.who.closest("[data-room]");
	if (done.over === from) return;
	form.elements.who.value = done.who.dataset.who;
	form.elements.to.value = done.over.dataset.room;
	form.requestSubmit();
});
document.addEventListener("pointercancel", () => { drag?.over?.classList.remove("over"); drag = null; });
document.addEventListener("dragstart", (e) => { if (e.target.closest("[data-who]")) e.preventDefault(); }); // of the link itself
document.addEventListener("click", (e) => { if (dragged) e.preventDefault(); }, true); // the end of a drag is no click on the link

listen();
count();
