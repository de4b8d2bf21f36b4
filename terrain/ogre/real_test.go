package ogre_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/internal/shared"
	"github.com/vkterrain/vkterrain/terrain/ogre"
)

// checkEnv names a program that is built against OGRE itself; make ogre-check sets
// it.
const checkEnv = "VKTERRAIN_OGRE_CHECK"

// realOGRE runs the checker, which needs a display. OGRE waits for ever for the end
// of some damaged files, so it does not get that long.
func realOGRE(t *testing.T, args ...string) (out []byte, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Getenv(checkEnv), args...)
	cmd.Dir = t.TempDir() // for its log
	cmd.Env = append(os.Environ(), "LIBGL_ALWAYS_SOFTWARE=1")
	return cmd.CombinedOutput()
}

// twinOf is the file that OGRE wrote itself of what another writer's sample holds.
var twinOf = regexp.MustCompile(`^py_v[12]_((stored|pad|level9)_)?`)

// TestRealOGRE writes every sample again and lets OGRE load it: it must find what
// it would derive itself, and save the bytes that it saved once.
func TestRealOGRE(t *testing.T) {
	if os.Getenv(checkEnv) == "" {
		t.Skip("needs OGRE: make ogre-check")
	}
	dir := shared.Path(t, "ogre", "samples")
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			tr, err := ogre.ReadFile(filepath.Join(dir, s.name+".dat"))
			if err != nil {
				t.Fatal(err)
			}
			tmp := t.TempDir()
			ours, heights, saved := filepath.Join(tmp, "ours.dat"), filepath.Join(tmp, "heights.f32"), filepath.Join(tmp, "saved.dat")
			if err := ogre.WriteFile(ours, tr); err != nil {
				t.Fatal(err)
			}
			var b []byte
			for _, h := range tr.Heights {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(h))
			}
			if err := os.WriteFile(heights, b, 0o666); err != nil {
				t.Fatal(err)
			}
			out, err := realOGRE(t, "check", ours, "--expect", heights, "--strict", "--resave", saved)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			twin := twinOf.ReplaceAllString(s.name, "")
			if twin == "t0033" {
				twin = "t0033_xz_plain"
			}
			want := readFile(t, filepath.Join(dir, twin+".dat"))
			if !bytes.Equal(readFile(t, saved), want) {
				t.Errorf("OGRE saves other bytes than %s.dat", twin)
			}
			if !bytes.Equal(readFile(t, ours), want) {
				t.Errorf("we write other bytes than %s.dat", twin)
			}
		})
	}
}
