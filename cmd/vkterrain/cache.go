package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

type cacheCmd struct {
	Do   string `arg:"" optional:"" enum:"list,size,path,clear" default:"list" help:"list what is kept, say its size or path, or clear it (list)."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (cacheCmd) Help() string {
	return `Built-in worlds, and pipelines that the driver compiled, are made once and kept below XDG_CACHE_HOME (~/.cache). Nothing else is there, and all of it can be made again.

Examples:

  vkterrain cache
  vkterrain cache clear`
}

// cached is a file of the cache.
type cached struct {
	File  string    `json:"file"`
	Bytes int64     `json:"bytes"`
	Time  time.Time `json:"time"`
}

// cacheReport is what cache --json prints.
type cacheReport struct {
	Path    string   `json:"path"`
	Bytes   int64    `json:"bytes"`
	Files   []cached `json:"files"`
	Removed bool     `json:"removed,omitempty"`
}

func (c *cacheCmd) Run(a *app) error {
	dir, err := cacheFolder()
	if err != nil {
		return outputError(fmt.Errorf("no cache folder: %w", err))
	}
	r := cacheReport{Path: dir, Files: []cached{}}
	if c.Do != "path" || c.JSON {
		if err := r.read(); err != nil {
			return err
		}
	}
	if c.Do == "clear" {
		if err := r.clear(); err != nil {
			return err
		}
	}
	if c.JSON {
		return a.printJSON(&r)
	}
	_, err = fmt.Fprint(a.stdout, r.text(c.Do))
	return outputError(err)
}

// ours says whether a file of the cache folder is of this program: a world, compiled
// pipelines, or what is left of making one.
func ours(name string) bool {
	return strings.HasSuffix(name, ".vkt") || strings.HasPrefix(name, ".making-") ||
		strings.HasPrefix(name, "pipelines-") && strings.HasSuffix(name, ".bin") || strings.HasPrefix(name, ".pipelines-")
}

// read finds what is there.
func (r *cacheReport) read() error {
	entries, err := os.ReadDir(r.Path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return inputError(readable(err))
	}
	for _, e := range entries {
		if !ours(e.Name()) {
			continue
		}
		f := cached{File: e.Name()}
		_ = filepath.Walk(filepath.Join(r.Path, e.Name()), func(_ string, st os.FileInfo, err error) error {
			if err == nil && st.Mode().IsRegular() {
				f.Bytes += st.Size()
				f.Time = st.ModTime().UTC()
			}
			return nil
		})
		r.Files = append(r.Files, f)
		r.Bytes += f.Bytes
	}
	return nil
}

// clear removes it. The folder stays if something else is there.
func (r *cacheReport) clear() error {
	for _, f := range r.Files {
		if err := os.RemoveAll(filepath.Join(r.Path, f.File)); err != nil {
			return outputError(fmt.Errorf("cannot remove %s: %w", filepath.Join(r.Path, f.File), errors.Unwrap(err)))
		}
	}
	r.Removed = true
	os.Remove(r.Path)
	return nil
}

// text says it to people.
func (r *cacheReport) text(do string) string {
	var b strings.Builder
	switch do {
	case "path":
		b.WriteString(r.Path + "\n")
	case "size":
		fmt.Fprintf(&b, "%s\n", size(r.Bytes))
	case "clear":
		fmt.Fprintf(&b, "removed %s in %d files from %s\n", size(r.Bytes), len(r.Files), r.Path)
	default:
		for _, f := range r.Files {
			fmt.Fprintf(&b, "%10s  %s  %s\n", size(f.Bytes), f.Time.Format("2006-01-02 15:04"), f.File)
		}
		fmt.Fprintf(&b, "%10s  in %s\n", size(r.Bytes), r.Path)
	}
	return b.String()
}
