package dynastay

import "iter"

// Stay is a half-open range of dates: the guest arrives on CheckIn, stays every night up to the one before CheckOut,
// and the room is free again on CheckOut. Use [Stay.Validate] to check that it is valid.
type Stay struct {
	CheckIn, CheckOut Date `json:",omitzero"`
}

// ParseStay parses both dates and validates the stay. Its errors name the field "CheckIn" or "CheckOut".
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

// MustStay is like [ParseStay] but panics on an error. It is for constants.
func MustStay(checkIn, checkOut string) Stay {
	s, err := ParseStay(checkIn, checkOut)
	if err != nil {
		panic(err)
	}
	return s
}

// MonthOf returns the nights of the month that contains d.
func MonthOf(d Date) Stay {
	first := d.AddDays(1 - d.Time().Day())
	return Stay{first, DateOf(first.Time().AddDate(0, 1, 0), nil)}
}

// Validate returns an error unless both dates are set and CheckOut is after CheckIn.
func (s Stay) Validate() error {
	switch {
	case s.CheckIn.IsZero():
		return Invalid("CheckIn", "is required")
	case s.CheckOut.IsZero():
		return Invalid("CheckOut", "is required")
	case !s.CheckOut.After(s.CheckIn):
		return Invalid("CheckOut", "must be after CheckIn (%s), got %s", s.CheckIn, s.CheckOut)
	}
	return nil
}

// Nights returns the number of nights, or 0 for an invalid stay.
func (s Stay) Nights() int {
	if s.Validate() != nil {
		return 0
	}
	return s.CheckIn.DaysUntil(s.CheckOut)
}

// LastNight returns the night before check-out.
func (s Stay) LastNight() Date { return s.CheckOut.AddDays(-1) }

// Dates iterates over the nights in order, including check-in and excluding check-out. An invalid stay has no nights.
func (s Stay) Dates() iter.Seq[Date] {
	return func(yield func(Date) bool) {
		for n := range s.Nights() {
			if !yield(s.CheckIn.AddDays(n)) {
				return
			}
		}
	}
}

// Contains reports whether the night of d is part of the stay.
func (s Stay) Contains(d Date) bool {
	return s.Validate() == nil && !d.Before(s.CheckIn) && d.Before(s.CheckOut)
}

// Overlaps reports whether the two stays share a night. A check-in on the other's check-out day is not an overlap.
func (s Stay) Overlaps(other Stay) bool {
	return s.Validate() == nil && other.Validate() == nil &&
		s.CheckIn.Before(other.CheckOut) && other.CheckIn.Before(s.CheckOut)
}

// String returns the form "2025-01-15 to 2025-01-18".
func (s Stay) String() string { return s.CheckIn.String() + " to " + s.CheckOut.String() }
