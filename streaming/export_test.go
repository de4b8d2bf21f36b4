package streaming

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// The state machine, for tests by name.
const (
	States = int(states)
	Events = int(events)
)

// Step returns the state after an event, both by number, and the names of what
// happened.
func Step(s, e int) (next int, state, event, action string) {
	n, a := State(s).next(event_(e))
	return int(n), State(s).String(), event_(e).String(), a.String()
}

type event_ = event

// Manual is a manager whose reads happen when a test says so.
type Manual struct {
	*Manager
	pending []*job
	decoder *chunkfile.Decoder
}

func NewManual(src Source, o Options) *Manual {
	return &Manual{Manager: newManager(src, o), decoder: chunkfile.NewDecoder()}
}

// Asked is a level that a loader would have.
type Asked struct {
	Key   terrain.Key
	Level terrain.Level
}

// Pending takes what waits for loaders, and returns all that was taken, in the order of
// asking.
func (m *Manual) Pending() []Asked {
	had := len(m.pending)
	for j := m.board.take(nil); j != nil; j = m.board.take(nil) {
		m.pending = append(m.pending, j)
	}
	slices.SortFunc(m.pending[had:], func(a, b *job) int { return cmp.Compare(a.seq, b.seq) })
	var list []Asked
	for _, j := range m.pending {
		list = append(list, Asked{j.tile.Info.Key, j.level})
	}
	return list
}

// Waiting returns what no loader has taken, the first in rank first.
func (m *Manual) Waiting() []Asked {
	var jobs []*job
	for i := range m.board.jobs {
		if j := m.board.jobs[i].Load(); j.state.Load() == waiting {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, func(a, b *job) int { return cmp.Compare(b.rank.Load(), a.rank.Load()) })
	var list []Asked
	for _, j := range jobs {
		list = append(list, Asked{j.tile.Info.Key, j.level})
	}
	return list
}

// Read reads the i-th pending level.
func (m *Manual) Read(i int) {
	j := m.pending[i]
	m.pending = append(m.pending[:i], m.pending[i+1:]...)
	j.do(m.decoder)
	m.deliver(j, j.state.Load())
}

// Hang lets the i-th pending level be read without an end: until Return.
func (m *Manual) Hang(i int) (back func()) {
	j := m.pending[i]
	m.pending = append(m.pending[:i], m.pending[i+1:]...)
	wanted := j.begin()
	j.state.Store(reading)
	return func() {
		if wanted {
			j.decode(m.decoder)
		}
		m.deliver(j, reading)
	}
}

// Fail delivers the i-th pending level as given up.
func (m *Manual) Fail(i int) {
	m.pending[i].finest.Store(uint32(None))
	m.Read(i)
}

// Kept returns what Evictions leaves of a tile.
func Kept(t *Tile) terrain.Level { return t.keep }

// All returns all tiles.
func All(m *Manager) []*Tile {
	var list []*Tile
	for i := range m.tiles {
		list = append(list, m.tiles[i])
	}
	return list
}

// Check compares all that a manager counts and derives with what it holds.
func Check(m *Manager) error {
	var count [states]int
	var cpu, gpu, reading, replacing int64
	wanting, surplus := 0, 0
	for i := range m.tiles {
		t := m.tiles[i]
		if err := checkTile(m, t); err != nil {
			return fmt.Errorf("tile %v (target %d, prepared %d, loaded %d, %v): %w",
				t.Info.Key, t.Target, t.Prepared, t.Loaded, t.states[:m.layout.Levels], err)
		}
		for level := range terrain.Level(m.layout.Levels) {
			s := t.states[level]
			count[s]++
			if s == Uploading || s == Loaded || s == Unloading {
				gpu += m.levelBytes(level)
			}
		}
		if t.CPU != nil {
			cpu += int64(len(t.CPU.Verts)) * terrain.VertexBytes
		}
		if x := t.swap; x != nil {
			if x.cpu != nil {
				replacing += int64(len(x.cpu.Verts)) * terrain.VertexBytes
			}
			if x.job != nil {
				reading += int64(x.job.count) * terrain.VertexBytes
			}
			for level := range terrain.Level(m.layout.Levels) {
				if (x.sent|x.arrived)>>level&1 == 1 {
					gpu += m.levelBytes(level)
				}
			}
		}
		if t.job != nil {
			reading += int64(t.job.count) * terrain.VertexBytes
		}
		if t.wanting {
			wanting++
		}
		if t.surplusSince != 0 {
			surplus++
		}
	}
	gpu += m.superseded
	var pooled int64
	for level, list := range m.pool.free {
		for _, t := range list {
			if len(t.Verts) != m.layout.Count(terrain.Level(level)) {
				return fmt.Errorf("pooled buffer of level %d has %d vertices", level, len(t.Verts))
			}
			pooled += bytesOf(t)
		}
	}
	s := m.Stats()
	squeezed, sinking := 0, 0
	for _, t := range m.tiles {
		squeezed += b2i(t.squeezed)
		sinking += b2i(t.sinking != None)
		if t.sinking != None && t.sinking != t.Loaded {
			return fmt.Errorf("level %d of tile %v sinks, loaded is %d", t.sinking, t.Info.Key, t.Loaded)
		}
	}
	switch {
	case sinking != s.Sinking:
		return fmt.Errorf("%d sinking, are %d", s.Sinking, sinking)
	case squeezed != m.squeezed:
		return fmt.Errorf("%d squeezed, are %d", m.squeezed, squeezed)
	case s.StuckBytes < 0 || (s.StuckBytes > 0) != (m.stuck > 0):
		return fmt.Errorf("%d bytes of %d stuck reads", s.StuckBytes, m.stuck)
	case count != m.count:
		return fmt.Errorf("counts %v, are %v", m.count, count)
	case s.CPUBytes != cpu || s.GPUBytes != gpu || s.ReadingBytes != reading || s.PooledBytes != pooled || pooled > maxPooled || s.ReplacingBytes != replacing:
		return fmt.Errorf("bytes CPU %d GPU %d reading %d pooled %d, are %d %d %d %d",
			s.CPUBytes, s.GPUBytes, s.ReadingBytes, s.PooledBytes, cpu, gpu, reading, pooled)
	case wanting != m.wanting || surplus != m.surplus:
		return fmt.Errorf("%d wanting, %d surplus, are %d, %d", m.wanting, m.surplus, wanting, surplus)
	case len(m.idle)+m.busy != m.opts.InFlight:
		return fmt.Errorf("%d jobs idle and %d in use of %d", len(m.idle), m.busy, m.opts.InFlight)
	}
	return checkBuffers(m, nil)
}

// Check is [Check], and looks into the jobs too, as no loader has them.
func (m *Manual) Check() error {
	if err := Check(m.Manager); err != nil {
		return err
	}
	m.Pending()
	return checkBuffers(m.Manager, m.pending)
}

// checkBuffers wants each buffer to have one owner.
func checkBuffers(m *Manager, jobs []*job) error {
	owners := map[*terrain.Vertex]string{}
	own := func(verts []terrain.Vertex, who string) error {
		if len(verts) == 0 {
			return nil
		}
		if other, ok := owners[&verts[0]]; ok {
			return fmt.Errorf("%s and %s share a buffer", who, other)
		}
		owners[&verts[0]] = who
		return nil
	}
	for i := range m.tiles {
		t := m.tiles[i]
		if t.CPU != nil {
			if err := own(t.CPU.Verts, "tile "+t.Info.Key.String()); err != nil {
				return err
			}
		}
		if t.swap != nil && t.swap.cpu != nil {
			if err := own(t.swap.cpu.Verts, "what is to become of tile "+t.Info.Key.String()); err != nil {
				return err
			}
		}
	}
	for _, j := range jobs {
		if j.made == nil {
			continue
		}
		if err := own(j.made.Verts, "job of tile "+j.tile.Info.Key.String()); err != nil {
			return err
		}
	}
	for _, list := range m.pool.free {
		for _, t := range list {
			if err := own(t.Verts, "pool"); err != nil {
				return err
			}
		}
	}
	bytes := int64(0)
	for _, r := range m.retired {
		bytes += bytesOf(r.tile)
		if err := own(r.tile.Verts, "readers"); err != nil {
			return err
		}
	}
	if bytes != m.retiredBytes {
		return fmt.Errorf("%d bytes retired, are %d", m.retiredBytes, bytes)
	}
	return nil
}

func checkTile(m *Manager, t *Tile) error {
	// Levels held, from the coarsest: all prepared, loaded ones first.
	prepared, taken, loaded, uploading, unloading, preparing := None, None, None, 0, 0, 0
	for level := m.coarsest(); ; level-- {
		s := t.states[level]
		held := s == Prepared || s == Uploading || s == Loaded || s == Unloading
		onGPU := s == Uploading || s == Loaded
		if held {
			if level != m.coarsest() && prepared != level+1 {
				return fmt.Errorf("level %d held without the one before", level)
			}
			prepared = level
		}
		if onGPU {
			if level != m.coarsest() && taken != level+1 {
				return fmt.Errorf("level %d on the GPU without the one before", level)
			}
			taken = level
		}
		if s == Loaded && (level == m.coarsest() || loaded == level+1) {
			loaded = level
		}
		if s == Uploading {
			uploading++
		}
		if s == Unloading {
			unloading++
		}
		if s == Stuck && t.stuck == 0 {
			return fmt.Errorf("level %d is stuck without a job", level)
		}
		if s == Preparing || s == Cancelled {
			preparing++
			if t.job == nil || t.job.tile != t || t.job.level > level || t.job.from < level || t.job.from != m.finer(prepared) {
				return fmt.Errorf("level %d is preparing without a job of its own", level)
			}
		}
		if f := t.failure(level); s == Failed && f == nil || held && f != nil {
			return fmt.Errorf("level %d: failure %v", level, t.failure(level))
		}
		if level == 0 {
			break
		}
	}
	switch {
	case prepared != t.Prepared || taken != t.taken || loaded != t.Loaded || uploading != t.uploading || unloading != t.unloading:
		return fmt.Errorf("says %d %d %d %d, is %d %d %d %d", t.Prepared, t.taken, t.Loaded, t.uploading, prepared, taken, loaded, uploading)
	case (preparing > 0) != (t.job != nil):
		return fmt.Errorf("%d levels preparing, job %v", preparing, t.job)
	case (t.CPU == nil) != (prepared == None):
		return fmt.Errorf("vertices do not fit level %d", prepared)
	case t.CPU != nil && (t.CPU.Level != prepared || len(t.CPU.Verts) != m.layout.Count(prepared) || t.CPU.Info != t.Info):
		return fmt.Errorf("%d vertices of level %d", len(t.CPU.Verts), t.CPU.Level)
	case t.keep > t.goal || t.goal < t.Target:
		return fmt.Errorf("keeps %d only", t.keep)
	case t.wanting != (t.Prepared > t.goal) || (t.surplusSince != 0) != (t.Prepared < t.keep):
		return fmt.Errorf("wanting %v, surplus since %d", t.wanting, t.surplusSince)
	}
	for i := range t.Near {
		want := int8(lodcpu.Absent)
		k := terrain.Key{X: t.Info.Key.X + int32(i%3) - 1, Y: t.Info.Key.Y + int32(i/3) - 1}
		if n := m.Tile(k); n != nil && n.Loaded != None {
			want = int8(n.Loaded)
		}
		if t.Near[i] != want {
			return fmt.Errorf("Near[%d] is %d, want %d", i, t.Near[i], want)
		}
	}
	return nil
}

// Present says whether there is a tile that is not to be forgotten.
func Present(m *Manager, k terrain.Key) bool {
	t := m.byKey[k]
	return t != nil && !t.removed
}

// Goal returns what budgets allow of a tile's target.
func Goal(t *Tile) terrain.Level { return t.goal }

// CPUBytes returns all that counts against Budget.CPUBytes.
func CPUBytes(m *Manager) int64 { return m.cpuBytes() + m.held.Load() }
