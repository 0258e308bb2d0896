package verify

import (
	"fmt"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/verify/execute"
	"github.com/smux-cuda/smux/verify/locate"
)

// FindingMessage returns in one line what a finding of the runtime is, at its place in the program's text.
func FindingMessage(f *execute.Finding) diag.Message { return messageOf(f, nil) }

// messageOf returns in one line what a finding of the runtime is.
func messageOf(f *execute.Finding, p *places) diag.Message {
	m := diag.Message{Pos: shown(frames(f), p), Code: codeOf(f.Code), Help: diag.Help(codeOf(f.Code))}
	m.Text = sentence(f, p)
	if f.Text != "" && !isSameValue(f) {
		m.Text += ": " + f.Text
	}
	return m
}

// frames returns the stack that a finding is about: that of the thread that spins;
// where threads wait, the first that has a place; else where it happened.
func frames(f *execute.Finding) []locate.Frame {
	if f.Code == reportSpin && len(f.Frames) > 0 {
		return f.Frames
	}
	for _, w := range f.Waiters {
		if len(w.Frames) > 0 {
			return w.Frames
		}
	}
	return f.Frames
}

// sentence words a finding by its code.
func sentence(f *execute.Finding, p *places) string {
	what, who := object(f), thread(f)
	switch f.Code {
	case CodeRace, CodeVolatileRace:
		text := fmt.Sprintf("%s of %s by %s", accessKind(f.Manner), what, who)
		if o := f.Other; o != nil {
			text += fmt.Sprintf(", not ordered with the %s by %s", accessKind(o.Manner), otherThread(f, o, p))
		}
		if isSameValue(f) {
			text += "; both write the same value"
		}
		return text
	case CodeStreamRace:
		nothing := "no stream or event orders it with"
		if f.Host && f.Name != "" {
			who = f.Name
		} else if f.Host {
			nothing = "the host has not waited for"
		}
		other := f.Other.Operation
		if !strings.HasPrefix(other, "cuda") { // a function that makes or frees memory
			other = "the " + accessKind(f.Other.Manner) + " by " + other
		}
		return fmt.Sprintf("%s of %s by %s; %s %s%s", accessKind(f.Manner), what, who, nothing, other, at(f.Other.Frames, p))
	case CodeInFlight:
		end := "to"
		if o := f.Other; o != nil && !o.Write {
			end = "from"
		}
		text := fmt.Sprintf("%s %s %s, while an asynchronous copy %s it is under way", who, verb(f.Write), what, end)
		if o := f.Other; o != nil {
			text += fmt.Sprintf(", which was asked for by %s", otherThread(f, o, p))
		}
		return text
	case CodeUninitialised:
		if f.Space == "local" {
			return "the output depends on a variable of a function that is read before it is set"
		}
		if f.Space == "global" {
			return fmt.Sprintf("%s reads %s, which nobody has written", who, what)
		}
		return fmt.Sprintf("%s reads %s, which no thread of the block has written", who, what)
	case CodeRegionEarlier:
		return fmt.Sprintf("%s reads %s, last written in an earlier region%s", who, what, by(f, p))
	case CodeRegionOther:
		return fmt.Sprintf("%s reads %s, last written by another virtual block%s", who, what, by(f, p))
	case CodeRegionOutside:
		return fmt.Sprintf("%s %s %s outside of every region", who, verb(f.Write), what)
	case CodeOutOfBounds, CodeIllegalAddress:
		if isSubscript(f) {
			return fmt.Sprintf("%s leaves an array", who)
		}
		if f.Host && f.Space == "host" {
			return fmt.Sprintf("%s takes host memory for the device's", who)
		}
		if f.Host && f.Code == CodeIllegalAddress {
			return "device memory is not the host's"
		}
		if f.Bytes == 0 && f.Code == CodeOutOfBounds { // a whole call is wrong, such as a second free
			return fmt.Sprintf("%s misuses memory", who)
		}
		if f.Space == "host" {
			return fmt.Sprintf("%s %s host memory, which kernels cannot", who, verb(f.Write))
		}
		if f.Bytes == 0 { // it faulted
			return fmt.Sprintf("%s %s an illegal address", who, verb(f.Write))
		}
		return fmt.Sprintf("%s %s %s out of bounds", who, verb(f.Write), what)
	case CodeConstantWrite:
		return fmt.Sprintf("%s writes %s, which kernels may only read", who, what)
	case CodeMisaligned:
		return fmt.Sprintf("%s %s %s, at an address that is not a multiple of its size", who, verb(f.Write), what)
	case CodeIntegerOverflow:
		return fmt.Sprintf("%s overflows in a subscript", who)
	case CodeUnwritten:
		if f.Variable == "" {
			return who + " copies from the device what nobody has written"
		}
		return fmt.Sprintf("element %d of %s was never written: it holds what fresh memory holds", f.Offset, f.Variable)
	case CodeDivisionByZero:
		return fmt.Sprintf("%s divides an integer by zero", who)
	case CodeCanary:
		text := fmt.Sprintf("%s has written outside of %s", kernelName(f), array(f))
		if f.Other != nil { // where the array was made
			text += " that was made" + at(f.Other.Frames, p)
		}
		return text
	case CodeDeadlock:
		return fmt.Sprintf("no thread of block %s can go on in %s%s", coordinates(f.Block), kernelName(f), waiting(f, p))
	case CodeBarrierDivergence:
		if len(f.Waiters) == 0 {
			return who + " waits at a barrier that other threads of the block go past, to the end of the kernel"
		}
		return fmt.Sprintf("the threads of block %s do not all meet at one barrier in %s%s", coordinates(f.Block), kernelName(f), waiting(f, p))
	case CodeWarpDivergence:
		if f.Other != nil {
			return fmt.Sprintf("%s, in an instruction of the whole warp, meets lanes that are in another%s", who, at(f.Other.Frames, p))
		}
		if len(f.Waiters) == 0 {
			return who + " uses the value of a lane that does not take part"
		}
		return fmt.Sprintf("the lanes of a warp of block %s meet in different operations in %s%s", coordinates(f.Block), kernelName(f), waiting(f, p))
	case CodeBadBarrier:
		return fmt.Sprintf("%s uses a barrier in a way that the hardware does not allow", who)
	case reportSpin:
		return fmt.Sprintf("%s makes no progress, so a thread spins for something that never comes%s", kernelName(f), waiting(f, p))
	case CodeStackOverflow:
		return fmt.Sprintf("%s has used up its stack", who)
	case CodeTrap:
		return fmt.Sprintf("%s stops the program", who)
	case CodeLaunchError:
		return fmt.Sprintf("%s cannot be launched like this", kernelName(f))
	case CodeNotSupported:
		return fmt.Sprintf("%s is not supported on the CPU", f.Name)
	case CodeNeedsLibrary, CodeNotModelled:
		return f.Name
	case reportCrash:
		return fmt.Sprintf("host code ends with signal %d", f.Signal)
	}
	return who
}

// object names what is accessed: tile at byte 12 (4 bytes of shared memory).
func object(f *execute.Finding) string {
	size := fmt.Sprintf("%d bytes", f.Bytes)
	if f.Bytes == 1 {
		size = "1 byte"
	}
	switch {
	case f.Variable != "":
		return fmt.Sprintf("%s at byte %d (%s of %s memory)", f.Variable, f.Offset, size, f.Space)
	case f.Bytes == 0 || f.Code == CodeIllegalAddress:
		return strings.TrimSpace(f.Space + " memory")
	case f.Space == "":
		return size
	}
	return fmt.Sprintf("%s of %s memory", size, f.Space)
}

// array names a variable or allocation as a whole.
func array(f *execute.Finding) string {
	if f.Variable != "" {
		return f.Variable
	}
	return "an array in " + f.Space + " memory"
}

func verb(write bool) string {
	if write {
		return "writes"
	}
	return "reads"
}

func kernelName(f *execute.Finding) string {
	if f.Kernel == "" {
		return "the host"
	}
	return "kernel " + f.Kernel
}

// thread names who did it.
func thread(f *execute.Finding) string {
	if f.Host {
		return "host code"
	}
	if f.Kernel == "" {
		return "the program" // the address sanitizer knows no threads
	}
	return fmt.Sprintf("thread %s of block %s in kernel %s", coordinates(f.Thread), coordinates(f.Block), f.Kernel)
}

// otherThread names the other side of a race, and its block where that is another one.
func otherThread(f *execute.Finding, o *execute.Access, p *places) string {
	text := "thread " + coordinates(o.Thread)
	if o.Block != f.Block {
		text += " of block " + coordinates(o.Block)
	}
	return text + at(o.Frames, p)
}

// by returns where the access was that came before.
func by(f *execute.Finding, p *places) string {
	if f.Other == nil {
		return ""
	}
	return at(f.Other.Frames, p)
}

// at is " at a.cu:12:5", or nothing where the place is not known.
func at(frames []locate.Frame, p *places) string {
	if pos := shown(frames, p); pos.IsValid() {
		return " at " + pos.String()
	}
	return ""
}

// maxWaiters is the number of groups of waiting threads that a message names.
const maxWaiters = 4

// waiting tells who waits where.
func waiting(f *execute.Finding, p *places) string {
	var groups []string
	for i, w := range f.Waiters {
		if i == maxWaiters {
			groups = append(groups, fmt.Sprintf("%d more groups", len(f.Waiters)-i))
			break
		}
		who := fmt.Sprintf("%d threads from %s on", w.Threads, coordinates(w.Thread))
		if w.Threads == 1 {
			who = "thread " + coordinates(w.Thread)
		}
		groups = append(groups, fmt.Sprintf("%s: %s%s", who, w.What, at(w.Frames, p)))
		if n := alike(f.Waiters, i); n > 0 && n < len(w.Frames) {
			groups[i] += ", called" + at(w.Frames[n:], p)
		}
	}
	if len(groups) == 0 {
		return ""
	}
	return ": " + strings.Join(groups, "; ")
}

// alike returns how many of a waiter's innermost frames another one shares that waits elsewhere.
func alike(waiters []execute.Waiter, i int) (most int) {
	for j := range waiters {
		n := 0
		for n < len(waiters[i].Frames) && n < len(waiters[j].Frames) && waiters[i].Frames[n] == waiters[j].Frames[n] {
			n++
		}
		if j != i {
			most = max(most, n)
		}
	}
	return most
}

func coordinates(c [3]int) string { return fmt.Sprintf("(%d,%d,%d)", c[0], c[1], c[2]) }

// position returns the innermost frame's.
func position(frames []locate.Frame) diag.Position {
	if len(frames) == 0 {
		return diag.Position{}
	}
	return diag.Position{File: frames[0].File, Line: frames[0].Line, Column: max(1, frames[0].Column)}
}

// shown returns the place that messages name.
func shown(frames []locate.Frame, p *places) diag.Position { return p.show(position(frames)) }
