//go:build race

package streaming_test

const raceEnabled = true
