package verify

import "github.com/smux-cuda/smux/diag"

// The codes of findings: what a run of a program showed. Package diag documents
// each. Most are the runtime's, see shim/runtime/report.h.
const (
	CodeRace              diag.Code = "race"
	CodeVolatileRace      diag.Code = "volatile-race"
	CodeStreamRace        diag.Code = "stream-race"
	CodeInFlight          diag.Code = "in-flight"
	CodeDeadlock          diag.Code = "deadlock"
	CodeBarrierDivergence diag.Code = "barrier-divergence"
	CodeWarpDivergence    diag.Code = "warp-divergence"
	CodeBadBarrier        diag.Code = "bad-barrier"
	CodeNoProgress        diag.Code = "no-progress"
	CodeOutOfBounds       diag.Code = "out-of-bounds"
	CodeCanary            diag.Code = "canary"
	CodeIllegalAddress    diag.Code = "illegal-address"
	CodeConstantWrite     diag.Code = "constant-write"
	CodeMisaligned        diag.Code = "misaligned"
	CodeStackOverflow     diag.Code = "stack-overflow"
	CodeUninitialised     diag.Code = "uninitialised"
	CodeRegionEarlier     diag.Code = "region-earlier"
	CodeRegionOther       diag.Code = "region-other"
	CodeRegionOutside     diag.Code = "region-outside"
	CodeIntegerOverflow   diag.Code = "integer-overflow"
	CodeDivisionByZero    diag.Code = "division-by-zero"
	CodeUnwritten         diag.Code = "unwritten"
	CodeTrap              diag.Code = "trap"
	CodeLaunchError       diag.Code = "launch-error"

	CodeDifferentCopy   diag.Code = "different-copy"
	CodeDifferentStdout diag.Code = "different-stdout"
	CodeDifferentExit   diag.Code = "different-exit"
	CodeOrderDependent  diag.Code = "order-dependent"
)

// The codes of what keeps a program from being run and judged.
const (
	CodeNoCompiler       diag.Code = "no-compiler"
	CodeDoesNotCompile   diag.Code = "does-not-compile"
	CodeNeedsLibrary     diag.Code = "needs-library"
	CodeNotSupported     diag.Code = "not-supported"
	CodeNoMain           diag.Code = "no-main"
	CodeCrashes          diag.Code = "crashes"
	CodeHangs            diag.Code = "hangs"
	CodeExitsNonzero     diag.Code = "exits-nonzero"
	CodeNotDeterministic diag.Code = "not-deterministic"
	CodeNotExercised     diag.Code = "not-exercised"
)

// The codes of remarks on what a verdict leaves open: accesses that were not looked
// at, what the program uses and its runs say nothing of, merged kernels of which no two blocks met, orders that were not run, and directives by
// which a C program does something else.
const (
	CodePartlyChecked  diag.Code = "partly-checked"
	CodeNeverMerged    diag.Code = "never-merged"
	CodePartlyExplored diag.Code = "partly-explored"
	CodeExactSums      diag.Code = "exact-sums"
	CodeNotModelled    diag.Code = "not-modelled"
	// CodeGuessedLaunch marks what was found with a launch that smux chose, and not with another one that it might have chosen.
	CodeGuessedLaunch diag.Code = "guessed-launch"

	CodeDirectivesDiffer diag.Code = "directives-differ"
)

// What the runtime's report calls otherwise: codes that are not findings by
// themselves, and one whose name the analyses use for what they see in the text.
const (
	reportCrash        = diag.Code("crash")
	reportNotSupported = CodeNotSupported
	reportSpin         = diag.Code("spin")
)

// codeOf returns the code under which a finding of the runtime is shown.
func codeOf(report diag.Code) diag.Code {
	if report == reportSpin {
		return CodeNoProgress
	}
	return report
}

// Check is one of the things that a run is looked at for.
type Check string

// The checks, in the order in which a verdict lists them.
const (
	Output        Check = "output" // copies to the host, standard output, exit status
	Races         Check = "races"
	Deadlocks     Check = "deadlocks"
	Bounds        Check = "bounds"
	Uninitialised Check = "uninitialised"
	Regions       Check = "regions"
)

// Checks are all checks.
var Checks = []Check{Output, Races, Deadlocks, Bounds, Uninitialised, Regions}

// checkOf reports which check a finding belongs to.
func checkOf(code diag.Code) Check {
	switch code {
	case CodeRace, CodeVolatileRace, CodeStreamRace, CodeInFlight:
		return Races
	case CodeDeadlock, CodeBarrierDivergence, CodeWarpDivergence, CodeBadBarrier, CodeNoProgress:
		return Deadlocks
	case CodeOutOfBounds, CodeCanary, CodeIllegalAddress, CodeConstantWrite, CodeMisaligned, CodeStackOverflow, CodeIntegerOverflow, CodeDivisionByZero:
		return Bounds
	case CodeUninitialised:
		return Uninitialised
	case CodeRegionEarlier, CodeRegionOther, CodeRegionOutside:
		return Regions
	}
	return Output
}
