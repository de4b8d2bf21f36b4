//go:build race

package ogre_test

// raceEnabled says that the race detector makes everything slow.
const raceEnabled = true
