package soar

import (
	"math/rand/v2"
	"testing"

	"github.com/vkterrain/vkterrain/lodcpu"
)

// Both tiles of a seam, and whoever asks by lodcpu.Law, must get the same bits.
func TestOffsetsAreTheLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0x0ff))
	for range 1000 {
		l := lodcpu.Law{
			OriginX: 1e7 * (rng.Float64() - 0.5), Spacing: 100 * rng.Float64(), RimColumn: rng.IntN(5000),
		}
		l.Eye[0] = l.OriginX + 1e5*rng.Float64()
		got := make([]float64, 1+rng.IntN(130))
		first, step := rng.IntN(5000), 1<<rng.IntN(7)
		offsets(got, first, step, l.RimColumn, l.OriginX, l.Spacing, l.Eye[0])
		for i, d := range got {
			if want := l.OffsetX(first + i*step); d != want {
				t.Fatalf("column %d, rim %d: %v, want %v", first+i*step, l.RimColumn, d, want)
			}
		}
	}
}
