//go:build race

package query_test

// raceEnabled says that the race detector allocates where the code does not.
const raceEnabled = true
