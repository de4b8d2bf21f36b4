package edit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// openJournal opens the journal at path, if there is one with anything to say about
// the world id, and returns the edits in it as patches that do not overlap.
func openJournal(path string, id [32]byte, limit int64, now *Snapshot) (*journal, []patch, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	j := &journal{path: path, id: id, limit: limit, f: f, folded: map[[2]int]rect{}}
	if !chunkfile.Hold(f) {
		return nil, nil, errors.Join(fmt.Errorf("%s: another program edits this world", path), f.Close())
	}
	_ = os.Remove(path + ".partial") // of a program that was killed
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	if len(b) < headerLen { // it was killed before the first edit
		return nil, nil, j.remove()
	}
	if !bytes.Equal(b[:12], header(id)[:12]) || checksum(b[:headerLen-4]) != le.Uint32(b[headerLen-4:]) {
		return nil, nil, errors.Join(fmt.Errorf("%s: not a journal of edits, or a damaged one", path), f.Close())
	}
	records, err := j.split(b)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	if !bytes.Equal(b[12:headerLen-4], id[:]) {
		if n := len(records); n > 0 && bytes.Equal(records[n-1].payload, append([]byte{kindSaved}, id[:]...)) {
			return nil, nil, j.remove() // the world has it all
		}
		return nil, nil, errors.Join(fmt.Errorf("%s: edits of another world than the one that is there now; remove it to give them up", path), f.Close())
	}
	patches, err := j.replay(records, now)
	if err == nil && j.size < int64(len(b)) {
		err = errors.Join(f.Truncate(j.size), f.Sync())
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return j, patches, nil
}

// entry is a record of a journal.
type entry struct {
	at      int64
	payload []byte
}

// split finds the records of a journal, and how much of it is whole.
func (j *journal) split(b []byte) ([]entry, error) {
	var all []entry
	at := headerLen
	for at < len(b) {
		n := frame(b[at:])
		if n == 0 {
			break
		}
		all = append(all, entry{int64(at), b[at+frameLen : at+n]})
		at += n
	}
	if endsEarly(b[at:]) {
		return nil, j.damaged(int64(at))
	}
	for next := at + 1; next < len(b); next++ {
		if frame(b[next:]) > 0 {
			return nil, j.damaged(int64(at))
		}
	}
	j.size, j.fixed = int64(at), int64(headerLen)
	return all, nil
}

// endsEarly says whether b begins with a record that ends before b does, so that
// another one was written after it.
func endsEarly(b []byte) bool {
	return len(b) >= frameLen && checksum(b[:8]) == le.Uint32(b[8:]) && int64(le.Uint32(b)) < int64(len(b)-frameLen)
}

// replay returns what the records make of the world.
func (j *journal) replay(records []entry, now *Snapshot) ([]patch, error) {
	state := newOverlay(now)
	for _, r := range records {
		if err := j.take(r, state); err != nil {
			return nil, errors.Join(j.damaged(r.at), err)
		}
	}
	var all []patch
	for _, p := range state.patches() {
		all = append(all, p.patch)
	}
	return all, nil
}

// take does what one record says.
func (j *journal) take(r entry, state *overlay) error {
	w := state.now.world
	length := int64(len(r.payload) + frameLen)
	switch kind := r.payload[0]; kind {
	case kindEdit, kindFolded:
		_, after, err := parse(r.payload, w)
		if err != nil {
			return err
		}
		if err := state.touch(after.rect); err != nil {
			return err
		}
		state.paste(after)
		if kind == kindFolded {
			j.fixed = r.at + length
			state.eachBlock(after.rect, func(block [2]int, part rect) { j.folded[block] = j.folded[block].or(part) })
			return nil
		}
		j.steps = append(j.steps[:j.done], step{after.rect, r.at, length})
		j.done++
	case kindUndo, kindRedo:
		p, err := j.step(kind == kindUndo, w)
		if err != nil {
			return err
		}
		state.paste(p)
		if kind == kindUndo {
			j.done--
		} else {
			j.done++
		}
	case kindSaved: // but it did not take the place
	default:
		return fmt.Errorf("a record of kind %d, which this version does not know", kind)
	}
	return nil
}

// overlay is samples of a world that are others than a snapshot has, in blocks of the
// size of a tile, without the seams that tiles share.
type overlay struct {
	now    *Snapshot
	cells  int
	blocks map[[2]int]*patch
}

func newOverlay(now *Snapshot) *overlay {
	return &overlay{now: now, cells: now.world.TileSize - 1, blocks: map[[2]int]*patch{}}
}

// eachBlock calls do with the blocks that share samples with r, and which.
func (o *overlay) eachBlock(r rect, do func(block [2]int, part rect)) {
	for z := r.z / o.cells; z <= (r.z+r.height-1)/o.cells; z++ {
		for x := r.x / o.cells; x <= (r.x+r.width-1)/o.cells; x++ {
			do([2]int{x, z}, r.and(rect{x * o.cells, z * o.cells, o.cells, o.cells}))
		}
	}
}

// touch makes the overlay hold r, as it is in the snapshot where it is not held.
func (o *overlay) touch(r rect) (err error) {
	o.eachBlock(r, func(block [2]int, part rect) {
		old := o.blocks[block]
		if err != nil || old != nil && old.and(part) == part {
			return
		}
		p := &patch{rect: part}
		if old != nil {
			p.rect = old.or(part)
		}
		if err = o.now.read(p); err != nil {
			return
		}
		if old != nil {
			p.copyFrom(old)
		}
		o.blocks[block] = p
	})
	return err
}

// paste puts the samples of p over those that are held.
func (o *overlay) paste(p *patch) {
	o.eachBlock(p.rect, func(block [2]int, _ rect) {
		if b := o.blocks[block]; b != nil {
			b.copyFrom(p)
		}
	})
}

// blockPatch is a block of an overlay.
type blockPatch struct {
	block [2]int
	patch
}

// patches returns what is held, block by block.
func (o *overlay) patches() []blockPatch {
	all := make([]blockPatch, 0, len(o.blocks))
	for b, p := range o.blocks {
		all = append(all, blockPatch{b, *p})
	}
	slices.SortFunc(all, func(a, b blockPatch) int {
		return cmp.Or(cmp.Compare(a.block[1], b.block[1]), cmp.Compare(a.block[0], b.block[0]))
	})
	return all
}
