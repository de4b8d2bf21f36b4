package main

import (
	"fmt"
	"strconv"
	"strings"
)

// short writes v without digits that say nothing.
func short(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }

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

func perSample(bytes, samples int64) string {
	return fmt.Sprintf("%.2f bits", 8*float64(bytes)/float64(max(1, samples)))
}
