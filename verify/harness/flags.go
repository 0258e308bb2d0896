package harness

// Flags are a specification as the command line gives it.
type Flags struct {
	Kernel    string   // --kernel
	Launch    string   // --launch
	Arguments []string // --arg, each
	Buffers   []string // --buffer, each
}

// ParseFlags reads a specification from the command line. The error is an Errors whose positions name the flag.
func ParseFlags(flags Flags) (*Spec, error) {
	s := &Spec{}
	var errs Errors
	note := func(err error) { errs = errs.With(err) }
	note(s.setKernel(flagPhrase("kernel", flags.Kernel).trim()))
	launch := flagPhrase("launch", flags.Launch)
	items, err := launch.split("," + blanks)
	note(err)
	for _, item := range items {
		name, value, err := item.assignment()
		if err == nil {
			err = s.addLaunch(name, value)
		}
		note(err)
	}
	for _, text := range flags.Arguments {
		name, value, err := flagPhrase("arg", text).assignment()
		switch {
		case err != nil:
			note(err)
		case !isName(name.Text):
			note(name.wrong(CodeSyntax, "", "%q is not a parameter's name", name.Text))
		default:
			s.addArgument(name, value)
		}
	}
	for _, text := range flags.Buffers {
		name, value, err := flagPhrase("buffer", text).assignment()
		switch {
		case err != nil:
			note(err)
		case !isPath(name.Text):
			note(name.wrong(CodeSyntax, "", "%q is not a parameter's name", name.Text))
		default:
			note(s.addBuffer(name, value))
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return s, nil
}

// with adds an error, if it is one. All errors in this package are messages or lists of them.
func (e Errors) With(err error) Errors {
	switch err := err.(type) {
	case nil:
		return e
	case Errors:
		return append(e, err...)
	default:
		return append(e, AsMessage(err))
	}
}
