package tracker

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
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
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if at, err := time.Parse(form, v.Text()); err == nil {
			return dynastay.DateOf(at, time.UTC), nil
		}
	}
	return dynastay.ParseDate(v.Text())
}

// declareTime declares a time that other software may have written without a zone, as Python does; it is then in UTC.
func declareTime(f *entity.Fields, name string, p *time.Time) {
	entity.Custom(f, name, p, func(at time.Time) (types.AttributeValue, error) {
		if at.IsZero() {
			return nil, nil
		}
		return dynastay.Instant(at), nil
	}, func(v dynastay.Value) (time.Time, error) {
		at, err := time.Parse(time.RFC3339, v.Text())
		if err != nil {
			at, err = time.Parse("2006-01-02T15:04:05", v.Text())
		}
		return at.UTC(), err
	})
}

// compositeKey is an attribute of the document: user, region type and region code.
func compositeKey(v *Visit) (types.AttributeValue, error) {
	return dynastay.Text(v.UserID + "#" + string(v.RegionType) + "#" + v.RegionCode), nil
}
