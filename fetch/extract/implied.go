package extract

// imply closes elements whose end a start tag implies (WHATWG HTML 13.1.2.4).
func (t *tree) imply(name string) {
	o := *t.innermost()
	switch name {
	case "li":
		t.close("li", o.list)
	case "dt", "dd":
		t.close("dt", o.list)
		t.close("dd", o.list)
	case "option", "optgroup":
		t.close("option", max(o.scope, t.top["select"]))
	case "tbody", "thead", "tfoot", "caption", "colgroup":
		for _, part := range [...]string{"tbody", "thead", "tfoot", "caption", "colgroup", "tr",
			"td", "th"} {
			t.close(part, t.top["table"])
		}
	case "tr":
		for _, part := range [...]string{"caption", "tr", "td", "th"} {
			t.close(part, t.top["table"])
		}
	case "td", "th":
		for _, part := range [...]string{"caption", "td", "th"} {
			t.close(part, t.top["table"])
		}
	}
	if endsParagraph(name) {
		t.close("p", t.innermost().scope)
	}
}

// ends returns which element an end tag closes, and above which place it must lie. Formatting does
// not end a block that began within it. An end tag in a cell does not close an element around the
// table. A heading's end tag closes any heading.
func (t *tree) ends(name string) (element string, above int) {
	o := t.innermost()
	switch name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		for _, other := range [...]string{"h1", "h2", "h3", "h4", "h5", "h6"} {
			if t.top[other] > t.top[name] {
				name = other
			}
		}
	case "li":
		return name, o.list
	case "table", "object", "template", "marquee", "applet":
		return name, 0
	}
	switch {
	case isOfTable(name):
		return name, t.top["table"]
	case isInline([]byte(name)):
		return name, o.block
	}
	return name, o.scope
}

func isRoot(name string) bool { return name == "html" || name == "head" || name == "body" }

// isOfTable reports whether an element has a meaning in a table only.
func isOfTable(name string) bool {
	switch name {
	case "caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr":
		return true
	}
	return false
}

// isOfHead reports whether an element belongs to the head, so that it does not begin the body.
func isOfHead(name string) bool {
	switch name {
	case "html",
		"head",
		"title",
		"meta",
		"link",
		"script",
		"style",
		"base",
		"noscript",
		"template",
		"noframes",
		"basefont",
		"bgsound":
		return true
	}
	return false
}

// isVoid reports whether an element has neither content nor end tag.
func isVoid(name string) bool {
	switch name {
	case "area",
		"base",
		"basefont",
		"bgsound",
		"br",
		"col",
		"embed",
		"frame",
		"hr",
		"image",
		"img",
		"input",
		"keygen",
		"link",
		"meta",
		"param",
		"source",
		"track",
		"wbr":
		return true
	}
	return false
}

// endsParagraph reports whether an element cannot stand in a paragraph.
func endsParagraph(name string) bool {
	switch name {
	case "address",
		"article",
		"aside",
		"blockquote",
		"center",
		"dd",
		"details",
		"dialog",
		"dir",
		"div",
		"dl",
		"dt",
		"fieldset",
		"figcaption",
		"figure",
		"footer",
		"form",
		"h1",
		"h2",
		"h3",
		"h4",
		"h5",
		"h6",
		"header",
		"hgroup",
		"hr",
		"li",
		"listing",
		"main",
		"menu",
		"nav",
		"ol",
		"p",
		"plaintext",
		"pre",
		"search",
		"section",
		"summary",
		"table",
		"ul",
		"xmp":
		return true
	}
	return false
}
