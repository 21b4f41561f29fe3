package venue

import (
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// Slot is a part of a day that can be booked.
type Slot string

// The slots of a day. The full day excludes the other two.
const (
	Morning   Slot = "MORNING"
	Afternoon Slot = "AFTERNOON"
	FullDay   Slot = "FULL_DAY"
)

// Duration says how much of a day a booking takes. It follows from the slot.
type Duration string

// The durations.
const (
	HalfDay  Duration = "HALF_DAY"
	WholeDay Duration = "FULL_DAY"
)

// Duration returns how much of a day the slot takes, or "" for an unknown slot.
func (s Slot) Duration() Duration {
	switch s {
	case Morning, Afternoon:
		return HalfDay
	case FullDay:
		return WholeDay
	}
	return ""
}

// Overlaps reports whether both slots cannot be taken on the same day.
func (s Slot) Overlaps(other Slot) bool { return s == other || s == FullDay || other == FullDay }

func (s Slot) validate() error {
	if s.Duration() == "" {
		return dynastay.Invalid("Slot", "must be %s, %s or %s", Morning, Afternoon, FullDay)
	}
	return nil
}

// eventKey returns the key of the event in a slot. In keys, the full day is spelled without an underscore.
func eventKey(date dynastay.Date, slot Slot) (dynastay.Key, error) {
	if err := slot.validate(); err != nil {
		return dynastay.Key{}, err
	}
	text := string(slot)
	if slot == FullDay {
		text = "FULLDAY"
	}
	return key.Of(venuekeys.Event{Date: date, Slot: text})
}

// slotOf returns the slot of an event's key, or "" if the key is not that of an event.
func slotOf(at dynastay.Key) Slot {
	event, err := key.Parse[venuekeys.Event](at)
	if err != nil {
		return ""
	}
	if event.Slot == "FULLDAY" {
		return FullDay
	}
	return Slot(event.Slot)
}

// overlapping returns the slots that must be free for a slot, the slot itself first.
func overlapping(slot Slot) []Slot {
	all := []Slot{slot}
	for _, other := range []Slot{FullDay, Morning, Afternoon} {
		if other.Overlaps(slot) && !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	return all
}
