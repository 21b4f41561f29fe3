package bookings

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/entity"
)

// Source is where a booking comes from. It never changes.
type Source struct {
	// Channel is such as "expedia" or "front desk", at most 64 bytes; "" for the platform itself. "Expedia" is another one.
	Channel string
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

// Data are short texts of the platform's own about a booking or one of its lines, by name, such as {"campaign": "summer"}:
// at most [MaxData], with at most [MaxDataBytes] together, counting the names. The library stores them and returns them; it does
// not read them. They may not contain card data, and are removed when the booking is anonymised. Each change of a
// booking costs a write unit for each KB, two in a transaction, and 512 bytes of data may add a KB.
type Data map[string]string

// The limits of [Data].
const (
	MaxData      = 20
	MaxDataBytes = 512
)

// declare reads texts only. What other software may have stored beside them stays as it is, and must not make the booking
// unreadable, since it could then neither be cancelled nor erased.
func (d *Data) declare(f *entity.Fields) {
	texts := map[string]string(*d)
	entity.Keyed(f, "Data", &texts, func(f *entity.Fields, name string, text *string) {
		entity.Custom(f, name, text, storedText, textOrNone)
	})
	if maps.DeleteFunc(texts, func(_, text string) bool { return text == "" }); len(texts) == 0 {
		texts = nil
	}
	*d = texts
}

func storedText(text string) (types.AttributeValue, error) { return dynastay.Text(text), nil }

func textOrNone(v dynastay.Value) (string, error) {
	if v.Kind() != dynastay.KindText {
		return "", nil
	}
	return v.Text(), nil
}

func (d Data) validate() error {
	size := 0
	for _, name := range slices.Sorted(maps.Keys(d)) {
		at := fmt.Sprintf("Data[%s]", name)
		if size += len(name) + len(d[name]); len(d) > MaxData || size > MaxDataBytes {
			return dynastay.Invalid("Data", "must have at most %d entries and %d bytes, counting the names", MaxData, MaxDataBytes)
		}
		if name == "" {
			return dynastay.Invalid("Data", "must not have an empty name")
		}
		if err := checkText(name, MaxDataBytes); err != nil {
			return dynastay.Within("Data", err) // without the name, which may be that of a card
		}
		if d[name] == "" {
			return dynastay.Invalid(at, "must not be empty")
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

// checkLineData checks the data of the lines of a quote.
func checkLineData(all []Data, q *availability.Quote) error {
	if all != nil && len(all) != len(q.Lines) {
		return dynastay.Invalid("LineData", "must have one entry for each of the %d lines of the quote", len(q.Lines))
	}
	for i, data := range all {
		if err := data.validate(); err != nil {
			return dynastay.Within(fmt.Sprintf("LineData[%d]", i), err)
		}
	}
	return nil
}

func cloneData(all []Data) []Data {
	all = slices.Clone(all)
	for i := range all {
		all[i] = maps.Clone(all[i])
	}
	return all
}

func agreedLineData(in *dynastay.Input, all []Data) {
	for i, data := range all {
		in.Field("line data", strconv.Itoa(i))
		data.agreed(in)
	}
}
