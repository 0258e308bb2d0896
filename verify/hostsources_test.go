package verify_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/smux-cuda/smux/parser"
	"github.com/stretchr/testify/require"
)

// hostCount counts pairs by rewriter and outcome, and edits that were left out.
type hostCount struct {
	mu       sync.Mutex
	programs int
	edits    int
	byWay    map[string]map[string]int
	left     map[string]int
}

func newHostCount() *hostCount {
	return &hostCount{byWay: map[string]map[string]int{}, left: map[string]int{}}
}

func (c *hostCount) add(results []hostResult, leftOut string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.edits++
	if leftOut != "" {
		code, _, _ := strings.Cut(leftOut, ":")
		c.left[code]++
	}
	for _, r := range results {
		way, _, _ := strings.Cut(r.form, " ")
		if c.byWay[way] == nil {
			c.byWay[way] = map[string]int{}
		}
		c.byWay[way][r.outcome]++
	}
}

// table is Markdown.
func (c *hostCount) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "| rewriter | %s |\n|---|%s\n", strings.Join(hostOutcomes, " | "), strings.Repeat("---:|", len(hostOutcomes)))
	for _, way := range slices.Sorted(maps.Keys(c.byWay)) {
		fmt.Fprintf(&b, "| %s |", way)
		for _, o := range hostOutcomes {
			fmt.Fprintf(&b, " %d |", c.byWay[way][o])
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%d programs, %s\n", c.programs, c.line())
	return b.String()
}

// line is the count without the rewriters.
func (c *hostCount) line() string {
	left := 0
	var whys []string
	for _, code := range slices.Sorted(maps.Keys(c.left)) {
		left += c.left[code]
		whys = append(whys, fmt.Sprintf("%s %d", code, c.left[code]))
	}
	sums := map[string]int{}
	for _, of := range c.byWay {
		for o, n := range of {
			sums[o] += n
		}
	}
	judged := 0
	var outcomes []string
	for _, o := range hostOutcomes {
		if o != hostNoPlace {
			judged += sums[o]
		}
		outcomes = append(outcomes, fmt.Sprintf("%s %d", o, sums[o]))
	}
	return fmt.Sprintf("%d edits, of which %d make the original wrong (%s); %d pairs judged: %s", c.edits, left, strings.Join(whys, ", "), judged, strings.Join(outcomes, ", "))
}

// sampledHost is the number of the program whose host values are changed in the sample.
const sampledHost = 4

// hostSource is a program to be tried.
type hostSource struct {
	name, path string
	opt        parser.Options
	args       []string
}

// hostSources are the examples, the cases of testdata/assume, and what -programs names.
func hostSources(t *testing.T) (out []hostSource) {
	for _, name := range slices.Sorted(maps.Keys(exampleArgs)) {
		out = append(out, hostSource{name: name, path: filepath.Join("..", "examples", name, name+".cu"), args: exampleArgs[name]})
	}
	for _, pattern := range []string{assumeDir + "/*.cu", "../examples/*/*/*.cu", "testdata/*.cu", "testdata/stage/*.cu"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			if hasMainFunction(path) {
				out = append(out, hostSource{name: strings.TrimSuffix(strings.TrimPrefix(path, "../"), ".cu"), path: path})
			}
		}
	}
	if *hostPrograms == "" {
		return out
	}
	opt := parser.Options{}
	if *hostIncludes != "" {
		opt.IncludeDirs = strings.Split(*hostIncludes, ",")
	}
	for _, program := range strings.Split(*hostPrograms, ",") {
		words := strings.Fields(program)
		require.NoError(t, filepath.WalkDir(words[0], func(path string, d os.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".cu" && hasMainFunction(path) {
				out = append(out, hostSource{name: path, path: path, opt: opt, args: words[1:]})
			}
			return err
		}))
	}
	return out
}

func hasMainFunction(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && strings.Contains(string(text), " main(")
}
