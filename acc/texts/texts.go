// Package texts has the CUDA text that translated programs get where they need it.
package texts

import (
	_ "embed"
	"regexp"
	"strings"
)

//go:embed pieces.cuh
var textsFile string

// Pieces are the pieces of CUDA text that a program gets once, where it needs them, by name.
var Pieces = func() map[string]string {
	out := map[string]string{}
	for _, piece := range strings.Split(textsFile, "\n// [")[1:] {
		name, text, _ := strings.Cut(piece, "]\n")
		out[name] = strings.TrimSpace(text) + "\n"
	}
	return out
}()

//go:embed openacc.cuh
var openACCFile string

// API are the functions of openacc.h that smux has, by name. Names of earlier versions are in Older.
var API = func() map[string]string {
	out := map[string]string{}
	for _, text := range strings.Split(openACCFile, "\n\n")[1:] {
		out[functionName.FindStringSubmatch(text)[1]] = strings.TrimSpace(text) + "\n"
	}
	return out
}()

var functionName = regexp.MustCompile(`(acc_\w+)\(`)

// Older are names of earlier versions of OpenACC.
var Older = map[string]string{
	"acc_async_wait": "acc_wait", "acc_async_wait_all": "acc_wait_all", "acc_async_wait_async": "acc_wait_async", "acc_async_wait_all_async": "acc_wait_all_async",
	"acc_present_or_copyin": "acc_copyin", "acc_pcopyin": "acc_copyin", "acc_present_or_create": "acc_create", "acc_pcreate": "acc_create", "acc_update_host": "acc_update_self",
}

var (
	CallsTable  = regexp.MustCompile(`acc_(enter|leave|find|present|table)\b`)
	CallsStream = regexp.MustCompile(`acc_stream\(`)
	CallsBehind = regexp.MustCompile(`acc_behind\(`)
	NamesQueue  = regexp.MustCompile(`acc_default_queue`)
	NamesDevice = regexp.MustCompile(`acc_(wait|async_test|memcpy_d2d)\w*\(.*int number`)
)

// QueuedCopies is the text of acc_enter or acc_leave where calls of it name a queue.
var QueuedCopies = strings.NewReplacer(
	"bool copy)", "bool copy, cudaStream_t queue = 0)", "bool all)", "bool all, cudaStream_t queue = 0)",
	"ACC_CHECK(cudaMemcpy(m->device, host, bytes, cudaMemcpyHostToDevice));",
	"ACC_CHECK(queue ? cudaMemcpyAsync(m->device, host, bytes, cudaMemcpyHostToDevice, queue) : cudaMemcpy(m->device, host, bytes, cudaMemcpyHostToDevice));",
	"acc_leave(m->host, m->bytes, true, all)", "acc_leave(m->host, m->bytes, true, all, queue)",
	"    if (copy)\n        ACC_CHECK(cudaMemcpy((void *)host, m->device + ((const char *)host - m->host), bytes, cudaMemcpyDeviceToHost));\n    ACC_CHECK(cudaFree(m->device));\n",
	"    const char *from = m->device + ((const char *)host - m->host);\n    if (copy)\n        ACC_CHECK(queue ? cudaMemcpyAsync((void *)host, from, bytes, cudaMemcpyDeviceToHost, queue) : cudaMemcpy((void *)host, from, bytes, cudaMemcpyDeviceToHost));\n    acc_free_behind(m->device, queue);\n",
)

// EachDevice is the text of the table where a program chooses among devices.
var EachDevice = strings.NewReplacer(
	"    int regions;\n", "    int regions;\n    int on; // which device\n",
	"    for (struct acc_memory *m = acc_table; m < acc_table + 65536 && m->host != NULL; m++) {\n        if (m->regions == 0 ||",
	"    int device;\n    ACC_CHECK(cudaGetDevice(&device));\n    for (struct acc_memory *m = acc_table; m < acc_table + 65536 && m->host != NULL; m++) {\n        if (m->regions == 0 || m->on != device ||",
	"        m->bytes = bytes;\n", "        m->bytes = bytes;\n        ACC_CHECK(cudaGetDevice(&m->on));\n",
)

// TableCallQueued is a call of the table that names a queue.
var TableCallQueued = regexp.MustCompile(`acc_(enter|leave|leave_whole)\(.*, acc_stream\(`)

// OneTable and OneQueue replace what each file would have for itself.
var OneTable = strings.NewReplacer("static struct acc_memory acc_table[65536];\n", `
// acc_memories holds what all files of the program have on the device.
inline struct acc_memory *acc_memories()
{
    static struct acc_memory all[65536];
    return all;
}
static struct acc_memory *const acc_table = acc_memories();
`)

var OneQueue = strings.NewReplacer("static inline cudaStream_t acc_stream", "inline cudaStream_t acc_stream", "static int acc_default_queue = 0;\n", `inline int &acc_chosen_queue()
{
    static int queue = 0;
    return queue;
}
static int &acc_default_queue = acc_chosen_queue();
`)
