package extract

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

// encoded returns a text encoded in a charset.
func encoded(t testing.TB, name, text string) string {
	t.Helper()
	e, _ := charset.Lookup(name)
	out, err := e.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestDeclaredCharset checks charsets that pages name, in any place and form.
func TestDeclaredCharset(t *testing.T) {
	const text = "<title>日本語</title><p>健康診断の申請。</p>"
	const xhtml = "application/xhtml+xml"
	want := HTML([]byte(text), "text/html; charset=utf-8", self, Options{}).Digests.Text
	late := "<style>" + strings.Repeat("p { margin: 0 }\n", 5000) + "</style>"
	for _, c := range []struct{ before, contentType, in string }{
		{"<meta charset=Shift_JIS>", "text/html", "shift_jis"},
		{late + "<meta charset=Shift_JIS>", "text/html", "shift_jis"},
		{late + `<META CONTENT='text/html;charset="x-sjis"' HTTP-EQUIV=content-type>`, "",
			"shift_jis"},
		{"<!-- <meta charset=big5> --><script>'<meta charset=big5>'</script>" + late +
			"<meta charset=euc-jp>", "text/html", "euc-jp"},
		{"<meta charset=none><meta charset=euc-jp>", "text/html", "euc-jp"},
		{"<meta name=x content='charset=big5'><meta charset=' \"euc-jp\" '>", "text/html",
			"euc-jp"},
		{`<?xml version="1.0" encoding="Shift_JIS"?>`, "text/html", "shift_jis"},
		{`<?xml version="1.0" encoding="Shift_JIS"?>`, xhtml, "shift_jis"},
		{"\n<?xml version='1.0' encoding = 'euc-jp' standalone='yes'?>", "text/html", "euc-jp"},
		{`<?xml version="1.0" encoding="UTF-16"?>`, "text/html", "utf-8"},
		{`<?xml version="1.0" encoding="big5"?><meta charset=Shift_JIS>`, "text/html", "shift_jis"},
		{`<?xml version="1.0" encoding="Shift_JIS"?><meta charset=big5>`, xhtml, "shift_jis"},
		{`<?xml version="1.0"?><meta charset=Shift_JIS>`, xhtml, "shift_jis"},
		{"<meta charset=big5>", `text/html; Charset="EUC-JP"`, "euc-jp"},
		{"<meta charset=big5>", "text/html; charset='euc-jp'", "euc-jp"},
		{"<meta charset=big5>", "text/html;charset = euc-jp ;x=y", "euc-jp"},
		{"<meta charset=big5>", "text/html charset=euc-jp", "euc-jp"},
		{"<meta charset=big5>", "text/html; charset=euc-jp; charset=utf-8", "euc-jp"},
		{"<meta charset=big5>", "text/html; charset=; charset=euc-jp", "euc-jp"},
		{"<meta charset=big5>", "text/html, text/html; charset=euc-jp", "euc-jp"},
		{"<meta charset=big5>", `text/html; charset="utf8`, "utf-8"},
		{"<meta charset=euc-jp>", "text/html; charset=x-none", "euc-jp"},
		{"<meta charset=utf-16>", "text/html", "utf-8"},
		{"", "text/html; charset=UTF-16LE", "utf-16le"},
		{"<meta charset=big5>\x00", "text/html; charset=iso-2022-jp", "iso-2022-jp"},
	} {
		p := HTML([]byte(encoded(t, c.in, c.before+text)), c.contentType, self, Options{})
		if p.Charset != c.in || p.Digests.Text != want {
			t.Errorf("%.60q as %q: charset %q, want %q; text equal: %v",
				c.before, c.contentType, p.Charset, c.in, p.Digests.Text == want)
		}
	}
}

// undeclared are texts by the charset in which a page without a declaration is read.
var undeclared = []struct {
	charset, title, text string
	others               string // other charsets in which it is read
}{
	{"shift_jis", "日本語のページ", "これは日本語の本文です。健康診断の申請は市役所の窓口で受け付けています。",
		"euc-jp iso-2022-jp"},
	{"shift_jis", "カタカナ", "ページ メニュー ニュース サービス センター", "euc-jp iso-2022-jp"},
	{"windows-1251", "Русская страница",
		"Это обычный русский текст. Новости города и погода на сегодня.",
		"koi8-r iso-8859-5 ibm866"},
	{"windows-1251", "Українська сторінка",
		"Це звичайний український текст. Новини міста, її погода і розклад.",
		"koi8-u"},
	{"windows-1251", "Българска страница",
		"Това е обикновен български текст. Новини от града и времето.", ""},
	{"gb18030", "中文网页", "这是一个普通的中文网页。本市的新闻、天气预报和列车时刻表都在这里。", ""},
	{"big5", "中文網頁", "這是一個普通的中文網頁。本市的新聞、天氣預報和列車時刻表都在這裡。", ""},
	{"euc-kr", "한국어 페이지", "이것은 평범한 한국어 본문입니다. 도시의 소식과 날씨를 알려 드립니다.", ""},
	{"windows-1253", "Ελληνική σελίδα",
		"Αυτό είναι ένα συνηθισμένο ελληνικό κείμενο. Νέα της πόλης.", ""},
	{"windows-1255", "דף בעברית", "זהו טקסט רגיל בעברית. חדשות העיר, מזג האוויר ולוח הזמנים.", ""},
	{"windows-1256", "صفحة عربية", "هذا نص عادي باللغة العربية. أخبار المدينة والطقس اليوم.",
		"iso-8859-6"},
	{"windows-874", "หน้าภาษาไทย", "นี่คือข้อความภาษาไทยธรรมดา ข่าวของเมือง สภาพอากาศ", ""},
	{"windows-1252", "Page française",
		"Ceci est un texte français. À l’été, où « ça » se passe déjà… créée", ""},
	{"windows-1252", "Gäste",
		"Dies ist ein gewöhnlicher Text. Grüße aus München – schöne Straße, Ärzte.", ""},
	{"windows-1252", "Página", "¿Qué pasó mañana? Año, niño, información. São, coração, ações.",
		""},
	{"windows-1252", "Síða", "Þetta er venjulegur íslenskur texti. Fréttir, veðrið og áætlanir.",
		""},
	{"windows-1252", "Sivu",
		"Tämä on tavallinen teksti. Sää ja junien aikataulut löydät täältä.", ""},
	{"windows-1252", "Café", "“Quotes” – it’s fine. © 2024 Company™ ƒ(x) ‚low‘ 20 €", ""},
	{"windows-1252", "........", "………… •••• ———— ¯¯¯¯ one \u00a0\u00a0\u00a0 two", ""},
	{"windows-1252", "GARÇON", "ÀÉÈ À LA CARTE – DÉJÀ VU, NOËL ÂGÉ", ""},
}

// TestUndeclaredCharset also reads pages of one paragraph and of many, with much ASCII.
func TestUndeclaredCharset(t *testing.T) {
	for _, c := range undeclared {
		for _, name := range append(strings.Fields(c.others), c.charset) {
			page := "<html><head><title>" + c.title + "</title></head><body><a href=/x>Home</a>"
			for n := range 15 {
				page += "<p>" + c.text + "</p>\n"
				if n%3 == 0 {
					page += "<p>Some words of ASCII, (c) 2024.</p>"
				}
				body := []byte(encoded(t, name, page))
				if p := HTML(body, "text/html", self, Options{}); p.Charset != name {
					t.Errorf("%s with %d paragraphs: charset %q, want %q",
						c.title, n+1, p.Charset, name)
				}
				p := HTML([]byte(page), "text/html", self, Options{})
				if p.Charset != "utf-8" {
					t.Errorf("%s in UTF-8: charset %q", c.title, p.Charset)
				}
			}
		}
	}
	for _, c := range []struct{ body, charset string }{
		{"<p>Caf\xe9", "windows-1252"},
		{"<\x00p\x00>\x00a\x00", "utf-16le"},
		{"\x00\r\x00\n\x00<\x00p\x00>\x00a", "utf-16be"},
		{" \x00<p>a", "utf-8"},
		{"<p>only ASCII", "utf-8"},
		{"<p>ESC \x1b[31m and no more", "utf-8"},
		{"<p>" + strings.Repeat("Grüße ", 20) + "Gr\xfc\xdfe", "utf-8"},
		{"<p>Grüße Gr\xfc\xdfe", "windows-1252"},
		{"<p>" + strings.Repeat("日本語 ", 20) + "\xe6\x97", "utf-8"}, // a limit cut it
		{strings.Repeat("\xff\xfe\xfd", 1000), "utf-16le"},
		{"x" + strings.Repeat("\xff\xfe\xfd", 1000), "windows-1252"},
	} {
		if p := HTML([]byte(c.body), "text/html", self, Options{}); p.Charset != c.charset {
			t.Errorf("%.40q: charset %q, want %q", c.body, p.Charset, c.charset)
		}
	}
}
