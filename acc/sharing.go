package acc

import (
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// A program of several files has one device for all of them: what one file made present, and what
// it queued, another one looks up and waits for. C++ has one copy of what a function marked inline
// keeps; each file has the function.

// isOneOfSeveral reports whether the file may be one of several of a program: it has no main, or
// calls functions that it only declares.
func (t *translation) isOneOfSeveral() bool {
	return t.functionNamed("main") == nil || t.tree.Root.Any(t.callsElsewhere)
}

// callsElsewhere reports whether a node calls a function of another file.
func (t *translation) callsElsewhere(n *parser.Node) bool {
	if n.Kind != parser.KindCallExpression {
		return false
	}
	name := t.text(n.Child(parser.FieldFunction))
	return t.functionNamed(name) == nil && !strings.HasPrefix(name, "acc_") && t.declaredOnly(name)
}

// oneTable and oneQueue replace what each file would have for itself.
var oneTable = strings.NewReplacer("static struct acc_memory acc_table[256];\n", `
// acc_memories holds what all files of the program have on the device.
inline struct acc_memory *acc_memories()
{
    static struct acc_memory all[256];
    return all;
}
static struct acc_memory *const acc_table = acc_memories();
`)

var oneQueue = strings.NewReplacer("static inline cudaStream_t acc_stream", "inline cudaStream_t acc_stream", "static int acc_default_queue = -1;\n", `inline int &acc_chosen_queue()
{
    static int queue = -1;
    return queue;
}
static int &acc_default_queue = acc_chosen_queue();
`)
