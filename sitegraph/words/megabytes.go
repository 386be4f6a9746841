package words

import "fmt"

// Megabytes returns an amount as people read it.
func Megabytes(bytes int64) string {
	if bytes < 10_000_000 {
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.0f MB", float64(bytes)/1e6)
}
