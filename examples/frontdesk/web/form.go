package web

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/properties/search"
)

// form is what a guest has entered for a search.
type form struct {
	Place, CheckIn, CheckOut, Children, Sort string
	Adults, Rooms                            int
	Free                                     bool
}

// formOf reads a form; what is missing has its default.
func formOf(q url.Values, today dynastay.Date) form {
	f := form{
		Place: q.Get("place"), CheckIn: q.Get("checkIn"), CheckOut: q.Get("checkOut"), Children: q.Get("children"), Sort: q.Get("sort"),
		Adults: 2, Rooms: 1, Free: q.Get("free") != "",
	}
	if n, err := strconv.Atoi(q.Get("adults")); err == nil {
		f.Adults = n
	}
	if n, err := strconv.Atoi(q.Get("rooms")); err == nil {
		f.Rooms = n
	}
	if f.CheckIn == "" && f.CheckOut == "" {
		f.CheckIn, f.CheckOut = today.AddDays(7).String(), today.AddDays(9).String()
	}
	return f
}

// query is the form as the query of a link.
func (f form) query() string {
	q := url.Values{
		"place": {f.Place}, "checkIn": {f.CheckIn}, "checkOut": {f.CheckOut}, "children": {f.Children}, "sort": {f.Sort},
		"adults": {number(f.Adults)}, "rooms": {number(f.Rooms)},
	}
	if f.Free {
		q.Set("free", "1")
	}
	return q.Encode()
}

// request is what the form asks for, without the place.
func (f form) request() (r search.Request, err error) {
	if r.Stay, err = stayOf(f.CheckIn, f.CheckOut); err != nil {
		return r, err
	}
	for _, text := range strings.FieldsFunc(f.Children, func(c rune) bool { return c == ',' || c == ' ' }) {
		age, err := strconv.Atoi(text)
		if err != nil {
			return r, dynastay.Invalid("Ages of children", "must be numbers such as 4, 9")
		}
		r.ChildAges = append(r.ChildAges, age)
	}
	r.Guests = availability.Guests{Adults: f.Adults, Children: len(r.ChildAges)}
	r.Rooms, r.Sort, r.Filter.FreeCancellation = f.Rooms, search.Sort(f.Sort), f.Free
	return r, nil
}

func stayOf(checkIn, checkOut string) (s dynastay.Stay, err error) {
	if s.CheckIn, err = dynastay.ParseDate(checkIn); err != nil {
		return s, dynastay.Invalid("Arrival", "must be a date")
	}
	if s.CheckOut, err = dynastay.ParseDate(checkOut); err != nil {
		return s, dynastay.Invalid("Departure", "must be a date")
	}
	return s, nil
}
