package satstore_test

import (
	"encoding/binary"
	"fmt"
	"log"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/recrawl/recrawl/estimator"
	"github.com/recrawl/recrawl/satstore/engine"
	"github.com/recrawl/recrawl/sitegraph"
)

// sensor is a source that changes by itself: a meter whose counter moves every few minutes. Nobody
// announces a change: only another reading shows it.
type sensor struct{ period int }

func (s sensor) read(minute int64) uint32 { return uint32(minute / int64(s.period)) }

// reading is the state of a sensor between two reads: 36 bytes.
type reading struct {
	value   uint32
	bound   uint32 // longest interval in minutes that a message allows; 0: none
	history sitegraph.History
}

func (r *reading) append(b []byte) []byte {
	h := &r.history
	for _, v := range []uint32{r.value, r.bound, h.Epoch, h.Last, h.LastChange, h.Stable,
		h.MinInterval, h.Visits, h.Changes} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func (r *reading) decode(b []byte) {
	h := &r.history
	for i, v := range []*uint32{&r.value, &r.bound, &h.Epoch, &h.Last, &h.LastChange, &h.Stable,
		&h.MinInterval, &h.Visits, &h.Changes} {
		*v = binary.LittleEndian.Uint32(b[4*i:])
	}
}

// The example reads a thousand meters for 400 days, each at its own period, in units of a minute.
// The store is the state and the schedule in one. It hands out the meters that are due, and takes
// the new state with the next due time. It needs no queue and no look-up. See docs/design/store.md.
func Example_sensors() {
	fs := vfs.NewMem() // a disk; leave FS out for a real one
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	store, err := engine.Open("meters",
		engine.Options{FS: fs, Unit: 60, Levels: engine.MinutesHoursAndDays})
	if err != nil {
		log.Fatal(err)
	}
	sensors := make([]sensor, 1000)
	for i := range sensors {
		sensors[i] = sensor{period: []int{5, 60, 24 * 60}[i%3]}
		first := reading{value: sensors[i].read(0), history: sitegraph.Start(start)}
		if err := store.Put(uint32(i), 1+int64(i)%60, first.append(nil)); err != nil {
			log.Fatal(err)
		}
	}

	reads, changes := [3]int{}, [3]int{}
	limits := estimator.Limits{Min: 2 * time.Minute, Max: 2 * 24 * time.Hour}
	run := func(from, to int64) {
		var body []byte
		for minute := from; minute <= to; minute++ {
			now := start.Add(time.Duration(minute) * time.Minute)
			err := store.Advance(minute, func(r *engine.Record) (int64, []byte) {
				var state reading
				state.decode(r.Body)
				for _, m := range r.Messages { // ad-hoc requests, in the order of arrival
					state.bound = binary.LittleEndian.Uint32(m)
				}
				value, previous := sensors[r.Seq].read(minute), state.history.Age(now)
				state.history.See(now, value != state.value, time.Time{})
				reads[r.Seq%3]++
				if value != state.value {
					changes[r.Seq%3]++
				}
				state.value = value
				wait := estimator.Interval(state.history, previous, limits).Interval
				if state.bound > 0 {
					wait = min(wait, time.Duration(state.bound)*time.Minute)
				}
				body = state.append(body[:0])
				return minute + int64(wait/time.Minute), body
			})
			if err != nil {
				log.Fatal(err)
			}
			if minute%60 == 0 { // from here on, the readings of this hour are durable
				if err := store.Commit(); err != nil {
					log.Fatal(err)
				}
			}
		}
	}
	run(1, 2*24*60)

	// The machine stops and starts again: nothing committed is lost.
	if err := store.Close(); err != nil {
		log.Fatal(err)
	}
	if store, err = engine.Open("meters", engine.Options{FS: fs}); err != nil {
		log.Fatal(err)
	}
	// A user wants a reading of meter 2, which moves once a day, every ten minutes from its next
	// visit.
	if err := store.Message(2, binary.LittleEndian.AppendUint32(nil, 10)); err != nil {
		log.Fatal(err)
	}
	run(2*24*60+1, 4*24*60)
	fmt.Println("meters:", store.Len())
	for kind, period := range []string{"5 minutes", "hour", "day"} {
		fmt.Printf("moving every %s: %d reads, %d of them saw a change\n",
			period, reads[kind], changes[kind])
	}
	if err := store.Close(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// meters: 1000
	// moving every 5 minutes: 768565 reads, 382773 of them saw a change
	// moving every hour: 52539 reads, 31406 of them saw a change
	// moving every day: 4176 reads, 932 of them saw a change
}
