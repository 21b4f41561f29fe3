package dynastay

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/shown"
)

// Date is a calendar day without a time or a time zone: a night is booked for a date at the property, whatever the
// clocks of guest and server show. The zero Date means "no date". Dates are comparable with == and usable as map keys.
type Date struct {
	n int32 // days since 31 December of the year 0, so that the first valid date is 1 and 0 means "no date"
}

// secondsToFirst is the Unix time of the day before 1 January of the year 1.
const (
	secondsToFirst = -62135596800 - secondsPerDay
	secondsPerDay  = 86400
)

// NewDate returns a date. For a day that does not exist, such as 30 February, or a year outside 1 to 9999, it returns
// an error; it does not normalise the date as time.Date does.
func NewDate(year int, month time.Month, day int) (Date, error) {
	t := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	if y, m, d := t.Date(); y != year || m != month || d != day || year < 1 || year > 9999 {
		return Date{}, Invalid("Date", "must be a valid date, got %04d-%02d-%02d", year, int(month), day)
	}
	return dateOfUnix(t.Unix()), nil
}

// ParseDate parses a date in the form 2025-01-15. Its error contains the text, truncated.
func ParseDate(text string) (Date, error) {
	var y, m, d int
	if len(text) == 10 && text[4] == '-' && text[7] == '-' && digits(text[:4], &y) && digits(text[5:7], &m) && digits(text[8:], &d) {
		if date, err := NewDate(y, time.Month(m), d); err == nil {
			return date, nil
		}
	}
	return Date{}, Invalid("Date", "must be a valid date in the form YYYY-MM-DD, got %q", shown.Truncated(text))
}

// MustDate is like [ParseDate] but panics on an error. It is for constants.
func MustDate(text string) Date {
	d, err := ParseDate(text)
	if err != nil {
		panic(err)
	}
	return d
}

// DateOf returns the calendar date at time t in the time zone loc. A nil loc means UTC. For a date outside the years 1
// to 9999 it returns the zero Date.
func DateOf(t time.Time, loc *time.Location) Date {
	if loc == nil {
		loc = time.UTC
	}
	y, m, d := t.In(loc).Date()
	if y < 1 || y > 9999 {
		return Date{}
	}
	return dateOfUnix(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix())
}

func dateOfUnix(sec int64) Date { return Date{int32((sec - secondsToFirst) / secondsPerDay)} }

// Time returns midnight UTC of the date, for formatting and weekday arithmetic.
func (d Date) Time() time.Time {
	return time.Unix(int64(d.n)*secondsPerDay+secondsToFirst, 0).UTC()
}

// String returns the date in the form 2025-01-15, or "" for the zero Date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return d.Time().Format(time.DateOnly)
}

// IsZero reports whether d is the zero Date, "no date".
func (d Date) IsZero() bool { return d.n == 0 }

// AddDays returns the date n days later, or earlier if n is negative. It returns the zero Date if the result is outside
// the years 1 to 9999, or d is the zero Date.
func (d Date) AddDays(n int) Date {
	sum := int64(d.n) + int64(n)
	if d.IsZero() || sum < 1 || sum > int64(lastDate) {
		return Date{}
	}
	return Date{int32(sum)}
}

const lastDate = 3652059 // 9999-12-31

// DaysUntil returns the number of days from d to other, negative if other is earlier.
func (d Date) DaysUntil(other Date) int { return int(other.n) - int(d.n) }

// Before reports whether d is earlier than other.
func (d Date) Before(other Date) bool { return d.n < other.n }

// After reports whether d is later than other.
func (d Date) After(other Date) bool { return d.n > other.n }

// Compare returns -1, 0 or +1 if d is earlier than, equal to or later than other. It can be passed to slices.SortFunc
// as Date.Compare.
func (d Date) Compare(other Date) int {
	switch {
	case d.n < other.n:
		return -1
	case d.n > other.n:
		return 1
	}
	return 0
}

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.Time().Weekday() }

// MarshalText returns the form of [Date.String].
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses the form of [Date.String]; empty text is the zero Date.
func (d *Date) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = Date{}
		return nil
	}
	parsed, err := ParseDate(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}

// MarshalDynamoDBAttributeValue implements attributevalue.Marshaler of the SDK, for structs with dynamodbav tags.
func (d Date) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return textOrNull(d.String()), nil
}

// UnmarshalDynamoDBAttributeValue implements attributevalue.Unmarshaler of the SDK, for structs with dynamodbav tags.
func (d *Date) UnmarshalDynamoDBAttributeValue(v types.AttributeValue) error {
	return readTextOrNull(v, d)
}

func digits(s string, into *int) bool {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
		n = n*10 + int(s[i]-'0')
	}
	*into = n
	return true
}
