// Package web has the pages of the service, those of guests and those of the desk. They are forms and links, and work without JavaScript:
// with it, rooms can be dragged, and pages show what others do.
package web

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/users"

	"github.com/dynastay/dynastay/examples/frontdesk/cost"
	"github.com/dynastay/dynastay/examples/frontdesk/house"
	"github.com/dynastay/dynastay/examples/frontdesk/live"
	"github.com/dynastay/dynastay/examples/frontdesk/signin"
)

//go:generate go run github.com/a-h/templ/cmd/templ@v0.3.1100 generate -path .

//go:embed static
var static embed.FS

// site has the handlers of the pages.
type site struct {
	house  *house.House
	places []house.Place
	cookie func(token string, seconds int) *http.Cookie
	hub    *live.Hub
}

// New returns the handler of the pages. Forms of other sites are refused.
func New(h *house.House, places []house.Place, hub *live.Hub, cookie func(token string, seconds int) *http.Cookie) http.Handler {
	s := &site{h, places, cookie, hub}
	mux := http.NewServeMux()
	mux.Handle("GET /static/", http.FileServerFS(static))
	routes := map[string]func(*request) error{
		"GET /live": s.live,
		"GET /{$}":  s.search, "GET /hotels/{id}": s.hotel, "POST /hotels/{id}/book": s.book,
		"GET /bookings": s.bookings, "GET /bookings/{id}": s.booking, "POST /bookings/{id}/pay": s.pay,
		"GET /bookings/{id}/cancel": s.cancelling, "POST /bookings/{id}/cancel": s.cancel,
		"GET /bookings/{id}/change": s.changing, "POST /bookings/{id}/change": s.change,
		"GET /sign-in": s.signInForm, "POST /sign-in": s.signIn, "POST /sign-up": s.signUp, "POST /sign-out": s.signOut,
	}
	maps.Copy(routes, s.deskRoutes())
	for pattern, serve := range routes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, serve) })
	}
	return http.NewCrossOriginProtection().Handler(mux)
}

// request is one request of a browser.
type request struct {
	*http.Request
	w       http.ResponseWriter
	visit   visit
	ctx     context.Context
	session *signin.Session // nil if nobody has signed in
}

// serve answers a request: with a page, with a redirect, or with what has gone wrong.
func (s *site) serve(w http.ResponseWriter, r *http.Request, serve func(*request) error) {
	ctx, tally := cost.Begin(r.Context())
	in := &request{r, w, visit{Path: r.URL.RequestURI(), Tally: tally, seen: s.hub.Now()}, ctx, nil}
	in.visit.Before = in.clickBefore()
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	err := r.ParseForm()
	if err != nil {
		err = dynastay.Invalid("Form", "cannot be read")
	}
	if token, missing := r.Cookie(signin.Cookie); err == nil && missing == nil {
		var session *signin.Session
		if session, err = s.house.Signins.Session(ctx, token.Value); err == nil {
			in.session, in.visit.User, in.visit.Role = session, session.UserID, session.Role
		} else if errors.Is(err, signin.ErrNoSession) {
			err = nil
		}
	}
	if err == nil {
		err = serve(in)
	}
	in.visit.Live = "" // of a page that shows what is wrong
	switch status := house.Status(err); {
	case err == nil, r.Context().Err() != nil: // the browser has gone
	case errors.Is(err, signin.ErrNoSession):
		http.Redirect(w, r, signInLink(in.visit.Path), http.StatusSeeOther)
	case status >= http.StatusInternalServerError:
		slog.ErrorContext(ctx, "a page failed", "path", r.URL.Path, "error", err)
		in.show(status, problemPage(in.visit, "Something went wrong", "It is not your fault. Please try again."))
	case status == http.StatusNotFound:
		in.show(status, problemPage(in.visit, "Not found", "There is nothing here."))
	default:
		in.show(status, problemPage(in.visit, "That is not possible", sentence(err)))
	}
}

func (r *request) show(status int, page templ.Component) {
	r.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	r.w.Header().Set("Cache-Control", "no-store") // a page has names of guests, and the next one at the computer may go back
	r.w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src https:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
	r.w.WriteHeader(status)
	if err := page.Render(r.ctx, r.w); err != nil && r.ctx.Err() == nil {
		slog.WarnContext(r.ctx, "a page was not sent", "error", err)
	}
}

// page shows a page. A problem that the guest can do something about is part of it; any other is returned.
func (r *request) page(problem error, page func(text string) templ.Component) error {
	if problem == nil {
		r.show(http.StatusOK, page(""))
		return nil
	}
	r.visit.Live = "" // what somebody has entered, and what is wrong with it, stays
	switch status := house.Status(problem); status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusPreconditionFailed, http.StatusUnauthorized:
		r.show(status, page(sentence(problem)))
		return nil
	}
	return problem
}

// clicked is the cookie that tells the next page what the click before has cost.
const clicked = "clicked"

func (r *request) clickBefore() string {
	c, err := r.Cookie(clicked)
	if err != nil {
		return ""
	}
	http.SetCookie(r.w, &http.Cookie{Name: clicked, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	text, _ := url.QueryUnescape(c.Value)
	return text
}

func (r *request) redirect(path string) error {
	text := url.QueryEscape(r.visit.Tally.String())
	http.SetCookie(r.w, &http.Cookie{Name: clicked, Value: text, Path: "/", MaxAge: 10, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(r.w, r.Request, path, http.StatusSeeOther)
	return nil
}

// user returns the user who has signed in, or [signin.ErrNoSession].
func (r *request) user() (string, error) {
	if r.visit.User == "" {
		return "", signin.ErrNoSession
	}
	return r.visit.User, nil
}

func (s *site) today() dynastay.Date { return dynastay.DateOf(s.house.DB.Now(), nil) }

func (s *site) search(r *request) error {
	f := formOf(r.Form, s.today())
	if f.Place == "" {
		r.show(http.StatusOK, searchPage(r.visit, f, s.places, nil, "", ""))
		return nil
	}
	ask, err := f.request()
	at := slices.IndexFunc(s.places, func(p house.Place) bool { return p.String() == f.Place })
	if err == nil && at < 0 {
		err = dynastay.Invalid("Where", "must be one of the cities")
	}
	var found []house.Found
	var next dynastay.Cursor
	if err == nil {
		ask.City, ask.Country = s.places[at].City, s.places[at].Country
		found, next, err = s.house.Search(r.ctx, r.visit.User, ask, dynastay.Paging{Limit: 10, Reads: 3, After: dynastay.Cursor(r.Form.Get("after"))})
	}
	return r.page(err, func(text string) templ.Component {
		return searchPage(r.visit, f, s.places, found, url.QueryEscape(string(next)), text)
	})
}

func (s *site) hotel(r *request) error {
	f := formOf(r.Form, s.today())
	ask, err := f.request()
	shown, problem := s.house.Show(r.ctx, r.visit.User, r.PathValue("id"), &ask)
	if err != nil || errors.Is(problem, dynastay.ErrInvalid) { // of the form: the hotel is shown all the same
		err = cmp.Or(err, problem)
		shown, problem = s.house.Show(r.ctx, r.visit.User, r.PathValue("id"), nil)
	}
	if problem != nil {
		return problem
	}
	said, problem := house.PageOf(r.ctx, s.house.Reviews.ByProperty(shown.ID), dynastay.Paging{Limit: 5})
	if problem != nil {
		return problem
	}
	return r.page(err, func(text string) templ.Component { return hotelPage(r.visit, f, shown, said.Items, text) })
}

func (s *site) book(r *request) error {
	user, err := r.user()
	if err != nil {
		return err
	}
	b, err := s.house.Hold(r.ctx, user, house.Hold{
		Token: r.PostForm.Get("offer"), Key: r.PostForm.Get("key"),
		Guest: bookings.Guest{FirstName: r.PostForm.Get("firstName"), LastName: r.PostForm.Get("lastName"), Email: r.PostForm.Get("email")},
	})
	if err != nil {
		return err
	}
	return r.redirect("/bookings/" + b.ID)
}

func (s *site) bookings(r *request) error {
	user, err := r.user()
	if err != nil {
		return err
	}
	show := cmp.Or(r.Form.Get("show"), "upcoming")
	list := s.house.Mine(user, show)
	page, err := house.PageOf(r.ctx, list, dynastay.Paging{Limit: 10, After: dynastay.Cursor(r.Form.Get("after"))})
	if err != nil {
		return err
	}
	r.show(http.StatusOK, bookingsPage(r.visit, show, page.Items, url.QueryEscape(string(page.Next))))
	return nil
}

// account returns the booking that the path names, of the user who has signed in.
func (s *site) account(r *request) (*house.Account, error) {
	user, err := r.user()
	if err != nil {
		return nil, err
	}
	return s.house.Account(r.ctx, user, r.PathValue("id"))
}

func (s *site) booking(r *request) error {
	a, err := s.account(r)
	if err != nil {
		return err
	}
	r.visit.Live = s.liveAt(a.ID)
	r.show(http.StatusOK, bookingPage(r.visit, a, s.house.DB.Now(), ""))
	return nil
}

func (s *site) pay(r *request) error {
	user, err := r.user()
	if err != nil {
		return err
	}
	_, problem := s.house.Pay(r.ctx, user, r.PathValue("id"), r.PostForm.Get("method"), r.PostForm.Get("key"))
	a, err := s.account(r)
	if err != nil {
		return err
	}
	r.visit.Live, r.visit.Path = s.liveAt(a.ID), "/bookings/"+a.ID
	if problem == nil {
		r.show(http.StatusOK, paidPage(r.visit, a))
		return nil
	}
	return r.page(problem, func(text string) templ.Component { return bookingPage(r.visit, a, s.house.DB.Now(), text) })
}

func (s *site) cancelling(r *request) error { return s.showCancelling(r, nil) }

func (s *site) showCancelling(r *request, problem error) error {
	user, err := r.user()
	if err != nil {
		return err
	}
	c, err := s.house.Cancelling(r.ctx, user, r.PathValue("id"))
	if err != nil {
		return cmp.Or(problem, err)
	}
	return r.page(problem, func(text string) templ.Component { return cancelPage(r.visit, c, text) })
}

func (s *site) cancel(r *request) error {
	user, err := r.user()
	if err != nil {
		return err
	}
	version, err := versionOf(r.PostForm)
	if err != nil {
		return err
	}
	amount, currency, _ := strings.Cut(r.PostForm.Get("refund"), " ")
	shown, err := dynastay.NewMoney(amount, dynastay.Currency(currency))
	if err != nil {
		return dynastay.Within("Refund", err)
	}
	if _, err := s.house.Cancel(r.ctx, user, r.PathValue("id"), version, shown, r.PostForm.Get("reason")); err != nil {
		return s.showCancelling(r, err)
	}
	return r.redirect("/bookings/" + r.PathValue("id"))
}

// versionOf returns the version that a form was made for.
func versionOf(form url.Values) (int, error) {
	version, err := strconv.Atoi(form.Get("version"))
	if err != nil {
		return 0, dynastay.Invalid("Version", "must be a number")
	}
	return version, nil
}

func (s *site) changing(r *request) error { return s.showChanging(r, nil) }

func (s *site) showChanging(r *request, problem error) error {
	a, err := s.account(r)
	if err != nil {
		return err
	}
	checkIn, checkOut := cmp.Or(r.Form.Get("checkIn"), a.Stay.CheckIn.String()), cmp.Or(r.Form.Get("checkOut"), a.Stay.CheckOut.String())
	var c *house.Changing
	if problem == nil && r.Form.Has("checkIn") {
		var stay dynastay.Stay
		if stay, problem = stayOf(checkIn, checkOut); problem == nil {
			c, problem = s.house.Changing(r.ctx, a.UserID, a.ID, stay)
		}
	}
	return r.page(problem, func(text string) templ.Component { return changePage(r.visit, a.Booking, checkIn, checkOut, c, text) })
}

func (s *site) change(r *request) error {
	user, err := r.user()
	if err != nil {
		return err
	}
	if _, err := s.house.Change(r.ctx, user, r.PathValue("id"), r.PostForm.Get("offer"), r.PostForm.Get("key")); err != nil {
		return s.showChanging(r, err)
	}
	return r.redirect("/bookings/" + r.PathValue("id"))
}

// back returns the path of this site to go to after signing in.
func back(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.Contains(path, "\\") {
		return "/" // not to another site
	}
	return path
}

func (s *site) signInForm(r *request) error {
	r.visit.Path = back(r.Form.Get("back"))
	r.show(http.StatusOK, signInPage(r.visit, r.visit.Path, "", ""))
	return nil
}

func (s *site) signIn(r *request) error {
	email, to := r.PostForm.Get("email"), back(r.PostForm.Get("back"))
	token, session, err := s.house.Signins.SignIn(r.ctx, email, r.PostForm.Get("password"))
	if err != nil {
		return r.page(err, func(text string) templ.Component { return signInPage(r.visit, to, email, text) })
	}
	http.SetCookie(r.w, s.cookie(token, int(signin.Lasts.Seconds())))
	if to == "/" {
		to = home(session.Role)
	}
	return r.redirect(to)
}

func (s *site) signUp(r *request) error {
	p := r.PostForm
	_, err := s.house.Signins.SignUp(r.ctx, users.User{Email: p.Get("email"), FirstName: p.Get("firstName"), LastName: p.Get("lastName")}, p.Get("password"))
	if err != nil {
		return r.page(err, func(text string) templ.Component {
			return signInPage(r.visit, back(p.Get("back")), p.Get("email"), text)
		})
	}
	return s.signIn(r)
}

func (s *site) signOut(r *request) error {
	token, err := r.Cookie(signin.Cookie)
	if err == nil {
		err = s.house.Signins.SignOut(r.ctx, token.Value)
		if err != nil && !errors.Is(err, signin.ErrNoSession) {
			return err
		}
	}
	http.SetCookie(r.w, s.cookie("", -1))
	return r.redirect("/")
}
