//go:build !linux

package arena

import (
	"errors"
	"os"
)

func reserve(*os.File, int64, int64) error { return errors.ErrUnsupported }

// shownBytes returns 0: this system does not report it.
func shownBytes() int64 { return 0 }

// forgetRead leaves that to the system.
func forgetRead([]byte) {}

func populate([]byte) {}

func nameless(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func link(*os.File, string) error { return errors.ErrUnsupported }

func mapSmall([]byte) {}

func mapSingly([]byte) bool { return false }
