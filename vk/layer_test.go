package vk_test

import (
	"testing"

	"github.com/vkterrain/vkterrain/vk/testlayer"
)

// TestTwoFamilies runs tests of uploads and frames again where uploads have a
// family of their own, and graphics is not the first.
func TestTwoFamilies(t *testing.T) {
	r := testlayer.Build(t).Run(t, testlayer.Shape{Queues: "t,gc"}, "^Test(UploadRoundTrip|FramesInFlight|FrameDoesNotAllocate|CallsDoNotGrowWithDraws|UploadTimes)$")
	if r.Devices < 5 || r.Ownership < 20 || r.Submissions[0] < 200 || r.Submissions[1] < 1000 {
		t.Errorf("nothing was exercised: %+v", r)
	}
}
