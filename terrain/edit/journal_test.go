package edit_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/terrain/edit"
)

// heightsOf returns all samples of a session's world, those of holes as they are.
func heightsOf(t testing.TB, s *edit.Session) land {
	t.Helper()
	w := s.Now().World()
	f := newLand(w.Width, w.Height, 3, true)
	if err := s.Now().Heights(0, 0, w.Width, w.Height, f.Samples, f.Void); err != nil {
		t.Fatal(err)
	}
	return f
}

func same(a, b land) bool { return slices.Equal(a.Samples, b.Samples) && slices.Equal(a.Void, b.Void) }

// copied copies a world and its journal, cut to length bytes, to a new folder.
func copied(t testing.TB, world, journal []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "land.vkt")
	if err := os.WriteFile(path, world, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journalOf(path), journal, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func journalOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".edits")
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// journalled makes a world with some edits, undone and redone ones among them, and
// returns world, journal and the heights after each record.
func journalled(t testing.TB, edits int) (world, journal []byte, states []land) {
	l := newLand(40, 35, 3, true)
	path := baked(t, l.Field, 17)
	s := open(t, path, edit.Options{})
	states = append(states, heightsOf(t, s))
	rng := rand.New(rand.NewPCG(4, 1))
	for i := range edits {
		var err error
		switch i {
		case 2, 3:
			_, err = s.Undo()
		case 4:
			_, err = s.Redo()
		default:
			k := l.stroke(rng)
			k.w, k.h = min(k.w, 2), min(k.h, 2)
			k.heights, k.holes = k.heights[:k.w*k.h], k.holes[:k.w*k.h]
			_, err = s.Set(k.x, k.z, k.w, k.h, k.heights, k.holes)
		}
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, heightsOf(t, s))
	}
	return read(t, path), read(t, journalOf(path)), states
}

// TestCutJournal cuts a journal at every byte: what was whole is there.
func TestCutJournal(t *testing.T) {
	world, journal, states := journalled(t, 6)
	ends := edit.RecordsOf(journal)
	if len(ends) != 6 || ends[5] != len(journal) {
		t.Fatalf("records end at %v of %d", ends, len(journal))
	}
	for n := range len(journal) + 1 {
		if few && n%17 != 0 {
			continue
		}
		whole := 0
		for whole < len(ends) && ends[whole] <= n {
			whole++
		}
		path := copied(t, world, journal[:n])
		s, err := edit.Open(path, edit.Options{})
		if err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if !same(heightsOf(t, s), states[whole]) {
			t.Fatalf("%d bytes with %d whole records give another world", n, whole)
		}
		if n%7 == 0 { // and it goes on from there
			if _, err := s.Set(1, 1, 1, 1, []int32{77}, nil); err != nil {
				t.Fatal(err)
			}
			want := heightsOf(t, s)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err = edit.Open(path, edit.Options{}); err != nil {
				t.Fatal(err)
			}
			if !same(heightsOf(t, s), want) {
				t.Fatalf("%d bytes: an edit after them is lost", n)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedJournal flips a bit of every byte: an error names the record, unless it
// is the last one, which then was never finished.
func TestDamagedJournal(t *testing.T) {
	world, journal, states := journalled(t, 6)
	ends := edit.RecordsOf(journal)
	last := ends[len(ends)-2]
	for at := range journal {
		if few && at%17 != 0 {
			continue
		}
		bad := bytes.Clone(journal)
		bad[at] ^= 16
		s, err := edit.Open(copied(t, world, bad), edit.Options{})
		if err == nil {
			if at < last || !same(heightsOf(t, s), states[len(states)-2]) {
				t.Errorf("byte %d is wrong, and nobody says so", at)
			}
			s.Close()
			continue
		}
		begin := 48
		for _, end := range ends {
			if end <= at {
				begin = end
			}
		}
		want := fmt.Sprintf("the record at byte %d is damaged", begin)
		if at < 48 {
			want = ".land.vkt.edits: "
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("byte %d: %v, want %q", at, err, want)
		}
	}
}

// TestJournalOfAnotherWorld: edits never meet a world that they were not made to.
func TestJournalOfAnotherWorld(t *testing.T) {
	world, journal, states := journalled(t, 3)
	other := read(t, baked(t, newLand(40, 35, 8, true).Field, 17))
	if _, err := edit.Open(copied(t, other, journal), edit.Options{}); err == nil || !strings.Contains(err.Error(), "edits of another world") {
		t.Error(err)
	}
	// A save that was killed before the new world took the place, and after.
	path := copied(t, world, journal)
	saved := filepath.Join(t.TempDir(), "saved.vkt")
	s := open(t, path, edit.Options{})
	if err := s.SaveAs(context.Background(), saved); err != nil {
		t.Fatal(err)
	}
	mark, err := edit.SavedRecord(saved)
	if err != nil {
		t.Fatal(err)
	}
	marked := append(bytes.Clone(journal), mark...)
	for _, w := range [][]byte{world, read(t, saved)} {
		path := copied(t, w, marked)
		s := open(t, path, edit.Options{})
		if !same(heightsOf(t, s), states[3]) {
			t.Error("a save that was killed gives another world")
		}
		if _, err := os.Stat(journalOf(path)); (err == nil) != bytes.Equal(w, world) {
			t.Errorf("journal of a saved world: %v", err)
		}
	}
}

// TestJournalIsBounded edits one place again and again: the journal does not grow
// beyond its bound, the oldest steps can no longer be undone, and nothing else is lost.
func TestJournalIsBounded(t *testing.T) {
	l := newLand(70, 61, 3, true)
	path := baked(t, l.Field, 17)
	const limit = 4000
	o := edit.Options{JournalBytes: limit}
	s, err := edit.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(6, 1))
	states := []land{heightsOf(t, s)}
	for i := range 120 {
		k := l.stroke(rng)
		k.x, k.z = k.x%20, k.z%20
		if len(k.heights) > 60 {
			continue
		}
		set(t, s, k)
		states = append(states, heightsOf(t, s))
		if i%13 == 0 { // steps that are undone when the journal is folded
			if _, err := s.Undo(); err != nil {
				t.Fatal(err)
			}
			states = states[:len(states)-1]
		}
		if i == 40 { // a step that is larger than half of what is allowed
			big := stroke{w: 32, h: 32, heights: make([]int32, 32*32)}
			for i := range big.heights {
				big.heights[i] = int32(rng.IntN(1000))
			}
			set(t, s, big)
			states = append(states, heightsOf(t, s))
			if undo, _ := s.Steps(); undo != 0 {
				t.Errorf("%d steps can be undone after a large one", undo)
			}
		}
		if i%31 == 0 || i == 40 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if s, err = edit.Open(path, o); err != nil {
				t.Fatal(err)
			}
			if !same(heightsOf(t, s), states[len(states)-1]) {
				t.Fatalf("after edit %d another world is opened", i)
			}
		}
		// The region has 32×32 samples at most.
		if n := len(read(t, journalOf(path))); n > limit+8*32*80+2000 {
			t.Fatalf("after edit %d the journal has %d bytes", i, n)
		}
	}
	undo, _ := s.Steps()
	if undo < 3 || undo > 60 {
		t.Errorf("%d of %d steps can be undone", undo, len(states)-1)
	}
	for i := range undo {
		if _, err := s.Undo(); err != nil {
			t.Fatal(err)
		}
		if !same(heightsOf(t, s), states[len(states)-2-i]) {
			t.Fatalf("undoing %d steps gives another world", i+1)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// killed is the environment of the process that [TestKill] kills.
const killed = "VKTERRAIN_EDIT_KILLED"

// script is what the process does: edit number i, or a save.
func script(l land, rng *rand.Rand, i int) (k stroke, save bool) {
	return l.stroke(rng), i%9 == 8
}

// editUntilKilled goes on with a world, and says after each step that it is done.
func editUntilKilled(path string, first int) error {
	saves := 0
	edit.AfterReplace(func() {
		if saves++; saves%2 == 0 { // a moment that chance would hardly meet
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				self.Kill()
				select {}
			}
		}
	})
	s, err := edit.Open(path, edit.Options{})
	if err != nil {
		return err
	}
	l := newLand(70, 61, 3, true)
	rng := rand.New(rand.NewPCG(7, 1))
	for i := 0; ; i++ {
		k, save := script(l, rng, i)
		if i < first {
			l.apply(k)
			continue
		}
		if _, err := s.Set(k.x, k.z, k.w, k.h, k.heights, k.holes); err != nil {
			return err
		}
		l.apply(k)
		fmt.Println(i)
		if save {
			if err := s.Save(context.Background()); err != nil {
				return err
			}
		}
	}
}

// TestKill kills a process that edits and saves at random moments: no edit that was
// acknowledged is lost, and none is half there.
func TestKill(t *testing.T) {
	if at := os.Getenv(killed); at != "" {
		first, path, _ := strings.Cut(at, " ")
		n, err := strconv.Atoi(first)
		if err == nil {
			err = editUntilKilled(path, n)
		}
		t.Fatal(err)
	}
	l := newLand(70, 61, 3, true)
	path := baked(t, l.Field, 17)
	rng, delays := rand.New(rand.NewPCG(7, 1)), rand.New(rand.NewPCG(uint64(os.Getpid()), 1))
	states := []land{l.clone()} // after so many edits
	at := 0
	kills := 10
	if few {
		kills = 3
	}
	for range kills {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", killed, at, path))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		acknowledged, lines := at, bufio.NewScanner(out)
		var timer *time.Timer
		for lines.Scan() {
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				t.Fatalf("the process says %q", lines.Text())
			}
			acknowledged = n + 1
			if timer == nil {
				timer = time.AfterFunc(time.Duration(delays.IntN(600))*time.Millisecond, func() { cmd.Process.Kill() })
			}
		}
		cmd.Wait()
		for len(states) <= acknowledged+1 {
			k, _ := script(l, rng, len(states)-1)
			l.apply(k)
			states = append(states, l.clone())
		}
		s, err := edit.Open(path, edit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := heightsOf(t, s)
		switch {
		case same(got, states[acknowledged]):
			at = acknowledged
		case same(got, states[acknowledged+1]):
			at = acknowledged + 1
		default:
			t.Fatalf("after %d acknowledged edits the world is another", acknowledged)
		}
		if msg := differs(t, s.Now(), fresh(t, states[at], 17), false); msg != "" {
			t.Fatalf("after %d edits: %s", at, msg)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if at < kills {
		t.Errorf("only %d edits were made", at)
	}
	t.Logf("%d edits, %d saves, %d kills", at, at/9, kills)
}

// TestDamageUpToTheEnd: where a record is damaged and all after it too, those were
// acknowledged, and are not dropped without a word.
func TestDamageUpToTheEnd(t *testing.T) {
	world, journal, _ := journalled(t, 6)
	ends := edit.RecordsOf(journal)
	b := slices.Clone(journal)
	for i := ends[0] + 20; i < len(b); i++ {
		b[i] = 0
	}
	path := copied(t, world, b)
	s, err := edit.Open(path, edit.Options{})
	if err == nil {
		s.Close()
		t.Fatal("it is opened without the edits that are lost")
	}
	if want := fmt.Sprintf("the record at byte %d is damaged", ends[0]); !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
	if !slices.Equal(read(t, journalOf(path)), b) {
		t.Error("the journal has changed")
	}
}
