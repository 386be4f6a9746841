package arena

import "fmt"

// A File that goes on from an image shows the columns of the image at once, and copies none of
// them: what is written to them lies in memory alone (copy on write), and so the image stays. That
// memory is of no file, and so Settle moves the columns step by step to files of this process, as
// long as some are left. They stay at their addresses.

// unsettled are the bytes of a column that are shown from the image.
type unsettled struct{ from, to int }

// settleStep is how much moves at once.
const settleStep = 4 << 20

// Settle moves some 4 MiB of what is shown from the image, if anything is. No goroutine may write
// to columns meanwhile; others may read them. Where the disk refuses it costs memory.
func (f *File) Settle() {
	if f != nil && len(f.unsettled) > 0 {
		f.Ease()
		_ = f.moveStep() // Keep needs all of it, and tells
	}
}

// Settled reports whether nothing is shown from the image any more.
func (f *File) Settled() bool { return f == nil || len(f.unsettled) == 0 }

func (f *File) moveStep() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.unsettled[0]
	if err := c.moveStep(); err != nil {
		return fmt.Errorf("move a column out of the image of the scratch files: %w", err)
	}
	f.advise(c.room)
	if c.image.from == c.image.to {
		f.unsettled = f.unsettled[1:]
	}
	return nil
}

func (c *column) moveStep() error {
	at := c.image.from
	part := c.room[at:min(at+settleStep, c.image.to)]
	populate(part) // page by page, while it is written, takes twice the time
	// The system keeps what is written at once as one piece. A value that is written to a piece of
	// many pages costs more later.
	for from := 0; from < len(part); from += pageSize {
		to := min(from+pageSize, len(part))
		if _, err := c.file.WriteAt(part[from:to], int64(at+from)); err != nil {
			return err
		}
	}
	if err := showOver(part, c.file, int64(at), false); err != nil {
		return err
	}
	c.image.from += len(part)
	return nil
}

// settleAll moves all that is left.
func (f *File) settleAll() error {
	for len(f.unsettled) > 0 {
		if err := f.moveStep(); err != nil {
			return err
		}
	}
	return nil
}

// forget takes a column out of the memory of the process, but for what is shown from the image: to
// forget that would undo what was written to it. What was only read of it is for Ease to take.
func (c *column) forget() {
	forget(c.room[:c.image.from])
	forget(c.room[c.image.to:c.bytes])
}
