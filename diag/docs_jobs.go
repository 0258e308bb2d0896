package diag

// jobsDocs are the codes of smux tune --on slurm.
var jobsDocs = []Doc{
	{
		Code: "no-slurm", Title: "the commands of Slurm are not on this machine",
		Help: "call smux where sbatch is, on a login node as a rule",
		Text: `
smux tune --on slurm submits jobs by sbatch, follows them by squeue and sacct,
and cancels them by scancel, as a person does. One of them is not on the PATH.
Without Slurm, --export writes a folder that can be measured on any machine with
a GPU.`,
		Example: `smux tune --on slurm kernel.cu      # on a laptop`,
		Fix:     `ssh login.cluster; then smux tune --on slurm kernel.cu`,
	},
	{
		Code: "job-refused", Title: "a job is refused by Slurm",
		Help: "look at --partition, --gres, --account and --sbatch-arg; sinfo and sacctmgr say what there is",
		Text: `
sbatch, or squeue, has ended with an error that the same command would get
again: there is no such partition or account, or no node has the resources. What
was measured before stays in the record, and no job was left behind.`,
		Example: `smux tune --on slurm --partition gpus kernel.cu`,
		Fix:     `smux tune --on slurm --partition gpu kernel.cu`,
	},
	{
		Code: "slurm-silent", Title: "the controller of Slurm has not answered for half an hour",
		Help: "wait for Slurm's controller; the same command goes on with the jobs that run",
		Text: `
Where Slurm's controller is away or has too much to do, squeue and sbatch say
so, and smux asks again. After half an hour it gives up asking. Jobs that run go
on and put what they measure into the folder; nothing is cancelled.`,
		Example: `squeue: error: Unable to contact slurm controller (connect failure)`,
		Fix:     `Call the same command again when squeue answers.`,
	},
	{
		Code: "not-shared", Title: "nodes do not see the folder in which jobs work",
		Help: "name a folder that all nodes see by the same path with --shared DIR",
		Text: `
Jobs are given a folder, beside the record where --shared names none, with the
programs and a place for results. A task has failed on a node without having
written a line into it, and none other has: the node has no such folder, or
another one of that name. Home folders and project folders are shared on most
clusters; /tmp is not.`,
		Example: `smux tune --on slurm --store /tmp/k.jsonl kernel.cu`,
		Fix:     `smux tune --on slurm --store ~/k.jsonl kernel.cu`,
	},
	{
		Code: "mixed-products", Title: "jobs ran on GPUs whose times can't be compared",
		Help: "ask for one product, by --gres gpu:TYPE:1 or --sbatch-arg=--constraint=FEATURE",
		Text: `
Forms are compared with each other, so all are measured on GPUs of one product,
by one driver. The jobs were asked for in a way that several products satisfy,
or a node has another driver. Jobs are cancelled. What was measured stays, for
each product by itself: a call that asks for one of them goes on with its
results.`,
		Example: `smux tune --on slurm --gres gpu:1 kernel.cu      # nodes have A100s and H100s`,
		Fix:     `smux tune --on slurm --gres gpu:a100:1 kernel.cu`,
	},
	{
		Code: "jobs-lost", Title: "a form's jobs came to nothing too often",
		Help: "look into jobs/ in the folder, mend what is wrong, and call the same command again",
		Text: `
A task that failed, was preempted, ran out of time or memory, was cancelled by
somebody, or whose node died, is submitted again. It goes on where it was: each
pair that was measured counts. Where several in a row (--tries, 3) have measured
nothing more, the form is given up for this call. The other forms are measured
and judged.`,
		Example: `smux tune --on slurm --sbatch-arg=--time=00:00:10 kernel.cu      # too short for a run`,
		Fix:     `smux tune --on slurm --sbatch-arg=--time=00:10:00 kernel.cu`,
	},
	{
		Code: "jobs-of-somebody", Title: "jobs of another user measure for this record",
		Help: "wait for them, or keep a record of your own with --store",
		Text: `
A record may be shared. The jobs that another user has submitted for it run
still: were the same forms submitted anew, they would be measured twice, and
nobody but that user may cancel them. When they have ended, what they measured
counts for all.`,
		Example: `smux tune --on slurm --store /project/k.jsonl kernel.cu      # while a colleague's runs`,
		Fix:     `smux tune --on slurm --store ~/k.jsonl kernel.cu`,
	},
}
