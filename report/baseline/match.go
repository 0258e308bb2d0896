package baseline

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/internal/lists"
)

// pair is a kernel as it is recorded and as it is; nil for one that is new or gone.
type pair struct {
	was *Kernel
	is  *Sight
}

// likeness is the part of two kernels' lines that must be the same for one of them
// to be the other, renamed or moved to another file.
const likeness = 0.6

// match finds the kernels of a baseline again: by file and name, and those that are left by what stands in them.
// Pairs come in the order of what is there now; after them what is gone.
func match(before []Kernel, now []Sight, opt Options) []pair {
	recorded, taken := map[key]*Kernel{}, map[*Kernel]bool{}
	for i := range before {
		recorded[before[i].key()] = &before[i]
	}
	out := make([]pair, len(now))
	for i := range now {
		was := recorded[now[i].key()]
		out[i] = pair{was, &now[i]}
		if was != nil {
			taken[was] = true
		}
	}
	var left []*Kernel
	for i := range before {
		if !taken[&before[i]] && (opt.Covers == nil || opt.Covers(before[i])) {
			left = append(left, &before[i])
		}
	}
	for _, l := range likely(left, out) {
		if out[l.at].was == nil && !taken[l.was] {
			out[l.at].was, taken[l.was] = l.was, true
		}
	}
	for _, was := range left {
		if !taken[was] {
			out = append(out, pair{was: was})
		}
	}
	return out
}

// candidate is a kernel that is gone and one that may be it.
type candidate struct {
	was   *Kernel
	at    int
	alike float64
}

// likely returns the candidates, the likeliest first. Kernels that share neither a name
// nor a file are never taken for each other.
func likely(left []*Kernel, out []pair) []candidate {
	var found []candidate
	for _, was := range left {
		for i, p := range out {
			if p.was != nil || p.is.Name != was.Name && p.is.File != was.File {
				continue
			}
			if a := alike(was.Lines, p.is.Lines); a >= likeness {
				found = append(found, candidate{was, i, a})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.alike, a.alike) })
	return found
}

// standing says how a kernel stands in one place as it is recorded and as it is.
type standing struct {
	was, is Stand
	launch  diag.Position // as it is
}

// stands pairs the forms in which the kernel is launched, on each GPU that both
// know: those that are the same, then those that differ least, then in their order.
func (p pair) stands() []standing {
	var out []standing
	for _, gpu := range p.is.gpus() {
		out = append(out, p.standsOn(gpu)...)
	}
	return out
}

func (p pair) standsOn(gpu string) []standing {
	var was, is []int
	for i, s := range p.was.Stands {
		if s.GPU == gpu {
			was = append(was, i)
		}
	}
	for i, s := range p.is.Stands {
		if s.GPU == gpu {
			is = append(is, i)
		}
	}
	var out []standing
	for _, same := range []func(a, b Stand) bool{
		func(a, b Stand) bool { return a.Launch == b.Launch && a.Block == b.Block && a.Dynamic == b.Dynamic },
		func(a, b Stand) bool { return a.Launch == b.Launch && a.Block == b.Block },
		func(a, b Stand) bool { return a.Launch == b.Launch },
		func(a, b Stand) bool { return true },
	} {
		is = slices.DeleteFunc(is, func(i int) bool {
			at := slices.IndexFunc(was, func(w int) bool { return same(p.was.Stands[w], p.is.Stands[i]) })
			if at < 0 {
				return false
			}
			out = append(out, standing{p.was.Stands[was[at]], p.is.Stands[i], p.is.launches[i]})
			was = slices.Delete(was, at, at+1)
			return true
		})
	}
	return out
}

// gpus returns those of the stands, each once.
func (k Kernel) gpus() []string {
	var out []string
	for _, s := range k.Stands {
		out = lists.Add(out, s.GPU)
	}
	return out
}

// GPUs returns those of a baseline, in the order in which they come.
func (f *File) GPUs() []string {
	var out []string
	for _, k := range f.Kernels {
		out = lists.Add(out, k.gpus()...)
	}
	return out
}

// Compiled reports whether a compiler counted any of the registers.
func (f *File) Compiled() bool {
	return slices.ContainsFunc(f.Kernels, func(k Kernel) bool {
		return slices.ContainsFunc(k.Stands, func(s Stand) bool { return s.From != estimated })
	})
}

// estimated is the source of registers that no compiler counted.
const estimated = "estimate"

// hashLength is the number of letters that stand for a line: 24 bits, with which one changed
// line of a hundred thousand passes for one of a hundred that were there.
const hashLength = 4

// Line is a line of a kernel's source as it is now.
type Line struct {
	Pos  diag.Position // of its first byte that is not blank
	Text string
	Live int // 32-bit words that it keeps in registers, by estimate
}

// hash returns a short name for a line: the same for lines that differ in white space
// and in comments at their end alone. A line without anything else has none.
func (l Line) hash() string {
	text := strings.Join(strings.Fields(uncommented(l.Text)), " ")
	if strings.Trim(text, "{}()[]; ") == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:hashLength*3/4])
}

// uncommented cuts a line comment off. What stands in comments that go over several lines counts as text.
func uncommented(line string) string {
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case c == '/' && strings.HasPrefix(line[i:], "//"):
			return line[:i]
		}
	}
	return line
}

// hashes returns those of lines, one after the other.
func hashes(lines []Line) string {
	var out strings.Builder
	for _, l := range lines {
		out.WriteString(l.hash())
	}
	return out.String()
}

// counted returns how often each hash is in a recorded text.
func counted(lines string) map[string]int {
	out := map[string]int{}
	for ; len(lines) >= hashLength; lines = lines[hashLength:] {
		out[lines[:hashLength]]++
	}
	return out
}

// changed returns the lines that are not among the recorded ones. Lines that were only moved are not among them.
func changed(lines []Line, recorded string) []Line {
	left := counted(recorded)
	var out []Line
	for _, l := range lines {
		h := l.hash()
		if left[h] > 0 {
			left[h]--
		} else if h != "" {
			out = append(out, l)
		}
	}
	return out
}

// alike returns the part of two recorded texts that they have in common, from 0 to 1.
func alike(a, b string) float64 {
	if len(a)+len(b) == 0 {
		return 0
	}
	left, same := counted(a), 0
	for h, n := range counted(b) {
		same += min(n, left[h])
	}
	return 2 * float64(same*hashLength) / float64(len(a)+len(b))
}
