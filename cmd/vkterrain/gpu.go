package main

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/vkterrain/vkterrain/vk"
)

// newInstance makes a Vulkan instance whose messages go to the log.
func (a *app) newInstance(extensions ...string) (*vk.Instance, error) {
	a.spareDriverCache()
	mode := map[string]vk.ValidationMode{"off": vk.ValidationOff, "on": vk.ValidationOn, "require": vk.ValidationRequire}[a.Validation]
	var early []vk.Message
	tell := func(m vk.Message) { early = append(early, m) }
	in, err := vk.NewInstance(vk.InstanceInfo{
		App: "vkterrain", Extensions: extensions, Validation: mode, SyncValidation: mode != vk.ValidationOff,
		OnMessage: func(m vk.Message) { tell(m) },
	})
	// What the loader says of a failure is in the error too.
	if err != nil {
		for _, m := range early {
			a.log.debugf("vulkan: %s", m.Text)
		}
		return nil, noGPU(err)
	}
	tell = a.vulkanMessage
	for _, m := range early {
		tell(m)
	}
	return in, nil
}

// vulkanMessage passes on what a driver or a layer says.
func (a *app) vulkanMessage(m vk.Message) {
	text := m.Text
	if m.VUID != "" && !strings.Contains(text, m.VUID) {
		text = m.VUID + ": " + text
	}
	if m.Severity == vk.SeverityError {
		a.log.print(levelError, "vulkan: error: ", "%s", text)
	} else {
		a.log.print(levelWarn, "vulkan: warning: ", "%s", text)
	}
}

// newDevice makes the device that --gpu names, or the best one.
func (a *app) newDevice(in *vk.Instance, surface vk.Surface) (*vk.Device, error) {
	dev, err := in.NewDevice(vk.DeviceInfo{GPU: a.GPU, Surface: surface, Name: "vkterrain"})
	if err != nil {
		return nil, noGPU(err)
	}
	if dev.GPU.Type == vk.CPU {
		a.log.debugf("%s is a software driver: expect seconds, not milliseconds", dev.GPU.Name)
	}
	return dev, nil
}

// checkGPU finds out that there is none, before much work is done for it.
func (a *app) checkGPU() error {
	in, err := a.newInstance()
	if err != nil {
		return err
	}
	defer in.Destroy()
	dev, err := a.newDevice(in, vk.Surface{})
	if err != nil {
		return err
	}
	dev.Destroy()
	return nil
}

// noGPU takes the package's prefix from what a user reads. What is wrong before
// there is a device means that there is none.
func noGPU(err error) error {
	if err == nil {
		return nil
	}
	e := &codeError{exitNoGPU, err}
	if errors.Is(err, vk.ErrDeviceLost) || errors.Is(err, vk.ErrOutOfMemory) {
		e.code = exitDevice
	}
	return e
}

type gpusCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// gpusReport is what gpus --json prints.
type gpusReport struct {
	GPUs []gpuInfo `json:"gpus"`
}

// gpuInfo is one GPU of gpus --json.
type gpuInfo struct {
	Index         int      `json:"index"`
	Name          string   `json:"name"`
	Type          string   `json:"type"`
	UUID          string   `json:"uuid"`
	Driver        string   `json:"driver"`
	DriverInfo    string   `json:"driver_info"`
	API           string   `json:"api"`
	VendorID      uint32   `json:"vendor_id"`
	DeviceID      uint32   `json:"device_id"`
	BytesLocal    uint64   `json:"bytes_local"`
	MaxSamples    uint32   `json:"max_samples"`
	MaxImage      uint32   `json:"max_image"`
	TransferQueue bool     `json:"transfer_queue"`
	Wireframe     bool     `json:"wireframe"`
	Suitable      bool     `json:"suitable"`
	Missing       []string `json:"missing"`
}

func (c *gpusCmd) Run(a *app) error {
	in, err := a.newInstance()
	if err != nil {
		return err
	}
	defer in.Destroy()
	gpus, err := in.GPUs()
	if err != nil {
		return noGPU(err)
	}
	if len(gpus) == 0 {
		return noGPU(fmt.Errorf("%w: no driver found (Debian package mesa-vulkan-drivers)", vk.ErrNoDevice))
	}
	list := []gpuInfo{}
	for i := range gpus {
		list = append(list, describeGPU(&gpus[i]))
	}
	if c.JSON {
		return a.printJSON(gpusReport{list})
	}
	for _, g := range list {
		verdict := ""
		if !g.Suitable {
			verdict = "; unsuitable, lacks " + strings.Join(g.Missing, ", ")
		}
		if _, err := fmt.Fprintf(a.stdout, "%d  %s (%s, %s, Vulkan %s, driver %s %s%s)\n", g.Index, g.Name, g.Type,
			size(int64(g.BytesLocal)), g.API, g.Driver, g.DriverInfo, verdict); err != nil {
			return outputError(err)
		}
	}
	return nil
}

func describeGPU(g *vk.GPU) gpuInfo {
	i := gpuInfo{
		Index: g.Index, Name: g.Name, Type: g.Type.String(), UUID: g.UUID.String(), Driver: g.Driver, DriverInfo: g.DriverInfo, API: g.API,
		VendorID: g.Vendor, DeviceID: g.DeviceID, MaxSamples: 1 << (bits.Len32(g.Limits.SampleCounts|1) - 1), MaxImage: g.Limits.ImageSize,
		TransferQueue: g.Features.SeparateTransfer, Wireframe: g.Features.FillModeNonSolid,
		Suitable: len(g.Missing) == 0, Missing: g.Missing,
	}
	if i.Missing == nil {
		i.Missing = []string{}
	}
	for _, h := range g.Heaps {
		if h.DeviceLocal {
			i.BytesLocal += h.Size
		}
	}
	return i
}

// checkPicture says whether dev can draw a picture of that size.
func checkPicture(dev *vk.Device, size pixels, samples uint32) error {
	if limit := int(dev.Limits.ImageSize); size.W > limit || size.H > limit {
		return usageError(fmt.Errorf("a picture of %d×%d: %s makes at most %s×%s", size.W, size.H, dev.GPU.Name, strconv.Itoa(limit), strconv.Itoa(limit)))
	}
	if samples&dev.Limits.SampleCounts == 0 {
		var can []string
		for n := uint32(1); n <= 64; n *= 2 {
			if n&dev.Limits.SampleCounts != 0 {
				can = append(can, strconv.Itoa(int(n)))
			}
		}
		return usageError(fmt.Errorf("%d samples a pixel: %s takes %s", samples, dev.GPU.Name, strings.Join(can, ", ")))
	}
	return nil
}
