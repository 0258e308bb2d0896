package evaluate_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/smux-cuda/smux/analysis/evaluate"
	"github.com/smux-cuda/smux/analysis/ir"
	"github.com/smux-cuda/smux/analysis/passes"
	"github.com/smux-cuda/smux/parser"
)

// TestValueRangesHoldAllValues: a range holds what C++ computes for the data that is worst, and is as
// narrow as a mask, a remainder, a type or a shift makes it.
func TestValueRangesHoldAllValues(t *testing.T) {
	const all = math.MaxInt64
	for text, want := range map[string]evaluate.ValueRange{
		"i & 255":                       {0, 255},
		"255 & (i + j)":                 {0, 255},
		"u & 31":                        {0, 31},
		"i & -4":                        {math.MinInt32, math.MaxInt32},
		"c[i]":                          {0, 255},
		"c[i] + 1":                      {1, 256},
		"c[i] * c[i]":                   {0, 65025},
		"c[i] - 1":                      {-1, 254},
		"(unsigned)c[i] - 1":            {0, math.MaxUint32}, // 0 - 1 wraps around
		"s[i]":                          {-128, 255},         // a char has a sign, or none
		"i % 32":                        {-31, 31},
		"u % 32":                        {0, 31},
		"i % 32u":                       {0, 31},
		"c[i] % 300":                    {0, 255},
		"u >> 24":                       {0, 255},
		"(u >> 24) & 15":                {0, 15},
		"i >> 24":                       {-128, 127},
		"l >> 56":                       {0, 255},
		"(unsigned char)i":              {0, 255},
		"(int)u":                        {math.MinInt32, math.MaxInt32},
		"i + 1":                         {math.MinInt32, math.MaxInt32}, // it may overflow
		"u + 1":                         {0, math.MaxUint32},
		"min(i, 7)":                     {math.MinInt32, 7},
		"max(min(i, 7), 0)":             {0, 7},
		"i < 0 ? 3 : c[i] / 2":          {0, 127},
		"i < j":                         {0, 1},
		"!i":                            {0, 1},
		"c[i] ^ 256":                    {0, 511},
		"(c[i] << 2) | 1":               {0, 1023},
		"-c[i]":                         {-255, 0},
		"q[i].x":                        {0, 255},
		"q[i].x ^ u":                    {0, math.MaxUint32},
		"kept":                          {0, 15},
		"changed":                       {math.MinInt32, math.MaxInt32},
		"f[i]":                          {math.MinInt64, all},
		"unknown(i)":                    {math.MinInt64, all},
		"SIZE - 1":                      {63, 63},
		"threadIdx.x":                   {0, 1023},
		"l":                             {0, all},
		"l + 1":                         {0, all},
		"l & 7":                         {0, 7},
		"l % 12":                        {0, 11},
		"4000000000u - 1":               {3999999999, 3999999999},
		"c[i] - 5u":                     {0, math.MaxUint32},
		"__ldg(&c[i])":                  {0, 255},
		"i++":                           {math.MinInt32, math.MaxInt32},
		"(i & 3) * 4 + (j & 3)":         {0, 15},
		"(u & 1023) * (u & 1023) * u":   {0, math.MaxUint32},
		"i & 0x7fffffff & 0xffffffffLL": {0, math.MaxInt32},
	} {
		t.Run(text, func(t *testing.T) {
			f, err := parser.Parse("k.cu", []byte(`
#define SIZE 64
__global__ void k(const unsigned char *c, const char *s, const uchar4 *q, const float *f, int *out, int i, int j, unsigned u, unsigned long long l) {
    const int kept = j & 15;
    int changed = j & 15;
    changed += i;
    out[`+text+`] = 1;
}
void run(unsigned char *c, int *out) { k<<<1, 64>>>(c, 0, 0, 0, out, 1, 2, 3, 4); }
`), parser.Options{})
			require.NoError(t, err)
			prog := passes.NewProgram(&parser.Program{Files: []*parser.File{f}}, [3]int{})
			k := prog.Kernels()[0]
			var found *ir.Expr
			k.Func.Body.WalkExprs(func(e *ir.Expr) bool {
				if e.Op == ir.OpAssign && e.Kids[0].Op == ir.OpIndex && e.Tok == "=" {
					found = e.Kids[0].Kids[1]
				}
				return true
			})
			require.NotNil(t, found)
			got := evaluate.RangeOf(k, k.Func, found, nil)
			assert.LessOrEqual(t, got.Min, want.Min, "all values are in the range")
			assert.GreaterOrEqual(t, got.Max, want.Max, "all values are in the range")
			assert.Equal(t, want, got, "the range is as narrow as can be told")
		})
	}
}
