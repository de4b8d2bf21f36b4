package vkterrain_test

import (
	"testing"

	"github.com/vkterrain/vkterrain/vk/testlayer"
)

// TestStreamingFlightOnTwoQueues flies again where uploads are handed over from
// a transfer queue of another family.
func TestStreamingFlightOnTwoQueues(t *testing.T) {
	r := testlayer.Build(t).Run(t, "gc,t", "^TestStreamingFlight$")
	if r.Ownership < 200 || r.Submissions[0] < 600 || r.Submissions[1] < 50 {
		t.Errorf("nothing was exercised: %+v", r)
	}
}
