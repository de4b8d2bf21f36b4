//go:build race

package bake_test

// raceEnabled says whether the race detector, which takes memory, is on.
const raceEnabled = true
