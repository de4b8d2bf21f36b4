// Package hud draws letters, bars and graphs over a picture, in one draw, and with them a
// panel of figures of a terrain: what frames take, what is drawn, what is loaded, and how
// exact it is. A host may use the panel, or the [Layer] alone for figures of its own, or
// neither.
//
//	layer, err := hud.New(dev, hud.Options{ColorFormat: format, DepthFormat: depth})
//	var panel hud.Panel
//	...
//	terrain.Figures(&figures)
//	panel.Add(&figures)
//	panel.Draw(layer, 8, 8, hud.Scale(width, height, contentScale))
//	layer.Draw(frame, width, height) // at the end of the pass that draws the terrain
//
// All of it belongs to the goroutine that records frames, and allocates nothing in a frame.
package hud
