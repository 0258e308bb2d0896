package parser

// macroUse says how the overlay treats a user macro.
type macroUse uint8

const (
	usePlain     macroUse = iota // an ordinary name, value or statement
	useAttribute                 // body empty or qualifiers only: blank it
	useTyped                     // qualifiers and a type: the name stays, and stands for the type
)

// attribute is the meaning of a user macro that is used like a qualifier.
type attribute struct {
	use      macroUse
	quals    Qualifiers
	function bool // function-like
	bounds   bool // holds __launch_bounds__
	externC  bool
}

// attributes classifies user macros by their bodies. A macro is attribute-like only if every definition in view is.
type attributes struct {
	macros *Macros
	known  map[string]attribute
	depth  int // of macros that are made of macros
}

func newAttributes(m *Macros) *attributes {
	return &attributes{macros: m, known: map[string]attribute{}}
}

func (a *attributes) of(name string) attribute {
	if a == nil || len(a.macros.Named(name)) == 0 {
		return attribute{}
	}
	if at, ok := a.known[name]; ok {
		return at
	}
	if a.depth > maxExpandDepth {
		return attribute{}
	}
	a.depth++
	defer func() { a.depth-- }()
	a.known[name] = attribute{} // while it is being classified: no recursion
	var all attribute
	for i, m := range a.macros.Named(name) {
		at := a.classify(m)
		if i > 0 && (at.use != all.use || at.function != all.function) {
			all = attribute{}
			break
		}
		at.quals |= all.quals
		at.bounds = at.bounds || all.bounds
		at.externC = at.externC || all.externC
		all = at
	}
	a.known[name] = all
	return all
}

// classify looks at one definition.
func (a *attributes) classify(m *Macro) attribute {
	at := attribute{use: useAttribute, function: m.FunctionLike}
	toks := ppTokens(m.Body)
	typed := false
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.kind == tokLiteral && t.text == `"C"` && i > 0 && toks[i-1].text == "extern" {
			at.externC = true
			continue
		}
		if t.text == "[" && i+1 < len(toks) && toks[i+1].text == "[" {
			i = closing(toks, i)
			continue
		}
		if typed && (t.text == "*" || t.text == "&" || t.text == ":") {
			continue
		}
		if t.kind != tokIdent || m.param(t) >= 0 {
			return attribute{}
		}
		quals, known := cppQualifiers[t.text]
		if k, ok := keywords[t.text]; ok {
			quals, known = k.quals, true
			at.bounds = at.bounds || t.text == "__launch_bounds__"
		}
		if inner := a.of(t.text); !known && inner.use != usePlain {
			quals, known = inner.quals, inner.use == useAttribute
			at.bounds = at.bounds || inner.bounds
			at.externC = at.externC || inner.externC
		}
		at.quals |= quals
		switch {
		case known:
			if i+1 < len(toks) && toks[i+1].text == "(" {
				i = closing(toks, i+1)
			}
		default:
			typed = true
		}
	}
	if typed {
		if at.quals&(QualGlobal|QualDevice|QualHost|QualShared|QualConstant) == 0 {
			return attribute{}
		}
		at.use = useTyped
	}
	return at
}

// closing returns the index of the bracket that closes the one at i, or the last index.
func closing(toks []ppToken, i int) int {
	depth := 0
	for ; i < len(toks); i++ {
		switch toks[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(toks) - 1
}
