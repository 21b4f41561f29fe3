package web

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/dynastay/dynastay"

	"github.com/dynastay/dynastay/examples/frontdesk/live"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

// listens is how long a browser listens before it asks anew, which it does by itself. Only then is its session looked at again.
const listens = time.Minute

// liveAt is where a page listens: one about a booking of the guest, or what the role of the session may see.
func (s *site) liveAt(bookingID string) string { return "/live?booking=" + url.QueryEscape(bookingID) }

// live sends an event whenever something has changed in a page, until the browser goes.
func (s *site) live(r *request) error {
	wants, err := s.wants(r)
	if err != nil {
		return err
	}
	since, err := strconv.ParseInt(cmp.Or(r.Header.Get("Last-Event-ID"), r.Form.Get("since")), 10, 64)
	if err != nil {
		return dynastay.Invalid("since", "must be a number")
	}
	w := s.hub.Watch(since, wants)
	defer s.hub.Leave(w)
	r.w.Header().Set("Content-Type", "text/event-stream")
	r.w.Header().Set("Cache-Control", "no-store")
	enough := time.NewTimer(listens)
	defer enough.Stop()
	send := http.NewResponseController(r.w)
	if _, err := fmt.Fprint(r.w, "retry: 500\n\n"); err != nil || send.Flush() != nil {
		return nil // the browser has gone
	}
	for {
		select {
		case <-r.ctx.Done():
			return nil
		case <-s.hub.Ended():
			return nil
		case <-enough.C:
			return nil
		case <-w.Changed:
		}
		// The browser reads the page after this moment, and need not be told again of what was before.
		if _, err := fmt.Fprintf(r.w, "id: %d\ndata: changed\n\n", s.hub.Now()); err != nil || send.Flush() != nil {
			return nil
		}
	}
}

// wants returns which changes a page is told of: those that its reader may see.
func (s *site) wants(r *request) (func(live.About) bool, error) {
	user, err := r.user()
	if err != nil {
		return nil, err
	}
	if id := r.Form.Get("booking"); id != "" && r.session.Role == signin.Guest {
		_, err := s.house.Own(r.ctx, user, id)
		return func(a live.About) bool { return a.BookingID == id }, err
	}
	switch at := r.session.PropertyID; r.session.Role {
	case signin.Desk:
		return func(a live.About) bool { return a.PropertyID == at }, nil
	case signin.Moderator:
		return func(a live.About) bool { return a.Review }, nil
	}
	return nil, dynastay.Invalid("booking", "is required")
}
