package paper

import "fmt"

// bucketIndex says in which unit each record is due, by sequence number: in 16 or 24 bits,
// counted from a base that moves with the clock [SAT 3.5]. 0 means: no record. It is kept
// in memory and made anew from the buckets.
type bucketIndex struct {
	bits int
	base int64
	word []uint16 // of 16 bits
	low  []byte   // of 24 bits, with word the upper 16
}

// none is due never.
const none = -1

// grow makes room for numbers below n.
func (x *bucketIndex) grow(n int) {
	if n <= len(x.word) {
		return
	}
	x.word = append(x.word, make([]uint16, n-len(x.word))...)
	if x.bits == 24 {
		x.low = append(x.low, make([]byte, n-len(x.low))...)
	}
}

func (x *bucketIndex) raw(seq uint32) int64 {
	v := int64(x.word[seq])
	if x.bits == 24 {
		v = v<<8 | int64(x.low[seq])
	}
	return v
}

func (x *bucketIndex) setRaw(seq uint32, v int64) {
	if x.bits == 24 {
		x.low[seq] = byte(v)
		v >>= 8
	}
	x.word[seq] = uint16(v)
}

// due returns the unit of a record, or none.
func (x *bucketIndex) due(seq uint32) int64 {
	if int64(seq) >= int64(len(x.word)) {
		return none
	}
	if v := x.raw(seq); v != 0 {
		return x.base + v
	}
	return none
}

// set notes the unit of a record; those of all are above clock.
func (x *bucketIndex) set(seq uint32, due, clock int64) {
	x.grow(int(seq) + 1)
	if due-x.base >= 1<<x.bits {
		x.rebase(clock)
	}
	v := due - x.base
	if v < 1 || v >= 1<<x.bits {
		panic(
			fmt.Sprintf(
				"paper: unit %d does not fit the bucket index of base %d, clock %d",
				due,
				x.base,
				clock,
			),
		)
	}
	x.setRaw(seq, v)
}

func (x *bucketIndex) drop(seq uint32) {
	if int64(seq) < int64(len(x.word)) {
		x.setRaw(seq, 0)
	}
}

// rebase moves the base to the clock.
func (x *bucketIndex) rebase(clock int64) {
	shift := clock - x.base
	x.base = clock
	for i := range x.word {
		if v := x.raw(uint32(i)); v != 0 {
			x.setRaw(uint32(i), v-shift)
		}
	}
}
