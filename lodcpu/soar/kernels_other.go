//go:build !amd64 || noasm

package soar

import "github.com/vkterrain/vkterrain/terrain"

type stripTier struct{}

func (w *walk) prefetch(*terrain.Tile) {}

func (w *walk) askOpen(i int, f, below *found) { w.askOpenGo(i, f, below) }

func (w *walk) askCareful(i int, f, below *found) { w.askCarefulGo(i, f, below) }

func (w *writing[I]) fastFans(f *found, blocks []block, kids []uint8, rings []ringOf[I]) int {
	return 0
}

func (w *walk) number(f *found, blocks []block, kids []uint8) int {
	return w.numberGo(f, blocks, kids)
}

func (w *writing[I]) fastStrip() {}
