package dynastay

import "iter"

// Stay is a half-open range of dates: the guest arrives on CheckIn, sleeps every night up to the one before CheckOut,
// and the room is free again on CheckOut. It is not valid until [Stay.Validate] says so.
type Stay struct {
	CheckIn, CheckOut Date
}

// ParseStay reads both dates and validates the stay; its errors name "CheckIn" or "CheckOut".
func ParseStay(checkIn, checkOut string) (Stay, error) {
	in, err := ParseDate(checkIn)
	if err != nil {
		return Stay{}, &InvalidError{Field: "CheckIn", Reason: err.(*InvalidError).Reason}
	}
	out, err := ParseDate(checkOut)
	if err != nil {
		return Stay{}, &InvalidError{Field: "CheckOut", Reason: err.(*InvalidError).Reason}
	}
	s := Stay{in, out}
	return s, s.Validate()
}

// MustStay is [ParseStay] for constants: it panics on an error.
func MustStay(checkIn, checkOut string) Stay {
	s, err := ParseStay(checkIn, checkOut)
	if err != nil {
		panic(err)
	}
	return s
}

// Validate asks for two dates and at least one night between them.
func (s Stay) Validate() error {
	switch {
	case s.CheckIn.IsZero():
		return Invalid("CheckIn", "is required")
	case s.CheckOut.IsZero():
		return Invalid("CheckOut", "is required")
	case !s.CheckOut.After(s.CheckIn):
		return Invalid("CheckOut", "must be after check-in on %s, got %s", s.CheckIn, s.CheckOut)
	}
	return nil
}

// Nights is the number of nights, 0 for a stay that is not valid.
func (s Stay) Nights() int {
	if s.Validate() != nil {
		return 0
	}
	return s.CheckIn.DaysUntil(s.CheckOut)
}

// LastNight is the night before check-out.
func (s Stay) LastNight() Date { return s.CheckOut.AddDays(-1) }

// Dates walks the nights in order: check-in included, check-out not. A stay that is not valid has none.
func (s Stay) Dates() iter.Seq[Date] {
	return func(yield func(Date) bool) {
		for n := range s.Nights() {
			if !yield(s.CheckIn.AddDays(n)) {
				return
			}
		}
	}
}

// Contains reports whether the night of d belongs to the stay.
func (s Stay) Contains(d Date) bool {
	return s.Validate() == nil && !d.Before(s.CheckIn) && d.Before(s.CheckOut)
}

// Overlaps reports whether the two stays share a night. A check-in on the other's check-out day is no overlap.
func (s Stay) Overlaps(other Stay) bool {
	return s.Validate() == nil && other.Validate() == nil &&
		s.CheckIn.Before(other.CheckOut) && other.CheckIn.Before(s.CheckOut)
}

// String is the form "2025-01-15 to 2025-01-18".
func (s Stay) String() string { return s.CheckIn.String() + " to " + s.CheckOut.String() }
