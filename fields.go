package dynastay

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/govalues/decimal"
)

// Fields is the item that a declared codec is at work on; each method names one attribute and the variable that holds
// its value. See [Declare].
type Fields struct {
	*state
	ifSet bool
}

type state struct {
	item     Item
	decoding bool
	path     string // of the map that item is, "" at the top
	err      error
}

// IfSet is f for attributes whose zero value is written as absent: f.IfSet().Int("Version", &e.Version).
func (f *Fields) IfSet() *Fields { return &Fields{f.state, true} }

// Fail stops the codec with an error at the attribute of that name. It is for the checks of a caller's own types.
func (f *Fields) Fail(name string, err error) {
	if f.err != nil || err == nil {
		return
	}
	if f.decoding {
		f.err = &Error{Entity: "item", Field: f.path + name, Kind: ErrCorrupt, Err: unreadable(err)}
	} else {
		f.err = Within(f.path+name, err)
	}
}

// unreadable keeps the text of an error only, where it would pass for a refusal of the caller's arguments.
func unreadable(err error) error {
	if errors.Is(err, ErrInvalid) {
		return errors.New(err.Error())
	}
	return err
}

// Decoding reports whether the codec reads an item (true) or writes one.
func (f *Fields) Decoding() bool { return f.decoding }

// Const writes an attribute that says what the item is, such as EntityType. It is not looked at when reading.
func (f *Fields) Const(name, value string) {
	if !f.decoding {
		f.item[name] = str(value)
	}
}

// String is text; "" is written as absent.
func (f *Fields) String(name string, p *string) { Text(f, name, p) }

// Text is text of a named type, such as a status; "" is written as absent.
func Text[S ~string](f *Fields, name string, p *S) {
	if f.decoding {
		*p = S(f.readText(name))
	} else if *p != "" {
		f.put(name, str(string(*p)))
	}
}

// put sets an attribute, unless DynamoDB would store another text of it.
func (f *Fields) put(name string, v types.AttributeValue) {
	if at, bad := badText(name, v); bad {
		f.Fail(at, Invalid("", notUTF8))
		return
	}
	f.item[name] = v
}

// Int is a whole number.
func (f *Fields) Int(name string, p *int) {
	if f.decoding {
		*p = 0
		if n, ok := f.readNumber(name); ok {
			whole, err := strconv.Atoi(n)
			f.Fail(name, err)
			*p = whole
		}
	} else if *p != 0 || !f.ifSet {
		f.item[name] = num(strconv.Itoa(*p))
	}
}

// Float is a measurement, such as a coordinate or an area; never an amount of money.
func (f *Fields) Float(name string, p *float64) {
	if f.decoding {
		*p = 0
		if n, ok := f.readNumber(name); ok {
			v, err := strconv.ParseFloat(n, 64)
			if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
				err = fmt.Errorf("%s is not a number", n)
			}
			f.Fail(name, err)
			*p = v
		}
	} else if *p != 0 || !f.ifSet {
		if math.IsNaN(*p) || math.IsInf(*p, 0) {
			f.Fail(name, Invalid("", "is not a number"))
			return
		}
		f.item[name] = num(strconv.FormatFloat(*p, 'f', -1, 64))
	}
}

// Bool is a yes or no.
func (f *Fields) Bool(name string, p *bool) {
	if !f.decoding {
		if *p || !f.ifSet {
			f.item[name] = &types.AttributeValueMemberBOOL{Value: *p}
		}
		return
	}
	*p = false
	switch v := f.item[name].(type) {
	case nil, *types.AttributeValueMemberNULL:
	case *types.AttributeValueMemberBOOL:
		*p = v.Value
	default:
		f.wrongType(name, v, "a boolean")
	}
}

// Date is a calendar day, stored as 2025-01-15; the zero Date is written as absent.
func (f *Fields) Date(name string, p *Date) {
	if f.decoding {
		f.Fail(name, p.UnmarshalText([]byte(f.readText(name))))
	} else if !p.IsZero() {
		f.item[name] = str(p.String())
	}
}

// Time is an instant, stored in UTC as 2024-11-18T14:20:00Z, with milliseconds where they are not zero; the zero time
// is written as absent.
func (f *Fields) Time(name string, p *time.Time) {
	if !f.decoding {
		if !p.IsZero() {
			f.Fail(name, fourDigits(*p))
			f.item[name] = str(instant(*p))
		}
		return
	}
	*p = time.Time{}
	if s := f.readText(name); s != "" {
		t, err := time.Parse(time.RFC3339Nano, s)
		if err == nil {
			err = fourDigits(t)
		} else {
			err = fmt.Errorf("%q is not an instant", truncated(s))
		}
		f.Fail(name, err)
		*p = t.UTC()
	}
}

// fourDigits refuses an instant whose text could not be read again.
func fourDigits(t time.Time) error {
	if year := t.UTC().Year(); year < 1 || year > 9999 {
		return Invalid("", "is in the year %d, not between 1 and 9999", year)
	}
	return nil
}

// WriteID reads the item's write id; name is that of the schema's attribute. The library writes it, whatever p holds.
func (f *Fields) WriteID(name string, p *WriteID) {
	if f.decoding {
		*p = ""
		f.Custom(name, nil, p.UnmarshalDynamoDBAttributeValue)
	}
}

// Unix is an instant as a number of seconds, the form that DynamoDB's time to live asks for; the zero time is written
// as absent.
func (f *Fields) Unix(name string, p *time.Time) {
	if !f.decoding {
		if !p.IsZero() {
			f.item[name] = num(strconv.FormatInt(p.Unix(), 10))
		}
		return
	}
	*p = time.Time{}
	if n, ok := f.readNumber(name); ok {
		seconds, err := strconv.ParseInt(n, 10, 64)
		f.Fail(name, err)
		*p = time.Unix(seconds, 0).UTC()
	}
}

func instant(t time.Time) string {
	t = t.UTC().Truncate(time.Millisecond)
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

// Rating is a guest rating, stored as a number such as 9.2.
func (f *Fields) Rating(name string, p *Rating) {
	if !f.decoding {
		if *p != 0 || !f.ifSet {
			f.Fail(name, p.Validate())
			f.item[name] = num(strings.TrimSuffix(p.String(), ".0"))
		}
		return
	}
	*p = 0
	if n, ok := f.readNumber(name); ok {
		r, err := ParseRating(n)
		if v, inexact := strconv.ParseFloat(n, 64); err != nil && inexact == nil && v >= 0 && v <= 10 {
			// Other software may store an average with more digits. It must not make the entity unreadable.
			r, err = Rating(math.Floor(v*10+0.5)), nil
		}
		f.Fail(name, err)
		*p = r
	}
}

// Money is an exact amount as a number, with its currency in an attribute of its own beside it, which several amounts
// of one item may share: then all must be of that currency.
func (f *Fields) Money(name, currencyName string, p *Money) {
	var currency Currency
	if f.decoding {
		currency = Currency(f.readText(currencyName))
	} else if p.currency != "" {
		currency = p.currency
		if there := Currency(text(f.item[currencyName])); there != "" && there != currency {
			f.Fail(name, Invalid("", "is in %s where the other amounts are in %s", currency, there))
			return
		}
		f.item[currencyName] = str(string(currency))
	}
	f.Amount(name, currency, p)
}

// Amount is an exact amount as a number, whose currency stands elsewhere and is passed along.
func (f *Fields) Amount(name string, currency Currency, p *Money) {
	if f.decoding {
		*p = Money{}
		if n, ok := f.readNumber(name); ok {
			d, err := parseDecimal(n)
			f.Fail(name, err)
			*p = Money{d, currency}
		}
		return
	}
	if !p.IsSet() && p.amount == (decimal.Decimal{}) {
		return
	}
	if p.currency != currency {
		f.Fail(name, Invalid("", "is in %s, not in %s", p.currency, currency))
		return
	}
	f.item[name] = num(p.amount.String())
}

// Custom is an attribute of a form of its own. encode returns nil for "absent"; decode is not called for a missing
// attribute or a NULL, so set the zero value before.
func (f *Fields) Custom(name string, encode func() (types.AttributeValue, error), decode func(types.AttributeValue) error) {
	if f.decoding {
		if v := f.item[name]; !isNull(v) {
			f.Fail(name, decode(v))
		}
		return
	}
	v, err := encode()
	f.Fail(name, err)
	if v != nil {
		f.put(name, v)
	}
}

// Strings is a list of texts in an order that matters; an empty list is written as such, nil as absent.
func (f *Fields) Strings(name string, p *[]string) {
	if !f.decoding {
		if *p != nil && (len(*p) > 0 || !f.ifSet) {
			list := make([]types.AttributeValue, len(*p))
			for i, s := range *p {
				list[i] = str(s)
			}
			f.put(name, &types.AttributeValueMemberL{Value: list})
		}
		return
	}
	*p = nil
	list, ok := f.readList(name)
	if !ok {
		return
	}
	*p = make([]string, len(list))
	for i, v := range list {
		s, ok := v.(*types.AttributeValueMemberS)
		if !ok {
			f.wrongType(fmt.Sprintf("%s[%d]", name, i), v, "text")
			return
		}
		(*p)[i] = s.Value
	}
}

// Map is a nested map, its attributes declared by inner. A map in which nothing is set is written as absent.
func (f *Fields) Map(name string, inner func(f *Fields)) {
	nested := &state{item: Item{}, decoding: f.decoding, path: f.path + name + "."}
	if f.decoding {
		switch v := f.item[name].(type) {
		case nil, *types.AttributeValueMemberNULL:
		case *types.AttributeValueMemberM:
			nested.item = v.Value
		default:
			f.wrongType(name, v, "a map")
			return
		}
	}
	inner(&Fields{state: nested})
	if f.err == nil {
		f.err = nested.err
	}
	if !f.decoding && len(nested.item) > 0 {
		f.item[name] = &types.AttributeValueMemberM{Value: nested.item}
	}
}

// List is a list of maps, each declared by one; nil is written as absent.
func List[V any](f *Fields, name string, p *[]V, one func(f *Fields, v *V)) {
	if f.decoding {
		*p = nil
		list, ok := f.readList(name)
		if !ok {
			return
		}
		*p = make([]V, len(list))
		for i := range list {
			at := fmt.Sprintf("%s[%d]", name, i)
			m, ok := list[i].(*types.AttributeValueMemberM)
			if !ok {
				f.wrongType(at, list[i], "a map")
				return
			}
			element := &state{item: m.Value, decoding: true, path: f.path + at + "."}
			one(&Fields{state: element}, &(*p)[i])
			if f.err == nil {
				f.err = element.err
			}
		}
		return
	}
	if *p == nil {
		return
	}
	list := make([]types.AttributeValue, len(*p))
	for i := range *p {
		element := &state{item: Item{}, path: fmt.Sprintf("%s%s[%d].", f.path, name, i)}
		one(&Fields{state: element}, &(*p)[i])
		if f.err == nil {
			f.err = element.err
		}
		list[i] = &types.AttributeValueMemberM{Value: element.item}
	}
	f.item[name] = &types.AttributeValueMemberL{Value: list}
}

// Keyed is a nested map from texts of the entity's own, such as dates or ids, to values; one declares the attribute of
// the given name. A nil or empty map is written as absent.
func Keyed[V any](f *Fields, name string, p *map[string]V, one func(f *Fields, name string, v *V)) {
	if f.decoding {
		*p = nil
	}
	for key := range *p {
		if !utf8.ValidString(key) {
			f.Fail(name, Invalid("", "has a name that is not UTF-8"))
			return
		}
	}
	f.Map(name, func(f *Fields) {
		if f.decoding && len(f.item) > 0 {
			*p = make(map[string]V, len(f.item))
			for key := range f.item {
				(*p)[key] = *new(V)
			}
		}
		for key, v := range *p {
			one(f, key, &v)
			if f.decoding {
				(*p)[key] = v
			}
		}
	})
}

func (f *Fields) readText(name string) string {
	switch v := f.item[name].(type) {
	case nil, *types.AttributeValueMemberNULL:
	case *types.AttributeValueMemberS:
		return v.Value
	default:
		f.wrongType(name, v, "text")
	}
	return ""
}

func (f *Fields) readNumber(name string) (string, bool) {
	switch v := f.item[name].(type) {
	case nil, *types.AttributeValueMemberNULL:
	case *types.AttributeValueMemberN:
		return v.Value, true
	default:
		f.wrongType(name, v, "a number")
	}
	return "", false
}

func (f *Fields) readList(name string) ([]types.AttributeValue, bool) {
	switch v := f.item[name].(type) {
	case nil, *types.AttributeValueMemberNULL:
	case *types.AttributeValueMemberL:
		return v.Value, true
	default:
		f.wrongType(name, v, "a list")
	}
	return nil, false
}

func (f *Fields) wrongType(name string, v types.AttributeValue, want string) {
	f.Fail(name, fmt.Errorf("is %T where %s is expected", v, want))
}
