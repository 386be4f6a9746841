package extract

import (
	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

func (r *Rule) Prefix() string { return r.spec.Prefix }

// matchAll searches with cascadia alone.
func matchAll(root *html.Node, text string) []*html.Node {
	group, err := cascadia.ParseGroup(text)
	if err != nil {
		panic(err)
	}
	return cascadia.QueryAll(root, group)
}
