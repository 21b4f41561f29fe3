package tracker

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

// encodeDay stores a date as 2024-11-10.
func encodeDay(d dynastay.Date) (types.AttributeValue, error) {
	if d.IsZero() {
		return nil, nil
	}
	return dynastay.Text(d.String()), nil
}

// decodeDay also reads a time, as other software may store it. Its day is that in UTC.
func decodeDay(v dynastay.Value) (dynastay.Date, error) {
	if at, err := time.Parse(time.RFC3339, v.Text()); err == nil {
		return dynastay.DateOf(at, time.UTC), nil
	}
	return dynastay.ParseDate(v.Text())
}

// compositeKey is an attribute of the document: user, region type and region code.
func compositeKey(v *Visit) (types.AttributeValue, error) {
	return dynastay.Text(v.UserID + "#" + string(v.RegionType) + "#" + v.RegionCode), nil
}
