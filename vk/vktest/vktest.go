// Package vktest gives tests a Vulkan device that is watched: any message of
// the validation layer, and any object left alive, fails the test.
//
// No device means the test is skipped, unless VKTERRAIN_REQUIRE_GPU=1.
// VKTERRAIN_BEST_PRACTICES=1 has validation warn of what is allowed but unwise, too.
// VKTERRAIN_GPU chooses one (index or part of the name).
// VKTERRAIN_SPLIT_TRANSFER=1 gives uploads a timeline of their own. Package
// testlayer gives them a queue family of their own.
package vktest

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vkterrain/vkterrain/vk"
)

// allowed is a message that is known to be wrong. All fields are needed.
type allowed struct {
	vuid  string // the whole rule
	text  string // a part of the message that narrows it down
	link  string // the report
	until string // 2006-01-02: from then on it fails again
}

var allowList []allowed

// unwise are messages of best practices that no test can do without, and why.
var unwise = map[string]string{
	"UNASSIGNED-BestPractices-vkCreateInstance-specialuse-extension-debugging": "tests are for debugging",
	"UNASSIGNED-BestPractices-SuboptimalSwapchain":                             "the window, or a fault that was injected, answers so; the program makes the swapchain anew",
	"UNASSIGNED-BestPractices-SpirvDeprecated_WorkgroupSize":                   "glslc writes local sizes so below SPIR-V 1.6, which Vulkan 1.2 does not take",
}

func (a allowed) covers(m vk.Message, now time.Time) bool {
	end, err := time.Parse(time.DateOnly, a.until)
	return err == nil && a.link != "" && a.vuid != "" && now.Before(end) && m.VUID == a.vuid && strings.Contains(m.Text, a.text)
}

// Env is a device under test with its instance and what was said so far.
type Env struct {
	*vk.Device
	Instance *vk.Instance

	surface  vk.Surface
	mu       sync.Mutex
	messages []vk.Message
}

// Messages gives what was said so far.
func (e *Env) Messages() []vk.Message {
	e.Instance.Messages()
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]vk.Message(nil), e.messages...)
}

// Expect forgets the messages so far: the test provoked them.
func (e *Env) Expect() []vk.Message {
	m := e.Messages()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.messages = nil
	return m
}

// Device makes a device for the test and destroys it in Cleanup.
func Device(t testing.TB) *vk.Device {
	t.Helper()
	return New(t, vk.DeviceInfo{}).Device
}

// New makes a device as info says, with validation including synchronisation
// validation where the layer is installed.
func New(t testing.TB, info vk.DeviceInfo) *Env {
	t.Helper()
	e := newInstance(t)
	e.open(t, info)
	return e
}

func newInstance(t testing.TB, extensions ...string) *Env {
	t.Helper()
	e := &Env{}
	var err error
	e.Instance, err = vk.NewInstance(vk.InstanceInfo{App: t.Name(), Extensions: extensions,
		Validation: vk.ValidationOn, SyncValidation: true, BestPractices: os.Getenv("VKTERRAIN_BEST_PRACTICES") == "1", Echo: os.Getenv("VKTERRAIN_VK_ECHO") != "",
		OnMessage: func(m vk.Message) {
			if m.VUID == "" && strings.Contains(m.Text, "not installed") {
				t.Log(m.Text)
				return
			}
			if m.VUID == "Loader Message" && strings.Contains(m.Text, "VK_INSTANCE_LAYERS") {
				return // only says that the variable is set, as package testlayer does
			}
			if unwise[m.VUID] != "" {
				return
			}
			if m.VUID == "UNASSIGNED-BestPractices-Error-Result" && os.Getenv("VKTERRAIN_SHAPE") != "" {
				return // of a call that package testlayer lets fail
			}
			e.mu.Lock()
			e.messages = append(e.messages, m)
			e.mu.Unlock()
		}})
	if err != nil {
		missing(t, err)
	}
	return e
}

// open makes the device, and destroys device, surface and instance in Cleanup.
func (e *Env) open(t testing.TB, info vk.DeviceInfo) {
	t.Helper()
	if info.GPU == "" {
		info.GPU = os.Getenv("VKTERRAIN_GPU")
	}
	if os.Getenv("VKTERRAIN_SPLIT_TRANSFER") != "" {
		info.SplitTransfer = true
	}
	if info.Name == "" {
		info.Name = t.Name()
	}
	var err error
	e.Device, err = e.Instance.NewDevice(info)
	if err != nil {
		e.Instance.DestroySurface(&e.surface)
		e.Instance.Destroy()
		missing(t, err)
	}
	t.Cleanup(func() { e.close(t) })
}

// Destroy destroys objects in Cleanup, in the order given, when the device is
// idle.
func Destroy(t testing.TB, dev *vk.Device, objects ...interface{ Destroy() }) {
	t.Cleanup(func() {
		if err := dev.WaitIdle(); err != nil {
			t.Error(err)
		}
		for _, o := range objects {
			o.Destroy()
		}
	})
}

func missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("VKTERRAIN_REQUIRE_GPU") == "1" {
		t.Fatal(err)
	}
	t.Skip(err)
}

func (e *Env) close(t testing.TB) {
	if err := e.WaitIdle(); err != nil {
		t.Error(err)
	}
	e.Collect()
	for _, name := range e.Leaks() {
		t.Errorf("left alive: %s", name)
	}
	e.Device.Destroy()
	e.Instance.DestroySurface(&e.surface)
	e.Instance.Destroy()
	for _, m := range e.messages {
		if !e.allowed(m) {
			t.Errorf("Vulkan %v %s: %s", m.Severity, m.VUID, m.Text)
		}
	}
}

func (e *Env) allowed(m vk.Message) bool {
	for _, a := range allowList {
		if a.covers(m, time.Now()) {
			return true
		}
	}
	return false
}
