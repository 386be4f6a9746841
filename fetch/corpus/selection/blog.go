package selection

import (
	"net/url"
	"regexp"
	"strings"
)

// What speaks for a blog, each weighed by hand on the pages of testdata/blogs.jsonl. [NICT 6] found
// 17 % of its pages to be of blogs by their addresses and by words and links of trackbacks and
// comments.
var (
	blogHost = regexp.MustCompile(`(?i)^blogs?\.|\.blogspot\.|\.wordpress\.com$|\.tumblr\.com$|\.hatenablog\.|\.livejournal\.com$|\.ameblo\.jp$|^ameblo\.jp$|\.fc2\.com$|\.seesaa\.net$|\.cocolog-|\.blog\.jp$|^medium\.com$|\.substack\.com$`)
	blogPath = regexp.MustCompile(`(?i)(^|/)(we)?blogs?(/|$|-entry)|(^|/)posts?/|(^|/)diary(/|$)|/archives?/\d|/(19|20)\d\d/[01]?\d(/|$)|/entry[-/]\d`)
	blogText = regexp.MustCompile(`(?i)track-?back|トラックバック|コメント(を(書く|残す|投稿)|する|欄)|\bpermalink\b|\bleave a (comment|reply)\b|\bpost a comment\b|\bfiled under\b|\bposted (by|on|in)\b|\bblog ?roll\b|この(記事|エントリ)|\bpowered by (wordpress|movable type|hugo|jekyll)\b|\b(older|newer|previous|next) (blog )?posts?\b|\bschreibe einen kommentar\b|\blaisser un commentaire\b`)
)

// IsBlog tells by address, visible text and links whether a page is of a blog.
func IsBlog(address, text string, links []string) bool {
	score := 0
	if u, err := url.Parse(address); err == nil {
		if blogHost.MatchString(u.Hostname()) {
			score += 3
		}
		if blogPath.MatchString(u.Path) {
			score += 2
		}
	}
	const mostText = 64 << 10 // octets looked at
	found := map[string]bool{}
	for _, m := range blogText.FindAllString(text[:min(len(text), mostText)], 64) {
		found[strings.ToLower(m)] = true
	}
	score += min(2*len(found), 4)
	feeds := 0
	for _, link := range links {
		if strings.Contains(link, "trackback") || strings.HasSuffix(link, "#comments") || strings.Contains(link, "/tag/") ||
			strings.Contains(link, "/category/") || strings.Contains(link, "/categories/") || strings.Contains(link, "/tags/") {
			feeds++
		}
	}
	if feeds >= 2 {
		score += 2
	}
	return score >= leastBlog
}

// leastBlog is the score from which a page is of a blog.
const leastBlog = 3
