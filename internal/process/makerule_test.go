package process_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/internal/process"
)

func TestNamesAreReadWithTheirEscapesUndone(t *testing.T) {
	want := []string{"a.cu", "my dir/b.h", "c$.h", "d#.h"}
	assert.Equal(t, want, process.Prerequisites("x/0.o: a.cu \\\n my\\ dir/b.h c$$.h \\\n d\\#.h\n"))
	assert.Equal(t, want, process.Prerequisites("x.o : a.cu \\\r\n\tmy\\ dir/b.h c$$.h \\\r\n d\\#.h\r\n"), "as on Windows")
}

func TestAColonInANameIsNoEndOfTheTarget(t *testing.T) {
	assert.Equal(t, []string{`C:\x.h`, "b.h"}, process.Prerequisites(`C:\x.o: C:\x.h b.h`))
}

func TestWhatIsNoRuleNamesNothing(t *testing.T) {
	for _, text := range []string{"", "x.o", "x.o:", "x.o: \\\n\n"} {
		assert.Empty(t, process.Prerequisites(text), "%q", text)
	}
}
