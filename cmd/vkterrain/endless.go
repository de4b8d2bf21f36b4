package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/internal/flight"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/endless"
	"github.com/vkterrain/vkterrain/terrain/synth"
	"github.com/vkterrain/vkterrain/vk"
)

// endlessName is what stands for the built-in world without a rim, where there is no
// file of that name.
const endlessName = "endless"

// endlessReach is how far from the eye it is there, in metres: farther than one sees
// through its air.
const endlessReach = 32000

func isEndless(path string) bool {
	if path != endlessName {
		return false
	}
	_, err := os.Stat(path)
	return errors.Is(err, os.ErrNotExist)
}

var endlessGround = synth.Endless{Spacing: 30, Quantum: 1.0 / 16, Seed: 1}

// endlessWorld returns the built-in world without a rim.
func endlessWorld() (*endless.Source, error) {
	g := endlessGround
	// As many tiles are kept as there are around the eye, and some more.
	return endless.New(&g, endless.Options{Spacing: g.Spacing, Quantum: g.Quantum, Kept: 600})
}

// mostMakers is how many goroutines make tiles at most: that is work for processors.
const mostMakers = 4

// openWorld opens what path says on a device; what the driver compiles for it is kept.
func (a *app) openWorld(path string, dev *vk.Device, o vkterrain.Options, warn func(k terrain.Key, err error)) (*vkterrain.Terrain, error) {
	if cache, err := cacheFolder(); err == nil {
		o.PipelineCache = cache
	}
	o.Warn = func(err error) { a.log.warnf("%v", err) }
	if !isEndless(path) {
		return vkterrain.Open(path, dev, o)
	}
	src, err := endlessWorld()
	if err != nil {
		return nil, err
	}
	t, err := vkterrain.OpenEndless(src, dev, vkterrain.Paging{Load: endlessReach, Hold: endlessReach * 1.15, Loaders: min(max(o.Loaders, 1), mostMakers), Failed: warn}, o)
	if err != nil {
		return nil, usageError(err)
	}
	return t, nil
}

// endlessHeight returns the height of its ground in metres.
func endlessHeight(x, z float64) float64 {
	var h [1]int32
	endlessGround.Heights(h[:], int64(x/endlessGround.Spacing), int64(z/endlessGround.Spacing), 1)
	return max(float64(h[0])*endlessGround.Quantum, 0)
}

// endlessSight is a place of it worth seeing first: east and south in metres, where mountains
// rise to the north.
var endlessSight = [2]float64{-40000, 121000}

// endlessFlight flies north over it, at 200 m/s and from side to side, for a time in
// seconds, from a place east and south.
func endlessFlight(from [2]float64, seconds float64) *flight.Path {
	const step = 5.0 // seconds between two keys
	var keys []flight.Key
	for i := 0; float64(i)*step <= seconds+step; i++ {
		t := float64(i) * step
		side := float64(i%4) - 1.5
		keys = append(keys, flight.Key{T: t, Eye: [3]float64{from[0] + 300*side, 350, from[1] - 200*t}, Above: true, Yaw: 10 * side, Pitch: -10})
	}
	p := flight.New(endlessName, keys...)
	for t := step / 2; t < seconds; t += step {
		p.Stills = append(p.Stills, flight.Still{T: t, Caption: fmt.Sprintf("%.1f km", 200*t/1000)})
	}
	return p
}
