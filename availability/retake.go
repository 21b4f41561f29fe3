package availability

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Retake takes rooms again that a booking had returned. Like a sale, it needs rooms that are left, of nights that are
// neither stopped nor closed; it overbooks none, whatever OverbookLimit they have. It compares no price, because the booking
// has one, and no rules for arrivals and departures, because the stay keeps its dates. It is for authors of operations, like
// [Sale].
type Retake struct {
	nights     *Repository
	propertyID string
	lines      []Line
	stay       dynastay.Stay
	each       map[dynastay.Ref]retaken
	refs       []dynastay.Ref
}

type retaken struct {
	line Line
	date dynastay.Date
}

// Retake returns the actions that take the rooms of lines on the dates of a stay. There is at most one line for each room
// type.
func (r *Repository) Retake(propertyID string, lines []Line, stay dynastay.Stay) *Retake {
	t := &Retake{nights: r, propertyID: propertyID, lines: lines, stay: stay, each: map[dynastay.Ref]retaken{}}
	for _, line := range lines {
		for date := range stay.Dates() {
			ref := nightRef(line.RoomTypeID, date)
			t.each[ref], t.refs = retaken{line, date}, append(t.refs, ref)
		}
	}
	return t
}

// Contest returns the contest for the nights, whose refusal lists every night that cannot be taken.
func (t *Retake) Contest() dynastay.Contest {
	return dynastay.Contest{Items: t.refs, Judge: t.judge, See: t.see}
}

var retake = dynastay.MustCompile(expression.NewBuilder().
	WithCondition(dynastay.NameOf("PropertyId").Equal(dynastay.Param("property")).
		And(dynastay.NameOf(attrAvailable).GreaterThanEqual(dynastay.Param("rooms"))).
		And(notTrue(dynastay.NameOf("IsBlocked"))).
		And(notTrue(dynastay.NameOf(keys.AttrPropertyClosed)))).
	WithUpdate(expression.Set(dynastay.NameOf(attrAvailable), dynastay.NameOf(attrAvailable).Minus(dynastay.Param("rooms"))).
		Set(dynastay.NameOf(attrUpdated), dynastay.Param("now"))))

// AddTo adds one action for each night.
func (t *Retake) AddTo(tx *dynastay.Tx) {
	for _, ref := range t.refs {
		tx.Update(keys.AvailabilityTable, ref.Key, retake.With(dynastay.Item{
			"property": dynastay.Text(t.propertyID),
			"rooms":    dynastay.Number(t.each[ref].line.Quantity),
			"now":      dynastay.Instant(t.nights.db.Now()),
		}))
	}
}

// see reads the nights consistently.
func (t *Retake) see(ctx context.Context) (map[dynastay.Ref]dynastay.Row, error) {
	seen := map[dynastay.Ref]dynastay.Row{}
	for ref := range t.each {
		seen[ref] = dynastay.Row{}
	}
	for _, line := range t.lines {
		rows, err := t.nights.read(ctx, line.RoomTypeID, t.stay, dynastay.Consistent)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			seen[dynastay.RefOf(keys.AvailabilityTable, keys.AvailabilityTable.Key.From(row))] = row
		}
	}
	return seen, nil
}

// judge refuses the write if rooms of any of the nights that were seen cannot be taken.
func (t *Retake) judge(seen map[dynastay.Ref]dynastay.Row) error {
	var all []RefusedNight
	for _, ref := range t.refs {
		row, known := seen[ref]
		if !known {
			continue
		}
		var night *Night
		if row.Exists() {
			var err error
			if night, err = t.nights.entity.Value(row); err != nil {
				return err
			}
		}
		at := t.each[ref]
		all = append(all, refuse(t.propertyID, at.line, 0, dynastay.Stay{}, at.date, night)...)
	}
	if len(all) == 0 {
		return nil
	}
	return &Refused{all}
}
