package meshfile

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// objReader collects an OBJ's numbers. A vertex of the mesh is a triple of them.
type objReader struct {
	positions, normals [][3]float32
	uvs                [][2]float32
	known              map[[3]int32]uint32 // by index of position, texture, normal; -1 is none
	triples            [][3]int32
	triangles          [][3]uint32
	polygon            []uint32
}

func parseOBJ(data []byte) (*progmesh.Source, error) {
	r := &objReader{known: map[[3]int32]uint32{}}
	var joined []byte
	for number := 1; len(data) > 0; number++ {
		first := number
		var line []byte
		line, data, _ = bytes.Cut(data, []byte("\n"))
		if part, more := continued(line); more {
			joined = append(append(joined[:0], part...), ' ')
			for more && len(data) > 0 {
				number++
				part, data, _ = bytes.Cut(data, []byte("\n"))
				part, more = continued(part)
				joined = append(append(joined, part...), ' ')
			}
			line = joined
		}
		line, _, _ = bytes.Cut(line, []byte("#"))
		if err := r.line(bytes.Fields(line)); err != nil {
			return nil, fmt.Errorf("line %d: %w", first, err)
		}
	}
	if len(r.positions) == 0 {
		return nil, errors.New("no mesh: neither OBJ, PLY nor glTF, or no vertices")
	}
	return r.source(), nil
}

// continued says whether the next line belongs to a line, and takes away what says so.
func continued(line []byte) (part []byte, more bool) {
	end := bytes.TrimRight(line, "\r")
	if !bytes.HasSuffix(end, []byte(`\`)) {
		return line, false
	}
	return bytes.TrimRight(end, "\\\r"), true
}

// line takes one line. Words that say nothing of shape are passed over.
func (r *objReader) line(words [][]byte) error {
	if len(words) == 0 {
		return nil
	}
	var v [3]float32
	switch string(words[0]) {
	case "v":
		if err := floats(v[:], words[1:]); err != nil {
			return err
		}
		r.positions = append(r.positions, v)
	case "vn":
		if err := floats(v[:], words[1:]); err != nil {
			return err
		}
		r.normals = append(r.normals, v)
	case "vt":
		words = words[1:]
		if err := floats(v[:min(max(len(words), 1), 2)], words); err != nil {
			return err
		}
		r.uvs = append(r.uvs, [2]float32(v[:2]))
	case "f":
		return r.face(words[1:])
	}
	if len(r.positions) > MaxElements || len(r.normals) > MaxElements || len(r.uvs) > MaxElements {
		return fmt.Errorf("more than %d vertices", MaxElements)
	}
	return nil
}

// floats fills dst from the first words.
func floats(dst []float32, words [][]byte) error {
	if len(words) < len(dst) {
		return fmt.Errorf("%d numbers, want %d", len(words), len(dst))
	}
	for i := range dst {
		f, err := strconv.ParseFloat(string(words[i]), 32)
		if err != nil {
			return fmt.Errorf("%q is no number", words[i])
		}
		dst[i] = float32(f)
	}
	return nil
}

// face takes a polygon.
func (r *objReader) face(words [][]byte) error {
	if len(words) < 3 {
		return fmt.Errorf("a face of %d vertices", len(words))
	}
	r.polygon = r.polygon[:0]
	for _, w := range words {
		triple, whole := [3]int32{-1, -1, -1}, w
		for k := range 4 {
			part, rest, more := bytes.Cut(w, []byte("/"))
			if k == 3 {
				return fmt.Errorf("%q has too many parts", whole)
			}
			if len(part) > 0 || k == 0 {
				at, err := r.index(part, k)
				if err != nil {
					return err
				}
				triple[k] = at
			}
			if w = rest; !more {
				break
			}
		}
		v, ok := r.known[triple]
		if !ok {
			v = uint32(len(r.triples))
			r.known[triple] = v
			r.triples = append(r.triples, triple)
		}
		r.polygon = append(r.polygon, v)
	}
	r.triangles = fan(r.triangles, r.polygon)
	if len(r.triangles) > MaxElements {
		return fmt.Errorf("more than %d triangles", MaxElements)
	}
	return nil
}

// index reads an index, from 1, or from the end if negative.
func (r *objReader) index(word []byte, kind int) (int32, error) {
	name := [3]string{"vertex", "texture coordinate", "normal"}[kind]
	n := [3]int{len(r.positions), len(r.uvs), len(r.normals)}[kind]
	i, err := strconv.Atoi(string(word))
	if err != nil {
		return 0, fmt.Errorf("%q is no index of a %s", word, name)
	}
	if i < 0 {
		i += n + 1
	}
	if i < 1 || i > n {
		return 0, fmt.Errorf("%s %s of %d", name, word, n)
	}
	return int32(i - 1), nil
}

// source puts the vertices together. Attributes that only some have are 0 elsewhere.
func (r *objReader) source() *progmesh.Source {
	s := &progmesh.Source{Triangles: r.triangles, Positions: make([][3]float32, len(r.triples))}
	if len(r.uvs) > 0 {
		s.UVs = make([][2]float32, len(r.triples))
	}
	if len(r.normals) > 0 {
		s.Normals = make([][3]float32, len(r.triples))
	}
	for i, t := range r.triples {
		s.Positions[i] = r.positions[t[0]]
		if t[1] >= 0 {
			s.UVs[i] = r.uvs[t[1]]
		}
		if t[2] >= 0 {
			s.Normals[i] = r.normals[t[2]]
		}
	}
	return s
}
