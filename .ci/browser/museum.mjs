// A server of loopback with a page that has a style sheet and a picture, and changes at each visit.
// It prints its address.
import {createServer} from "node:http";

let visits = 0;
const answers = {
	"/robots.txt": ["text/plain", () => "User-agent: *\nAllow: /\n"],
	"/style.css": ["text/css", () => `body { margin: 2em; font: 18px/1.5 Georgia, serif; background: #fbf7ef }
		h1 { color: #7a1f1f; border-bottom: 3px solid #c9a227 } img { float: right; margin: 0 0 1em 2em }`],
	"/boat.svg": ["image/svg+xml", () => `<svg xmlns="http://www.w3.org/2000/svg" width="260" height="180">
		<rect width="260" height="180" fill="#cfe6f2"/><path d="M40 120h180l-30 40H70z" fill="#7a1f1f"/>
		<path d="M125 20v95h70z" fill="#fff" stroke="#7a1f1f"/><path d="M0 150h260v30H0z" fill="#2b6f8f"/></svg>`],
	"/": ["text/html; charset=utf-8", () => `<!doctype html><html lang=en><title>Harbour museum</title>
		<link rel=stylesheet href=/style.css><img src=/boat.svg alt="A boat"><h1>Harbour museum</h1>
		<p>The museum keeps boats, nets and the logs of the harbour masters since 1848.</p>
		<p>Now on show: <b>exhibition ${++visits} of the year</b>. Open daily from ten to five.</p>
		<p><a href=/visit>Plan your visit</a></p>`],
	"/visit": ["text/html; charset=utf-8", () => `<!doctype html><title>Visit</title>
		<link rel=stylesheet href=/style.css><h1>Visit</h1><p>Take the ferry to the old quay.</p>`],
};
createServer((request, answer) => {
	const [type, body] = answers[request.url] ?? ["text/plain", () => "none"];
	answer.writeHead(answers[request.url] ? 200 : 404, {"Content-Type": type}).end(body());
}).listen(0, "127.0.0.1", function () { console.log("127.0.0.1:" + this.address().port); });
