package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyday are the flags that --help shows of a command with many, in their order; --help-all shows the others, too.
var everyday = map[string]string{
	"analyze":        "summary verbose gpu kernel block smem resources min-gain compile-commands exclude format json",
	"baseline check": "file threshold gpu kernel block smem resources compile-commands exclude format config root jobs",
	"baseline write": "file gpu kernel block smem resources include define compile-commands exclude config root jobs",
	"check":          "args source kernel launch buffer gpu all-schedules fast timeout asan exclude baseline format",
	"config":         "path schema json gpu min-gain resources runtime exclude include define compile-commands config no-config",
	"occupancy":      "gpu kernel threads regs smem block summary plot stress resources compile-commands exclude json",
	"report":         "output gpu variant min-gain kernel block smem resources compile-commands exclude store config",
	"rewrite":        "diff list write output gpu variant min-gain kernel verify compile-commands format quiet verbose",
	"simulate":       "gpu policy kernel threads regs smem blocks block segments timeline resources compile-commands json",
	"tune":           "diff write output gpu kernel variant budget store replay export import verify verbose",
	"verify":         "gpu variant all args source kernel launch buffer fast rtol timeout format quiet",
}

// The annotations of a flag: the heading that it stands under, and the words that it takes.
const (
	underHeading = "heading"
	takesWords   = "words"
)

// The headings that flags of several commands stand under.
const (
	filesHeading    = "Files"
	outputHeading   = "Output"
	choiceHeading   = "GPUs and choice"
	rewriteHeading  = "The rewrite"
	registerHeading = "Registers, with --variant demote or --demote"
	runHeading      = "Running the program"
)

// under puts the flags that have no heading yet under one.
func under(f *pflag.FlagSet, heading string) {
	f.VisitAll(func(one *pflag.Flag) {
		if one.Annotations[underHeading] == nil {
			// The error is for a flag that is not there.
			_ = f.SetAnnotation(one.Name, underHeading, []string{heading})
		}
	})
}

// takes notes the words that a flag takes, for shells, and adds them to what --help says of it.
func takes(f *pflag.FlagSet, name string, words ...string) {
	_ = f.SetAnnotation(name, takesWords, words)
	one := f.Lookup(name)
	list := strings.Join(words, ", ")
	if head, rest, more := strings.Cut(one.Usage, ";"); more {
		one.Usage = head + ": " + list + ";" + rest
	} else {
		one.Usage += ": " + list
	}
}

// helpColumns is the width that lines of flags are wrapped to; pflag lets a short last word pass it.
const helpColumns = 95

// helpFlags settles which flags the help of a command and of those below it shows.
func helpFlags(c *cobra.Command) {
	for _, sub := range c.Commands() {
		helpFlags(sub)
	}
	c.InitDefaultHelpFlag()
	f := c.Flags()
	f.Lookup("help").Usage = "show this help"
	show := func(text string) {
		if c.Annotations == nil {
			c.Annotations = map[string]string{}
		}
		c.Annotations["flags"] = text
	}
	_, path, _ := strings.Cut(c.CommandPath(), " ")
	usual := strings.Fields(everyday[path])
	if len(usual) == 0 {
		show("Flags:\n" + f.FlagUsagesWrapped(helpColumns))
		return
	}
	f.BoolFunc("help-all", "show all flags", func(string) error {
		show(usages(f, usual, true))
		return pflag.ErrHelp
	})
	show(usages(f, usual, false))
}

// usages lists some flags of a command, and the others by heading or in how many they are.
func usages(f *pflag.FlagSet, usual []string, all bool) string {
	some := func() *pflag.FlagSet {
		s := pflag.NewFlagSet("", pflag.ContinueOnError)
		s.SortFlags = false
		return s
	}
	first, more := some(), map[string]*pflag.FlagSet{}
	for _, name := range slices.Concat(usual, []string{"help", "help-all"}) {
		first.AddFlag(f.Lookup(name))
	}
	var headings []string
	n := 0
	f.VisitAll(func(one *pflag.Flag) {
		if first.Lookup(one.Name) != nil || one.Hidden {
			return
		}
		heading := strings.Join(one.Annotations[underHeading], "")
		heading = cmp.Or(heading, outputHeading)
		if more[heading] == nil {
			headings, more[heading] = append(headings, heading), some()
		}
		more[heading].AddFlag(one)
		n++
	})
	out := "Flags:\n" + first.FlagUsagesWrapped(helpColumns)
	if !all {
		return out + fmt.Sprintf("\n%d more flags with --help-all", n)
	}
	for _, h := range headings {
		out += "\n" + h + ":\n" + more[h].FlagUsagesWrapped(helpColumns)
	}
	return out
}
