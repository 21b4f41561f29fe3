package bookings

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// Source is where a booking comes from.
type Source struct {
	Channel string // such as "expedia" or "front desk"; "" for the platform itself; at most 64 bytes
	// ExternalReference is the id of the booking in the channel's system or in a partner's, at most 128 bytes. An id that
	// has no letter and looks like a card number is refused: put the channel's name in front of it.
	ExternalReference string
}

const (
	maxChannel           = 64
	maxExternalReference = 128
)

func (s *Source) declare(f *entity.Fields) {
	f.String("Channel", &s.Channel)
	f.String("ExternalReference", &s.ExternalReference)
}

func (s *Source) validate() error {
	if err := checkText(s.Channel, maxChannel); err != nil {
		return dynastay.Within("Channel", err)
	}
	return dynastay.Within("ExternalReference", checkProviderID(s.ExternalReference, maxExternalReference))
}

func (s *Source) agreed(in *dynastay.Input) {
	if s.Channel != "" {
		in.Field("channel", s.Channel)
	}
	if s.ExternalReference != "" {
		in.Field("external reference", s.ExternalReference)
	}
}

// Data are short texts of the platform's own about a booking, by name, such as {"campaign": "summer"}: at most
// [MaxData], with at most [MaxDataBytes] together, counting the names. The library stores them and returns them; it does
// not read them. They may not contain card data, and are removed when the booking is anonymised. A booking that they make
// larger than 1 KB costs one more write unit for each of its changes.
type Data map[string]string

// The limits of [Data].
const (
	MaxData      = 20
	MaxDataBytes = 512
)

func (d *Data) declare(f *entity.Fields) {
	texts := map[string]string(*d)
	entity.Keyed(f, "Data", &texts, func(f *entity.Fields, name string, text *string) { f.String(name, text) })
	*d = texts
}

func (d Data) validate() error {
	size := 0
	for _, name := range slices.Sorted(maps.Keys(d)) {
		at := fmt.Sprintf("Data[%s]", name)
		if size += len(name) + len(d[name]); len(d) > MaxData || size > MaxDataBytes {
			return dynastay.Invalid("Data", "must have at most %d entries and %d bytes, counting the names", MaxData, MaxDataBytes)
		}
		switch {
		case name == "":
			return dynastay.Invalid("Data", "must not have an empty name")
		case d[name] == "":
			return dynastay.Invalid(at, "must not be empty")
		}
		if err := checkText(name, MaxDataBytes); err != nil {
			return dynastay.Within("Data", err)
		}
		if err := checkText(d[name], MaxDataBytes); err != nil {
			return dynastay.Within(at, err)
		}
	}
	return nil
}

func (d Data) agreed(in *dynastay.Input) {
	for _, name := range slices.Sorted(maps.Keys(d)) {
		in.Field("data", name)
		in.Field("text", d[name])
	}
}
