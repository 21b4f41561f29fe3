package web

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability/units"
	"github.com/dynastay/dynastay/bookings"

	"github.com/dynastay/dynastay/examples/frontdesk/desk"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

// atDesk serves those who work at the desk of a property. For others, there is nothing.
func (s *site) atDesk(serve func(*request, *desk.Desk) error) func(*request) error {
	return func(r *request) error {
		if r.session == nil {
			return signin.ErrNoSession
		}
		d, err := desk.Open(r.ctx, s.house, r.session)
		if err != nil {
			return err
		}
		r.visit.Live = s.liveAt("")
		return serve(r, d)
	}
}

// shown is a page of the desk, with what has gone wrong.
type shown func(r *request, d *desk.Desk, problem error) error

func (s *site) deskPage(show shown) func(*request) error {
	return s.atDesk(func(r *request, d *desk.Desk) error { return show(r, d, nil) })
}

// deskForm does what a form of a page says, and shows the page again.
func (s *site) deskForm(show shown, to string, do func(r *request, d *desk.Desk) error) func(*request) error {
	return s.atDesk(func(r *request, d *desk.Desk) error {
		r.visit.Path = strings.ReplaceAll(to, "{id}", r.PathValue("id"))
		if r.URL.RawQuery != "" { // such as the dates of the plan
			r.visit.Path += "?" + r.URL.RawQuery
		}
		if err := do(r, d); err != nil {
			if show(r, d, err) != nil { // what the form did counts, not that the page cannot be shown
				return err
			}
			return nil
		}
		return r.redirect(r.visit.Path)
	})
}

func (s *site) deskRoutes() map[string]func(*request) error {
	return map[string]func(*request) error{
		"GET /desk":         s.deskPage(showDay),
		"POST /desk/assign": s.deskForm(showDay, "/desk", assignAll),
		"POST /desk/clean":  s.deskForm(showDay, "/desk", setState),
		"GET /desk/plan":    s.deskPage(showPlan),
		"POST /desk/plan":   s.deskForm(showPlan, "/desk/plan", move),

		"GET /desk/bookings/{id}":           s.deskPage(showStay),
		"POST /desk/bookings/{id}/check-in": s.deskForm(showStay, "/desk/bookings/{id}", checkIn),
		"POST /desk/bookings/{id}/move":     s.deskForm(showStay, "/desk/bookings/{id}", move),
		"POST /desk/bookings/{id}/act": s.deskForm(showStay, "/desk/bookings/{id}", func(r *request, d *desk.Desk) error {
			return d.Act(r.ctx, r.PathValue("id"), r.PostForm.Get("action"))
		}),

		"GET /desk/rooms":        s.deskPage(showRooms),
		"POST /desk/rooms/clean": s.deskForm(showRooms, "/desk/rooms", setState),
		"POST /desk/rooms/out":   s.deskForm(showRooms, "/desk/rooms", takeOut),
		"POST /desk/rooms/back": s.deskForm(showRooms, "/desk/rooms", func(r *request, d *desk.Desk) error {
			return d.PutBack(r.ctx, r.PostForm.Get("room"), r.PostForm.Get("out"))
		}),

		"GET /desk/prices":  s.deskPage(showPrices),
		"POST /desk/prices": s.atDesk(setPrices),

		"GET /desk/reviews": s.deskPage(showReviews),
		"POST /desk/reviews/{id}": s.deskForm(showReviews, "/desk/reviews", func(r *request, d *desk.Desk) error {
			return d.Answer(r.ctx, r.PathValue("id"), r.PostForm.Get("text"))
		}),

		"GET /moderation":       s.moderation,
		"POST /moderation/{id}": s.moderate,
	}
}

func showDay(r *request, d *desk.Desk, problem error) error {
	day, err := d.Day(r.ctx)
	if err != nil {
		return err
	}
	return r.page(problem, func(text string) templ.Component { return dayPage(r.visit, d, day, text) })
}

func assignAll(r *request, d *desk.Desk) error {
	left, err := d.AssignAll(r.ctx)
	if err == nil && left > 0 {
		return dynastay.Refusal("there is no room for " + count(left, "arrival"))
	}
	return err
}

// shownDays is how many days the room plan shows.
const shownDays = 14

func showPlan(r *request, d *desk.Desk, problem error) error {
	from, err := dateOr(r.Form.Get("from"), d.Today)
	if err != nil {
		return err
	}
	p, err := d.Plan(r.ctx, dynastay.Stay{CheckIn: from, CheckOut: from.AddDays(shownDays)})
	if err != nil {
		return err
	}
	return r.page(problem, func(text string) templ.Component { return planPage(r.visit, d, p, text) })
}

func dateOr(text string, otherwise dynastay.Date) (dynastay.Date, error) {
	if text == "" {
		return otherwise, nil
	}
	date, err := dynastay.ParseDate(text)
	if err != nil {
		return date, dynastay.Invalid("Date", "must be such as 2037-07-10")
	}
	return date, nil
}

// move reads who moves from a field that has the booking and the room that it has, if it has one.
func move(r *request, d *desk.Desk) error {
	bookingID, from, _ := strings.Cut(r.PostForm.Get("who"), "#") // no id has one
	on, err := dateOr(r.PostForm.Get("on"), dynastay.Date{})
	if err != nil {
		return err
	}
	return d.Move(r.ctx, desk.Move{
		BookingID: cmp.Or(r.PathValue("id"), bookingID), From: from, To: r.PostForm.Get("to"), On: on, Exchange: r.PostForm.Get("exchange") != "",
	})
}

func showStay(r *request, d *desk.Desk, problem error) error {
	b, err := d.Stay(r.ctx, r.PathValue("id"))
	if err != nil {
		return err
	}
	return r.page(problem, func(text string) templ.Component { return stayPage(r.visit, d, b, text) })
}

// choiceOf is the value of a room that can be chosen, such as "room_1#1#301#2037-07-10#2037-07-12". No id has a "#".
func choiceOf(c desk.Choice, unitID string) string {
	return strings.Join([]string{c.RoomTypeID, number(c.Number), unitID, c.Nights.CheckIn.String(), c.Nights.CheckOut.String()}, "#")
}

func checkIn(r *request, d *desk.Desk) error {
	var rooms []bookings.Assignment
	for _, choice := range r.PostForm["room"] {
		if choice == "" {
			continue
		}
		parts := strings.Split(choice, "#")
		if len(parts) != 5 {
			return dynastay.Invalid("Room", "must be one that was offered")
		}
		line, err := strconv.Atoi(parts[1])
		if err != nil {
			return dynastay.Invalid("Room", "must be one that was offered")
		}
		nights, err := stayOf(parts[3], parts[4])
		if err != nil {
			return err
		}
		rooms = append(rooms, bookings.Assignment{RoomTypeID: parts[0], Line: line, UnitID: parts[2], Nights: nights})
	}
	return d.CheckIn(r.ctx, r.PathValue("id"), rooms)
}

func setState(r *request, d *desk.Desk) error {
	return d.Clean(r.ctx, r.PostForm.Get("room"), units.Housekeeping(r.PostForm.Get("state")))
}

func showRooms(r *request, d *desk.Desk, problem error) error {
	rooms, err := d.Rooms(r.ctx)
	if err != nil {
		return err
	}
	return r.page(problem, func(text string) templ.Component { return roomsPage(r.visit, d, rooms, r.PostForm, text) })
}

func takeOut(r *request, d *desk.Desk) error {
	nights, err := stayOf(r.PostForm.Get("checkIn"), r.PostForm.Get("checkOut"))
	if err != nil {
		return err
	}
	return d.TakeOut(r.ctx, r.PostForm.Get("room"), r.PostForm.Get("key"), nights, r.PostForm.Get("reason"))
}

func showReviews(r *request, d *desk.Desk, problem error) error {
	page, err := d.Reviews(r.ctx, dynastay.Paging{Limit: 10, After: dynastay.Cursor(r.Form.Get("after"))})
	if err != nil {
		return err
	}
	return r.page(problem, func(text string) templ.Component { return reviewsPage(r.visit, page, r.written(), text) })
}

// written is what somebody has entered about one of the items of a page.
type written struct {
	id     string
	fields url.Values
}

func (r *request) written() written { return written{r.PathValue("id"), r.PostForm} }

// of returns what was entered about an item.
func (w written) of(id, field string) string {
	if w.id != id {
		return ""
	}
	return w.fields.Get(field)
}

func (s *site) moderation(r *request) error { return s.showModeration(r, nil) }

func (s *site) showModeration(r *request, problem error) error {
	m, err := s.moderator(r)
	if err != nil {
		return err
	}
	page, err := m.Waiting(r.ctx, dynastay.Paging{Limit: 10, After: dynastay.Cursor(r.Form.Get("after"))})
	if err != nil {
		return err
	}
	r.visit.Live = s.liveAt("")
	return r.page(problem, func(text string) templ.Component { return moderationPage(r.visit, page, r.written(), text) })
}

func (s *site) moderator(r *request) (*desk.Moderation, error) {
	if r.session == nil {
		return nil, signin.ErrNoSession
	}
	return desk.Moderate(s.house, r.session)
}

func (s *site) moderate(r *request) error {
	m, err := s.moderator(r)
	if err != nil {
		return err
	}
	version, err := versionOf(r.PostForm)
	if err == nil {
		err = m.Decide(r.ctx, r.PathValue("id"), version, r.PostForm.Get("decision"), r.PostForm.Get("reason"))
	}
	r.visit.Path = "/moderation" + r.visit.query()
	if err != nil {
		return s.showModeration(r, err)
	}
	return r.redirect(r.visit.Path)
}

// home is where a session begins.
func home(role signin.Role) string {
	switch role {
	case signin.Desk:
		return "/desk"
	case signin.Moderator:
		return "/moderation"
	}
	return "/"
}
