package harness

import (
	"cmp"
	"fmt"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
)

// mostMeasures is the number of times that arrays are sized anew: what they hold may say how far others
// are accessed. After steadyMeasures what whole numbers are no longer depends on how many there are.
const mostMeasures, steadyMeasures = 7, 3

// Measure sets how many elements each array of the runs has: as many as its kernel accesses.
// extents runs a program and returns the bytes up to which each array is accessed, in the
// order in which they are made. The runs must be for kernels of one file. Where one of them ends the program, the
// others are measured without it. measured is called after the last run of those that are measured together.
func Measure(prog *parser.Program, chosen []*Chosen, extents func(*parser.Program) (map[int]int64, error), measured func()) error {
	for i := range mostMeasures {
		specs, err := Specs(chosen)
		if err != nil {
			return err
		}
		run, err := attach(prog, specs, StandIns)
		if err != nil {
			return err
		}
		bytes, err := extents(run)
		if err != nil {
			return err
		}
		changed, all := resize(chosen, bytes, i+1 == steadyMeasures)
		if half := len(chosen) / 2; !all && half > 0 {
			return cmp.Or(Measure(prog, chosen[:half], extents, measured), Measure(prog, chosen[half:], extents, measured))
		}
		if !changed {
			break
		}
	}
	measured()
	return nil
}

// mostElements limits what a subscript that nothing keeps small makes of an array.
const mostElements = 1 << 20

// resize gives arrays the elements that were accessed, and reports whether that may change how far others
// are: where one has grown, or one of whole numbers, which may be subscripts, holds others; and whether all were measured.
func resize(chosen []*Chosen, bytes map[int]int64, steady bool) (changed, all bool) {
	number := 0
	all = true
	for _, c := range chosen {
		// The main makes those of members last.
		for _, members := range []bool{false, true} {
			for i := range c.Arrays {
				a := &c.Arrays[i]
				if _, member := (&Buffer{Name: a.Name}).isMember(); member != members {
					continue
				}
				n, ok := bytes[number]
				number++
				if all = all && ok; !ok {
					continue
				}
				scalar, lanes := components(a.Type)
				size := cmp.Or(scalarBytes[canonical(scalar)]*lanes, 1) // of an unknown type what lies past the end goes unseen
				count := min(max(1, (n+size-1)/size), mostElements)
				whole := integerBits[canonical(a.Type)] != 0
				moved := count > a.Count || count != a.Count && whole
				if moved && whole && steady && a.Fill == "distinct" {
					a.Fill = fmt.Sprintf("random(1,%d)", max(2, min(count, 100)))
				}
				changed, a.Count = changed || moved, count
			}
		}
	}
	return changed, all
}

var scalarBytes = map[string]int64{
	"bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "__half": 2, "__nv_bfloat16": 2,
	"int": 4, "unsigned int": 4, "float": 4, "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8, "double": 8,
}

// Specs returns runs as specifications.
func Specs(chosen []*Chosen) (out []*Spec, err error) {
	var errs Errors
	for _, c := range chosen {
		s, err := c.Spec()
		if errs = errs.with(err); err == nil {
			out = append(out, s)
		}
	}
	return out, errs.orNil()
}

// attach gives a program a main for specifications.
func attach(prog *parser.Program, specs []*Spec, options ...Option) (*parser.Program, error) {
	host, text, err := Attach(prog, specs, options...)
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, f := range prog.Files { // a main of another file would be a second one
		texts[f.Name] = withoutMain(f)
	}
	texts[host.Name] = text
	run, err := prog.WithTexts(texts)
	if err != nil {
		return nil, diag.Failed("reading the program made for the kernel", err)
	}
	return run, nil
}
