package ogre

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// Group is a terrain group definition: what its terrains have in common. Pos is
// the centre of slot (0, 0). The slots that exist are not stored; they are the
// files that exist.
type Group struct {
	Info
	Prefix, Extension string // of the file names
	ResourceGroup     string
	LodStrategy       uint32 // of automatic levels: 0 none, 1 by distance
	ConstantHeight    float32
	InputBias         float32 // of imported images
	InputScale        float32
	Declaration       Declaration
	Layers            []Layer
}

// maxGroup is the largest definition that is read.
const maxGroup = 16 << 20

// ReadGroupFile reads the group definition at path.
func ReadGroupFile(path string) (*Group, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g, err := ReadGroup(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// ReadGroup reads a group definition.
func ReadGroup(r io.Reader) (*Group, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxGroup+1))
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, truncated("header", 0, "the file is empty")
	}
	if len(b) > maxGroup {
		return nil, unsupported("header", 0, "a group definition of more than %d bytes", maxGroup)
	}
	d := &decoder{r: bufio.NewReader(bytes.NewReader(b)), part: "header", end: int64(len(b))}
	d.fileHeader()
	outer := d.enter(idGroup)
	d.part = "group definition"
	g := new(Group)
	start := d.pos
	align := d.u32()
	g.Align = Align(min(align, math.MaxUint8))
	g.Size = int(d.u16())
	g.WorldSize = d.f32()
	g.Prefix, g.Extension, g.ResourceGroup = d.string(), d.string(), d.string()
	g.Pos = d.vec3()
	// Without the strategy TDCL would begin where the last two numbers are.
	const withoutStrategy = 3*4 + 2*2
	if at := d.pos + withoutStrategy; d.err == nil && int64(len(b)) >= at+4 && le.Uint32(b[at:]) != idDecl {
		g.LodStrategy = d.u32()
	}
	g.ConstantHeight, g.InputBias, g.InputScale = d.f32(), d.f32(), d.f32()
	g.MaxBatch, g.MinBatch = int(d.u16()), int(d.u16())
	d.checkInfo(&g.Info, start)
	g.Declaration = d.declaration()
	g.Layers = d.layers(len(g.Declaration.Samplers))
	d.leave(outer)
	if d.err != nil {
		return nil, d.err
	}
	return g, nil
}

// WriteGroup writes a group definition as OGRE 1.9 and later do.
func WriteGroup(w io.Writer, g *Group) error {
	b, err := g.encode()
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// WriteGroupFile writes a group definition to path, as [WriteFile] does.
func WriteGroupFile(path string, g *Group) error {
	b, err := g.encode()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replaceFile(path, b)
}

func (g *Group) encode() ([]byte, error) {
	if msg := g.Info.check(); msg != "" {
		return nil, fmt.Errorf("no OGRE terrain group: %s", msg)
	}
	if g.Size > MaxSize {
		return nil, fmt.Errorf("size %d is above the limit of %d", g.Size, MaxSize)
	}
	if err := checkTexts(g.Prefix, g.Extension, g.ResourceGroup); err != nil {
		return nil, err
	}
	if err := checkLayers(&g.Declaration, g.Layers); err != nil {
		return nil, err
	}
	b := le.AppendUint32(nil, uint32(g.Align))
	b = le.AppendUint16(b, uint16(g.Size))
	b = appendFloats(b, []float32{g.WorldSize})
	for _, s := range []string{g.Prefix, g.Extension, g.ResourceGroup} {
		b = appendString(b, s)
	}
	b = appendFloats(b, g.Pos[:])
	b = le.AppendUint32(b, g.LodStrategy)
	b = appendFloats(b, []float32{g.ConstantHeight, g.InputBias, g.InputScale})
	b = le.AppendUint16(b, uint16(g.MaxBatch))
	b = le.AppendUint16(b, uint16(g.MinBatch))
	b = appendLayers(b, &g.Declaration, g.Layers)
	out := append(appendHeader(nil, idHeader, 1, 1), 0)
	out = append(appendHeader(out, idGroup, 1, len(b)), b...)
	if len(out) > maxGroup {
		return nil, fmt.Errorf("a group definition of %d bytes; at most %d", len(out), maxGroup)
	}
	return out, nil
}

// SlotFile returns the name of the file of slot (x, y). Slots grow east and
// north.
func (g *Group) SlotFile(x, y int16) string {
	return fmt.Sprintf("%s_%04x%04x.%s", g.Prefix, uint16(x), uint16(y), g.Extension)
}

// ParseSlotFile is the inverse of SlotFile, and says whether name is one.
func (g *Group) ParseSlotFile(name string) (x, y int16, ok bool) {
	s, ok := strings.CutPrefix(name, g.Prefix+"_")
	if !ok {
		return 0, 0, false
	}
	s, ok = strings.CutSuffix(s, "."+g.Extension)
	v, err := strconv.ParseUint(s, 16, 32)
	if !ok || err != nil || len(s) != 8 || strings.ToLower(s) != s {
		return 0, 0, false
	}
	return int16(v >> 16), int16(v), true
}

// SlotPos returns the centre of slot (x, y). Its last column is the first of
// slot (x+1, y), its last row the first of slot (x, y+1).
func (g *Group) SlotPos(x, y int16) [3]float32 {
	p := g.Align.world(float32(x)*g.WorldSize, float32(y)*g.WorldSize, 0)
	for i := range p {
		p[i] += g.Pos[i]
	}
	return p
}
