package intrinsic

// Scratch counts the registers of 32 bits that a call takes on the way to its result, for
// arguments of up to 32 bits and for doubles: those by which a kernel that does nothing
// else has more than one that multiplies, with nvcc 11.8 for sm_80.
type Scratch struct{ Single, Double int }

// taking is the row with its scratch registers.
func (r Row) taking(single, double int) Row {
	r.Scratch = Scratch{single, double}
	return r
}
