package offer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/dyntest"
	"github.com/dynastay/dynastay/internal/testing/fixture"
	"github.com/dynastay/dynastay/keys"
)

// form2 are the contents of planned.
const form2 = `{"q":{"h":{"i":"prop_123","n":"Bed \u0026 Breakfast \u003cZürich\u003e","z":"Europe/Zurich","t":"15:00"},` +
	`"s":{"i":"2026-07-10","o":"2026-07-13"},"g":{"a":5,"c":3},"b":2,` +
	`"l":[{"i":"room_1","n":"Deluxe King","q":2,"p":"free_cancellation_48h","d":[280,194.5,85],"s":1119,"o":[0,2],` +
	`"k":2,"r":1,"g":{"a":2,"c":1,"g":[8],"b":1},"m":85,"t":[{"k":"derived","a":[-19.5,0,0]},{"k":"party","a":[30,49.5,0]},` +
	`{"k":"length_discount","a":[-16,0,0]},{"k":"meals","a":[85]}]},` +
	`{"i":"room_2","n":"Twin","q":1,"p":"non_refundable","d":[100,100,100.01],"s":300.01,"o":[1],` +
	`"k":1,"r":2,"g":{"a":1,"c":1},"e":[101,100,0],"m":0,"t":[{"k":"later","a":[0,-1,0]},{"k":"derived","a":[0,2,0]}]}],` +
	`"m":{"a":6,"c":3,"o":8},"t":1419.01,"c":"USD","a":"2026-06-01T12:00:00.123456789Z",` +
	`"r":[{"i":"hb","n":"Half board","r":{"c":"USD","p":"free_cancellation_24h","d":{"f":"flex","p":-1000,"s":1},` +
	`"g":{"i":2,"x":{"a":40},"u":{"p":-2000},"b":[{"t":2},{"t":11,"w":{"a":30}}]},` +
	`"m":{"p":"half_board","x":true,"a":34,"b":[{"t":2},{"t":11,"a":17}]},"r":{"n":[{"n":3,"p":500}]}}},` +
	`{"i":"flex","n":"Flexible \u003c\u0026\u003e","r":{}}]},` +
	`"u":"user_456","f":83.85,"p":"SUMMER 2026","d":15,"k":300,"b":"bkg_12345","v":7,"x":"2026-06-01T12:15:00.123456789Z"}`

// The contents are the form of version 2. If this test fails, tokens that guests have can no longer be opened.
func TestFormOfTerms(t *testing.T) {
	t.Parallel()
	contents, err := offer.Encode(planned())
	require.NoError(t, err)
	assert.Equal(t, form2, string(contents))
	s := newSealer(t, june)
	got, err := s.Open(s.Sign2([]byte(form2)), "user_456", now)
	require.NoError(t, err)
	assert.Equal(t, planned(), got)
}

// An offer has version 2 only if version 1 cannot represent it. The contents of one version are refused as the other.
func TestVersions(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	for name, test := range map[string]struct {
		version string
		change  func(o *offer.Offer)
	}{
		"nothing": {"v1", func(*offer.Offer) {}},
		"a plan": {"v2", func(o *offer.Offer) {
			l := &o.Quote.Lines[0]
			l.Plan = &availability.RatePlan{PropertyID: "prop_123", ID: "flex", Name: "Flexible"}
			for i := range l.Nights {
				l.Nights[i].Source = l.Nights[i].Price
			}
		}},
		"a party":  {"v2", func(o *offer.Offer) { o.Quote.Lines[0].Party = &availability.Party{Guests: o.Quote.Guests} }},
		"a number": {"v2", func(o *offer.Offer) { o.Quote.Lines[0].Number = 1 }},
	} {
		o := simple()
		test.change(&o)
		token := seal(t, s, o)
		assert.Equal(t, test.version, token[:2], name)
		got, err := s.Open(token, o.UserID, now)
		require.NoError(t, err, name)
		assert.Equal(t, o, got, name)

		contents, err := offer.Encode(o)
		require.NoError(t, err)
		other := s.Sign(contents)
		if test.version == "v1" {
			other = s.Sign2(contents)
		}
		got, err = s.Open(other, o.UserID, now)
		refused(t, offer.ErrMalformed, got, err, other)
		changed := other[:2] + token[2:]
		got, err = s.Open(changed, o.UserID, now)
		refused(t, offer.ErrForged, got, err, changed)
	}
}

// The form of version 1 has no terms, not even some that change nothing.
func TestTermsOfVersion1(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	contents, err := offer.Encode(simple())
	require.NoError(t, err)
	form := string(contents)
	_, err = s.Open(s.Sign([]byte(form)), "user_456", now)
	require.NoError(t, err)
	for from, to := range map[string]string{
		`"q":1,`:    `"q":1,"m":1,`,
		`"i":"room`: `"t":[{"k":"party","a":[1]}],"i":"room`,
		`"s":839.5`: `"s":839.5,"t":[]`,
		`"q":1,"p"`: `"q":1,"k":1,"p"`,
		`"c":"USD"`: `"c":"USD","r":[{"i":"flex","n":"Flexible","r":{}}]`,
		`"t":839.5`: `"t":839.5,"r":[]`,
	} {
		require.Equal(t, 1, strings.Count(form, from), from)
		changed := []byte(strings.Replace(form, from, to, 1))
		for _, token := range []string{s.Sign(changed), s.Sign2(changed)} {
			if strings.HasPrefix(token, "v2") && strings.Contains(to, `"k":1,`) {
				continue // an offer of version 2
			}
			got, err := s.Open(token, "user_456", now)
			refused(t, offer.ErrMalformed, got, err, token)
		}
	}
}

// What Seal refuses of the terms, each with its field. An offer with the same contents cannot be opened either.
func TestInvalidTerms(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	eur := dynastay.MustMoney("1", "EUR")
	unset, err := dynastay.MoneyOfDigits("1", "")
	require.NoError(t, err)
	line := func(change func(l *availability.Line)) func(o *offer.Offer) {
		return func(o *offer.Offer) { change(&o.Quote.Lines[0]) }
	}
	night := func(change func(n *availability.NightPrice)) func(o *offer.Offer) {
		return func(o *offer.Offer) { change(&o.Quote.Lines[0].Nights[0]) }
	}
	meals := func(amount dynastay.Money) func(o *offer.Offer) {
		return line(func(l *availability.Line) {
			for i := range l.Nights {
				l.Nights[i].Meals = amount
			}
		})
	}
	without := func(change func(n *availability.NightPrice)) func(o *offer.Offer) {
		return func(o *offer.Offer) {
			l := &o.Quote.Lines[0]
			l.Plan = nil
			for i, night := range l.Nights {
				l.Nights[i] = availability.NightPrice{Date: night.Date, Price: night.Price}
			}
			change(&l.Nights[1])
		}
	}
	const terms = "must be unset, because a line has only the terms of the plan"
	week := availability.MaxQuoteAge
	for _, test := range []struct {
		want   string
		change func(o *offer.Offer)
		lost   bool // the contents do not have what is wrong
	}{
		{"Quote.Lines[0].Number: must be between 0 and 99", line(func(l *availability.Line) { l.Number = -1 }), false},
		{"Quote.Lines[0].Plan.ID: must have 1 to 12 of a-z, 0-9, _ and -, and begin with a letter or a digit",
			line(func(l *availability.Line) { l.Plan.ID = "" }), false},
		{"Quote.Lines[0].Plan.PropertyID: must be that of the property", line(func(l *availability.Line) { l.Plan.PropertyID = "other" }), true},
		{"Quote.Lines[0].Plan.Discounts.FreeNight: must be 0 or between 2 and 90",
			line(func(l *availability.Line) { l.Plan.Discounts.FreeNight = 1 }), false},
		{"Quote.Lines[0].Plan.Description: " + terms, line(func(l *availability.Line) { l.Plan.Description = "A plan" }), true},
		{"Quote.Lines[0].Plan.RoomTypeIDs: " + terms, line(func(l *availability.Line) { l.Plan.RoomTypeIDs = []string{"room_1"} }), true},
		{"Quote.Lines[0].Plan.Active: " + terms, line(func(l *availability.Line) { l.Plan.Active = true }), true},
		{"Quote.Lines[0].Plan.Version: " + terms, line(func(l *availability.Line) { l.Plan.Version = 1 }), true},
		{"Quote.Lines[0].Plan.CreatedAt: " + terms, line(func(l *availability.Line) { l.Plan.CreatedAt = now }), true},
		{"Quote.Lines[0].Plan.Derived.Amount: must have a currency", line(func(l *availability.Line) { l.Plan.Derived.Amount = unset }), true},
		{"Quote.Lines[0].Party: is required, because the price under the plan depends on who stays",
			line(func(l *availability.Line) { l.Party = nil }), false},
		{"Quote.Lines[0].Party.ExtraBeds: must be between 0 and 1, the number of children", line(func(l *availability.Line) { l.Party.ExtraBeds = 2 }), false},
		{"Quote.Guests: must be those of all parties, 5 adults and 3 children", func(o *offer.Offer) { o.Quote.Guests.Children-- }, false},
		{"Quote.Lines[0].Nights[0].Source: is required with a rate plan", night(func(n *availability.NightPrice) { n.Source = dynastay.Money{} }), true},
		{"Quote.Lines[0].Nights[0].Source.Currency: must be USD, that of the price", night(func(n *availability.NightPrice) { n.Source = eur }), true},
		{"Quote.Lines[0].Nights[1].Meals: must be the same in every night", night(func(n *availability.NightPrice) { n.Meals = usd("1") }), true},
		{"Quote.Lines[0].Nights[0].Meals.Currency: must be USD, that of the price", meals(eur), true},
		{"Quote.Lines[0].Nights[0].Meals: must have a currency", meals(unset), true},
		{"Quote.Lines[0].Nights[2].Meals: must not be more than the price of the night", meals(usd("86")), false},
		{"Quote.Lines[0].Nights[0].Steps[1].Amount: must be in USD, the currency of the quote",
			night(func(n *availability.NightPrice) { n.Steps[1].Amount = eur }), true},
		{"Quote.Lines[0].Nights[0].Steps[1].Amount: must be in USD, the currency of the quote",
			night(func(n *availability.NightPrice) { n.Steps[1].Amount = unset }), true},
		{"Quote.Lines[0].Nights[0].Steps[3].Amount: must not be 0",
			night(func(n *availability.NightPrice) { n.Steps[3].Amount = dynastay.Money{} }), true},
		{"Quote.Lines[0].Nights[0].Steps[3].Amount: must not be 0", night(func(n *availability.NightPrice) { n.Steps[3].Amount = usd("0") }), true},
		{"Quote.Lines[0].Nights[0].Steps[0].Kind: must be at most 256 bytes, got 257",
			night(func(n *availability.NightPrice) { n.Steps[0].Kind = availability.StepKind(strings.Repeat("k", 257)) }), false},
		{"Quote.Lines[0].Nights[1].Source: must be unset without a rate plan", without(func(n *availability.NightPrice) { n.Source = usd("1") }), true},
		{"Quote.Lines[0].Nights[1].Meals: must be unset without a rate plan", without(func(n *availability.NightPrice) { n.Meals = usd("0") }), true},
		{"Quote.Lines[0].Nights[1].Steps: must be empty without a rate plan", without(func(n *availability.NightPrice) {
			n.Steps = []availability.Step{{Kind: availability.StepParty, Amount: usd("1")}}
		}), false},
		{"Expires: must be at most 7 days after Quote.At for a quote with a rate plan, a party or charges",
			func(o *offer.Offer) { o.Expires = now.Add(week + 1) }, false},
		{"Expires: must be at most 7 days after Quote.At for a quote with a rate plan, a party or charges",
			func(o *offer.Offer) { o.Quote.At, o.Expires = time.Time{}, time.Time{}.Add(week+1) }, false},
	} {
		o := planned()
		test.change(&o)
		token, err := s.Seal(o)
		assert.Empty(t, token)
		assert.ErrorIs(t, err, dynastay.ErrInvalid)
		assert.EqualError(t, err, "invalid "+test.want)
		if test.lost {
			continue
		}
		contents, err := offer.Encode(o)
		require.NoError(t, err)
		forged := s.Sign2(contents)
		got, err := s.Open(forged, o.UserID, now)
		refused(t, offer.ErrMalformed, got, err, forged)
	}
}

// Only a plan or a party ends an offer after a week.
func TestExpiryOfTerms(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	numbered, party := simple(), simple()
	numbered.Quote.Lines[0].Number = 1
	party.Quote.Lines[0].Party = &availability.Party{Guests: party.Quote.Guests}
	for _, o := range []offer.Offer{planned(), family(), party} {
		o.Expires = now.Add(availability.MaxQuoteAge)
		got, err := s.Open(seal(t, s, o), o.UserID, o.Expires.Add(-1))
		require.NoError(t, err)
		assert.Equal(t, o, got)
		o.Expires = o.Expires.Add(1)
		_, err = s.Seal(o)
		assert.EqualError(t, err, "invalid Expires: must be at most 7 days after Quote.At for a quote with a rate plan, a party or charges")
	}
	for _, o := range []offer.Offer{simple(), numbered} {
		o.Expires = now.AddDate(1, 0, 0)
		got, err := s.Open(seal(t, s, o), o.UserID, o.Expires.Add(-1))
		require.NoError(t, err)
		assert.Equal(t, o, got)
	}
}

// No offer is sealed that the booking refuses before the offer expires.
func TestOffersEndWithTheirQuotes(t *testing.T) {
	t.Parallel()
	db := dyntest.New(t, dyntest.Tables(keys.PropertiesTable, keys.AvailabilityTable, keys.BookingsTable), dyntest.At(fixture.Now))
	hotel := fixture.New(t, db.DB, 3)
	s, err := offer.NewSealer(june)
	require.NoError(t, err)
	for _, test := range []struct {
		quotesFor, lives time.Duration
	}{{0, 24 * time.Hour}, {time.Hour, time.Hour}, {availability.MaxQuoteAge, availability.MaxQuoteAge}} {
		s.QuotesFor = test.quotesFor
		repo := bookings.New(db.DB, &bookings.Options{QuotesFor: test.quotesFor})
		db.Clock.Set(fixture.Now)
		quote := hotel.Quote(t, db.DB, fixture.Stay, 1)
		quote.Lines[0].Party = &availability.Party{Guests: quote.Guests}
		o := offer.Offer{Quote: quote, Expires: quote.At.Add(test.lives)}
		token := seal(t, s, o)
		db.Clock.Set(o.Expires.Add(-time.Millisecond))
		opened, err := s.Open(token, "user_456", db.Now())
		require.NoError(t, err)
		req, err := opened.Request(guest)
		require.NoError(t, err)
		req.UserID = "user_456"
		_, err = repo.Create(t.Context(), req)
		require.NoError(t, err, "the last moment of the offer")
		db.Clock.Set(o.Expires)
		_, err = repo.Create(t.Context(), req)
		require.ErrorIs(t, err, bookings.ErrOldQuote)
		if o.Expires = o.Expires.Add(1); test.lives == availability.MaxQuoteAge {
			continue // see TestExpiryOfTerms
		}
		_, err = s.Seal(o)
		assert.EqualError(t, err, "invalid Expires: must be at most "+test.lives.String()+" after Quote.At: later, the quote cannot be booked")
		o.Quote.Lines[0].Party = nil
		_, err = s.Seal(o)
		assert.NoError(t, err, "without terms")
	}
}

// Lines with equal plans share their terms, and others do not, even if they have the same id.
func TestLinesSharePlans(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	o := planned()
	o.Quote.Lines[1].Plan = halfBoard()
	contents, err := offer.Encode(o)
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(contents), `"Half board"`))
	assert.Equal(t, 2, strings.Count(string(contents), `"r":1,`))
	got, err := s.Open(seal(t, s, o), o.UserID, now)
	require.NoError(t, err)
	assert.Equal(t, o, got)

	for _, change := range []func(p *availability.RatePlan){
		func(p *availability.RatePlan) { p.ID = "hb2" },
		func(p *availability.RatePlan) { p.Name = "With half board" },
		func(p *availability.RatePlan) { p.Discounts.FreeNight = 7 },
		func(p *availability.RatePlan) { p.Meals.Bands = nil },
	} {
		o.Quote.Lines[1].Plan = halfBoard()
		change(o.Quote.Lines[1].Plan)
		got, err := s.Open(seal(t, s, o), o.UserID, now)
		require.NoError(t, err)
		assert.Equal(t, o, got)
	}
}

// The contents of version 2 are read as strictly as those of version 1.
func TestTermsAreReadStrictly(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	for from, to := range map[string]string{
		`"k":2,`:           `"k":-2,`,
		`"r":1,`:           `"r":2,`, // the second plan first
		`"r":2,`:           `"r":1,`, // one that no line has
		`"r":2,"g"`:        `"r":3,"g"`,
		`"r":1,"g"`:        `"r":-1,"g"`,
		`"g":[8]`:          `"g":[18]`,
		`,"g":[8]`:         `,"y":1,"g":[8]`,
		`"m":85,`:          `"m":8.5e1,`,
		`"m":85,"t"`:       `"m":[85],"t"`,
		`"a":[85]`:         `"a":[85,85]`,
		`"e":[101,100,0]`:  `"e":[101,100,0,0]`,
		`"e":[101,100,0],`: `"e":[],`,
		`"r":2,"g":{"a":1,"c":1},"e":[101,100,0],`: `"g":{"a":1,"c":1},"e":[101],`,
		`"e":[101,`:              `"e":[null,`,
		`[-19.5,0,0]`:            `[-19.5,0]`,
		`[30,49.5,0]`:            `[30,49.5,0,0]`,
		`{"k":"party",`:          `{"y":1,"k":"party",`,
		`{"i":"flex"`:            `{"i":"FLEX"`,
		`{"i":"hb",`:             `{"y":1,"i":"hb",`,
		`"r":{}}`:                `"r":null}`,
		`,"r":{}}`:               `}`,
		`"r":{}}]`:               `"r":{}},{"i":"x","n":"x","r":{}}]`,
		`"r":{"c":"USD",`:        `"r":{"y":1,"c":"USD",`,
		`{"c":"USD","p"`:         `{"c":"USDT","p"`,
		`"n":3,"p":500`:          `"n":1,"p":500`,
		`2026-06-01T12:15:00.12`: `2026-06-08T12:15:00.12`,
	} {
		require.LessOrEqual(t, 1, strings.Count(form2, from), from)
		token := s.Sign2([]byte(strings.Replace(form2, from, to, 1)))
		got, err := s.Open(token, "user_456", now)
		refused(t, offer.ErrMalformed, got, err, token)
	}
}

func anyParty(r *rapid.T) *availability.Party {
	p := &availability.Party{Guests: availability.Guests{
		Adults: rapid.SampledFrom([]int{1, 2, 900}).Draw(r, "adults"), Children: rapid.IntRange(0, 3).Draw(r, "children"),
	}}
	for range rapid.IntRange(0, p.Children).Draw(r, "children of known age") {
		p.ChildAges = append(p.ChildAges, rapid.IntRange(0, 17).Draw(r, "age"))
	}
	p.ExtraBeds = rapid.IntRange(0, p.Children).Draw(r, "extra beds")
	return p
}

// addPlan sells a line under a plan. The steps lead from the source to the price, or they do not.
func addPlan(r *rapid.T, l *availability.Line, propertyID string, amount *rapid.Generator[dynastay.Money]) {
	zero := 0
	plans := []availability.RatePlan{
		{ID: "flex", Name: "Flexible"},
		{ID: "flex", Name: "Flexible", CancellationPolicy: availability.CustomPolicy(`"\é<`)},
		{ID: "non_ref-0", Name: "<&>", Derived: &availability.Derivation{}, Conditions: availability.RateConditions{MaxDaysAhead: &zero}},
	}
	if l.Party != nil {
		adult, err := amount.Draw(r, "adult").Portion(1, 1)
		require.NoError(r, err)
		plans = append(plans, availability.RatePlan{
			ID: "hb", Name: "Half board", Party: &availability.PartyPrices{Bands: []availability.AgeBand{{Through: 0}}},
			Meals: availability.Meals{Plan: availability.HalfBoard, Adult: adult},
		})
	}
	plan := rapid.SampledFrom(plans).Draw(r, "plan")
	plan.PropertyID, l.Plan = propertyID, &plan
	leads := rapid.Bool().Draw(r, "steps lead to the price")
	meals := dynastay.Money{}
	switch rapid.SampledFrom([]string{"unset", "0", "some"}).Draw(r, "meals") {
	case "0":
		meals, _ = l.Nights[0].Price.Times(0)
	case "some":
		meals = slices.MinFunc(l.Nights, func(a, b availability.NightPrice) int {
			less, err := a.Price.Compare(b.Price)
			require.NoError(r, err)
			return less
		}).Price
	}
	kinds := []availability.StepKind{availability.StepParty, availability.StepDerived, availability.StepMeals, `"later"`, ""}
	for i := range l.Nights {
		n := &l.Nights[i]
		n.Meals, n.Source = meals, n.Price
		for range rapid.IntRange(0, 3).Draw(r, "steps") {
			step := amount.Draw(r, "step")
			if step.Sign() == 0 {
				continue
			}
			if less, err := n.Source.Sub(step); err == nil && less.Sign() >= 0 {
				n.Source = less
			} else if leads {
				continue
			}
			n.Steps = append(n.Steps, availability.Step{Kind: rapid.SampledFrom(kinds).Draw(r, "kind"), Amount: step})
		}
		if !leads {
			n.Source = amount.Draw(r, "source")
		}
	}
}

// longPlanned is an offer of 90 nights of several room types, under one plan.
func longPlanned(t testing.TB, roomTypes int) offer.Offer {
	t.Helper()
	o := long(t, roomTypes)
	q := o.Quote
	q.Guests = availability.Guests{}
	for i := range q.Lines {
		l := &q.Lines[i]
		l.Plan = halfBoard()
		l.Party = &availability.Party{Guests: availability.Guests{Adults: 2, Children: 1}, ChildAges: []int{8}, ExtraBeds: 1}
		q.Guests.Adults, q.Guests.Children = q.Guests.Adults+2, q.Guests.Children+1
		for n := range l.Nights {
			night := &l.Nights[n]
			night.Meals = usd("34")
			derived, err := dynastay.MoneyOfMinor(int64(-1_000-n), "USD")
			require.NoError(t, err)
			night.Steps = []availability.Step{
				{Kind: availability.StepDerived, Amount: derived}, {Kind: availability.StepParty, Amount: usd("30")},
				{Kind: availability.StepMeals, Amount: usd("34")},
			}
			night.Source, err = night.Price.Sub(usd("64"))
			require.NoError(t, err)
			night.Source, err = night.Source.Sub(derived)
			require.NoError(t, err)
		}
	}
	q.Sleeps = availability.Limits{MaxAdults: q.Guests.Adults, MaxChildren: q.Guests.Children, MaxOccupancy: q.Guests.Adults + q.Guests.Children}
	return o
}

// The amounts of the offers of these tests are those of the plan.
func TestFamilyIsPricedUnderItsPlan(t *testing.T) {
	t.Parallel()
	l := family().Quote.Lines[0]
	plan, sources := *l.Plan, []dynastay.Money{}
	for _, night := range l.Nights {
		sources = append(sources, night.Source)
	}
	from := availability.RatePlan{PropertyID: "prop_123", ID: "flex", Name: "Flexible"}
	rates, err := plan.Price(availability.RateRequest{
		Stay: family().Quote.Stay, Today: dynastay.MustDate("2026-06-01"), Party: *l.Party, Sources: sources, From: &from,
	})
	require.NoError(t, err)
	for i, rate := range rates {
		want := l.Nights[i]
		got := availability.NightPrice{Date: rate.Date, Price: rate.Price, Source: rate.Source, Meals: rate.Meals, Steps: rate.Steps}
		assert.Equal(t, want, got, fmt.Sprint("night ", i))
	}
}
