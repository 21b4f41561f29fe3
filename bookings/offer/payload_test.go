package offer_test

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings/offer"
)

// The contents are the form of version 1. If this test fails, tokens that guests have can no longer be opened: the
// version must be a different one.
func TestForm(t *testing.T) {
	t.Parallel()
	const form = `{"q":{"h":{"i":"prop_123","n":"Bed \u0026 Breakfast \u003cZürich\u003e","z":"Europe/Zurich","t":"15:00"},` +
		`"s":{"i":"2026-07-10","o":"2026-07-13"},"g":{"a":5,"c":1},"b":2,` +
		`"l":[{"i":"room_1","n":"Deluxe King","q":2,"p":"free_cancellation_48h","d":[280,279.5,0],"s":1119,"o":[0,2]},` +
		`{"i":"room_2","n":"Twin","q":1,"p":"non_refundable","d":[100,100,100.01],"s":300.01,"o":[1]}],` +
		`"m":{"a":6,"c":3,"o":7},"t":1419.01,"c":"USD","a":"2026-06-01T12:00:00.123456789Z"},` +
		`"u":"user_456","f":83.85,"p":"SUMMER 2026","d":15,"b":"bkg_12345","v":7,"x":"2026-06-01T12:15:00.123456789Z"}`
	contents, err := offer.Encode(full())
	require.NoError(t, err)
	assert.Equal(t, form, string(contents))
	s := newSealer(t, june)
	got, err := s.Open(s.Sign([]byte(form)), "user_456", now)
	require.NoError(t, err)
	assert.Equal(t, full(), got)

	// What a modification keeps is left out if it is nothing.
	contents, err = offer.Encode(complete())
	require.NoError(t, err)
	assert.Equal(t, strings.Replace(form, `"d":15,`, `"d":15,"k":300,`, 1), string(contents))
}

// complete is full with the field that the golden form does not have.
func complete() offer.Offer {
	o := full()
	o.Kept = dynastay.MustMoney("300", "USD")
	return o
}

// A field that is added to a quote must be added to planned, and is then missed if the form does not have it. Package
// planrule has a test of the fields of a rate plan.
func TestFullOfferHasEveryField(t *testing.T) {
	t.Parallel()
	var check func(path string, v reflect.Value)
	check = func(path string, v reflect.Value) {
		_, text := v.Interface().(interface{ MarshalText() ([]byte, error) })
		_, plan := v.Interface().(availability.RatePlan)
		switch v.Kind() {
		case reflect.Pointer:
			require.False(t, v.IsNil(), path)
			check(path, v.Elem())
			return
		case reflect.Slice:
			require.NotZero(t, v.Len(), path)
			check(path, v.Index(0))
			return
		case reflect.Struct:
			if !text && !plan {
				for i := range v.NumField() {
					check(path+"."+v.Type().Field(i).Name, v.Field(i))
				}
				return
			}
		}
		without := strings.HasSuffix(path, ".Date") || strings.HasSuffix(path, ".Agreed") || strings.HasSuffix(path, ".BusinessDate") || // which no token has
			path == "Offer.TaxesAndFees" || path == "Offer.Quote.Charges.Entries.Included" // which exclude others
		assert.False(t, v.IsZero() && !without, path)
	}
	check("Offer", reflect.ValueOf(charged()))
	s := newSealer(t, june)
	for _, o := range []offer.Offer{complete(), planned(), charged()} {
		got, err := s.Open(seal(t, s, o), "user_456", now)
		require.NoError(t, err)
		assert.Equal(t, o, got)
	}
}

func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	rapid.Check(t, func(r *rapid.T) {
		o := anyOffer().Draw(r, "offer")
		token, err := s.Seal(o)
		require.NoError(r, err)
		got, err := s.Open(token, o.UserID, o.Expires.Add(-1))
		require.NoError(r, err)
		assert.Equal(r, o, got)
		again, err := s.Seal(got)
		require.NoError(r, err)
		assert.Equal(r, token, again, "an offer has one form")
	})
}

// Times in any zone, also with a reading of the monotonic clock, are opened in UTC.
func TestTimesAreInUTC(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	o := simple()
	o.Quote.At = time.Now().In(time.FixedZone("", 9*3600+1))
	o.Expires = o.Quote.At.Add(time.Hour)
	got, err := s.Open(seal(t, s, o), o.UserID, o.Quote.At)
	require.NoError(t, err)
	assert.Equal(t, o.Quote.At.Round(0).UTC(), got.Quote.At)
	assert.Equal(t, o.Expires.Round(0).UTC(), got.Expires)
}

// What Open returns shares no memory with what was sealed or opened before.
func TestOpenedOffersAreIndependent(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	token := seal(t, s, full())
	one, err := s.Open(token, "user_456", now)
	require.NoError(t, err)
	one.Quote.Lines[0].Nights[0].Price = dynastay.Money{}
	one.Quote.Lines[1].Overbooked[0] = dynastay.Date{}
	two, err := s.Open(token, "user_456", now)
	require.NoError(t, err)
	assert.Equal(t, full(), two)

	// Neither do lines that have the same plan.
	shared := planned()
	shared.Quote.Lines[1].Plan = shared.Quote.Lines[0].Plan
	opened, err := s.Open(seal(t, s, shared), "user_456", now)
	require.NoError(t, err)
	assert.Equal(t, shared, opened)
	lines := opened.Quote.Lines
	assert.NotSame(t, lines[0].Plan, lines[1].Plan)
	lines[0].Plan.Party.Bands[0].Through, lines[0].Party.ChildAges[0], lines[0].Nights[0].Steps[0].Kind = 1, 1, ""
	assert.Equal(t, shared.Quote.Lines[1], lines[1])
	assert.Equal(t, planned().Quote.Lines[0], shared.Quote.Lines[0])
}

// anyOffer generates valid offers with times in UTC, because tokens have no other ones.
func anyOffer() *rapid.Generator[offer.Offer] {
	text := rapid.StringN(0, 20, 80)
	id := rapid.StringMatching(`[a-zA-Z0-9_.@:é "\\<&/-]{1,20}`)
	instant := rapid.Custom(func(r *rapid.T) time.Time {
		if rapid.IntRange(0, 9).Draw(r, "zero") == 0 {
			return time.Time{}
		}
		return time.Unix(rapid.Int64Range(-1e10, 1e11).Draw(r, "s"), rapid.SampledFrom([]int64{0, 1, 5e6, 999999999}).Draw(r, "ns")).UTC()
	})
	return rapid.Custom(func(r *rapid.T) offer.Offer {
		currency := rapid.SampledFrom([]dynastay.Currency{"USD", "JPY", "KWD"}).Draw(r, "currency")
		amount := rapid.Custom(func(r *rapid.T) dynastay.Money {
			units := rapid.OneOf(rapid.Int64Range(0, 99), rapid.Int64Range(0, 1e11)).Draw(r, "units")
			m, err := dynastay.MoneyOfMinor(units, currency)
			require.NoError(r, err)
			return m
		})
		optional := rapid.OneOf(amount, rapid.Just(dynastay.Money{}))
		plans, longest := rapid.Bool().Draw(r, "plans"), availability.MaxNights
		if plans {
			longest = 30 // more may not fit into a token
		}
		first := dynastay.MustDate("0001-01-01").AddDays(rapid.IntRange(0, 3_600_000).Draw(r, "check-in"))
		q := &availability.Quote{
			Property: availability.House{
				ID: id.Draw(r, "property"), Name: text.Draw(r, "name"), CheckInTime: text.Draw(r, "time"),
				TimeZone: rapid.SampledFrom([]string{"", "UTC", "America/New_York", "Europe/Zurich"}).Draw(r, "zone"),
			},
			Stay:     dynastay.Stay{CheckIn: first, CheckOut: first.AddDays(rapid.OneOf(rapid.IntRange(1, 5), rapid.Just(longest)).Draw(r, "nights"))},
			Guests:   availability.Guests{Adults: rapid.IntRange(0, 9).Draw(r, "more adults than rooms"), Children: rapid.IntRange(0, 5).Draw(r, "children")},
			Overbook: rapid.IntRange(0, availability.MaxRooms).Draw(r, "overbook"),
			At:       instant.Draw(r, "at"),
		}
		parties := rapid.Bool().Draw(r, "parties")
		if parties {
			q.Guests = availability.Guests{}
		}
		for _, roomType := range rapid.SliceOfNDistinct(id, 1, 4, rapid.ID).Draw(r, "room types") {
			l := anyLine(r, q.Stay, amount)
			l.RoomTypeID, l.Name = roomType, text.Draw(r, "name")
			if !parties {
				q.Guests.Adults += l.Quantity
			} else {
				l.Party = anyParty(r)
				q.Guests.Adults += l.Quantity * l.Party.Adults
				q.Guests.Children += l.Quantity * l.Party.Children
			}
			if plans && rapid.Bool().Draw(r, "plan") {
				addPlan(r, &l, q.Property.ID, amount)
			}
			l.Number = rapid.SampledFrom([]int{0, 1, 2, availability.MaxLineNumber}).Draw(r, "number")
			q.Lines = append(q.Lines, l)
			var err error
			q.Total, err = q.Total.Add(l.Subtotal)
			require.NoError(r, err)
		}
		q.Sleeps = availability.Limits{
			MaxAdults: q.Guests.Adults + rapid.IntRange(0, 9).Draw(r, "larger rooms"), MaxChildren: q.Guests.Children,
			MaxOccupancy: q.Guests.Adults + q.Guests.Children + rapid.IntRange(0, 9).Draw(r, "more guests"),
		}
		o := offer.Offer{
			Quote: q, UserID: rapid.OneOf(id, rapid.Just("")).Draw(r, "user"),
			TaxesAndFees: optional.Draw(r, "fees"), Discounts: optional.Draw(r, "discounts"),
			PromoCode: rapid.OneOf(rapid.StringMatching(`[ -~]{0,20}[A-Z0-9]`), rapid.Just("")).Draw(r, "promo code"),
			Expires:   q.At.Add(time.Duration(rapid.OneOf(rapid.Int64Range(1, 9), rapid.Int64Range(1, 1e15)).Draw(r, "expires"))),
		}
		if latest := q.At.Add(availability.MaxQuoteAge); o.Expires.After(latest) && q.Planned() {
			o.Expires = latest
		}
		if rapid.Bool().Draw(r, "modifies") {
			o.Kept = optional.Draw(r, "kept")
			o.BookingID, o.Version = id.Draw(r, "booking"), rapid.IntRange(0, 1<<31-1).Draw(r, "version")
		}
		if o.PromoCode == "" && o.BookingID == "" {
			o.Discounts = dynastay.Money{}
		} else if more, _ := o.Discounts.Compare(q.Total); o.Discounts.IsSet() && more > 0 {
			o.Discounts = q.Total
		}
		return o
	})
}

func anyLine(r *rapid.T, stay dynastay.Stay, amount *rapid.Generator[dynastay.Money]) availability.Line {
	l := availability.Line{
		Quantity: rapid.OneOf(rapid.IntRange(1, 3), rapid.IntRange(1, availability.MaxRooms)).Draw(r, "quantity"),
		CancellationPolicy: rapid.SampledFrom([]availability.CancellationPolicy{
			"", availability.NonRefundable, availability.FreeCancellation(48), availability.PartialRefund(50, 24), availability.CustomPolicy(`"\é<`),
		}).Draw(r, "policy"),
	}
	var one dynastay.Money
	for date := range stay.Dates() {
		price := amount.Draw(r, "price")
		l.Nights = append(l.Nights, availability.NightPrice{Date: date, Price: price})
		if rapid.IntRange(0, 3).Draw(r, "overbooked") == 0 {
			l.Overbooked = append(l.Overbooked, date)
		}
		var err error
		one, err = one.Add(price)
		require.NoError(r, err)
	}
	var err error
	l.Subtotal, err = one.Times(l.Quantity)
	require.NoError(r, err)
	return l
}

// long is an offer of 90 nights of several room types, each with prices of its own.
func long(t testing.TB, roomTypes int) offer.Offer {
	t.Helper()
	o := simple()
	q := o.Quote
	q.Stay.CheckOut = q.Stay.CheckIn.AddDays(availability.MaxNights)
	room := q.Lines[0]
	q.Guests.Adults = max(q.Guests.Adults, roomTypes)
	q.Sleeps.MaxAdults, q.Sleeps.MaxOccupancy = q.Guests.Adults, q.Guests.Adults
	q.Lines, q.Total = nil, dynastay.Money{}
	for n := range roomTypes {
		l := room
		l.RoomTypeID, l.Name = fmt.Sprintf("room_01JCR0123456789ABCDEFGH%03d", n), fmt.Sprintf("Deluxe Double Room %d", n)
		l.Nights, l.Subtotal = nil, dynastay.Money{}
		for date := range q.Stay.Dates() {
			price, err := dynastay.MoneyOfMinor(int64(10_001+97*len(l.Nights)+n), "USD")
			require.NoError(t, err)
			l.Nights = append(l.Nights, availability.NightPrice{Date: date, Price: price})
			l.Subtotal, err = l.Subtotal.Add(price)
			require.NoError(t, err)
		}
		q.Lines = append(q.Lines, l)
		var err error
		q.Total, err = q.Total.Add(l.Subtotal)
		require.NoError(t, err)
	}
	return o
}

// The figures in the documentation of the package.
func TestSizes(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	for _, test := range []struct {
		offer offer.Offer
		bytes int
	}{
		{simple(), 629},
		{long(t, 1), 1489},
		{long(t, 5), 5430},
		{long(t, 16), 16_278},
		{family(), 1261},
		{longPlanned(t, 1), 2861},
		{longPlanned(t, 5), 10_742},
	} {
		token := seal(t, s, test.offer)
		assert.Equal(t, test.bytes, len(token))
		got, err := s.Open(token, "user_456", now)
		require.NoError(t, err)
		assert.Equal(t, test.offer, got)
	}
}

// A token of MaxToken bytes is sealed and opened, one with a byte more is neither.
func TestMaxToken(t *testing.T) {
	t.Parallel()
	o := long(t, 15)
	seen := map[int]bool{}
	for idBytes := 1; idBytes <= 3; idBytes++ { // not every length is that of some contents in base64
		s := newSealer(t, offer.Key{ID: strings.Repeat("k", idBytes), Secret: june.Secret})
		for n := range 15 * availability.MaxNights {
			if n%15 == 0 {
				for i := range o.Quote.Lines {
					o.Quote.Lines[i].Name = strings.Repeat("n", n/15)
				}
			}
			o.Quote.Lines[n%15].Name += "n"
			contents, err := offer.Encode(o)
			require.NoError(t, err)
			token := s.Sign(contents)
			if len(token) < offer.MaxToken {
				continue
			}
			seen[len(token)] = true
			sealed, err := s.Seal(o)
			got, errOpen := s.Open(token, o.UserID, now)
			if len(token) == offer.MaxToken {
				require.NoError(t, err)
				require.NoError(t, errOpen)
				assert.Equal(t, token, sealed)
				assert.Equal(t, o, got)
				continue
			}
			assert.Empty(t, sealed)
			assert.EqualError(t, err, fmt.Sprintf("invalid Quote: must fit into a token of 16384 bytes, got %d", len(token)))
			refused(t, offer.ErrMalformed, got, errOpen, token)
			assert.EqualError(t, errOpen, "invalid Token: must be at most 16384 bytes")
			break
		}
	}
	assert.True(t, seen[offer.MaxToken] && seen[offer.MaxToken+1], "%v", seen)
}

// The contents of a genuine token are read strictly. Only another version of the library can have signed others.
func TestContentsAreReadStrictly(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	contents, err := offer.Encode(full())
	require.NoError(t, err)
	form := string(contents)
	bad := []string{"", "null", "{}", "[]", `""`, "1", "{", form[:len(form)-1], form + " ", form + "\n", form + "{}", form + "null", form + "}"}
	for from, to := range map[string]string{
		`{"q":`:             `{"y":1,"q":`,
		`{"i":"prop`:        `{"y":1,"i":"prop`,
		`[280,`:             `["",`,
		`279.5`:             `2795e-1`,
		`"d":[280,279.5,0]`: `"d":[280,279.5]`,
		`,279.5,0]`:         `,279.5,0,0]`,
		`,279.5,`:           `,279.50001,`,
		`"q":2`:             `"q":"2"`,
		`"s":1119,`:         `"s":1118,`,
		`"s":300.01,`:       ``,
		`"t":1419.01`:       `"t":1419`,
		`"c":"USD"`:         `"c":"EURO"`,
		`"o":[0,2]`:         `"o":[0,3]`,
		`"o":[1]`:           `"o":[-1]`,
		`"f":83.85`:         `"f":8385e-2`,
		`"d":15,`:           `"d":15e0,`,
		`"v":7`:             `"v":-7`,
		`"b":2`:             `"b":2.5`,
		`"u":"user_456"`:    `"u":"#"`,
		`free_cancel`:       `Free_cancel`,
		`"2026-07-10"`:      `"2026-7-10"`,
		`"2026-07-13"`:      `""`,
		`12:15:00`:          `12:15`,
		`00.123456789Z"},`:  `60Z"},`,
	} {
		require.Equal(t, 1, strings.Count(form, from), from)
		bad = append(bad, strings.Replace(form, from, to, 1))
	}
	for _, contents := range bad {
		token := s.Sign([]byte(contents))
		got, err := s.Open(token, "user_456", now)
		refused(t, offer.ErrMalformed, got, err, token)
	}
	_, err = s.Open(s.Sign(contents), "user_456", now)
	assert.NoError(t, err)
}

// The text of the contents is strict too: with ignored bits, or a character too many, a genuine signature does not
// help.
func TestEncodingOfContentsIsStrict(t *testing.T) {
	t.Parallel()
	s := newSealer(t, june)
	for more := range 3 { // for each remainder of the length
		o := simple()
		o.PromoCode += strings.Repeat("A", more)
		contents, err := offer.Encode(o)
		require.NoError(t, err)
		text := base64.RawURLEncoding.EncodeToString(contents)
		_, err = s.Open(s.SignText(text), o.UserID, now)
		require.NoError(t, err)
		bad := []string{text + "A", text + "=", text + "==", text + "\n", "\r" + text, text[:4] + "\n" + text[4:], text[:4] + "+" + text[5:]}
		if len(contents)%3 > 0 {
			ignored := text[:len(text)-1] + string(text[len(text)-1]+1)
			lax, err := base64.RawURLEncoding.DecodeString(ignored)
			require.NoError(t, err)
			require.Equal(t, contents, lax)
			bad = append(bad, ignored)
		}
		for _, text := range bad {
			token := s.SignText(text)
			got, err := s.Open(token, o.UserID, now)
			refused(t, offer.ErrMalformed, got, err, token)
		}
	}
}
