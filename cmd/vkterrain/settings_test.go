package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withSettings runs the program with a settings file and variables of the environment.
func withSettings(t *testing.T, text string, env []string, args ...string) result {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.toml")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := command(append(args, "--settings", path)...)
	cmd.Env = append(cmd.Env, env...)
	r := finish(t, cmd)
	r.stderr = strings.ReplaceAll(r.stderr, path, "s.toml")
	return r
}

// TestSettingsNameWhatIsWrong wants the line of each mistake.
func TestSettingsNameWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown":            {"# mine\n\nlog-levle = \"warn\"\n", "s.toml:3: log-levle: unknown; see vkterrain --help"},
		"unknown of a table": {"[info]\ntau = 1\n", "s.toml:2: info.tau: unknown; see vkterrain info --help"},
		"unknown table":      {"\n[see]\ntau = 1\n", "s.toml:2: see: unknown"},
		"of a command":       {"tau = 1\n", "s.toml:1: tau: not a flag of all commands; put it below [demo] or [fly]"},
		"number":             {"[fly]\n\ntau = \"1\"\n", "s.toml:3: fly.tau: want a number, not 1"},
		"whole number":       {"workers = 1.5\n", "s.toml:1: workers: want a whole number, not 1.5"},
		"string":             {"[fly]\nfog = true\n", "s.toml:2: fly.fog: want a string, not true"},
		"truth":              {"[render]\ncheck = \"yes\"\n", "s.toml:2: render.check: want true or false, not yes"},
		"list":               {"[fly]\ntau = [1, 2]\n", "s.toml:2: fly.tau: want one value, not a list"},
		"choice":             {"[fly]\ntau = 2\nfog = \"thick\"\n", `s.toml:3: fly.fog: "thick" is none of on, off, blue`},
		"text":               {"[fly]\nsize = \"wide\"\n", `s.toml:2: fly.size: "wide": want WIDTHxHEIGHT`},
		"per call":           {"[render]\nout = \"x.png\"\n", "s.toml:2: render.out: this is for the command line alone"},
		"syntax":             {"workers = 1\nworkers = \n", "s.toml:2: "},
		"twice":              {"workers = 1\nworkers = 2\n", "s.toml:2: "},
		"no table":           {"fly = 1\n", "s.toml:1: fly: want a table, as in [fly]"},
		"action":             {"[keys]\nhover = \"H\"\n", `s.toml:2: keys.hover: "hover" is no action`},
		"key":                {"[keys]\nup = [\"Up\",\n \"Upper\"]\n", `keys.up: "Upper" is no key`},
		"no key":             {"[keys]\nup = 1\n", "s.toml:2: keys.up: want the name of a key"},
		"range":              {"\nworkers = -1\n", "--workers -1: must be 0 or more, from s.toml:2 ("},
	} {
		r := withSettings(t, c.text, nil, "info", "x")
		r.fails(t, 2, c.want)
		if t.Failed() {
			t.Fatal(name)
		}
	}
	run(t, "info", "x", "--settings", "nowhere.toml").fails(t, 4, "cannot read nowhere.toml")
	if r := withSettings(t, "broken", nil, "--help"); r.code != 0 {
		t.Errorf("help with broken settings: %d %s", r.code, r.stderr)
	}
}

// TestPrecedence: flag, environment, settings, default.
func TestPrecedence(t *testing.T) {
	_, world := small(t)
	const levels = "log-level = \"debug\"\nlog-format = \"json\"\n"
	said := func(r result) string {
		line, _, _ := strings.Cut(r.stderr, "\n")
		var l struct{ Time, Level, Message string }
		if json.Unmarshal([]byte(line), &l) == nil && l.Time != "" {
			return "json " + l.Level
		}
		return line
	}
	if r := withSettings(t, levels, nil, "info", "no"); said(r) != "json error" {
		t.Errorf("settings: %q", r.stderr)
	}
	if r := withSettings(t, levels, []string{"VKTERRAIN_LOG_FORMAT=text"}, "info", "no"); !strings.HasPrefix(said(r), "vkterrain: ") {
		t.Errorf("environment: %q", r.stderr)
	}
	if r := withSettings(t, levels, []string{"VKTERRAIN_LOG_FORMAT=text"}, "info", "no", "--log-format", "json"); said(r) != "json error" {
		t.Errorf("flag: %q", r.stderr)
	}
	withSettings(t, "", []string{"VKTERRAIN_WORKERS=many"}, "info", world).fails(t, 2, "VKTERRAIN_WORKERS")
	withSettings(t, "", []string{"VKTERRAIN_WORKERS=-2"}, "info", world).fails(t, 2, "must be 0 or more, from VKTERRAIN_WORKERS")
	if r := withSettings(t, "", []string{"VKTERRAIN_WORKERS="}, "info", world); r.code != 0 {
		t.Errorf("an empty variable: %s", r.stderr)
	}
}

// TestSaveConfig: what is saved is read again, and the rest of the file stays.
func TestSaveConfig(t *testing.T) {
	dir := t.TempDir()
	home := func(args ...string) result {
		cmd := command(args...)
		cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "VKTERRAIN_NO_SETTINGS=") })
		cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+dir)
		return finish(t, cmd)
	}
	path := filepath.Join(dir, "vkterrain", "settings.toml")
	r := home("fly", "--tau", "1.50", "--size=800x600", "--gpu", `a "b"`, "--save-config", "x.vkt")
	if r.code != 0 || strings.TrimSpace(r.stdout) != path {
		t.Fatalf("%d %s %s", r.code, r.stdout, r.stderr)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := "# mine\n" + string(data) + "# end\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if r := home("bench", "--tau", "1,2", "--algo", "soar,billod", "--headless", "--gpu", "b", "--save-config"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if r := home("fly", "--tau", "3", "--save-config"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	const want = "# mine\ngpu = \"b\"\n\n[fly]\nsize = \"800x600\"\ntau = 3\n# end\n\n[bench]\nheadless = true\nalgo = [\"soar\", \"billod\"]\ntau = [1, 2]\n"
	if string(data) != want {
		t.Errorf("got\n%s\nwant\n%s", data, want)
	}
	home("bench", "--flight", "nowhere", "--frames", "0").fails(t, 2, "--frames 0")
	cmd := command("fly", "--tau", "3", "--save-config")
	cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool {
		return strings.HasPrefix(v, "XDG_") || strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "VKTERRAIN_NO_SETTINGS=")
	})
	finish(t, cmd).fails(t, 5, "settings have no place")
}
