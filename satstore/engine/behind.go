package engine

import "sync"

// behind writes the chunks of a run in its own goroutine, so that the disk works while the next
// blocks are made. It serves only files of the system. On other file systems, such as those of
// tests that stop at each operation, the caller writes.
type behind struct {
	sink runSink
	work chan chunkWrite
	free chan []byte // buffers
	wg   sync.WaitGroup
	err  error // cause of failure; read after wait
	told bool  // wait returned err
}

type chunkWrite struct {
	buf  []byte
	sync bool
}

func startBehind(sink runSink, spare []byte) *behind {
	b := &behind{sink: sink, work: make(chan chunkWrite, 2), free: make(chan []byte, 2)}
	b.free <- spare
	go func() {
		for c := range b.work {
			if b.err == nil && c.buf != nil {
				_, b.err = b.sink.Write(c.buf)
			}
			if b.err == nil && c.sync {
				b.err = b.sink.SyncData()
			}
			if c.buf != nil {
				b.free <- c.buf[:0]
			}
			b.wg.Done()
		}
	}()
	return b
}

// write takes a full buffer and returns an empty one.
func (b *behind) write(buf []byte) []byte {
	b.wg.Add(1)
	b.work <- chunkWrite{buf: buf}
	return <-b.free
}

// sync begins to make the written chunks durable.
func (b *behind) sync() {
	b.wg.Add(1)
	b.work <- chunkWrite{sync: true}
}

// wait waits for all chunks, and returns the first error.
func (b *behind) wait() error {
	b.wg.Wait()
	b.told = b.err != nil
	return b.err
}

// stop ends the goroutine after its work. It returns its spare buffer, and an error that wait did
// not return.
func (b *behind) stop() ([]byte, error) {
	close(b.work)
	told := b.told
	err := b.wait()
	if told {
		err = nil
	}
	return <-b.free, err
}
