// What runs before a page of the archive does: it leads the addresses that scripts make to captures,
// and stands in for what a sandbox takes away. It is asked for with the page's address and prefix.
(() => {
	'use strict';
	const own = document.currentScript;
	const {base, prefix, inside} = own.dataset;
	own.remove();
	const lead = (address) => {
		const text = String(address);
		if (text.startsWith(prefix) || /^(data|blob|javascript|about):/i.test(text)) return address;
		try {
			let to = new URL(text, base);
			if (to.protocol !== 'http:' && to.protocol !== 'https:') return address;
			if (to.host === location.host) {
				if (to.pathname.startsWith(inside)) return address;
				to = new URL(to.pathname + to.search, base); // it was made of where the page seems to be
			}
			return prefix + to.href;
		} catch {
			return address;
		}
	};
	const leadSet = (list) => String(list).replace(/(^|,\s+|,(?=\S+\s))\s*([^\s,][^\s]*[^\s,])/g, (_, before, address) => before + lead(address));
	const kinds = {
		src: [HTMLImageElement, HTMLScriptElement, HTMLSourceElement, HTMLMediaElement, HTMLIFrameElement, HTMLEmbedElement, HTMLInputElement, HTMLTrackElement],
		href: [HTMLLinkElement], srcset: [HTMLImageElement, HTMLSourceElement], poster: [HTMLVideoElement], data: [HTMLObjectElement],
	};
	const led = (name) => name === 'srcset' ? leadSet : lead;
	for (const [name, types] of Object.entries(kinds)) {
		for (const type of types) {
			const was = Object.getOwnPropertyDescriptor(type.prototype, name);
			if (!was?.set) continue;
			Object.defineProperty(type.prototype, name, {...was, set(value) { was.set.call(this, led(name)(value)); }});
		}
	}
	const isLed = (element, name) => kinds[name]?.some((type) => element instanceof type);
	const setAttribute = Element.prototype.setAttribute;
	Element.prototype.setAttribute = function (name, value) {
		const key = String(name).toLowerCase();
		return setAttribute.call(this, name, isLed(this, key) ? led(key)(value) : value);
	};
	// What comes as text, as of innerHTML, is led when it is there.
	new MutationObserver((changes) => {
		for (const change of changes) for (const node of change.addedNodes) {
			if (!(node instanceof Element)) continue;
			for (const element of [node, ...node.querySelectorAll('*')]) for (const name of Object.keys(kinds)) {
				const value = isLed(element, name) && element.getAttribute(name);
				if (value && led(name)(value) !== value) setAttribute.call(element, name, led(name)(value));
			}
		}
	}).observe(document, {childList: true, subtree: true});
	const {fetch} = window;
	window.fetch = (what, how) => fetch(what instanceof Request ? new Request(lead(what.url), what) : lead(what), how);
	const {open} = XMLHttpRequest.prototype;
	XMLHttpRequest.prototype.open = function (method, address, ...rest) { return open.call(this, method, lead(address), ...rest); };
	for (const name of ['pushState', 'replaceState']) {
		const was = history[name].bind(history);
		history[name] = (state, title) => { try { was(state, title); } catch { /* the address stays */ } };
	}
	// A document without an origin has none of these, and scripts that look for them would end.
	const stands = (on, name, value) => { try { Object.defineProperty(on, name, {configurable: true, ...value}); } catch { /* it is there */ } };
	for (const name of ['localStorage', 'sessionStorage']) {
		const all = new Map();
		stands(window, name, {value: {
			getItem: (key) => all.get(String(key)) ?? null, setItem: (key, value) => { all.set(String(key), String(value)); },
			removeItem: (key) => { all.delete(String(key)); }, clear: () => all.clear(), key: (n) => [...all.keys()][n] ?? null,
			get length() { return all.size; },
		}});
	}
	stands(document, 'cookie', {get: () => '', set: () => {}});
	for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) stands(window, name, {value: undefined});
	if (parent !== window && parent === top) parent.postMessage({replayed: prefix + base}, '*');
})();
