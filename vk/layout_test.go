package vk_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	structRE  = regexp.MustCompile(`(?s)typedef (?:struct|union) (Vk\w+) \{(.*?)\} Vk\w+;`)
	memberRE  = regexp.MustCompile(`(\w+)(?:\[\d+\])?$`)
	constRE   = regexp.MustCompile(`(?m)^\t(VK_\w+) = `)
	commentRE = regexp.MustCompile(`//.*`)
)

// layoutProgram writes a C program that prints the size of every struct, the
// offset and size of every member, and the value of every constant of vkmin.h.
func layoutProgram(t *testing.T) (program string, structs, constants int) {
	src, err := os.ReadFile("vkmin.h")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("#include <stdio.h>\n#ifdef REFERENCE\n#include <vulkan/vulkan_core.h>\n#else\n#include \"vkmin.h\"\n#endif\nint main(void) {\n")
	header := commentRE.ReplaceAllString(string(src), "")
	for _, m := range structRE.FindAllStringSubmatch(header, -1) {
		name, body := m[1], m[2]
		if name == "VkBaseOut" {
			continue
		}
		structs++
		fmt.Fprintf(&b, "printf(\"%s %%zu\\n\", sizeof(%s));\n", name, name)
		for decl := range strings.SplitSeq(body, ";") {
			for part := range strings.SplitSeq(decl, ",") {
				part = strings.TrimSpace(part)
				if part == "" {
					continue
				}
				member := part
				if mm := memberRE.FindStringSubmatch(" " + part); mm != nil {
					member = mm[1]
				} else {
					t.Fatalf("%s: cannot read member %q", name, part)
				}
				fmt.Fprintf(&b, "printf(\"%s.%s %%zu %%zu\\n\", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n",
					name, member, name, member, name, member)
			}
		}
	}
	for _, m := range constRE.FindAllStringSubmatch(header, -1) {
		constants++
		fmt.Fprintf(&b, "printf(\"%s %%lld\\n\", (long long)%s);\n", m[1], m[1])
	}
	b.WriteString("return 0; }\n")
	return strings.Replace(b.String(), "#include <stdio.h>", "#include <stdio.h>\n#include <stddef.h>", 1), structs, constants
}

// TestDeclarations compares our declarations with the system's. It skips where
// there is no Vulkan SDK or C compiler.
func TestDeclarations(t *testing.T) {
	if _, err := os.Stat("/usr/include/vulkan/vulkan_core.h"); err != nil {
		t.Skip("no vulkan_core.h (Debian package libvulkan-dev)")
	}
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	program, structs, constants := layoutProgram(t)
	if structs < 90 || constants < 100 {
		t.Fatalf("vkmin.h was misread: %d structs, %d constants", structs, constants)
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "layout.c")
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	print := func(name string, flags ...string) []string {
		exe := filepath.Join(dir, name)
		if out, err := exec.Command(cc, append(flags, "-I.", "-o", exe, source)...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		out, err := exec.Command(exe).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(string(out), "\n")
	}
	ours, theirs := print("ours"), print("theirs", "-DREFERENCE")
	for i := range theirs {
		if ours[i] != theirs[i] {
			t.Errorf("vkmin.h has %q, Vulkan has %q", ours[i], theirs[i])
		}
	}
}
