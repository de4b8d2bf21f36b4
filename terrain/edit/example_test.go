package edit_test

import (
	"context"
	"log"

	"github.com/vkterrain/vkterrain/terrain/edit"
)

// A pit of 20×20 samples is dug, taken back, dug again, and saved.
func Example() {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	s, err := edit.Open("land.vkt", edit.Options{})
	check(err)
	defer s.Close()
	heights := make([]int32, 20*20)
	check(s.Now().Heights(100, 200, 20, 20, heights, nil))
	for i := range heights {
		heights[i] -= 50 // quanta
	}
	change, err := s.Set(100, 200, 20, 20, heights, nil)
	check(err)
	log.Print(len(change.Tiles), " tiles have changed")
	_, err = s.Undo()
	check(err)
	_, err = s.Redo()
	check(err)
	check(s.Save(context.Background()))
}
