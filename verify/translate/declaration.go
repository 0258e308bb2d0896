package translate

// declaration is one declaration of shared or constant variables, by its tokens.
type declaration struct {
	first     int   // its first token
	qualifier int   // the token __shared__ or __constant__
	storage   []int // the tokens static and extern
	last      int   // the ';', or -1 where a macro's use has it
	variables []declarator
	words     string // that the qualifier stands for besides
	dynamic   bool   // extern
	initial   bool   // some variable has an initial value
}

// declarator is the name of one variable: a token, or several pasted ones.
type declarator struct{ first, last int }

// qualifiedDeclaration reads the declaration around the qualifier at token i.
func (s *stretch) qualifiedDeclaration(i int) declaration {
	d := declaration{first: s.declarationStart(i), qualifier: i, last: -1}
	for k := d.first; k < len(s.toks); k++ {
		switch {
		case s.is(k, "static"), s.is(k, "extern"):
			d.storage = append(d.storage, k)
			d.dynamic = d.dynamic || s.is(k, "extern")
		case s.is(k, ";") || s.is(k, "=") || s.is(k, "(") && k > i || s.is(k, "["):
			k = len(s.toks)
		}
	}
	start := d.first
	for k := d.first; ; k++ {
		switch s.punct(k) {
		case '(', '[', '{':
			if k = s.closing(k); k < 0 {
				return d
			}
		case '<':
			if e := s.closingAngle(k); e > 0 {
				k = e
			}
		case '=':
			d.initial = true
		case ',', ';', 0:
			if s.punct(k) == 0 && k < len(s.toks) {
				continue
			}
			if name, ok := s.declaredName(start, k); ok {
				d.variables = append(d.variables, name)
			}
			start = k + 1
			if s.punct(k) == ';' {
				d.last = k
				return d
			}
			if k >= len(s.toks) {
				return d
			}
		case ')', ']', '}':
			return d
		}
	}
}

// declarationStart returns the first of the specifiers around token i.
func (s *stretch) declarationStart(i int) int {
	for {
		before := i - 1
		switch {
		case s.isIdent(before) && !keywordBefore[s.text(before)]:
			i = before
		case s.scope(before-1) && s.isIdent(before-2):
			i = before - 2
		case s.punct(before) == ')':
			open := s.opening(before)
			if open < 1 || !attributeWords[s.text(open-1)] {
				return i
			}
			i = open - 1
		case s.punct(before) == '>':
			open := s.openingAngle(before)
			if open < 1 || !s.isIdent(open-1) || s.is(open-1, "template") {
				return i
			}
			i = open - 1
		default:
			return i
		}
	}
}

// attributeWords take arguments and are not names of variables.
var attributeWords = map[string]bool{
	"__align__": true, "__builtin_align__": true, "alignas": true, "__attribute__": true, "__attribute": true,
	"__declspec": true, "decltype": true, "typeof": true, "__typeof__": true, "__launch_bounds__": true,
}

// specifierWords qualify a variable, but are not its type.
var specifierWords = map[string]bool{
	"static": true, "extern": true, "const": true, "volatile": true, "__shared__": true, "__device__": true,
	"register": true, "inline": true, "typename": true, "struct": true, "union": true, "class": true, "enum": true,
	"__volatile__": true, "__restrict__": true,
}

// typeWords are types, or parts of them, and never names.
var typeWords = map[string]bool{
	"int": true, "unsigned": true, "signed": true, "long": true, "short": true, "char": true, "float": true,
	"double": true, "bool": true, "auto": true, "void": true,
}

// declaredName finds the name in the declarator among tokens [start, end): the
// last one outside of brackets, before the first array bound or value.
func (s *stretch) declaredName(start, end int) (declarator, bool) {
	name, typed := -1, start > 0 && s.punct(start-1) == ','
	for k := start; k < end; k++ {
		switch c := s.punct(k); {
		case s.isIdent(k) && attributeWords[s.text(k)]:
			if s.punct(k+1) == '(' {
				k = s.closing(k + 1)
			}
		case s.isIdent(k) && specifierWords[s.text(k)]:
		case s.isIdent(k) && typeWords[s.text(k)]:
			typed = true
		case s.isIdent(k):
			typed = typed || name >= 0 && !s.paste(k-2)
			name = k
		case c == '=' || c == '[' && s.punct(k+1) != '[':
			end = k
		case c == '<':
			name, typed = -1, true
			if e := s.closingAngle(k); e > 0 {
				k = e
			}
		case c == '(' && (s.punct(k+1) == '*' || s.punct(k+1) == '&'):
			// T (*p)[4]
			e := s.closing(k)
			for j := k + 1; j < e; j++ {
				if s.isIdent(j) {
					return declarator{j, j}, true
				}
			}
			return declarator{}, false
		case c == '(':
			return declarator{}, false
		case c == '{' || c == '[':
			name, typed = -1, true
			k = s.closing(k)
		}
		if k < 0 {
			return declarator{}, false
		}
	}
	if name < 0 || !typed {
		return declarator{}, false // a type alone, or none
	}
	first := name
	for s.paste(first-2) && s.isIdent(first-3) {
		first -= 3
	}
	return declarator{first, name}, true
}

// isName reports whether tokens may name a type: there are names, qualified and with arguments, alone.
func (s *stretch) isName(first, end int) bool {
	for i := first; i < end; i++ {
		if c := s.punct(i); !s.isIdent(i) && c != ':' && c != '<' && c != '>' && c != ',' {
			return false
		}
	}
	return first < end
}

// gnuAlignment respells alignments: no typedef may have alignas.
func (t *text) gnuAlignment(s *stretch, d declaration) {
	for k := d.first; k < len(s.toks) && (d.last < 0 || k < d.last); k++ {
		if s.punct(k) == '{' {
			if k = s.closing(k); k < 0 {
				return
			}
			continue
		}
		if !(s.is(k, "alignas") || s.is(k, "__align__") || s.is(k, "__builtin_align__")) || s.punct(k+1) != '(' {
			continue
		}
		end := s.closing(k + 1)
		if end < 0 {
			return
		}
		t.replace(s.toks[k].Start, s.toks[k].End, "__attribute__((aligned")
		if s.is(k, "alignas") && s.isName(k+2, end) {
			t.insert(s.toks[k+1].End, "::smux_cpu::alignment<")
			t.insert(s.toks[end].Start, ">()")
		}
		t.insert(s.toks[end].End, "))")
	}
}
