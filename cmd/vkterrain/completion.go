package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is what --help adds.
func (completionCmd) Help() string {
	return `bash, in ~/.bashrc:

  source <(vkterrain completion bash)

zsh, in ~/.zshrc after compinit:

  source <(vkterrain completion zsh)

fish:

  vkterrain completion fish > ~/.config/fish/completions/vkterrain.fish`
}

func (c *completionCmd) Run(k *kong.Context, a *app) error {
	var b strings.Builder
	switch c.Shell {
	case "fish":
		fishCompletion(&b, k.Model)
	case "zsh":
		b.WriteString("autoload -U +X bashcompinit && bashcompinit\n")
		fallthrough
	default:
		bashCompletion(&b, k.Model)
	}
	_, err := io.WriteString(a.stdout, b.String())
	return outputError(err)
}

// shownFlags returns the flags of a command, those of all commands too.
func shownFlags(n *kong.Node) []*kong.Flag {
	var flags []*kong.Flag
	for _, group := range n.AllFlags(true) {
		flags = append(flags, group...)
	}
	return flags
}

// choices returns what a value may be; nothing where it is open.
func choices(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	var out []string
	for _, e := range strings.Split(v.Enum, ",") {
		if e != "" {
			out = append(out, e)
		}
	}
	return out
}

// bashCompletion writes a function that completes commands, flags and what flags may
// be; all else is files.
func bashCompletion(w io.Writer, model *kong.Application) {
	var names []string
	for _, n := range model.Children {
		if !n.Hidden {
			names = append(names, n.Name)
		}
	}
	fmt.Fprintf(w, `_vkterrain() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      %s) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  local words=
  case $command:$prev in
`, strings.Join(names, "|"))
	for _, n := range model.Children {
		for _, p := range n.Positional {
			if c := choices(p); c != nil {
				fmt.Fprintf(w, "    %s:%s) words='%s' ;;\n", n.Name, n.Name, strings.Join(c, " "))
			}
		}
		for _, f := range shownFlags(n) {
			if c := choices(f.Value); c != nil {
				fmt.Fprintf(w, "    %s:--%s) words='%s' ;;\n", n.Name, f.Name, strings.Join(c, " "))
			}
		}
	}
	fmt.Fprint(w, "    *)\n      case $command:$cur in\n")
	for _, n := range model.Children {
		fmt.Fprintf(w, "        %s:-*) words='%s' ;;\n", n.Name, strings.Join(flagNames(n), " "))
	}
	fmt.Fprintf(w, `        :*) words='%s --help --version' ;;
      esac ;;
  esac
  COMPREPLY=()
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -o default -F _vkterrain vkterrain
`, strings.Join(names, " "))
}

func flagNames(n *kong.Node) []string {
	var names []string
	for _, f := range shownFlags(n) {
		names = append(names, "--"+f.Name)
	}
	return names
}

// fishCompletion writes a line for each command and flag.
func fishCompletion(w io.Writer, model *kong.Application) {
	quote := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
	}
	for _, n := range model.Children {
		fmt.Fprintf(w, "complete -c vkterrain -n __fish_use_subcommand -a %s -d %s\n", n.Name, quote(n.Help))
		for _, f := range shownFlags(n) {
			fmt.Fprintf(w, "complete -c vkterrain -n '__fish_seen_subcommand_from %s' -l %s -d %s", n.Name, f.Name, quote(f.Help))
			if f.Short != 0 {
				fmt.Fprintf(w, " -s %c", f.Short)
			}
			switch c := choices(f.Value); {
			case c != nil:
				fmt.Fprintf(w, " -xa %s", quote(strings.Join(c, " ")))
			case !f.IsBool():
				fmt.Fprint(w, " -r")
			}
			fmt.Fprintln(w)
		}
	}
}
