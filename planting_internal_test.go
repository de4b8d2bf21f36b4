package vkterrain

import "testing"

// TestPlantingEndsAtOnce ends goroutines that have hardly begun: each does.
func TestPlantingEndsAtOnce(t *testing.T) {
	for range 500 {
		p := &planting{maker: &plotMaker{}}
		p.start()
		if err := p.close(); err != nil {
			t.Fatal(err)
		}
	}
}
