package parser

import (
	"crypto/sha256"
	"sync"
)

// Trees keeps syntax trees by the text that the grammar gets: those of headers, in which
// macros have left their marks, and those of expanded macros. A tree depends on nothing else,
// and nothing changes it once it is there, so programs that have the same texts share them,
// and so do the versions of a program. Safe for concurrent use; nil keeps none.
type Trees struct {
	mu         sync.Mutex
	now, older map[treeKey]func() (any, error) // older ones go when now is full
	bytes      int                             // of the texts of now
}

type treeKey struct {
	text [sha256.Size]byte
	kind int // of a fragment, or wholeFile
}

const wholeFile = -1

// mostShared bounds the bytes of text of the newer trees, and of the older: trees take twenty times as much.
const mostShared = 2 << 20

// NewTrees returns an empty store.
func NewTrees() *Trees { return &Trees{now: map[treeKey]func() (any, error){}} }

// parse is parseTree; the nodes are everybody's.
func (t *Trees) parse(text []byte) ([]Node, error) {
	if t == nil {
		return parseTree(text)
	}
	nodes, err := t.once(treeKey{sha256.Sum256(text), wholeFile}, len(text), func() (any, error) { return parseTree(text) })
	return nodes.([]Node), err
}

// Fragment is ParseFragment; the fragment is everybody's.
func (t *Trees) Fragment(text string, kind FragmentKind) (*Fragment, error) {
	if t == nil {
		return ParseFragment(text, kind)
	}
	f, err := t.once(treeKey{sha256.Sum256([]byte(text)), int(kind)}, len(text), func() (any, error) { return ParseFragment(text, kind) })
	return f.(*Fragment), err
}

// once returns what parse returns for a text of so many bytes.
func (t *Trees) once(key treeKey, size int, parse func() (any, error)) (any, error) {
	if size > mostShared {
		return parse()
	}
	t.mu.Lock()
	tree := t.now[key]
	if tree == nil {
		if t.bytes += size; t.bytes > mostShared {
			t.now, t.older, t.bytes = map[treeKey]func() (any, error){}, t.now, size
		}
		if tree = t.older[key]; tree == nil {
			tree = sync.OnceValues(parse)
		}
		t.now[key] = tree
	}
	t.mu.Unlock()
	return tree()
}
