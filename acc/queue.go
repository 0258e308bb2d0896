package acc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smux-cuda/smux/acc/directive"
	"github.com/smux-cuda/smux/acc/layout"
	"github.com/smux-cuda/smux/acc/texts"
	"github.com/smux-cuda/smux/internal/lists"
)

// does returns the words of texts.For that hold for the program.
func (t *translation) does() (out []string) {
	several := t.isOneOfSeveral()
	devices := t.api["acc_set_device_num"] || t.apiNeeds(texts.NamesDevice.MatchString)
	chooses := t.apiNeeds(texts.NamesQueue.MatchString) || t.apiNeeds(texts.CallsStream.MatchString) // what async without a number means
	for _, p := range t.pragmas {
		c, _ := p.Clause("async")
		devices = devices || p.Name == "set" && p.Has("device_num")
		chooses = chooses || p.Name == "set" && p.Has("default_async") || strings.Contains(argument(c), "acc_async")
	}
	for word, does := range map[string]bool{
		"files": several, "devices": several || devices, "chooses": several || chooses,
		"queued": t.edited(texts.TableCallQueued.MatchString) || t.apiNeeds(texts.TableCallQueued.MatchString),
	} {
		if does {
			out = append(out, word)
		}
	}
	return out
}

func (t *translation) queueOf(p *pragma) string {
	c, ok := p.take("async")
	if !ok {
		return ""
	}
	return t.stream(cmp.Or(argument(c), "-1"))
}

// waits lets the host wait for the queues that wait of a directive names.
func (t *translation) waits(p *pragma, out *layout.Lines) {
	p.takes("wait")
	for _, c := range lists.Filter(p.Clauses, func(c directive.Clause) bool { return c.Name == "wait" }) {
		waitFor(t.queuesIn(c.Args), out)
	}
}

// queuesIn are the streams of the queues that wait names, in C.
func (t *translation) queuesIn(args []directive.Arg) (out []string) {
	for _, a := range args {
		refuseIf(a.Key != "" && a.Key != "queues", t.at(a.Pos), CodeUnsupported, "wait for another device", "take "+a.Key+" out")
		out = append(out, t.stream(strings.TrimSpace(a.Text)))
	}
	return out
}

func (t *translation) stream(queue string) string {
	t.use("acc_stream")
	return fmt.Sprintf("acc_stream(%s)", queue)
}

// synchronized lets the host wait for a stream.
func synchronized(stream string) string {
	return fmt.Sprintf("ACC_CHECK(cudaStreamSynchronize(%s));", stream)
}

func waitFor(streams []string, out *layout.Lines) {
	if out.Add(lists.Map(streams, synchronized)...); len(streams) == 0 {
		out.Add("ACC_CHECK(cudaDeviceSynchronize());")
	}
}

// wait translates the directive. With async a queue waits, and not the host: the default stream waits for all queues.
func (t *translation) wait(p *pragma) {
	streams, out, own := t.queuesIn(p.Args), &layout.Lines{}, t.queueOf(p)
	switch {
	case own == "":
		waitFor(streams, out)
	case len(streams) == 0:
		streams = []string{"0"}
		fallthrough
	default:
		t.use("acc_behind")
		out.Add(lists.Map(streams, func(s string) string { return fmt.Sprintf("acc_behind(%s, %s);", own, s) })...)
	}
	t.standIn(p, out)
}

// copyText copies bytes between the two memories, after what is in a queue, "" for none.
func copyText(to, from, bytes, direction, queue string) string {
	if queue != "" {
		return fmt.Sprintf("ACC_CHECK(cudaMemcpyAsync(%s, %s, %s, cudaMemcpy%s, %s));", to, from, bytes, direction, queue)
	}
	return fmt.Sprintf("ACC_CHECK(cudaMemcpy(%s, %s, %s, cudaMemcpy%s));", to, from, bytes, direction)
}

const toDevice, toHost = "HostToDevice", "DeviceToHost"

// cudaDevices are the device types of CUDA's devices (OpenACC 3.3, section 2.4, and GCC's and NVIDIA's compilers).
var cudaDevices = []string{"nvidia", "NVIDIA", "cuda"}

// forCUDA leaves of a directive's clauses those that count for a device of CUDA.
func (u *unit) forCUDA(p *pragma) {
	d, other, err := p.Directive.For(cudaDevices...)
	u.stopAt(err)
	if names := lists.Map(other, func(c directive.Clause) string { return c.Name }); len(names) > 0 {
		u.say(u.at(other[0].Pos), CodeNoEffect, strings.Join(names, ", ")+" after device_type: for devices of another kind", "nothing needs to be done")
	}
	c, has := p.Clause("device_type")
	if has && len(other) == 0 && len(d.Clauses) == len(p.Clauses)-1 && c.Pos == p.Clauses[len(p.Clauses)-1].Pos { // init, shutdown and set keep it
		u.say(u.at(c.Pos), CodeNoEffect, "device_type with no clause after it", "write the clauses of that device after it, or take it out")
	}
	p.Directive = d
}

// devices translates init, shutdown and set: which device is used, and from when on.
func (t *translation) devices(p *pragma) {
	out := &layout.Lines{}
	other := false
	p.takes("device_type", "device_num", "default_async")
	for _, a := range p.ArgsOf("device_type") {
		switch {
		case slices.Contains(cudaDevices, a.Text) || slices.Contains([]string{"*", "default", "not_host"}, a.Text):
		case p.Name == "set":
			panic(refusal(t.at(a.Pos), CodeUnsupported, fmt.Sprintf("all that follows on a device of type %s", a.Text), "give the constructs a clause self, or let the program choose by if"))
		default: // which nothing uses
			other = true
		}
	}
	number, numbered := p.Clause("device_num")
	switch {
	case p.Name == "set":
		if numbered {
			t.choosesDevice(p.start, "set device_num")
			out.Add(fmt.Sprintf("ACC_CHECK(cudaSetDevice(%s));", number.Args[0].Text))
		}
		queues := func(p *pragma) bool { return p.Has("async") || p.Has("wait") || len(p.Args) > 0 && p.Name == "wait" }
		if c, ok := p.Clause("default_async"); ok && (t.apiNeeds(texts.CallsStream.MatchString) || slices.ContainsFunc(t.pragmas, queues)) {
			t.use("acc_stream")
			out.Add(fmt.Sprintf("acc_default_queue = %s;", c.Args[0].Text))
		}
	case other:
	case p.Name == "shutdown":
		out.Add("ACC_CHECK(cudaDeviceSynchronize());")
	case numbered:
		t.use("acc_start")
		out.Add(fmt.Sprintf("acc_start(%s);", number.Args[0].Text))
	default:
		out.Add("ACC_CHECK(cudaFree(NULL)); // makes the device ready")
	}
	if out.Len() == 0 {
		t.say(t.at(p.Pos), CodeNoEffect, p.Name+" changes nothing: CUDA has nothing of that kind to begin or end", "nothing needs to be done")
	} else if p.Name == "shutdown" {
		t.say(t.at(p.Pos), CodeNoEffect, "shutdown waits for the device; its memory and queues are there until the program ends", "nothing needs to be done")
	}
	t.standIn(p, out)
}

// choosesDevice refuses a choice among devices in a data region, which stays on the device where it began.
func (t *translation) choosesDevice(at int, what string) {
	for _, p := range t.pragmas {
		refuseIf(p.Name == "data" && !p.Has("if") && t.holds(p.stmt, at), t.at(at), CodeUnsupported, what+" in a data region, whose memory is on the device where it began", "choose the device before the region")
	}
}

// noEffect says of clauses that a directive may have and that change nothing in CUDA.
func (t *translation) noEffect(c directive.Clause, why string) {
	t.say(t.at(c.Pos), CodeNoEffect, c.Name+" changes nothing: "+why, "nothing needs to be done")
}
