//go:build !race

package chunkfile_test

const raceEnabled = false
