package makerule_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/smux-cuda/smux/internal/makerule"
)

func TestNamesAreReadWithTheirEscapesUndone(t *testing.T) {
	want := []string{"a.cu", "my dir/b.h", "c$.h", "d#.h"}
	assert.Equal(t, want, makerule.Prerequisites("x/0.o: a.cu \\\n my\\ dir/b.h c$$.h \\\n d\\#.h\n"))
	assert.Equal(t, want, makerule.Prerequisites("x.o : a.cu \\\r\n\tmy\\ dir/b.h c$$.h \\\r\n d\\#.h\r\n"), "as on Windows")
}

func TestAColonInANameIsNoEndOfTheTarget(t *testing.T) {
	assert.Equal(t, []string{`C:\x.h`, "b.h"}, makerule.Prerequisites(`C:\x.o: C:\x.h b.h`))
}

func TestWhatIsNoRuleNamesNothing(t *testing.T) {
	for _, text := range []string{"", "x.o", "x.o:", "x.o: \\\n\n"} {
		assert.Empty(t, makerule.Prerequisites(text), "%q", text)
	}
}
