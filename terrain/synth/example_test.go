package synth_test

import (
	"context"
	"fmt"
	"log"

	"github.com/vkterrain/vkterrain/terrain/synth"
)

func ExampleGenerate() {
	f, err := synth.Generate(context.Background(), synth.Options{
		Width: 200, Height: 100, Spacing: 300, Seed: 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	lo, hi, _ := f.Stats()
	fmt.Println(len(f.Samples), "samples of", f.Quantum, "m")
	fmt.Println("sea:", lo < 0, "mountains:", float64(hi)*f.Quantum > 1000)
	// Output:
	// 20000 samples of 0.0625 m
	// sea: true mountains: true
}
