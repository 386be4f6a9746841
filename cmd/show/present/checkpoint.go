package present

import (
	"fmt"
	"io"

	"github.com/recrawl/recrawl/satstore"
)

// CheckpointText writes the result for people.
func CheckpointText(r satstore.Checkpoint, w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s holds the store as it stood a moment ago\n", r.To)
	return err
}
