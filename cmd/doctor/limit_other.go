//go:build !unix

package doctor

func descriptorLimit() (uint64, bool) { return 0, false }
