// Shows pages live, in recrawl replay and in ReplayWeb.page, in headless Chromium, and compares: of what the
// live page asks for at least 95 % must be served from the archive, and the pictures must be alike (SSIM of at
// least 0.98). Reads the pages as JSON: [{week, url, at}].
//
//	node looks.mjs MODULES LIVE REPLAY WACZ <pages.json
//	                       MODULES: the directory in which playwright-core and, unpacked as package, replaywebpage are
//	                       LIVE: host:port of the live web; /week?N there shows week N
//	                       REPLAY: address of recrawl replay
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { serve } from './serve.mjs';

const [modules, live, replay, wacz] = process.argv.slice(2);
const { chromium } = createRequire(modules + '/')('playwright-core');
const pages = JSON.parse(readFileSync(0, 'utf8'));
const browser = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const leastServed = 0.95, leastAlike = 0.98;
const size = { width: 900, height: 800 };
const quiet = '*, ::before, ::after { animation: none !important; transition: none !important; caret-color: transparent !important; }';

// alike is the structural similarity of two pictures (Wang et al. 2004): the mean over windows of 8 by 8, of grey.
const alike = (tab, one, other) => tab.evaluate(async (pictures) => {
	const grey = async (picture) => {
		const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + picture)).blob());
		const canvas = new OffscreenCanvas(image.width, image.height), c = canvas.getContext('2d');
		c.drawImage(image, 0, 0);
		const { data } = c.getImageData(0, 0, image.width, image.height);
		const at = new Float32Array(image.width * image.height);
		for (let i = 0; i < at.length; i++) at[i] = 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2];
		return { width: image.width, height: image.height, at };
	};
	const [a, b] = [await grey(pictures[0]), await grey(pictures[1])];
	if (a.width !== b.width || a.height !== b.height) return -1;
	const c1 = (0.01 * 255) ** 2, c2 = (0.03 * 255) ** 2, n = 64;
	let sum = 0, windows = 0;
	for (let y = 0; y + 8 <= a.height; y += 4) for (let x = 0; x + 8 <= a.width; x += 4) {
		let sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
		for (let j = 0; j < 8; j++) for (let i = 0; i < 8; i++) {
			const at = (y + j) * a.width + x + i, p = a.at[at], q = b.at[at];
			sa += p; sb += q; saa += p * p; sbb += q * q; sab += p * q;
		}
		const ma = sa / n, mb = sb / n, va = saa / n - ma * ma, vb = sbb / n - mb * mb, cov = sab / n - ma * mb;
		sum += ((2 * ma * mb + c1) * (2 * cov + c2)) / ((ma * ma + mb * mb + c1) * (va + vb + c2));
		windows++;
	}
	return sum / windows;
}, [one, other]);

const settle = async (frame) => {
	await frame.evaluate(() => Promise.all([document.fonts.ready, ...[...document.images].map((i) => i.complete ? 0 : new Promise((done) => { i.onload = i.onerror = done; }))]).then(() => new Promise((done) => setTimeout(done, 150))));
};

// shoot is a picture of a part of a tab, as base64. What playwright does before it takes one needs seconds in a
// sandbox. The first one may come before all is painted.
const shoot = async (tab, box) => {
	const session = await tab.context().newCDPSession(tab);
	const clip = { ...box, scale: 1 };
	await session.send('Page.captureScreenshot', { clip });
	await tab.waitForTimeout(200);
	const { data } = await session.send('Page.captureScreenshot', { clip });
	await session.detach();
	return data;
};

const chrome = await chromium.launch({ executablePath: browser, args: ['--no-sandbox', '--disable-dev-shm-usage', `--host-resolver-rules=MAP *.example ${live}`] });
const server = await serve(join(modules, 'package'), wacz);
const base = `http://127.0.0.1:${server.address().port}`;
const faults = [];
const results = { 'recrawl replay': [], 'ReplayWeb.page': [] };
try {
	const judge = await (await chrome.newContext({ bypassCSP: true })).newPage();
	// Whatever a page of an archive asks for, nothing reaches the live web.
	const kept = await chrome.newContext({ viewport: size });
	const escaped = [];
	kept.on('request', (r) => { if (new URL(r.url()).hostname.endsWith('.example')) escaped.push(r.url()); });
	const first = await kept.newPage();
	await first.goto(`${base}/?source=${encodeURIComponent(`${base}/${basename(wacz)}`)}#view=pages&url=${encodeURIComponent(pages[0].url)}&ts=${pages[0].at}`);
	let prefix;
	for (const until = Date.now() + 120_000; !prefix; await first.waitForTimeout(50)) {
		prefix = first.frames().map((f) => /^(.*\/w\/[^/]+(\/:[0-9a-f]+)?)\/\d+(mp_)?\//.exec(f.url())?.[1]).find(Boolean);
		if (Date.now() > until) throw new Error(`ReplayWeb.page did not open ${wacz}`);
	}
	const foreign = await kept.newPage();
	await foreign.goto(base + '/');
	await foreign.waitForFunction(() => navigator.serviceWorker.controller !== null);

	for (const page of pages) {
		await fetch(`http://${live}/week?${page.week}`);
		// The frame below the banner says how large the page is shown.
		const served = new Map();
		const note = (r) => {
			const m = /\/in\/[A-Z2-7]+\/\d+\/(.*)$/.exec(r.url());
			if (m) served.set(m[1], r.status());
		};
		const inReplay = await kept.newPage(); // a tab that shows another page before is at times not painted whole
		inReplay.on('response', note);
		await inReplay.goto(`${replay}/web/${page.at}/${page.url}`);
		const frame = inReplay.frames()[1];
		await frame.waitForLoadState('load');
		await settle(frame);
		const box = await inReplay.locator('iframe').boundingBox();
		await inReplay.bringToFront();
		const shot = await shoot(inReplay, box);
		const drawn = await frame.locator('canvas').count();
		await inReplay.close();

		const whole = { x: 0, y: 0, width: Math.round(box.width), height: Math.round(box.height) };
		const context = await chrome.newContext({ viewport: whole });
		const tab = await context.newPage();
		const asked = new Set();
		tab.on('request', (r) => { if (r.url() !== page.url) asked.add(r.url()); });
		await tab.goto(page.url);
		await tab.addStyleTag({ content: quiet });
		await settle(tab.mainFrame());
		const picture = (await tab.screenshot({ animations: 'disabled' })).toString('base64');
		await context.close();
		const have = [...asked].filter((url) => served.get(url) === 200);
		results['recrawl replay'].push({ ...page, asked: asked.size, served: have.length, alike: await alike(judge, picture, shot), drawn,
			missing: [...asked].filter((url) => !have.includes(url)) });

		await foreign.bringToFront();
		await foreign.setViewportSize(whole);
		const statuses = await foreign.evaluate(async ([address, style]) => {
			document.body.innerHTML = '';
			document.body.style.margin = 0;
			const f = document.body.appendChild(document.createElement('iframe'));
			f.style.cssText = 'position:fixed;inset:0;border:0;width:100%;height:100%;z-index:9';
			await new Promise((ready) => Object.assign(f, { onload: ready, src: address }));
			const d = f.contentDocument;
			d.head.appendChild(d.createElement('style')).textContent = style;
			await Promise.all([d.fonts.ready, ...[...d.images].map((i) => i.complete ? 0 : new Promise((done) => { i.onload = i.onerror = done; }))]);
			await new Promise((done) => setTimeout(done, 150));
			return f.contentWindow.performance.getEntriesByType('resource').map((e) => [e.name, e.responseStatus]);
		}, [`${prefix}/${page.at}mp_/${page.url}`, quiet]);
		const known = new Map(statuses.map(([name, status]) => [name.replace(/^.*?\/\d+[a-z]{2}_\/(\/\/)?/, (_, slashes) => slashes ? 'http://' : ''), status]));
		const there = [...asked].filter((url) => known.get(url) === 200);
		results['ReplayWeb.page'].push({ ...page, asked: asked.size, served: there.length, alike: await alike(judge, picture, (await foreign.screenshot({ animations: 'disabled' })).toString('base64')),
			missing: [...asked].filter((url) => !there.includes(url)).map((url) => `${url} ${known.get(url)}`) });
	}
	if (escaped.length > 0) faults.push(`asked of the live web: ${escaped.slice(0, 5).join(' ')}`);
	if (results['recrawl replay'].some((r) => r.drawn !== 1)) faults.push('recrawl replay: a script did not draw');
	for (const [name, all] of Object.entries(results)) {
		const [served, asked] = [all.reduce((n, r) => n + r.served, 0), all.reduce((n, r) => n + r.asked, 0)];
		const worst = all.reduce((a, b) => a.alike < b.alike ? a : b);
		const mean = all.reduce((n, r) => n + r.alike, 0) / all.length;
		console.log(`${name}: ${all.length} pages; ${served} of ${asked} requisites served (${(100 * served / asked).toFixed(1)} %); SSIM ${mean.toFixed(4)} in the mean, ${worst.alike.toFixed(4)} at least (${worst.url}, week ${worst.week})`);
		if (!(served >= leastServed * asked) || asked === 0) faults.push(`${name}: ${JSON.stringify([...new Set(all.flatMap((r) => r.missing))].slice(0, 10))} are not served`);
		for (const r of all.filter((r) => !(r.alike >= leastAlike))) faults.push(`${name}: ${r.url} in week ${r.week} is not alike: ${r.alike}; not served: ${r.missing.join(' ')}`);
	}
} finally {
	await chrome.close();
	server.close();
}
if (faults.length > 0) {
	console.error(faults.slice(0, 30).join('\n'));
	console.error(`looks: ${faults.length} faults`);
	process.exit(1);
}
