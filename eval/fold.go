package eval

import "hash/fnv"

// Fold puts a server into one of so many parts, from 0: for cross-validation, where what is
// learnt for a part is learnt on the others. It hangs on the name alone, so that learning and
// measuring agree whatever other servers there are.
func Fold(server string, folds int) int {
	h := fnv.New32a()
	h.Write([]byte(server))
	return int(h.Sum32() % uint32(folds))
}
