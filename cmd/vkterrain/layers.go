package main

import (
	"fmt"
	"image"
	_ "image/jpeg" // for image.Decode, as is image/png
	_ "image/png"
	"slices"
	"strings"

	"github.com/vkterrain/vkterrain/terrain/bake"
)

// layerFlags say what a bake keeps of every vertex besides.
type layerFlags struct {
	Algo    string `default:"soar" placeholder:"LIST" help:"Whose coefficients to keep: soar, quadtree, billod, with commas, or all (soar, which is always kept)."`
	Layers  string `placeholder:"LIST" help:"What else to keep, with commas: horizon (for the sun), colour, material, or all."`
	Overlay string `placeholder:"FILE" help:"PNG or JPEG that is stretched over the world for its colours."`
	Mask    string `placeholder:"FILE" help:"PNG with four channels that is stretched over the world: the weights of four materials."`
}

// grounds are the layers of --layers.
var grounds = []string{bake.LayerHorizon, bake.LayerColour, bake.LayerMaterial}

// names returns the layers that are asked for, in the order of bake.Layers.
func (f *layerFlags) names() ([]string, error) {
	algos, err := list("algo", f.Algo, []string{"soar", bake.LayerQuadtree, bake.LayerBilLOD})
	if err != nil {
		return nil, err
	}
	other, err := list("layers", f.Layers, grounds)
	if err != nil {
		return nil, err
	}
	asked := slices.Concat(algos, other)
	if f.Overlay != "" {
		asked = append(asked, bake.LayerColour)
	}
	if f.Mask != "" {
		asked = append(asked, bake.LayerMaterial)
	}
	var names []string
	for _, name := range bake.Layers() {
		if slices.Contains(asked, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// list reads names with commas between them, all of which are among known.
func list(flag, text string, known []string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	var names []string
	for name := range strings.SplitSeq(text, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "all":
			names = append(names, known...)
		case slices.Contains(known, name):
			names = append(names, name)
		default:
			return nil, fmt.Errorf("--%s %s: %q is none of %s, all", flag, text, name, strings.Join(known, ", "))
		}
	}
	return names, nil
}

// pictureShare is the share of the memory cap that a picture may take.
const pictureShare = 4

// picture reads the picture at path; it returns nil for "".
func (a *app) picture(path string, maxMem int64) (image.Image, error) {
	if path == "" {
		return nil, nil
	}
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, _, err := image.DecodeConfig(f)
	if err != nil {
		return nil, inputError(fmt.Errorf("%s: no PNG or JPEG: %w", path, err))
	}
	if bytes := 8 * int64(c.Width) * int64(c.Height); bytes > maxMem/pictureShare {
		return nil, inputError(fmt.Errorf("%s: %d×%d pixels take up to %d MiB, more than a quarter of --max-mem", path, c.Width, c.Height, bytes>>20))
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, inputError(readable(err))
	}
	m, _, err := image.Decode(f)
	if err != nil {
		return nil, inputError(fmt.Errorf("%s: %w", path, err))
	}
	return m, nil
}
