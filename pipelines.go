package vkterrain

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vkterrain/vkterrain/vk"
)

// pipelineFile is a file that keeps what a driver has compiled, for the next time:
//
//	| pipelineMagic | SHA-256 of the rest | what the driver gave |
//
// It is one device's and one driver's, by name. What cannot be read, or is not what its
// sum says, is as good as nothing; and what cannot be written costs time only.
type pipelineFile struct {
	path  string
	cache *vk.PipelineCache
	had   []byte // what was in the file
}

const (
	pipelineMagic = "vkterrain pipelines 1\n"
	mostPipelines = 256 << 20 // bytes of a file that is read
)

// openPipelines makes the pipeline cache of a device, from a folder; "" is none.
func openPipelines(dev *vk.Device, folder string) (p pipelineFile, err error) {
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
	key := sha256.Sum256(fmt.Appendf(nil, "%x %x %s %s %x %x", g.Vendor, g.DeviceID, g.Driver, g.DriverInfo, g.DriverVersion, header[:min(len(header), 32)]))
	p.path = filepath.Join(folder, fmt.Sprintf("pipelines-%x.bin", key[:8]))
	if p.had = readPipelines(p.path); p.had == nil {
		return p, nil
	}
	p.cache.Destroy()
	p.cache, err = dev.NewPipelineCache(p.had)
	return p, err
}

// readPipelines returns what is in a file, nil if that is nothing.
func readPipelines(path string) []byte {
	if s, err := os.Stat(path); err != nil || !s.Mode().IsRegular() || s.Size() > mostPipelines {
		return nil
	}
	data, err := os.ReadFile(path)
	rest, ok := bytes.CutPrefix(data, []byte(pipelineMagic))
	if err != nil || !ok || len(rest) < sha256.Size {
		return nil
	}
	sum, data := rest[:sha256.Size], rest[sha256.Size:]
	if s := sha256.Sum256(data); !bytes.Equal(s[:], sum) {
		return nil
	}
	return data
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
