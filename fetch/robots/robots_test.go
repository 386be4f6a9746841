package robots

import (
	"strings"
	"testing"
)

// TestAllowed names each case after the statement of RFC 9309, after its section.
func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		name, file, agent string
		allowed, denied   string // targets between blanks
	}{
		{"2.2.1 group of our token, not of *",
			"User-agent: *\nDisallow: /\n\nUser-agent: FOOBOT\nDisallow: /x", "foobot", "/ /y",
			"/x /x/y /xy"},
		{"2.2.1 a token is no prefix", "User-agent: foo\nDisallow: /\n", "foobot", "/a", ""},
		{"2.2.1 our token is no prefix either", "User-agent: foobot-news\nDisallow: /\n", "foobot",
			"/a", ""},
		{"2.2.1 a version after the token is ignored", "User-agent: FooBot/2.1\nDisallow: /\n",
			"foobot", "", "/a"},
		{"2.2.1 groups of one token are merged",
			"User-agent: a\nDisallow: /1\nUser-agent: b\nDisallow: /2\nUser-agent: a\nDisallow: /3",
			"a", "/2", "/1 /3"},
		{"2.2.1 several agents share the rules", "User-agent: a\nUser-agent: b\nDisallow: /1", "a",
			"/2", "/1"},
		{"2.2.1 a line may name several", "User-agent: b, A/1.0, *\nDisallow: /1\nUser-agent: *\n" +
			"Disallow: /2", "a", "/2", "/1"},
		{"2.2.1 and all of them then", "User-agent: b, *\nDisallow: /1", "a", "/2", "/1"},
		{"2.2.1 a group of ours without rules allows all",
			"User-agent: a\n\nUser-agent: *\nAllow: /\nUser-agent: *\nDisallow: /", "b", "/", ""},
		{"2.2.1 rules before any group are ignored", "Disallow: /\nUser-agent: *\nDisallow: /x",
			"a", "/y", "/x"},
		{"2.2.2 the longest match wins",
			"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c", "a", "/a/b /a/b/d",
			"/a /a/c /a/b/c/d"},
		{"2.2.2 allow wins on a tie", "User-agent: *\nDisallow: /a\nAllow: /a", "a", "/a", ""},
		{"2.2.2 allow wins on a tie of wildcard and literal",
			"User-agent: *\nDisallow: /a*\nAllow: /ab", "a", "/ab", "/ac"},
		{"2.2.2 a longer wildcard beats a literal", "User-agent: *\nAllow: /a\nDisallow: /*.gif",
			"a", "/a /a.png", "/a.gif /b.gif"},
		{"2.2.2 a longer literal beats a wildcard",
			"User-agent: *\nDisallow: /*.gif\nAllow: /pictures/", "a", "/pictures/a.gif", "/a.gif"},
		{"2.2.2 paths are compared with case", "User-agent: *\nDisallow: /A", "a", "/a", "/A"},
		{"2.2.2 keys are not", "USER-AGENT: *\ndISALLOW: /A", "a", "/a", "/A"},
		{"2.2.2 /robots.txt is allowed", "User-agent: *\nDisallow: /", "a", "/robots.txt",
			"/robots.txt?x /robots"},
		{"2.2.2 an empty disallow forbids nothing", "User-agent: *\nDisallow:\n", "a", "/", ""},
		{"2.2.2 escapes are compared in one form", "User-agent: *\nDisallow: /a%3cd\nDisallow: " +
			"/%7ejoe\nDisallow: /ツ", "a", "/a%3dd", "/a%3Cd /a<d /~joe /%E3%83%84 /%e3%83%84"},
		{"2.2.2 an escaped slash is no slash", "User-agent: *\nDisallow: /a%2Fb", "a", "/a/b",
			"/a%2fb"},
		{"2.2.3 # begins a comment", "User-agent: * # all\nDisallow: /a#b", "a", "/b", "/a /a%23"},
		{"2.2.3 $ ends the pattern", "User-agent: *\nDisallow: /*.php$", "a",
			"/a.php?x /a.php5 /a.php/", "/a.php /b/.php"},
		{"2.2.3 $ elsewhere is itself", "User-agent: *\nDisallow: /a$b", "a", "/a",
			"/a$b /a$bc /a%24b"},
		{"2.2.3 * matches nothing too", "User-agent: *\nDisallow: /a*b", "a", "/a /b/ab",
			"/ab /axb /axbc"},
		{"2.2.3 escaped specials are themselves",
			"User-agent: *\nDisallow: /a-%2A\nDisallow: /b-%24", "a", "/a-x /b-",
			"/a-* /b-$ /a-%2a"},
		{"2.2.4 other lines do not end a group",
			"User-agent: a\nSitemap: x\nHost: y\nUser-agent: b\nDisallow: /", "a", "", "/x"},
		{"2.3.1.5 what cannot be parsed is ignored",
			"\x00\xff<html>\nUser-agent: *\n:::\nDisallow /b c\nDisallow: /x", "a", "/b", "/x"},
		{"2.3 byte order mark", "\xef\xbb\xbfUser-agent: *\nDisallow: /x", "a", "", "/x"},
		{"2.3 cut byte order mark", "\xef\xbbUser-agent: *\nDisallow: /x", "a", "", "/x"},
		{"2.2 all ends of line", "User-agent: *\rDisallow: /1\r\nDisallow: /2\n\nDisallow: /3", "a",
			"/4", "/1 /2 /3"},
		{"a key without colon", "user-agent *\ndisallow /x", "a", "", "/x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse([]byte(c.file), c.agent)
			for _, target := range strings.Fields(c.allowed) {
				if !r.Allowed(target) {
					t.Errorf("%s is not allowed", target)
				}
			}
			for _, target := range strings.Fields(c.denied) {
				if r.Allowed(target) {
					t.Errorf("%s is allowed", target)
				}
			}
		})
	}
}

func TestProduct(t *testing.T) {
	for agent, want := range map[string]string{
		"Recrawl/1.0 (+http://h.example/)": "recrawl", "Foo-Bot_x": "foo-bot_x", "": "", "1bot": "",
	} {
		if got := Product(agent); got != want {
			t.Errorf("Product(%q) = %q, want %q", agent, got, want)
		}
	}
}

// hostileFiles are files for which other readers take quadratic time or more. None forbids
// hostilePath.
func hostileFiles() map[string]string {
	lines := func(head, line string) string {
		return head + strings.Repeat(line, MaxBytes/len(line))
	}
	return map[string]string{
		"agents":            lines("", "User-agent: x\nUser-agent: *\nDisallow: /b\n"),
		"literals":          lines("User-agent: *\n", "Disallow: /aaaaaaaaaab\n"),
		"different rules":   different(),
		"wildcards":         lines("User-agent: *\n", "Disallow: /*a*a*a*a*ab$\n"),
		"one long wildcard": lines("User-agent: *\nDisallow: /", "*a") + "b$",
		"one line":          lines("User-agent: *\nDisallow: /", "x"),
		"keys":              lines("", "x:"),
		"comments":          lines("User-agent: *\n", "#"),
	}
}

var hostilePath = "/" + strings.Repeat("a", 2000)

func TestHostileFiles(t *testing.T) {
	for name, file := range hostileFiles() {
		if !Parse([]byte(file), "x").Allowed(hostilePath) {
			t.Errorf("%s: forbidden", name)
		}
	}
}

// BenchmarkHostileFiles parses each file and asks once.
func BenchmarkHostileFiles(b *testing.B) {
	for name, file := range hostileFiles() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				Parse([]byte(file), "x").Allowed(hostilePath)
			}
		})
	}
}

func different() string {
	b := []byte("User-agent: *\n")
	for i := 0; len(b) < MaxBytes; i++ {
		b = append(b, "Allow: /*"...)
		for n := i; n > 0; n /= 26 {
			b = append(b, byte('a'+n%26))
		}
		b = append(b, '\n')
	}
	return string(b)
}

func BenchmarkParse(b *testing.B) {
	file := []byte("# hello\nUser-agent: *\nCrawl-delay: 10\n" +
		strings.Repeat("Disallow: /search\nDisallow: /*?sort=\nAllow: /search/about$\n", 20))
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(file, "recrawl")
	}
}

func BenchmarkAllowed(b *testing.B) {
	r := Parse([]byte("User-agent: *\n"+strings.Repeat("Disallow: /search\nDisallow: "+
		"/*?sort=\nAllow: /search/about$\n", 20)), "recrawl")
	b.ReportAllocs()
	for b.Loop() {
		r.Allowed("/blog/2020/01/some-article.html?page=2")
	}
}
