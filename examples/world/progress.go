package main

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// newProgress reports the progress of the load: with a bar on a terminal, otherwise with ten lines, as for a build log.
func newProgress(out io.Writer, of int, items *counter) func(done, of int) {
	if f, ok := out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		bar := progressbar.NewOptions(of,
			progressbar.OptionSetWriter(out), progressbar.OptionSetDescription("hotels"), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish(),
		)
		return func(done, _ int) { _ = bar.Set(done) } // a bar that cannot be drawn must not stop the load
	}
	const lines = 10
	started, told := time.Now(), 0
	return func(done, of int) {
		if line := done * lines / of; line > told {
			told = line
			in.Fprintf(out, "%d of %d hotels, %d items, %v\n", done, of, items.total(), time.Since(started).Round(time.Second))
		}
	}
}
