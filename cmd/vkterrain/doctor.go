package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/vkterrain/vkterrain/vk"
)

type doctorCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help is what --help adds.
func (doctorCmd) Help() string {
	return `Looks at everything that this program needs or could use, and says what to install where something is missing. The exit code is
that of the first thing without which commands fail: 3 no Vulkan loader, driver or suitable GPU; 6 no display, so fly opens no window;
5 no folder for the cache. It is 0 if only something nice is missing.

Examples:

  vkterrain doctor
  vkterrain doctor --json | jq '.checks[] | select(.status != "ok")'`
}

// verdict is what became of a check.
type verdict string

const (
	fine    verdict = "ok"
	missing verdict = "nice" // it works without
	failing verdict = "fail"
)

// check is one line of the doctor.
type check struct {
	Name   string  `json:"name"`
	Status verdict `json:"status"`
	Found  string  `json:"found"`
	Advice string  `json:"advice,omitempty"`
	code   int     // of the program, where it fails
}

// doctorReport is what doctor --json prints.
type doctorReport struct {
	Version string  `json:"version"`
	Code    int     `json:"exit_code"`
	Checks  []check `json:"checks"`
}

// doctor looks at this machine.
type doctor struct {
	*app
	report doctorReport
}

func (c *doctorCmd) Run(a *app) error {
	d := &doctor{app: a, report: doctorReport{Version: version()}}
	d.vulkan()
	d.display()
	d.programs()
	d.folders()
	for _, k := range d.report.Checks {
		if k.Status == failing && d.report.Code == 0 {
			d.report.Code = k.code
		}
	}
	if err := d.print(c.JSON); err != nil {
		return err
	}
	if d.report.Code != 0 {
		return &said{d.report.Code}
	}
	return nil
}

// said is the exit code of a result that has been printed: nothing is left to say.
type said struct{ code int }

func (s *said) Error() string { return "see the result" }

func (d *doctor) add(name string, status verdict, found, advice string, code int) {
	if status == fine {
		advice = ""
	}
	d.report.Checks = append(d.report.Checks, check{name, status, oneLine(found), oneLine(advice), code})
}

// print prints the checks for people, or as JSON.
func (d *doctor) print(asJSON bool) error {
	if asJSON {
		return d.printJSON(&d.report)
	}
	var b strings.Builder
	for _, k := range d.report.Checks {
		fmt.Fprintf(&b, "%-5s %-16s %s\n", k.Status, k.Name, k.Found)
		if k.Advice != "" {
			fmt.Fprintf(&b, "%-22s → %s\n", "", k.Advice)
		}
	}
	switch d.report.Code {
	case 0:
		b.WriteString("\nAll that is needed is there. Next: vkterrain demo\n")
	case exitNoGPU:
		b.WriteString("\nPictures need Vulkan; bake, info, verify, diff, dump, repair and export do without.\n")
	case exitNoDisplay:
		b.WriteString("\nWithout a display everything works but windows. Next: vkterrain demo --headless\n")
	}
	_, err := fmt.Fprint(d.stdout, b.String())
	return outputError(err)
}

// vulkan looks at loader, drivers, layers and GPUs.
func (d *doctor) vulkan() {
	in, err := vk.NewInstance(vk.InstanceInfo{App: "vkterrain"})
	if errors.Is(err, vk.ErrNoLoader) {
		d.add("Vulkan loader", failing, "none, or older than 1.2", "apt install libvulkan1", exitNoGPU)
		d.drivers()
		return
	}
	d.add("Vulkan loader", fine, "libvulkan.so.1", "", 0)
	d.drivers()
	if err != nil {
		d.add("GPU", failing, strings.TrimPrefix(err.Error(), "vk: "), driverAdvice(), exitNoGPU)
		return
	}
	defer in.Destroy()
	gpus, err := in.GPUs()
	switch {
	case err != nil:
		d.add("GPU", failing, strings.TrimPrefix(err.Error(), "vk: "), driverAdvice(), exitNoGPU)
	case len(gpus) == 0:
		d.add("GPU", failing, "the drivers find none", driverAdvice(), exitNoGPU)
	default:
		d.gpus(gpus)
	}
	d.layers()
}

// driverAdvice says how to come to a driver.
func driverAdvice() string {
	for _, name := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"} {
		if files, ok := os.LookupEnv(name); ok {
			return fmt.Sprintf("%s=%s is all that the loader looks at; unset it, or name a driver's JSON file", name, files)
		}
	}
	return "apt install mesa-vulkan-drivers (AMD, Intel, and software for all else) or nvidia-driver; in a container pass /dev/dri on"
}

// manifests returns the JSON files of drivers or layers that the loader sees.
func manifests(kind string) (files []string) {
	dirs := []string{os.Getenv("XDG_CONFIG_HOME"), "/etc/xdg", "/usr/local/etc", "/etc", os.Getenv("XDG_DATA_HOME"), "/usr/local/share", "/usr/share"}
	if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".local", "share"))
	}
	for _, dir := range dirs {
		if filepath.IsAbs(dir) {
			found, _ := filepath.Glob(filepath.Join(dir, "vulkan", kind, "*.json"))
			files = append(files, found...)
		}
	}
	return files
}

// drivers looks at the files that tell the loader of drivers.
func (d *doctor) drivers() {
	files := manifests("icd.d")
	for _, name := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES"} {
		if list, ok := os.LookupEnv(name); ok {
			files = filepath.SplitList(list)
			break
		}
	}
	var there, gone []string
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		if st, err := os.Stat(f); err == nil && (st.IsDir() || library(f)) {
			there = append(there, name)
		} else {
			gone = append(gone, name)
		}
	}
	found := strings.Join(there, ", ")
	if len(there) == 0 {
		found = "none"
	}
	if len(gone) > 0 {
		found += "; named, but with no library: " + strings.Join(gone, ", ")
	}
	if len(there) == 0 {
		d.add("drivers", failing, found, driverAdvice(), exitNoGPU)
		return
	}
	d.add("drivers", fine, found, "", 0)
}

// library says whether a manifest can be read, and its library is there as far as
// its path says.
func library(manifest string) bool {
	data, err := os.ReadFile(manifest)
	var m struct {
		ICD struct {
			Path string `json:"library_path"`
		}
	}
	if err != nil || json.Unmarshal(data, &m) != nil || m.ICD.Path == "" {
		return false
	}
	path := m.ICD.Path
	if !strings.Contains(path, "/") {
		return true // wherever the linker finds it
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(manifest), path)
	}
	_, err = os.Stat(path)
	return err == nil
}

// gpus looks at each GPU, and at what the best one lacks.
func (d *doctor) gpus(gpus []vk.GPU) {
	suitable := slices.ContainsFunc(gpus, func(g vk.GPU) bool { return len(g.Missing) == 0 })
	for i := range gpus {
		g := &gpus[i]
		name := fmt.Sprintf("GPU %d", g.Index)
		found := fmt.Sprintf("%s, Vulkan %s, driver %s %s", g.Name, g.API, g.Driver, g.DriverInfo)
		switch {
		case len(g.Missing) > 0 && suitable:
			d.add(name, missing, found+"; lacks "+strings.Join(g.Missing, ", "), "another GPU is used", 0)
		case len(g.Missing) > 0:
			d.add(name, failing, found+"; lacks "+strings.Join(g.Missing, ", "),
				"a newer driver, or software: apt install mesa-vulkan-drivers", exitNoGPU)
		case g.Type == vk.CPU:
			d.add(name, missing, found+": a software driver, pictures take tenths of a second",
				"for a real GPU its driver: mesa-vulkan-drivers, or nvidia-driver", 0)
		default:
			d.add(name, fine, found, "", 0)
		}
		if len(g.Missing) == 0 {
			d.features(name, g)
			d.limits(name, g)
		}
	}
}

// features tells what of the nice ones a GPU lacks.
func (d *doctor) features(name string, g *vk.GPU) {
	var lacks, has []string
	for _, f := range []struct {
		name string
		ok   bool
	}{
		{"wireframe", g.Features.FillModeNonSolid}, {"timestamps", g.Features.Timestamps},
		{"memory budget", g.Features.MemoryBudget}, {"pipeline statistics", g.Features.PipelineStatistics},
		{"separate transfer queue", g.Features.SeparateTransfer}, {"anisotropic filter", g.Features.SamplerAnisotropy},
		{"shader debug information", g.Features.NonSemanticInfo},
	} {
		if f.ok {
			has = append(has, f.name)
		} else {
			lacks = append(lacks, f.name)
		}
	}
	name += " features"
	if len(lacks) > 0 {
		d.add(name, missing, "no "+strings.Join(lacks, ", no "), "works without; "+strings.Join(has, ", ")+" are there", 0)
		return
	}
	d.add(name, fine, strings.Join(has, ", "), "", 0)
}

// limits tells what a GPU's largest sizes are.
func (d *doctor) limits(name string, g *vk.GPU) {
	local := uint64(0)
	for _, h := range g.Heaps {
		if h.DeviceLocal {
			local += h.Size
		}
	}
	d.add(name+" limits", fine, fmt.Sprintf("pictures of %d², %d samples a pixel, storage buffers of %s (%d a stage), %d bytes of push constants, %s of memory",
		g.Limits.ImageSize, 1<<(bits.Len32(g.Limits.SampleCounts|1)-1), size(int64(g.Limits.StorageRange)), g.Limits.StorageBuffersPerStage,
		g.Limits.PushConstants, size(int64(local))), "", 0)
}

// layers looks for the layers of debugging.
func (d *doctor) layers() {
	in, err := vk.NewInstance(vk.InstanceInfo{App: "vkterrain", Validation: vk.ValidationOn})
	on := err == nil && in.Validation
	if err == nil {
		in.Destroy()
	}
	status, found := fine, "there"
	if !on {
		status, found = missing, "none: --validation on does nothing"
	}
	d.add("validation layer", status, found, "apt install vulkan-validationlayers", 0)
	renderdoc := slices.ContainsFunc(manifests("implicit_layer.d"), func(f string) bool { return strings.Contains(filepath.Base(f), "renderdoc") })
	_, err = exec.LookPath("renderdoccmd")
	status, found = fine, "there"
	if !renderdoc && err != nil {
		status, found = missing, "none: frames cannot be captured"
	}
	d.add("RenderDoc", status, found, "apt install renderdoc", 0)
}

// tryDisplay connects to the display. It is set by the files that know about
// windows; nil where the program is built without.
var tryDisplay func() error

// display finds out whether windows can be opened.
func (d *doctor) display() {
	x, wayland := os.Getenv("DISPLAY"), os.Getenv("WAYLAND_DISPLAY")
	switch {
	case tryDisplay == nil:
		d.add("display", missing, "this build opens no windows", "build without -tags nowindow", 0)
	case x == "" && wayland == "":
		d.add("display", failing, "none: neither DISPLAY nor WAYLAND_DISPLAY is set",
			"run it on a desktop, or xvfb-run -a vkterrain fly WORLD (apt install xvfb); render, bench and demo --headless need none", exitNoDisplay)
	default:
		if err := tryDisplay(); err != nil {
			d.add("display", failing, fmt.Sprintf("%s does not answer: %s", strings.TrimSpace(x+" "+wayland), strings.TrimPrefix(err.Error(), "PlatformError: ")),
				"check that it runs and lets you in (xauth, xhost); for ssh use ssh -X", exitNoDisplay)
			return
		}
		d.add("display", fine, strings.TrimSpace(x+" "+wayland), "", 0)
	}
}

// programs looks for those that this one starts.
func (d *doctor) programs() {
	find := func(name, program, without, advice string) {
		if path, err := exec.LookPath(program); err == nil {
			d.add(name, fine, path, "", 0)
		} else {
			d.add(name, missing, "no "+program+": "+without, advice, 0)
		}
	}
	find("GDAL", "gdal_translate", "bake and info read PNG, RAW, HGT, ESRI ASCII and OGRE only", "apt install gdal-bin")
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		d.add("ffmpeg", missing, "no ffmpeg: films become pictures", "apt install ffmpeg", 0)
		return
	}
	ctx, stop := context.WithTimeout(d.ctx, probeTime+time.Second)
	defer stop()
	if codec, err := findCodec(ctx, ffmpeg, probeTime); err != nil {
		d.add("ffmpeg", missing, err.Error(), "apt install ffmpeg", 0)
	} else {
		d.add("ffmpeg", fine, ffmpeg+" with "+codec[1], "", 0)
	}
}

// folders looks at the cache, the settings and the processor.
func (d *doctor) folders() {
	if dir, err := cacheFolder(); err != nil {
		d.add("cache", failing, err.Error(), "set HOME or XDG_CACHE_HOME; without, the built-in world is made again each time", exitOutput)
	} else if err := canMakeFolder(dir); err != nil {
		d.add("cache", failing, err.Error(), "make it writable, or set XDG_CACHE_HOME to a folder that is", exitOutput)
	} else {
		d.add("cache", fine, dir, "", 0)
	}
	switch path := settingsPath(); {
	case path == "":
		d.add("settings", missing, "have no place", "set HOME or XDG_CONFIG_HOME", 0)
	case regularFile(path) != nil:
		d.add("settings", fine, "none ("+path+")", "", 0)
	default:
		d.add("settings", fine, path, "", 0)
	}
	d.add("processor", fine, fmt.Sprintf("%d threads, %s/%s", runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH), "", 0)
}
