//go:build !linux

package soar_test

import "time"

var began = time.Now()

func spent() time.Duration { return time.Since(began) }
