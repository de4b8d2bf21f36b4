//go:build race

package vk_test

const raceEnabled = true
