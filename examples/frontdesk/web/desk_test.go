package web_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest/world"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"

	"github.com/dynastay/dynastay/examples/frontdesk/signin"
	"github.com/dynastay/dynastay/examples/frontdesk/web"
)

const password = "correct horse"

// staff signs somebody in who works for a hotel, or as a moderator.
func (s *site) staff(t *testing.T, role signin.Role, hotelID string) *reader {
	t.Helper()
	u, err := s.House.Users.Create(t.Context(), users.User{Email: string(role) + hotelID + "@example.com", FirstName: "Dana", LastName: "Ames", Role: users.Customer})
	require.NoError(t, err)
	require.NoError(t, s.House.Signins.Employ(t.Context(), u.ID, role, hotelID, password))
	r := s.reader(t)
	r.signIn(u.Email)
	return r
}

func (r *reader) signIn(email string) {
	r.t.Helper()
	r.get("/sign-in").submit("Sign in", map[string]string{"email": email, "password": password})
	require.Equal(r.t, http.StatusOK, r.status, r.text)
}

// has returns the room that a booking has tonight.
func (s *site) has(t *testing.T, id string) string {
	t.Helper()
	b, err := s.House.Bookings.Get(t.Context(), id, dynastay.Consistent)
	require.NoError(t, err)
	return strings.Join(b.Lines[0].UnitsOn(s.Three().CheckIn), ",")
}

// The day of the desk, in forms, without a script.
func TestDesk(t *testing.T) {
	t.Parallel()
	s := open(t)
	h := s.Staffed(t, 0)
	ada, eve, free := s.Booked(t, h, "Ada", s.Three(), 1), s.Booked(t, h, "Eve", s.Three(), 1), s.Free(t, h)
	r := s.staff(t, signin.Desk, h.ID)
	r.sees("Today", "Ada Byron", "Give a room to all who lack one")

	r.get("/desk/plan").sees("Without a room")
	r.submit("Move", map[string]string{"who": ada.ID, "to": free[0]})
	assert.Equal(t, free[0], s.has(t, ada.ID), r.text)
	r.submit("Move", map[string]string{"who": ada.ID + "#" + free[0], "to": free[1]})
	assert.Equal(t, free[1], s.has(t, ada.ID))
	r.submit("Move", map[string]string{"who": eve.ID, "to": free[1]})
	assert.Equal(t, http.StatusConflict, r.status)
	r.sees("Not free: " + free[1])
	r.get("/desk/plan").submit("Move", map[string]string{"who": eve.ID, "to": free[0]})
	r.submit("Move", map[string]string{"who": eve.ID + "#" + free[0], "to": free[1], "exchange": "1"})
	assert.Equal(t, []string{free[0], free[1]}, []string{s.has(t, ada.ID), s.has(t, eve.ID)})
	r.submit("Move", map[string]string{"who": eve.ID + "#" + free[1], "to": lastOf(s.Free(t, h)), "exchange": "1"})
	r.sees("No guests have the other room then")

	r.get("/desk/bookings/"+ada.ID).submit("Check in", nil).sees("checked in", free[0])
	r.submit("Check out", nil).sees("completed")
	r.submit("Undo the check-out", nil).sees("checked in")
	r.submit("Undo the check-in", nil).sees("confirmed")
	r.submit("No-show", nil)
	assert.Equal(t, http.StatusConflict, r.status, "it is noon of the day of arrival")

	r.get("/desk/rooms").submit("Take it out of order", map[string]string{
		"room": free[1], "reason": "window broken", "checkIn": s.Three().CheckIn.String(), "checkOut": s.Three().CheckOut.String(),
	})
	r.sees("Not free: " + free[1])
	assert.Contains(t, r.text, `value="window broken"`, "what was entered is kept")
}

func lastOf(rooms []string) string { return rooms[len(rooms)-1] }

// choice is the value of a room that can be chosen for a line of the first room type.
func choice(h *world.Hotel, room string, nights dynastay.Stay) string {
	return strings.Join([]string{h.Rooms[0].ID, "0", room, nights.CheckIn.String(), nights.CheckOut.String()}, "#")
}

// A booking for which no room was chosen gets one at the check-in.
func TestCheckInWithARoom(t *testing.T) {
	t.Parallel()
	s := open(t)
	h := s.Staffed(t, 0)
	ada, free := s.Booked(t, h, "Ada", s.Three(), 1), s.Free(t, h)
	r := s.staff(t, signin.Desk, h.ID)
	r.get("/desk/bookings/"+ada.ID).submit("Check in", nil)
	assert.Equal(t, http.StatusBadRequest, r.status)
	r.sees("Room")
	r.submit("Check in", map[string]string{"room": choice(h, free[1], s.Three())}).sees("checked in")
	assert.Equal(t, free[1], s.has(t, ada.ID))
}

// All who arrive today get a room with one click.
func TestAssignAll(t *testing.T) {
	t.Parallel()
	s := open(t)
	h := s.Staffed(t, 0)
	ada := s.Booked(t, h, "Ada", s.Three(), 1)
	s.staff(t, signin.Desk, h.ID).get("/desk").submit("Give a room to all who lack one", nil)
	assert.NotEmpty(t, s.has(t, ada.ID))
}

// Only what somebody has changed in the grid is written, with one call.
func TestPrices(t *testing.T) {
	t.Parallel()
	s := open(t)
	h := s.Staffed(t, 0)
	room, today := h.Rooms[0].ID, s.Three().CheckIn
	night := func() *availability.Night {
		c, err := s.House.Nights.Calendar(t.Context(), h.ID, dynastay.Stay{CheckIn: today, CheckOut: today.AddDays(1)})
		require.NoError(t, err)
		return c.Days[0].Night(room)
	}
	before := night()
	r, price := s.staff(t, signin.Desk, h.ID), before.Price.Amount()
	field := func(kind, shown string) string { return strings.Join([]string{kind, room, today.String(), shown}, "#") }
	r.get("/desk/prices").sees("How full the house is")
	r.submit("Save", map[string]string{field("min", "0"): "3", field("rule", "open"): "no arrivals"})
	require.Equal(t, http.StatusOK, r.status, r.text)
	now := night()
	assert.Equal(t, before.Price, now.Price, "another desk may have changed it meanwhile")
	assert.Equal(t, 3, now.MinStay)
	assert.True(t, now.ClosedToArrival)
	r.get("/desk/prices").submit("Save", map[string]string{field("price", price): "99", field("min", "3"): "0", field("rule", "no arrivals"): "closed"})
	require.Equal(t, http.StatusOK, r.status, r.text)
	now = night()
	assert.Equal(t, "99", strings.TrimSuffix(now.Price.Amount(), ".00"))
	assert.True(t, now.StopSell)
	assert.True(t, now.ClosedToArrival, "what holds when it is open again stays")
	shown := now.Price.Amount()
	r.get("/desk/prices")
	_, err := s.House.Nights.Update(t.Context(), availability.UpdateRequest{PropertyID: h.ID, Changes: []availability.Change{{
		RoomTypeIDs: []string{room}, Dates: dynastay.Stay{CheckIn: today, CheckOut: today.AddDays(1)}, Price: before.Price,
	}}})
	require.NoError(t, err)
	r.submit("Save", map[string]string{field("price", shown): " 99", field("min", "0"): "00"})
	require.Equal(t, http.StatusOK, r.status, r.text)
	assert.Equal(t, before.Price, night().Price, "99 is what was shown, so a colleague's price stays")
	now, price = night(), before.Price.Amount()
	for field, wrong := range map[string]string{field("price", price): "a lot", field("min", "0"): "many", field("rule", "closed"): "sometimes"} {
		r.get("/desk/prices").submit("Save", map[string]string{field: wrong})
		assert.Equal(t, http.StatusBadRequest, r.status, field)
		assert.Equal(t, *now, *night())
	}
}

// review returns what a guest of the hotel has written.
func (s *site) review(t *testing.T, h *world.Hotel, approved bool) *reviews.Review {
	t.Helper()
	b := s.Booked(t, h, "Ida", s.Three(), 1)
	_, err := s.House.Bookings.CheckIn(t.Context(), b.ID, nil)
	require.NoError(t, err)
	_, err = s.House.Bookings.CheckOut(t.Context(), b.ID)
	require.NoError(t, err)
	r, err := s.House.Reviews.Create(t.Context(), reviews.Review{
		PropertyID: h.ID, BookingID: b.ID, UserID: b.UserID, Title: "Quiet", Text: "We slept well.", GuestName: "Ida",
		TripType: reviews.Couple, Ratings: reviews.Ratings{Overall: 90},
	})
	require.NoError(t, err)
	if approved {
		r, err = s.House.Reviews.Approve(t.Context(), r.ID, r.Version)
		require.NoError(t, err)
	}
	return r
}

// A review is read by others when a moderator has approved it, and the hotel answers.
func TestReviews(t *testing.T) {
	t.Parallel()
	s := open(t)
	h := s.Staffed(t, 0)
	dana, moderator := s.staff(t, signin.Desk, h.ID), s.staff(t, signin.Moderator, "")
	written := s.review(t, h, false)
	assert.NotContains(t, dana.get("/desk/reviews").text, "We slept well.")
	moderator.get("/moderation").sees("We slept well.")
	moderator.read(moderator.client.PostForm(s.URL+"/moderation/"+written.ID, url.Values{"version": {"7"}, "decision": {"approve"}}))
	assert.Equal(t, http.StatusPreconditionFailed, moderator.status, "it has changed since the moderator read it")
	moderator.read(moderator.client.PostForm(s.URL+"/moderation/"+written.ID, url.Values{"version": {"1"}, "decision": {"approve"}}))
	dana.get("/desk/reviews").sees("We slept well.")
	dana.read(dana.client.PostForm(s.URL+"/desk/reviews/"+written.ID, url.Values{"text": {"We thank you."}}))
	dana.sees("The answer: We thank you.")
	moderator.read(moderator.client.PostForm(s.URL+"/moderation/"+written.ID, url.Values{"version": {"2"}, "decision": {"reject"}, "reason": {"a name"}}))
	assert.NotContains(t, dana.get("/desk/reviews").text, "We slept well.")
}

// Guests who come after midnight have come for the night that goes on, also if it is the only one; those who come in the morning get a
// room that is free from today on, if none was last night.
func TestAfterMidnight(t *testing.T) {
	t.Parallel()
	s := open(t)
	h := s.Staffed(t, 0)
	zone, err := time.LoadLocation(h.TimeZone)
	require.NoError(t, err)
	night := s.Three()
	one := dynastay.Stay{CheckIn: night.CheckIn, CheckOut: night.CheckIn.AddDays(1)}
	ada, eve, ida, free := s.Booked(t, h, "Ada", s.Three(), 1), s.Booked(t, h, "Eve", one, 1), s.Booked(t, h, "Ida", s.Three(), 1), s.Free(t, h)
	for _, u := range h.Units { // no other room is free last night
		if u.ID == free[0] || u.Retired {
			continue
		}
		_, err := s.House.Bookings.TakeOutOfOrder(t.Context(), availability.House{ID: h.ID, TimeZone: h.TimeZone}, bookings.OutOfOrder{
			UnitID: u.ID, ID: "paint", Nights: one, Reason: "paint", By: "someone", Overbook: 10,
		})
		if taken := (*units.TakenError)(nil); !errors.As(err, &taken) && u.RoomTypeID == h.Rooms[0].ID {
			require.NoError(t, err)
		}
	}
	next := night.CheckIn.AddDays(1).Time()
	s.Clock.Set(time.Date(next.Year(), next.Month(), next.Day(), 0, 30, 0, 0, zone))
	r := s.staff(t, signin.Desk, h.ID)
	r.sees("Expected before today", "Eve Byron")
	assert.Contains(t, r.get("/desk/bookings/"+ada.ID).text, choice(h, free[0], night), "the night that goes on is the first one")
	r.get("/desk/bookings/"+eve.ID).submit("Check in", map[string]string{"room": choice(h, free[0], one)}).sees("checked in")
	assert.Equal(t, free[0], s.unit(t, eve.ID, one.CheckIn), "the night that goes on")
	s.Clock.Advance(7 * time.Hour)
	rest := dynastay.Stay{CheckIn: one.CheckOut, CheckOut: night.CheckOut}
	assert.Contains(t, r.get("/desk/bookings/"+ada.ID).text, choice(h, free[1], rest), "no room was free last night")
	r.submit("Check in", map[string]string{"room": choice(h, free[1], rest)}).sees("checked in")
	r.get("/desk/plan").submit("Move", map[string]string{"who": ida.ID, "to": free[2], "on": rest.CheckIn.String()})
	r.get("/desk/bookings/"+ida.ID).submit("Check in", nil).sees("checked in", free[2])
}

// Guests who lack a room on a later night can be checked in; two rooms that are lacked on different nights are chosen one after the other.
func TestGaps(t *testing.T) {
	t.Parallel()
	s := open(t)
	h := s.Staffed(t, 0)
	ada, free := s.Booked(t, h, "Ada", s.Three(), 1), s.Free(t, h)
	last := dynastay.Stay{CheckIn: s.Three().LastNight(), CheckOut: s.Three().CheckOut}
	first := dynastay.Stay{CheckIn: s.Three().CheckIn, CheckOut: last.CheckIn}
	_, err := s.House.Bookings.AssignUnits(t.Context(), ada.ID, []bookings.Assignment{{RoomTypeID: h.Rooms[0].ID, UnitID: free[0], Nights: first}})
	require.NoError(t, err)
	r := s.staff(t, signin.Desk, h.ID)
	assert.Contains(t, r.get("/desk/bookings/"+ada.ID).text, choice(h, free[1], last))
	r.submit("Check in", map[string]string{"room": ""}).sees("checked in")
	r.get("/desk/plan").submit("Move", map[string]string{"who": ada.ID, "to": free[1]})
	assert.Equal(t, free[1], s.unit(t, ada.ID, last.CheckIn))

	two := s.Booked(t, h, "Two", s.Three(), 2)
	_, err = s.House.Bookings.AssignUnits(t.Context(), two.ID, []bookings.Assignment{{RoomTypeID: h.Rooms[0].ID, UnitID: free[2], Nights: last}})
	require.NoError(t, err)
	r.get("/desk/bookings/" + two.ID)
	assert.Equal(t, 2, strings.Count(r.text, `value="`+choice(h, free[3], first)+`"`), "two lack a room on the first nights, and one on the last")
}

// unit is the room that a booking has on a night.
func (s *site) unit(t *testing.T, id string, night dynastay.Date) string {
	t.Helper()
	b, err := s.House.Bookings.Get(t.Context(), id, dynastay.Consistent)
	require.NoError(t, err)
	return strings.Join(b.Lines[0].UnitsOn(night), ",")
}

// Whoever has a room on all nights that the plan shows does not lack one; whoever lacks one on a single night does.
func TestWithoutARoom(t *testing.T) {
	t.Parallel()
	s := open(t)
	h := s.Staffed(t, 0)
	ada, free := s.Booked(t, h, "Ada", s.Three(), 1), s.Free(t, h)
	r := s.staff(t, signin.Desk, h.ID)
	second := s.Three().CheckIn.AddDays(1)
	r.get("/desk/plan").submit("Move", map[string]string{"who": ada.ID, "to": free[0], "on": second.String()})
	lacking := `data-who="` + ada.ID + `"`
	assert.Contains(t, r.get("/desk/plan").text, lacking)
	assert.NotContains(t, r.get("/desk/plan?from="+second.String()).text, lacking)
	r.submit("Move", map[string]string{"who": ada.ID, "to": free[1]})
	assert.NotContains(t, r.get("/desk/plan").text, lacking)
	assert.Equal(t, free[1], s.has(t, ada.ID))
}

// The rooms of a booking that was cancelled, of guests who left early, and of a no-show that was released, are free in the plan.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	s := open(t)
	h := s.Staffed(t, 0)
	rooms, guests := s.Free(t, h)[:3], []string{"Ada", "Eve", "Ben"}
	r := s.staff(t, signin.Desk, h.ID)
	var all []*bookings.Booking
	for i, name := range guests {
		all = append(all, s.Booked(t, h, name, s.Three(), 1))
		r.get("/desk/plan").submit("Move", map[string]string{"who": all[i].ID, "to": rooms[i]}).sees(name + " Byron")
	}
	r.get("/desk/bookings/"+all[0].ID).submit("Check in", nil).submit("Check out", nil)
	_, err := s.House.Bookings.Cancel(t.Context(), all[2].ID, "", nil)
	require.NoError(t, err)
	s.Clock.Advance(36 * time.Hour)
	r.signIn("desk" + h.ID + "@example.com")
	r.get("/desk/bookings/"+all[1].ID).submit("No-show", nil).sees("no show")
	r.get("/desk/bookings/"+all[1].ID).submit("Give their rooms to others", nil)
	require.Equal(t, http.StatusOK, r.status, r.text)
	plan := textOf(r.get("/desk/plan").doc)
	for _, name := range guests {
		assert.NotContains(t, plan, name+" Byron")
	}
	s.leave(t, h, rooms[2], all[2].ID)
	next := s.Booked(t, h, "Ida", s.Three(), 1)
	r.get("/desk/bookings/" + next.ID)
	for _, room := range rooms {
		assert.Contains(t, r.text, choice(h, room, s.Three()))
	}
	r.submit("Check in", map[string]string{"room": choice(h, rooms[2], s.Three())}).sees("checked in", rooms[2])
}

// leave leaves the three nights of a room to a booking that was cancelled, as one does whose cancellation has no place for them.
func (s *site) leave(t *testing.T, h *world.Hotel, room, bookingID string) {
	t.Helper()
	require.NoError(t, s.Direct.Write(t.Context(), dynastay.NewOp(dynastay.OpSpec[struct{}]{
		Name: "web_test.leave",
		Prepare: func(_ context.Context, tx *dynastay.Tx) (struct{}, error) {
			days := units.NewDays(h.ID)
			for date := range s.Three().Dates() {
				days.Take(units.Night{UnitID: room, Date: date}, units.Occupant{BookingID: bookingID, Line: 1})
			}
			return struct{}{}, days.AddTo(tx)
		},
	})))
}

// Nothing of the staff exists for guests, nothing of a hotel for the desk of another one, and nobody comes in without signing in.
func TestStaffOnly(t *testing.T) {
	t.Parallel()
	s := open(t)
	h, another := s.Staffed(t, 0), s.Staffed(t, 1)
	ada := s.Booked(t, h, "Ada", s.Three(), 1)
	own := s.Booked(t, another, "Own", s.Three(), 1)
	free := s.Free(t, another)
	guest, nobody, elsewhere := s.reader(t), s.reader(t), s.staff(t, signin.Desk, another.ID)
	guest.signUp("eve")
	fields := url.Values{"action": {"check out"}, "who": {ada.ID}, "to": {free[0]}, "room": {free[0]}, "state": {"dirty"}, "text": {"Thanks"}, "version": {"1"}, "decision": {"approve"}}
	shown, waiting := s.review(t, h, true), s.review(t, h, false)
	ask := func(r *reader, route string) {
		id := ada.ID
		switch {
		case strings.Contains(route, "reviews"):
			id = shown.ID
		case strings.Contains(route, "moderation"):
			id = waiting.ID
		}
		fields.Set("room", free[0])
		if strings.HasSuffix(route, "check-in") {
			fields.Set("room", "")
		}
		method, path, _ := strings.Cut(strings.ReplaceAll(route, "{id}", id), " ")
		if method == http.MethodGet {
			r.get(path)
			return
		}
		r.read(r.client.PostForm(s.URL+path, fields))
	}
	routes := web.StaffRoutes()
	require.NotEmpty(t, routes)
	for _, route := range routes {
		ask(guest, route)
		assert.Equal(t, http.StatusNotFound, guest.status, route)
		ask(nobody, route)
		assert.Equal(t, "/sign-in", nobody.url.Path, route)
		if strings.Contains(route, "{id}") || strings.Contains(route, "moderation") || route == "POST /desk/plan" {
			ask(elsewhere, route)
			assert.Equal(t, http.StatusNotFound, elsewhere.status, route)
		}
	}
	as, err := s.House.Bookings.Get(t.Context(), ada.ID, dynastay.Consistent)
	require.NoError(t, err)
	assert.Equal(t, ada.Version, as.Version, "nobody has changed it")
	for _, r := range []*reviews.Review{shown, waiting} {
		now, err := s.House.Reviews.Get(t.Context(), r.ID, dynastay.Consistent)
		require.NoError(t, err)
		assert.Equal(t, r.Status, now.Status)
		assert.Nil(t, now.Response)
	}
	elsewhere.get("/desk/bookings/" + own.ID).sees("Own Byron")
}
