package arena

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"
)

// An image is a copy of a scratch file and of its columns, with data of their owner, from which
// another process can continue. It is beside the scratch file, under its own names. A head names
// its files with their checksums. The head gets its name last, when all else is on disk.
//
//	head   magic, what the owner wrote, manifest (JSON)
//	       length of what the owner wrote, length of the manifest, CRC-32C of the manifest
//
// A process that takes an image writes to copies of its columns (Settle), so that the image stays
// for the next process. Pieces do not change, so the image and all processes that continue from it
// share their file. These write after the end of the image, and where it has no piece.
type manifest struct {
	Note    []byte        `json:"note"` // of the owner: the time of the image
	ID      string        `json:"id"`   // part of its files' names
	Owner   imageFile     `json:"owner"`
	Pieces  imageFile     `json:"pieces"` // up to At; freed pieces count as zeros
	Windows []int         `json:"windows"`
	Tail    int           `json:"tail"` // free bytes in the last window
	At      int64         `json:"at"`   // their offset
	Free    freePieces    `json:"free"` // by place
	Columns []imageColumn `json:"columns"`
}

type imageFile struct {
	Bytes int64    `json:"bytes"`
	Sums  []uint32 `json:"sums"` // CRC-32C of each imageStep
}

type imageColumn struct {
	imageFile
	Size int `json:"size"` // of a value
}

// freePieces has the place and room of each freed piece.
type freePieces [][2]int64

// valid reports whether the pieces are in order without overlaps.
func (f freePieces) valid() bool {
	end := int64(0)
	for _, p := range f {
		if p[0] < end || p[1] <= 0 || p[0] > math.MaxInt64-p[1] {
			return false
		}
		end = p[0] + p[1]
	}
	return true
}

// blank sets the parts of freed pieces to zero, in bytes at a place.
func (f freePieces) blank(b []byte, at int64) {
	end := at + int64(len(b))
	i, _ := slices.BinarySearchFunc(f, at, func(p [2]int64, at int64) int {
		return cmp.Compare(p[0]+p[1], at)
	})
	for ; i < len(f) && f[i][0] < end; i++ {
		clear(b[max(f[i][0]-at, 0):min(f[i][0]+f[i][1]-at, int64(len(b)))])
	}
}

const (
	imageName  = "scratch-image"
	imageMagic = "recrawl image 2\n"
	imageStep  = 4 << 20
	// checkStep is the size of a read, which fits into the cache of a processor.
	checkStep = 256 << 10
	// mostManifest bounds the bytes that are read before the first check.
	mostManifest = 64 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Keeping is an image that is being written.
type Keeping struct {
	f       *File
	m       manifest
	head    *bufio.Writer
	sum     uint32
	columns map[unsafe.Pointer]int // numbers of the image's columns, by first address
	order   []*column
}

// Write writes the owner's data.
func (k *Keeping) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		room := imageStep - int(k.m.Owner.Bytes%imageStep)
		n := min(room, len(rest))
		k.sum = crc32.Update(k.sum, castagnoli, rest[:n])
		k.m.Owner.Bytes += int64(n)
		if n == room {
			k.m.Owner.Sums = append(k.m.Owner.Sums, k.sum)
			k.sum = 0
		}
		rest = rest[n:]
	}
	return k.head.Write(b)
}

// Column makes the first bytes of a column part of the image; false: no column begins there.
func (k *Keeping) Column(at unsafe.Pointer, bytes int) (number int, ok bool) {
	c := k.f.columns[at]
	if c == nil || bytes > c.bytes {
		return 0, false
	}
	number, ok = k.columns[at]
	if !ok {
		number = len(k.order)
		k.columns[at] = number
		k.order = append(k.order, c)
		k.m.Columns = append(k.m.Columns, imageColumn{Size: c.size})
	}
	k.m.Columns[number].Bytes = max(k.m.Columns[number].Bytes, int64(bytes))
	return number, true
}

// Place returns the place in the file of a piece, or of bytes in one; false: it is in memory.
func (f *File) Place(at unsafe.Pointer) (place int64, ok bool) {
	if f == nil {
		return 0, false
	}
	for _, window := range f.shown {
		from := uintptr(unsafe.Pointer(unsafe.SliceData(window)))
		if x := uintptr(at); x >= from && x < from+uintptr(len(window)) {
			return place + int64(x-from), true
		}
		place += int64(len(window))
	}
	return 0, false
}

// At returns the piece of a given length at a place.
func (f *File) At(place int64, bytes int) (p Piece, ok bool) {
	room := (bytes + unit - 1) / unit * unit
	from := int64(0)
	for _, window := range f.shown {
		if place >= from && bytes > 0 && place+int64(room) <= from+int64(len(window)) {
			b := window[place-from:]
			return Piece{Bytes: b[:bytes:bytes], room: b[:room:room], at: place}, true
		}
		from += int64(len(window))
	}
	return Piece{}, false
}

// Keep writes an image durably, which replaces the one before. note describes its time. write
// writes the owner's data, and names the columns of the image. Nothing else may use the File
// meanwhile. After last nobody may write to the File again: the columns then get names, if the
// system allows it, instead of copies. If Keep fails there is the earlier image, or none.
func (f *File) Keep(note []byte, last bool, write func(k *Keeping) error) (err error) {
	if err := errors.Join(f.Checked(), f.settleAll()); err != nil {
		return err
	}
	k := &Keeping{f: f, columns: map[unsafe.Pointer]int{}}
	k.m.Note, k.m.ID = note, fmt.Sprintf("%016x", rand.Uint64())
	defer func() {
		if err != nil {
			left, _ := filepath.Glob(filepath.Join(f.dir, imageName+"-"+k.m.ID+"*"))
			for _, name := range left {
				_ = os.Remove(name)
			}
			err = fmt.Errorf("write an image of the scratch files: %w", err)
		}
	}()
	headName := filepath.Join(f.dir, imageName+"-"+k.m.ID)
	head, err := os.OpenFile(headName, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, head.Close()) }()
	k.head = bufio.NewWriterSize(head, 1<<20)
	if _, err := k.head.WriteString(imageMagic); err != nil {
		return err
	}
	if err := write(k); err != nil {
		return err
	}
	if k.m.Owner.Bytes%imageStep > 0 {
		k.m.Owner.Sums = append(k.m.Owner.Sums, k.sum)
	}
	if err := k.pieces(); err != nil {
		return err
	}
	for i, c := range k.order {
		to := &k.m.Columns[i].imageFile
		if to.Sums, err = k.keepFile(c.file, columnName(headName, i), to.Bytes, last,
			nil); err != nil {
			return err
		}
	}
	if err := k.finish(head, headName); err != nil {
		return err
	}
	f.imaged = true
	f.reuse() // only the earlier image had these
	return nil
}

// pieces keeps the file of pieces, and copies it if it cannot get another name.
func (k *Keeping) pieces() (err error) {
	f := k.f
	k.m.Pieces.Bytes, k.m.Tail, k.m.At = f.at, len(f.tail), f.at
	for _, window := range f.shown {
		k.m.Windows = append(k.m.Windows, len(window))
	}
	freed := func(all []Piece) {
		for _, p := range all {
			k.m.Free = append(k.m.Free, [2]int64{p.at, int64(len(p.room))})
		}
	}
	for _, same := range f.free {
		freed(same)
	}
	freed(f.held)
	freed(f.freed)
	slices.SortFunc(k.m.Free, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	k.m.Pieces.Sums, err = k.keepFile(f.file, piecesName(imageOf(f.dir, &k.m)), f.at, true,
		k.m.Free)
	return err
}

// finish writes the manifest, gives the head its name, and removes the earlier image.
func (k *Keeping) finish(head *os.File, name string) error {
	m, err := json.Marshal(&k.m)
	if err != nil {
		return err
	}
	m = binary.LittleEndian.AppendUint64(m, uint64(k.m.Owner.Bytes))
	m = binary.LittleEndian.AppendUint64(m, uint64(len(m)-8))
	m = binary.LittleEndian.AppendUint32(m, crc32.Checksum(m, castagnoli))
	if _, err := k.head.Write(m); err != nil {
		return err
	}
	if err := errors.Join(k.head.Flush(), head.Sync()); err != nil {
		return err
	}
	// The directory first: then every head has its files.
	if err := syncDirectory(k.f.dir); err != nil {
		return err
	}
	if err := os.Rename(name, filepath.Join(k.f.dir, imageName)); err != nil {
		return err
	}
	if err := syncDirectory(k.f.dir); err != nil {
		return err
	}
	removeImages(k.f.dir, k.m.ID)
	return nil
}

func piecesName(head string) string          { return head + "-pieces" }
func columnName(head string, i int) string   { return fmt.Sprintf("%s-%d", head, i) }
func imageOf(dir string, m *manifest) string { return filepath.Join(dir, imageName+"-"+m.ID) }

// removeImages removes the files of all images except one.
func removeImages(dir, but string) {
	left, _ := filepath.Glob(filepath.Join(dir, imageName+"-*"))
	for _, name := range left {
		id, _, _ := strings.Cut(filepath.Base(name)[len(imageName)+1:], "-")
		if id != but {
			_ = os.Remove(name)
		}
	}
}

// removeFiles removes the files that processes left, of all images except one.
func removeFiles(dir, but string) {
	removeImages(dir, but)
	left, _ := filepath.Glob(filepath.Join(dir, names))
	for _, name := range left {
		if !strings.HasPrefix(filepath.Base(name), imageName) {
			_ = os.Remove(name)
		}
	}
}

func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// keepFile makes the first bytes of a file durable under a name, and returns their checksums. With
// as, the file itself may get the name.
func (k *Keeping) keepFile(from *os.File, name string, bytes int64, as bool, free freePieces) (
	sums []uint32, err error) {
	if as && link(from, name) == nil {
		if sums, err = summed(from, io.Discard, bytes, free); err != nil {
			return nil, err
		}
		return sums, from.Sync()
	}
	to, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if sums, err = summed(from, to, bytes, free); err != nil {
		return nil, err
	}
	if err := to.Truncate(wholePages(bytes)); err != nil {
		return nil, err
	}
	return sums, to.Sync()
}

func wholePages(bytes int64) int64 {
	page := int64(pageSize)
	return (bytes + page - 1) / page * page
}

// summed copies the first bytes of a file, and returns their checksums.
func summed(from *os.File, to io.Writer, bytes int64, free freePieces) (sums []uint32, err error) {
	buffer := make([]byte, imageStep)
	for at := int64(0); at < bytes; at += imageStep {
		b := buffer[:min(imageStep, bytes-at)]
		if _, err := from.ReadAt(b, at); err != nil {
			return nil, err
		}
		free.blank(b, at)
		sums = append(sums, crc32.Checksum(b, castagnoli))
		if _, err := to.Write(b); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// Image is a whole image.
type Image struct {
	File    *File  // continues from the image
	Owner   []byte // data of the owner; valid until Done
	dir     string
	m       manifest
	head    []byte
	columns [][]byte
}

// ErrNoImage reports that a directory has no image.
var ErrNoImage = errors.New("there is no image")

// TakeImage opens the image in a directory, if wanted accepts its note, and checks every byte, of a
// large image while it is in use (Checked). No other process may use the directory. The image stays
// until the next one replaces it. Only if the disk has no room for copies of its columns, its files
// become those of this process, and it loses its head.
func TakeImage(dir string, wanted func(note []byte) bool) (*Image, error) {
	if !canShow || dir == "" {
		return nil, ErrNoImage
	}
	found := &Image{dir: dir}
	if err := found.load(wanted); err != nil {
		found.close()
		return nil, err
	}
	return found, nil
}

func (i *Image) load(wanted func(note []byte) bool) error {
	if err := i.readHead(); err != nil {
		return err
	}
	if !wanted(i.m.Note) {
		return ErrNoImage
	}
	removeFiles(i.dir, i.m.ID) // of processes that died
	err := i.open(true)
	if errors.Is(err, errNoRoom) {
		i.closeFiles()
		if err = i.open(false); err == nil {
			err = errors.Join(os.Remove(filepath.Join(i.dir, imageName)), syncDirectory(i.dir))
		}
	}
	return err
}

// readHead maps the head and checks the manifest.
func (i *Image) readHead() error {
	f, err := os.Open(filepath.Join(i.dir, imageName))
	if errors.Is(err, os.ErrNotExist) {
		return ErrNoImage
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	const trailer = 8 + 8 + 4
	size := info.Size()
	if size < int64(len(imageMagic))+trailer {
		return errImage("its head is cut short")
	}
	if i.head, err = show(f, 0, int(size)); err != nil {
		return err
	}
	end := i.head[size-trailer:]
	owner, length := int64(binary.LittleEndian.Uint64(end)),
		int64(binary.LittleEndian.Uint64(end[8:]))
	if string(i.head[:len(imageMagic)]) != imageMagic || length < 0 || length > mostManifest ||
		owner != size-trailer-length-int64(len(imageMagic)) {
		return errImage("its head is damaged, or of another version")
	}
	m := i.head[size-trailer-length:]
	if crc32.Checksum(m[:len(m)-4], castagnoli) != binary.LittleEndian.Uint32(m[len(m)-4:]) {
		return errImage("its head is damaged")
	}
	if err := json.Unmarshal(m[:length], &i.m); err != nil {
		return errImage(err.Error())
	}
	i.Owner = i.head[len(imageMagic):][:owner]
	if i.m.Owner.Bytes != owner || !i.m.Free.valid() {
		return errImage("its head is damaged")
	}
	return nil
}

func errImage(what string) error { return errors.New("the image of the scratch files: " + what) }

// roomForCopy is allocate; tests replace it by a full disk.
var roomForCopy = allocate

// errNoRoom reports a disk without room for copies.
var errNoRoom = errors.New("there is no room for copies")

// open opens all files and starts their checks. It uses copies of the columns, or the columns
// themselves.
func (i *Image) open(copies bool) (err error) {
	i.File = &File{dir: i.dir, imaged: copies, free: map[int][]Piece{},
		columns: map[unsafe.Pointer]*column{}}
	i.columns = nil
	head, all := &checks{}, &checks{}
	if err := head.addBytes(i.Owner, i.m.Owner.Sums); err != nil {
		return err
	}
	if err := head.run(runtime.GOMAXPROCS(0)); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			all.close()
		}
	}()
	base := imageOf(i.dir, &i.m)
	if i.File.file, err = os.OpenFile(piecesName(base), os.O_RDWR, 0); err != nil {
		return err
	}
	for k := range i.m.Columns {
		c := &i.m.Columns[k]
		if c.Size <= 0 || c.Bytes < 0 {
			return errImage("its head is damaged")
		}
		if err := all.add(columnName(base, k), &c.imageFile, nil); err != nil {
			return err
		}
		if err := i.openColumn(columnName(base, k), c, copies); err != nil {
			return err
		}
	}
	// Last: a start reads few pieces, and columns would be read from the disk twice.
	if err := all.add(piecesName(base), &i.m.Pieces, i.m.Free); err != nil {
		return err
	}
	if err := i.showPieces(); err != nil {
		return err
	}
	if copies && all.bytes > CheckedFirst && i.setMark() {
		i.checkLater(all)
		return nil
	}
	return i.checkNow(all)
}

// openColumn maps a kept column, or maps it over the file that will hold it.
func (i *Image) openColumn(name string, of *imageColumn, copied bool) error {
	kept, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	file := kept
	if copied {
		defer kept.Close() // mapped memory stays
		if file, err = unnamed(i.dir); err != nil {
			return err
		}
		if n := int(wholePages(of.Bytes)); n > 0 && roomForCopy(file, 0, n) != nil {
			return errors.Join(errNoRoom, file.Close())
		}
	}
	return i.show(kept, file, of)
}

// show maps a column: the file that will hold it, and over that the kept one, if that is another.
func (i *Image) show(kept, file *os.File, of *imageColumn) error {
	info, err := kept.Stat()
	if err != nil {
		return err
	}
	size := wholePages(of.Bytes)
	if info.Size() < size {
		return errImage(fmt.Sprintf("%s has %d bytes, want %d", kept.Name(), info.Size(), size))
	}
	if err := file.Truncate(size); err != nil { // the bytes after it may not be zero
		return err
	}
	room, err := showColumn(file, of.Size)
	if err != nil {
		return err
	}
	c := &column{file: file, room: room, bytes: int(size), size: of.Size}
	i.File.columns[unsafe.Pointer(unsafe.SliceData(room))] = c
	if kept != file && size > 0 {
		if err := showOver(room[:size], kept, 0, true); err != nil {
			return err
		}
		c.image.to = int(size)
		i.File.unsettled = append(i.File.unsettled, c)
	}
	clear(room[of.Bytes:size])
	i.columns = append(i.columns, room[:c.bytes])
	return nil
}

// showPieces maps the windows of the file of pieces.
func (i *Image) showPieces() error {
	f := i.File
	size := int64(0)
	for _, window := range i.m.Windows {
		size += int64(window)
	}
	if err := f.file.Truncate(size); err != nil { // a dead process may have made it longer
		return err
	}
	for _, size := range i.m.Windows {
		window, err := show(f.file, f.size, size)
		if err != nil {
			return err
		}
		f.shown = append(f.shown, window)
		f.size += int64(size)
	}
	if n := len(f.shown); n > 0 {
		last := f.shown[n-1]
		if i.m.Tail < 0 || i.m.Tail > len(last) || i.m.At != f.size-int64(i.m.Tail) {
			return errImage("its head is damaged")
		}
		f.tail, f.at = last[len(last)-i.m.Tail:], i.m.At
	}
	for _, free := range i.m.Free {
		p, ok := f.At(free[0], int(free[1]))
		if !ok {
			return errImage("its head is damaged")
		}
		f.free[len(p.room)] = append(f.free[len(p.room)], p)
	}
	return nil
}

// Column returns the address of a column, and the bytes in its file; false: there is no column with
// this number and size of values.
func (i *Image) Column(number, size int) (at unsafe.Pointer, bytes int, ok bool) {
	if number < 0 || number >= len(i.columns) || i.m.Columns[number].Size != size {
		return nil, 0, false
	}
	c := i.columns[number]
	return unsafe.Pointer(unsafe.SliceData(c)), len(c), true
}

// Done releases the memory of the head.
func (i *Image) Done() {
	if i.head != nil {
		hide(i.head)
		i.head, i.Owner = nil, nil
	}
}

// Close gives up an image that is of no use.
func (i *Image) Close() { i.close() }

func (i *Image) close() {
	i.Done()
	i.closeFiles()
}

func (i *Image) closeFiles() {
	if i.File == nil {
		return
	}
	f := i.File
	f.checking.stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	// other data may get the same addresses: the watch must not touch it
	f.most.Store(0)
	for _, window := range f.shown {
		hide(window)
	}
	for _, c := range f.columns {
		hide(c.room)
		c.file.Close() // it was only read
	}
	f.shown, f.columns, f.unsettled = nil, nil, nil
	if f.file != nil {
		f.file.Close()
	}
	i.File = nil
}
