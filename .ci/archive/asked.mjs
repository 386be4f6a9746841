// Asks recrawl replay for every capture by its moment, and compares what it answers with what warcio reads:
// status, type, content coding and body, octet for octet.
//
//	node asked.mjs MODULES ADDRESS FILE...     ADDRESS: at which recrawl replay listens, as http://127.0.0.1:8088
import { Agent, get } from 'node:http';
import { createRequire } from 'node:module';
import { captures } from './captures.mjs';

const [modules, base, ...files] = process.argv.slice(2);
const { WARCParser } = createRequire(modules + '/')('warcio');
const agent = new Agent({ keepAlive: true });

const ask = (address) => new Promise((answer, fail) => get(address, { agent }, (response) => {
	const pieces = [];
	response.on('data', (piece) => pieces.push(piece)).on('error', fail);
	response.on('end', () => answer({ status: response.statusCode, headers: response.headers, body: Buffer.concat(pieces) }));
}).on('error', fail));

const all = await captures(WARCParser, files);
const moment = (c) => `${c.ts.slice(0, 14)}id_/${c.url}`;
const count = new Map();
for (const c of all) count.set(moment(c), (count.get(moment(c)) ?? 0) + 1);
const faults = [];
let [same, revisits] = [0, 0];
for (const c of all.filter((c) => count.get(moment(c)) === 1)) { // others have no moment of their own
	const got = await ask(`${base}/web/${moment(c)}`);
	const moved = c.location !== '' && c.status >= 300 && c.status < 400;
	if (got.status !== c.status || !got.body.equals(c.sent) || (got.headers['content-encoding'] ?? '') !== c.coding ||
		c.type !== '' && got.headers['content-type'] !== c.type || moved && !got.headers.location?.startsWith('/web/' + c.ts.slice(0, 14))) {
		faults.push(`${c.url} at ${c.ts} (${c.kind}, ${c.profile ?? c.status}): ${got.status}, ${got.body.length} octets, ${JSON.stringify(got.headers)}; want ${c.status}, ${c.sent.length} octets`);
		continue;
	}
	same++;
	if (c.kind === 'revisit') revisits++;
}
agent.destroy();
console.log(`recrawl replay: ${same} of ${all.length} captures are answered as they were captured, ${revisits} of them revisits; ` +
	`${all.length - same - faults.length} share their second with another of their address`);
if (faults.length > 0 || same === 0) {
	console.error(faults.slice(0, 20).join('\n'));
	console.error(`recrawl replay: ${faults.length} faults`);
	process.exit(1);
}
