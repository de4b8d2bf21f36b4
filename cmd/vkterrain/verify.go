package main

import (
	"errors"
	"fmt"

	"github.com/vkterrain/vkterrain/terrain/chunkfile"
)

type verifyCmd struct {
	File string `arg:"" name:"world" help:"World file, or a built-in world."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// unreadable is verify's third answer, beside whole (0) and damaged (1).
const unreadable = 2

// damage is one chunk that is not whole.
type damage struct {
	Tile  [2]int32 `json:"tile"`
	Level int      `json:"level"`
	Error string   `json:"error"`
}

type verifyReport struct {
	File    string         `json:"file"`
	Whole   bool           `json:"whole"`
	Chunks  int            `json:"chunks"`
	Damaged []damage       `json:"damaged"`
	Shards  []damagedShard `json:"damaged_shards,omitempty"`
}

// damagedShard is a shard that is missing, or unreadable as a whole.
type damagedShard struct {
	Name   string `json:"name"`
	Chunks int    `json:"chunks"` // that are lost with it
	Error  string `json:"error"`
}

func (c *verifyCmd) Run(a *app) error {
	if err := a.named(&c.File, nil); err != nil {
		return err
	}
	r, err := openWorld(c.File)
	if err != nil {
		return withCode(unreadable, err)
	}
	defer r.Close()
	s := r.Stats()
	report := verifyReport{File: c.File, Chunks: s.Tiles * s.Levels, Damaged: []damage{}}
	missing := 0
	for _, p := range r.Problems() {
		var e *chunkfile.ShardError
		if errors.As(p, &e) {
			n := e.Tiles * s.Levels
			report.Shards, missing = append(report.Shards, damagedShard{e.Name, n, e.Err.Error()}), missing+n
		}
	}
	done := make(chan error, 1)
	go func() {
		done <- r.Verify(func(e chunkfile.ChunkError) {
			report.Damaged = append(report.Damaged, damage{[2]int32{e.Key.X, e.Key.Y}, int(e.Level), e.Error()})
		})
	}()
	select {
	case err = <-done:
	case <-a.ctx.Done():
		return errInterrupted
	}
	if err != nil {
		return withCode(unreadable, fmt.Errorf("%s: %w", c.File, readable(err)))
	}
	report.Whole = len(report.Damaged)+len(report.Shards) == 0
	switch {
	case c.JSON:
		err = a.printJSON(report)
	case report.Whole:
		_, err = fmt.Fprintf(a.stdout, "%s: whole, %d chunks\n", oneLine(c.File), report.Chunks)
	default:
		_, err = fmt.Fprintf(a.stdout, "%s: %d of %d chunks damaged\n", oneLine(c.File), len(report.Damaged)+missing, report.Chunks)
		for _, p := range report.Shards {
			_, e := fmt.Fprintf(a.stdout, "  shard %s, all of its %d chunks: %s\n", p.Name, p.Chunks, oneLine(p.Error))
			err = errors.Join(err, e)
		}
		for _, d := range report.Damaged {
			_, e := fmt.Fprintf(a.stdout, "  %s\n", oneLine(d.Error))
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		return outputError(err)
	}
	if !report.Whole {
		return errNo
	}
	return nil
}
