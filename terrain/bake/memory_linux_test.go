package bake_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestPeakMemory bakes a field of 19 MB, of which the analyses alone would take
// four times as much, in another process, and reads what that took at most. (What
// the system says of a child that has ended counts its parent too.)
func TestPeakMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("bakes five million samples")
	}
	out, err := child(t, filepath.Join(t.TempDir(), "w.vkt")+".waves").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(out), "VmHWM:")
	var peak int64 // kB
	if _, err := fmt.Sscan(rest, &peak); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	t.Logf("%d MiB", peak>>10)
	if !raceEnabled && peak<<10 > wavesMem {
		t.Errorf("took %d MiB, the cap is %d", peak>>10, wavesMem>>20)
	}
}
