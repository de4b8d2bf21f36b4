package vkterrain_test

import (
	"testing"

	"github.com/vkterrain/vkterrain/vk/testlayer"
)

// TestStreamingFlightOnTwoQueues flies again where uploads are handed over from
// a transfer queue of another family.
func TestStreamingFlightOnTwoQueues(t *testing.T) {
	r := testlayer.Build(t).Run(t, testlayer.Shape{Queues: "gc,t"}, "^TestStreamingFlight$")
	if r.Ownership < 200 || r.Submissions[0] < 600 || r.Submissions[1] < 50 {
		t.Errorf("nothing was exercised: %+v", r)
	}
}

// TestPicturesOfSingleDraws draws pictures where a device does not take several indirect
// commands at once, or no first instance.
func TestPicturesOfSingleDraws(t *testing.T) {
	l := testlayer.Build(t)
	for _, without := range []string{"multiDrawIndirect", "drawIndirectFirstInstance"}[:nightly(1, 2)] {
		shape := testlayer.Shape{Without: []string{without}}
		t.Run(shape.String(), func(t *testing.T) {
			l.Run(t, shape, "^(TestGoldens|TestThingsInViews|TestCallsGrowWithTiles)$")
		})
	}
}

// TestPicturesOfRenderPasses draws pictures where a device has no dynamic rendering; by night
// it storms there, and in a window.
func TestPicturesOfRenderPasses(t *testing.T) {
	l := testlayer.Build(t)
	tests := []string{"^(TestGoldens|TestSamples|TestParallelDepths|TestEyesInLayers)$", "^(TestStorm|TestWindowStorm|TestDebugGoldens)$"}
	for _, pattern := range tests[:nightly(1, 2)] {
		l.Run(t, testlayer.Shape{Without: []string{"dynamicRendering"}, Memory: "64,256"}, pattern)
	}
}

// TestStreamingFlightOnOtherDevices flies again on devices that have less, or memory
// as graphics cards have it, or a slow bus. Case MEM-1.
func TestStreamingFlightOnOtherDevices(t *testing.T) {
	l := testlayer.Build(t)
	for _, shape := range []testlayer.Shape{
		{Queues: "gc,t", Slow: "1,4", Memory: "64,256"},
		{Memory: "64,256,8", Without: []string{"fillModeNonSolid", "drawIndirectCount", "samplerAnisotropy", "pipelineStatisticsQuery", "timestamps"}},
		{API: "1.2", Memory: "96"},
	} {
		t.Run(shape.String(), func(t *testing.T) { l.Run(t, shape, "^TestStreamingFlight$") })
	}
}
