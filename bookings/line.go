package bookings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
	values "github.com/dynastay/dynastay/internal/stored"
	"github.com/dynastay/dynastay/keys"
)

// Line is what a booking has of one room type under one rate plan for one party, which the hotel-booking document (a design
// document that is not part of this repository) calls a "booking room". Nights is empty if other software created the
// booking. They have no Steps: those are of the quote only.
type Line struct {
	availability.Line
	BookingID string
	// RoomIDs are the individual rooms: those of Units, each once, or texts that were assigned at check-in.
	RoomIDs       []string       `json:",omitzero"`
	Units         []UnitNights   `json:",omitzero"` // the units that it has, by the first night, see package availability/units
	PricePerNight dynastay.Money `json:",omitzero"` // the average of the nights, rounded to the currency's minor unit
	Data          Data           `json:",omitzero"`
}

// lineCodec returns the codec of lines in a currency, which is stored in the booking, not in its lines.
func lineCodec(currency dynastay.Currency) entity.Codec[Line] {
	return entity.Declare(func(f *entity.Fields, l *Line) {
		f.Const(keys.AttrEntityType, "BookingRoom")
		f.String("BookingId", &l.BookingID)
		f.String("RoomTypeId", &l.RoomTypeID)
		f.String("RoomName", &l.Name)
		declareRoomIDs(f, &l.RoomIDs)
		declareUnits(f, &l.Units)
		f.Int("Quantity", &l.Quantity)
		f.Amount("PricePerNight", currency, &l.PricePerNight)
		f.Amount("Subtotal", currency, &l.Subtotal)
		declarePlan(f, &l.Plan)
		declareParty(f, &l.Party)
		declareNights(f, currency, l)
		entity.String(f, "CancellationPolicy", &l.CancellationPolicy)
		declareDates(f, "OverbookedNights", &l.Overbooked)
		f.IfSet().Bool("IsAgreed", &l.Agreed)
		l.Data.declare(f)
	})
}

// readLine decodes a line. Its number is only in the key.
func readLine(codec entity.Codec[Line], row dynastay.Row) (*Line, error) {
	at := keys.BookingsTable.Key.From(row)
	line, err := entity.Read("BookingRoom", at.String(), codec, row)
	if err != nil {
		return nil, err
	}
	line.Number = first(&line.Line)
	if keys.Is[keys.BookingRoomLine](at) {
		further, err := keys.Parse[keys.BookingRoomLine](at)
		if err != nil {
			return nil, err
		}
		line.Number = further.Number
	}
	return line, nil
}

// first returns the number of the first line of a room type: none if it has no plan, no party and no agreed prices, as a line
// of a booking that was made without them.
func first(l *availability.Line) int {
	if l.Plan == nil && l.Party == nil && !l.Agreed {
		return 0
	}
	return 1
}

func isLine(at dynastay.Key) bool {
	return keys.Is[keys.BookingRoom](at) || keys.Is[keys.BookingRoomLine](at)
}

// key returns the key of the line's item.
func (l *Line) key() (dynastay.Key, error) {
	if l.Number > 1 {
		return keys.Of(keys.BookingRoomLine{BookingID: l.BookingID, RoomTypeID: l.RoomTypeID, Number: l.Number})
	}
	return keys.Of(keys.BookingRoom{BookingID: l.BookingID, RoomTypeID: l.RoomTypeID})
}

// number returns the numbers of lines whose known numbers are given, 0 for a new line. The first line of a room type gets
// 1. A further one gets a number that no line has had before, so that whoever refers to a line never finds another one.
func (b *Booking) number(lines []availability.Line, known []int) ([]int, error) {
	all, first := slices.Clone(known), map[string]bool{}
	for i, line := range lines {
		first[line.RoomTypeID] = first[line.RoomTypeID] || all[i] > 0
	}
	for i, line := range lines {
		switch {
		case all[i] > 0:
			continue
		case !first[line.RoomTypeID]:
			all[i], first[line.RoomTypeID] = 1, true
			continue
		}
		if b.LastLine = max(b.LastLine, 1) + 1; b.LastLine > availability.MaxLineNumber {
			return nil, dynastay.Invalid(fmt.Sprintf("Lines[%d]", i),
				"must not be new: the booking has had %d lines, and no number is used again", availability.MaxLineNumber)
		}
		all[i] = b.LastLine
	}
	return all, nil
}

// lineExists keeps an update from creating a line that has been removed.
var lineExists = expression.AttributeExists(expression.Name(keys.BookingsTable.Key.Partition))

func overtaken(dynastay.Row) error { return dynastay.ErrOvertaken }

// addLines adds a put for each line of a booking.
func addLines(tx *dynastay.Tx, b *Booking) error {
	codec := lineCodec(b.Total.Currency())
	for i := range b.Lines {
		if err := addLine(tx, codec, &b.Lines[i]); err != nil {
			return err
		}
	}
	return nil
}

func addLine(tx *dynastay.Tx, codec entity.Codec[Line], line *Line) error {
	key, err := line.key()
	if err != nil {
		return err
	}
	item, err := codec.Encode(line)
	if err != nil {
		return err
	}
	maps.Copy(item, keys.BookingsTable.Key.Of(key))
	tx.Put(keys.BookingsTable, item)
	return nil
}

// modifyLines adds the actions that turn the lines of the booking into the sold ones, which have their numbers. It returns
// the new lines, and whether any of them differs. A line that goes on keeps its rooms and, unless others are given, its data;
// a new one has neither, even if it gets the number of one that is given up. Lines have no write ids: the condition on the
// booking protects them as well. Attributes that the library does not know are kept.
func (p *modifying) modifyLines(tx *dynastay.Tx, b *Booking, sold []availability.Line) (lines []Line, changed bool, err error) {
	codec, stays := lineCodec(b.Total.Currency()), make([]bool, len(p.had))
	for n, one := range sold {
		line, err := newLine(b.ID, one)
		if err != nil {
			return nil, false, err
		}
		if p.LineData != nil {
			line.Data = p.LineData[n]
		}
		differs := true
		i := slices.IndexFunc(p.had, func(l Line) bool {
			return l.RoomTypeID == one.RoomTypeID && cmp.Or(l.Number, 1) == cmp.Or(one.Number, 1)
		})
		if i < 0 {
			err = addLine(tx, codec, &line)
		} else {
			stays[i] = true
			own := []string{"Data"} // are written
			switch goesOn := p.known[n] > 0; {
			case !goesOn:
				own = append(own, "RoomId", "UnitNights")
			case p.LineData == nil:
				own, line.RoomIDs, line.Data = nil, p.had[i].RoomIDs, p.had[i].Data
			default:
				line.RoomIDs = p.had[i].RoomIDs
			}
			if p.known[n] > 0 && line.keepUnits(&p.had[i], b.Stay) {
				own = append(own, "RoomId", "UnitNights")
			}
			differs, err = changeLine(tx, codec, p.rows.lines[i], &line, own...)
		}
		if err != nil {
			return nil, false, err
		}
		lines, changed = append(lines, line), changed || differs
	}
	for i := range p.had {
		if !stays[i] {
			tx.Delete(keys.BookingsTable, keys.BookingsTable.Key.From(p.rows.lines[i]))
			changed = true
		}
	}
	return lines, changed, nil
}

// changeLine adds the update of a line, if it differs from what is stored. The data, which may contain more than texts, and the
// rooms and units are left as they are unless they are named.
func changeLine(tx *dynastay.Tx, codec entity.Codec[Line], row dynastay.Row, line *Line, own ...string) (differs bool, err error) {
	before := row.Item()
	after, err := codec.Encode(line)
	if err != nil {
		return false, err
	}
	for _, name := range []string{"Data", "RoomId", "UnitNights"} {
		if !slices.Contains(own, name) {
			delete(after, name)
		}
	}
	update := expression.UpdateBuilder{}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if !values.Equal(before[name], after[name]) {
			update, differs = update.Set(dynastay.NameOf(name), expression.Value(after[name])), true
		}
	}
	for _, name := range slices.Concat(mayBeAbsent, own) {
		if after[name] == nil && !values.IsNull(before[name]) {
			update, differs = update.Remove(dynastay.NameOf(name)), true
		}
	}
	if differs {
		expr := dynastay.MustCompile(expression.NewBuilder().WithCondition(lineExists).WithUpdate(update)).With(nil)
		tx.Update(keys.BookingsTable, keys.BookingsTable.Key.From(row), expr).Else(overtaken)
	}
	return differs, nil
}

// mayBeAbsent are the attributes that a line does not always have, apart from its data and rooms.
var mayBeAbsent = []string{
	"CancellationPolicy", "OverbookedNights", "RoomName", "RatePlanId", "RatePlanName", "MealPlan", "PlanRule", "Adults", "Children",
	"ChildAges", "ExtraBeds", "SourcePrices", "MealPrice", "IsAgreed",
}

// declareRoomIDs stores one room id as text, as in the hotel-booking document, and several as a list.
func declareRoomIDs(f *entity.Fields, ids *[]string) {
	entity.Custom(f, "RoomId", ids, func(ids []string) (types.AttributeValue, error) {
		if len(ids) == 0 {
			return nil, nil
		}
		return roomIDs(ids), nil
	}, func(v dynastay.Value) (ids []string, err error) {
		if v.Kind() == dynastay.KindText {
			return []string{v.Text()}, nil
		}
		if v.Kind() != dynastay.KindList {
			return nil, fmt.Errorf("must be text or a list, got %s", v.Kind())
		}
		for _, id := range v.List() {
			if id.Kind() != dynastay.KindText {
				return nil, fmt.Errorf("must contain only text, got %s", id.Kind())
			}
			ids = append(ids, id.Text())
		}
		return ids, nil
	})
}

func roomIDs(ids []string) types.AttributeValue {
	if len(ids) == 1 {
		return dynastay.Text(ids[0])
	}
	list := &types.AttributeValueMemberL{}
	for _, id := range ids {
		list.Value = append(list.Value, dynastay.Text(id))
	}
	return list
}

// declareDates stores dates as a list of texts; an empty list is not written.
func declareDates(f *entity.Fields, name string, dates *[]dynastay.Date) {
	var texts []string
	for _, date := range *dates {
		texts = append(texts, date.String())
	}
	f.IfSet().Strings(name, &texts)
	if !f.Decoding() {
		return
	}
	*dates = nil
	for _, text := range texts {
		date, err := dynastay.ParseDate(text)
		f.Fail(name, err)
		*dates = append(*dates, date)
	}
}

// newLine creates the booking's line from a quote's line.
func newLine(bookingID string, sold availability.Line) (Line, error) {
	average, err := sold.Subtotal.DividedBy(sold.Quantity * len(sold.Nights))
	if sold.Number == 1 {
		sold.Number = first(&sold)
	}
	sold.Nights = slices.Clone(sold.Nights)
	for i := range sold.Nights {
		sold.Nights[i].Steps = nil
	}
	return Line{Line: sold, BookingID: bookingID, PricePerNight: average}, err
}
