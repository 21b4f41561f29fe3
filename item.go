package dynastay

import (
	"encoding"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay/internal/stored"
)

// Item is an item to be written, or a part of one, in the SDK's types. An item that was read is a [Row].
type Item = map[string]types.AttributeValue

// Text returns s as a stored value.
func Text(s string) types.AttributeValue { return stored.Text(s) }

// Number returns a whole number as a stored value.
func Number(n int) types.AttributeValue { return stored.Number(itoa(n)) }

// Instant returns a time as a stored value: in UTC in the form 2024-11-18T14:20:00Z, with milliseconds if they are not
// zero.
func Instant(t time.Time) types.AttributeValue { return stored.Text(instant(t)) }

func instant(t time.Time) string {
	t = t.UTC().Truncate(time.Millisecond)
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

func itoa(n int) string { return strconv.Itoa(n) }

func textOrNull(s string) types.AttributeValue {
	if s == "" {
		return &types.AttributeValueMemberNULL{Value: true}
	}
	return Text(s)
}

func readTextOrNull(v types.AttributeValue, into encoding.TextUnmarshaler) error {
	if _, ok := v.(*types.AttributeValueMemberS); !ok && !stored.IsNull(v) {
		return fmt.Errorf("must be %s, got %s", KindText, valueOf(v).Kind())
	}
	return into.UnmarshalText([]byte(stored.TextOf(v)))
}
