package cmd

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis"
	"github.com/smux-cuda/smux/analysis/profile"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/nvcc"
)

// pickInstance returns the compiled kernel that an instance runs. Of several
// instances of a template that the launch does not tell apart it is the one with
// the most registers; nil if none was compiled.
func pickInstance(kernels []nvcc.Kernel, k *analysis.Kernel, in *analysis.Instance) *nvcc.Kernel {
	var best *nvcc.Kernel
	for i := range kernels {
		c := &kernels[i]
		if c.Base() != k.Name || best != nil && best.Registers >= c.Registers {
			continue
		}
		args := templateArguments(c.Name)
		if agree(launchArguments(k, in, len(args)), args) {
			best = c
		}
	}
	return best
}

// fromPTXAS are the resources that a compiled kernel takes on a GPU. A compiler
// for an architecture with fewer registers per thread than the one that was
// compiled for would stop there, and spill.
func fromPTXAS(found *nvcc.Kernel, k *analysis.Kernel, in *analysis.Instance, g *gpu.GPU, arch string) resources {
	r := resources{
		Registers: found.Registers, Barriers: max(0, found.Barriers), Spills: found.SpillStores + found.SpillLoads, Stack: found.Stack,
		Shared: found.StaticShared + in.DynamicBytes, Exact: dynamicKnown(k, in), From: "ptxas " + arch,
	}
	if most := g.Arch.RegistersPerThread; r.Registers > most {
		r.Registers, r.From = most, r.From+", capped"
	}
	return r
}

// linesOf are the instructions of a kernel by the line that they were made of;
// functions that are called are left out, since nobody knows how often they run.
func linesOf(listings []*nvcc.Listing, mangled string) []profile.Line {
	var out []profile.Line
	for _, l := range listings {
		if l.Mangled != mangled {
			continue
		}
		for _, c := range l.Lines {
			if c.Called || c.Line == 0 {
				continue
			}
			file := c.File
			if file == stdinUnit {
				file = stdinName
			}
			bytes := c.SharedLoadBytes + c.SharedStoreBytes + c.GlobalLoadBytes + c.GlobalStoreBytes + 4*(c.SharedAtomics+c.GlobalAtomics)
			out = append(out, profile.Line{File: file, Line: c.Line, In: c.In.Line, Issue: float64(c.Issue), Memory: float64(bytes)})
		}
	}
	return out
}

// dynamicKnown reports whether all dynamic shared memory of an instance is known.
func dynamicKnown(k *analysis.Kernel, in *analysis.Instance) bool {
	uses := func(v *analysis.Shared) bool { return v.Dynamic }
	return in.DynamicBytes > 0 || !slices.ContainsFunc(k.Shared, uses)
}

// launchArguments are the template arguments of an instance, n of them, as text;
// "" for one that is not known.
func launchArguments(k *analysis.Kernel, in *analysis.Instance, n int) []string {
	out := make([]string, n)
	for i := range out {
		switch number, typ, ok := k.TemplateArgument(in, i); {
		case ok && typ != "":
			out[i] = plainArgument(typ)
		case ok:
			out[i] = strconv.FormatInt(number, 10)
		}
	}
	return out
}

// templateArguments splits "reduce<256, pair<int, float> >" at the commas of the
// last, outermost brackets; nil for a kernel that is no template.
func templateArguments(name string) []string {
	if !strings.HasSuffix(name, ">") {
		return nil
	}
	var out []string
	depth, end := 0, len(name)-1
	for i := len(name) - 1; i >= 0; i-- {
		switch c := name[i]; {
		case c == '>':
			depth++
		case c == ',' && depth == 1:
			out = append(out, plainArgument(name[i+1:end]))
			end = i
		case c == '<':
			if depth--; depth == 0 {
				out = append(out, plainArgument(name[i+1:end]))
				slices.Reverse(out)
				return out
			}
		}
	}
	return nil
}

// plainArgument makes two spellings of an argument equal.
func plainArgument(text string) string {
	switch text = strings.Join(strings.Fields(text), ""); text {
	case "true":
		return "1"
	case "false":
		return "0"
	}
	return text
}

// agree reports whether nothing says that a compiled instance is not the one
// that is launched. Only numbers count: a type has many names.
func agree(launched, compiled []string) bool {
	for i := range min(len(launched), len(compiled)) {
		a, err := strconv.ParseInt(launched[i], 10, 64)
		b, err2 := strconv.ParseInt(compiled[i], 10, 64)
		if err == nil && err2 == nil && a != b {
			return false
		}
		if wordOnly(launched[i]) && wordOnly(compiled[i]) && launched[i] != compiled[i] {
			return false
		}
	}
	return true
}

// wordOnly reports whether an argument is a type of the language, which has one
// name only.
func wordOnly(text string) bool {
	switch text {
	case "float", "double", "int", "char", "short", "bool", "long", "float2", "float4", "double2", "int2", "int4", "__half":
		return true
	}
	return false
}
