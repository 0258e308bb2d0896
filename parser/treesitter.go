package parser

/*
#cgo CFLAGS: -O2
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// The few functions of tree-sitter that are needed, by hand: the module ships
// api.h, but not on an include path. The layouts are those of its api.h.
typedef struct TSLanguage TSLanguage;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct { uint32_t context[4]; const void *id; const TSTree *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;

extern TSLanguage *tree_sitter_cpp();
extern TSParser *ts_parser_new(void);
extern void ts_parser_delete(TSParser *);
extern bool ts_parser_set_language(TSParser *, const TSLanguage *);
extern TSTree *ts_parser_parse_string(TSParser *, const TSTree *, const char *, uint32_t);
extern TSNode ts_tree_root_node(const TSTree *);
extern void ts_tree_delete(TSTree *);
extern uint32_t ts_node_descendant_count(TSNode);
extern uint32_t ts_node_start_byte(TSNode);
extern uint32_t ts_node_end_byte(TSNode);
extern uint16_t ts_node_symbol(TSNode);
extern bool ts_node_is_named(TSNode);
extern bool ts_node_is_missing(TSNode);
extern bool ts_node_is_extra(TSNode);
extern TSTreeCursor ts_tree_cursor_new(TSNode);
extern void ts_tree_cursor_delete(TSTreeCursor *);
extern TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
extern uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
extern bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
extern bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
extern bool ts_tree_cursor_goto_parent(TSTreeCursor *);
extern uint32_t ts_language_symbol_count(const TSLanguage *);
extern const char *ts_language_symbol_name(const TSLanguage *, uint16_t);
extern int ts_language_symbol_type(const TSLanguage *, uint16_t);
extern uint32_t ts_language_field_count(const TSLanguage *);
extern const char *ts_language_field_name_for_id(const TSLanguage *, uint16_t);

typedef struct { uint32_t start, end, parent; uint16_t symbol; uint8_t field, flags; } flat_node;

// smux_parse returns the tree of a text and its number of nodes, NULL where memory ran out.
static TSTree *smux_parse(const char *src, uint32_t len, uint32_t *count) {
  TSTree *tree = NULL;
  TSParser *p = ts_parser_new();
  if (ts_parser_set_language(p, tree_sitter_cpp())) tree = ts_parser_parse_string(p, NULL, src, len);
  ts_parser_delete(p);
  *count = tree ? ts_node_descendant_count(ts_tree_root_node(tree)) : 0;
  return tree;
}

// SMUX_LARGE_TREE is the number of nodes from which on the memory of a deleted tree goes back to the system.
#define SMUX_LARGE_TREE (1 << 17)

// smux_flatten copies the tree in preorder to nodes, which has room for cap, and
// deletes it: one call for the whole tree. It returns the number of nodes.
static uint32_t smux_flatten(TSTree *tree, flat_node *nodes, uint32_t cap) {
  uint32_t n = 0, depth = 0, stack_cap = 256;
  uint32_t *stack = malloc(sizeof(uint32_t) * stack_cap);
  TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(tree));
  bool more = stack != NULL;
  while (more && n < cap) {
    TSNode x = ts_tree_cursor_current_node(&c);
    flat_node *f = &nodes[n];
    f->start = ts_node_start_byte(x);
    f->end = ts_node_end_byte(x);
    f->parent = depth ? stack[depth - 1] : 0;
    f->symbol = ts_node_symbol(x);
    f->field = (uint8_t)ts_tree_cursor_current_field_id(&c);
    f->flags = ts_node_is_named(x) | ts_node_is_missing(x) << 1 | ts_node_is_extra(x) << 3;
    n++;
    if (ts_tree_cursor_goto_first_child(&c)) {
      if (depth == stack_cap) {
        uint32_t *grown = realloc(stack, sizeof(uint32_t) * (size_t)stack_cap * 2);
        if (!grown) { n = 0; break; }
        stack = grown;
        stack_cap *= 2;
      }
      stack[depth++] = n - 1;
      continue;
    }
    while (!ts_tree_cursor_goto_next_sibling(&c)) {
      if (!depth) { more = false; break; }
      ts_tree_cursor_goto_parent(&c);
      depth--;
    }
  }
  ts_tree_cursor_delete(&c);
  free(stack);
  ts_tree_delete(tree);
#ifdef __GLIBC__
  // What is freed stays with the arena of a thread, and the next text may be parsed
  // on another one.
  if (n >= SMUX_LARGE_TREE) malloc_trim(0);
#endif
  return n;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	_ "github.com/smacker/go-tree-sitter/cpp" // links the runtime and the grammar
)

// errNoTree is returned where tree-sitter gives no tree: it ran out of memory.
var errNoTree = errors.New("tree-sitter returned no tree")

// grammar maps tree-sitter's numbers to ours.
type grammar struct {
	kinds  []Kind // by symbol; several symbols share a name, and so a Kind
	fields []Field
}

// cppGrammar is built on first use and never changed.
var cppGrammar = sync.OnceValue(func() *grammar {
	const symbolTypeRegular = 0
	lang := C.tree_sitter_cpp()
	kindOf := make(map[string]Kind, kindCount)
	for k, name := range kindNames {
		kindOf[name] = Kind(k)
	}
	fieldOf := make(map[string]Field, fieldCount)
	for f, name := range fieldNames {
		fieldOf[name] = Field(f)
	}
	g := &grammar{
		kinds:  make([]Kind, C.ts_language_symbol_count(lang)),
		fields: make([]Field, C.ts_language_field_count(lang)+1),
	}
	for s := range g.kinds {
		if C.ts_language_symbol_type(lang, C.uint16_t(s)) == symbolTypeRegular {
			g.kinds[s] = kindOf[C.GoString(C.ts_language_symbol_name(lang, C.uint16_t(s)))]
		}
	}
	for f := 1; f < len(g.fields); f++ {
		g.fields[f] = fieldOf[C.GoString(C.ts_language_field_name_for_id(lang, C.uint16_t(f)))]
	}
	return g
})

// flatNodes keeps the buffers of flat nodes: they are large and short-lived.
var flatNodes = sync.Pool{New: func() any { return new([]C.flat_node) }}

// parseTree parses C++ text and returns the tree's nodes in preorder, linked, in one slab: nodes[0] is the root.
func parseTree(src []byte) ([]Node, error) {
	g := cppGrammar()
	var count C.uint32_t
	tree := C.smux_parse((*C.char)(unsafe.Pointer(unsafe.SliceData(src))), C.uint32_t(len(src)), &count)
	if tree == nil {
		return nil, errNoTree
	}
	buffer := flatNodes.Get().(*[]C.flat_node)
	defer flatNodes.Put(buffer)
	if cap(*buffer) <= int(count) {
		*buffer = make([]C.flat_node, int(count)+1)
	}
	flat := (*buffer)[:int(count)+1]
	n := C.smux_flatten(tree, unsafe.SliceData(flat), C.uint32_t(len(flat)))
	if n == 0 {
		return nil, errNoTree
	}
	if at := deeper(flat[:int(n)]); at >= 0 {
		return nil, tooDeep(at)
	}
	return link(g, flat[:int(n)]), nil
}

// tooDeep is the offset at which a tree is deeper than MaxDepth.
type tooDeep int

func (at tooDeep) Error() string { return fmt.Sprintf("the tree is too deep at offset %d", int(at)) }

// deeper is the offset of the first node that is deeper than MaxDepth, -1 if none is.
func deeper(flat []C.flat_node) int {
	depths := make([]uint32, len(flat))
	for i := 1; i < len(flat); i++ {
		if depths[i] = depths[flat[i].parent] + 1; depths[i] > MaxDepth {
			return int(flat[i].start)
		}
	}
	return -1
}

// link copies flat nodes to Go and links them.
func link(g *grammar, flat []C.flat_node) []Node {
	const symbolError = 0xFFFF
	nodes := make([]Node, len(flat))
	for i := range flat {
		f, n := &flat[i], &nodes[i]
		n.Start, n.End = uint32(f.start), uint32(f.end)
		n.Flags = Flags(f.flags)
		n.Field = g.fields[f.field]
		switch {
		case f.symbol == symbolError:
			n.Kind = KindError
		case int(f.symbol) < len(g.kinds):
			n.Kind = g.kinds[f.symbol]
		}
	}
	// Backwards, so that each node is put before its later siblings, and each fault has reached a node before the
	// node passes it on. tree-sitter's own flag also counts faults that no node shows, and is of no use.
	for i := len(flat) - 1; i >= 0; i-- {
		n := &nodes[i]
		if n.Kind == KindError || n.Flags&FlagMissing != 0 {
			n.Flags |= FlagHasError
		}
		if i == 0 {
			break
		}
		p := &nodes[flat[i].parent]
		n.Parent, n.Next, p.First = p, p.First, n
		p.Flags |= n.Flags & FlagHasError
	}
	return nodes
}
