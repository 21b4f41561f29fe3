package availability_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/keys"
)

// booking sells rooms, and returns what the booking then has: its lines are numbered from 1, and it was made on 1 June.
func booking(t *testing.T, db *dyntest.DB, repo *availability.Repository, stay dynastay.Stay, rooms ...availability.Room) availability.Booked {
	t.Helper()
	q, err := repo.Quote(t.Context(), requestUnder(stay, rooms...))
	require.NoError(t, err)
	got, err := sellAt(t.Context(), db.DB, q)
	require.NoError(t, err)
	return bookedAs(stay, got.Lines)
}

// bookedAs returns the lines as a booking has them.
func bookedAs(stay dynastay.Stay, lines []availability.Line) availability.Booked {
	b := availability.Booked{Stay: stay, On: date("2026-06-01")}
	last := 0
	for _, line := range lines {
		last = max(last, line.Number)
	}
	for i, line := range lines {
		if line.Number == 0 {
			if line.Number = i + 1; line.Number <= last {
				last++
				line.Number = last
			}
		}
		for n := range line.Nights {
			line.Nights[n].Steps = nil
		}
		b.Lines = append(b.Lines, line)
	}
	return b
}

// resell changes a booking to match a quote.
func resell(ctx context.Context, db *dynastay.DB, q *availability.Quote, has availability.Booked) (availability.Sold, error) {
	sale := availability.New(db).SaleFor(q, has)
	if len(sale.Contest().Items) == 0 {
		return availability.Sold{Lines: q.Lines}, nil
	}
	return dynastay.Do(ctx, db, dynastay.NewOp(dynastay.OpSpec[availability.Sold]{
		Name: "test.Resell", Contest: sale.Contest(), Prepare: sale.Add,
	}))
}

// lineTexts shows lines such as "#1 2×flex for 1: 280(300) 280(300)": its number, rooms, plan and adults, and for each night
// the price and the stored one, if it is another.
func lineTexts(lines []availability.Line) (all []string) {
	for _, l := range lines {
		text := fmt.Sprintf("#%d %d×", l.Number, l.Quantity)
		if l.Plan != nil {
			text += l.Plan.ID
		}
		if l.Party != nil {
			text += fmt.Sprintf(" for %d", l.Party.Adults)
		}
		text += ":"
		for _, n := range l.Nights {
			text += " " + short(n.Price)
			if n.Source.IsSet() && n.Source != n.Price {
				text += "(" + short(n.Source) + ")"
			}
		}
		all = append(all, text)
	}
	return all
}

func short(m dynastay.Money) string { return strings.TrimSuffix(m.Amount(), ".00") }

// refusedTexts shows refused nights such as "2026-07-10 flex min_stay 3".
func refusedTexts(t *testing.T, err error) (all []string) {
	t.Helper()
	refused := (*availability.Refused)(nil)
	require.ErrorAs(t, err, &refused)
	for _, n := range refused.Nights {
		text := strings.Join(strings.Fields(n.Date.String()+" "+n.RatePlanID+" "+string(n.Reason)), " ")
		if limit := n.Nights + n.Days + n.Left; limit > 0 {
			text += fmt.Sprintf(" %d", limit)
		}
		if n.Price.IsSet() {
			text += " " + short(n.Price)
		}
		if n.RoomTypeID != roomTypeID {
			text += " of " + n.RoomTypeID
		}
		all = append(all, text)
	}
	return all
}

// actionTexts shows the actions of all transactions, such as "update 07-10, check 07-11".
func actionTexts(t *testing.T, requests []dyntest.Request) string {
	t.Helper()
	var all []string
	for _, r := range requests {
		if r.Operation != "TransactWriteItems" {
			continue
		}
		var body struct {
			TransactItems []map[string]struct{ Key map[string]struct{ S string } }
		}
		require.NoError(t, json.Unmarshal(r.Body, &body))
		for _, item := range body.TransactItems {
			for kind, action := range item {
				kind = map[string]string{"Update": "update ", "ConditionCheck": "check "}[kind]
				all = append(all, kind+strings.TrimPrefix(action.Key["SK"].S, "DATE#2026-"))
			}
		}
	}
	return strings.Join(all, ", ")
}

// setNight stores attributes of a night without the library; the rooms that are left stay as they are.
func setNight(t *testing.T, db *dyntest.DB, day string, attributes dynastay.Item) {
	t.Helper()
	for name, v := range attributes {
		change(t, db, keys.AvailabilityTable, dynastay.Key{PK: "ROOM#" + roomTypeID, SK: "DATE#" + day}, "#"+name+" = :v", dynastay.Item{":v": v})
	}
}

// staysOf reads stays such as "2026-07-10/2026-07-13".
func staysOf(texts ...string) (all []dynastay.Stay) {
	for _, text := range texts {
		from, to, _ := strings.Cut(text, "/")
		all = append(all, dynastay.MustStay(from, to))
	}
	return all
}
