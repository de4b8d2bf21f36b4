//go:build !race

package edit_test

const few = false
