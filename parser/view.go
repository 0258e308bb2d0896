package parser

// StdinName is the name of standard input in messages and as File.Name.
const StdinName = "<stdin>"

// File is one parsed CUDA source file.
type File struct {
	Name string // as the caller named it
	// Src is the text that was parsed, never modified: the original bytes, but for uses of
	// macros that make kernels, which are written out (see Original).
	Src []byte

	Root      *Node
	Marks     []Mark      // CUDA-only syntax that was masked, by Start
	Functions []*Function // every function definition and declaration, by position
	Launches  []*Launch   // every kernel launch in the tree, by position
	Macros    *Macros     // #define and #undef of this file and the includes that could be read
	Includes  []Include   // #include directives of this file
	Classes   []*Class    // class and struct definitions with a body
	Errors    []*Node     // visible ERROR and MISSING nodes, by position
	// Lost are kernels that no Function stands for: the grammar lost them in an
	// ERROR, or a macro makes them. Nothing is known of them but where they are.
	Lost []LostKernel

	masked     []byte                // what the C++ grammar saw
	lines      []uint32              // offset of each line's first byte
	newline    string                // see Newline
	macroQuals map[string]Qualifiers // of the attribute-like user macros that were masked
	reached    []string              // cleaned paths of all includes that were read, transitively

	original []byte      // nil if nothing is written out
	uses     []kernelUse // that are, by position

	// What the file was read under, for Program.With.
	load       *loader
	context    macroContext
	directives []directive
}

// Mark is one piece of CUDA-only syntax that the overlay blanked before the C++ grammar saw it. A user macro that
// also names a type ("#define KERNEL __global__ void") has a mark, too, but stays in the tree as the type's name.
type Mark struct {
	Kind       MarkKind
	Name       string // the spelling, e.g. "__launch_bounds__"
	Start, End int    // byte range in the original, arguments included
	ArgStart   int    // inside of the parentheses, 0 0 where there are none
	ArgEnd     int
	Quals      Qualifiers // those of the mark; for a user macro, all those of its body
}

// MarkKind classifies marks.
type MarkKind uint8

// The kinds of marks.
const (
	MarkQualifier MarkKind = iota // __global__, __shared__, __launch_bounds__(…), …
	MarkLaunch                    // the <<<…>>> of a launch
	MarkMacro                     // an attribute-like user macro
	MarkFix                       // a grammar work-around (stray ';', typeid, asm operands, …)
)

// Qualifiers is a set of CUDA function and variable qualifiers.
type Qualifiers uint32

// The qualifiers.
const (
	QualGlobal Qualifiers = 1 << iota
	QualDevice
	QualHost
	QualShared
	QualConstant
	QualManaged
	QualRestrict
	QualForceInline
	QualNoInline
	QualGridConstant
	QualCluster // __cluster_dims__
	QualExtern
	QualStatic
	QualConst
	QualConstexpr
	QualVolatile
)

// Function is a function definition (Body != nil) or declaration, host or device, free or member.
type Function struct {
	Name  string // unqualified name, e.g. "reduce"; "operator()" for operators
	Class string // enclosing class, "" for a free function
	Quals Qualifiers

	Node     *Node // function_definition, declaration or field_declaration
	Outer    *Node // Node, or the outermost template_declaration around it
	Start    int   // offset of the first byte of the declaration, leading marks included
	Declared *Node // function_declarator
	Params   []Param
	// ParamList is the parameter_list node "( … )".
	ParamList *Node
	Body      *Node // compound_statement, nil for a declaration
	// Template is nil for a plain function. An explicit specialisation has an
	// empty, non-nil Template; an explicit instantiation has Instantiation set.
	Template       []TemplateParam
	IsTemplate     bool
	Specialization bool
	Instantiation  bool // template __global__ void k<float>(…);
	Friend         bool // friend declaration inside a class
	ExternC        bool // extern "C", block or single
	// LaunchBounds is the __launch_bounds__(…), nil if absent. Where a user macro holds it, this is the macro's mark
	// (Kind MarkMacro), and its arguments, if any, are the macro's: the bounds are in the macro's expansion.
	LaunchBounds *Mark
	// Error is the first ERROR or MISSING node inside the function or above it
	// (an ERROR that swallowed the function), nil if it parsed cleanly.
	Error *Node
}

// IsKernel reports whether the function is a __global__ function.
func (f *Function) IsKernel() bool { return f.Quals&QualGlobal != 0 }

// IsDevice reports whether the function runs on the device and is not a kernel.
func (f *Function) IsDevice() bool {
	return f.Quals&QualDevice != 0 && f.Quals&QualGlobal == 0
}

// Param is one function parameter.
type Param struct {
	Node     *Node // parameter_declaration, optional_… or variadic_…
	Name     string
	Default  *Node // default value, nil if none
	Variadic bool  // a parameter pack or "..."
}

// TemplateParam is one template parameter.
type TemplateParam struct {
	Node    *Node
	Name    string
	IsType  bool // typename T, class T
	Pack    bool
	Default *Node
}

// Class is a class or struct definition.
type Class struct {
	Name string
	Node *Node // class_specifier or struct_specifier
	Body *Node // field_declaration_list
}

// Launch is one kernel<<<grid, block, shared, stream>>>(args), or a call of the CUDA runtime that
// launches a kernel by its name (launchcall.go).
type Launch struct {
	Node         *Node   // the call expression of the whole launch
	Callee       *Node   // what stands before <<<: identifier, template_function, qualified_identifier, …
	Kernel       string  // unqualified kernel name, "" where the callee is not a plain name
	TemplateArgs *Node   // template_argument_list, nil if none
	Config       []*Node // the 2 to 4 configuration arguments in the order of <<<…>>>
	Args         *Node   // argument_list "( … )", nil where a call passes the arguments' addresses
	Function     *Function
	Open, Close  int // offsets of the first '<' of <<< and of the byte after >>>; of the kernel's name in a call

	Call   string // the function of the runtime, "" for <<<…>>>
	Packed *Node  // the array of the arguments' addresses, nil for none
	// Settings is the node that a call passes for its cudaLaunchConfig_t, nil for none. Each part of Config is
	// this node then, and stands for a member: see ConfigText.
	Settings     *Node
	SettingsName *Node // of the variable whose address that is, nil for any other expression

	Error *Node // ERROR inside or above, or the launch did not parse as one; nil if clean
}

// Include is one #include directive.
type Include struct {
	Path   string // as written, without quotes
	System bool   // <…>
	Pos    int    // offset of the directive
	End    int    // offset after the directive's last byte, newline excluded
	File   string // the file that was read, "" if it could not be found
}

// LostKernel is a __global__ that belongs to no Function.
type LostKernel struct {
	Name  string // the word before the first '(', "" if there is none
	Mark  *Mark  // of the __global__, or of the macro use that makes the kernel
	Macro string // the macro that makes it, "" where the grammar lost it
}

// Why tells in half a sentence why there is no Function.
func (l *LostKernel) Why() string {
	if l.Macro != "" {
		return "macro " + l.Macro + " makes it"
	}
	return "it could not be parsed"
}
