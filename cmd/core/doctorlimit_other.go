//go:build !unix

package core

func descriptorLimit() (uint64, bool) { return 0, false }
