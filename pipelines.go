package vkterrain

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/vkterrain/vkterrain/vk"
)

// pipelineFile is a file that keeps what a driver has compiled, for the next time:
//
//	| pipelineMagic | SHA-256 of the rest | what the driver gave |
//
// It is one device's and one driver's, by name: of the UUIDs of both, the driver's version
// and the UUID of its cache. What is not what its sum says is told, ignored and replaced;
// what cannot be written costs time only.
type pipelineFile struct {
	path  string
	cache *vk.PipelineCache
	had   []byte // what was in the file
}

const (
	pipelineMagic = "vkterrain pipelines 1\n"
	mostPipelines = 256 << 20 // bytes of a file that is read
)

// openPipelines makes the pipeline cache of a device, from a folder; "" is none. warn, if
// there is one, is told of a file that is ignored.
func openPipelines(dev *vk.Device, folder string, warn func(error)) (p pipelineFile, err error) {
	if folder == "" {
		return p, nil
	}
	if p.cache, err = dev.NewPipelineCache(nil); err != nil {
		return p, err
	}
	// Of nothing the driver gives what says whose it is: VkPipelineCacheHeaderVersionOne.
	header, err := p.cache.Data()
	if err != nil {
		p.cache.Destroy()
		return p, err
	}
	g := &dev.GPU
	key := sha256.Sum256(fmt.Appendf(nil, "%x %x %s %s %x %x", g.UUID, g.DriverUUID, g.Driver, g.DriverInfo, g.DriverVersion, header[:min(len(header), 32)]))
	p.path = filepath.Join(folder, fmt.Sprintf("pipelines-%x.bin", key[:8]))
	had, err := readPipelines(p.path)
	if err != nil || had == nil {
		if err != nil && warn != nil {
			warn(fmt.Errorf("compiled pipelines are ignored, and made again: %w", err))
		}
		return p, nil
	}
	p.had = had
	p.cache.Destroy()
	p.cache, err = dev.NewPipelineCache(p.had)
	return p, err
}

// readPipelines returns what is in a file, nil if there is none.
func readPipelines(path string) ([]byte, error) {
	s, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // no such file, or no such folder
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !s.Mode().IsRegular() || s.Size() > mostPipelines {
		return nil, fmt.Errorf("%s: no file of at most %d bytes", path, mostPipelines)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(data, []byte(pipelineMagic))
	if !ok || len(rest) < sha256.Size {
		return nil, fmt.Errorf("%s: not what this version writes", path)
	}
	sum, data := rest[:sha256.Size], rest[sha256.Size:]
	if s := sha256.Sum256(data); !bytes.Equal(s[:], sum) {
		return nil, fmt.Errorf("%s: damaged: its checksum is another", path)
	}
	return data, nil
}

// close keeps what there is more than before, and frees the cache.
func (p *pipelineFile) close() {
	if p.cache == nil {
		return
	}
	if data, err := p.cache.Data(); err == nil && !bytes.Equal(data, p.had) {
		p.write(data)
	}
	p.cache.Destroy()
	p.cache = nil
}

// write replaces the file in one step: other programs may read or write it too.
func (p *pipelineFile) write(data []byte) {
	folder := filepath.Dir(p.path)
	if os.MkdirAll(folder, 0o777) != nil {
		return
	}
	f, err := os.CreateTemp(folder, ".pipelines-*")
	if err != nil {
		return
	}
	sum := sha256.Sum256(data)
	_, err = f.Write(append(append([]byte(pipelineMagic), sum[:]...), data...))
	if closed := f.Close(); err != nil || closed != nil || os.Rename(f.Name(), p.path) != nil {
		os.Remove(f.Name())
	}
}
