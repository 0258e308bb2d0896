package gpu

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// SMIQuery are the arguments of nvidia-smi whose output ParseNVIDIASMI reads.
var SMIQuery = []string{"--query-gpu=name,compute_cap,clocks.max.sm,memory.total", "--format=csv,noheader"}

// ParseNVIDIASMI reads what nvidia-smi prints for SMIQuery, one GPU a line, with
// the built-in table: see Table.ParseNVIDIASMI.
func ParseNVIDIASMI(csv string) (gpus []*GPU, notes []string, err error) {
	return Default().ParseNVIDIASMI(csv)
}

// ParseNVIDIASMI reads what nvidia-smi prints for SMIQuery, one GPU a line, and
// returns the boards of the table with these product names. A GPU that the table
// doesn't have by name is made from the board that stands for its compute
// capability, with its own name, clock and memory; a note then reports it. Drivers
// that don't know compute_cap leave the name to go by.
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
// Fields after the name are distinguished by their form, since any may be missing
// or "[N/A]".
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
