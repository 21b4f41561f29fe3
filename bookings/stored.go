package bookings

import (
	"context"
	"slices"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// stored holds the items of a booking's partition.
type stored struct {
	booking  dynastay.Row
	summary  dynastay.Row // of the payments
	charges  dynastay.Row
	lines    []dynastay.Row
	payments []dynastay.Row
	refunds  []dynastay.Row
}

// readFor reads the items of a booking for a write. A booking that is not of the user of [dynastay.IfUser], or not
// of the property of [dynastay.IfProperty], reads as one that does not exist, before anything of it is decoded.
func (r *Repository) readFor(ctx context.Context, tx *dynastay.Tx, key dynastay.Key) (stored, error) {
	rows, err := r.read(ctx, key, dynastay.Consistent)
	if err == nil && rows.booking.Exists() && !tx.OwnedBy(rows.booking.Text("UserId"), rows.booking.Text("PropertyId")) {
		return stored{}, nil
	}
	return rows, err
}

func (r *Repository) read(ctx context.Context, key dynastay.Key, opts ...dynastay.ReadOption) (stored, error) {
	rows, err := dynastay.QueryAll(ctx, r.db, keys.BookingsTable, dynastay.Query{
		Partition: key.PK, Consistent: slices.Contains(opts, dynastay.Consistent),
	})
	return storedOf(rows), err
}

// storedOf sorts the items of a booking's partition by their kinds.
func storedOf(rows []dynastay.Row) (s stored) {
	for _, row := range rows {
		switch sort := keys.BookingsTable.Key.From(row).SK; {
		case sort == keys.SortKind[keys.Booking]():
			s.booking = row
		case sort == keys.SortKind[keys.Payment]():
			s.summary = row
		case sort == keys.SortKind[keys.BookingCharges]():
			s.charges = row
		case strings.HasPrefix(sort, keys.SortKind[keys.BookingRoom]()):
			s.lines = append(s.lines, row)
		case strings.HasPrefix(sort, keys.SortKind[keys.PaymentAttempt]()):
			s.payments = append(s.payments, row)
		case strings.HasPrefix(sort, keys.SortKind[keys.Refund]()):
			s.refunds = append(s.refunds, row)
		}
	}
	return s
}

// addLines reads the lines of a booking, and its charges, which are in their order.
func (s stored) addLines(b *Booking) error {
	codec := lineCodec(b.Total.Currency())
	b.Lines = make([]Line, len(s.lines))
	for i, row := range s.lines {
		line, err := readLine(codec, row)
		if err != nil {
			return err
		}
		if line.Plan != nil {
			line.Plan.PropertyID = b.PropertyID
		}
		b.Lines[i] = *line
	}
	return s.addCharges(b)
}
