package kernelgen

import "fmt"

// Conditions, by what they are the same for.

// alike returns a condition that all threads of the grid share.
func (g *generator) alike() string {
	if g.full && g.often(40) {
		return g.of("i < n", "n > i", "i + 1 <= n")
	}
	return g.of("m > 2", "m % 2 == 0", "gridDim.x > 2", fmt.Sprintf("t < %d", g.threads), "m * m > m", "n > 40")
}

// byBlock returns a condition that the threads of a block share.
func (g *generator) byBlock() string {
	return g.of("b % 2 == 0", "b < m", "blockIdx.x == 0", "in[b] % 2", "b > 0 && m > 1")
}

// varying returns a condition that threads of a block may answer differently.
func (g *generator) varying() string {
	return g.of("i < n", "i < n", fmt.Sprintf("t < %d", 1+g.n(g.threads-1)), "v % 2", "t % 3 == 1", "in[i] > 50", "t != m")
}

// apart returns a condition that parts the threads between two barriers.
func (g *generator) apart() string {
	c := g.varying()
	g.matched = g.matched || c != "i < n" || !g.full
	return c
}

// uniform returns a condition that at least the threads of a block share.
func (g *generator) uniform() string {
	if g.often(60) {
		return g.alike()
	}
	if g.often(20) {
		u := g.fresh("u")
		g.line("s[t] = v;")
		g.line("__syncthreads();")
		g.line("const int %s = s[0];", u)
		g.line("__syncthreads();")
		return u + " % 2"
	}
	return g.byBlock()
}

// list writes statements. After the last ones of a kernel no thread meets a
// barrier.
func (g *generator) list(depth int, last bool) {
	for range 1 + g.n(2+depth/2) {
		g.statement(depth)
	}
	if last && depth > 0 && g.often(40) {
		g.ending(depth)
	}
}

// statement writes one statement that all threads come to which have not left,
// and that all of them leave, but for those that leave the kernel.
func (g *generator) statement(depth int) {
	if depth == 0 {
		g.exchange()
		return
	}
	switch g.n(12) {
	case 0:
		g.line("if (%s) v += %d;", g.varying(), 1+g.n(5))
	case 1:
		g.line("for (int j = 0; j < t %% 4; j++) { if (v %% 5 == j) break; v += j; }")
	case 2, 3:
		g.branch(depth)
	case 4, 5, 6:
		g.loop(depth)
	case 7:
		g.leave()
	case 8:
		g.call(false)
	case 9:
		if g.warps {
			g.amongWarps()
			return
		}
		g.exchange()
	default:
		g.exchange()
	}
}

// branch writes an if or a switch that whole blocks decide alike.
func (g *generator) branch(depth int) {
	if g.often(20) {
		g.block("switch (m)", func() {
			g.block("case 2:", func() { g.list(depth-1, false) })
			if g.often(70) {
				g.line("break;")
			}
			g.block("case 3:", func() { g.exchange() })
			g.line("break;")
			g.line("default: v += 1;")
		})
		return
	}
	c := g.uniform()
	g.block("if ("+c+")", func() { g.list(depth-1, false) })
	if g.often(40) {
		g.block("else", func() { g.list(depth-1, false) })
	}
}

// loop writes a loop that whole blocks run alike, with jumps that they take
// alike.
func (g *generator) loop(depth int) {
	j := g.fresh("j")
	g.loops++
	defer func() { g.loops-- }()
	body := func() {
		if g.often(25) {
			g.jump(j)
		}
		g.list(depth-1, false)
		if g.often(25) {
			g.jump(j)
			g.exchange()
		}
	}
	switch g.n(4) {
	case 0:
		g.block(fmt.Sprintf("for (int %s = 0; %s < 2; %s++)", j, j, j), body)
	case 1:
		g.block(fmt.Sprintf("for (int %s = b %% 2; %s < m; %s += 2)", j, j, j), body)
	case 2:
		g.line("int %s = 0;", j)
		g.block(fmt.Sprintf("while (%s < m)", j), func() {
			g.line("%s++;", j)
			body()
		})
	default:
		g.block(fmt.Sprintf("for (int %s = 0; %s < m; %s++)", j, j, j), body)
	}
}

// jump writes a break or continue that a whole block takes.
func (g *generator) jump(j string) {
	c := g.of(j+" == 1", j+" > b", "m == 3", "b % 2")
	if g.full && g.often(25) {
		c = "i >= n"
	}
	g.line("if (%s) %s;", c, g.of("break", "continue"))
}

// leave writes a return of threads or blocks.
func (g *generator) leave() {
	switch {
	case g.full && g.often(40):
		g.line("if (%s) return;", g.of("i >= n", "n <= i"))
	case g.often(30):
		g.line("if (%s) return;", g.of("m == 7", "gridDim.x > 9", "n < 3"))
	case g.often(40):
		g.line("if (%s) return;", g.of("b == 1", "blockIdx.x > 2", "in[b] % 5 == 1"))
	case g.warps, g.loops > 0 && !g.filled:
	case g.filled:
		g.left = true
		g.line("if (%s) return;", g.of("i >= n", "t % 3 == 1", "in[i] % 7 == 1", fmt.Sprintf("t >= %d", 1+g.n(g.threads))))
	default: // those that stay are the first ones
		g.left = true
		g.line("if (%s) return;", g.of("i >= n", fmt.Sprintf("t >= %d", 1+g.n(g.threads))))
	}
}

// ending writes what may stand at a kernel's end alone: threads that miss its
// barriers have nothing else to do than leave.
func (g *generator) ending(depth int) {
	if g.warps {
		return
	}
	inside := func() {
		g.list(depth-1, true)
		g.line("out[i] = v;")
	}
	before := g.left
	switch g.n(7) {
	case 0, 1:
		g.left = g.left || !g.full
		g.block("if (i < n)", inside)
	case 2:
		g.left = true
		c := fmt.Sprintf("t < %d", 1+g.n(g.threads))
		if g.filled {
			c = g.varying()
		}
		g.block("if ("+c+")", inside)
		if g.often(30) {
			g.line("else out[i] = 7;")
		}
	case 3: // a loop that threads leave at different times
		g.left = true
		j := g.fresh("j")
		c := fmt.Sprintf("if (t > %d - %s * %d) break;", g.threads, j, 1+g.n(9))
		if g.often(50) {
			g.block(fmt.Sprintf("for (int %s = 0; %s < m; %s++)", j, j, j), func() {
				g.line("%s", c)
				g.exchange()
			})
			break
		}
		g.line("int %s = 0;", j)
		g.block(fmt.Sprintf("while (t <= %d - %s * %d && %s < m)", g.threads, j, 1+g.n(9), j), func() {
			g.exchange()
			g.line("%s++;", j)
		})
	case 4:
		g.call(true)
	case 5: // a continue of some, which meet the others' barrier
		c, j := g.apart(), g.fresh("j")
		g.block(fmt.Sprintf("for (int %s = 0; %s < m; %s++)", j, j, j), func() {
			g.block("if ("+c+")", func() {
				g.line("s[t] = v;")
				g.line("__syncthreads();")
				g.line("v += s[t];")
				g.line("continue;")
			})
			g.line("s[t] = v + 1;")
			g.line("__syncthreads();")
			g.line("v -= s[t];")
		})
	default:
		g.block("if ("+g.apart()+")", func() {
			g.line("s[t] = v;")
			g.line("__syncthreads();")
			g.line("v += s[t];")
		})
		g.block("else", func() {
			g.line("s[t] = v + 1;")
			g.line("__syncthreads();")
			g.line("v -= s[t];")
		})
	}
	g.left = before || g.left
}
