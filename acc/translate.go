package acc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/acc/texts"
	"github.com/smux-cuda/smux/acc/words"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/edit"
)

// Result is a translated file.
type Result struct {
	Text []byte // the CUDA program
	// KernelText is the file of kernels that Options.KernelFile asks for.
	KernelText []byte
	Messages   []diag.Message // on it, by position
	Kernels    []string       // the names of the kernels, in the order of the text
	Nests      []Nest         // those of Kernels that have threads, as the directives come
	constructs map[int]string // what each became, with its kernels, by the place of its directive
}

// Options decide what directives leave open. With the zero value Translate decides by itself.
type Options struct {
	// Mappings map a kernel's name to how its threads share its iterations. Those that
	// are none of Nest.Mappings don't count.
	Mappings map[string]Mapping
	// Count has the launches written for a model to count: with the numbers of Nest.Trips and
	// Nest.Assumed for grids and sizes. The program is not to be run.
	Count bool
	// Atomic has thread blocks combine what they came to in a reduction by atomic operations on
	// the device. Their order, and so the last bits of a sum, is another one on each run.
	Atomic bool
	// KernelFile is the name of a file for the kernels, which the program then includes; "" where
	// they stand above their functions.
	KernelFile string
	// Given are the names of macros that the command line defines.
	Given []string

	inPlace  []string         // headers that are to stand in the file
	hidden   []string         // macros whose values are not to be used
	asserted map[int][]string // macros whose values a construct checks, by the place of its directive
}

// translation is a file on its way to CUDA.
type translation struct {
	*unit
	Result              // as far as it is made
	regions   []*region // data regions, outer ones first
	edits     edit.Buffer
	kernels   map[*parser.Function][]string // the texts that go before each function
	options   Options
	uses      map[string]string           // functions and macros that the program needs, by name
	follows   bool                        // it stays a C program (Follow)
	table     bool                        // what is present is known when the program runs
	device    map[string]bool             // functions that run on the device
	bound     map[string]string           // functions that others stand in for on the device
	constants []*variable                 // of the file, that functions of the device use
	noHost    map[string]*pragma          // functions for the device alone, with the directive that says so
	api       map[string]bool             // functions of openacc.h that the program calls
	older     []*parser.Node              // calls of them by names of earlier versions
	generated map[*parser.Function]string // the text that stands for the constructs of each function
}

// Reading are the options with which a program is read that is to be translated.
func Reading(defines ...string) parser.Options {
	return parser.Options{Closed: true, C: true, Defines: append([]string{"_OPENACC=202211", "__STDC_VERSION__=" + words.Version}, defines...)}
}

// Translate translates one C file of a program that was read as Reading says. What can't be translated is an error of one diag.Message, or of
// several that errors.Join has joined.
func Translate(prog *parser.Program, f *parser.File, options Options) (*Result, error) {
	t, err := translate(prog, f, options)
	if err != nil {
		return nil, err
	}
	if options.Count {
		return &t.Result, nil
	}
	tried, mappings := map[string]*translation{}, map[string]Mapping{}
	for _, n := range t.Nests { // no result rests on them
		mappings[n.Kernel] = n.Mappings[0]
	}
	options.asserted = t.restsOn(func(hidden []string) *translation {
		key := strings.Join(hidden, " ")
		other, ok := tried[key]
		if !ok {
			options := options
			options.hidden, options.Mappings = hidden, mappings
			other, _ = translate(prog, f, options) // where it is refused there are constructs that are not
			tried[key] = other
		}
		return other
	})
	if len(options.asserted) > 0 {
		if t, err = translate(prog, f, options); err != nil {
			return nil, err
		}
	}
	return &t.Result, nil
}

// translate translates with the values of macros that the options leave, and with the headers in the file whose functions
// kernels call.
func translate(all *parser.Program, c *parser.File, options Options) (*translation, error) {
	prog, f, from, said, err := words.Plain(all, c, options.inPlace)
	if err != nil {
		return nil, err
	}
	t, err := read(prog, f, from, said, options)
	if err != nil {
		return nil, err
	}
	err = stopped(t.run)
	var needs needsHeader
	if errors.As(err, &needs) {
		options.inPlace = append(slices.Clip(options.inPlace), string(needs))
		return translate(all, c, options)
	}
	if err != nil {
		return t, err
	}
	text, err := t.edits.Apply(f.Src)
	var overlap *edit.OverlapError
	if errors.As(err, &overlap) {
		return nil, refusal(t.at(overlap.A.Start), CodeUnsupported, "two changes that meet here", "put braces around the statement of each directive").error
	}
	if options.Count { // and not to be run: a check around each call would be read for nothing
		text = checkedCall.ReplaceAll(text, []byte("$1;"))
	}
	slices.SortStableFunc(t.said, func(a, b diag.Message) int { return cmp.Compare(a.Pos.Line, b.Pos.Line) })
	t.Text, t.Messages = layout.Indented(text), t.said
	return t, err
}

// read reads a file, with what its headers declare, and its directives.
func read(prog *parser.Program, f *parser.File, from words.Places, said []diag.Message, options Options) (*translation, error) {
	src, err := newSource(f, options.hidden)
	if err != nil {
		return nil, err
	}
	src.from = from
	u := &unit{source: src, said: said, words: map[string]bool{}, labels: map[*parser.Node]map[*parser.Node][]*parser.Node{}}
	for _, k := range f.Tokens() {
		if k.Kind == parser.TokenIdent {
			u.words[string(f.Src[k.Start:k.End])] = true
		}
	}
	for _, h := range prog.Reach(f)[1:] {
		s, err := newSource(h, options.hidden)
		if err != nil {
			return nil, err
		}
		u.headers = append(u.headers, s)
	}
	if err := u.readPragmas(); err != nil {
		return nil, err
	}
	u.readSymbols()
	u.readCasts()
	u.readMembers()
	return &translation{unit: u, options: options, Result: Result{constructs: map[int]string{}}, kernels: map[*parser.Function][]string{}, uses: map[string]string{},
		generated: map[*parser.Function]string{}, bound: map[string]string{}, api: map[string]bool{}, noHost: map[string]*pragma{}}, nil
}

func (t *translation) run() {
	t.readRoutines()
	t.readAPI()
	t.table = t.crosses() || t.apiNeeds(texts.CallsTable.MatchString)
	t.routines()
	t.readRows()
	stopFor(t.checkCPlusPlus())
	t.prototypeRows()
	t.nameStructures()
	stopFor(t.checkTwice())
	by := map[string]func(*pragma){
		"data": t.data, "update": t.update, "enter data": t.enter, "exit data": t.enter, "declare": t.declare, "host_data": t.hostData, "wait": t.wait,
		"init": t.devices, "shutdown": t.devices, "set": t.devices, "cache": t.cache,
	}
	stopFor(each(t.pragmas, func(p *pragma) {
		switch handle := by[p.Name]; {
		case handle != nil:
			handle(p)
		case t.inConstruct(p) || p.Name == "routine": // the construct around another one is refused
		case p.Compute():
			t.compute(p)
		case p.Name == "loop" && t.inRoutine(p):
			t.loopOfRoutine(p)
		case p.Name == "atomic" && t.inRoutine(p):
			refuseIf(!t.deviceAlone(p.fn), t.at(p.Pos), CodeUnsupported, "atomic in a function that the host may call", "write routine with nohost, or have kernels alone call the function and declare it static")
			e := &emitter{translation: t, construct: &construct{u: t.unit, stmt: p.fn.Body}} // of no region
			t.replace(p.stmt, e.atomicText(t.plainPrinter(), p))
		case p.Name == "loop":
			panic(refusal(t.at(p.Pos), CodeStatement, "loop stands outside of a compute construct", "write parallel loop, or put it in a parallel or kernels construct"))
		default:
			panic(refusal(t.at(p.Pos), CodeStatement, p.Name+" stands outside of a compute construct", "put it over a statement of a kernel"))
		}
	}))
	stopFor(untaken(t.unit))
	for _, p := range t.pragmas { // whose lines nothing that is replaced holds
		if !slices.ContainsFunc(computing(t.pragmas), func(q *pragma) bool { return q != p && t.holds(q.stmt, p.start) }) {
			from, to := t.wholeLines(p.start, p.end)
			t.edits.Replace(from, to, "")
		}
	}
	t.writeKernels()
	t.linkage() // after the kernels of a function, which go to the same place
	t.localTypes()
	t.bindCalls()
	t.deviceConstants()
	t.markRoutines()
	t.dropUnused()
	t.wordsOfHeaders()
	t.writeRows()
	t.host()
	t.writeAPI()
	t.prelude()
	t.isOpenACC()
	t.tellGiven()
}

// ahead inserts whole lines before all else that is inserted at a place.
func (t *translation) ahead(at int, text string) {
	t.edits.Prepend(edit.Edit{Start: at, End: at, New: text})
}

func (t *translation) replace(n *parser.Node, text string) {
	from, to := t.rangeOf(n)
	t.edits.Replace(from, to, text)
}

// wrap writes text before and after a node; "" for none.
func (t *translation) wrap(n *parser.Node, before, after string) {
	from, to := t.rangeOf(n)
	t.edits.Insert(from, before)
	if after != "" {
		t.edits.Insert(to, after)
	}
}

func (t *translation) inConstruct(p *pragma) bool {
	return p.stmt != nil && t.isIn(p.stmt, func(q *pragma) bool { return q.Compute() && p.start > q.start })
}

// holds reports whether an offset of the original is in a node.
func (s *source) holds(n *parser.Node, at int) bool {
	from, to := s.rangeOf(n)
	return from <= at && at < to
}

// above is the place for text before a function: the start of its first line, or of the comment above it.
func (t *translation) above(f *parser.Function) int {
	at := t.lineStart(t.startOf(f))
	for c := previous(f.Outer); c != nil && c.Kind == parser.KindComment; c = previous(c) {
		a, z := t.rangeOf(c)
		if gap := string(t.file.Src[z:at]); strings.TrimSpace(gap) != "" || strings.Count(gap, "\n") > 1 || t.lineBefore(a) != t.lineStart(a) {
			break
		}
		at = t.lineStart(a)
	}
	return at
}

// startOf is the place of a function in the original.
func (s *source) startOf(f *parser.Function) int {
	from, _ := s.original(f.Start, f.Start+1)
	return from
}

// previous is the sibling before a node, nil for none.
func previous(n *parser.Node) (before *parser.Node) {
	for c := n.Parent.First; c != nil && c != n; c = c.Next {
		before = c
	}
	return before
}

// kernelName names a kernel after its function and a line of it.
func (t *translation) kernelName(p *pragma, at int) string {
	name := t.unused(fmt.Sprintf("%s_%d_kernel", p.fn.Name, t.at(at).Line))
	t.words[name] = true
	return name
}
