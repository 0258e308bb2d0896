package harness

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/verify/harness/ctype"
)

//go:embed main.cu.tmpl
var mainText string

var mainTemplate = template.Must(template.New("main.cu").Parse(mainText))

// page holds the values for the template of the main.
type page struct {
	Runs           []runText
	Fills          map[string]bool // by kind, those that are used: others would be dead code
	Repeat, Choose bool
	Sized          bool     // how many elements arrays have is in the environment
	arrays         int      // so far
	StandIns       []string // of device functions that have no body
}

// runText is the function that makes one run.
type runText struct {
	Index       int
	Namespaces  []string // to be opened: types of parameters may be in them
	Lines       []string // declarations and fillers
	Name        string
	Quoted      string // name as a C string
	Config      string // what stands between <<< and >>>
	Extents     string // grid, block and bytes of shared memory, for a function that launches
	Shares      int    // the number of the run whose function launches the kernel, 0 for none
	Arguments   string
	Addresses   string // of the arguments, for a cooperative launch; "" for any other
	Cooperative string // and the rest of its arguments
	Buffers     []string
}

// Option changes the main.
type Option uint8

// Repeat makes the main do everything EnvRepeat times, once where that is not set: arrays are allocated, filled and
// copied anew each time, and so each time does the same.
const Repeat Option = 1

// StandIns gives device functions without a body, which are in files that are not there, one that
// changes nothing and returns zero.
const StandIns Option = 2

// Numbered makes the main take the numbers of the runs to make, from 1, as its arguments: all of them where there is none.
const Numbered Option = 3

// Sized makes the main look up how many elements its arrays have in EnvSizes.
const Sized Option = 4

// EnvRepeat is the environment that a main reads that was made with Repeat.
const EnvRepeat = "SMUX_BENCH_REPEAT"

// ResolveAll resolves specifications, which must be for kernels of one file and of those that it includes.
func ResolveAll(p *parser.Program, specs []*Spec) ([]*Run, error) {
	var runs []*Run
	var errs Errors
	for _, s := range specs {
		r, err := Resolve(p, s)
		if errs = errs.With(err); err != nil {
			continue
		}
		if runs = append(runs, r); r.File != runs[0].File && compiledIn(p, r.File) != compiledIn(p, runs[0].File) {
			errs = append(errs, s.named.wrong(CodeKernel, "run them one by one", "%s is in another file than %s", r.Name, runs[0].Name))
		}
	}
	if len(specs) == 0 {
		return nil, errors.New("no specification is given")
	}
	return runs, errs.OrNil()
}

func emit(p *parser.Program, runs []*Run, options []Option) ([]byte, error) {
	pg := page{Fills: map[string]bool{}, Repeat: slices.Contains(options, Repeat), Choose: slices.Contains(options, Numbered), Sized: slices.Contains(options, Sized)}
	if slices.Contains(options, StandIns) {
		pg.StandIns = StandInsFor(p, compiledIn(p, runs[0].File))
	}
	launcher := map[string]int{} // the number of the first run of a kernel
	for i, r := range runs {
		t := pg.run(i+1, r)
		if pg.Choose && t.Addresses == "" {
			if launcher[r.Name] == 0 {
				launcher[r.Name] = t.Index
			}
			t.Shares = launcher[r.Name]
		}
		pg.Runs = append(pg.Runs, t)
	}
	var out bytes.Buffer
	if err := mainTemplate.Execute(&out, pg); err != nil {
		return nil, fmt.Errorf("writing a main: %w", err)
	}
	return bytes.ReplaceAll(out.Bytes(), []byte("\n"), []byte(runs[0].File.Newline())), nil
}

func (pg *page) run(index int, r *Run) runText {
	t := runText{Index: index, Name: r.Name, Quoted: strconv.Quote(r.Name)}
	for i := range r.namespaces {
		t.Namespaces = append(t.Namespaces, strings.Join(r.namespaces[:i+1], "::"))
	}
	if len(r.namespaces) == 0 && slices.ContainsFunc(r.Values, func(v Value) bool { return v.Name == r.Kernel.Name }) {
		t.Name = "::" + t.Name
	}
	var arguments, uploads []string
	object := func(v Value) string { // the variable that holds an array
		return strings.Map(func(c rune) rune {
			if c == '.' || c == '[' {
				return '_'
			} else if c == ']' {
				return -1
			}
			return c
		}, v.Name)
	}
	array := func(v Value) {
		name := object(v)
		count := strconv.FormatInt(v.Buffer.Count, 10)
		if pg.Sized {
			count = fmt.Sprintf("smux_bench::size(%d)", pg.arrays)
			pg.arrays++
		}
		t.Lines = append(t.Lines, fmt.Sprintf("smux_bench::buffer<%s> %s(%q, %s);", v.Type, name, v.Name, count))
		if fill := pg.fill(name, v); fill != "" {
			t.Lines = append(t.Lines, fill)
		}
		uploads = append(uploads, name+".upload();")
		t.Buffers = append(t.Buffers, name)
	}
	open := map[string]bool{} // parameters with members that are set
	for _, m := range slices.Concat(r.Members, r.Sets) {
		parameter, _ := ParameterOf(m.Name)
		open[parameter] = true
	}
	for _, v := range r.Values {
		if v.Buffer == nil {
			if v.Text == "nullptr" || strings.HasSuffix(v.Text, ".device") {
				arguments = append(arguments, v.Text)
				continue
			}
			typ := v.Type
			typ = cmp.Or(typ, "auto")
			if !open[v.Name] {
				typ = "const " + typ
			}
			t.Lines = append(t.Lines, fmt.Sprintf("%s %s = %s;", typ, v.Name, v.Text))
			arguments = append(arguments, v.Name)
			continue
		}
		array(v)
		arguments = append(arguments, v.Cast+v.Name+".device")
	}
	for _, m := range r.Sets {
		uploads = append(uploads, fmt.Sprintf("%s = %s;", m.Name, m.Text))
	}
	for _, m := range r.Members {
		array(m)
		uploads = append(uploads, fmt.Sprintf("%s = %s.device;", m.Name, object(m)))
	}
	t.Lines = append(t.Lines, uploads...)
	t.Arguments = strings.Join(arguments, ", ")
	if HasWord(r.File.Text(r.Kernel.Body), "this_grid") && !slices.Contains(arguments, "nullptr") {
		t.Addresses = "nullptr"
		for i := len(arguments) - 1; i >= 0; i-- {
			t.Addresses = "(void *)&" + arguments[i] + ", " + t.Addresses
		}
	}
	t.Config = extents(r.Grid) + ", " + extents(r.Block)
	t.Extents = fmt.Sprintf("%s, %d", t.Config, r.Shared)
	t.Cooperative = fmt.Sprintf("%s, addresses, %d, (cudaStream_t)0", t.Config, r.Shared)
	if r.Shared > 0 {
		t.Config += ", " + strconv.FormatInt(r.Shared, 10)
	}
	if r.Shared > 48<<10 { // a kernel gets no more unless it is asked for
		t.Lines = append(t.Lines, fmt.Sprintf("smux_bench::check(cudaFuncSetAttribute(%s, cudaFuncAttributeMaxDynamicSharedMemorySize, %d), %s);", t.Name, r.Shared, t.Quoted))
	}
	return t
}

// extents writes a launch's grid or block, as a person would.
func extents(d [3]int64) string {
	if d[1] == 1 && d[2] == 1 {
		return strconv.FormatInt(d[0], 10)
	}
	return fmt.Sprintf("dim3(%d, %d, %d)", d[0], d[1], d[2])
}

// fill returns the statement that fills an array, "" for zeros: memory is allocated zeroed.
func (pg *page) fill(name string, v Value) string {
	scalar, lanes := ctype.Components(v.Type)
	host, count := name+".host", strconv.FormatInt(v.Buffer.Count*lanes, 10)
	if pg.Sized {
		count = fmt.Sprintf("%s.count * %d", name, lanes)
	}
	if lanes > 1 {
		host = fmt.Sprintf("(%s *)%s", scalar, host)
	}
	kind, args := v.Buffer.Fill, host+", "+count
	switch {
	case kind == "" || kind == "zero":
		return ""
	case kind == "distinct" && ctype.Canonical(scalar) == "": // a structure: each of its words, which may say how often a loop goes round
		args = fmt.Sprintf("(unsigned *)%s.host, %s.bytes() / sizeof(unsigned)", name, name)
	case kind == "file":
		args = fmt.Sprintf("%s.host, %s.bytes(), %s", name, name, strconv.Quote(v.Buffer.Path))
	case kind == "bytes":
		args = fmt.Sprintf("%s.host, %s.bytes()", name, name)
	}
	if kind == "random" || kind == "distinct" || kind == "bytes" {
		args += fmt.Sprintf(", %du", seed(v.Name))
	}
	if kind == "distinct" && ctype.Canonical(scalar) == "" {
		args += ", 1000"
	}
	for _, number := range v.Buffer.Values {
		args += ", " + double(number)
	}
	pg.Fills[kind] = true
	return fmt.Sprintf("smux_bench::fill_%s(%s);", kind, args)
}

// seed makes what a buffer holds depend on its name alone.
func seed(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()
}

// double writes a number as a C literal of type double.
func double(v float64) string {
	s := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
