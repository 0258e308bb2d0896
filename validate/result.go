package validate

import (
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/validate/kit"
)

// What a judgement says, by package kit.
type (
	Result     = kit.Result
	Kernel     = kit.Kernel
	Condition  = kit.Condition
	Obligation = kit.Obligation
	Doubt      = kit.Doubt
)

// The conditions that make a text legal.
const (
	Erasure  = kit.Erasure
	Moves    = kit.Moves
	Turns    = kit.Turns
	Content  = kit.Content
	Uniform  = kit.Uniform
	Copies   = kit.Copies
	Builtins = kit.Builtins
	Launches = kit.Launches
	Numbers  = kit.Numbers
	Progress = kit.Progress
	Runtime  = kit.Runtime
)

// Same is the variant of a kernel in which nothing changed.
const Same = kit.Same

// Schema is the version of the JSON form of a Result.
const Schema = kit.Schema

// CodeUnproved is the code of a doubt.
const CodeUnproved diag.Code = kit.CodeUnproved
