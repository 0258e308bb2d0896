package occupancy

// wordBytes is the bytes that a demoted register takes in shared memory.
const wordBytes = 4

// Demote returns the demand of a kernel that keeps that many of its registers in
// shared memory, one word for each thread after the bytes it has, as RegDem lays
// them out.
func (d Demand) Demote(words int) Demand {
	d.Registers -= words
	if words > 0 {
		d.Shared = roundUp(d.Shared, wordBytes) + words*d.Threads*wordBytes
	}
	return d
}
