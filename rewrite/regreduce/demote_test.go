package regreduce

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/analysis/demotion"
	"github.com/smux-cuda/smux/rewrite/variant"
)

// What an earlier rung pinned may still move: the rewriter refuses a recipe that
// pins what it demotes, and one such name would end the whole rung.
func TestDemotedVariablesAreNotPinned(t *testing.T) {
	d := &demoting{ground: variant.Recipe{Threads: 192, Blocks: 3, Pins: []string{"i", "t", "p"}}}
	r := d.recipe("", []demotion.Word{{Name: "sum"}, {Name: "t"}})
	assert.Equal(t, "bounds=192,3 pin=i,p demote=sum,t", r.String())
	assert.Equal(t, []string{"i", "t", "p"}, d.ground.Pins, "the ground is left as it is")
}
