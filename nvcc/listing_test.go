package nvcc

// Total returns the sum over all lines, functions that are called left out.
func (l *Listing) Total() Counts {
	var sum Counts
	for _, c := range l.Lines {
		if !c.Called {
			sum = sum.Add(c.Counts)
		}
	}
	return sum
}

// ByLine adds up, for each line of the kernel's own body, what was made of it
// and of what was inlined there, in all loops.
func (l *Listing) ByLine() map[Place]Counts {
	out := map[Place]Counts{}
	for _, c := range l.Lines {
		if !c.Called {
			out[c.In] = out[c.In].Add(c.Counts)
		}
	}
	return out
}

// Within reports whether a loop is another or lies in it.
func (l *Listing) Within(loop, outer int) bool {
	for ; loop >= 0; loop = l.Loops[loop].Parent {
		if loop == outer {
			return true
		}
	}
	return outer < 0
}

// Body adds up what one turn of a loop issues outside its inner loops; -1
// stands for the code outside all loops.
func (l *Listing) Body(loop int) Counts {
	var sum Counts
	for _, c := range l.Lines {
		if c.Loop == loop && !c.Called {
			sum = sum.Add(c.Counts)
		}
	}
	return sum
}
