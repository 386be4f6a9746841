import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, extname, join } from 'node:path';

// serve is a web server for ReplayWeb.page and the source, with ranges.
export function serve(replayweb, source) {
	const types = { '.html': 'text/html', '.js': 'text/javascript' };
	const server = createServer((request, response) => {
		const path = new URL(request.url, 'http://localhost').pathname;
		const file = path === '/' + basename(source) ? source : join(replayweb, path === '/' ? 'index.html' : path);
		if (!existsSync(file) || !statSync(file).isFile()) {
			response.writeHead(404).end();
			return;
		}
		const size = statSync(file).size;
		const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '');
		let [first, last] = [0, size - 1];
		if (range && range[1] !== '') [first, last] = [+range[1], range[2] === '' ? last : Math.min(+range[2], last)];
		else if (range) first = Math.max(size - +range[2], 0);
		response.writeHead(range ? 206 : 200, { 'Content-Type': types[extname(file)] ?? 'application/octet-stream', 'Accept-Ranges': 'bytes',
			'Content-Length': Math.max(last - first + 1, 0), ...(range && { 'Content-Range': `bytes ${first}-${last}/${size}` }) });
		if (request.method === 'HEAD' || size === 0) response.end();
		else createReadStream(file, { start: first, end: last }).pipe(response);
	});
	return new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(server)));
}
