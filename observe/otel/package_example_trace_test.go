package dynaotel_test

import (
	"context"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/internal/testing/page"
	"github.com/dynastay/dynastay/internal/testing/streamtest"
	"github.com/dynastay/dynastay/keys"
	dynaotel "github.com/dynastay/dynastay/observe/otel"
)

// A booking meets another transaction, then its answer is lost, and the same request sent again settles it. Later, the record
// of the booking comes out of the stream, and has the same write. The picture has the spans in their order, not their times.
func TestPictureOfATrace(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, append(streamtest.Tables(keys.Tables()...), dyntest.At(fixture.Now))...)
	hotel := fixture.New(t, db.Direct, 2)
	ask := fixture.Request(hotel.Quote(t, db.Direct, fixture.Stay, 1))
	observer, saw := observe(t, dynaotel.Options{})
	opened := db.Open(&dynastay.Options{Observer: observer})
	db.Faults.Inject(dyntest.Conflict(), dyntest.When{Operation: "TransactWriteItems", Nth: 1})
	db.Faults.Inject(dyntest.LoseAnswer(), dyntest.When{Operation: "TransactWriteItems", Nth: 2})
	_, err := bookings.New(opened, nil).Create(t.Context(), ask, dynastay.IdempotencyKey("request-1"))
	require.NoError(t, err)

	booked := saw.all()
	operation, requests := booked[0], booked[1:]
	if operation.SpanKind != trace.SpanKindInternal { // it began in the same microsecond
		operation, requests = booked[1], append(booked[:1:1], booked[2:]...)
	}
	assert.Equal(t, "bookings.Create", operation.Name)
	assert.Equal(t, string(dynastay.SettledByRetry), operation.text("dynastay.settled"))
	last := requests[len(requests)-1]
	write := last.text("dynastay.write")
	require.NotEmpty(t, write)
	assert.Equal(t, requests[len(requests)-2].text("dynastay.write"), write, "it is the same write")

	saw.spans.Reset()
	handle := observer.Records(func(context.Context, stream.Record) error { return nil }, keys.BookingsTable)
	for _, r := range streamtest.Records(t, db, keys.BookingsTable) {
		require.NoError(t, handle(t.Context(), r))
	}
	var records []span
	for _, r := range saw.all() {
		if stored := r.text("dynastay.write"); stored != "" { // the lines of a booking have no write id
			assert.Equal(t, write, stored)
			records = append(records, r)
		}
	}
	require.NotEmpty(t, records)

	prefix := strings.TrimSuffix(db.TableName(keys.BookingsTable), keys.BookingsTable.Name)
	drawn := strings.ReplaceAll(draw(operation, requests, records[0]), prefix, "")
	file := filepath.Join(page.Root(t), "../../docs/images/trace.svg")
	if page.Updating() {
		require.NoError(t, os.WriteFile(file, []byte(drawn), 0o644))
	}
	known, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(known), drawn, "make docs updates the picture")
}

const (
	left, right = 240, 560 // of the bars
	rowHeight   = 30
	head        = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 %[1]d" width="880" height="%[1]d" role="img" aria-labelledby="t d">
  <title id="t">The trace of a booking</title>
  <desc id="d">%[2]s</desc>
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .small { font-size: 11.5px; fill: #59636e }
    .title { font-weight: 600 }
    .main { fill: #ddf4ff; stroke: #0969da }
    .good { fill: #dafbe1; stroke: #1a7f37 }
    .bad { fill: #fff1e5; stroke: #bc4c00 }
    line { stroke: #d1d9e0 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .small { fill: #9198a1 }
      .main { fill: #0c2d4a; stroke: #4493f8 }
      .good { fill: #12361f; stroke: #3fb950 }
      .bad { fill: #40240f; stroke: #db6d28 }
      line { stroke: #3d444d }
    }
  </style>
`
)

// draw draws the span of an operation, one bar for each request in it, and below, in another trace, the record of the write.
func draw(operation span, requests []span, record span) string {
	var b, told strings.Builder
	y := 14
	row := func(class, name, note string, from, to, indent int) {
		fmt.Fprintf(&b, "  <text%s x=\"%d\" y=\"%d\">%s</text>\n", titled(indent == 0), 14+16*indent, y+16, html.EscapeString(name))
		fmt.Fprintf(&b, "  <rect class=%q x=\"%d\" y=\"%d\" width=\"%d\" height=\"18\" rx=\"4\"/>\n", class, from, y+3, to-from)
		fmt.Fprintf(&b, "  <text class=\"small\" x=\"%d\" y=\"%d\">%s</text>\n", right+12, y+16, html.EscapeString(note))
		fmt.Fprintf(&told, "%s: %s. ", name, note)
		y += rowHeight
	}
	row("main", operation.Name, fmt.Sprintf("%d requests, %d retries, settled by %s",
		operation.int("dynastay.requests"), operation.int("dynastay.retries"), operation.text("dynastay.settled")), left, right, 0)
	for i, r := range requests {
		class, note := "good", r.text("dynastay.verdict")
		if r.Status.Code == codes.Error {
			class, note = "bad", note+": "+r.text("error.type")
		}
		slot := (right - left) / len(requests)
		row(class, short(r.Name), note, left+i*slot+3, left+(i+1)*slot-3, 1)
	}
	fmt.Fprintf(&b, "  <line x1=\"14\" y1=\"%d\" x2=\"866\" y2=\"%d\"/>\n", y+4, y+4)
	y += 10
	row("main", record.Name, "another trace, with the same dynastay.write", left, right, 0)
	return fmt.Sprintf(head, y+8, html.EscapeString(strings.TrimSpace(told.String()))) + b.String() + "</svg>\n"
}

func titled(is bool) string {
	if is {
		return ` class="title"`
	}
	return ""
}

// short is the name of a span without all but the first of its tables.
func short(name string) string {
	words := strings.Fields(name)
	if len(words) <= 2 {
		return name
	}
	return fmt.Sprintf("%s, %d tables", words[0], len(words)-1)
}
