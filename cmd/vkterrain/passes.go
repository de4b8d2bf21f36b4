package main

import (
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/vk"
)

// passReport is what bench --passes adds: means of the frames.
type passReport struct {
	PassMs   map[string]float64 `json:"gpu_pass_ms"`   // by name; passes may lie in each other, and overlap
	UploadMs float64            `json:"gpu_upload_ms"` // of frames that uploaded
	Counters *counterReport     `json:"gpu_counters,omitempty"`
}

// counterReport is what pipelines count, of a frame.
type counterReport struct {
	InputVertices       uint64 `json:"input_vertices"`
	InputPrimitives     uint64 `json:"input_primitives"`
	VertexInvocations   uint64 `json:"vertex_invocations"`
	ClipInvocations     uint64 `json:"clip_invocations"`
	ClipPrimitives      uint64 `json:"clip_primitives"`
	FragmentInvocations uint64 `json:"fragment_invocations"`
}

// passTimes adds up what the GPU takes.
type passTimes struct {
	names   [32]string
	times   [32]time.Duration
	passes  int
	frames  int
	upload  time.Duration
	uploads int
	sum     vk.Statistics
	counted int
}

// add adds what is known of a frame that is done.
func (p *passTimes) add(t *vkterrain.Terrain) {
	st := t.Stats()
	if len(st.Passes) > 0 {
		p.frames++
	}
	for i := range st.Passes {
		p.addPass(&st.Passes[i])
	}
	if st.Upload.Time > 0 {
		p.upload, p.uploads = p.upload+st.Upload.Time, p.uploads+1
	}
	if c := st.Counters; c != (vk.Statistics{}) {
		p.counted++
		p.sum.InputVertices += c.InputVertices
		p.sum.InputPrimitives += c.InputPrimitives
		p.sum.VertexInvocations += c.VertexInvocations
		p.sum.ClipInvocations += c.ClipInvocations
		p.sum.ClipPrimitives += c.ClipPrimitives
		p.sum.FragmentInvocations += c.FragmentInvocations
	}
}

func (p *passTimes) addPass(pass *vk.PassTime) {
	i := 0
	for i < p.passes && p.names[i] != pass.Name {
		i++
	}
	if i < len(p.names) {
		p.passes = max(p.passes, i+1)
		p.names[i] = pass.Name
		p.times[i] += pass.Time
	}
}

// report returns means, nil if nothing was added.
func (p *passTimes) report() *passReport {
	if p.frames == 0 {
		return nil
	}
	mean := func(sum time.Duration, n int) float64 { return roundTo(microseconds(sum)/1000/float64(max(n, 1)), 4) }
	r := &passReport{PassMs: map[string]float64{}, UploadMs: mean(p.upload, p.uploads)}
	for i := range p.passes {
		r.PassMs[p.names[i]] = mean(p.times[i], p.frames)
	}
	if n := uint64(p.counted); n > 0 {
		r.Counters = &counterReport{
			p.sum.InputVertices / n, p.sum.InputPrimitives / n, p.sum.VertexInvocations / n,
			p.sum.ClipInvocations / n, p.sum.ClipPrimitives / n, p.sum.FragmentInvocations / n,
		}
	}
	return r
}
