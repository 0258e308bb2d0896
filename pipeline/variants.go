package pipeline

import (
	"slices"

	"github.com/smux-cuda/smux/rewrite"
	"github.com/smux-cuda/smux/verify"
)

// factors are the numbers of merged thread blocks that AllVariants tries.
var factors = []int{2, 4}

// AllVariants makes every variant of the program that changes something and that the
// options leave open: with each number of merged thread blocks that is tried, or with
// that of the options alone.
func (j *Job) AllVariants(program verify.Program, oneFactor bool) ([]verify.Variant, error) {
	var tries []rewrite.Variant
	for _, factor := range factors {
		opt := j.Options
		if !oneFactor {
			opt.Factor = factor
		}
		for _, o := range rewrite.Variants(opt) {
			if !slices.Contains(tries, o.Variant) {
				tries = append(tries, o.Variant)
			}
		}
	}
	var out []verify.Variant
	for _, v := range tries {
		one := *j
		one.Options.Variant = v
		one.analysed = j.Analysed()
		result, err := one.Apply(one.Options)
		if err != nil {
			return nil, err
		}
		if len(result.Files) > 0 {
			out = append(out, NewVariant(NameOf(result, one.Options), program, result))
		}
	}
	return out, nil
}
