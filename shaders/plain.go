package shaders

import (
	"encoding/binary"
	"slices"
)

// Opcodes and numbers of SPIR-V, and of NonSemantic.Shader.DebugInfo.100, that matter here.
const (
	opSource        = 3
	opString        = 7
	opLine          = 8
	opExtension     = 10
	opExtInstImport = 11
	opExtInst       = 12
	opConstant      = 43
	opNoLine        = 317

	debugSource = 35
	debugLine   = 103
	debugNoLine = 104

	sourceGLSL = 2
)

const debugInfo = "NonSemantic.Shader.DebugInfo.100"

// Sourced is the debug variant of a shader for devices without the feature
// NonSemanticInfo: its source and lines are told by instructions that SPIR-V always had,
// which is all that debuggers show them by. What variables are called is lost.
func Sourced(name string) []byte {
	module := Load(name, true)
	words := make([]uint32, len(module)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(module[4*i:])
	}
	p := plain{constants: map[uint32]uint32{}, files: map[uint32]uint32{}, texts: map[uint32][]uint32{}}
	p.out = append(p.out, words[:5]...)
	for at := 5; at < len(words); {
		n := int(words[at] >> 16)
		p.take(words[at : at+n])
		at += n
	}
	out := slices.Insert(p.out, p.sourcesAt, p.sources...)
	b := make([]byte, 0, 4*len(out))
	for _, w := range out {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// plain makes a module without the instructions of a debug set.
type plain struct {
	out       []uint32
	set       uint32              // id of the debug set
	constants map[uint32]uint32   // values of 32 bits, by id
	files     map[uint32]uint32   // names of DebugSource's files, by its id
	texts     map[uint32][]uint32 // of OpString, by id
	sources   []uint32            // OpSource instructions
	sourcesAt int                 // where they belong: behind the strings
}

// take takes the next instruction.
func (p *plain) take(w []uint32) {
	switch op := w[0] & 0xffff; {
	case op == opExtension && literal(w[1:]) == "SPV_KHR_non_semantic_info":
		return
	case op == opExtInstImport && literal(w[2:]) == debugInfo:
		p.set = w[1]
		return
	case op == opExtInst && w[3] == p.set:
		p.debug(w)
		return
	case op == opString:
		p.texts[w[1]] = w[2:]
		p.out = append(p.out, w...)
		p.sourcesAt = len(p.out)
		return
	case op == opConstant && len(w) == 4:
		p.constants[w[2]] = w[3]
	}
	p.out = append(p.out, w...)
}

// debug says in plain instructions what one of the debug set says.
func (p *plain) debug(w []uint32) {
	id, args := w[2], w[5:]
	switch w[4] {
	case debugSource:
		p.files[id] = args[0]
		if len(args) > 1 {
			text := p.texts[args[1]]
			p.sources = append(p.sources, uint32(4+len(text))<<16|opSource, sourceGLSL, 450, args[0])
			p.sources = append(p.sources, text...)
		}
	case debugLine:
		p.out = append(p.out, 4<<16|opLine, p.files[args[0]], p.constants[args[1]], p.constants[args[3]])
	case debugNoLine:
		p.out = append(p.out, 1<<16|opNoLine)
	}
}

// literal is the string in words.
func literal(words []uint32) string {
	var b []byte
	for _, w := range words {
		for range 4 {
			if byte(w) == 0 {
				return string(b)
			}
			b, w = append(b, byte(w)), w>>8
		}
	}
	return string(b)
}
