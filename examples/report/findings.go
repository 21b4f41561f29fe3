package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/dynastay/dynastay"
)

// Findings are the lines below a step.
type Findings struct{ rows [][]any } // a row with one cell is text

// Add adds a line of text.
func (f *Findings) Add(format string, args ...any) { f.Row(fmt.Sprintf(format, args...)) }

// Row adds a row of cells, which stand in columns with those of the step's other rows: amounts and counts at the right.
// A row with one cell is text.
func (f *Findings) Row(cells ...any) { f.rows = append(f.rows, cells) }

// Print writes the lines, and a blank one if some of them have columns.
func (f *Findings) Print(w io.Writer) error {
	widths := f.widths()
	var page strings.Builder
	for _, row := range f.rows {
		line := " "
		for i, cell := range row {
			width := 0
			if len(row) > 1 {
				width = widths[i]
			}
			switch cell.(type) {
			case dynastay.Money, int:
				line += fmt.Sprintf("   %*v", width, cell)
			default:
				line += fmt.Sprintf("   %-*v", width, cell)
			}
		}
		page.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if len(widths) > 0 {
		page.WriteString("\n")
	}
	_, err := io.WriteString(w, page.String())
	return err
}

func (f *Findings) widths() (widths []int) {
	for _, row := range f.rows {
		if len(row) == 1 {
			continue
		}
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(fmt.Sprint(cell)))
		}
	}
	return widths
}
