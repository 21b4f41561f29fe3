package hotel

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/checker"
)

func TestDiscounts(t *testing.T) {
	for _, c := range []struct {
		*promo
		rooms, want int64
		ok          bool
	}{
		{&promo{percent: 333}, 280_00, 9_32, true}, {&promo{percent: 333}, 50, 2, true}, {&promo{percent: 333}, 15, 0, true}, {&promo{percent: 10_00}, 5, 1, true},
		{&promo{percent: 50_00, most: 100_00}, 280_00, 100_00, true}, {&promo{amount: 300_00}, 280_00, 280_00, true},
		{&promo{amount: 1, least: 280_00}, 280_00, 1, true}, {&promo{amount: 1, least: 280_01}, 280_00, 1, false},
	} {
		got, ok := c.discount(c.rooms)
		assert.Equal(t, []any{c.want, c.ok}, []any{got, ok}, "%d %d of %d", c.percent, c.amount, c.rooms)
	}
}

// discounted is a booking of one night for 280.00 with a code, which a modification replaced by another one.
func discounted() *stayLife {
	none, code := "", " open "
	total := &availability.Quote{Total: checker.Dollars(280_00)}
	l := &stayLife{
		found: newFound(plain{
			"PromoCode": "OPEN", "Status": "confirmed", "TotalAmount": 270.68,
			"PriceBreakdown": plain{"RoomTotal": 280.0, "TaxesAndFees": 0.0, "Discounts": 9.32},
		}),
		id: "b", ask: &ask{from: 1, code: "rare", quote: total},
		modified: []*modification{
			{Deed: checker.Answered("m1", checker.Acknowledged, checker.Between(3, 4)), to: bookings.Modification{PromoCode: &none}},
			{Deed: checker.Answered("m2", checker.Acknowledged, checker.Between(7, 8)), to: bookings.Modification{PromoCode: &code}},
		},
	}
	return l
}

func TestWrongCodes(t *testing.T) {
	s := wrongSales(t)
	l := discounted()
	s.checkPromo(l)
	assert.Empty(t, s.Kinds())
	assert.Equal(t, []use{{s.promos[1], checker.Between(1, 4)}, {nil, checker.Between(3, 8)}, {s.promos[0], checker.Since(7)}}, l.uses)
	for name, change := range map[string]func(l *stayLife){
		"another code":       func(l *stayLife) { l.plain["PromoCode"] = "RARE" },
		"another spelling":   func(l *stayLife) { l.plain["PromoCode"] = "open" },
		"the discount of it": func(l *stayLife) { l.plain["PriceBreakdown"].(plain)["Discounts"] = 30.0 },
		"another total":      func(l *stayLife) { l.plain["TotalAmount"] = 280.0 },
		"another price":      func(l *stayLife) { l.plain["PriceBreakdown"].(plain)["RoomTotal"] = 281.0 },
		"rooms that cost too little for the code of the request": func(l *stayLife) {
			l.ask.quote = &availability.Quote{Total: checker.Dollars(199_00)}
			l.modified[0].to.Quote = &availability.Quote{Total: checker.Dollars(280_00)}
		},
		"a code that was dropped": func(l *stayLife) { l.modified = l.modified[:1] },
	} {
		s := wrongSales(t)
		l := discounted()
		change(l)
		s.checkPromo(l)
		assert.NotEmpty(t, s.Kinds(), name)
	}
	kept := discounted()
	kept.ask.code, kept.modified = "RARE", []*modification{{to: bookings.Modification{Quote: &availability.Quote{Total: checker.Dollars(100_00)}}}}
	kept.plain["PromoCode"], kept.plain["TotalAmount"] = "RARE", 100.0
	kept.plain["PriceBreakdown"] = plain{"RoomTotal": 100.0, "Discounts": 0.0}
	s = wrongSales(t)
	s.checkPromo(kept)
	assert.Empty(t, s.Kinds(), "rooms that now cost too little for a code that the booking has")
}

func TestWrongUses(t *testing.T) {
	off := &promoSwitch{Deed: checker.Answered("m1", checker.Acknowledged, checker.Between(1, 2))}
	on := &promoSwitch{Deed: checker.Answered("m2", checker.Acknowledged, checker.Between(3, 4)), active: true}
	maybe := &promoSwitch{Deed: checker.Answered("m3", checker.Unknown, checker.Since(1))}
	item := func(uses, version float64, active bool) plain {
		return plain{"UsageCount": uses, "Version": version, "IsActive": active}
	}
	for name, c := range map[string]struct {
		stored   plain
		used     int
		ok       bool
		switches []*promoSwitch
	}{
		"two uses":                  {item(2, 1, true), 2, true, nil},
		"a use of nobody":           {item(2, 1, true), 1, false, nil},
		"a use that is not counted": {item(1, 1, true), 2, false, nil},
		"more uses than may be":     {item(3, 1, true), 3, false, nil},
		"nothing stored":            {nil, 0, false, nil},
		"switched off":              {item(0, 2, false), 0, true, []*promoSwitch{off}},
		"off, but it was not":       {item(0, 2, false), 0, false, nil},
		"off, perhaps":              {item(0, 2, false), 0, true, []*promoSwitch{maybe}},
		"on, perhaps":               {item(0, 1, true), 0, true, []*promoSwitch{maybe}},
		"off, and lost":             {item(0, 1, true), 0, false, []*promoSwitch{off}},
		"off and on":                {item(0, 3, true), 0, true, []*promoSwitch{off, on}},
		"on, and lost":              {item(0, 2, false), 0, false, []*promoSwitch{off, on}},
		"the version of another":    {item(0, 2, true), 0, false, []*promoSwitch{off, on}},
		"switched too often":        {item(0, 5, true), 0, false, []*promoSwitch{off, on}},
	} {
		p := &promo{code: "RARE", limit: 2, switches: c.switches}
		assert.Equal(t, c.ok, p.wrong(c.stored, c.used) == "", "%s: %s", name, p.wrong(c.stored, c.used))
	}
}

// A refusal of a code must have been true at some moment of its call.
func TestWrongRefusalsOfCodes(t *testing.T) {
	off := &promoSwitch{Deed: checker.Answered("m1", checker.Acknowledged, checker.Between(3, 4))}
	on := &promoSwitch{Deed: checker.Answered("m2", checker.Acknowledged, checker.Between(6, 7)), active: true}
	because := func(code string, reason error, least int64) error {
		return &bookings.PromoError{Code: code, Err: reason, Minimum: checker.Dollars(least)}
	}
	for name, c := range map[string]struct {
		at    checker.Span
		rooms int64
		err   error
		ok    bool
	}{
		"inactive":                  {checker.Between(4, 5), 280_00, because("RARE", bookings.ErrPromoInactive, 0), true},
		"inactive, too early":       {checker.Between(1, 2), 280_00, because("RARE", bookings.ErrPromoInactive, 0), false},
		"inactive, too late":        {checker.Between(8, 9), 280_00, because("RARE", bookings.ErrPromoInactive, 0), false},
		"inactive, while activated": {checker.Between(6, 9), 280_00, because("RARE", bookings.ErrPromoInactive, 0), true},
		"another code":              {checker.Between(4, 5), 280_00, because("OPEN", bookings.ErrPromoInactive, 0), false},
		"used up":                   {checker.Between(4, 5), 280_00, because("RARE", bookings.ErrPromoUsedUp, 0), true},
		"used up, before it was":    {checker.Between(1, 2), 280_00, because("RARE", bookings.ErrPromoUsedUp, 0), false},
		"used up, after it was":     {checker.Between(8, 9), 280_00, because("RARE", bookings.ErrPromoUsedUp, 0), false},
		"too little":                {checker.Between(4, 5), 199_99, because("RARE", bookings.ErrPromoMinimum, 200_00), true},
		"too little, but enough":    {checker.Between(4, 5), 200_00, because("RARE", bookings.ErrPromoMinimum, 200_00), false},
		"another minimum":           {checker.Between(4, 5), 199_99, because("RARE", bookings.ErrPromoMinimum, 201_00), false},
		"ended":                     {checker.Between(4, 5), 280_00, because("RARE", bookings.ErrPromoEnded, 0), false},
		"something else":            {checker.Between(4, 5), 280_00, dynastay.ErrVersion, true},
	} {
		s := wrongSales(t)
		p := s.promos[1]
		p.switches = []*promoSwitch{off, on}
		lives := map[string]*stayLife{
			"a": {uses: []use{{p, checker.Since(1)}}}, "b": {uses: []use{{p, checker.Between(4, 6)}}}, "c": {uses: []use{{s.promos[0], checker.Since(1)}}},
		}
		s.checkUnusable(lives, " rare", c.rooms, checker.Told{Span: c.at, Err: c.err})
		assert.Equal(t, c.ok, len(s.Kinds()) == 0, name)
	}
}
