package arena

import "fmt"

// A File that continues from an image maps the columns of the image at once, and copies none of
// them. Writes to them stay in memory (copy on write), so that the image is unchanged. No file
// backs that memory. So Settle moves the columns step by step to files of this process, until none
// is left. They keep their addresses.

// unsettled are the bytes of a column that are mapped from the image.
type unsettled struct{ from, to int }

// settleStep is how much moves at once.
const settleStep = 4 << 20

// Settle moves about 4 MiB of the parts mapped from the image, if there are any. No goroutine may
// write to columns meanwhile; others may read them. If the disk refuses, that costs memory.
func (f *File) Settle() {
	if f != nil && len(f.unsettled) > 0 {
		f.Ease()
		_ = f.moveStep() // Keep needs all of it, and reports errors
	}
}

// Settled reports whether nothing is mapped from the image any more.
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
	populate(part) // page by page, during writes, takes twice the time
	// The system keeps bytes that are written together as one piece. Writing a value to a piece of
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

// forget releases the memory of a column, except parts mapped from the image, whose writes would be
// lost. Ease releases parts of the image that were only read.
func (c *column) forget() {
	forget(c.room[:c.image.from])
	forget(c.room[c.image.to:c.bytes])
}
