package kernelgen

import "fmt"

// barrier writes a barrier of the block.
func (g *generator) barrier() {
	if g.often(6) {
		g.line("v += __syncthreads_%s(v %% 3 == %d);", g.of("count", "and", "or"), g.n(3))
		return
	}
	g.line("__syncthreads();")
}

// other returns the number of another thread whose element holds something: any
// where all have been written, one with a lower number where threads with higher
// ones may be missing.
func (g *generator) other() string {
	if g.left && !g.filled {
		return g.of("t / 2", "0", "t", "t - t % 4")
	}
	last := g.threads - 1
	return g.of(fmt.Sprintf("%d - t", last), fmt.Sprintf("(t + %d) %% %d", 1+g.n(last), g.threads), "t / 2", "0")
}

// exchange writes a stretch in which the threads pass values on through shared
// memory, with barriers so that it may stand after and before any other.
func (g *generator) exchange() {
	switch {
	case len(g.objects) > 0 && g.often(70):
		g.exchangeObjects()
		return
	case g.rows > 0 && g.often(40):
		g.line("for (int q = 0; q < %d; q++) r[q][t] = v + q;", g.rows)
		g.barrier()
		g.line("for (int q = 0; q < %d; q++) v += r[q][%s];", g.rows, g.other())
	case g.filled && g.often(20):
		g.line("if (%s) s[t] = v;", g.varying())
		g.barrier()
		g.line("v = v * 3 + s[%s];", g.other())
	case !g.left && g.often(20):
		g.line("s[t] = v;")
		g.barrier()
		g.block(fmt.Sprintf("for (int d = %d; d > 0; d /= 2)", g.of2(g.threads)), func() {
			g.line("if (t < d) s[t] += s[t + d];")
			g.line("__syncthreads();")
		})
		g.line("v += s[0];")
	case g.often(25):
		g.line("s[t] = in[%s];", g.of("i", "(i + m) % 1024", "b * 3 + t"))
		g.barrier()
		g.line("v += s[%s] * %d;", g.other(), 1+g.n(3))
	default:
		g.line("s[t] = v + %d;", g.n(9))
		g.barrier()
		g.line("v = v * %d + s[%s];", 1+g.n(3), g.other())
	}
	g.barrier()
}

// of2 returns the largest power of two of which two fit into n.
func (g *generator) of2(n int) int {
	d := 1
	for d*4 <= n {
		d *= 2
	}
	return d
}

// call writes an exchange as a call of a device function, which threads or
// blocks may leave before its barrier.
func (g *generator) call(last bool) {
	name := g.name + g.fresh("f")
	leave := ""
	switch {
	case g.full && g.often(30):
		leave = "    if (i >= n) return v;\n"
	case g.often(25):
		leave = fmt.Sprintf("    if (m %% 2 == %d) return v;\n", g.n(2))
	case g.often(25):
		leave = "    if (blockIdx.x % 2) return v + 1;\n"
	case last && !g.warps && g.often(60):
		// Those that stay are the first ones.
		leave = fmt.Sprintf("    if (i >= %s) return v;\n", g.of("m * 16", "40", "n"))
		g.left = true
	}
	other := g.other()
	own := ""
	if g.often(30) {
		own = "    for (int j = 0; j < m; j++) { if (j == 2) break; v += j; }\n"
	}
	fmt.Fprintf(&g.functions, "__device__ int %s(int *s, int v, int t, int i, int n, int m)\n{\n%s    s[t] = v;\n    __syncthreads();\n%s    v += s[%s];\n    __syncthreads();\n    return v;\n}\n\n", name, leave, own, other)
	g.line("v = %s(s, v, t, i, n, m);", name)
}

// amongWarps writes an exchange of values within warps, all of which are whole.
func (g *generator) amongWarps() {
	switch g.n(3) {
	case 0:
		g.line("v += __shfl_xor_sync(~0u, v, %d);", 1+g.n(31))
	case 1:
		g.line("if (t %% 32 < 7) v += __shfl_sync(0x7fu, v, %d);", g.n(7))
	default:
		g.line("if (t < 32) v += __popc(__ballot_sync(~0u, v %% 2));")
		g.line("__syncwarp();")
	}
}
