// Replays captures in a browser, headless Chromium, with ReplayWeb.page (npm replaywebpage; AGPL: it is
// used here and no part of the program). What each must show is read from the WARC files by warcio.
// All revisits and a sample of the other captures are asked for, octet for octet; of the HTML pages
// among them a sample is opened, and its title and text are compared with those of the captured page.
//
//	node replay.mjs MODULES REPLAYWEB SOURCE SAMPLE FILE...
//	                       MODULES: the directory in which warcio and playwright-core are installed
//	                       REPLAYWEB: the unpacked package replaywebpage
//	                       SOURCE: what ReplayWeb.page opens, a WACZ or a WARC file
//	                       SAMPLE: how many captures that are no revisits, and how many pages
//	                       FILE: the WARC files of which SOURCE was made
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { captures } from './captures.mjs';
import { serve } from './serve.mjs';

const [modules, replayweb, source, sample, ...files] = process.argv.slice(2);
const required = createRequire(modules + '/');
const { WARCParser } = required('warcio');
const { chromium } = required('playwright-core');

const browser = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!browser) {
	console.error('replay: no Chromium is installed');
	process.exit(2);
}

const sum = (bytes) => createHash('sha256').update(bytes).digest('hex');

// every takes n of a list, evenly.
const every = (list, n) => list.filter((_, i) => Math.floor(i * n / list.length) !== Math.floor((i - 1) * n / list.length) || i === 0 && n > 0);

const all = await captures(WARCParser, files);
const moments = new Map();
for (const c of all) moments.set(`${c.url} ${c.ts}`, (moments.get(`${c.url} ${c.ts}`) ?? 0) + 1);
// Left out is what ReplayWeb.page cannot show: one of two captures of an address in a millisecond, bodies
// that are cut, and codings that it does not know.
const proper = all.filter((c) => moments.get(`${c.url} ${c.ts}`) === 1 && c.plain !== undefined && c.cut === '' && !c.beyond);
const revisits = proper.filter((c) => c.kind === 'revisit');
const chosen = [...every(proper.filter((c) => c.kind !== 'revisit'), +sample), ...revisits];
const faults = [];
const counted = { bodies: 0, revisits: 0, 'not modified': 0, moved: 0, pages: 0 };

const server = await serve(replayweb, source);
const base = `http://127.0.0.1:${server.address().port}`;
const chrome = await chromium.launch({ executablePath: browser, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
try {
	const context = await chrome.newContext();
	const tab = await context.newPage();
	// The interface of ReplayWeb.page opens the source; a frame in it shows the page.
	const first = revisits.at(-1) ?? chosen[0];
	await tab.goto(`${base}/?source=${encodeURIComponent(`${base}/${basename(source)}`)}#view=pages&url=${encodeURIComponent(first.url)}&ts=${first.ts}`);
	let prefix;
	for (const until = Date.now() + 120_000; !prefix; await tab.waitForTimeout(50)) {
		prefix = tab.frames().map((f) => /^(.*\/w\/[^/]+(\/:[0-9a-f]+)?)\/\d+(mp_)?\//.exec(f.url())?.[1]).find(Boolean);
		if (Date.now() > until) throw new Error(`ReplayWeb.page did not open ${source}: ${await tab.evaluate(() => document.body.innerText)}`);
	}
	// What is asked for from a tab of that origin is answered by its service worker.
	const asking = await context.newPage();
	await asking.goto(base + '/');
	await asking.waitForFunction(() => navigator.serviceWorker.controller !== null);
	for (const c of chosen) {
		const got = await asking.evaluate(async (address) => {
			const answer = await fetch(address, { redirect: 'manual' });
			const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await answer.arrayBuffer()));
			return { status: answer.status, kind: answer.type, sum: Array.from(digest, (b) => b.toString(16).padStart(2, '0')).join('') };
		}, `${prefix}/${c.ts}id_/${c.url}`);
		const moved = c.location !== '' && c.status >= 300 && c.status < 400;
		if (moved ? got.kind !== 'opaqueredirect' && got.status !== c.status : got.status !== c.status || got.sum !== sum(c.plain)) {
			faults.push(`${c.url} at ${c.ts} (${c.kind}, ${c.profile ?? c.status}): ${got.status} ${got.kind}, ${got.sum.slice(0, 12)}, want ${c.status}, ${sum(c.plain).slice(0, 12)} ${c.plain.length} octets ${c.coding}`);
		}
		counted[moved ? 'moved' : 'bodies']++;
		if (c.kind === 'revisit') counted.revisits++;
		if (c.profile) counted[c.profile]++;
	}
	const pages = proper.filter((c) => c.status === 200 && /html/.test(c.type));
	const old = pages.filter((c) => c.kind === 'revisit');
	for (const c of [...every(pages.filter((c) => c.kind !== 'revisit'), +sample / 2), ...every(old, +sample / 2)]) {
		const got = await asking.evaluate(async ([address, page]) => {
			const frame = document.body.appendChild(document.createElement('iframe'));
			await new Promise((ready) => Object.assign(frame, { onload: ready, src: address }));
			// What scripts, and what is for browsers without them, is no text of either.
			const text = (d) => {
				d = d.cloneNode(true);
				d.querySelectorAll('script, style, noscript, template, iframe').forEach((e) => e.remove());
				return [d.title, d.body?.textContent ?? ''].map((s) => s.replace(/\s+/g, ' ').trim());
			};
			const shown = text(frame.contentDocument);
			frame.remove();
			return { shown, captured: text(new DOMParser().parseFromString(page, 'text/html')) };
		}, [`${prefix}/${c.ts}mp_/${c.url}`, new TextDecoder(/charset=([\w-]+)/i.exec(c.type)?.[1] ?? 'utf-8').decode(c.plain)]);
		counted.pages++;
		for (const i of [0, 1]) {
			if (got.shown[i] !== got.captured[i]) {
				const at = [...got.captured[i]].findIndex((x, k) => x !== got.shown[i][k]);
				faults.push(`${c.url} at ${c.ts} (${c.kind}) shows ${JSON.stringify(got.shown[i].slice(Math.max(at - 20, 0), at + 80))}, want ${JSON.stringify(got.captured[i].slice(Math.max(at - 20, 0), at + 80))}`);
			}
		}
	}
} finally {
	await chrome.close();
	server.close();
}
console.log(`replay: ${counted.bodies} bodies and ${counted.moved} redirects are as captured, ${counted.revisits} of them revisits (${counted['not modified']} not modified; ` +
	`all ${revisits.length} that can be asked for); ${counted.pages} pages are shown as captured; ` +
	`${all.length - proper.length} captures are left out: cut, of a coding that it does not know, or two in a millisecond`);
if (faults.length > 0) {
	console.error(faults.slice(0, 20).join('\n'));
	console.error(`replay: ${faults.length} faults`);
	process.exit(1);
}
if (counted.bodies === 0 || counted.pages === 0) {
	console.error('replay: nothing was replayed');
	process.exit(1);
}
