package directive

import (
	"slices"

	"github.com/smux-cuda/smux/internal/lists"
)

// form is the form of a clause's parentheses.
type form uint8

const (
	bare         form = iota // nothing
	expression               // one expression
	optional                 // nothing, or one expression
	expressions              // expressions, or nothing with no parentheses
	variables                // variables and array sections
	reduced                  // an operator, a colon, variables
	words                    // names that are no variables: default(none), device_type(nvidia)
	optionalKeys             // nothing, or expressions with keys: gang(static: 4), wait(devnum: 0: queues: 1)
)

// clauseSpec is one clause as OpenACC has it.
type clauseSpec struct {
	name      string
	form      form
	modifiers []string // words that may stand before a colon
	keys      []string // of optionalKeys
	words     []string // the only words that it takes; none where any will do
	repeated  bool     // may stand more than once on a directive
	older     []string // names of earlier versions
}

// clauseSpecs are all clauses (OpenACC 3.3, section 2). A clause whose form depends on
// its directive has two names here: "self" is the condition of a compute construct, and
// of update the list is called "host", which both words mean there.
var clauseSpecs = []clauseSpec{
	{name: "async", form: optional},
	{name: "wait", form: optionalKeys, keys: []string{"devnum", "queues"}, repeated: true},
	{name: "num_gangs", form: expressions},
	{name: "device_type", form: words, repeated: true, older: []string{"dtype"}},
	{name: "self", form: optional},
	{name: "default", form: words, words: []string{"none", "present"}},
	{name: "reduction", form: reduced, repeated: true},

	{name: "copy", form: variables, repeated: true, modifiers: []string{"always", "alwaysin", "alwaysout", "capture"}, older: []string{"pcopy", "present_or_copy"}},
	{name: "copyin", form: variables, repeated: true, modifiers: []string{"always", "alwaysin", "capture", "readonly"}, older: []string{"pcopyin", "present_or_copyin"}},
	{name: "copyout", form: variables, repeated: true, modifiers: []string{"always", "alwaysout", "capture", "zero"}, older: []string{"pcopyout", "present_or_copyout"}},
	{name: "create", form: variables, repeated: true, modifiers: []string{"capture", "zero"}, older: []string{"pcreate", "present_or_create"}},

	{name: "collapse", form: expression, modifiers: []string{"force"}},
	{name: "gang", form: optionalKeys, keys: []string{"num", "dim", "static"}},
	{name: "worker", form: optionalKeys, keys: []string{"num"}},
	{name: "vector", form: optionalKeys, keys: []string{"length"}},
	{name: "tile", form: expressions},
	{name: "bind", form: words},
}

func init() {
	plain := func(form form, names ...string) {
		for _, name := range names {
			clauseSpecs = append(clauseSpecs, clauseSpec{name: name, form: form, repeated: form == variables})
		}
	}
	plain(variables, "no_create", "present", "deviceptr", "attach", "delete", "detach", "private", "firstprivate", "use_device", "device_resident", "link", "host", "device")
	plain(expression, "num_workers", "vector_length", "if", "device_num", "default_async")
	plain(bare, "finalize", "if_present", "seq", "independent", "auto", "read", "write", "update", "capture", "nohost")
}

// operators are those of reductions in C (OpenACC 3.3, section 2.5.15).
var operators = []string{"+", "*", "max", "min", "&", "|", "^", "&&", "||"}

// spec is one directive as OpenACC has it.
type spec struct {
	name     string
	loop     bool
	argument form // what stands in parentheses after the name; bare for nothing
	required bool // it must stand there
	clauses  []string
	apart    [][]string // of each group at most one
	oneOf    []string   // at least one of these is there; none: no clause is needed
}

var (
	dataClauses = []string{"copy", "copyin", "copyout", "create", "no_create", "present", "deviceptr", "attach", "default"}
	queues      = []string{"async", "wait", "device_type"}
	loopClauses = []string{"collapse", "gang", "worker", "vector", "seq", "independent", "auto", "tile", "device_type", "private", "reduction"}
	loopApart   = [][]string{{"seq", "independent", "auto"}, {"seq", "gang"}, {"seq", "worker"}, {"seq", "vector"}, {"collapse", "tile"}}

	parallelClauses = join(queues, dataClauses, []string{"num_gangs", "num_workers", "vector_length", "if", "self", "reduction", "private", "firstprivate"})
	kernelsClauses  = join(queues, dataClauses, []string{"num_gangs", "num_workers", "vector_length", "if", "self"})
	serialClauses   = join(queues, dataClauses, []string{"if", "self", "reduction", "private", "firstprivate"})
)

// specs are all directives (OpenACC 3.3, section 2), two words before the one that they begin with.
var specs = []spec{
	{name: "parallel loop", loop: true, clauses: join(parallelClauses, loopClauses), apart: loopApart},
	{name: "parallel", clauses: parallelClauses},
	{name: "kernels loop", loop: true, clauses: join(kernelsClauses, loopClauses), apart: loopApart},
	{name: "kernels", clauses: kernelsClauses},
	{name: "serial loop", loop: true, clauses: join(serialClauses, loopClauses), apart: loopApart},
	{name: "serial", clauses: serialClauses},
	{name: "loop", loop: true, clauses: loopClauses, apart: loopApart},

	{name: "data", clauses: join(queues, dataClauses, []string{"if"}), oneOf: dataClauses},
	{name: "enter data", clauses: []string{"if", "async", "wait", "copyin", "create", "attach"}, oneOf: []string{"copyin", "create", "attach"}},
	{name: "exit data", clauses: []string{"if", "async", "wait", "copyout", "delete", "detach", "finalize"}, oneOf: []string{"copyout", "delete", "detach"}},
	{name: "host_data", clauses: []string{"use_device", "if", "if_present"}, oneOf: []string{"use_device"}},
	{name: "declare", clauses: []string{"copy", "copyin", "copyout", "create", "present", "deviceptr", "device_resident", "link"},
		oneOf: []string{"copy", "copyin", "copyout", "create", "present", "deviceptr", "device_resident", "link"}},
	{name: "update", clauses: join(queues, []string{"if", "if_present", "host", "device"}), oneOf: []string{"host", "device"}},

	{name: "cache", argument: variables, required: true},
	{name: "atomic", clauses: []string{"read", "write", "update", "capture", "if"}, apart: [][]string{{"read", "write", "update", "capture"}}},
	{name: "routine", argument: words, clauses: []string{"gang", "worker", "vector", "seq", "bind", "device_type", "nohost"},
		apart: [][]string{{"gang", "worker", "vector", "seq"}}, oneOf: []string{"gang", "worker", "vector", "seq"}},
	{name: "wait", argument: optionalKeys, clauses: []string{"async", "if"}},
	{name: "init", clauses: []string{"device_type", "device_num", "if"}},
	{name: "shutdown", clauses: []string{"device_type", "device_num", "if"}},
	{name: "set", clauses: []string{"default_async", "device_num", "device_type", "if"}, oneOf: []string{"default_async", "device_num", "device_type"}},
}

// join puts lists one after another, each name once.
func join(all ...[]string) []string { return lists.Distinct(slices.Concat(all...)) }

func specOf(name string) spec {
	if i := slices.IndexFunc(specs, func(s spec) bool { return s.name == name }); i >= 0 {
		return specs[i]
	}
	return spec{}
}

// clauseOf finds the clause that a word means on a directive.
func clauseOf(directive, word string) (clauseSpec, bool) {
	if word == "self" && directive == "update" {
		word = "host"
	}
	if i := slices.IndexFunc(clauseSpecs, func(c clauseSpec) bool { return c.name == word || slices.Contains(c.older, word) }); i >= 0 {
		return clauseSpecs[i], true
	}
	return clauseSpec{}, false
}

// Names lists the directives, in the order of the specification's chapters.
func Names() []string {
	return lists.Map(specs, func(s spec) string { return s.name })
}

// ClausesOf lists the clauses that a directive takes.
func ClausesOf(directive string) []string { return slices.Clone(specOf(directive).clauses) }
