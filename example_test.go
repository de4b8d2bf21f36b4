package vkterrain_test

import (
	"context"
	"image/png"
	"log"
	"os"
	"time"

	"github.com/vkterrain/vkterrain"
	"github.com/vkterrain/vkterrain/pipeline"
	"github.com/vkterrain/vkterrain/terrain/bake"
	"github.com/vkterrain/vkterrain/terrain/synth"
	"github.com/vkterrain/vkterrain/vk"
)

// A land is made and baked, and one picture of it is drawn without a window.
func ExampleOpen() {
	check := func(err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	field, err := synth.Generate(context.Background(), synth.Options{Width: 513, Height: 513, Spacing: 60, Seed: 3})
	check(err)
	_, err = bake.Bake(context.Background(), field, bake.Options{}, "land.vkt")
	check(err)

	in, err := vk.NewInstance(vk.InstanceInfo{App: "example"})
	check(err)
	defer in.Destroy()
	dev, err := in.NewDevice(vk.DeviceInfo{})
	check(err)
	defer dev.Destroy()
	target, err := dev.NewTarget(vk.TargetInfo{Name: "picture", Width: 1280, Height: 720})
	check(err)
	defer target.Destroy()

	t, err := vkterrain.Open("land.vkt", dev, vkterrain.Options{
		ColorFormat: target.Color.Format, DepthFormat: target.Depth.Format,
	})
	check(err)
	defer t.Close()
	view := vkterrain.DefaultView(t.World(), 1280, 720)
	for !t.Settled() { // load what the view needs
		f, err := dev.BeginFrame()
		check(err)
		check(t.Load(f, &view))
		check(f.Submit())
		time.Sleep(time.Millisecond)
	}
	f, err := dev.BeginFrame()
	check(err)
	check(t.Prepare(f, &view, &pipeline.Look{Sea: true}))
	target.Begin(f.Cmd, [4]float32{}, 0)
	t.Draw(f.Cmd)
	target.End(f.Cmd)
	check(f.Submit())

	picture, err := target.Readback()
	check(err)
	file, err := os.Create("land.png")
	check(err)
	check(png.Encode(file, picture))
	check(file.Close())
}
