package ogre_test

import (
	"bytes"
	"testing"

	"github.com/vkterrain/vkterrain/terrain/ogre"
)

// FuzzOpen reads any bytes: an error, or a terrain that is written and read again
// the same.
func FuzzOpen(f *testing.F) {
	o := small(f)
	f.Add([]byte{})
	f.Add(write(f, o))
	f.Add(v1(o))
	f.Add(deflate(v1(o)))
	f.Add(plain(o))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := readAny(b)
		if err != nil {
			clean(t, err)
			return
		}
		for i := range o.Heights {
			if o.Heights[i] != o.Heights[i] || o.Deltas[i] != o.Deltas[i] {
				return // NaN is kept, but is not equal to itself
			}
		}
		if first := o.QuadTree[0]; first > 12 && first < 13 {
			return // may be nudged
		}
		again := read(t, write(t, o))
		if !bytes.Equal(write(t, again), write(t, o)) {
			t.Error("written, read and written otherwise")
		}
	})
}

// FuzzTail reads any bytes as the tail of a terrain.
func FuzzTail(f *testing.F) {
	o := small(f)
	tail, _ := ogre.AppendTail(nil, &o.Tail)
	f.Add(tail)
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := readAny(v2(o, nil, deflate(b))); err != nil {
			clean(t, err)
		}
	})
}

// FuzzGroup reads any bytes as a group definition.
func FuzzGroup(f *testing.F) {
	f.Add([]byte{})
	f.Add(group(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		g, err := ogre.ReadGroup(bytes.NewReader(b))
		if err != nil {
			clean(t, err)
			return
		}
		c := writeGroup(t, g)
		again, err := ogre.ReadGroup(bytes.NewReader(c))
		if err != nil || !bytes.Equal(writeGroup(t, again), c) {
			t.Errorf("written and read otherwise: %v", err)
		}
	})
}

// FuzzDeflate compresses any bytes, repeated until they fill windows.
func FuzzDeflate(f *testing.F) {
	f.Add([]byte("some bytes"), uint16(1))
	f.Add(noise(100, 255, 1), uint16(1000))
	f.Fuzz(func(t *testing.T, b []byte, times uint16) {
		in := bytes.Repeat(b, 1+int(times)%max(1, 200000/(len(b)+1)))
		inflates(t, ogre.Deflate(in), in)
	})
}
