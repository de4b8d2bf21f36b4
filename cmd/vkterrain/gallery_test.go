package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestGallery: docs/gallery.md shows every picture that it says how to draw, and no other;
// there is one of each view, and of what else render can show; and they are not large.
func TestGallery(t *testing.T) {
	const docs = "../../docs"
	b, err := os.ReadFile(filepath.Join(docs, "gallery.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	var shown, drawn []string
	for _, m := range regexp.MustCompile(`!\[[^\]]+\]\(gallery/([a-z-]+)\.jpg\)`).FindAllStringSubmatch(text, -1) {
		shown = append(shown, m[1])
	}
	commands := regexp.MustCompile(`(?m)^    vkterrain render .*-o ([a-z-]+)\.png.*$`).FindAllStringSubmatch(text, -1)
	for _, m := range commands {
		drawn = append(drawn, m[1])
	}
	if len(drawn) == 0 || !slices.Equal(shown, drawn) {
		t.Errorf("shown: %v\ndrawn: %v", shown, drawn)
	}
	sum := int64(0)
	files, err := os.ReadDir(filepath.Join(docs, "gallery"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(shown, strings.TrimSuffix(f.Name(), ".jpg")) {
			t.Errorf("%s is not shown", f.Name())
		}
	}
	for _, name := range shown {
		info, err := os.Stat(filepath.Join(docs, "gallery", name+".jpg"))
		if err != nil {
			t.Error(err)
			continue
		}
		if sum += info.Size(); info.Size() > 250<<10 {
			t.Errorf("%s has %d bytes", name, info.Size())
		}
	}
	if sum > 4<<20 {
		t.Errorf("the gallery has %d bytes", sum)
	}
	wanted := []string{"--split view=", "--split algo=", "--stereo", "--inset", "--hud", "--props", "--fog blue", "--visibility", "--quality low"}
	for _, v := range viewNames[1:] { // the first is how a picture looks
		wanted = append(wanted, "--view "+v.name)
	}
	for _, flag := range wanted {
		if !slices.ContainsFunc(commands, func(m []string) bool { return strings.Contains(m[0], flag) }) {
			t.Errorf("no picture of %s", flag)
		}
	}
}
