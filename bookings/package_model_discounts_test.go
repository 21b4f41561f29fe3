package bookings_test

import (
	"context"
	"errors"
	"fmt"

	"pgregory.net/rapid"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/bookings"
	"github.com/dynastay/dynastay/internal/testing/model"
)

// telling says which discount the guest was told.
type telling int

const (
	toldNothing telling = iota
	toldRight
	toldWrong
)

func drawTelling(t *rapid.T) telling {
	return model.OneOf(t, "told", toldNothing, toldNothing, toldNothing, toldNothing, toldNothing, toldRight, toldRight, toldRight, toldRight, toldWrong)
}

// of returns the discount that the guest was told, in cents.
func (s telling) of(cents int64) (m dynastay.Money) {
	switch s {
	case toldRight:
		m = dollars(cents)
	case toldWrong:
		m = dollars(cents + 1)
	}
	return m
}

// codeChange says what becomes of the code of a booking.
type codeChange int

const (
	keepCode codeChange = iota
	sameCode            // named again
	dropCode
	otherCode
)

// recode is the part of a modification that concerns the code.
type recode struct {
	change codeChange
	code   choosingCode
	told   telling
}

func drawRecode(t *rapid.T, changes ...codeChange) recode {
	return recode{model.OneOf(t, "code change", changes...), drawCode(t), drawTelling(t)}
}

// enter enters the code and the discount in a modification.
func (s recode) enter(w *world, m *bookings.Modification) {
	b := w.bookings[m.BookingID]
	text := ""
	switch s.change {
	case keepCode:
	case sameCode:
		text = b.code
		m.PromoCode = &text
	case otherCode:
		text = s.code.text(w)
		m.PromoCode = &text
	default:
		m.PromoCode = &text
	}
	if s.change == keepCode && s.told == toldRight {
		return // as it was quoted
	}
	rooms := int64(0)
	if m.Quote != nil {
		rooms = centsOf(m.Quote.Total)
	} else if b.id != "" {
		_, rooms, _ = b.sums()
	}
	_, discount, _ := w.recoded(b, bookings.Modification{PromoCode: m.PromoCode}, rooms)
	m.Discounts = s.told.of(discount)
}

func unknownCode(code string) error {
	return &bookings.PromoError{Code: code, Err: bookings.ErrPromoUnknown}
}

// coded returns the code of a new booking and its discount, or why it cannot be used.
func (w *world) coded(s creating, rooms int64) (code string, discount int64, no error) {
	code = typedCode(s.code)
	if _, there := w.codes[code]; !there {
		return "", 0, unknownCode(code)
	}
	if no = w.unusable(code); no == nil {
		discount, no = w.discount(code, rooms)
	}
	if no == nil && s.discounts.IsSet() && s.discounts != dollars(discount) {
		no = dynastay.Invalid("Discounts", "…")
	}
	return code, discount, no
}

// recoded returns the code and the discount that a booking has after a modification.
func (w *world) recoded(b worldBooking, m bookings.Modification, rooms int64) (code string, discount int64, no error) {
	text := b.code
	if m.PromoCode != nil {
		text = *m.PromoCode
	}
	if code = typedCode(text); code != "" {
		if _, there := w.codes[code]; !there {
			return "", 0, unknownCode(code)
		}
		discount, no = w.discount(code, rooms)
		switch {
		case code == b.code && errors.Is(no, bookings.ErrPromoMinimum):
			discount, no = 0, nil // the booking keeps the code
		case code != b.code && no == nil:
			no = w.unusable(code)
		}
	}
	if no == nil && m.Discounts.IsSet() && m.Discounts != dollars(discount) {
		no = dynastay.Invalid("Discounts", "…")
	}
	return code, discount, no
}

// inputOfCode is what repeated modifications have in common of the code.
func inputOfCode(m bookings.Modification) string {
	if m.PromoCode == nil {
		return fmt.Sprint("keeps", m.Discounts)
	}
	return fmt.Sprintf("%q %s", typedCode(*m.PromoCode), m.Discounts)
}

// metCodes counts what has become of a code.
func (w *world) metCodes(before, after worldBooking) {
	switch {
	case before.code == "" && after.code == "":
	case after.code == "":
		w.met.Add("modify: code dropped", 1)
	case before.code == "":
		w.met.Add("modify: code added", 1)
	case before.code != after.code:
		w.met.Add("modify: code replaced", 1)
	case before.discount != after.discount:
		w.met.Add("modify: discount changed", 1)
	}
}

// recoding modifies the code of a booking, and nothing else.
type recoding struct {
	back  int
	stale bool
	recode
	key keyChoice
}

func drawRecoding(t *rapid.T) worldStep {
	return recoding{model.UpTo(t, mostBack, "booking"), onceIn(t, 10, "stale"), drawRecode(t, sameCode, dropCode, otherCode, otherCode, otherCode), drawKey(t)}
}

func (s recoding) String() string {
	return fmt.Sprintf("modify the code of booking %d: %+v, stale %t, key %d", s.back, s.recode, s.stale, s.key)
}

func (s recoding) run(w *world, on program) { w.runWrite(s, s.key, on) }

func (s recoding) write(w *world) (worldWrite, bool) {
	id := w.chooses(s.back, modifiable.from)
	m := bookings.Modification{BookingID: id, Version: w.bookings[id].version}
	if s.stale {
		m.Version--
	}
	s.recode.enter(w, &m)
	return s.call(w, m), true
}

// call returns the call that modifies the code.
func (s recoding) call(w *world, m bookings.Modification) worldWrite {
	var before worldBooking
	return worldWrite{
		name: "modify", input: "code of " + m.BookingID + inputOfCode(m),
		do: func(on program, opts ...dynastay.WriteOption) (*bookings.Booking, error) {
			got, err := on.repo.Modify(context.Background(), m, opts...)
			return got.Booking, err
		},
		expected: func() (after worldBooking, no error) {
			before = w.bookings[m.BookingID]
			return w.withCode(before, m)
		},
		apply: func(after worldBooking) { w.metCodes(before, after) },
		varied: func(which int) worldWrite {
			other, text := m, fmt.Sprint(*m.PromoCode, which)
			other.PromoCode = &text
			return s.call(w, other)
		},
	}
}

// withCode returns the booking with another code, or why it is refused. If nothing changes, nothing is written.
func (w *world) withCode(b worldBooking, m bookings.Modification) (after worldBooking, no error) {
	if b.id == "" {
		return b, dynastay.ErrNotFound
	}
	if err := modifiable.allows(b, w.db.Now()); err != nil {
		return b, err
	}
	if m.Version != b.version {
		return b, dynastay.ErrVersion
	}
	_, rooms, _ := b.sums()
	after = b
	if after.code, after.discount, no = w.recoded(b, m, rooms); no != nil {
		return b, no
	}
	if after.code != b.code || after.discount != b.discount {
		after.version++
		after.updated = w.db.Now()
	}
	return after, nil
}
