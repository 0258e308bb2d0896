//go:build linux

package build

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/verify/translate"
)

// large is four million numbers, for which a compiler takes far more than 300 MB.
const large = `#define A 1,1,1,1,1,1,1,1
#define B A,A,A,A,A,A,A,A
#define C B,B,B,B,B,B,B,B
#define D C,C,C,C,C,C,C,C
#define E D,D,D,D,D,D,D,D
#define F E,E,E,E,E,E,E,E
#define G F,F,F,F,F,F,F,F
int all[] = {G,G};
` + answers

func TestACompilerThatNeedsTooMuchMemoryIsStopped(t *testing.T) {
	tools := openSmall(t, t.TempDir())
	tools.Memory = 300 << 20
	build := func(text string) error {
		dir := t.TempDir()
		_, err := tools.Build(context.Background(), Request{Units: []*translate.Unit{unit(dir, "a.cu", text)}, Dir: dir})
		return err
	}
	assert.NoError(t, build(answers))
	var refused *CompileError
	require.ErrorAs(t, build(large), &refused)
	require.Len(t, refused.Messages, 1)
	assert.Equal(t, "a.cu", refused.Messages[0].Pos.File)
	assert.Equal(t, CodeDoesNotCompile, refused.Messages[0].Code)
	assert.Contains(t, refused.Messages[0].Text, "it needs more than the 0.315 GB of memory")
	assert.NotEmpty(t, refused.Messages[0].Help)
	assert.NoError(t, build(answers+"\n"), "one program's trouble is not the next one's")
}
