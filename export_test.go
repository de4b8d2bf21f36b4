package vkterrain

import "github.com/vkterrain/vkterrain/lodcpu/props"

// ShownProps returns everything that stands on the plots shown.
func ShownProps(t *Terrain) (instances []props.Instance) {
	for i := range t.planting.groups {
		instances = append(instances, t.planting.groups[i].Instances...)
	}
	return instances
}
