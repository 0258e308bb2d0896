package instrument

import (
	"embed"
	"strings"
	"sync"
)

// parts are the files of the prelude, in order.
var parts = []string{"environment", "element", "log", "stale", "memory", "launch", "copies", "allocations", "macros"}

//go:embed prelude/*.cuh
var preludeFiles embed.FS

// prelude is what stands in front of the texts of a program. It needs C++11 and the
// CUDA runtime, and is read once where texts include one another.
var prelude = sync.OnceValue(func() string {
	var b strings.Builder
	for _, part := range parts {
		text, _ := preludeFiles.ReadFile("prelude/" + part + ".cuh") // TestPreludeIsWhole
		b.Write(text)
	}
	return b.String()
})
