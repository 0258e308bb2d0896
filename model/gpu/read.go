package gpu

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
	"github.com/smux-cuda/smux/model/hardware"
)

// CodeFile is the code of every message about a file of GPUs.
const CodeFile diag.Code = "gpu-file"

// fileHelp is the line of help of these messages.
const fileHelp = "compare with the built-in table, model/gpu/gpus.toml, which has the same form and explains the keys"

// FileError lists what is wrong with a file of GPUs, by place.
type FileError struct{ Messages []diag.Message }

// Error returns the messages, one a line.
func (e *FileError) Error() string {
	text := lists.Map(e.Messages, diag.Message.String)
	return strings.Join(text, "\n")
}

// Read returns the built-in table with the architectures and boards of a TOML file added. The file has the form of
// gpus.toml: tables [arch."9.9"] for new compute capabilities, [gpu.name] for boards. A board names a compute
// capability by cc and may change some of its limits in a table [gpu.name.arch]. The name is only used in messages.
// The error is a *FileError that lists all that is wrong: syntax, unknown and missing keys, names that exist already,
// and values that make no sense.
func Read(name string, src []byte) (*Table, error) {
	return Default().Read(name, src)
}

// Read is like the function Read, with the table t in place of the built-in one, which is left as it is.
func (t *Table) Read(name string, src []byte) (*Table, error) {
	r := &reader{file: name, table: t.clone(), lines: indexLines(name, string(src))}
	r.read(string(src))
	if len(r.messages) > 0 {
		slices.SortStableFunc(r.messages, func(a, b diag.Message) int { return a.Pos.Line - b.Pos.Line })
		return nil, &FileError{r.messages}
	}
	return r.table, nil
}

// reader adds what a file holds to a table.
type reader struct {
	file     string
	table    *Table
	lines    lines
	messages []diag.Message
}

// wrong notes a message about the thing at path.
func (r *reader) wrong(path []string, format string, args ...any) {
	r.messages = append(r.messages, diag.Message{
		Pos: r.lines.find(path...), Code: CodeFile, Text: fmt.Sprintf(format, args...), Help: fileHelp,
	})
}

func (r *reader) read(src string) {
	root := map[string]any{}
	if _, err := toml.Decode(src, &root); err != nil {
		r.syntax(err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(root)) {
		if name != "arch" && name != "gpu" {
			r.wrong([]string{name}, "unknown table or key %q: there are [arch.\"8.0\"] and [gpu.name]", name)
		}
	}
	arches := r.tables(root, "arch")
	boards := r.tables(root, "gpu")
	added := lists.Filter(slices.Sorted(maps.Keys(arches)), func(cc string) bool { return r.arch(cc, arches[cc]) })
	for _, name := range slices.Sorted(maps.Keys(boards)) {
		r.board(name, boards[name])
	}
	for _, cc := range added {
		r.representative(cc)
	}
	r.table.sort()
}

func (r *reader) syntax(err error) {
	pos := diag.Position{File: r.file, Line: 1, Column: 1}
	text := strings.TrimPrefix(err.Error(), "toml: ")
	var parse toml.ParseError
	if errors.As(err, &parse) {
		pos.Line, pos.Column = max(1, parse.Position.Line), max(1, parse.Position.Col)
		text = parse.Message
		text = cmp.Or(text, strings.TrimPrefix(parse.Error(), "toml: "))
	}
	r.messages = append(r.messages, diag.Message{Pos: pos, Code: CodeFile, Text: text, Help: fileHelp})
}

// tables returns the tables in root[name].
func (r *reader) tables(root map[string]any, name string) map[string]map[string]any {
	out := map[string]map[string]any{}
	all, ok := root[name].(map[string]any)
	if !ok && root[name] != nil {
		r.wrong([]string{name}, "%s must be a table, not %s", name, kindOf(root[name]))
	}
	for k, v := range all {
		if t, ok := v.(map[string]any); ok {
			out[k] = t
		} else {
			r.wrong([]string{name, k}, "%s must be a table, not %s", k, kindOf(v))
		}
	}
	return out
}

// lines knows where the tables and keys of a TOML file stand. The decoder does not tell, so the text is read a second
// time, line by line: a table in square brackets, or a key before an equals sign. What stands on no line of its own,
// such as a key of an inline table, is given the place of what it is in.
type lines struct {
	file string
	at   map[string]diag.Position
}

func indexLines(file, src string) lines {
	ix := lines{file, map[string]diag.Position{}}
	var table []string
	for i, line := range strings.Split(src, "\n") {
		rest := strings.TrimLeft(line, " \t")
		pos := diag.Position{File: file, Line: i + 1, Column: len(line) - len(rest) + 1}
		if strings.HasPrefix(rest, "[") {
			if path, end := keyPath(rest[1:]); end == ']' {
				table = path
				ix.add(path, pos)
			}
		} else if path, end := keyPath(rest); end == '=' {
			ix.add(append(table[:len(table):len(table)], path...), pos)
		}
	}
	return ix
}

// add notes a path and, so that [a.b] also places a, the paths above it.
func (ix lines) add(path []string, pos diag.Position) {
	for n := range path {
		id := strings.Join(path[:n+1], "\x00")
		if _, ok := ix.at[id]; !ok {
			ix.at[id] = pos
		}
	}
}

// find returns the place of a path, or of the nearest thing above it.
func (ix lines) find(path ...string) diag.Position {
	for n := len(path); n > 0; n-- {
		if pos, ok := ix.at[strings.Join(path[:n], "\x00")]; ok {
			return pos
		}
	}
	return diag.Position{File: ix.file, Line: 1, Column: 1}
}

const keyPart = `"[^"]*"|'[^']*'|[^ \t.=\]"'#,\[{]+`

var (
	keyParts  = regexp.MustCompile(keyPart)
	dottedKey = regexp.MustCompile(`^[ \t]*((?:` + keyPart + `)(?:[ \t]*\.[ \t]*(?:` + keyPart + `))*)[ \t]*([\]=])`)
)

// keyPath reads a dotted key and returns its parts and the bracket or equals sign after it,
// 0 if the text is not such a key.
func keyPath(s string) (path []string, end byte) {
	m := dottedKey.FindStringSubmatch(s)
	if m == nil {
		return nil, 0
	}
	for _, part := range keyParts.FindAllString(m[1], -1) {
		if part[0] == '"' || part[0] == '\'' {
			part = part[1 : len(part)-1]
		}
		path = append(path, part)
	}
	return path, m[2][0]
}

// fill stores the values of one table. Keys in others are somebody else's; with partial, keys may be missing.
func fill[T any](r *reader, path []string, keys []key[T], to *T, values map[string]any, others []string, partial bool) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		i := slices.IndexFunc(keys, func(k key[T]) bool { return k.name == name })
		at := append(path[:len(path):len(path)], name)
		if i >= 0 {
			if err := keys[i].assign(to, values[name]); err != nil {
				r.wrong(at, "%s %v", name, err)
			}
		} else if !slices.Contains(others, name) {
			r.wrong(at, "unknown key %q%s", name, nearKey(name, keys))
		}
	}
	for _, k := range keys {
		if _, ok := values[k.name]; !ok && !k.optional && !partial {
			r.wrong(path, "%s lacks the key %s", path[len(path)-1], k.name)
		}
	}
}

// nearKey suggests the key that a person may have meant.
func nearKey[T any](name string, keys []key[T]) string {
	names := lists.Map(keys, func(k key[T]) string { return k.name })
	if near := nearest(name, names); len(near) > 0 {
		return fmt.Sprintf(": did you mean %q?", near[0])
	}
	return ""
}

var ccForm = regexp.MustCompile(`^([1-9][0-9]?)\.([0-9])$`)

// arch reads [arch."8.0"] and reports whether it was added.
func (r *reader) arch(cc string, values map[string]any) bool {
	path := []string{"arch", cc}
	m := ccForm.FindStringSubmatch(cc)
	if m == nil {
		r.wrong(path, "%q is not a compute capability: write it in quotes, as in [arch.\"8.0\"]", cc)
		return false
	}
	if r.table.arch(cc) != nil {
		r.wrong(path, "compute capability %s is in the table already", cc)
		return false
	}
	var a Arch
	a.Major, _ = strconv.Atoi(m[1])
	a.Minor, _ = strconv.Atoi(m[2])
	before := len(r.messages)
	fill(r, path, archKeys, &a, values, nil, false)
	if len(r.messages) == before {
		finishArch(&a)
		r.checkArch(path, &a)
	}
	if len(r.messages) > before {
		return false
	}
	r.table.arches = append(r.table.arches, a)
	return true
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// board reads [gpu.name].
func (r *reader) board(name string, values map[string]any) {
	path := []string{"gpu", name}
	before := len(r.messages)
	g := GPU{Name: name}
	if !nameForm.MatchString(name) {
		r.wrong(path, "the name %q is not made of small letters, digits, dots, dashes and underscores", name)
	}
	if spelledCC(name) != "" {
		r.wrong(path, "%q is the name of a compute capability", name)
	}
	fill(r, path, boardKeys, &g, values, []string{"cc", "arch"}, false)
	known := r.boardArch(path, &g, values)
	if len(r.messages) == before && known {
		r.checkBoard(path, &g)
	}
	for _, n := range append([]string{name}, g.Aliases...) {
		if other, ok := r.table.names[normal(n)]; ok {
			r.wrong(path, "the name %q is taken by %s", n, r.table.boards[other].Name)
		}
	}
	if len(r.messages) == before {
		r.table.add(g)
	}
}

// boardArch finds the architecture that a board names, with its own changes.
func (r *reader) boardArch(path []string, g *GPU, values map[string]any) bool {
	v, ok := values["cc"]
	if !ok {
		r.wrong(path, "%s lacks the key cc", g.Name)
		return false
	}
	cc, ok := v.(string)
	if !ok {
		r.wrong(append(path, "cc"), "cc must be text in quotes, such as \"8.0\", not %s", kindOf(v))
		return false
	}
	a := r.table.arch(cc)
	if a == nil {
		r.wrong(append(path, "cc"), "there is no compute capability %q in the table: add [arch.%q]", cc, cc)
		return false
	}
	g.Arch = (&GPU{Arch: *a}).clone().Arch
	own, ok := values["arch"]
	if !ok {
		return true
	}
	changes, ok := own.(map[string]any)
	if !ok {
		r.wrong(append(path, "arch"), "arch must be a table, not %s", kindOf(own))
		return false
	}
	before := len(r.messages)
	fill(r, append(path, "arch"), archKeys, &g.Arch, changes, nil, true)
	if len(r.messages) == before {
		if _, given := changes["launch_partitions"]; !given && changes["sub_partitions"] != nil {
			g.Arch.LaunchPartitions = 0 // to follow the partitions
		}
		finishArch(&g.Arch)
		r.checkArch(append(path, "arch"), &g.Arch)
	}
	return len(r.messages) == before
}

// representative finds the board that stands for a compute capability.
func (r *reader) representative(cc string) {
	a := r.table.arch(cc)
	path := []string{"arch", cc}
	if a.Board == "" {
		i := slices.IndexFunc(r.table.boards, func(g GPU) bool { return g.CC() == cc })
		if i < 0 {
			if len(r.messages) == 0 { // or else its board may be among those that are wrong
				r.wrong(path, "compute capability %s has no board: add [gpu.name] with cc = %q", cc, cc)
			}
			return
		}
		a.Board = r.table.boards[i].Name
	}
	for i := range r.table.boards {
		g := &r.table.boards[i]
		if g.CC() == cc {
			g.Arch.Board = a.Board
		}
	}
	if g := r.table.named(a.Board); g == nil || g.CC() != cc {
		r.wrong(append(path, "board"), "%q, which is to stand for compute capability %s, is not a board of it", a.Board, cc)
	}
}

// finishArch fills in what follows from the rest.
func finishArch(a *Arch) {
	a.WarpsPerSM = a.ThreadsPerSM / hardware.WarpSize
	a.WarpGranularity = cmp.Or(a.WarpGranularity, 1)
	a.LaunchPartitions = cmp.Or(a.LaunchPartitions, a.SubPartitions)
}

// checkArch notes what can't be true of any SM.
func (r *reader) checkArch(path []string, a *Arch) {
	must := func(ok bool, key, text string) {
		if !ok {
			r.wrong(append(path[:len(path):len(path)], key), "%s %s", key, text)
		}
	}
	warps := fmt.Sprintf("must be a multiple of %d, the threads of a warp", hardware.WarpSize)
	must(a.ThreadsPerSM%hardware.WarpSize == 0, "threads_per_sm", warps)
	must(a.ThreadsPerBlock%hardware.WarpSize == 0, "threads_per_block", warps)
	must(a.ThreadsPerBlock <= a.ThreadsPerSM, "threads_per_block", "must not exceed threads_per_sm")
	must(a.RegistersPerBlock <= a.RegistersPerSM, "registers_per_block", "must not exceed registers_per_sm")
	whole := a.RegistersPerSM%a.SubPartitions == 0
	must(whole, "sub_partitions", "must divide registers_per_sm")
	must(!whole || a.RegistersPerSM/a.SubPartitions%a.RegisterGranularity == 0, "register_granularity", "must divide the registers of a sub-partition")
	must(a.SharedPerBlock <= a.SharedPerBlockOptin, "shared_per_block_kib", "must not exceed shared_per_block_optin_kib")
	some := a.SharedPerSM() > 0
	must(some, "carveouts_kib", "must end with a size above 0")
	must(slices.IsSorted(a.Carveouts) && len(slices.Compact(slices.Clone(a.Carveouts))) == len(a.Carveouts), "carveouts_kib", "must ascend")
	must(!some || a.SharedPerBlockOptin+a.SharedReserved <= a.SharedPerSM(), "shared_per_block_optin_kib", "and shared_reserved_kib must not exceed the largest of carveouts_kib")
	for _, c := range a.Carveouts {
		must(c%a.SharedGranularity == 0, "shared_granularity", "must divide every size of carveouts_kib")
	}
	must(a.UnifiedBytes == 0 || a.UnifiedBytes >= a.SharedPerSM(), "unified_kib", "must not be less than the largest of carveouts_kib")
	must(a.L2Latency == 0 || a.SharedLatency < a.L2Latency, "l2_latency", "must be above shared_latency, or 0 where there is no L2")
	must(a.SharedLatency < a.MemoryLatency && a.L2Latency < a.MemoryLatency, "memory_latency", "must be above shared_latency and l2_latency")
	must(a.L1Latency == 0 || a.SharedLatency <= a.L1Latency && a.L1Latency < a.MemoryLatency, "l1_latency", "must be from shared_latency to memory_latency")
	checkDoubts(r, path, archKeys, a.Estimates, a.Unchecked)
}

// checkBoard notes what can't be true of any board.
func (r *reader) checkBoard(path []string, g *GPU) {
	at := func(key string) []string { return append(path[:len(path):len(path)], key) }
	if (g.L2Bytes == 0) != (g.L2Bandwidth == 0) {
		r.wrong(at("l2_bandwidth_gbs"), "l2_kib and l2_bandwidth_gbs must both be 0, or neither")
	}
	if g.L2Bytes > 0 && g.Arch.L2Latency == 0 {
		r.wrong(at("l2_kib"), "l2_kib must be 0: compute capability %s has no L2 latency", g.CC())
	}
	if g.Sustained > g.Bandwidth {
		r.wrong(at("sustained_gbs"), "sustained_gbs must not exceed bandwidth_gbs")
	}
	if g.Carveout != 0 && !slices.Contains(g.Arch.Carveouts, g.Carveout) {
		r.wrong(at("carveout_kib"), "%v", g.noCarveout(g.Carveout))
	}
	checkDoubts(r, path, boardKeys, g.Estimates, g.Unchecked)
}

// checkDoubts notes doubts about things that are not keys, and values that are said
// to be both a neighbour's and the source's.
func checkDoubts[T any](r *reader, path []string, keys []key[T], estimates, unchecked []string) {
	known := func(list string, names []string) {
		for _, n := range names {
			if !slices.ContainsFunc(keys, func(k key[T]) bool { return k.name == n }) {
				r.wrong(append(path[:len(path):len(path)], list), "%s names %q, which is not a key%s", list, n, nearKey(n, keys))
			}
		}
	}
	known("estimates", estimates)
	known("unchecked", unchecked)
	for _, n := range unchecked {
		if slices.Contains(estimates, n) {
			r.wrong(append(path[:len(path):len(path)], "unchecked"), "%s is in estimates too: an estimate has no source to be checked", n)
		}
	}
}
