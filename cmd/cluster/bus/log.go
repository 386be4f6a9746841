package bus

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// familyShards is the number of shards that share a stream of JetStream for logs, and one for
	// copies. Each stream has a leader, and syncs one commit after the other: some hundreds a
	// second, while a shard commits once a second.
	familyShards = 64
	// leastFamilies is the number of servers of a small cluster: each leads some families, and the
	// loss of one does not hold up all shards until others lead.
	leastFamilies = 3
	// chunkBytes is the size of the pieces of a copy; each is written and synced by itself.
	chunkBytes = 512 << 10
	// ahead is how much of a copy may be sent before it is written: 128 MB for 64 shards at a time.
	ahead = 2 << 20
	// copyTime bounds the time to put or get a copy.
	copyTime = 30 * time.Minute
	// TornTime is the age at which pieces belong to no copy under way.
	TornTime = 2 * copyTime
)

// spread returns the number of families for a number of shards. All nodes must compute the same: do
// not change it.
func spread(shards int) int { return max(min(leastFamilies, shards), shards/familyShards) }

// family has what some shards share. It is made at its first use.
type family struct {
	mu     sync.Mutex
	log    jetstream.Stream
	copies jetstream.ObjectStore
	pieces jetstream.Stream // of copies, with their notes
	under  string           // beginning of their subjects

	sweeping sync.Mutex
	torn     map[string]time.Time // pieces of no copy, by subject: since when
}

// open makes the streams of a family, or finds them.
func (b *Bus) open(ctx context.Context, n int) (*family, error) {
	b.opening.Lock()
	f := b.families[n]
	if f == nil {
		f = &family{}
		b.families[n] = f
	}
	b.opening.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.log != nil {
		return f, nil
	}
	log, err := within(ctx, func(ctx context.Context) (jetstream.Stream, error) {
		return b.js.CreateOrUpdateStream(ctx,
			jetstream.StreamConfig{Name: fmt.Sprintf("%s-log-%d", b.cluster, n),
				Subjects: []string{fmt.Sprintf("%s.log.%d.*", b.cluster, n)},
				Storage:  jetstream.FileStorage, Replicas: b.replicas})
	})
	if err != nil {
		return nil, fmt.Errorf("open the logs of shards: %w", err)
	}
	bucket := fmt.Sprintf("%s-copies-%d", b.cluster, n)
	f.copies, err = within(ctx, func(ctx context.Context) (jetstream.ObjectStore, error) {
		return b.js.CreateOrUpdateObjectStore(ctx,
			jetstream.ObjectStoreConfig{Bucket: bucket, Storage: jetstream.FileStorage,
				Replicas: b.replicas})
	})
	if err == nil {
		f.pieces, err = within(ctx, func(ctx context.Context) (jetstream.Stream, error) {
			return b.js.Stream(ctx, "OBJ_"+bucket)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("open the copies of shards: %w", err)
	}
	f.log, f.under = log, "$O."+bucket+"."
	return f, nil
}

// forget removes the messages of a subject.
func (f *family) forget(ctx context.Context, subject string) error {
	return f.pieces.Purge(ctx, jetstream.WithPurgeSubject(subject))
}

// Shard has the log and copies of a shard's store: it is a ship.Remote. The name of a copy is used
// once.
type Shard struct {
	bus     *Bus
	shard   int
	family  int
	subject string // of its log
}

// Shard returns a shard; shards is the number of all shards.
func (b *Bus) Shard(shard, shards int) *Shard {
	n := shard % spread(shards)
	return &Shard{b, shard, n, fmt.Sprintf("%s.log.%d.%d", b.cluster, n, shard)}
}

// Append adds a part after another one; false: that is not the last part.
func (s *Shard) Append(ctx context.Context, part []byte, after uint64) (
	number uint64, ok bool, err error) {
	if _, err := s.bus.open(ctx, s.family); err != nil {
		return 0, false, err
	}
	ack, err := within(ctx, func(ctx context.Context) (*jetstream.PubAck, error) {
		return s.bus.js.Publish(ctx, s.subject, part,
			jetstream.WithExpectLastSequencePerSubject(after))
	})
	var of *jetstream.APIError
	// underWay may be an earlier attempt of this node: the last part is not yet known
	if errors.As(err, &of) && of.ErrorCode == wrongRevision {
		return 0, false, nil
	} else if err != nil {
		return 0, false, fmt.Errorf("append to the log of shard %d: %w", s.shard, err)
	}
	return ack.Sequence, true, nil
}

// Last returns the last part; number 0: there is none.
func (s *Shard) Last(ctx context.Context) (number uint64, part []byte, err error) {
	f, err := s.bus.open(ctx, s.family)
	if err != nil {
		return 0, nil, err
	}
	m, err := within(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return f.log.GetLastMsgForSubject(ctx, s.subject)
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil, nil
	} else if err != nil {
		return 0, nil, fmt.Errorf("read the log of shard %d: %w", s.shard, err)
	}
	return m.Sequence, m.Data, nil
}

// Read passes on the parts after one, in order, up to the last. It requests each part by itself: a
// consumer would be faster, but JetStream may place it on a server that was just lost.
func (s *Shard) Read(ctx context.Context, after uint64,
	each func(number uint64, part []byte) error) error {
	last, _, err := s.Last(ctx)
	if err != nil {
		return err
	}
	f, err := s.bus.open(ctx, s.family)
	if err != nil {
		return err
	}
	for after < last {
		m, err := within(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
			return f.log.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(s.subject))
		})
		if err != nil {
			return fmt.Errorf("read the log of shard %d: %w", s.shard, err)
		}
		if err := each(m.Sequence, m.Data); err != nil {
			return err
		}
		after = m.Sequence
	}
	return nil
}

// Drop removes the parts before one.
func (s *Shard) Drop(ctx context.Context, upTo uint64) error {
	f, err := s.bus.open(ctx, s.family)
	if err != nil {
		return err
	}
	_, err = within(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, f.log.Purge(ctx, jetstream.WithPurgeSubject(s.subject),
			jetstream.WithPurgeSequence(upTo))
	})
	return err
}

const copyName = "%d-%d-%d"

// CopyName returns the name of a copy of a shard that was made in an epoch.
func CopyName(shard int, epoch uint64, number int) string {
	return fmt.Sprintf(copyName, shard, epoch, number)
}

// Put stores a copy. JetStream has a digest of it.
func (s *Shard) Put(ctx context.Context, name string, from io.Reader) error {
	f, err := s.bus.open(ctx, s.family)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, copyTime)
	defer cancel()
	pace := f.under + "C.pace-" + strconv.Itoa(s.shard) // a piece that belongs to no copy
	paced := &paced{from: from, left: ahead, wait: func() error {
		_, err := s.bus.js.Publish(ctx, pace, nil)
		return err
	}}
	_, err = f.copies.Put(ctx,
		jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: chunkBytes}},
		paced)
	if paced.waited {
		f.forget(ctx, pace) // Sweep repeats what fails here
	}
	return err
}

// paced is a copy that is sent no faster than the servers write it. JetStream takes pieces without
// an answer, keeps 128 MB of each stream in memory, and refuses more. So paced regularly sends a
// message whose answer comes when everything before it is written.
type paced struct {
	from   io.Reader
	left   int // until it waits
	wait   func() error
	waited bool
}

func (p *paced) Read(b []byte) (int, error) {
	if p.left <= 0 {
		if err := p.wait(); err != nil {
			return 0, fmt.Errorf("wait until a part of a copy is written: %w", err)
		}
		p.left, p.waited = ahead, true
	}
	n, err := p.from.Read(b)
	p.left -= n
	return n, err
}

// Get reads a copy. Its end is an error if the digest is wrong.
func (s *Shard) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	f, err := s.bus.open(ctx, s.family)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, copyTime)
	from, err := f.copies.Get(ctx, name)
	for began := time.Now(); errors.Is(err, jetstream.ErrObjectNotFound) &&
		time.Since(began) < callTime; from, err = f.copies.Get(ctx, name) {
		if pause(ctx, behind) != nil { // the server that answers may be behind
			break
		}
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return getting{from, cancel}, nil
}

// getting is a copy that is read.
type getting struct {
	jetstream.ObjectResult
	cancel context.CancelFunc
}

func (g getting) Close() error {
	defer g.cancel()
	return g.ObjectResult.Close()
}

// Clear removes the copies of the shard that were made in an epoch or earlier, except the named
// one, with the notes on them.
func (s *Shard) Clear(ctx context.Context, epoch uint64, but string) error {
	f, err := s.bus.open(ctx, s.family)
	if err != nil {
		return err
	}
	list, err := within(ctx, func(ctx context.Context) ([]*jetstream.ObjectInfo, error) {
		return f.copies.List(ctx)
	})
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil
	}
	for _, o := range list {
		var shard, number int
		var made uint64
		if _, other := fmt.Sscanf(o.Name, copyName, &shard, &made, &number); other == nil &&
			shard == s.shard && made <= epoch && o.Name != but {
			err = errors.Join(err, f.remove(ctx, o.Name))
		}
	}
	return err
}

// remove removes a copy, and the note on it.
func (f *family) remove(ctx context.Context, name string) error {
	_, err := within(ctx, func(ctx context.Context) (struct{}, error) {
		if err := f.copies.Delete(ctx, name); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, f.forget(ctx,
			f.under+"M."+base64.URLEncoding.EncodeToString([]byte(name)))
	})
	return err
}

// Sweep removes pieces of copies that were never finished, because their node was cut off or ended.
// It removes a piece that this node has seen unfinished for the time after, by its own clock, which
// must be longer than Put may take.
func (s *Shard) Sweep(ctx context.Context, after time.Duration) error {
	f, err := s.bus.open(ctx, s.family)
	if err != nil {
		return err
	}
	if !f.sweeping.TryLock() {
		return nil // another shard does
	}
	defer f.sweeping.Unlock()
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	info, err := f.pieces.Info(ctx, jetstream.WithSubjectFilter(f.under+">"))
	if err != nil {
		return err
	}
	// after the pieces: the list has copies that became whole meanwhile
	list, err := f.copies.List(ctx, jetstream.ListObjectsShowDeleted())
	if err != nil && !errors.Is(err, jetstream.ErrNoObjectsFound) {
		return err
	}
	torn, copies := []string{}, 0
	whole := map[string]bool{}
	for _, o := range list {
		whole[f.under+"C."+o.NUID] = true
	}
	for subject := range info.State.Subjects {
		if !strings.HasPrefix(subject, f.under+"C.") {
			copies++
		} else if !whole[subject] {
			torn = append(torn, subject)
		}
	}
	if copies != len(list) {
		return nil // the server that lists them is behind, or one was put meanwhile
	}
	return f.sweep(torn, after, func(subject string) error { return f.forget(ctx, subject) })
}

// sweep removes the pieces that were first seen unfinished long enough ago, and remembers the
// others.
func (f *family) sweep(torn []string, after time.Duration, remove func(subject string) error) (
	err error) {
	seen, now := map[string]time.Time{}, time.Now()
	for _, subject := range torn {
		since, ok := f.torn[subject]
		if !ok {
			since = now
		}
		if !ok || now.Sub(since) < after {
			seen[subject] = since
		} else if failed := remove(subject); failed != nil {
			seen[subject], err = since, failed
		}
	}
	f.torn = seen
	return err
}
