// Package suite says how much the tests run: a sample that a person waits for
// (make test), or all that they can (make test-full, which CI runs after it).
// The environment variable SMUX_TEST_FULL makes the difference, so that what
// does not ask is not run twice: go test knows which tests read it.
//
// A test that holds for many programs runs some of them in the sample, chosen by
// name and the same ones each time. What is left out is skipped, not absent.
package suite

import (
	"hash/fnv"
	"os"
)

// FullVariable is the environment variable that asks for all tests.
const FullVariable = "SMUX_TEST_FULL"

// Full reports whether all tests are to run.
func Full() bool { return os.Getenv(FullVariable) != "" }

// T is the part of a test that skips it.
type T interface {
	Helper()
	Skip(args ...any)
}

// leftOut is the reason that is given for what is not in the sample.
const leftOut = "left to make test-full"

// Sample skips a test that is not in the sample: of n tests about one is, which
// its name decides.
func Sample(t T, name string, n int) {
	t.Helper()
	if !InSample(name, n) {
		t.Skip(leftOut)
	}
}

// InSample reports whether something that is one of many is to be tested.
func InSample(name string, n int) bool {
	h := fnv.New32a()
	h.Write([]byte(name))
	return Full() || h.Sum32()%uint32(n) == 0
}

// OnlyFull skips a test of which no part is in the sample.
func OnlyFull(t T) {
	t.Helper()
	if !Full() {
		t.Skip(leftOut)
	}
}
