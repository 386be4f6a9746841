package state

import (
	"errors"
	"math"
	"reflect"
	"testing"
)

// thing has a field of each kind that planners have.
type thing struct {
	Options  options `state:"same"`
	number   int
	small    [3]float32
	plain    []pair
	text     string
	flags    map[int32]bool
	lists    map[string][]int
	parts    []part
	first    *part
	again    *part
	shared   *part
	ring     *thing
	rule     shape
	at       *apart
	work     []int `state:"-"`
	call     func() int
	nilMap   map[int]int
	emptyMap map[int]int
}

type (
	options struct {
		Seed uint64
		Any  func()
		Day  float64 `state:"-"`
	}
	pair  struct{ a, b int16 }
	part  struct{ names []string }
	apart struct{ x int }
	shape interface{ area() float64 }
	round struct{ r float64 }
)

func (r round) area() float64 { return math.Pi * r.r * r.r }

var leaves = Apart{reflect.TypeFor[*apart]()}

func full() *thing {
	t := &thing{
		Options:  options{Seed: 7, Day: 1},
		number:   -3,
		small:    [3]float32{1, float32(math.Inf(1)), 2},
		plain:    []pair{{1, 2}, {3, 4}},
		text:     "page",
		flags:    map[int32]bool{1: true, -1: false},
		lists:    map[string][]int{"a": {1, 2}, "": nil},
		parts:    []part{{[]string{"x"}}, {nil}},
		shared:   &part{[]string{"s"}},
		rule:     round{2},
		at:       &apart{1},
		work:     []int{1},
		emptyMap: map[int]int{},
	}
	t.first, t.again, t.ring = &t.parts[1], t.shared, t
	return t
}

func built() *thing {
	return &thing{Options: options{Seed: 7, Day: 2}, rule: round{}, at: &apart{9},
		call: func() int { return 1 }}
}

func TestRoundTrip(t *testing.T) {
	from, to := full(), built()
	written, err := Write(leaves, 1<<20, from)
	if err != nil {
		t.Fatal(err)
	}
	if err := Read(written, leaves, to); err != nil {
		t.Fatal(err)
	}
	if to.first != &to.parts[1] || to.ring != to || to.again != to.shared ||
		to.shared.names[0] != "s" {
		t.Errorf("pointers lead elsewhere: %+v", to)
	}
	if to.at.x != 9 || to.work != nil || to.call() != 1 || to.Options.Day != 2 {
		t.Errorf("what is to be left was not: %+v", to)
	}
	if to.nilMap != nil || to.emptyMap == nil || to.lists[""] != nil || len(to.lists) != 2 {
		t.Errorf("maps: %+v", to)
	}
	again, err := Write(leaves, 1<<20, to)
	if err != nil || !reflect.DeepEqual(written, again) {
		t.Errorf("written again it differs (%v)", err)
	}
	to.at, to.work, to.call, to.Options.Day = from.at, from.work, nil, 1
	if !reflect.DeepEqual(from, to) {
		t.Errorf("read\n%+v\nwritten\n%+v", to, from)
	}
}

func TestRefused(t *testing.T) {
	written, err := Write(leaves, 1<<20, full())
	if err != nil {
		t.Fatal(err)
	}
	other := built()
	other.Options.Seed = 8
	if err := Read(written, leaves, other); !errors.Is(err, ErrSettings) {
		t.Errorf("another seed: %v", err)
	}
	if err := Read(written, leaves, &struct{ x int }{}); !errors.Is(err, ErrForm) {
		t.Errorf("another type: %v", err)
	}
	empty := built()
	empty.rule = nil
	if err := Read(written, leaves, empty); !errors.Is(err, ErrForm) {
		t.Errorf("nothing where a rule was: %v", err)
	}
	if _, err := Write(leaves, len(written)/2, full()); !errors.Is(err, ErrTooLarge) {
		t.Errorf("more than its bound: %v", err)
	}
	for n := range written {
		if err := Read(written[:n], leaves, built()); err == nil {
			t.Errorf("read from %d of %d bytes", n, len(written))
		}
	}
	if err := Read(append(written, 0), leaves, built()); err == nil {
		t.Error("a byte was left over")
	}
}

// Any input gives an error, or a state that is written as the same bytes.
func FuzzRead(f *testing.F) {
	type small struct {
		m map[uint16]string
		l [][]int8
		p *int32
	}
	n := int32(4)
	for _, s := range []small{{}, {map[uint16]string{3: "x", 4: ""}, [][]int8{{1}, nil}, &n}} {
		written, err := Write(nil, 1<<20, &s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(written)
	}
	f.Fuzz(func(t *testing.T, from []byte) {
		var s, again small
		if Read(from, nil, &s) != nil {
			return
		}
		written, err := Write(nil, 1<<30, &s)
		if err != nil {
			t.Fatal(err)
		}
		if err := Read(written, nil, &again); err != nil || !reflect.DeepEqual(s, again) {
			t.Errorf("%+v became %+v (%v)", s, again, err)
		}
	})
}
