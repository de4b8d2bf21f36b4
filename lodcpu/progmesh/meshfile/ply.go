package meshfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// plyType is a type of numbers.
type plyType struct {
	bytes           int
	signed, floated bool
}

// plyTypes are the types by both of their names.
var plyTypes = map[string]plyType{
	"char": {1, true, false}, "int8": {1, true, false},
	"uchar": {1, false, false}, "uint8": {1, false, false},
	"short": {2, true, false}, "int16": {2, true, false},
	"ushort": {2, false, false}, "uint16": {2, false, false},
	"int": {4, true, false}, "int32": {4, true, false},
	"uint": {4, false, false}, "uint32": {4, false, false},
	"float": {4, true, true}, "float32": {4, true, true},
	"double": {8, true, true}, "float64": {8, true, true},
}

type plyProperty struct {
	name        string
	list        bool
	count, item plyType
}

type plyElement struct {
	name       string
	count      int
	properties []plyProperty
}

// plyReader reads numbers one after the other.
type plyReader struct {
	data     []byte
	at, line int
	order    binary.ByteOrder // nil is ascii
	elements []plyElement
	source   progmesh.Source
	list     []uint32
}

func parsePLY(data []byte) (*progmesh.Source, error) {
	r := &plyReader{data: data}
	if err := r.header(); err != nil {
		return nil, fmt.Errorf("line %d: %w", r.line, err)
	}
	vertices := false
	for i := range r.elements {
		e := &r.elements[i]
		if err := r.element(e); err != nil {
			return nil, fmt.Errorf("%s: element %s: %w", r.place(), e.name, err)
		}
		vertices = vertices || e.name == "vertex"
	}
	if !vertices {
		return nil, errors.New("no element vertex")
	}
	return &r.source, nil
}

// place says where the reader is.
func (r *plyReader) place() string {
	if r.order == nil {
		return fmt.Sprintf("line %d", r.line)
	}
	return fmt.Sprintf("byte %d", r.at)
}

// header reads to the line end_header.
func (r *plyReader) header() error {
	format := false
	for {
		end := bytes.IndexByte(r.data[r.at:], '\n')
		r.line++
		if end < 0 {
			return errors.New("the header has no end_header")
		}
		words := strings.Fields(string(r.data[r.at : r.at+end]))
		r.at += end + 1
		switch {
		case len(words) == 0 || words[0] == "ply" || words[0] == "comment" || words[0] == "obj_info":
		case words[0] == "end_header":
			if !format {
				return errors.New("the header has no format")
			}
			r.line++
			return nil
		case words[0] == "format":
			if err := r.format(words[1:]); err != nil {
				return err
			}
			format = true
		default:
			if err := r.declare(words); err != nil {
				return err
			}
		}
	}
}

func (r *plyReader) format(words []string) error {
	if len(words) != 2 || words[1] != "1.0" {
		return fmt.Errorf("format %q: want version 1.0", strings.Join(words, " "))
	}
	switch words[0] {
	case "ascii":
	case "binary_little_endian":
		r.order = binary.LittleEndian
	case "binary_big_endian":
		r.order = binary.BigEndian
	default:
		return fmt.Errorf("format %q is none of ascii, binary_little_endian and binary_big_endian", words[0])
	}
	return nil
}

// declare takes an element or a property of the last one.
func (r *plyReader) declare(words []string) error {
	switch {
	case words[0] == "element" && len(words) == 3:
		n, err := strconv.Atoi(words[2])
		if err != nil || n < 0 || n > MaxElements {
			return fmt.Errorf("element %s: a count of %s: must be 0 to %d", words[1], words[2], MaxElements)
		}
		r.elements = append(r.elements, plyElement{name: words[1], count: n})
		return nil
	case words[0] == "property" && len(r.elements) > 0 && len(words) >= 3:
		e := &r.elements[len(r.elements)-1]
		p := plyProperty{name: words[len(words)-1], list: words[1] == "list"}
		types := words[1 : len(words)-1]
		want := 1
		if p.list {
			types, want = types[1:], 2
		}
		if len(types) != want {
			break
		}
		var ok, both bool
		p.count, both = plyTypes[types[0]]
		p.item, ok = plyTypes[types[want-1]]
		if !ok || !both || p.list && p.count.floated {
			return fmt.Errorf("property %s: no such type: %s", p.name, strings.Join(types, " "))
		}
		e.properties = append(e.properties, p)
		return nil
	}
	return fmt.Errorf("%q is no line of a header", strings.Join(words, " "))
}

// element reads all of an element.
func (r *plyReader) element(e *plyElement) error {
	least := 0
	for _, p := range e.properties {
		size := p.item.bytes
		if p.list {
			size = p.count.bytes
		}
		if r.order == nil {
			size = 2 // a digit and what divides it from the next
		}
		least += size
	}
	// The last number of an ascii file may end it.
	if rest := len(r.data) - r.at + 1; least > 0 && e.count > rest/least {
		return fmt.Errorf("%d of at least %d bytes each: the file ends after %d", e.count, least, rest-1)
	}
	switch {
	case least == 0:
		return nil
	case e.name == "vertex":
		return r.vertices(e)
	}
	wanted := func(p plyProperty) bool {
		return p.list && (e.name == "face" || e.name == "tristrips") && (p.name == "vertex_indices" || p.name == "vertex_index")
	}
	for range e.count {
		for _, p := range e.properties {
			if !p.list {
				if _, err := r.number(p.item); err != nil {
					return err
				}
				continue
			}
			if err := r.indices(p); err != nil {
				return err
			}
			if !wanted(p) {
				continue
			}
			if e.name == "face" {
				r.source.Triangles = fan(r.source.Triangles, r.list)
			} else {
				r.strips()
			}
			if len(r.source.Triangles) > MaxElements {
				return fmt.Errorf("more than %d triangles", MaxElements)
			}
		}
	}
	return nil
}

// ended is the index that ends a strip, −1.
const ended = math.MaxUint32

// strips takes the list as strips.
func (r *plyReader) strips() {
	for rest := r.list; len(rest) > 0; {
		n := slices.Index(rest, ended)
		if n < 0 {
			n = len(rest)
		}
		r.source.Triangles = strip(r.source.Triangles, rest[:n])
		rest = rest[min(n+1, len(rest)):]
	}
}

// indices reads a list.
func (r *plyReader) indices(p plyProperty) error {
	f, err := r.number(p.count)
	if err != nil {
		return err
	}
	size := p.item.bytes
	if r.order == nil {
		size = 2
	}
	if f < 0 || f != math.Trunc(f) || f > float64((len(r.data)-r.at+1)/size) {
		return fmt.Errorf("a list of %v: the file ends before", f)
	}
	r.list = r.list[:0]
	for range int(f) {
		v, err := r.number(p.item)
		switch {
		case err != nil:
			return err
		case v == -1:
			r.list = append(r.list, ended)
		case v < 0 || v > ended || v != math.Trunc(v):
			r.list = append(r.list, ended-1) // no index; an attribute that nobody reads may be so
		default:
			r.list = append(r.list, uint32(v))
		}
	}
	return nil
}

// plyNames are what the parts of positions, normals and texture coordinates are
// called.
var plyNames = map[string]int{
	"x": 0, "y": 1, "z": 2, "nx": 3, "ny": 4, "nz": 5,
	"u": 6, "v": 7, "s": 6, "t": 7, "texture_u": 6, "texture_v": 7,
}

// vertices reads the element vertex.
func (r *plyReader) vertices(e *plyElement) error {
	var has [8]bool
	for _, p := range e.properties {
		if k, ok := plyNames[p.name]; ok && !p.list {
			has[k] = true
		}
	}
	if !has[0] || !has[1] || !has[2] {
		return errors.New("no x, y and z")
	}
	s := &r.source
	*s = progmesh.Source{Triangles: s.Triangles, Positions: make([][3]float32, 0, e.count)}
	for range e.count {
		var v [8]float32
		for _, p := range e.properties {
			if p.list {
				if err := r.indices(p); err != nil {
					return err
				}
				continue
			}
			f, err := r.number(p.item)
			if err != nil {
				return err
			}
			if k, ok := plyNames[p.name]; ok {
				v[k] = float32(f)
			}
		}
		s.Positions = append(s.Positions, [3]float32(v[:3]))
		if has[3] && has[4] && has[5] {
			s.Normals = append(s.Normals, [3]float32(v[3:6]))
		}
		if has[6] && has[7] {
			s.UVs = append(s.UVs, [2]float32(v[6:]))
		}
	}
	return nil
}

// number reads a number.
func (r *plyReader) number(t plyType) (float64, error) {
	if r.order == nil {
		return r.word()
	}
	if len(r.data)-r.at < t.bytes {
		return 0, errors.New("the file ends before")
	}
	b := r.data[r.at : r.at+t.bytes]
	r.at += t.bytes
	switch {
	case t.floated && t.bytes == 4:
		return float64(math.Float32frombits(r.order.Uint32(b))), nil
	case t.floated:
		return math.Float64frombits(r.order.Uint64(b)), nil
	}
	var u uint32
	switch t.bytes {
	case 1:
		u = uint32(b[0])
	case 2:
		u = uint32(r.order.Uint16(b))
	case 4:
		u = r.order.Uint32(b)
	}
	if t.signed {
		shift := 32 - 8*t.bytes
		return float64(int32(u<<shift) >> shift), nil
	}
	return float64(u), nil
}

// word reads a number in digits.
func (r *plyReader) word() (float64, error) {
	for r.at < len(r.data) && r.data[r.at] <= ' ' {
		if r.data[r.at] == '\n' {
			r.line++
		}
		r.at++
	}
	start := r.at
	for r.at < len(r.data) && r.data[r.at] > ' ' {
		r.at++
	}
	if start == r.at {
		return 0, errors.New("the file ends before")
	}
	f, err := strconv.ParseFloat(string(r.data[start:r.at]), 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", r.data[start:r.at])
	}
	return f, nil
}
