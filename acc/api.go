package acc

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/parser"
)

// apiOlder are names of earlier versions of OpenACC.
var apiOlder = map[string]string{
	"acc_async_wait": "acc_wait", "acc_async_wait_all": "acc_wait_all", "acc_async_wait_async": "acc_wait_async", "acc_async_wait_all_async": "acc_wait_all_async",
	"acc_present_or_copyin": "acc_copyin", "acc_pcopyin": "acc_copyin", "acc_present_or_create": "acc_create", "acc_pcreate": "acc_create", "acc_update_host": "acc_update_self",
}

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
		b.WriteString("\n" + texts["device types"])
	}
	if t.mentions("acc_property_") || t.mentions("acc_device_property_t") {
		b.WriteString("\n" + texts["properties"])
	}
	if t.mentions("acc_async_noval") || t.mentions("acc_async_sync") {
		b.WriteString("\n" + texts["queues"])
	}
	several := t.severalDevices() || t.isOneOfSeveral()
	for _, name := range slices.Sorted(maps.Keys(t.api)) {
		f := apiFunctions[name]
		if name == "acc_on_device" {
			b.WriteString("\n" + texts["acc_on_cuda"])
			if !t.calledOnHost(name, map[string]bool{}) {
				continue
			}
		}
		if name == "acc_is_present" && several {
			f = strings.NewReplacer("\n{\n", "\n{\n    int device;\n    ACC_CHECK(cudaGetDevice(&device));\n", "m->regions > 0 &&", "m->regions > 0 && m->on == device &&").Replace(f)
		}
		if name == "acc_map_data" && several {
			f = strings.TrimSuffix(f, "}\n") + "    ACC_CHECK(cudaGetDevice(&m->on));\n}\n"
		}
		b.WriteString("\n" + f)
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
	return t.apiNeeds(regexp.MustCompile(word))
}

// apiNeeds reports whether a function that the program calls uses some of smux's own.
func (t *translation) apiNeeds(calls *regexp.Regexp) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(t.api)), func(name string) bool { return calls.MatchString(apiFunctions[name]) })
}

var (
	callsTable  = regexp.MustCompile(`acc_(enter|leave|find|present|table)\b`)
	callsStream = regexp.MustCompile(`acc_stream\(`)
	callsBehind = regexp.MustCompile(`acc_behind\(`)
	namesQueue  = regexp.MustCompile(`acc_default_queue`)
)
