package registers

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/parser"
	"github.com/smux-cuda/smux/rewrite/kit"
)

// Where no constant bounds the threads of a block, words lie in dynamic shared
// memory, at its very end, after what the kernel has there itself:
//
//	const unsigned smux_t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
//	unsigned *const smux_w = smux::slots<3>(smux_t);
//	volatile float &sum = ((float *)smux_w)[2];
//
// Word w of thread t is the element t * SlotWords + w. SlotWords is odd, so that a word of the 32 threads of a warp
// is in 32 banks. Each launch asks for the bytes (slotbytes.go), so that all launches must be in view.
//
// nvcc gives extern arrays of one kernel different first addresses if their alignments differ: each begins where the
// one before it in the PTX does, rounded up, and what a launch asks for ends after the highest. Their alignment is 16
// where the source says nothing. So slot_bytes leaves a gap after the kernel's own bytes, and an alignment beyond 128
// refuses a kernel that has such bytes.

// dynamic reports whether the words lie in dynamic shared memory.
func (l *slotLayout) dynamic() bool { return l.threads == 0 }

// stride returns the number of elements between two components of a thread.
func (l *slotLayout) stride() int {
	if l.dynamic() {
		return 1
	}
	return l.threads
}

var (
	// dynamicSize finds what reads how much dynamic shared memory a block has.
	dynamicSize = regexp.MustCompile(`\b(dynamic|total|aggr)_smem_size\b`)
	// ownPart matches what an earlier rewrite may have left in a file.
	ownPart = regexp.MustCompile(`(?s)#define SMUX_SLOT_BYTES\r?\n.*?#endif  // SMUX_SLOT_BYTES`)
	// alignment finds what gives a type or variable an alignment.
	alignment = regexp.MustCompile(`\b(?:alignas|__align__|aligned|__aligned__)\s*\(\s*([^()]*)|\w+4_32a\b`)
)

// fitsDynamic proves that words can lie at the end of the kernel's dynamic shared
// memory. That there is enough of it is proved for each launch (slotbytes.go).
func (p *demoteProof) fitsDynamic(words []*demotion.Word) bool {
	k := p.Kernel
	for _, w := range words {
		switch at := w.Var.Range.Start; {
		case w.Bytes != 4 || w.Launched():
			p.Refuse(w.Func.File, at, kit.CodeShape, "the block shape of a launch is not a constant, and the kernel has no launch bounds: only words known to have 4 bytes can move to dynamic shared memory, and %s is none", w.Name)
		case w.Func != k.Func:
			p.Refuse(w.Func.File, at, kit.CodeShape, "the block shape of a launch is not a constant, and the kernel has no launch bounds: only words of the kernel itself can move to dynamic shared memory, and %s is one of %s", w.Name, w.Func.View.Name)
		}
	}
	own := false
	for _, s := range k.Shared {
		switch {
		case s.Dynamic:
			own = true
		case s.Bytes < 0:
			p.Refuse(k.File, k.View.Start, kit.CodeSharedSize, "the size of shared variable %s is not known: words may not fit beside it", s.Name)
		}
	}
	for _, launch := range k.Launches {
		own = own || len(launch.View.Config) > 2 && strings.TrimSpace(launch.File.Text(launch.View.Config[2])) != "0"
	}
	for _, f := range k.Prog.View(k.File) {
		if wantsMost.Match(f.Src) {
			p.Refuse(k.File, k.View.Start, kit.CodeSharedSize, "%s asks for as much dynamic shared memory as a block can have: words may not fit beside it", f.Name)
		}
		if dynamicSize.Match(ownPart.ReplaceAll(f.Src, nil)) {
			p.Refuse(k.File, k.View.Start, kit.CodeSharedSize, "%s reads how much shared memory a block has, which words that move there change", f.Name)
		}
		for _, m := range alignment.FindAllSubmatch(f.Src, -1) {
			if n, err := strconv.Atoi(strings.TrimSpace(string(m[1]))); own && (err != nil || n > kit.MostAligned) {
				p.Refuse(k.File, k.View.Start, kit.CodeSharedSize, "%s has an alignment that may be more than %d bytes: the first word's place after the kernel's dynamic shared memory is unknown", f.Name, kit.MostAligned)
				break
			}
		}
	}
	if k.View.Quals&parser.QualStatic == 0 {
		p.Note(k.File, k.View.Start, kit.CodeAssumed, "a launch in a file that was not named must ask for the words' bytes of dynamic shared memory, too")
	}
	return len(p.Reasons) == 0
}
