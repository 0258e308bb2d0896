package execute

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/smux-cuda/smux/verify/build"
	"github.com/smux-cuda/smux/verify/locate"
	"github.com/smux-cuda/smux/verify/translate"
)

// resolver finds the places of findings in the original source.
type resolver struct {
	program *build.Program
	files   map[string]*translate.File // by absolute path, of originals and copies
	user    map[string]bool            // absolute paths of the program's other files
	table   *locate.Table
	opened  bool
	known   map[uint64][]locate.Frame
}

func newResolver(p *build.Program) *resolver {
	r := &resolver{program: p, files: map[string]*translate.File{}, user: map[string]bool{}, known: map[uint64][]locate.Frame{}}
	for _, f := range p.Files {
		r.files[r.absolute(f.Name)] = f
		r.files[r.absolute(f.Path)] = f
	}
	for _, path := range p.UserFiles {
		r.user[path] = true
	}
	return r
}

func (r *resolver) absolute(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(r.program.WorkDir, name)
}

// findings resolves all records, and drops divergence that is none, or comes of another one.
func (r *resolver) findings(records []record) []Finding {
	var out []Finding
	diverged := map[string]bool{} // kernels whose threads meet at different barriers
	for _, rec := range records {
		f := Finding{
			Code: rec.Code, Kernel: rec.Kernel, Launch: rec.Launch, Block: rec.Block, Thread: rec.Thread,
			Frames: r.frames(rec.PCs), Manner: rec.Manner, Space: rec.Space,
			Variable: rec.Variable, VariableFile: rec.File, VariableLine: rec.Line, Offset: rec.Offset, Bytes: rec.Bytes,
			Name: rec.Name, Text: rec.Text, Signal: rec.Signal, Host: rec.Host,
		}
		if o := rec.Other; o != nil {
			f.Other = &Access{o.Block, o.Thread, r.frames(o.PCs), o.Manner, o.Operation}
		}
		if a := rec.Allocated; a != nil {
			f.Allocated = r.frames(a.PCs)
		}
		for _, w := range rec.Waiters {
			f.Waiters = append(f.Waiters, Waiter{w.What, w.Threads, w.Block, w.Thread, r.frames(w.PCs)})
		}
		if f.Code == "barrier-divergence" && rec.Waiters != nil {
			if r.samePlace(rec.Waiters) {
				continue
			}
			diverged[f.Kernel] = true
		}
		if f.Code == "warp-divergence" && rec.Other != nil && r.samePlace([]waiter{{PCs: rec.PCs}, {PCs: rec.Other.PCs}}) {
			continue
		}
		out = append(out, f)
	}
	return slices.DeleteFunc(out, func(f Finding) bool { return f.Code == "barrier-divergence" && f.Waiters == nil && diverged[f.Kernel] })
}

// samePlace reports whether all threads that wait at a barrier do so at one place of the
// text, by the same calls. The runtime tells barriers apart by their addresses, and a compiler
// may have made several of one, such as by unrolling. Threads that have ended wait nowhere.
func (r *resolver) samePlace(waiters []waiter) bool {
	var first []locate.Frame
	for _, w := range waiters {
		if w.What == "ended" {
			continue
		}
		var at []locate.Frame
		for i, f := range r.frames(w.PCs) {
			f.Function = ""
			if own := r.at(w.PCs[0]); i == 0 && len(own) > 0 { // of the shim's barriers, each in the text has a name of its own
				f.Function = own[0].Function
			}
			at = append(at, f)
		}
		if at == nil || first != nil && !slices.Equal(at, first) {
			return false
		}
		first = at
	}
	return first != nil
}

// frames resolves a stack to the places of the user's source.
func (r *resolver) frames(pcs []uint64) []locate.Frame {
	var all, user []locate.Frame
	for _, pc := range pcs {
		for _, f := range r.at(pc) {
			if f, ok := r.original(f); ok {
				user = append(user, f)
			} else {
				all = append(all, f)
			}
		}
	}
	if len(user) == 0 && len(all) > 0 {
		return all[:1]
	}
	// A launch is translated to lambdas: one that makes it, and one that calls the kernel.
	for i := 0; i+1 < len(user); i++ {
		if inner, outer := user[i], user[i+1]; isLambda(inner) && inner.File == outer.File && inner.Line == outer.Line {
			user = slices.Delete(user, i, i+1)
		}
	}
	if last := len(user) - 1; last > 0 && isLambda(user[last]) {
		user[last].Function = launchFrame
	}
	return user
}

func isLambda(f locate.Frame) bool { return strings.HasPrefix(f.Function, "operator()") }

// launchFrame names the place of a launch on the stack of a kernel's thread.
const launchFrame = "launch"

func (r *resolver) at(pc uint64) []locate.Frame {
	if frames, ok := r.known[pc]; ok {
		return frames
	}
	if !r.opened {
		r.table, r.opened = tableOf(r.program.Path), true
	}
	var frames []locate.Frame
	if r.table != nil {
		frames = r.table.Frames(pc)
	}
	r.known[pc] = frames
	return frames
}

// tables are those of the executables that were looked at last: one runs often, and its debug information is large.
var tables struct {
	sync.Mutex
	kept []keptTable // the one that was used last comes last
}

type keptTable struct {
	path  string
	file  os.FileInfo
	table func() *locate.Table
}

const mostTables = 4

// tableOf returns the table of an executable, nil where it has no debug information: findings come without places then.
func tableOf(path string) *locate.Table {
	file, err := os.Stat(path)
	if err != nil {
		return nil
	}
	found := keptTable{path, file, sync.OnceValue(func() *locate.Table {
		table, _ := locate.Open(path)
		return table
	})}
	tables.Lock()
	tables.kept = slices.DeleteFunc(tables.kept, func(k keptTable) bool {
		same := k.path == path && k.file.Size() == file.Size() && k.file.ModTime().Equal(file.ModTime())
		if same {
			found = k
		}
		return same || k.path == path
	})
	tables.kept = append(tables.kept, found)
	tables.kept = tables.kept[max(0, len(tables.kept)-mostTables):]
	tables.Unlock()
	return found.table()
}

// original moves a frame to where its text stands in the original; ok is false
// for frames of the shim, of the system's headers and of smux's own device code.
func (r *resolver) original(f locate.Frame) (locate.Frame, bool) {
	path := r.absolute(f.File)
	if filepath.Base(path) == deviceRuntime {
		return f, false
	}
	file := r.files[path]
	if file == nil {
		if r.user[path] {
			f.File = r.shown(path)
			return f, true
		}
		return f, false
	}
	f.File = file.Name
	if file.Runtime[0] > 0 && file.Runtime[0] <= f.Line && f.Line <= file.Runtime[1] {
		return f, false
	}
	if f.Column > 0 {
		f.Line, f.Column = file.Original(f.Line, f.Column)
	}
	return f, true
}

// shown returns how a person names a file: relative to where the program was built, where it lies below.
func (r *resolver) shown(path string) string {
	relative, err := filepath.Rel(r.program.WorkDir, path)
	if err != nil || slices.Contains(strings.Split(filepath.ToSlash(relative), "/"), "..") {
		return path
	}
	return relative
}

// deviceRuntime is the header with the device code that rewritten kernels use.
const deviceRuntime = "smux.cuh"
