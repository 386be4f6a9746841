"use strict";
(() => {
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const grouped = n => Math.round(n).toLocaleString("en-US");
const sig = n => { const r = Number(n.toPrecision(3)); return Math.abs(r) < 1000 ? r.toString() : grouped(r); };
const pct = v => { const p = 100 * v; return (p === 0 || p === 100 ? p.toFixed(0) : p < 1 || p > 99 ? p.toFixed(2) : p.toFixed(1)) + " %"; };
const get = async url => {
	const r = await fetch(url, {headers: {Accept: "application/json"}});
	const body = await r.json();
	if (!r.ok) throw new Error(body.error || r.statusText);
	return body;
};
const seconds = t => Date.parse(t) / 1000;
const make = (tag, text, cls) => {
	const e = document.createElement(tag);
	if (text !== undefined) e.textContent = text;
	if (cls) e.className = cls;
	return e;
};

// Charts. Each takes what its address answers and gives the data and options of uPlot.
const bars = (align = 1) => uPlot.paths.bars({size: [0.86, 60], align, gap: 0, radius: 0.12});
const color = name => css(name);
const fill = name => color(name) + "cc";
const named = labels => ({
	values: (u, at) => at.map(v => Number.isInteger(v) && v >= 0 && v < labels.length ? labels[v] : ""),
	splits: u => {
		const every = Math.max(1, Math.ceil(labels.length / Math.max(2, Math.floor(u.width / 95))));
		return labels.map((_, i) => i).filter(i => i % every === 0);
	},
});
const days = d => d === 0 ? "0" : d < 1 ? Math.round(d * 24) + " h" : Math.round(d) + " d";
const stamp = t => new Date(t).toLocaleString("en-GB", {timeZone: "UTC", day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit"});
const charts = {
	activity(a) {
		// From the first visit on, and a quarter of an hour at least.
		const all = a.series, first = all.findIndex(m => m.visits);
		const s = all.slice(Math.max(0, Math.min(first < 0 ? all.length : first - 1, all.length - Math.ceil(15 / a.step_minutes))));
		return {
			label: "Visits, changes found and changes expected by " + a.step_minutes + " minutes",
			data: [s.map(m => seconds(m.t)), s.map(m => m.visits), s.map(m => m.changed + m.first), s.map(m => m.expected), s.map(m => m.failed)],
			series: [{label: "from (UTC)", value: (u, v) => v == null ? "" : stamp(v * 1000)},
				{label: "visits", stroke: color("--c1"), fill: color("--c1") + "2e", width: 1.5, points: {show: false}, value: (u, v) => v == null ? "" : grouped(v)},
				{label: "changed or first", stroke: color("--c2"), width: 2, points: {show: false}, value: (u, v) => v == null ? "" : grouped(v)},
				{label: "changes expected", stroke: color("--c3"), width: 2, dash: [6, 4], points: {show: false}, value: (u, v) => v == null ? "" : sig(v)},
				{label: "failed", stroke: color("--c4"), width: 1.5, points: {show: false}, value: (u, v) => v == null ? "" : grouped(v)}],
			time: true,
		};
	},
	ages(f) {
		const labels = f.ages.map(b => b.until_days ? "≤ " + days(b.until_days) : "older");
		return {label: "Copies by age", data: [labels.map((_, i) => i), f.ages.map(b => b.copies || null)], names: labels,
			series: [{label: "age", value: (u, v) => labels[v] || ""}, {label: "copies", stroke: color("--c1"), fill: fill("--c1"), paths: bars(0), points: {show: false}, value: (u, v) => v == null ? "" : grouped(v)}]};
	},
	due(d) {
		const labels = d.buckets.map((b, i) => i === 0 ? "due" : b.until.startsWith("0001") ? "later" : i <= 24 ? "+" + i + " h" : "+" + (i - 24 + 1) + " d");
		return {label: "Pages by due time", data: [labels.map((_, i) => i), d.buckets.map(b => b.pages || null)], names: labels,
			series: [{label: "due within", value: (u, v) => labels[v] || ""}, {label: "pages", stroke: color("--c1"), fill: fill("--c1"), paths: bars(0), points: {show: false}, value: (u, v) => v == null ? "" : grouped(v)}]};
	},
	timeline(f) {
		const e = f.entries.slice().reverse();
		const is = (...of) => e.map(x => of.includes(x.verdict) ? (x.verdict === "unknown" ? 0 : x.p ?? 0) : null);
		const dots = name => ({show: true, size: 9, stroke: color(name), fill: color(name)});
		const none = () => null;
		const value = (u, v) => v == null ? "" : v.toFixed(3);
		return {label: "Visits over time, by what they found and the probability of a change that was given", time: true,
			data: [e.map(x => seconds(x.t)), is("changed"), is("unchanged", "baseline"), is("first"), is("left", "doubted", "unknown")],
			scale: [0, 1], ylabel: "p(changed)",
			series: [{label: "visit (UTC)", value: (u, v) => v == null ? "" : stamp(v * 1000)},
				{label: "changed", stroke: color("--c2"), paths: none, points: dots("--c2"), value},
				{label: "unchanged", stroke: color("--c3"), paths: none, points: dots("--c3"), value},
				{label: "first", stroke: color("--c1"), paths: none, points: dots("--c1"), value},
				{label: "failed or left", stroke: color("--c4"), paths: none, points: dots("--c4"), value}]};
	},
};

// Without a pointer the legend has the values of the last moment, or of the highest bar.
const rest = u => {
	const values = u.data.slice(1), at = u.data[0].map((_, i) => values.some(v => v[i] != null) ? i : -1).filter(i => i >= 0);
	if (!at.length) return;
	const highest = at.reduce((a, b) => (values[0][b] ?? 0) > (values[0][a] ?? 0) ? b : a);
	u.setLegend({idx: u.scales.x.time ? at[at.length - 1] : highest}, false);
};

const drawn = new Map();
const draw = (figure, answer) => {
	const c = charts[figure.dataset.chart](answer);
	const width = figure.clientWidth;
	const grid = {stroke: color("--line"), width: 1}, ticks = {stroke: color("--line"), width: 1, size: 5};
	const axis = {stroke: color("--soft"), grid, ticks, font: "12px system-ui,sans-serif"};
	const names = c.names ? named(c.names) : c.time ? {space: 70, values: (u, at) => at.map((v, i) => { const t = new Date(v * 1000).toISOString(); return t.slice(11, 16) === "00:00" || (i === 0 && at[at.length - 1] - at[0] > 43200) ? t.slice(5, 10) + " " + t.slice(11, 16) : t.slice(11, at[1] - at[0] < 60 ? 19 : 16); })} : {};
	const options = {
		width, height: 260, series: c.series,
		scales: {x: {time: !!c.time, range: c.names ? (u, a, b) => [-0.6, c.names.length - 0.4] : undefined}, y: {range: c.scale ? () => c.scale : (u, a, b) => [0, Math.max(b * 1.08, 1)]}},
		axes: [{...axis, ...names, grid: {show: false}},
			{...axis, size: 62, label: c.ylabel, labelSize: c.ylabel ? 18 : 0, labelFont: "12px system-ui,sans-serif", values: (u, at) => at.map(v => c.scale ? v.toFixed(1) : v >= 10000 ? grouped(v / 1000) + "k" : v.toLocaleString("en-US"))}],
		tzDate: ts => uPlot.tzDate(new Date(ts * 1000), "UTC"),
		legend: {live: true}, cursor: {points: {size: 6}}, padding: [12, 22, 0, 0],
		hooks: {ready: [rest], setCursor: [u => u.cursor.idx == null && rest(u)]},
	};
	const old = drawn.get(figure);
	if (old) old.destroy();
	figure.textContent = "";
	const u = new uPlot(options, c.data, figure);
	u.root.querySelector("canvas").setAttribute("role", "img");
	u.root.querySelector("canvas").setAttribute("aria-label", c.label + ". The table has the values.");
	drawn.set(figure, u);
	figure.answer = answer;
	return u;
};
const load = async figure => {
	try {
		draw(figure, await get(figure.dataset.src));
	} catch (e) {
		if (!drawn.has(figure)) figure.replaceChildren(make("p", "The chart cannot be drawn: " + e.message + ".", "late"));
	}
};
const start = root => {
	for (const figure of root.querySelectorAll("figure.chart")) {
		load(figure);
		if (figure.dataset.chart !== "timeline") setInterval(() => document.hidden || load(figure), 30000);
		new ResizeObserver(() => {
			const u = drawn.get(figure);
			if (u && Math.abs(u.width - figure.clientWidth) > 2) u.setSize({width: figure.clientWidth, height: 260});
		}).observe(figure);
	}
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
	for (const figure of drawn.keys()) draw(figure, figure.answer);
});

// Parts of a page that take longer come later.
const fragments = async root => {
	for (const place of root.querySelectorAll("[data-fragment-url]")) {
		place.setAttribute("aria-busy", "true");
		place.replaceChildren(make("p", "Being looked for …", "late"));
		fetch(place.dataset.fragmentUrl, {headers: {"X-Fragment": "1"}}).then(async r => {
			const text = await r.text();
			if (!r.ok) throw new Error(text);
			show(place, text);
		}).catch(e => place.replaceChildren(make("p", "Not to be had: " + e.message, "late"))).finally(() => place.removeAttribute("aria-busy"));
	}
};
const show = (place, text) => {
	const doc = new DOMParser().parseFromString(text, "text/html");
	place.replaceChildren(...doc.body.childNodes);
	start(place);
	for (const form of place.querySelectorAll("form[data-replace]")) form.addEventListener("submit", async e => {
		e.preventDefault();
		const r = await fetch(form.action + "?" + new URLSearchParams(new FormData(form)), {headers: {"X-Fragment": "1"}});
		show(place, await r.text());
		place.querySelector("select")?.focus();
	});
};

// A list of changes is loaded again when there are more, but not under the hands of who reads it.
let shown = -1, refreshed = 0;
const changed = async total => {
	const place = document.querySelector("[data-refresh]");
	if (shown < 0) shown = total;
	if (!place || total === shown || Date.now() - refreshed < 10000 || document.hidden || place.contains(document.activeElement) || String(getSelection())) return;
	shown = total;
	refreshed = Date.now();
	const r = await fetch(place.dataset.refresh, {headers: {"X-Fragment": "1"}});
	if (r.ok) show(place, await r.text());
};

// Live figures.
const listen = () => {
	const dot = document.getElementById("connection"), text = document.getElementById("connection-text");
	if (!dot || !document.querySelector("[data-live],[data-refresh]")) return;
	const set = (name, value) => {
		for (const e of document.querySelectorAll('[data-live="' + name + '"]')) if (e.textContent !== value) e.textContent = value;
	};
	let last = "";
	const source = new EventSource("/api/v1/events");
	source.onopen = () => { dot.className = "dot live"; text.textContent = "live"; };
	source.onerror = () => { dot.className = "dot lost"; text.textContent = "not reached"; };
	source.addEventListener("end", () => { source.close(); dot.className = "dot"; text.textContent = "ended"; });
	source.addEventListener("now", e => {
		const {now, visits} = JSON.parse(e.data);
		set("per_minute", sig(now.visits_per_minute));
		set("hour_visits", grouped(now.hour.visits));
		set("rate", pct(now.update_rate));
		set("changed", grouped(now.total.changed));
		set("found", grouped(now.total.found));
		set("expected", sig(now.total.expected));
		set("schedule", now.schedule);
		changed(now.total.changed);
		set("made", grouped(now.round.made));
		set("price", sig(now.price));
		set("known", grouped(now.known));
		set("waiting", grouped(now.waiting));
		set("under_way", grouped(now.under_way));
		set("chosen", grouped(now.chosen));
		set("failed", grouped(now.total.failed));
		set("visits", grouped(now.total.visits));
		if (now.round.budget !== null) {
			set("budget", grouped(now.round.budget));
			for (const p of document.querySelectorAll('[data-live="progress"]')) { p.max = Math.max(now.round.budget, 1); p.value = now.round.made; }
		}
		const finding = document.getElementById("finding");
		if (finding && location.pathname === "/health" && finding.textContent !== now.finding) finding.textContent = now.finding;
		const body = document.querySelector("#visits tbody");
		if (!body || !visits.length) return;
		const key = v => v.t + v.url;
		if (key(visits[0]) === last) return;
		const seen = last;
		last = key(visits[0]);
		let fresh = seen !== "";
		body.replaceChildren(...visits.map(v => {
			fresh = fresh && key(v) !== seen;
			return row(v, fresh);
		}));
	});
};
const classes = {changed: "v-changed", first: "v-first", unchanged: "v-unchanged", baseline: "v-unchanged", left: "v-left", doubted: "v-left"};
const shorten = (s, most) => s.length <= most ? s : s.slice(0, Math.floor(most * 2 / 3)) + "…" + s.slice(-Math.floor(most / 3));
const row = (v, fresh) => {
	const tr = make("tr", undefined, fresh ? "fresh" : "");
	tr.append(make("td", v.t.slice(0, 19).replace("T", " "), "when"));
	const found = make("td");
	found.append(make("span", v.verdict === "unknown" ? v.outcome : v.verdict, "tag " + (classes[v.verdict] || "v-failed")));
	if (v.status && v.status !== 200 && v.status !== 304) found.append(" ", make("span", v.status, "soft"));
	const url = make("td", undefined, "url"), a = make("a", shorten(v.url, 90));
	a.href = "/page?url=" + encodeURIComponent(v.url);
	url.append(a);
	if (v.detail) url.append(make("br"), make("span", shorten(v.detail, 140), "soft"));
	tr.append(found, url, make("td", v.probability === null ? "–" : v.probability.toFixed(3), "num"), make("td", grouped(v.ms), "num"), make("td", v.reason, "why"));
	return tr;
};

document.addEventListener("keydown", e => {
	if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input,textarea,select,[contenteditable]")) return;
	e.preventDefault();
	document.getElementById("find").focus();
});
document.addEventListener("DOMContentLoaded", () => {
	const current = document.querySelector(".bar [aria-current]"), nav = document.querySelector(".bar nav");
	if (current) nav.scrollLeft = current.offsetLeft - nav.clientWidth / 2;
 start(document); fragments(document); listen(); });
})();
