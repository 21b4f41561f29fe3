package migrate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/properties"
	"github.com/dynastay/dynastay/reviews"
	"github.com/dynastay/dynastay/users"
)

// Lines are what the lines of a file are: those of a kind of the library, such as [Bookings], or of [LinesOf].
type Lines struct {
	kind  string
	blank func() any
	// begin returns, for one load, what adds to a line what it need not say, from what is stored.
	begin    func() func(context.Context, any) error
	complete func(context.Context, any) error
	// check returns what no two lines may have, for people to read.
	check func(any) (unique []string, err error)
	write func(context.Context, any) (bool, error)
	// ordered writes one line after the other, because a later one may change what an earlier one has written.
	ordered bool
}

func (l Lines) read(ctx context.Context, one line) (any, error) {
	if one.invalid != nil {
		return nil, one.invalid
	}
	v := l.blank()
	if err := decode(one.text, v); err != nil {
		return nil, err
	}
	return v, l.complete(ctx, v)
}

// LinesOf returns lines of values of a kind of your own, which are read as encoding/json does it; unknown fields are refused.
// Check is called before any line is written. It sends no request, and returns the ids that no two lines may have, such as "ID 17",
// and an error that matches [dynastay.ErrInvalid] for a line that cannot be loaded. Write writes a value and reports whether it
// has written something. It must be repeatable, and safe for concurrent use; its errors are as those of [Walk.Each].
func LinesOf[T any](
	kind string, check func(*T) (unique []string, err error), write func(context.Context, *T) (written bool, err error),
) Lines {
	return Lines{
		kind:  kind,
		blank: func() any { return new(T) },
		begin: func() func(context.Context, any) error { return func(context.Context, any) error { return nil } },
		check: func(v any) ([]string, error) { return check(v.(*T)) },
		write: func(ctx context.Context, v any) (bool, error) { return write(ctx, v.(*T)) },
	}
}

// Property is a line of [Properties].
type Property struct {
	properties.Property
	Rooms []properties.RoomType `json:",omitzero"`
}

// Properties are lines with properties and their room types, each with its ID and CreatedAt, see
// [properties.Repository.ImportOp].
func Properties(r *properties.Repository) Lines {
	return LinesOf("properties", func(p *Property) ([]string, error) {
		unique := []string{"ID " + p.ID, "Slug " + p.Slug}
		for _, room := range p.Rooms {
			unique = append(unique, "room type "+room.ID)
		}
		return unique, r.ImportOp(p.Property, p.Rooms).Check()
	}, func(ctx context.Context, p *Property) (bool, error) {
		_, err := r.Import(ctx, p.Property, p.Rooms)
		return there(err, p.CreatedAt, func() (time.Time, error) {
			got, err := r.Get(ctx, p.ID, dynastay.Consistent)
			return createdAt(got, err, func(p *properties.Property) time.Time { return p.CreatedAt })
		})
	})
}

// RoomTypes are lines with room types of properties that exist, each with its ID and PropertyID. They have no CreatedAt of their own:
// a room type that the property has already counts as There.
func RoomTypes(r *properties.Repository) Lines {
	return LinesOf("room types", func(t *properties.RoomType) ([]string, error) {
		if t.ID == "" {
			return nil, dynastay.Invalid("ID", "is required")
		}
		if !t.CreatedAt.IsZero() {
			return nil, dynastay.Invalid("CreatedAt", "must be missing: a room type is created when it is loaded")
		}
		return []string{"ID " + t.ID}, r.AddRoomTypesOp(t.PropertyID, *t).Check()
	}, func(ctx context.Context, t *properties.RoomType) (bool, error) {
		_, err := r.AddRoomTypes(ctx, t.PropertyID, []properties.RoomType{*t})
		if !errors.Is(err, dynastay.ErrAlreadyExists) {
			return err == nil, err
		}
		whole, other := r.GetWithRooms(ctx, t.PropertyID, dynastay.Consistent)
		if other != nil {
			return false, other
		}
		if slices.ContainsFunc(whole.Rooms, func(had properties.RoomType) bool { return had.ID == t.ID }) {
			return false, nil
		}
		return false, err
	})
}

// inOrder are lines that are written one after the other.
func inOrder(l Lines) Lines {
	l.ordered = true
	return l
}

// Nights are lines that put nights on sale, in the order of the lines, see [availability.Repository.Open]. What is on sale already,
// also by an earlier line, stays as it is.
func Nights(r *availability.Repository) Lines {
	return inOrder(LinesOf("nights", func(o *availability.OpenRequest) ([]string, error) {
		return nil, o.Validate()
	}, func(ctx context.Context, o *availability.OpenRequest) (bool, error) {
		opened, err := r.Open(ctx, *o)
		return len(opened.Opened) > 0, err
	}))
}

// NightChanges are lines that change nights on sale: prices, restrictions and rates, see [availability.Repository.Update]. They are
// written in the order of the lines, so a later one overrides an earlier one.
func NightChanges(r *availability.Repository) Lines {
	return inOrder(LinesOf("night changes", func(u *availability.UpdateRequest) ([]string, error) {
		return nil, u.Validate()
	}, func(ctx context.Context, u *availability.UpdateRequest) (bool, error) {
		report, err := r.Update(ctx, *u)
		if again := report.Retry(); len(again) > 0 { // an error that says nothing about the line, although others do
			err = again[0].Err
		}
		return report.Count(availability.Written) > 0, err
	}))
}

// Users are lines with users, each with its ID and CreatedAt, see [users.Repository.ImportOp].
func Users(r *users.Repository) Lines {
	return LinesOf("users", func(u *users.User) ([]string, error) {
		email, err := key.NormalEmail(u.Email)
		return []string{"ID " + u.ID, "Email " + email}, cmp.Or(r.ImportOp(*u).Check(), err)
	}, func(ctx context.Context, u *users.User) (bool, error) {
		_, err := r.Import(ctx, *u)
		return there(err, u.CreatedAt, func() (time.Time, error) {
			got, err := r.Get(ctx, u.ID, dynastay.Consistent)
			return createdAt(got, err, func(u *users.User) time.Time { return u.CreatedAt })
		})
	})
}

// Reviews are lines with reviews of bookings that exist, each with its ID, CreatedAt and Status, see
// [reviews.Repository.ImportOp]. An approved one counts in the rating of the property.
func Reviews(r *reviews.Repository) Lines {
	return LinesOf("reviews", func(v *reviews.Review) ([]string, error) {
		switch v.Status {
		case reviews.Pending, reviews.Approved, reviews.Rejected:
		default:
			return nil, dynastay.Invalid("Status", "must be one of pending, approved, rejected")
		}
		return []string{"ID " + v.ID, "BookingID " + v.BookingID}, r.ImportOp(*v).Check()
	}, func(ctx context.Context, v *reviews.Review) (bool, error) {
		_, err := r.Import(ctx, *v)
		var stored *reviews.Review
		written, err := there(err, v.CreatedAt, func() (at time.Time, err error) {
			stored, err = r.Get(ctx, v.ID, dynastay.Consistent)
			return createdAt(stored, err, func(v *reviews.Review) time.Time { return v.CreatedAt })
		})
		// An earlier run may have ended before the review was decided on. The author may have changed it since.
		if err != nil || v.Status == reviews.Pending || stored != nil && (stored.Status != reviews.Pending || stored.Version != 1) {
			return written, err
		}
		if v.Status == reviews.Approved {
			_, err = r.Approve(ctx, v.ID, 1)
		} else {
			_, err = r.Reject(ctx, v.ID, 1, v.RejectionReason)
		}
		return true, err
	})
}

// Bookings are lines with bookings of any status, see [bookings.Repository.ImportOp]. A line need not say what the property
// says: its name, time zone and time of check-in, and the names, limits and policies of its room types. If a room has one agreed
// price, it is that of each night.
//
// The check of the lines takes 1 request for each property.
func Bookings(r *bookings.Repository, hosts *properties.Repository) Lines {
	lines := LinesOf("bookings", func(i *bookings.Import) ([]string, error) {
		unique := []string{"ID " + i.ID}
		if i.Reference != "" {
			unique = append(unique, "Reference "+i.Reference)
		}
		if i.UniqueReference {
			unique = append(unique, fmt.Sprintf("ExternalReference %s of %s", i.ExternalReference, i.Channel))
		}
		return unique, r.ImportOp(*i).Check()
	}, func(ctx context.Context, i *bookings.Import) (bool, error) {
		_, err := r.Import(ctx, *i)
		return there(err, i.CreatedAt, func() (time.Time, error) {
			got, err := r.Get(ctx, i.ID, dynastay.Consistent)
			return createdAt(got, err, func(b *bookings.Booking) time.Time { return b.CreatedAt })
		})
	})
	lines.begin = func() func(context.Context, any) error {
		c := &completer{hosts: hosts, read: map[string]func() (*properties.WithRooms, error){}}
		return func(ctx context.Context, v any) error { return c.complete(ctx, v.(*bookings.Import)) }
	}
	return lines
}

// there decides on the error of an import. If something with the id exists that was created at the same time, it is what an
// earlier run has written, whatever has become of it since.
func there(err error, at time.Time, stored func() (time.Time, error)) (written bool, _ error) {
	if !errors.Is(err, dynastay.ErrAlreadyExists) {
		return err == nil, err
	}
	had, other := stored()
	switch {
	case errors.Is(other, dynastay.ErrNotFound): // something else of it exists, such as its reference
		return false, err
	case other != nil:
		return false, other
	case !had.Equal(at.Truncate(time.Millisecond)):
		return false, err
	}
	return false, nil
}

func createdAt[T any](v *T, err error, of func(*T) time.Time) (time.Time, error) {
	if err != nil {
		return time.Time{}, err
	}
	return of(v), nil
}

// completer completes bookings from their properties, each of which it reads once.
type completer struct {
	hosts *properties.Repository
	mu    sync.Mutex
	read  map[string]func() (*properties.WithRooms, error)
}

func (c *completer) property(ctx context.Context, id string) (*properties.WithRooms, error) {
	c.mu.Lock()
	read, known := c.read[id]
	if !known {
		read = sync.OnceValues(func() (*properties.WithRooms, error) { return c.hosts.GetWithRooms(ctx, id, dynastay.Consistent) })
		c.read[id] = read
	}
	c.mu.Unlock()
	return read()
}

func (c *completer) complete(ctx context.Context, i *bookings.Import) error {
	p, err := c.property(ctx, i.Property.ID)
	switch {
	case errors.Is(err, dynastay.ErrNotFound), errors.Is(err, dynastay.ErrInvalid):
		return dynastay.Invalid("Property.ID", "must be that of a property")
	case err != nil:
		return err
	}
	i.Property.Name, i.Property.TimeZone = cmp.Or(i.Property.Name, p.Name), cmp.Or(i.Property.TimeZone, p.TimeZone)
	i.Property.CheckInTime = cmp.Or(i.Property.CheckInTime, p.CheckInTime)
	for n := range i.Rooms {
		room := &i.Rooms[n]
		at := slices.IndexFunc(p.Rooms, func(t properties.RoomType) bool { return t.ID == room.RoomTypeID })
		if at < 0 {
			return dynastay.Invalid(fmt.Sprintf("Rooms[%d].RoomTypeID", n), "must be a room type of the property")
		}
		t := &p.Rooms[at]
		room.Name = cmp.Or(room.Name, t.Name)
		room.CancellationPolicy = cmp.Or(room.CancellationPolicy, t.CancellationPolicy, p.CancellationPolicy)
		if room.Limits == (availability.Limits{}) {
			room.Limits = t.Limits
		}
		if nights := i.Stay.Nights(); len(room.Agreed) == 1 && nights > 1 && nights <= availability.MaxNights {
			room.Agreed = slices.Repeat(room.Agreed, nights)
		}
	}
	return nil
}
