package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// longestBaseline is the most bytes of an earlier bench --json.
const longestBaseline = 64 << 20

// readBaseline reads what an earlier bench --json printed.
func readBaseline(path string) ([]*benchRun, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, longestBaseline))
	if err != nil {
		return nil, inputError(readable(err))
	}
	var list []json.RawMessage
	err = json.Unmarshal(data, &list)
	var runs []*benchRun
	for i := 0; i < len(list) && err == nil; i++ {
		r := &benchRun{propsReport: &propsReport{}}
		err = json.Unmarshal(list[i], r)
		runs = append(runs, r)
	}
	if err != nil {
		return nil, inputError(fmt.Errorf("%s: not what bench --json prints: %w", path, err))
	}
	if len(runs) == 0 || slices.ContainsFunc(runs, func(r *benchRun) bool { return len(r.Blocks.CPU) != blockCount }) {
		return nil, inputError(fmt.Errorf("%s: not what bench --json prints, or of fewer than %d frames", path, blockCount))
	}
	return runs, nil
}

// The rule of a regression. Both runs fly the same way, so their stretches are pairs.
// A time has become worse if the median of the pairs' ratios is above 1 + noise, and
// at least worsePairs of the ten pairs are worse: were both runs equal, a coin would do
// that in 11 of 1024 cases (a sign test, one-sided, p = 0.011). What does not depend on
// time, the triangles, has become worse if it is more than 1 % more, and the error if
// it is above tau.
const (
	worsePairs    = 9
	moreTriangles = 1.01
)

// worse says whether pairs of times have become worse, and their median ratio.
func worse(before, now []float64, noise float64) (ratio float64, yes bool) {
	if len(before) != len(now) || len(now) != blockCount {
		return 1, false
	}
	var ratios []float64
	up := 0
	for i := range now {
		if before[i] <= 0 || now[i] <= 0 {
			return 1, false // not measured
		}
		ratios = append(ratios, now[i]/before[i])
		if now[i] > before[i] {
			up++
		}
	}
	slices.Sort(ratios)
	ratio = math.Sqrt(ratios[blockCount/2-1] * ratios[blockCount/2])
	return ratio, ratio > 1+noise/100 && up >= worsePairs
}

// compare says how runs differ from those of a baseline, a line each, and whether one is
// a regression.
func compareRuns(before, now []*benchRun, noise float64) (lines []string, regressed bool, err error) {
	for _, r := range now {
		i := slices.IndexFunc(before, r.sameAs)
		if i < 0 {
			return nil, false, usageError(fmt.Errorf("the baseline has no run of %s, tau %s, %s over %s, %d×%d, %d frames by %s",
				r.Algo, short(r.Tau), r.Flight, r.World, r.Width, r.Height, r.Frames, r.GPU))
		}
		old := before[i]
		var parts, bad []string
		for _, t := range []struct {
			name        string
			before, now []float64
		}{
			{"frame", old.Blocks.Frame, r.Blocks.Frame}, {"CPU", old.Blocks.CPU, r.Blocks.CPU}, {"GPU", old.Blocks.GPU, r.Blocks.GPU},
		} {
			ratio, is := worse(t.before, t.now, noise)
			parts = append(parts, fmt.Sprintf("%s ×%.3f", t.name, ratio))
			if is {
				bad = append(bad, t.name+" time")
			}
		}
		parts = append(parts, fmt.Sprintf("triangles ×%.3f", float64(r.Triangles)/float64(max(old.Triangles, 1))))
		if float64(r.Triangles) > moreTriangles*float64(old.Triangles) {
			bad = append(bad, "triangles")
		}
		if px := r.MeasuredErrorPx; px != nil && r.exceeded(*px) && (old.MeasuredErrorPx == nil || *px > *old.MeasuredErrorPx) {
			bad = append(bad, fmt.Sprintf("error of %v px", *px))
		}
		verdict := "no worse"
		if bad != nil {
			verdict, regressed = "WORSE: "+strings.Join(bad, ", "), true
		}
		lines = append(lines, fmt.Sprintf("%s, tau %s: %s: %s", r.Algo, short(r.Tau), strings.Join(parts, ", "), verdict))
	}
	return lines, regressed, nil
}

// sameAs says whether a run is of the same flight, picture and GPU.
func (r *benchRun) sameAs(o *benchRun) bool {
	return r.Algo == o.Algo && r.Topology == o.Topology && r.Tau == o.Tau && r.Flight == o.Flight && r.Frames == o.Frames &&
		r.World == o.World && r.Width == o.Width && r.Height == o.Height && r.GPU == o.GPU
}

// judge compares with the baseline, if there is one; the answer no is a regression.
func (f *reportFlags) judge(a *app, runs []*benchRun) error {
	if f.Baseline == "" {
		return nil
	}
	before, err := readBaseline(f.Baseline)
	if err != nil {
		return err
	}
	if len(runs[0].Blocks.CPU) != blockCount {
		return usageError(fmt.Errorf("--baseline needs at least %d frames", blockCount))
	}
	lines, regressed, err := compareRuns(before, runs, f.Noise)
	if err != nil {
		return err
	}
	for _, line := range lines {
		a.log.infof("against the baseline: %s", line)
	}
	if regressed {
		return errNo
	}
	return nil
}
