package acc

import (
	"fmt"
	"strings"
)

// operation is one operator of reductions: how two values become one, and what changes
// nothing. Operators for which a value may be combined twice have none: there each thread
// begins with the value that the variable has.
type operation struct{ name, combine, neutral string }

var operations = map[string]operation{
	"+":   {"sum", "value + other", "0"},
	"*":   {"product", "value * other", "1"},
	"^":   {"xor", "value ^ other", "0"},
	"max": {"max", "other > value ? other : value", ""},
	"min": {"min", "other < value ? other : value", ""},
	"&":   {"and", "value & other", ""},
	"|":   {"or", "value | other", ""},
	"&&":  {"all", "value && other", ""},
	"||":  {"any", "value || other", ""},
}

// blockReduction is device code that combines one value of each thread of a block.
const blockReduction = `// NAME combines a value of each thread of a block, in an order that is the same on each
// run. Thread 0 gets the result.
__device__ static TYPE NAME(TYPE value)
{
    __shared__ TYPE parts[32];
    int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int warps = blockDim.x * blockDim.y * blockDim.z / 32;
    for (int distance = 16; distance > 0; distance /= 2) {
        TYPE other = __shfl_down_sync(0xffffffff, value, distance);
        value = COMBINE;
    }
    if (thread % 32 == 0)
        parts[thread / 32] = value;
    __syncthreads();
    if (thread < 32) {
        value = thread < warps ? parts[thread] : NEUTRAL;
        for (int distance = 16; distance > 0; distance /= 2) {
            TYPE other = __shfl_down_sync(0xffffffff, value, distance);
            value = COMBINE;
        }
    }
    __syncthreads();
    return value;
}
`

// totalReduction is host code that combines what thread blocks came to.
const totalReduction = `// NAME combines a value with those of thread blocks, one after the other, and frees these.
static TYPE NAME(TYPE value, TYPE *d_parts, unsigned blocks)
{
    TYPE *parts = (TYPE *)malloc(blocks * sizeof(TYPE));
    ACC_CHECK(cudaMemcpy(parts, d_parts, blocks * sizeof(TYPE), cudaMemcpyDeviceToHost));
    ACC_CHECK(cudaFree(d_parts));
    for (unsigned i = 0; i < blocks; i++) {
        TYPE other = parts[i];
        value = COMBINE;
    }
    free(parts);
    return value;
}
`

// totalsReduction is the same for the elements of an array.
const totalsReduction = `// NAME combines the elements of an array with those of thread blocks, one block after the other,
// and frees these.
static void NAME(TYPE *values, int elements, TYPE *d_parts, unsigned blocks)
{
    TYPE *parts = (TYPE *)malloc(blocks * elements * sizeof(TYPE));
    ACC_CHECK(cudaMemcpy(parts, d_parts, blocks * elements * sizeof(TYPE), cudaMemcpyDeviceToHost));
    ACC_CHECK(cudaFree(d_parts));
    for (unsigned i = 0; i < blocks * elements; i++) {
        TYPE other = parts[i], value = values[i % elements];
        values[i % elements] = COMBINE;
    }
    free(parts);
}
`

// sharedReduction is device code that gives every thread the result.
const sharedReduction = `// NAME does the same, and each thread gets the result.
__device__ static TYPE NAME(TYPE value)
{
    __shared__ TYPE result;
    value = acc_block_OP_WORD(value);
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
        result = value;
    __syncthreads();
    value = result;
    __syncthreads();
    return value;
}
`

// helper is a function that a reduction calls, by its text and a prefix of its name.
func (t *translation) helper(r reduction, prefix, text string) string {
	op := operations[r.op]
	word := strings.ReplaceAll(r.v.base, " ", "_")
	neutral := op.neutral
	if neutral == "" {
		neutral = "parts[0]"
	}
	name := fmt.Sprintf("%s_%s_%s", prefix, op.name, word)
	t.uses[name] = strings.NewReplacer("NAME", name, "TYPE", r.v.base, "COMBINE", op.combine, "NEUTRAL", neutral, "OP_WORD", op.name+"_"+word).Replace(text)
	return name
}

// total combines what thread blocks came to, on the host.
func (t *translation) total(r reduction) string {
	if r.elements > 0 {
		return t.helper(r, "acc_totals", totalsReduction)
	}
	return t.helper(r, "acc_total", totalReduction)
}

// ofBlock combines what the threads of a block have, for the first of them; ofAll gives it to
// all.
func (t *translation) ofBlock(r reduction) string { return t.helper(r, "acc_block", blockReduction) }
func (t *translation) ofAll(r reduction) string {
	t.ofBlock(r)
	return t.helper(r, "acc_each", sharedReduction)
}

// checkReduction refuses what a reduction can't be of.
func (c *construct) checkReduction(r reduction) error {
	at := c.u.at(c.pragma.Pos)
	switch {
	case r.elements < 0:
		return refusal(at, CodeUnsupported, fmt.Sprintf("a reduction of the array %s, of which each thread would have to have one", r.v.name),
			fmt.Sprintf("reduce its first elements, at most %d, with a constant number: reduction(+:a[0:4]); or use atomic", largestReduced))
	case numberNamed(r.v.resolved).Bytes == 0: // shuffles take them all
		return refusal(at, CodeUnsupported, fmt.Sprintf("a reduction of type %s", r.v.base), "reduce an int, a long, a float or a double, and convert it after the loop")
	case strings.ContainsAny(r.op, "&|^") && (r.v.resolved == "float" || r.v.resolved == "double") && r.op != "&&" && r.op != "||":
		return refusal(at, CodeUnsupported, fmt.Sprintf("the operator %s on type %s", r.op, r.v.base), "use an operator that C has for the type")
	}
	return nil
}
