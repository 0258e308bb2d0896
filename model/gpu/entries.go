package gpu

import (
	"regexp"
	"slices"
	"strconv"
)

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
