package choose

import "github.com/smux-cuda/smux/rewrite"

// partition says what co-vtb divides in a kernel: rows and their size, the bytes
// that v-TBs take turns with in any case, and those that each has for itself. It
// is a variable for tests that need a kernel of known rows.
var partition = rewrite.Partition
