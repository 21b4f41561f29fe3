package world

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys"
	"github.com/dynastay/dynastay/properties"
)

// charged is a small world whose hotels have charges that depend on the guests of each room.
var charged = Options{Seed: 87501, Properties: 6, Users: 20, Nights: 14}

// charges are those of a property, which it reads, or nil if it has none.
func (l *ledger) charges(db *dynastay.DB, p *properties.Whole) *charges.List {
	if !p.HasCharges {
		return nil
	}
	list, err := properties.New(db, nil).Charges(context.Background(), p.ID)
	require.NoError(l.t, err)
	assert.NotEmpty(l.t, list.Charges, p.ID)
	l.add(keys.PropertiesTable, l.key(keys.Of(keys.PropertyCharges{PropertyID: p.ID})), rowsOf{})
	return list
}

// lines are the lines of a booking, and its charges.
func (l *ledger) lines(b *bookings.Booking) {
	s := keys.BookingsTable
	for _, line := range b.Lines {
		at := l.key(keys.Of(keys.BookingRoom{BookingID: b.ID, RoomTypeID: line.RoomTypeID}))
		if line.Number > 1 {
			at = l.key(keys.Of(keys.BookingRoomLine{BookingID: b.ID, RoomTypeID: line.RoomTypeID, Number: line.Number}))
		}
		l.add(s, at, rowsOf{})
	}
	if b.Charges != nil {
		l.add(s, l.key(keys.Of(keys.BookingCharges{BookingID: b.ID})), rowsOf{})
	}
}

// checkCharges checks that a booking has the bill that follows from the charges of its property, or none. It does not use what
// the world says about itself.
func checkCharges(t testing.TB, list *charges.List, b *bookings.Booking) {
	t.Helper()
	if list == nil {
		assert.Nil(t, b.Charges, b.ID)
		return
	}
	booked := charges.Booked{Stay: b.Stay, Adults: b.Guests.Adults, Children: b.Guests.Children, Discount: b.Breakdown.Discounts}
	for _, line := range b.Lines {
		one := charges.Line{Rooms: line.Quantity}
		if p := line.Party; p != nil {
			one.Guests = &charges.Guests{Adults: p.Adults, Children: p.Children, ChildAges: p.ChildAges}
		}
		for _, n := range line.Nights {
			price := charges.Price{Lodging: n.Price}
			if n.Meals.IsSet() {
				lodging, err := n.Price.Sub(n.Meals)
				require.NoError(t, err)
				price = charges.Price{Lodging: lodging, Meals: n.Meals}
			}
			one.Nights = append(one.Nights, price)
		}
		booked.Lines = append(booked.Lines, one)
	}
	want, err := list.Bill(booked)
	require.NoError(t, err)
	assert.Equal(t, want, b.Charges, b.ID)
	assert.Equal(t, want.Added, b.Breakdown.TaxesAndFees, b.ID)
	for _, e := range b.Charges.Entries {
		assert.NotEqual(t, e.ID, e.Name, "the name that guests see")
	}
}

// The charges of a world that is large enough to show the shares.
func TestCharges(t *testing.T) {
	t.Parallel()
	_, sample := typical()
	in, with, cities := 0, 0, map[string]bool{}
	of := map[string]int{}
	for _, h := range sample {
		list := charges.List{PropertyID: h.ID, Charges: ChargesIn(h.Address.City, h.Address.Country, h.Stars)}
		if len(list.Charges) > 0 && len(h.Nights) > 0 {
			in++
		}
		assert.Equal(t, h.Charges != nil, h.HasCharges, h.ID)
		if h.Charges == nil {
			assert.Nil(t, h.Card().Charges, h.ID)
			for _, b := range slices.Concat(h.Bookings, h.PastStays) {
				checkCharges(t, nil, b)
			}
			continue
		}
		with++
		cities[h.Address.City] = true
		assert.Equal(t, list.Charges, h.Charges.Charges, h.ID)
		assert.Len(t, h.Card().Charges.Charges, len(list.Charges), h.ID)
		assert.False(t, h.Charges.CreatedAt.After(h.CreatedAt), "before the first booking")
		for _, b := range slices.Concat(h.Bookings, h.PastStays) {
			checkCharges(t, h.Charges, b)
			count(of, h, b)
		}
	}
	assert.InDelta(t, 50, percent(with, in), 10)
	assert.Len(t, cities, len(chargesIn))
	for _, what := range []string{
		"a discount", "added", "at the property", "included", "several rooms", "two lines of one room type", "ages without a plan", "a refund of what is not owed",
	} {
		assert.Positive(t, of[what], what)
	}
	assert.InDelta(t, agesPercent, percent(of["ages without a plan"], of["children without a plan"]), 12)
}

// count counts what a booking with charges has.
func count(of map[string]int, h *Hotel, b *bookings.Booking) {
	add := func(what string, has bool) {
		if has {
			of[what]++
		}
	}
	first := b.Lines[0]
	add("a discount", b.Breakdown.Discounts.Sign() > 0)
	add("added", b.Charges.Added.Sign() > 0)
	add("at the property", b.Charges.AtProperty.Sign() > 0)
	add("included", b.Charges.Included.Sign() > 0)
	add("several rooms", len(b.Lines) > 1 || first.Quantity > 1)
	add("two lines of one room type", len(b.Lines) > 1 && b.Lines[1].RoomTypeID == first.RoomTypeID)
	if b.Rooms == 1 && first.Plan == nil && b.Guests.Children > 0 && h.Charges.AsksWhoStays() {
		add("children without a plan", true)
		add("ages without a plan", first.Party != nil)
	}
	refunds := h.Payments[b.ID].History.Refunds
	add("a refund of what is not owed", len(refunds) > 0 && first.CancellationPolicy == availability.NonRefundable)
}

// The items of a world with charges are exactly those that the repositories write to a database.
func TestChargesAreWhatTheRepositoriesWrite(t *testing.T) {
	t.Parallel()
	w := New(charged)
	checkAgainstRepositories(t, w)
	asked, with, of := 0, 0, map[string]int{}
	for h := range w.Hotels() {
		if h.Charges == nil {
			continue
		}
		with++
		if h.Charges.AsksWhoStays() {
			asked++
		}
		for _, b := range h.Bookings {
			count(of, h, b)
		}
	}
	assert.Greater(t, with, 3)
	assert.Greater(t, asked, 1)
	assert.Positive(t, of["two lines of one room type"])
	assert.Positive(t, of["a discount"])
}

// A guest can book what is left of a loaded hotel with its charges, also two rooms where a charge asks who stays in which.
func TestOffersWithCharges(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), New(charged)
	db, booked := loaded(t, w).DB, 0
	for h := range w.Hotels() {
		ask, ok := h.Offer(1, 2)
		if !ok || h.Charges == nil {
			continue
		}
		assert.Equal(t, h.Charges.AsksWhoStays(), ask.Rooms[0].Party != nil, h.ID)
		ask.Charges = h.Charges
		quote, err := availability.New(db).Quote(ctx, ask)
		require.NoError(t, err, h.ID)
		b, err := bookings.New(db, nil).Create(ctx, bookings.Request{Quote: quote, UserID: w.User(0).ID, Guest: bookings.Guest{
			FirstName: "Ada", LastName: "Byron", Email: "ada@example.com",
		}})
		require.NoError(t, err, h.ID)
		checkCharges(t, h.Charges, b)
		booked++
	}
	assert.Greater(t, booked, 2)
}

// Guests are divided among two rooms of any kinds, as equally as the rooms allow.
func TestGuestsAreDivided(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		h := &house{}
		for _, room := range kind.value.rooms {
			h.rooms = append(h.rooms, properties.RoomType{
				ID: room.name, Limits: availability.Limits{MaxOccupancy: room.guests, MaxAdults: room.adults, MaxChildren: room.children},
			})
		}
		for k := range h.rooms {
			for other := k; other < len(h.rooms); other++ {
				rooms := []choice{{k, 1}, {other, 1}}
				if k == other {
					rooms = []choice{{k, 2}}
				}
				most := h.sleeps(rooms)
				for adults := 2; adults <= most.MaxAdults; adults++ {
					for children := 0; children <= min(most.MaxChildren, most.MaxOccupancy-adults); children++ {
						s := sale{rooms: rooms, guests: availability.Guests{Adults: adults, Children: children}, ages: make([]int, children)}
						h.divide(&s)
						require.Len(t, s.parties, 2, "%+v in %s and %s", s.guests, h.rooms[k].ID, h.rooms[other].ID)
						one, two := s.parties[0], s.parties[1]
						assert.Equal(t, s.guests, availability.Guests{Adults: one.Adults + two.Adults, Children: one.Children + two.Children})
						for n, choice := range h.choices(s) {
							limits := h.rooms[k].Limits
							if n == 1 {
								limits = h.rooms[other].Limits
							}
							p := choice.Party
							assert.Len(t, p.ChildAges, p.Children)
							assert.True(t, p.Adults >= 1 && p.Adults <= limits.MaxAdults && p.Children <= limits.MaxChildren &&
								p.Adults+p.Children <= limits.MaxOccupancy, "%+v in %s", p, choice.RoomTypeID)
						}
					}
				}
			}
		}
	}
}

// uncharged removes from an item of a hotel with charges what they change. It returns false for an item that exists only
// because of the charges, and for a refund, because some charges are refunded where the rooms are not. If a charge asks who stays
// in which room, the guests are in their lines, and lines of two rooms may be two.
func uncharged(item dynastay.Item, asks bool) bool {
	row := dynastay.RowOf(item)
	kind := row.Text(keys.AttrEntityType)
	for _, name := range changedByCharges[kind] {
		delete(item, name)
	}
	if card, ok := item[keys.AttrCard].(*types.AttributeValueMemberM); ok {
		delete(card.Value, "Charges")
	}
	if kind == "BookingRoom" && asks {
		for _, name := range changedByParties {
			delete(item, name)
		}
	}
	return kind != "Charges" && kind != "BookingCharges" && kind != "Refund" && !keys.Is[keys.BookingRoomLine](keys.BookingsTable.Key.From(row))
}

var (
	changedByCharges = map[string][]string{
		"Property":       {"HasCharges"},
		"Booking":        {"LastLine", "PaymentStatus", "PriceBreakdown", "TotalAmount"},
		"Payment":        {"Amount", "AuthorizedAmount", "PaidAmount", "RefundAmount", "RefundedAt", "Status"},
		"PaymentAttempt": {"Amount"},
	}
	changedByParties = []string{"Adults", "ChildAges", "Children", "Quantity", "Subtotal"}
)

// withoutHouse removes the row of guests who are there.
func withoutHouse(item dynastay.Item) {
	index, _ := keys.BookingsTable.Index(keys.HouseIndex)
	if keys.Is[keys.BookingInHouse](index.Key.From(dynastay.RowOf(item))) {
		delete(item, index.Key.Partition)
		delete(item, index.Key.Sort)
	}
}

// The dice of charges are of no other use: everything else is as in the worlds before there were charges, whose sums these are.
// There were no payment terms, channels and HouseIndex either, so what they change is left out. Who changes on purpose what worlds
// contain changes the sums.
func TestChargesChangeNothingElse(t *testing.T) {
	t.Parallel()
	w := New(Options{Seed: 12, Properties: 200, Users: 60, Nights: 10})
	without, with, found := sha256.New(), sha256.New(), map[string]bool{}
	for i := range w.opts.Properties {
		c, h, sum := w.cell(), w.house(i), without
		_, err := c.hotel(t.Context(), i)
		require.NoError(t, err)
		list := h.list()
		if list != nil {
			found[h.property.Address.City] = true
			sum = with
		}
		origins := w.origins(t, i)
		for s, item := range c.items {
			withoutHouse(item)
			if len(h.plans) > 0 {
				withoutTerms(t, item)
			}
			if !withoutOrigin(item, origins) {
				continue
			}
			if list == nil || uncharged(item, list.AsksWhoStays()) {
				fmt.Fprintln(sum, s.Name, text(t, item))
			}
		}
	}
	assert.Greater(t, len(found), 6)
	assert.Equal(t, "7730136c7147429566bca99a7a0c6117def72f5813d0df76307072cf5298eb73", hex.EncodeToString(without.Sum(nil)), "hotels without charges")
	assert.Equal(t, "180d5792c5478c4baed14a83efb9d7e1f5bd4efa8aa3a8ed12e0819a74576eda", hex.EncodeToString(with.Sum(nil)),
		"hotels with charges, but for what the charges change")
}
