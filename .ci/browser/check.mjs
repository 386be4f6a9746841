// Drives the dashboard with a browser: every page, light and dark, wide and as narrow as a phone, has no
// violation that axe-core finds, no error of scripts, and nothing that stands out at the side; changes
// come with their words and a feed, and keys, live figures, charts with values in their legends, parts
// that come later and forms work.
//   node check.mjs DIRECTORY-OF-NODE_MODULES BROWSER ADDRESS-OF-DASHBOARD ADDRESS-OF-PAGE
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";

const [modules, executablePath, base, page] = process.argv.slice(2);
const require = createRequire(modules + "/node_modules/");
const {chromium} = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const server = new URL(page).host;
const pages = ["/", "/health", "/freshness", "/due", "/servers", "/servers/" + server, "/servers/" + server + "/sites", "/page?url=" + encodeURIComponent(page), "/plan", "/hints", "/journal"];

let failures = 0;
const must = (holds, what) => {
	if (holds) return;
	failures++;
	console.error("not so: " + what);
};
const settled = tab => tab.waitForFunction(() => !document.querySelector("[aria-busy]") && [...document.querySelectorAll("figure.chart")].every(f => f.children.length > 0));

const browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});
const open = async (path, options) => {
	const context = await browser.newContext({viewport: {width: 1280, height: 900}, ...options});
	const tab = await context.newPage();
	tab.on("pageerror", e => must(false, path + ": " + e));
	tab.on("console", m => must(m.type() !== "error", path + ": " + m.text()));
	await tab.goto(base + path);
	await settled(tab);
	return tab;
};

for (const colorScheme of ["light", "dark"]) for (const width of [1280, 390]) for (const path of pages) {
	// The library is put in past the policy of the page, which forbids it rightly.
	const tab = await open(path, {viewport: {width, height: 900}, colorScheme, bypassCSP: true});
	await tab.addScriptTag({content: axe});
	const found = await tab.evaluate(async () => (await window.axe.run(document)).violations.map(v => v.id + " " + v.nodes.map(n => n.target.join(" ")).join(", ")));
	must(found.length === 0, `${path}, ${colorScheme}, ${width}: ${found.join("; ")}`);
	const beyond = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
	must(beyond <= 0, `${path}, ${width}: ${beyond} pixels beyond the side`);
	await tab.context().close();
}
{
	const tab = await open("/");
	await tab.keyboard.press("Tab");
	must(await tab.evaluate(() => document.activeElement.textContent) === "Skip to content", "the first stop of the keyboard skips to the content");
	await tab.keyboard.press("/");
	must(await tab.evaluate(() => document.activeElement.id) === "find", "/ goes to the search");
	await tab.waitForFunction(() => document.getElementById("connection-text").textContent === "live");
	must(await tab.locator(".changes .words ins").count() > 0, "the first page has the words that differ");
	const feed = await tab.request.get(base + await tab.getByRole("link", {name: "Feed of changes (Atom)"}).getAttribute("href"));
	must(feed.ok() && /<content type="text">.*{\+/.test(await feed.text()), "the feed has them, too");
	await tab.goto(base + "/health");
	await settled(tab);
	await tab.keyboard.press("/");
	const visits = () => tab.textContent('[data-live="visits"]');
	const first = await visits();
	await tab.waitForFunction(was => document.querySelector('[data-live="visits"]').textContent !== was, first, {timeout: 30000});
	must(await tab.locator("figure.chart canvas").count() === 1, "the chart is drawn");
	const legend = await tab.locator(".u-legend .u-value").allTextContents();
	must(legend.length > 1 && legend.every(v => v.trim() && v !== "--"), "its legend has values: " + legend);
	await tab.keyboard.type(page);
	await tab.keyboard.press("Enter");
	await tab.waitForURL(/\/page\?url=/);
	await settled(tab);
	must(await tab.locator("table caption", {hasText: "Its visits"}).count() === 1, "the visits of a page come");
	must(await tab.locator(".diff ins").count() > 0, "what changed last comes");
	await tab.getByRole("button", {name: "Visit now"}).click();
	must(/1 page will be visited/.test(await tab.textContent("[role=status]")), "a hint is taken");
	await tab.goto(base + "/servers");
	await tab.getByRole("link", {name: "pages", exact: true}).click();
	must(await tab.locator('th[aria-sort="descending"]').textContent() === "pages", "a list is sorted");
	await tab.context().close();
}
{
	const tab = await open("/servers/" + server, {javaScriptEnabled: true});
	await tab.getByLabel("Divided by method").selectOption("b");
	const divided = tab.waitForResponse(r => /\/sites\?method=b$/.test(r.url()));
	await tab.getByRole("button", {name: "Divide"}).click();
	must((await divided).ok(), "a server is divided by another method");
	await tab.context().close();
}
{
	const context = await browser.newContext({javaScriptEnabled: false});
	const tab = await context.newPage();
	await tab.goto(base + "/page?url=" + encodeURIComponent(page));
	await tab.getByRole("link", {name: "Show its visits from the journal"}).click();
	must(await tab.locator("table caption", {hasText: "Its visits"}).count() === 1, "without scripts the parts are pages");
	await context.close();
}
await browser.close();
console.log(`${pages.length} pages, ${failures} failures`);
process.exit(failures ? 1 : 0);
