// Package meshfile reads triangle meshes for package progmesh: Wavefront OBJ, PLY
// (ascii and binary of both byte orders, Stanford's triangle strips too) and glTF
// 2.0 (.gltf with embedded or separate buffers, and .glb). It takes positions,
// normals and texture coordinates; materials, colours and animation are passed over.
//
// Files are judged by what is in them, not by their names. Errors are one line that
// says what is wrong and where: the line of a text, the byte of a binary file.
// Nothing is allocated for a count before the file is known to be long enough.
package meshfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/vkterrain/vkterrain/lodcpu/progmesh"
)

// Limits of what is read.
const (
	MaxBytes    = 1 << 30 // of a file, and of a file beside it
	MaxElements = 1 << 25 // vertices, and triangles
)

// Read reads a mesh file, and the files in its folder that it names. Errors name
// the file.
func Read(name string) (*progmesh.Source, error) {
	data, err := readFile(name)
	if err != nil {
		return nil, err
	}
	s, err := Parse(data, func(uri string) ([]byte, error) {
		local := filepath.FromSlash(uri)
		if !filepath.IsLocal(local) {
			return nil, fmt.Errorf("buffer %q is not in the file's folder", uri)
		}
		return readFile(filepath.Join(filepath.Dir(name), local))
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// readFile reads a file that must end: a device or a pipe may not.
func readFile(name string) ([]byte, error) {
	st, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", name)
	case st.Size() > MaxBytes:
		return nil, fmt.Errorf("%s: more than %d bytes", name, MaxBytes)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("%s: more than %d bytes", name, MaxBytes)
	}
	return data, nil
}

// Parse reads a mesh file from memory. beside returns the file that a glTF names by
// a relative URI, slash-separated; it may be nil where there is none.
func Parse(data []byte, beside func(uri string) ([]byte, error)) (*progmesh.Source, error) {
	var s *progmesh.Source
	var err error
	switch text := bytes.TrimLeft(data, " \t\r\n\uFEFF"); {
	case len(data) == 0:
		return nil, errors.New("the file is empty")
	case bytes.HasPrefix(data, []byte("glTF")):
		s, err = parseGLB(data, beside)
	case bytes.HasPrefix(data, []byte("ply\n")) || bytes.HasPrefix(data, []byte("ply\r")):
		s, err = parsePLY(data)
	case bytes.HasPrefix(text, []byte("{")):
		s, err = parseGLTF(data, nil, beside)
	default:
		s, err = parseOBJ(data)
	}
	if err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return s, nil
}

// fan appends a polygon as triangles around its first vertex.
func fan(dst [][3]uint32, polygon []uint32) [][3]uint32 {
	for i := 2; i < len(polygon); i++ {
		dst = append(dst, [3]uint32{polygon[0], polygon[i-1], polygon[i]})
	}
	return dst
}

// strip appends a triangle strip, whose every other triangle winds the other way.
func strip(dst [][3]uint32, vertices []uint32) [][3]uint32 {
	for i := 2; i < len(vertices); i++ {
		a, b, c := vertices[i-2], vertices[i-1], vertices[i]
		if i%2 == 1 {
			a, b = b, a
		}
		if a != b && b != c && c != a {
			dst = append(dst, [3]uint32{a, b, c})
		}
	}
	return dst
}
