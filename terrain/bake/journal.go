package bake

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// journal says beside a partial file how far it is, so that a bake that was killed
// goes on from there. It is replaced in one step, so that there is always a whole
// one, and removed with the partial file.
type journal struct {
	path  string
	of    []byte // what decides on the bytes of the world
	wrote time.Time
	cost  time.Duration
}

// entry is what a journal says.
type entry struct {
	Of    []byte
	Rows  int       // of tiles that are done
	Steps []float64 // see baker
	State []byte    // of the Writer
}

// journalShare is how many times as long as a journal takes to write it is not
// written again.
const journalShare = 20

// journalName is where the journal of a world at path is: always at the same place.
func journalName(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".journal")
}

// newJournal returns the journal of b's world at path.
func newJournal(b *baker, path string) *journal {
	world, err := json.Marshal(b.world)
	if err != nil {
		panic("bake: " + err.Error()) // only numbers that are none, which newSource refuses
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %s %x %d", version(), world, b.digest, b.shards)
	return &journal{path: journalName(path), of: h.Sum(nil)}
}

// version names the program, as far as it knows itself: another may make other
// bytes.
func version() string {
	i, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	v := i.GoVersion + " " + i.Main.Version
	for _, s := range i.Settings {
		if s.Key == "vcs.revision" || s.Key == "vcs.time" || s.Key == "vcs.modified" {
			v += " " + s.Value
		}
	}
	return v
}

// begin returns a Writer for the world of b at path, and how many rows of tiles are
// in it already.
func (j *journal) begin(ctx context.Context, b *baker, path string) (*chunkfile.Writer, int, error) {
	if e, ok := j.read(); ok && e.Rows <= b.ny && len(e.Steps) == len(b.steps) {
		if w, err := chunkfile.Resume(path, b.world, e.State); err == nil {
			copy(b.steps, e.Steps)
			return w, e.Rows, nil
		}
	}
	j.remove()
	tables, err := b.train(ctx)
	if err != nil {
		return nil, 0, err
	}
	w, err := chunkfile.Create(path, b.world, &chunkfile.WriterOptions{Tables: tables, ShardRows: b.shards})
	return w, 0, err
}

// read reads a journal of the same world.
func (j *journal) read() (e entry, ok bool) {
	data, err := os.ReadFile(j.path)
	if err != nil || len(data) < sha256.Size {
		return e, false
	}
	sum := sha256.Sum256(data[sha256.Size:])
	if !bytes.Equal(sum[:], data[:sha256.Size]) {
		return e, false
	}
	err = gob.NewDecoder(bytes.NewReader(data[sha256.Size:])).Decode(&e)
	return e, err == nil && bytes.Equal(e.Of, j.of)
}

// write writes that rows of tiles of b are in w, unless it has just done so.
func (j *journal) write(b *baker, w *chunkfile.Writer, rows int) error {
	start := time.Now()
	if start.Sub(j.wrote) < journalShare*j.cost {
		return nil
	}
	state, err := w.State()
	if err != nil {
		return err
	}
	body := bytes.NewBuffer(make([]byte, sha256.Size))
	if err := gob.NewEncoder(body).Encode(entry{j.of, rows, b.steps, state}); err != nil {
		return err
	}
	data := body.Bytes()
	sum := sha256.Sum256(data[sha256.Size:])
	copy(data, sum[:])
	next := j.path + ".next"
	if err := os.WriteFile(next, data, 0o666); err != nil {
		return err
	}
	if err := os.Rename(next, j.path); err != nil {
		return err
	}
	j.wrote = time.Now()
	j.cost = j.wrote.Sub(start)
	return nil
}

// remove removes the journal, and what a program left that was killed while it
// wrote one.
func (j *journal) remove() {
	os.Remove(j.path)
	os.Remove(j.path + ".next")
}
