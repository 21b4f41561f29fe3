package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"

	"github.com/dynastay/dynastay/examples/frontdesk/client"
)

var (
	sessions = flag.Int("sessions", 20, "how many guests TestStorm has at the same time")
	lasting  = flag.Duration("lasting", 3*time.Second, "how long TestStorm lasts")
	every    = flag.Duration("every", 200*time.Millisecond, "how often each guest of TestStorm sends a request")
)

// visitor is a guest of the storm, who does something every so often.
type visitor struct {
	*client.Client
	*town
	random *rand.Rand
	token  string
	clicks int
	held   []string // bookings
	did    map[string]int
}

// Session is the session that the client sends.
func (v *visitor) Session(context.Context, client.OperationName) (client.Session, error) {
	return client.Session{APIKey: v.token}, nil
}

func (v *visitor) key() string {
	v.clicks++
	return fmt.Sprintf("click-%08d", v.clicks)
}

// signUp signs a visitor up and in.
func (v *visitor) signUp(ctx context.Context, name string) error {
	email := name + "@example.com"
	if _, err := v.SignUp(ctx, &client.AccountInBody{Email: email, Password: password, FirstName: name, LastName: "Byron"}); err != nil {
		return err
	}
	answer, err := v.SignIn(ctx, &client.SignInInBody{Email: email, Password: password})
	if err != nil {
		return err
	}
	in, is := answer.(*client.SessionOutBodyHeaders)
	if !is {
		return fmt.Errorf("%T", answer)
	}
	cookie, err := http.ParseSetCookie(in.SetCookie.Value)
	if err == nil {
		v.token = cookie.Value
	}
	return err
}

// act does what guests do: most look, some book, pay and cancel. What is refused is the guest's own affair; any other error is not.
func (v *visitor) act(ctx context.Context) error {
	what, do := "look", v.look
	switch n := v.random.IntN(10); {
	case n < 3:
		what, do = "book", v.book
	case n < 5 && len(v.held) > 0:
		what, do = "pay", v.pay
	case n < 6 && len(v.held) > 0:
		what, do = "cancel", v.cancel
	case n < 7:
		what, do = "list", func(ctx context.Context) (any, error) { return v.ListBookings(ctx, client.ListBookingsParams{}) }
	}
	answer, err := do(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	switch answer.(type) {
	case *client.HotelHeaders:
		if what == "book" {
			what = "book, nothing left"
		}
	case *client.ConflictHeaders, *client.PreconditionFailedHeaders:
		what += ", refused"
	case *client.BadRequestHeaders, *client.NotFoundHeaders, *client.UnauthorizedHeaders, *client.ForbiddenHeaders, *client.UnprocessableEntityHeaders:
		return fmt.Errorf("%s: %T %+v", what, answer, answer)
	}
	v.did[what]++
	return nil
}

func (v *visitor) hotel(ctx context.Context) (client.GetHotelRes, error) {
	from := v.World.Options().Today.AddDays(1 + v.random.IntN(4))
	return v.GetHotel(ctx, client.GetHotelParams{
		ID:      v.World.Hotel(1 + v.random.IntN(3)).ID,
		CheckIn: client.NewOptDate(from.Time()), CheckOut: client.NewOptDate(from.AddDays(1 + v.random.IntN(2)).Time()),
	})
}

func (v *visitor) look(ctx context.Context) (any, error) { return v.hotel(ctx) }

func (v *visitor) book(ctx context.Context) (any, error) {
	answer, err := v.hotel(ctx)
	shown, is := answer.(*client.HotelHeaders)
	if err != nil || !is || len(shown.Response.Offers) == 0 {
		return answer, err
	}
	offers := shown.Response.Offers
	booked, err := v.Book(ctx, &client.HoldInBody{
		Offer: offers[v.random.IntN(len(offers))].Offer, Guest: client.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com"},
	}, client.BookParams{IdempotencyKey: v.key()})
	if b, is := booked.(*client.BookingHeaders); is {
		v.held = append(v.held, b.Response.ID)
	}
	return booked, err
}

func (v *visitor) one() string { return v.held[v.random.IntN(len(v.held))] }

func (v *visitor) pay(ctx context.Context) (any, error) {
	return v.Pay(ctx, &client.PayInBody{Method: client.PayInBodyMethodCard}, client.PayParams{ID: v.one(), IdempotencyKey: v.key()})
}

func (v *visitor) cancel(ctx context.Context) (any, error) {
	id := v.one()
	answer, err := v.PreviewCancellation(ctx, client.PreviewCancellationParams{ID: id})
	shown, is := answer.(*client.CancellationHeaders)
	if err != nil || !is {
		return answer, err
	}
	return v.Cancel(ctx, &client.CancelInBody{Refund: client.NewOptMoney(shown.Response.Refund)}, client.CancelParams{ID: id, IfMatch: shown.ETag.Value})
}

// TestStorm has many guests after few rooms: none is sold twice, and no guest gets an error that is not their own.
//
//	go test . -run TestStorm -sessions 200 -every 3s -lasting 1m
func TestStorm(t *testing.T) {
	t.Parallel()
	w := openTown(t)
	connections := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *sessions}}
	all := make([]*visitor, *sessions)
	for i := range all {
		v := &visitor{town: w, random: rand.New(rand.NewPCG(1, uint64(i))), did: map[string]int{}}
		var err error
		v.Client, err = client.NewClient(w.URL, v, client.WithClient(connections))
		require.NoError(t, err)
		require.NoError(t, v.signUp(t.Context(), fmt.Sprintf("guest%d", i)))
		all[i] = v
	}
	w.lastRoom(t, all)
	ctx, stop := context.WithTimeout(t.Context(), *lasting)
	defer stop()
	failed := make([]error, len(all))
	var done sync.WaitGroup
	for i, v := range all {
		done.Go(func() { failed[i] = v.visit(ctx, t.Context()) })
	}
	done.Wait()
	require.NoError(t, errors.Join(failed...))
	did := map[string]int{}
	for _, v := range all {
		for what, n := range v.did {
			did[what] += n
		}
	}
	t.Log(did)
	assert.Positive(t, did["book"])
	w.notOversold(t)
}

// lastRoom has all visitors after one room at the same time.
func (w *town) lastRoom(t *testing.T, all []*visitor) {
	t.Helper()
	hotel, night := w.hotel(t), w.night(9)
	w.leaveOne(t, hotel, 9)
	offers := make([]string, len(all))
	for i, v := range all {
		answer, err := v.GetHotel(t.Context(), client.GetHotelParams{
			ID: hotel, CheckIn: client.NewOptDate(night.CheckIn.Time()), CheckOut: client.NewOptDate(night.CheckOut.Time()),
		})
		require.NoError(t, err)
		shown, is := answer.(*client.HotelHeaders)
		require.True(t, is, "%T", answer)
		require.NotEmpty(t, shown.Response.Offers)
		offers[i] = shown.Response.Offers[0].Offer
	}
	var made atomic.Int32
	var done sync.WaitGroup
	for i, v := range all {
		done.Go(func() {
			answer, err := v.Book(t.Context(), &client.HoldInBody{
				Offer: offers[i], Guest: client.Guest{FirstName: "Ada", LastName: "Byron", Email: "ada@example.com"},
			}, client.BookParams{IdempotencyKey: v.key()})
			assert.NoError(t, err)
			switch answer.(type) {
			case *client.BookingHeaders:
				made.Add(1)
			case *client.ConflictHeaders:
			default:
				assert.Fail(t, "an answer that nobody expects", "%T", answer)
			}
		})
	}
	done.Wait()
	assert.EqualValues(t, 1, made.Load())
}

// visit acts until ctx ends. What has begun then is carried out.
func (v *visitor) visit(ctx, act context.Context) error {
	begin := time.NewTimer(time.Duration(v.random.Int64N(int64(*every))))
	defer begin.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-begin.C:
	}
	tick := time.NewTicker(*every)
	defer tick.Stop()
	for {
		if err := v.act(act); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// notOversold compares all nights with the bookings, and the room plan with both.
func (w *town) notOversold(t *testing.T) {
	t.Helper()
	dates := dynastay.Stay{CheckIn: w.night(0).CheckIn, CheckOut: w.night(20).CheckIn}
	for h := range w.World.Hotels() {
		require.NoError(t, w.House.Bookings.VerifyNights(t.Context(), h.ID, dates))
		require.NoError(t, w.House.Bookings.VerifyUnits(t.Context(), h.ID, dates))
		c, err := w.House.Nights.Calendar(t.Context(), h.ID, dates)
		require.NoError(t, err)
		for _, day := range c.Days {
			for _, n := range day.Nights {
				assert.GreaterOrEqual(t, n.Available, -n.OverbookLimit, "%s on %s", n.RoomTypeID, n.Date)
			}
		}
	}
}
