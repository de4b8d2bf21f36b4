package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/vkterrain/vkterrain/internal/watch"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
)

// mediumFlags say how bad the medium is that is read.
type mediumFlags struct {
	ReadDelay time.Duration `group:"medium" placeholder:"TIME" help:"Let each read of a level, and of an endless world each look for a tile, take so much longer, as 50ms: for testing."`
	ReadFail  float64       `group:"medium" placeholder:"SHARE" help:"Let such a share of them fail, as 0.01: for testing."`
}

func (f *mediumFlags) check() error {
	if f.ReadDelay < 0 || f.ReadDelay > time.Minute {
		return fmt.Errorf("--read-delay %v: must be between 0 and a minute", f.ReadDelay)
	}
	if !(f.ReadFail >= 0 && f.ReadFail < 1) {
		return fmt.Errorf("--read-fail %v: must be at least 0 and below 1", f.ReadFail)
	}
	return nil
}

// slowLoaders is how many goroutines hide the time that reads take which are made slow.
const slowLoaders = 16

// loaders returns how many goroutines load, 0 for as many as always.
func (f *mediumFlags) loaders() int {
	if f.ReadDelay > 0 {
		return slowLoaders
	}
	return 0
}

// medium is what levels are read from. It knows who reads.
type medium struct {
	mediumFlags
	thread atomic.Int64 // that draws; 0 if nobody asks
	own    atomic.Int64 // pieces of work that it did itself
	calm   atomic.Bool  // nothing is slow or fails from here on
	reads  atomic.Uint64
	failed atomic.Uint64
}

var errMedium = errors.New("made to fail by --read-fail")

// before comes before each read and each decoding.
func (m *medium) before(w streaming.Work, _ terrain.Key, _ terrain.Level) error {
	if t := m.thread.Load(); t != 0 && int(t) == watch.ThreadID() {
		m.own.Add(1)
	}
	if w == streaming.Decoding || m.calm.Load() {
		return nil
	}
	time.Sleep(m.ReadDelay)
	const seed = 5
	if n := m.reads.Add(1); m.ReadFail > 0 && rand.New(rand.NewPCG(seed, n)).Float64() < m.ReadFail {
		m.failed.Add(1)
		return errMedium
	}
	return nil
}
