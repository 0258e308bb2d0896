package simulation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/model/gpu"
	"github.com/smux-cuda/smux/model/sim"
)

// WithMemory gives copies of GPUs another memory: of a latency in cycles of the SM's
// clock and a bandwidth in GB/s. 0 stands for what the GPU has. The L2 cache is not slower
// than the memory behind it.
func WithMemory(gpus []*gpu.GPU, latency, bandwidth float64) []*gpu.GPU {
	out := make([]*gpu.GPU, len(gpus))
	for i, g := range gpus {
		c := *g
		if latency > 0 {
			c.Arch.MemoryLatency = latency
			c.Arch.L2Latency = min(c.Arch.L2Latency, latency)
		}
		if bandwidth > 0 {
			c.Bandwidth = bandwidth
			c.L2Bandwidth = max(c.L2Bandwidth, bandwidth)
		}
		out[i] = &c
	}
	return out
}

// ParsePolicies reads lists of policies with commas between them, as --policy takes them;
// nil for no list. The original comes first, unless it stands elsewhere: the others are
// compared with it.
func ParsePolicies(lists []string) ([]sim.Policy, error) {
	var out []sim.Policy
	for _, list := range lists {
		for _, text := range strings.Split(list, ",") {
			p, err := sim.ParsePolicy(policyText(text))
			if err != nil {
				return nil, policyError(text, err)
			}
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	if len(out) > 0 && !slices.Contains(out, sim.Policy{}) {
		out = slices.Insert(out, 0, sim.Policy{})
	}
	return out, nil
}

// Notation is a policy as rewrites are written elsewhere: "vtb named N=2" for vtb:named:N=2. The
// part of an array that is private is one, since what is simulated has no rows.
func Notation(p sim.Policy) string {
	words := strings.Split(p.String(), ":")
	for i, w := range words {
		if part, ok := strings.CutPrefix(w, "P="); ok {
			if n, err := strconv.ParseFloat(part, 64); err == nil {
				words[i] = fmt.Sprintf("P=%.3g%%", 100*n)
			}
		}
	}
	if p.Kind == sim.Baseline {
		words[0] = "original"
	}
	return strings.Join(words, " ")
}

// policyText returns the text that sim.ParsePolicy reads of a policy in either notation.
func policyText(text string) string {
	words := strings.Fields(strings.ReplaceAll(text, ":", " "))
	for i, w := range words {
		if part, ok := strings.CutPrefix(strings.TrimSuffix(w, "%"), "P="); ok && strings.HasSuffix(w, "%") {
			if n, err := strconv.ParseFloat(part, 64); err == nil {
				words[i] = "P=" + strconv.FormatFloat(n/100, 'g', -1, 64)
			}
		}
	}
	if len(words) > 0 && words[0] == "original" {
		words[0] = sim.Baseline.String()
	}
	return strings.Join(words, ":")
}

// policyError reports what is wrong with a policy, and what may have been meant.
func policyError(text string, err error) error {
	var policy *sim.PolicyError
	if !errors.As(err, &policy) {
		return diag.Usagef("", "--policy: %w", err)
	}
	var kinds []string
	for k := sim.Baseline; k <= sim.CoHW; k++ {
		kinds = append(kinds, k.String())
	}
	kind, _, _ := strings.Cut(policyText(text), ":")
	if kind == "" {
		return diag.Usagef("the policies are: "+strings.Join(kinds, ", "), "--policy names no policy")
	}
	if slices.Contains(kinds, kind) {
		return diag.Usagef("write it such as 'vtb named N=2', 'dyn lock N=4 M=1' or 'hw K+2'", "--policy %q: %s", policy.Text, policy.Reason)
	}
	return diag.Usagef(diag.DidYouMean(kind, kinds, "the policies are"), "--policy %q is not a policy", policy.Text)
}
