package bookings_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/charges"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/bookings/offer"
	"github.com/dynastay/dynastay/internal/testing/levy"
	"github.com/dynastay/dynastay/keys"
)

var (
	chargedStays = flag.Int("charges.stays", 100, "number of random stays that are charged from the offer to the refund")
	chargedSeed  = flag.Uint64("charges.seed", 0, "seed of these stays; 0 draws one")
)

// chargedStay is a random stay with random charges, whose nights are stored.
type chargedStay struct {
	*inn
	random *rand.Rand
	list   *charges.List
	req    availability.QuoteRequest
}

var chargedPolicies = []availability.CancellationPolicy{flexible, half, none, availability.PartialRefund(33, 24)}

// storeStay makes a property of a random stay: each of its lines is a room type.
func storeStay(t *testing.T, i *inn, d *levy.Draw, seed uint64) *chargedStay {
	t.Helper()
	list, booked := d.Stay()
	for booked.Stay.Nights()*len(booked.Lines) > 80 { // more do not fit into one transaction
		list, booked = d.Stay()
	}
	s := &chargedStay{inn: i, random: rand.New(rand.NewPCG(seed, 3)), list: list}
	list.PropertyID = i.NewID("prop_")
	s.req = availability.QuoteRequest{
		Property: availability.House{ID: list.PropertyID, Name: "The Inn"}, Stay: booked.Stay, Charges: list,
	}
	rooms := 0
	var nights []dynastay.Item
	for n, line := range booked.Lines {
		rooms += line.Rooms
		room := availability.Room{
			RoomTypeID: fmt.Sprintf("%s_%d", list.PropertyID, n), Name: "Room", Quantity: line.Rooms,
			Limits:             availability.Limits{MaxOccupancy: 40, MaxAdults: 40, MaxChildren: 39},
			CancellationPolicy: chargedPolicies[s.random.IntN(len(chargedPolicies))],
		}
		if g := line.Guests; g != nil {
			room.Party = &availability.Party{Guests: availability.Guests{Adults: g.Adults, Children: g.Children}, ChildAges: g.ChildAges}
			s.req.Guests.Adults += line.Rooms * g.Adults
			s.req.Guests.Children += line.Rooms * g.Children
		}
		s.req.Rooms = append(s.req.Rooms, room)
		for at, price := range line.Nights {
			total, err := price.Lodging.Add(price.Meals)
			require.NoError(t, err)
			date := booked.Stay.CheckIn.AddDays(at)
			item := i.night("a", date)
			item["PropertyId"], item["RoomTypeId"] = dynastay.Text(list.PropertyID), dynastay.Text(room.RoomTypeID)
			item["AvailableRooms"], item["TotalRooms"] = dynastay.Number(line.Rooms), dynastay.Number(line.Rooms)
			item["PricePerNight"], item["Currency"] = amountOf(total), dynastay.Text(string(total.Currency()))
			for name, v := range keys.AvailabilityTable.Key.Of(nightKey(room.RoomTypeID, date)) {
				item[name] = v
			}
			nights = append(nights, item)
		}
	}
	if s.req.Guests.Adults == 0 {
		s.req.Guests = availability.Guests{Adults: max(rooms, booked.Adults), Children: booked.Children}
	}
	require.NoError(t, i.Direct.PutAll(t.Context(), func(yield func(*dynastay.Schema, dynastay.Item) bool) {
		for _, item := range nights {
			if !yield(keys.AvailabilityTable, item) {
				return
			}
		}
	}))
	return s
}

// What the guest is offered is what is booked, what the receipt says, and what is paid, refunded and kept, to the minor unit,
// however the stay ends.
func TestChargesFromTheOfferToTheRefund(t *testing.T) {
	t.Parallel()
	seed := cmp.Or(*chargedSeed, uint64(time.Now().UnixNano()))
	t.Logf("to repeat the stays: -charges.seed %d", seed)
	i := newInn(t)
	sealer, err := offer.NewSealer(offer.Key{ID: "a", Secret: make([]byte, 32)})
	require.NoError(t, err)
	i.Clock.Set(time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC))
	code, err := i.repo.CreatePromoCode(t.Context(), bookings.PromoCode{Code: "EIGHTH", Active: true, Percent: 12_50})
	require.NoError(t, err)
	d := levy.New(seed)
	quoted := 0
	for n := range *chargedStays {
		i.Clock.Set(time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC))
		s := storeStay(t, i, d, seed+uint64(n))
		i.Clock.Set(s.req.Stay.CheckIn.Time().Add(-time.Duration(20+s.random.IntN(100)) * time.Hour))
		req := bookings.Request{UserID: "user_456", Guest: guest}
		req.Quote, err = availability.New(i.DB.DB).Quote(t.Context(), s.req)
		if err == nil && s.random.IntN(3) == 0 {
			var discount dynastay.Money
			discount, err = code.Discount(req.Quote.Total)
			require.NoError(t, err)
			req.PromoCode, err = code.Code, req.Quote.Charge(s.list, discount)
		}
		if err != nil { // more is included than the price, or it depends on who stays in which room
			require.ErrorIs(t, err, dynastay.ErrInvalid)
			require.ErrorContains(t, err, "Charges")
			continue
		}
		quoted++
		s.live(t, req, sealer)
	}
	require.Greater(t, quoted, *chargedStays/2)
}

// live books a stay, and ends it in some way.
func (s *chargedStay) live(t *testing.T, req bookings.Request, sealer *offer.Sealer) {
	q := req.Quote
	o := offer.Offer{Quote: q, PromoCode: req.PromoCode, Discounts: q.Discounts, Expires: q.At.Add(time.Hour)}
	if token, err := sealer.Seal(o); err == nil { // a long stay may be too long
		opened, err := sealer.Open(token, "", q.At)
		require.NoError(t, err)
		require.Equal(t, q.Charges, opened.Quote.Charges)
		q = opened.Quote
		req.Quote = q
	}
	pays, err := q.GuestPays()
	require.NoError(t, err)
	b, err := s.repo.Create(t.Context(), req)
	require.NoError(t, err)
	require.Equal(t, pays, b.Total)
	require.Equal(t, q.Charges, b.Charges)
	r := s.receipt(t, b.ID)
	require.Equal(t, []dynastay.Money{pays, pays, pays}, []dynastay.Money{r.Total, r.Owed, r.Balance})
	inFull := s.random.IntN(3) > 0
	if pays.Sign() > 0 {
		amount := pays
		if !inFull {
			amount, err = pays.DividedBy(2)
			require.NoError(t, err)
		}
		if amount.Sign() > 0 {
			_, err = s.repo.RecordPayment(t.Context(), bookings.Payment{
				BookingID: b.ID, Provider: "acme", ProviderTransactionID: "tx_" + b.ID, Method: "card", Amount: amount, Status: bookings.PaymentPaid,
			})
			require.NoError(t, err)
		}
	}
	if s.random.IntN(3) == 0 && b.Stay.Nights() > 1 {
		s.shorten(t, b)
	}
	s.end(t, b)
	_, err = s.repo.RefundDue(t.Context(), bookings.Refund{ID: "re", BookingID: b.ID})
	require.NoError(t, err)
	r = s.receipt(t, b.ID)
	require.GreaterOrEqual(t, r.Balance.Sign(), 0, "all that is due has been refunded")
	require.GreaterOrEqual(t, r.Owed.Sign(), 0)
	if inFull && r.Total == pays {
		require.Zero(t, r.Balance.Sign(), "paid %s, owed %s", r.Paid, r.Owed)
	}
	for _, tax := range r.Taxes {
		require.Positive(t, tax.Amount.Sign())
	}
}

// shorten gives up the last night. The total may rise, because what is given up may be kept, and a discount for a long stay lost.
func (s *chargedStay) shorten(t *testing.T, b *bookings.Booking) {
	req := s.req
	req.Stay.CheckOut = req.Stay.CheckOut.AddDays(-1)
	m, err := s.repo.QuoteModification(t.Context(), b.ID, req)
	if err != nil { // the price without that night may be less than what is included
		require.ErrorIs(t, err, dynastay.ErrInvalid)
		return
	}
	done, err := s.repo.Modify(t.Context(), m)
	require.NoError(t, err)
	*b = *done.Booking
	pays, err := m.Quote.GuestPays()
	require.NoError(t, err)
	if m.Kept.IsSet() {
		pays, err = pays.Add(m.Kept)
		require.NoError(t, err)
	}
	require.Equal(t, pays, b.Total, "what the guest was shown")
	got, err := s.repo.Get(t.Context(), b.ID)
	require.NoError(t, err)
	require.Equal(t, done.Booking, got)
	r := s.receipt(t, b.ID)
	require.Equal(t, b.Total, r.Owed)
}

// end cancels the booking, or lets the guests come or not.
func (s *chargedStay) end(t *testing.T, b *bookings.Booking) {
	var err error
	checkIn := b.Stay.CheckIn.Time()
	switch s.random.IntN(5) {
	case 0:
		_, err = s.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{{ID: "re"}})
	case 1:
		s.Clock.Set(checkIn.Add(10 * time.Hour)) // after all deadlines
		_, err = s.repo.Cancel(t.Context(), b.ID, "", []bookings.Refund{{ID: "re"}})
	case 2:
		s.Clock.Set(checkIn.Add(40 * time.Hour))
		_, err = s.repo.NoShow(t.Context(), b.ID)
	case 3, 4:
		s.Clock.Set(checkIn.Add(15 * time.Hour))
		_, err = s.repo.CheckIn(t.Context(), b.ID, nil)
		require.NoError(t, err)
		s.Clock.Set(checkIn.Add(time.Duration(s.random.IntN(b.Stay.Nights()+1))*24*time.Hour + 16*time.Hour))
		_, err = s.repo.CheckOut(t.Context(), b.ID)
	}
	require.NoError(t, err)
}
