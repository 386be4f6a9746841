package eval

import (
	"fmt"
)

// String returns the share with its interval, or "-".
func (s *FilterShare) String() string {
	if s == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f (%.3f to %.3f)", s.Is, s.Low, s.High)
}
