// A server of loopback with some pages that change at each visit, some that do not, and one that
// fails. It prints its address.
import {createServer} from "node:http";

const page = (title, text) => `<!doctype html><html lang=en><title>${title}</title><h1>${title}</h1>
	<p>${text}</p><p>The harbour museum keeps boats, nets and the logs of the harbour masters since 1848.</p>`;
const shows = ["boats of the north", "nets and knots", "storms of a century", "the logs of the harbour masters"];
let visits = 0;
const answers = {
	"/": () => page("Harbour museum", ["same", "other", "docs/", "down", "gone"].map(p => `<a href=/${p}>${p}</a>`).join("\n")),
	"/same": () => page("About us", "Since 1848."),
	"/other": () => page("Tickets", `Today ${++visits * 7} tickets were sold, ${visits} of them to children.`),
	"/docs/": () => page("News", `Now on show: ${shows[++visits % 4]}. ` + [1, 2, 3].map(p => `<a href=/docs/${p}>${p}</a>`).join(" ")),
	"/docs/1": () => page("Ferry", `The next boat leaves the old quay at ${9 + ++visits % 9}:${10 + visits % 50}, and returns an hour later.`),
	"/docs/2": () => page("Exhibitions", `The room on the first floor shows ${shows[++visits % 4]}, until ${1 + visits % 30} June.`),
	"/docs/3": () => page("How to find us", "Take the ferry to the old quay."),
};
const server = createServer((request, answer) => {
	answer.setHeader("Content-Type", request.url === "/robots.txt" ? "text/plain" : "text/html; charset=utf-8");
	if (request.url === "/robots.txt") return answer.end("User-agent: *\nAllow: /\n");
	if (request.url === "/down") answer.statusCode = 500;
	else if (!answers[request.url]) answer.statusCode = 404;
	answer.end((answers[request.url] ?? (() => "none"))());
});
server.listen(0, "127.0.0.1", () => console.log("127.0.0.1:" + server.address().port));
