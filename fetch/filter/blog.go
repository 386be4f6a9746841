package filter

import (
	"net/url"
	"regexp"
	"strings"
)

// Signs of a blog, with weights set by hand on the pages of testdata/blogs.jsonl. [NICT 6] found 17
// % of its pages to be blogs, by their URLs and by words and links of trackbacks and comments.
var (
	blogHost = regexp.MustCompile(
		`(?i)^blogs?\.|\.blogspot\.|\.wordpress\.com$|\.tumblr\.com$|\.hatenablog\.|\.livejournal\.com$|\.ameblo\.jp$|^ameblo\.jp$|\.fc2\.com$|\.seesaa\.net$|\.cocolog-|\.blog\.jp$|^medium\.com$|\.substack\.com$`)
	blogPath = regexp.MustCompile(
		`(?i)(^|/)(we)?blogs?(/|$|-entry)|(^|/)posts?/|(^|/)diary(/|$)|/archives?/\d|/(19|20)\d\d/[01]?\d(/|$)|/entry[-/]\d`)
)

// blogTexts are in lower case.
var blogTexts = []string{
	"trackback", "track-back", "トラックバック", "コメントを書く", "コメントを残す", "コメントを投稿", "コメントの投稿", "コメントする",
	"コメント欄", "この記事", "このエントリ", "permalink", "leave a comment", "leave a reply", "post a comment",
	"filed under",
	"posted by ", "posted on ", "posted in ", "blogroll", "blog roll", "powered by wordpress",
	"powered by movable type",
	"powered by hugo", "powered by jekyll", "older post", "newer post", "previous post",
	"next post", "older blog post",
	"newer blog post", "schreibe einen kommentar", "laisser un commentaire",
}

// IsBlog reports whether a page belongs to a blog, by its URL, visible text and links.
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
	const mostText = 64 << 10 // octets to search
	text = strings.ToLower(text[:min(len(text), mostText)])
	found := 0
	for _, phrase := range blogTexts {
		if strings.Contains(text, phrase) {
			found++
		}
	}
	score += min(2*found, 4)
	feeds := 0
	for _, link := range links {
		if strings.Contains(link, "trackback") || strings.HasSuffix(link, "#comments") ||
			strings.Contains(link, "/tag/") ||
			strings.Contains(link, "/category/") || strings.Contains(link, "/categories/") ||
			strings.Contains(link, "/tags/") {
			feeds++
		}
	}
	if feeds >= 2 {
		score += 2
	}
	return score >= leastBlog
}

// leastBlog is the least score of a blog.
const leastBlog = 3
