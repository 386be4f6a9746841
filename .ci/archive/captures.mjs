// What WARC files hold, as warcio reads them: every answer and revisit, each with the body that it means.
import { createReadStream } from 'node:fs';
import zlib from 'node:zlib';

// stamp is a moment to the millisecond, as ReplayWeb.page counts.
const stamp = (date) => date.replace(/\D/g, '').slice(0, 17).padEnd(17, '0');

// unchunked is a body without its chunks (RFC 9112, 7.1): extensions and trailers are no part of it, and
// what is cut ends where it is cut. warcio takes trailers for a part of the body.
export function unchunked(body) {
	const pieces = [];
	for (let at = 0; ; ) {
		const end = body.indexOf('\r\n', at);
		const size = /^[0-9a-f]+/i.exec(body.subarray(at, end < 0 ? at : end).toString('latin1'));
		if (size === null || Number.parseInt(size[0], 16) === 0) return Buffer.concat(pieces);
		at = end + 2 + Number.parseInt(size[0], 16);
		pieces.push(body.subarray(end + 2, at));
		at += 2;
	}
}

// plain undoes the content codings; undefined if one is unknown.
function plain(body, coding) {
	for (const name of coding.toLowerCase().split(',').map((s) => s.trim()).filter(Boolean).reverse()) {
		if (/^(x-)?gzip$/.test(name)) {
			if (body.length === 0 || body[0] !== 0x1f) continue; // as browsers do
			body = zlib.gunzipSync(body);
		} else if (name === 'br') {
			body = zlib.brotliDecompressSync(body);
		} else if (name !== 'identity') { // of others ReplayWeb.page knows nothing either
			return undefined;
		}
	}
	return body;
}

// captures reads WARC files. The body of a capture is without its chunks: sent has its content coding,
// plain has not, and is undefined if that cannot be undone. A capture of "not modified" (profile) has
// status, type and coding of what it means.
export async function captures(WARCParser, files) {
	const all = [];
	const bodies = new Map(); // "address date" -> capture
	for (const file of files) {
		for await (const record of new WARCParser(createReadStream(file))) {
			const kind = record.warcType;
			const url = record.warcTargetURI;
			if (kind !== 'response' && kind !== 'revisit') continue;
			const header = (name) => record.httpHeaders?.headers.get(name) ?? '';
			const c = { url, date: record.warcDate, ts: stamp(record.warcDate), kind, status: record.httpHeaders?.statusCode ?? 0,
				to: `${record.warcRefersToTargetURI} ${record.warcRefersToDate}`, type: header('Content-Type'), location: header('Location'),
				cut: record.warcHeader('WARC-Truncated') ?? '' };
			if (kind === 'response') {
				c.sent = Buffer.from(await record.readFully(false));
				if (/chunked/i.test(header('Transfer-Encoding'))) {
					// It knows no extensions of chunks, and takes trailers for text.
					c.beyond = header('Trailer') !== '' || /^[0-9a-f]+[ \t]*;/i.test(c.sent.subarray(0, 80).toString('latin1'));
					c.sent = unchunked(c.sent);
				}
				c.coding = header('Content-Encoding');
				try {
					c.plain = plain(c.sent, c.coding);
				} catch {
					c.plain = undefined; // what is cut has no end
				}
				bodies.set(`${url} ${c.date}`, c);
			}
			all.push(c);
		}
	}
	for (const c of all.filter((c) => c.kind === 'revisit')) {
		const from = bodies.get(c.to);
		if (!from) throw new Error(`${c.url} at ${c.date} refers to ${c.to}, which is not there`);
		[c.sent, c.plain] = [from.sent, from.plain];
		c.coding = from.coding;
		if (c.status === 304) [c.status, c.type, c.profile] = [from.status, from.type, 'not modified'];
	}
	return all;
}

