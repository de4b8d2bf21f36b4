package vkterrain

import (
	"time"

	"github.com/vkterrain/vkterrain/lodcpu/props"
)

// ShownProps returns everything that stands on the plots shown.
func ShownProps(t *Terrain) (instances []props.Instance) {
	for i := range t.planting.groups {
		instances = append(instances, t.planting.groups[i].Instances...)
	}
	return instances
}

// PropsToMake returns how many plots are still to be made, and how many there are.
func PropsToMake(t *Terrain) (pending, plots int) {
	return len(t.planting.pending), len(t.planting.list)
}

// LookForShards sets how often missing shards are looked for.
func LookForShards(pause time.Duration) { lookPause = pause }
