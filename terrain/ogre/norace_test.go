//go:build !race

package ogre_test

const raceEnabled = false
