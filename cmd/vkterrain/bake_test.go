package main

import "testing"

func TestByteSize(t *testing.T) {
	for text, want := range map[string]byteSize{
		"512MiB": 512 << 20, "1GiB": 1 << 30, "2GB": 2e9, "1.5 kB": 1500, "77": 77, "3B": 3, " 4KiB ": 4096,
		"": 0, "MiB": 0, "-1": 0, "0": 0, "1e30GB": 0, "NaN": 0, "12 bananas": 0,
	} {
		var b byteSize
		if err := b.UnmarshalText([]byte(text)); (err == nil) != (want > 0) || b != want {
			t.Errorf("%q: %d, %v", text, b, err)
		}
	}
}
