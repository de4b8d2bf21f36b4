package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// short writes a measure with six significant digits at most, which is all that
// people read, and without an exponent.
func short(v float64) string { return significant(v, 6) }

// significant writes v with so many significant digits at most.
func significant(v float64, digits int) string {
	const least, most = 1e-9, 1e15 // beyond them zeros would be all that is seen
	if size := math.Abs(v); v != 0 && !(size >= least && size < most) {
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64)
	if err != nil {
		rounded = v
	}
	return plain(rounded)
}

// plain writes all digits of v, without an exponent.
func plain(v float64) string { return strconv.FormatFloat(v+0, 'f', -1, 64) } // not −0

// coordinate writes where something lies, to a thousandth of a step at least.
func coordinate(v, step float64) string {
	digits := 3
	if step = math.Abs(step); step > 0 && step < 1 {
		digits += min(12, int(math.Ceil(-math.Log10(step))))
	}
	return plain(roundTo(v, digits))
}

// mean writes a mean to a hundredth, and more closely where that would be little.
func mean(v float64) string {
	if math.Abs(v) < 1 {
		return significant(v, 3)
	}
	return short(roundTo(v, 2))
}

// distance writes metres for people.
func distance(m float64) string {
	if m >= 10000 {
		return short(roundTo(m/1000, 1)) + " km"
	}
	return short(roundTo(m, 1)) + " m"
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 10<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 10<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// grouped writes an integer with a space between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return sign + b.String()
}

// perSample writes the bits of a sample. Those of a tiny file are many.
func perSample(bytes, samples int64) string {
	bits := 8 * float64(bytes) / float64(max(1, samples))
	if bits >= 100 {
		return fmt.Sprintf("%.0f", bits)
	}
	return fmt.Sprintf("%.2f", bits)
}

// saved says how much less than something a ratio saves, in percent.
func saved(ratio float64) string {
	if ratio < 0 {
		return fmt.Sprintf("%.1f %% more", -100*ratio)
	}
	return fmt.Sprintf("%.1f %% less", 100*ratio)
}
