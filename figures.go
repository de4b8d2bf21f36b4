package vkterrain

import (
	"github.com/vkterrain/vkterrain/hud"
)

// Figures fills in what is known of the last frame, for a [hud.Panel]. What frames take, and
// what a check measured, is the host's to add. It belongs to the goroutine that calls Prepare.
func (t *Terrain) Figures(f *hud.Figures) {
	st := t.Stats()
	f.Triangles, f.Indices, f.Degenerates = st.Triangles, st.Indices, st.Degenerates
	f.Tiles, f.Draws, f.Views, f.Things = st.Tiles, st.Draws, t.many, st.Props.Instances
	f.Levels = [len(f.Levels)]int{}
	for _, tile := range t.stream.Tiles() {
		if int(tile.Loaded) < len(f.Levels) {
			f.Levels[tile.Loaded]++
		}
	}
	f.TauAsked, f.TauKept = t.lod.Tau, st.Tau
	s := &st.Streaming
	f.Memory = [len(f.Memory)]hud.Memory{
		{Name: "TILES GPU", Bytes: s.GPUBytes, Most: t.caps.GPUBytes},
		{Name: "TILES CPU", Bytes: s.CPUBytes + s.ReadingBytes + s.PooledBytes, Most: t.caps.CPUBytes},
		{Name: "ALL GPU", Bytes: int64(st.BytesGPU)},
	}
	f.Waiting, f.Uploading = s.Preparing, s.Uploading
	if f.Wanted = 0; s.Limited > 0 {
		f.Wanted = s.WantedBytes
	}
}
