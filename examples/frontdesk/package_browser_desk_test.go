package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/dyntest/world"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
)

func who(guest string) chromedp.CSS { return chromedp.CSS(fmt.Sprintf("[data-who^=%q]", guest)) }

func room(id string) chromedp.CSS { return chromedp.CSS(fmt.Sprintf("[data-room=%q] th", id)) }

// has waits until the plan shows a booking in a room.
func (b *tab) has(roomID, bookingID string) {
	b.t.Helper()
	b.try("see the booking in "+roomID, chromedp.WaitReady(chromedp.CSS(fmt.Sprintf("[data-room=%q] [data-who=%q]", roomID, bookingID+"#"+roomID))))
}

// click clicks the button with a label, and waits for the page that it leads to.
func (b *tab) click(label string) {
	b.t.Helper()
	b.pressAt(fmt.Sprintf(`//button[@aria-label=%q]`, label))
}

// drag drags guests to a room. A page that others change may move what the mouse aims at, so it is tried again.
func (b *tab) drag(bookingID, roomID string) {
	b.t.Helper()
	there := chromedp.CSS(fmt.Sprintf("[data-room=%q] [data-who=%q]", roomID, bookingID+"#"+roomID))
	for range 3 {
		b.try("drag to "+roomID, chromedp.DragAndDrop(who(bookingID), room(roomID)))
		ctx, stop := context.WithTimeout(b.ctx, patience/4)
		err := chromedp.Do(ctx, chromedp.WaitReady(there))
		stop()
		if err == nil {
			return
		}
	}
	b.has(roomID, bookingID)
}

// TestBrowserDesk is the whole day of the desk, with a colleague who watches.
func TestBrowserDesk(t *testing.T) {
	t.Parallel()
	b, w := chromium(t), openTown(t)
	h := w.Staffed(t, 0)
	ada, eve, free := w.Booked(t, h, "Ada", w.Three(), 1), w.Booked(t, h, "Eve", w.Three(), 1), w.Free(t, h)
	dana, colleague := w.tab(t, b), w.tab(t, b)
	dana.signIn(deskEmail, "/")
	dana.sees("Ada Byron")
	dana.examine("today")

	colleague.signIn(deskEmail, "/desk/plan")
	dana.open("/desk/plan")
	dana.drag(ada.ID, free[0])
	colleague.has(free[0], ada.ID) // without a click
	dana.examine("plan")
	dana.drag(ada.ID, free[1])
	dana.fill("Move", eve.ID) // what dragging does, without a mouse
	dana.fill("to room", free[0])
	dana.press("Move")
	dana.has(free[0], eve.ID)
	dana.fill("Move", ada.ID+"#"+free[1])
	dana.fill("to room", free[0])
	dana.press("Move")
	dana.sees("Not free: " + free[0])
	dana.try("tick", chromedp.Click(chromedp.CSS("[name=exchange]")))
	dana.fill("Move", ada.ID+"#"+free[1])
	dana.fill("to room", free[0])
	dana.press("Move")
	dana.has(free[0], ada.ID)
	colleague.has(free[1], eve.ID)

	dana.open("/desk/bookings/" + ada.ID)
	dana.press("Check in")
	dana.sees("Statuschecked in")
	dana.examine("stay")
	dana.open("/desk")
	dana.press("Give a room to all who lack one")
	dana.open("/desk/bookings/" + ada.ID)
	dana.press("Undo the check-in")
	dana.sees("Statusconfirmed")
	dana.press("Check in")
	dana.press("Check out")
	dana.sees("Statuscompleted")

	dana.open("/desk/rooms")
	dana.examine("rooms")
	dana.click("Room " + free[2] + " is " + string(other(w.state(t, h, free[2]))))
	dana.fill("Room", free[2])
	dana.fill("Reason", "window broken")
	dana.press("Take it out of order")
	dana.sees("window broken")
	colleague.sees("out of order")
	dana.click("Room " + free[2] + " can be used again")
	assert.NotContains(t, dana.text(), "window broken")

	w.prices(t, h.Rooms[0], dana, colleague)
	w.reviews(t, b, ada, dana)
}

func other(state units.Housekeeping) units.Housekeeping {
	if state == units.Inspected {
		return units.Clean
	}
	return units.Inspected
}

func (w *town) state(t *testing.T, h *world.Hotel, room string) units.Housekeeping {
	t.Helper()
	u, err := w.House.Units.Get(t.Context(), h.ID, room)
	require.NoError(t, err)
	return u.Housekeeping
}

// prices edits the grid, while a colleague does so too: each writes what they have changed.
func (w *town) prices(t *testing.T, r properties.RoomType, dana, colleague *tab) {
	t.Helper()
	at := func(days int) string { return r.Name + " on " + w.night(days).CheckIn.String() }
	for _, b := range []*tab{dana, colleague} {
		b.open("/desk/prices")
	}
	dana.examine("prices")
	colleague.fill("Price of "+at(5), "77.00")
	dana.fill("Price of "+at(6), "88.00")
	dana.fill("Minimum stay in "+at(6), "2")
	dana.fill("Who may book "+at(7), "no arrivals")
	dana.press("Save what has changed")
	colleague.try("see that somebody has changed something", chromedp.WaitReady(chromedp.CSS("#stale:not([hidden])"))) // and what was entered is still there
	colleague.press("Save what has changed")
	dana.try("see the colleague's price", chromedp.WaitReady(chromedp.CSS(`[value="77.00"]`)))
	c, err := w.House.Nights.Calendar(t.Context(), r.PropertyID, dynastay.Stay{CheckIn: w.night(5).CheckIn, CheckOut: w.night(8).CheckIn})
	require.NoError(t, err)
	five, six, seven := c.Days[0].Night(r.ID), c.Days[1].Night(r.ID), c.Days[2].Night(r.ID)
	assert.Equal(t, []string{"77.00", "88.00"}, []string{five.Price.Amount(), six.Price.Amount()})
	assert.Equal(t, 2, six.MinStay)
	assert.True(t, seven.ClosedToArrival)
	dana.fill("Price of "+at(6), "a lot")
	dana.press("Save what has changed")
	dana.sees("Price")
	assert.Contains(t, dana.text(), at(6)[:len(r.Name)])
}

// reviews has a moderator approve a review, and the hotel answer one.
func (w *town) reviews(t *testing.T, b context.Context, stayed *bookings.Booking, dana *tab) {
	t.Helper()
	_, err := w.House.Reviews.Create(t.Context(), reviews.Review{
		PropertyID: stayed.PropertyID, BookingID: stayed.ID, UserID: stayed.UserID, Title: "Quiet", Text: "We slept well.", GuestName: "A guest", TripType: reviews.Couple,
		Ratings: reviews.Ratings{Overall: 90},
	})
	require.NoError(t, err)
	moderator := w.tab(t, b)
	moderator.signIn(moderatorEmail, "/")
	moderator.examine("moderation")
	moderator.press("Approve")
	dana.open("/desk/reviews")
	dana.sees("We slept well.")
	dana.examine("reviews")
	dana.fill("Answer", "We thank you.")
	dana.press("Answer")
	dana.sees("The answer: We thank you.")
}

// TestBrowserLive measures how long it takes until a change is shown to others.
func TestBrowserLive(t *testing.T) {
	// Not in parallel: the other browsers would keep this one waiting.
	b, w := chromium(t), openTown(t)
	h := w.Staffed(t, 0)
	dana := w.tab(t, b)
	dana.signIn(deskEmail, "/desk/rooms")
	room := h.Units[0].ID
	var late []time.Duration
	for range changes {
		state := other(w.state(t, h, room))
		begun := time.Now()
		require.NoError(t, w.House.Units.SetHousekeeping(t.Context(), h.ID, room, state, "someone"))
		// There is no button for the state that the room has.
		dana.try("see the change", chromedp.WaitReady(chromedp.CSS(fmt.Sprintf("button[aria-label=%q]", "Room "+room+" is "+string(other(state))))))
		if took := time.Since(begun); took > time.Second {
			late = append(late, took)
		}
	}
	assert.LessOrEqual(t, len(late), changes/20, "of %d changes, these took longer than a second: %v", changes, late)
}

const changes = 40
