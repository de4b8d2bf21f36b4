package synth

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// rows calls f for bands of rows that together cover 0..n, on all processors.
// f must write only what belongs to its own rows and read only what no other
// band writes: then the result cannot depend on who ran what.
func rows(n int, f func(y0, y1 int)) {
	const band = 16
	workers := min(runtime.GOMAXPROCS(0), (n+band-1)/band)
	if workers <= 1 {
		f(0, n)
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				y := int(next.Add(band)) - band
				if y >= n {
					return
				}
				f(y, min(y+band, n))
			}
		})
	}
	wg.Wait()
}
