package parser

import "sort"

// applyMoves turns node offsets in moved text into offsets of the original.
func applyMoves(nodes []Node, moves []move) {
	if len(moves) == 0 {
		return
	}
	sort.Slice(moves, func(i, j int) bool { return moves[i].nameEnd < moves[j].nameEnd })
	original := func(at uint32) uint32 {
		i := sort.Search(len(moves), func(i int) bool { return moves[i].end > int(at) })
		if i < len(moves) && int(at) >= moves[i].nameEnd-1 {
			return at + 1
		}
		return at
	}
	for i := range nodes {
		n := &nodes[i]
		n.Start, n.End = original(n.Start), original(n.End)
	}
}
