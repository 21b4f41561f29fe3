package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The colours have enough contrast on white and on black.
var (
	ink  = color.RGBA{0x76, 0x80, 0x8a, 0xff}
	bars = []color.Color{color.RGBA{0x2f, 0x81, 0xf7, 0xff}, color.RGBA{0xc4, 0x5a, 0x10, 0xff}}
)

// chart has a group of bars for each name.
type chart struct {
	title  string
	groups string // what the names are
	names  []string
	values []plotter.Values // of each group, the first, second and so on
}

func (c *chart) add(name string, values ...float64) {
	c.names = append(c.names, name)
	for i, v := range values {
		if i == len(c.values) {
			c.values = append(c.values, nil)
		}
		c.values[i] = append(c.values[i], v)
	}
}

// plot returns the chart with the value of each bar above it.
func (c *chart) plot(legend []string) (*plot.Plot, error) {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text = c.title
	p.Title.TextStyle.Color, p.Title.Padding = ink, vg.Points(8)
	p.HideY()
	p.NominalX(c.names...)
	p.X.Label.Text, p.X.Label.TextStyle.Color = c.groups, ink
	p.X.Label.TextStyle.Font.Size = vg.Points(9)
	p.X.Color, p.X.LineStyle.Color, p.X.Tick.Label.Color = ink, ink, ink
	p.X.Tick.Label.Font.Size = vg.Points(9)
	p.Legend.Top, p.Legend.Left, p.Legend.TextStyle.Color = true, true, ink
	width := vg.Points(28)
	for i, values := range c.values {
		chart, err := plotter.NewBarChart(values, width)
		if err != nil {
			return nil, err
		}
		chart.Color, chart.LineStyle.Width = bars[i], 0
		chart.Offset = width * vg.Length(2*i-len(c.values)+1) / 2
		labels := plotter.XYLabels{XYs: make(plotter.XYs, len(values)), Labels: make([]string, len(values))}
		for at, v := range values {
			labels.XYs[at], labels.Labels[at] = plotter.XY{X: float64(at), Y: v}, fmt.Sprint(math.Round(2*v)/2)
		}
		above, err := plotter.NewLabels(labels)
		if err != nil {
			return nil, err
		}
		above.Offset = vg.Point{X: chart.Offset, Y: vg.Points(3)}
		for at := range above.TextStyle {
			above.TextStyle[at].Color, above.TextStyle[at].XAlign = ink, draw.XCenter
			above.TextStyle[at].Font.Size = vg.Points(9)
		}
		p.Add(chart, above)
		if i < len(legend) {
			p.Legend.Add(legend[i], chart)
		}
	}
	p.X.Min, p.X.Max = -0.5, float64(len(c.names))-0.5
	p.Y.Max *= 1.15 // room for the highest value
	return p, nil
}

// save writes an image with charts below each other.
func save(name string, legend []string, charts ...chart) error {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	var rows [][]*plot.Plot
	for _, c := range charts {
		p, err := c.plot(legend)
		if err != nil {
			return err
		}
		rows = append(rows, []*plot.Plot{p})
	}
	canvas := vgsvg.New(vg.Points(600), vg.Points(400))
	tiles := draw.Tiles{Rows: len(rows), Cols: 1, PadY: vg.Points(16), PadTop: vg.Points(6), PadBottom: vg.Points(6)}
	for i, row := range plot.Align(rows, tiles, draw.New(canvas)) {
		rows[i][0].Draw(row[0])
	}
	var image bytes.Buffer
	if _, err := canvas.WriteTo(&image); err != nil {
		return err
	}
	drawn := bytes.ReplaceAll(image.Bytes(), []byte("Liberation Sans"), []byte("system-ui, sans-serif")) // which readers have
	return os.WriteFile("../images/"+name+".svg", drawn, 0o644)
}
