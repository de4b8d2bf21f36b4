package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// manCmd prints the man page; packages ship it.
type manCmd struct{}

func (manCmd) Run(k *kong.Context, a *app) error {
	var b strings.Builder
	manPage(&b, k.Model)
	_, err := io.WriteString(a.stdout, b.String())
	return outputError(err)
}

// roff makes a text that means itself in a man page.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

// manPage writes the page of all commands, from what the command line is made of.
func manPage(w io.Writer, model *kong.Application) {
	fmt.Fprintf(w, ".TH VKTERRAIN 1 \"\" \"vkterrain %s\" \"User Commands\"\n.SH NAME\nvkterrain \\- very large terrains with Vulkan\n", roff(version()))
	fmt.Fprint(w, ".SH SYNOPSIS\n.B vkterrain\n[\\fICOMMAND\\fR] [\\fIARGUMENTS\\fR]\n")
	fmt.Fprint(w, ".SH DESCRIPTION\n")
	manText(w, model.Help)
	fmt.Fprint(w, ".SH COMMANDS\n")
	for _, n := range model.Children {
		if n.Hidden {
			continue
		}
		fmt.Fprintf(w, ".SS %s\n%s\n", roff(n.Name), roff(n.Help))
		for _, p := range n.Positional {
			fmt.Fprintf(w, ".TP\n.I %s\n%s\n", roff(p.Summary()), roff(p.Help))
		}
		manFlags(w, n.Flags)
		if n.Detail != "" {
			fmt.Fprint(w, ".PP\n")
			manText(w, n.Detail)
		}
	}
	fmt.Fprint(w, ".SH OPTIONS OF ALL COMMANDS\n")
	manFlags(w, model.Flags)
	fmt.Fprint(w, ".SH KEYS OF FLY\nThe settings file binds others.\n")
	for _, line := range defaultBindings().controls(pagesLevels) {
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(line[0]), roff(line[1]))
	}
	fmt.Fprintf(w, ".TP\n.B gamepad\n%s\n", roff(padHelp))
	fmt.Fprint(w, `.PP
In \fBdemo billod\fR and with \fB\-\-algo billod\fR Page Up and Page Down turn the far threshold, with Shift the near one;
in \fBdemo billod\fR arrows fly and W is the wireframe. In \fBdemo progmesh\fR Page Up and Page Down go through the resolutions
of the model, + and \- step by a hundredth of its vertices, Space shows the next model, and the mouse turns around it.
`)
	fmt.Fprint(w, `.SH ENVIRONMENT
Every flag that is not about one call alone can be set by a variable: \fBVKTERRAIN_TAU\fR is \fB\-\-tau\fR.
.SH FILES
.TP
.I ~/.config/vkterrain/settings.toml
Settings: flags of all commands, of each command in a table of its name, and keys in [keys].
.TP
.I ~/.local/state/vkterrain/state.json
The last window and cameras of fly.
.TP
.I ~/.cache/vkterrain
Built\-in worlds.
.SH EXIT STATUS
0 fine; 1 the answer is no; 2 wrong usage; 3 no Vulkan driver or no suitable GPU; 4 bad input; 5 input or output failed;
6 no display; 7 device lost or out of memory; 130 interrupted.
`)
}

// manFlags writes flags with their help.
func manFlags(w io.Writer, flags []*kong.Flag) {
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		name := "--" + f.Name
		if f.Short != 0 {
			name = "-" + string(f.Short) + ", " + name
		}
		if !f.IsBool() {
			name += "=" + f.FormatPlaceHolder()
		}
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(name), roff(f.Help))
	}
}

// manText writes paragraphs; indented lines stay as they are.
func manText(w io.Writer, text string) {
	in := false
	for line := range strings.SplitSeq(text, "\n") {
		indented := strings.HasPrefix(line, "  ")
		if indented != in && line != "" {
			fmt.Fprint(w, map[bool]string{true: ".PP\n.nf\n", false: ".fi\n.PP\n"}[indented])
			in = indented
		}
		if line == "" && !in {
			line = ".PP"
			fmt.Fprintln(w, line)
			continue
		}
		fmt.Fprintln(w, roff(line))
	}
	if in {
		fmt.Fprint(w, ".fi\n")
	}
}
