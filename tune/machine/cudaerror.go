package machine

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/smux-cuda/smux/tune/record"
)

// cudaError is an error of the CUDA runtime that says what is wrong with a form of a program.
type cudaError struct {
	name    string // as cudaGetErrorName has it
	wording string // as cudaGetErrorString has it
	kind    record.FailureKind
	meaning string // in our words
}

// The meanings that several errors share.
const (
	tooMuch  = "a launch asks for more than the GPU has"
	noCode   = "the program holds no code for this GPU"
	gone     = "the kernel ended with an error of the GPU that nothing survives"
	noDevice = "the program finds no GPU that it can use"
)

// cudaErrors are the errors that are distinguished. The others count as errors of the program.
var cudaErrors = []cudaError{
	{"cudaErrorLaunchOutOfResources", "too many resources requested for launch", record.FailedResources, tooMuch},
	{"cudaErrorInvalidConfiguration", "invalid configuration argument", record.FailedResources, tooMuch},
	{"cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch", record.FailedResources, tooMuch},
	{"cudaErrorMemoryAllocation", "out of memory", record.FailedResources, "the program asks for more memory than the GPU has"},
	{"cudaErrorIllegalAddress", "an illegal memory access was encountered", record.FailedCrash, gone},
	{"cudaErrorMisalignedAddress", "misaligned address", record.FailedCrash, gone},
	{"cudaErrorIllegalInstruction", "an illegal instruction was encountered", record.FailedCrash, gone},
	{"cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space", record.FailedCrash, gone},
	{"cudaErrorInvalidPc", "invalid program counter", record.FailedCrash, gone},
	{"cudaErrorHardwareStackError", "hardware stack error", record.FailedCrash, gone},
	{"cudaErrorAssert", "device-side assert triggered", record.FailedCrash, gone},
	{"cudaErrorLaunchFailure", "unspecified launch failure", record.FailedCrash, gone},
	{"cudaErrorECCUncorrectable", "uncorrectable ECC error encountered", record.FailedCrash, gone},
	{"cudaErrorLaunchTimeout", "the launch timed out and was terminated", record.FailedTimeout, "the kernel ran longer than the GPU's display allows"},
	{"cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device", record.FailedRun, noCode},
	{"cudaErrorInvalidDeviceFunction", "invalid device function", record.FailedRun, noCode},
	{"cudaErrorUnsupportedPtxVersion", "the provided PTX was compiled with an unsupported toolchain", record.FailedRun, "the GPU's driver is older than this toolkit's code"},
	{"cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version", record.FailedRun, "the GPU's driver is older than this toolkit"},
	{"cudaErrorNoDevice", "no CUDA-capable device is detected", record.FailedRun, noDevice},
	{"cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable", record.FailedRun, noDevice},
}

// launchFailure returns the failure of a launch that the runtime has the name of an error for.
func launchFailure(name string) *record.Failure {
	for _, e := range cudaErrors {
		if e.name == name {
			return e.failure()
		}
	}
	if name == "cudaErrorInvalidValue" {
		// What else a launch takes was compiled: that leaves the bytes of shared memory.
		return &record.Failure{Kind: record.FailedResources, Text: fmt.Sprintf("%s, of shared memory as a rule (%s)", tooMuch, name)}
	}
	return &record.Failure{Kind: record.FailedRun, Text: "a launch of the kernel fails: " + name}
}

func (e cudaError) failure() *record.Failure {
	return &record.Failure{Kind: e.kind, Text: fmt.Sprintf("%s: %s (%s)", e.meaning, e.wording, e.name)}
}

// notMerged matches what a rewritten program says before it aborts at a launch whose blocks can't be merged.
var notMerged = regexp.MustCompile(`(?m)^smux: (\d+ blocks of \d+x\d+x\d+ threads) can't be merged\s*$`)

// printedFailure returns the failure that the words of a program that ended with an error tell of, nil for none known.
func printedFailure(words string) *record.Failure {
	if m := notMerged.FindStringSubmatch(words); m != nil {
		return &record.Failure{Kind: record.FailedRewrite, Text: "the form is not for the launches of this run: it can't merge " + m[1]}
	}
	for _, e := range cudaErrors {
		if strings.Contains(words, e.wording) || strings.Contains(words, e.name) {
			return e.failure()
		}
	}
	return nil
}
