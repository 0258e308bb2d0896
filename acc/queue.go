package acc

import (
	"fmt"
	"strings"
)

const streamText = `// acc_stream is the stream of a queue. Streams of CUDA's default stream wait for one another:
// so copies and launches without a queue come behind what was queued before.
static cudaStream_t acc_stream(int queue)
{
    static cudaStream_t streams[16];
    static bool made[16];
    int i = queue < 0 ? 0 : 1 + queue % 15;
    if (!made[i]) {
        ACC_CHECK(cudaStreamCreate(&streams[i]));
        made[i] = true;
    }
    return streams[i];
}
`

// queueOf is the stream that async of a directive names, in C; "" where it has none.
func (t *translation) queueOf(p *pragma) string {
	c, ok := p.Clause("async")
	if !ok {
		return ""
	}
	t.uses["acc_stream"] = streamText
	if len(c.Args) == 0 {
		return "acc_stream(-1)"
	}
	return fmt.Sprintf("acc_stream(%s)", c.Args[0].Text)
}

// waits lets the host wait for the queues that wait of a directive names.
func (t *translation) waits(p *pragma, out *lines) {
	for _, c := range p.Clauses {
		if c.Name == "wait" {
			var queues []string
			for _, a := range c.Args {
				queues = append(queues, a.Text)
			}
			t.waitFor(queues, out)
		}
	}
}

func (t *translation) waitFor(queues []string, out *lines) {
	if len(queues) == 0 {
		out.add("ACC_CHECK(cudaDeviceSynchronize());")
	}
	for _, q := range queues {
		t.uses["acc_stream"] = streamText
		out.add(fmt.Sprintf("ACC_CHECK(cudaStreamSynchronize(acc_stream(%s)));", q))
	}
}

// wait translates the directive.
func (t *translation) wait(p *pragma) error {
	var queues []string
	for _, a := range p.Args {
		if a.Key != "" && a.Key != "queues" {
			return refusal(t.at(a.Pos), CodeUnsupported, "wait for another device", "take "+a.Key+" out")
		}
		queues = append(queues, strings.TrimSpace(a.Text))
	}
	out := &lines{}
	t.waitFor(queues, out)
	t.standIn(p, out)
	return nil
}
