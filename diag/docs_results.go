package diag

// resultsDocs are the codes of files of other autotuners that smux tune import can't read.
var resultsDocs = []Doc{
	{
		Code: "results-broken", Title: "a file of results is not JSON, or was cut off",
		Help: "copy the file again, as the tuner has written it", Loose: true,
		Text: `
smux tune import reads JSON, plain or compressed by gzip. The place is where the
text stops being JSON; of a file that was cut off it is the end. A cache of
Kernel Tuner that ends behind a configuration, without the braces that close it,
is not such a file: Kernel Tuner leaves it so while it measures, and it is read.`,
		Example: `
{"device_name": "NVIDIA A100-PCIE-40GB", "kernel_name": "k", "tune_params_keys": ["n"],
 "cache": {"16": {"n": 16, "ti`,
		Fix: `
{"device_name": "NVIDIA A100-PCIE-40GB", "kernel_name": "k", "tune_params_keys": ["n"],
 "cache": {"16": {"n": 16, "time": 0.5}}}`,
	},
	{
		Code: "results-unknown", Title: "a file of results is not in a format that is read",
		Help: "name a cache of Kernel Tuner, or results of T4 or KTT; --format says which", Loose: true,
		Text: `
smux tune import reads caches of Kernel Tuner, results in the T4 format, and
results of KTT. The file is JSON, but none of these, or something in it is not
as its format has it: a configuration without a value of a parameter, a unit of
time that is not known, a time that is a list. Nothing of the file is taken.`,
		Example: `{"Metadata": {"TimeUnit": "Fortnights"}, "Results": []}`,
		Fix:     `{"Metadata": {"TimeUnit": "Microseconds"}, "Results": []}`,
	},
}
