package vk

import "time"

// SelectQueues is selectQueues on flags and counts.
func SelectQueues(flags, counts []uint32, present func(int) bool) (graphics, transfer, shown int, ok bool) {
	f := make([]family, len(flags))
	for i := range f {
		f[i] = family{flags[i], counts[i]}
	}
	p, ok := selectQueues(f, present)
	return p.graphics, p.transfer, p.present, ok
}

// RankTypes is rankTypes.
func RankTypes(flags []uint32, heap []int, heaps []Heap, bits uint32, kind MemoryKind, gpuReads bool) []int {
	types := make([]memoryType, len(flags))
	for i := range types {
		types[i] = memoryType{flags[i], heap[i]}
	}
	return rankTypes(types, heaps, bits, kind, gpuReads)
}

// PickGPU and PresentStatus open pure choices.
var (
	PickGPU       = pickGPU
	ChooseMode    = chooseMode[int32]
	PresentStatus = presentStatus
)

// Results for tests.
const (
	ResultDeviceLost  = resultDeviceLost
	ResultOutOfDate   = resultOutOfDate
	ResultSuboptimal  = resultSuboptimal
	ResultSurfaceLost = resultSurfaceLost
	ResultOutOfMemory = resultOutOfDeviceMemory
)

// Lose makes the next submissions of d fail as if the GPU were gone.
func Lose(d *Device) { d.inject = resultDeviceLost }

// Calibrated and SubmittedClock are the two ways in which Clock reads.
func Calibrated(d *Device) (gpu time.Duration, at time.Time, ok bool) { return d.calibrated() }

func SubmittedClock(d *Device) (gpu time.Duration, at time.Time, err error) {
	return d.submittedClock()
}
