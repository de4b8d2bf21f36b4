//go:build !race

package vk_test

const raceEnabled = false
