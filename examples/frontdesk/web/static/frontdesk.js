// What pages do beyond links and forms. Each of them works without this file.
"use strict";

// A page that is live shows what others do. While somebody enters something, or drags, it is left as it is.
let changes, refreshing, again;
const stale = () => { document.getElementById("stale").hidden = false; };
const busy = () => document.querySelector("#live .edited, #live :is(input, select, textarea):focus");
const refresh = () => {
	if (drag) refreshing = setTimeout(refresh, 200);
	else if (busy()) stale();
	else htmx.trigger(document.body, "changed");
};
const listen = () => {
	const live = document.getElementById("live");
	if (!live || document.hidden || changes) return;
	changes = new EventSource(live.dataset.live);
	changes.onmessage = () => {
		clearTimeout(refreshing);
		clearTimeout(again);
		refreshing = setTimeout(refresh, 50); // one refresh for several changes
		again = setTimeout(refresh, 2000); // an index may be behind the stream that told of the change
	};
	changes.onerror = () => { // a browser tries again by itself, unless the answer was an error
		if (changes.readyState !== EventSource.CLOSED) return;
		changes = null;
		stale();
		setTimeout(listen, 5000);
	};
};
document.addEventListener("htmx:before:swap", (e) => { // an error, or the page for signing in
	if (e.detail.ctx.text?.includes('id="live"') && !busy() && !drag) return;
	e.preventDefault();
	stale();
});
document.addEventListener("htmx:after:swap", () => { document.getElementById("stale").hidden = true; });
document.addEventListener("htmx:error", stale);
document.addEventListener("input", (e) => {
	const field = e.target;
	field.classList.toggle("edited", field.tagName === "SELECT" || field.type === "checkbox" || field.value !== field.defaultValue);
});
const leave = () => { changes?.close(); changes = null; };
addEventListener("pagehide", leave);
addEventListener("pageshow", (e) => { if (e.persisted) location.reload(); });
document.addEventListener("visibilitychange", () => { // a browser has few connections to a site
	if (document.hidden) leave();
	else listen(); // and is told if something has changed since
});

// A hold shows how long it lasts. The page says how long, not until when: the clock of the browser may be wrong.
const count = () => {
	for (const e of document.querySelectorAll("[data-left]")) {
		if (e.shown !== e.dataset.left) [e.shown, e.end] = [e.dataset.left, performance.now() + 1000 * e.dataset.left];
		const left = Math.max(0, Math.round((e.end - performance.now()) / 1000));
		e.textContent = left ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left` : "The time is over.";
	}
};
setInterval(count, 1000);

// Guests are dragged to another room by filling in the form that does the same.
let drag, dragged = false;
const end = () => {
	drag?.over?.classList.remove("over");
	drag = null;
	setTimeout(() => { dragged = false; }); // after the click that ends a drag
};
document.addEventListener("pointerdown", (e) => {
	const who = e.target.closest("[data-who]");
	if (!who || e.button !== 0 || !e.isPrimary) return;
	drag = { who: who.dataset.who, from: who.closest("[data-room]")?.dataset.room, id: e.pointerId, x: e.clientX, y: e.clientY };
});
document.addEventListener("pointermove", (e) => {
	if (!drag || e.pointerId !== drag.id) return;
	if (!e.buttons) return end();
	if (Math.hypot(e.clientX - drag.x, e.clientY - drag.y) > 5) dragged = true;
	if (!dragged) return;
	drag.over?.classList.remove("over");
	drag.over = document.elementFromPoint(e.clientX, e.clientY)?.closest("[data-room]");
	drag.over?.classList.add("over");
});
document.addEventListener("pointerup", (e) => {
	if (!drag || e.pointerId !== drag.id) return;
	const { who, from, over } = drag, to = over?.dataset.room;
	end();
	if (!to || to === from) return;
	const { elements } = document.getElementById("move");
	[elements.who.value, elements.to.value, elements.on.value, elements.exchange.checked] = [who, to, "", false];
	elements.who.form.requestSubmit();
});
document.addEventListener("pointercancel", end);
document.addEventListener("keydown", (e) => { if (e.key === "Escape") end(); });
document.addEventListener("dragstart", (e) => { if (e.target.closest("[data-who]")) e.preventDefault(); }); // of the link itself
document.addEventListener("click", (e) => { if (dragged && e.target.closest("[data-who]")) e.preventDefault(); }, true);

listen();
count();
