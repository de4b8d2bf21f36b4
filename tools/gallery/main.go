// Command gallery draws the pictures of docs/gallery.md: it runs every command there, line by
// line, and keeps what each draws as a JPEG beside the others.
//
//	go run ./tools/gallery -program bin/vkterrain [NAME ...]
//
// With names it draws these pictures only. It is run by make gallery, in the root.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	document = "docs/gallery.md"
	folder   = "docs/gallery"
	limit    = 250 << 10 // bytes of a picture
)

func main() {
	program := flag.String("program", "bin/vkterrain", "the program")
	flag.Parse()
	if err := run(*program, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gallery:", err)
		os.Exit(1)
	}
}

func run(program string, names []string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		args, ok := strings.CutPrefix(line, "    vkterrain ")
		if !ok {
			continue
		}
		fields := strings.Fields(args)
		at := slices.Index(fields, "-o") + 1
		if at == 0 || at == len(fields) {
			return fmt.Errorf("%s: no -o in %q", document, line)
		}
		name := strings.TrimSuffix(fields[at], ".png")
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		if err := draw(program, fields, at, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// draw runs a command, whose fields have the picture's name at a place, and keeps the picture.
func draw(program string, fields []string, at int, name string) error {
	dir, err := os.MkdirTemp("", "gallery-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	picture := filepath.Join(dir, name+".png")
	fields[at] = picture
	cmd := exec.Command(program, fields...)
	cmd.Stderr = os.Stderr
	said, err := cmd.Output()
	if err != nil {
		return err
	}
	os.Stdout.Write(bytes.ReplaceAll(said, []byte(dir+string(filepath.Separator)), nil))
	f, err := os.Open(picture)
	if err != nil {
		return err
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		return err
	}
	for quality := 90; quality > 0; quality -= 5 {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
			return err
		}
		if b.Len() <= limit {
			return os.WriteFile(filepath.Join(folder, name+".jpg"), b.Bytes(), 0o644)
		}
	}
	return fmt.Errorf("takes more than %d bytes at any quality", limit)
}
