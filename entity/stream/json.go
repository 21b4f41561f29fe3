package stream

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// recordJSON is the JSON of a record. Items are in DynamoDB's own JSON, which preserves the types of all values.
type recordJSON struct {
	Table          string
	Label          string
	Sequence       string
	Keys, Old, New rowJSON `json:",omitzero"`
	At             time.Time
	ByTTL          bool `json:",omitzero"`
}

type rowJSON struct{ dynastay.Row }

// IsZero leaves an item that does not exist out of the JSON.
func (r rowJSON) IsZero() bool { return !r.Exists() }

func (r rowJSON) MarshalJSON() ([]byte, error) { return attributevalue.MarshalMapJSON(r.Item()) }

func (r *rowJSON) UnmarshalJSON(data []byte) error {
	item, err := attributevalue.UnmarshalMapJSON(data)
	if err != nil {
		return err
	}
	for name, value := range item {
		if !known(value) {
			return fmt.Errorf("attribute %q contains a value of no known type", name)
		}
	}
	r.Row = dynastay.RowOf(item)
	return nil
}

// known reports whether a value and all values in it are of a known type. The SDK reads any other type, and null, as
// values that cannot be written again.
func known(v types.AttributeValue) bool {
	switch v := v.(type) {
	case nil, *types.UnknownUnionMember:
		return false
	case *types.AttributeValueMemberBS:
		return !slices.ContainsFunc(v.Value, func(element []byte) bool { return element == nil })
	case *types.AttributeValueMemberL:
		return !slices.ContainsFunc(v.Value, func(element types.AttributeValue) bool { return !known(element) })
	case *types.AttributeValueMemberM:
		for _, element := range v.Value {
			if !known(element) {
				return false
			}
		}
	}
	return true
}

// MarshalJSON returns the whole record as JSON, for example to store a record that could not be handled. It contains
// the item before and after the change, and with it any personal data.
func (r Record) MarshalJSON() ([]byte, error) {
	return json.Marshal(recordJSON{
		r.Table, r.Label, r.Sequence, rowJSON{r.Keys}, rowJSON{r.Old}, rowJSON{r.New}, r.At, r.ByTTL,
	})
}

// UnmarshalJSON reads what MarshalJSON returned. If it fails, the record is unchanged.
func (r *Record) UnmarshalJSON(data []byte) error {
	var from recordJSON
	if err := json.Unmarshal(data, &from); err != nil {
		return err
	}
	*r = Record{
		from.Table, from.Label, from.Sequence, from.Keys.Row, from.Old.Row, from.New.Row, from.At, from.ByTTL,
	}
	return nil
}
