//go:build !linux

package scratch

import (
	"errors"
	"os"
)

func reserve(*os.File, int64, int64) error { return errors.ErrUnsupported }
