//go:build !nowindow

package main

import (
	"image"

	"github.com/vkterrain/vkterrain/hud"
	"github.com/vkterrain/vkterrain/streaming"
	"github.com/vkterrain/vkterrain/terrain"
)

// stepLevels makes all tiles a level finer or coarser, as far as there are levels, and
// leaves it to keys which levels there are, as the sample of the OGRE article does.
func (s *screen) stepLevels(finer bool) {
	s.setAuto(false)
	coarsest := s.coarsest()
	for _, t := range s.terrain.Streaming().Tiles() {
		switch {
		case finer:
			t.IncreaseLevel(false)
		case t.Target < coarsest: // or nothing would be left
			t.DecreaseLevel()
		}
	}
}

// keepLevels gives the tiles that came since the last frame their coarsest level, where
// keys say which levels there are.
func (s *screen) keepLevels() {
	if !s.byHand {
		return
	}
	for _, t := range s.terrain.Streaming().Tiles() {
		if t.Target == streaming.None {
			t.Load(s.coarsest(), false)
		}
	}
}

func (s *screen) coarsest() terrain.Level {
	return terrain.Level(s.terrain.World().Layout().Levels - 1)
}

// setAuto leaves it to the camera which levels there are, or to keys.
func (s *screen) setAuto(auto bool) {
	m := s.terrain.Streaming()
	if !s.byHand {
		s.before, _ = m.Strategy()
	}
	id := streaming.NoStrategy
	if auto {
		id = s.before
	}
	if err := m.SetStrategy(id); err != nil {
		panic("main: " + err.Error()) // all managers have both
	}
	s.byHand = !auto
}

// shownLevels returns the finest and the coarsest level that tiles have loaded.
func (s *screen) shownLevels() (finest, coarsest int) {
	finest, coarsest = s.terrain.World().Layout().Levels, -1
	for _, t := range s.terrain.Streaming().Tiles() {
		if l := int(t.Loaded); t.Loaded != streaming.None {
			finest, coarsest = min(finest, l), max(coarsest, l)
		}
	}
	return finest, coarsest
}

// boxShown says whether the box of the levels is on the screen: where there are other
// figures, in a world without a rim, whose sample has it, and whenever it is not ticked.
func (s *screen) boxShown() bool {
	return s.byHand || s.pages() == pagesLevels && (s.figures || s.terrain.World().Endless)
}

// Of the box, in cells.
const (
	boxEdge  = 6
	boxWidth = 7 // and height, as a letter is high
)

// drawBox draws the box of the levels, ticked if the camera chooses them, and says where it
// is.
func (s *screen) drawBox(l *hud.Layer, x, y, scale int) {
	const text = "LEVELS BY THEMSELVES"
	label := s.autoLabel
	width := (boxWidth + (len(text)+len(label)+2)*hud.GlyphAdvance + 2*boxEdge) * scale
	all := image.Rect(x, y, x+width, y+(hud.GlyphHeight+2*boxEdge)*scale)
	l.Rect(all.Min.X, all.Min.Y, all.Dx(), all.Dy(), helpBack)
	at := all.Min.Add(image.Pt(boxEdge*scale, boxEdge*scale))
	l.Rect(at.X, at.Y, boxWidth*scale, boxWidth*scale, helpText)
	l.Rect(at.X+scale, at.Y+scale, (boxWidth-2)*scale, (boxWidth-2)*scale, helpBack)
	if !s.byHand {
		l.Rect(at.X+2*scale, at.Y+2*scale, (boxWidth-4)*scale, (boxWidth-4)*scale, helpTick)
	}
	at.X = l.Text(at.X+(boxWidth+hud.GlyphAdvance)*scale, at.Y, scale, helpText, text)
	l.Text(at.X+hud.GlyphAdvance*scale, at.Y, scale, helpFaint, label)
	s.inbox.setBox(all)
}
