package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"math"
	"runtime"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// chart is one picture of a report.
type chart struct {
	name, says string
	plot       *plot.Plot
}

// write writes it as PNG.
func (c *chart) write(w io.Writer) error {
	const dpi = 144
	canvas := vgimg.NewWith(vgimg.UseWH(7.5*vg.Inch, 3.9*vg.Inch), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
	const margin = 8
	c.plot.Draw(draw.Crop(draw.NewCanvas(canvas, 7.5*vg.Inch, 3.9*vg.Inch), margin, -margin, margin, -margin))
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return outputError(err)
}

// tints tell runs apart, also to eyes that see fewer colours (Okabe and Ito, "Color
// Universal Design", 2008).
var tints = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}, {60, 60, 60, 255},
}

func tint(i int) color.Color { return tints[i%len(tints)] }

// newChart returns an empty chart.
func newChart(name, says, x, y string) *chart {
	p := plot.New()
	sans := font.Font{Typeface: "Liberation", Variant: "Sans"}
	for _, style := range []*draw.TextStyle{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.Legend.TextStyle,
	} {
		size := style.Font.Size
		style.Font = sans
		style.Font.Size = min(size, 11)
	}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Label.Font = sans
		axis.Tick.Label.Font.Size = 10
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.Legend.Top = true
	p.Legend.Padding = 2
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{230}, color.Gray{230}
	p.Add(grid)
	return &chart{name, says, p}
}

// line adds a series.
func (c *chart) line(label string, i int, points plotter.XYs) {
	l, err := plotter.NewLine(points)
	if err != nil {
		return // nothing in it that can be drawn
	}
	l.Color, l.Width = tint(i), 1.3
	c.plot.Add(l)
	if label != "" {
		c.plot.Legend.Add(label, l)
	}
}

// series makes points of what each frame had.
func series(values []float64) plotter.XYs {
	points := make(plotter.XYs, len(values))
	for i, v := range values {
		points[i] = plotter.XY{X: float64(i) / benchRate, Y: v}
	}
	return points
}

func (r *benchRun) label() string { return fmt.Sprintf("%s, tau %s", r.Algo, short(r.Tau)) }

// chartsOf returns the charts of runs.
func chartsOf(runs []*benchRun) (charts []*chart) {
	cpu := newChart("cpu", "What a frame takes on the CPU: preparing, refining, recording, submitting.", "seconds of the flight", "CPU ms a frame")
	frame := newChart("frame", "The time from one frame to the next; a spike is a hitch.", "seconds of the flight", "ms from frame to frame")
	triangles := newChart("triangles", "Triangles that the view needs.", "seconds of the flight", "thousand triangles")
	spread := newChart("spread", "How many frames take longer: read 1 % for p99.", "ms on the CPU", "% of frames that take longer")
	for i, r := range runs {
		cpu.line(r.label(), i, series(r.times.cpu))
		frame.line(r.label(), i, series(r.times.frame))
		var thousands []float64
		for _, n := range r.times.each {
			thousands = append(thousands, float64(n)/1000)
		}
		triangles.line(r.label(), i, series(thousands))
		spread.line(r.label(), i, longer(r.times.cpu))
	}
	spread.plot.Y.Min, spread.plot.Y.Max = 0.1, 100
	spread.plot.Y.Scale, spread.plot.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	for _, c := range []*chart{cpu, frame, triangles} {
		c.plot.Y.Min = 0
		c.plot.Y.Max *= 1.05 + 0.07*float64(len(runs)) // room for the legend
	}
	return append([]*chart{cpu, spread, frame, percentileChart(runs), triangles}, errorChart(runs)...)
}

// longer returns which share of times is longer than each of them.
func longer(times []float64) plotter.XYs {
	times = slices.Sorted(slices.Values(times))
	var points plotter.XYs
	for i, t := range times {
		points = append(points, plotter.XY{X: t, Y: 100 * (float64(len(times)-i) - 0.5) / float64(len(times))})
	}
	return points
}

// percentileChart shows where the time of frames goes.
func percentileChart(runs []*benchRun) *chart {
	c := newChart("percentiles", "Median and 99th percentile, from the CPU's, the GPU's and the whole frame's point of view.", "", "ms")
	const width = 9 * vg.Length(1)
	var names []string
	for i, r := range runs {
		names = append(names, r.label())
		for j, v := range []float64{r.CPUFrameMs.P50, r.CPUFrameMs.P99, r.GPUFrameMs.P50, r.GPUFrameMs.P99, r.FrameMs.P50, r.FrameMs.P99} {
			bar, err := plotter.NewBarChart(plotter.Values{v}, width)
			if err != nil {
				continue
			}
			bar.XMin, bar.Offset, bar.LineStyle.Width = float64(i), (vg.Length(j)-2.5)*(width+1), 0
			bar.Color = tint(j / 2)
			if j%2 == 1 {
				r, g, b, _ := bar.Color.RGBA()
				fade := func(v uint32) uint8 { return uint8((v>>8 + 255) / 2) }
				bar.Color = color.RGBA{fade(r), fade(g), fade(b), 255}
			}
			c.plot.Add(bar)
			if i == 0 {
				c.plot.Legend.Add([]string{"CPU p50", "CPU p99", "GPU p50", "GPU p99", "frame p50", "frame p99"}[j], bar)
			}
		}
	}
	c.plot.NominalX(names...)
	c.plot.X.Min, c.plot.X.Max = -0.6, float64(len(runs))-0.4
	c.plot.Y.Min = 0
	c.plot.Y.Max *= 1.5
	return c
}

// errorChart shows the measured errors beside what was allowed, where errors were
// measured at several tolerances.
func errorChart(runs []*benchRun) []*chart {
	byAlgo := map[string]plotter.XYs{}
	var names []string
	for _, r := range runs {
		if px := r.MeasuredErrorPx; px != nil && *px > 0 {
			if byAlgo[r.Algo] == nil {
				names = append(names, r.Algo)
			}
			byAlgo[r.Algo] = append(byAlgo[r.Algo], plotter.XY{X: r.Tau, Y: *r.MeasuredErrorPx})
		}
	}
	if len(runs) < 2 || len(names) == 0 {
		return nil
	}
	c := newChart("error", "The largest error that was measured, beside what tau allows.", "tau, px", "measured error, px")
	most := 0.0
	for i, name := range names {
		points := byAlgo[name]
		slices.SortFunc(points, func(a, b plotter.XY) int { return int(math.Copysign(1, a.X-b.X)) })
		if s, err := plotter.NewScatter(points); err == nil {
			s.Color, s.Shape, s.Radius = tint(i), draw.RingGlyph{}, vg.Length(3+2*i) // rings around one another where errors are the same
			c.plot.Add(s)
			c.line("", i, points)
			c.plot.Legend.Add(name, s)
		}
		most = max(most, points[len(points)-1].X)
	}
	if l, err := plotter.NewLine(plotter.XYs{{}, {X: 1.1 * most, Y: 1.1 * most}}); err == nil {
		l.Color, l.Dashes = color.Gray{120}, []vg.Length{4, 3}
		c.plot.Add(l)
		c.plot.Legend.Add("allowed", l)
	}
	c.plot.Legend.Left = true
	c.plot.X.Min, c.plot.Y.Min = 0, 0
	return []*chart{c}
}

var reportPage = template.Must(template.New("report").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>vkterrain bench: {{.Title}}</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;color:#222;max-width:70rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin-bottom:0}p.sub{color:#666;margin-top:.2rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;width:100%;font-size:.9rem}
th,td{padding:.3rem .5rem;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}th:first-child,td:first-child{text-align:left}
div.t{overflow-x:auto}figure{margin:1.5rem 0;display:inline-block;width:49%;vertical-align:top}@media(max-width:55rem){figure{width:100%}}
img{width:100%}figcaption{color:#444}code{background:#f3f3f3;padding:0 .2rem}
</style></head><body>
<h1>{{.Title}}</h1><p class="sub">{{.Machine}}</p>
<div class="t"><table><tr><th>run</th><th>triangles</th><th>indices</th><th colspan="4">CPU ms p50 p95 p99 max</th><th colspan="4">GPU ms p50 p95 p99 max</th><th colspan="4">frame ms p50 p95 p99 max</th><th>hitches</th><th>refine µs</th><th>error px</th><th>uploaded</th><th>read</th><th>GPU peak</th></tr>
{{range .Runs}}<tr><td>{{.Name}}</td><td>{{.Triangles}}</td><td>{{.Indices}}</td>{{range .Times}}<td>{{.}}</td>{{end}}<td>{{.Hitches}}</td><td>{{.Refine}}</td><td>{{.Error}}</td><td>{{.Uploaded}}</td><td>{{.Read}}</td><td>{{.Peak}}</td></tr>
{{end}}</table></div>
{{range .Charts}}<figure><img alt="{{.Says}}" src="{{.Data}}"><figcaption>{{.Says}}</figcaption></figure>
{{end}}<h2>How this was measured</h2>
<p>Each run flies {{.Frames}} frames, a sixtieth of a second of the flight each, after {{.WarmUp}} that do not count, without a window; levels stream in
meanwhile. CPU is the time to prepare, record and submit a frame, GPU what timestamps say, frame the time from one frame to the next, which has both where they do not overlap.
A hitch is a frame of more than three medians. The error is the largest distance on the screen between the full-resolution ground and
what is drawn, of {{.Checks}} frames that are drawn again with everything loaded, found by a program that shares no code with the refiner.</p>
</body></html>
`))

// reportRow is a line of the report's table.
type reportRow struct {
	Name, Triangles, Indices string
	Times                    []string
	Hitches                  int
	Refine, Error            string
	Uploaded, Read, Peak     string
}

// writeReport writes the report of runs.
func writeReport(w io.Writer, runs []*benchRun) error {
	type picture struct {
		Says string
		Data template.URL
	}
	first := runs[0]
	page := struct {
		Title, Machine         string
		Runs                   []reportRow
		Charts                 []picture
		Frames, WarmUp, Checks int
	}{
		Title:   fmt.Sprintf("flight %s over %s", first.Flight, first.World),
		Machine: fmt.Sprintf("%s, %s; %d×%d pixels; vkterrain %s, %s, %s/%s", first.GPU, first.Driver, first.Width, first.Height, first.Version, first.Go, runtime.GOOS, runtime.GOARCH),
		Frames:  first.Frames, WarmUp: warmUp, Checks: first.Checks,
	}
	for _, r := range runs {
		row := reportRow{
			Name: r.label(), Triangles: grouped(int64(r.Triangles)), Indices: grouped(int64(r.Indices)), Hitches: r.Hitches, Refine: fmt.Sprintf("%.0f", r.RefineUs),
			Error: r.measured(), Uploaded: size(int64(r.BytesUploaded)), Read: size(int64(r.BytesRead)), Peak: size(int64(r.PeakGPUBytes)),
		}
		for _, p := range []percentiles{r.CPUFrameMs, r.GPUFrameMs, r.FrameMs} {
			for _, v := range []float64{p.P50, p.P95, p.P99, p.Max} {
				row.Times = append(row.Times, fmt.Sprintf("%.2f", v))
			}
		}
		page.Runs = append(page.Runs, row)
	}
	for _, c := range chartsOf(runs) {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			return err
		}
		page.Charts = append(page.Charts, picture{c.says, template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()))})
	}
	return outputError(reportPage.Execute(w, page))
}
