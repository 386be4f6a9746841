package sitegraph

// GroupKey returns the key of a group of pages on a server, by kind and text.
func GroupKey(kind byte, server ServerID, text string) uint64 {
	h := (uint64(kind)<<32 ^ uint64(uint32(server)) ^ 0xcbf29ce484222325) * 0x100000001b3
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	return h ^ h>>29
}
