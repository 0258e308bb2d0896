package acc

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// function is one of the functions of openacc.h (OpenACC 3.3, section 3.2) in CUDA.
type function struct {
	head, body string // of its definition; the body is one line or several
}

// apiFunctions are those that smux has, by name. Names of earlier versions are in apiOlder.
var apiFunctions = map[string]function{
	"acc_get_num_devices": {"int acc_get_num_devices(acc_device_t type)", "int devices = 0;\nif (type == acc_device_host)\n    return 1;\nif (type == acc_device_none || type == acc_device_radeon)\n    return 0;\nreturn cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;"},
	"acc_set_device_type": {"void acc_set_device_type(acc_device_t type)", "if (type == acc_device_host || type == acc_device_none || type == acc_device_radeon) {\n    fprintf(stderr, \"this program runs on devices of CUDA\\n\");\n    exit(EXIT_FAILURE);\n}"},
	"acc_get_device_type": {"acc_device_t acc_get_device_type(void)", "return acc_device_nvidia;"},
	"acc_set_device_num":  {"void acc_set_device_num(int number, acc_device_t)", "ACC_CHECK(cudaSetDevice(number));"},
	"acc_get_device_num":  {"int acc_get_device_num(acc_device_t)", "int number;\nACC_CHECK(cudaGetDevice(&number));\nreturn number;"},
	"acc_init":            {"void acc_init(acc_device_t)", "ACC_CHECK(cudaFree(NULL));"},
	"acc_init_device":     {"void acc_init_device(int number, acc_device_t)", "int before;\nACC_CHECK(cudaGetDevice(&before));\nACC_CHECK(cudaSetDevice(number));\nACC_CHECK(cudaFree(NULL));\nACC_CHECK(cudaSetDevice(before));"},
	"acc_shutdown":        {"void acc_shutdown(acc_device_t)", "ACC_CHECK(cudaDeviceSynchronize());"},
	"acc_shutdown_device": {"void acc_shutdown_device(int, acc_device_t)", "ACC_CHECK(cudaDeviceSynchronize());"},

	"acc_async_test":        {"int acc_async_test(int queue)", "return cudaStreamQuery(acc_stream(queue)) == cudaSuccess;"},
	"acc_async_test_all":    {"int acc_async_test_all(void)", "cudaEvent_t reached; // all queues are, where the default stream is\nACC_CHECK(cudaEventCreateWithFlags(&reached, cudaEventDisableTiming));\nACC_CHECK(cudaEventRecord(reached, 0));\nint all = cudaEventQuery(reached) == cudaSuccess;\nACC_CHECK(cudaEventDestroy(reached));\nreturn all;"},
	"acc_wait":              {"void acc_wait(int queue)", "ACC_CHECK(cudaStreamSynchronize(acc_stream(queue)));"},
	"acc_wait_all":          {"void acc_wait_all(void)", "ACC_CHECK(cudaDeviceSynchronize());"},
	"acc_wait_async":        {"void acc_wait_async(int other, int queue)", "acc_behind(acc_stream(queue), acc_stream(other));"},
	"acc_wait_all_async":    {"void acc_wait_all_async(int queue)", "acc_behind(acc_stream(queue), 0);"},
	"acc_get_default_async": {"int acc_get_default_async(void)", "return acc_default_queue;"},
	"acc_set_default_async": {"void acc_set_default_async(int queue)", "acc_default_queue = queue;"},

	"acc_malloc":                   {"void *acc_malloc(size_t bytes)", "void *device = NULL;\nreturn cudaMalloc(&device, bytes) == cudaSuccess ? device : NULL;"},
	"acc_free":                     {"void acc_free(void *device)", "ACC_CHECK(cudaFree(device));"},
	"acc_memcpy_to_device":         {"void acc_memcpy_to_device(void *device, const void *host, size_t bytes)", "ACC_CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));"},
	"acc_memcpy_from_device":       {"void acc_memcpy_from_device(void *host, const void *device, size_t bytes)", "ACC_CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));"},
	"acc_memcpy_device":            {"void acc_memcpy_device(void *to, const void *from, size_t bytes)", "ACC_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice));"},
	"acc_memcpy_to_device_async":   {"void acc_memcpy_to_device_async(void *device, const void *host, size_t bytes, int queue)", "ACC_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, acc_stream(queue)));"},
	"acc_memcpy_from_device_async": {"void acc_memcpy_from_device_async(void *host, const void *device, size_t bytes, int queue)", "ACC_CHECK(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, acc_stream(queue)));"},
	"acc_memcpy_device_async":      {"void acc_memcpy_device_async(void *to, const void *from, size_t bytes, int queue)", "ACC_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, acc_stream(queue)));"},

	"acc_copyin":                 {"void *acc_copyin(const void *host, size_t bytes)", "return acc_enter(host, bytes, true);"},
	"acc_create":                 {"void *acc_create(const void *host, size_t bytes)", "return acc_enter(host, bytes, false);"},
	"acc_copyin_async":           {"void acc_copyin_async(const void *host, size_t bytes, int queue)", "acc_enter(host, bytes, true, acc_stream(queue));"},
	"acc_create_async":           {"void acc_create_async(const void *host, size_t bytes, int)", "acc_enter(host, bytes, false);"},
	"acc_copyout":                {"void acc_copyout(const void *host, size_t bytes)", "acc_leave(host, bytes, true, false);"},
	"acc_copyout_finalize":       {"void acc_copyout_finalize(const void *host, size_t bytes)", "acc_leave(host, bytes, true, true);"},
	"acc_copyout_async":          {"void acc_copyout_async(const void *host, size_t bytes, int queue)", "acc_leave(host, bytes, true, false, acc_stream(queue));"},
	"acc_copyout_finalize_async": {"void acc_copyout_finalize_async(const void *host, size_t bytes, int queue)", "acc_leave(host, bytes, true, true, acc_stream(queue));"},
	"acc_delete":                 {"void acc_delete(const void *host, size_t bytes)", "acc_leave(host, bytes, false, false);"},
	"acc_delete_finalize":        {"void acc_delete_finalize(const void *host, size_t bytes)", "acc_leave(host, bytes, false, true);"},
	"acc_delete_async":           {"void acc_delete_async(const void *host, size_t bytes, int queue)", "acc_leave(host, bytes, false, false, acc_stream(queue));"},
	"acc_delete_finalize_async":  {"void acc_delete_finalize_async(const void *host, size_t bytes, int queue)", "acc_leave(host, bytes, false, true, acc_stream(queue));"},
	"acc_update_device":          {"void acc_update_device(const void *host, size_t bytes)", "ACC_CHECK(cudaMemcpy(acc_present(host, bytes, \"memory to update\"), host, bytes, cudaMemcpyHostToDevice));"},
	"acc_update_self":            {"void acc_update_self(void *host, size_t bytes)", "ACC_CHECK(cudaMemcpy(host, acc_present(host, bytes, \"memory to update\"), bytes, cudaMemcpyDeviceToHost));"},
	"acc_update_device_async":    {"void acc_update_device_async(const void *host, size_t bytes, int queue)", "ACC_CHECK(cudaMemcpyAsync(acc_present(host, bytes, \"memory to update\"), host, bytes, cudaMemcpyHostToDevice, acc_stream(queue)));"},
	"acc_update_self_async":      {"void acc_update_self_async(void *host, size_t bytes, int queue)", "ACC_CHECK(cudaMemcpyAsync(host, acc_present(host, bytes, \"memory to update\"), bytes, cudaMemcpyDeviceToHost, acc_stream(queue)));"},
	"acc_is_present":             {"int acc_is_present(const void *host, size_t bytes)", "const char *first = (const char *)host;\nfor (const struct acc_memory *m = acc_table; m < acc_table + 256; m++)\n    if (m->regions > 0 && m->host <= first && first + bytes <= m->host + m->bytes)\n        return 1;\nreturn 0;"},
	"acc_deviceptr":              {"void *acc_deviceptr(const void *host)", "const struct acc_memory *m = acc_find(host, 1);\nreturn m == NULL ? NULL : m->device + ((const char *)host - m->host);"},
	"acc_hostptr":                {"void *acc_hostptr(const void *device)", "const char *at = (const char *)device;\nfor (const struct acc_memory *m = acc_table; m < acc_table + 256; m++)\n    if (m->regions > 0 && m->device <= at && at < m->device + m->bytes)\n        return (void *)(m->host + (at - m->device));\nreturn NULL;"},

	"acc_map_data":            {"void acc_map_data(const void *host, void *device, size_t bytes)", "if (acc_find(host, bytes) != NULL) {\n    fprintf(stderr, \"memory to map is present already\\n\");\n    exit(EXIT_FAILURE);\n}\nstruct acc_memory *m = acc_table;\nwhile (m < acc_table + 256 && m->regions > 0)\n    m++;\nif (m == acc_table + 256) {\n    fprintf(stderr, \"too many arrays are present on the device\\n\");\n    exit(EXIT_FAILURE);\n}\nm->host = (const char *)host;\nm->device = (char *)device;\nm->bytes = bytes;\nm->regions = 1;"},
	"acc_unmap_data":          {"void acc_unmap_data(const void *host)", "struct acc_memory *m = acc_find(host, 1);\nif (m != NULL)\n    m->regions = 0; // its memory on the device is the program's"},
	"acc_attach":              {"void acc_attach(const void *)", "// a kernel gets the address on the device of what a pointer leads to, each time"},
	"acc_attach_async":        {"void acc_attach_async(const void *, int)", "// as acc_attach"},
	"acc_detach":              {"void acc_detach(const void *)", "// as acc_attach"},
	"acc_detach_async":        {"void acc_detach_async(const void *, int)", "// as acc_attach"},
	"acc_detach_finalize":     {"void acc_detach_finalize(const void *)", "// as acc_attach"},
	"acc_get_property":        {"size_t acc_get_property(int number, acc_device_t, acc_device_property_t property)", "int before;\nsize_t unused = 0, total = 0;\nACC_CHECK(cudaGetDevice(&before));\nACC_CHECK(cudaSetDevice(number));\nACC_CHECK(cudaMemGetInfo(&unused, &total));\nACC_CHECK(cudaSetDevice(before));\nreturn property == acc_property_memory ? total : property == acc_property_free_memory ? unused : 0;"},
	"acc_get_property_string": {"const char *acc_get_property_string(int number, acc_device_t, acc_device_property_t property)", "static cudaDeviceProp device;\nif (property == acc_property_vendor)\n    return \"NVIDIA\";\nif (property != acc_property_name)\n    return NULL;\nACC_CHECK(cudaGetDeviceProperties(&device, number));\nreturn device.name;"},

	"acc_on_device": {"int acc_on_device(acc_device_t type)", "return type == acc_device_host || type == acc_device_none;"},
}

// apiOlder are names of earlier versions of OpenACC.
var apiOlder = map[string]string{
	"acc_async_wait": "acc_wait", "acc_async_wait_all": "acc_wait_all", "acc_async_wait_async": "acc_wait_async", "acc_async_wait_all_async": "acc_wait_all_async",
	"acc_present_or_copyin": "acc_copyin", "acc_pcopyin": "acc_copyin", "acc_present_or_create": "acc_create", "acc_pcreate": "acc_create", "acc_update_host": "acc_update_self",
}

const deviceTypesText = `// Types of devices, as openacc.h has them.
enum acc_device_t {
    acc_device_current = -1, acc_device_none = 0, acc_device_default = 1, acc_device_host = 2, acc_device_not_host = 4,
    acc_device_nvidia = 5, acc_device_radeon = 8
};
`

const propertiesText = `// What can be asked of a device.
enum acc_device_property_t {
    acc_property_none = 0, acc_property_memory = 1, acc_property_free_memory = 2, acc_property_shared_memory_support = 3,
    acc_property_name = 0x10000 + 1, acc_property_vendor = 0x10000 + 2, acc_property_driver = 0x10000 + 3
};
`

const onCUDAText = `// acc_on_cuda is acc_on_device where it is called on a device.
__device__ static inline int acc_on_cuda(acc_device_t type)
{
    return type == acc_device_not_host || type == acc_device_nvidia;
}
`

// asyncNamesText are the queues that have names.
const asyncNamesText = "enum { acc_async_noval = -1, acc_async_sync = -2 };\n"

// readAPI notes which functions of openacc.h the program calls.
func (t *translation) readAPI() error {
	t.api = map[string]string{}
	for n := range t.tree.Root.All() {
		if n.Kind != parser.KindCallExpression {
			continue
		}
		callee := n.Child(parser.FieldFunction)
		name := t.text(callee)
		if !strings.HasPrefix(name, "acc_") || t.functionNamed(name) != nil || t.declaredOnly(name) {
			continue
		}
		if other := apiOlder[name]; other != "" {
			name = other
		}
		if _, ok := apiFunctions[name]; !ok {
			return refusal(t.place(n), CodeUnsupported, fmt.Sprintf("the function %s of openacc.h", name), "write it by directives, or as calls of CUDA in the result")
		}
		if name == "acc_set_device_num" {
			from, _ := t.rangeOf(n)
			if err := t.choosesDevice(from, name); err != nil {
				return err
			}
		}
		t.api[name] = t.text(callee)
		if name != t.text(callee) {
			t.older = append(t.older, callee)
		}
	}
	if t.api["acc_on_device"] != "" {
		t.bound["acc_on_device"] = "acc_on_cuda"
	}
	return nil
}

// writeAPI gives the program what it uses of openacc.h, and takes its #include out.
func (t *translation) writeAPI() {
	for _, inc := range t.file.Includes {
		if inc.Path == "openacc.h" && !t.file.Macros.Dead(inc.Pos) {
			end := inc.End
			if end < len(t.file.Src) && t.file.Src[end] == '\n' {
				end++
			}
			t.edits.Replace(inc.Pos, end, "")
		}
	}
	for _, callee := range t.older {
		if t.inCompute(callee) || t.dropped(callee) {
			continue
		}
		t.replace(callee, apiOlder[t.text(callee)])
	}
}

// apiText is the text of the functions of openacc.h that the program calls.
func (t *translation) apiText() string {
	var b strings.Builder
	if t.mentions("acc_device_") {
		b.WriteString("\n" + deviceTypesText)
	}
	if t.mentions("acc_property_") || t.mentions("acc_device_property_t") {
		b.WriteString("\n" + propertiesText)
	}
	if t.mentions("acc_async_noval") || t.mentions("acc_async_sync") {
		b.WriteString("\n" + asyncNamesText)
	}
	for _, name := range slices.Sorted(maps.Keys(t.api)) {
		f := apiFunctions[name]
		if name == "acc_on_device" {
			b.WriteString("\n" + onCUDAText)
			if !t.calledOnHost(name, map[string]bool{}) {
				continue
			}
		}
		if name == "acc_is_present" && (t.severalDevices() || t.isOneOfSeveral()) {
			f.body = "int device;\nACC_CHECK(cudaGetDevice(&device));\n" + strings.Replace(f.body, "m->regions > 0 &&", "m->regions > 0 && m->on == device &&", 1)
		}
		if name == "acc_map_data" && (t.severalDevices() || t.isOneOfSeveral()) {
			f.body += "\nACC_CHECK(cudaGetDevice(&m->on));"
		}
		fmt.Fprintf(&b, "\nstatic inline %s\n{\n%s}\n", f.head, shift(f.body+"\n", "    "))
	}
	return b.String()
}

// mentions reports whether a word of the program, or a function that it calls, begins with a text.
func (t *translation) mentions(word string) bool {
	for w := range t.words {
		if strings.HasPrefix(w, word) {
			return true
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(t.api)), func(name string) bool {
		return strings.Contains(apiFunctions[name].head+apiFunctions[name].body, word)
	})
}

// apiNeeds reports whether a function that the program calls uses some of smux's own.
func (t *translation) apiNeeds(calls *regexp.Regexp) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(t.api)), func(name string) bool { return calls.MatchString(apiFunctions[name].body) })
}

var (
	callsTable  = regexp.MustCompile(`acc_(enter|leave|find|present|table)\b`)
	callsStream = regexp.MustCompile(`acc_stream\(`)
	callsBehind = regexp.MustCompile(`acc_behind\(`)
	namesQueue  = regexp.MustCompile(`acc_default_queue`)
)
