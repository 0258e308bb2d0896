package parser

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHeadersAreKnownByTheirNames(t *testing.T) {
	for name, want := range map[string]struct{ header, cuda bool }{
		"a.cu": {false, true}, "a.cuh": {true, true}, "d.x/a.h": {true, true}, "a.inl": {true, true},
		"a.cpp": {}, "a.o": {}, "cu": {}, "a.CU": {}, "a.h/b": {},
	} {
		assert.Equal(t, want.header, IsHeader(name), name)
		assert.Equal(t, want.cuda, IsCUDA(name), name)
	}
}
