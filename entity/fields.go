package entity

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/shown"
	"github.com/dynastay/dynastay/internal/stored"
)

// Fields gives the function of [Declare] access to the item that is read or written. Each method declares one attribute
// and the variable for its value.
type Fields struct {
	*state
	ifSet bool
}

type state struct {
	item     dynastay.Item // the item being written
	row      dynastay.Row  // the row being read
	decoding bool
	names    *names // set if only the names are being collected
	path     string // path of the map that item or row represents, "" at the top level
	err      error
}

// naming records an attribute and its variable if only names are being collected, and reports whether they are.
func (f *Fields) naming(name string, p any) bool {
	if f.names == nil {
		return false
	}
	f.names.add(f.path+name, p)
	return true
}

// IfSet returns f for attributes that are not written if they have the zero value: f.IfSet().Int("Version",
// &e.Version).
func (f *Fields) IfSet() *Fields { return &Fields{f.state, true} }

// Fail makes the codec return an error for the attribute with that name. If err is nil, it does nothing. It is for
// checks of a caller's own types.
func (f *Fields) Fail(name string, err error) {
	if f.err != nil || err == nil || f.names != nil {
		return
	}
	if f.decoding {
		f.err = &dynastay.Error{Entity: "item", Field: f.path + name, Kind: dynastay.ErrCorrupt, Err: unreadable(err)}
	} else {
		f.err = dynastay.Within(f.path+name, err)
	}
}

// unreadable keeps only the text of an error that would otherwise match ErrInvalid, which is about the caller's
// arguments.
func unreadable(err error) error {
	if errors.Is(err, dynastay.ErrInvalid) {
		return errors.New(err.Error())
	}
	return err
}

// Decoding reports whether the codec reads a row (true) or writes an item.
func (f *Fields) Decoding() bool { return f.decoding }

// Const writes an attribute with a constant value, such as EntityType, that identifies the kind of item. It is ignored
// when reading.
func (f *Fields) Const(name, value string) {
	if !f.naming(name, nil) && !f.decoding {
		f.item[name] = stored.Text(value)
	}
}

// String declares text; "" is not written.
func (f *Fields) String(name string, p *string) { String(f, name, p) }

// String declares text of a named type, such as a status; "" is not written.
func String[S ~string](f *Fields, name string, p *S) {
	if f.naming(name, p) {
		return
	}
	if f.decoding {
		*p = S(f.readText(name))
	} else if *p != "" {
		f.put(name, stored.Text(string(*p)))
	}
}

// put sets an attribute, or fails if a text in it is not valid UTF-8, which DynamoDB would store differently.
func (f *Fields) put(name string, v types.AttributeValue) {
	if at, bad := stored.BadText(name, v); bad {
		f.Fail(at, dynastay.Invalid("", stored.NotUTF8))
		return
	}
	f.item[name] = v
}

// Int declares a whole number.
func (f *Fields) Int(name string, p *int) {
	if f.naming(name, p) {
		return
	}
	if f.decoding {
		*p = 0
		if n, ok := f.readNumber(name); ok {
			whole, err := stored.Integer(n)
			f.Fail(name, err)
			*p = whole
		}
	} else if *p != 0 || !f.ifSet {
		f.item[name] = stored.Number(strconv.Itoa(*p))
	}
}

// Float declares a measurement, such as a coordinate or an area; never use it for an amount of money. It is 0, or its
// size is from 1e-130 to 1e126: DynamoDB refuses other numbers.
func (f *Fields) Float(name string, p *float64) {
	if f.naming(name, p) {
		return
	}
	if f.decoding {
		*p = 0
		if n, ok := f.readNumber(name); ok {
			v, err := strconv.ParseFloat(n, 64)
			if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
				err = fmt.Errorf("must be a finite number, got %s", n)
			}
			f.Fail(name, err)
			*p = v
		}
	} else if *p != 0 || !f.ifSet {
		switch size := math.Abs(*p); {
		case math.IsNaN(size) || math.IsInf(size, 0):
			f.Fail(name, dynastay.Invalid("", "must be a finite number"))
			return
		case size != 0 && (size < 1e-130 || size >= 1e126): // DynamoDB refuses it
			f.Fail(name, dynastay.Invalid("", "must be 0 or a number from 1e-130 to 1e126"))
			return
		}
		f.item[name] = stored.Number(strconv.FormatFloat(*p, 'f', -1, 64))
	}
}

// Bool declares a boolean.
func (f *Fields) Bool(name string, p *bool) {
	if f.naming(name, p) {
		return
	}
	if !f.decoding {
		if *p || !f.ifSet {
			f.item[name] = &types.AttributeValueMemberBOOL{Value: *p}
		}
		return
	}
	*p = false
	if v, ok := f.read(name, dynastay.KindBool); ok {
		*p = v.Bool()
	}
}

// Date declares a calendar day, stored as 2025-01-15; the zero Date is not written.
func (f *Fields) Date(name string, p *dynastay.Date) {
	if f.naming(name, p) {
		return
	}
	if f.decoding {
		f.Fail(name, p.UnmarshalText([]byte(f.readText(name))))
	} else if !p.IsZero() {
		f.item[name] = stored.Text(p.String())
	}
}

// Time declares a time, stored in UTC as 2024-11-18T14:20:00Z, with milliseconds if they are not zero; the zero time is
// not written.
func (f *Fields) Time(name string, p *time.Time) {
	if f.naming(name, p) {
		return
	}
	if !f.decoding {
		if !p.IsZero() {
			f.Fail(name, fourDigits(*p))
			f.item[name] = dynastay.Instant(*p)
		}
		return
	}
	*p = time.Time{}
	if s := f.readText(name); s != "" {
		t, err := time.Parse(time.RFC3339Nano, s)
		if err == nil {
			err = fourDigits(t)
		} else {
			err = fmt.Errorf("must be an RFC 3339 time, got %q", shown.Truncated(s))
		}
		f.Fail(name, err)
		*p = t.UTC()
	}
}

// fourDigits returns an error for a time whose text could not be parsed again.
func fourDigits(t time.Time) error {
	if year := t.UTC().Year(); year < 1 || year > 9999 {
		return dynastay.Invalid("", "must be in a year between 1 and 9999, got %d", year)
	}
	return nil
}

// WriteID declares the item's write id; name must be the schema's attribute for it. The library writes it, whatever the
// value of p.
func (f *Fields) WriteID(name string, p *dynastay.WriteID) {
	if f.naming(name, p) {
		return
	}
	if f.decoding {
		*p = ""
		f.Fail(name, p.UnmarshalDynamoDBAttributeValue(orNull(f.row.Value(name))))
	}
}

// Unix declares a time stored as Unix seconds, the form that DynamoDB's time to live requires; the zero time is not
// written.
func (f *Fields) Unix(name string, p *time.Time) {
	if f.naming(name, p) {
		return
	}
	if !f.decoding {
		if !p.IsZero() {
			f.item[name] = stored.Number(strconv.FormatInt(p.Unix(), 10))
		}
		return
	}
	*p = time.Time{}
	if n, ok := f.readNumber(name); ok {
		seconds, err := stored.Integer(n)
		f.Fail(name, err)
		*p = time.Unix(int64(seconds), 0).UTC()
	}
}

func orNull(v dynastay.Value) types.AttributeValue {
	if v.IsNull() {
		return dynastay.NullValue().Stored()
	}
	return v.Stored()
}

// Rating declares a guest rating, stored as a number such as 9.2.
func (f *Fields) Rating(name string, p *dynastay.Rating) {
	if f.naming(name, p) {
		return
	}
	if !f.decoding {
		if *p != 0 || !f.ifSet {
			f.Fail(name, p.Validate())
			f.item[name] = stored.Number(strings.TrimSuffix(p.String(), ".0"))
		}
		return
	}
	*p = 0
	if n, ok := f.readNumber(name); ok {
		r, err := dynastay.ParseRating(n)
		if v, inexact := strconv.ParseFloat(n, 64); err != nil && inexact == nil && v >= 0 && v <= 10 {
			// Other software may store an average with more digits, which must not make the entity unreadable.
			r, err = dynastay.Rating(math.Floor(v*10+0.5)), nil
		}
		f.Fail(name, err)
		*p = r
	}
}

// Money declares an exact amount, stored as a number, with its currency in a separate attribute. Several amounts of one
// item may share the currency attribute; all must then be in that currency.
func (f *Fields) Money(name, currencyName string, p *dynastay.Money) {
	if f.names != nil {
		f.names.currencies = append(f.names.currencies, f.path+currencyName)
	}
	var currency dynastay.Currency
	if f.decoding {
		currency = dynastay.Currency(f.readText(currencyName))
	} else if currency = p.Currency(); currency != "" && f.names == nil {
		if there := dynastay.Currency(stored.TextOf(f.item[currencyName])); there != "" && there != currency {
			f.Fail(name, dynastay.Invalid("", "must be in %s, like the other amounts of the item; got %s", there, currency))
			return
		}
		f.item[currencyName] = stored.Text(string(currency))
	}
	f.Amount(name, currency, p)
}

// Amount declares an exact amount, stored as a number. The caller passes the currency, which is stored elsewhere.
func (f *Fields) Amount(name string, currency dynastay.Currency, p *dynastay.Money) {
	if f.naming(name, p) {
		return
	}
	if f.decoding {
		*p = dynastay.Money{}
		if n, ok := f.readNumber(name); ok {
			m, err := dynastay.MoneyOfDigits(n, currency)
			f.Fail(name, err)
			*p = m
		}
		return
	}
	if *p == (dynastay.Money{}) {
		return
	}
	if p.Currency() != currency {
		f.Fail(name, dynastay.Invalid("", "must be in %s, got %s", currency, p.Currency()))
		return
	}
	f.item[name] = stored.Number(p.Digits())
}

// Custom declares an attribute with a stored form of its own. If encode returns nil, the attribute is not written.
// decode is not called for a missing attribute or a NULL, which are read as the zero V.
func Custom[V any](f *Fields, name string, p *V, encode func(V) (types.AttributeValue, error), decode func(dynastay.Value) (V, error)) {
	if f.naming(name, p) {
		return
	}
	if !f.decoding {
		v, err := encode(*p)
		f.Fail(name, err)
		if v != nil {
			f.put(name, v)
		}
		return
	}
	*p = *new(V)
	if v := f.row.Value(name); !v.IsNull() {
		decoded, err := decode(v)
		f.Fail(name, err)
		*p = decoded
	}
}

// Strings declares a list of texts whose order matters. An empty list is written as an empty list; nil is not written.
func (f *Fields) Strings(name string, p *[]string) {
	if f.naming(name, p) {
		return
	}
	if !f.decoding {
		if *p != nil && (len(*p) > 0 || !f.ifSet) {
			list := make([]types.AttributeValue, len(*p))
			for i, s := range *p {
				list[i] = stored.Text(s)
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
		if v.Kind() != dynastay.KindText {
			f.wrongKind(fmt.Sprintf("%s[%d]", name, i), v.Kind(), dynastay.KindText)
			return
		}
		(*p)[i] = v.Text()
	}
}

// read returns an attribute that must be of the given kind; ok is false if it is missing, NULL, or of another kind.
func (f *Fields) read(name string, kind dynastay.Kind) (v dynastay.Value, ok bool) {
	v = f.row.Value(name)
	if v.Kind() == kind {
		return v, true
	}
	if !v.IsNull() {
		f.wrongKind(name, v.Kind(), kind)
	}
	return dynastay.Value{}, false
}

// scalar is like read, for a text or a number.
func (f *Fields) scalar(name string, want dynastay.Kind) (string, bool) {
	text, kind := f.row.Scalar(name)
	if kind == want {
		return text, true
	}
	if kind > dynastay.KindNull {
		f.wrongKind(name, kind, want)
	}
	return "", false
}

func (f *Fields) readText(name string) string {
	text, _ := f.scalar(name, dynastay.KindText)
	return text
}

func (f *Fields) readNumber(name string) (string, bool) { return f.scalar(name, dynastay.KindNumber) }

func (f *Fields) readList(name string) ([]dynastay.Value, bool) {
	v, ok := f.read(name, dynastay.KindList)
	return v.List(), ok
}

func (f *Fields) wrongKind(name string, is, want dynastay.Kind) {
	f.Fail(name, fmt.Errorf("must be %s, got %s", want, is))
}
