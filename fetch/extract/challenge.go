package extract

import (
	"bytes"
	"slices"
	"strings"
)

// Some answers with 200 are no page but a check for a human visitor. A watch must not mistake it
// for the text of the page. There are few signs and they are sure: a title or, in a short text, a
// sentence of such a service.

// challengeTitles are whole titles, in lower case.
var challengeTitles = []string{
	"just a moment...",                 // Cloudflare
	"attention required! | cloudflare", // Cloudflare
	"ddos-guard",                       // DDoS-Guard
	"pardon our interruption",          // Imperva
	"pardon our interruption...",       // Imperva
	"human verification",               // AWS WAF
	"robot check",                      // Amazon
	"are you a robot?",                 // Bloomberg and others
}

// challengeWords are parts of a short text, in lower case.
var challengeWords = []string{
	"solve the captcha", "complete the captcha", "enter the captcha", "solve this captcha",
	"verify you are human", "verify that you are human", "verify you are not a robot",
	"verify that you are not a robot", "confirm you are not a robot",
	"confirm that you are not a robot", "you're not a robot", "checking your browser before",
	"checking if the site connection is secure", "enable javascript and cookies to continue",
	"unusual traffic from your computer",
}

// challengeMarkup are parts of the source of pages whose text is shorter than mostAside: scripts
// fill them.
var challengeMarkup = []string{"_Incapsula_Resource", "captcha-delivery.com", "id=\"px-captcha\"",
	"/cdn-cgi/challenge-platform/h/"}

const (
	mostChallenge = 1500 // octets of text
	mostAside     = 100  // octets of text next to a script
)

// isChallenge reports whether a page checks for a human visitor instead of showing its content.
func isChallenge(page, title, text []byte) bool {
	if len(text) > mostChallenge {
		return false
	}
	if slices.Contains(challengeTitles, strings.ToLower(string(bytes.TrimSpace(title)))) {
		return true
	}
	lower := strings.ToLower(string(text))
	for _, words := range challengeWords {
		if strings.Contains(lower, words) {
			return true
		}
	}
	return len(text) < mostAside && slices.ContainsFunc(challengeMarkup, func(mark string) bool {
		return bytes.Contains(page, []byte(mark))
	})
}
