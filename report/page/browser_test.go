package page

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// browser is a Chromium that shows one page at a time.
type browser struct {
	*testing.T
	ctx        context.Context
	url        string
	unscripted bool // the page's script does not run

	mu       sync.Mutex
	said     []string // by the page's console, warnings and errors alone
	requests []string
}

// findChromium is the browser of the machine, "" for none.
func findChromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// open starts the browser on a page of the sample.
func open(t *testing.T) *browser {
	path := findChromium()
	if path == "" {
		t.Skip("no chromium is installed; scripts/install-chromium.sh installs it")
	}
	dir := t.TempDir()
	programs, opt := sample(t)
	file := filepath.Join(dir, "report.html")
	require.NoError(t, os.WriteFile(file, []byte(written(t, programs, opt)), 0o600))

	flags := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.UserDataDir(filepath.Join(dir, "profile")), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WSURLReadTimeout(5*time.Minute))
	ctx, end := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(end)
	ctx, end = chromedp.NewExecAllocator(ctx, flags...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	b := &browser{T: t, ctx: ctx, url: (&url.URL{Scheme: "file", Path: file}).String()}
	require.NoError(t, chromedp.Do(ctx))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	// A window has the focus or not as the machine's load will have it: this page always has.
	_, err = chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	require.NoError(t, err)
	require.NoError(t, chromedp.Listen(ctx, func(e any) {
		if r, ok := e.(*network.EventRequestWillBeSent); ok {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.requests = append(b.requests, r.Request.URL)
		}
	}))
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "warning" || m.Type == "error" {
				b.mu.Lock()
				b.said = append(b.said, m.String())
				b.mu.Unlock()
			}
		}
	}()
	return b
}

// run is a part of the test.
func (b *browser) run(name string, f func(*browser)) {
	outer := b.T
	outer.Run(name, func(t *testing.T) {
		b.T = t
		defer func() { b.T = outer }()
		f(b)
	})
}

func (b *browser) do(a chromedp.Action[chromedp.Void]) {
	b.Helper()
	require.NoError(b, chromedp.Do(b.ctx, a))
}

// eval is the value of an expression in the page.
func eval[T any](b *browser, script string) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	require.NoError(b, err, script)
	return v
}

// show opens the page anew in a window, in "light" or "dark".
func (b *browser) show(width, height int64, scheme string) {
	b.Helper()
	b.media("", scheme)
	b.size(width, height)
	b.do(chromedp.Navigate("about:blank"))
	b.do(chromedp.Navigate(b.url))
}

func (b *browser) size(width, height int64) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
	require.NoError(b, err)
}

// media sets the medium of the page: "print", or "" for a screen.
func (b *browser) media(medium, scheme string) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: medium,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	require.NoError(b, err)
}

// key presses keys. Each is one event, as of a keyboard: the character of a key that
// the page has acted on is not typed.
func (b *browser) key(keys string) {
	b.Helper()
	for _, r := range keys {
		if r < ' ' || r > '~' {
			b.do(chromedp.KeyEvent(string(r)))
			continue
		}
		_, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: string(r), Text: string(r)})
		require.NoError(b, err)
	}
	b.settle()
}

// settle waits for what follows from the last event: where a link leads to is told
// later.
func (b *browser) settle() {
	b.Helper()
	if b.unscripted {
		return // and nothing follows
	}
	_, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`new Promise(done => requestAnimationFrame(() => setTimeout(() => done(true))))`, chromedp.EvalAwaitPromise))
	require.NoError(b, err)
}

func (b *browser) click(selector string) {
	b.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
	b.settle()
}

const openAll = `document.querySelectorAll('details').forEach(d => { d.open = true }); true`

// TestBrowser looks at the page as a person does. There is one browser for all.
func TestBrowser(t *testing.T) {
	b := open(t)
	b.run("every kernel is shown", (*browser).everyKernel)
	b.run("links open what they lead to", (*browser).links)
	b.run("the filter", (*browser).filter)
	b.run("sorting", (*browser).sorting)
	b.run("a GPU is picked", (*browser).gpu)
	b.run("keys", (*browser).keys)
	b.run("Tab reaches everything", (*browser).tab)
	b.run("no window is too narrow", (*browser).narrow)
	b.run("contrast", (*browser).contrast)
	b.run("paper", (*browser).paper)
	b.run("without the script", (*browser).withoutScript)
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.Empty(t, b.said, "the console")
	for _, r := range b.requests {
		assert.True(t, r == b.url || strings.HasPrefix(r, b.url+"#"), "a request to %s", r)
	}
	assert.NotEmpty(t, b.requests)
}

func (b *browser) everyKernel() {
	b.show(1280, 900, "light")
	assert.Equal(b, 7, eval[int](b, `[...document.querySelectorAll('#table tbody tr')].filter(r => r.checkVisibility()).length`))
	assert.Equal(b, 7, eval[int](b, `[...document.querySelectorAll('details.kernel>summary')].filter(r => r.checkVisibility()).length`))
	assert.Equal(b, []string{"gains", "full", "grid", "alone", hostile, "grid", "alone"},
		eval[[]string](b, `[...document.querySelectorAll('#table tbody a')].map(a => a.innerText)`))
	assert.Zero(b, eval[int](b, `document.images.length`), "text of others has become an image")
	assert.Zero(b, eval[int](b, `document.querySelectorAll('details[open]').length`))
}

func (b *browser) links() {
	b.show(1280, 900, "light")
	b.click("#table tbody tr:nth-child(2) a")
	assert.True(b, eval[bool](b, `document.getElementById('d-k2').open`))
	assert.Equal(b, "d-k2", eval[string](b, `document.activeElement.closest('details').id`))
	eval[bool](b, `document.getElementById('d-k2').open = false; true`)
	b.click("#table tbody tr:nth-child(2) a")
	assert.True(b, eval[bool](b, `document.getElementById('d-k2').open`), "the same link again")
	assert.Empty(b, eval[[]string](b, `[...document.querySelectorAll('a[href^="#"]')].map(a => a.hash).filter(h => !document.getElementById(h.slice(1)))`))
	assert.Empty(b, eval[[]string](b, `(() => { const n = {}; document.querySelectorAll('[id]').forEach(e => n[e.id] = (n[e.id] || 0) + 1); return Object.keys(n).filter(i => n[i] > 1) })()`), "ids that are there twice")
}

// shown are the names in the table and those of the sections, which must agree.
func (b *browser) shown() []string {
	b.Helper()
	rows := eval[[]string](b, `[...document.querySelectorAll('#table tbody tr')].filter(r => r.checkVisibility()).map(r => r.dataset.id)`)
	assert.Equal(b, rows, eval[[]string](b, `[...document.querySelectorAll('details.kernel')].filter(r => r.checkVisibility()).map(d => d.id.slice(2))`))
	return rows
}

func (b *browser) filter() {
	b.show(1280, 900, "light")
	b.key("/")
	require.Equal(b, "text", eval[string](b, `document.activeElement.id`))
	b.key("FULL others")
	assert.Equal(b, []string{"k2"}, b.shown())
	assert.Equal(b, "1 of 7", eval[string](b, `document.getElementById('status').textContent`))
	b.key(kb.Escape)
	assert.Len(b, b.shown(), 7)
	eval[bool](b, `(() => { const w = document.getElementById('which'); w.value = 'rewritten'; w.dispatchEvent(new Event('change')); return true })()`)
	assert.Equal(b, []string{"k1"}, b.shown())
	b.key("/")
	b.key("nothing has this")
	assert.Empty(b, b.shown())
	assert.True(b, eval[bool](b, `document.getElementById('none').checkVisibility()`))
}

func (b *browser) sorting() {
	b.show(1280, 900, "light")
	b.click("#table th:nth-child(1) button")
	assert.Equal(b, []string{hostile, "alone", "alone", "full", "gains", "grid", "grid"},
		eval[[]string](b, `[...document.querySelectorAll('#table tbody a')].map(a => a.innerText)`))
	b.click("#table th:nth-child(7) button")
	assert.Equal(b, "descending", eval[string](b, `document.querySelector('#table th:nth-child(7)').ariaSort`))
	gains := eval[[]float64](b, `[...document.querySelectorAll('#table tbody td:nth-of-type(6)')].map(a => Number(a.dataset.k))`)
	for i := range gains[1:] {
		assert.GreaterOrEqual(b, gains[i], gains[i+1])
	}
	b.shown()
}

func (b *browser) gpu() {
	b.show(1280, 900, "light")
	cell := `document.querySelector('#table tbody td:nth-of-type(2)').innerText`
	all := eval[string](b, cell)
	b.click("#gpu-1")
	one := eval[string](b, cell)
	b.click("#gpu-2")
	two := eval[string](b, cell)
	assert.Equal(b, one+"–"+two, all)
	eval[bool](b, openAll)
	assert.Equal(b, []string{"gtx480"}, eval[[]string](b, `[...document.querySelectorAll('#d-k1 .key.curve')].filter(c => c.checkVisibility()).map(c => c.textContent.trim())`))
}

func (b *browser) keys() {
	b.show(1280, 900, "light")
	at := func() string {
		return eval[string](b, `(() => { const a = document.activeElement; const r = a.closest('tr'); const d = a.closest('details'); return r ? 'row ' + r.dataset.id : d ? d.id : a.id })()`)
	}
	b.key("j")
	assert.Equal(b, "row k1", at())
	b.key("jj")
	assert.Equal(b, "row k3", at())
	b.key("k")
	assert.Equal(b, "row k2", at())
	b.key(kb.Enter)
	assert.Equal(b, "d-k2", at())
	assert.True(b, eval[bool](b, `document.getElementById('d-k2').open`))
	b.key("o")
	assert.False(b, eval[bool](b, `document.getElementById('d-k2').open`))
	b.key("jjjjjjjjj")
	assert.Equal(b, "d-k7", at())
	b.key("k" + kb.Enter)
	assert.True(b, eval[bool](b, `document.getElementById('d-k6').open`))
	b.key("t")
	assert.Equal(b, "row k6", at())
	b.key("ko")
	assert.Equal(b, "d-k5", at())
	b.key("x")
	assert.Equal(b, 7, eval[int](b, `document.querySelectorAll('details.kernel[open]').length`))
	b.key("x")
	assert.Zero(b, eval[int](b, `document.querySelectorAll('details.kernel[open]').length`))
	b.key("?")
	assert.True(b, eval[bool](b, `document.getElementById('keys').open`))
	b.key("j" + kb.Escape)
	assert.False(b, eval[bool](b, `document.getElementById('keys').open`))
}

// tab goes through the page, all opened, and compares with what can be operated.
func (b *browser) tab() {
	b.show(1280, 900, "light")
	eval[bool](b, openAll)
	want := eval[int](b, `(() => { let n = 0; const radio = new Set();
for (const e of document.querySelectorAll('a[href],button,input,select,summary,[tabindex="0"]')) {
  if (!e.checkVisibility()) continue;
  if (e.type === 'radio') { if (radio.has(e.name)) continue; radio.add(e.name); }
  n++; e.dataset.expected = '';
}
return n })()`)
	require.Greater(b, want, 40)
	for range want + 10 {
		b.key(kb.Tab) // and what it leads to has settled: a style is not there with the event
		eval[bool](b, `(() => { const e = document.activeElement; if (e === document.body) return true;
e.dataset.reached = ''; if (getComputedStyle(e).outlineStyle === 'none') e.dataset.unseen = ''; return true })()`)
	}
	assert.Empty(b, eval[[]string](b, `[...document.querySelectorAll('[data-expected]:not([data-reached])')].filter(e => e.type !== 'radio').map(e => e.outerHTML.slice(0, 80))`))
	assert.True(b, eval[bool](b, `!!document.querySelector('[type=radio][data-reached]')`))
	assert.Empty(b, eval[[]string](b, `[...document.querySelectorAll('[data-unseen]')].map(e => e.outerHTML.slice(0, 80))`), "the focus cannot be seen")
}

func (b *browser) narrow() {
	b.show(360, 640, "light") // the dark scheme changes colours alone
	for _, script := range []string{"true", openAll, `document.getElementById('keys').showModal(); true`} {
		eval[bool](b, script)
		for _, width := range []int64{320, 700, 1000} {
			b.size(width, 640)
			assert.LessOrEqual(b, eval[int](b, `document.scrollingElement.scrollWidth`), eval[int](b, `innerWidth`), script)
			assert.Equal(b, int(width), eval[int](b, `innerWidth`))
			assert.Empty(b, eval[[]string](b, cutOff), "%d px", width)
		}
	}
}

// cutOff are elements with text that reach over the right edge and are in no box
// that scrolls.
const cutOff = `[...document.querySelectorAll('body *')].filter(e => !e.closest('.box,.skip,.hear,svg') && e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 100))`

// contrast computes that of all text with what is after it.
func (b *browser) contrast() {
	for _, scheme := range []string{"light", "dark"} {
		b.show(1280, 900, scheme)
		eval[bool](b, openAll)
		assert.Empty(b, eval[[]string](b, lowContrast), scheme)
		assert.Greater(b, eval[int](b, `measured`), 200, "texts")
		eval[bool](b, `document.getElementById('keys').showModal(); true`)
		assert.Empty(b, eval[[]string](b, lowContrast), scheme)
	}
	// The check can fail.
	eval[bool](b, `document.querySelector('h1').style.setProperty('color', '#666'); true`)
	assert.NotEmpty(b, eval[[]string](b, lowContrast))
}

const lowContrast = `(() => {
const rgb = s => { const m = s.match(/[\d.]+/g).map(Number); return {r: m[0], g: m[1], b: m[2], a: m.length > 3 ? m[3] : 1} };
const over = (f, g) => ({r: f.r*f.a + g.r*(1-f.a), g: f.g*f.a + g.g*(1-f.a), b: f.b*f.a + g.b*(1-f.a), a: 1});
const lin = c => { c /= 255; return c <= 0.04045 ? c/12.92 : ((c+0.055)/1.055)**2.4 };
const lum = c => 0.2126*lin(c.r) + 0.7152*lin(c.g) + 0.0722*lin(c.b);
const behind = e => { const all = []; for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); all.push(c); if (c.a === 1) break } return all.reduceRight((g, f) => over(f, g), {r: 255, g: 255, b: 255, a: 1}) };
const out = new Set(); globalThis.measured = 0;
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const e = walk.currentNode.parentElement;
  if (!walk.currentNode.data.trim() || ['SCRIPT', 'TITLE', 'title', 'OPTION'].includes(e.tagName) || !e.checkVisibility({visibilityProperty: true})) continue;
  measured++;
  const style = getComputedStyle(e), ground = behind(e);
  const ink = over(rgb(e.ownerSVGElement ? style.fill : style.color), ground);
  const a = lum(ink), b = lum(ground), ratio = (Math.max(a, b) + 0.05)/(Math.min(a, b) + 0.05);
  if (ratio < 4.5) out.add(ratio.toFixed(2) + ' ' + e.tagName + '.' + e.className + ': ' + walk.currentNode.data.trim().slice(0, 40));
}
return [...out] })()`

// paper is the page as it is printed: everything opened, and nothing over the edge.
func (b *browser) paper() {
	b.show(680, 1000, "dark") // A4 with margins, at 96 per inch
	b.media("print", "dark")
	assert.Empty(b, eval[[]string](b, `[...document.querySelectorAll('details .body, details h3')].filter(e => !e.checkVisibility({contentVisibilityAuto: true})).map(e => e.outerHTML.slice(0, 80))`))
	assert.Empty(b, eval[[]string](b, strings.Replace(cutOff, ".box,", "", 1)))
	assert.Equal(b, "rgb(255, 255, 255)", eval[string](b, `getComputedStyle(document.body).backgroundColor`))
	assert.Empty(b, eval[[]string](b, lowContrast))
	runtime := `[...document.querySelectorAll('.runtime')].map(d => d.querySelector('summary').checkVisibility() + ' ' + d.querySelector('table').checkVisibility())`
	assert.Equal(b, []string{"true false"}, eval[[]string](b, runtime), "smux's device code is named and not printed")
	b.show(1280, 900, "dark")
	pdf, err := chromedp.Run(b.ctx, chromedp.PrintToPDF(chromedp.PDFPreferCSSPageSize()))
	require.NoError(b, err)
	require.True(b, strings.HasPrefix(string(pdf), "%PDF-"))
	assert.Zero(b, eval[int](b, `document.querySelectorAll('details[open]').length`), "it is as it was before")
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		return // the checks above stand for the text
	}
	c := exec.Command(tool, "-layout", "-", "-")
	c.Stdin = strings.NewReader(string(pdf))
	text, err := c.Output()
	require.NoError(b, err)
	for _, want := range []string{"gains", "full", "grid", "alone", "Why kernels are left alone", "vtb.acquire", "__syncthreads"} {
		assert.Contains(b, string(text), want)
	}
}

// withoutScript is the page without its script: all is there to be read.
func (b *browser) withoutScript() {
	off := func(v bool) {
		b.unscripted = v
		_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: v})
		require.NoError(b, err)
	}
	off(true)
	defer off(false)
	b.show(1280, 900, "light")
	assert.False(b, eval[bool](b, `document.getElementById('filter').checkVisibility()`), "what needs the script is not shown")
	assert.False(b, eval[bool](b, `document.getElementById('show-keys').checkVisibility()`))
	assert.Equal(b, 7, eval[int](b, `[...document.querySelectorAll('#table tbody tr')].filter(r => r.checkVisibility()).length`))
	b.click("#d-k3 > summary")
	assert.True(b, eval[bool](b, `document.getElementById('d-k3').open`))
	b.click("#table tbody tr:nth-child(2) a")
	assert.True(b, eval[bool](b, fmt.Sprintf(`document.getElementById(%q).checkVisibility()`, "k2")), "a link opens what it leads to")
}
