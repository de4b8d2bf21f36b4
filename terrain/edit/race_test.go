//go:build race

package edit_test

// few makes tests shorter that the race detector makes slow.
const few = true
