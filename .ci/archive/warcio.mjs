// Reads WARC files with warcio (npm) and recomputes every digest. Prints a line for each record:
// type, ID, octets of the block, SHA-1 of the block, SHA-1 of the payload, "chunked" or "-". Its sums of digests
// are node's. Fails if a digest is wrong or missing, or a revisit names what is not there.
//
//	node warcio.mjs MODULES FILE...     MODULES: the directory in which warcio is installed
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { unchunked } from './captures.mjs';

const [modules, ...files] = process.argv.slice(2);
const { WARCParser } = createRequire(modules + '/')('warcio');

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'; // RFC 4648, 6

function base32(bytes) {
	const bits = Array.from(bytes, (b) => b.toString(2).padStart(8, '0')).join('');
	return bits.match(/.{1,5}/g).map((five) => alphabet[parseInt(five.padEnd(5, '0'), 2)]).join('');
}

const digest = (bytes) => 'sha1:' + base32(createHash('sha1').update(bytes).digest());

const faults = [];
const bodies = new Map(); // "address date" -> payload digest, of all responses
const revisits = [];
const sums = { records: 0, block: 0, payload: 0, revisits: 0 };

// blocks reads the blocks as they are: whatever is not HTTP is not touched.
async function blocks(file) {
	const all = [];
	for await (const record of new WARCParser(createReadStream(file), { parseHttp: false })) {
		const block = await record.readFully(false);
		const found = digest(block);
		const where = `${file} at ${all.length}, ${record.warcType} ${record.warcTargetURI ?? ''}`;
		if (record.warcBlockDigest !== found) {
			faults.push(`${where}: block digest is ${found}, the record says ${record.warcBlockDigest}`);
		}
		sums.block++;
		all.push({ where, length: block.length, digest: found });
	}
	return all;
}

// payload is the body of an answer without chunks, with its content coding (WARC 1.1, 5.9).
async function payload(record) {
	const body = await record.readFully(false);
	const coding = record.httpHeaders?.headers.get('Transfer-Encoding') ?? '';
	if (!/chunked/i.test(coding)) {
		return body;
	}
	return unchunked(Buffer.from(body));
}

for (const file of files) {
	const all = await blocks(file);
	let n = 0;
	for await (const record of new WARCParser(createReadStream(file))) {
		const { where, length, digest: block } = all[n++];
		let found = '-';
		const at = `${record.warcTargetURI} ${record.warcDate}`;
		const said = record.warcPayloadDigest;
		if (record.warcType === 'response') {
			found = digest(await payload(record));
			if (said !== found && !(said === null && length === 0)) {
				faults.push(`${where}: payload digest is ${found}, the record says ${said}`);
			}
			sums.payload++;
			bodies.set(at, found);
		} else if (record.warcType === 'revisit') {
			const profile = record.warcHeader('WARC-Profile') ?? '';
			revisits.push({ where, said, to: `${record.warcRefersToTargetURI} ${record.warcRefersToDate}`, same: profile.endsWith('/identical-payload-digest') });
		}
		const chunked = /chunked/i.test(record.httpHeaders?.headers.get('Transfer-Encoding') ?? '');
		console.log(record.warcType, record.warcHeader('WARC-Record-ID'), length, block, chunked ? 'chunked' : found);
	}
	if (n !== all.length) {
		faults.push(`${file}: ${all.length} records, but ${n} when their blocks are read as HTTP`);
	}
	sums.records += n;
}
for (const { where, said, to, same } of revisits) {
	sums.revisits++;
	if (!bodies.has(to)) {
		faults.push(`${where}: refers to ${to}, which is not there`);
	} else if (same && bodies.get(to) !== said) {
		faults.push(`${where}: says ${said}, but ${to} has ${bodies.get(to)}`);
	}
}
console.error(`warcio: ${sums.records} records; recomputed ${sums.block} digests of blocks, ${sums.payload} of payloads; ${sums.revisits} revisits have the record that they name`);
if (faults.length > 0) {
	console.error(faults.slice(0, 20).join('\n'));
	console.error(`warcio: ${faults.length} faults`);
	process.exit(1);
}
if (sums.records === 0) {
	console.error('warcio: no record was read');
	process.exit(1);
}
