package edit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"

	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// Save writes all edits to the world file and empties the journal: nothing can be
// undone any more. Tiles that no edit has changed are copied as they are stored. What
// is at the path stays as it is until the new file takes its place in one step; a
// program that is killed at any moment finds the old world and its journal, or the new
// one. A world in shards is written in shards of as many rows as the first one has. A
// file of version 1 becomes one of the newest.
//
// If another program has written the file since it was opened, it stays, and Save
// returns an error; [Session.SaveAs] still writes the edits to another path.
//
// Snapshots from before go on reading the old file, which the session holds open until
// Close.
func (s *Session) Save(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.save(ctx)
}

func (s *Session) save(ctx context.Context) error {
	if s.broken != nil {
		return s.broken
	}
	if s.journal == nil {
		return nil // nothing has changed
	}
	now := s.Now()
	err := now.write(ctx, s.path, func(name string) error {
		if err := s.unchanged(); err != nil {
			return err
		}
		id, err := identity(name)
		if err != nil {
			return err
		}
		return s.journal.saved(id)
	})
	if err != nil {
		s.broken = s.journal.broken
		return err
	}
	afterReplace()
	// From here on the journal is of a world that is no more.
	err = s.journal.remove()
	s.journal = nil
	if err == nil {
		err = s.openWorld()
	}
	if err != nil {
		s.broken = fmt.Errorf("%s: saved, but it cannot be edited on: %w", s.path, err)
		return s.broken
	}
	s.now.Store(now.over(s.Now()))
	return nil
}

// afterReplace is where tests kill a save between its last two steps.
var afterReplace = func() {}

// over returns s as what is left of it over saved, the same world from a new file.
func (s *Snapshot) over(saved *Snapshot) *Snapshot {
	next := &Snapshot{version: s.version, world: s.world, file: saved.file, tables: saved.tables, edited: maps.Clone(s.edited)}
	anew := s.file.Version() != saved.file.Version()
	if anew {
		// Sky view has changed everywhere, if only by its rounding.
		next.version++
		for _, info := range saved.file.Tiles() {
			next.edited[info.Key] = &edited{}
		}
	}
	for k, e := range next.edited {
		n := *e
		n.info, n.code = *saved.file.Tile(k), nil
		if anew {
			n.at = next.version
			for l := range n.changed {
				n.changed[l] = next.version
			}
		}
		next.edited[k] = &n
	}
	return next
}

// SaveAs writes the edited world to another path. The session stays with its own file
// and its journal. If path is the session's own file, it is Save.
func (s *Session) SaveAs(ctx context.Context, path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	ours, err := os.Stat(s.path)
	if err != nil {
		return err
	}
	if there, err := os.Stat(path); err == nil && os.SameFile(ours, there) {
		return s.save(ctx)
	}
	return s.Now().write(ctx, path, nil)
}

// write writes the world to path.
func (s *Snapshot) write(ctx context.Context, path string, ready func(name string) error) error {
	if !s.file.Whole() {
		return errors.Join(append([]error{fmt.Errorf("%s: the world it comes from lacks tiles: repair it first", path)}, s.file.Problems()...)...)
	}
	w, err := chunkfile.Create(path, s.world, &chunkfile.WriterOptions{Tables: s.tables, ShardRows: s.file.ShardRows(), Ready: ready})
	if err != nil {
		return err
	}
	d := chunkfile.NewDecoder()
	for _, info := range s.file.Tiles() {
		if err := ctx.Err(); err != nil {
			w.Abort()
			return err
		}
		if err := s.writeTile(w, d, info.Key); err != nil {
			w.Abort()
			return err
		}
	}
	return w.Close()
}

func (s *Snapshot) writeTile(w *chunkfile.Writer, d *chunkfile.Decoder, k terrain.Key) error {
	if e := s.edited[k]; e != nil && e.code != nil {
		return w.WriteEncoded(e.code)
	}
	code, err := s.file.ReadEncoded(k)
	switch {
	case err == nil:
		return w.WriteEncoded(code)
	case !errors.Is(err, chunkfile.ErrUnsupported):
		return err
	}
	t, err := s.ReadTile(d, k, 0)
	if err != nil {
		return err
	}
	return w.WriteTile(t.Info, t.Verts)
}
