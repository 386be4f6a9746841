// A server of loopback with some pages that change at each visit, some that do not, and one that
// fails. It prints its address.
import {createServer} from "node:http";

const text = "<p>Some words of a page that is kept.</p>\n".repeat(50);
let visits = 0;
const answers = {
	"/": () => ["same", "other", "docs/", "down", "gone"].map(p => `<a href=/${p}>${p}</a>\n`).join(""),
	"/same": () => text,
	"/other": () => `<p>Visit ${++visits}.</p>${text}`,
	"/docs/": () => [1, 2, 3].map(p => `<a href=/docs/${p}>${p}</a>\n`).join("") + ++visits,
	"/docs/1": () => text + ++visits, "/docs/2": () => text + ++visits, "/docs/3": () => text,
};
const server = createServer((request, answer) => {
	answer.setHeader("Content-Type", request.url === "/robots.txt" ? "text/plain" : "text/html; charset=utf-8");
	if (request.url === "/robots.txt") return answer.end("User-agent: *\nAllow: /\n");
	if (request.url === "/down") answer.statusCode = 500;
	else if (!answers[request.url]) answer.statusCode = 404;
	answer.end((answers[request.url] ?? (() => "none"))());
});
server.listen(0, "127.0.0.1", () => console.log("127.0.0.1:" + server.address().port));
