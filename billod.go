package vkterrain

import (
	"errors"

	"github.com/vkterrain/vkterrain/lodcpu"
	"github.com/vkterrain/vkterrain/lodcpu/billod"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

// nodes is what BilLOD needs beside a view.
type nodes struct {
	rule *billod.Rule

	// By the published tests only.
	measures  *billod.Measures
	deviation float64 // the largest of the world
}

// Thresholds returns those of BilLOD; zero for other algorithms.
func (t *Terrain) Thresholds() billod.Thresholds {
	if t.nodes == nil {
		return billod.Thresholds{}
	}
	return t.nodes.rule.Thresholds()
}

// SetThresholds changes what BilLOD compares with, from the next Prepare on. It panics
// for other algorithms, and if th does not pass its Check.
func (t *Terrain) SetThresholds(th billod.Thresholds) {
	if t.nodes == nil {
		panic("vkterrain: SetThresholds of a terrain that is not drawn by BilLOD")
	}
	t.nodes.rule.Set(th)
	t.anchor.hasNext = false
}

// errNoMeasures says why the published tests cannot be done.
var errNoMeasures = errors.New("the published tests of BilLOD need measures that the world has not kept: bake it with --algo billod")

// openNodes makes what BilLOD needs, and returns the source to load from.
func (t *Terrain) openNodes(src source, o *Options) (source, error) {
	if err := o.Thresholds.Check(); err != nil {
		return nil, err
	}
	t.nodes = &nodes{rule: billod.NewRule(src.World(), o.Classic, o.Thresholds)}
	if !o.Classic {
		return src, nil
	}
	o.Anchored = false // a mesh in the background would need measures that may be given up
	m := &measuring{source: src, layer: -1, measures: billod.NewMeasures(src.Tiles())}
	for i, l := range src.World().Layers {
		if l.Name == bake.LayerBilLOD && l.Bytes == billod.MeasureBytes {
			m.layer = i
		}
	}
	file, ok := src.(layerReader)
	if !ok {
		return nil, errors.New("the published tests of BilLOD do not follow edits")
	}
	if m.layer < 0 {
		return nil, errNoMeasures
	}
	m.file, t.nodes.measures = file, m.measures
	t.nodes.deviation = m.largestDeviation()
	return m, nil
}

// layerReader reads what a file keeps beside vertices, as a [chunkfile.Reader] does.
type layerReader interface {
	ReadLayer(d *chunkfile.Decoder, dst []byte, k terrain.Key, level terrain.Level, layer int) error
}

// measuring reads measures with the levels.
type measuring struct {
	source
	file     layerReader
	layer    int
	measures *billod.Measures
}

// ReadLevel reads the level samples and what they measure. The measures are there when
// it returns.
func (m *measuring) ReadLevel(d *chunkfile.Decoder, verts []terrain.Vertex, k terrain.Key, level terrain.Level) error {
	if err := m.source.ReadLevel(d, verts, k, level); err != nil {
		return err
	}
	before := m.measures.Of(k)
	size := billod.MeasureBytes * m.World().Layout().Count(level)
	if len(before) >= size {
		return nil
	}
	b := make([]byte, size)
	copy(b, before)
	if err := m.file.ReadLayer(d, b, k, level, m.layer); err != nil {
		return err
	}
	m.measures.Put(k, b)
	return nil
}

// ReadLayer reads another layer, as the file does.
func (m *measuring) ReadLayer(d *chunkfile.Decoder, dst []byte, k terrain.Key, level terrain.Level, layer int) error {
	return m.file.ReadLayer(d, dst, k, level, layer)
}

// largestDeviation reads the coarsest level of all tiles: what is nested grows towards
// it. What cannot be read now will be said when it is asked for.
func (m *measuring) largestDeviation() (worst float64) {
	layout, d := m.World().Layout(), chunkfile.NewDecoder()
	coarsest := terrain.Level(layout.Levels - 1)
	b := make([]byte, billod.MeasureBytes*layout.Count(coarsest))
	for i := range m.Tiles() {
		if m.file.ReadLayer(d, b, m.Tiles()[i].Key, coarsest, m.layer) == nil {
			worst = max(worst, billod.LargestDeviation(b))
		}
	}
	return worst
}

// law returns what a law becomes by the rule.
func (n *nodes) law(law lodcpu.Law) lodcpu.Law {
	if n != nil {
		law = n.rule.Law(law)
	}
	return law
}

// near returns how far laws reach beyond those of views.
func (n *nodes) near() float64 {
	if n == nil {
		return 0
	}
	return n.rule.Near()
}

// needed returns the law by which levels are loaded for the frame.
func (t *Terrain) needed() *lodcpu.Law {
	if !t.hasNodes() {
		return &t.law
	}
	t.viewing.rule = t.nodes.rule.Needs(t.law, t.nodes.deviation)
	return &t.viewing.rule
}

// hasNodes says whether the chosen view is refined by a rule.
func (t *Terrain) hasNodes() bool { return t.nodes != nil && t.algo == BilLOD }

// scaleNodes has the rule allow what the budget of the chosen view does.
func (t *Terrain) scaleNodes() {
	if t.hasNodes() {
		t.nodes.rule.Scale(1 / t.governor.Tau(1))
	}
}

// forget gives up the measures of levels that are evicted.
func (t *Terrain) forget(tile *streaming.Tile) {
	if t.nodes == nil || t.nodes.measures == nil {
		return
	}
	n := 0
	if tile.Prepared != streaming.None {
		n = t.world.Layout().Count(tile.Prepared)
	}
	t.nodes.measures.Truncate(tile.Info.Key, n)
}
