//go:build !(unix && (amd64 || arm64 || ppc64le || riscv64 || s390x || loong64))

package arena

import (
	"errors"
	"os"
)

const canShow = false

func show(*os.File, int64, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func showColumn(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func showOver([]byte, *os.File, int64, bool) error { return errors.ErrUnsupported }

func allocate(*os.File, int, int) error { return errors.ErrUnsupported }

func forget([]byte) {}

func hide([]byte) {}

func readApart([]byte, bool) {}
