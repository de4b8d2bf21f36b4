package bake_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestPeakMemory bakes a field of 19 MB, of which the analyses alone would take
// four times as much, in another process, and reads what that took at most.
func TestPeakMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("bakes five million samples")
	}
	cmd := child(t, filepath.Join(t.TempDir(), "w.vkt")+".waves")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	peak := int64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10
	t.Logf("%d MiB", peak>>20)
	if !raceEnabled && peak > wavesMem {
		t.Errorf("took %d MiB, the cap is %d", peak>>20, wavesMem>>20)
	}
}
