package parser

import (
	"crypto/sha256"
	"sync"
)

// Trees keeps the syntax trees of headers, so that programs that include the same ones
// share them: a tree depends on nothing but the text that the grammar gets, in which
// macros have left their marks, and nothing changes it once it is there. Safe for
// concurrent use; nil keeps none.
type Trees struct {
	mu    sync.Mutex
	trees map[[sha256.Size]byte]func() ([]Node, error)
	bytes int // of the texts
}

// mostShared bounds the text in bytes for which trees are kept; they take some twenty times
// as much.
const mostShared = 2 << 20

// NewTrees returns an empty store.
func NewTrees() *Trees { return &Trees{trees: map[[sha256.Size]byte]func() ([]Node, error){}} }

// parse is parseTree; the nodes are everybody's.
func (t *Trees) parse(text []byte) ([]Node, error) {
	if t == nil {
		return parseTree(text)
	}
	key := sha256.Sum256(text)
	t.mu.Lock()
	tree := t.trees[key]
	if tree == nil {
		if t.bytes+len(text) > mostShared {
			t.mu.Unlock()
			return parseTree(text)
		}
		t.bytes += len(text)
		tree = sync.OnceValues(func() ([]Node, error) { return parseTree(text) })
		t.trees[key] = tree
	}
	t.mu.Unlock()
	return tree()
}
