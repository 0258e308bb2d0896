package parser

// Macro is one macro definition.
type Macro struct {
	Name         string
	Params       []string // "__VA_ARGS__" or the named pack comes last where Variadic
	FunctionLike bool
	Variadic     bool
	// Ambiguous is set where the definition in force depends on a condition that
	// can't be decided; the body is then just one of those possible.
	Ambiguous bool
	// Overridable is set for the only definition in view that stands under an
	// #ifndef of its own name, and for a number that it is where none of the names is
	// defined that it stands for otherwise: the build may pass -D and get another one.
	Overridable bool
	Body        string // replacement text, comments and line continuations removed
	File        string // where it is defined, "" for the command line
	Pos         int    // offset of the directive in File
}
