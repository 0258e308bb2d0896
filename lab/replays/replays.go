// Package replays makes a record of what was measured on an H100 (docs/results/h100-replays.txt) of exported folders:
//
//	go run ./lab/main.go replays docs/results/h100-replays.txt BUNDLE… > h100.jsonl
//
// smux tune --report and --replay take it like any other. Its times are those of launches that were repeated with the same
// arguments in one process, three for a form: the medians of three batches. Beside them stand the original's from the nearest
// run of it, which was not directly in front: pairs are marked as apart. All are of the search, so that nothing is chosen
// by them. What was compared is the copies from the device, by a hash, and the lines that were printed.
package replays

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/smux-cuda/smux/tune/bundle"
	"github.com/smux-cuda/smux/tune/record"
)

// Main reads the file that args begin with and the manifests of the folders after it, and writes the record.
func Main(args []string, stdout io.Writer) error {
	if len(args) < 2 {
		return fmt.Errorf("give docs/results/h100-replays.txt, and the folders that were measured")
	}
	in, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer in.Close()
	manifests := map[string]*bundle.Manifest{}
	var order []string
	for _, dir := range args[1:] {
		m, err := bundle.ReadManifest(dir)
		if err != nil {
			return err
		}
		name := filepath.Base(dir)
		manifests[name], order = m, append(order, name)
	}
	r, err := read(in)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	for _, name := range order {
		text, err := record.Encode(r.lines(name, manifests[name])...)
		if err != nil {
			return err
		}
		if _, err := stdout.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// place is a form of a folder: its own folder's name without the number in front. So what was measured of a form
// is found by another version of smux, too, which lists forms in another order.
type place struct{ bundle, form string }

func placeOf(words []string) place { return place{words[1], formOf(words[2])} }

func formOf(folder string) string {
	if number, form, ok := strings.Cut(folder, "-"); ok && strings.HasPrefix(number, "v") {
		return form
	}
	return folder
}

// timed is one process that timed a form.
type timed struct {
	place
	launches []launch
}

// launch is a kernel's name, mangled, and the medians of its batches in milliseconds.
type launch struct {
	kernel string
	ms     []float64
}

// checked says how a form's outputs compare with the original's.
type checked struct {
	result string // "equal", or the kind of failure with its text
	bytes  int64  // copied from the device
}

// measurements holds the content of a file.
type measurements struct {
	device, driver, toolkit string
	when                    time.Time
	checks                  map[place]checked
	runs                    []timed // in order
}

// read reads a file: lines "machine", "check", "time" and, after the latter, "launch".
func read(in io.Reader) (*measurements, error) {
	m := &measurements{checks: map[place]checked{}}
	s := bufio.NewScanner(in)
	for n := 1; s.Scan(); n++ {
		words := strings.Fields(s.Text())
		var err error
		switch {
		case len(words) == 0:
		case words[0] == "machine":
			m.device, m.driver, _ = strings.Cut(strings.Join(words[1:], " "), ", ")
		case words[0] == "toolkit":
			m.toolkit = strings.Join(words[1:], " ")
		case words[0] == "date" && len(words) == 2:
			m.when, err = time.Parse(time.RFC3339, words[1])
		case words[0] == "check" && len(words) >= 5:
			c := checked{result: strings.Join(words[4:], " ")}
			c.bytes, err = strconv.ParseInt(words[3], 10, 64)
			m.checks[placeOf(words)] = c
		case words[0] == "time" && len(words) == 3:
			m.runs = append(m.runs, timed{place: placeOf(words)})
		case words[0] == "launch" && len(m.runs) > 0:
			var l launch
			if l, err = launchOf(words); err == nil {
				last := &m.runs[len(m.runs)-1]
				last.launches = append(last.launches, l)
			}
		default:
			err = fmt.Errorf("%q is none of its lines", s.Text())
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return m, s.Err()
}

// launchOf reads a line about a launch: its words, the last of which are the fastest run, the three medians
// and the launch's status.
func launchOf(words []string) (launch, error) {
	n := len(words)
	if n < 8 || words[n-1] != "cudaSuccess" {
		return launch{}, fmt.Errorf("the launch failed: %s", strings.Join(words, " "))
	}
	l := launch{kernel: words[1]}
	for _, w := range words[n-4 : n-1] {
		us, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return launch{}, err
		}
		l.ms = append(l.ms, us/1000)
	}
	return l, nil
}
