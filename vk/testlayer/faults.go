package testlayer

import (
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"
)

// Results that a call may have, VkResult.
const (
	Suboptimal  int32 = 1000001003
	OutOfHost   int32 = -1
	OutOfDevice int32 = -2
	DeviceLost  int32 = -4
	SurfaceLost int32 = -1000000000
	OutOfDate   int32 = -1000001004
)

// slot is struct slot of layer/faults.c.
type slot struct {
	name    [48]byte
	calls   uint32
	failsAt uint32
	times   uint32
	result  int32
}

// slots are shared with the layer. The file has them once an instance is made.
var slots = sync.OnceValue(func() []slot {
	f, err := os.OpenFile(os.Getenv(faultsVar), os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	return unsafe.Slice((*slot)(unsafe.Pointer(&data[0])), len(data)/int(unsafe.Sizeof(slot{})))
})

func slotOf(t testing.TB, function string) *slot {
	t.Helper()
	all := slots()
	for i := range all {
		if name, _, _ := strings.Cut(string(all[i].name[:]), "\x00"); name == function {
			return &all[i]
		}
	}
	t.Fatalf("the layer of faults does not know %s, or there is no instance yet", function)
	return nil
}

// Fail lets calls of a Vulkan function fail, such as vkQueueSubmit: the first of them
// after this many more, and so many in all. A device that is lost so stays lost. It
// ends with the test.
func Fail(t testing.TB, function string, after, times int, result int32) {
	t.Helper()
	s := slotOf(t, function)
	atomic.StoreUint32(&s.failsAt, 0)
	atomic.StoreInt32(&s.result, result)
	atomic.StoreUint32(&s.times, uint32(times))
	atomic.StoreUint32(&s.failsAt, atomic.LoadUint32(&s.calls)+uint32(after)+1)
	t.Cleanup(func() { atomic.StoreUint32(&s.failsAt, 0) })
}

// Calls is how often a Vulkan function has been called in this process.
func Calls(t testing.TB, function string) int {
	t.Helper()
	return int(atomic.LoadUint32(&slotOf(t, function).calls))
}
