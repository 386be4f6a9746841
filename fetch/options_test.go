package fetch

import (
	"errors"
	"testing"
	"time"
)

func TestContactIsRequired(t *testing.T) {
	for _, agent := range []string{"", "recrawl", "recrawl/1.0", "Mozilla/5.0 (compatible)",
		"recrawl (http://)", "recrawl @home", "recrawl a@b"} {
		if _, err := New(Options{UserAgent: agent}); !errors.Is(err, ErrNoContact) {
			t.Errorf("user agent %q: %v, want ErrNoContact", agent, err)
		}
	}
	for _, agent := range []string{testAgent, "recrawl me@h.example",
		"recrawl (+https://h.example/bot)"} {
		if _, err := New(Options{UserAgent: agent}); err != nil {
			t.Errorf("user agent %q: %v", agent, err)
		}
	}
	for _, agent := range []string{"1x http://h.example/",
		"recrawl http://h.example/\r\nCookie: x"} {
		if _, err := New(Options{UserAgent: agent}); err == nil {
			t.Errorf("user agent %q is taken", agent)
		}
	}
}

func TestInterval(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: 10 * time.Second, NoInterval: 0,
		time.Second: time.Second} {
		c, err := New(Options{UserAgent: testAgent, Interval: given})
		if err != nil || c.Interval() != want {
			t.Errorf("interval %v becomes %v, want %v (%v)", given, c.Interval(), want, err)
		}
	}
	if _, err := New(Options{UserAgent: testAgent, MaxBody: -1}); err == nil {
		t.Error("a negative limit is taken")
	}
}

// TestProductOf checks that the name for robots.txt is the bot's, wherever it stands among those of
// browsers. An unclear agent is refused: the client would obey rules for others and not ours.
func TestProductOf(t *testing.T) {
	const (
		chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"
		iphone = "Mozilla/5.0 (iPhone; CPU iPhone OS 8_3 like Mac OS X) AppleWebKit/600.1.4 " +
			"(KHTML, like Gecko) Version/8.0 Mobile/12F70 Safari/600.1.4"
	)
	for agent, want := range map[string]string{
		"mybot/1.0 (+https://example.org/bot)":                          "mybot",
		"mybot (+https://example.org/bot)":                              "mybot",
		"my-bot me@example.org":                                         "my-bot",
		"Mozilla/5.0 (compatible; mybot/1.0; +https://example.org/bot)": "mybot",
		"Mozilla/5.0 (compatible; mybot; +https://example.org/bot)":     "mybot",
		"Mozilla/5.0 (compatible; mybot/1.0 +https://example.org/bot)":  "mybot",
		"Mozilla/5.0 (compatible; https://example.org/bot; mybot/1.0)":  "mybot",
		"Mozilla/5.0 (COMPATIBLE;mybot/1.0;me@example.org)":             "mybot",
		"Mozilla/5.0 (https://example.org/bot) mybot/2.1":               "mybot",
		"https://example.org/bot mybot/2.1":                             "mybot",
		"me@example.org mybot/2.1":                                      "mybot",
		"Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0) mybot/1.0 " +
			"(me@example.org)": "mybot",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": "googlebot",
		"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, " +
			"like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36 (compatible; mybot/2.1; " +
			"+http://example.org/bot.html)": "mybot",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + chrome +
			" (compatible; mybot/1.0; +https://example.org/bot)": "mybot",
		iphone + " (compatible; mybot/2.1; +http://example.org/bot)": "mybot",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_5) AppleWebKit/605.1.15 (KHTML, like " +
			"Gecko) Version/13.1.1 Safari/605.1.15 (mybot/0.1; +http://example.org/bot)": "mybot",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko; compatible; " +
			"mybot/1.0; +https://example.org/bot) Chrome/120.0 Safari/537.36": "mybot",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; " +
			"+http://www.bing.com/bingbot.htm) Chrome/120.0.0.0 Safari/537.36": "bingbot",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.1; " +
			"+https://openai.com/gptbot)": "gptbot",
		"Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile " +
			"Safari/537.36 (compatible; Bytespider; spider-feedback@example.com)": "bytespider",
		"Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)": "baiduspider",
		"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)":                    "yandexbot",
		"Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)":         "semrushbot",
		// as its lines in robots.txt are read
		"Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)": "mj",
		"DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)":    "duckduckbot",
		"CCBot/2.0 (https://commoncrawl.org/faq/)":                      "ccbot",
		// unclear names
		"Mozilla/5.0 (me@example.org)":                                                          "",
		"Mozilla/5.0 (https://example.org/bot)":                                                 "",
		"https://example.org/bot":                                                               "",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + chrome + " me@example.org":               "",
		iphone + " (+https://example.org/bot)":                                                  "",
		"Mozilla/5.0 (X11; Linux x86_64) onebot/1.0 otherbot/2.0 (https://example.org/bot)":     "",
		"Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)":   "",
		"Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)": "",
	} {
		c, err := New(Options{UserAgent: agent})
		switch {
		case want == "" && !errors.Is(err, ErrNoName):
			t.Errorf("%s: taken, %v", agent, err)
		case want != "" && (err != nil || c.RobotsAgent() != want):
			t.Errorf("%s: %v, name %q, want %q", agent, err, ProductOf(agent), want)
		}
	}
}
