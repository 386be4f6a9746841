package workload

import "math"

// Bounds of the length of a URL [SAT 4.1]. The logarithms of the lengths are normal.
const (
	shortestURL = 11
	longestURL  = 3715
	spreadURL   = 0.55
)

// urlBytes is the length of the URL of record i.
func urlBytes(i uint32) int {
	u := max(share(draw(i, drawURLRadius)), 0x1p-53)
	z := math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*share(draw(i, drawURLAngle)))
	n := math.Exp(math.Log(64.2) - spreadURL*spreadURL/2 + spreadURL*z)
	return int(min(max(n, shortestURL), longestURL))
}

const hosts = 100_000

// appendURL appends a URL cut to its length: a host, few of which have most of the pages,
// and a path of words and digits.
func appendURL(dst []byte, i uint32) []byte {
	end := len(dst) + urlBytes(i)
	dst = append(dst, "http://www."...)
	host := uint32(share(draw(i, drawHost)) * share(draw(i, drawHostSkew)) * hosts)
	dst = append(dst, words[host%uint32(len(words))]...)
	dst = append(dst, words[host/uint32(len(words))%uint32(len(words))]...)
	dst = appendDigits(dst, host/uint32(len(words)*len(words)))
	dst = append(dst, ".co.jp/"...)
	for k := uint64(drawWords); len(dst) < end; k++ {
		for x, n := draw(i, k), 0; n < 4 && len(dst) < end; n++ {
			dst = append(dst, words[x%uint64(len(words))]...)
			if x >>= 8; x%3 == 0 {
				dst = appendDigits(dst, uint32(x>>2%1000))
			}
			dst = append(dst, "/-/_"[x>>4&3])
			x >>= 8
		}
	}
	return dst[:end]
}

func appendDigits(dst []byte, n uint32) []byte {
	if n >= 10 {
		dst = appendDigits(dst, n/10)
	}
	return append(dst, byte('0'+n%10))
}

var words = [...]string{
	"about",
	"access",
	"album",
	"archive",
	"area",
	"bbs",
	"blog",
	"book",
	"business",
	"category",
	"center",
	"city",
	"company",
	"contact",
	"data",
	"detail",
	"diary",
	"event",
	"faq",
	"file",
	"forum",
	"game",
	"guide",
	"help",
	"history",
	"hotel",
	"house",
	"image",
	"index",
	"info",
	"item",
	"japan",
	"job",
	"kids",
	"law",
	"link",
	"list",
	"local",
	"magazine",
	"main",
	"map",
	"media",
	"member",
	"menu",
	"music",
	"new",
	"news",
	"note",
	"office",
	"page",
	"photo",
	"product",
	"profile",
	"report",
	"school",
	"search",
	"service",
	"shop",
	"sports",
	"staff",
	"topics",
	"travel",
	"user",
	"world",
}
