package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	svg "github.com/ajstarks/svgo"
)

// Stack puts SVG documents under one another, under one title. Each must have a
// width and a height in user units.
func Stack(title string, documents [][]byte) ([]byte, error) {
	width, height := 0, headHeight
	var parts []part
	for _, d := range documents {
		p, err := readPart(d)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
		width = max(width, p.width)
		height += p.height
	}
	var out bytes.Buffer
	d := svg.New(&out)
	d.Startview(width, height, 0, 0, width, height)
	d.Title(title)
	// The documents have backgrounds of their own, light or dark.
	d.Text(12, 22, title, `font-family="sans-serif"`, `font-size="15"`, `fill="#777"`)
	y := headHeight
	for _, p := range parts {
		d.Translate(0, y)
		out.Write(p.text)
		d.Gend()
		y += p.height
	}
	d.End()
	return out.Bytes(), nil
}

// part is a document without what stands in front of its root element.
type part struct {
	text          []byte
	width, height int
}

func readPart(document []byte) (part, error) {
	d := xml.NewDecoder(bytes.NewReader(document))
	for {
		at := d.InputOffset()
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return part{}, errors.New("an SVG document has no root element")
		}
		if err != nil {
			return part{}, fmt.Errorf("reading an SVG document: %w", err)
		}
		root, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		p := part{text: document[at:]}
		for _, a := range root.Attr {
			size, err := strconv.ParseFloat(strings.TrimSuffix(a.Value, "px"), 64)
			switch {
			case err != nil:
			case a.Name.Local == "width":
				p.width = int(math.Ceil(size))
			case a.Name.Local == "height":
				p.height = int(math.Ceil(size))
			}
		}
		if p.width <= 0 || p.height <= 0 {
			return part{}, errors.New("an SVG document says no width or height")
		}
		return p, nil
	}
}
