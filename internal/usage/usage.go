// Package usage lists the flags of a command as its help and its man page show them: in help those of every day first,
// the others under headings.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// The annotations of a flag: the heading that it stands under, and the words that it takes.
const (
	heading = "heading"
	words   = "words"
)

// The headings that flags of several commands stand under.
const (
	Files     = "Files"
	Output    = "Output"
	Choice    = "GPUs and choice"
	Rewrite   = "The rewrite"
	Registers = "Registers, with --variant demote or --demote"
	Run       = "Running the program"
	Measure   = "Measuring"
)

// columns is the width that lines of flags are wrapped to; pflag lets a short last word pass it.
const columns = 95

// Under puts the flags that have no heading yet under one.
func Under(f *pflag.FlagSet, title string) {
	f.VisitAll(func(one *pflag.Flag) {
		if one.Annotations[heading] == nil {
			_ = f.SetAnnotation(one.Name, heading, []string{title}) // the error is for a flag that is not there
		}
	})
}

// Word adds a flag that takes one of some words: help names them, and shells complete them.
func Word(f *pflag.FlagSet, value *string, name, otherwise, text string, all ...string) {
	f.StringVar(value, name, otherwise, text)
	Takes(f, name, all...)
}

// Takes notes the words that a flag takes, and adds them to its text.
func Takes(f *pflag.FlagSet, name string, all ...string) {
	_ = f.SetAnnotation(name, words, all)
	one := f.Lookup(name)
	head, rest, more := strings.Cut(one.Usage, ";")
	one.Usage = head + ": " + strings.Join(all, ", ")
	if more {
		one.Usage += ";" + rest
	}
}

// Words returns the words that a flag takes, nil where it takes others.
func Words(f *pflag.Flag) []string { return f.Annotations[words] }

// Flags lists the flags of a command: those of every day, and with all the others, too, by heading. Without any of every
// day it lists all in one.
func Flags(f *pflag.FlagSet, everyday []string, all bool) string {
	if len(everyday) == 0 {
		return "Flags:\n" + f.FlagUsagesWrapped(columns)
	}
	first, more := list(), map[string]*pflag.FlagSet{}
	for _, name := range everyday {
		first.AddFlag(f.Lookup(name))
	}
	var titles []string
	n := 0
	f.VisitAll(func(one *pflag.Flag) {
		if first.Lookup(one.Name) != nil || one.Hidden {
			return
		}
		title := append(slices.Clone(one.Annotations[heading]), Output)[0]
		if more[title] == nil {
			titles, more[title] = append(titles, title), list()
		}
		more[title].AddFlag(one)
		n++
	})
	out := "Flags:\n" + first.FlagUsagesWrapped(columns)
	if !all {
		return out + fmt.Sprintf("\n%d more flags with --help-all", n)
	}
	for _, title := range titles {
		out += "\n" + title + ":\n" + more[title].FlagUsagesWrapped(columns)
	}
	return out
}

func list() *pflag.FlagSet {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	return f
}
