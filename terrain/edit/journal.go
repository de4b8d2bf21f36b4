package edit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// What is below is on disk, see the package comment.
const (
	journalMagic   = "\x89VKE\r\n\x1a\n"
	journalVersion = 1
	headerLen      = 48
	frameLen       = 12
	rectLen        = 16
	maxRecord      = 1 << 30
)

// Kinds of records.
const (
	kindEdit   = 1
	kindUndo   = 2
	kindRedo   = 3
	kindSaved  = 4
	kindFolded = 5
)

var (
	le         = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// journal keeps the edits of one world until they are saved.
type journal struct {
	path   string
	id     [32]byte
	limit  int64
	f      *os.File
	size   int64
	fixed  int64  // bytes of the header and of what is folded
	steps  []step // that can be undone or redone
	done   int    // of them are done
	folded map[[2]int]rect
	broken error // what is in the file is not known any more
}

// step is an edit in the journal.
type step struct {
	rect
	at     int64 // of its record
	length int64
}

// identity returns what tells worlds apart: a hash of the header of the world file at
// path, which has the checksum of all that follows.
func identity(path string) (id [32]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return id, err
	}
	defer f.Close()
	b := make([]byte, 16)
	if _, err := io.ReadFull(f, b); err != nil {
		return id, fmt.Errorf("%s: %w", path, err)
	}
	rest := make([]byte, min(le.Uint32(b[12:]), 1<<20))
	n, err := f.ReadAt(rest, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return id, err
	}
	return sha256.Sum256(rest[:n]), nil
}

// header returns the first bytes of a journal.
func header(id [32]byte) []byte {
	b := append([]byte(journalMagic), 0, 0, 0, 0)
	le.PutUint32(b[8:], journalVersion)
	b = append(b, id[:]...)
	return le.AppendUint32(b, checksum(b))
}

// createJournal begins a journal where there is none.
func createJournal(path string, id [32]byte, limit int64) (*journal, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%s: another program edits this world", path)
	}
	if err != nil {
		return nil, err
	}
	j := &journal{path: path, id: id, limit: limit, f: f, folded: map[[2]int]rect{}}
	chunkfile.Hold(f)
	if err = j.write(header(id)); err == nil {
		err = syncDir(filepath.Dir(path))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	j.fixed = j.size
	return j, nil
}

// syncDir makes the names in a folder durable, where the system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // some file systems refuse
	return d.Close()
}

// write appends bytes and makes them durable. What fails is taken back.
func (j *journal) write(b []byte) error {
	if j.broken != nil {
		return j.broken
	}
	_, err := j.f.WriteAt(b, j.size)
	if err == nil {
		err = j.f.Sync()
	}
	if err != nil {
		if back := errors.Join(j.f.Truncate(j.size), j.f.Sync()); back != nil {
			j.broken = fmt.Errorf("%s: %w", j.path, back)
		}
		return err
	}
	j.size += int64(len(b))
	return nil
}

// record frames a payload.
func record(payload []byte) []byte {
	b := le.AppendUint32(nil, uint32(len(payload)))
	b = le.AppendUint32(b, checksum(payload))
	b = le.AppendUint32(b, checksum(b))
	return append(b, payload...)
}

// payload returns that of an edit, or of a folded state if before is nil.
func payload(before, after *patch) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte(kindEdit)
	if before == nil {
		out.Bytes()[0] = kindFolded
	}
	for _, v := range [4]int{after.x, after.z, after.width, after.height} {
		out.Write(le.AppendUint32(nil, uint32(v)))
	}
	s := chunkfile.NewStreamWriter(&out)
	s.StartCompressing()
	for _, p := range []*patch{before, after} {
		if p == nil {
			continue
		}
		b := make([]byte, 0, 4*len(p.samples))
		last := int32(0)
		for _, v := range p.samples {
			b, last = le.AppendUint32(b, uint32(v-last)), v
		}
		if _, err := s.Write(b); err != nil {
			return nil, err
		}
	}
	err := s.Close()
	return out.Bytes(), err
}

// parse is the inverse of payload: before is nil for a folded state.
func parse(b []byte, w *terrain.World) (before, after *patch, err error) {
	r, err := parseRect(b, w)
	if err != nil {
		return nil, nil, err
	}
	s := chunkfile.NewStreamReader(bytes.NewReader(b[1+rectLen:]))
	read := func() (*patch, error) {
		raw := make([]byte, 4*r.size())
		if _, err := io.ReadFull(s, raw); err != nil {
			return nil, err
		}
		p := &patch{rect: r, samples: make([]int32, r.size())}
		last := int32(0)
		for i := range p.samples {
			last += int32(le.Uint32(raw[4*i:]))
			p.samples[i] = last
		}
		return p, nil
	}
	if b[0] == kindEdit {
		if before, err = read(); err != nil {
			return nil, nil, err
		}
	}
	if after, err = read(); err != nil {
		return nil, nil, err
	}
	if n, err := s.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("more samples than the rectangle has")
	}
	return before, after, nil
}

func parseRect(b []byte, w *terrain.World) (r rect, err error) {
	if len(b) < 1+rectLen {
		return r, errors.New("no rectangle")
	}
	for i, v := range [4]*int{&r.x, &r.z, &r.width, &r.height} {
		*v = int(le.Uint32(b[1+4*i:]))
	}
	return r, r.check(w)
}

// edit adds an edit.
func (j *journal) edit(before, after *patch) error {
	p, err := payload(before, after)
	if err != nil {
		return err
	}
	b := record(p)
	at := j.size
	if err := j.write(b); err != nil {
		return err
	}
	j.steps = append(j.steps[:j.done], step{after.rect, at, int64(len(b))})
	j.done++
	return nil
}

// step returns the samples that undo the last step, or redo the next.
func (j *journal) step(undo bool, w *terrain.World) (*patch, error) {
	i := j.done
	if undo {
		i--
	}
	if i < 0 || i >= len(j.steps) {
		return nil, ErrNothing
	}
	before, after, err := j.read(j.steps[i], w)
	if undo {
		return before, err
	}
	return after, err
}

// stepped notes that a step was undone or redone.
func (j *journal) stepped(undo bool) error {
	if undo {
		if err := j.write(record([]byte{kindUndo})); err != nil {
			return err
		}
		j.done--
		return nil
	}
	if err := j.write(record([]byte{kindRedo})); err != nil {
		return err
	}
	j.done++
	return nil
}

// saved notes which world is about to take the place.
func (j *journal) saved(id [32]byte) error {
	return j.write(record(append([]byte{kindSaved}, id[:]...)))
}

// read reads a step.
func (j *journal) read(s step, w *terrain.World) (before, after *patch, err error) {
	b := make([]byte, s.length)
	if _, err := j.f.ReadAt(b, s.at); err != nil {
		return nil, nil, err
	}
	if n := frame(b); n != int(s.length) {
		return nil, nil, j.damaged(s.at)
	}
	before, after, err = parse(b[frameLen:], w)
	if err != nil || before == nil {
		return nil, nil, errors.Join(j.damaged(s.at), err)
	}
	return before, after, nil
}

func (j *journal) damaged(at int64) error {
	return fmt.Errorf("%s: the record at byte %d is damaged", j.path, at)
}

// frame returns the length of the whole record that b begins with, 0 if there is none.
func frame(b []byte) int {
	if len(b) < frameLen || checksum(b[:8]) != le.Uint32(b[8:]) {
		return 0
	}
	n := int(le.Uint32(b))
	if n < 1 || n > maxRecord || n > len(b)-frameLen || checksum(b[frameLen:frameLen+n]) != le.Uint32(b[4:]) {
		return 0
	}
	return frameLen + n
}

// trim makes one state of the oldest steps if the journal has outgrown its bound, so
// that the rest is half of what is allowed. All steps are done, and now is the world
// after them.
//
// Where steps that stay have changed samples again, the state has them as they are
// after those: it makes no difference, for the steps say what was before them.
func (j *journal) trim(now *Snapshot) error {
	if j.size <= j.fixed+j.limit {
		return nil
	}
	first, kept := len(j.steps), int64(0)
	for first > 0 && kept+j.steps[first-1].length <= j.limit/2 {
		first--
		kept += j.steps[first].length
	}
	state := newOverlay(now)
	for _, r := range j.folded {
		if err := state.touch(r); err != nil {
			return err
		}
	}
	for _, s := range j.steps[:first] {
		if err := state.touch(s.rect); err != nil {
			return err
		}
	}
	return j.rewrite(state, j.steps[first:])
}

// rewrite replaces the journal by one of a folded state and the steps that stay.
func (j *journal) rewrite(state *overlay, steps []step) (err error) {
	name := j.path + ".partial"
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	chunkfile.Hold(f)
	n := &journal{path: j.path, id: j.id, limit: j.limit, f: f, folded: map[[2]int]rect{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(name))
		}
	}()
	out := header(j.id)
	for _, p := range state.patches() {
		b, err := payload(nil, &p.patch)
		if err != nil {
			return err
		}
		out = append(out, record(b)...)
		n.folded[p.block] = p.rect
	}
	n.fixed = int64(len(out))
	for _, s := range steps {
		b := make([]byte, s.length)
		if _, err := j.f.ReadAt(b, s.at); err != nil {
			return err
		}
		n.steps = append(n.steps, step{s.rect, int64(len(out)), s.length})
		out = append(out, b...)
	}
	if err = n.write(out); err != nil {
		return err
	}
	if err = os.Rename(name, j.path); err != nil {
		return err
	}
	n.done = len(n.steps)
	_ = j.f.Close() // nobody has its name any more
	*j = *n
	_ = syncDir(filepath.Dir(j.path)) // either journal says the same
	return nil
}

func (j *journal) close() error { return j.f.Close() }

// remove ends the journal: all that it holds is in the world.
func (j *journal) remove() error {
	err := os.Remove(j.path)
	return errors.Join(err, j.f.Close(), syncDir(filepath.Dir(j.path)))
}
