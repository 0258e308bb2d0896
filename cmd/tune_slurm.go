package cmd

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/smux-cuda/smux/diag"
	"github.com/smux-cuda/smux/tune"
)

// jobFlags are the names of the flags about jobs; one of them does nothing any more.
var jobFlags = []string{"partition", "gres", "account", "sbatch-arg", "tries", "shared", "jobs"}

func (o *tuneFlags) registerJobs(f *pflag.FlagSet) {
	f.StringVar(&o.Slurm.Partition, "partition", "", "with --on slurm: submit to this `PARTITION`")
	f.StringVar(&o.Slurm.Gres, "gres", "gpu:1", "with --on slurm: the job gets these `RESOURCES`, gpu:a100:1 for instance")
	f.StringVar(&o.Slurm.Account, "account", "", "with --on slurm: charge this `ACCOUNT`")
	f.StringArrayVar(&o.Slurm.Further, "sbatch-arg", nil, "with --on slurm: pass this `OPTION` on to sbatch, --qos=low for instance; can be repeated")
	f.IntVar(&o.Slurm.Tries, "tries", 3, "with --on slurm: give up when `N` jobs in a row have measured nothing")
	f.StringVar(&o.Shared, "shared", "", "with --on slurm: the job works in this `DIR`, which the nodes must see; the default is beside the record")
	f.Int("jobs", 0, "")
	f.Lookup("jobs").Hidden = true
}

// checkJobs refuses what is about jobs without jobs.
func (o *tuneFlags) checkJobs(f *pflag.FlagSet) error {
	for _, name := range jobFlags {
		if o.On != tune.OnSlurm && f.Changed(name) {
			return diag.Usagef("add --on slurm", "--%s is about jobs of Slurm", name)
		}
	}
	return nil
}

// given returns the flags that a person gave, but for some.
func given(f *pflag.FlagSet, but ...string) (out []string) {
	f.Visit(func(one *pflag.Flag) {
		values := []string{one.Value.String()}
		if many, ok := one.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, v := range values {
			if !slices.Contains(but, one.Name) {
				out = append(out, "--"+one.Name+"="+v)
			}
		}
	})
	return out
}

// byJob has the same call made on a node of a cluster.
func (t *tuneCall) byJob(run *tune.Session, after []string) error {
	words := append(given(t.flags.set, append(slices.Clone(jobFlags), "on", "store")...), t.files...)
	if after != nil {
		words = append(append(words, "--"), after...)
	}
	if t.flags.set.Changed("jobs") && !t.flags.Quiet {
		t.session.Remark("--jobs does nothing any more: one job measures all forms; --gres gpu:N with --devices all measures on N GPUs")
	}
	exit, err := run.MeasureByJob(words)
	t.session.Note(exit)
	return err
}
