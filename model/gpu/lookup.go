package gpu

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
)

// UnknownError reports that no board of the table has a name.
type UnknownError struct {
	Name string
	CC   string   // the compute capability that the name spells, if it does: "9.9"
	Near []string // names that may have been meant, the most likely first; at most three
	All  []string // every name
}

func (e *UnknownError) Error() string {
	if e.CC != "" {
		return fmt.Sprintf("unknown GPU %q: compute capability %s is not in the table", e.Name, e.CC)
	}
	text := fmt.Sprintf("unknown GPU %q", e.Name)
	if len(e.Near) > 0 {
		text += ", did you mean " + orList(e.Near) + "?"
	}
	return text
}

// orList is "a", "a or b" or "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.TrimPrefix(strings.Join(words[:last], ", ")+" or "+words[last], " or ")
}

// noCarveout is the error about an SM that can't be configured to so many bytes of shared memory. 0, which leaves none, can't be chosen.
func (g *GPU) noCarveout(bytes int) error {
	var have []string
	for _, c := range g.Arch.Carveouts {
		if c > 0 {
			have = append(have, strconv.Itoa(c/1024))
		}
	}
	return fmt.Errorf("%s has no %d kB of shared memory per SM, but %s kB", g.Name, bytes/1024, orList(have))
}

// Lookup finds a board of the built-in table: see Table.Lookup.
func Lookup(name string) (*GPU, error) { return Default().Lookup(name) }

// Lookup finds a board by its name, an alias or its product name, in any case, with or without spaces, dashes,
// "NVIDIA", "GeForce" and "Tesla"; or the board that stands for a compute capability, as "8.6", "cc8.6" or "sm_86". A
// suffix chooses the shared memory per SM in kB: "gtx480@16", "a100@100k". The error is an *UnknownError where there
// is no such board.
func (t *Table) Lookup(name string) (*GPU, error) {
	base, suffix, chosen := strings.Cut(name, "@")
	found := t.named(base)
	if found == nil {
		found = t.standsFor(base)
	}
	if found == nil {
		return nil, t.unknown(base)
	}
	g := found.clone()
	if !chosen {
		return g, nil
	}
	kilobytes, err := parseKilobytes(suffix)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if kilobytes == 0 || !slices.Contains(g.Arch.Carveouts, kilobytes*1024) {
		return nil, g.noCarveout(kilobytes * 1024)
	}
	g.Carveout = kilobytes * 1024
	return g, nil
}

var kilobytesForm = regexp.MustCompile(`^(?i)\s*([0-9]{1,6})\s*(k|kb|kib)?\s*$`)

func parseKilobytes(s string) (int, error) {
	m := kilobytesForm.FindStringSubmatch(s)
	if m == nil {
		return 0, fmt.Errorf("%q is not an amount of shared memory in kB, such as 16 or 16k", s)
	}
	return strconv.Atoi(m[1])
}

var (
	ccName = regexp.MustCompile(`^(?i)\s*(?:cc\s*|sm\s*)?([0-9]{1,2})\.([0-9])\s*$`)
	smName = regexp.MustCompile(`^(?i)\s*(?:sm|compute)_?([0-9]{1,2})([0-9])[af]?\s*$`)
)

// standsFor returns the board that stands for the compute capability that name
// spells, nil if it spells none or the table has none.
func (t *Table) standsFor(name string) *GPU {
	a := t.arch(spelledCC(name))
	if a == nil {
		return nil
	}
	return t.named(a.Board)
}

// spelledCC returns the compute capability that name spells, such as "8.6" for "sm_86"; "" if it spells none.
func spelledCC(name string) string {
	m := ccName.FindStringSubmatch(name)
	if m == nil {
		m = smName.FindStringSubmatch(name)
	}
	if m == nil {
		return ""
	}
	return m[1] + "." + m[2]
}

// unneeded are words of product names that people leave out, and what separates words.
var unneeded = strings.NewReplacer("nvidia", "", "geforce", "", "tesla", "", "quadro", "", " ", "", "-", "", "_", "", "\t", "")

// normal brings a name to the form in which names are compared.
func normal(name string) string { return unneeded.Replace(strings.ToLower(name)) }

func (t *Table) unknown(name string) error {
	e := &UnknownError{Name: name, CC: spelledCC(name)}
	var spellings []string // names first, so that they win over aliases
	canonical := map[string]string{}
	for i := range t.boards {
		g := &t.boards[i]
		e.All = append(e.All, g.Name)
		spellings = append(spellings, g.Name)
		canonical[g.Name] = g.Name
	}
	for i := range t.boards {
		for _, a := range t.boards[i].Aliases {
			spellings = append(spellings, a)
			canonical[a] = t.boards[i].Name
		}
	}
	if e.CC != "" {
		return e
	}
	for _, n := range nearest(name, spellings) {
		if n = canonical[n]; !slices.Contains(e.Near, n) {
			e.Near = append(e.Near, n)
		}
	}
	return e
}

// nearest returns up to three of the names that a person who typed word may have meant, the most likely first: those
// a few edits away, and those that hold the word or are held by it.
func nearest(word string, names []string) []string {
	type candidate struct {
		name string
		cost int
	}
	var close []candidate
	w := normal(word)
	if w == "" {
		return nil
	}
	for _, name := range names {
		n := normal(name)
		cost := diag.EditDistance(w, n)
		part := len(w) > 2 && (strings.Contains(n, w) || strings.Contains(w, n))
		if cost <= max(2, len(w)/3) || part {
			close = append(close, candidate{name, cost})
		}
	}
	slices.SortStableFunc(close, func(a, b candidate) int { return a.cost - b.cost })
	return lists.Map(close[:min(3, len(close))], func(c candidate) string { return c.name })
}

// SMIQuery are the arguments of nvidia-smi whose output ParseNVIDIASMI reads.
var SMIQuery = []string{"--query-gpu=name,compute_cap,clocks.max.sm,memory.total", "--format=csv,noheader"}

// ParseNVIDIASMI reads what nvidia-smi prints for SMIQuery, one GPU a line, with
// the built-in table: see Table.ParseNVIDIASMI.
func ParseNVIDIASMI(csv string) (gpus []*GPU, notes []string, err error) {
	return Default().ParseNVIDIASMI(csv)
}

// ParseNVIDIASMI reads what nvidia-smi prints for SMIQuery, one GPU a line, and returns the boards of the table with
// these product names. A GPU that the table doesn't have by name is made from the board that stands for its compute
// capability, with its own name, clock and memory; a note then reports it. Drivers that don't know compute_cap leave
// the name to go by.
func (t *Table) ParseNVIDIASMI(csv string) (gpus []*GPU, notes []string, err error) {
	for line := range strings.Lines(csv) {
		if line = strings.TrimSpace(line); line == "" || isSMIHeader(line) {
			continue
		}
		g, note, err := t.smiLine(line)
		if err != nil {
			return nil, nil, err
		}
		gpus = append(gpus, g)
		if note != "" {
			notes = append(notes, note)
		}
	}
	if len(gpus) == 0 {
		return nil, nil, errors.New("nvidia-smi: it lists no GPU")
	}
	return gpus, notes, nil
}

// isSMIHeader recognizes the line that --format=csv prints without noheader.
func isSMIHeader(line string) bool {
	return strings.HasPrefix(line, "name,") || strings.HasPrefix(line, "name ,")
}

var (
	smiMHz = regexp.MustCompile(`^([0-9]{1,5})(?:\.[0-9]+)? MHz$`)
	smiMiB = regexp.MustCompile(`^([0-9]{1,8}) MiB$`)
)

// smiLine reads one GPU, such as
//
//	NVIDIA A100-SXM4-40GB, 8.0, 1410 MHz, 40960 MiB
//
// Fields after the name are distinguished by their form, since any may be missing or "[N/A]".
func (t *Table) smiLine(line string) (*GPU, string, error) {
	fields := strings.Split(line, ",")
	name := strings.TrimSpace(fields[0])
	if len(fields) < 2 || name == "" || strings.HasPrefix(name, "[") {
		return nil, "", fmt.Errorf("nvidia-smi: unexpected output: %s", clip(line))
	}
	var cc string
	var clock, memory int
	for _, f := range fields[1:] {
		f = strings.TrimSpace(f)
		if m := smiMHz.FindStringSubmatch(f); m != nil {
			clock, _ = strconv.Atoi(m[1])
		} else if m := smiMiB.FindStringSubmatch(f); m != nil {
			memory, _ = strconv.Atoi(m[1])
		} else if ccForm.MatchString(f) {
			cc = f
		} else if !strings.HasPrefix(f, "[") {
			return nil, "", fmt.Errorf("nvidia-smi: unexpected output: %s", clip(line))
		}
	}
	if g := t.named(name); g != nil && (cc == "" || g.CC() == cc) {
		return g.clone(), "", nil
	}
	if cc == "" {
		return nil, "", fmt.Errorf("nvidia-smi: the driver doesn't tell the compute capability of a GPU that is not in the table by name: %s", name)
	}
	model := t.standsFor(cc)
	if model == nil {
		return nil, "", fmt.Errorf("nvidia-smi: compute capability %s is not in the table: %s", cc, name)
	}
	g, note := model.renamed(name, clock, memory)
	return g, note, nil
}

// renamed makes a board of another product from g, and reports what it took over.
func (g *GPU) renamed(product string, clock, memory int) (*GPU, string) {
	c := g.clone()
	c.Name, c.Aliases, c.Product = normal(product), nil, product
	if c.Name == "" { // nothing but the vendor's name
		c.Name = strings.ToLower(product)
	}
	own := "its name"
	if clock > 0 {
		c.ClockMHz = float64(clock)
		own = "its clock"
	}
	if memory > 0 {
		c.MemoryBytes = memory << 20
	}
	c.Estimates = []string{"sms", "bandwidth_gbs", "l2_bandwidth_gbs", "l2_kib"}
	c.Unchecked = nil // those of g
	c.Source = fmt.Sprintf("%s by nvidia-smi, the rest as %s", own, g.Name)
	note := fmt.Sprintf("%s is not in the table: limits are those of compute capability %s, SMs and bandwidths those of %s",
		product, g.CC(), g.Name)
	return c, note
}

// clip keeps a line of somebody else's output short.
func clip(line string) string {
	if r := []rune(line); len(r) > 160 {
		return string(r[:160]) + "…"
	}
	return line
}
