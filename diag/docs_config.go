package diag

// configDocs are the codes about a file of settings: nothing in it counts, its
// programs are left alone, the exit code is 2.
var configDocs = []Doc{
	{
		Code: "config-syntax", Title: "a file of settings is not YAML, or uses what smux does not take",
		Help: "write plain YAML in UTF-8: keys, lists and texts",
		Text: `
.smux.yaml could not be read as one YAML document in UTF-8 of at most 1 MB. Left
out of YAML are anchors, aliases and merge keys, with which a small file stands
for a huge one; tags; and a second document. A text that begins with one of
! & * @ [ { or with a percent sign has to stand in quotes, globs of kernels and
of files above all. YAML is indented with spaces.

Nothing is rewritten while the file is wrong: a setting that is not understood may
be the one that says to leave a kernel alone.`,
		Example: `
kernels:
  *_tile:
    leave: being replaced`,
		Fix: `
kernels:
  "*_tile":
    leave: being replaced`,
	},
	{
		Code: "config-key", Title: "a key of a file of settings is unknown, stands twice, or means nothing",
		Help: "correct the key, or take it away",
		Text: `
.smux.yaml has a key that smux does not know, at this place at least, the same key
twice, or two keys of a kernel of which one makes the other mean nothing: a
kernel that is left alone needs no pin, and one with a pin no least gain.
docs/config.md lists the keys.

Unknown keys are not passed over: a misspelt setting would say nothing, and nobody
would notice.`,
		Example: `
min_gain: 10`,
		Fix: `
min-gain: 10`,
	},
	{
		Code: "config-value", Title: "a value in a file of settings is of the wrong type, or unknown",
		Help: "correct the value, or take its key away",
		Text: `
A key of .smux.yaml has a value that it cannot have: text where a number belongs,
a GPU, rewrite or mode that smux does not know, a glob that is none, a block that
no GPU can run, a percentage out of range, or a file that is not there. Paths are
relative to the folder of .smux.yaml. GPUs are looked up in smux's own table and
in that of gpu-file.

A key without a value is an error, too: take it away, and the default counts.`,
		Example: `
gpus: [a100, h10]
min-gain: 5%`,
		Fix: `
gpus: [a100, h100]
min-gain: 5`,
	},
}
