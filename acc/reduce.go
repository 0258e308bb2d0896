package acc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/acc/texts"
	"github.com/smux-cuda/smux/internal/lists"
)

// operation is one operator of reductions. Where a value may be combined twice nothing is neutral: a thread begins with the variable's value.
type operation struct{ name, combine, neutral string }

var operations = map[string]operation{
	"+":   {"sum", "value + other", "0"},
	"*":   {"product", "value * other", "1"},
	"^":   {"xor", "value ^ other", "0"},
	"max": {"max", "other > value ? other : value", ""},
	"min": {"min", "other < value ? other : value", ""},
	"&":   {"and", "value & other", ""},
	"|":   {"or", "value | other", ""},
	"&&":  {"all", "value && other", ""},
	"||":  {"any", "value || other", ""},
}

// helper is a function that a reduction calls, by the name of its text.
func (t *translation) helper(r reduction, kind string) string {
	op := operations[r.op]
	word := op.name + "_" + strings.ReplaceAll(r.v.base, " ", "_")
	name := fmt.Sprintf("acc_%s_%s", kind, word)
	t.uses[name] = strings.NewReplacer("NAME", name, "TYPE", r.v.base, "COMBINE", op.combine, "NEUTRAL", cmp.Or(op.neutral, "parts[0]"), "OP_WORD", word).Replace(texts.Pieces[kind])
	return name
}

func (c *construct) checkReduction(r reduction) {
	at := c.u.at(c.pragma.Pos)
	switch {
	case r.elements < 0:
		panic(refusal(at, CodeUnsupported, fmt.Sprintf("a reduction of the array %s, of which each thread would have to have one", r.v.name),
			fmt.Sprintf("reduce its first elements, at most %d, with a constant number: reduction(+:a[0:4]); or use atomic", largestReduced)))
	case numberNamed(r.v.resolved).Bytes == 0: // shuffles take them all
		panic(refusal(at, CodeUnsupported, fmt.Sprintf("a reduction of type %s", r.v.base), "reduce an int, a long, a float or a double, and convert it after the loop"))
	case strings.ContainsAny(r.op, "&|^") && (r.v.resolved == "float" || r.v.resolved == "double") && r.op != "&&" && r.op != "||":
		panic(refusal(at, CodeUnsupported, fmt.Sprintf("the operator %s on type %s", r.op, r.v.base), "use an operator that C has for the type"))
	}
}

// begins writes the value that a thread begins a reduction with. An array of the thread's own stands in for an array.
func (e *emitter) begins(body *layout.Lines, text *kernelText, r reduction) {
	neutral, element := operations[r.op].neutral, e.unused("element")
	if r.elements == 0 {
		if neutral != "" {
			body.Add(fmt.Sprintf("%s %s = %s;", r.v.base, r.v.name, neutral))
		}
		return
	}
	body.Add(fmt.Sprintf("%s %s[%d];", r.v.base, r.v.name, r.elements), r.head(element))
	if neutral == "" {
		neutral = r.v.name + "_before[" + element + "]"
		text.params = append(text.params, parameter{fmt.Sprintf("const %s *%s_before", r.v.base, r.v.name), e.partsOf(r) + "_before"})
	}
	body.Add(fmt.Sprintf("    %s[%s] = %s;", r.v.name, element, neutral))
}

// combine writes what a block does with the values of its threads.
func (e *emitter) combine(body *layout.Lines, text *kernelText, k *kernelStep) {
	body.Apart()
	element, number := e.unused("element"), e.unused("block")
	each := func(r reduction, statement func(value string) string) {
		if r.elements == 0 {
			body.Add(statement(r.v.name))
		} else {
			body.Add(r.head(element), "    "+statement(r.v.name+"["+element+"]"))
		}
	}
	for _, r := range k.reductions {
		if k.phases == nil { // else all threads have the same
			block := e.helper(r, "block")
			each(r, func(value string) string { return fmt.Sprintf("%s = %s(%s);", value, block, value) })
		}
	}
	body.Open("if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)")
	suffix := "_total"
	if !e.options.Atomic {
		suffix = "_of_block"
		body.Add(fmt.Sprintf("unsigned %s = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);", number))
	}
	for _, r := range k.reductions {
		where, place := r.v.name+suffix, number
		if r.elements > 0 {
			where, place = "&"+where+"["+element+"]", fmt.Sprintf("%d * %s + %s", r.elements, number, element)
		}
		each(r, func(value string) string {
			if e.options.Atomic {
				return e.atomicReduction(r, where, value) + ";"
			}
			return fmt.Sprintf("%s_of_block[%s] = %s;", r.v.name, place, value)
		})
		text.params = append(text.params, parameter{fmt.Sprintf("%s *%s%s", r.v.base, r.v.name, suffix), e.partsOf(r)})
	}
	body.Shut()
}

// head is the head of a loop over the elements of an array that is reduced.
func (r reduction) head(element string) string {
	return fmt.Sprintf("for (int %[2]s = 0; %[2]s < %[1]d; %[2]s++)", r.elements, element)
}

func (e *emitter) launchReduction(k *kernelText, nest *kernelStep, grid, block []string) {
	e.out.Open("")
	configuration, blocks := fmt.Sprintf("dim3(%s)", strings.Join(grid, ", ")), e.unused("blocks")
	if !e.options.Atomic {
		configuration = e.unused("grid")
		e.out.Add(fmt.Sprintf("dim3 %s(%s);", configuration, strings.Join(grid, ", ")), fmt.Sprintf("unsigned %s = %[2]s.x * %[2]s.y * %[2]s.z;", blocks, configuration))
	}
	for _, r := range nest.reductions {
		if e.moved[r.v] {
			e.out.Add(fmt.Sprintf("%s %s;", r.v.base, e.reducedIn(r.v)), copyText("&"+e.reducedIn(r.v), e.region.of(r.v).device, "sizeof("+r.v.base+")", toHost, ""))
		}
		d, bytes := e.partsOf(r), r.bytes()
		copied := func(name string) { // of the host's value
			e.out.Add(fmt.Sprintf("%s *%s;", r.v.base, name), fmt.Sprintf("ACC_CHECK(cudaMalloc(&%s, %s));", name, bytes), copyText(name, r.host(e), bytes, toDevice, ""))
		}
		if r.elements > 0 && operations[r.op].neutral == "" {
			copied(d + "_before")
		}
		if e.options.Atomic {
			copied(d)
		} else {
			e.out.Add(fmt.Sprintf("%s *%s;", r.v.base, d), fmt.Sprintf("ACC_CHECK(cudaMalloc(&%s, %s * %s));", d, bytes, blocks))
		}
	}
	e.call(k, configuration, "dim3("+strings.Join(block, ", ")+")")
	for _, r := range nest.reductions {
		d, bytes := e.partsOf(r), r.bytes()
		switch {
		case e.options.Atomic:
			e.out.Add(copyText(r.host(e), d, bytes, toHost, ""), fmt.Sprintf("ACC_CHECK(cudaFree(%s));", d))
		case r.elements > 0:
			e.out.Add(fmt.Sprintf("%s(%s, %d, %s, %s);", e.helper(r, "totals"), r.v.name, r.elements, d, blocks))
		default:
			e.out.Add(fmt.Sprintf("%[1]s = %[2]s(%[1]s, %[3]s, %[4]s);", e.reducedIn(r.v), e.helper(r, "total"), d, blocks))
		}
		if r.elements > 0 && operations[r.op].neutral == "" {
			e.out.Add(fmt.Sprintf("ACC_CHECK(cudaFree(%s_before));", d))
		}
		if e.moved[r.v] {
			e.out.Add(copyText(e.region.of(r.v).device, "&"+e.reducedIn(r.v), "sizeof("+r.v.base+")", toDevice, ""))
		}
	}
	e.out.Shut()
}

// partsOf is a name for the memory that thread blocks leave in what they came to.
func (e *emitter) partsOf(r reduction) string {
	if e.moved[r.v] {
		return e.unused(e.deviceName(r.v) + "_parts")
	}
	return e.deviceName(r.v)
}

// unused is a name that the program does not have.
func (u *unit) unused(name string) string {
	for u.words[name] {
		name += "_"
	}
	return name
}

func (r reduction) bytes() string {
	size := "sizeof(" + r.v.base + ")"
	if r.elements > 0 {
		size += fmt.Sprintf(" * %d", r.elements)
	}
	return size
}

func (r reduction) host(e *emitter) string {
	if r.elements > 0 {
		return r.v.name
	}
	return "&" + e.reducedIn(r.v)
}

// reducedIn is the variable of the host in which blocks are added up: one of its own for what lives on the device.
func (e *emitter) reducedIn(v *variable) string {
	if e.moved[v] {
		return e.unused(v.name + "_reduced")
	}
	return v.name
}

// atomicReduction is the call that combines what a block came to into what all blocks come to.
func (e *emitter) atomicReduction(r reduction, where, value string) string {
	name := nativeAtomics[r.op]
	if (name == "" || !r.v.isIntegerOf(4)) && (r.op != "+" || r.v.resolved != "float") {
		name = e.atomicHelper(r.v, operations[r.op].name, "cas", operations[r.op].combine, "")
	}
	return fmt.Sprintf("%s(%s, %s)", name, where, value)
}

// largestReduced is the largest number of elements of an array that is reduced, of which each thread has its own.
const largestReduced = 256

// elementsOf counts the elements of an array that a reduction names: 0 of a variable, less if unknown.
func (u *unit) elementsOf(p *pragma, v *variable, a directive.Arg) int {
	if v.isScalar() {
		return 0
	}
	section := append(a.Sections, directive.Section{})[0]
	n, ok := u.constant(v.derived[0].size)
	if section.Length != "" {
		n, ok = u.value(section.Length, p)
	}
	if c, known := u.value(cmp.Or(section.Lower, "0"), p); !ok || n <= 0 || n > largestReduced || !known || c != 0 || len(v.derived) > 1 {
		return -1
	}
	return int(n)
}

// reducedArrays are the arrays that nests of the construct reduce: they are no memory that kernels share.
func (c *construct) reducedArrays() map[*variable]bool {
	out := map[*variable]bool{}
	for _, k := range flattenNests(c.steps) {
		for _, r := range lists.Filter(k.reductions, func(r reduction) bool { return r.elements != 0 }) {
			out[r.v] = true
			for _, a := range lists.Filter(c.u.accessesOf(c.stmt), func(a access) bool { return a.v == r.v }) {
				refuseIf(!within(a.node, k.nest[0].node), c.u.place(a.node), CodeUnsupported, fmt.Sprintf("%s, an array that a loop of the region reduces, outside of that loop", r.v.name), "end the region before it, and begin another one")
				refuseIf(a.whole || len(a.subs) != 1, c.u.place(a.node), CodeUnsupported, fmt.Sprintf("the address of %s, which is reduced", r.v.name), "name its elements")
			}
		}
	}
	return out
}

// withoutReduced takes what the reduction brings back out of a region.
func (r *region) withoutReduced(c *construct, arrays map[*variable]bool) {
	r.items = slices.DeleteFunc(r.items, func(i *item) bool {
		reduced := arrays[i.v] || i.v.isScalar() && c.reduced[i.v] && !c.moved[i.v]
		refuseIf(reduced && (!i.out || i.zero || !i.in && arrays[i.v] || i.outer != nil), c.u.at(r.pragma.Pos), CodeUnsupported,
			fmt.Sprintf("%s in a reduction and in a clause other than copy", i.v.name), "leave it to the reduction")
		return reduced
	})
}
