package bake_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/internal/testworld"
	"github.com/vkterrain/vkterrain/terrain"
	"github.com/vkterrain/vkterrain/terrain/bake"
)

// childPath names, in the environment of the test program, the file that it bakes
// instead of testing.
const childPath = "VKTERRAIN_TEST_BAKE"

func TestMain(m *testing.M) {
	path := os.Getenv(childPath)
	if path == "" {
		os.Exit(m.Run())
	}
	if path, ok := strings.CutSuffix(path, ".waves"); ok {
		debug.SetMemoryLimit(wavesMem / 16 * 15)
		if _, err := bake.Bake(context.Background(), waves{}, bake.Options{MaxMem: wavesMem, Workers: 2}, path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Stdout.Write(status)
		return
	}
	o := longOptions
	if rest, ok := strings.CutSuffix(path, ".shards"); ok {
		path, o.ShardRows = rest, shardRows
	}
	rest, slow := strings.CutSuffix(path, ".slow")
	path = rest
	o.Progress = func(phase string, done, total int) {
		if phase == bake.PhaseBake {
			fmt.Println(done)
		}
		if slow { // so that journals are written on the way
			time.Sleep(5 * time.Millisecond)
		}
	}
	if _, err := bake.Bake(context.Background(), long(), o, path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// long is a field of many bands.
func long() *terrain.Field {
	f := testworld.Rough(60, 2600, 6)
	f.Void = make([]bool, len(f.Samples))
	f.Void[77777] = true
	f.Geo = terrain.Geo{CRS: "EPSG:4326", Transform: &[6]float64{1, 2, 3, 4, 5, 6}}
	return f
}

var longOptions = bake.Options{TileSize: 17}

// shardRows are those of a child whose path ends in .shards.
const shardRows = 30

// child starts a bake of long to path in another process.
func child(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childPath+"="+path)
	cmd.Stderr = os.Stderr
	return cmd
}

// TestKilledBakeGoesOn kills a bake at ten random moments; each goes on from where
// the one before was, and the world has the bytes of one that was let be. Case FILE-5.
func TestKilledBakeGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("bakes many times")
	}
	start := time.Now()
	_, path := baked(t, long(), longOptions)
	took := time.Since(start)
	want := bytesOf(t, path)
	dir := t.TempDir()
	path = filepath.Join(dir, "w.vkt")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	kills, resumed := 0, 0
	for kills < 10 {
		cmd := child(t, path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(rng.Int64N(int64(3*took/2))), func() { cmd.Process.Kill() })
		first := ""
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if first == "" {
				first = lines.Text()
			}
		}
		if err := cmd.Wait(); err == nil {
			// It came to its end before it was killed.
			kill.Stop()
			if got := bytesOf(t, path); !bytes.Equal(got, want) {
				t.Fatal("the world has other bytes")
			}
			if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
		} else if got := bytesOf(t, path); !bytes.Equal(got, want) && string(got) != "old" {
			t.Fatal("the old file is neither whole nor replaced")
		} else {
			kills++
		}
		var done int
		if fmt.Sscan(first, &done); done > 150 {
			resumed++
		}
	}
	if err := child(t, path).Run(); err != nil {
		t.Fatal(err)
	}
	if got := bytesOf(t, path); !bytes.Equal(got, want) {
		t.Fatal("the world has other bytes")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
	t.Logf("%d bakes went on with what another had left", resumed)
}

// TestKilledShards does so with a world in shards.
func TestKilledShards(t *testing.T) {
	if testing.Short() {
		t.Skip("bakes many times")
	}
	o := longOptions
	o.ShardRows = shardRows
	start := time.Now()
	r, whole := baked(t, long(), o)
	took := time.Since(start)
	if n := r.Files(); n != 6 {
		t.Fatalf("%d shards", n)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, filepath.Base(whole))
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 2))
	for range 6 {
		cmd := child(t, path+".shards")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(rng.Int64N(int64(took))), func() { cmd.Process.Kill() })
		cmd.Wait()
		kill.Stop()
	}
	if err := child(t, path+".shards").Run(); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 7 {
		t.Fatalf("files %v: %v", list, err)
	}
	for _, e := range list {
		if !bytes.Equal(bytesOf(t, filepath.Join(dir, e.Name())), bytesOf(t, filepath.Join(filepath.Dir(whole), e.Name()))) {
			t.Errorf("%s has other bytes", e.Name())
		}
	}
}

// killed leaves in dir what a bake of long leaves that is killed half-way.
func killed(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "w.vkt")
	cmd := child(t, path+".slow")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for done := 0; lines.Scan(); {
		if fmt.Sscan(lines.Text(), &done); done > 300 {
			cmd.Process.Kill()
		}
	}
	cmd.Wait()
	names, err := filepath.Glob(filepath.Join(dir, ".w.vkt.*"))
	if err != nil || len(names) < 2 || !strings.Contains(fmt.Sprint(names), ".journal") {
		t.Fatalf("a killed bake leaves %v (%v)", names, err)
	}
}

// firstDone bakes f to path and returns how many tiles were done when the first
// was said to be.
func firstDone(t *testing.T, f terrain.RowReader, o bake.Options, path string) int {
	t.Helper()
	first := 0
	o.Progress = func(phase string, done, total int) {
		if phase == bake.PhaseBake && first == 0 {
			first = done
		}
	}
	if _, err := bake.Bake(context.Background(), f, o, path); err != nil {
		t.Fatal(err)
	}
	return first
}

// TestOthersBeginAnew: another source, other options and what is damaged have no
// use for what a killed bake left; other workers and another cap have.
func TestOthersBeginAnew(t *testing.T) {
	if testing.Short() {
		t.Skip("bakes many times")
	}
	_, path := baked(t, long(), longOptions)
	want := bytesOf(t, path)
	left := t.TempDir()
	killed(t, left)
	for _, c := range []struct {
		name  string
		goOn  bool
		spoil func(f *terrain.Field, o *bake.Options, path string)
	}{
		{"the same", true, func(*terrain.Field, *bake.Options, string) {}},
		{"workers and cap", true, func(_ *terrain.Field, o *bake.Options, _ string) { o.Workers, o.MaxMem = 1, 64<<20 }},
		{"a sample", false, func(f *terrain.Field, _ *bake.Options, _ string) { f.Samples[len(f.Samples)-1]++ }},
		{"a hole", false, func(f *terrain.Field, _ *bake.Options, _ string) { f.Void[5] = true }},
		{"the spacing", false, func(f *terrain.Field, _ *bake.Options, _ string) { f.Spacing++ }},
		{"the place", false, func(f *terrain.Field, _ *bake.Options, _ string) { f.Geo.Transform[3]++ }},
		{"the origin", false, func(_ *terrain.Field, o *bake.Options, _ string) { o.OriginX = 3 }},
		{"the tiles", false, func(_ *terrain.Field, o *bake.Options, _ string) { o.TileSize = 33 }},
		{"the accuracy", false, func(_ *terrain.Field, o *bake.Options, _ string) { o.MaxError = 1 }},
		{"the journal", false, func(_ *terrain.Field, _ *bake.Options, path string) {
			name := filepath.Join(filepath.Dir(path), ".w.vkt.journal")
			b, _ := os.ReadFile(name)
			b[len(b)-9] ^= 4
			os.WriteFile(name, b, 0o666)
		}},
		{"the partial file", false, func(_ *terrain.Field, _ *bake.Options, path string) {
			os.Truncate(filepath.Join(filepath.Dir(path), ".w.vkt.partial"), 1<<17)
		}},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(left)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "w.vkt")
		f, o := long(), longOptions
		c.spoil(f, &o, path)
		if first := firstDone(t, f, o, path); (first > 200) != c.goOn {
			t.Errorf("%s: the first tiles done were %d", c.name, first)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
			t.Errorf("%s: left behind: %v, %v", c.name, list, err)
		}
		if c.goOn && !bytes.Equal(bytesOf(t, path), want) {
			t.Errorf("%s: other bytes", c.name)
		}
	}
}
